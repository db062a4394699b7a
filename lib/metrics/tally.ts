/**
 * Metrics of predicted labels.
 *
 * Given:  the class of each row, and the class that was predicted.
 * Wanted: accuracy, and by class precision, recall and F1, with their averages; Matthews' correlation.
 * Source: the definitions of scikit-learn, a quotient with the divisor 0 being 0 (its zero_division=0). Matthews' correlation of several
 *         classes: J. Gorodkin, Computational Biology and Chemistry 28 (2004), 367-374.
 *
 * All of them depend on three counts a class, so that no table of all pairs of classes is needed.
 */
import type { AverageScore } from '../types.js';

/** Counts of rows by class. */
export interface Tally {
  readonly rows: number;
  /** Rows of the class. */
  readonly actual: Uint32Array;
  /** Rows that are predicted to be of the class. */
  readonly predicted: Uint32Array;
  /** Rows that are both. */
  readonly right: Uint32Array;
}

export function tallyOf(classes: number, actual: ArrayLike<number>, predicted: ArrayLike<number>): Tally {
  const counts = () => new Uint32Array(classes);
  const tally = { rows: actual.length, actual: counts(), predicted: counts(), right: counts() };
  for (let i = 0; i < actual.length; i++) {
    const [is, found] = [actual[i]!, predicted[i]!];
    tally.actual[is]!++;
    tally.predicted[found]!++;
    if (is === found) tally.right[is]!++;
  }
  return tally;
}

/** 0 if the divisor is 0. */
function ratio(a: number, b: number): number {
  return b === 0 ? 0 : a / b;
}

function mean(list: readonly number[]): number {
  return ratio(sum(list), list.length);
}

function sum(list: ArrayLike<number>): number {
  let total = 0;
  for (let k = 0; k < list.length; k++) total += list[k]!;
  return total;
}

export function accuracyOf({ right, rows }: Tally): number {
  return ratio(sum(right), rows);
}

/** The mean recall of the classes that have rows. */
export function balancedAccuracyOf({ actual, right }: Tally): number {
  const recalls: number[] = [];
  actual.forEach((count, k) => count > 0 && recalls.push(right[k]! / count));
  return mean(recalls);
}

/** Precision, recall and F1 of one class. */
export function classScore({ actual, predicted, right }: Tally, k: number): AverageScore {
  return {
    precision: ratio(right[k]!, predicted[k]!),
    recall: ratio(right[k]!, actual[k]!),
    f1: ratio(2 * right[k]!, predicted[k]! + actual[k]!),
  };
}

/** The mean over the classes that have rows or are predicted. */
export function macroOf(tally: Tally): AverageScore {
  return averageOf(tally, (k) => Number(tally.actual[k]! + tally.predicted[k]! > 0));
}

/** The mean over the classes, by their numbers of rows. */
export function weightedOf(tally: Tally): AverageScore {
  return averageOf(tally, (k) => tally.actual[k]!);
}

function averageOf(tally: Tally, weightOf: (k: number) => number): AverageScore {
  let [precision, recall, f1, total] = [0, 0, 0, 0];
  for (let k = 0; k < tally.actual.length; k++) {
    const weight = weightOf(k);
    const score = classScore(tally, k);
    precision += weight * score.precision;
    recall += weight * score.recall;
    f1 += weight * score.f1;
    total += weight;
  }
  return { precision: ratio(precision, total), recall: ratio(recall, total), f1: ratio(f1, total) };
}

/** The correlation of the classes with the predicted ones, -1 to 1; 0 if all rows are of one class, or are predicted to be. */
export function matthewsOf({ rows, actual, predicted, right }: Tally): number {
  const dot = (a: Uint32Array, b: Uint32Array) => a.reduce((total, count, k) => total + count * b[k]!, 0);
  const both = sum(right) * rows - dot(actual, predicted);
  return ratio(both, Math.sqrt((rows * rows - dot(actual, actual)) * (rows * rows - dot(predicted, predicted))));
}
