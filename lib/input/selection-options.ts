/** What a cross-validation is asked to do, and what is to be split. */
import { coded, plural, rangeError, show, typeError, Verbatim } from '../errors.js';
import { isArray, isObject, isTypedArray, plainView } from './intrinsics.js';
import { stop } from '../svm/stopping.js';
import type {
  CrossValidationOptions,
  CrossValidationProgress,
  DenseMatrix,
  Label,
  SparseMatrix,
  SplitOptions,
  SvmOptions,
} from '../types.js';
import { labelList, listOf, numbersOf, optionByRow } from './lists.js';
import {
  boolean,
  integer,
  knownOptions,
  oneOfThese,
  optional,
  resolveLimits,
  RUN_OPTIONS,
  sensibleNumber,
  share,
} from './options.js';
import { checkSparseKeys, denseMatrix, size } from './points.js';
import { countPositive, resolveSvmOptions, type ResolvedSvmOptions, type Labels } from './svm-options.js';
import { CROSS_VALIDATION_WORDS, SPLIT_WORDS } from './words.js';

const SEED = integer(0, Number.MAX_SAFE_INTEGER);

const CROSS_VALIDATION_OPTIONS = [
  'folds',
  'gammas',
  'seed',
  'accuracy',
  'positive',
  'classWeight',
  'sampleWeight',
  'scale',
  'stop',
  ...RUN_OPTIONS,
] as const satisfies readonly (keyof CrossValidationOptions)[];

export function knownCrossValidationOptions<L extends Label>(
  options: CrossValidationOptions<L> | undefined,
): CrossValidationOptions<L> {
  return knownOptions(options, CROSS_VALIDATION_OPTIONS, CROSS_VALIDATION_WORDS);
}

/** What gamma is tried times the rows that take part. The default of a fit is in the middle. */
export const PATH = [4, 16, 64, 256, 1024, 4096, 16384] as const;

export interface CrossValidationTask {
  /** What every fit has in common. */
  readonly fit: ResolvedSvmOptions;
  /** How many; or, by row, which. */
  readonly folds: number | Int32Array;
  /** Ascending. */
  readonly gammas: readonly number[];
  readonly seed: number;
  readonly balanced: boolean;
  readonly onProgress: ((progress: CrossValidationProgress) => void) | undefined;
}

export function resolveCrossValidation(
  options: CrossValidationOptions,
  rows: number,
  cols: number,
  sparse: boolean,
  labels: Labels,
): CrossValidationTask {
  const { classWeight, sampleWeight, scale, maxIterations, timeLimit, signal } = options;
  const stopping = options.stop ?? [stop.agreement(0.99), stop.gap(1e-3)];
  const given = { classWeight, sampleWeight, scale, maxIterations, timeLimit, signal, stop: stopping };
  const fit = resolveSvmOptions(given as SvmOptions, rows, cols, sparse, labels); // what is undefined was not given
  const { byRow } = fit.weights;
  const weight = (i: number) => byRow?.[i] ?? 1;
  const taking = byRow ? countPositive(byRow) : rows;
  const folds =
    options.folds === undefined || typeof options.folds === 'number'
      ? (optional(options.folds, 'folds', integer(2, rows)) ?? 5)
      : foldsByRow(options.folds, labels, weight);
  if (typeof folds === 'number') checkFolds(folds, labels, byRow, 'options.folds');
  return {
    fit,
    folds,
    gammas: optional(options.gammas, 'gammas', gammaList) ?? PATH.map((product) => product / taking),
    seed: optional(options.seed, 'seed', SEED) ?? 0,
    balanced: optional(options.accuracy, 'accuracy', oneOfThese('plain', 'balanced')) === 'balanced',
    onProgress: resolveLimits<CrossValidationProgress>(options).onProgress,
  };
}

/** Every fold holds out a row of each class, and leaves one to learn from. */
export function checkFolds(folds: number, { labels, y }: Labels, byRow: Float64Array | undefined, where: string): void {
  const members: [number, number] = [0, 0];
  for (let i = 0; i < y.length; i++) if (!byRow || byRow[i]! > 0) members[y[i]! > 0 ? 1 : 0]++;
  for (const side of [0, 1] as const) {
    if (members[side] >= folds) continue;
    const of = `class ${show(labels[side])}, one for each fold of ${where},`;
    throw coded(RangeError, 'ERR_LABELS', `Expected at least ${folds} rows of ${of} but received ${members[side]}`);
  }
}

