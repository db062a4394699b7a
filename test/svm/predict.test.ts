import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kernels } from '../../lib/backend/load.js';
import { LinearSvm } from '../../lib/index.js';
import type { SparseMatrix } from '../../lib/types.js';
import { names } from '../support/backends.js';

const model = (weights: ArrayLike<number>, bias = 0) =>
  LinearSvm.fromJSON({ format: 'fista-classify/linear-svm', version: 1, labels: [0, 1], bias, weights: Array.from(weights) });

const value = fc.double({ min: -8, max: 8, noNaN: true });
/** Rows of (column, value) pairs, some of them empty. */
const matrix = fc.record({
  cols: fc.integer({ min: 1, max: 12 }),
  seed: fc.array(fc.array(fc.tuple(fc.nat(11), value), { maxLength: 14 }), { minLength: 1, maxLength: 300 }),
});

function csr({ cols, seed }: { cols: number; seed: [number, number][][] }) {
  const rows = seed.map((row) => new Map(row.filter(([j]) => j < cols).sort(([a], [b]) => a - b)));
  const indptr = [0];
  const indices: number[] = [];
  const values: number[] = [];
  for (const row of rows) {
    for (const [j, v] of row) {
      indices.push(j);
      values.push(v);
    }
    indptr.push(indices.length);
  }
  return { indptr, indices, values, rows: rows.length, cols };
}

describe.each(names)('decidePoints(points), %s backend', (name) => {
  const { decidePoints, Matrix } = kernels(name);
  const bias = Float64Array.of(0.25);
  const never = () => {
    throw new Error('nothing is wrong');
  };

  it.each(['f64', 'f32', 'none'] as const)('gives the decisions of the copied matrix, sparse, values %s', (form) => {
    fc.assert(
      fc.property(
        matrix,
        fc.array(value, { minLength: 12, maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        (given, w, threads) => {
          const { rows, cols, ...lists } = csr(given);
          const values =
            form === 'none' ? undefined : form === 'f64' ? Float64Array.from(lists.values) : Float32Array.from(lists.values);
          const data = [Uint32Array.from(lists.indptr), Uint32Array.from(lists.indices), values, rows, cols] as const;
          const weights = Float64Array.from(w.slice(0, cols));
          const [direct, copied] = [new Float64Array(rows), new Float64Array(rows)];
          expect(decidePoints(never, threads, weights, bias, direct, ...data)).toBe(rows);
          expect(new Matrix(never, threads, ...data).decide(weights, bias, copied, threads)).toBe(rows);
          expect(direct).toEqual(copied);
        },
      ),
      { seed: 3, numRuns: 150 },
    );
  });

  it.each([Float64Array, Float32Array])('gives the decisions of the copied matrix, dense %o', (Kind) => {
    for (const [rows, cols] of [[1, 1], [3, 7], [50, 33], [5, 1700], [4, 0]] as const) {
      const data = new Kind(rows * cols).map((_: number, k: number) => Math.sin(k * k));
      const weights = Float64Array.from({ length: cols }, (_, j) => Math.cos(j));
      const [direct, copied] = [new Float64Array(rows), new Float64Array(rows)];
      expect(decidePoints(never, 2, weights, bias, direct, data, rows, cols)).toBe(rows);
      new Matrix(never, 2, data, rows, cols).multiply(weights, copied, 2);
      copied.forEach((value, i) => (copied[i] = value + 0.25));
      expect(direct).toEqual(copied);
    } // prettier-ignore
  });
});

describe('model.decision(points)', () => {
  const svm = model([1, 10, 100], 1000);
  const sparse: SparseMatrix = { indptr: [0, 2, 2, 3], indices: [0, 2, 1], values: [2, 3, 4], rows: 3, cols: 3 };

  it('ignores what typed arrays hold past the last offset', () => {
    const points = {
      ...sparse,
      indices: Uint32Array.of(0, 2, 1, 7, 7, 7, 7, 7),
      values: Float64Array.of(2, 3, 4, NaN, Infinity, NaN, NaN, NaN),
    };
    expect([...svm.decision(points)]).toEqual([1302, 1000, 1040]);
    expect([...svm.decision({ ...points, values: Float32Array.from(points.values) })]).toEqual([1302, 1000, 1040]);
  });

  it('names an entry that is not finite, in any row, even with a weight of 0', () => {
    const zero = model([0, 0]);
    for (const bad of [NaN, Infinity, -Infinity]) {
      for (let at = 0; at < 14; at++) {
        const data = new Float64Array(14);
        data[at] = bad;
        const where = `points.data[${at}] (row ${Math.floor(at / 2)}, column ${at % 2})`;
        expect(() => zero.decision({ data, rows: 7, cols: 2 })).toThrow(
          `Expected a finite number for ${where} but received ${bad}`,
        );
        const points = {
          indptr: [0, 2, 4, 6, 8, 10, 12, 14],
          indices: [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
          rows: 7,
          cols: 2,
        };
        expect(() => zero.decision({ ...points, values: data })).toThrow(`Expected a finite number for points.values[${at}]`);
      }
    }
  });

  it('names the first column index out of order or out of range, in any row', () => {
    const rows = 1000;
    const good = {
      indptr: Array.from({ length: rows + 1 }, (_, i) => 2 * i),
      indices: Array.from({ length: 2 * rows }, (_, k) => k % 2),
      rows,
      cols: 2,
    };
    const wide = model([1, 1]);
    for (const at of [0, 1, 255, 256, 1001, 1998, 1999]) {
      const order = good.indices.map((j, k) => (k === at ? 1 - j : j));
      const row = Math.floor(at / 2);
      expect(() => wide.decision({ ...good, indices: order })).toThrow(`Expected ascending column indices in row ${row}`);
      const beyond = good.indices.map((j, k) => (k === at ? 2 : j));
      expect(() => wide.decision({ ...good, indices: beyond })).toThrow(
        `Expected a column from 0 to 1 for points.indices[${at}] (row ${row})`,
      );
    }
  });

  it('accepts shared memory, and the data of the points as out', () => {
    const shared = new Float64Array(new SharedArrayBuffer(24));
    shared.set([1, 2, 3]);
    expect([...svm.decision({ data: shared, rows: 1, cols: 3 })]).toEqual([1321]);
    const own = Float64Array.of(1, 2, 3);
    expect([...model([2]).decision({ data: own, rows: 3, cols: 1 }, own)]).toEqual([2, 4, 6]);
  });

  it('names the row whose decision overflows', () => {
    const out = new Float64Array(2);
    expect(() => model([1e308]).decision({ data: Float64Array.of(1, 100), rows: 2, cols: 1 }, out)).toThrow('row 1');
  });
});
