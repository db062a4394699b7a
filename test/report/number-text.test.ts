import { describe, expect, it } from 'vitest';
import {
  brief,
  downward,
  duration,
  percent,
  powerOfTen,
  rowCount,
  threeDigits,
  upToOne,
  upward,
} from '../../lib/report/number-text.js';

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
    [1, '1'],
    [0.99996, '> 0.999'],
    [0.9734, '0.973'],
    [-0.25, '−0.250'],
  ])('upToOne(%d) is %s', (value, text) => expect(upToOne(value)).toBe(text));

  it.each([
    [12, '12 ms'],
    [2500, '2.5 s'],
    [6e6, '100 min'],
  ])('duration(%d) is %s', (milliseconds, text) => expect(duration(milliseconds)).toBe(text));

  it('rowCount(rows) is in the singular for one row', () => {
    expect([0, 1, 2000].map(rowCount)).toEqual(['0 rows', '1 row', '2,000 rows']);
  });

  it.each([
    [0, '10⁰'],
    [-12, '10⁻¹²'],
  ])('powerOfTen(%d) is %s', (exponent, text) => expect(powerOfTen(exponent)).toBe(text));
});

describe('upward(value)', () => {
  it('rounds up to two digits', () => {
    expect([0, 1, 0.12, 0.121, 0.999, 9.91e-8, 1.2000001e-5, 123, 5e-324].map((value) => upward(value))).toEqual([
      0, 1, 0.12, 0.13, 1, 1e-7, 1.3e-5, 130, 5e-324,
    ]);
    expect([NaN, Infinity].map((value) => upward(value))).toEqual([NaN, Infinity]);
    for (let k = 1; k < 500; k++) {
      const value = Math.abs(Math.sin(k)) * 10 ** ((k % 40) - 20);
      expect(upward(value)).toBeGreaterThanOrEqual(value);
      expect(upward(value)).toBeLessThanOrEqual(1.1 * value);
    }
  });
});

describe('downward(value, digits)', () => {
  it('rounds down to that many digits', () => {
    expect([0, 1.8, 1.7999996, 0.99999999, 123456.7, 1.0000001e-9, 5e-324, -1.23456789].map((value) => downward(value, 6))).toEqual(
      [0, 1.8, 1.79999, 0.99999, 123456, 1e-9, 5e-324, -1.23457],
    );
    expect([NaN, Infinity].map((value) => downward(value))).toEqual([NaN, Infinity]);
    for (let k = 1; k < 500; k++) {
      const value = Math.sin(k) * 10 ** ((k % 40) - 20);
      expect(downward(value, 6)).toBeLessThanOrEqual(value);
      expect(upward(value, 6)).toBeGreaterThanOrEqual(value);
      expect(upward(value, 6) - downward(value, 6)).toBeLessThanOrEqual(2e-5 * Math.abs(value));
    }
  });
});
