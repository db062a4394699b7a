/** The messages of errors about files. */
import type { ParseDefect } from '../backend/interface.js';
import { coded, option, plural, printable, setting, show, typeError, Verbatim, words, type Term, type Words } from '../errors.js';
import type { Signal } from '../types.js';
import type { CsvReading, LibsvmReading } from './file-options.js';

/** The source's buffer was detached or resized while it was read. */
export function gone(): Error {
  return typeError('ERR_SOURCE', 'bytes that stay where they are', 'source', new Verbatim('a buffer that was detached or resized'));
}

/** The codes of errors about what is in a file of data. */
export type FileCode = 'ERR_LIBSVM' | 'ERR_CSV' | 'ERR_JSON' | 'ERR_PARQUET' | 'ERR_ARROW';

/** Compressed data are damaged; `cause` is zlib's error. */
export function gzipError(name: string, code: FileCode, cause: Error): Error {
  const received = /unexpected end|truncated/.test(cause.message)
    ? 'a file that ends in the middle'
    : `something else (${cause.message})`;
  return coded(SyntaxError, code, `Expected a whole gzip file for ${name} but received ${received}`, cause);
}

/** A file has more bytes of text than maxBytes. */
export function longError(name: string, code: FileCode, max: number): Error {
  return coded(
    RangeError,
    code,
    words`Expected at most ${max} bytes of text for ${name}, as ${option('maxBytes')} says, but received more`,
  );
}

/** The strings of a file would take too much of V8's heap. */
export function heapError(name: string, code: FileCode, max: number): Error {
  const remedy = 'NODE_OPTIONS=--max-old-space-size=⟨MB⟩ makes room for more';
  return coded(RangeError, code, `Expected strings of at most ${max} bytes for ${name} but received more; ${remedy}`);
}

/** The maximum number of labels that are words: they are on V8's heap, and V8 ends the process when that is full. */
const MAX_WORDS = 2 ** 26;
/** More distinct labels than this are not treated as classes. */
export const MAX_DISTINCT = 2 ** 20;

/** Refuses labels that are words if there are too many rows, or too many distinct labels. */
export function checkWords(rows: number, distinct: number, name: string, code: 'ERR_LIBSVM' | 'ERR_CSV'): void {
  if (distinct > MAX_DISTINCT) {
    throw coded(RangeError, code, `Expected at most ${MAX_DISTINCT} distinct labels for ${name} but received more`);
  }
  if (rows > MAX_WORDS) {
    throw coded(RangeError, code, `Expected at most ${MAX_WORDS} rows with string labels for ${name} but received ${rows}`);
  }
}

/** Turns a parser's defect into an error. */
export function libsvmError({ defect, line, column, text, last }: ParseDefect, name: string, reading: LibsvmReading): Error {
  const first = reading.zeroBased ? 0 : 1;
  const received = Buffer.from(text).toString();
  const noLabel = /^\d+:/.test(received); // the row begins with an entry
  const expected: Record<ParseDefect['defect'], readonly [what: Words, hint?: Words | undefined]> = {
    label: [
      'a finite number, the label,',
      noLabel ? undefined : isCsvRow(received) ? CSV_HINT : words`for labels that are words ${setting('labels', 'string')}`,
    ],
    word: ['a label in UTF-8 without ":"'],
    entry: ['index:value'],
    qid: ['index:value', 'query ids, for ranking, are not supported'],
    value: ['index:value with a finite number'],
    range: ['an index of at most 2147483647'],
    zero: ['an index from 1', words`for a file that counts from 0 ${setting('zeroBased', true)}`],
    order: [parseInt(received) === last ? 'each index once in a row' : `an index above ${last}, as indices ascend in a row,`],
    extra: [words`an index of at most ${reading.limit - 1 + first}, as ${option('cols')} is ${reading.limit},`],
    long: ['a label or index:value of at most 1000 bytes'],
    rows: ['at most 4294967294 rows'],
    entries: ['at most 4294967294 entries'],
    empty: ['at least one row'],
  };
  const [what, hint] = expected[defect];
  const came = defect === 'empty' ? 'none' : show(received);
  const message = words`Expected ${what} at ${name}:${line}:${column} but received ${came}`;
  return coded(SyntaxError, 'ERR_LIBSVM', hint === undefined ? message : words`${message}; ${hint}`);
}

