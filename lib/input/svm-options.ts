/** Labels, and what a fit is asked to do. */
import { freemem } from 'node:os';
import { types } from 'node:util';
import { coded, plural, rangeError, show, typeError, Verbatim } from '../errors.js';
import { isArray, isObject, lengthOf } from './intrinsics.js';
import { stop } from '../svm/stopping.js';
import type { Label, Scale, StopRule, SvmOptions, SvmProgress } from '../types.js';
import { labelList, optionByRow } from './lists.js';
import {
  boolean,
  HUGE,
  integer,
  knownOptions,
  oneOfThese,
  optional,
  resolveLimits,
  RUN_OPTIONS,
  sensibleNumber,
  type Limits,
} from './options.js';
import { SVM_WORDS } from './words.js';

export interface Labels {
  readonly labels: readonly [negative: Label, positive: Label];
  /** ±1 by row. */
  readonly y: Int8Array;
}

/** Labels as ±1: of two kinds that are found in the list itself, or `known` beforehand. */
export function resolveLabels(
  list: unknown,
  rows: number,
  { positive, known }: { positive?: unknown; known?: readonly [Label, Label] },
): Labels {
  const given = labelList<Label>(list, rows);
  const seen: Label[] = known ? [...known] : [];
  const type = typeof (known ? known[0] : given[0]);
  if (type !== 'number' && type !== 'string' && type !== 'boolean') {
    throw typeError('ERR_LABELS', 'a number, string or boolean', 'labels[0]', given[0]);
  }
  const y = new Int8Array(rows);
  const begun = types.isFloat64Array(given) ? countTwo(given, seen, y) : 0;
  for (let i = begun; i < rows; i++) {
    const label = given[i]!;
    let k = label === seen[0] ? 0 : label === seen[1] && seen.length === 2 ? 1 : -1;
    if (k < 0) {
      const as = known ? `as the model's labels` : 'as in labels[0]';
      if (typeof label !== type) throw typeError('ERR_LABELS', `a ${type}`, `labels[${i}], ${as},`, label);
      if (type === 'number' && !Number.isFinite(label)) throw rangeError('ERR_LABELS', 'a finite number', `labels[${i}]`, label);
      if (known) throw rangeError('ERR_LABELS', `${show(known[0])} or ${show(known[1])}`, `labels[${i}]`, label);
      k = seen.push(label) - 1;
      if (k === 2) {
        const three = seen.map(show).join(', ');
        const hint = `train one against the rest: labels.map((label) => label === ${show(seen[0])})`;
        throw coded(RangeError, 'ERR_LABELS', `Expected two distinct labels but received at least three: ${three}; ${hint}`);
      }
    }
    y[i] = k;
  }
  if (seen.length < 2) throw coded(RangeError, 'ERR_LABELS', `Expected two distinct labels but every label is ${show(seen[0])}`);
  let [negative, larger] = seen as [Label, Label];
  if (!known && negative > larger) [negative, larger] = [larger, negative];
  if (positive !== undefined && positive !== larger) {
    if (positive !== negative) {
      throw rangeError('ERR_OPTION', `${show(negative)} or ${show(larger)}`, 'options.positive, as in labels,', positive);
    }
    [negative, larger] = [larger, negative];
  }
  const sign = seen.indexOf(larger) === 1 ? 1 : -1;
  for (let i = 0; i < rows; i++) y[i] = sign * (2 * y[i]! - 1);
  return { labels: [negative, larger], y };
}

/**
 * Numbers the labels, as far as they are two finite numbers. (A loop that knows its list's type is ten times as fast, and twice that if
 * nothing is decided by a label, which no processor can guess.)
 */
