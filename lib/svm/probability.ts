/**
 * From the values of planes to the probabilities of classes (method 3.3).
 *
 * Given:  the values of all planes at a point, and each plane's calibration.
 * Wanted: one probability a class. Against the rest: each plane's, divided by their sum. Of pairs: those that agree best with the pairs'.
 * Source: pairs: the second method of T.-F. Wu, C.-J. Lin and R. C. Weng, JMLR 5, 2004; the rest: scikit-learn's CalibratedClassifierCV.
 */
import { probabilityAt, type Calibration } from './calibration.js';
import type { Sides } from './model.js';

/** Probabilities of pairs stay so far away from 0 and 1, as in LIBSVM. */
const CLIP = 1e-7;

/** Computes the probabilities of one row after the other. */
export class Probabilities {
  readonly #sides: readonly Sides[];
  readonly #calibrations: readonly Calibration[];
  readonly #classes: number;
  /** Of pairs: the matrix of the coupling, and its right hand side. */
  readonly #matrix: Float64Array;

  constructor(sides: readonly Sides[], calibrations: readonly Calibration[], classes: number) {
    this.#sides = sides;
    this.#calibrations = calibrations;
    this.#classes = classes;
    this.#matrix = new Float64Array(sides.length > 1 && sides[0]!.negative !== undefined ? classes * classes : 0);
  }

  /** From the values of planes, by row. */
  write(values: Float64Array, rows: number, out: Float64Array): void {
    const [planes, classes] = [this.#sides.length, this.#classes];
    for (let i = 0; i < rows; i++) {
      const row = out.subarray(i * classes, (i + 1) * classes);
      const at = (p: number) => probabilityAt(this.#calibrations[p]!, values[i * planes + p]!);
      if (planes === 1) {
        row[1] = at(0);
        row[0] = 1 - row[1];
      } else if (this.#matrix.length > 0) {
        this.#couple(at, row);
      } else {
        for (let c = 0; c < classes; c++) row[c] = at(c);
        normalize(row);
      }
    }
  }

  /**
   * Minimises the sum over pairs of (r_ji p_i - r_ij p_j)², where r_ij is the probability of i among i and j, subject to Σp = 1. That is
   * pᵀQp with Q_ii = Σ_j r_ji² and Q_ij = -r_ij r_ji, so p is (Q + eeᵀ)⁻¹e up to a factor. The matrix is positive definite, and no pivoting
   * is needed.
   */
  #couple(at: (p: number) => number, row: Float64Array): void {
    const [n, M] = [this.#classes, this.#matrix.fill(1)];
    this.#sides.forEach(({ positive: i, negative }, p) => {
      const j = negative!;
      const r = Math.min(Math.max(at(p), CLIP), 1 - CLIP);
      const s = 1 - r;
      M[i * n + i]! += s * s;
      M[j * n + j]! += r * r;
      M[i * n + j]! -= r * s;
      M[j * n + i]! -= r * s;
    });
    row.fill(1);
    for (let k = 0; k < n; k++) {
      for (let i = k + 1; i < n; i++) {
        const factor = M[i * n + k]! / M[k * n + k]!;
        if (factor === 0) continue;
        for (let j = k; j < n; j++) M[i * n + j]! -= factor * M[k * n + j]!;
        row[i]! -= factor * row[k]!;
      }
    }
    for (let k = n - 1; k >= 0; k--) {
      for (let j = k + 1; j < n; j++) row[k]! -= M[k * n + j]! * row[j]!;
      row[k]! /= M[k * n + k]!;
    }
    for (let k = 0; k < n; k++) row[k] = Math.max(row[k]!, 0); // below 0 by rounding only
    normalize(row);
  }
}

/** Divides by the sum. Where all are 0, classes are equally probable. */
function normalize(row: Float64Array): void {
  const sum = row.reduce((total, p) => total + p, 0);
  for (let c = 0; c < row.length; c++) row[c] = sum > 0 ? row[c]! / sum : 1 / row.length;
}
