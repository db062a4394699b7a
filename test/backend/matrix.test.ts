import { describe, expect, it } from 'vitest';
import type { CopyDefect, Matrix } from '../../lib/backend/interface.js';
import { backends, js, natives, onEveryBackend } from '../support/backends.js';
import { expectSame, expectSums } from '../support/expect.js';
import { csr, dense, integers, unexpectedDefect, sparse, vector, type Csr, type Data, type Source } from '../support/points.js';
import * as reference from '../support/reference.js';

const GUARD = 12345;

/** The product, computed into a longer array whose end must not be written to. */
function product(call: (out: Float64Array) => void, length: number): Float64Array {
  const out = new Float64Array(length + 8).fill(GUARD);
  call(out);
  expectSame(out.subarray(length), new Float64Array(8).fill(GUARD));
  return out.subarray(0, length);
}

const times = (X: Matrix, w: Float64Array, threads = 1) => product((out) => X.multiply(w, out, threads), X.describe().rows);
const transposedTimes = (X: Matrix, u: Float64Array, threads = 1) =>
  product((out) => X.multiplyTransposed(u, out, threads), X.describe().cols);

/** Expects of every backend: both products right to rounding, the adjoint identity, and the vectors unchanged. */
function expectProducts(source: Source, threads = 1): void {
  const w = vector(source.cols, 11);
  const u = vector(source.rows, 12);
  const exactXw = reference.multiply(source, w);
  const exactXu = reference.multiplyTransposed(source, u);
  let magnitude = 0;
  source.forEach((i, j, value) => (magnitude += Math.abs(u[i]! * value * w[j]!)));
  // Each product is rounded in the sum of one row on the left and of one column on the right.
  const allowed = (source.rows + source.cols + 4) * reference.UNIT * magnitude;
  onEveryBackend((kernels) => {
    const X = source.copy(kernels, threads);
    const Xw = times(X, w, threads);
    const Xu = transposedTimes(X, u, threads);
    expectSums(Xw, exactXw);
    expectSums(Xu, exactXu);
    expect(Math.abs(reference.dot(Xw, u) - reference.dot(w, Xu))).toBeLessThanOrEqual(allowed);
    expectSame(w, vector(source.cols, 11));
    expectSame(u, vector(source.rows, 12));
  });
}

/** Expects of every backend the exact products: on integers no sum is rounded. */
function expectExactProducts(source: Source, threads = 1): void {
  const w = integers(source.cols, 21);
  const u = integers(source.rows, 22);
  const Xw = reference.multiply(source, w).values().map(unsigned);
  const Xu = reference.multiplyTransposed(source, u).values().map(unsigned);
  onEveryBackend((kernels) => {
    const X = source.copy(kernels, threads);
    expectSame(times(X, w, threads).map(unsigned), Xw);
    expectSame(transposedTimes(X, u, threads).map(unsigned), Xu);
  });
}

/** -0 as 0: the sign of a sum of zeros depends on the order of its terms. */
const unsigned = (x: number) => x + 0;

// Every remainder of every vector width and of the loops unrolled by four, the widths around which sums no longer stay in registers
// (24, 32, 48 and 128 columns, depending on the instruction set), and those where long rows begin (1500).
const WIDTHS = [
  ...Array.from({ length: 36 }, (_, j) => j),
  ...[47, 48, 49, 50, 51, 63, 64, 65, 95, 96, 97, 100, 127, 128, 129, 130, 133, 136, 160, 255],
  ...[1499, 1500, 1501, 1502, 1503, 1505, 1508, 1511],
];
// Long rows are processed twelve at a time.
const HEIGHTS = [1, 2, 5, 11, 12, 13, 25];

