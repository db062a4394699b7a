/**
 * Cross-validation over a list of gammas (method 3.1).
 *
 * Problem: which gamma does best on rows that were held out.
 * Given:   points, labels, gammas, and folds or their number.
 * Wanted:  by gamma, the accuracy on each fold, its mean and standard error; the best gamma, and the smallest one within a standard error
 *          of it.
 */
import { pause, runAsync, type Loop } from '../solver/drivers.js';
import { copyCrossValidationOptions, rangeOf, resolveCrossValidation, type CrossValidationInput } from '../input/index.js';
import { rowWeights } from '../svm/taking-part.js';
import { Random } from './random.js';
import { measureRows } from '../svm/training.js';
import { TrainingData } from '../svm/training-data.js';
import { encodingRecords, isRecordCall } from '../svm/training-records.js';
import type { CrossValidation, CrossValidationOptions, FileLabels, Label, Points, RecordOptions, Records } from '../types.js';
import { deal } from './folds.js';
import { gammasAround, REACH } from './grid.js';
import { Trial } from './trial.js';

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
  const began = performance.now();
  const asked = copyCrossValidationOptions(given as CrossValidationOptions & RecordOptions<object>); // one of the types above
  const {
    points: matrix,
    labels: list,
    records,
  } = isRecordCall(points, labels, asked)
    ? await runAsync(encodingRecords(points, labels, asked), asked.signal)
    : { points, labels, records: undefined };
  const input = resolveCrossValidation(matrix, list, asked, records, began);
  return runAsync(validating(input), input.options.signal);
}

function* validating<L extends Label>(input: CrossValidationInput<L>): Loop<CrossValidation> {
  const { options, folds } = input;
  const { signal } = options;
  const data = new TrainingData(input);
  try {
    yield data.copying({ timeLimit: Infinity, signal });
    const fold =
      typeof folds === 'number' ? yield* deal(data, options.weights.byRow, folds, new Random(input.seed), pause()) : folds;
    const trial = new Trial(data, options, fold, input);
    yield pause();
    if (input.gammas === 'default' || !input.gammas) {
      const weights = rowWeights(options.weights, data);
      const weightRange = rangeOf(weights, options.weights);
      const unlimited = { ...options, timeLimit: Infinity }; // the limit is one of each fit
      const { gamma: middle } = yield* measureRows(data, unlimited, { weights, weightRange, began: data.began });
      yield* input.gammas ? trial.run([middle]) : trial.search(gammasAround(middle, REACH), ({ best }) => best);
    } else {
      yield* trial.run(input.gammas);
    }
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
  } finally {
    data.release();
  }
}
