import { describe, expect, it } from 'vitest';
import { brief, percent, powerOfTen, threeDigits } from '../../lib/report/number-text.js';

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