describe.each([
  ['f64', (x: Float64Array) => x],
  ['f32', (x: Float64Array) => Float32Array.from(x)],
] as const)('dense %s Matrix', (_, store) => {
  it('multiply(w) and multiplyTransposed(u) are right to rounding at every width', () => {
    for (const cols of WIDTHS) {
      for (const rows of cols < 1499 ? [1, 5, 13] : HEIGHTS) {
        expectProducts(dense(store(vector(rows * cols, 100 * cols + rows)), rows, cols));
      }
    }
  });

  it('multiply(w) and multiplyTransposed(u) are exact on integers at every width', () => {
    for (const cols of WIDTHS) {
      for (const rows of cols < 1499 ? [3, 12] : HEIGHTS) {
        expectExactProducts(dense(store(integers(rows * cols, 100 * cols + rows)), rows, cols));
      }
    }
  });

  it.each([
    [40_000, 3],
    [5_003, 30],
    [1_000, 123],
    [130, 1_600],
  ])('multiply(w) and multiplyTransposed(u) are right when split into blocks of rows (%d × %d)', (rows, cols) => {
    expectExactProducts(dense(store(integers(rows * cols, rows)), rows, cols), 3);
    expectProducts(dense(store(vector(rows * cols, rows)), rows, cols), 3);
  });
});

describe.each(backends)('dense Matrix, $title', ({ kernels }) => {
  it('describe() returns rows, cols, the number of stored entries, their bytes, whether they are sparse, and the form', () => {
    expect(dense(new Float64Array(6), 2, 3).copy(kernels).describe()).toEqual({
      rows: 2,
      cols: 3,
      kept: 3,
      stored: 6,
      bytes: 48,
      sparse: false,
      form: 'dense f64',
    });
    // Dense f64 stays f64 even where f32 would hold every value: only data passed as f32 are stored as f32.
    expect(dense(new Float32Array(6), 3, 2).copy(kernels).describe()).toEqual({
      rows: 3,
      cols: 2,
      kept: 2,
      stored: 6,
      bytes: 24,
      sparse: false,
      form: 'dense f32',
    });
  });

  it('multiply(w) of rows without columns is 0, multiplyTransposed(u) is empty', () => {
    const X = dense(new Float64Array(0), 3, 0).copy(kernels);
    expect(times(X, new Float64Array(0))).toEqual(new Float64Array(3));
    expect(transposedTimes(X, vector(3, 1))).toEqual(new Float64Array(0));
  });

  it('multiplyTransposed(u) with u = 0 is 0', () => {
    for (const cols of [1, 40, 300, 1600]) {
      const X = dense(vector(4 * cols, 1), 4, cols).copy(kernels);
      expectSame(transposedTimes(X, new Float64Array(4)), new Float64Array(cols));
    }
  });

  it('multiply(w) and multiplyTransposed(u) of f32 entries sum in double', () => {
    const X = dense(Float32Array.of(2 ** 24, 1, -(2 ** 24)), 1, 3).copy(kernels);
    expect(times(X, Float64Array.of(1, 1, 1))).toEqual(Float64Array.of(1));
    const tall = dense(Float32Array.of(2 ** 24, 1, -(2 ** 24)), 3, 1).copy(kernels);
    expect(transposedTimes(tall, Float64Array.of(1, 1, 1))).toEqual(Float64Array.of(1));
  });

  it('new Matrix(data) keeps a copy', () => {
    const data = Float64Array.of(1, 2, 3, 4);
    const X = dense(data, 2, 2).copy(kernels);
    data.fill(9);
    expect(times(X, Float64Array.of(1, 1))).toEqual(Float64Array.of(3, 7));
  });

  it('new Matrix(data) reports the first entry that is not finite, at any position', () => {
    for (const make of [(n: number) => new Float64Array(n), (n: number) => new Float32Array(n)]) {
      for (const [rows, cols] of [
        [1, 1],
        [3, 7],
        [41, 100],
        [700, 331],
      ] as const) {
        const n = rows * cols;
        for (const at of new Set([0, 1, n >> 1, n - 2, n - 1, 2047, 2048, 32768].filter((k) => k >= 0 && k < n))) {
          for (const bad of [NaN, Infinity, -Infinity]) {
            const data = make(n).fill(1);
            data[at] = bad;
            data[n - 1] = NaN;
            for (const threads of [1, 2]) {
              expect(defectOf((report) => new kernels.Matrix(report, threads, data, rows, cols))).toEqual({
                defect: 'not-finite',
                row: 0,
                at,
                found: at === n - 1 ? NaN : bad,
                before: 0,
              });
            }
          }
        }
      }
    }
  });

  it('new Matrix(data) accepts the largest and smallest numbers', () => {
    const data = Float64Array.of(Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, -0, 1e-300);
    const X = dense(data, 5, 1).copy(kernels);
    expect(times(X, Float64Array.of(1))).toEqual(data.map((v) => v + 0));
  });
});