/** The folds of rows of weight 0 do not count. */
function foldsByRow(given: unknown, { labels, y }: Labels, weight: (row: number) => number): Int32Array {
  const rows = y.length;
  const list = optionByRow(given, rows, 'an integer, or an array with the fold of each row,', 'options.folds');
  const check = integer(0, rows - 1);
  const fold = Int32Array.from({ length: rows }, (_, i) => check(list[i], `options.folds[${i}]`));
  const count = fold.reduce((max, k, i) => (weight(i) > 0 ? Math.max(max, k) : max), 0) + 1;
  // By fold and class, and by class.
  const members = [new Uint32Array(count), new Uint32Array(count)] as const;
  const totals = [0, 0];
  fold.forEach((k, i) => {
    if (!(weight(i) > 0)) return;
    const side = y[i]! > 0 ? 1 : 0;
    members[side][k]!++;
    totals[side]!++;
  });
  for (let k = 0; k < count; k++) {
    if (members[0][k]! + members[1][k]! === 0) {
      throw coded(RangeError, 'ERR_OPTION', `Expected a row in every fold of options.folds but fold ${k} of ${count} has none`);
    }
    for (const side of [0, 1] as const) {
      if (members[side][k] === totals[side]) {
        throw coded(
          RangeError,
          'ERR_OPTION',
          `Expected rows of class ${show(labels[side])} outside every fold of options.folds but all of them are in fold ${k}`,
        );
      }
    }
  }
  return fold;
}

function gammaList(given: unknown, where: string): readonly number[] {
  const list = listOf<number>(given, 'ERR_OPTION', 'an array of numbers', where);
  const gammas = numbersOf(list, (value, k) => sensibleNumber(value, `${where}[${k}]`)).sort((a, b) => a - b);
  if (gammas.length === 0) throw rangeError('ERR_OPTION', 'at least one number', where, new Verbatim('none'));
  const twice = gammas.find((gamma, k) => gamma === gammas[k - 1]);
  if (twice !== undefined) throw rangeError('ERR_OPTION', 'distinct numbers', where, new Verbatim(`${twice} twice`));
  return gammas;
}

// ---- Splitting

const SPLIT_OPTIONS = ['testShare', 'testSize', 'seed', 'stratify'] as const satisfies readonly (keyof SplitOptions)[];

export interface SplitTask {
  /** Rows of any kind, or a matrix; a copy or a view of what was given, each part of which was asked for once. */
  readonly points: readonly unknown[] | DenseMatrix | SparseMatrix;
  /** By row, in a list of the kind that was given. */
  readonly labels: ArrayLike<Label>;
  readonly rows: number;
  /** The rows of each class, or of all. */
  readonly groups: readonly Uint32Array[];
  /** How many rows of each group are for the test. */
  readonly take: readonly number[];
  readonly seed: number;
  /** Refuses a split that leaves a class without rows on one side. */
  readonly check: (test: Uint8Array) => void;
}

export function resolveSplit(given: unknown, labels: unknown, asked?: SplitOptions): SplitTask {
  const options = knownOptions(asked, SPLIT_OPTIONS, SPLIT_WORDS);
  const { points, rows } = splittable(given);
  const list = labelList<Label>(labels, rows);
  if (rows < 2) throw rangeError('ERR_POINTS', 'at least 2 rows', 'points', rows);
  const testShare = optional(options.testShare, 'testShare', share);
  const testSize = optional(options.testSize, 'testSize', integer(1, rows - 1));
  if (testShare !== undefined && testSize !== undefined) {
    throw coded(
      RangeError,
      'ERR_OPTION',
      `Expected one of options.testShare and options.testSize but received both: ${testShare} and ${testSize}`,
    );
  }
  const stratify = optional(options.stratify, 'stratify', boolean) ?? true;
  const classes = classesOf(list);
  const names = [...classes.keys()];
  const members = [...classes.values()].map((list) => Uint32Array.from(list));
  // A share is as near as whole rows, one of each class on either side, come to it.
  const min = stratify ? members.length : 1;
  const wanted = testSize ?? Math.max(Math.min(Math.round((testShare ?? 0.25) * rows), rows - min), min);
  if (stratify) {
    const lonely = members.findIndex((list) => list.length < 2);
    if (lonely >= 0) {
      const of = `class ${show(names[lonely])}, for either side,`;
      throw coded(RangeError, 'ERR_LABELS', `Expected at least 2 rows of ${of} but received 1`);
    }
    if (wanted < min || rows - wanted < min) {
      const [side, got] = wanted < min ? ['test', wanted] : ['training', rows - wanted];
      throw rangeError('ERR_OPTION', `at least ${min} rows, one of each class,`, `the ${side} part`, got);
    }
  }
  return {
    points,
    labels: list,
    rows,
    groups: stratify ? members : [Uint32Array.from({ length: rows }, (_, i) => i)],
    take: stratify
      ? divide(
          wanted,
          members.map((list) => list.length),
        )
      : [wanted],
    seed: optional(options.seed, 'seed', SEED) ?? 0,
    check: (test) => {
      members.forEach((list, k) => {
        const tested = list.reduce((count, i) => count + test[i]!, 0);
        if (tested > 0 && tested < list.length) return;
        throw coded(
          RangeError,
          'ERR_OPTION',
          `Expected rows of class ${show(names[k])} on both sides of the split but all of them came to one; stratify: true sees to it`,
        );
      });
    },
  };
}

