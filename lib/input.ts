/** User values → checked, resolved values. The only place that checks: what passes here is taken as valid everywhere else. */
import { defaultThreads, kernels, type Backend, type CopyProblem, type Matrix } from './backend.js';
import { coded, rangeError, show, typeError, Verbatim } from './errors.js';
import type { DatasetOptions, DenseMatrix, Rows, SparseMatrix } from './types.js';

type Data = Float64Array | Float32Array;

// ---- Options

/** Refuses option names that are not known, with a suggestion where one is near. */
export function checkOptionNames(options: unknown, known: readonly string[]): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw typeError('ERR_OPTION', 'an object', 'options', options);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const near = known.find((k) => k.toLowerCase() === name.toLowerCase()) ?? nearest(name, known);
    throw coded(
      TypeError,
      'ERR_OPTION',
      `Unknown option ${show(name)}${near === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${show(near)}?`}`,
    );
  }
}

/** The known name that shares a beginning, or is few edits away. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((k) => ({ k, d: distance(name.toLowerCase(), k.toLowerCase()) }))
    .sort((a, b) => a.d - b.d)
    .find(({ k, d }) => d <= Math.max(2, k.length / 3) || (name.length >= 4 && k.startsWith(name)));
  return near?.k;
}

/** Levenshtein's distance. Names longer than any option are not worth comparing. */
function distance(a: string, b: string): number {
  if (a.length > 40) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}

export function resolveThreads(threads: unknown): number {
  if (threads === undefined) return defaultThreads();
  if (typeof threads !== 'number') throw typeError('ERR_OPTION', 'an integer from 1 to 256', 'options.threads', threads);
  if (!Number.isInteger(threads) || threads < 1 || threads > 256) {
    throw rangeError('ERR_OPTION', 'an integer from 1 to 256', 'options.threads', threads);
  }
  return threads;
}

export function resolveBackend(choice: unknown): Backend {
  if (choice === undefined || choice === 'auto' || choice === 'native' || choice === 'js') return kernels(choice);
  throw rangeError('ERR_OPTION', "'auto', 'native' or 'js'", 'options.backend', choice);
}

// ---- Points

/** Copies points into a backend's matrix, checking them on the way. The user's arrays are not kept. */
export function copyPoints(points: unknown, backend: Backend, threads: number): Matrix {
  if (Array.isArray(points)) return copyRows(points as Rows, backend, threads);
  if (typeof points === 'object' && points !== null) {
    if ('data' in points) return copyDense(points as DenseMatrix, backend, threads);
    if ('indptr' in points) return copySparse(points as SparseMatrix, backend, threads);
  }
  throw typeError(
    'ERR_POINTS',
    'rows of numbers, { data, rows, cols }, { indptr, indices, rows, cols } or a Dataset',
    'points',
    points,
  );
}

function copyRows(points: Rows, backend: Backend, threads: number): Matrix {
  const rows = points.length;
  if (rows === 0) throw rangeError('ERR_POINTS', 'at least one row', 'points', new Verbatim('none'));
  const cols = rowLength(points, 0);
  const data = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    const length = rowLength(points, i);
    const row = points[i]!;
    if (length !== cols) {
      throw rangeError('ERR_POINTS', `${cols} numbers`, `points[${i}], as in points[0],`, length);
    }
    for (let j = 0; j < cols; j++) {
      const value: unknown = row[j];
      if (typeof value !== 'number') throw typeError('ERR_POINTS', 'a finite number', `points[${i}][${j}]`, value);
      data[i * cols + j] = value;
    }
  }
  return new backend.Matrix(
    ({ at }) => {
      throw rangeError('ERR_POINTS', 'a finite number', `points[${Math.floor(at / cols)}][${at % cols}]`, data[at]);
    },
    threads,
    data,
    rows,
    cols,
  );
}

function rowLength(points: Rows, i: number): number {
  const row: unknown = points[i];
  const length = (row as ArrayLike<number> | null | undefined)?.length;
  if (typeof row === 'string' || !Number.isInteger(length)) throw typeError('ERR_POINTS', 'a row of numbers', `points[${i}]`, row);
  return length!;
}

function copyDense(points: DenseMatrix, backend: Backend, threads: number): Matrix {
  const { data } = points;
  const rows = size(points.rows, 'points.rows', 1);
  const cols = size(points.cols, 'points.cols', 0);
  if (!(data instanceof Float64Array || data instanceof Float32Array)) {
    throw typeError('ERR_POINTS', 'a Float64Array or Float32Array', 'points.data', data);
  }
  if (data.length !== rows * cols) {
    throw rangeError('ERR_POINTS', `rows × cols = ${rows * cols} numbers`, 'points.data', data.length);
  }
  return new backend.Matrix(
    ({ at }) => {
      const where = `points.data[${at}] (row ${Math.floor(at / cols)}, column ${at % cols})`;
      throw rangeError('ERR_POINTS', 'a finite number', where, data[at]);
    },
    threads,
    data,
    rows,
    cols,
  );
}

function copySparse(points: SparseMatrix, backend: Backend, threads: number): Matrix {
  const rows = size(points.rows, 'points.rows', 1);
  const cols = size(points.cols, 'points.cols', 0);
  const indptr = offsets(points.indptr, 'points.indptr');
  const indices = offsets(points.indices, 'points.indices');
  const values = optionalValues(points.values);
  if (indptr.length !== rows + 1) throw rangeError('ERR_POINTS', `rows + 1 = ${rows + 1} offsets`, 'points.indptr', indptr.length);
  if (values && values.length !== indices.length) {
    throw rangeError('ERR_POINTS', `${indices.length} numbers, as in points.indices,`, 'points.values', values.length);
  }
  return new backend.Matrix(
    (problem) => {
      throw sparseError(problem, points, cols, indices.length);
    },
    threads,
    indptr,
    indices,
    values,
    rows,
    cols,
  );
}

function sparseError({ problem, row, at }: CopyProblem, points: SparseMatrix, cols: number, entries: number): Error {
  const { indptr, indices, values } = points;
  switch (problem) {
    case 'bad-start': {
      const what = at === 0 ? '0' : `an offset from ${indptr[at - 1]} to ${entries}`;
      return rangeError('ERR_POINTS', what, `points.indptr[${at}]`, indptr[at]);
    }
    case 'bad-range':
      return rangeError('ERR_POINTS', `a column from 0 to ${cols - 1}`, `points.indices[${at}] (row ${row})`, indices[at]);
    case 'bad-order':
      return coded(
        RangeError,
        'ERR_POINTS',
        `Expected ascending column indices in row ${row} but received ${indices[at]} after ${indices[at - 1]}`,
      );
    case 'not-finite':
      return rangeError('ERR_POINTS', 'a finite number', `points.values[${at}]`, values?.[at]);
  }
}

/** Offsets and indices as unsigned 32-bit numbers; a negative one becomes a huge one, which the copy refuses. */
function offsets(list: unknown, where: string): Uint32Array {
  if (list instanceof Uint32Array) return list;
  if (list instanceof Int32Array) return new Uint32Array(list.buffer, list.byteOffset, list.length);
  if (!Array.isArray(list)) throw typeError('ERR_POINTS', 'an Int32Array, Uint32Array or array of integers', where, list);
  const bad = list.findIndex((v) => !Number.isInteger(v) || v < 0 || v > 0xffffffff);
  if (bad >= 0) throw rangeError('ERR_POINTS', 'an integer from 0 to 4294967295', `${where}[${bad}]`, list[bad]);
  return Uint32Array.from(list as number[]);
}

function optionalValues(list: unknown): Data | undefined {
  if (list === undefined || list instanceof Float64Array || list instanceof Float32Array) return list;
  if (!Array.isArray(list))
    throw typeError('ERR_POINTS', 'a Float64Array, Float32Array or array of numbers', 'points.values', list);
  const bad = list.findIndex((v) => typeof v !== 'number');
  if (bad >= 0) throw typeError('ERR_POINTS', 'a finite number', `points.values[${bad}]`, list[bad]);
  return Float64Array.from(list as number[]);
}

function size(value: unknown, where: string, least: number): number {
  const what = `an integer from ${least} to 4294967294`;
  if (typeof value !== 'number') throw typeError('ERR_POINTS', what, where, value);
  if (!Number.isInteger(value) || value < least || value > 4294967294) throw rangeError('ERR_POINTS', what, where, value);
  return value;
}

// ---- Datasets

const DATASET_OPTIONS = ['backend', 'threads'] as const satisfies readonly (keyof DatasetOptions)[];

export function resolveDatasetOptions(options: DatasetOptions | undefined): { backend: Backend; threads: number } {
  checkOptionNames(options, DATASET_OPTIONS);
  return { backend: resolveBackend(options?.backend), threads: resolveThreads(options?.threads) };
}
