/** Every fold against every gamma. The data are copied once: rows held out take part with weight 0. */
import type { Answer, Step, SVM_TASKS } from '../backend/tasks.js';
import { Interrupted } from '../errors.js';
import { gammaByRow, type CrossValidationInput, type ResolvedSvmOptions } from '../input/index.js';
import { onAbort, run, runAsync, turn, TURN_OF_OTHERS } from '../solver/drivers.js';
import type { Model } from '../svm/model.js';
import type { LoopResult } from '../svm/solve.js';
import { rowWeights } from '../svm/taking-part.js';
import type { TrainingData } from '../svm/training-data.js';
import { Training, type FitParameters } from '../svm/training.js';
import type { CrossValidationProgress, GammaScore, Label, SvmStatus } from '../types.js';

/** The time of all fits is up: nothing can be chosen, nor trained afterwards. */
export function inTime({ began }: Pick<TrainingData<Label>, 'began'>, { timeLimit, signal }: ResolvedSvmOptions): void {
  signal?.throwIfAborted();
  if (performance.now() - began >= timeLimit) throw new Interrupted();
}

/** Rows that were held out, by class, and those of them that the model gets right. */
type HeldOut = Answer<(typeof SVM_TASKS)['score']>;

/** What one fit came to. */
interface Scored {
  readonly end: LoopResult;
  readonly counts: HeldOut;
  readonly model: Model;
}

/** A fit, and then its model on the rows that took no part. */
function* scored(training: Training<Label>, short: boolean): Generator<Step, Scored, void> {
  if (short) yield TURN_OF_OTHERS; // its tasks are done at once
  const { score } = training.tasks;
  const end = yield* training.loop();
  yield score.ask({ t: end.check.measured.t });
  const { positiveRight, positive, negativeRight, negative } = score.answer;
  const { model } = yield* training.finish(end);
  return { end, counts: { positiveRight, positive, negativeRight, negative }, model };
}

/** Every fold against every gamma. */
export class Trial {
  readonly folds: number;
  /** The first fold's, by gamma. */
  readonly models: { readonly weights: Float64Array; readonly bias: number }[] = [];
  readonly #data: TrainingData<Label>;
  readonly #fit: ResolvedSvmOptions;
  readonly #gammas: readonly number[];
  readonly #fold: Int32Array;
  readonly #how: Pick<CrossValidationInput, 'balanced' | 'onProgress'>;
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
    how: Pick<CrossValidationInput, 'balanced' | 'onProgress'>,
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
          next = path.next(run(scored(training, this.#data.short), signal));
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
              next = path.next(await runAsync(scored(training, this.#data.short), all.signal, training.interrupt));
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
    const others = new Uint8Array(this.#fold.length);
    for (let i = 0; i < others.length; i++) others[i] = Number(this.#fold[i]! >= 0 && this.#fold[i] !== k);
    return rowWeights(this.#fit.weights, this.#data.y, others);
  }

  /** One fold: yields a fit for each gamma, each starting where the last one ended, and takes what came of it. */
  *#path(k: number, weights: Float64Array, lane: number, threads: () => number): Generator<Training<Label>, void, Scored> {
    let warmStart: FitParameters['warmStart'];
    for (const [g, gamma] of this.#gammas.entries()) {
      if (this.#began !== undefined) inTime({ began: this.#began }, this.#fit);
      const training = new Training(this.#data, this.#fit, {
        gamma,
        mu: this.#fit.mu ?? 1 / (2 * gamma),
        gammas: gammaByRow(gamma, weights, { labels: this.#data.labels, y: this.#y }),
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

  #accuracyOf({ positiveRight, positive, negativeRight, negative }: HeldOut): number {
    if (!this.#how.balanced || positive === 0 || negative === 0) return (positiveRight + negativeRight) / (positive + negative);
    return positiveRight / positive / 2 + negativeRight / negative / 2;
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
