/** Public types. */
import type { Dataset } from './data/dataset.js';
import type { Encoder } from './data/encoder.js';
import type { Table } from './data/table.js';

/** A dense matrix, row-major. */
export interface DenseMatrix {
  readonly data: Float64Array | Float32Array;
  readonly rows: number;
  readonly cols: number;
  /** The names of the columns, all distinct. A model that is trained on them has them too, and matches points with names by these. */
  readonly columns?: readonly string[] | undefined;
}

/** A matrix of compressed sparse rows. Column indices are 0-based and ascend within a row. Without `values` every stored entry is 1. */
export interface SparseMatrix {
  readonly indptr: Int32Array | Uint32Array | readonly number[];
  readonly indices: Int32Array | Uint32Array | readonly number[];
  readonly values?: Float64Array | Float32Array | readonly number[];
  readonly rows: number;
  readonly cols: number;
  /** As of a dense matrix. */
  readonly columns?: readonly string[] | undefined;
}

/** A point by its entries that are not 0. Column indices are 0-based and ascend. Without `values` each of them is 1. */
export interface SparsePoint {
  readonly indices: ArrayLike<number>;
  readonly values?: ArrayLike<number>;
}

/** Rows of numbers: all of them, or those that are not 0. */
export type Rows = readonly ArrayLike<number>[] | readonly SparsePoint[];

/**
 * Records: objects whose fields are what is known of a row, in an array, a Table, or anything else that can be iterated. A field that a
 * record does not have, and `null`, are missing values.
 */
export type Records<R extends object = object> = Iterable<R>;

/** A number. A missing one becomes the median, and a column says so. */
export interface NumberField {
  readonly kind: 'number';
}

/** 'category', 'boolean': one value, with a column for each. 'categories': a list of values, each with its column. */
export interface CategoryField {
  readonly kind: 'category' | 'categories' | 'boolean';
  /** Values of fewer rows than this share a column, which new values are counted to as well. @default 1 */
  readonly minCount?: number;
  /** At most so many values have a column of their own: the most frequent ones. @default 10_000 */
  readonly maxFeatures?: number;
}

/** A part of a date, in UTC: 'time' (in days) and 'year' are numbers, the others categories. */
export type DatePart = 'time' | 'year' | 'month' | 'weekday' | 'hour';

/** A Date, an ISO 8601 date as a string, or milliseconds since 1970. */
export interface DateField {
  readonly kind: 'date';
  /** @default year, month and weekday; and the hour, if dates have times */
  readonly parts?: readonly DatePart[];
}

/** A text as a bag of words: a column for each term. */
export interface TextField {
  readonly kind: 'text';
  /** The number of words in a term, or the least and the largest number. @default 1 */
  readonly words?: number | readonly [number, number];
  /** So many columns, to which terms are assigned by a hash. There is no vocabulary then. @default none: the terms are learnt */
  readonly hash?: number;
  /** Terms of fewer texts than this are left out. @default 1 */
  readonly minCount?: number;
  /** At most so many terms: the most frequent ones. @default 1_000_000 */
  readonly maxFeatures?: number;
  /** What is entered for a term: its number in the text times log((1 + texts) / (1 + texts with it)) + 1; its number; or 1. @default 'tf-idf' */
  readonly values?: 'tf-idf' | 'counts' | 'binary';
  /** Whether the entries of a text are scaled to length 1. @default true */
  readonly unit?: boolean;
  /** @default true */
  readonly lowercase?: boolean;
  /**
   * A locale by whose rules texts are split into words (Intl.Segmenter): for languages without spaces. Much slower, and the words may change with
   * the version of ICU, which the model records. @default words are runs of two or more letters, digits and underscores
   */
  readonly segmenter?: string;
}

/** A field that is not used. */
export interface IgnoredField {
  readonly kind: 'ignore';
}

export type FieldKind = 'number' | 'category' | 'categories' | 'boolean' | 'date' | 'text' | 'ignore';

/** How a field becomes numbers: its kind, or its kind with options. */
export type FieldPlan = FieldKind | NumberField | CategoryField | DateField | TextField | IgnoredField;

/**
 * How the fields of a record become numbers. Fields that it does not name are not used; but if it names only fields to ignore, the kinds of
 * the others are inferred.
 */
export type Plan<R extends object = object> = [keyof R] extends [never]
  ? Readonly<Record<string, FieldPlan>>
  : { readonly [K in keyof R & string]?: FieldPlan };

export interface EncoderOptions {
  /** Strings and numbers that stand for a missing value, besides null, undefined and NaN. @default ['', 'NA', 'N/A', 'NaN'] */
  missing?: readonly (string | number)[];
}

/** What an encoder learnt of a field. */
export interface FieldInfo {
  readonly name: string;
  readonly kind: FieldKind;
  /** The number of columns that it makes. */
  readonly columns: number;
  /** The number of distinct values or terms that were seen, of fields that have them. */
  readonly distinct?: number;
}

/** Options for records. */
export interface RecordOptions<R extends object> {
  /**
   * How records become numbers: a plan, or an encoder that has learnt it already. Cross-validation learns it anew in each fold. @default a plan
   * that is inferred from the records
   */
  encoder?: Plan<R> | Encoder<R>;
}

/** Why a record is classified as it is. Shares above 0 speak for `positive`, shares below 0 for `negative`. */
export interface Explanation<L extends Label = Label> {
  /** The predicted label. */
  readonly label: L;
  /** Of two labels these; of more, the predicted one and the runner-up. */
  readonly positive: L;
  readonly negative: L;
  /** The decision value between these two: `base` plus all shares. */
  readonly value: number;
  /** The decision value of the mean training row. */
  readonly base: number;
  /** The fields, those with the largest shares first. */
  readonly fields: readonly FieldShare[];
}

