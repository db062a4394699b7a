/** The gammas that are tried where none are given: powers of 4 around the default of a fit. */

/** How far two neighbours of the grid are apart. */
export const FACTOR = 4;

/** How many such steps the grid goes to either side at first, in crossValidate and for gamma: 'auto'. */
export const REACH = 3;
export const QUICK_REACH = 2;

/** A gamma, and those around it. */
export function gammasAround(middle: number, reach: number): readonly number[] {
  return Array.from({ length: 2 * reach + 1 }, (_, k) => middle * FACTOR ** (k - reach));
}
