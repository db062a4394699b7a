import { describe, expect, it } from 'vitest';
import { kernels } from '../../lib/backend/load.js';
import { type Backend, type Matrix } from '../../lib/backend/interface.js';
import { selfCheck } from '../../lib/backend/self-check.js';
import { names } from '../support/backends.js';

describe('selfCheck(backend, threads)', () => {
  it.each(names)('lists every kernel, with its error bound and times, as agreeing with its twin, %s', (name) => {
    const checks = selfCheck(kernels(name), 2);
    expect(checks.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(checks.map(({ kernel }) => kernel)).toEqual([
      ...['dense f64', 'dense f32', 'sparse f64', 'sparse f32', 'sparse ones', 'sparse f64, 32-bit columns'].flatMap((form) => [
        `X·w, ${form}`,
        `Xᵀu, ${form}`,
        `X·W, 4 planes, ${form}`,
      ]),
      'knapsack, cold start',
      'knapsack, warm start',
      'cones, of 3 entries',
      'cones, of 31 entries',
      'certified labels',
    ]);
    for (const { kernel, bound, time } of checks) {
      expect(bound > 0 || kernel === 'certified labels').toBe(true);
      expect(bound).toBeLessThan(1e-12);
      expect(time.backend > 0 && time.twin > 0).toBe(true);
    }
  });

  it('measures matrices of several entries a column: of fewer, a time would be that of copying vectors', () => {
    const right = kernels('js');
    const made: { cols: number; stored: number }[] = [];
    const Matrix = new Proxy(right.Matrix, {
      construct(target, given: never[]): object {
        const matrix = Reflect.construct<ConstructorParameters<typeof target>, Matrix>(target, given as never);
        made.push(matrix.describe());
        return matrix;
      },
    });
    selfCheck({ ...right, Matrix }, 1);
    expect(made).toHaveLength(6);
    expect(Math.max(...made.map(({ cols }) => cols))).toBeGreaterThanOrEqual(65536);
    for (const { cols, stored } of made) expect(stored / cols).toBeGreaterThan(4);
  });

  it('lists a kernel that is off by 1e-9 or gives NaN as not agreeing', () => {
    const right = kernels('js');
    for (const wrong of [1e-9, NaN]) {
      const backend: Backend = {
        ...right,
        kernels: {
          ...right.kernels,
          projectCones(x, start, out, threads) {
            right.kernels.projectCones(x, start, out, threads);
            out[0]! += wrong;
          },
        },
      };
      expect(
        selfCheck(backend, 2)
          .filter(({ agrees }) => !agrees)
          .map(({ kernel }) => kernel),
      ).toEqual(['cones, of 3 entries', 'cones, of 31 entries']);
    }
  });

  it('lists a certified label too many as not agreeing, of labels of which some are certain and some are not', () => {
    const right = kernels('js');
    let [rows, found] = [0, 0];
    const backend: Backend = {
      ...right,
      certifyLabels(values, products, norms, planes, classes, certain, ...others) {
        right.certifyLabels(values, products, norms, planes, classes, certain, ...others);
        rows = certain.length;
        found = certain.reduce((sum, one) => sum + one, 0);
        certain[certain.indexOf(0)] = 1;
      },
    };
    const wrong = selfCheck(backend, 2).filter(({ agrees }) => !agrees);
    expect(wrong.map(({ kernel }) => kernel)).toEqual(['certified labels']);
    expect(found).toBeGreaterThan(rows / 10);
    expect(found).toBeLessThan((9 * rows) / 10);
  });
});