/** The defect that copying reports. */
function defectOf(make: (report: (defect: CopyDefect) => never) => unknown): CopyDefect {
  const stopped = new Error('reported');
  let found: CopyDefect | undefined;
  try {
    make((defect) => {
      found = defect;
      throw stopped;
    });
  } catch (error) {
    if (error !== stopped) throw error;
  }
  expect(found).toBeDefined();
  return found!;
}

const FORMS: {
  form: string;
  values: (n: number, seed: number) => Data | undefined;
  exact: (n: number, seed: number) => Data | undefined;
}[] = [
  { form: 'f64', values: (n, seed) => vector(n, seed), exact: (n, seed) => integers(n, seed).map((v) => v * (1 + 2 ** -30)) },
  {
    form: 'f32',
    values: (n, seed) => Float32Array.from(vector(n, seed)),
    exact: (n, seed) => Float32Array.from(integers(n, seed)),
  },
  { form: 'ones', values: () => undefined, exact: () => undefined },
];

describe.each(FORMS)('sparse Matrix of $form values', ({ form, values, exact }) => {
  describe.each([
    ['u16', 300],
    ['u32', 70_000],
  ])('with %s indices', (index, cols) => {
    it.each([
      [1, 0],
      [1, 1],
      [40, 9],
      [200, 40],
      [9_000, 60], // split into blocks
    ])(
      'multiply(w) and multiplyTransposed(u) are right to rounding, and exact on integers (%d rows, at most %d entries each)',
      (rows, max) => {
        const shape = csr(rows, cols, max, 10 * rows + max);
        const n = shape.indices.length;
        expectProducts(sparse({ ...shape, values: values(n, rows) }), 3);
        expectExactProducts(sparse({ ...shape, values: exact(n, rows) }), 3);
        if (n <= 1) return;
        onEveryBackend((kernels) => {
          const { form: stored } = sparse({ ...shape, values: exact(n, rows) })
            .copy(kernels)
            .describe();
          expect(stored).toBe(`sparse ${index} ${form}`);
        });
      },
    );
  });

  it('multiply(w) is right for rows of every length', () => {
    // Rows of 0 to 21 entries that end in the last column: every remainder of a loop that takes four at a time.
    const lengths = Array.from({ length: 22 }, (_, i) => i);
    for (const cols of [22, 65_535, 65_536, 70_000]) {
      const indptr = Uint32Array.from([0, ...lengths]).map(
        (
          (total) => (n) =>
            (total += n)
        )(0),
      );
      const indices = Uint32Array.from(lengths.flatMap((n) => Array.from({ length: n }, (_, k) => cols - n + k)));
      expectProducts(sparse({ indptr, indices, values: values(indices.length, cols), rows: 22, cols }));
    }
  });

  it('multiply(w) is right with a few long rows among many empty ones', () => {
    const rows = 3_000;
    const indptr = new Uint32Array(rows + 1).map((_, i) => (i <= 5 ? i * 40_000 : i === rows ? 240_000 : 200_000));
    const indices = new Uint32Array(240_000).map((_, k) => k % 40_000);
    expectExactProducts(sparse({ indptr, indices, values: exact(240_000, 4), rows, cols: 40_000 }), 3);
  });
});

