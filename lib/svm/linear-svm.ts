/** LinearSvm: what users train and predict with. */
import { pause, run, runAsync, type Loop } from '../solver/drivers.js';
import { Interrupted } from '../errors.js';
import { notMade, resolveDecisions, resolveFit, resolveScore, type FitInput } from '../input/index.js';
import { liblinearLines, readLiblinear } from '../io/liblinear.js';
import { decide, decisionOf, labelOf, type Model } from './model.js';
import { readJSON, writeJSON } from '../io/model-json.js';
import { TrainingData } from './training-data.js';
import { Training, unfitted, type FitResult } from './training.js';
import type { FileLabels, Label, Point, Points, SvmInfo, SvmJSON, SvmOptions } from '../types.js';
import { chooseGamma, type Choice } from '../selection/choose-gamma.js';

/** A model that was trained here, with `info` on how the fit went. */
export type Fitted<L extends Label> = LinearSvm<L> & { readonly info: SvmInfo };

/** What a LinearSvm is made from. Private to this file, so that nobody else can make one. */
class Made<L extends Label> {
  constructor(
    readonly model: Model<L>,
    readonly info?: SvmInfo,
  ) {}
}

/** A linear classifier: decision(x) = weights·x + bias; positive above 0. Made by `fit`; there is no unfitted one. */
export class LinearSvm<L extends Label = Label> implements Model<L> {
  readonly weights: Float64Array;
  readonly bias: number;
  /** The label on the negative side and the one on the positive side. */
  readonly labels: readonly [negative: L, positive: L];
  /** The names of the columns, if the model was read from a file that has them. */
  readonly columns: readonly string[] | undefined;
  /** How the fit went, and what it proved; undefined for a model that was read. */
  readonly info: SvmInfo | undefined;

  private constructor(made: Made<L>) {
    if (!(made instanceof Made)) throw notMade('LinearSvm', 'LinearSvm.fit(points, labels, options)');
    const { model, info } = made;
    const { weights, bias, labels, columns } = model;
    this.weights = weights;
    this.bias = bias;
    this.labels = labels;
    this.columns = columns;
    this.info = info;
  }

  /** Trains on this thread. */
  static fit<L extends Label>(points: Points, labels: ArrayLike<L>, options?: SvmOptions<L>): Fitted<L>;
  static fit(points: Points, labels: FileLabels, options?: SvmOptions<number | string>): Fitted<number | string>;
  static fit<L extends Label>(points: Points, labels: ArrayLike<L>, options?: SvmOptions<L>): Fitted<L> {
    const input = resolveFit(points, labels, options);
    return LinearSvm.#fitted(run(fitting(input), input.options.signal));
  }

  /**
   * Trains off the main thread; small fits, the beginning of others, and the TypeScript kernels take turns with the event loop instead. Gives
   * the same model as `fit`, bit for bit.
   */
  static fitAsync<L extends Label>(points: Points, labels: ArrayLike<L>, options?: SvmOptions<L>): Promise<Fitted<L>>;
  static fitAsync(points: Points, labels: FileLabels, options?: SvmOptions<number | string>): Promise<Fitted<number | string>>;
  static async fitAsync<L extends Label>(points: Points, labels: ArrayLike<L>, options?: SvmOptions<L>): Promise<Fitted<L>> {
    const input = resolveFit(points, labels, options);
    return LinearSvm.#fitted(await runAsync(fitting(input), input.options.signal));
  }

  static #fitted<L extends Label>({ model, info }: FitResult<L>): Fitted<L> {
    return new LinearSvm(new Made(model, info)) as Fitted<L>;
  }

  /** A model from what `toJSON` gave. `L` is the type its labels are known to have; it is not checked. */
  static fromJSON<L extends Label = Label>(json: unknown): LinearSvm<L> {
    return new LinearSvm(new Made(readJSON(json) as Model<L>));
  }

  /**
   * A model from the text of one that liblinear-train made, or `toLiblinear`: any of its linear classifiers of two classes. `name`
   * stands for the text in messages.
   */
  static fromLiblinear(text: string, name?: string): LinearSvm<number> {
    return new LinearSvm(new Made(readLiblinear(text, name)));
  }

  /** The labels of points. */
  predict(points: Points): L[] {
    return Array.from(this.decision(points), (value) => labelOf(this, value));
  }

  /** The label of one point. */
  predictOne(point: Point): L {
    return labelOf(this, decisionOf(this, point));
  }

  /** weights·x + bias for points; into `out` if given. */
  decision(points: Points, out?: Float64Array): Float64Array {
    const values = decide(this, resolveDecisions(this.weights.length, points, out));
    return out ?? values;
  }

  /** How well the model does on labelled points. `confusion[i][j]`: points of label i that were predicted as label j. */
  score(points: Points, labels: ArrayLike<L>): { accuracy: number; confusion: [[number, number], [number, number]] } {
    const { y, ...input } = resolveScore(this, points, labels);
    const values = decide(this, input);
    const confusion: [[number, number], [number, number]] = [
      [0, 0],
      [0, 0],
    ];
    values.forEach((value, i) => confusion[y[i]! > 0 ? 1 : 0][value > 0 ? 1 : 0]++);
    return { accuracy: (confusion[0][0] + confusion[1][1]) / values.length, confusion };
  }

  /** The model as plain data, with a checksum. */
  toJSON(): SvmJSON {
    return writeJSON(this);
  }

  /** The text of a model that liblinear-predict reads. Labels must be integers. */
  toLiblinear(): string {
    return [...liblinearLines(this)].join('');
  }
}

/** A fit: copies the points, chooses gamma if that is asked for, and trains. */
function* fitting<L extends Label>(input: FitInput<L>): Loop<FitResult<L>> {
  const { options } = input;
  const data = new TrainingData(input);
  let training: Training<L> | undefined;
  try {
    yield data.copying(options);
    const choice = input.gamma === 'auto' ? yield* chooseGamma(data, options) : undefined;
    training = trainingOf(data, input, choice);
    if (data.tasksHere > 0) yield pause(); // its first tasks run on this thread
    return yield* training.finish(yield* training.loop());
  } catch (error) {
    if (error instanceof Interrupted) return outOfTime(data, input);
    throw error;
  } finally {
    training?.release();
    data.release();
  }
}

/** The result if the time was up before there was a problem to solve. */
function outOfTime<L extends Label>(data: TrainingData<L>, { gamma, options, rowWeights, weightRange }: FitInput<L>): FitResult<L> {
  return unfitted(data, options, { gamma: gamma === 'auto' ? undefined : gamma, weights: rowWeights, weightRange });
}

function trainingOf<L extends Label>(data: TrainingData<L>, input: FitInput<L>, choice: Choice | undefined): Training<L> {
  const { gamma, options, rowWeights, weightRange } = input;
  return new Training(data, options, {
    gamma: gamma === 'auto' ? choice!.gamma : gamma,
    weights: rowWeights,
    weightRange,
    warmStart: options.warmStart ?? choice?.warmStart,
    signal: options.signal,
    began: data.began,
    validation: choice?.validation,
  });
}
