/** No certified label of rows or new points may be false (method C11). FISTA_CLASSIFY_RUNS (set in CI) and _SEED make it a long run. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlaneProof } from '../../lib/svm/model.js';
import { names } from '../support/backends.js';
import { buildClasses, classInstances, type ClassParameters } from '../support/class-instances.js';
import { examineClasses, FalseClaim, type ClassCount, type Control } from '../support/examine-classes.js';

const RUNS = Number(process.env['FISTA_CLASSIFY_RUNS'] ?? 375);
const SEED = Number(process.env['FISTA_CLASSIFY_SEED'] ?? 20260201);

test.each(names)('certifies no label that is false, %s backend', { timeout: 3_600_000 }, (backend) => {
  const counts: ClassCount[] = [];
  const runs = Math.ceil(RUNS / names.length);
  fc.assert(
    fc.property(classInstances, (parameters) => {
      counts.push(examineClasses(buildClasses(parameters), backend));
    }),
    { numRuns: runs, seed: SEED + names.indexOf(backend), endOnFailure: process.env['FISTA_CLASSIFY_SHRINK'] === '0' },
  );
  const sum = (name: Exclude<keyof ClassCount, 'status'>) => counts.reduce((total, count) => total + count[name], 0);
  // The test would show little if few labels were certified, if the exact planes could seldom tell, or if offsets were always unique.
  expect(sum('certifiedRows')).toBeGreaterThan(0.3 * sum('rows'));
  expect(sum('certifiedPoints')).toBeGreaterThan(0.1 * sum('points'));
  // JSON keeps all certificates, and with 32-bit weights most of them.
  expect(sum('certifiedRead')).toBeGreaterThan(0.9 * (sum('certifiedRows') + sum('certifiedPoints')));
  expect(sum('certifiedSingle')).toBeGreaterThan(0.5 * sum('certifiedRead'));
  expect(sum('unsure')).toBeLessThan(0.01 * (sum('certifiedRows') + sum('certifiedPoints')));
  expect(sum('unsurePlanes')).toBeLessThan(0.1 * sum('planes'));
  expect(sum('intervals')).toBeGreaterThan(0.02 * sum('planes'));
});

describe('finds false claims where there are some', () => {
  const slopes = ({ slope }: PlaneProof) => ({ slope: 0.2 * slope });
  const offsets = ({ slope, low, high }: PlaneProof) => {
    const middle = (low + high) / 2;
    return slope < Infinity ? { low: middle + 0.2 * (low - middle), high: middle + 0.2 * (high - middle) } : {};
  };
  const both = (proof: PlaneProof) => ({ ...slopes(proof), ...offsets(proof) });
  test.each([
    ['values', 'slopes', slopes],
    ['values', 'intervals of offsets', offsets],
    ['labels', 'slopes and intervals', both],
    ['values', 'bounds of 32-bit weights', undefined],
    ['labels', 'bounds of 32-bit weights', undefined],
  ] as const)('of %s, with smaller %s', (examine, _, change) => {
    const control: Control = { ...(change && { change }), examine };
    const found = fc.sample(classInstances, { numRuns: change ? 50 : 100, seed: SEED }).filter((parameters) => {
      try {
        examineClasses(buildClasses(parameters), 'js', control);
        return false;
      } catch (error) {
        if (error instanceof FalseClaim) return true;
        throw error;
      }
    });
    expect(found.length).toBeGreaterThanOrEqual(3);
  });
});

// ---- An instance that once gave a false certificate

test.each(names)('takes no point to be near whose distance overflows, %s backend', (backend) => {
  const parameters: ClassParameters = {
    classes: 3,
    size: { n: 21, d: 4 },
    seed: 2,
    shape: 'collinear',
    counts: 'balanced',
    mean: 0,
    size10: -300,
    columns: 'zero',
    form: 'f64',
    newForm: 'f64',
    way: 'auto',
    scale: 'auto',
    gamma: 'tiny',
    loss: 'hinge',
    mu: undefined,
    weights: 'zeros',
    method: 'newton',
    stop: 'both',
    maxIterations: 200,
  };
  examineClasses(buildClasses(parameters), backend);
});
