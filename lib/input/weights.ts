/** Checks the factors on the loss, by class and by row. */
import { coded, option, rangeError, show, typeError, words, type Term, type Words } from '../errors.js';
import { share, type Communicator } from '../mpi/ranks.js';
import { countByClass, type Weights } from '../svm/taking-part.js';
import { isMap, isObject } from './intrinsics.js';
import { oneOfLabels, type Labels } from './labels.js';
import { optionByRow } from './lists.js';
import { HUGE } from './options.js';

const CLASS_WEIGHT = option('classWeight');
const SAMPLE_WEIGHT = option('sampleWeight');
const WEIGHT = `0 or a number from ${1 / HUGE} to ${HUGE}`;

export function resolveWeights(options: { classWeight?: unknown; sampleWeight?: unknown }, { labels, y }: Labels): Weights {
  return {
    byClass: classFactors(options.classWeight, labels),
    byRow: rowFactors(options.sampleWeight, y.length),
  };
}

/** Counts the rows of each class that have a positive weight. A class without such rows is refused. */
export function participants({ byClass, byRow }: Weights, training: Labels, ranks?: Communicator): readonly number[] {
  const { labels } = training;
  const here = countByClass(training, byRow);
  const members = ranks ? share(ranks, here).reduce((sums, counts) => sums.map((sum, k) => sum + counts[k]!)) : here;
  labels.forEach((label, k) => {
    if (members[k] === 0) throw noWeight(label, SAMPLE_WEIGHT);
    if (byClass !== 'balanced' && byClass[k] === 0) throw noWeight(label, CLASS_WEIGHT);
  });
  return members;
}

/** The largest weight, by row or the one for all rows, its row, and the option it comes from. */
export interface WeightRange {
  readonly max: number;
  readonly row: number;
  readonly by: Term;
}

/**
 * The range of the weights by row, or of the one for all rows. A product of both kinds must not be too small either. `byRow`: the user's own
 * weights, if there are any, which errors then name. (A loop, as rows may be many.)
 */
export function rangeOf(weights: Float64Array, { byRow }: Pick<Weights, 'byRow'>): WeightRange {
  const by = byRow ? SAMPLE_WEIGHT : CLASS_WEIGHT;
  let [max, row] = [0, 0];
  for (let i = 0; i < weights.length; i++) {
    const c = weights[i]!;
    if (c > max) [max, row] = [c, i];
    if (c > 0 && c < 1 / HUGE) throw rangeError('ERR_OPTION', WEIGHT, words`the product of the weights of row ${i}, by ${by},`, c);
  }
  return { max, row, by };
}

/** The range of the weights on all ranks. */
export function rangeOver(ranks: Communicator | undefined, range: WeightRange): WeightRange {
  return ranks ? { ...range, max: Math.max(...share(ranks, range.max)) } : range;
}

/** Checks that alpha, at most gamma times the weight, cannot become too large. */
export function checkWeights(gamma: number, { max, row, by }: WeightRange): void {
  const bound = Math.max(gamma, 1) * max;
  if (bound > HUGE && max > 1)
    throw rangeError('ERR_OPTION', `at most ${HUGE}`, words`gamma times the weights of row ${row}, by ${by},`, bound);
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
  if (classWeight === undefined) return labels.map(() => 1);
  if (classWeight === 'balanced') return classWeight;
  if (!isObject(classWeight)) {
    const error = typeof classWeight === 'string' ? rangeError : typeError;
    throw error('ERR_OPTION', "'balanced', a Map or an object", words`${CLASS_WEIGHT}`, classWeight);
  }
  const mapped = isMap(classWeight);
  const entries = mapped ? [...classWeight] : Object.entries(classWeight);
  const factors = labels.map(() => 1);
  const numbers = new Map<unknown, number>(labels.map((label, k) => [mapped ? label : String(label), k]));
  for (const [key, value] of entries) {
    const k = numbers.get(key);
    if (k === undefined) throw rangeError('ERR_OPTION', oneOfLabels(labels), words`a key of ${CLASS_WEIGHT}, as in labels,`, key);
    factors[k] = weight(value, () => words`${CLASS_WEIGHT}[${show(key)}]`);
  }
  return factors;
}

/** `where` is called only for an error: weights may be many. */
function weight(value: unknown, where: () => Words): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', WEIGHT, where(), value);
  if (value !== 0 && !(value >= 1 / HUGE && value <= HUGE)) throw rangeError('ERR_OPTION', WEIGHT, where(), value);
  return value;
}
