/** Compares every kernel of a backend with its TypeScript twin on generated data: whether they agree, and how fast each is. */
import { loadFallback } from './load.js';
import type { Backend, Kernels, LabelPlanes, Matrix, OnDefect } from './interface.js';
import { coded } from '../errors.js';
import type { DenseMatrix } from '../types.js';

/** One kernel on one kind of data. */
export interface KernelCheck {
  readonly kernel: string;
  /** The largest difference between the two results, relative to the size of the terms they are made of. */
  readonly difference: number;
  /** The largest difference that rounding can explain, in the same unit. */
  readonly bound: number;
  /** Microseconds a call. */
  readonly time: { readonly backend: number; readonly twin: number };
  readonly agrees: boolean;
}

/** Half the distance from 1 to the next number: the largest relative error of one operation. */
const UNIT = 2 ** -53;

const onDefect: OnDefect = ({ defect, at }) => {
  throw coded(Error, 'ERR_POINTS', `Expected data fit for a matrix but received ${defect} at ${at}`);
};

/** Microseconds a call of `work`: the best of several rounds of about half a millisecond each. */
function time(work: () => void): number {
  const round = (calls: number) => {
    const from = process.hrtime.bigint();
    for (let k = 0; k < calls; k++) work();
    return Number(process.hrtime.bigint() - from) / 1e3 / calls;
  };
  round(20); // lets V8 compile it
  const calls = Math.max(1, Math.ceil(500 / Math.max(round(5), 0.1)));
  let best = Infinity;
  for (let k = 0; k < 5; k++) best = Math.min(best, round(calls));
  return best;
}

/** The largest |a_i - b_i| / size_i; where size_i is 0, a_i and b_i must be equal. */
function largest(a: Float64Array, b: Float64Array, size: (i: number) => number): number {
  let max = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (difference !== 0) max = Math.max(max, difference / size(i)); // NaN stays NaN, and fails
  }
  return max;
}

const absolute = (list: Float64Array) => list.map(Math.abs);

