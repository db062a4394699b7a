/**
 * The score of predictions: all metrics of them at once.
 *
 * Given:  the labels; of each row, its class, the predicted one, and, where there are any, decision values and probabilities.
 * Wanted: a Score. What would be 0 / 0 is 0, but for the metrics of rankings, which are undefined without rows on both sides.
 */
import type { ClassLabels } from '../input/labels.js';
import type { ClassScore, ConfusionRow, Label, Score } from '../types.js';
import { brierOf, logLossOf } from './probability-scores.js';
import { averagePrecisionOf, opposite, rank, rocAucOf, type Ranking } from './ranking.js';
import { accuracyOf, balancedAccuracyOf, classScore, macroOf, matthewsOf, tallyOf, weightedOf } from './tally.js';

/** What was predicted for some rows, whose labels are known. Classes are given by number. */
export interface Predictions<L extends Label = Label> {
  readonly labels: ClassLabels<L>;
  readonly actual: Uint16Array;
  readonly predicted: Uint16Array;
  /** Of two classes, one a row; of more, one a row and class. Undefined: they would take too much memory. */
  readonly values: Float64Array | undefined;
  /** One a row and class. */
  readonly probabilities?: Float64Array | undefined;
}

/** At most so many decision values are held for metrics of rankings. */
export const MAX_VALUES = 2 ** 25;

export function scoreOf<L extends Label>(predictions: Predictions<L>): Score<L> {
  const { labels, actual, predicted, probabilities } = predictions;
  const tally = tallyOf(labels.length, actual, predicted);
  const areas = areasOf(predictions);
  const classes = labels.map((label, k): ClassScore<L> => {
    return { label, ...classScore(tally, k), support: tally.actual[k]!, ...areas[k]! };
  });
  return {
    accuracy: accuracyOf(tally),
    balancedAccuracy: balancedAccuracyOf(tally),
    confusion: confusionOf(predictions),
    classes,
    macro: macroOf(tally),
    weighted: weightedOf(tally),
    matthews: matthewsOf(tally),
    rocAuc: overall(classes.map(({ rocAuc }) => rocAuc)),
    averagePrecision: overall(classes.map(({ averagePrecision }) => averagePrecision)),
    ...(probabilities && {
      logLoss: logLossOf(labels.length, actual, probabilities),
      brier: brierOf(labels.length, actual, probabilities),
    }),
  };
}

/** By class, the areas under its curves, against all others. */
function areasOf(predictions: Predictions): Pick<ClassScore, 'rocAuc' | 'averagePrecision'>[] {
  const { labels, values } = predictions;
  const areas = (ranking?: Ranking) => ({
    rocAuc: ranking && rocAucOf(ranking),
    averagePrecision: ranking && averagePrecisionOf(ranking),
  });
  if (labels.length === 2 && values) {
    const ranking = rankingOf(predictions, values, 1);
    return [areas(opposite(ranking)), areas(ranking)]; // sorted once
  }
  return labels.map((_, k) => areas(values && rankingOf(predictions, values, k)));
}

/** The rows in the order of a class's decision values; of two classes, only the second one has any. */
export function rankingOf({ labels, actual }: Pick<Predictions, 'labels' | 'actual'>, values: Float64Array, k: number): Ranking {
  const two = labels.length === 2;
  const own = two ? values : new Float64Array(actual.length);
  const positive = new Uint8Array(actual.length);
  for (let i = 0; i < actual.length; i++) {
    positive[i] = Number(actual[i] === k);
    if (!two) own[i] = values[i * labels.length + k]!;
  }
  return rank(own, positive);
}

/** Of two classes, the second one's number; of more, the mean over the classes that have one. */
export function overall(byClass: readonly (number | undefined)[]): number | undefined {
  if (byClass.length === 2) return byClass[1];
  const known = byClass.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function confusionOf({ labels, actual, predicted }: Predictions): Score['confusion'] {
  const more = labels.slice(2);
  const row = (): ConfusionRow => [0, 0, ...more.map(() => 0)];
  const confusion: Score['confusion'] = [row(), row(), ...more.map(row)];
  for (let i = 0; i < actual.length; i++) confusion[actual[i]!]![predicted[i]!]!++;
  return confusion;
}
