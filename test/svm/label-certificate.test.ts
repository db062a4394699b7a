/** What certificates of labels are made of (method C11), piece by piece. label-soundness.test.ts holds the whole against exact optima. */
import { describe, expect, it } from 'vitest';
import { widened } from '../../lib/svm/training.js';

describe('widened(bounds, by)', () => {
  const bounds = { slope: 2 ** -30, low: 0, high: 0, norm: 7 };

  it('makes room for the rounding of the centre', () => {
    const room = 4 * 2 ** -53 * 2 ** -30 * 5;
    expect(widened(bounds, { away: 5, coarse: 0, fine: 0 })).toEqual({ slope: 2 ** -30, low: -room, high: room, norm: 7 });
  });

  it('makes room for a centre that is subnormal', () => {
    const room = 2 ** -1074 * 2 ** 1020 * 2 ** -30;
    expect(widened(bounds, { away: 0, coarse: 0, fine: 2 ** 1020 })).toEqual({ slope: 2 ** -30, low: -room, high: room, norm: 7 });
  });

  it('makes room for weights that underflow', () => {
    const off = 2 ** -1073 * 2 ** 1020;
    const { slope, low, high } = widened(bounds, { away: 2 ** 40, coarse: 2 ** 1020, fine: 0 });
    expect(slope).toBe(2 ** -30 + off);
    expect([-low, high]).toEqual([2 ** 40 * (2 ** -81 + off), 2 ** 40 * (2 ** -81 + off)]);
  });

  it('widens what it is given', () => {
    const wide = widened({ slope: 1, low: -2, high: 3, norm: 0 }, { away: 2 ** 51, coarse: 0, fine: 0 });
    expect([wide.low, wide.high]).toEqual([-3, 4]);
  });
});