/** Pseudo-random numbers between -1 and 1, the same each time. */
function noise(n: number, seed: number): Float64Array {
  let state = seed;
  return Float64Array.from({ length: n }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** Planes whose values are computed together. */
const PLANES = 4;

type Maker = (kernels: Kernels, values: Float64Array) => Matrix;

/**
 * With 32-bit columns the rows are repeated so many times. There are then several entries a column, and the time of a product is that of its
 * entries; with fewer of them it would be that of copying a vector of 65,536 numbers.
 */
const COPIES = 32;

/** The forms in which a matrix is stored. Each makes X from the values of its entries, so that |X| can be made the same way. */
function forms({ data, rows, cols }: DenseMatrix): [name: string, make: Maker, values: Float64Array][] {
  const dense = Float64Array.from(data);
  const kept = [...dense.keys()].filter((k) => dense[k] !== 0);
  const indptr = new Uint32Array(rows + 1);
  for (const k of kept) indptr[Math.floor(k / cols) + 1]!++;
  for (let i = 0; i < rows; i++) indptr[i + 1]! += indptr[i]!;
  const indices = Uint32Array.from(kept, (k) => k % cols);
  const entries = Float64Array.from(kept, (k) => dense[k]!);
  const spread = Math.ceil(65536 / cols); // each column becomes so many, so that their indices need 32 bits
  const stored = kept.length;
  const tall = Uint32Array.from({ length: COPIES * rows + 1 }, (_, i) => Math.floor(i / rows) * stored + indptr[i % rows]!);
  // Rows take turns. Columns a multiple of 512 apart would share a set of the cache.
  const far = Uint32Array.from({ length: COPIES * stored }, (_, k) => {
    const j = indices[k % stored]!;
    const row = Math.floor(k / stored) * rows + Math.floor(kept[k % stored]! / cols);
    return j * spread + ((37 * row + 101 * j) % spread);
  });
  const many = Float64Array.from({ length: COPIES * stored }, (_, k) => entries[k % stored]!);
  return [
    ['dense f64', (k, x) => new k.Matrix(onDefect, 1, x, rows, cols), dense],
    ['dense f32', (k, x) => new k.Matrix(onDefect, 1, Float32Array.from(x), rows, cols), dense],
    ['sparse f64', (k, x) => new k.Matrix(onDefect, 1, indptr, indices, x, rows, cols), entries],
    ['sparse f32', (k, x) => new k.Matrix(onDefect, 1, indptr, indices, Float32Array.from(x), rows, cols), entries],
    ['sparse ones', (k) => new k.Matrix(onDefect, 1, indptr, indices, undefined, rows, cols), entries],
    ['sparse f64, 32-bit columns', (k, x) => new k.Matrix(onDefect, 1, tall, far, x, COPIES * rows, cols * spread), many],
  ];
}

/**
 * Checks X·w, by one plane and by several, for rows of up to `wide` entries, and Xᵀ·u, for columns of up to `tall` ones. Two orders of adding n terms differ by at most
 * 2n units of their magnitudes' sum.
 */
function checkMatrix(
  name: string,
  make: Maker,
  values: Float64Array,
  { wide, tall }: { wide: number; tall: number },
  backend: Kernels,
  twin: Kernels,
  threads: number,
): KernelCheck[] {
  const [X, Y, magnitudes] = [make(backend, values), make(twin, values), make(twin, absolute(values))];
  const { rows, cols } = X.describe();
  const w = noise(cols, 1);
  const u = noise(rows, 2);
  const W = noise(PLANES * cols, 7);
  const none = new Float64Array(PLANES);
  type Product = (matrix: Matrix, input: Float64Array, out: Float64Array, threads: number) => void;
  const check = (kernel: string, terms: number, n: number, input: Float64Array, product: Product) => {
    const [a, b, size] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    product(X, input, a, threads);
    product(Y, input, b, 1);
    product(magnitudes, absolute(input), size, 1);
    return verdict(
      `${kernel}, ${name}`,
      largest(a, b, (i) => size[i]!),
      2 * terms * UNIT,
      {
        backend: time(() => product(X, input, a, threads)),
        twin: time(() => product(Y, input, b, 1)),
      },
    );
  };
  const checks = [
    check('X·w', wide, rows, w, (matrix, ...given) => matrix.multiply(...given)),
    check('Xᵀu', tall, cols, u, (matrix, ...given) => matrix.multiplyTransposed(...given)),
    check(`X·W, ${PLANES} planes`, wide, PLANES * rows, W, (matrix, input, out, on) => void matrix.decide(input, none, out, on)),
  ];
  for (const matrix of [X, Y, magnitudes]) matrix.dispose();
  return checks;
}

/** An error of phi at its root, 2n units of its terms, moves lambda by that error over the slope, which is the number of free entries. */
function checkKnapsack(
  n: number,
  y: Int8Array,
  guess: 'cold' | 'warm',
  backend: Kernels,
  twin: Kernels,
  threads: number,
): KernelCheck {
  const a = noise(n, 3);
  const weight = noise(n, 4).map((v) => 1.5 + v);
  const [p, q] = [new Float64Array(n), new Float64Array(n)];
  const lambda = twin.kernels.projectKnapsack(a, y, weight, 1.5, 0, NaN, q, 1);
  const start = guess === 'warm' ? lambda + 1e-3 : NaN;
  const project = (k: Kernels, x: Float64Array) => k.kernels.projectKnapsack(a, y, weight, 1.5, 0, start, x, threads);
  project(backend, p);
  project(twin, q);
  const free = q.filter((v) => v > 0 && v < 1.5).length;
  const size = q.reduce((sum, v) => sum + v, 0) / Math.max(free, 1) + Math.abs(lambda) + 1;
  const times = { backend: time(() => project(backend, p)), twin: time(() => project(twin, q)) };
  return verdict(
    `knapsack, ${guess} start`,
    largest(p, q, () => size),
    2 * n * UNIT,
    times,
  );
}

/** The error of an entry is that of a norm, a sum of `length` squares, and of a few more operations. */
function checkCones(length: number, backend: Kernels, twin: Kernels, threads: number): KernelCheck {
  const start = Uint32Array.from({ length: 601 }, (_, k) => k * length);
  const x = noise(600 * length, 5).map((v, i) => (i % length === 0 ? v * Math.sqrt(length) : v));
  const [p, q] = [new Float64Array(x.length), new Float64Array(x.length)];
  backend.kernels.projectCones(x, start, p, threads);
  twin.kernels.projectCones(x, start, q, 1);
  const size = (i: number) => Math.hypot(...x.subarray(i - (i % length), i - (i % length) + length));
  return verdict(`cones, of ${length} entries`, largest(p, q, size), 2 * (length + 8) * UNIT, {
    backend: time(() => backend.kernels.projectCones(x, start, p, threads)),
    twin: time(() => twin.kernels.projectCones(x, start, q, 1)),
  });
}

/** Labels of five classes by pairs, about half of them certain. The sums are the same ones on both sides, and so must be the answers. */
function checkLabels(rows: number, backend: Kernels, twin: Kernels, threads: number): KernelCheck {
  const classes = 5;
  const pairs = Array.from({ length: classes * classes }, (_, k) => [k % classes, Math.floor(k / classes)] as const);
  const sides = pairs.filter(([positive, negative]) => negative < positive);
  const proved = (value: number) => new Float64Array(sides.length).fill(value);
  const planes: LabelPlanes = {
    positive: Uint32Array.from(sides, ([positive]) => positive),
    negative: Uint32Array.from(sides, ([, negative]) => negative),
    centreOf: new Uint32Array(sides.length),
    slope: proved(0.02),
    low: proved(-0.05),
    high: proved(0.05),
    spare: proved(0),
    centreSquares: Float64Array.of(1),
    safe: 2 ** -40,
    lost: 0,
  };
  const [values, products, norms] = [noise(rows * sides.length, 8), noise(rows, 9), noise(rows, 10).map((v) => 2 + v)];
  const certify = (kernels: Kernels, threads: number) => {
    const [certain, inTheWay] = [new Uint8Array(rows), new Uint32Array(sides.length)];
    kernels.certifyLabels(values, products, norms, planes, classes, certain, inTheWay, threads);
    return Float64Array.from([...certain, ...inTheWay]);
  };
  return verdict(
    'certified labels',
    largest(certify(backend, threads), certify(twin, 1), () => 1),
    0,
    {
      backend: time(() => certify(backend, threads)),
      twin: time(() => certify(twin, 1)),
    },
  );
}

function verdict(kernel: string, difference: number, bound: number, times: KernelCheck['time']): KernelCheck {
  return { kernel, difference, bound, time: times, agrees: difference <= bound };
}

/** Points with some entries 0, which sparse forms leave out, and labels of ±1. */
function generate(rows: number, cols: number): { points: DenseMatrix; labels: Int8Array } {
  const data = noise(rows * cols, 6).map((value, k) => (k % 3 === 0 ? 0 : value));
  return { points: { data, rows, cols }, labels: Int8Array.from({ length: rows }, (_, i) => (i % 2 === 0 ? 1 : -1)) };
}

/** Checks every kernel of `backend` against its twin. Takes some tenths of a second. */
export function selfCheck(backend: Backend, threads: number): KernelCheck[] {
  const twin = loadFallback();
  const { points, labels } = generate(500, 32);
  const most = { wide: points.cols, tall: points.rows };
  return [
    ...forms(points).flatMap(([name, make, values]) => checkMatrix(name, make, values, most, backend, twin, threads)),
    checkKnapsack(labels.length, labels, 'cold', backend, twin, threads),
    checkKnapsack(labels.length, labels, 'warm', backend, twin, threads),
    ...[3, 31].map((length) => checkCones(length, backend, twin, threads)),
    checkLabels(points.rows, backend, twin, threads),
  ];
}
