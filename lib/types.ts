/** Public types. */
import type { Dataset } from './data/dataset.js';

/** Dense, row-major. */
export interface DenseMatrix {
  readonly data: Float64Array | Float32Array;
  readonly rows: number;
  readonly cols: number;
}

/** Compressed sparse rows; column indices are 0-based and ascend within a row. Without `values` every stored entry is 1. */
export interface SparseMatrix {
  readonly indptr: Int32Array | Uint32Array | readonly number[];
  readonly indices: Int32Array | Uint32Array | readonly number[];
  readonly values?: Float64Array | Float32Array | readonly number[];
  readonly rows: number;
  readonly cols: number;
}

/** Rows of numbers. */
export type Rows = readonly ArrayLike<number>[];

export type BackendName = 'native' | 'js';

/** What computes, and how it was chosen. */
export interface BackendInfo {
  /** `'native'`: the C++ addon; `'js'`: the TypeScript kernels. */
  readonly name: BackendName;
  /** The instruction set in use: `'avx512'`, `'avx2'`, `'neon'`, `'baseline'`, or `'none'` with the TypeScript kernels. */
  readonly simd: string;
  /** Threads used where no option says otherwise. */
  readonly threads: number;
  /** Why the native addon is not in use, if it was tried. */
  readonly loadError?: Error;
}

export interface DatasetOptions {
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
  /** Threads that copy and compute. @default os.availableParallelism() */
  threads?: number;
}

/** How a fit ended. */
export type SvmStatus = 'agreement' | 'gap' | 'stale' | 'precision' | 'max-iterations' | 'time-limit';

/** What a stopping rule sees: one check of a run. */
export interface SvmCheck {
  readonly iteration: number;
  /** Milliseconds since the fit began. */
  readonly elapsed: number;
  /** Rows that take part: those of positive weight. */
  readonly rows: number;
  /** primal - dual. */
  readonly gap: number;
  /** gap / primal. */
  readonly relativeGap: number;
  readonly agreed: number;
  readonly properlyClassified: number;
  readonly zero: number;
  readonly atBound: number;
}

/** When to stop. Rules of one's own are welcome: `start` begins a run and answers each check with a status or nothing. */
export interface StopRule {
  readonly name: string;
  /** Whether every iteration must be a check. */
  readonly everyIteration: boolean;
  /** Whether it looks at what is proved of rows: if no rule does, only the model that is returned proves anything. @default true */
  readonly proofs?: boolean;
  start(): (check: SvmCheck) => SvmStatus | undefined;
  /**
   * Whether the rule, having ended a run, holds for this check as well: that of the same model with its offset to the last bit, which is
   * returned if it does. Without it, or if not, the offset stays as it was when the rule ended the run.
   */
  holds?(check: SvmCheck): boolean;
}

export type Label = number | string | boolean;

/** Labels as a file has them: numbers, or words. */
export type FileLabels = Float64Array | string[];

/** An AbortSignal. (Where no types of Node or of the web say what that is, what is used of it.) */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } }
  ? S
  : {
      readonly aborted: boolean;
      readonly reason: unknown;
      throwIfAborted(): void;
      addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
      removeEventListener(type: 'abort', listener: () => void): void;
    };

/** What can be learnt from and predicted for. */
export type Points = Rows | DenseMatrix | SparseMatrix | Dataset;

/** One point: all its values, or only those that are not 0. */
export type Point = ArrayLike<number> | { readonly indices: ArrayLike<number>; readonly values?: ArrayLike<number> };

export type Scale = 'none' | 'standard' | 'maxabs';

/**
 * 'auto': epochs of coordinate ascent on the dual, and FISTA from where these no longer pay; 'ascent': epochs alone; 'fista': FISTA alone;
 * 'paper': FISTA as printed, with the paper's step size, every row in every step and a check at every iteration.
 */
export type SvmMethod = 'auto' | 'ascent' | 'fista' | 'paper';

