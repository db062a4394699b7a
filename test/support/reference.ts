/** Slow and accurate sums and products: the reference for the kernels. */

export const UNIT = 2 ** -53;

/** Sums of numbers and products in double-double arithmetic, whose own error is negligible in a comparison with doubles. */
export class Sums {
  readonly #high: Float64Array;
  readonly #low: Float64Array;
  readonly #magnitude: Float64Array;
  readonly #terms: Uint32Array;

  constructor(readonly length: number) {
    this.#high = new Float64Array(length);
    this.#low = new Float64Array(length);
    this.#magnitude = new Float64Array(length);
    this.#terms = new Uint32Array(length);
  }

  add(i: number, x: number): void {
    const before = this.#high[i]!;
    const after = before + x;
    const part = after - before;
    this.#low[i]! += before - (after - part) + (x - part);
    this.#high[i] = after;
    this.#magnitude[i]! += Math.abs(x);
    this.#terms[i]!++;
  }

  /** Adds a * b to sum i. Both must be 0 or of magnitude 1e-130 to 1e130, so that the products of their halves are exact. */
  addProduct(i: number, a: number, b: number): void {
    // Veltkamp's splitting: a = a1 + a2, each short enough that products of halves are exact.
    const ca = 134217729 * a;
    const cb = 134217729 * b;
    const a1 = ca - (ca - a);
    const b1 = cb - (cb - b);
    const product = a * b;
    this.#low[i]! += (a - a1) * (b - b1) - (product - a1 * b1 - (a - a1) * b1 - a1 * (b - b1));
    this.add(i, product);
  }

  value(i: number): number {
    return this.#high[i]! + this.#low[i]!;
  }

  values(): Float64Array {
    return this.#high.map((high, i) => high + this.#low[i]!);
  }

  magnitude(i: number): number {
    return this.#magnitude[i]!;
  }

  /**
   * The largest error of a plain sum of these terms, each rounded once, in any order of addition (Higham, Accuracy and Stability of
   * Numerical Algorithms, section 3.1). The last factor covers the rounding of `magnitude`.
   */
  error(i: number): number {
    return this.#terms[i]! * UNIT * this.#magnitude[i]! * (1 + 1e-9);
  }
}

export function sum(terms: ArrayLike<number>): number {
  let high = 0;
  let low = 0;
  for (let i = 0; i < terms.length; i++) {
    const x = terms[i]!;
    const after = high + x;
    const part = after - high;
    low += high - (after - part) + (x - part);
    high = after;
  }
  return high + low;
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const sums = new Sums(1);
  for (let i = 0; i < a.length; i++) sums.addProduct(0, a[i]!, b[i]!);
  return sums.value(0);
}

/** A matrix as a list of its entries. */
export interface Entries {
  rows: number;
  cols: number;
  forEach(visit: (i: number, j: number, value: number) => void): void;
}

/** X·w */
export function multiply(X: Entries, w: Float64Array): Sums {
  const sums = new Sums(X.rows);
  X.forEach((i, j, value) => sums.addProduct(i, value, w[j]!));
  return sums;
}

/** Xᵀ·u */
export function multiplyTransposed(X: Entries, u: Float64Array): Sums {
  const sums = new Sums(X.cols);
  X.forEach((i, j, value) => sums.addProduct(j, value, u[i]!));
  return sums;
}
