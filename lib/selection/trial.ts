/**
 * Fits and scores every fold with every gamma (method 3.1). The data are copied once: rows that are held out have weight 0.
 *
 * Given:  copied data, the options of a fit, gammas in ascending order, the fold of each row.
 * Wanted: by gamma, the accuracies, the scores and how the fits ended; the best gamma, and the smallest one within a standard error of it.
 */
import { rangeOf, rangeOver, type CrossValidationInput, type ResolvedSvmOptions } from '../input/index.js';
import { largest } from '../mpi/ranks.js';
import { pause, sideBySide, type Lane, type Loop } from '../solver/drivers.js';
import { Decisions } from '../svm/rank-decisions.js';
import type { TrainingData } from '../svm/training-data.js';
import type { CrossValidationProgress, GammaScore, Label, SvmStatus, WarmPlane } from '../types.js';
import { calibratingOutside } from './calibrating.js';
import { FoldFits, type Scored } from './fold-fits.js';
import { rowsOutside, weightsOutside } from './folds.js';
import { FACTOR } from './grid.js';
import { inTime } from './in-time.js';

/** What the fits with one gamma came to, by fold. Of a shard, whose folds are some of all, the others are left empty. */
export interface FoldScores {
  readonly gamma: number;
  readonly accuracy: readonly number[];
  readonly score: readonly number[];
  readonly loss: readonly number[];
  readonly status: readonly SvmStatus[];
}

interface Column extends FoldScores {
  readonly accuracy: number[];
  readonly score: number[];
  readonly loss: number[];
  readonly status: SvmStatus[];
  /** The first fold's, by plane. */
  model?: readonly WarmPlane[];
}

/** What a trial came to. */
export interface TrialResult {
  readonly table: readonly GammaScore[];
  readonly best: GammaScore;
  readonly oneStandardError: GammaScore;
  /** Whether the best gamma is the smallest or the largest that was tried. */
  readonly atEdge: boolean;
}

/** At most so many gammas are added to a grid. */
const FURTHER = 3;

interface How extends Pick<CrossValidationInput, 'balanced' | 'scorer' | 'probability' | 'onProgress'> {
  /** Which folds are held out, each in its turn. @default all */
  readonly chosen?: ((fold: number) => boolean) | undefined;
}

/** One cross-validation. */
export class Trial {
  readonly folds: number;
  /** The folds that are held out, each in its turn. */
  readonly #chosen: readonly number[];
  readonly #data: TrainingData<Label>;
  readonly #options: ResolvedSvmOptions;
  readonly #fold: Int32Array;
  readonly #how: How;
  readonly #began: number | undefined;
  readonly #y: Int8Array;
  readonly #columns: Column[] = []; // by gamma, ascending
  /** By fold, the planes of the largest gamma. */
  readonly #last: (readonly WarmPlane[])[] = [];
  #done = 0;

  /** `began`: when the time limit of all fits together began; by default each fit has its own. */
  constructor(data: TrainingData<Label>, options: ResolvedSvmOptions, fold: Int32Array, how: How, began?: number) {
    this.#data = data;
    this.#options = options;
    this.#fold = fold;
    this.#how = how;
    this.#began = began;
    let last = 0;
    this.#y = data.y.slice();
    for (let i = 0; i < fold.length; i++) {
      if (fold[i]! > last) last = fold[i]!;
      if (fold[i]! < 0) this.#y[i] = 0; // of weight 0, and not scored either
    }
    this.folds = largest(data.ranks, last) + 1;
    this.#chosen = Array.from({ length: this.folds }, (_, k) => k).filter(how.chosen ?? (() => true));
  }

