import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backend } from '../../lib/backend/load.js';
import { Dataset, LinearSvm, stop } from '../../lib/index.js';
import type { DatasetOptions, Rows } from '../../lib/index.js';
import { names, natives } from '../support/backends.js';
import { run } from '../support/child.js';
import { expectSame } from '../support/expect.js';
import { vector } from '../support/points.js';
import { normal, random } from '../support/random.js';

type Points = Parameters<typeof Dataset.from>[0];

const CHOICES = names;

/**
 * The rows that the dataset holds, read as X·e_j. Dense f64 data are stored minus their means, so only 15 digits come back; the shift of
 * other forms is exact.
 */
function held(data: Dataset): number[][] {
  const X = Dataset.dataOf(data).matrix;
  const shift = new Float64Array(data.cols);
  X.shift(shift);
  const columns = Array.from({ length: data.cols }, (_, j) => {
    const out = new Float64Array(data.rows);
    X.multiply(
      Float64Array.from({ length: data.cols }, (_, k) => (k === j ? 1 : 0)),
      out,
      1,
    );
    return out;
  });
  const means = X.describe().form === 'dense f64' && shift.some((s) => s !== 0);
  const digits = (value: number) => (means ? Number(value.toPrecision(15)) : value);
  return Array.from({ length: data.rows }, (_, i) => columns.map((column, j) => digits(column[i]! + shift[j]!)));
}

const ROWS = [
  [1.5, 0, -2],
  [0, 0, 3],
];
const CSR = { indptr: [0, 2, 3], indices: [0, 2, 2], values: [1.5, -2, 3], rows: 2, cols: 3 };
const FOREIGN = runInNewContext('({ data: Float32Array.of(1, 2), indices: Int32Array.of(0, 2, 2) })') as Record<string, unknown>;
const ONES = { indptr: [0, 2, 2], indices: [1, 2], rows: 2, cols: 3 };

const ACCEPTED: [string, () => unknown, number[][], Partial<Dataset>?][] = [
  ['arrays', () => ROWS, ROWS, { rows: 2, cols: 3, nnz: 6, bytes: 48 }],
  ['Float64Arrays', () => ROWS.map((row) => Float64Array.from(row)), ROWS],
  ['Float32Arrays and arrays', () => [Float32Array.from(ROWS[0]!), ROWS[1]], ROWS],
  ['Int16Arrays', () => [Int16Array.of(1, -2)], [[1, -2]]],
  ['array-likes', () => [{ length: 2, 0: 5, 1: 6 }], [[5, 6]]],
  ['frozen rows', () => Object.freeze([Object.freeze([5, 6])]), [[5, 6]]],
  ['rows without columns', () => [[], []], [[], []], { rows: 2, cols: 0, nnz: 0 }],
  ['one row', () => [[7]], [[7]]],
  ['-0, 1e300 and 1e-300', () => [[-0, 1e300, 1e-300, 5e-324]], [[0, 1e300, 1e-300, 5e-324]]],
  ['a proxy of rows', () => new Proxy([new Proxy([1, 2], {})], {}), [[1, 2]]],
  ['dense f64', () => ({ data: Float64Array.from(ROWS.flat()), rows: 2, cols: 3 }), ROWS, { nnz: 6, bytes: 48 }],
  ['dense f32', () => ({ data: Float32Array.from(ROWS.flat()), rows: 2, cols: 3 }), ROWS, { nnz: 6, bytes: 24 }],
  ['dense without columns', () => ({ data: new Float64Array(0), rows: 2, cols: 0 }), [[], []]],
  ['dense data of another realm', () => ({ data: FOREIGN.data, rows: 1, cols: 2 }), [[1, 2]], { bytes: 8 }],
  [
    'a view into a larger buffer',
    () => ({ data: new Float64Array(Float64Array.of(9, 1, 2, 9).buffer, 8, 2), rows: 1, cols: 2 }),
    [[1, 2]],
  ],
  ['a view of shared memory', () => ({ data: shared([1, 2]), rows: 2, cols: 1 }), [[1], [2]]],
  ['a view that follows a resizable buffer', () => ({ data: resizable([1, 2, 3, 4]), rows: 2, cols: 2 }), [[1, 2], [3, 4]]], // prettier-ignore
  ['a class with getters', () => new (class { get data() { return Float64Array.of(4); } get rows() { return 1; } get cols() { return 1; } })(), [[4]]], // prettier-ignore
  ['sparse arrays of numbers', () => CSR, ROWS, { rows: 2, cols: 3, nnz: 3 }],
  ['sparse typed arrays', () => typed(CSR, Uint32Array, Float64Array), ROWS, { nnz: 3 }],
  ['sparse signed indices, f32 values', () => typed(CSR, Int32Array, Float32Array), ROWS, { nnz: 3 }],
  ['sparse arrays of another realm', () => ({ ...CSR, indices: FOREIGN.indices }), ROWS],
  ['sparse without values', () => ONES, [[0, 1, 1], [0, 0, 0]], { nnz: 2 }], // prettier-ignore
  ['sparse with values undefined', () => ({ ...ONES, values: undefined }), [[0, 1, 1], [0, 0, 0]]], // prettier-ignore
  ['sparse without entries', () => ({ indptr: [0, 0], indices: [], rows: 1, cols: 2 }), [[0, 0]], { nnz: 0 }],
  ['sparse without columns', () => ({ indptr: [0, 0], indices: [], rows: 1, cols: 0 }), [[]]],
];

