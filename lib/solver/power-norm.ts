import type { Step } from '../backend/tasks.js';

/** The task that makes one power iteration. */
interface PowerTask extends Step {
  ask(given: { readonly first: boolean }): this;
  readonly answer: { readonly estimate: number };
}

/**
 * Problem: the squared norm of an operator, for a step size that is fixed (method 1.7, 4.3).
 * Given:   a task that makes one iteration of the power method.
 * Wanted:  an estimate from below; it ends when an iteration after the tenth raises it by no more than the tolerance.
 */
export function* powerNorm(power: PowerTask, maxIterations: number, tolerance: number): Generator<Step, number, void> {
  yield power.ask({ first: true });
  let { estimate } = power.answer;
  for (let k = 1; k < maxIterations; k++) {
    yield power.ask({ first: false });
    const next = power.answer.estimate;
    const still = next <= estimate * (1 + tolerance);
    estimate = Math.max(next, estimate);
    if (still && k > 10) break;
  }
  return estimate;
}
