/** Cross-validation, the choice of gamma, and splitting. The data are copied once: rows held out take part with weight 0. */
import { atOnce, inTurns, onAbort, run, runAsync, turn } from '../solver/drivers.js';
import { Interrupted } from '../errors.js';
import { calls, type LoopResult } from '../svm/solve.js';
import {
  checkMemory,
  checkFolds,
  knownCrossValidationOptions,
  PATH,
  resolveCrossValidation,
  resolveSplit,
  rowWeights,
  type CrossValidationTask,
  type ResolvedSvmOptions,
  type SplitTask,
} from '../input/index.js';
import type { SvmCall } from '../backend/interface.js';
import { zerosLike } from '../input/intrinsics.js';
import type { Model } from '../svm/model.js';
import { Random } from './random.js';
import { stop } from '../svm/stopping.js';
import { TrainingData, Training, type FitParameters } from '../svm/training.js';
import type {
  CrossValidation,
  CrossValidationOptions,
  CrossValidationProgress,
  DenseMatrix,
  FileLabels,
  GammaScore,
  Label,
  Points,
  SparseMatrix,
  Split,
  SplitOptions,
  SvmInfo,
  SvmStatus,
} from '../types.js';

/**
 * How well each gamma does on rows that were held out: rows are dealt out to folds, class by class; for each fold a model is trained
 * on the others, for one gamma after the other, and tried on it. The result does not depend on the number of threads. Trains off the
 * main thread, as `LinearSvm.fitAsync` does.
 */
export async function crossValidate<L extends Label>(
  points: Points,
  labels: ArrayLike<L>,
  options?: CrossValidationOptions<L>,
): Promise<CrossValidation>;
export async function crossValidate(
  points: Points,
  labels: FileLabels,
  options?: CrossValidationOptions<number | string>,
): Promise<CrossValidation>;
export async function crossValidate<L extends Label>(
  points: Points,
  labels: ArrayLike<L>,
  asked?: CrossValidationOptions<L>,
): Promise<CrossValidation> {
  const options = knownCrossValidationOptions(asked);
  const data = new TrainingData<L>(points, labels, options);
  try {
    const task = resolveCrossValidation(options, data.rows, data.cols, data.sparse, data);
    await data.copyLater({ timeLimit: Infinity, signal: task.fit.signal });
    checkMemory(data.matrix.describe().kept);
    const { folds } = task;
    const { byRow } = task.fit.weights;
    const fold =
      typeof folds === 'number'
        ? await inTurns(deal(data.y, byRow, folds, new Random(task.seed)), () => task.fit.signal?.throwIfAborted())
        : folds.map((k, i) => (byRow === undefined || byRow[i]! > 0 ? k : -1));
    const trial = new Trial(data, task.fit, task.gammas, fold, task);
    await turn();
    await trial.runAsync();
    const { table, best, pick } = trial.result();
    return {
      gamma: pick.gamma,
      pick,
      best,
      table,
      folds: trial.folds,
      fold,
      elapsed: performance.now() - data.began,
      backend: data.backend.name,
      threads: data.threads,
    };
  } finally {
    data.release();
  }
}

/** What a quick cross-validation came to. */
export interface Choice {
  readonly gamma: number;
  readonly validation: NonNullable<SvmInfo['validation']>;
  /** A model of some of the rows, near the one that is wanted. */
  readonly warmStart: NonNullable<FitParameters['warmStart']>;
}

/** gamma: 'auto'. */
export function chooseGamma(data: TrainingData<Label>, fit: ResolvedSvmOptions): Choice {
  const quick = atOnce(Quick.from(data, fit), () => inTime(data, fit));
  quick.trial.run();
  return quick.choice();
}

/** The same, off the main thread. */
export async function chooseGammaAsync(data: TrainingData<Label>, fit: ResolvedSvmOptions): Promise<Choice> {
  const quick = await inTurns(Quick.from(data, fit), () => inTime(data, fit));
  await quick.trial.runAsync();
  return quick.choice();
}

/** The time of all fits is up: nothing can be chosen, nor trained afterwards. */
function inTime({ began }: Pick<TrainingData<Label>, 'began'>, { timeLimit, signal }: ResolvedSvmOptions): void {
  signal?.throwIfAborted();
  if (performance.now() - began >= timeLimit) throw new Interrupted();
}

const QUICK_FOLDS = 3;
const QUICK_ROWS = 4096;

/**
 * Few folds, few rows and a loose stop. What matters is gamma times the number of rows, so on a sample of m rows out of n, gamma n/m
 * is tried for gamma.
 */
