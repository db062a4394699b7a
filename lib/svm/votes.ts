/**
 * From the values of planes to those of classes, and to labels (method 1.14).
 *
 * Given:  the values of all planes at a point.
 * Wanted: one value a class, the largest of which is the label's. Against the rest it is the plane's own; of pairs it is the class's number
 *         of votes, plus its planes' values added up and squashed to less than 1/3 either way, so that it decides among equal votes only.
 * Source: votes: U. H.-G. Kressel, in Advances in Kernel Methods, 1999; the squashed sum: scikit-learn's OneVsOneClassifier.
 */
import type { Sides } from './model.js';

/** The number of the class with the largest value, the first one of equal ones; of two classes' one value, a tie is negative. */
export function winner(values: Float64Array, first: number, classes: number): number {
  let best = 0;
  for (let c = 1; c < classes; c++) if (values[first + c]! > values[first + best]!) best = c;
  return best;
}

/** Turns the values of pairs, by row, into values of classes, by row. */
export function pairsToClasses(
  values: Float64Array,
  rows: number,
  sides: readonly Sides[],
  classes: number,
  out: Float64Array,
): void {
  const votes = new Float64Array(classes);
  const sums = new Float64Array(classes);
  for (let i = 0; i < rows; i++) {
    votes.fill(0);
    sums.fill(0);
    for (let p = 0; p < sides.length; p++) {
      const { positive, negative } = sides[p]!;
      const value = values[i * sides.length + p]!;
      votes[value > 0 ? positive : negative!]!++;
      sums[positive]! += value;
      sums[negative!]! -= value;
    }
    for (let c = 0; c < classes; c++) out[i * classes + c] = votes[c]! + squashed(sums[c]!);
  }
}

/** Between -1/3 and 1/3. */
function squashed(sum: number): number {
  return Number.isFinite(sum) ? sum / (3 * (Math.abs(sum) + 1)) : Math.sign(sum) / 3;
}
