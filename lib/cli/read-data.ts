/** Reads the data that a command line names: LIBSVM text or CSV; `-` is stdin. */
import { decimal } from '../backend/decimal.js';
import { coded, show, type CodedError } from '../errors.js';
import { extraColumnsError } from '../input/column-names.js';
import { readCsv } from '../io/csv.js';
import { readLibsvm } from '../io/libsvm.js';
import { Dataset } from '../data/dataset.js';
import type { DenseMatrix, Label, OpenDatasetOptions, Source, SparseMatrix } from '../types.js';
import { usageError, type Arguments, type Option } from './arguments.js';
import type { Output } from './output.js';
import { looksLikeModel } from './read-model.js';

/** Points in memory, or in a dataset's file. */
export interface Data<P = DenseMatrix | SparseMatrix | Dataset> {
  readonly points: P;
  /** Empty if the file has no labels. */
  readonly labels: Float64Array | readonly Label[];
  /** The number of entries left out because their columns were not asked for. */
  readonly ignored: number;
  /** CSV: the columns' names, or their numbers in the file if it has no header. */
  readonly columns?: readonly string[];
  /** CSV: whether the file has a header. */
  readonly named?: boolean;
}

export const DATA_OPTIONS: readonly Option[] = [
  { names: ['--zero-based'], help: 'LIBSVM text: columns are numbered from 0' },
  { names: ['--labels'], value: 'number|string', help: 'the kind of labels (default: LIBSVM text number; CSV number if all are)' },
  { names: ['--max-bytes'], value: 'N', help: 'refuse data of more bytes than this, after decompression (default: no limit)' },
  { names: ['--csv'], help: 'read CSV whatever the file name (default: if it ends in .csv or .csv.gz)' },
  {
    names: ['--label'],
    value: 'COLUMN',
    help: 'CSV: the column of labels, by name or by number from 0; -1 is the last (default: label)',
  },
  { names: ['--no-header'], help: 'CSV: the first row is data, not the names of columns' },
  { names: ['--delimiter'], value: 'TEXT', help: 'CSV: the separator of cells (default: a comma)' },
];

interface Wanted {
  /** LIBSVM text: the number of columns. */
  readonly cols?: number | undefined;
  /** CSV with a header: the columns to read, in this order. */
  readonly columns?: readonly string[] | undefined;
  /** What to do with other columns than these. @default 'refuse' */
  readonly extraColumns?: 'refuse' | 'ignore';
  /** CSV: whether there is a column of labels. */
  readonly labelled: boolean;
  /** The kind of labels; overrides --labels. */
  readonly labels?: 'number' | 'string' | undefined;
  readonly signal: AbortSignal;
  readonly output: Output;
  /** What to read in place of the file or stdin. */
  readonly source?: Source;
}

export function isCsv(path: string, args: Arguments): boolean {
  return args.has('csv') || /\.csv(\.gz)?$/i.test(path);
}

export function sourceOf(path: string): string | NodeJS.ReadStream {
  return path === '-' ? process.stdin : path;
}

/** The options that every text has. */
export function textOptions(args: Arguments): { readonly delimiter: string | undefined; readonly maxBytes: number } {
  return {
    delimiter: args.text('delimiter')?.replace('\\t', '\t'),
    maxBytes: args.number('max-bytes', [0, Number.MAX_SAFE_INTEGER]) ?? Infinity,
  };
}

/** Whether a path is that of a dataset's file. */
export function isStored(path: string): boolean {
  return /\.fds$/i.test(path);
}

/** Opens a dataset's file, or a part of it. The rows stay where they are. */
export function openData(path: string, args: Arguments, part?: OpenDatasetOptions['part']): Data<Dataset> {
  for (const { names } of DATA_OPTIONS) {
    const name = names[0].slice(2);
    if (args.has(name)) throw usageError(`Expected a text with --${name} but received ${show(path)}`);
  }
  const points = Dataset.open(path, { ...(part && { part }) });
  return { points, labels: points.labels ?? [], ignored: 0, ...(points.columns && { columns: points.columns, named: true }) };
}

/** Reads points of a text. */
export async function readData(path: string, args: Arguments, wanted: Wanted): Promise<Data<DenseMatrix | SparseMatrix>> {
  try {
    return await readTable(path, args, wanted);
  } catch (error) {
    const { code } = error as CodedError;
    if ((code !== 'ERR_LIBSVM' && code !== 'ERR_CSV') || !(await looksLikeModel(path))) throw error;
    // The user may have swapped the file names.
    throw coded(SyntaxError, code, `Expected rows of data for ${path} but received a model`, error);
  }
}

async function readTable(path: string, args: Arguments, wanted: Wanted): Promise<Data<DenseMatrix | SparseMatrix>> {
  const { cols, extraColumns: extra = 'refuse', columns, labelled, labels, signal, output } = wanted;
  const source = wanted.source ?? sourceOf(path);
  const kind = labels ?? args.oneOf('labels', ['number', 'string']);
  const { delimiter, maxBytes } = textOptions(args);
  if (!isCsv(path, args)) {
    for (const name of ['label', 'no-header', 'delimiter']) {
      if (args.has(name)) throw usageError(`Expected CSV with --${name} but received ${show(path)}; use --csv if it is CSV`);
    }
    return await readLibsvm(source, {
      ...(cols !== undefined && { cols }),
      extra: extra === 'ignore' ? 'ignore' : 'error',
      ...(kind && { labels: kind }),
      zeroBased: args.has('zero-based'),
      maxBytes,
      signal,
    });
  }
  const label = args.text('label') ?? (args.has('no-header') ? '0' : 'label');
  const named = !args.has('no-header');
  const { ignored, ...data } = await readCsv(source, {
    label: !labelled || args.has('no-label') ? null : /^-?\d+$/.test(label) ? Number(label) : label,
    header: named,
    ...(named && columns && { columns }),
    ...(delimiter !== undefined && { delimiter }),
    ...(kind && { labels: kind }),
    maxBytes,
    signal,
  });
  if (named) warnOfNumbers(path, data.columns, output);
  warnOfExtra(path, ignored, extra, output);
  return { ...data, ignored: data.points.rows * ignored.length, named };
}

/** Warns of columns that the model does not know, or refuses them. */
export function warnOfExtra(path: string, names: readonly string[], extra: 'refuse' | 'ignore', output: Output): void {
  if (names.length === 0) return;
  if (extra === 'refuse') throw extraColumnsError(names[0]!, names.length, path === '-' ? 'stdin' : path, 'ERR_CSV');
  const some = names.slice(0, 5).map(show).join(', ') + (names.length > 5 ? ', …' : '');
  const which = names.length === 1 ? 'a column' : `${names.length} columns`;
  output.warn(`${path} has ${which} that the model does not know (${some}): ignored`);
}

/** Warns of names that look like data. */
export function warnOfNumbers(path: string, names: readonly string[], output: Output): void {
  if (names.length === 0 || names.some((name) => Number.isNaN(decimal(name.trim())))) return;
  output.warn(`the first row of ${path} was read as column names, but they are all numbers; use --no-header if it is data`);
}

/** A row as a dense array. A sparse row is padded with zeros to `cols` columns: one file may use fewer columns than another. */
export function denseRow(points: DenseMatrix | SparseMatrix, i: number, cols = points.cols): Float64Array {
  if ('data' in points) return Float64Array.from(points.data.subarray(i * points.cols, (i + 1) * points.cols));
  const row = new Float64Array(cols);
  for (let k = points.indptr[i]!; k < points.indptr[i + 1]!; k++) row[points.indices[k]!] = points.values?.[k] ?? 1;
  return row;
}
