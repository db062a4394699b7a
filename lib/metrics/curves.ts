/** The curves of a classifier of two classes: what each threshold comes to. */
import { resolveCurve } from '../input/resolve-curve.js';
import type { CurveOptions, Label, PrecisionRecallCurve, RocCurve } from '../types.js';
import { averagePrecisionOf, rank, rocAucOf, thresholdBelow, type Ranking } from './ranking.js';

/** The share of the negative points and of the positive ones that exceed each threshold, and the area under that curve. */
export function rocCurve(values: ArrayLike<number>, labels: ArrayLike<Label>, options?: CurveOptions): RocCurve {
  const input = resolveCurve(values, labels, options);
  const ranking = rank(input.values, input.positive);
  const { truePositives, falsePositives, positives, negatives } = ranking;
  return {
    thresholds: thresholdsOf(ranking),
    falsePositiveRate: along(ranking, 0, (k) => falsePositives[k]! / negatives),
    truePositiveRate: along(ranking, 0, (k) => truePositives[k]! / positives),
    auc: rocAucOf(ranking)!,
  };
}

/** The precision and the recall at each threshold, and the average precision. */
export function precisionRecallCurve(
  values: ArrayLike<number>,
  labels: ArrayLike<Label>,
  options?: CurveOptions,
): PrecisionRecallCurve {
  const input = resolveCurve(values, labels, options);
  const ranking = rank(input.values, input.positive);
  const { truePositives, falsePositives, positives } = ranking;
  return {
    thresholds: thresholdsOf(ranking),
    precision: along(ranking, 1, (k) => truePositives[k]! / (truePositives[k]! + falsePositives[k]!)),
    recall: along(ranking, 0, (k) => truePositives[k]! / positives),
    averagePrecision: averagePrecisionOf(ranking)!,
  };
}

/** All thresholds that make a difference, descending. */
function thresholdsOf(ranking: Ranking): Float64Array {
  return Float64Array.from({ length: ranking.values.length + 1 }, (_, count) => thresholdBelow(ranking, count));
}

/** A number for each threshold: the first, which no value exceeds, and the one below each distinct value. */
function along({ values }: Ranking, first: number, at: (k: number) => number): Float64Array {
  const list = new Float64Array(values.length + 1);
  list[0] = first;
  for (let k = 0; k < values.length; k++) list[k + 1] = at(k);
  return list;
}
