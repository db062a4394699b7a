/** Arrays, typed ones, and whatever else has a length and entries. */
import { plural, rangeError, typeError, type ErrorCode } from '../errors.js';

export function listOf<T>(value: unknown, code: ErrorCode, what: string, where: string): ArrayLike<T> {
  const list = value as ArrayLike<T> | null;
  if (typeof list !== 'object' || !Number.isInteger(list?.length)) throw typeError(code, what, where, value);
  return list!;
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
