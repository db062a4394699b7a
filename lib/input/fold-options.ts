/** Checks folds: their number, or the fold of each row. */
import { coded, option, show, words, type Words } from '../errors.js';
import { classOf, takesPart, type RowWeights } from '../svm/taking-part.js';
import type { Labels } from './labels.js';
import { optionByRow } from './lists.js';
import { integer } from './options.js';

const FOLDS = option('folds');

/** Checks that every fold can hold out a row of each class and leave one for training. */
export function checkFolds(folds: number, members: readonly number[], labels: Labels['labels'], where: Words): void {
  labels.forEach((label, k) => {
    if (members[k]! >= folds) return;
    const of = words`class ${show(label)}, one for each fold of ${where},`;
    throw coded(RangeError, 'ERR_LABELS', words`Expected at least ${folds} rows of ${of} but received ${members[k]!}`);
  });
}

/** Checks the fold of each row. It becomes -1 for a row that takes no part. */
export function foldsByRow(given: unknown, training: Labels, weights: RowWeights): Int32Array {
  const { labels } = training;
  const rows = training.y.length;
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
  // Rows by fold and, within it, by class.
  const members = Array.from({ length: count }, () => new Uint32Array(0));
  const totals = new Uint32Array(labels.length);
  fold.forEach((k, i) => {
    if (k < 0) return;
    if (members[k]!.length === 0) members[k] = new Uint32Array(labels.length);
    const side = classOf(training, i);
    members[k]![side]!++;
    totals[side]!++;
  });
  members.forEach((byClass, k) => {
    if (byClass.length === 0) {
      throw coded(RangeError, 'ERR_OPTION', words`Expected a row in every fold of ${FOLDS} but fold ${k} of ${count} has none`);
    }
    labels.forEach((label, side) => {
      if (byClass[side] !== totals[side]) return;
      throw coded(
        RangeError,
        'ERR_OPTION',
        words`Expected rows of class ${show(label)} outside every fold of ${FOLDS} but all of them are in fold ${k}`,
      );
    });
  });
  return fold;
}
