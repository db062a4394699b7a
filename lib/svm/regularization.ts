/** What a fit minimises besides |w|²/2: gamma, mu and the loss they stand for. */
import { checkWeights, type WeightRange } from '../input/weights.js';
import type { Loss } from '../types.js';

/** The loss, as the tasks take it: the squared hinge is the hinge without an upper bound on alpha. */
export interface Regularization {
  /** What users read. */
  readonly gamma: number;
  /** The upper bound on alpha, for a row of weight 1. */
  readonly bound: number;
  readonly mu: number;
}

/** What was asked for; undefined: not. */
export interface AskedRegularization {
  readonly gamma: number | undefined;
  readonly mu: number | undefined;
  readonly loss: Loss;
  /** Of the rows that take part. */
  readonly weights: WeightRange;
}

/** Bounds of the default gamma, with room for the grid around it. */
const [SMALLEST, LARGEST] = [1e-96, 1e96];

/**
 * gamma, where none was asked for: 1 / mean squared distance of a row from the centre, in scaled space; 1 if all rows are the same. In as
 * many digits as a 32-bit number has, so that the order of sums does not show.
 */
export function defaultGamma(spread: number, weightSum: number, { max }: WeightRange): number {
  if (!(spread > 0)) return 1;
  const gamma = Math.max(Math.min(weightSum / spread, LARGEST / Math.max(max, 1)), SMALLEST);
  const rounded = Math.fround(gamma);
  return Math.abs(rounded - gamma) <= 1e-6 * gamma ? rounded : gamma;
}

/** `spread`: the sum of squared distances from the centre, `weightSum` that of weights. */
export function regularization(asked: AskedRegularization, spread: number, weightSum: number): Regularization {
  const gamma = asked.gamma ?? defaultGamma(spread, weightSum, asked.weights);
  checkWeights(gamma, asked.weights);
  if (asked.loss === 'squared-hinge') return { gamma, bound: Infinity, mu: 1 / (2 * gamma) };
  return { gamma, bound: gamma, mu: asked.mu ?? 1 / (2 * gamma) };
}