export interface SvmOptions<L extends Label = Label> {
  /**
   * The weight of a row's loss against the margin's width. 'auto' chooses one by a quick cross-validation before the fit: 3 folds of at
   * most 4096 rows, fitted loosely; `info.validation` has its table. @default 64 / rows (those that take part)
   */
  gamma?: number | 'auto';
  /** Another name for gamma. */
  C?: number;
  /** The smoothing: the loss is quadratic over a width of mu·gamma. @default 1 / (2 gamma) */
  mu?: number;
  /** Factors on gamma by class; 'balanced' makes both classes weigh the same. */
  classWeight?: 'balanced' | ReadonlyMap<L, number> | Readonly<Record<string, number>>;
  /** Factors on gamma by row. A row of weight 0 takes no part, in scaling and counts neither. */
  sampleWeight?: ArrayLike<number>;
  /** Scaling of columns, folded into the model, which takes raw data. @default 'auto': dense 'standard', sparse 'maxabs' */
  scale?: 'auto' | Scale;
  /** The label on the positive side. @default the larger one */
  positive?: L;
  /** Starts from another model's weights. */
  warmStart?: { readonly weights: ArrayLike<number>; readonly bias: number };
  /** Keeps the certified rows by number, and the dual, in `info`. @default false */
  keepSets?: boolean;
  /**
   * When to stop; of several rules the first that says so. @default [stop.agreement(0.99), stop.gap(1e-4)]; with method: 'paper'
   * stop.stale()
   */
  stop?: StopRule | readonly StopRule[];
  /** How to solve. @default 'auto' */
  method?: SvmMethod;
  /** Internals of the method, for experiments and comparisons. They change neither the optimum nor what is proved of it. */
  solver?: {
    /** FISTA's step size: measured curvature, the data's norm, or the paper's bound. @default 'measured' */
    stepSize?: 'measured' | 'norm' | 'paper';
    /** Whether rows that sit at a bound are left out between checks. @default true with stepSize: 'measured', else false */
    shrinking?: boolean;
    /**
     * Whether a fit starts with epochs of coordinate ascent, which count as iterations. @default true with stepSize: 'measured' and no rule
     * that sees every iteration, else false
     */
    ascent?: boolean;
    /**
     * Iterations from check to check. @default 5; in the ascent when one is promising, or after 10; 1 with stop.stale and with
     * method: 'paper'
     */
    checkEvery?: number;
  };
  /** @default 10_000 */
  maxIterations?: number;
  /** Milliseconds from the call on. The model is then that of the last check; before the first all its weights are 0. @default none */
  timeLimit?: number;
  signal?: Signal;
  /** Called at every check. What it throws ends the fit and comes out unchanged. */
  onProgress?: (progress: SvmProgress) => void;
  /** @default os.availableParallelism() */
  threads?: number;
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
}

/** The numbers of a run so far. */
export interface SvmProgress extends SvmCheck {
  readonly passes: number;
  /** Proved: no less than the optimum. */
  readonly primal: number;
  /** Proved: no more than the optimum. */
  readonly dual: number;
  /** The counts above, as shares of the rows. */
  readonly shares: SvmShares;
  /** The step size is 1 / L; of epochs of coordinate ascent, the mean over the rows. */
  readonly L: number;
}

export interface SvmShares {
  readonly agreed: number;
  readonly properlyClassified: number;
  readonly zero: number;
  readonly atBound: number;
}

/** How a fit went, and what it proved. */
export interface SvmInfo {
  readonly status: SvmStatus;
  readonly iterations: number;
  /** Work: entries read, in units of one pass (X·w and Xᵀ·u over all rows). */
  readonly passes: number;
  /** Milliseconds. */
  readonly elapsed: number;
  /**
   * The objective of the scaled problem, rounded up by what rounding may have cost it: proved to be no less than this model's exact
   * objective, and so than the optimum.
   */
  readonly primal: number;
  /** Proved to be no more than the optimum of that problem. */
  readonly dual: number;
  /** primal - dual: the model's objective is proved to be within this of the optimum, rounding included. */
  readonly gap: number;
  /** gap / primal. */
  readonly relativeGap: number;
  /** Rows that take part: those of positive weight. All counts are of them. */
  readonly rows: number;
  /** Rows proved to get from this model the label that every exact optimum gives them. */
  readonly agreed: number;
  /** Rows proved to have alpha* < gamma: at an exact optimum their margin exceeds 1 - mu·gamma. */
  readonly properlyClassified: number;
  /** Rows proved to have alpha* = 0: a margin above 1. They could be left out. */
  readonly zero: number;
  /** Rows proved to have alpha* = gamma: a margin below 1 - mu·gamma. */
  readonly atBound: number;
  readonly shares: SvmShares;
  /** With keepSets: the rows behind the counts. */
  readonly sets?: { readonly [K in keyof SvmShares]: Uint32Array };
  /** With keepSets: the dual, by row. */
  readonly alpha?: Float64Array;
  /** 'ascent' if no step of FISTA was made. */
  readonly method: 'ascent' | 'fista';
  readonly L: number;
  readonly gamma: number;
  readonly mu: number;
  readonly scale: Scale;
  readonly backend: BackendName;
  readonly threads: number;
  /** With gamma: 'auto': how it was chosen, on so many rows. */
  readonly validation?: { readonly rows: number; readonly folds: number; readonly table: readonly GammaScore[] };
}

