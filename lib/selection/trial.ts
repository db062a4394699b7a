/**
 * Fits and scores every fold with every gamma (method 3). The data are copied once: rows that are held out have weight 0.
 *
 * Given:  copied data, the options of a fit, gammas in ascending order, the fold of each row.
 * Wanted: by gamma, the accuracies and how the fits ended; the best gamma, and the one picked.
 */
import type { Answer, SVM_TASKS } from '../backend/tasks.js';
import { Interrupted } from '../errors.js';
import { gammaByRow, type CrossValidationInput, type ResolvedSvmOptions } from '../input/index.js';
import { pause, sideBySide, type Lane, type Loop } from '../solver/drivers.js';
import type { Model } from '../svm/model.js';
import type { LoopResult } from '../svm/solve.js';
import { rowWeights } from '../svm/taking-part.js';
import type { TrainingData } from '../svm/training-data.js';
import { Training, type FitParameters } from '../svm/training.js';
import type { CrossValidationProgress, GammaScore, Label, SvmStatus } from '../types.js';

/** Throws if the time of all fits is up: nothing can be chosen then, nor trained afterwards. */
export function inTime({ began }: Pick<TrainingData<Label>, 'began'>, { timeLimit, signal }: ResolvedSvmOptions): void {
  signal?.throwIfAborted();
  if (performance.now() - began >= timeLimit) throw new Interrupted();
}

/** By class, the rows that were held out, and how many of them the model gets right. */
type HeldOut = Answer<(typeof SVM_TASKS)['score']>;

/** The result of one fit. */
interface Scored {
  readonly end: LoopResult;
  readonly counts: HeldOut;
  readonly model: Model;
}

/** A fit, and the score of its model on the rows that took no part. */
function* scored(training: Training<Label>, here: boolean): Loop<Scored> {
  if (here) yield pause(); // its first tasks run on this thread
  const { score } = training.tasks;
  const end = yield* training.loop();
  yield score.ask({ t: end.check.measured.t });
  const { positiveRight, positive, negativeRight, negative } = score.answer;
  const { model } = yield* training.finish(end);
  return { end, counts: { positiveRight, positive, negativeRight, negative }, model };
}

/** One cross-validation. */
export class Trial {
  readonly folds: number;
  /** The models of the first fold, by gamma. */
  readonly models: { readonly weights: Float64Array; readonly bias: number }[] = [];
  readonly #data: TrainingData<Label>;
  readonly #options: ResolvedSvmOptions;
  readonly #gammas: readonly number[];
  readonly #fold: Int32Array;
  readonly #how: Pick<CrossValidationInput, 'balanced' | 'onProgress'>;
  readonly #began: number | undefined;
  readonly #y: Int8Array;
  readonly #accuracy: number[][]; // by gamma and fold
  readonly #status: SvmStatus[][];
  #done = 0;

  /** `began`: when the time limit of all fits together began; by default each fit has its own. */
  constructor(
    data: TrainingData<Label>,
    options: ResolvedSvmOptions,
    gammas: readonly number[],
    fold: Int32Array,
    how: Pick<CrossValidationInput, 'balanced' | 'onProgress'>,
    began?: number,
  ) {
    this.#data = data;
    this.#options = options;
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
  }

  /** Runs all folds, side by side. */
  *run(): Loop<void> {
    const { threads, backend } = this.#data;
    const folds = Array.from({ length: this.folds }, (_, k) => (lane: Lane) => this.#path(k, lane));
    yield sideBySide(folds, backend.name === 'native' ? threads : 1, this.#options.signal);
  }

  /** Weights by row, 0 for those in fold k. */
  #weightsOf(k: number): Float64Array {
    const others = new Uint8Array(this.#fold.length);
    for (let i = 0; i < others.length; i++) others[i] = Number(this.#fold[i]! >= 0 && this.#fold[i] !== k);
    return rowWeights(this.#options.weights, this.#data.y, others);
  }

  /** One fold: a fit for each gamma, each starting where the last one ended. */
  *#path(k: number, { number: lane, busy, signal }: Lane): Loop<void> {
    const { threads, labels, tasksHere } = this.#data;
    const weights = this.#weightsOf(k);
    yield pause(); // rows may be many, and the next step reads them all again
    let warmStart: FitParameters['warmStart'];
    for (const [g, gamma] of this.#gammas.entries()) {
      if (this.#began !== undefined) inTime({ began: this.#began }, this.#options);
      const training = new Training(this.#data, this.#options, {
        gamma,
        mu: this.#options.mu ?? 1 / (2 * gamma),
        gammas: gammaByRow(gamma, weights, { labels, y: this.#y }, this.#options.weights),
        y: this.#y,
        warmStart,
        threads: threads - busy() + 1, // the pool that helps a fit serves one at a time, so at most `threads` work at any moment
        lane,
        signal,
        began: this.#began ?? performance.now(),
      });
      try {
        const { end, counts, model } = yield* scored(training, tasksHere > 0);
        warmStart = model;
        if (k === 0) this.models.push(model);
        this.#accuracy[g]![k] = this.#accuracyOf(counts);
        this.#status[g]![k] = end.status;
        this.#done++;
        this.#how.onProgress?.(this.#progress(k, g, end));
      } finally {
        training.release();
      }
    }
  }

  #accuracyOf({ positiveRight, positive, negativeRight, negative }: HeldOut): number {
    if (!this.#how.balanced || positive === 0 || negative === 0) return (positiveRight + negativeRight) / (positive + negative);
    return positiveRight / positive / 2 + negativeRight / negative / 2;
  }

  #progress(k: number, g: number, { status, check }: LoopResult): CrossValidationProgress {
    const known = Object.values(this.#accuracy[g]!); // of the folds that have come this far
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
    // What a fit that met a limit would have reached is not known: gammas without such a fit are preferred.
    const finished = table.filter(({ unfinished }) => unfinished === 0);
    const choice = finished.length > 0 ? finished : table;
    const best = choice.reduce((a, b) => (b.mean > a.mean ? b : a));
    const pick = choice.find(({ mean }) => mean >= best.mean - best.standardError)!;
    return { table, best, pick };
  }
}