/** The rows of each label, in the order of the labels' first appearance. */
function classesOf(labels: ArrayLike<Label>): Map<Label, number[]> {
  const classes = new Map<Label, number[]>();
  const type = typeof labels[0];
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i]!;
    if (type !== 'number' && type !== 'string' && type !== 'boolean') {
      throw typeError('ERR_LABELS', 'a number, string or boolean', 'labels[0]', label);
    }
    if (typeof label !== type) throw typeError('ERR_LABELS', `a ${type}`, `labels[${i}], as in labels[0],`, label);
    if (type === 'number' && !Number.isFinite(label)) throw rangeError('ERR_LABELS', 'a finite number', `labels[${i}]`, label);
    const list = classes.get(label);
    if (list) list.push(i);
    else classes.set(label, [i]);
  }
  return classes;
}

/** Divides `wanted` in proportion to the sizes, each getting at least 1 and leaving at least 1: what is left goes by largest remainder. */
function divide(wanted: number, sizes: readonly number[]): number[] {
  const total = sizes.reduce((a, b) => a + b, 0);
  const exact = sizes.map((n) => (wanted * n) / total);
  const take = exact.map((e) => Math.max(Math.floor(e), 1));
  let left = wanted - take.reduce((a, b) => a + b, 0);
  const step = Math.sign(left);
  while (left !== 0) {
    // The one that is furthest from its share, among those that can give or take.
    let k = -1;
    sizes.forEach((n, j) => {
      const next = take[j]! + step;
      if (next >= 1 && next < n && (k < 0 || step * (exact[j]! - take[j]!) > step * (exact[k]! - take[k]!))) k = j;
    });
    take[k]! += step;
    left -= step;
  }
  return take;
}

function splittable(given: unknown): Pick<SplitTask, 'points' | 'rows'> {
  if (isArray(given)) return { points: given, rows: given.length };
  if (isObject(given)) {
    if ('indptr' in given) {
      const points = sparseMatrix(given as SparseMatrix);
      return { points, rows: points.rows };
    }
    if ('data' in given) {
      const points = denseMatrix(given as DenseMatrix, 'points', 1);
      return { points, rows: points.rows };
    }
  }
  throw typeError(
    'ERR_POINTS',
    'rows of numbers, { data, rows, cols } or { indptr, indices, rows, cols }',
    'points, to be split,',
    given,
  );
}

/** A sparse matrix whose rows can be told apart; its columns and values are not looked at. */
function sparseMatrix(given: SparseMatrix): SparseMatrix {
  checkSparseKeys(given, 'points');
  const { indptr: starts, indices: columns, values: numbers, rows: count, cols } = given;
  const rows = size(count, 'points.rows', 1);
  const indptr = list(starts, 'points.indptr') as Uint32Array;
  const indices = list(columns, 'points.indices') as Uint32Array;
  const values = numbers === undefined ? undefined : (list(numbers, 'points.values') as Float64Array);
  if (indptr.length !== rows + 1) {
    throw rangeError('ERR_POINTS', `rows + 1 = ${rows + 1} offsets`, 'points.indptr', indptr.length);
  }
  if (values !== undefined && values.length !== indices.length) {
    throw rangeError('ERR_POINTS', plural(indices.length, 'number'), 'points.values, as in points.indices,', values.length);
  }
  for (let i = 0, last = 0; i <= rows; i++) {
    const start = indptr[i]!;
    if (!Number.isInteger(start) || start < last || start > indices.length || (i === 0 && start !== 0)) {
      const what = i === 0 ? '0' : `an offset from ${last} to ${indices.length}`;
      throw rangeError('ERR_POINTS', what, `points.indptr[${i}]`, start);
    }
    last = start;
  }
  return { indptr, indices, ...(values && { values }), rows, cols };
}

function list(given: unknown, where: string): ArrayLike<number> {
  if (isTypedArray(given)) return plainView(given) as ArrayLike<number>;
  if (isArray(given)) return given as number[];
  throw typeError('ERR_POINTS', 'an array of numbers', where, given);
}
