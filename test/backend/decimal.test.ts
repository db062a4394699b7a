import { describe, expect, it } from 'vitest';
import { decimal } from '../../lib/backend/decimal.js';

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
