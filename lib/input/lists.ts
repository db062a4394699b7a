/** Checks lists: arrays, typed arrays, and other objects with a length and entries. */
import { plural, rangeError, typeError, words, type ErrorCode, type Words } from '../errors.js';
import { isArray, isObject, isTypedArray, plainView, typedLength, type TypedArray } from './intrinsics.js';

/** The length of a list, read once; NaN for anything else. */
export function lengthOf(value: unknown): number {
  if (isTypedArray(value)) return typedLength(value);
  const claimed = isObject(value) ? (value as ArrayLike<unknown>).length : NaN;
  return Number.isInteger(claimed) && claimed >= 0 ? claimed : NaN;
}

/** The length of a list, read once; anything else is refused. */
export function checkedLength(value: unknown, code: ErrorCode, what: Words, where: Words): number {
  const length = lengthOf(value);
  if (Number.isNaN(length)) throw typeError(code, what, where, value);
  return length;
}

/**
 * The length that the list of one point claims. Entries that it does not have are refused when they are read. `lengthOf` would take as
 * long as predicting a short point.
 */
export function pointLength(list: unknown, where: string): number {
  const length = (list as ArrayLike<number> | null | undefined)?.length;
  if (typeof list !== 'object' || !Number.isInteger(length)) throw typeError('ERR_POINTS', 'an array of numbers', where, list);
  return length!;
}

/** Whether it is an array or a typed array, not merely an object like one. */
export function isList(value: unknown): value is unknown[] | TypedArray {
  return isArray(value) || isTypedArray(value);
}

/** Checks a list of any kind. A typed array is returned as a plain view. */
export function listOf<T>(value: unknown, code: ErrorCode, what: Words, where: Words): ArrayLike<T> {
  const list = isTypedArray(value) ? plainView(value) : value;
  checkedLength(list, code, what, where);
  return list as ArrayLike<T>;
}

/** Checks an array, typed or not; other objects with a length are refused. A typed array is returned as a plain view. */
export function arrayOf<T>(value: unknown, code: ErrorCode, what: Words, where: Words): ArrayLike<T> {
  if (!isList(value)) throw typeError(code, what, where, value);
  return (isTypedArray(value) ? plainView(value) : value) as ArrayLike<T>;
}

/** Checks the length of a list that has a number for each row of points. */
export function optionByRow(value: unknown, rows: number, what: Words, where: Words): ArrayLike<number> {
  const list = listOf<number>(value, 'ERR_OPTION', what, where);
  if (list.length !== rows) {
    throw rangeError('ERR_OPTION', plural(rows, 'number'), words`${where}, one for each row of points,`, list.length);
  }
  return list;
}

/** Copies and checks the numbers of a list. Each is read once, as the list may be a proxy; the copy grows only with entries that exist. */
export function numbersOf(list: ArrayLike<unknown>, check: (value: unknown, at: number) => number): number[] {
  const { length } = list;
  const numbers: number[] = [];
  for (let k = 0; k < length; k++) numbers.push(check(list[k], k));
  return numbers;
}
