import { DECIMAL } from './facts.js';

/** The finite number that a text is, in decimal digits and nothing beside them; NaN if it is none. */
export function decimal(text: string): number {
  const number = DECIMAL.test(text) ? Number(text) : NaN;
  return Number.isFinite(number) ? number : NaN;
}