function countTwo(list: Float64Array, seen: Label[], y: Int8Array): number {
  const first = list[0]!;
  if (seen.length > 0 || !Number.isFinite(first)) return 0;
  let i = 1;
  while (i < list.length && list[i] === first) i++;
  seen.push(first);
  if (i === list.length || !Number.isFinite(list[i])) return i;
  const second = list[i]!;
  seen.push(second);
  let others = 0;
  for (let k = 0; k < list.length; k++) {
    const is = Number(list[k] === second);
    y[k] = is;
    others += 1 - is - Number(list[k] === first);
  }
  if (others === 0) return list.length;
  while (list[i] === second || list[i] === first) i++;
  return i;
}

/** Factors on gamma. */
export interface Weights {
  /** By class, [negative, positive]; 'balanced' depends on the rows that take part. */
  readonly byClass: 'balanced' | readonly [negative: number, positive: number];
  readonly byRow: Float64Array | undefined;
}

export interface ResolvedSvmOptions extends Limits<SvmProgress> {
  readonly gamma: number | 'auto';
  /** What was asked for; by default it follows gamma. */
  readonly mu: number | undefined;
  readonly weights: Weights;
  readonly scale: Scale;
  readonly warmStart: { readonly weights: ArrayLike<number>; readonly bias: number } | undefined;
  readonly keepSets: boolean;
  readonly L: 'measured' | 'norm' | 'paper';
  readonly shrinking: boolean;
  readonly ascent: boolean;
  /** What was asked for. */
  readonly checkEvery: number | undefined;
  readonly rules: readonly StopRule[];
}

const SVM_OPTIONS = [
  'gamma',
  'C',
  'mu',
  'classWeight',
  'sampleWeight',
  'scale',
  'positive',
  'warmStart',
  'keepSets',
  'L',
  'shrinking',
  'ascent',
  'checkEvery',
  'stop',
  ...RUN_OPTIONS,
] as const satisfies readonly (keyof SvmOptions)[];

/** What can be checked before the points are looked at. */
export function knownSvmOptions<L extends Label>(options: SvmOptions<L> | undefined): SvmOptions<L> {
  return knownOptions(options, SVM_OPTIONS, SVM_WORDS);
}

/** Everything but points, labels, backend and threads. */
export function resolveSvmOptions(
  options: SvmOptions,
  rows: number,
  cols: number,
  sparse: boolean,
  { labels, y }: Labels,
): ResolvedSvmOptions {
  checkColumns(cols);
  // gamma, C, mu
  const C = optional(options.C, 'C', sensibleNumber);
  const given = optional(options.gamma, 'gamma', gammaOrAuto);
  if (C !== undefined && given !== undefined && C !== given) {
    throw coded(
      RangeError,
      'ERR_OPTION',
      `Expected one number for options.gamma and its other name C but received ${show(given)} and ${C}`,
    );
  }
  const mu = optional(options.mu, 'mu', sensibleNumber);
  // Weights
  const weights: Weights = {
    byClass: classFactors(options.classWeight, labels),
    byRow: rowFactors(options.sampleWeight, rows),
  };
  const gamma = given ?? C ?? defaultGamma(weights, rows);
  checkWeights(gamma === 'auto' ? 1 : gamma, rowWeights(weights, y), labels, y);
  // Scaling
  const scale = optional(options.scale, 'scale', oneOfThese('auto', 'none', 'standard', 'maxabs')) ?? 'auto';
  // The step size
  const L = optional(options.L, 'L', oneOfThese('measured', 'norm', 'paper')) ?? 'measured';
  const shrinking = optional(options.shrinking, 'shrinking', boolean) ?? L === 'measured';
  if (shrinking && L !== 'measured') {
    throw rangeError('ERR_OPTION', 'false', `options.shrinking with L: '${L}', which needs every row in every step,`, true);
  }
  const rules = stopRules(options.stop);
  // Stopping
  const strict = rules.find((rule) => rule.everyIteration);
  const checkEvery = optional(options.checkEvery, 'checkEvery', integer(1, 1_000_000)) ?? (strict && 1);
  if (strict && checkEvery !== 1) {
    const { name } = strict;
    throw rangeError('ERR_OPTION', '1', `options.checkEvery with the rule ${show(name)}, which sees every iteration,`, checkEvery);
  }
  // A rule that follows every iteration is about FISTA from its beginning.
  const ascent = optional(options.ascent, 'ascent', boolean) ?? (L === 'measured' && !strict);
  return {
    gamma,
    mu,
    weights,
    scale: scale === 'auto' ? (sparse ? 'maxabs' : 'standard') : scale,
    warmStart: warmStart(options.warmStart, cols),
    keepSets: optional(options.keepSets, 'keepSets', boolean) ?? false,
    L,
    shrinking,
    ascent,
    checkEvery,
    rules,
    ...resolveLimits<SvmProgress>(options),
  };
}

