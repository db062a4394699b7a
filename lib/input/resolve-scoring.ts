/** Checks what a cross-validation is decided by: a metric's name, or a function. */
import { coded, option, rangeError, show, typeError, words } from '../errors.js';
import { MAX_VALUES } from '../metrics/score-of.js';
import { METRICS, type Scorer } from '../metrics/scoring.js';
import { classOf } from '../svm/taking-part.js';
import type { CalibrationKind, HeldOut, Metric } from '../types.js';
import { isRevoked } from './intrinsics.js';
import type { Labels } from './labels.js';
import { oneOfThese, optional } from './options.js';

export interface ScoringInput {
  /** Whether accuracy is the mean over the classes. */
  readonly balanced: boolean;
  /** Undefined: the score is the accuracy. */
  readonly scorer?: Scorer;
  /** Undefined: there are no probabilities. */
  readonly probability?: CalibrationKind | undefined;
}

const SCORING = option('scoring');

export function resolveScoring(
  { scoring, accuracy, probability }: { scoring?: unknown; accuracy?: unknown; probability?: unknown },
  training: Labels,
  folds: number | Int32Array,
): ScoringInput {
  const balanced = optional(accuracy, 'accuracy', oneOfThese('plain', 'balanced')) === 'balanced';
  const kind = optional(probability, 'probability', oneOfThese('sigmoid', 'isotonic'));
  const called = typeof scoring === 'function' && !isRevoked(scoring);
  if (kind && !called && !PROBABLE.includes(scoring as Metric)) {
    const names = PROBABLE.map((name) => `'${name}'`).join(', ');
    const where = words`${SCORING}, as there are probabilities,`;
    throw rangeError('ERR_OPTION', `${names} or a function`, where, scoring);
  }
  if (scoring === undefined) return { balanced };
  if (accuracy !== undefined) {
    const what = words`Expected one of ${SCORING} and ${option('accuracy')} but received both`;
    throw coded(RangeError, 'ERR_OPTION', what);
  }
  const scorer = called ? byFunction(scoring as Callback) : byName(scoring, training);
  if (scorer.byRow) checkSizes(training, folds);
  if (scorer.ranks && typeof folds !== 'number') checkBothSides(training, folds);
  return { balanced, scorer, probability: kind ?? (scorer.probabilities ? 'sigmoid' : undefined) };
}

const PROBABLE = (Object.keys(METRICS) as Metric[]).filter((name) => METRICS[name].probabilities);

type Callback = (held: HeldOut) => unknown;

function byName(name: unknown, { labels }: Labels): Scorer {
  const names = Object.keys(METRICS);
  if (typeof name !== 'string' || !names.includes(name)) {
    const what = `${names.map((known) => `'${known}'`).join(', ')} or a function`;
    throw (typeof name === 'string' ? rangeError : typeError)('ERR_OPTION', what, words`${SCORING}`, name);
  }
  const scorer = METRICS[name as Metric];
  if (scorer.ofTwo && labels.length > 2) {
    const where = words`${SCORING}, as there are ${labels.length} distinct labels,`;
    throw rangeError('ERR_OPTION', 'a metric of several classes', where, name);
  }
  return scorer;
}

/** A scorer that calls the user's function with labels, not their numbers. Larger is better. */
function byFunction(call: Callback): Scorer {
  return {
    isLoss: false,
    byRow: true,
    ranks: false,
    ofTwo: false,
    of: ({ labels, rows }) => {
      const { actual, predicted, values, probabilities: probability } = rows!;
      const named = (numbers: Uint16Array) => Array.from(numbers, (k) => labels[k]!);
      const held = { labels: named(actual), predicted: named(predicted), decision: values };
      const score = call({ ...held, ...(probability && { probability }) });
      if (typeof score === 'number' && Number.isFinite(score)) return score;
      const what = words`what ${SCORING} returns`;
      throw (typeof score === 'number' ? rangeError : typeError)('ERR_OPTION', 'a finite number', what, score);
    },
  };
}

/** Refuses folds whose decision values would take too much memory. */
function checkSizes({ labels, y }: Labels, folds: number | Int32Array): void {
  const each = labels.length === 2 ? 1 : labels.length;
  const max = Math.floor(MAX_VALUES / each);
  const largest = typeof folds === 'number' ? Math.ceil(y.length / folds) : Math.max(...sizesOf(folds));
  if (largest <= max) return;
  const where = words`every fold, as ${SCORING} needs all decision values,`;
  throw rangeError('ERR_OPTION', `at most ${max} rows`, where, largest);
}

function sizesOf(folds: Int32Array): number[] {
  const sizes: number[] = [];
  for (const k of folds) if (k >= 0) sizes[k] = (sizes[k] ?? 0) + 1;
  return sizes;
}

/** Refuses a fold that has rows of one class only, in which nothing can be ranked. */
function checkBothSides(training: Labels, folds: Int32Array): void {
  const first: number[] = []; // by fold, the class of its first row
  const mixed = new Set<number>();
  folds.forEach((k, i) => {
    if (k < 0) return;
    const is = classOf(training, i);
    first[k] ??= is;
    if (first[k] !== is) mixed.add(k);
  });
  const lone = first.findIndex((_, k) => !mixed.has(k));
  if (lone < 0) return;
  const every = `every row of fold ${lone} is of class ${show(training.labels[first[lone]!])}`;
  throw coded(RangeError, 'ERR_OPTION', words`Expected rows of two classes in every fold, for ${SCORING}, but ${every}`);
}
