/**
 * The step size 1/L of FISTA on a quadratic objective, by the curvature that its steps meet (method 1.7).
 *
 * Problem: an L as small as the steps allow; FISTA needs c <= L of each, where c is the curvature along the step.
 * Given:   c of a step once it is computed, which costs nothing; a bound of the curvature.
 * Wanted:  whether the step may be taken, and L for the next one, or for taking it again.
 */

export interface StepSizeOptions {
  readonly L: number;
  /** A bound of the curvature: L is never larger. */
  readonly cap: number;
  /** Whether L follows the curvature. If not, L is a bound of it, and every step is accepted. */
  readonly measured: boolean;
  /** Rounds L when it changes. @default L as it is */
  readonly round?: (L: number) => number;
}

export class StepSize {
  L: number;
  cap: number;
  #measured: boolean;
  readonly #round: (L: number) => number;

  constructor({ L, cap, measured, round = (value) => value }: StepSizeOptions) {
    this.L = L;
    this.cap = cap;
    this.#measured = measured;
    this.#round = round;
  }

  get measured(): boolean {
    return this.#measured;
  }

  /** Whether a step of curvature c, known up to `noise`, may be taken. If not, it must be computed again with the new L. */
  accepts(c: number, noise: number): boolean {
    if (c > this.L * (1 + 1e-6) + noise && this.L < this.cap) {
      this.L = Math.min(this.#round(1.5 * c), this.cap);
      return false;
    }
    this.L = this.#round(Math.max(c, 0.9 * this.L));
    return true;
  }

  /** The same for a step whose curvature is not known: it may be taken with the cap only. */
  acceptsUnknown(): boolean {
    if (this.L >= this.cap) return true;
    this.L = this.cap;
    return false;
  }

  /** The net: L is this from now on, and every step is accepted. If it bounds the curvature, FISTA is known to converge. */
  fix(L: number): void {
    this.L = L;
    this.#measured = false;
  }
}