export interface CrossValidationOptions<L extends Label = Label> {
  /**
   * How many parts the rows are dealt out to, class by class; or, by row, the number of the part it belongs to (rows that must stay
   * together share one). @default 5
   */
  folds?: number | ArrayLike<number>;
  /** What to try. @default [4, 16, 64, 256, 1024, 4096, 16384] / rows (those that take part) */
  gammas?: ArrayLike<number>;
  /** Decides which rows are dealt to which fold. @default 0 */
  seed?: number;
  /** What accuracy is: the share of rows predicted rightly, or the mean of that share over the classes. @default 'plain' */
  accuracy?: 'plain' | 'balanced';
  /** The label on the positive side. @default the larger one */
  positive?: L;
  /** Factors on gamma by class; 'balanced' makes both classes weigh the same in each fold's training rows. */
  classWeight?: SvmOptions<L>['classWeight'];
  /** Factors on gamma by row. A row of weight 0 takes no part, in training or in accuracy. */
  sampleWeight?: ArrayLike<number>;
  /** Scaling of columns; what it needs to know is taken from the training rows alone. @default 'auto': dense 'standard', sparse 'maxabs' */
  scale?: 'auto' | Scale;
  /** When each fit stops. @default [stop.agreement(0.99), stop.gap(1e-3)] */
  stop?: StopRule | readonly StopRule[];
  /** Of each fit. @default 10_000 */
  maxIterations?: number;
  /** Milliseconds, of each fit; for the whole, `signal: AbortSignal.timeout(ms)`. @default none */
  timeLimit?: number;
  signal?: Signal;
  /** Called after every fit, in the order in which they end. What it throws ends everything and comes out unchanged. */
  onProgress?: (progress: CrossValidationProgress) => void;
  /** Threads altogether: so many folds are fitted at once, and more of them help within a fit. @default os.availableParallelism() */
  threads?: number;
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
}

/** One fit of a cross-validation that has ended, and how far that is. */
export interface CrossValidationProgress {
  /** The fold held out, from 0. */
  readonly fold: number;
  readonly gamma: number;
  /** On the rows held out. */
  readonly accuracy: number;
  /** The mean for this gamma, over the folds that have come to it. */
  readonly mean: number;
  /** How the fit ended. */
  readonly status: SvmStatus;
  readonly iterations: number;
  /** Fits that have ended, and all of them. */
  readonly done: number;
  readonly total: number;
  /** Milliseconds since the cross-validation began. */
  readonly elapsed: number;
}

/** How well one gamma did. */
export interface GammaScore {
  readonly gamma: number;
  /** On the rows held out, by fold. */
  readonly accuracy: readonly number[];
  readonly mean: number;
  /** Of the mean: the folds' standard deviation / √folds. */
  readonly standardError: number;
  /** How the fits ended, by fold. */
  readonly status: readonly SvmStatus[];
  /** How many of them ended at a limit ('max-iterations', 'time-limit'): what they would have come to is not known. */
  readonly unfinished: number;
}

export interface CrossValidation {
  /** The pick's gamma. */
  readonly gamma: number;
  /**
   * The smallest gamma whose mean is within one standard error of the best one. A gamma of which every fit has finished comes before
   * those with `unfinished` ones, here and in `best`.
   */
  readonly pick: GammaScore;
  /** The highest mean; of several, the smallest gamma. */
  readonly best: GammaScore;
  /** By gamma, ascending. */
  readonly table: readonly GammaScore[];
  readonly folds: number;
  /** By row: the fold in which it is held out, from 0; -1 for a row of weight 0, which takes no part. */
  readonly fold: Int32Array;
  /** Milliseconds. */
  readonly elapsed: number;
  readonly backend: BackendName;
  readonly threads: number;
}

