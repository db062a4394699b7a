/**
 * A threshold for a wanted precision or recall.
 *
 * Given:  a value for each point, and whether it is positive; the least precision, or the least recall.
 * Wanted: the threshold of the largest recall that reaches that precision; or of the largest precision that reaches that recall. Of equal
 *         ones the one that is better in the other respect.
 */
import { resolveThreshold } from '../input/resolve-curve.js';
import type { Label, OperatingPoint, ThresholdOptions } from '../types.js';
import { rank, thresholdBelow } from './ranking.js';

/** The threshold that serves a wanted precision or recall best: points of larger value are positive. Undefined if none reaches it. */
export function chooseThreshold(
  values: ArrayLike<number>,
  labels: ArrayLike<Label>,
  options: ThresholdOptions,
): OperatingPoint | undefined {
  const { least, wanted, ...input } = resolveThreshold(values, labels, options);
  const other = wanted === 'precision' ? 'recall' : 'precision';
  const ranking = rank(input.values, input.positive);
  const { truePositives, falsePositives, positives } = ranking;
  let best: Omit<OperatingPoint, 'threshold'> | undefined;
  let count = 0;
  for (let k = 0; k < ranking.values.length; k++) {
    const right = truePositives[k]!;
    const point = { precision: right / (right + falsePositives[k]!), recall: right / positives };
    if (point[wanted] < least) continue;
    if (best && (point[other] < best[other] || (point[other] === best[other] && point[wanted] <= best[wanted]))) continue;
    [best, count] = [point, k + 1];
  }
  return best && { threshold: thresholdBelow(ranking, count), ...best };
}
