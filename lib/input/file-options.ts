/** What files are read from and written to, and what is wrong with them. */
import { types } from 'node:util';
import type { Backend, ParseDefect } from '../backend/interface.js';
import { coded, rangeError, show, typeError, Verbatim } from '../errors.js';
import { isObject, plainView } from './intrinsics.js';
import type {
  DenseMatrix,
  ReadCsvOptions,
  ReadLibsvmOptions,
  Signal,
  SparseMatrix,
  TargetStream,
  WriteLibsvmOptions,
} from '../types.js';
import { labelList } from './lists.js';
import { abortSignal, boolean, integer, knownOptions, oneOfThese, optional, resolveBackend } from './options.js';
import { viewPoints } from './points.js';
import { CSV_WORDS, READ_WORDS } from './words.js';

/** Columns are numbered from 0 to 2^31 - 1. */
const MAX_COLUMNS = 2147483648;

/** What messages call it: its path, or `input`. */
export function checkSource(source: unknown): string {
  if (typeof source === 'string') return source;
  if (types.isUint8Array(source)) return 'input';
  if (isObject(source) && typeof (source as AsyncIterable<unknown>)[Symbol.asyncIterator] === 'function') {
    const { path } = source as { path?: unknown };
    return typeof path === 'string' ? path : 'input';
  }
  throw typeError('ERR_SOURCE', 'a path, a Readable or a Uint8Array', 'source', source);
}

export function checkPath(path: unknown): void {
  if (typeof path !== 'string') throw typeError('ERR_SOURCE', 'a path', 'path', path);
}

/** A chunk of a stream, as bytes. */
export function checkChunk(chunk: unknown): Uint8Array {
  if (types.isUint8Array(chunk)) return plainView(chunk);
  if (typeof chunk === 'string') return Buffer.from(chunk);
  throw typeError('ERR_SOURCE', 'bytes or text', 'a chunk of the stream', chunk);
}

/** The bytes of a source were transferred elsewhere while they were read. */
export function gone(): Error {
  return typeError('ERR_SOURCE', 'bytes that stay where they are', 'source', new Verbatim('a buffer that was detached or resized'));
}

/** What zlib says of compressed data that are broken. */
export function gzipError(name: string, code: 'ERR_LIBSVM' | 'ERR_CSV', cause: Error): Error {
  const received = /unexpected end/.test(cause.message) ? 'a file that ends in the middle' : `something else (${cause.message})`;
  return coded(SyntaxError, code, `Expected a whole gzip file for ${name} but received ${received}`, cause);
}

/** A file of more text than is wanted. */
export function longError(name: string, code: 'ERR_LIBSVM' | 'ERR_CSV', max: number): Error {
  return coded(RangeError, code, `Expected at most ${max} bytes of text for ${name}, as options.maxBytes says, but received more`);
}

/** Labels that are words are objects of V8, whose heap ends the process when it is full. */
const MAX_WORDS = 2 ** 26;
/** So many of them that are not the same are no classes. */
export const MAX_DISTINCT = 2 ** 20;

/** Refuses labels that are words where there are too many rows, or too many that are not the same. */
export function checkWords(rows: number, distinct: number, name: string, code: 'ERR_LIBSVM' | 'ERR_CSV'): void {
  if (distinct > MAX_DISTINCT) {
    throw coded(RangeError, code, `Expected at most ${MAX_DISTINCT} distinct labels for ${name} but received more`);
  }
  if (rows > MAX_WORDS) {
    throw coded(RangeError, code, `Expected at most ${MAX_WORDS} rows with words for labels for ${name} but received ${rows}`);
  }
}

/** `Infinity`, or an integer. */
function byteLimit(value: unknown, where: string): number {
  return value === Infinity ? Infinity : integer(0, Number.MAX_SAFE_INTEGER)(value, where);
}

export interface LibsvmReading {
  readonly backend: Backend;
  readonly cols: number | undefined;
  readonly limit: number;
  readonly zeroBased: boolean;
  readonly words: boolean;
  readonly ignoreExtra: boolean;
  readonly maxBytes: number;
  readonly signal: Signal | undefined;
}

const READ_OPTIONS = [
  'cols',
  'zeroBased',
  'labels',
  'extra',
  'maxBytes',
  'signal',
  'backend',
] as const satisfies readonly (keyof ReadLibsvmOptions)[];

