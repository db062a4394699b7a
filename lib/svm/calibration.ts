/**
 * From a plane's value to the probability of its positive side (method 3.2).
 *
 * Problem: P(positive | value), which grows with the value.
 * Given:   values of rows that the plane was not trained on, which of them are positive, and their weights.
 * Wanted:  a sigmoid 1 / (1 + exp(a·value + b)), or a line through some points that never falls.
 * Source:  sigmoid: J. Platt, in Advances in Large Margin Classifiers, 2000, in the form of H.-T. Lin, C.-J. Lin and R. C. Weng, Machine
 *          Learning 68, 2007; isotonic: pool adjacent violators, R. E. Barlow et al., Statistical Inference under Order Restrictions, 1972.
 */

import type { CalibrationKind } from '../types.js';

/** 'sigmoid': 1 / (1 + exp(a·value + b)). 'isotonic': linear between ascending values, constant outside. */
export type Calibration =
  | { readonly kind: 'sigmoid'; readonly a: number; readonly b: number }
  | { readonly kind: 'isotonic'; readonly values: Float64Array; readonly probabilities: Float64Array };

/** Values of rows that were held out. */
export interface HeldOutValues {
  readonly values: Float64Array;
  /** 1 for a row of the positive side, 0 for another. */
  readonly positive: Uint8Array;
  /** By row; 0 for one that takes no part. */
  readonly weights: Float64Array;
}

export function calibrate(kind: CalibrationKind, held: HeldOutValues): Calibration {
  return kind === 'sigmoid' ? fitSigmoid(held) : fitIsotonic(held);
}

/** The probability of the positive side at a value. */
export function probabilityAt(calibration: Calibration, value: number): number {
  if (calibration.kind === 'isotonic') return interpolated(calibration.values, calibration.probabilities, value);
  return logistic(-(calibration.a * value + calibration.b));
}

/** 1 / (1 + exp(-x)), without overflow. */
function logistic(x: number): number {
  const e = Math.exp(-Math.abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/** log(1 + exp(x)), without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

const MAX_STEPS = 100;
/** Keeps the matrix of second derivatives invertible. */
const RIDGE = 1e-12;
/** Steps that are shorter than this change nothing. */
const SMALLEST_STEP = 1e-13;
const SHORTEST = 2 ** -40;
const NEARLY_EQUAL = 2 ** -1000;

/** Newton's method with backtracking on the likelihood of targets that are a little inside 0 and 1 (Platt's). */
export function fitSigmoid({ values, positive, weights }: HeldOutValues): Calibration & { kind: 'sigmoid' } {
  let [min, max] = [Infinity, -Infinity];
  const total = [0, 0];
  for (let i = 0; i < values.length; i++) {
    if (weights[i]! === 0) continue;
    min = Math.min(min, values[i]!);
    max = Math.max(max, values[i]!);
    total[positive[i]!]! += weights[i]!;
  }
  const targets = [1 / (total[0]! + 2), (total[1]! + 1) / (total[1]! + 2)];
  // Values are moved and scaled to the range from -1 to 1, where Newton's steps are well conditioned. If all are equal, or so nearly that
  // a would overflow, a stays 0.
  const middle = max / 2 + min / 2;
  const half = max / 2 - min / 2;
  const reach = half > NEARLY_EQUAL ? half : 1;
  const scaled = values.map((value) => (value - middle) / reach);
  const loss = (a: number, b: number) => {
    let sum = 0;
    for (let i = 0; i < scaled.length; i++) {
      if (weights[i]! === 0) continue;
      const f = a * scaled[i]! + b;
      sum += weights[i]! * (softplus(-f) + targets[positive[i]!]! * f);
    }
    return sum;
  };
  let [a, b] = [0, Math.log((total[0]! + 1) / (total[1]! + 1))];
  let now = loss(a, b);
  for (let step = 0; step < MAX_STEPS; step++) {
    let [gradientA, gradientB, aa, ab, bb] = [0, 0, RIDGE, 0, RIDGE];
    for (let i = 0; i < scaled.length; i++) {
      const weight = weights[i]!;
      if (weight === 0) continue;
      const value = scaled[i]!;
      const p = logistic(-(a * value + b));
      const slope = weight * (targets[positive[i]!]! - p);
      const curvature = weight * p * (1 - p);
      gradientA += slope * value;
      gradientB += slope;
      aa += curvature * value * value;
      ab += curvature * value;
      bb += curvature;
    }
    const determinant = aa * bb - ab * ab;
    const stepA = (ab * gradientB - bb * gradientA) / determinant;
    const stepB = (ab * gradientA - aa * gradientB) / determinant;
    if (!(Math.abs(stepA) + Math.abs(stepB) > SMALLEST_STEP * (1 + Math.abs(a) + Math.abs(b)))) break;
    const descent = gradientA * stepA + gradientB * stepB;
    let size = 1;
    let next = loss(a + stepA, b + stepB);
    while (next > now + 1e-4 * size * descent && size > SHORTEST) {
      size /= 2;
      next = loss(a + size * stepA, b + size * stepB);
    }
    if (!(next <= now)) break; // to the last digits
    [a, b, now] = [a + size * stepA, b + size * stepB, next];
  }
  return { kind: 'sigmoid', a: a / reach, b: b - (a / reach) * middle };
}

/** Pools adjacent violators: the nondecreasing function of the values that is nearest to 1 for positive rows and 0 for others. */
export function fitIsotonic({ values, positive, weights }: HeldOutValues): Calibration & { kind: 'isotonic' } {
  const order = Uint32Array.from(values.keys()).filter((i) => weights[i]! > 0);
  order.sort((i, j) => values[i]! - values[j]!);
  // Rows of equal values are one, and so are neighbours whose means would fall.
  const pools: { first: number; last: number; weight: number; sum: number }[] = [];
  for (const i of order) {
    const [value, weight] = [values[i]!, weights[i]!];
    const pool = pools.at(-1);
    if (pool && pool.last === value && pool.first === value) {
      pool.weight += weight;
      pool.sum += weight * positive[i]!;
    } else {
      pools.push({ first: value, last: value, weight, sum: weight * positive[i]! });
    }
  }
  const kept: typeof pools = [];
  for (const pool of pools) {
    let last = { ...pool };
    for (let before = kept.at(-1); before && before.sum * last.weight >= last.sum * before.weight; before = kept.at(-1)) {
      last = { first: before.first, last: last.last, weight: before.weight + last.weight, sum: before.sum + last.sum };
      kept.pop();
    }
    kept.push(last);
  }
  const ends = kept.flatMap(({ first, last, weight, sum }) =>
    (first === last ? [first] : [first, last]).map((value) => [value, sum / weight] as const),
  );
  return {
    kind: 'isotonic',
    values: Float64Array.from(ends, ([value]) => value),
    probabilities: Float64Array.from(ends, ([, probability]) => probability),
  };
}

function interpolated(values: Float64Array, probabilities: Float64Array, value: number): number {
  const last = values.length - 1;
  if (value <= values[0]!) return probabilities[0]!;
  if (value >= values[last]!) return probabilities[last]!;
  let [low, high] = [0, last]; // values[low] < value <= values[high]
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle]! < value) low = middle;
    else high = middle;
  }
  const [x, y] = [values[low]!, probabilities[low]!];
  // Halved, as a difference of values may overflow.
  return y + (probabilities[high]! - y) * ((value / 2 - x / 2) / (values[high]! / 2 - x / 2));
}
