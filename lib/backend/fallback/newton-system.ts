/**
 * Newton's system of the SVM's primal, solved by preconditioned conjugate gradients (method 1.13). The twin of native/kernels/svm_newton.
 *
 * Problem: H p = -g, H v = v + Σ c_i (x̃_i - x̄) (x̃_i - x̄)·v / mu over the free rows, x̄ their weighted mean: the best offset is
 *          eliminated.
 * Given:   the matrix, the scales of its columns, the free rows with their weights, mu; -g.
 * Wanted:  p, an iteration at a time, and the squared norm of the residual in the preconditioner's metric.
 * Source:  S. S. Keerthi and D. DeCoste, JMLR 6, 2005; C.-J. Lin, R. C. Weng and S. S. Keerthi, JMLR 9, 2008.
 */
import type { Matrix } from './matrix.js';

export interface FreeRows {
  readonly rows: Uint32Array;
  readonly weight: Float64Array;
}

export class NewtonSystem {
  readonly #X: Matrix;
  readonly #inverseScale: Float64Array;
  readonly #mu: number;
  readonly #free: FreeRows;
  readonly #weightSum: number;
  readonly #diagonal: Float64Array; // of H
  readonly p: Float64Array;
  #residual: Float64Array;
  #v: Float64Array;
  #squared = 0; // the residual's squared norm
  /** Stored entries read so far. */
  read = 0;

  constructor(X: Matrix, inverseScale: Float64Array, mu: number, free: FreeRows) {
    this.#X = X;
    this.#inverseScale = inverseScale;
    this.#mu = mu;
    this.#free = free;
    const total = (this.#weightSum = free.weight.reduce((sum, c) => sum + c, 0));
    const d = inverseScale.length;
    this.p = new Float64Array(d);
    this.#residual = new Float64Array(d);
    this.#v = new Float64Array(d);
    const { sum, square } = X.columnStats(new Float64Array(d), free.rows, free.weight);
    for (const i of free.rows) this.read += X.entries(i);
    this.#diagonal = inverseScale.map((inverse, j) => {
      const apart = total > 0 ? Math.max(square[j]! - (sum[j]! * sum[j]!) / total, 0) : 0;
      const curvature = (inverse * (inverse * apart)) / mu;
      return 1 + (Number.isFinite(curvature) ? curvature : 0); // any positive number will do where squares overflow
    });
  }

  /** Begins at p = 0 with this right side. Answers the residual's squared norm. */
  start(right: Float64Array): number {
    this.#residual = right;
    this.#v = right.map((r, j) => r / this.#diagonal[j]!);
    this.#squared = dot(right, this.#v);
    return this.#squared;
  }

  iterate(): number {
    const [v, r] = [this.#v, this.#residual];
    const image = this.#times(v);
    const length = this.#squared / dot(v, image);
    if (!Number.isFinite(length)) return this.#squared; // 0 / 0: there is nothing left
    const before = this.#squared;
    this.#squared = 0;
    for (let j = 0; j < v.length; j++) {
      this.p[j]! += length * v[j]!;
      r[j]! -= length * image[j]!;
      this.#squared += (r[j]! * r[j]!) / this.#diagonal[j]!;
    }
    const beta = this.#squared / before;
    for (let j = 0; j < v.length; j++) v[j] = r[j]! / this.#diagonal[j]! + beta * v[j]!;
    return this.#squared;
  }

  /** H v */
  #times(v: Float64Array): Float64Array {
    const { rows, weight } = this.#free;
    const u = new Float64Array(rows.length);
    const wide = v.map((value, j) => value * this.#inverseScale[j]!);
    this.read += this.#X.multiplyRows(rows, 0, rows.length, wide, u);
    const mean = dot(weight, u) / this.#weightSum || 0;
    for (let k = 0; k < u.length; k++) u[k] = (weight[k]! * (u[k]! - mean)) / this.#mu;
    const out = new Float64Array(v.length);
    this.read += this.#X.combineRows(rows, 0, rows.length, u, out);
    for (let j = 0; j < v.length; j++) out[j] = v[j]! + out[j]! * this.#inverseScale[j]!;
    return out;
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let s = 0;
  for (let i = 0; i < a.length; i++) s += a[i]! * b[i]!;
  return s;
}