export function resolveLibsvmReading(given?: ReadLibsvmOptions): LibsvmReading {
  const options = knownOptions(given, READ_OPTIONS, READ_WORDS);
  const cols = optional(options.cols, 'cols', integer(0, MAX_COLUMNS));
  return {
    backend: resolveBackend(options.backend),
    cols,
    limit: cols ?? MAX_COLUMNS,
    zeroBased: optional(options.zeroBased, 'zeroBased', boolean) ?? false,
    words: optional(options.labels, 'labels', oneOfThese('number', 'string')) === 'string',
    ignoreExtra: optional(options.extra, 'extra', oneOfThese('error', 'ignore')) === 'ignore',
    maxBytes: optional(options.maxBytes, 'maxBytes', byteLimit) ?? Infinity,
    signal: optional(options.signal, 'signal', abortSignal),
  };
}

/** Words what a parser met. */
export function libsvmError({ defect, line, column, text, last }: ParseDefect, name: string, reading: LibsvmReading): Error {
  const first = reading.zeroBased ? 0 : 1;
  const received = Buffer.from(text).toString();
  const lost = /^\d+:/.test(received); // the label
  const expected: Record<ParseDefect['defect'], readonly [what: string, hint?: string | undefined]> = {
    label: [
      'a finite number, the label,',
      lost ? undefined : isCsvRow(received) ? CSV_HINT : "for labels that are words set labels: 'string'",
    ],
    word: ['a label in UTF-8 without ":"'],
    entry: ['index:value'],
    qid: ['index:value', 'query ids, for ranking, are not supported'],
    value: ['index:value with a finite number'],
    range: ['an index of at most 2147483647'],
    zero: ['an index from 1', 'for a file that counts from 0 set zeroBased: true'],
    order: [parseInt(received) === last ? 'each index once in a row' : `an index above ${last}, as indices ascend in a row,`],
    extra: [`an index of at most ${reading.limit - 1 + first}, as options.cols is ${reading.limit},`],
    long: ['a label or index:value of at most 1000 bytes'],
    rows: ['at most 4294967294 rows'],
    entries: ['at most 4294967294 entries'],
    empty: ['at least one row'],
  };
  const [what, hint] = expected[defect];
  const came = defect === 'empty' ? 'none' : show(received);
  const message = `Expected ${what} at ${name}:${line}:${column} but received ${came}`;
  return coded(SyntaxError, 'ERR_LIBSVM', hint === undefined ? message : `${message}; ${hint}`);
}

const CSV_HINT = 'this looks like CSV (readCsv, --csv)';

/** Whether a word of LIBSVM text is a row of CSV. */
function isCsvRow(word: string): boolean {
  return /[,;]/.test(word);
}

/** Refuses rows that are nothing but labels, and these rows of CSV: every line of it is a word. */
export function checkEntries(entries: number, labels: ArrayLike<number | string>, name: string): void {
  const label = labels[0];
  if (entries > 0 || typeof label !== 'string' || !isCsvRow(label)) return;
  throw coded(
    SyntaxError,
    'ERR_LIBSVM',
    `Expected index:value in some row of ${name} but received ${show(label)} and the like; ${CSV_HINT}`,
  );
}

export interface LibsvmWriting {
  readonly points: DenseMatrix | SparseMatrix;
  readonly labels: ArrayLike<number | string>;
  readonly signal: Signal | undefined;
}

/** A target is a path, or has `write`; points and labels are what readLibsvm could read again. */
export function resolveLibsvmWriting(
  target: unknown,
  points: unknown,
  labels: unknown,
  options?: WriteLibsvmOptions,
): LibsvmWriting {
  const { signal: given } = knownOptions(options, ['signal']);
  if (typeof target !== 'string' && !(isObject(target) && typeof (target as TargetStream).write === 'function')) {
    throw typeError('ERR_SOURCE', 'a path or a Writable', 'target', target);
  }
  const signal = optional(given, 'signal', abortSignal);
  // The copy is made for its checks.
  const { rows, cols, refuse, arguments: lists } = viewPoints(points, { orDataset: false });
  const { Matrix } = resolveBackend(undefined);
  new Matrix(refuse, 1, ...lists).dispose();
  const list = labelList<number | string>(labels, rows);
  const words = Array.from({ length: rows }, (_, i) => writable(list[i], i));
  if (lists.length === 3) return { points: { data: lists[0], rows, cols }, labels: words, signal };
  const [indptr, indices, values] = lists;
  return { points: { indptr, indices, ...(values && { values }), rows, cols }, labels: words, signal };
}

