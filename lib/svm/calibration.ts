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

/** Newton's method takes about ten steps; more are a safeguard. */
const MAX_STEPS = 100;
/** Keeps the matrix of second derivatives invertible. */
const RIDGE = 1e-12;
/** Where the likelihood can grow by no more than this share of the weights, one more step takes it to the last digits. */
const NEAR = 1e-8;
/** Where it can grow by no more than this share, whole steps of Newton's method converge, and losses need not be compared. */
const CLOSE = 1e-3;
const SHORTEST = 2 ** -40;
const NEARLY_EQUAL = 2 ** -1000;
/** More rows than this start from the sigmoid of some of them. */
const SAMPLE = 4096;

/** Newton's method with backtracking on the likelihood of targets that are a little inside 0 and 1 (Platt's). */
export function fitSigmoid(held: HeldOutValues): Calibration & { kind: 'sigmoid' } {
  const { values, positive, weights } = held;
  let [min, max] = [Infinity, -Infinity];
  const total = [0, 0];
  for (let i = 0; i < values.length; i++) {
    if (weights[i]! === 0) continue;
    min = Math.min(min, values[i]!);
    max = Math.max(max, values[i]!);
    total[positive[i]!]! += weights[i]!;
  }
  // Values are moved and scaled to the range from -1 to 1, where Newton's steps are well conditioned. If all are equal, or so nearly that
  // a would overflow, a stays 0.
  const middle = max / 2 + min / 2;
  const half = max / 2 - min / 2;
  const reach = half > NEARLY_EQUAL ? half : 1;
  const scaled = values.map((value) => (value - middle) / reach);
  const likelihood = new Likelihood({ values: scaled, positive, weights }, total as [number, number]);
  const start = values.length > 4 * SAMPLE ? fitSigmoid(sampleOf(held)) : undefined;
  let [a, b] = start ? [start.a * reach, start.b + start.a * middle] : [0, Math.log((total[0]! + 1) / (total[1]! + 1))];
  const rows = total[0]! + total[1]!;
  let now = likelihood.at(a, b, !start);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { gradientA, gradientB, aa, ab, bb } = now;
    const determinant = aa * bb - ab * ab;
    const stepA = (ab * gradientB - bb * gradientA) / determinant;
    const stepB = (ab * gradientA - aa * gradientB) / determinant;
    const descent = gradientA * stepA + gradientB * stepB;
    if (!(descent < -NEAR * rows)) {
      if (Number.isFinite(stepA + stepB)) [a, b] = [a + stepA, b + stepB];
      break;
    }
    const cautious = descent < -CLOSE * rows;
    if (cautious && Number.isNaN(now.loss)) now = likelihood.at(a, b, true);
    let size = 1;
    let next = likelihood.at(a + stepA, b + stepB, cautious);
    while (cautious && next.loss > now.loss + 1e-4 * size * descent && size > SHORTEST) {
      size /= 2;
      next = likelihood.at(a + size * stepA, b + size * stepB, true);
    }
    [a, b, now] = [a + size * stepA, b + size * stepB, next];
  }
  return { kind: 'sigmoid', a: a / reach, b: b - (a / reach) * middle };
}

/** Every so manieth row. */
function sampleOf({ values, positive, weights }: HeldOutValues): HeldOutValues {
  const each = Math.ceil(values.length / SAMPLE);
  const length = Math.ceil(values.length / each);
  return {
    values: Float64Array.from({ length }, (_, k) => values[k * each]!),
    positive: Uint8Array.from({ length }, (_, k) => positive[k * each]!),
    weights: Float64Array.from({ length }, (_, k) => weights[k * each]!),
  };
}

/** Minus the logarithm of the likelihood, and its derivatives. */
class Likelihood {
  readonly #held: HeldOutValues;
  readonly #targets: readonly [negative: number, positive: number];

  constructor(held: HeldOutValues, [negative, positive]: readonly [number, number]) {
    this.#held = held;
    this.#targets = [1 / (negative + 2), (positive + 1) / (positive + 2)];
  }

