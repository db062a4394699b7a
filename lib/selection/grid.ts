/** The gammas that are tried where none are given: powers of 4 around the default of a fit. */
import type { ResolvedSvmOptions } from '../input/index.js';
import type { WeightRange } from '../input/weights.js';
import type { Loop } from '../solver/drivers.js';
import { Training } from '../svm/training.js';
import type { TrainingData } from '../svm/training-data.js';
import type { Label } from '../types.js';

/** How far two neighbours of the grid are apart. */
export const FACTOR = 4;

/** How many such steps the grid goes to either side at first, in crossValidate and for gamma: 'auto'. */
export const REACH = 3;
export const QUICK_REACH = 2;

/** The default gamma of all rows that take part. */
export function* measuredGamma(
  data: TrainingData<Label>,
  options: ResolvedSvmOptions,
  weights: Float64Array,
  weightRange: WeightRange,
): Loop<number> {
  const { signal } = options;
  const training = new Training(data, options, { gamma: undefined, weights, weightRange, signal, began: data.began });
  try {
    return yield* training.defaultGamma();
  } finally {
    training.release();
  }
}

/** A gamma, and those around it. */
export function gammasAround(middle: number, reach: number): readonly number[] {
  return Array.from({ length: 2 * reach + 1 }, (_, k) => middle * FACTOR ** (k - reach));
}
