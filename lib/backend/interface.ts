/** What a backend computes. Both backends implement it: the C++ addon, and its TypeScript twins in fallback/. */
import type { BackendName } from '../types.js';
import type { Performer } from './tasks.js';

/**
 * What is wrong with the data that were copied, and where. `at` is a position in data, values, indices or indptr, `found` the value there
 * and, for indices and indptr, `before` the value just before it.
 */
export interface CopyDefect {
  defect: 'not-finite' | 'bad-start' | 'bad-range' | 'bad-order';
  row: number;
  at: number;
  found: number;
  before: number;
}

/** Throws an error that describes the defect. */
export type OnDefect = (problem: CopyDefect) => never;

/** Ends tasks early: when it is set, or so many milliseconds after it was made. Once set it stays set. */
export interface Interrupt {
  set(): void;
  readonly isSet: boolean;
}

/**
 * A data matrix X, copied once, in its most compact form. If there are a million columns or more, and more columns than entries, empty
 * columns are not `kept`, and everything by column is about the others.
 */
export interface Matrix {
  describe(): { rows: number; cols: number; kept: number; stored: number; bytes: number; sparse: boolean; form: string };
  /** The columns that are kept, ascending; undefined if all are. */
  used(): Uint32Array | undefined;
  /** out = X·w */
  multiply(w: Float64Array, out: Float64Array, threads: number): void;
  /**
   * out[i k + p] = x_i·w_p + biases[p] for k = biases.length planes, one or more; weights are row-major, planes × columns. A value does not
   * depend on the other rows and planes. Of rows from `begin` to `end`, all by default.
   * Returns the number of the first row where a value is not finite, or `end`.
   */
  decide(weights: Float64Array, biases: Float64Array, out: Float64Array, threads: number, begin?: number, end?: number): number;
  /** out_i = Σ (factor_j x_ij)² over the columns j that are kept. */
  norms(factor: Float64Array, out: Float64Array, threads: number): void;
  /** out = Xᵀ·u */
  multiplyTransposed(u: Float64Array, out: Float64Array, threads: number): void;
  /**
   * Subtracts a number from each column for good, where that costs nothing: the mean from columns of dense f64 data; from others a number
   * for which all differences are exact (method 1.4). Returns whether there is such a column. To be called before the matrix is shared or
   * trained on. A matrix whose centring is interrupted is as good as disposed of. `ranks`: as for a problem.
   */
  centre(threads: number, interrupt?: Interrupt, ranks?: unknown): boolean;
  /** What was subtracted from each column that is kept. */
  shift(out: Float64Array): void;
  /** Another handle of the same data, which outlives this one. */
  share(): Matrix;
  dispose(): void;
}

/** One training problem (method 1): data and iterates. It performs SVM_TASKS. */
export interface SvmProblem extends Performer {
  /** The candidate of the last step becomes the iterate. */
  accept(): void;
  /** Stored entries read so far by X·w and Xᵀ·u. */
  readonly read: number;
  /** Stored entries of the rows that take part. Known once `begin` was performed. */
  readonly stored: number;
  /** w, in scaled space, of the columns that are kept. */
  weights(out: Float64Array): void;
  /**
   * By column that is kept, 1 / scale, or 0 if it is 0 in all rows that take part (method 1.4), and what was subtracted before scaling.
   * Known once `begin` was performed.
   */
  columns(inverseScale: Float64Array, shift: Float64Array): void;
  /** The centre of the rows that take part, by column that is kept, in scaled space. Known once `begin` was performed. */
  centre(out: Float64Array): void;
  /** alpha, by row. */
  alpha(out: Float64Array): void;
  /** What is proved of each row: bits of CERTIFIED in lib/backend/encodings.ts. */
  certified(out: Uint8Array): void;
  dispose(): void;
}

type SvmConstructor = new (
  matrix: Matrix,
  /** ±1 by row, or 0 for a row of weight 0 that is not to be scored either. */
  y: Int8Array,
  /** By row, or one for all rows. Rows of weight 0 take no part; `score` scores them. */
  weight: Float64Array,
  /** 0 none, 1 standard, 2 maxabs; or 1 / scale by column that is kept. */
  scale: number | Float64Array,
  threads: number,
  /** Problems of one lane take turns off the main thread; those of different lanes run side by side. @default 0 */
  lane?: number,
  interrupt?: Interrupt,
  /** The rows that y and weight are about, ascending; others take no part. @default all */
  rows?: Uint32Array,
  /** One with the same rows, weights and scale that has performed `begin` alone. What that measured need not be measured again. */
  like?: SvmProblem,
  /**
   * Epochs of coordinate ascent visit rows window by window, of about so many rows each, and in random order within a window (method 1.10);
   * 0: all rows are one. Such a problem must not be asked to shrink. @default 0
   */
  window?: number,
  /**
   * The seam of a Communicator (lib/mpi/ranks.ts), of the native backend alone: the rows are some of those of the problem, the other ranks
   * have the others, and all of them perform the same tasks. Without an interrupt. @default all rows are here
   */
  ranks?: unknown,
) => SvmProblem;

