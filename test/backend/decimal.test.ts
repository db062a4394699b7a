import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimal, decimalIn } from '../../lib/backend/decimal.js';

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

  it('decimal(text) is NaN for a million digits and an x, without quadratic time', () => {
    expect(decimal(`${'1'.repeat(1 << 20)}x`)).toBeNaN();
  });
});

describe('decimalIn(bytes, from, to)', () => {
  const inBytes = (text: string) => decimalIn(Buffer.from(`9${text}9`), 1, 1 + Buffer.byteLength(text));
  const same = (text: string) => {
    const [actual, expected] = [inBytes(text), decimal(text)];
    if (!Object.is(actual, expected)) throw new Error(`${text} is ${expected} but received ${actual}`);
  };

  it('is decimal of the same text, bit by bit', () => {
    const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength });
    const exponent = fc.oneof(
      fc.constant(''),
      fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), digits(3)).map((parts) => parts.join('')),
    );
    const number = fc.tuple(fc.constantFrom('', '+', '-'), digits(18), fc.constantFrom('', '.'), digits(18), exponent);
    fc.assert(
      fc.property(
        number.map((parts) => parts.join('')),
        same,
      ),
      { numRuns: 5000 },
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => same(String(value))),
      { numRuns: 2000 },
    );
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'019.eE+- xé'), maxLength: 8 }), same), { numRuns: 5000 });
  });

  it.each([
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9007199254740993e22',
    '0.00000000000000000000000000000000001',
    '1e22',
    '1e23',
    '123456789e-22',
    '5e-324',
    '1.7976931348623157e308',
    '1e309',
    '-0',
    '-0e999',
    '8.41e21',
    '1'.repeat(400),
  ])('of %s is that of decimal', same);
});
