/** Decisions of several planes: by definition, the same as of each plane alone, and nothing written when something is wrong. */
import { describe, expect, it } from 'vitest';
import type { CopyDefect, Kernels, MatrixArguments } from '../../lib/backend/interface.js';
import { Dataset } from '../../lib/index.js';
import { resolveDecisions } from '../../lib/input/index.js';
import { decide } from '../../lib/svm/model.js';
import { kernels } from '../../lib/backend/load.js';
import { backends, js, names, natives } from '../support/backends.js';
import { csr, integers, unexpectedDefect, vector } from '../support/points.js';

const f32 = (list: Float64Array) => Float32Array.from(list);

/** Sparse points as arguments; `values` makes the values of so many entries. */
function sparse(
  rows: number,
  cols: number,
  max: number,
  values: (n: number) => Float64Array | Float32Array | undefined,
): MatrixArguments {
  const { indptr, indices } = csr(rows, cols, max, rows + cols);
  return [indptr, indices, values(indices.length), rows, cols];
}

const forms: [name: string, data: MatrixArguments][] = [
  ['dense f64', [vector(23 * 37, 1), 23, 37]],
  ['dense f32', [f32(vector(23 * 37, 2)), 23, 37]],
  ['dense f64, long rows', [vector(7 * 1503, 3), 7, 1503]],
  ['dense f32, long rows', [f32(vector(7 * 1503, 4)), 7, 1503]],
  ['dense, many rows', [vector(9001 * 12, 5), 9001, 12]],
  ['CSR f64', sparse(60, 37, 20, (n) => vector(n, 6))],
  ['CSR f32', sparse(60, 37, 20, (n) => f32(vector(n, 7)))],
  ['CSR without values', sparse(60, 37, 20, () => undefined)],
  ['CSR, 32-bit columns', sparse(300, 70_000, 500, (n) => vector(n, 8))],
  ['CSR, fewer entries than columns', sparse(10, 70_000, 20, (n) => vector(n, 9))],
  ['CSR, empty columns dropped', sparse(20, 2 ** 20, 30, (n) => vector(n, 10))],
  ['no rows', [new Float64Array(0), 0, 5]],
  ['no columns', [new Float64Array(0), 4, 0]],
];

/** Whether two arrays have the same bits. */
const same = (a: Float64Array, b: Float64Array) => Buffer.from(a.buffer).equals(Buffer.from(b.buffer));

/** The largest difference. */
const apart = (a: Float64Array, b: Float64Array) => a.reduce((max, value, i) => Math.max(max, Math.abs(value - b[i]!)), 0);

const sizeOf = (data: MatrixArguments) => ({ rows: data.at(-2) as number, cols: data.at(-1) as number });

function decisions(kernels: Kernels, data: MatrixArguments, weights: Float64Array, biases: Float64Array, threads: number) {
  const { rows } = sizeOf(data);
  const out = new Float64Array(rows * biases.length);
  expect(kernels.decidePoints(unexpectedDefect, threads, weights, biases, out, ...data)).toBe(rows);
  return out;
}

