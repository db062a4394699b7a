/** Checks folds: their number, or the fold of each row. */
import { coded, option, show, words, type Words } from '../errors.js';
import { takesPart, type RowWeights } from '../svm/taking-part.js';
import type { Labels } from './labels.js';
import { optionByRow } from './lists.js';
import { integer } from './options.js';

const FOLDS = option('folds');

/** Checks that every fold can hold out a row of each class and leave one for training. */
export function checkFolds(
  folds: number,
  members: readonly [negative: number, positive: number],
  labels: Labels['labels'],
  where: Words,
): void {
  for (const side of [0, 1] as const) {
    if (members[side] >= folds) continue;
    const of = words`class ${show(labels[side])}, one for each fold of ${where},`;
    throw coded(RangeError, 'ERR_LABELS', words`Expected at least ${folds} rows of ${of} but received ${members[side]}`);
  }
}

/** Checks the fold of each row. It becomes -1 for a row that takes no part. */
export function foldsByRow(given: unknown, { labels, y }: Labels, weights: RowWeights): Int32Array {
  const rows = y.length;
  const list = optionByRow(given, rows, 'an integer, or an array with the fold of each row,', words`${FOLDS}`);
  const check = integer(0, rows - 1);
  const fold = Int32Array.from({ length: rows }, (_, i) => {
    // The fast path: the words of a message are built only for a bad entry.
    const k: unknown = list[i];
    return typeof k === 'number' && k >>> 0 === k && k < rows ? k : check(k, words`${FOLDS}[${i}]`);
  });
  fold.forEach((_, i) => {
    if (!takesPart(weights, i)) fold[i] = -1;
  });
  const count = fold.reduce((max, k) => Math.max(max, k), 0) + 1;
  // Rows by class and fold, and by class.
  const members = [new Uint32Array(count), new Uint32Array(count)] as const;
  const totals = [0, 0];
  fold.forEach((k, i) => {
    if (k < 0) return;
    const side = y[i]! > 0 ? 1 : 0;
    members[side][k]!++;
    totals[side]!++;
  });
  for (let k = 0; k < count; k++) {
    if (members[0][k]! + members[1][k]! === 0) {
      throw coded(RangeError, 'ERR_OPTION', words`Expected a row in every fold of ${FOLDS} but fold ${k} of ${count} has none`);
    }
    for (const side of [0, 1] as const) {
      if (members[side][k] === totals[side]) {
        throw coded(
          RangeError,
          'ERR_OPTION',
          words`Expected rows of class ${show(labels[side])} outside every fold of ${FOLDS} but all of them are in fold ${k}`,
        );
      }
    }
  }
  return fold;
}
