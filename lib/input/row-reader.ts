/** Reads the rows of Dataset.write one by one, each of its properties once. */
import { coded, rangeError, show, typeError, Verbatim } from '../errors.js';
import type { Label } from '../types.js';
import { isObject } from './intrinsics.js';
import { lengthOf } from './lists.js';
import { isSparseRow } from './points.js';

/** A row: numbers, or indices with values (undefined: all 1). */
export interface ReadRow {
  readonly count: number;
  readonly values: Float64Array | undefined;
  readonly indices: Uint32Array | undefined;
  readonly label: Label | undefined;
  /** Whether it came as a Float32Array. */
  readonly f32: boolean;
}

const MAX_COUNT = 4294967294;

export class RowReader {
  rows = 0;
  /** Of dense rows as many as the first has; of sparse ones as many as were asked for, or used. */
  cols: number;
  sparse = false;
  #labelled = false;
  readonly #asked: number | undefined;

  constructor(cols: number | undefined) {
    this.#asked = cols;
    this.cols = cols ?? 0;
  }

  read(item: unknown): ReadRow {
    const at = `row ${this.rows}`;
    const labelled = isObject(item) && 'point' in item;
    const { label, point } = labelled ? (item as { label?: unknown; point: unknown }) : { label: undefined, point: item };
    const own = labelled ? checkLabel(label, at) : undefined;
    const sparse = isSparseRow(point);
    if (this.rows === 0) [this.sparse, this.#labelled] = [sparse, labelled];
    if (labelled !== this.#labelled)
      throw typeError('ERR_POINTS', this.#labelled ? '{ label, point }' : 'a point alone', `${at}, as before,`, item);
    if (sparse !== this.sparse)
      throw typeError('ERR_POINTS', sparse ? 'a row of numbers' : '{ indices, values }', `${at}, as before,`, point);
    if (this.rows === MAX_COUNT) throw rangeError('ERR_POINTS', `at most ${MAX_COUNT} rows`, 'source', new Verbatim('more'));
    const row = sparse ? this.#sparse(point, at) : this.#dense(point, at);
    this.rows++;
    return { ...row, label: own };
  }

  #dense(point: unknown, at: string): Omit<ReadRow, 'label'> {
    const length = lengthOf(point);
    if (Number.isNaN(length)) throw typeError('ERR_POINTS', 'a row of numbers', at, point);
    if (this.rows === 0 && this.#asked === undefined) this.cols = length;
    if (length !== this.cols) throw rangeError('ERR_POINTS', `${this.cols} numbers, as in the first row,`, at, length);
    return {
      count: length,
      values: numbers(point as ArrayLike<unknown>, length, at),
      indices: undefined,
      f32: point instanceof Float32Array,
    };
  }

  #sparse({ indices, values }: { readonly indices: unknown; readonly values?: unknown }, at: string): Omit<ReadRow, 'label'> {
    const length = lengthOf(indices);
    if (Number.isNaN(length)) throw typeError('ERR_POINTS', 'an array of numbers', `the indices of ${at}`, indices);
    const columns = new Uint32Array(length);
    for (let k = 0; k < length; k++) {
      const column: unknown = (indices as ArrayLike<unknown>)[k];
      const max = this.#asked ?? MAX_COUNT;
      if (typeof column !== 'number' || !Number.isInteger(column) || column < 0 || column >= max) {
        throw rangeError('ERR_POINTS', `a column from 0 to ${max - 1}`, `index ${k} of ${at}`, column);
      }
      if (k > 0 && column <= columns[k - 1]!) {
        throw coded(
          RangeError,
          'ERR_POINTS',
          `Expected ascending column indices in ${at} but received ${column} after ${columns[k - 1]}`,
        );
      }
      columns[k] = column;
    }
    if (length > 0) this.cols = Math.max(this.cols, columns[length - 1]! + 1);
    if (values === undefined) return { count: length, values: undefined, indices: columns, f32: false };
    if (lengthOf(values) !== length) throw rangeError('ERR_POINTS', `${length} numbers`, `the values of ${at}`, lengthOf(values));
    return { count: length, values: numbers(values as ArrayLike<unknown>, length, at), indices: columns, f32: false };
  }
}

function numbers(list: ArrayLike<unknown>, length: number, at: string): Float64Array {
  const copy = new Float64Array(length);
  for (let k = 0; k < length; k++) {
    const value = list[k];
    if (typeof value !== 'number') throw typeError('ERR_POINTS', 'a finite number', `number ${k} of ${at}`, value);
    if (!Number.isFinite(value)) throw rangeError('ERR_POINTS', 'a finite number', `number ${k} of ${at}`, value);
    copy[k] = value;
  }
  return copy;
}

function checkLabel(label: unknown, at: string): Label {
  if (typeof label === 'string' || typeof label === 'boolean' || (typeof label === 'number' && Number.isFinite(label)))
    return label;
  throw coded(TypeError, 'ERR_LABELS', `Expected a number, string or boolean for the label of ${at} but received ${show(label)}`);
}