const CSV_HINT = 'this looks like CSV (readCsv, --csv)';

/** Whether a word of LIBSVM text looks like a row of CSV. */
function isCsvRow(word: string): boolean {
  return /[,;]/.test(word);
}

/** Refuses text without any entry whose labels look like rows of CSV: each line of CSV reads as one word. */
export function checkEntries(entries: number, labels: ArrayLike<number | string>, name: string): void {
  const label = labels[0];
  if (entries > 0 || typeof label !== 'string' || !isCsvRow(label)) return;
  throw coded(
    SyntaxError,
    'ERR_LIBSVM',
    `Expected index:value in some row of ${name} but received ${show(label)} and the like; ${CSV_HINT}`,
  );
}

/** A place in a CSV file: a line and, for a single cell, the number of its column from 1 and the column's name. */
export interface CsvPlace {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly name?: string | undefined;
}

export function csvError(what: Words, { file, line, column, name }: CsvPlace, received: unknown, cause?: unknown): Error {
  const cell = column === undefined ? '' : `:${column}${name === undefined ? '' : ` (column ${show(name)})`}`;
  return coded(SyntaxError, 'ERR_CSV', words`Expected ${what} at ${file}:${line}${cell} but received ${show(received)}`, cause);
}

const READER: Term = { kind: 'code', name: 'readLibsvm', text: 'which readLibsvm reads' };

/** A label, which is a number or a word before an entry, and then entries. */
const LIBSVM_ROW = /^\s*(?:[-+.\d]\S*|\S+\s+\d+:[-+.\deE]+)(?:\s+\d+:[-+.\deE]+)+\s*$/;

/** Refuses a file whose first row is LIBSVM text. Blanks and colons do not divide cells, so each row would be read as one label. */
export function checkCsv(cells: readonly string[], { delimiter }: Pick<CsvReading, 'delimiter'>, place: CsvPlace): void {
  // The beginning of the row is enough, as a row may be megabytes long. An entry that is cut at its end is left out.
  const whole = cells.slice(0, 100).join(delimiter);
  const row = whole.length > 10_000 ? whole.slice(0, 10_000).replace(/\s\S*$/, '') : whole;
  if (!LIBSVM_ROW.test(row)) return;
  const { message } = csvError('comma-separated values', place, row);
  throw coded(SyntaxError, 'ERR_CSV', words`${message}; this is LIBSVM text, ${READER}`);
}

/** What is wrong in newline-delimited JSON; `where` is the line, or line:column. */
export function jsonError(what: string, file: string, where: number | string, received: unknown, cause?: unknown): Error {
  return coded(SyntaxError, 'ERR_JSON', `Expected ${what} at ${file}:${where} but received ${show(received)}`, cause);
}

/** No record has a field that was asked for. */
export function lostFieldError(name: string, file: string, rows: number, code: FileCode): Error {
  const where = words`as ${option('fields')} says, in ${file}`;
  return coded(RangeError, code, words`Expected a field ${show(name)}, ${where} but none of ${plural(rows, 'record')} has it`);
}

/** An error while a file that is no text was read: as it is if it is of the system or of this package, else worded. */
export function binaryDefect(error: unknown, what: string, file: string, code: FileCode, signal: Signal | undefined): unknown {
  const { syscall, code: own } = (error ?? {}) as { syscall?: unknown; code?: unknown };
  if ((signal?.aborted && error === signal.reason) || syscall !== undefined || own === code) return error;
  return binaryError(what, file, code, error);
}

/** What is wrong with a file that is no text; `received` is the error of the package that reads it, or words. */
export function binaryError(what: string, file: string, code: FileCode, received: unknown = 'none'): Error {
  const cause = typeof received === 'string' ? undefined : received;
  const message = received instanceof Error ? received.message : String(received);
  const remedy = /unsupported compression codec/.test(message) ? '; npm install hyparquet-compressors' : '';
  const came = cause === undefined ? message : `something else (${printable(message.slice(0, 200))})`;
  return coded(SyntaxError, code, `Expected ${what} for ${file} but received ${came}${remedy}`, cause);
}

/** The error of a file that is no dataset's, or not a whole one. */
export function datasetError(what: string, name: string, received: string, cause?: unknown): Error {
  return coded(SyntaxError, 'ERR_DATASET', `Expected ${what} for ${name} but received ${received}`, cause);
}
