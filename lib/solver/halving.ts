/**
 * Whether a method makes progress (the net of method 1.7 and 4.3, the hand-over of method 1.10).
 *
 * Given:  a patience, and by iteration one measure or several.
 * Wanted: whether none of the measures has halved for as many iterations as the patience.
 */
export class Halving {
  readonly #patience: number;
  #measures: readonly number[] = [];
  #since: number;

  constructor(patience: number, iteration: number) {
    this.#patience = patience;
    this.#since = iteration;
  }

  /** The first measure, as it was when one last halved. */
  get last(): number {
    return this.#measures[0] ?? Infinity;
  }

  /** Whether the last halving is as long ago as the patience. */
  overdue(iteration: number): boolean {
    return iteration - this.#since >= this.#patience;
  }

  /** Takes the measures of an iteration. Whether none of them halved, and a halving is overdue. */
  stalled(iteration: number, ...measures: readonly number[]): boolean {
    const halved = measures.some((measure, k) => measure <= (this.#measures[k] ?? Infinity) / 2);
    if (!halved) return this.overdue(iteration);
    this.restart(iteration, ...measures);
    return false;
  }

  /** Counts from this iteration on. */
  restart(iteration: number, ...measures: readonly number[]): void {
    this.#measures = measures;
    this.#since = iteration;
  }
}
