/** Checks the factors on gamma, by class and by row, and applies them. */
import { types } from 'node:util';
import { coded, option, rangeError, show, typeError, words, type Term, type Words } from '../errors.js';
import { countByClass, type Weights } from '../svm/taking-part.js';
import { isObject } from './intrinsics.js';
import type { Labels } from './labels.js';
import { optionByRow } from './lists.js';
import { HUGE } from './options.js';

const CLASS_WEIGHT = option('classWeight');
const SAMPLE_WEIGHT = option('sampleWeight');

export function resolveWeights(options: { classWeight?: unknown; sampleWeight?: unknown }, { labels, y }: Labels): Weights {
  return {
    byClass: classFactors(options.classWeight, labels),
    byRow: rowFactors(options.sampleWeight, y.length),
  };
}

/** Counts the rows of each class that have a positive weight. A class without such rows is refused. */
export function participants({ byClass, byRow }: Weights, { labels, y }: Labels): [negative: number, positive: number] {
  const members = countByClass(y, byRow);
  for (const side of [0, 1] as const) {
    if (members[side] === 0) throw noWeight(labels[side], SAMPLE_WEIGHT);
    if (byClass !== 'balanced' && byClass[side] === 0) throw noWeight(labels[side], CLASS_WEIGHT);
  }
  return members;
}

/**
 * gamma by row, or one for all, none of them too large. Both classes must keep a positive one: a product may be too small for a number.
 * `byRow`: the user's own weights, if there are any, which errors then name. (A loop, as rows may be many.)
 */
export function gammaByRow(
  gamma: number,
  weights: Float64Array,
  { labels, y }: Labels,
  { byRow }: Pick<Weights, 'byRow'>,
): Float64Array {
  const given = byRow ? SAMPLE_WEIGHT : CLASS_WEIGHT;
  const gammas = new Float64Array(weights.length);
  let [negative, positive] = [gammas.length === 1, gammas.length === 1];
  for (let i = 0; i < gammas.length; i++) {
    const g = (gammas[i] = gamma * weights[i]!);
    if (g > 0) {
      if (y[i]! > 0) positive = true;
      else negative = true;
      if (g > HUGE) throw rangeError('ERR_OPTION', `at most ${HUGE}`, words`gamma times the weights of row ${i}, by ${given},`, g);
    }
  }
  if (negative && positive) return gammas;
  throw noWeight(labels[negative ? 1 : 0], given);
}

function noWeight(label: Labels['labels'][number], given: Term): Error {
  const some = words`some row of class ${show(label)}, by ${given},`;
  return coded(RangeError, 'ERR_OPTION', words`Expected a positive weight for ${some} but all of them are 0`);
}

function rowFactors(sampleWeight: unknown, rows: number): Float64Array | undefined {
  if (sampleWeight === undefined) return undefined;
  const list = optionByRow(sampleWeight, rows, 'an array of numbers', words`${SAMPLE_WEIGHT}`);
  const factors = new Float64Array(rows); // a copy: an async fit gets to it later
  for (let i = 0; i < rows; i++) factors[i] = weight(list[i], () => words`${SAMPLE_WEIGHT}[${i}]`);
  return factors;
}

function classFactors(classWeight: unknown, labels: Labels['labels']): Weights['byClass'] {
  if (classWeight === undefined) return [1, 1];
  if (classWeight === 'balanced') return classWeight;
  if (!isObject(classWeight)) {
    const error = typeof classWeight === 'string' ? rangeError : typeError;
    throw error('ERR_OPTION', "'balanced', a Map or an object", words`${CLASS_WEIGHT}`, classWeight);
  }
  const isMap = types.isMap(classWeight);
  const entries = isMap ? [...classWeight] : Object.entries(classWeight);
  const factors: [number, number] = [1, 1];
  for (const [key, value] of entries) {
    const k = labels.findIndex((label) => label === key || (!isMap && String(label) === key));
    if (k < 0) {
      throw rangeError(
        'ERR_OPTION',
        `${show(labels[0])} or ${show(labels[1])}`,
        words`a key of ${CLASS_WEIGHT}, as in labels,`,
        key,
      );
    }
    factors[k] = weight(value, () => words`${CLASS_WEIGHT}[${show(key)}]`);
  }
  return factors;
}

/** `where` is called only for an error: weights may be many. */
function weight(value: unknown, where: () => Words): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', 'a number of 0 or more', where(), value);
  if (!(value >= 0 && value < Infinity)) throw rangeError('ERR_OPTION', 'a number of 0 or more', where(), value);
  return value;
}