/** A model has a weight for every column. No data this package can hold need more; a file that claims more is not a model. */
export const MAX_COLUMNS = 2 ** 28;

function checkColumns(cols: number): void {
  if (cols > MAX_COLUMNS)
    throw rangeError('ERR_POINTS', `at most ${MAX_COLUMNS} columns, as many as a model has weights,`, 'points', cols);
}

/** Bytes that a fit needs for every column that holds an entry, at the least: weights, scales, what is measured of columns, and the sums of each thread. */
const BYTES_A_COLUMN = 128;

/** Entries of a few bytes each must not make the system end the process for want of memory. `kept`: columns that hold one. */
export function checkMemory(kept: number): void {
  if (kept < 2 ** 20) return; // asking the system takes longer than many a fit
  const max = Math.floor(availableMemory() / BYTES_A_COLUMN);
  if (kept > max)
    throw rangeError('ERR_POINTS', `at most ${max} columns that hold an entry, for which there is memory,`, 'points', kept);
}

/** What a process can still have before the system, or its control group, ends it. */
function availableMemory(): number {
  const { availableMemory } = process as { availableMemory?: () => number }; // since Node 20.13
  return availableMemory?.() ?? Math.min(freemem(), process.constrainedMemory() || Infinity);
}

function stopRules(given: unknown): readonly StopRule[] {
  if (given === undefined) return [stop.agreement(0.99), stop.gap(1e-4)];
  const many = isArray(given);
  const rules: StopRule[] = [];
  for (let k = 0; k < (many ? given.length : 1); k++) {
    const rule = (many ? given[k] : given) as StopRule;
    if (!isObject(rule) || typeof rule.start !== 'function') {
      throw typeError('ERR_OPTION', 'a rule such as stop.gap(1e-3)', many ? `options.stop[${k}]` : 'options.stop', rule);
    }
    rules.push(rule);
  }
  if (rules.length === 0) throw rangeError('ERR_OPTION', 'at least one rule', 'options.stop', new Verbatim('none'));
  return rules;
}

function warmStart(given: unknown, cols: number): ResolvedSvmOptions['warmStart'] {
  if (given === undefined) return undefined;
  const { weights, bias } = (isObject(given) ? given : {}) as { weights?: unknown; bias?: unknown };
  const length = lengthOf(weights);
  if (Number.isNaN(length) || typeof bias !== 'number') {
    throw typeError('ERR_OPTION', 'a model, with weights and bias,', 'options.warmStart', given);
  }
  if (length !== cols) {
    throw rangeError('ERR_OPTION', plural(cols, 'number'), 'options.warmStart.weights, one for each column of points,', length);
  }
  if (!Number.isFinite(bias)) throw rangeError('ERR_OPTION', 'a finite number', 'options.warmStart.bias', bias);
  // A copy: an async fit gets to it later. Where weights are 0 it is not touched, and takes no memory.
  const copy = new Float64Array(cols);
  for (let j = 0; j < cols; j++) {
    const weight = (weights as ArrayLike<unknown>)[j];
    if (!Number.isFinite(weight)) throw rangeError('ERR_OPTION', 'a finite number', `options.warmStart.weights[${j}]`, weight);
    if (weight !== 0) copy[j] = weight as number;
  }
  return { weights: copy, bias };
}

