/** Points, in each of their forms. */
import { types } from 'node:util';
import type { Backend, CopyProblem, Matrix, MatrixArguments, OnProblem } from '../backend.js';
import { coded, plural, rangeError, typeError, Verbatim, type ErrorCode } from '../errors.js';
import type { DatasetOptions, DenseMatrix, Rows, SparseMatrix } from '../types.js';
import { checkOptionNames, resolveBackend, resolveThreads } from './options.js';

type Data = Float64Array | Float32Array;

/** Rows and columns are numbered with 32 bits. */
const MOST = 4294967294;

/** Points as a backend's matrix takes them; their entries are not looked at yet. */
export interface View {
  readonly rows: number;
  readonly cols: number;
  readonly entries: number;
  readonly arguments: MatrixArguments;
  /** Words what is found wrong with the entries. */
  readonly refuse: OnProblem;
}

/** Copies points into a backend's matrix, checking them on the way. The user's arrays are not kept. */
export function copyPoints(points: unknown, backend: Backend, threads: number, orDataset = true): Matrix {
  const view = viewPoints(points, orDataset);
  return new backend.Matrix(view.refuse, threads, ...view.arguments);
}

/** What can be said of points without looking at their entries. */
export function viewPoints(points: unknown, orDataset = true): View {
  if (Array.isArray(points)) return viewRows(points as Rows);
  if (typeof points === 'object' && points !== null) {
    if ('data' in points) return viewDense(points as DenseMatrix);
    if ('indptr' in points) return viewSparse(points as SparseMatrix);
  }
  const forms = ['rows of numbers', '{ data, rows, cols }', '{ indptr, indices, rows, cols }', ...(orDataset ? ['a Dataset'] : [])];
  throw typeError('ERR_POINTS', `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`, 'points', points);
}

function viewRows(points: Rows): View {
  const rows = points.length;
  if (rows === 0) throw rangeError('ERR_POINTS', 'at least one row', 'points', new Verbatim('none'));
  // Each row is read once: what a getter or proxy answers the second time may be something else.
  const list: ArrayLike<number>[] = [];
  let cols = 0;
  for (let i = 0; i < rows; i++) {
    const row: unknown = points[i];
    const length = rowLength(row, i);
    if (i === 0) cols = length;
    if (length !== cols) throw rangeError('ERR_POINTS', plural(cols, 'number'), `points[${i}], as in points[0],`, length);
    list.push(row as ArrayLike<number>);
  }
  const data = allocate(rows, cols);
  list.forEach((row, i) => {
    for (let j = 0; j < cols; j++) {
      const value: unknown = row[j];
      if (typeof value !== 'number') throw typeError('ERR_POINTS', 'a finite number', `points[${i}][${j}]`, value);
      data[i * cols + j] = value;
    }
  });
  return {
    rows,
    cols,
    entries: rows * cols,
    arguments: [data, rows, cols],
    refuse: ({ at, found }) => {
      throw rangeError('ERR_POINTS', 'a finite number', `points[${Math.floor(at / cols)}][${at % cols}]`, found);
    },
  };
}

function rowLength(row: unknown, i: number): number {
  const length = typeof row === 'object' ? (row as ArrayLike<number> | null)?.length : undefined;
  if (!Number.isInteger(length) || length! < 0) throw typeError('ERR_POINTS', 'a row of numbers', `points[${i}]`, row);
  return length!;
}

function allocate(rows: number, cols: number): Float64Array {
  try {
    return new Float64Array(rows * cols);
  } catch {
    throw rangeError('ERR_POINTS', 'numbers that fit in memory', 'points', new Verbatim(`${rows} × ${cols}`));
  }
}

function viewDense(points: DenseMatrix): View {
  const { data } = points;
  const rows = size(points.rows, 'points.rows', 1);
  const cols = size(points.cols, 'points.cols', 0);
  if (!isData(data)) {
    throw typeError('ERR_POINTS', 'a Float64Array or Float32Array', 'points.data', data);
  }
  if (data.length !== rows * cols) {
    throw rangeError('ERR_POINTS', `rows × cols = ${plural(rows * cols, 'number')}`, 'points.data', data.length);
  }
  return {
    rows,
    cols,
    entries: rows * cols,
    arguments: [data, rows, cols],
    refuse: ({ at, found }) => {
      const where = `points.data[${at}] (row ${Math.floor(at / cols)}, column ${at % cols})`;
      throw rangeError('ERR_POINTS', 'a finite number', where, found);
    },
  };
}