class Quick {
  readonly trial: Trial;
  readonly #rows: number; // that take part in the fit
  readonly #sample: number; // of them here

  private constructor(trial: Trial, rows: number, sample: number) {
    this.trial = trial;
    this.#rows = rows;
    this.#sample = sample;
  }

  /** In steps that are short even where rows are many. */
  static *from(data: TrainingData<Label>, fit: ResolvedSvmOptions): Generator<void, Quick, void> {
    const { byRow } = fit.weights;
    checkFolds(QUICK_FOLDS, data, byRow, "gamma: 'auto'");
    const random = new Random(0);
    const classes = membersOf(data.y, byRow);
    const rows = classes[0].length + classes[1].length;
    const share = Math.min(1, QUICK_ROWS / rows);
    const chosen = new Uint8Array(data.rows);
    let sample = 0;
    for (const members of classes) {
      yield;
      const take = Math.max(Math.round(share * members.length), QUICK_FOLDS);
      for (const i of random.shuffle(members).subarray(0, take)) chosen[i] = 1;
      sample += take;
    }
    const fold = yield* deal(data.y, chosen, QUICK_FOLDS, random);
    const factor = rows / sample;
    const common: ResolvedSvmOptions = {
      ...fit,
      ...(fit.mu !== undefined && { mu: fit.mu / factor }),
      L: 'measured',
      shrinking: true,
      ascent: true,
      checkEvery: undefined,
      rules: [stop.agreement(0.99), stop.gap(1e-2)],
      keepSets: false,
      onProgress: undefined,
    };
    const gammas = PATH.map((product) => product / sample);
    yield;
    const trial = new Trial(data, common, gammas, fold, { balanced: false, onProgress: undefined }, data.began);
    return new Quick(trial, rows, sample);
  }

