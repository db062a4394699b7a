/** LinearSvm: what users train and predict with. */
import { kernels } from '../backend/load.js';
import { Dataset } from '../data/dataset.js';
import { isRecord } from '../data/collecting.js';
import { Encoder } from '../data/encoder.js';
import { coded, show } from '../errors.js';
import {
  copyFitOptions,
  formOf,
  notMade,
  resolveDecisions,
  resolveFit,
  resolvePrediction,
  resolveScore,
  type DecisionsInput,
  type ExpectedPoints,
  type FitInput,
} from '../input/index.js';
import { liblinearLines, readLiblinear } from '../io/liblinear.js';
import { libsvmLines } from '../io/libsvm-model.js';
import { readJSON, writeJSON } from '../io/model-json.js';
import { onnxBytes } from '../io/onnx.js';
import { MAX_VALUES, scoreOf, type Predictions } from '../metrics/score-of.js';
import { occupy } from '../mpi/ranks.js';
import { run, runAsync } from '../solver/drivers.js';
import type {
  CalibrationKind,
  DecisionOptions,
  Explanation,
  FileLabels,
  Label,
  ModelWriting,
  Point,
  Points,
  PredictOptions,
  RecordOptions,
  Records,
  Score,
  SvmInfo,
  SvmJSON,
  SvmOptions,
} from '../types.js';
import { aligned, knownNames } from './columns.js';
import { Entries, explain } from './explanation.js';
import { fitting, type FitResult } from './fitting.js';
import { certifyLabels } from './label-certificate.js';
import { decide, decideInBlocks, decisionOf, isPairs, overflow, sidesOf, type Model, type Plane, type Sides } from './model.js';
import { Probabilities } from './probability.js';
import { classNumbers } from './taking-part.js';
import { encodingRecords, isAsync, isOnce, isRecordCall, isRecords, labelsIn, readRecords } from './training-records.js';
import { Votes, winner } from './votes.js';

/** A model that was trained here, with `info` on how the fit went. */
export type Fitted<L extends Label, R extends object = never> = LinearSvm<L, R> & { readonly info: SvmInfo };

/** A model of two classes: decision(x) = weights·x + bias; labels[1] above 0. */
export type BinarySvm<L extends Label, R extends object = never> = LinearSvm<L, R> & {
  readonly labels: readonly [negative: L, positive: L];
};

/** What is known of a row of records but its label, which the row may have, too. */
export type Unlabelled<R extends object, K extends keyof R> = Omit<R, K> & Partial<Pick<R, K>>;

/** The labels in a field of records. */
type LabelsIn<R extends object, K extends keyof R> = Extract<R[K], Label>;

/** Checked arguments, with the model whose columns are in the order of the points'. */
interface Matched<L extends Label> extends DecisionsInput {
  readonly model: Model<L>;
}

/** What a LinearSvm is made from. Private to this file, so that nobody else can make one. */
class Made<L extends Label> {
  constructor(
    readonly model: Model<L>,
    readonly info?: SvmInfo,
  ) {}
}

/** A linear classifier, of two classes or more. Made by `fit`; there is no unfitted one. `R`: the records it takes, if it takes records. */
export class LinearSvm<L extends Label = Label, R extends object = never> {
  /** Of two classes, decision(x) = weights·x + bias. With three or more there are several planes, and this throws ERR_MODEL. */
  declare readonly weights: Float64Array;
  declare readonly bias: number;
  /** The labels, ascending; of two, the one on the negative side and the one on the positive side. */
  readonly labels: readonly [negative: L, positive: L, ...more: L[]];
  /** One plane of two classes; of more, one a pair of classes, or one a class against the rest, which has no `negative`. */
  readonly planes: readonly Plane<L>[];
  /** The names of the columns, if the points had them that it was trained on. Points with names are matched by these, in any order. */
  readonly columns: readonly string[] | undefined;
  /** What makes numbers of records, if the model was trained on records. */
  readonly encoder: Encoder<R> | undefined;
  /** How `probability` follows from decision values; undefined: the model estimates no probabilities. */
  readonly calibration: CalibrationKind | undefined;
  /** How the fit went, and what it proved; undefined for a model that was read. */
  readonly info: SvmInfo | undefined;
  readonly #model: Model<L>;
  #named: Model<L> | undefined;
  readonly #sides: readonly Sides[];
  /** Of pairs of three classes or more. */
  readonly #votes: Votes | undefined;

