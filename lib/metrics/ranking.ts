/**
 * Metrics of values that rank points: the larger, the more likely positive.
 *
 * Given:  a value for each point, and whether it is positive.
 * Wanted: for every threshold, how many positive and negative points have a larger value; the area under the ROC curve, and the average
 *         precision.
 * Source: T. Fawcett, Pattern Recognition Letters 27 (2006), 861-874; scikit-learn's roc_auc_score and average_precision_score. Points of
 *         equal value are on the same side of every threshold: the ROC curve goes straight from one to the next.
 */
export interface Ranking {
  /** The distinct values, descending. */
  readonly values: Float64Array;
  /** By distinct value, the positive and the negative points that have this value or a larger one. */
  readonly truePositives: Uint32Array;
  readonly falsePositives: Uint32Array;
  readonly positives: number;
  readonly negatives: number;
}

/** Sorts either side by itself, as numbers alone are sorted several times as fast as rows. */
export function rank(values: Float64Array, positive: Uint8Array): Ranking {
  const [above, below] = [sorted(values, positive, 1), sorted(values, positive, 0)];
  const distinct = new Float64Array(values.length);
  const truePositives = new Uint32Array(values.length);
  const falsePositives = new Uint32Array(values.length);
  let [i, j, count] = [above.length, below.length, 0];
  while (i > 0 || j > 0) {
    const value = Math.max(i > 0 ? above[i - 1]! : -Infinity, j > 0 ? below[j - 1]! : -Infinity);
    while (i > 0 && !(above[i - 1]! < value)) i--;
    while (j > 0 && !(below[j - 1]! < value)) j--;
    distinct[count] = value;
    truePositives[count] = above.length - i;
    falsePositives[count] = below.length - j;
    count++;
  }
  return {
    values: distinct.subarray(0, count),
    truePositives: truePositives.subarray(0, count),
    falsePositives: falsePositives.subarray(0, count),
    positives: above.length,
    negatives: below.length,
  };
}

/** The ranking by the values' negatives, in which the negative points are the positive ones. */
export function opposite({ values, truePositives, falsePositives, positives, negatives }: Ranking): Ranking {
  const last = values.length - 1;
  // Those of this value or a smaller one: all but those above it.
  const others = (counts: Uint32Array, all: number) => counts.map((_, k) => all - (k === last ? 0 : counts[last - k - 1]!));
  return {
    values: values.map((_, k) => -values[last - k]!),
    truePositives: others(falsePositives, negatives),
    falsePositives: others(truePositives, positives),
    positives: negatives,
    negatives: positives,
  };
}

/** The values of one side, ascending. */
function sorted(values: Float64Array, positive: Uint8Array, side: 0 | 1): Float64Array {
  const some = new Float64Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) if (positive[i] === side) some[count++] = values[i]!;
  return some.subarray(0, count).sort();
}

/** The area under the ROC curve: how likely a positive point has a larger value than a negative one, ties counting half. */
export function rocAucOf({ truePositives, falsePositives, positives, negatives }: Ranking): number | undefined {
  if (positives === 0 || negatives === 0) return undefined;
  let twice = 0;
  for (let k = 0, right = 0, wrong = 0; k < truePositives.length; k++) {
    twice += (falsePositives[k]! - wrong) * (truePositives[k]! + right);
    [right, wrong] = [truePositives[k]!, falsePositives[k]!];
  }
  return twice / 2 / positives / negatives;
}

/** The mean, over the positive points, of the precision at the threshold just below each. */
export function averagePrecisionOf({ truePositives, falsePositives, positives, negatives }: Ranking): number | undefined {
  if (positives === 0 || negatives === 0) return undefined;
  let total = 0;
  for (let k = 0, before = 0; k < truePositives.length; k++) {
    const right = truePositives[k]!;
    total += ((right - before) * right) / (right + falsePositives[k]!);
    before = right;
  }
  return total / positives;
}

/**
 * The threshold that the `count` largest distinct values exceed, and no others: midway to the next one, so that rounding moves no point
 * across. Infinity: no value does; -Infinity: all do.
 */
export function thresholdBelow({ values }: Ranking, count: number): number {
  if (count === 0) return Infinity;
  if (count === values.length) return -Infinity;
  const [above, below] = [values[count - 1]!, values[count]!];
  const sum = above + below;
  const middle = Number.isFinite(sum) ? sum / 2 : above / 2 + below / 2;
  return middle < above ? middle : below; // the middle of neighbouring numbers may be rounded to the upper one
}