describe.each(backends)('decidePoints(weights, biases), $title', ({ kernels }) => {
  it.each(forms)('gives the values of each plane alone, of a copy, and for any number of threads: %s', (_, data) => {
    const { rows, cols } = sizeOf(data);
    for (const k of cols > 1e5 ? [1, 3] : [1, 2, 4, 10, 45]) {
      const weights = vector(k * cols, k);
      const biases = vector(k, k + 1);
      const out = decisions(kernels, data, weights, biases, 1);
      expect(same(decisions(kernels, data, weights, biases, 2), out)).toBe(true);
      const matrix = new kernels.Matrix(unexpectedDefect, 2, ...data);
      for (const threads of [1, 2]) {
        const copied = new Float64Array(rows * k);
        expect(matrix.decide(weights, biases, copied, threads)).toBe(rows);
        expect(same(copied, out)).toBe(true);
      }
      matrix.dispose();
      for (let p = 0; p < k; p++) {
        const alone = decisions(kernels, data, weights.slice(p * cols, (p + 1) * cols), biases.slice(p, p + 1), 1);
        expect(
          same(
            alone,
            Float64Array.from(alone, (_, i) => out[i * k + p]!),
          ),
        ).toBe(true);
      }
    }
  });

  it('is exact for integers, by the definition', () => {
    const [rows, cols, k] = [17, 29, 21];
    const [x, weights, biases] = [integers(rows * cols, 1), integers(k * cols, 2), integers(k, 3)];
    const out = decisions(kernels, [x, rows, cols], weights, biases, 1);
    for (let i = 0; i < rows; i++) {
      for (let p = 0; p < k; p++) {
        let sum = biases[p]!;
        for (let j = 0; j < cols; j++) sum += x[i * cols + j]! * weights[p * cols + j]!;
        expect(out[i * k + p]).toBe(sum);
      }
    }
  });

  it('takes 65536 planes', () => {
    const k = 2 ** 16;
    const [x, weights, biases] = [integers(6, 1), integers(3 * k, 2), integers(k, 3)];
    const out = decisions(kernels, [x, 2, 3], weights, biases, 2);
    for (const p of [0, 1, 4095, 65_535]) {
      for (let i = 0; i < 2; i++) {
        const [a, b, c] = weights.subarray(3 * p, 3 * p + 3) as unknown as [number, number, number];
        expect(out[i * k + p]).toBe(a * x[3 * i]! + b * x[3 * i + 1]! + c * x[3 * i + 2]! + biases[p]!);
      }
    }
  });

  it.each([3, 40])('reports defects and writes nothing then: %d planes', (k) => {
    // 40 planes are more values than are kept back while they are checked.
    const [rows, cols] = k === 3 ? [50, 6] : [27_000, 6];
    const [weights, biases] = [vector(k * cols, 1), vector(k, 2)];
    const out = new Float64Array(rows * k).fill(7);
    const expectDefect = (wanted: Partial<CopyDefect>, ...data: MatrixArguments) => {
      const found: CopyDefect[] = [];
      const note = (defect: CopyDefect): never => {
        found.push(defect);
        throw new Error('noted');
      };
      expect(() => kernels.decidePoints(note, 2, weights, biases, out, ...data)).toThrow('noted');
      expect(found).toMatchObject([wanted]);
      expect(out.every((value) => value === 7)).toBe(true);
    };
    const { indptr, indices } = csr(rows, cols, 4, 1);
    for (const Kind of [Float64Array, Float32Array]) {
      for (const at of [rows * cols - 1, 100, 0]) {
        const data = new Kind(rows * cols);
        data[at] = at === 100 ? Infinity : NaN;
        expectDefect({ defect: 'not-finite', at }, data, rows, cols);
      }
      const values = new Kind(indices.length);
      values[20] = -Infinity;
      expectDefect({ defect: 'not-finite', at: 20, found: -Infinity }, indptr, indices, values, rows, cols);
      const at = indices.length - 1;
      expectDefect({ defect: 'bad-range', at, found: 9 }, indptr, indices.with(at, 9), values, rows, cols);
    }
    const start = indptr.slice();
    start[3] = 0xffff_ffff;
    expectDefect({ defect: 'bad-start', row: 2, at: 3 }, start, indices, undefined, rows, cols);
  });

  it.each([3, 40])('returns the first row where a value overflows, and writes nothing then: %d planes', (k) => {
    const [rows, cols] = k === 3 ? [50, 2] : [27_000, 2];
    const weights = new Float64Array(k * cols).fill(1);
    weights[k * cols - 1] = 1e10;
    const x = new Float64Array(rows * cols).fill(1);
    const out = new Float64Array(rows * k).fill(7);
    for (const row of [rows - 1, 33]) {
      x[row * cols + 1] = 1e300;
      expect(kernels.decidePoints(unexpectedDefect, 2, weights, new Float64Array(k), out, x, rows, cols)).toBe(row);
      expect(out.every((value) => value === 7)).toBe(true);
      expect(new kernels.Matrix(unexpectedDefect, 1, x, rows, cols).decide(weights, new Float64Array(k), out.slice(), 2)).toBe(row);
    }
    // Large numbers that do not overflow are no error.
    weights[k * cols - 1] = 1;
    expect(kernels.decidePoints(unexpectedDefect, 2, weights, new Float64Array(k), out, x, rows, cols)).toBe(rows);
    expect([out[33 * k], out[34 * k], out.at(-1)]).toEqual([1e300, 2, 1e300]);
  });

  it('may write to the memory of the points', () => {
    for (const [rows, cols] of [[30, 4], [30_000, 40]] as const) {
      const x = integers(rows * cols, 1);
      const [weights, biases] = [integers(cols * cols, 2), integers(cols, 3)];
      const wanted = decisions(kernels, [x, rows, cols], weights, biases, 2);
      expect(kernels.decidePoints(unexpectedDefect, 2, weights, biases, x, x, rows, cols)).toBe(rows);
      expect(same(x, wanted)).toBe(true);
    } // prettier-ignore
  });
});

describe.each(natives)('decidePoints(weights, biases), native $simd', (kernels) => {
  it.each(forms)('gives the values of the TypeScript twin, up to rounding: %s', (_, data) => {
    const { cols } = sizeOf(data);
    const k = cols > 1e5 ? 3 : 11;
    const [weights, biases] = [vector(k * cols, 5), vector(k, 6)];
    const [ours, theirs] = [kernels, js].map((of) => decisions(of, data, weights, biases, 2)) as [Float64Array, Float64Array];
    // Entries and weights are below 1, and rows have at most 1503 of them: n² units bound what any order of adding loses.
    expect(apart(ours, theirs)).toBeLessThan(1503 ** 2 * 2 ** -53);
  });
});

