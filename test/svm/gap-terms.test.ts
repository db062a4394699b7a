/** The task gap in exact arithmetic: what it answers bounds the Fenchel–Young terms where their factors cancel (method C2). */
import { describe, expect, it } from 'vitest';
import { backends } from '../support/backends.js';
import { random } from '../support/random.js';

const U = 2 ** -53;

/** A double times 2^1200, exactly; products of such numbers stay exact. */
const ONE = 2n ** 1200n;
function scaled(x: number): bigint {
  let [value, power] = [x, 1200];
  for (; !Number.isInteger(value); power--) value *= 2;
  return BigInt(value) * 2n ** BigInt(power);
}

/** 2 mu F, times ONE⁴: F is the gap's term of a row with dual alpha at margin theta, where it is on the quadratic piece. */
function quadratic(alpha: number, theta: number, mu: number): bigint {
  const difference = scaled(mu) * scaled(alpha) - (ONE - scaled(theta)) * ONE;
  return difference * difference;
}

describe.each(backends)("Svm.perform('gap'), $title", ({ kernels }) => {
  it('counts the rounding of terms whose factors cancel', () => {
    // Two rows of zeros, so that the margins are t and -t and have no error of their own; alpha is near (1 - theta) / mu in both.
    const X = new kernels.Matrix(() => expect.unreachable(), 1, new Float64Array(2), 2, 1);
    X.centre(1);
    const uniform = random(5);
    let missed = 0; // by the products' own arithmetic alone
    for (let k = 0; k < 500; k++) {
      const mu = 0.1 + uniform();
      const problem = new kernels.Svm(X, Int8Array.of(1, -1), Float64Array.of(1), 0, 1);
      problem.perform('begin', 0);
      problem.perform('regularize', 4 / mu, mu);
      problem.perform('warm', new Float64Array(1), 0, 1);
      const alpha = new Float64Array(2);
      problem.alpha(alpha);
      const t = (uniform() - 0.5) * 10 ** (-3 - 6 * uniform());
      const [fenchelYoung, rounding] = problem.perform('gap', t, 0, 0) as unknown as [number, number];
      const exact = quadratic(alpha[0]!, t, mu) + quadratic(alpha[1]!, -t, mu);
      const bounded = (bound: number) => exact <= 2n * scaled(mu) * scaled(bound) * ONE * ONE;
      expect(bounded((fenchelYoung * (1 + 16 * U) + rounding) * (1 + 4 * U))).toBe(true);
      if (!bounded(fenchelYoung * (1 + 16 * U) * (1 + 4 * U))) missed++;
      problem.dispose();
    }
    expect(missed).toBeGreaterThan(50); // these are hard cases
  });
});
