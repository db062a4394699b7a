import { DECIMAL } from '../backend/encodings.js';

/** The finite number that a text is, in decimal digits and nothing beside them; NaN if it is none. */
export function decimal(text: string): number {
  const number = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : NaN;
}

/** The least number of two decimal digits that is no less: a proved bound stays one when it is printed. */
export function upward(value: number): number {
  const near = Number(value.toPrecision(2));
  return near >= value ? near : Number((near + 10 ** (Math.floor(Math.log10(near)) - 1)).toPrecision(2));
}