  private constructor(made: Made<L>) {
    if (!(made instanceof Made)) throw notMade('LinearSvm', 'LinearSvm.fit(points, labels, options)');
    const { model, info } = made;
    const { labels, planes, columns, calibration, encoder } = model;
    this.labels = labels;
    this.planes = planes;
    this.columns = columns && Object.freeze(columns);
    this.encoder = encoder;
    // The names of an encoder's columns may be many, and are made when they are asked for.
    if (encoder) Object.defineProperty(this, 'columns', { get: () => encoder.columns, enumerable: true });
    this.calibration = calibration?.[0]!.kind;
    this.info = info;
    this.#model = model;
    this.#sides = sidesOf(labels.length, isPairs(model) ? 'pairs' : 'rest');
    this.#votes = labels.length > 2 && isPairs(model) ? new Votes(this.#sides, labels.length) : undefined;
    for (const name of ['weights', 'bias'] as const) {
      if (planes.length === 1) Object.defineProperty(this, name, { value: planes[0]![name], enumerable: true });
      else Object.defineProperty(this, name, { get: () => severalPlanes(name, labels.length) });
    }
  }

  /** Trains on this thread. Of records, `labels` may be the name of the field that holds them. */
  static fit<L extends Label>(points: Points, labels: ArrayLike<L>, options?: SvmOptions<L>): Fitted<L>;
  static fit(points: Points, labels: FileLabels, options?: SvmOptions<number | string>): Fitted<number | string>;
  static fit<R extends object, K extends keyof R & string>(
    records: Records<R>,
    label: K,
    options?: SvmOptions<LabelsIn<R, K>> & RecordOptions<R>,
  ): Fitted<LabelsIn<R, K>, Unlabelled<R, K>>;
  static fit<R extends object, L extends Label>(
    records: Records<R>,
    labels: ArrayLike<L> & object, // not a string, which is a field's name
    options?: SvmOptions<L> & RecordOptions<R>,
  ): Fitted<L, R>;
  static fit<L extends Label>(
    points: Points | Records,
    labels: ArrayLike<L> | string,
    given?: SvmOptions<L> & RecordOptions<object>,
  ): Fitted<L, object> {
    const began = performance.now();
    const options = copyFitOptions(given);
    if (isAsync(points)) throw arriving();
    const {
      points: matrix,
      labels: list,
      records,
    } = isRecordCall(points, labels, options)
      ? run(encodingRecords(points, labels, options), options.signal)
      : { points, labels, records: undefined };
    const release = occupy(options.ranks);
    try {
      const input = resolveFit<L>(matrix, list, options, records, began);
      return LinearSvm.#fitted(run(fitting(input), input.options.signal));
    } finally {
      release();
    }
  }

  /**
   * Trains off the main thread; small fits, the beginning of others, and the TypeScript kernels take turns with the event loop instead. Gives
   * the same model as `fit`, bit for bit.
   */
  static fitAsync<L extends Label>(points: Points, labels: ArrayLike<L>, options?: SvmOptions<L>): Promise<Fitted<L>>;
  static fitAsync(points: Points, labels: FileLabels, options?: SvmOptions<number | string>): Promise<Fitted<number | string>>;
  static fitAsync<R extends object, K extends keyof R & string>(
    records: Records<R> | AsyncIterable<R>,
    label: K,
    options?: SvmOptions<LabelsIn<R, K>> & RecordOptions<R>,
  ): Promise<Fitted<LabelsIn<R, K>, Unlabelled<R, K>>>;
  static fitAsync<R extends object, L extends Label>(
    records: Records<R> | AsyncIterable<R>,
    labels: ArrayLike<L> & object,
    options?: SvmOptions<L> & RecordOptions<R>,
  ): Promise<Fitted<L, R>>;
  static async fitAsync<L extends Label>(
    points: Points | Records | AsyncIterable<object>,
    labels: ArrayLike<L> | string,
    given?: SvmOptions<L> & RecordOptions<object>,
  ): Promise<Fitted<L, object>> {
    const began = performance.now();
    const options = copyFitOptions(given);
    const {
      points: matrix,
      labels: list,
      records,
    } = isAsync(points)
      ? await runAsync(await readRecords(points, labels, options), options.signal)
      : isRecordCall(points, labels, options)
        ? await runAsync(encodingRecords(points, labels, options), options.signal)
        : { points, labels, records: undefined };
    const release = occupy(options.ranks);
    try {
      const input = resolveFit<L>(matrix, list, options, records, began);
      return LinearSvm.#fitted(await runAsync(fitting(input), input.options.signal));
    } finally {
      release();
    }
  }