  /** `withLoss`: whether the loss itself is wanted, which takes as long as all derivatives; NaN if not. */
  at(a: number, b: number, withLoss: boolean) {
    const { values, positive, weights } = this.#held;
    const [low, high] = this.#targets;
    let [loss, gradientA, gradientB, aa, ab, bb] = [0, 0, 0, RIDGE, 0, RIDGE];
    for (let i = 0; i < values.length; i++) {
      const weight = weights[i]!;
      if (weight === 0) continue;
      const value = values[i]!;
      const target = positive[i] ? high : low;
      const f = a * value + b;
      const e = Math.exp(-Math.abs(f));
      const p = f >= 0 ? e / (1 + e) : 1 / (1 + e);
      if (withLoss) loss += weight * (Math.log(1 + e) + (f >= 0 ? target * f : (target - 1) * f));
      const slope = weight * (target - p);
      const curvature = weight * p * (1 - p);
      gradientA += slope * value;
      gradientB += slope;
      aa += curvature * value * value;
      ab += curvature * value;
      bb += curvature;
    }
    return { loss: withLoss ? loss : NaN, gradientA, gradientB, aa, ab, bb };
  }
}

/** Pools adjacent violators: the nondecreasing function of the values that is nearest to 1 for positive rows and 0 for others. */
export function fitIsotonic({ values, positive, weights }: HeldOutValues): Calibration & { kind: 'isotonic' } {
  // Rows of equal values are one.
  const all = values.filter((_, i) => weights[i]! > 0).sort();
  const distinct = all.filter((value, k) => k === 0 || value !== all[k - 1]);
  const [weight, sum] = [new Float64Array(distinct.length), new Float64Array(distinct.length)];
  for (let i = 0; i < values.length; i++) {
    if (weights[i]! === 0) continue;
    const k = lastBelow(distinct, values[i]!) + 1;
    weight[k]! += weights[i]!;
    sum[k]! += weights[i]! * positive[i]!;
  }
  // Neighbours whose means would fall, or are equal, are pooled. The first ones of the lists become the pools.
  const first = new Uint32Array(distinct.length);
  let pools = 0;
  for (let k = 0; k < distinct.length; k++) {
    [first[pools], weight[pools], sum[pools]] = [k, weight[k]!, sum[k]!];
    for (; pools > 0 && sum[pools - 1]! * weight[pools]! >= sum[pools]! * weight[pools - 1]!; pools--) {
      weight[pools - 1]! += weight[pools]!;
      sum[pools - 1]! += sum[pools]!;
    }
    pools++;
  }
  const ends: [value: number, probability: number][] = [];
  for (let p = 0; p < pools; p++) {
    const last = (p + 1 < pools ? first[p + 1]! : distinct.length) - 1;
    ends.push([distinct[first[p]!]!, sum[p]! / weight[p]!]);
    if (last > first[p]!) ends.push([distinct[last]!, sum[p]! / weight[p]!]);
  }
  return {
    kind: 'isotonic',
    values: Float64Array.from(ends, ([value]) => value),
    probabilities: Float64Array.from(ends, ([, probability]) => probability),
  };
}

/** The index of the last of ascending numbers that is below this one; -1 if none is. */
function lastBelow(ascending: Float64Array, value: number): number {
  let [low, high] = [-1, ascending.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < value) low = middle;
    else high = middle;
  }
  return low;
}

function interpolated(values: Float64Array, probabilities: Float64Array, value: number): number {
  const k = lastBelow(values, value);
  if (k < 0) return probabilities[0]!;
  if (k === values.length - 1) return probabilities[k]!;
  const [x, y] = [values[k]!, probabilities[k]!];
  // Halved, as a difference of values may overflow.
  return y + (probabilities[k + 1]! - y) * ((value / 2 - x / 2) / (values[k + 1]! / 2 - x / 2));
}