// Plain loops: a cross-validation comes by here for every fit.

/** The factors by row, or one for all; where not all rows take part, by row, and 0 for those that do not. */
export function rowWeights({ byClass, byRow }: Weights, y: Int8Array, taking?: Uint8Array): Float64Array {
  if (!byRow && !taking && byClass !== 'balanced' && byClass[0] === 1 && byClass[1] === 1) return Float64Array.of(1);
  const weights = new Float64Array(y.length);
  const counts: [number, number] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    if (taking && taking[i] === 0) continue;
    const weight = byRow ? byRow[i]! : 1;
    weights[i] = weight;
    if (weight > 0) counts[y[i]! > 0 ? 1 : 0]++;
  }
  const n = counts[0] + counts[1];
  const [negative, positive] = byClass === 'balanced' ? [n / (2 * counts[0]), n / (2 * counts[1])] : byClass;
  if (negative === 1 && positive === 1) return weights;
  for (let i = 0; i < y.length; i++) if (weights[i]! > 0) weights[i]! *= y[i]! > 0 ? positive : negative;
  return weights;
}

/** gamma by row, or one for all. Both classes must take part, and none of it may be too much. (Loops, as rows may be many.) */
export function checkWeights(gamma: number, weights: Float64Array, labels: Labels['labels'], y: Int8Array): Float64Array {
  const gammas = new Float64Array(weights.length);
  let [negative, positive] = [gammas.length === 1, gammas.length === 1];
  for (let i = 0; i < gammas.length; i++) {
    const g = (gammas[i] = gamma * weights[i]!);
    if (g > 0) {
      if (y[i]! > 0) positive = true;
      else negative = true;
      if (g > HUGE) throw rangeError('ERR_OPTION', `at most ${HUGE}`, `gamma times the weights of row ${i}`, g);
    }
  }
  if (negative && positive) return gammas;
  const label = show(labels[negative ? 1 : 0]);
  throw coded(RangeError, 'ERR_OPTION', `Expected a positive weight for some row of class ${label} but all of them are 0`);
}

/** The paper's, of the rows that take part. */
export function defaultGamma({ byRow }: Weights, rows: number): number {
  return 64 / (byRow ? countPositive(byRow) : rows);
}

/** (A loop, as rows may be many.) */
export function countPositive(list: Float64Array): number {
  let count = 0;
  for (let i = 0; i < list.length; i++) if (list[i]! > 0) count++;
  return count;
}

function gammaOrAuto(value: unknown, where: string): number | 'auto' {
  if (value === 'auto') return value;
  if (typeof value !== 'number') throw typeError('ERR_OPTION', "a positive number or 'auto'", where, value);
  return sensibleNumber(value, where);
}

function rowFactors(sampleWeight: unknown, rows: number): Float64Array | undefined {
  if (sampleWeight === undefined) return undefined;
  const list = optionByRow(sampleWeight, rows, 'an array of numbers', 'options.sampleWeight');
  const factors = new Float64Array(rows); // a copy: an async fit gets to it later
  for (let i = 0; i < rows; i++) factors[i] = weight(list[i], `options.sampleWeight[${i}]`);
  return factors;
}

function classFactors(classWeight: unknown, labels: Labels['labels']): Weights['byClass'] {
  if (classWeight === undefined) return [1, 1];
  if (classWeight === 'balanced') return classWeight;
  if (!isObject(classWeight)) {
    const error = typeof classWeight === 'string' ? rangeError : typeError;
    throw error('ERR_OPTION', "'balanced', a Map or an object", 'options.classWeight', classWeight);
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
        'a key of options.classWeight, as in labels,',
        key,
      );
    }
    factors[k] = weight(value, `options.classWeight[${show(key)}]`);
  }
  return factors;
}

function weight(value: unknown, where: string): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', 'a number of 0 or more', where, value);
  if (!(value >= 0 && value < Infinity)) throw rangeError('ERR_OPTION', 'a number of 0 or more', where, value);
  return value;
}