export interface FieldShare {
  readonly name: string;
  /** What the field adds to the decision value, compared with the mean training row. */
  readonly share: number;
  /** The columns that the record has entries in, those with the largest shares first. Others, where it has none, make up the rest of the share. */
  readonly columns: readonly { readonly name: string; readonly value: number; readonly share: number }[];
}

export type BackendName = 'native' | 'wasm' | 'js';

/** The backend in use. */
export interface BackendInfo {
  /** `'native'`: the C++ addon; `'wasm'`: the same kernels in WebAssembly; `'js'`: the TypeScript kernels. */
  readonly name: BackendName;
  /** The instruction set in use: `'avx512'`, `'avx2'`, `'neon'`, `'baseline'`, `'wasm128'`, or `'none'` with the TypeScript kernels. */
  readonly simd: string;
  /** The default number of threads. */
  readonly threads: number;
  /** Why nothing faster is in use: what was tried before, and why it did not load. */
  readonly loadError?: Error;
}

export interface DatasetOptions {
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
  /** The number of threads that copy and compute. @default os.availableParallelism() */
  threads?: number;
  /** The names of the columns, if the points have none of their own. */
  columns?: readonly string[] | undefined;
}

/** A row of `Dataset.write`: its numbers, or the indices of those that are not 0, and its label if rows have them. */
export type DatasetRow =
  | ArrayLike<number>
  | { readonly indices: ArrayLike<number>; readonly values?: ArrayLike<number> }
  | {
      readonly label: Label;
      readonly point: ArrayLike<number> | { readonly indices: ArrayLike<number>; readonly values?: ArrayLike<number> };
    };

export interface OpenDatasetOptions {
  /**
   * Some of the rows, those that follow each other: of `of` parts of about the same number of rows, that of this number, from 0. For
   * processes that train together, `{ index: ranks.rank, of: ranks.size }`. @default all rows
   */
  part?: { readonly index: number; readonly of: number };
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
}

/** What `Dataset.write` takes: the path of a text, its chunks, or rows one by one. */
export type DatasetSource =
  string | Uint8Array | AsyncIterable<Uint8Array | string> | Iterable<DatasetRow> | AsyncIterable<DatasetRow>;

export interface WriteDatasetOptions {
  /** What the source is. @default 'csv' and 'jsonl' by the name of a path; 'rows' if that is what comes first; else 'libsvm' */
  format?: 'libsvm' | 'csv' | 'jsonl' | 'rows';
  /**
   * How numbers are stored; 'f32' rounds them. @default the smallest form that loses nothing for sparse rows; for dense ones 'f32' if the
   * first is a Float32Array, else 'f64'
   */
  values?: 'f64' | 'f32';
  /** LIBSVM text and sparse rows: the number of columns. @default as many as are used */
  cols?: number;
  /** LIBSVM text: whether columns count from 0. @default false */
  zeroBased?: boolean;
  /** LIBSVM text: labels are numbers or words; CSV: they are words even if all are numbers. @default 'number'; CSV: as they are */
  labels?: 'number' | 'string';
  /** CSV: the column of labels, as in readCsv; JSON lines: the field. null: there is none. @default 'label' */
  label?: string | number | null;
  /** CSV: whether the first row has the names of columns. @default true */
  header?: boolean;
  /** CSV. @default ',' */
  delimiter?: string;
  /** The names of columns, where the source has none. */
  columns?: readonly string[];
  /** Refuses more bytes of text. @default Infinity */
  maxBytes?: number;
  signal?: Signal;
  /** The backend that parses LIBSVM text. @default 'auto' */
  backend?: 'auto' | BackendName;
}

/** What `Dataset.write` wrote. */
export interface WrittenDataset {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** Of the file. */
  readonly bytes: number;
}

/** How a fit ended. */
export type SvmStatus = 'agreement' | 'gap' | 'stale' | 'precision' | 'max-iterations' | 'time-limit';