/** What is proved of planes, and between which classes they are. */
export interface LabelPlanes {
  readonly positive: Uint32Array;
  /** undefined: planes are against the rest, and plane p is that of class p. */
  readonly negative: Uint32Array | undefined;
  readonly centreOf: Uint32Array;
  /** By plane: the exact value is within low and high of the model's, give or take slope times the distance from the centre, and spare. */
  readonly slope: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly spare: Float64Array;
  readonly centreSquares: Float64Array;
  /** The rounding of a squared distance: safe times the sum of both squares, and lost. */
  readonly safe: number;
  readonly lost: number;
}

/** One family of ellipsoids: centres by rows, and each one's kind (KIND in lib/backend/encodings.ts) and shape, one after the other. */
export interface EspFamily {
  readonly centers: Float64Array | Float32Array;
  readonly kinds: Uint8Array;
  readonly shapes: Float64Array | Float32Array;
}

/** Throws an error that says which entry is not finite. family: 0 or 1; part: 0 for centres, 1 for shapes. */
export type OnEllipsoidDefect = (family: number, part: number, at: number) => never;

/** One separation problem (method 4): two families and iterates. It performs ESP_TASKS. */
export interface EspProblem extends Performer {
  /** The candidate of the last sweep becomes the iterate. */
  accept(): void;
  /** Keeps the unit normal that was tested last, or its opposite. */
  keep(opposite: boolean): void;
  /** What the data were multiplied by: a power of two, nearly always 1. All lengths below are multiplied by it too. */
  readonly unit: number;
  /** The normal kept. */
  normal(out: Float64Array): void;
  origin(out: Float64Array): void;
  /** By ellipsoid, what `verify` found: the max of n·(z - origin) for those of the first family, the min for those of the second. */
  supports(out: Float64Array): void;
  /** lambda by ellipsoid of the first family, then mu of the second. */
  weights(out: Float64Array): void;
  /** The sums of lambda (c - origin) + A p over the first family, then of mu (d - origin) - B q over the second. */
  sums(out: Float64Array): void;
  /** out = Ax of the scaled problem: l by ellipsoid, p of as many entries as there are dimensions for each that is no point. */
  applyA(l: Float64Array, p: Float64Array, out: Float64Array): void;
  /** l, p = A'v. */
  applyAT(v: Float64Array, l: Float64Array, p: Float64Array): void;
  dispose(): void;
}

type EspConstructor = new (
  onDefect: OnEllipsoidDefect,
  threads: number,
  cols: number,
  ...families: [...Positional<EspFamily>, ...Positional<EspFamily>]
) => EspProblem;

type Positional<F extends EspFamily> = [centers: F['centers'], kinds: F['kinds'], shapes: F['shapes']];

/** Where reading a file stopped, and why: line and column (in bytes) of the token count from 1, `text` is how it begins. */
export interface ParseDefect {
  defect:
    'label' | 'word' | 'entry' | 'qid' | 'value' | 'range' | 'zero' | 'order' | 'extra' | 'long' | 'rows' | 'entries' | 'empty';
  line: number;
  column: number;
  text: Uint8Array;
  /** The index before this one in its row. */
  last: number;
}

/** How much a file held. */
export interface ParsedSizes {
  rows: number;
  /** One more than the highest column. */
  cols: number;
  /** Entries left out, as they are beyond the limit. */
  ignored: number;
  entries: number;
  /** False if all of them are 1. */
  hasValues: boolean;
  /** Bytes of labels that are text. */
  words: number;
}

/** Reads LIBSVM text, chunk by chunk. */
export interface Parser {
  /** The next chunk of the text, which may end anywhere. What is wrong with it, if anything is: nothing more is read then. */
  push(chunk: Uint8Array): ParseDefect | undefined;
  /** The text has ended. */
  finish(): ParseDefect | undefined;
  sizes(): ParsedSizes;
  /** Hands over the next out.length of a list, so that large ones go in steps: where each row begins, */
  takeStarts(out: Uint32Array): void;
  /** the columns of the entries, */
  takeIndices(out: Uint32Array): void;
  /** their values, if there are any, */
  takeValues(out: Float64Array): void;
  /** labels that are numbers, */
  takeLabels(out: Float64Array): void;
  /** or labels that are text, each with a newline after it. */
  takeWords(out: Uint8Array): void;
}

