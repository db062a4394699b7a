/**
 * The certified share by iteration where a run does not report it: of three classes or more, whose planes are trained one after the other.
 * It takes a fit for every iteration, so they are made in turns with the page's events, and of a long run not of all iterations.
 */
import type { Curve, Run } from './training.js';

const MOST = 40;

export class SharesInSteps {
  curve: Curve = [];
  readonly #onStep: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onStep: () => void) {
    this.#onStep = onStep;
  }

  /** Begins anew; of no run, or one that reports shares itself, there is nothing to do. */
  start(run: Run | undefined): void {
    clearTimeout(this.#timer);
    this.curve = [];
    if (!run || run.shares) return;
    const every = Math.max(1, run.iterations / MOST);
    const steps = Array.from({ length: Math.ceil(run.iterations / every) }, (_, i) =>
      Math.min(Math.round((i + 1) * every), run.iterations),
    );
    const next = () => {
      const began = performance.now();
      while (steps.length && performance.now() - began < 12) {
        const k = steps.shift()!;
        const { agreed, rows } = run.at(k).info;
        this.curve = [...this.curve, [k, agreed / rows]];
      }
      this.#onStep();
      if (steps.length) this.#timer = setTimeout(next, 0);
    };
    this.#timer = setTimeout(next, 120);
  }
}