function writable(label: unknown, i: number): number | string {
  if (typeof label === 'number') {
    if (!Number.isFinite(label)) throw rangeError('ERR_LABELS', 'a finite number', `labels[${i}]`, label);
  } else if (typeof label !== 'string') {
    throw typeError('ERR_LABELS', 'a number or string', `labels[${i}]`, label);
  } else if (!/^[^\0- :#\x7f]+$/.test(label) || Buffer.from(label).toString() !== label || Buffer.byteLength(label) > 1000) {
    throw rangeError('ERR_LABELS', 'a word of at most 1000 bytes without blanks, ":" and "#"', `labels[${i}]`, label);
  }
  return label;
}

export interface CsvReading {
  readonly label: string | number | null;
  readonly header: boolean;
  readonly columns: readonly string[] | undefined;
  readonly delimiter: string;
  readonly labels: 'auto' | 'number' | 'string';
  readonly maxBytes: number;
  readonly signal: Signal | undefined;
}

const CSV_OPTIONS = [
  'label',
  'header',
  'columns',
  'delimiter',
  'labels',
  'maxBytes',
  'signal',
] as const satisfies readonly (keyof ReadCsvOptions)[];

export function resolveCsvReading(given: ReadCsvOptions): CsvReading {
  if (given === undefined) throw typeError('ERR_OPTION', 'an object with the label column', 'options', given);
  const options = knownOptions(given, CSV_OPTIONS, CSV_WORDS);
  const header = optional(options.header, 'header', boolean) ?? true;
  const { label } = options;
  if (label !== null && typeof label !== 'string' && !Number.isInteger(label)) {
    throw typeError('ERR_OPTION', "a column's name or number", 'options.label', label);
  }
  if (typeof label === 'string' && !header) {
    throw rangeError('ERR_OPTION', "a column's number", 'options.label, as there is no header,', label);
  }
  const columns = optional(options.columns, 'columns', columnNames);
  if (columns && !header) throw rangeError('ERR_OPTION', 'nothing', 'options.columns, as there is no header,', options.columns);
  return {
    label,
    header,
    columns,
    delimiter: optional(options.delimiter, 'delimiter', delimiter) ?? ',',
    labels: optional(options.labels, 'labels', oneOfThese('auto', 'number', 'string')) ?? 'auto',
    maxBytes: optional(options.maxBytes, 'maxBytes', byteLimit) ?? Infinity,
    signal: optional(options.signal, 'signal', abortSignal),
  };
}

/** A copy of a list of names. */
function columnNames(value: unknown, where: string): string[] {
  if (!Array.isArray(value)) throw typeError('ERR_OPTION', 'an array of names', where, value);
  return Array.from(value, (name: unknown, j) => {
    if (typeof name !== 'string') throw typeError('ERR_OPTION', 'a name', `${where}[${j}]`, name);
    return name;
  });
}

function delimiter(value: unknown, where: string): string {
  if (typeof value !== 'string') throw typeError('ERR_OPTION', 'a character', where, value);
  if (value === '' || /["\r\n]/.test(value))
    throw rangeError('ERR_OPTION', 'a character that is no quote or line end', where, value);
  return value;
}

/** Where in a CSV file: its line and, if it is one cell, the number of its column from 1 and its name. */
export interface CsvPlace {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly name?: string | undefined;
}

export function csvError(what: string, { file, line, column, name }: CsvPlace, received: unknown, cause?: unknown): Error {
  const cell = column === undefined ? '' : `:${column}${name === undefined ? '' : ` (column ${show(name)})`}`;
  return coded(SyntaxError, 'ERR_CSV', `Expected ${what} at ${file}:${line}${cell} but received ${show(received)}`, cause);
}

/** A number, or a word and an entry; then entries. */
const LIBSVM_ROW = /^\s*(?:[-+.\d]\S*|\S+\s+\d+:[-+.\deE]+)(?:\s+\d+:[-+.\deE]+)+\s*$/;

/** Refuses a file whose first row is one of LIBSVM text: its blanks and colons make no cells, so that every row would be a label. */
export function checkCsv(cells: readonly string[], { delimiter }: CsvReading, place: CsvPlace): void {
  // Its beginning tells, without the entry that it is cut within: a row may be megabytes.
  const whole = cells.slice(0, 100).join(delimiter);
  const row = whole.length > 10_000 ? whole.slice(0, 10_000).replace(/\s\S*$/, '') : whole;
  if (!LIBSVM_ROW.test(row)) return;
  const { message } = csvError('comma-separated values', place, row);
  throw coded(SyntaxError, 'ERR_CSV', `${message}; this is LIBSVM text, which readLibsvm reads`);
}
