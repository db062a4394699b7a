/** The gammas that are tried where none are given: powers of 4 around the default of a fit. */
import type { ResolvedSvmOptions } from '../input/index.js';
import type { WeightRange } from '../input/weights.js';
import type { Loop } from '../solver/drivers.js';
import { Training } from '../svm/training.js';
import type { TrainingData } from '../svm/training-data.js';
import type { Label } from '../types.js';

/** Exponents of 4 that are tried first, and how far the grid goes on where the best gamma is the first or the last. */
const FIRST = [-3, -2, -1, 0, 1, 2, 3] as const;
export const FURTHER = [1, 2] as const;

/** How far two neighbours of the grid are apart. */
export const FACTOR = 4;

/** The default gamma of all rows that take part, */
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

/** and the gammas around it. */
export function gammasAround(middle: number): readonly number[] {
  return FIRST.map((exponent) => middle * FACTOR ** exponent);
}
