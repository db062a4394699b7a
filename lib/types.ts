/** Public types. */
import type { Dataset } from './dataset.js';

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
  readonly rows: number;
  readonly gap: number;
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
  start(): (check: SvmCheck) => SvmStatus | undefined;
}

export type Label = number | string | boolean;

/** What can be learnt from and predicted for. */
export type Points = Rows | DenseMatrix | SparseMatrix | Dataset;

/** One point: all its values, or only those that are not 0. */
export type Point = ArrayLike<number> | { readonly indices: ArrayLike<number>; readonly values?: ArrayLike<number> };

export type Scale = 'none' | 'standard' | 'maxabs';

export interface SvmOptions<L extends Label = Label> {
  /** The weight of a row's loss against the margin's width. @default 64 / rows */
  gamma?: number;
  /** Another name for gamma. */
  C?: number;
  /** The smoothing: the loss is quadratic over a width of mu·gamma. @default 1 / (2 gamma) */
  mu?: number;
  /** Factors on gamma by class; 'balanced' makes both classes weigh the same. */
  classWeight?: 'balanced' | ReadonlyMap<L, number> | Readonly<Record<string, number>>;
  /** Factors on gamma by row. A row of weight 0 takes no part. */
  sampleWeight?: ArrayLike<number>;
  /** Scaling of columns, folded into the model, which takes raw data. @default 'auto': dense 'standard', sparse 'maxabs' */
  scale?: 'auto' | Scale;
  /** The label on the positive side. @default the larger one */
  positive?: L;
  /** Starts from another model's weights. */
  warmStart?: { readonly weights: ArrayLike<number>; readonly bias: number };
  /** Keeps the certified rows by number, and the dual, in `info`. @default false */
  keepSets?: boolean;
  /** The step size: measured curvature, the data's norm, or the paper's bound. @default 'measured' */
  L?: 'measured' | 'norm' | 'paper';
  /** Whether rows that sit at a bound rest between checks. @default true with L: 'measured', else false */
  resting?: boolean;
  /** Iterations from check to check. @default 5, or 1 with stop.stale */
  checkEvery?: number;
  /** When to stop; of several rules the first that says so. @default [stop.agreement(0.99), stop.gap(1e-4)] */
  stop?: StopRule | readonly StopRule[];
  /** @default 10_000 */
  maxIterations?: number;
  /** Milliseconds. @default none */
  timeLimit?: number;
  signal?: AbortSignal;
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
  readonly primal: number;
  readonly dual: number;
  /** The counts above, as shares of the rows. */
  readonly shares: SvmShares;
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
  /** The objective, of the scaled problem. */
  readonly primal: number;
  readonly dual: number;
  /** A proved upper bound of primal - optimum, rounding included. */
  readonly gap: number;
  readonly relativeGap: number;
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
  readonly L: number;
  readonly gamma: number;
  readonly mu: number;
  readonly scale: Scale;
  readonly backend: BackendName;
  readonly threads: number;
}

/** A model as plain data. */
export interface SvmJSON {
  readonly format: 'fista-classify/linear-svm';
  readonly version: 1;
  readonly labels: readonly [negative: Label, positive: Label];
  readonly bias: number;
  readonly weights: readonly number[];
}
