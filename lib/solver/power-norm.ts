import type { Step } from '../backend/tasks.js';

/** The task that makes one power iteration. */
interface PowerTask extends Step {
  ask(given: { readonly first: boolean }): this;
  readonly answer: { readonly estimate: number };
}

/** The squared norm of an operator, from below, by the power method: until an iteration adds next to nothing. */
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
