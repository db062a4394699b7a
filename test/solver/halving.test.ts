import { describe, expect, it } from 'vitest';
import { Halving } from '../../lib/solver/halving.js';

describe('Halving', () => {
  it('stalled(iteration, measure) is false while the measure halves within patience iterations', () => {
    const progress = new Halving(10, 0);
    expect(progress.last).toBe(Infinity);
    expect(progress.stalled(5, 8)).toBe(false);
    expect(progress.last).toBe(8);
    expect(progress.stalled(14, 4)).toBe(false);
    expect(progress.stalled(23, 2.1)).toBe(false); // not yet overdue
    expect(progress.last).toBe(4);
    expect(progress.stalled(24, 2.1)).toBe(true);
    expect(progress.stalled(30, 2)).toBe(false);
  });

  it('stalled(iteration, …measures) is false if one of them halves', () => {
    const progress = new Halving(2, 0);
    progress.stalled(1, 8, 8);
    expect(progress.stalled(3, 8, 4)).toBe(false);
    expect(progress.stalled(5, 5, 3)).toBe(true); // compared with 8 and 4
  });

  it('overdue(iteration) counts from the iteration of the constructor or of restart', () => {
    const progress = new Halving(3, 10);
    expect(progress.overdue(12)).toBe(false);
    expect(progress.overdue(13)).toBe(true);
    progress.restart(13, 1);
    expect(progress.overdue(15)).toBe(false);
    expect(progress.stalled(16, 0.6)).toBe(true);
  });

  it('stalled(iteration, NaN) counts as not halved', () => {
    const progress = new Halving(1, 0);
    expect(progress.stalled(0, NaN)).toBe(false);
    expect(progress.stalled(1, NaN)).toBe(true);
  });
});
