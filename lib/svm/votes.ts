/**
 * From the values of planes to those of classes, and to labels (method 1.14).
 *
 * Given:  the values of all planes at a point.
 * Wanted: one value a class, the largest of which is the label's. Against the rest it is the plane's own; of pairs it is the class's number
 *         of votes, plus its planes' values added up and squashed to less than 1/3 either way, so that it decides among equal votes only.
 * Source: votes: U. H.-G. Kressel, in Advances in Kernel Methods, 1999; the squashed sum: scikit-learn's OneVsOneClassifier.
 */
import type { Sides } from './model.js';

/** The number of the class with the largest value, the first one of equal ones. */
export function winner(values: Float64Array, first: number, classes: number): number {
  let best = 0;
  for (let c = 1; c < classes; c++) if (values[first + c]! > values[first + best]!) best = c;
  return best;
}

/** The votes of planes between pairs of classes. */
export class Votes {
  readonly #classes: number;
  // By plane, the class of each side: lists, as a loop over objects takes three times as long.
  readonly #positive: Uint16Array;
  readonly #negative: Uint16Array;
  readonly #votes: Float64Array;
  readonly #sums: Float64Array;

  constructor(sides: readonly Sides[], classes: number) {
    this.#classes = classes;
    this.#positive = Uint16Array.from(sides, ({ positive }) => positive);
    this.#negative = Uint16Array.from(sides, ({ negative }) => negative!);
    this.#votes = new Float64Array(classes);
    this.#sums = new Float64Array(classes);
  }

  /** The values of classes, by row, from those of planes. */
  decide(values: Float64Array, rows: number, out: Float64Array): void {
    const [classes, votes, sums] = [this.#classes, this.#votes, this.#sums];
    for (let i = 0; i < rows; i++) {
      this.#count(values, i);
      this.#add(values, i);
      for (let c = 0; c < classes; c++) out[i * classes + c] = votes[c]! + squashed(sums[c]!);
    }
  }

  /** The winners, by row. Sums are needed only where votes are equal. */
  winners(values: Float64Array, rows: number, out: Uint16Array): void {
    const [classes, votes, sums] = [this.#classes, this.#votes, this.#sums];
    for (let i = 0; i < rows; i++) {
      this.#count(values, i);
      let best = winner(votes, 0, classes);
      if (votes.indexOf(votes[best]!, best + 1) >= 0) {
        this.#add(values, i);
        for (let c = 0; c < classes; c++) votes[c]! += squashed(sums[c]!);
        best = winner(votes, 0, classes);
      }
      out[i] = best;
    }
  }

  #count(values: Float64Array, i: number): void {
    const [positive, negative, votes] = [this.#positive, this.#negative, this.#votes];
    const planes = positive.length;
    votes.fill(0);
    for (let p = 0; p < planes; p++) {
      const above = Number(values[i * planes + p]! > 0); // without a branch, which no processor could predict
      votes[positive[p]!]! += above;
      votes[negative[p]!]! += 1 - above;
    }
  }

  #add(values: Float64Array, i: number): void {
    const [positive, negative, sums] = [this.#positive, this.#negative, this.#sums];
    const planes = positive.length;
    sums.fill(0);
    for (let p = 0; p < planes; p++) {
      const value = values[i * planes + p]!;
      sums[positive[p]!]! += value;
      sums[negative[p]!]! -= value;
    }
  }
}

/** Sums beyond this are squashed as it is: the triple of a larger one could overflow. */
export const LARGEST_SUM = 2 ** 1000;

/** Between -1/3 and 1/3. */
function squashed(sum: number): number {
  const size = Math.abs(sum);
  return size < LARGEST_SUM ? sum / (3 * (size + 1)) : Math.sign(sum) / 3;
}
