/**
 * gamma: 'auto' (method 3.1).
 *
 * Problem: a gamma with a good accuracy on rows that were not trained on.
 * Given:   points and labels, copied; the options of the fit.
 * Wanted:  gamma, the table it was chosen from, and a model to start the fit from.
 * Source:  cross-validation, L. Breiman et al., Classification and Regression Trees (1984).
 */
import { rangeOf } from '../input/index.js';
import { QUICK_FOLDS, type ResolvedSvmOptions } from '../input/resolve-fit.js';
import { AUTO } from '../input/solver-options.js';
import { pause, type Loop } from '../solver/drivers.js';
import { stop } from '../svm/stopping.js';
import { membersOf, rowWeights } from '../svm/taking-part.js';
import type { TrainingData } from '../svm/training-data.js';
import { measureRows } from '../svm/training.js';
import type { GammaScore, Label, SvmInfo, WarmPlane } from '../types.js';
import { deal } from './folds.js';
import { gammasAround, QUICK_REACH } from './grid.js';
import { Random } from './random.js';
import { inTime } from './in-time.js';
import { Trial, type TrialResult } from './trial.js';

/** The result of a quick cross-validation. */
export interface Choice {
  readonly gamma: number;
  readonly validation: NonNullable<SvmInfo['validation']>;
  /** By plane, a model of some of the rows, for the fit to start from; undefined if it has other columns. */
  readonly warmStart: readonly WarmPlane[] | undefined;
}

/** The sample has at least so many rows, and more until it holds so many entries: text has many columns, and few entries a row. */
const MIN_ROWS = 4096;
const ENTRIES = 2 ** 19;

/**
 * Chooses gamma by a quick cross-validation: few folds, a sample of the rows where these are many, and a loose stop; then a gamma that is as
 * good as the best. The gamma of a sample serves for all rows, as the grid follows distances between rows, not their number. Pauses now and
 * then, so that the event loop is not blocked for long even if rows are many.
 */
export function* chooseGamma(data: TrainingData<Label>, fit: ResolvedSvmOptions): Loop<Choice> {
  const breather = pause(() => inTime(data, fit));
  const random = new Random(0);
  const classes = membersOf(data, fit.weights.byRow);
  const rows = classes.reduce((sum, members) => sum + members.length, 0);
  const { stored } = data.matrix.describe();
  const share = Math.min(1, Math.max(MIN_ROWS / rows, ENTRIES / (stored || 1)));
  const chosen = new Uint8Array(data.rows);
  let sample = 0;
  for (const members of classes) {
    yield breather;
    const take = Math.max(Math.round(share * members.length), QUICK_FOLDS);
    for (const i of random.shuffle(members).subarray(0, take)) chosen[i] = 1;
    sample += take;
  }
  const fold = yield* deal(data, chosen, QUICK_FOLDS, random, breather);
  const common: ResolvedSvmOptions = {
    ...fit,
    solver: AUTO,
    rules: [stop.agreement(0.99), stop.gap(1e-2)],
    keepSets: false,
    onProgress: undefined,
  };
  yield breather;
  const weights = rowWeights(fit.weights, data);
  const { gamma: middle } = yield* measureRows(data, common, {
    weights,
    weightRange: rangeOf(weights, fit.weights),
    began: data.began,
  });
  const trial = new Trial(data, common, fold, { balanced: false, onProgress: undefined }, data.began);
  const choose = (result: TrialResult) => nearestToDefault(result, middle, sample);
  yield* trial.search(gammasAround(middle, QUICK_REACH), choose);
  const result = trial.result();
  const picked = choose(result);
  const { table } = result;
  return {
    gamma: picked.gamma,
    validation: { rows: sample, folds: QUICK_FOLDS, table, atEdge: picked === table[0] || picked === table.at(-1) },
    warmStart: data.encoded ? undefined : trial.modelOf(picked), // each fold has columns of its own
  };
}

/**
 * The gamma nearest to the default, of those whose mean is within half the standard error of a share of so many rows from the best. On a
 * plateau the best mean is luck, and may be far out, where fits take long.
 */
function nearestToDefault({ table, best }: TrialResult, middle: number, rows: number): GammaScore {
  const luck = Math.sqrt((best.mean * (1 - best.mean)) / rows) / 2;
  const far = ({ gamma }: GammaScore) => Math.abs(Math.log(gamma / middle));
  const equal = table.filter(({ mean, unfinished }) => mean >= best.mean - luck && unfinished <= best.unfinished);
  return equal.reduce((a, b) => (far(b) < far(a) || (far(b) === far(a) && b.loss < a.loss) ? b : a));
}
