/** Data and models by their names on the command line; `-` is stdin or stdout. */
import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants as zlib, createGzip, gunzipSync } from 'node:zlib';
import { targetOf, writeAtomically } from '../io/atomic.js';
import { coded, show, type CodedError } from '../errors.js';
import { inChunks } from '../io/chunks.js';
import { readCsv } from '../io/csv.js';
import { readLibsvm } from '../io/libsvm.js';
import { readModelFile, type ModelFile } from '../io/model-file.js';
import { isGzip } from '../io/source.js';
import type { DenseMatrix, SparseMatrix, SvmInfo } from '../types.js';
import { usageError, type Arguments, type Option } from './arguments.js';
import type { Output } from './output.js';

// ---- Data

export interface Data {
  readonly points: DenseMatrix | SparseMatrix;
  /** None where the file has none. */
  readonly labels: Float64Array | string[];
  /** Entries beyond the columns asked for. */
  readonly ignored: number;
  /** Of CSV: the columns' names, or else their numbers in the file. */
  readonly columns?: readonly string[];
  /** Whether these are names. */
  readonly named?: boolean;
}

export const DATA_OPTIONS: readonly Option[] = [
  { names: ['--zero-based'], help: 'LIBSVM text whose columns count from 0' },
  { names: ['--labels'], value: 'number|string', help: 'what labels are (LIBSVM text: number; CSV: numbers where all are)' },
  { names: ['--max-bytes'], value: 'N', help: 'refuse data of more text than that, decompressed (default no limit)' },
  { names: ['--csv'], help: 'CSV whatever the name of the file is (.csv and .csv.gz are)' },
  { names: ['--label'], value: 'COLUMN', help: 'CSV: the column of labels by name or number from 0, -1 the last (default label)' },
  { names: ['--no-header'], help: 'CSV: the first row has no names' },
  { names: ['--delimiter'], value: 'TEXT', help: 'CSV: what is between cells (default a comma)' },
];

interface Wanted {
  /** Of LIBSVM text: how many columns, and whether more are left out or an error. */
  readonly cols?: number | undefined;
  readonly extra?: 'error' | 'ignore';
  /** Of CSV with names: which columns, in this order. */
  readonly columns?: readonly string[] | undefined;
  /** Whether labels are wanted. */
  readonly labelled: boolean;
  /** What labels must be, whatever the file says. */
  readonly labels?: 'number' | 'string' | undefined;
  readonly signal: AbortSignal;
  readonly output: Output;
}

export function isCsv(path: string, args: Arguments): boolean {
  return args.has('csv') || /\.csv(\.gz)?$/i.test(path);
}

/** Points and labels of a file. */
export async function readData(path: string, args: Arguments, wanted: Wanted): Promise<Data> {
  try {
    return await readTable(path, args, wanted);
  } catch (error) {
    const { code } = error as CodedError;
    if ((code !== 'ERR_LIBSVM' && code !== 'ERR_CSV') || !(await looksLikeModel(path))) throw error;
    // File names in the wrong order.
    throw coded(SyntaxError, code, `Expected rows of data for ${path} but received a model`, error);
  }
}

async function readTable(path: string, args: Arguments, wanted: Wanted): Promise<Data> {
  const { cols, extra, columns, labelled, labels, signal, output } = wanted;
  const source = path === '-' ? process.stdin : path;
  const kind = labels ?? args.oneOf('labels', ['number', 'string']);
  const maxBytes = args.number('max-bytes', [0, Number.MAX_SAFE_INTEGER]) ?? Infinity;
  if (!isCsv(path, args)) {
    for (const name of ['label', 'no-header', 'delimiter']) {
      if (args.has(name)) throw usageError(`Expected CSV with --${name} but received ${show(path)}; --csv says so`);
    }
    return await readLibsvm(source, {
      ...(cols !== undefined && { cols }),
      ...(extra && { extra }),
      ...(kind && { labels: kind }),
      zeroBased: args.has('zero-based'),
      maxBytes,
      signal,
    });
  }
  const label = args.text('label') ?? (args.has('no-header') ? '0' : 'label');
  const delimiter = args.text('delimiter')?.replace('\\t', '\t');
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
  if (named && looksLikeData(data.columns)) {
    output.warn(`the first row of ${path}, taken for the names of columns, is all numbers; if it is data use --no-header`);
  }
  if (ignored.length > 0) {
    const some = ignored.slice(0, 5).map(show).join(', ') + (ignored.length > 5 ? ', …' : '');
    const which = ignored.length === 1 ? 'a column' : `${ignored.length} columns`;
    output.warn(`${path} has ${which} that the model does not know (${some}): ignored`);
  }
  return { ...data, ignored: data.points.rows * ignored.length, named };
}