function viewSparse({ rows, cols, ...given }: SparseMatrix): View {
  rows = size(rows, 'points.rows', 1);
  cols = size(cols, 'points.cols', 0);
  const indptr = offsets(given.indptr, 'points.indptr');
  const indices = offsets(given.indices, 'points.indices');
  const values = optionalValues(given.values);
  if (indptr.length !== rows + 1) throw rangeError('ERR_POINTS', `rows + 1 = ${rows + 1} offsets`, 'points.indptr', indptr.length);
  if (values && values.length !== indices.length) {
    throw rangeError('ERR_POINTS', plural(indices.length, 'number'), 'points.values, as in points.indices,', values.length);
  }
  const entries = indices.length;
  return {
    rows,
    cols,
    entries,
    arguments: [indptr, indices, values, rows, cols],
    refuse: (problem) => {
      throw sparseError(problem, cols, entries, { indptr: signed(given.indptr), indices: signed(given.indices) });
    },
  };
}

/** How a number of a list was written that is read as an unsigned one. */
function signed(list: unknown): (value: number) => number {
  return types.isInt32Array(list) ? (value) => value | 0 : (value) => value;
}

/** In the words of what was found, not of the caller's arrays: these may hold something else by now. */
function sparseError(
  { problem, row, at, found, before }: CopyProblem,
  cols: number,
  entries: number,
  as: { indptr: (value: number) => number; indices: (value: number) => number },
): Error {
  switch (problem) {
    case 'bad-start': {
      const what = at === 0 ? '0' : `an offset from ${as.indptr(before)} to ${entries}`;
      return rangeError('ERR_POINTS', what, `points.indptr[${at}]`, as.indptr(found));
    }
    case 'bad-range': {
      const what = cols === 0 ? 'no column, as points.cols is 0,' : `a column from 0 to ${cols - 1}`;
      return rangeError('ERR_POINTS', what, `points.indices[${at}] (row ${row})`, as.indices(found));
    }
    case 'bad-order':
      return coded(
        RangeError,
        'ERR_POINTS',
        `Expected ascending column indices in row ${row} but received ${as.indices(found)} after ${as.indices(before)}`,
      );
    case 'not-finite':
      return rangeError('ERR_POINTS', 'a finite number', `points.values[${at}]`, found);
  }
}

/** Whatever realm (vm context) it comes from, and nothing that only looks like one. */
export function isData(value: unknown): value is Data {
  return types.isFloat64Array(value) || types.isFloat32Array(value);
}

/** Offsets and indices as unsigned 32-bit numbers; a negative one becomes a huge one, which the copy refuses. */
function offsets(list: unknown, where: string): Uint32Array {
  if (types.isUint32Array(list)) return list;
  // A detached buffer, of length 0, cannot be viewed.
  if (types.isInt32Array(list))
    return list.length === 0 ? new Uint32Array(0) : new Uint32Array(list.buffer, list.byteOffset, list.length);
  if (!Array.isArray(list)) throw typeError('ERR_POINTS', 'an Int32Array, Uint32Array or array of integers', where, list);
  const bad = list.findIndex((v) => !Number.isInteger(v) || v < 0 || v > 0xffffffff);
  if (bad >= 0) throw rangeError('ERR_POINTS', 'an integer from 0 to 4294967295', `${where}[${bad}]`, list[bad]);
  return Uint32Array.from(list as number[]);
}

function optionalValues(list: unknown): Data | undefined {
  if (list === undefined || isData(list)) return list;
  if (!Array.isArray(list)) {
    throw typeError('ERR_POINTS', 'a Float64Array, Float32Array or array of numbers', 'points.values', list);
  }
  const bad = list.findIndex((v) => typeof v !== 'number');
  if (bad >= 0) throw typeError('ERR_POINTS', 'a finite number', `points.values[${bad}]`, list[bad]);
  return Float64Array.from(list as number[]);
}

export function size(value: unknown, where: string, least: number, code: ErrorCode = 'ERR_POINTS'): number {
  const what = `an integer from ${least} to ${MOST}`;
  if (typeof value !== 'number') throw typeError(code, what, where, value);
  if (!Number.isInteger(value) || value < least || value > MOST) throw rangeError(code, what, where, value);
  return value;
}

const DATASET_OPTIONS = ['backend', 'threads'] as const satisfies readonly (keyof DatasetOptions)[];

export function resolveDatasetOptions(options: DatasetOptions | undefined): { backend: Backend; threads: number } {
  checkOptionNames(options, DATASET_OPTIONS);
  return { backend: resolveBackend(options?.backend), threads: resolveThreads(options?.threads) };
}