  choice(): Choice {
    const { table, pick } = this.trial.result();
    const back = ({ gamma, ...score }: GammaScore) => ({ gamma: (gamma * this.#sample) / this.#rows, ...score });
    return {
      gamma: back(pick).gamma,
      validation: { rows: this.#sample, folds: QUICK_FOLDS, table: table.map(back) },
      warmStart: this.trial.models[table.indexOf(pick)]!,
    };
  }
}

/** What one fit came to: how it ended, and [positive rows right, positive rows, negative rows right, negative rows] held out. */
interface Scored {
  readonly end: LoopResult;
  readonly counts: Float64Array;
  readonly model: Model;
}

/** A fit, and then its model on the rows that took no part. */
function* scored(training: Training<Label>): Generator<SvmCall, Scored, Float64Array> {
  const end = yield* training.loop();
  const counts = (yield calls.score(end.check.measured.t)).slice(0, 4);
  return { end, counts, model: training.finish(end, yield training.modelOf(end)).model };
}

/** Every fold against every gamma. */
class Trial {
  readonly folds: number;
  /** The first fold's, by gamma. */
  readonly models: { readonly weights: Float64Array; readonly bias: number }[] = [];
  readonly #data: TrainingData<Label>;
  readonly #fit: ResolvedSvmOptions;
  readonly #gammas: readonly number[];
  readonly #fold: Int32Array;
  readonly #how: Pick<CrossValidationTask, 'balanced' | 'onProgress'>;
  readonly #began: number | undefined;
  readonly #y: Int8Array;
  readonly #accuracy: number[][]; // by gamma and fold
  readonly #status: SvmStatus[][];
  #done = 0;

  /** `began`: since when the time of all fits counts; by default each has its own. */
  constructor(
    data: TrainingData<Label>,
    fit: ResolvedSvmOptions,
    gammas: readonly number[],
    fold: Int32Array,
    how: Pick<CrossValidationTask, 'balanced' | 'onProgress'>,
    began?: number,
  ) {
    this.#data = data;
    this.#fit = fit;
    this.#gammas = gammas;
    this.#fold = fold;
    this.#how = how;
    this.#began = began;
    let last = 0;
    this.#y = data.y.slice();
    for (let i = 0; i < fold.length; i++) {
      if (fold[i]! > last) last = fold[i]!;
      if (fold[i]! < 0) this.#y[i] = 0; // of gamma 0, and not scored either
    }
    this.folds = last + 1;
    this.#accuracy = gammas.map(() => []);
    this.#status = gammas.map(() => []);
    if (data.ownsMatrix) data.matrix.centre(data.threads); // while nothing else uses it
  }

  /** On this thread. */
  run(): void {
    const { signal } = this.#fit;
    for (let k = 0; k < this.folds; k++) {
      const path = this.#path(k, this.#weightsOf(k), 0, () => this.#data.threads);
      for (let next = path.next(); !next.done;) {
        const training = next.value;
        try {
          next = path.next(run(scored(training), training.problem, signal));
        } finally {
          training.release();
        }
      }
    }
  }

  /** Off the main thread, several folds at once. */
  async runAsync(): Promise<void> {
    const { signal } = this.#fit;
    const { threads, backend } = this.#data;
    let running = backend.name === 'native' ? Math.min(this.folds, threads) : 1;
    // One failure ends them all.
    let failure: { readonly error: unknown } | undefined;
    const all = new AbortController();
    signal?.throwIfAborted();
    const deaf = onAbort(signal, () => all.abort(signal!.reason));
    let k = 0;
    // The pool that helps a fit serves one at a time, so at most `threads` threads work at any moment.
    const helped = () => threads - running + 1;
    const work = async (lane: number) => {
      try {
        while (k < this.folds) {
          const fold = k++;
          const weights = this.#weightsOf(fold);
          await turn(); // rows may be many, and the next step looks at them all again
          const path = this.#path(fold, weights, lane, helped);
          for (let next = path.next(); !next.done;) {
            const training = next.value;
            try {
              const { problem, interrupt } = training;
              next = path.next(
                await runAsync(scored(training), problem, { signal: all.signal, interrupt, short: this.#data.short }),
              );
            } finally {
              training.release();
            }
          }
        }
      } catch (error) {
        failure ??= { error };
        all.abort();
      }
      running--;
    };
    await Promise.all(Array.from({ length: running }, (_, lane) => work(lane)));
    deaf();
    if (failure) throw failure.error;
  }

  /** Of the rows that are not in fold k. */
  #weightsOf(k: number): Float64Array {
    const taking = new Uint8Array(this.#fold.length);
    for (let i = 0; i < taking.length; i++) taking[i] = Number(this.#fold[i]! >= 0 && this.#fold[i] !== k);
    return rowWeights(this.#fit.weights, this.#data.y, taking);
  }

  /** One fold: yields a fit for each gamma, each starting where the last one ended, and takes what came of it. */
  *#path(k: number, weights: Float64Array, lane: number, threads: () => number): Generator<Training<Label>, void, Scored> {
    let warmStart: FitParameters['warmStart'];
    for (const [g, gamma] of this.#gammas.entries()) {
      if (this.#began !== undefined) inTime({ began: this.#began }, this.#fit);
      const training = new Training(this.#data, this.#fit, {
        gamma,
        mu: this.#fit.mu ?? 1 / (2 * gamma),
        weights,
        y: this.#y,
        warmStart,
        threads: threads(),
        lane,
        began: this.#began ?? performance.now(),
      });
      const { end, counts, model } = yield training;
      warmStart = model;
      if (k === 0) this.models.push(model);
      this.#accuracy[g]![k] = this.#accuracyOf(counts);
      this.#status[g]![k] = end.status;
      this.#done++;
      this.#how.onProgress?.(this.#progress(k, g, end));
    }
  }

  #accuracyOf([positiveRight, positive, negativeRight, negative]: ArrayLike<number> & Iterable<number>): number {
    if (!this.#how.balanced) return (positiveRight! + negativeRight!) / (positive! + negative!);
    if (positive === 0 || negative === 0) return (positiveRight! + negativeRight!) / (positive! + negative!);
    return positiveRight! / positive! / 2 + negativeRight! / negative! / 2;
  }

  #progress(k: number, g: number, { status, check }: LoopResult): CrossValidationProgress {
    const known = Object.values(this.#accuracy[g]!); // some folds may not have come so far
    return {
      fold: k,
      gamma: this.#gammas[g]!,
      accuracy: this.#accuracy[g]![k]!,
      mean: known.reduce((a, b) => a + b, 0) / known.length,
      status,
      iterations: check.iteration,
      done: this.#done,
      total: this.folds * this.#gammas.length,
      elapsed: performance.now() - this.#data.began,
    };
  }

  result(): { table: readonly GammaScore[]; best: GammaScore; pick: GammaScore } {
    const table = this.#gammas.map((gamma, g): GammaScore => {
      const accuracy = this.#accuracy[g]!;
      const n = accuracy.length;
      const mean = accuracy.reduce((a, b) => a + b, 0) / n;
      const squares = accuracy.reduce((sum, a) => sum + (a - mean) ** 2, 0);
      const status = this.#status[g]!;
      const unfinished = status.filter((one) => one === 'max-iterations' || one === 'time-limit').length;
      return { gamma, accuracy, mean, standardError: Math.sqrt(squares / (n - 1) / n), status, unfinished };
    });
    // What a fit that met a limit would have come to is not known: others are chosen from, if there are any.
    const finished = table.filter(({ unfinished }) => unfinished === 0);
    const choice = finished.length > 0 ? finished : table;
    const best = choice.reduce((a, b) => (b.mean > a.mean ? b : a));
    const pick = choice.find(({ mean }) => mean >= best.mean - best.standardError)!;
    return { table, best, pick };
  }
}

/** The rows of the negative class and those of the positive one, of those that take part: above 0 in `taking`. */
function membersOf(y: Int8Array, taking: ArrayLike<number> | undefined): [Uint32Array, Uint32Array] {
  const lists = [new Uint32Array(y.length), new Uint32Array(y.length)] as const;
  const counts: [number, number] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    if (taking && !(taking[i]! > 0)) continue;
    const side = y[i]! > 0 ? 1 : 0;
    lists[side][counts[side]++] = i;
  }
  return [lists[0].slice(0, counts[0]), lists[1].slice(0, counts[1])];
}

/**
 * By row, its fold, or -1. Each class is shuffled and dealt out in turn; the second goes on where the first ended. In steps that are short
 * even where rows are many.
 */
function* deal(
  y: Int8Array,
  taking: ArrayLike<number> | undefined,
  folds: number,
  random: Random,
): Generator<void, Int32Array, void> {
  const fold = new Int32Array(y.length).fill(-1);
  let next = 0;
  for (const members of membersOf(y, taking)) {
    yield;
    random.shuffle(members);
    yield;
    for (let p = 0; p < members.length; p++) {
      fold[members[p]!] = next;
      next = next + 1 === folds ? 0 : next + 1;
    }
  }
  return fold;
}

// ---- Splitting

/**
 * Divides points and labels in two: one part to train on, one to try the model on. Rows keep their order, arrays their kind; rows of
 * an array of rows are the same objects, everything else is copied.
 */
export function trainTestSplit<P extends readonly unknown[] | DenseMatrix | SparseMatrix, A extends ArrayLike<Label>>(
  points: P,
  labels: A,
  options?: SplitOptions,
): Split<P, A> {
  const task = resolveSplit(points, labels, options);
  const { rows, groups, take, seed, check } = task;
  const random = new Random(seed);
  const test = new Uint8Array(rows);
  groups.forEach((group, k) => {
    for (const i of random.shuffle(group).subarray(0, take[k])) test[i] = 1;
  });
  check(test);
  const part = (side: number) => {
    const list = Uint32Array.from([...test.keys()].filter((i) => test[i] === side));
    return { points: rowsOf(task.points, list) as P, labels: pickFrom(task.labels, list) as unknown as A, rows: list };
  };
  return { train: part(0), test: part(1) };
}

function rowsOf(points: SplitTask['points'], list: Uint32Array): SplitTask['points'] {
  if (Array.isArray(points)) return Array.from(list, (i) => (points as readonly unknown[])[i]);
  if ('data' in points) {
    const { data, cols } = points;
    const copy = zerosLike(data, list.length * cols) as typeof data;
    list.forEach((i, p) => copy.set(data.subarray(i * cols, (i + 1) * cols), p * cols));
    return { data: copy, rows: list.length, cols };
  }
  const { indptr, indices, values, cols } = points as SparseMatrix;
  const starts = zerosLike(indptr, list.length + 1);
  list.forEach((i, p) => (starts[p + 1] = starts[p]! + indptr[i + 1]! - indptr[i]!));
  const entries = starts[list.length]!;
  const gather = (from: ArrayLike<number>) => {
    const to = zerosLike(from, entries);
    list.forEach((i, p) => {
      for (let k = indptr[i]!, at = starts[p]!; k < indptr[i + 1]!; k++, at++) to[at] = from[k]!;
    });
    return to;
  };
  return {
    indptr: starts,
    indices: gather(indices),
    ...(values && { values: gather(values) }),
    rows: list.length,
    cols,
  } as SparseMatrix;
}

function pickFrom(labels: ArrayLike<Label>, list: Uint32Array): ArrayLike<Label> {
  const picked = zerosLike(labels, list.length) as Label[];
  list.forEach((i, p) => (picked[p] = labels[i]!));
  return picked;
}
