/** Columns without entries need no memory: of a million columns or more they are left out, and nothing else changes. */
import { describe, expect, it } from 'vitest';
import { crossValidate, Dataset, LinearSvm, stop, type SparseMatrix, type SvmOptions } from '../../lib/index.js';
import { names, onEveryBackend } from '../support/backends.js';
import { csr, integers, unexpectedDefect, sparse, vector } from '../support/points.js';
import { random } from '../support/random.js';
import { sparse as sparseRows, wdbc } from '../support/svm-data.js';

/** The same rows with column j moved to place[j]. */
function spread(points: SparseMatrix, place: ArrayLike<number>, cols: number): SparseMatrix {
  return { ...points, indices: Uint32Array.from(points.indices, (j) => place[j]!), cols };
}

const WIDE = 2 ** 22;
/** Ascending columns spread over all of them, from the first to the last. */
const places = (count: number, cols = WIDE) =>
  Uint32Array.from({ length: count }, (_, j) => Math.floor((j * (cols - 1)) / (count - 1)));

/** max |a_i - b_i| */
function apart(a: Float64Array, b: Float64Array): number {
  return a.reduce((max, v, i) => Math.max(max, Math.abs(v - b[i]!)), 0);
}

describe('new Matrix(…) of more columns than entries', () => {
  it('gives the products of the matrix without the empty columns', () => {
    const next = random(1);
    for (const [rows, kept, max] of [
      [1, 3, 2],
      [40, 300, 9],
      [500, 70_000, 60],
      [9000, 5000, 20], // split into blocks
    ] as const) {
      const narrow = csr(rows, kept, max, rows);
      const cols = 2 ** 20 + Math.floor(next() * 2 ** 20);
      const place = places(kept, cols);
      const wide = { ...narrow, indices: narrow.indices.map((j) => place[j]!), cols };
      const used = [...new Set(wide.indices)].sort((a, b) => a - b);
      for (const values of [undefined, integers(narrow.indices.length, 3), vector(narrow.indices.length, 3)]) {
        onEveryBackend((kernels) => {
          const [N, W] = [sparse({ ...narrow, values }).copy(kernels, 2), sparse({ ...wide, values }).copy(kernels, 2)];
          expect(W.describe()).toMatchObject({ rows, cols, kept: used.length, stored: narrow.indices.length });
          expect([...W.used()!]).toEqual(used);
          expect(N.used()).toBeUndefined();
          const w = integers(kept, 4);
          const wideW = new Float64Array(cols);
          place.forEach((column, j) => (wideW[column] = w[j]!));
          const [a, b] = [new Float64Array(rows), new Float64Array(rows)];
          N.multiply(w, a, 2);
          W.multiply(wideW, b, 2);
          expect(apart(a, b)).toBeLessThan(1e-9);
          expect(W.decide(wideW, Float64Array.of(0.5), b, 2)).toBe(rows);
          expect(
            apart(
              a.map((v) => v + 0.5),
              b,
            ),
          ).toBeLessThan(1e-9);
          const u = integers(rows, 5);
          const [c, d] = [new Float64Array(kept), new Float64Array(cols).fill(7)];
          N.multiplyTransposed(u, c, 2);
          W.multiplyTransposed(u, d, 2);
          expect(
            apart(
              c,
              Float64Array.from(place, (column) => d[column]!),
            ),
          ).toBeLessThan(1e-9);
          for (const column of place) d[column] = 0;
          expect(d.every((v) => v === 0)).toBe(true);
        });
      }
    }
  });

  it('keeps every column if there are as many entries, or fewer than a million columns', () => {
    onEveryBackend((kernels) => {
      const full = { indptr: Uint32Array.of(0, 2 ** 20), indices: new Uint32Array(2 ** 20).map((_, j) => j), rows: 1 };
      const copy = (cols: number, entries: number) =>
        new kernels.Matrix(unexpectedDefect, 1, Uint32Array.of(0, entries), full.indices, undefined, 1, cols);
      expect(copy(2 ** 20, 2 ** 20).used()).toBeUndefined();
      expect(copy(2 ** 20, 2 ** 20 - 1).used()).toHaveLength(2 ** 20 - 1);
      expect(copy(2 ** 20 - 1, 3).used()).toBeUndefined();
      expect(copy(2 ** 20, 0).describe()).toMatchObject({ cols: 2 ** 20, kept: 0 });
    });
  });
});

describe.each(names)('LinearSvm.fit(points, labels) with columns without entries, %s', (backend) => {
  const { rows, labels } = wdbc();
  const narrow = sparseRows(rows.slice(0, 200));
  const some = labels.slice(0, 200);
  const place = places(30);
  const wide = spread(narrow, place, WIDE);

  it('gives the model without them', async () => {
    for (const options of [
      {},
      { scale: 'none', gamma: 1e-6, stop: stop.gap(1e-3) },
      { scale: 'standard', keepSets: true },
      { warmStart: true },
    ] as (Omit<SvmOptions<number>, 'warmStart'> & { warmStart?: boolean })[]) {
      const { warmStart, ...rest } = { ...options, backend };
      const weak = { weights: new Float64Array(30).fill(1e-3), bias: 1 };
      const wideWeak = { weights: new Float64Array(WIDE), bias: 1 };
      place.forEach((column, j) => (wideWeak.weights[column] = weak.weights[j]!));
      const a = LinearSvm.fit(narrow, some, { ...rest, ...(warmStart && { warmStart: weak }) });
      const b = LinearSvm.fit(wide, some, { ...rest, ...(warmStart && { warmStart: wideWeak }) });
      const later = await LinearSvm.fitAsync(wide, some, { ...rest, ...(warmStart && { warmStart: wideWeak }) });
      const info = { ...a.info, elapsed: 0, backend };
      expect({ ...b.info, elapsed: 0 }).toEqual(info);
      expect({ ...later.info, elapsed: 0 }).toEqual(info);
      expect(b.weights).toHaveLength(WIDE);
      for (const model of [b, later]) {
        expect(Float64Array.from(place, (column) => model.weights[column]!)).toEqual(a.weights);
        expect(model.bias).toBe(a.bias);
      }
      expect(b.predict(wide)).toEqual(a.predict(narrow));
      expect(b.predictOne({ indices: [WIDE - 1], values: [2] })).toBe(a.predictOne({ indices: [29], values: [2] }));
      using data = Dataset.from(wide, { backend });
      expect(data.cols).toBe(WIDE);
      expect(data.bytes).toBeLessThan(1e6);
      expect(b.predict(data)).toEqual(a.predict(narrow));
      expect(LinearSvm.fit(data, some, rest).weights[place[7]!]).toBe(LinearSvm.fit(narrow, some, rest).weights[7]);
    }
  });

  it('names the original number of a column whose squares overflow', () => {
    const values = Float64Array.from(narrow.values as Float64Array, (v, k) => (narrow.indices[k] === 7 ? v * 1e200 : v));
    expect(() => LinearSvm.fit({ ...wide, values }, some, { backend, scale: 'none' })).toThrow(
      `Expected smaller numbers for column ${place[7]} of points`,
    );
  });

  it('and crossValidate give the same table without them', async () => {
    const options = { backend, folds: 2, gammas: [0.1, 1] };
    const [a, b] = [await crossValidate(narrow, some, options), await crossValidate(wide, some, options)];
    expect(b.table).toEqual(a.table);
  });
});
