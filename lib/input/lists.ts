/** Arrays, typed ones, and whatever else has a length and entries. */
import { plural, rangeError, typeError, type ErrorCode } from '../errors.js';
import { isTypedArray, lengthOf, plainView } from './intrinsics.js';

export function listOf<T>(value: unknown, code: ErrorCode, what: string, where: string): ArrayLike<T> {
  const list = isTypedArray(value) ? plainView(value) : value;
  if (Number.isNaN(lengthOf(list))) throw typeError(code, what, where, value);
  return list as ArrayLike<T>;
}

/** A list of numbers, one for each row of points. */
export function optionByRow(value: unknown, rows: number, what: string, where: string): ArrayLike<number> {
  const list = listOf<number>(value, 'ERR_OPTION', what, where);
  if (list.length !== rows) {
    throw rangeError('ERR_OPTION', plural(rows, 'number'), `${where}, one for each row of points,`, list.length);
  }
  return list;
}

/** Labels of any kind, one for each row of points. */
export function labelList<T>(labels: unknown, rows: number): ArrayLike<T> {
  const list = listOf<T>(labels, 'ERR_LABELS', 'an array of labels', 'labels');
  if (list.length !== rows) {
    throw rangeError('ERR_LABELS', `${rows} of them`, 'labels, one for each row of points,', list.length);
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
