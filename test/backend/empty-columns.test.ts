/** Columns that are 0 in all rows that take part are no part of a problem (method 1.4). */
import { describe, expect, it } from 'vitest';
import { svmTasks } from '../../lib/backend/tasks.js';
import { resolveDataset } from '../../lib/input/resolve-dataset.js';
import { inForm, type Form, type Instance } from '../support/instances.js';
import { backends } from '../support/backends.js';

const refuse = (): never => expect.fail('the data are sound');
/** Row 5 has weight 0. Empty: column 1; of sparse and f32 rows also column 2. Column 3 adds up to 0. Column 4 is too small to be a scale. */
const ROWS = [
  [1, 0, 0, 1, 5e-324],
  [2, -0, 0, -1, 0],
  [3, 0, 0, 0, 0],
  [1, 0, 0, 2, 0],
  [2, 0, 0, -2, 0],
  [9, 0, 7, 0, 0],
];
const FORMS: Form[] = ['f64', 'f32', 'csr f64', 'csr f32'];

describe.each(backends)('Svm.columns(inverseScale, shift), $title', ({ kernels }) => {
  const columns = (points: Instance['points'], weight: Float64Array, scale: number | Float64Array) => {
    const matrix = new kernels.Matrix(refuse, 1, ...resolveDataset(points).view.arguments);
    matrix.centre(1);
    const problem = new kernels.Svm(matrix, Int8Array.of(1, -1, 1, -1, 1, -1), weight, scale, 1);
    svmTasks(problem).begin.ask({ curvature: false }).perform();
    const [inverse, shift] = [new Float64Array(5), new Float64Array(5)];
    problem.columns(inverse, shift);
    problem.dispose();
    matrix.dispose();
    return Array.from(inverse);
  };
  const zeros = (inverse: number[]) => inverse.flatMap((value, j) => (value === 0 ? [j] : []));

  it.each(FORMS)('has 1 / scale = 0 for columns without an entry other than 0, %s', (form) => {
    const { points } = inForm(form, Float64Array.from(ROWS.flat()), 6, 5, () => 0);
    const tiny = form.endsWith('f32') ? [4] : []; // 0 as a 32-bit number
    for (const scale of [0, 1, 2]) {
      expect(zeros(columns(points, Float64Array.of(1), scale))).toEqual([1, ...tiny]);
      for (const c of [1, 0.5]) {
        const weight = Float64Array.of(c, c, c, c, c, 0);
        // Dense f64 rows are stored minus the mean of all rows: it no longer shows that column 2 was 0.
        expect(zeros(columns(points, weight, scale))).toEqual([1, ...(form === 'f64' ? [] : [2]), ...tiny]);
      }
    }
    const given = Float64Array.of(1, 2, 3, 4, 0);
    expect(columns(points, Float64Array.of(1), given)).toEqual(Array.from(given));
  });

  it('has 1 / scale = 0 for columns without an entry, and 1 for others, of rows of ones', () => {
    const points = { indptr: [0, 2, 3, 4, 4, 5, 6], indices: [0, 3, 0, 3, 4, 2], rows: 6, cols: 5 };
    for (const scale of [0, 2]) {
      expect(columns(points, Float64Array.of(1), scale)).toEqual([1, 0, 1, 1, 1]);
      expect(columns(points, Float64Array.of(2, 1, 1e-300, 1, 5e-324, 0), scale)).toEqual([1, 0, 0, 1, 1]);
    }
    expect(zeros(columns(points, Float64Array.of(1), 1))).toEqual([1]);
  });
});