export interface SplitOptions {
  /** The share of the rows that go to the test part. @default 0.25 */
  testShare?: number;
  /** The number of rows that go to the test part, instead of a share. */
  testSize?: number;
  /** Decides which rows these are. @default 0 */
  seed?: number;
  /** Whether each class is divided in the same proportion. @default true */
  stratify?: boolean;
}

/** One side of a split. */
export interface Part<P extends readonly unknown[] | DenseMatrix | SparseMatrix, A extends ArrayLike<Label>> {
  readonly points: P;
  readonly labels: A;
  /** Which rows of the whole these are, ascending. */
  readonly rows: Uint32Array;
}

export interface Split<P extends readonly unknown[] | DenseMatrix | SparseMatrix, A extends ArrayLike<Label>> {
  readonly train: Part<P, A>;
  readonly test: Part<P, A>;
}

/** A model as plain data, as `toJSON` gives it. */
export interface SvmJSON {
  readonly format: 'fista-classify/linear-svm';
  readonly version: 1;
  readonly labels: readonly [negative: Label, positive: Label];
  readonly bias: number;
  /** All of them, or, where that is shorter, those that are not 0: indices ascend from 0. */
  readonly weights: readonly number[] | SparseWeights;
  /** The names of the columns, where the model has them. */
  readonly columns?: readonly string[];
  /** The sha256 of all that predicts. `fromJSON` refuses another one, and reads a model without. */
  readonly checksum: string;
}

