/** Known optima: of wdbc, of two examples of the paper and, where they are available, of the reference sets. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readLibsvm } from '../../lib/io/libsvm.js';
import { stop } from '../../lib/svm/stopping.js';
import { LinearSvm } from '../../lib/svm/linear-svm.js';
import { names } from '../support/backends.js';
import { normal, random } from '../support/random.js';
import type { BackendName } from '../../lib/types.js';

const SHARED = join(__dirname, '../../../shared');

interface Reference {
  features: number;
  rows: number;
  scaling: 'none' | 'standard';
  positiveLabel: number;
  gamma: number;
  primalOptimum: number;
  properlyClassified: number;
  zero: number;
  atBound: number;
  trainAccuracy: number;
}

const WDBC: Reference = {
  features: 30,
  rows: 569,
  scaling: 'standard',
  positiveLabel: 1,
  gamma: 64 / 569,
  primalOptimum: 3.4577586798901647,
  properlyClassified: 541,
  zero: 490,
  atBound: 28,
  trainAccuracy: 0.9859402460456942,
};

async function checkOptimum(file: string, reference: Reference, backend: BackendName): Promise<void> {
  const { points, labels } = await readLibsvm(file, { cols: reference.features, backend });
  const model = LinearSvm.fit(points, labels, {
    scale: reference.scaling,
    gamma: reference.gamma,
    positive: reference.positiveLabel,
    stop: stop.gap(1e-9),
    backend,
  });
  const { info } = model;
  expect(info.status).toBe('gap');
  expect(Math.abs(info.primal / reference.primalOptimum - 1)).toBeLessThan(1e-7);
  expect(info.dual).toBeLessThanOrEqual(reference.primalOptimum * (1 + 1e-11));
  expect(model.score(points, labels).accuracy).toBeCloseTo(reference.trainAccuracy, 12);
  // At this gap all rows are certified but those within about 1e-5 of a kink; no certificate may contradict the reference.
  const { rows } = reference;
  expect(info.properlyClassified).toBeLessThanOrEqual(reference.properlyClassified);
  expect(info.atBound).toBeLessThanOrEqual(reference.atBound);
  expect(info.zero).toBeLessThanOrEqual(reference.zero);
  expect(info.properlyClassified + info.atBound).toBeGreaterThan(0.99 * rows);
  expect(reference.zero - info.zero).toBeLessThan(0.01 * rows);
}

describe.each(names)('LinearSvm.fit, %s backend', (backend) => {
  test('reaches the known optimum of wdbc, and certifies its sets', async () => {
    const file = join(__dirname, '../fixtures/wdbc.libsvm.gz');
    await checkOptimum(file, WDBC, backend);
    const { points, labels } = await readLibsvm(file, { backend });
    const { info } = LinearSvm.fit(points, labels, { gamma: 64 / 569, scale: 'standard', stop: stop.gap(1e-9), backend });
    expect([info.properlyClassified, info.zero, info.atBound]).toEqual([541, 490, 28]);
  });

  test("finds the optimum and certifies T on the paper's seven points with many dual optima", () => {
    const points = [[1], [1], [1], [-1], [-1], [-1], [1]];
    const labels = [1, 1, 1, 1, -1, -1, -1];
    for (const gamma of [1, 2, 10]) {
      const { weights, bias, info } = LinearSvm.fit(points, labels, {
        gamma,
        scale: 'none',
        stop: stop.gap(0), // as far as rounding allows
        keepSets: true,
        backend,
      });
      expect([...info.sets!.properlyClassified]).toEqual([0, 1, 2, 4, 5]);
      expect([...info.sets!.atBound]).toEqual([3, 6]);
      // By symmetry within a class: u = (a, a, a, gamma), v = (b, b, gamma) with 3a = 2b and a, b = (1 - theta) / mu.
      const mu = 1 / (2 * gamma);
      const alpha = info.alpha!;
      const a = (1 - (weights[0]! + bias)) / mu;
      const b = (1 - (weights[0]! - bias)) / mu;
      expect(3 * a).toBeCloseTo(2 * b, 5);
      for (const i of [0, 1, 2]) expect(alpha[i]!).toBeCloseTo(a, 5);
      for (const i of [4, 5]) expect(alpha[i]!).toBeCloseTo(b, 5);
      expect(weights[0]!).toBeCloseTo(3 * a + 2 * b - 2 * gamma, 5);
    }
  });

  test("certifies all well-classified points of the paper's two balls as members of T", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const next = random(seed);
      const d = 2 + (seed % 4);
      const [sigma1, sigma2] = [0.5 + 0.5 * next(), 0.5 + 0.5 * next()];
      const rho = 0.4 * Math.min(sigma1, sigma2) * next();
      const ball = (centre: number, radius: number) => {
        const v = Array.from({ length: d }, () => normal(next));
        const size = (radius * next() ** (1 / d)) / Math.hypot(...v);
        return v.map((value, j) => value * size + (j === 0 ? centre : 0));
      };
      const [each, noise] = [100, 6];
      const points = [
        ...Array.from({ length: each }, () => ball(sigma1, rho)),
        ...Array.from({ length: each }, () => ball(-sigma2, rho)),
        ...Array.from({ length: noise }, () => ball((sigma1 - sigma2) / 2, (sigma1 + sigma2) / 2 + rho)),
      ];
      const labels = points.map((_, i) => (i < each ? 1 : i < 2 * each ? -1 : next() < 0.5 ? 1 : -1));
      const gamma = 64 / points.length;
      const model = LinearSvm.fit(points, labels, { gamma, scale: 'none', stop: stop.gap(1e-9), keepSets: true, backend });
      const T = new Set(model.info.sets!.properlyClassified);
      const values = model.decision(points);
      for (let i = 0; i < 2 * each; i++) {
        expect(T.has(i), `seed ${seed}, row ${i}`).toBe(true);
        expect(Math.sign(values[i]!)).toBe(labels[i]);
      }
    }
  });
});

const file = join(SHARED, 'reference/svm-optima.json');
const references = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Reference>) : {};
if (Object.keys(references).length === 0) {
  process.stdout.write('Left out: the optima of the reference sets (../shared/reference is not here)\n');
} else {
  describe('LinearSvm.fit reaches the optima of the reference sets', () => {
    for (const [name, reference] of Object.entries(references)) {
      const data = join(SHARED, `data/${name}.libsvm.gz`);
      test.skipIf(!existsSync(data))(name, { timeout: 300_000 }, async () => {
        await checkOptimum(data, reference, names[0]!);
      });
    }
  });
}
