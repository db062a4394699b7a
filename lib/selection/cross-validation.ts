/**
 * Cross-validation over a list of gammas (method 3.1).
 *
 * Problem: which gamma does best on rows that were held out.
 * Given:   points, labels, gammas, and folds or their number.
 * Wanted:  by gamma, the accuracy on each fold, its mean and standard error; the best gamma, and the smallest one within a standard error
 *          of it.
 */
import { pause, runAsync, type Loop } from '../solver/drivers.js';
import {
  copyCrossValidationOptions,
  rangeOf,
  rangeOver,
  resolveCrossValidation,
  type CrossValidationInput,
} from '../input/index.js';
import { occupy } from '../mpi/ranks.js';
import { rowWeights } from '../svm/taking-part.js';
import { Random } from './random.js';
import { measureRows } from '../svm/training.js';
import { TrainingData } from '../svm/training-data.js';
import { encodingRecords, isRecordCall } from '../svm/training-records.js';
import type { CrossValidation, CrossValidationOptions, FileLabels, Label, Points, RecordOptions, Records } from '../types.js';
import { deal } from './folds.js';
import { gammasAround, REACH } from './grid.js';
import { Trial, type FoldScores } from './trial.js';

/**
 * Measures how well each gamma does on rows that were held out. Rows are dealt to folds, class by class; for each fold a model is trained
 * on the other folds, for one gamma after the other, and scored on it. The result does not depend on the number of threads. Trains off the
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
export async function crossValidate<R extends object, K extends keyof R & string>(
  records: Records<R>,
  label: K,
  options?: CrossValidationOptions<Extract<R[K], Label>> & RecordOptions<R>,
): Promise<CrossValidation>;
export async function crossValidate<R extends object, L extends Label>(
  records: Records<R>,
  labels: ArrayLike<L> & object,
  options?: CrossValidationOptions<L> & RecordOptions<R>,
): Promise<CrossValidation>;
export async function crossValidate(
  points: Points | Records,
  labels: ArrayLike<Label> | string,
  given?: object,
): Promise<CrossValidation> {
  return runTrial(points, labels, given, undefined, ({ data, fold, trial }) => {
    const { table, best, oneStandardError, atEdge } = trial.result();
    return {
      gamma: best.gamma,
      best,
      oneStandardError,
      atEdge,
      table,
      folds: trial.folds,
      fold,
      elapsed: performance.now() - data.began,
      backend: data.backend.name,
      threads: data.threads,
    };
  });
}

/** The scores of some folds of a cross-validation. */
export interface ShardScores {
  readonly scores: readonly FoldScores[];
  readonly folds: number;
  /** The number of rows in each fold. */
  readonly sizes: readonly number[];
  readonly elapsed: number;
  readonly backend: string;
  readonly simd: string;
}

/**
 * The folds of a cross-validation that are `chosen`: a shard. `resultOf` makes of all shards' scores what `crossValidate` makes of all folds.
 * The gammas must be given, or be the default of a fit: which further ones are tried depends on all folds.
 */
export function crossValidateShard(
  points: Points | Records,
  labels: ArrayLike<Label> | string,
  options: CrossValidationOptions & RecordOptions<Record<string, Label>> & { readonly gammas: ArrayLike<number> | 'default' },
  chosen: (fold: number) => boolean,
): Promise<ShardScores> {
  return runTrial(points, labels, options, chosen, ({ data, fold, trial }) => ({
    scores: trial.scores,
    folds: trial.folds,
    sizes: foldSizes(fold, trial.folds),
    elapsed: performance.now() - data.began,
    backend: data.backend.name,
    simd: data.backend.simd,
  }));
}

/** The number of rows in each fold. */
export function foldSizes(fold: Int32Array, folds: number): number[] {
  const sizes = new Array<number>(folds).fill(0);
  for (const k of fold) if (k >= 0) sizes[k]!++;
  return sizes;
}

interface Tried {
  readonly data: TrainingData<Label>;
  readonly fold: Int32Array;
  readonly trial: Trial;
}

async function runTrial<R>(
  points: Points | Records,
  labels: ArrayLike<Label> | string,
  given: object | undefined,
  chosen: ((fold: number) => boolean) | undefined,
  use: (tried: Tried) => R,
): Promise<R> {
  const began = performance.now();
  const asked = copyCrossValidationOptions(given as CrossValidationOptions & RecordOptions<object>); // one of the types above
  const {
    points: matrix,
    labels: list,
    records,
  } = isRecordCall(points, labels, asked)
    ? await runAsync(encodingRecords(points, labels, asked), asked.signal)
    : { points, labels, records: undefined };
  const release = occupy(asked.ranks);
  try {
    const input = resolveCrossValidation(matrix, list, asked, records, began);
    return await runAsync(validating({ ...input, chosen }, use), input.options.signal);
  } finally {
    release();
  }
}

function* validating<L extends Label, R>(
  input: CrossValidationInput<L> & { readonly chosen: ((fold: number) => boolean) | undefined },
  use: (tried: Tried) => R,
): Loop<R> {
  const { options, folds } = input;
  const { signal } = options;
  const data = new TrainingData(input);
  try {
    yield data.copying({ timeLimit: Infinity, signal });
    const fold =
      typeof folds === 'number'
        ? yield* deal(data, options.weights.byRow, folds, new Random(input.seed), pause(), data.ranks)
        : folds;
    const trial = new Trial(data, options, fold, input);
    yield pause();
    if (input.gammas === 'default' || !input.gammas) {
      const weights = rowWeights(options.weights, data, undefined, (counts) => data.total(counts));
      const weightRange = rangeOver(data.ranks, rangeOf(weights, options.weights));
      const unlimited = { ...options, timeLimit: Infinity }; // the limit is one of each fit
      const { gamma: middle } = yield* measureRows(data, unlimited, { weights, weightRange, began: data.began });
      yield* input.gammas ? trial.run([middle]) : trial.search(gammasAround(middle, REACH), ({ best }) => best);
    } else {
      yield* trial.run(input.gammas);
    }
    return use({ data, fold, trial });
  } finally {
    data.release();
  }
}
