/**
 * The step size 1/L of FISTA on a quadratic objective, by the curvature that its steps meet. The descent inequality of a step is then
 * exactly c <= L, where c is the curvature along it: known once the step is computed, for free.
 */

export interface StepSizeOptions {
  readonly L: number;
  /** A bound of the curvature: L never need be larger. */
  readonly cap: number;
  /** Whether L follows the curvature; if not it is a bound of it, and every step is accepted. */
  readonly measured: boolean;
  /** What L is rounded to when it changes. @default L as it is */
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

  /** Whether a step may be taken along which the curvature is c, up to `noise`. If not, it is to be computed again with the new L. */
  accepts(c: number, noise: number): boolean {
    if (c > this.L * (1 + 1e-6) + noise && this.L < this.cap) {
      this.L = Math.min(this.#round(1.5 * c), this.cap);
      return false;
    }
    this.L = this.#round(Math.max(c, 0.9 * this.L));
    return true;
  }

  /** The same for a step whose curvature cannot be told: it needs the bound that holds for certain. */
  acceptsUnknown(): boolean {
    if (this.L >= this.cap) return true;
    this.L = this.cap;
    return false;
  }

  /** The net: from now on L is this bound, and does not change. With it FISTA's convergence is proved. */
  fix(L: number): void {
    this.L = L;
    this.#measured = false;
  }
}