describe.each(backends)('sparse Matrix, $title', ({ kernels }) => {
  it('multiply(w) and multiplyTransposed(u) of empty rows are 0', () => {
    const X = sparse({ indptr: new Uint32Array(5), indices: new Uint32Array(0), values: undefined, rows: 4, cols: 3 }).copy(
      kernels,
    );
    expect(times(X, vector(3, 1))).toEqual(new Float64Array(4));
    expect(transposedTimes(X, vector(4, 1))).toEqual(new Float64Array(3));
  });

  it('multiply(w) of rows without columns is 0, multiplyTransposed(u) is empty', () => {
    const X = sparse({ indptr: new Uint32Array(3), indices: new Uint32Array(0), values: undefined, rows: 2, cols: 0 }).copy(
      kernels,
    );
    expect(times(X, new Float64Array(0))).toEqual(new Float64Array(2));
    expect(transposedTimes(X, vector(2, 1))).toEqual(new Float64Array(0));
  });

  const small: Csr = {
    indptr: Uint32Array.of(0, 2, 2, 3),
    indices: Uint32Array.of(0, 4, 2),
    values: Float64Array.of(0.5, 0.1, 3),
    rows: 3,
    cols: 5,
  };
  const formOf = (change: Partial<Csr>) =>
    sparse({ ...small, ...change })
      .copy(kernels)
      .describe();

  it('new Matrix(…) stores values as f64 only where f32 would lose digits', () => {
    expect(formOf({}).form).toBe('sparse u16 f64');
    expect(formOf({ values: Float64Array.of(0.5, -3, 2 ** 100) }).form).toBe('sparse u16 f32');
    expect(formOf({ values: Float64Array.of(0.5, -3, 2 ** 200) }).form).toBe('sparse u16 f64');
    expect(formOf({ values: Float64Array.of(0.5, -3, 1 + 2 ** -24) }).form).toBe('sparse u16 f64');
    expect(formOf({ values: Float64Array.of(0.1, 1, 1).fill(0.1, 2) }).form).toBe('sparse u16 f64');
    expect(formOf({ values: Float64Array.of(0.5, -3, 1e-300) }).form).toBe('sparse u16 f64');
    expect(formOf({ values: Float32Array.of(0.1, 0.2, 0.3) }).form).toBe('sparse u16 f32');
  });

  it('new Matrix(…) stores no values if all of them are 1', () => {
    expect(formOf({ values: Float64Array.of(1, 1, 1) }).form).toBe('sparse u16 ones');
    expect(formOf({ values: Float32Array.of(1, 1, 1) }).form).toBe('sparse u16 ones');
    expect(formOf({ values: undefined }).form).toBe('sparse u16 ones');
    expect(formOf({ values: Float64Array.of(1, 1, 2) }).form).toBe('sparse u16 f32');
    expect(formOf({ values: Float32Array.of(1, 1, -1) }).form).toBe('sparse u16 f32');
  });

  it('new Matrix(…) stores 16-bit column indices up to 65,535 columns', () => {
    expect(formOf({ cols: 65_535 }).form).toBe('sparse u16 f64');
    expect(formOf({ cols: 65_536 }).form).toBe('sparse u32 f64');
  });

  it('describe() counts the bytes of offsets, column indices and values', () => {
    const spare = kernels === js ? 0 : 4; // native loops read up to four entries past the last
    for (const [values, size] of [
      [small.values, 8],
      [Float32Array.of(1, 2, 3), 4],
      [undefined, 0],
    ] as const) {
      for (const cols of [5, 70_000]) {
        expect(formOf({ values, cols })).toMatchObject({
          rows: 3,
          cols,
          stored: 3,
          sparse: true,
          bytes: 4 * 4 + (cols === 5 ? 2 : 4) * (3 + spare) + (size && size * (3 + spare)),
        });
      }
    }
  });

  it('new Matrix(…) copies no entries past the last offset', () => {
    const X = sparse({ ...small, indptr: Uint32Array.of(0, 1, 1, 2), values: Float64Array.of(2, 3, NaN) }).copy(kernels);
    expect(X.describe().stored).toBe(2);
    expect(times(X, Float64Array.of(1, 0, 0, 0, 10))).toEqual(Float64Array.of(2, 0, 30));
  });

  it('new Matrix(…) keeps copies of its arrays', () => {
    const mine = { ...small, indptr: small.indptr.slice(), indices: small.indices.slice(), values: small.values!.slice() };
    const X = sparse(mine).copy(kernels);
    const before = times(X, vector(5, 1));
    mine.indptr.fill(0);
    mine.indices.fill(4_000_000_000);
    mine.values.fill(NaN);
    expect(times(X, vector(5, 1))).toEqual(before);
  });

  it.each<[string, Partial<Csr>, CopyDefect]>([
    [
      'a first offset that is not 0',
      { indptr: Uint32Array.of(1, 2, 2, 3) },
      { defect: 'bad-start', row: 0, at: 0, found: 1, before: 0 },
    ],
    [
      'an offset below the one before',
      { indptr: Uint32Array.of(0, 2, 1, 3) },
      { defect: 'bad-start', row: 1, at: 2, found: 1, before: 2 },
    ],
    [
      'an offset past the entries',
      { indptr: Uint32Array.of(0, 2, 2, 4) },
      { defect: 'bad-start', row: 2, at: 3, found: 4, before: 2 },
    ],
    [
      'an offset far past the entries',
      { indptr: Uint32Array.of(0, 2 ** 32 - 1, 2, 3) },
      { defect: 'bad-start', row: 0, at: 1, found: 2 ** 32 - 1, before: 0 },
    ],
    ['a column past the last', { indices: Uint32Array.of(0, 5, 2) }, { defect: 'bad-range', row: 0, at: 1, found: 5, before: 0 }],
    [
      'a negative column',
      { indices: Uint32Array.of(0, -1, 2) },
      { defect: 'bad-range', row: 0, at: 1, found: 2 ** 32 - 1, before: 0 },
    ],
    [
      'the last column out of range',
      { indices: Uint32Array.of(0, 1, 5) },
      { defect: 'bad-range', row: 2, at: 2, found: 5, before: 0 },
    ],
    [
      'columns in descending order',
      { indices: Uint32Array.of(4, 0, 2) },
      { defect: 'bad-order', row: 0, at: 1, found: 0, before: 4 },
    ],
    ['a column twice', { indices: Uint32Array.of(4, 4, 2) }, { defect: 'bad-order', row: 0, at: 1, found: 4, before: 4 }],
    ['a value that is NaN', { values: Float64Array.of(1, NaN, 2) }, { defect: 'not-finite', row: 0, at: 1, found: NaN, before: 0 }],
    [
      'a value that is infinite',
      { values: Float64Array.of(1, 2, -Infinity) },
      { defect: 'not-finite', row: 0, at: 2, found: -Infinity, before: 0 },
    ],
    [
      'an infinite value among values that need f64',
      { values: Float64Array.of(0.1, 2, Infinity) },
      { defect: 'not-finite', row: 0, at: 2, found: Infinity, before: 0 },
    ],
    [
      'an f32 value that is NaN',
      { values: Float32Array.of(NaN, 1, 1) },
      { defect: 'not-finite', row: 0, at: 0, found: NaN, before: 0 },
    ],
  ])('new Matrix(…) reports %s', (_, change, expected) => {
    const { indptr, indices, values, rows, cols } = { ...small, ...change };
    expect(defectOf((report) => new kernels.Matrix(report, 1, indptr, indices, values, rows, cols))).toEqual(expected);
  });

  it('new Matrix(…) accepts offsets and columns at their limits', () => {
    const X = sparse({ ...small, indptr: Uint32Array.of(0, 0, 0, 3), indices: Uint32Array.of(0, 1, 4) }).copy(kernels);
    expect(times(X, Float64Array.of(1, 1, 1, 1, 1))[2]).toBeCloseTo(3.6);
  });
});