function typed(
  points: typeof CSR,
  Index: typeof Uint32Array | typeof Int32Array,
  Values: typeof Float64Array | typeof Float32Array,
) {
  return { ...points, indptr: Index.from(points.indptr), indices: Index.from(points.indices), values: Values.from(points.values) };
}

function shared(values: number[]): Float64Array {
  const view = new Float64Array(new SharedArrayBuffer(8 * values.length));
  view.set(values);
  return view;
}

// Node 20 has resizable buffers, but its types do not.
const ResizableBuffer = ArrayBuffer as unknown as new (
  length: number,
  options: { maxByteLength: number },
) => ArrayBuffer & { resize(length: number): void };

function resizable(values: number[]): Float64Array {
  const view = new Float64Array(new ResizableBuffer(8 * values.length, { maxByteLength: 8 * values.length + 64 }));
  view.set(values);
  return view;
}

describe.each(CHOICES)('Dataset.from, %s', (choice) => {
  const from = (points: unknown, options: DatasetOptions = {}) => Dataset.from(points as Points, { backend: choice, ...options });

  it.each(ACCEPTED)('Dataset.from(points) accepts %s and leaves them unchanged', (_, make, rows, described = {}) => {
    const points = make();
    const data = from(points);
    expect(held(data)).toEqual(rows);
    expect(data).toMatchObject(described);
    expect(points).toEqual(make());
    expect(held(from(points, { threads: 2 }))).toEqual(rows);
  });

  it('Dataset.from(points) stores the numbers of every form exactly, dense f64 up to rounding', () => {
    const entry = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 }),
      fc.integer({ min: 0, max: 1 }),
    );
    const table = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 9 })).chain(([rows, cols]) => {
      return fc.array(fc.array(entry, { minLength: cols, maxLength: cols }), { minLength: rows, maxLength: rows });
    });
    fc.assert(
      fc.property(table, (rows) => {
        const cols = rows[0]!.length;
        const plain = rows.map((row) => row.map((v) => v + 0)); // X·e_j has no -0
        const data = { data: Float64Array.from(rows.flat()), rows: rows.length, cols };
        const kept = rows.map((row) => row.map((v, j) => [v, j] as const).filter(([v]) => v !== 0));
        const csr = {
          indptr: [0, ...kept.map((row) => row.length)].map(
            (
              (total) => (n) =>
                (total += n)
            )(0),
          ),
          indices: kept.flat().map(([, j]) => j),
          values: kept.flat().map(([v]) => v),
          rows: rows.length,
          cols,
        };
        expect(held(from(csr))).toEqual(plain);
        // Dense f64 data are stored minus their means: they come back within two roundings of the largest value of their column.
        const largest = plain[0]!.map((_, j) => Math.max(...plain.map((row) => Math.abs(row[j]!))));
        for (const points of [rows, data]) {
          held(from(points)).forEach((row, i) => {
            row.forEach((v, j) => expect(Math.abs(v - plain[i]![j]!)).toBeLessThanOrEqual(1e-14 * largest[j]! + 1e-320));
          });
        }
      }),
      { numRuns: 100 },
    );
  });

  // ---- Refusals

  const throws = new Error('from the getter');
  const hole = Object.assign(new Array<number>(3), { 0: 1, 2: 3 });
  const detached = <T extends Float64Array | Float32Array | Uint32Array | Int32Array>(view: T): T => {
    structuredClone(view, { transfer: [view.buffer as ArrayBuffer] });
    return view;
  };
  const outOfBounds = () => {
    const view = new Float64Array(new ResizableBuffer(32, { maxByteLength: 32 }), 8, 3);
    (view.buffer as unknown as { resize(n: number): void }).resize(16);
    return view;
  };
  const KINDS = 'rows of numbers, { data, rows, cols } or { indptr, indices, rows, cols }';
  const one = Float64Array.of(1);

  const REFUSED: [points: () => unknown, kind: 'TypeError' | 'RangeError', message: string][] = [
    // Not points
    [() => undefined, 'TypeError', `Expected ${KINDS} for points but received undefined`],
    [() => null, 'TypeError', `Expected ${KINDS} for points but received null`],
    [() => 5, 'TypeError', `Expected ${KINDS} for points but received 5`],
    [() => 'points.csv', 'TypeError', `Expected ${KINDS} for points but received "points.csv"`],
    [() => 'x'.repeat(99), 'TypeError', `Expected ${KINDS} for points but received "${'x'.repeat(40)}…"`],
    [() => Symbol('x'), 'TypeError', `Expected ${KINDS} for points but received Symbol(x)`],
    [() => 10n, 'TypeError', `Expected ${KINDS} for points but received 10n`],
    [() => true, 'TypeError', `Expected ${KINDS} for points but received true`],
    [() => () => 1, 'TypeError', `Expected ${KINDS} for points but received a function`],
    [() => ({}), 'TypeError', `Expected ${KINDS} for points but received an object`],
    [() => Object.create(null) as unknown, 'TypeError', `Expected ${KINDS} for points but received an object`],
    [() => ({ constructor: { name: { odd: true } } }), 'TypeError', `Expected ${KINDS} for points but received an object`],
    [() => new Map(), 'TypeError', `Expected ${KINDS} for points but received a Map`],
    [() => new (class Axis {})(), 'TypeError', `Expected ${KINDS} for points but received an Axis`],
    [() => Float64Array.of(1, 2), 'TypeError', `Expected ${KINDS} for points but received Float64Array(2)`],
    [() => new DataView(new ArrayBuffer(8)), 'TypeError', `Expected ${KINDS} for points but received DataView(8)`],
    [() => Dataset.from([[1]], { backend: 'js' }), 'TypeError', `Expected ${KINDS} for points but received a Dataset`],
    [() => new Proxy({}, { get: () => { throw throws; } }), 'TypeError', `Expected ${KINDS} for points but received an object`], // prettier-ignore
    // Rows
    [() => [], 'RangeError', 'Expected at least one row for points but received none'],
    [() => [1, 2], 'TypeError', 'Expected a row of numbers for points[0] but received 1'],
    [() => [[1], null], 'TypeError', 'Expected a row of numbers for points[1] but received null'],
    [() => [[1], undefined], 'TypeError', 'Expected a row of numbers for points[1] but received undefined'],
    [() => ['ab', 'cd'], 'TypeError', 'Expected a row of numbers for points[0] but received "ab"'],
    [() => [(a: number) => a], 'TypeError', 'Expected a row of numbers for points[0] but received a function'],
    [() => [{ 0: 1 }], 'TypeError', 'Expected a row of numbers for points[0] but received an object'],
    [() => [{ length: -1 }], 'TypeError', 'Expected a row of numbers for points[0] but received an object'],
    [() => [{ length: 1.5 }], 'TypeError', 'Expected a row of numbers for points[0] but received an object'],
    [() => [{ length: '1', 0: 1 }], 'TypeError', 'Expected a row of numbers for points[0] but received an object'],
    [() => [new Set([1])], 'TypeError', 'Expected a row of numbers for points[0] but received a Set'],
    [
      () => Object.assign(new Array(4294967295), { 0: [1] }) as unknown,
      'TypeError',
      'Expected a row of numbers for points[1] but received undefined',
    ],
    [() => [{ length: 2 ** 52 }], 'RangeError', 'Expected numbers that fit in memory for points but received 1 × 4503599627370496'],
    [() => [[1, 2], [3]], 'RangeError', 'Expected 2 numbers for points[1], as in points[0], but received 1'],
    [() => [[], [3]], 'RangeError', 'Expected 0 numbers for points[1], as in points[0], but received 1'],
    [
      () => [
        [1, 2],
        [3, '4'],
      ],
      'TypeError',
      'Expected a finite number for points[1][1] but received "4"',
    ],
    [() => [[1, null]], 'TypeError', 'Expected a finite number for points[0][1] but received null'],
    [() => [hole], 'TypeError', 'Expected a finite number for points[0][1] but received undefined'],
    [() => [BigInt64Array.of(1n)], 'TypeError', 'Expected a finite number for points[0][0] but received 1n'],
    [() => [[1, [2]]], 'TypeError', 'Expected a finite number for points[0][1] but received an array of length 1'],
    [() => [[{ valueOf: () => 1 }]], 'TypeError', 'Expected a finite number for points[0][0] but received an object'],
    [
      () => [
        [1, 2],
        [3, NaN],
      ],
      'RangeError',
      'Expected a finite number for points[1][1] but received NaN',
    ],
    [
      () => [
        [1, -Infinity],
        [3, NaN],
      ],
      'RangeError',
      'Expected a finite number for points[0][1] but received -Infinity',
    ],
    [() => [Float32Array.of(1e39)], 'RangeError', 'Expected a finite number for points[0][0] but received Infinity'],
    // Dense
    [
      () => ({ data: [1, 2], rows: 1, cols: 2 }),
      'TypeError',
      'Expected a Float64Array or Float32Array for points.data but received an array of length 2',
    ],
    [
      () => ({ data: Int32Array.of(1), rows: 1, cols: 1 }),
      'TypeError',
      'Expected a Float64Array or Float32Array for points.data but received Int32Array(1)',
    ],
    [
      () => ({ data: undefined, rows: 1, cols: 1 }),
      'TypeError',
      'Expected a Float64Array or Float32Array for points.data but received undefined',
    ],
    [
      () => ({ data: Object.create(Float64Array.prototype) as unknown, rows: 1, cols: 1 }),
      'TypeError',
      'Expected a Float64Array or Float32Array for points.data but received a Float64Array',
    ],
    [
      () => ({ data: new Proxy(one, {}), rows: 1, cols: 1 }),
      'TypeError',
      'Expected a Float64Array or Float32Array for points.data but received a Float64Array',
    ],
    [
      () => ({ data: one, cols: 1 }),
      'TypeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received undefined',
    ],
    [
      () => ({ data: one, rows: '1', cols: 1 }),
      'TypeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received "1"',
    ],
    [
      () => ({ data: one, rows: 0, cols: 1 }),
      'RangeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received 0',
    ],
    [
      () => ({ data: one, rows: -1, cols: -1 }),
      'RangeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received -1',
    ],
    [
      () => ({ data: one, rows: 0.5, cols: 2 }),
      'RangeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received 0.5',
    ],
    [
      () => ({ data: one, rows: NaN, cols: 1 }),
      'RangeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received NaN',
    ],
    [
      () => ({ data: one, rows: 1e300, cols: 1 }),
      'RangeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received 1e+300',
    ],
    [
      () => ({ data: one, rows: 2 ** 32 - 1, cols: 1 }),
      'RangeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received 4294967295',
    ],
    [
      () => ({ data: one, rows: 1, cols: -1 }),
      'RangeError',
      'Expected an integer from 0 to 4294967294 for points.cols but received -1',
    ],
    [
      () => ({ data: one, rows: 1, cols: null }),
      'TypeError',
      'Expected an integer from 0 to 4294967294 for points.cols but received null',
    ],
    [() => ({ data: one, rows: 1, cols: 2 }), 'RangeError', 'Expected rows × cols = 2 numbers for points.data but received 1'],
    [
      () => ({ data: Float64Array.of(1, 2), rows: 1, cols: 1 }),
      'RangeError',
      'Expected rows × cols = 1 number for points.data but received 2',
    ],
    [
      () => ({ data: one, rows: 4294967294, cols: 4294967294 }),
      'RangeError',
      'Expected rows × cols = 18446744056529682000 numbers for points.data but received 1',
    ],
    [
      () => ({ data: detached(Float64Array.of(1)), rows: 1, cols: 1 }),
      'RangeError',
      'Expected rows × cols = 1 number for points.data but received 0',
    ],
    [
      () => ({ data: outOfBounds(), rows: 1, cols: 3 }),
      'RangeError',
      'Expected rows × cols = 3 numbers for points.data but received 0',
    ],
    [
      () => ({ data: Float64Array.of(1, 2, 3, NaN, 5, NaN), rows: 2, cols: 3 }),
      'RangeError',
      'Expected a finite number for points.data[3] (row 1, column 0) but received NaN',
    ],
    [
      () => ({ data: Float32Array.of(1, Infinity), rows: 2, cols: 1 }),
      'RangeError',
      'Expected a finite number for points.data[1] (row 1, column 0) but received Infinity',
    ],
    // Sparse
    [
      () => ({ ...CSR, rows: undefined }),
      'TypeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received undefined',
    ],
    [
      () => ({ ...CSR, rows: 2 ** 40 }),
      'RangeError',
      'Expected an integer from 1 to 4294967294 for points.rows but received 1099511627776',
    ],
    [
      () => ({ ...CSR, cols: Infinity }),
      'RangeError',
      'Expected an integer from 0 to 4294967294 for points.cols but received Infinity',
    ],
    [
      () => ({ ...CSR, indptr: undefined }),
      'TypeError',
      'Expected an Int32Array, Uint32Array or array of integers for points.indptr but received undefined',
    ],
    [
      () => ({ ...CSR, indptr: Float64Array.of(0, 2, 3) }),
      'TypeError',
      'Expected an Int32Array, Uint32Array or array of integers for points.indptr but received Float64Array(3)',
    ],
    [
      () => ({ ...CSR, indices: Uint16Array.of(0, 2, 2) }),
      'TypeError',
      'Expected an Int32Array, Uint32Array or array of integers for points.indices but received Uint16Array(3)',
    ],
    [
      () => ({ ...CSR, indices: [0, 1.5, 2] }),
      'RangeError',
      'Expected an integer from 0 to 4294967295 for points.indices[1] but received 1.5',
    ],
    [
      () => ({ ...CSR, indices: [0, -1, 2] }),
      'RangeError',
      'Expected an integer from 0 to 4294967295 for points.indices[1] but received -1',
    ],
    [
      () => ({ ...CSR, indices: hole }),
      'RangeError',
      'Expected an integer from 0 to 4294967295 for points.indices[1] but received undefined',
    ],
    [
      () => ({ ...CSR, indices: [0, '2', 2] }),
      'RangeError',
      'Expected an integer from 0 to 4294967295 for points.indices[1] but received "2"',
    ],
    [
      () => ({ ...CSR, indptr: [0, 2, 2 ** 32] }),
      'RangeError',
      'Expected an integer from 0 to 4294967295 for points.indptr[2] but received 4294967296',
    ],
    [() => ({ ...CSR, indptr: [0, 3] }), 'RangeError', 'Expected rows + 1 = 3 offsets for points.indptr but received 2'],
    [() => ({ ...CSR, rows: 4294967294 }), 'RangeError', 'Expected rows + 1 = 4294967295 offsets for points.indptr but received 3'],
    [
      () => ({ ...CSR, indptr: detached(Int32Array.of(0, 2, 3)) }),
      'RangeError',
      'Expected rows + 1 = 3 offsets for points.indptr but received 0',
    ],
    [
      () => ({ ...CSR, indptr: detached(Uint32Array.of(0, 2, 3)) }),
      'RangeError',
      'Expected rows + 1 = 3 offsets for points.indptr but received 0',
    ],
    [
      () => ({ ...CSR, indices: detached(Int32Array.of(0, 2, 2)) }),
      'RangeError',
      'Expected 0 numbers for points.values, as in points.indices, but received 3',
    ],
    [
      () => ({ ...CSR, indices: detached(Int32Array.of(0, 2, 2)), values: undefined }),
      'RangeError',
      'Expected an offset from 0 to 0 for points.indptr[1] but received 2',
    ],
    [
      () => ({ ...CSR, values: [1, 2] }),
      'RangeError',
      'Expected 3 numbers for points.values, as in points.indices, but received 2',
    ],
    [
      () => ({ ...CSR, values: detached(Float64Array.of(1, 2, 3)) }),
      'RangeError',
      'Expected 3 numbers for points.values, as in points.indices, but received 0',
    ],
    [
      () => ({ ...CSR, values: null }),
      'TypeError',
      'Expected a Float64Array, Float32Array or array of numbers for points.values but received null',
    ],
    [
      () => ({ ...CSR, values: Int8Array.of(1, 2, 3) }),
      'TypeError',
      'Expected a Float64Array, Float32Array or array of numbers for points.values but received Int8Array(3)',
    ],
    [() => ({ ...CSR, values: [1, '2', 3] }), 'TypeError', 'Expected a finite number for points.values[1] but received "2"'],
    [() => ({ ...CSR, values: hole }), 'TypeError', 'Expected a finite number for points.values[1] but received undefined'],
    [
      () => ({ ...CSR, values: [1, 2, Infinity] }),
      'RangeError',
      'Expected a finite number for points.values[2] but received Infinity',
    ],
    [
      () => ({ ...CSR, values: Float32Array.of(NaN, 2, 3) }),
      'RangeError',
      'Expected a finite number for points.values[0] but received NaN',
    ],
    [() => ({ ...CSR, indptr: [1, 2, 3] }), 'RangeError', 'Expected 0 for points.indptr[0] but received 1'],
    [() => ({ ...CSR, indptr: [0, 3, 2] }), 'RangeError', 'Expected an offset from 3 to 3 for points.indptr[2] but received 2'],
    [() => ({ ...CSR, indptr: [0, 2, 4] }), 'RangeError', 'Expected an offset from 2 to 3 for points.indptr[2] but received 4'],
    [
      () => ({ ...CSR, indptr: Int32Array.of(0, -2, 3) }),
      'RangeError',
      'Expected an offset from 0 to 3 for points.indptr[1] but received -2',
    ],
    [
      () => ({ ...CSR, indices: [0, 3, 2] }),
      'RangeError',
      'Expected a column from 0 to 2 for points.indices[1] (row 0) but received 3',
    ],
    [
      () => ({ ...CSR, indices: Int32Array.of(0, 1, -1) }),
      'RangeError',
      'Expected a column from 0 to 2 for points.indices[2] (row 1) but received -1',
    ],
    [
      () => ({ ...CSR, cols: 0 }),
      'RangeError',
      'Expected no column, as points.cols is 0, for points.indices[0] (row 0) but received 0',
    ],
    [() => ({ ...CSR, indices: [2, 0, 2] }), 'RangeError', 'Expected ascending column indices in row 0 but received 0 after 2'],
    [() => ({ ...CSR, indices: [2, 2, 2] }), 'RangeError', 'Expected ascending column indices in row 0 but received 2 after 2'],
  ];

  it('Dataset.from(points) refuses bad points with the listed message', () => {
    for (const [make, name, message] of REFUSED) expectRefusal(() => from(make()), name, 'ERR_POINTS', message);
  });

  it.each<[unknown, 'TypeError' | 'RangeError', string]>([
    [null, 'TypeError', 'Expected an object for options but received null'],
    ['js', 'TypeError', 'Expected an object for options but received "js"'],
    [[1], 'TypeError', 'Expected an object for options but received an array of length 1'],
    [{ thread: 1 }, 'TypeError', 'Unknown option "thread"; did you mean "threads"?'],
    [{ Backend: 'js' }, 'TypeError', 'Unknown option "Backend"; did you mean "backend"?'],
    [{ gamma: 1 }, 'TypeError', 'Unknown option "gamma"; expected one of backend, threads, columns'],
    [{ backend: 'gpu' }, 'RangeError', `Expected 'auto', 'native', 'wasm' or 'js' for options.backend but received "gpu"`],
    [{ backend: 1 }, 'TypeError', `Expected 'auto', 'native', 'wasm' or 'js' for options.backend but received 1`],
    [{ backend: null }, 'TypeError', `Expected 'auto', 'native', 'wasm' or 'js' for options.backend but received null`],
    [{ threads: '2' }, 'TypeError', 'Expected an integer from 1 to 256 for options.threads but received "2"'],
    [{ threads: 0 }, 'RangeError', 'Expected an integer from 1 to 256 for options.threads but received 0'],
    [{ threads: 1.5 }, 'RangeError', 'Expected an integer from 1 to 256 for options.threads but received 1.5'],
    [{ threads: 257 }, 'RangeError', 'Expected an integer from 1 to 256 for options.threads but received 257'],
    [{ threads: NaN }, 'RangeError', 'Expected an integer from 1 to 256 for options.threads but received NaN'],
  ])('Dataset.from(points, %j) throws ERR_OPTION', (options, name, message) => {
    expectRefusal(() => Dataset.from([[1]], options as DatasetOptions), name, 'ERR_OPTION', message);
  });

  it('Dataset.from(points) throws what a getter of the points throws, unchanged', () => {
    const fails = () => {
      throw throws;
    };
    for (const points of [
      Object.defineProperty([[1]], 0, { get: fails }),
      [Object.defineProperty([1], 0, { get: fails })],
      [Object.defineProperty({}, 'length', { get: fails })],
      new Proxy([[1]], { get: fails }),
      Object.defineProperty({ rows: 1, cols: 1 }, 'data', { get: fails, enumerable: true }),
      Object.defineProperty({ ...CSR }, 'values', { get: fails, enumerable: true }),
    ]) {
      expect(() => from(points)).toThrow(throws);
    }
  });

  it('Dataset.from(points) reads each property once', () => {
    let asked = 0;
    const rows = new Proxy([[1, 2]], {
      get: (target, key, receiver) => (key === '0' && asked++ > 0 ? null : (Reflect.get(target, key, receiver) as unknown)),
    });
    expect(held(from(rows))).toEqual([[1, 2]]);
    const growing = { length: 1, get 0() { return (this.length = 1e9), 5; } }; // prettier-ignore
    expect(held(from([growing]))).toEqual([[5]]);
    // A getter that detaches an array which was read before.
    const indptr = Uint32Array.of(0, 1);
    const hostile = { indptr, rows: 1, cols: 1, get indices() { return detached(indptr), [0]; } }; // prettier-ignore
    expectRefusal(
      () => from(hostile),
      'RangeError',
      'ERR_POINTS',
      'Expected rows + 1 = 2 offsets for points.indptr but received 0',
    );
  });

  // ---- Arrays that change after the call

  it('Dataset.from(points) stays valid when the buffers are overwritten, transferred or resized', () => {
    const afterwards: ((view: { buffer: ArrayBufferLike; fill(v: number): unknown }) => void)[] = [
      (view) => view.fill(7),
      ({ buffer }) => structuredClone(buffer, { transfer: [buffer as ArrayBuffer] }),
      ({ buffer }) => 'resizable' in buffer && buffer.resizable && (buffer as unknown as { resize(n: number): void }).resize(0),
    ];
    if ('transfer' in ArrayBuffer.prototype) {
      afterwards.push(({ buffer }) => (buffer as unknown as { transfer(n: number): void }).transfer(0));
    }
    for (const then of afterwards) {
      const dense = { data: resizable(ROWS.flat()), rows: 2, cols: 3 };
      const sparse = typed(CSR, Uint32Array, Float64Array);
      const [a, b] = [from(dense), from(sparse)];
      [dense.data, sparse.indptr, sparse.indices, sparse.values].forEach(then);
      expect(held(a)).toEqual(ROWS);
      expect(held(b)).toEqual(ROWS);
      a.dispose();
      b.dispose();
    }
  });

  it('Dataset.from(rows) stays valid when the rows change', () => {
    const rows = ROWS.map((row) => [...row]);
    const data = from(rows);
    rows[0]!.fill(9);
    rows.length = 0;
    expect(held(data)).toEqual(ROWS);
  });

  // ---- dispose()

  it('dispose() may be repeated, and makes later use throw ERR_DISPOSED', () => {
    const data = from(ROWS);
    data.dispose();
    data.dispose();
    expectRefusal(() => Dataset.dataOf(data).matrix, 'Error', 'ERR_DISPOSED', 'Expected a live Dataset but it was disposed of');
    expect([data.rows, data.cols, data.nnz]).toEqual([2, 3, 6]);
  });

  it('dispose() inside a getter of the labels makes fit and score throw', () => {
    const labelled = (data: Dataset) => ({
      length: 2,
      0: 1,
      get 1() {
        data.dispose();
        return 2;
      },
    });
    const model = LinearSvm.fit<number>([[0], [1]], [1, 2]);
    for (const call of [
      (data: Dataset) => LinearSvm.fit(data, labelled(data)),
      (data: Dataset) => model.score(data, labelled(data)),
    ]) {
      expect(() => call(Dataset.from([[0], [1]], { backend: choice }))).toThrow('Expected a live Dataset but it was disposed of');
    }
  });

  it('[Symbol.dispose]() is dispose()', () => {
    const data = from(ROWS);
    expect(held(data)).toEqual(ROWS);
    data[Symbol.dispose]();
    expect(() => Dataset.dataOf(data).matrix).toThrow('Expected a live Dataset but it was disposed of');
  });

  it('Dataset.from(points, { threads }) stores the same bits for 1, 2, 3 and 7 threads', () => {
    const data = vector(300_000, 1);
    const sums = [1, 2, 3, 7].map((threads) => {
      const out = new Float64Array(3000);
      Dataset.dataOf(from({ data, rows: 3000, cols: 100 }, { threads })).matrix.multiply(vector(100, 2), out, threads);
      return out;
    });
    for (const out of sums) expect(Buffer.compare(Buffer.from(out.buffer), Buffer.from(sums[0]!.buffer))).toBe(0);
  });
});

