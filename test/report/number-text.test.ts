import { describe, expect, it } from 'vitest';
import { brief, percent, powerOfTen, threeDigits, upward } from '../../lib/report/number-text.js';

describe('numbers as text', () => {
  it.each([
    [0, '0'],
    [-0.5, '−0.5'],
    [1234.5, '1,235'],
    [1.26e-7, '1.3e−7'],
    [1e12, '1.00e12'],
  ])('brief(%d) is %s', (value, text) => expect(brief(value)).toBe(text));

  it.each([
    [1, '100 %'],
    [0.99999, '> 99.9 %'],
    [0.9898, '99.0 %'],
    [0, '0 %'],
  ])('percent(%d) is %s', (share, text) => expect(percent(share)).toBe(text));

  it.each([
    [0.5, '0.500'],
    [-12, '−12.0'],
    [1e-7, '1.0e−7'],
  ])('threeDigits(%d) is %s', (value, text) => expect(threeDigits(value)).toBe(text));

  it.each([
    [0, '10⁰'],
    [-12, '10⁻¹²'],
  ])('powerOfTen(%d) is %s', (exponent, text) => expect(powerOfTen(exponent)).toBe(text));
});

describe('upward(value)', () => {
  it('rounds up to two digits', () => {
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
