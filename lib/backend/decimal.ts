/**
 * Decimal numbers in text: the grammar that both backends' parsers, all readers of files and the command line accept. Narrower than
 * JavaScript's Number(text), which takes blanks, hexadecimal digits and "Infinity" too.
 */

/** Every character can match in one way only, so that a long text that is not a number is refused in linear time. */
export const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Parses a decimal number; NaN if the text is not one, or if the number is too large for a double. */
export function decimal(text: string): number {
  const number = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : NaN;
}
