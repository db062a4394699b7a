import { describe, expect, it } from 'vitest';
import { brief, count, duration, fraction, percent, short } from '../../lib/cli/format.js';

describe('brief(value)', () => {
  it('has six significant digits, and no zeros behind them', () => {
    expect([Math.PI, 2, 1 / 3, 1234567, -0.5].map(brief)).toEqual(['3.14159', '2', '0.333333', '1234570', '-0.5']);
  });
});

describe('short(value)', () => {
  it('has three significant digits, and an exponent below a thousandth', () => {
    expect([Math.PI, 0, 0.001, 0.00099, -1.26e-7].map(short)).toEqual(['3.14', '0', '0.001', '9.9e-4', '-1.3e-7']);
  });
});

describe('fraction(value)', () => {
  it('has four decimals, and says 1.0000 of 1 alone', () => {
    expect([1, 0.99996, 0.5, 0, -0.00001, -1].map(fraction)).toEqual([
      '1.0000',
      '> 0.9999',
      '0.5000',
      '0.0000',
      '0.0000',
      '-1.0000',
    ]);
  });
});

describe('percent(share)', () => {
  it('says 100.0 % of everything alone', () => {
    expect([1, 0.99996, 0.9994, 0].map(percent)).toEqual(['100.0 %', '> 99.9 %', '99.9 %', '0.0 %']);
  });
});

describe('count(value, noun)', () => {
  it('groups thousands, and adds an s unless there is one', () => {
    expect([count(12345), count(1, 'row'), count(0, 'row'), count(1000, 'row')]).toEqual([
      '12,345',
      '1 row',
      '0 rows',
      '1,000 rows',
    ]);
  });
});

describe('duration(ms)', () => {
  it('chooses the unit by the size', () => {
    const times = [0, 999, 1000, 9900, 10_400, 89_000, 90_000, 5_339_000, 5_400_000, 9_000_000];
    expect(times.map(duration)).toEqual(['1 ms', '999 ms', '1.0 s', '9.9 s', '10 s', '89 s', '2 min', '89 min', '1.5 h', '2.5 h']);
  });
});