  static #fitted<L extends Label>({ model, info }: FitResult<L>): Fitted<L, object> {
    return new LinearSvm<L, object>(new Made(model, info)) as Fitted<L, object>;
  }

  /** A model from what `toJSON` gave. `L` and `R`, the types of its labels and records, are not checked. */
  static fromJSON<L extends Label = Label, R extends object = object>(json: unknown): LinearSvm<L, R> {
    return new LinearSvm<L, R>(new Made(readJSON(json) as Model<L>));
  }

  /** A model from the text of one that liblinear-train or `toLiblinear` made. `name` stands for the text in messages. */
  static fromLiblinear(text: string, name?: string): LinearSvm<number> {
    return new LinearSvm(new Made(readLiblinear(text, name)));
  }

  /** What predicts. @internal */
  static modelOf<L extends Label>(svm: LinearSvm<L, object>): Model<L> {
    return svm.#model;
  }

  /** Whether there are two classes, and so `weights` and `bias`. */
  isBinary(): this is BinarySvm<L, R> {
    return this.labels.length === 2;
  }

  /** The labels of points or records. */
  predict(points: Points | Records<R>, options?: PredictOptions): L[] {
    const input = this.#match(resolvePrediction(this.#expected, this.#encoded(points), options));
    if (this.isBinary()) return Array.from(decide(input.model, input), (value) => this.labels[value > 0 ? 1 : 0]);
    const predicted = new Array<L>(input.source.rows);
    for (const { begin, end, winners } of this.#winners(input)) {
      for (let i = begin; i < end; i++) predicted[i] = this.labels[winners[i - begin]!]!;
    }
    return predicted;
  }

  /** The label of one point, whose columns are in the order of the model's, or of one record. */
  predictOne(point: Point | R): L {
    const { encoder } = this.#model;
    if (encoder && isRecord(point)) return this.#labelOfRecord(encoder, point);
    if (this.isBinary()) return this.labels[decisionOf(this, point as Point) > 0 ? 1 : 0];
    const values = Float64Array.from(this.planes, (plane) => decisionOf(plane, point as Point));
    return this.labels[this.#winnersOf(values)[0]!]!;
  }

  /**
   * How far points are on a side: of two classes weights·x + bias; of more, one value a class, row by row, the largest of which is the
   * label's. Against the rest these are the planes' values; of pairs, votes, plus less than 1/3 either way that decides among equal votes.
   *
   * Into `out` if given. Options come last in every call; an array in their place is short for `{ out }`, which is what most calls need.
   */
  decision(points: Points | Records<R>, options?: DecisionOptions | Float64Array): Float64Array {
    const { length } = this.labels;
    const input = this.#match(resolveDecisions(this.#expected, this.#encoded(points), options, length > 2 ? length : 1));
    const { out } = input;
    if (!this.#votes) {
      const values = decide(input.model, input);
      return out ?? values;
    }
    const all = out ? new Float64Array(input.values.length) : input.values; // the caller's array is written when nothing is wrong
    for (const { begin, end, values } of decideInBlocks(input.model, input)) {
      this.#votes.decide(values, end - begin, all.subarray(begin * length, end * length));
    }
    if (out) input.values.set(all);
    return out ?? all;
  }

  /**
   * Estimated probabilities of the labels, row by row, one for each label in the order of `labels`. Of a model that was trained with the
   * option `probability`. Nothing is proved of them. Into `out` if given, as of `decision`.
   */
  probability(points: Points | Records<R>, options?: DecisionOptions | Float64Array): Float64Array {
    const { calibration } = this.#model;
    if (!calibration) {
      const message = 'Expected a model trained with the option probability for model.probability but this one has none';
      throw coded(TypeError, 'ERR_MODEL', message);
    }
    const { length } = this.labels;
    const input = this.#match(resolveDecisions(this.#expected, this.#encoded(points), options, length));
    const { out } = input;
    const probabilities = new Probabilities(this.#sides, calibration, length);
    const all = out ? new Float64Array(input.values.length) : input.values; // the caller's array is written when nothing is wrong
    for (const { begin, end, values } of decideInBlocks(input.model, input)) {
      probabilities.write(values, end - begin, all.subarray(begin * length, end * length));
    }
    if (out) input.values.set(all);
    return out ?? all;
  }

  get #expected(): ExpectedPoints {
    const [model, cols] = [this.#model, this.planes[0]!.weights.length];
    if (!model.encoder) return { cols, columns: model.columns, known: knownNames(model) };
    const named = () => this.#withNames;
    return {
      cols,
      get columns() {
        return named().columns; // made only for points that have names
      },
      known: [],
    };
  }

  /** The model with the names of its columns, which those of an encoder are made for. */
  get #withNames(): Model<L> {
    const { encoder } = this.#model;
    return encoder ? (this.#named ??= { ...this.#model, columns: encoder.columns }) : this.#model;
  }

  /** Points as they are, records as points. */
  #encoded(points: unknown): unknown {
    const { encoder } = this.#model;
    if (encoder && isRecords(points, true)) return run(Encoder.encoding(encoder, points));
    if (encoder && isRecord(points) && !Dataset.is(points) && formOf(points) === undefined) {
      const message = `Expected an array of records but received ${show(points)}; predictOne takes one record`;
      throw coded(TypeError, 'ERR_RECORDS', message);
    }
    if (!encoder && isRecords(points)) {
      throw coded(TypeError, 'ERR_POINTS', 'Expected points, as the model was trained on points, but received records');
    }
    return points;
  }

  #labelOfRecord(encoder: Encoder, record: object): L {
    if (!this.isBinary()) return this.labels[this.#winnersOf(this.#valuesOf(encoder, record).values)[0]!]!;
    const { weights, bias } = this.planes[0]!;
    const value = Encoder.encodeOne(encoder, record).dot(weights) + bias;
    if (!Number.isFinite(value)) throw overflow('the record');
    return this.labels[value > 0 ? 1 : 0];
  }

  /** The entries of a record, and its values by plane. */
  #valuesOf(encoder: Encoder, record: object): { entries: Entries; values: Float64Array } {
    const entries = new Entries(Encoder.encodeOne(encoder, record));
    const values = Float64Array.from(this.planes, ({ weights, bias }) => entries.dot(weights, bias));
    if (!values.every(Number.isFinite)) throw overflow('the record');
    return { entries, values };
  }

  /**
   * Why a record is classified as it is: what each field adds to the decision value, compared with the mean training row, the largest shares
   * first. `base` and all shares add up to the decision value. Of three labels or more, of the predicted one against the runner-up.
   */
  explain(record: R): Explanation<L> {
    const model = this.#model;
    const { encoder, means } = model;
    if (!encoder || !means) {
      const message = 'Expected a model trained on records for model.explain but this one was trained on points';
      throw coded(TypeError, 'ERR_MODEL', message);
    }
    const { entries, values } = this.#valuesOf(encoder, record);
    return explain({ ...model, encoder, means }, entries, this.#ranked(values));
  }

  /** The numbers of the labels by the planes' values of one row, the predicted one first. */
  #ranked(values: Float64Array): number[] {
    const { length } = this.labels;
    if (length === 2) return values[0]! > 0 ? [1, 0] : [0, 1];
    const byClass = this.#votes ? new Float64Array(length) : values;
    this.#votes?.decide(values, 1, byClass);
    const [first] = this.#winnersOf(values);
    const others = [...byClass.keys()].filter((k) => k !== first).sort((a, b) => byClass[b]! - byClass[a]!);
    return [first!, ...others];
  }

  /** Adds the model with its columns in the order of the points'. */
  #match<I extends DecisionsInput>(input: I): I & Matched<L> {
    const { columns } = input.source;
    return { ...input, model: columns ? aligned(this.#withNames, columns, input.extraColumns) : this.#model };
  }

  /** The numbers of the predicted labels, of three classes or more, a block of rows at a time. */
  *#winners(input: Matched<L>) {
    for (const { begin, end, values } of decideInBlocks(input.model, input)) yield { begin, end, winners: this.#winnersOf(values) };
  }

  #winnersOf(values: Float64Array): Uint16Array {
    const { length } = this.labels;
    const winners = new Uint16Array(values.length / this.planes.length);
    if (this.#votes) this.#votes.winners(values, winners.length, winners);
    else for (let i = 0; i < winners.length; i++) winners[i] = winner(values, i * length, length);
    return winners;
  }

  /** How well the model does on labelled points: accuracy, confusion, and metrics by class and of all. Of records, `labels` may be a field. */
  score(points: Points | Records<R>, labels: ArrayLike<L> | string, options?: PredictOptions): Score<L> {
    // Records that can be iterated only once are read twice: for their labels, too.
    const rows = typeof labels === 'string' && isOnce(points) ? [...points] : points;
    const list = typeof labels === 'string' && isRecords(rows, true) ? labelsIn(rows, labels) : labels;
    const expected = Object.assign(this.#expected, { labels: this.labels });
    const input = this.#match(resolveScore(expected, this.#encoded(rows), list, options));
    return scoreOf({ labels: this.labels, actual: classNumbers(input), ...this.#predictions(input) });
  }

  /** The predicted labels by number, and the decision values and probabilities, where these are not too many to hold. */
  #predictions(input: Matched<L>): Pick<Predictions, 'predicted' | 'values' | 'probabilities'> {
    const { rows } = input.source;
    const { length } = this.labels;
    const { calibration } = this.#model;
    const room = (each: number) => (rows * each > MAX_VALUES ? undefined : new Float64Array(rows * each));
    const predicted = new Uint16Array(rows);
    const probabilities = calibration && room(length);
    const estimates = calibration && new Probabilities(this.#sides, calibration, length);
    if (this.isBinary()) {
      const values = decide(input.model, input);
      for (let i = 0; i < rows; i++) predicted[i] = Number(values[i]! > 0);
      if (probabilities) estimates!.write(values, rows, probabilities);
      return { predicted, values: rows > MAX_VALUES ? undefined : values, probabilities };
    }
    const values = room(length);
    for (const { begin, end, values: planes } of decideInBlocks(input.model, input)) {
      const block = (all: Float64Array) => all.subarray(begin * length, end * length);
      predicted.set(this.#winnersOf(planes), begin);
      if (values && this.#votes) this.#votes.decide(planes, end - begin, block(values));
      else values?.set(planes, begin * length);
      if (probabilities) estimates!.write(planes, end - begin, block(probabilities));
    }
    return { predicted, values, probabilities };
  }

  /**
   * Of each point, whether every exact optimum of the training problem is proved to give it the label that `predict` gives; false: it is not
   * known. All false for a model that was read without its proofs.
   */
  certify(points: Points | Records<R>, options?: PredictOptions): boolean[] {
    const { source, threads, model } = this.#match(resolvePrediction(this.#expected, this.#encoded(points), options));
    const { proofs } = model;
    if (source.rows === 0) return [];
    if (!proofs) return Array.from({ length: source.rows }, () => false);
    const matrix = source.dataset ? Dataset.dataOf(source.dataset).matrix.share() : centred(source.view, threads);
    try {
      if (source.dataset && Dataset.dataOf(source.dataset).inFile) matrix.centre(threads);
      const backend = source.dataset ? Dataset.dataOf(source.dataset).backend : kernels();
      const { certain } = run(certifyLabels({ ...model, proofs }, this.#sides, matrix, backend, threads));
      return Array.from(certain, Boolean);
    } finally {
      matrix.dispose();
    }
  }

  /** The model as plain data, with a checksum. */
  toJSON(options?: ModelWriting | string): SvmJSON {
    return writeJSON(this.#model, typeof options === 'string' ? undefined : options); // JSON.stringify passes the name of a property
  }

  /** The text of a model that liblinear-predict reads. Labels must be integers. */
  toLiblinear(): string {
    return [...liblinearLines({ ...this.#model, ...(this.info && { info: this.info }) })].join('');
  }

  /** The text of a model that LIBSVM's svm-predict reads, for two classes or pairs of them. Labels must be integers. */
  toLibsvm(): string {
    return [...libsvmLines(this.#model)].join('');
  }

  /** The model in ONNX, in double precision: a graph from `points` to `label`, `decision` and, where the model has them, `probabilities`. */
  toOnnx(): Uint8Array {
    return onnxBytes(this.#model);
  }
}

/** A copy of points, centred where that costs nothing: distances from centres then lose fewer digits. */
function centred({ refuse, arguments: given }: NonNullable<FitInput['source']['view']>, threads: number) {
  const { Matrix } = kernels();
  const matrix = new Matrix(refuse, threads, ...given);
  matrix.centre(threads);
  return matrix;
}

function arriving(): Error {
  const message =
    'Expected records that are all there but received an async iterable; LinearSvm.fitAsync takes records that arrive';
  return coded(TypeError, 'ERR_RECORDS', message);
}

function severalPlanes(name: string, classes: number): never {
  const message = `Expected a model of two classes for model.${name} but it has ${classes}; model.planes has the ${name} of each plane`;
  throw coded(TypeError, 'ERR_MODEL', message);
}
