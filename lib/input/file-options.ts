/** Checks the sources and targets of files, and the options for reading and writing. */
import type { Backend } from '../backend/interface.js';
import { option, rangeError, typeError, words, type Words } from '../errors.js';
import { isObject, isOf, plainView } from './intrinsics.js';
import type {
  DenseMatrix,
  ReadCsvOptions,
  ReadCsvRecordsOptions,
  ReadTableOptions,
  ReadLibsvmOptions,
  Signal,
  SparseMatrix,
  TargetStream,
  WebStream,
  WriteLibsvmOptions,
} from '../types.js';
import { distinctNames, nameList } from './column-names.js';
import { labelList } from './labels.js';
import { abortSignal, boolean, integer, knownOptions, oneOfThese, optional, resolveBackend } from './options.js';
import { viewPoints } from './points.js';
import { CSV_RECORD_WORDS, CSV_WORDS, READ_WORDS } from './words.js';

/** Columns are numbered from 0 to 2^31 - 1. */
const MAX_COLUMNS = 2147483648;

/** Checks a source, and returns its name for messages: its path, or `input`. */
export function checkSource(source: unknown): string {
  if (typeof source === 'string') return source;
  if (isOf(source, 'Uint8Array')) return 'input';
  if (isObject(source) && (isIterated(source) || typeof (source as Partial<WebStream>).getReader === 'function')) {
    const { path } = source as { path?: unknown };
    return typeof path === 'string' ? path : 'input';
  }
  throw typeError('ERR_SOURCE', 'a path, a stream or a Uint8Array', 'source', source);
}

/** Whether a stream can be iterated over; one of the web that cannot has a reader. */
export function isIterated(stream: object): stream is AsyncIterable<unknown> {
  return typeof (stream as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function';
}

export function checkPath(path: unknown): void {
  if (typeof path !== 'string') throw typeError('ERR_SOURCE', 'a path', 'path', path);
}

/** Checks a chunk of a stream, and returns it as bytes. */
export function checkChunk(chunk: unknown): Uint8Array {
  if (isOf(chunk, 'Uint8Array')) return plainView(chunk);
  if (typeof chunk === 'string') return Buffer.from(chunk);
  throw typeError('ERR_SOURCE', 'bytes or text', 'a chunk of the stream', chunk);
}

/** An integer, or `Infinity`. */
function byteLimit(value: unknown, where: Words): number {
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

export interface LibsvmWriting {
  readonly points: DenseMatrix | SparseMatrix;
  readonly labels: ArrayLike<number | string>;
  readonly signal: Signal | undefined;
}

/** Checks a target, which is a path or has `write`, and points and labels, which readLibsvm must be able to read back. */
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
  // A Matrix checks the entries while it copies them; the copy itself is not needed.
  const { rows, matrix, refuse, arguments: lists } = viewPoints(points, { orDataset: false });
  const { Matrix } = resolveBackend(undefined);
  new Matrix(refuse, 1, ...lists).dispose();
  const list = labelList<number | string>(labels, rows);
  const words = Array.from({ length: rows }, (_, i) => writable(list[i], i));
  return { points: matrix, labels: words, signal };
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
  'as',
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
  optional(options.as, 'as', oneOfThese('points', 'records'));
  const header = optional(options.header, 'header', boolean) ?? true;
  const { label } = options;
  if (label !== null && typeof label !== 'string' && !Number.isInteger(label)) {
    throw typeError('ERR_OPTION', "a column's name or number", words`${option('label')}`, label);
  }
  if (typeof label === 'string' && !header) {
    throw rangeError('ERR_OPTION', "a column's number", words`${option('label')}, as there is no header,`, label);
  }
  return {
    label,
    header,
    labels: optional(options.labels, 'labels', oneOfThese('auto', 'number', 'string')) ?? 'auto',
    ...resolveCsvText(options, header),
  };
}

/** What points and records have in common. */
function resolveCsvText(
  options: Pick<ReadCsvOptions, 'columns' | 'delimiter' | 'maxBytes' | 'signal'>,
  header: boolean,
): Pick<CsvReading, 'columns' | 'delimiter' | 'maxBytes' | 'signal'> {
  const columns = optional(options.columns, 'columns', (list, where) => nameList(list, where, 'ERR_OPTION'));
  if (columns && !header)
    throw rangeError('ERR_OPTION', 'nothing', words`${option('columns')}, as there is no header,`, options.columns);
  return {
    columns,
    delimiter: optional(options.delimiter, 'delimiter', delimiter) ?? ',',
    maxBytes: optional(options.maxBytes, 'maxBytes', byteLimit) ?? Infinity,
    signal: optional(options.signal, 'signal', abortSignal),
  };
}

export interface CsvRecordsReading extends Pick<CsvReading, 'header' | 'columns' | 'delimiter' | 'maxBytes' | 'signal'> {
  readonly strings: ReadonlySet<string>;
}

const CSV_RECORD_OPTIONS = [
  'as',
  'header',
  'columns',
  'strings',
  'delimiter',
  'maxBytes',
  'signal',
] as const satisfies readonly (keyof ReadCsvRecordsOptions)[];

/** Whether the options of readCsv ask for records. */
export function asksForRecords(given: unknown): given is ReadCsvRecordsOptions {
  return isObject(given) && (given as { as?: unknown }).as === 'records';
}

export function resolveCsvRecords(given: ReadCsvRecordsOptions): CsvRecordsReading {
  const options = knownOptions(given, CSV_RECORD_OPTIONS, CSV_RECORD_WORDS);
  const header = optional(options.header, 'header', boolean) ?? true;
  const text = resolveCsvText(options, header);
  if (text.columns) distinctNames(text.columns, words`${option('columns')}`, 'ERR_OPTION');
  const strings = optional(options.strings, 'strings', (list, where) => nameList(list, where, 'ERR_OPTION'));
  return { header, strings: new Set(strings), ...text };
}

export interface TableReading {
  readonly fields: readonly string[] | undefined;
  readonly maxBytes: number;
  readonly signal: Signal | undefined;
}

export function resolveTableReading(given?: ReadTableOptions): TableReading {
  const options = knownOptions(given, ['fields', 'maxBytes', 'signal'], { columns: 'fields', limit: 'maxBytes' });
  return {
    fields: optional(options.fields, 'fields', fieldNames),
    maxBytes: optional(options.maxBytes, 'maxBytes', byteLimit) ?? Infinity,
    signal: optional(options.signal, 'signal', abortSignal),
  };
}

/** Distinct names. */
function fieldNames(value: unknown, where: Words): readonly string[] {
  return distinctNames(value, where, 'ERR_OPTION');
}

function delimiter(value: unknown, where: Words): string {
  if (typeof value !== 'string') throw typeError('ERR_OPTION', 'a character', where, value);
  if (value === '' || /["\r\n]/.test(value))
    throw rangeError('ERR_OPTION', 'a character that is no quote or line end', where, value);
  return value;
}