/** `limit`: columns from there on are refused, or ignored. */
type ParserConstructor = new (zeroBased: boolean, limit: number, ignoreExtra: boolean, words: boolean) => Parser;

/** Dense rows, or compressed sparse ones. */
export type MatrixArguments =
  | [data: Float64Array | Float32Array, rows: number, cols: number]
  | [indptr: Uint32Array, indices: Uint32Array, values: Float64Array | Float32Array | undefined, rows: number, cols: number];

type MatrixConstructor = new (
  onDefect: OnDefect,
  threads: number,
  ...data: MatrixArguments | [...MatrixArguments, interrupt: Interrupt | undefined]
) => Matrix;

/** Where rows are in a file: positions in bytes, and how entries are stored (lib/io/dataset-format.ts). */
export interface FileLayout {
  readonly sparse: boolean;
  /** 0 f64, 1 f32, 2 ones. */
  readonly values: number;
  /** The bytes of a column index. */
  readonly index: number;
  readonly rows: number;
  readonly cols: number;
  readonly entries: number;
  readonly valuesAt: number;
  readonly indexAt: number;
  readonly lengthsAt: number;
}

/** The projections that both problems are built on, as functions of the caller's own arrays. */
export interface Projections {
  /**
   * x = the point of { Σ c_i y_i x_i = b, 0 ≤ x_i ≤ gamma } with the least Σ c_i (x_i - a_i)² (method 1.8), c being the weights; x may be a.
   * `guess`, or NaN, is where lambda is searched first. Returns lambda, x_i = clamp(a_i - lambda y_i, 0, gamma); or NaN, and x undefined,
   * if b is out of reach.
   */
  projectKnapsack(
    a: Float64Array,
    y: Int8Array,
    weight: Float64Array,
    gamma: number,
    b: number,
    guess: number,
    x: Float64Array,
    threads: number,
  ): number;
  /** Projects each block (l, p) = x[start[k] … start[k+1]) onto { |p| ≤ l } (method 4.3); out may be x. */
  projectCones(x: Float64Array, start: Uint32Array, out: Float64Array, threads: number): void;
}

/** What both backends implement; the TypeScript one is the specification. Symbols are those of docs/method.md. */
export interface Kernels {
  Interrupt: new (milliseconds: number) => Interrupt;
  Matrix: MatrixConstructor;
  /**
   * A centred matrix, or what is wrong with the data. They are copied before this returns, and checked off the main thread.
   */
  copyPoints(this: void, threads: number, interrupt: Interrupt | undefined, ...data: MatrixArguments): Promise<Matrix | CopyDefect>;
  /**
   * A matrix whose rows stay in a file and are read anew by everything that needs them, a stretch at a time. Lengths of rows are checked
   * now; entries whenever they are read: a defect, or a file that changed, then fails with ERR_DATASET. Its `centre` makes this handle one of
   * the centred rows, and leaves others as they are. Undefined where a backend has no files: the rows are then copied to memory.
   */
  openPoints?(this: void, path: string, layout: FileLayout): Matrix;
  /** The centred matrix of one in a file, found off the main thread. */
  centrePoints?(this: void, matrix: Matrix, threads: number, interrupt: Interrupt | undefined): Promise<Matrix>;
  /**
   * As Matrix.decide, with the same values, for points that are read where they are. A defect of the points goes to onDefect. If something
   * is wrong, out stays as it was.
   */
  decidePoints(
    this: void,
    onDefect: OnDefect,
    threads: number,
    weights: Float64Array,
    biases: Float64Array,
    out: Float64Array,
    ...data: MatrixArguments
  ): number;
  /**
   * Certifies the labels of rows (method C11), given the planes' values and the products with the centres by row, and the rows' squared norms:
   * writes 0 or 1 by row to `certain`, and adds to `inTheWay`, by plane, the rows whose label it leaves open.
   */
  certifyLabels(
    this: void,
    values: Float64Array,
    products: Float64Array,
    norms: Float64Array,
    planes: LabelPlanes,
    classes: number,
    certain: Uint8Array,
    inTheWay: Uint32Array,
    threads: number,
  ): void;
  Svm: SvmConstructor;
  Esp: EspConstructor;
  Parser: ParserConstructor;
  /** The projections by themselves, for benchmarks, the self check and tests. Problems do not call these. */
  kernels: Projections;
}

export interface Backend extends Kernels {
  readonly name: BackendName;
  readonly simd: string;
}
