/** Checks and completes the arguments of a split. */
import { coded, option, rangeError, show, typeError, words } from '../errors.js';
import { Table } from '../data/table.js';
import type { DenseMatrix, Label, SparseMatrix, SplitOptions, Splittable } from '../types.js';
import { classesOf, labelList } from './labels.js';
import { arrayOf } from './lists.js';
import { boolean, integer, knownOptions, optional, SEED, share } from './options.js';
import { denseMatrix, formOf, sparseMatrix } from './points.js';
import { SPLIT_WORDS } from './words.js';

const SPLIT_OPTIONS = ['testShare', 'testSize', 'seed', 'stratify'] as const satisfies readonly (keyof SplitOptions)[];

export interface SplitTask {
  /** Rows of any kind, or a matrix of views whose properties were each read once. */
  readonly points: Splittable;
  /** By row, in a list of the caller's kind. */
  readonly labels: ArrayLike<Label>;
  readonly rows: number;
  /** The rows of each class; or, without stratification, all rows. */
  readonly groups: readonly Uint32Array[];
  /** The number of rows of each group that go to the test part. */
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
      words`Expected one of ${option('testShare')} and ${option('testSize')} but received both: ${testShare} and ${testSize}`,
    );
  }
  const stratify = optional(options.stratify, 'stratify', boolean) ?? true;
  const classes = classesOf(list);
  const names = [...classes.keys()];
  const members = [...classes.values()].map((list) => Uint32Array.from(list));
  // A share is rounded to whole rows, and to at least one of each class on either side.
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
          `Expected rows of class ${show(names[k])} on both sides of the split but all of them are on one; set stratify: true`,
        );
      });
    },
  };
}

/** Divides `wanted` in proportion to the sizes by the method of largest remainders. Of each size at least 1 is taken and 1 left. */
function divide(wanted: number, sizes: readonly number[]): number[] {
  const total = sizes.reduce((a, b) => a + b, 0);
  const exact = sizes.map((n) => (wanted * n) / total);
  const take = exact.map((e) => Math.max(Math.floor(e), 1));
  let left = wanted - take.reduce((a, b) => a + b, 0);
  const step = Math.sign(left);
  while (left !== 0) {
    // The entry furthest from its exact share, among those that can change.
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
  if (Table.is(given)) return { points: given, rows: given.rows };
  switch (formOf(given)) {
    case 'rows':
      return { points: given as unknown[], rows: (given as unknown[]).length };
    case 'sparse': {
      const points = checkOffsets(given as SparseMatrix);
      return { points, rows: points.rows };
    }
    case 'dense': {
      const points = denseMatrix(given as DenseMatrix, 'points', 1);
      return { points, rows: points.rows };
    }
    default: {
      const forms = 'rows of numbers, { data, rows, cols } or { indptr, indices, rows, cols }';
      throw typeError('ERR_POINTS', forms, 'points, to be split,', given);
    }
  }
}

/** Checks the row offsets of a sparse matrix, but not its columns and values. Lists keep the caller's kinds. */
function checkOffsets(given: SparseMatrix): SparseMatrix {
  const list = (value: unknown, where: string) => arrayOf<number>(value, 'ERR_POINTS', 'an array of numbers', where);
  const matrix = sparseMatrix(given, 1, { integers: list, values: list });
  const { indptr, indices, rows } = matrix;
  for (let i = 0, last = 0; i <= rows; i++) {
    const start = indptr[i]!;
    if (!Number.isInteger(start) || start < last || start > indices.length || (i === 0 && start !== 0)) {
      const what = i === 0 ? '0' : `an offset from ${last} to ${indices.length}`;
      throw rangeError('ERR_POINTS', what, `points.indptr[${i}]`, start);
    }
    last = start;
  }
  return matrix as SparseMatrix;
}