export interface SparseWeights {
  readonly length: number;
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** The points center + shape·z with |z| <= 1. */
export interface Ellipsoid {
  readonly center: ArrayLike<number>;
  /** 0 or absent: a point; a number: a ball's radius; numbers: a diagonal; rows of numbers: a matrix, which may be singular. @default 0 */
  readonly shape?: number | ArrayLike<number> | readonly ArrayLike<number>[];
  /** A ball's radius, instead of a shape. */
  readonly radius?: number;
}

/** A family: one by one; or, for many of them, centres and diagonals as the rows of two matrices. */
export type Ellipsoids = readonly Ellipsoid[] | { readonly centers: DenseMatrix; readonly shapes: DenseMatrix };

export interface EspOptions {
  /**
   * When to stop: at the first plane that is proved to separate; when the bracket on the distance has closed, at the widest slab; or
   * when the iteration stands still (the paper's measure, for comparison). @default 'any'
   */
  goal?: 'any' | 'widest' | 'converged';
  /**
   * 'any': how near the hulls come to count as touching, as a share of the data's size; 'widest': the bracket, relative;
   * 'converged': the length of a step. @default 1e-6, with 'widest' 1e-4
   */
  tolerance?: number;
  /** Which offset is tried: the best one for the normal, or the paper's. @default 'best' */
  test?: 'best' | 'paper';
  /** The step size: measured curvature, or the norm of the paper. @default 'measured' */
  stepSize?: 'measured' | 'paper';
  /** Whether momentum starts anew when it points the wrong way. @default true with stepSize: 'measured', else false */
  restart?: boolean;
  /** @default 10_000 */
  maxIterations?: number;
  /** Milliseconds. @default none */
  timeLimit?: number;
  signal?: Signal;
  /** Called at every iteration. What it throws ends the run and comes out unchanged. */
  onProgress?: (progress: EspProgress) => void;
  /** @default os.availableParallelism() */
  threads?: number;
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
}

/** Proved bounds on the distance between the convex hulls of the two families. */
export interface DistanceBracket {
  readonly lower: number;
  readonly upper: number;
}

export interface EspProgress {
  readonly iteration: number;
  /** Milliseconds. */
  readonly elapsed: number;
  readonly distance: DistanceBracket;
  readonly L: number;
}

interface Separated {
  readonly status: 'separated';
  /** Of unit length, from the first family to the second: normal·z is below offset on the first, above it on the second. */
  readonly normal: Float64Array;
  readonly offset: number;
  /** Of the slab along the normal that is free of both families: proved to be at least this. */
  readonly width: number;
  /** By ellipsoid, the first family's and then the second's: its distance from the plane is proved to be at least this. */
  readonly slack: Float64Array;
  /** Every centre may move by anything less, in any direction, and the families stay separable. */
  readonly robustness: number;
  readonly goalReached: boolean;
}

interface Touching {
  readonly status: 'touching';
  /** A point that both hulls come near: to half of distance.upper. */
  readonly witness: Float64Array;
  /** Convex weights: the hulls' points near the witness are such averages of points of the ellipsoids. */
  readonly weights: { readonly first: Float64Array; readonly second: Float64Array };
}

interface Undecided {
  readonly status: 'max-iterations' | 'time-limit';
}

/** What came of a separation. A proved separator is always 'separated', whether or not the goal was reached. */
export type Separation = (Separated | Touching | Undecided) & {
  readonly distance: DistanceBracket;
  /** With the goal 'any' the number of the iterate whose w separates; else of all. */
  readonly iterations: number;
  /** Milliseconds. */
  readonly elapsed: number;
  readonly backend: BackendName;
};

/** What a file is read from: its path, a stream (Node's or the web's) of its bytes, or the bytes. Gzip is recognised in each. */
export type Source = string | AsyncIterable<Uint8Array | string> | Uint8Array;

export interface ReadLibsvmOptions {
  /** The number of columns. @default as many as the file uses */
  cols?: number;
  /** Whether column indices in the file count from 0. @default false */
  zeroBased?: boolean;
  /** What labels are. @default 'number' */
  labels?: 'number' | 'string';
  /** Entries beyond `cols` end in an error, or are left out and counted. @default 'error' */
  extra?: 'error' | 'ignore';
  /** Bytes of text, decompressed, beyond which a file is refused. @default Infinity */
  maxBytes?: number;
  /** Ends the reading; the promise rejects with its reason. */
  signal?: Signal;
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
}

/** A file of LIBSVM text. */
export interface LibsvmData<Labels extends FileLabels = FileLabels> {
  /** Without values where all of them are 1. */
  readonly points: SparseMatrix & { readonly indptr: Uint32Array; readonly indices: Uint32Array; readonly values?: Float64Array };
  /** By row. */
  readonly labels: Labels;
  /** Entries left out with `extra: 'ignore'`. */
  readonly ignored: number;
}

/** What a file is written to: its path, or a stream, which is a Writable of Node's by what is used of it. */
export type Target = string | TargetStream;

export interface TargetStream {
  write(chunk: string | Uint8Array): boolean;
  end(): unknown;
  once(event: string, listener: (...args: never[]) => void): unknown;
}

export interface WriteLibsvmOptions {
  /** Ends the writing; the promise rejects with its reason, and a path keeps what it had. */
  signal?: Signal;
}

export interface ReadCsvOptions {
  /** The column with the labels: by its name in the header, or its number from 0, -1 being the last; null if there is none. */
  label: string | number | null;
  /** Whether the first row has the names of the columns. @default true */
  header?: boolean;
  /**
   * The columns of the points, by their names in the header: whatever their order in the file, they come in this one. One that is missing
   * is an error, others are left out. `model.columns`, say. @default all, as they come
   */
  columns?: readonly string[];
  /** One character or more. @default ',' */
  delimiter?: string;
  /** What labels are; 'auto': numbers if every one is a number. @default 'auto' */
  labels?: 'auto' | 'number' | 'string';
  /** Bytes of text, decompressed, beyond which a file is refused. @default Infinity */
  maxBytes?: number;
  /** Ends the reading; the promise rejects with its reason. */
  signal?: Signal;
}

/** A file of comma-separated values. The names of more than 16384 columns are made when they are first asked for. */
export interface CsvData<Labels extends FileLabels = FileLabels> {
  readonly points: DenseMatrix & { readonly data: Float64Array };
  /** By row; empty with `label: null`. */
  readonly labels: Labels;
  /** The names of the points' columns: those of the header, or else the columns' numbers in the file. */
  readonly columns: string[];
  /** The names of the columns left out, with `columns`. */
  readonly ignored: string[];
}
