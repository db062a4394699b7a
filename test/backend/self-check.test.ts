import { describe, expect, it } from 'vitest';
import { kernels } from '../../lib/backend/load.js';
import { type Backend } from '../../lib/backend/interface.js';
import { selfCheck } from '../../lib/backend/self-check.js';
import { names } from '../support/backends.js';
import { clouds, dense } from '../support/svm-data.js';

const { rows, labels } = clouds(1, 40, 5);
// Some entries are 0: sparse forms leave them out.
const points = dense(rows.map((row, i) => row.map((x, j) => ((i + j) % 3 === 0 ? 0 : x))));
const check = (backend: Backend) => selfCheck(points, Int8Array.from(labels), backend, 2);

describe('selfCheck(points, labels, backend, threads)', () => {
  it.each(names)('finds that every kernel agrees with its twin, and times both: %s', (name) => {
    const checks = check(kernels(name));
    expect(checks.filter(({ agrees }) => !agrees)).toEqual([]);
    expect(checks.map(({ kernel }) => kernel)).toEqual([
      ...['dense f64', 'dense f32', 'sparse f64', 'sparse f32', 'sparse ones', 'sparse f64, 32-bit columns'].flatMap((form) => [
        `X·w  ${form}`,
        `Xᵀu  ${form}`,
      ]),
      'knapsack  cold',
      'knapsack  warm',
      'cones of 3',
      'cones of 31',
    ]);
    for (const { bound, time } of checks) {
      expect(bound).toBeGreaterThan(0);
      expect(bound).toBeLessThan(1e-12);
      expect(time.backend > 0 && time.twin > 0).toBe(true);
    }
  });

  it('finds a kernel that is a little wrong, or gives no numbers', () => {
    const right = kernels('js');
    for (const wrong of [1e-9, NaN]) {
      const backend: Backend = {
        ...right,
        projectCones(x, start, out, threads) {
          right.projectCones(x, start, out, threads);
          out[0]! += wrong;
        },
      };
      expect(
        check(backend)
          .filter(({ agrees }) => !agrees)
          .map(({ kernel }) => kernel),
      ).toEqual(['cones of 3', 'cones of 31']);
    }
  });
});
