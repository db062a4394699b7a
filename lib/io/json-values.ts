/** Reads values of JSON that may be forged: own properties only, each once, and lists that may claim any length. */
import { plural, rangeError, typeError } from '../errors.js';
import { isArray, isObject } from '../input/intrinsics.js';
import { notFinite } from '../input/numbers.js';

export type Own = (name: string) => unknown;

/** Returns a function that reads an object's own properties. */
export function properties(value: unknown, what: string, where: string): Own {
  if (!isObject(value) || isArray(value)) throw typeError('ERR_MODEL', what, where, value);
  return (name) => (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined);
}

/** Checks that it is an array of so many entries, which are to be read once. */
export function readList(list: unknown, length: number, what: string, where: string): unknown[] {
  if (!isArray(list)) throw typeError('ERR_MODEL', what, where, list);
  if (list.length !== length) throw rangeError('ERR_MODEL', what, where, list.length);
  return list;
}

export const SINGLE = 'a number that 32 bits can hold';

/**
 * Copies an array of at most `max` finite numbers, and reads each once. The copy grows with the numbers read, so an array that only claims
 * a large length allocates little.
 */
export function numbers(list: unknown, max: number, where: string, single = false): Float64Array {
  if (!isArray(list)) throw typeError('ERR_MODEL', 'an array of numbers', where, list);
  const { length } = list;
  if (!(length <= max)) throw rangeError('ERR_MODEL', `at most ${plural(max, 'number')}`, where, length);
  let copy = new Float64Array(Math.min(length, 1024));
  for (let k = 0; k < length; k++) {
    const value = list[k];
    if (typeof value !== 'number' || !Number.isFinite(value)) throw notFinite(value, `${where}[${k}]`, 'ERR_MODEL');
    if (k === copy.length) {
      const longer = new Float64Array(Math.min(length, 2 * k));
      longer.set(copy);
      copy = longer;
    }
    copy[k] = single ? Math.fround(value) : value;
    if (single && !Number.isFinite(copy[k])) throw rangeError('ERR_MODEL', SINGLE, `${where}[${k}]`, value);
  }
  return copy;
}
