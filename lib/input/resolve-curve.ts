/** Checks the arguments of curves and thresholds: a number for each point, its label, and which label is positive. */
import { coded, option, rangeError, show, typeError, Verbatim, words, type Words } from '../errors.js';
import type { CalibrationOptions, CurveOptions, ThresholdOptions } from '../types.js';
import { isOf } from './intrinsics.js';
import { oneOfLabels, resolveLabels } from './labels.js';
import { listOf, numbersOf } from './lists.js';
import { integer, knownOptions, oneOfThese, optional } from './options.js';
import { CURVE_WORDS } from './words.js';

export interface CurveInput {
  /** A copy. */
  readonly values: Float64Array;
  /** 1 for positive points, 0 for all others; there are some of both. */
  readonly positive: Uint8Array;
}

export interface CalibrationInput extends CurveInput {
  readonly bins: number;
  readonly strategy: 'uniform' | 'quantile';
}

export interface ThresholdInput extends CurveInput {
  readonly wanted: 'precision' | 'recall';
  readonly least: number;
}

const CURVE_OPTIONS = ['positive'] as const satisfies readonly (keyof CurveOptions)[];
const CALIBRATION_OPTIONS = ['positive', 'bins', 'strategy'] as const satisfies readonly (keyof CalibrationOptions)[];
const THRESHOLD_OPTIONS = ['precision', 'recall', 'positive'] as const satisfies readonly (keyof ThresholdOptions)[];

/** At most so many bins. */
const MAX_BINS = 2 ** 16;

export function resolveCurve(values: unknown, labels: unknown, given?: CurveOptions): CurveInput {
  const { positive } = knownOptions(given, CURVE_OPTIONS, CURVE_WORDS);
  const numbers = numbersByPoint(values, 'values', 'a finite number', Number.isFinite);
  return { values: numbers, positive: positiveRows(labels, numbers.length, 'value', positive) };
}

export function resolveCalibration(probabilities: unknown, labels: unknown, given?: CalibrationOptions): CalibrationInput {
  const { positive, bins, strategy } = knownOptions(given, CALIBRATION_OPTIONS, CURVE_WORDS);
  const numbers = numbersByPoint(probabilities, 'probabilities', 'a number from 0 to 1', isRate);
  return {
    values: numbers,
    positive: positiveRows(labels, numbers.length, 'probability', positive),
    bins: optional(bins, 'bins', integer(1, MAX_BINS)) ?? 10,
    strategy: optional(strategy, 'strategy', oneOfThese('uniform', 'quantile')) ?? 'uniform',
  };
}

export function resolveThreshold(values: unknown, labels: unknown, given: ThresholdOptions): ThresholdInput {
  const { precision, recall, positive } = knownOptions(given, THRESHOLD_OPTIONS, CURVE_WORDS);
  if ((precision === undefined) === (recall === undefined)) {
    const received = precision === undefined ? 'neither' : `both: ${show(precision)} and ${show(recall)}`;
    throw coded(
      precision === undefined ? TypeError : RangeError,
      'ERR_OPTION',
      words`Expected one of ${option('precision')} and ${option('recall')} but received ${received}`,
    );
  }
  const numbers = numbersByPoint(values, 'values', 'a finite number', Number.isFinite);
  const wanted = precision === undefined ? 'recall' : 'precision';
  return {
    values: numbers,
    positive: positiveRows(labels, numbers.length, 'value', positive),
    wanted,
    least: rate(precision ?? recall, words`${option(wanted)}`),
  };
}

function isRate(value: number): boolean {
  return value >= 0 && value <= 1;
}

function rate(value: unknown, where: Words): number {
  if (typeof value === 'number' && isRate(value)) return value;
  throw (typeof value === 'number' ? rangeError : typeError)('ERR_OPTION', 'a number from 0 to 1', where, value);
}

/** Copies and checks numbers, at least one. */
function numbersByPoint(given: unknown, name: string, what: string, accepts: (value: number) => boolean): Float64Array {
  const list = listOf<number>(given, 'ERR_POINTS', 'an array of numbers', name);
  if (list.length === 0) throw rangeError('ERR_POINTS', 'at least one number', name, new Verbatim('none'));
  const check = (value: unknown, i: number) => {
    if (typeof value === 'number' && accepts(value)) return value;
    throw (typeof value === 'number' ? rangeError : typeError)('ERR_POINTS', what, `${name}[${i}]`, value);
  };
  if (!isOf(list, 'Float64Array')) return Float64Array.from(numbersOf(list, check));
  const numbers = list.slice();
  numbers.forEach(check);
  return numbers;
}

/** Which rows are positive: those of the given label; by default those of the larger one of two. */
function positiveRows(given: unknown, rows: number, each: string, positive: unknown): Uint8Array {
  const { labels, y, classes } = resolveLabels(given, rows, { each });
  if (positive === undefined && classes) {
    const what = words`Expected two distinct labels, or one of them for ${option('positive')}, but received ${labels.length} distinct labels`;
    throw coded(RangeError, 'ERR_LABELS', what);
  }
  const at = positive === undefined ? 1 : (labels as readonly unknown[]).indexOf(positive);
  if (at < 0) throw rangeError('ERR_OPTION', oneOfLabels(labels), words`${option('positive')}, as in labels,`, positive);
  const wanted = classes ? at : 2 * at - 1;
  const is = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) is[i] = Number((classes ?? y)[i] === wanted);
  return is;
}
