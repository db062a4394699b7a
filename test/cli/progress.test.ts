import { describe, expect, it } from 'vitest';
import { TimeLeft } from '../../lib/cli/progress.js';
import { random } from '../support/random.js';

/** Feeds a gap that is a function of the time, every 50 ms up to `end`. */
function fed(gap: (ms: number) => number, end: number, goal = 1e-6, limit = Infinity): TimeLeft {
  const left = new TimeLeft(goal, limit);
  for (let elapsed = 50; elapsed <= end; elapsed += 50) left.see({ elapsed, relativeGap: gap(elapsed) });
  return left;
}

describe('TimeLeft.tell()', () => {
  it('is the time until the gap reaches the goal, if it falls at a steady rate', () => {
    // From 1 to 1e-6 in 20 s.
    expect(fed((ms) => 10 ** ((-6 * ms) / 20_000), 5_000).tell()).toBeCloseTo(15_000, -2);
    expect(fed((ms) => 10 ** ((-6 * ms) / 20_000), 15_000).tell()).toBeCloseTo(5_000, -2);
  });

  it('is right to a fifth if the gap is noisy', () => {
    const uniform = random(3);
    const left = fed((ms) => 10 ** ((-6 * ms) / 20_000) * (0.5 + uniform()), 10_000).tell();
    expect(left).toBeGreaterThan(8_000);
    expect(left).toBeLessThan(12_000);
  });

  it('is undefined in the first second, or if the gap does not fall steadily', () => {
    expect(fed((ms) => 10 ** ((-6 * ms) / 20_000), 950).tell()).toBeUndefined();
    expect(fed((ms) => (ms < 3000 ? 10 ** (-ms / 1000) : 1e-3), 5_000).tell()).toBeUndefined();
    expect(fed(() => 0.5, 5_000).tell()).toBeUndefined();
    expect(new TimeLeft(1e-6, Infinity).tell()).toBeUndefined();
  });

  it('is undefined without a goal', () => {
    expect(fed((ms) => 10 ** ((-6 * ms) / 20_000), 5_000, NaN).tell()).toBeUndefined();
  });

  it('is at most what the time limit leaves', () => {
    expect(fed((ms) => 10 ** ((-6 * ms) / 20_000), 5_000, 1e-6, 8_000).tell()).toBe(3_000);
  });

  it('is 0 once the goal is met', () => {
    expect(fed((ms) => 10 ** ((-6 * ms) / 2_000), 5_000).tell()).toBe(0);
  });
});
