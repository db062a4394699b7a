/** Views of points in each form: rows, dense and CSR. Everything is checked here but the entries, which are checked when copied. */
import type { CopyDefect, MatrixArguments, OnDefect } from '../backend/interface.js';
import { coded, plural, rangeError, show, typeError, Verbatim, type ErrorCode } from '../errors.js';
import type { DenseMatrix, SparseMatrix } from '../types.js';
import { matrixNames, type KnownNames } from './column-names.js';
import { isArray, isObject, isOf, plainView, unsigned } from './intrinsics.js';
import { checkKeys, type ForeignWords } from './keys.js';
import { lengthOf, numbersOf } from './lists.js';
import { notFinite } from './numbers.js';

type Data = Float64Array | Float32Array;

/** Rows and columns are numbered with 32 bits. */
const MAX_COUNT = 4294967294;

/** Points as arguments for a backend's Matrix. Their entries are not checked yet. */
export interface View {
  readonly rows: number;
  readonly cols: number;
  readonly entries: number;
  readonly sparse: boolean;
  /** The names of the columns, checked. */
  readonly columns?: readonly string[] | undefined;
  /** The points as a matrix of plain views. */
  readonly matrix: DenseMatrix | SparseMatrix;
  readonly arguments: MatrixArguments;
  /** Throws the error for a defect of the entries. */
  readonly refuse: OnDefect;
}

/** Refuses a view whose arrays have changed length: a getter read after them may have detached or resized a buffer. */
export function checkUnchanged({ arguments: given, entries, rows, sparse }: View): void {
  const lists = (given as readonly unknown[]).filter((list): list is Float64Array => ArrayBuffer.isView(list));
  const wanted = sparse ? [rows + 1, entries, entries] : [entries];
  lists.forEach((list, k) => {
    if (list.length === wanted[k]) return;
    throw coded(
      RangeError,
      'ERR_POINTS',
      `Expected points to stay unchanged during the call but an array of ${plural(wanted[k]!, 'number')} now has ${list.length}`,
    );
  });
}

interface Wanted {
  /** Whether the caller takes a Dataset too, for the message. @default true */
  readonly orDataset?: boolean;
  /** The minimum number of rows. @default 1 */
  readonly min?: 0 | 1;
  /** The method that takes one point, to name if rows are numbers. */
  readonly forOne?: string | undefined;
  /** Names of columns that need not be checked again. */
  readonly known?: KnownNames | undefined;
  /** The number of columns of rows with indices. @default as many as they use */
  readonly cols?: number | undefined;
}

/** Whether it is a row with indices, and values or none: { indices, values }. */
export function isSparseRow(row: unknown): row is SparseRow {
  return isObject(row) && 'indices' in row && Object.keys(row).every((name) => name === 'indices' || name === 'values');
}

interface SparseRow {
  readonly indices: unknown;
  readonly values?: unknown;
}

/** The form of points, by the keys that they have; undefined for none. */
export function formOf(points: unknown): 'rows' | 'sparse' | 'dense' | undefined {
  if (isArray(points)) return 'rows';
  if (!isObject(points)) return undefined;
  return 'indptr' in points ? 'sparse' : 'data' in points ? 'dense' : undefined;
}

/** Views points in any form. Each of their properties is read once. */
export function viewPoints(points: unknown, { orDataset = true, min = 1, forOne, known, cols }: Wanted = {}): View {
  switch (formOf(points)) {
    case 'rows':
      return viewRows(points as unknown[], min, forOne, cols);
    case 'sparse':
      return viewSparse(points as SparseMatrix, min, known);
    case 'dense':
      return viewDense(points as DenseMatrix, min, known);
    default: {
      const forms = [
        'rows of numbers',
        '{ data, rows, cols }',
        '{ indptr, indices, rows, cols }',
        ...(orDataset ? ['a Dataset'] : []),
      ];
      throw typeError('ERR_POINTS', `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`, 'points', points);
    }
  }
}

