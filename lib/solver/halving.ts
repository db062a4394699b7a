/** Tells whether a method makes progress: one of its measures is to halve in so many iterations. */
export class Halving {
  readonly #patience: number;
  #measures: readonly number[] = [];
  #since: number;

  constructor(patience: number, iteration: number) {
    this.#patience = patience;
    this.#since = iteration;
  }

  /** The first measure when one had last halved. */
  get last(): number {
    return this.#measures[0] ?? Infinity;
  }

  /** Whether none has halved for as long as there is patience. */
  overdue(iteration: number): boolean {
    return iteration - this.#since >= this.#patience;
  }

  /** Takes the measures of an iteration. Whether none has halved, and that is overdue. */
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