describe('decide(planes, input)', () => {
  const [rows, cols, k] = [40, 6, 5];
  const planes = { weights: vector(k * cols, 1), biases: vector(k, 2) };
  const x = vector(rows * cols, 3);
  const wanted = decisions(js, [x, rows, cols], planes.weights, planes.biases, 1);
  const expectClose = (values: Float64Array) => {
    expect(values.length).toBe(wanted.length);
    expect(apart(values, wanted)).toBeLessThan(1e-12);
  };

  it('takes points, shared memory, and a Dataset with shifted columns', () => {
    const points = { data: x, rows, cols };
    expectClose(decide({ table: planes }, resolveDecisions({ cols }, points, undefined, k)));
    const shared = new Float64Array(new SharedArrayBuffer(x.byteLength));
    shared.set(x);
    expectClose(decide({ table: planes }, resolveDecisions({ cols }, { data: shared, rows, cols }, undefined, k)));
    const dataset = Dataset.from(points);
    expect(Dataset.dataOf(dataset).shifted).toBe(true);
    expectClose(decide({ table: planes }, resolveDecisions({ cols }, dataset, new Float64Array(rows * k), k)));
  });

  it('takes a sparse Dataset that dropped columns and shifted one', () => {
    const place = [3, 70_000, 2 ** 20];
    const wide = 2 ** 20 + 1;
    const indptr = Uint32Array.from({ length: rows + 1 }, (_, i) => 3 * i);
    const indices = Uint32Array.from({ length: 3 * rows }, (_, e) => place[e % 3]!);
    const values = Float64Array.from({ length: 3 * rows }, (_, e) => (e % 3 === 1 ? 1e6 + e : x[e]!));
    const weights = vector(2 * wide, 4);
    const biases = vector(2, 5);
    const dataset = Dataset.from({ indptr, indices, values, rows, cols: wide });
    expect(Dataset.dataOf(dataset).shifted).toBe(true);
    const out = decide({ table: { weights, biases } }, resolveDecisions({ cols: wide }, dataset, undefined, 2));
    for (let i = 0; i < rows; i++) {
      for (let p = 0; p < 2; p++) {
        const sum = place.reduce((s, column, e) => s + values[3 * i + e]! * weights[p * wide + column]!, biases[p]!);
        expect(out[i * 2 + p]).toBeCloseTo(sum, 6);
      }
    }
  });

  it.each(names)('measures all rows of a matrix, %s backend', (name) => {
    const { Matrix } = kernels(name);
    const matrix = new Matrix(unexpectedDefect, 2, x, rows, cols);
    const factor = vector(cols, 6);
    const norms = new Float64Array(rows);
    matrix.norms(factor, norms, 2);
    norms.forEach((norm, i) => {
      const row = Array.from(x.subarray(i * cols, (i + 1) * cols));
      expect(norm).toBeCloseTo(
        row.reduce((sum, v, j) => sum + (v * factor[j]!) ** 2, 0),
        10,
      );
    });
  });

  const long = forms.filter(([, data]) => (data.at(-2) as number) >= 8); // rows
  it.each(names.flatMap((name) => long.map(([form, data]) => [form, name, data] as const)))(
    'decides about some of the rows of a matrix, %s, %s backend',
    (_form, name, data) => {
      const { Matrix } = kernels(name);
      const matrix = new Matrix(unexpectedDefect, 2, ...data);
      const { rows: n, cols: d } = matrix.describe();
      for (const planes of [1, 2, 9]) {
        const [weights, biases] = [vector(planes * d, 8), vector(planes, 9)];
        const all = new Float64Array(n * planes);
        expect(matrix.decide(weights, biases, all, 2)).toBe(n);
        for (const [begin, end] of [
          [0, 3],
          [2, 7],
          [n - 3, n],
          [4, 4],
        ] as const) {
          // Room behind, which must stay as it is.
          const some = new Float64Array((end - begin) * planes + 8).fill(7);
          expect(matrix.decide(weights, biases, some, 2, begin, end)).toBe(end);
          expect(some.subarray(0, (end - begin) * planes)).toEqual(all.subarray(begin * planes, end * planes));
          expect(some.subarray((end - begin) * planes)).toEqual(new Float64Array(8).fill(7));
        }
        const wrong = biases.map((bias, p) => (p === planes - 1 ? Infinity : bias));
        expect(matrix.decide(weights, wrong, all, 2, 3, 6)).toBe(3);
      }
    },
  );

  it('expects out to have a number for each row and plane', () => {
    expect(() => resolveDecisions({ cols }, { data: x, rows, cols }, new Float64Array(rows), k)).toThrow(
      'Expected 200 numbers for out, one for each row of points and class, but received 40',
    );
  });
});