/** Copies rows to a matrix: dense, or, of rows with indices, sparse. Without any row the number of columns is not known: NaN. */
function viewRows(points: readonly unknown[], min: number, forOne?: string, most?: number): View {
  const rows = points.length;
  if (min > 0) checkRows(rows);
  // Each row is read once: a getter or proxy may return another value the second time.
  const list: ArrayLike<number>[] = [];
  let cols = NaN;
  for (let i = 0; i < rows; i++) {
    const row = points[i];
    if (i === 0 && isSparseRow(row)) return viewSparseRows(row, points, most);
    const length = lengthOf(row);
    if (Number.isNaN(length)) {
      const hint = forOne !== undefined && typeof row === 'number' ? `; ${forOne} takes one point` : '';
      throw typeError('ERR_POINTS', 'a row of numbers', `points[${i}]`, new Verbatim(show(row) + hint));
    }
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
  return denseView({ data, rows, cols }, ({ at, found }) => {
    throw rangeError('ERR_POINTS', 'a finite number', `points[${Math.floor(at / cols)}][${at % cols}]`, found);
  });
}

/** Copies rows with indices to a sparse matrix; without values, if no row has them. */
function viewSparseRows(first: SparseRow, points: readonly unknown[], most: number | undefined): View {
  const rows = points.length;
  const indptr = new Uint32Array(rows + 1);
  const indices: number[] = [];
  let values: number[] | undefined;
  let cols = most ?? 0;
  for (let i = 0; i < rows; i++) {
    const row = i === 0 ? first : points[i];
    const at = `points[${i}]`;
    if (!isSparseRow(row)) throw typeError('ERR_POINTS', '{ indices, values }, as in points[0],', at, row);
    const list = rowList(row.indices, `${at}.indices`);
    const given = row.values === undefined ? undefined : rowList(row.values, `${at}.values`);
    if (given && given.length !== list.length) {
      throw rangeError('ERR_POINTS', plural(list.length, 'number'), `${at}.values, as in ${at}.indices,`, given.length);
    }
    if (given) values ??= indices.map(() => 1);
    for (let k = 0; k < list.length; k++) {
      const column = list[k]!;
      if (typeof column !== 'number' || !Number.isInteger(column) || column < 0 || column >= (most ?? MAX_COUNT)) {
        const what = most === undefined ? 'a column from 0' : most === 0 ? 'no entries' : `a column from 0 to ${most - 1}`;
        throw rangeError('ERR_POINTS', what, `${at}.indices[${k}]`, column);
      }
      if (k > 0 && column <= (list[k - 1] as number)) {
        const message = `Expected ascending column indices in ${at} but received ${column} after ${list[k - 1] as number}`;
        throw coded(RangeError, 'ERR_POINTS', message);
      }
      const value = given ? given[k] : 1;
      if (typeof value !== 'number' || !Number.isFinite(value)) throw notFinite(value, `${at}.values[${k}]`, 'ERR_POINTS');
      indices.push(column);
      values?.push(value);
      cols = Math.max(cols, column + 1);
    }
    indptr[i + 1] = indices.length;
  }
  const matrix = { indptr, indices: Uint32Array.from(indices), ...(values && { values: Float64Array.from(values) }), rows, cols };
  return viewSparse(matrix, 0);
}

/** A copy of a list of a row, each entry read once. */
function rowList(list: unknown, where: string): unknown[] {
  const length = lengthOf(list);
  if (Number.isNaN(length)) throw typeError('ERR_POINTS', 'an array of numbers', where, list);
  return Array.from({ length }, (_, k) => (list as ArrayLike<unknown>)[k]);
}

/** Refuses points without rows. */
export function checkRows(rows: number): void {
  if (rows === 0) throw rangeError('ERR_POINTS', 'at least one row', 'points', new Verbatim('none'));
}

function allocate(rows: number, cols: number): Float64Array {
  try {
    return new Float64Array(rows === 0 ? 0 : rows * cols);
  } catch {
    throw rangeError('ERR_POINTS', 'numbers that fit in memory', 'points', new Verbatim(`${rows} × ${cols}`));
  }
}

/** Names that other packages give to the parts of a matrix. */
const MATRIX_WORDS: ForeignWords = {
  shape: 'give its sizes as rows and cols',
  width: 'cols',
  height: 'rows',
};
const SPARSE_WORDS: ForeignWords = { ...MATRIX_WORDS, data: 'values' };
const DENSE_KEYS = ['data', 'rows', 'cols', 'columns'] as const satisfies readonly (keyof DenseMatrix)[];
const SPARSE_KEYS = ['indptr', 'indices', 'values', 'rows', 'cols', 'columns'] as const satisfies readonly (keyof SparseMatrix)[];

/** Checks a dense matrix of at least `min` rows, but not its numbers. */
export function denseMatrix(
  given: DenseMatrix,
  where: string,
  min: number,
  code: ErrorCode = 'ERR_POINTS',
  known?: KnownNames,
): DenseMatrix {
  checkKeys(given, DENSE_KEYS, code, where, MATRIX_WORDS);
  const { data } = given;
  const rows = size(given.rows, `${where}.rows`, min, code);
  const cols = size(given.cols, `${where}.cols`, 0, code);
  if (!isData(data)) throw typeError(code, 'a Float64Array or Float32Array', `${where}.data`, data);
  const columns = matrixNames(given.columns, cols, `${where}.columns`, code, known);
  const view = plainView(data); // last, as a getter of what was read before may have detached it
  if (view.length !== rows * cols) {
    throw rangeError(code, `rows × cols = ${plural(rows * cols, 'number')}`, `${where}.data`, view.length);
  }
  return { data: view, rows, cols, ...(columns && { columns }) };
}

function denseView(matrix: DenseMatrix, refuse: OnDefect): View {
  const { data, rows, cols, columns } = matrix;
  return { rows, cols, entries: rows * cols, sparse: false, columns, matrix, arguments: [data, rows, cols], refuse };
}

function viewDense(points: DenseMatrix, min: number, known?: KnownNames): View {
  const matrix = denseMatrix(points, 'points', min, 'ERR_POINTS', known);
  const { cols } = matrix;
  return denseView(matrix, ({ at, found }) => {
    const where = `points.data[${at}] (row ${Math.floor(at / cols)}, column ${at % cols})`;
    throw rangeError('ERR_POINTS', 'a finite number', where, found);
  });
}

/** Functions that check the lists of a sparse matrix. */
interface ListReaders<I, V> {
  readonly integers: (list: unknown, where: string) => I;
  readonly values: (list: unknown, where: string) => V;
}

/** Checks a sparse matrix of at least `min` rows and the lengths of its lists. The readers check their contents. */
export function sparseMatrix<I extends ArrayLike<number>, V extends ArrayLike<number>>(
  given: SparseMatrix,
  min: number,
  read: ListReaders<I, V>,
  known?: KnownNames,
): { indptr: I; indices: I; values?: V; rows: number; cols: number; columns?: readonly string[] } {
  checkKeys(given, SPARSE_KEYS, 'ERR_POINTS', 'points', SPARSE_WORDS);
  const lists = { indptr: given.indptr, indices: given.indices, values: given.values };
  const rows = size(given.rows, 'points.rows', min);
  const cols = size(given.cols, 'points.cols', 0);
  const columns = matrixNames(given.columns, cols, 'points.columns', 'ERR_POINTS', known);
  const indptr = read.integers(lists.indptr, 'points.indptr');
  const indices = read.integers(lists.indices, 'points.indices');
  const values = lists.values === undefined ? undefined : read.values(lists.values, 'points.values');
  if (indptr.length !== rows + 1) throw rangeError('ERR_POINTS', `rows + 1 = ${rows + 1} offsets`, 'points.indptr', indptr.length);
  if (values && values.length !== indices.length) {
    throw rangeError('ERR_POINTS', plural(indices.length, 'number'), 'points.values, as in points.indices,', values.length);
  }
  return { indptr, indices, ...(values && { values }), rows, cols, ...(columns && { columns }) };
}

function viewSparse(points: SparseMatrix, min: number, known?: KnownNames): View {
  // A message shows a bad integer as the user wrote it: signed, if the list is.
  const written: ((value: number) => number)[] = [];
  const integers = (list: unknown, where: string) => {
    written.push(signed(list));
    return offsets(list, where);
  };
  const matrix = sparseMatrix(points, min, { integers, values: valuesOf }, known);
  const { indptr, indices, values, rows, cols, columns } = matrix;
  const entries = indices.length;
  return {
    rows,
    cols,
    entries,
    sparse: true,
    columns,
    matrix,
    arguments: [indptr, indices, values, rows, cols],
    refuse: (defect) => {
      throw sparseError(defect, cols, entries, { indptr: written[0]!, indices: written[1]! });
    },
  };
}

/** Converts an unsigned integer back to the signedness of the list that it was read from. */
function signed(list: unknown): (value: number) => number {
  return isOf(list, 'Int32Array') ? (value) => value | 0 : (value) => value;
}

/** The error for a defect, by the values found in the copy: the caller's arrays may hold others by now. */
function sparseError(
  { defect, row, at, found, before }: CopyDefect,
  cols: number,
  entries: number,
  as: { indptr: (value: number) => number; indices: (value: number) => number },
): Error {
  switch (defect) {
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

/** Whether it is a typed array of floating-point numbers, of any realm (vm context). */
function isData(value: unknown): value is Data {
  return isOf(value, 'Float64Array', 'Float32Array');
}

/** Offsets or indices as unsigned 32-bit integers. A negative one becomes huge, and is refused when copied. */
function offsets(list: unknown, where: string): Uint32Array {
  if (isOf(list, 'Uint32Array', 'Int32Array')) return unsigned(list);
  if (!isArray(list)) throw typeError('ERR_POINTS', 'an Int32Array, Uint32Array or array of integers', where, list);
  const offset = (value: unknown, k: number): number => {
    if (typeof value === 'number' && value >>> 0 === value) return value;
    throw rangeError('ERR_POINTS', 'an integer from 0 to 4294967295', `${where}[${k}]`, value);
  };
  return Uint32Array.from(numbersOf(list, offset));
}

function valuesOf(list: unknown, where: string): Data {
  if (isData(list)) return plainView(list);
  if (!isArray(list)) throw typeError('ERR_POINTS', 'a Float64Array, Float32Array or array of numbers', where, list);
  const value = (given: unknown, k: number): number => {
    if (typeof given === 'number') return given; // whether it is finite is checked when it is copied
    throw typeError('ERR_POINTS', 'a finite number', `${where}[${k}]`, given);
  };
  return Float64Array.from(numbersOf(list, value));
}

function size(value: unknown, where: string, min: number, code: ErrorCode = 'ERR_POINTS'): number {
  const what = `an integer from ${min} to ${MAX_COUNT}`;
  if (typeof value !== 'number') throw typeError(code, what, where, value);
  if (!Number.isInteger(value) || value < min || value > MAX_COUNT) throw rangeError(code, what, where, value);
  return value;
}
