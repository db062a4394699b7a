/** Checks the arrays that a table is made of. */
import { plural, rangeError, show, typeError } from '../errors.js';
import { isArray, isObject } from './intrinsics.js';
import { lengthOf } from './lists.js';

/** One array a field, all of one length. Each is read once. */
export function resolveTable(columns: unknown): { readonly rows: number; readonly lists: ReadonlyMap<string, ArrayLike<unknown>> } {
  if (!isObject(columns) || isArray(columns)) throw typeError('ERR_RECORDS', 'an object of arrays', 'columns', columns);
  const lists = new Map<string, ArrayLike<unknown>>();
  let rows: number | undefined;
  for (const name of Object.keys(columns)) {
    const list = (columns as Record<string, unknown>)[name];
    const where = `columns[${show(name)}]`;
    const length = lengthOf(list);
    if (Number.isNaN(length)) throw typeError('ERR_RECORDS', 'an array', where, list);
    rows ??= length;
    if (length !== rows) throw rangeError('ERR_RECORDS', plural(rows, 'value'), `${where}, as in the first column,`, length);
    lists.set(name, list as ArrayLike<unknown>);
  }
  return { rows: rows ?? 0, lists };
}