/** One check of a run, as stopping rules see it. */
export interface SvmCheck {
  readonly iteration: number;
  /** Milliseconds since the fit began. */
  readonly elapsed: number;
  /** The number of rows that take part: those of positive weight. */
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

/** A stopping rule. Users may write their own: `start` is called once per run, and returns a function that answers each check. */
export interface StopRule {
  readonly name: string;
  /** Whether there must be a check after every iteration. */
  readonly everyIteration: boolean;
  /** Set to false if the rule ignores certificates. If all rules do, they are computed only for the final model. @default true */
  readonly proofs?: boolean;
  /** A relative gap at which the rule holds: steps need not aim much further. @default 0: none is known */
  readonly relativeGap?: number;
  /** Begins a run. The function returned ends the run by returning a status. */
  start(): (check: SvmCheck) => SvmStatus | undefined;
  /**
   * Whether the rule, which has ended the run, also holds for this check: that of the same model with its offset computed to the last bit.
   * If so, that model is returned. If not, or without this method, the offset stays as it was when the rule ended the run.
   */
  holds?(check: SvmCheck): boolean;
}

export type Label = number | string | boolean;

/** Labels read from a file: numbers or words. */
export type FileLabels = Float64Array | string[];

/** An AbortSignal; or, in projects without the types of Node or the web, the members of one that are used here. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } }
  ? S
  : {
      readonly aborted: boolean;
      readonly reason: unknown;
      throwIfAborted(): void;
      addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
      removeEventListener(type: 'abort', listener: () => void): void;
    };

/** Points to train on or predict for. */
export type Points = Rows | DenseMatrix | SparseMatrix | Dataset;

/** One point: all its values, or only those that are not 0. */
export type Point = ArrayLike<number> | SparsePoint;

export type Scale = 'none' | 'standard' | 'maxabs';

/**
 * 'auto': epochs of coordinate ascent on the dual, then Newton's method or FISTA once these no longer pay; 'ascent', 'newton', 'fista': one
 * of them alone; 'paper': the paper's FISTA, with its step size, every row in every step and a check after every iteration, and with two
 * corrections (method C7, 1.12).
 */
export type SvmMethod = 'auto' | 'ascent' | 'newton' | 'fista' | 'paper';

/** What a fit by one method or several consists of. */
export type SvmAlgorithm = 'ascent' | 'newton' | 'fista';

/** A stretch of a fit by one method. */
export interface SvmStage {
  readonly method: SvmAlgorithm;
  /** Epochs of ascent, steps of Newton's method or iterations of FISTA. */
  readonly iterations: number;
  /** How often it read all entries, there and back. */
  readonly passes: number;
}

/** How several classes are told apart: by a plane a pair of them, or by one a class. */
export type Multiclass = 'pairs' | 'rest';

/** How probabilities follow from decision values. */
export type CalibrationKind = 'sigmoid' | 'isotonic';

/** A plane to start from. */
export interface WarmPlane {
  readonly weights: ArrayLike<number>;
  readonly bias: number;
}

/** The hinge, smoothed over a width of mu·gamma; or its square, gamma max(0, 1 - margin)². */
export type Loss = 'hinge' | 'squared-hinge';

/** The processes of an MPI program (docs/scale.md). */
export interface Ranks {
  /** The number of this process, from 0. */
  readonly rank: number;
  /** The number of processes. */
  readonly size: number;
  /** The MPI that runs, with its version: Open MPI 4.1.4. */
  readonly library: string;
}

export interface SvmOptions<L extends Label = Label> {
  /**
   * The weight of a row's loss against the margin's width. 'auto' chooses one by a quick cross-validation before the fit: 3 folds of a
   * sample of the rows, fitted loosely; `info.validation` has its table. @default 1 / mean squared distance of a row from the centre, after
   * scaling (1 if all rows are the same); with method: 'paper' 64 / rows (those that take part)
   */
  gamma?: number | 'auto';
  /** Another name for gamma. */
  C?: number;
  /** @default 'hinge' */
  loss?: Loss;
  /** The smoothing of the hinge: the loss is quadratic over a width of mu·gamma. @default 1 / (2 gamma) */
  mu?: number;
  /** Factors on the loss by class; 'balanced' gives all classes the same total weight. */
  classWeight?: 'balanced' | ReadonlyMap<L, number> | Readonly<Record<string, number>>;
  /**
   * Factors on the loss by row: a row of weight 3 counts as three copies of it. A row of weight 0 takes no part in training, in scaling or
   * in counts.
   */
  sampleWeight?: ArrayLike<number>;
  /** The scaling of columns, folded into the model, which takes raw data. @default 'auto': dense 'standard', sparse 'maxabs' */
  scale?: 'auto' | Scale;
  /** The label on the positive side, of two. @default the larger one */
  positive?: L;
  /**
   * With three labels or more: a plane for every pair of classes, with votes ('pairs'); or one for each class against the rest ('rest').
   * @default 'auto': pairs where there are fewer columns than rows in an average pair, and not too many pairs; else the rest
   */
  multiclass?: 'auto' | Multiclass;
  /**
   * Whether the model can estimate probabilities, and how these follow from decision values: by a sigmoid, or by any function that never
   * falls, which takes more rows. Learnt from rows held out, by five more fits on four fifths of the rows each. @default none
   */
  probability?: CalibrationKind;
  /** The names of the points' columns, if these have none of their own, such as rows. The model keeps them. */
  columns?: readonly string[] | undefined;
  /** A model to start from; with three labels or more, one with the same planes. */
  warmStart?: { readonly weights: ArrayLike<number>; readonly bias: number } | { readonly planes: readonly WarmPlane[] };
  /** Whether `info` has the lists of certified rows and the dual solution. @default false */
  keepSets?: boolean;
  /**
   * When to stop: the first of several rules to hold ends the fit. @default [stop.agreement(0.99), stop.gap(1e-4)]; with method: 'paper'
   * stop.stale()
   */
  stop?: StopRule | readonly StopRule[];
  /** The method of solution. @default 'auto' */
  method?: SvmMethod;
  /** Internals of the method, for experiments and comparisons. They change neither the optimum nor the validity of certificates. */
  solver?: {
    /** FISTA's step size: by measured curvature, the norm of the data, or the paper's bound. @default 'measured' */
    stepSize?: 'measured' | 'norm' | 'paper';
    /** Whether rows at a bound are left out between checks. @default true with stepSize: 'measured', else false */
    shrinking?: boolean;
    /**
     * Whether a fit starts with epochs of coordinate ascent, which count as iterations. @default true with stepSize: 'measured' and no rule
     * that sees every iteration, else false; false with method: 'newton'
     */
    ascent?: boolean;
    /**
     * Iterations between checks. @default 5; during ascent when a check is promising, or after 10; 1 with stop.stale and with
     * method: 'paper'
     */
    checkEvery?: number;
    /**
     * Epochs of coordinate ascent visit rows window by window, of about so many rows each, in random order within a window. A window is 16
     * chunks of rows that follow each other, chosen anew in every epoch. Rows keep their places, so nothing is shrunk. @default for points in
     * a file, about 64 MB of rows; for others all rows
     */
    window?: number;
  };
  /**
   * The processes that train together, each on its own rows: what `mpi()` of 'fista-classify/mpi' returns. All of them make the same call,
   * with the same options, and have the same model. `timeLimit`, `signal` and `onProgress` are those of rank 0. @default none
   */
  ranks?: Ranks;
  /** @default 10_000 */
  maxIterations?: number;
  /**
   * In milliseconds from the call. The model is that of the last check; before the first check, all weights are 0. @default none
   */
  timeLimit?: number;
  signal?: Signal;
  /** Called at every check. An error that it throws ends the fit and comes out unchanged. */
  onProgress?: (progress: SvmProgress) => void;
  /** @default os.availableParallelism() */
  threads?: number;
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
}

/** The state of a run at a check. */
export interface SvmProgress extends SvmCheck {
  readonly passes: number;
  /** A proved upper bound on the optimum. */
  readonly primal: number;
  /** A proved lower bound on the optimum. */
  readonly dual: number;
  /** The counts above, as shares of the rows. */
  readonly shares: SvmShares;
  /** The step size is 1 / L; in coordinate ascent, the mean over the rows. */
  readonly L: number;
  /** With three classes or more: the plane that this is about, how many planes are done, and how many there are. */
  readonly plane?: { readonly positive: Label; readonly negative?: Label; readonly done: number; readonly total: number };
}

export interface SvmShares {
  readonly agreed: number;
  readonly properlyClassified: number;
  readonly zero: number;
  readonly atBound: number;
}

/**
 * The course and result of a fit, and its certificates. With three classes or more they are of all planes together: `agreed` is about
 * labels, objectives and the other counts are sums over the planes, `relativeGap` is the largest of any plane, `status` is true of all.
 */
export interface SvmInfo {
  readonly status: SvmStatus;
  readonly iterations: number;
  /** The entries read, in units of one pass over the data (X·w and Xᵀ·u over all rows). */
  readonly passes: number;
  /** Milliseconds. */
  readonly elapsed: number;
  /**
   * The objective of the scaled problem plus a bound on its rounding error: proved to be at least this model's exact objective, and so at
   * least the optimum.
   */
  readonly primal: number;
  /** Proved to be at most the optimum of that problem. */
  readonly dual: number;
  /** primal - dual: the model's objective exceeds the optimum by at most this much, proved with rounding included. */
  readonly gap: number;
  /** gap / primal. */
  readonly relativeGap: number;
  /** The number of rows that take part: those of positive weight. All counts refer to them. */
  readonly rows: number;
  /** Rows proved to get the same label from this model as from every exact optimum. */
  readonly agreed: number;
  /** Rows proved to have alpha* < gamma: at an exact optimum their margin exceeds 1 - mu·gamma. */
  readonly properlyClassified: number;
  /** Rows proved to have alpha* = 0: a margin above 1. Without them the optimum is the same, with gamma, mu and scale kept. */
  readonly zero: number;
  /** Rows proved to have alpha* = gamma: a margin below 1 - mu·gamma. */
  readonly atBound: number;
  readonly shares: SvmShares;
  /** With keepSets: the rows behind the counts. */
  readonly sets?: { readonly [K in keyof SvmShares]: Uint32Array };
  /** With keepSets: the dual, by row. */
  readonly alpha?: Float64Array;
  /** The method that ended the fit. */
  readonly method: SvmAlgorithm;
  /** Which methods ran, one after the other. */
  readonly stages: readonly SvmStage[];
  readonly L: number;
  readonly loss: Loss;
  readonly gamma: number;
  readonly mu: number;
  readonly scale: Scale;
  readonly backend: BackendName;
  readonly threads: number;
  /** With three classes or more: each plane's own, in the order of `model.planes`. */
  readonly planes?: readonly PlaneInfo[];
  /** With gamma: 'auto': the cross-validation that chose gamma, and the number of rows it used. */
  readonly validation?: {
    readonly rows: number;
    readonly folds: number;
    readonly table: readonly GammaScore[];
    /** Whether gamma is the smallest or the largest that was tried. */
    readonly atEdge: boolean;
  };
}

/** How the columns of points are matched with those of a model. Points without names, or of a model without, are taken by position. */
export interface PredictOptions {
  /** The names of the points' columns, if these have none of their own, such as rows. */
  columns?: readonly string[] | undefined;
  /** Whether columns that the model does not have are an error, or are left out. @default 'refuse' */
  extraColumns?: 'refuse' | 'ignore';
}

export interface DecisionOptions extends PredictOptions {
  /** The array for the values. @default a new one */
  out?: Float64Array | undefined;
}

/** How well a model does. */
export interface Score<L extends Label = Label> {
  /** The share of the points that are predicted right. */
  accuracy: number;
  /** The mean recall of the classes that have points. */
  balancedAccuracy: number;
  /** `confusion[i][j]`: points of label i that were predicted as label j. */
  confusion: [ConfusionRow, ConfusionRow, ...ConfusionRow[]];
  /** By class, in the order of the model's labels. */
  classes: ClassScore<L>[];
  /** The means over the classes that have points or are predicted. */
  macro: AverageScore;
  /** The means over the classes, by their numbers of points. */
  weighted: AverageScore;
  /** Matthews' correlation coefficient, -1 to 1; 0 if all points are of one class, or are predicted to be. */
  matthews: number;
  /**
   * The area under the ROC curve of the decision values: of two classes, that of labels[1]; of more, the mean over the classes. Undefined if no
   * class has one, or if there are more than 2^25 decision values.
   */
  rocAuc: number | undefined;
  /** The average precision, in the same way. */
  averagePrecision: number | undefined;
  /** Of a model that estimates probabilities: the mean of -log p, p being the probability of a point's own label, at least 2^-52. */
  logLoss?: number;
  /** Of a model that estimates probabilities: their mean squared error; of three classes or more, added up over the classes. */
  brier?: number;
}

/** How well a model does on one class. */
export interface ClassScore<L extends Label = Label> extends AverageScore {
  label: L;
  /** The number of points of the class. */
  support: number;
  /** The area under the ROC curve of this class against all others; undefined if there are only points of one side. */
  rocAuc: number | undefined;
  /** The average precision of this class against all others; undefined if there are only points of one side. */
  averagePrecision: number | undefined;
}

export type ConfusionRow = [number, number, ...number[]];

/** Precision, recall and their harmonic mean: of a class, or averages over the classes. A quotient with the divisor 0 is 0. */
export interface AverageScore {
  /** The share of the points predicted to be of the class that are. */
  precision: number;
  /** The share of the points of the class that are predicted to be. */
  recall: number;
  f1: number;
}

export interface CurveOptions {
  /** The positive label; all others are negative. With three labels or more it must be given. @default the larger one of two */
  positive?: Label;
}

/** What each threshold comes to: points of a larger value are called positive. From Infinity, where none is, down to -Infinity. */
export interface RocCurve {
  /** Descending: Infinity, the middles between neighbouring distinct values, -Infinity. */
  readonly thresholds: Float64Array;
  /** By threshold, the share of the negative points that are called positive. */
  readonly falsePositiveRate: Float64Array;
  /** By threshold, the share of the positive points that are called positive. */
  readonly truePositiveRate: Float64Array;
  /** The area under the curve. */
  readonly auc: number;
}

export interface PrecisionRecallCurve {
  /** As of a ROC curve. */
  readonly thresholds: Float64Array;
  /** By threshold, the share of the points called positive that are; 1 at Infinity, where none is called so. */
  readonly precision: Float64Array;
  /** By threshold, the share of the positive points that are called positive. */
  readonly recall: Float64Array;
  /** The mean precision, by the gain in recall at each threshold. */
  readonly averagePrecision: number;
}

export interface CalibrationOptions extends CurveOptions {
  /** The number of bins. @default 10 */
  bins?: number;
  /** Bins of equal width, or of about as many points each. @default 'uniform' */
  strategy?: 'uniform' | 'quantile';
}

/** By bin of probabilities, ascending, without the empty ones. */
export interface CalibrationCurve {
  /** The mean probability. */
  readonly predicted: Float64Array;
  /** The share of the points that are positive. */
  readonly observed: Float64Array;
  /** The number of points. */
  readonly counts: Uint32Array;
}

/** What a threshold shall reach: a precision or a recall, from 0 to 1. */
export type ThresholdOptions = CurveOptions &
  ({ precision: number; recall?: undefined } | { recall: number; precision?: undefined });

/** A threshold, and what it comes to: points of a larger value are called positive. */
export interface OperatingPoint {
  readonly threshold: number;
  readonly precision: number;
  readonly recall: number;
}

/** How a model is written as JSON. */
export interface ModelWriting {
  /**
   * Whether what `certify` needs is written too, if the model has it: a number or two a column, of pairs about as much again as the weights.
   * @default false
   */
  proofs?: boolean;
  /**
   * 'f32': weights are rounded to 32-bit floating-point numbers, whose text is about half as long. Proofs allow for the rounding.
   * @default 'f64'
   */
  precision?: 'f64' | 'f32';
}

/** How the fit of one plane went. `negative` is absent if the plane is against the rest. */
export interface PlaneInfo extends SvmInfo {
  readonly positive: Label;
  readonly negative?: Label;
}

/** What a report is on, besides the model. */
export interface ReportOptions<L extends Label = Label> {
  /** Rows whose labels are known, and these labels: how well the model predicts them. @default none */
  points?: Points | Records;
  /** Of records, these may be the name of a field. */
  labels?: ArrayLike<L> | string;
  /** What these rows are, in the words of the page: 'training rows', 'held-out rows'. @default 'rows given' */
  rows?: string;
  /** The heading. @default 'Linear SVM' */
  title?: string;
  /** What `onProgress` was called with during the fit, in order. @default none */
  history?: readonly SvmProgress[];
  /** The result of `crossValidate`. @default model.info.validation, which a fit with gamma: 'auto' has */
  validation?: { readonly table: readonly GammaScore[] };
  /** The names of the columns. @default model.columns, or else their numbers from 0 */
  columns?: readonly string[];
}

export interface CrossValidationOptions<L extends Label = Label> {
  /**
   * The number of folds that rows are dealt to, class by class; or the fold of each row, the same for rows that must stay together.
   * @default 5
   */
  folds?: number | ArrayLike<number>;
  /**
   * The values of gamma to try; 'default': the default gamma of a fit alone. @default that gamma times 4^-3 … 4^3; if the best of them is
   * the first or the last, up to three more powers of 4 beyond it
   */
  gammas?: ArrayLike<number> | 'default';
  /** Decides which rows are dealt to which fold. @default 0 */
  seed?: number;
  /** The measure of accuracy: the share of rows predicted correctly, or the mean of that share over the classes. @default 'plain' */
  accuracy?: 'plain' | 'balanced';
  /**
   * What gammas are compared by: a metric of `model.score`, or a function of the rows that are held out, whose larger results are better. It is
   * called once for each fit. @default 'accuracy', as `accuracy` has it
   */
  scoring?: Metric | ((held: HeldOut<L>) => number);
  /**
   * How probabilities are learnt, for scoring: 'logLoss' or 'brier', or for a function: from five more fits for each one, on parts of its
   * rows. @default 'sigmoid' with 'logLoss' and 'brier', else none
   */
  probability?: CalibrationKind;
  /** The label on the positive side, of two. @default the larger one */
  positive?: L;
  /** With three labels or more, as for a fit. @default 'auto' */
  multiclass?: 'auto' | Multiclass;
  /** Factors on the loss by class; 'balanced' gives all classes the same total weight among each fold's training rows. */
  classWeight?: SvmOptions<L>['classWeight'];
  /** Factors on the loss by row. A row of weight 0 takes no part, in training or in accuracy. */
  sampleWeight?: ArrayLike<number>;
  /** @default 'hinge' */
  loss?: Loss;
  /** The scaling of columns, computed from the training rows alone. @default 'auto': dense 'standard', sparse 'maxabs' */
  scale?: 'auto' | Scale;
  /** When each fit stops. @default [stop.agreement(0.99), stop.gap(1e-3)] */
  stop?: StopRule | readonly StopRule[];
  /** The processes that train together, each on its own rows, as for a fit. Each deals its rows to the folds. @default none */
  ranks?: Ranks;
  /** The limit on each fit. @default 10_000 */
  maxIterations?: number;
  /** In milliseconds, for each fit. To limit the whole, use `signal: AbortSignal.timeout(ms)`. @default none */
  timeLimit?: number;
  signal?: Signal;
  /** Called after every fit, in the order in which they end. An error that it throws ends the cross-validation and comes out unchanged. */
  onProgress?: (progress: CrossValidationProgress) => void;
  /**
   * The total number of threads. Folds are fitted in parallel; threads beyond the number of folds help within fits.
   * @default os.availableParallelism()
   */
  threads?: number;
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
}

/**
 * A metric of `model.score`. precision, recall and f1 are those of labels[1] of two; f1Macro and f1Weighted are averages over the classes;
 * rocAuc and averagePrecision those of labels[1] or, of three labels or more, means over the classes. Of logLoss and brier, which are about
 * probabilities, smaller is better.
 */
export type Metric =
  | 'accuracy'
  | 'balancedAccuracy'
  | 'precision'
  | 'recall'
  | 'f1'
  | 'f1Macro'
  | 'f1Weighted'
  | 'matthews'
  | 'rocAuc'
  | 'averagePrecision'
  | 'logLoss'
  | 'brier';

/** The rows that were held out from a fit, in their order, and what its model makes of them. */
export interface HeldOut<L extends Label = Label> {
  readonly labels: readonly L[];
  readonly predicted: readonly L[];
  /** As `model.decision` gives it: of two labels, one number a row; of more, one a row and label. */
  readonly decision: Float64Array;
  /** With the option `probability`: one number a row and label. */
  readonly probability?: Float64Array;
}

/** A finished fit of a cross-validation, and the progress of the whole. */
export interface CrossValidationProgress {
  /** The fold held out, from 0. */
  readonly fold: number;
  readonly gamma: number;
  /** The accuracy on the held-out rows. */
  readonly accuracy: number;
  /** What `scoring` gives for them; without it, the accuracy. */
  readonly score: number;
  /** The mean score for this gamma, over the folds that have been fitted with it. */
  readonly mean: number;
  /** How the fit ended. */
  readonly status: SvmStatus;
  readonly iterations: number;
  /** The number of fits that have ended, and of all fits. */
  readonly done: number;
  readonly total: number;
  /** Milliseconds since the cross-validation began. */
  readonly elapsed: number;
}

/** How well one gamma does. */
export interface GammaScore {
  readonly gamma: number;
  /** The accuracy on the held-out rows, by fold. */
  readonly accuracy: readonly number[];
  /** What `scoring` gives for the held-out rows, by fold; without it, the accuracy. */
  readonly score: readonly number[];
  /** The mean score. */
  readonly mean: number;
  /** The standard error of the mean: the folds' standard deviation / √folds. */
  readonly standardError: number;
  /** The mean of max(0, 1 - margin) on the rows held out. */
  readonly loss: number;
  /** How the fits ended, by fold. */
  readonly status: readonly SvmStatus[];
  /** The number of fits that ended at a limit ('max-iterations', 'time-limit'). Their final accuracy is not known. */
  readonly unfinished: number;
}

export interface CrossValidation {
  /** The best one. */
  readonly gamma: number;
  /**
   * The gamma with the best mean score; among equal ones, the least loss. Here and in `oneStandardError`, a gamma whose fits all finished is
   * preferred to one with `unfinished` fits.
   */
  readonly best: GammaScore;
  /** The smallest gamma whose mean is within one standard error of the best one. */
  readonly oneStandardError: GammaScore;
  /** Whether the best gamma is the smallest or the largest that was tried: a better one may lie beyond. */
  readonly atEdge: boolean;
  /** By gamma, ascending. */
  readonly table: readonly GammaScore[];
  readonly folds: number;
  /** The fold in which each row is held out, from 0; -1 for a row of weight 0, which takes no part. */
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
  /** Decides which rows go to the test part. @default 0 */
  seed?: number;
  /** Whether each class is divided in the same proportion. @default true */
  stratify?: boolean;
}

/** What can be split: rows of any kind, records, or a matrix. */
export type Splittable = readonly unknown[] | DenseMatrix | SparseMatrix | Table<object>;

/** One side of a split. */
export interface Part<P extends Splittable, A extends ArrayLike<Label>> {
  readonly points: P;
  readonly labels: A;
  /** The numbers of these rows in the whole, ascending. */
  readonly rows: Uint32Array;
}

export interface Split<P extends Splittable, A extends ArrayLike<Label>> {
  readonly train: Part<P, A>;
  readonly test: Part<P, A>;
}

/**
 * A model as plain data, as returned by `toJSON`: version 1 for two classes; version 2 for more of them, or with proofs, probabilities or
 * 32-bit weights.
 */
export type SvmJSON = SvmJSON1 | SvmJSON2;

/** A model of two classes. */
export interface SvmJSON1 {
  readonly format: 'fista-classify/linear-svm';
  readonly version: 1;
  readonly labels: readonly [negative: Label, positive: Label];
  readonly bias: number;
  /** All weights; or, where that is shorter, the nonzero ones with ascending indices from 0. */
  readonly weights: readonly number[] | SparseWeights;
  /** The names of the columns, if the model has them. */
  readonly columns?: readonly string[];
  /** The SHA-256 of everything that predictions depend on. `fromJSON` refuses a wrong one, but accepts a model without one. */
  readonly checksum: string;
}

/** A model of two classes or more. */
export interface SvmJSON2 {
  readonly format: 'fista-classify/linear-svm';
  readonly version: 2;
  /** Three or more ascend; of two, the second is positive. */
  readonly labels: readonly [Label, Label, ...Label[]];
  /** What the planes of three classes or more are between: pairs of them, or each one and the rest. */
  readonly multiclass?: Multiclass;
  /** 'f32': the weights are those that `Math.fround` makes of the numbers. */
  readonly precision?: 'f32';
  /** The names of the columns, if the model has them. */
  readonly columns?: readonly string[];
  /** Of two classes, one; of pairs, (0, 1), (0, 2), …, (1, 2), …, each with the second label positive; against the rest, one a label. */
  readonly planes: readonly PlaneJSON[];
  /** Version 1 alone has them, so that code for two classes compiles as it is. */
  readonly bias?: never;
  readonly weights?: never;
  readonly proofs?: ProofsJSON;
  /** How the planes' values become probabilities, if the model estimates them. */
  readonly calibration?: CalibrationJSON;
  /** What makes numbers of records, as Encoder's `toJSON` gives it, if the model was trained on records. */
  readonly encoder?: unknown;
  /** With an encoder: the means of its columns in training. */
  readonly means?: readonly number[] | SparseWeights;
  /**
   * The SHA-256 of everything that predictions and proofs depend on. `fromJSON` refuses a wrong one, but accepts a model without one, and
   * then ignores its proofs.
   */
  readonly checksum: string;
}

export interface PlaneJSON {
  readonly bias: number;
  readonly weights: readonly number[] | SparseWeights;
}

/** What is proved of the exact planes, by which `certify` tells whether a label is certain. */
export interface ProofsJSON {
  /** 1 / scale, by column. */
  readonly inverseScale: readonly number[] | SparseWeights;
  /** The centre that all planes have, if they have the same one. */
  readonly centre?: readonly number[] | SparseWeights;
  /** By plane; null where nothing is proved. */
  readonly planes: readonly (PlaneProofJSON | null)[];
}

/** By plane: P(positive) = 1 / (1 + exp(a·value + b)); or linear between ascending values, constant outside. */
export type CalibrationJSON =
  | { readonly kind: 'sigmoid'; readonly planes: readonly { readonly a: number; readonly b: number }[] }
  | {
      readonly kind: 'isotonic';
      readonly planes: readonly { readonly values: readonly number[]; readonly probabilities: readonly number[] }[];
    };

export interface PlaneProofJSON {
  /** The exact plane's value exceeds this plane's by `low` to `high`, give or take `slope` times the distance from the centre. */
  readonly slope: number;
  readonly low: number;
  readonly high: number;
  /** The norm of the weights, in scaled space. */
  readonly norm: number;
  readonly centre?: readonly number[] | SparseWeights;
}

export interface SparseWeights {
  readonly length: number;
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** The points center + shape·z with |z| <= 1. */
export interface Ellipsoid {
  readonly center: ArrayLike<number>;
  /** 0: a point; a number: the radius of a ball; numbers: a diagonal; rows of numbers: a matrix, which may be singular. @default 0 */
  readonly shape?: number | ArrayLike<number> | readonly ArrayLike<number>[];
  /** A ball's radius, instead of a shape. */
  readonly radius?: number;
}

/** A family of ellipsoids: a list of them; or, for large families, two matrices whose rows are centres and diagonals. */
export type Ellipsoids = readonly Ellipsoid[] | { readonly centers: DenseMatrix; readonly shapes: DenseMatrix };

export interface EspOptions {
  /**
   * When to stop. 'any': at the first plane that is proved to separate; 'widest': at the widest slab, when the bracket on the distance has
   * closed; 'converged': when the iterates no longer move (the paper's criterion, for comparison). @default 'any'
   */
  goal?: 'any' | 'widest' | 'converged';
  /**
   * 'any': the distance at which hulls count as touching, as a share of the data's size; 'widest': the relative width of the bracket;
   * 'converged': the length of a step. @default 1e-6, with 'widest' 1e-4
   */
  tolerance?: number;
  /** The offset to try with each normal: the best one, or the paper's. @default 'best' */
  test?: 'best' | 'paper';
  /** The step size: by measured curvature, or by the paper's bound on the norm. @default 'measured' */
  stepSize?: 'measured' | 'paper';
  /** Whether momentum restarts when it points the wrong way. @default true with stepSize: 'measured', else false */
  restart?: boolean;
  /** @default 10_000 */
  maxIterations?: number;
  /** Milliseconds. @default none */
  timeLimit?: number;
  signal?: Signal;
  /** Called at every iteration. An error that it throws ends the run and comes out unchanged. */
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
  /** A unit vector from the first family to the second: normal·z is below offset on the first and above it on the second. */
  readonly normal: Float64Array;
  readonly offset: number;
  /** A proved lower bound on the width of the slab, orthogonal to the normal, between the families. */
  readonly width: number;
  /** Proved lower bounds on the distance of each ellipsoid from the plane: the first family's, then the second's. */
  readonly slack: Float64Array;
  /** If every centre moves by less than this, in any direction, the families stay separable. */
  readonly robustness: number;
  readonly goalReached: boolean;
}

interface Touching {
  readonly status: 'touching';
  /** A point within distance.upper / 2 of both hulls. */
  readonly witness: Float64Array;
  /** Convex weights: each hull's point near the witness is the average, with these weights, of points of its ellipsoids. */
  readonly weights: { readonly first: Float64Array; readonly second: Float64Array };
}

interface Undecided {
  readonly status: 'max-iterations' | 'time-limit';
}

/** The result of a separation. Its status is 'separated' whenever a plane is proved to separate, even if the goal was not reached. */
export type Separation = (Separated | Touching | Undecided) & {
  readonly distance: DistanceBracket;
  /** The number of iterations; with goal: 'any', the number of the iterate that separates. */
  readonly iterations: number;
  /** Milliseconds. */
  readonly elapsed: number;
  readonly backend: BackendName;
};

/** The part of a stream of the web that is read, as not all browsers iterate over streams: `blob.stream()`, `response.body`. */
export interface WebStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | string | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** The source of a file: its path, a stream (Node's or the web's) of its bytes, or the bytes. Gzip is recognised in each. */
export type Source = string | AsyncIterable<Uint8Array | string> | WebStream | Uint8Array;

export interface ReadLibsvmOptions {
  /** The number of columns. @default as many as the file uses */
  cols?: number;
  /** Whether column indices in the file count from 0. @default false */
  zeroBased?: boolean;
  /** The kind of labels. @default 'number' */
  labels?: 'number' | 'string';
  /** Whether entries beyond `cols` are an error, or are left out and counted. @default 'error' */
  extra?: 'error' | 'ignore';
  /** The maximum number of bytes of text, after decompression; a longer file is refused. @default Infinity */
  maxBytes?: number;
  /** Ends the reading; the promise rejects with its reason. */
  signal?: Signal;
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
}

/** The contents of a file of LIBSVM text. */
export interface LibsvmData<Labels extends FileLabels = FileLabels> {
  /** Without values if all of them are 1. */
  readonly points: SparseMatrix & { readonly indptr: Uint32Array; readonly indices: Uint32Array; readonly values?: Float64Array };
  /** By row. */
  readonly labels: Labels;
  /** The number of entries left out with `extra: 'ignore'`. */
  readonly ignored: number;
}

/** The target of a file: its path, or a stream. */
export type Target = string | TargetStream;

/** The members of Node's Writable that are used here. */
export interface TargetStream {
  write(chunk: string | Uint8Array): boolean;
  end(): unknown;
  once(event: string, listener: (...args: never[]) => void): unknown;
}

export interface WriteLibsvmOptions {
  /** Ends the writing; the promise rejects with its reason, and a file at the path keeps its earlier content. */
  signal?: Signal;
}

export interface ReadCsvOptions {
  /** What is read: points and labels. @default 'points' */
  as?: 'points';
  /** The column of labels: its name in the header, or its number from 0 (-1 is the last); null if there is none. */
  label: string | number | null;
  /** Whether the first row holds the names of the columns. @default true */
  header?: boolean;
  /**
   * The names of the columns to read, such as `model.columns`. The points have them in this order, whatever their order in the file. A
   * missing column is an error; other columns are left out. @default all, in the file's order
   */
  columns?: readonly string[];
  /** One character or more. @default ',' */
  delimiter?: string;
  /** The kind of labels; 'auto': numbers if all of them are numbers. @default 'auto' */
  labels?: 'auto' | 'number' | 'string';
  /** The maximum number of bytes of text, after decompression; a longer file is refused. @default Infinity */
  maxBytes?: number;
  /** Ends the reading; the promise rejects with its reason. */
  signal?: Signal;
}

/** Options of readCsv for records. */
export interface ReadCsvRecordsOptions extends Pick<ReadCsvOptions, 'header' | 'delimiter' | 'maxBytes' | 'signal'> {
  /** What is read: a Table of records. */
  as: 'records';
  /** The names of the fields to read, in this order. A missing one is an error; others are left out. @default all, in the file's order */
  columns?: readonly string[];
  /** Fields that are strings even where all their cells are numbers. @default none */
  strings?: readonly string[];
}

/** A record of a CSV file; undefined: the cell is empty. */
export type CsvRow = Record<string, string | number | undefined>;

/** Options for reading a Table from JSON lines, Parquet or Arrow. */
export interface ReadTableOptions {
  /** The fields to read, in this order. One that no record has is an error; others are left out. @default all, as they first appear */
  fields?: readonly string[];
  /** The maximum number of bytes, after decompression of the file as a whole; a longer file is refused. @default Infinity */
  maxBytes?: number;
  /** Ends the reading; the promise rejects with its reason. */
  signal?: Signal;
}

/** A value of JSON. */
export type JsonValue = string | number | boolean | null | undefined | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A record of newline-delimited JSON; undefined: it does not have the field. */
export type JsonRow = Record<string, JsonValue>;

/** A record of a Parquet or Arrow file; undefined and null: the value is missing. */
export type FileRow = Record<string, string | number | bigint | boolean | Date | object | null | undefined>;

/** A file of comma-separated values. The names of more than 16384 columns are made when they are first asked for. */
export interface CsvData<Labels extends FileLabels = FileLabels> {
  /** With the names of a header, if these are distinct, as `points.columns`. */
  readonly points: DenseMatrix & { readonly data: Float64Array };
  /** By row; empty with `label: null`. */
  readonly labels: Labels;
  /** The names of the points' columns: from the header, or else their numbers in the file. */
  readonly columns: string[];
  /** The names of the columns left out by `columns`. */
  readonly ignored: string[];
}
