import { describe, expect, it } from 'vitest';
import { brierOf, logLossOf } from '../../lib/metrics/probability-scores.js';
import { expectNear } from './near.js';
import { PROBABILITIES } from './sklearn.js';

describe('logLossOf and brierOf', () => {
  it.each(PROBABILITIES)("are scikit-learn's: $name", ({ classes, y, p, logLoss, brier }) => {
    const probabilities = Float64Array.from(p.flat());
    expectNear([logLossOf(classes, y, probabilities), brierOf(classes, y, probabilities)], [logLoss, brier]);
  });

  it('are finite, and 0 or next to it, for probabilities of 0 and 1', () => {
    const sure = Float64Array.of(1, 0, 0, 1);
    expect(brierOf(2, [0, 1], sure)).toBe(0);
    expect(Math.abs(logLossOf(2, [0, 1], sure))).toBeLessThan(1e-15);
    expect(logLossOf(2, [1, 0], sure)).toBeCloseTo(52 * Math.LN2, 12);
  });
});
