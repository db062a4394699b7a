/**
 * Decimal numbers in text: the grammar that both backends' parsers, all readers of files and the command line accept. Narrower than
 * JavaScript's Number(text), which takes blanks, hexadecimal digits and "Infinity" too.
 */

/** Every character can match in one way only, so that a long text that is not a number is refused in linear time. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Parses a decimal number; NaN if the text is not one, or if the number is too large for a double. */
export function decimal(text: string): number {
  const number = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : NaN;
}

const [PLUS, MINUS, POINT, ZERO, SMALL_E] = [43, 45, 46, 48, 101];
/** The powers of ten that are doubles. */
const POWERS = Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));

/**
 * The same of bytes. A number of few digits is read without making a string: where its digits, as an integer, are below 2^53 and its
 * power of ten is at most 22, both are exact, and one multiplication or division rounds once.
 */
export function decimalIn(bytes: Buffer, from: number, to: number): number {
  let at = from;
  const sign = at < to ? bytes[at]! : 0;
  if (sign === MINUS || sign === PLUS) at++;
  let digits = to - at; // less the bytes that are none
  let integer = 0; // inexact only from 2^53 on, below which it does not come again
  let power = 0;
  for (; at < to && isDigit(bytes[at]!); at++) integer = 10 * integer + (bytes[at]! - ZERO);
  if (at < to && bytes[at] === POINT) {
    const first = ++at;
    for (; at < to && isDigit(bytes[at]!); at++) integer = 10 * integer + (bytes[at]! - ZERO);
    power = first - at;
    digits--;
  }
  digits -= to - at;
  if (at < to - 1 && (bytes[at]! | 0x20) === SMALL_E) {
    const minus = bytes[++at] === MINUS;
    if (at < to - 1 && (minus || bytes[at] === PLUS)) at++;
    let exponent = 0;
    for (; at < to && isDigit(bytes[at]!); at++) exponent = 10 * exponent + (bytes[at]! - ZERO);
    power += minus ? -exponent : exponent;
  }
  if (at === to && digits > 0 && integer <= Number.MAX_SAFE_INTEGER && power >= -22 && power <= 22) {
    const size = power < 0 ? integer / POWERS[-power]! : integer * POWERS[power]!;
    return sign === MINUS ? -size : size;
  }
  return decimal(bytes.toString('latin1', from, to));
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 57;
}