function expectRefusal(call: () => unknown, name: string, code: string, message: string): void {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  expect(thrown, message).toBeInstanceOf(Error);
  const error = thrown as Error & { code: string };
  expect([error.name, error.code, error.message]).toEqual([name, code, message]);
  expect(error.stack!.startsWith(`${name} [${code}]: ${message}\n`)).toBe(true);
}

describe('Dataset', () => {
  it('Dataset.from(points) uses backend.name by default', () => {
    const rows: Rows = [[1, 2]];
    expect(Dataset.dataOf(Dataset.from(rows)).backend).toBe(Dataset.dataOf(Dataset.from(rows, { backend: backend.name })).backend);
  });

  it('new Dataset() throws', () => {
    expect(() => new (Dataset as unknown as new () => Dataset)()).toThrow();
  });

  it.skipIf(natives.length === 0)(
    'Dataset.from(points) refuses or copies soundly while another thread writes to shared memory',
    { tags: ['slow'] },
    async () => {
      // The writer switches column indices between valid and far out of range. Each copy must be refused or sound; using an index
      // that is out of range would crash.
      const body = `
      const { Worker } = require('node:worker_threads');
      const n = 200_000, cols = 70_000;
      const indices = new Uint32Array(new SharedArrayBuffer(4 * n)), indptr = new Uint32Array(new SharedArrayBuffer(8));
      indptr[1] = n;
      const good = Uint32Array.from({ length: n }, (_, k) => k);
      const writer = new Worker(\`
        const { indices, indptr, good, n } = require('node:worker_threads').workerData;
        for (;;) { indices.set(good); for (let k = 0; k < n; k += 997) indices[k] = 0xfffffff0; indptr[1] = 0xfffffff0; indptr[1] = n; }
      \`, { eval: true, workerData: { indices, indptr, good, n } });
      await new Promise((ok) => writer.on('online', ok));
      const { Dataset } = require(ROOT + '/dist/data/dataset.js');
      const w = new Float64Array(n).fill(1), out = new Float64Array(1);
      let refused = 0, made = 0;
      while (refused < 20 || refused + made < 300) {
        let data;
        try { data = Dataset.from({ indptr, indices, rows: 1, cols: n }); } catch (error) { if (error.code !== 'ERR_POINTS') throw error; refused++; continue; }
        Dataset.dataOf(data).matrix.multiply(w, out, 1);
        if (out[0] !== data.nnz) throw new Error('a wrong sum');
        Dataset.dataOf(data).matrix.multiplyTransposed(Float64Array.of(1), w.slice(), 1);
        data.dispose();
        made++;
      }
      await writer.terminate();
      return refused;`;
      expect(await run(body)).toBeGreaterThanOrEqual(20);
    },
  );
});

