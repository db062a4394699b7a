/** Checks the names of columns, and words what is wrong when they are matched with a model's. */
import {
  coded,
  option,
  plural,
  rangeError,
  setting,
  show,
  typeError,
  Verbatim,
  words,
  type ErrorCode,
  type Words,
} from '../errors.js';
import { isArray } from './intrinsics.js';

/** Lists of names that were checked before. A list that is the same as one of them is not checked again. */
export type KnownNames = readonly (readonly string[] | undefined)[];

/** Copies an array of strings. Each is read once: a proxy may return another value the second time. */
export function nameList(value: unknown, where: Words, code: ErrorCode): string[] {
  if (!isArray(value)) throw typeError(code, 'an array of names', where, value);
  const { length } = value;
  const names: string[] = [];
  for (let k = 0; k < length; k++) {
    const name = value[k];
    if (typeof name !== 'string') throw typeError(code, 'a name', words`${where}[${k}]`, name);
    names.push(name);
  }
  return names;
}

/** Checks an array of distinct names. Returns the known list that it is the same as, or else a copy. */
export function distinctNames(value: unknown, where: Words, code: ErrorCode, known: KnownNames = []): readonly string[] {
  // The contents are compared, as the caller may have changed an array that is known.
  const same = known.find((list) => list !== undefined && isSameNames(value, list));
  if (same) return same;
  const names = nameList(value, where, code);
  const twice = findTwice(names);
  if (twice === undefined) return names;
  const received = new Verbatim(`${show(names[twice])} twice, as ${names.indexOf(names[twice]!)} and ${twice}`);
  throw rangeError(code, 'distinct names', where, received);
}

/** Checks the names that a matrix has for its columns, if it has any. */
export function matrixNames(
  value: unknown,
  cols: number,
  where: string,
  code: ErrorCode,
  known?: KnownNames,
): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const checkCount = ({ length }: readonly unknown[]) => {
    if (length !== cols) throw rangeError(code, plural(cols, 'name'), `${where}, one for each column,`, length);
  };
  if (isArray(value)) checkCount(value);
  const names = distinctNames(value, where, code, known);
  checkCount(names); // a proxy may have had another length the second time
  return names;
}

/** The names that points have or that an option gives them. Given both, they must be the same. `cols` is NaN if it is not known. */
export function agreedNames(
  own: readonly string[] | undefined,
  given: readonly string[] | undefined,
  cols: number,
): readonly string[] | undefined {
  if (!given) return own;
  if (given.length !== cols && !Number.isNaN(cols)) {
    throw rangeError('ERR_OPTION', plural(cols, 'name'), words`${COLUMNS}, one for each column of points,`, given.length);
  }
  const other = own?.findIndex((name, k) => name !== given[k]) ?? -1;
  if (other < 0) return given;
  throw rangeError('ERR_OPTION', show(own![other]), words`${COLUMNS}[${other}], as in points.columns,`, given[other]);
}

const COLUMNS = option('columns');

/** The option that names the columns of points. */
export function optionNames(value: unknown, known?: KnownNames): readonly string[] | undefined {
  return value === undefined ? undefined : distinctNames(value, words`${COLUMNS}`, 'ERR_OPTION', known);
}

/** Whether it is an array of these names, in this order. */
export function isSameNames(value: unknown, names: readonly string[]): boolean {
  if (value === names) return true;
  if (!isArray(value) || value.length !== names.length) return false;
  for (let k = 0; k < names.length; k++) if (value[k] !== names[k]) return false;
  return true;
}

/** The index of the first name that an earlier one equals. */
export function findTwice(names: readonly string[]): number | undefined {
  const seen = new Set<string>();
  for (let k = 0; k < names.length; k++) if (seen.size === seen.add(names[k]!).size) return k;
  return undefined;
}

/** The error of points that lack columns of the model. */
export function missingColumnsError(first: string, count: number): Error {
  const which = `the column ${show(first)}${others(count)} of the model`;
  return rangeError('ERR_POINTS', which, 'points', new Verbatim(count === 1 ? 'none of that name' : 'none of these names'));
}

/** The error of points, or of a file, with columns that the model does not have. */
export function extraColumnsError(first: string, count: number, where = 'points', code: ErrorCode = 'ERR_POINTS'): Error {
  const received = `${show(first)}${others(count)}`;
  const hint = words`${setting('extraColumns', 'ignore')} to leave ${count === 1 ? 'it' : 'them'} out`;
  return coded(RangeError, code, words`Expected only columns of the model for ${where} but received ${received}; ${hint}`);
}

/** The error of a model from a file that has a name twice. */
export function ambiguousColumnsError(name: string): Error {
  const where = 'model.columns, to match them with those of points,';
  return rangeError('ERR_MODEL', 'distinct names', where, new Verbatim(`${show(name)} twice`));
}

function others(count: number): string {
  return count === 1 ? '' : ` and ${count - 1} more`;
}