function looksLikeData(names: readonly string[]): boolean {
  return names.length > 0 && names.every((name) => name.trim() !== '' && Number.isFinite(Number(name)));
}

/** A row with its zeros. A sparse one may be of a file that does not use the last of the columns. */
export function denseRow(points: Data['points'], i: number, cols = points.cols): Float64Array {
  if ('data' in points) return Float64Array.from(points.data.subarray(i * points.cols, (i + 1) * points.cols));
  const row = new Float64Array(cols);
  for (let k = points.indptr[i]!; k < points.indptr[i + 1]!; k++) row[points.indices[k]!] = points.values?.[k] ?? 1;
  return row;
}

// ---- Models

/** Neither row nor comment of LIBSVM text begins like a model. What is no regular file cannot be looked at twice: it is data. */
export async function looksLikeModel(path: string): Promise<boolean> {
  if (path === '-') return false;
  const file = await open(path, 'r');
  try {
    if (!(await file.stat()).isFile()) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const plain = isGzip(bytes) ? gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH }) : bytes;
    return /^\ufeff?\s*(\{|solver_type\s)/.test(plain.toString());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) return false; // who reads it will say what is wrong
    throw error;
  } finally {
    await file.close();
  }
}

export function readModel(path: string, signal: AbortSignal): Promise<ModelFile> {
  return readModelFile(path, signal, path === '-' ? process.stdin : undefined);
}

/** What a file keeps of a training. Nothing that differs from run to run: the same data and options give the same file. */
export const TRAINING = [
  'status',
  'iterations',
  'rows',
  'relativeGap',
  'agreed',
  'properlyClassified',
  'zero',
  'atBound',
  'gamma',
  'mu',
  'scale',
  'backend',
] as const satisfies readonly (keyof SvmInfo)[];

export function trainingOf(info: SvmInfo): Record<string, unknown> {
  return Object.fromEntries(TRAINING.map((name) => [name, info[name]]));
}

// ---- Writing

/** Ends early what could only fail late, after hours of work; and what would replace a file that is read. */
export async function checkWritable(path: string, output: Output, ...read: readonly string[]): Promise<void> {
  if (path === '-') {
    if (output.lost) throw failure('EBADF', 'Expected an open stdout, to which - writes, but it is closed');
    return;
  }
  const there = await stat(path).catch(ignoreMissing);
  if (there?.isDirectory()) throw failure('EISDIR', `Expected a file name for what is to be written but ${path} is a folder`);
  if (there && !there.isFile()) return; // a terminal, a pipe
  for (const other of there ? read.filter((name) => name !== '-') : []) {
    const { dev, ino } = await stat(other);
    if (dev !== there!.dev || ino !== there!.ino) continue;
    throw usageError(`Expected another file than ${other}, which is read, for what is written`);
  }
  if (there) await (await open(path, 'r+')).close();
  // The file is made beside the one that it replaces.
  const folder = dirname(await targetOf(path));
  const entry = await stat(folder).catch(ignoreMissing);
  if (!entry?.isDirectory()) throw failure('ENOENT', `Expected a folder for ${path} but there is no ${folder}`);
  await access(folder, constants.W_OK);
}

/** All of it or nothing; `-` is stdout. A name that ends in .gz gets gzip. */
export async function writeFile(path: string, lines: Iterable<string>, output: Output, signal?: AbortSignal): Promise<void> {
  const text = inChunks(lines, signal);
  if (path === '-') {
    for (const chunk of text) {
      if (output.closed) return;
      await output.write(chunk);
    }
  } else if (path.endsWith('.gz')) {
    const zip = createGzip();
    pipeline(Readable.from(text), zip).catch(() => undefined); // zip fails with the same error
    await writeAtomically(path, zip as AsyncIterable<Uint8Array>);
  } else {
    await writeAtomically(path, text);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