describe.each(CHOICES)('Dataset.from(points) with columns far from 0, %s', (choice) => {
  const next = random(5);
  const table = Array.from({ length: 40 }, (_, i) => [
    1e9 + normal(next),
    -1e5 * (1 + next()), // within a factor of 2
    i === 7 ? 2.1e6 : 1e6, // a little more than a factor of 2
    i === 8 ? -1e7 : 1e7, // of two signs
    i === 9 ? 0 : 1e8 + i, // one entry not stored
    normal(next),
    -0.1, // constant
  ]);
  const full = [0, 1, 6];
  const csr = (Kind: typeof Float64Array | typeof Float32Array) => {
    const kept = table.map((row) => row.map((v, j) => [v, j] as const).filter(([v]) => v !== 0));
    const indptr = [0];
    for (const row of kept) indptr.push(indptr.at(-1)! + row.length);
    const values = Kind.from(kept.flat().map(([v]) => v));
    return { indptr, indices: kept.flat().map(([, j]) => j), values, rows: 40, cols: 7 };
  };
  const shiftOf = (data: Dataset) => {
    const shift = new Float64Array(data.cols);
    Dataset.dataOf(data).matrix.shift(shift);
    return shift;
  };

  it.each([
    ['CSR f64', () => csr(Float64Array), (v: number) => v],
    ['CSR f32', () => csr(Float32Array), Math.fround],
    ['dense f32', () => ({ data: Float32Array.from(table.flat()), rows: 40, cols: 7 }), Math.fround],
  ])('stores a column minus one of its numbers where that is exact: %s', (_, make, rounded) => {
    const data = Dataset.from(make(), { backend: choice });
    const shift = shiftOf(data);
    expect([...shift.keys()].filter((j) => shift[j] !== 0)).toEqual(full);
    for (const j of full) {
      const column = table.map((row) => rounded(row[j]!));
      expect(shift[j]).toBeGreaterThanOrEqual(Math.min(...column));
      expect(shift[j]).toBeLessThanOrEqual(Math.max(...column));
    }
    expect(held(data)).toEqual(table.map((row) => row.map(rounded)));
    expect(held(Dataset.from(make(), { backend: choice, threads: 3 }))).toEqual(held(data));
    for (const other of CHOICES) expectSame(shiftOf(Dataset.from(make(), { backend: other })), shift);
    // Decisions do not depend on the shift.
    const model = LinearSvm.fromJSON({
      format: 'fista-classify/linear-svm',
      version: 1,
      labels: [-1, 1],
      bias: 3,
      weights: [1e-9, 2e-5, 0, 0, 1e-8, 1, 1],
    });
    const direct = model.decision(make());
    model.decision(data).forEach((value, i) => expect(value).toBeCloseTo(direct[i]!, 12));
  });

  it('shifts no column without entries, with unstored entries, or of ones', () => {
    for (const points of [
      { indptr: [0, 1, 2], indices: [0, 0], rows: 2, cols: 1 },
      { indptr: [0, 0, 1], indices: [0], values: [5], rows: 2, cols: 1 },
      { data: new Float32Array(0), rows: 3, cols: 0 },
    ]) {
      const data = Dataset.from(points, { backend: choice });
      expect(shiftOf(data).every((s) => s === 0)).toBe(true);
    }
  });

  it('scales by the values before the shift', () => {
    const labels = table.map((_, i) => (i % 3 ? 1 : -1));
    for (const scale of ['maxabs', 'standard'] as const) {
      const [sparse, dense] = [csr(Float64Array), table].map((points) =>
        LinearSvm.fit(points, labels, { scale, backend: choice, stop: stop.gap(1e-10) }),
      ) as [LinearSvm, LinearSvm];
      expect(sparse.info!.primal / dense.info!.primal).toBeCloseTo(1, 9);
    }
  });
});
