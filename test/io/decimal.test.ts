import { describe, expect, it } from 'vitest';
import { decimal, upward } from '../../lib/io/decimal.js';

describe('decimal(text)', () => {
  it.each([
    ['1', 1],
    ['-0', -0],
    ['+.5', 0.5],
    ['1.', 1],
    ['1e-400', 0],
    ['1E3', 1000],
  ])('decimal(%j) is %d', (text, number) => expect(decimal(text)).toBe(number));

  it.each(['', ' ', ' 1', '1 ', '.', '+', 'e5', '1e', '0x10', '0b1', '1_000', '1,5', 'Infinity', 'NaN', '1e400', '1n'])(
    'decimal(%j) is NaN',
    (text) => expect(decimal(text)).toBeNaN(),
  );

  it('takes linear time for a long text that is no number', () => {
    expect(decimal(`${'1'.repeat(1 << 20)}x`)).toBeNaN();
  });
});

describe('upward(value)', () => {
  it('has two digits and is no less', () => {
    expect([0, 1, 0.12, 0.121, 0.999, 9.91e-8, 1.2000001e-5, 123, 5e-324].map(upward)).toEqual([
      0, 1, 0.12, 0.13, 1, 1e-7, 1.3e-5, 130, 5e-324,
    ]);
    expect([NaN, Infinity].map(upward)).toEqual([NaN, Infinity]);
    for (let k = 1; k < 500; k++) {
      const value = Math.abs(Math.sin(k)) * 10 ** ((k % 40) - 20);
      expect(upward(value)).toBeGreaterThanOrEqual(value);
      expect(upward(value)).toBeLessThanOrEqual(1.1 * value);
    }
  });
});