  /** Tries gammas, all folds side by side. */
  *run(gammas: readonly number[]): Loop<void> {
    const { threads, backend } = this.#data;
    const columns = gammas.map((gamma): Column => ({ gamma, accuracy: [], score: [], loss: [], status: [] }));
    const larger = gammas[0]! > (this.#columns.at(-1)?.gamma ?? Infinity);
    this.#columns.push(...columns);
    this.#columns.sort((a, b) => a.gamma - b.gamma);
    const folds = this.#chosen.map((k) => (lane: Lane) => this.#path(k, columns, larger, lane));
    yield sideBySide(folds, backend.name === 'native' && !this.#data.ranks ? threads : 1, this.#options.signal);
  }

  /** Tries gammas, and further ones, one at a time, where the choice is the first or the last of them. */
  *search(gammas: readonly number[], choose: (result: TrialResult) => GammaScore): Loop<void> {
    yield* this.run(gammas);
    for (let more = 0; more < FURTHER; more++) {
      const { gamma } = choose(this.result());
      const [first, last] = [this.#columns[0]!.gamma, this.#columns.at(-1)!.gamma];
      if (gamma !== first && gamma !== last) return;
      yield* this.run([gamma === last ? last * FACTOR : first / FACTOR]);
    }
  }

  /** A model of some of the rows, by a gamma that was tried. */
  modelOf({ gamma }: GammaScore): readonly WarmPlane[] {
    return this.#columns.find((column) => column.gamma === gamma)!.model!;
  }

  /** One fold: a fit for each gamma, each starting where the last one ended. `further`: the first one where an earlier path did. */
  *#path(k: number, columns: readonly Column[], further: boolean, lane: Lane): Loop<void> {
    const [others, among] = [rowsOutside(this.#fold, k), rowsOutside(this.#fold)];
    const data = yield* this.#data.outside(others, among, this.#options);
    try {
      yield* this.#fits(k, data, columns, further, lane);
    } finally {
      this.#data.giveBack(data);
    }
  }

  *#fits(k: number, data: TrainingData<Label>, columns: readonly Column[], further: boolean, lane: Lane): Loop<void> {
    const weights = weightsOutside(this.#fold, k, this.#options.weights, data, (counts) => data.total(counts));
    const fold = new FoldFits(data, this.#options, {
      weights,
      weightRange: rangeOver(data.ranks, rangeOf(weights, this.#options.weights)),
      y: this.#y,
      heldOut: (i) => this.#fold[i] === k,
      balanced: this.#how.balanced,
      scorer: this.#how.scorer,
    });
    yield pause(); // rows may be many, and the next step reads them all again
    let warmStart = further ? this.#last[k] : undefined;
    for (const column of columns) {
      if (this.#began !== undefined) inTime({ began: this.#began }, this.#options);
      const { probability } = this.#how;
      const calibration = probability
        ? yield* calibratingOutside(
            this.#data,
            this.#options,
            { kind: probability, gamma: column.gamma, fold: this.#fold, k },
            lane,
          )
        : undefined;
      const scored = yield* fold.fit(column.gamma, warmStart, this.#began ?? performance.now(), lane, calibration);
      warmStart = scored.planes;
      if (k === 0) column.model = scored.planes;
      column.accuracy[k] = scored.accuracy;
      column.score[k] = scored.score;
      column.loss[k] = scored.loss;
      column.status[k] = scored.status;
      this.#done++;
      this.#show(this.#progress(k, column, scored));
    }
    if (columns.at(-1) === this.#columns.at(-1)) this.#last[k] = warmStart!;
  }

  /** Over several ranks, rank 0 calls back for all. */
  #show(progress: CrossValidationProgress): void {
    const { onProgress } = this.#how;
    if (!onProgress) return;
    new Decisions(this.#options.rankLimits, this.#data.began).yes(() => {
      onProgress(progress);
      return true;
    });
  }

  #progress(k: number, { gamma, score }: Column, { accuracy, status, iterations }: Scored): CrossValidationProgress {
    const known = Object.values(score); // of the folds that have come this far
    return {
      fold: k,
      gamma,
      accuracy,
      score: score[k]!,
      mean: known.reduce((a, b) => a + b, 0) / known.length,
      status,
      iterations,
      done: this.#done,
      total: this.#chosen.length * this.#columns.length,
      elapsed: performance.now() - this.#data.began,
    };
  }

  /** What was found so far, by gamma in ascending order. */
  get scores(): readonly FoldScores[] {
    return this.#columns;
  }

  result(): TrialResult {
    return resultOf(this.#columns, this.#how.scorer?.isLoss ?? false);
  }
}

/** Means and standard errors by gamma, in ascending order, and the choice among them, from the scores of all folds. */
export function resultOf(columns: readonly FoldScores[], isLoss: boolean): TrialResult {
  const table = columns.map(({ gamma, accuracy, score, loss, status }): GammaScore => {
    const n = score.length;
    const mean = score.reduce((a, b) => a + b, 0) / n;
    const squares = score.reduce((sum, a) => sum + (a - mean) ** 2, 0);
    const unfinished = status.filter((one) => one === 'max-iterations' || one === 'time-limit').length;
    return {
      gamma,
      accuracy,
      score,
      mean,
      standardError: Math.sqrt(squares / (n - 1) / n),
      loss: loss.reduce((a, b) => a + b, 0) / n,
      status,
      unfinished,
    };
  });
  // What a fit that met a limit would have reached is not known: gammas without such a fit are preferred.
  const finished = table.filter(({ unfinished }) => unfinished === 0);
  const choice = finished.length > 0 ? finished : table;
  const value = ({ mean }: GammaScore) => (isLoss ? -mean : mean);
  const better = (a: GammaScore, b: GammaScore) => value(a) > value(b) || (a.mean === b.mean && a.loss < b.loss);
  const best = choice.reduce((a, b) => (better(b, a) ? b : a));
  const oneStandardError = choice.find((one) => value(one) >= value(best) - best.standardError)!;
  return { table, best, oneStandardError, atEdge: table.length > 1 && (best === table[0] || best === table.at(-1)) };
}
