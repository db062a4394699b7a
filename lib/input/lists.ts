/** Lists: arrays, typed ones, and whatever else has a length and entries. What is one, how long it is, and its numbers. */
import { plural, rangeError, typeError, words, type ErrorCode, type Words } from '../errors.js';
import { isArray, isObject, isTypedArray, plainView, typedLength, type TypedArray } from './intrinsics.js';

/** The length of what has one, asked for once; NaN for anything else. */
export function lengthOf(value: unknown): number {
  if (isTypedArray(value)) return typedLength(value);
  const claimed: unknown = isObject(value) ? (value as ArrayLike<unknown>).length : undefined;
  return typeof claimed === 'number' && Number.isInteger(claimed) && claimed >= 0 ? claimed : NaN;
}

/** The length of a list; anything else is refused. */
export function checkedLength(value: unknown, code: ErrorCode, what: Words, where: Words): number {
  const length = lengthOf(value);
  if (Number.isNaN(length)) throw typeError(code, what, where, value);
  return length;
}

/**
 * The length of one point's list, as the list says: entries that it only claims are refused when they are read. `lengthOf` would take as
 * long as a short point's sum.
 */
export function pointLength(list: unknown, where: string): number {
  const length = (list as ArrayLike<number> | null | undefined)?.length;
  if (typeof list !== 'object' || !Number.isInteger(length)) throw typeError('ERR_POINTS', 'an array of numbers', where, list);
  return length!;
}

/** Whether it is an array or a typed one, and not only like one. */
export function isList(value: unknown): value is unknown[] | TypedArray {
  return isArray(value) || isTypedArray(value);
}

/** A list of any kind, with nothing of the user's on it if it is typed. */
export function listOf<T>(value: unknown, code: ErrorCode, what: Words, where: Words): ArrayLike<T> {
  const list = isTypedArray(value) ? plainView(value) : value;
  checkedLength(list, code, what, where);
  return list as ArrayLike<T>;
}

/** An array, typed or not, that is not only like one. */
export function arrayOf<T>(value: unknown, code: ErrorCode, what: Words, where: Words): ArrayLike<T> {
  if (!isList(value)) throw typeError(code, what, where, value);
  return (isTypedArray(value) ? plainView(value) : value) as ArrayLike<T>;
}

/** A list of numbers, one for each row of points. */
export function optionByRow(value: unknown, rows: number, what: Words, where: Words): ArrayLike<number> {
  const list = listOf<number>(value, 'ERR_OPTION', what, where);
  if (list.length !== rows) {
    throw rangeError('ERR_OPTION', plural(rows, 'number'), words`${where}, one for each row of points,`, list.length);
  }
  return list;
}

/** The numbers of a list, each entry asked for once (it may be a proxy) and checked: the first that a length only claims is refused. */
export function numbersOf(list: ArrayLike<unknown>, check: (value: unknown, at: number) => number): number[] {
  const { length } = list;
  const numbers: number[] = [];
  for (let k = 0; k < length; k++) numbers.push(check(list[k], k));
  return numbers;
}