describe.each(backends)('Matrix, $title', ({ kernels }) => {
  it('dispose() makes every later use throw', () => {
    for (const X of [dense(vector(4, 1), 2, 2).copy(kernels), sparse(csr(9, 9, 9, 1)).copy(kernels)]) {
      X.dispose();
      X.dispose();
      const disposed = Object.assign(new Error('Expected a live matrix but it was disposed of'), { code: 'ERR_DISPOSED' });
      expect(() => X.describe()).toThrow(disposed);
      expect(() => X.multiply(new Float64Array(9), new Float64Array(9), 1)).toThrow(disposed);
      expect(() => X.multiplyTransposed(new Float64Array(9), new Float64Array(9), 1)).toThrow(disposed);
    }
  });
});

// Large enough to be split in both products: see partition() and transposed_parts() in native/kernels.
const LARGE: [title: string, make: () => Source][] = [
  ['dense f64, narrow', () => dense(vector(60_000 * 5, 1), 60_000, 5)],
  ['dense f64', () => dense(vector(2_500 * 123, 2), 2_500, 123)],
  ['dense f32', () => dense(Float32Array.from(vector(2_500 * 200, 3)), 2_500, 200)],
  ['dense f64, long rows', () => dense(vector(301 * 1_700, 4), 301, 1_700)],
  ['sparse u16 ones', () => sparse(csr(20_000, 120, 30, 5))],
  ['sparse u16 f64', () => valued(csr(20_000, 120, 30, 6), (n) => vector(n, 7))],
  ['sparse u32 f32', () => valued(csr(20_000, 66_000, 60, 8), (n) => Float32Array.from(vector(n, 9)))],
];

