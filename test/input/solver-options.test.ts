import { describe, expect, it } from 'vitest';
import { AUTO, resolveSolver } from '../../lib/input/solver-options.js';
import { stop } from '../../lib/svm/stopping.js';

describe('resolveSolver(method, options, rules)', () => {
  it("checks every iteration with method: 'paper', whatever the rule", () => {
    expect(resolveSolver('paper', undefined, [stop.gap(1)]).checkEvery).toBe(1);
    expect(resolveSolver('fista', undefined, [stop.gap(1)]).checkEvery).toBeUndefined();
  });

  it("is AUTO, by which gamma: 'auto' is chosen, with method: 'auto'", () => {
    expect(AUTO).toEqual(resolveSolver('auto', undefined, [stop.gap(1)]));
    expect(AUTO).toEqual({
      stepSize: 'measured',
      shrinking: true,
      methods: { ascent: true, newton: true, fista: true },
      checkEvery: undefined,
    });
  });
});