function valued(shape: Csr, values: (n: number) => Data): Source {
  return sparse({ ...shape, values: values(shape.indices.length) });
}

describe.each(LARGE)('large Matrix, %s', (_, make) => {
  const source = make();
  const w = vector(source.cols, 50);
  const u = vector(source.rows, 51);
  const both = (X: Matrix, threads: number) => [times(X, w, threads), transposedTimes(X, u, threads)] as const;

  it.each(backends)(
    'multiply(w) and multiplyTransposed(u) give the same bits for 1, 2, 3 and 7 threads, and again on repetition ($title)',
    ({ kernels }) => {
      const [Xw, Xu] = both(source.copy(kernels), 1);
      for (const threads of [2, 3, 7, 1, 2, 7]) {
        const [again, transposed] = both(source.copy(kernels, threads), threads);
        expectSame(again, Xw);
        expectSame(transposed, Xu);
      }
    },
  );

  const [baseline, ...better] = natives;
  it.skipIf(!baseline)(
    'multiply(w) and multiplyTransposed(u) agree at the baseline with js, and at every SIMD level with the baseline',
    () => {
      const errors = [reference.multiply(source, w), reference.multiplyTransposed(source, u)] as const;
      const [plain, twin] = [both(source.copy(baseline!), 2), both(source.copy(js), 1)];
      for (const [some, others] of [
        [plain, twin],
        ...better.map((level) => [both(source.copy(level), 2), plain] as const),
      ] as const) {
        for (const k of [0, 1] as const) {
          for (let i = 0; i < some[k].length; i++) {
            const off = Math.abs(some[k][i]! - others[k][i]!);
            if (!(off <= 2 * errors[k].error(i))) expect.fail(`entry ${i} of ${k ? "X'u" : 'Xw'} differs by ${off}`);
          }
        }
      }
    },
  );
});

describe.skipIf(natives.length === 0)('native Matrix', () => {
  it('multiply(w) keeps the SIMD level that the matrix was created with', () => {
    const [first, last] = [natives[0]!, natives.at(-1)!];
    const X = dense(vector(2_500 * 123, 2), 2_500, 123);
    const w = vector(123, 50);
    const [A, B] = [X.copy(first), new last.Matrix(unexpectedDefect, 2, vector(2_500 * 123, 2), 2_500, 123)];
    const [a, b] = [times(A, w, 2), times(B, w, 2)];
    for (let k = 0; k < 20; k++) {
      expectSame(times(B, w, 1 + (k % 3)), b);
      expectSame(times(A, w, 1 + (k % 4)), a);
    }
  });
});
