/** Checks the arguments of Dataset.write. */
import { option, rangeError, typeError, words } from '../errors.js';
import type { Signal, WriteDatasetOptions } from '../types.js';
import { unlessAborted } from './abort.js';
import { distinctNames } from './column-names.js';
import { checkPath, resolveCsvReading, resolveLibsvmReading, type CsvReading, type LibsvmReading } from './file-options.js';
import { isObject, isOf } from './intrinsics.js';
import { knownOptions, oneOfThese, optional } from './options.js';

export interface DatasetWriting {
  readonly source: string | Uint8Array | AsyncIterable<unknown> | Iterable<unknown>;
  readonly name: string;
  readonly format: 'libsvm' | 'csv' | 'jsonl' | 'rows';
  readonly values: 'f64' | 'f32' | undefined;
  readonly cols: number | undefined;
  readonly label: string | number | null;
  readonly columns: readonly string[] | undefined;
  readonly maxBytes: number;
  readonly signal: Signal | undefined;
  readonly libsvm: LibsvmReading;
  readonly csv: CsvReading;
  /** Closes the source, of which an item was taken. */
  readonly close?: () => Promise<unknown>;
  /** What is found out about the source while it is read. */
  readonly known: { columns?: readonly string[] };
}

const OPTIONS = [
  'format',
  'values',
  'cols',
  'zeroBased',
  'labels',
  'label',
  'header',
  'delimiter',
  'columns',
  'maxBytes',
  'signal',
  'backend',
] as const satisfies readonly (keyof WriteDatasetOptions)[];

/** The format by the name of a file. */
export function textFormat(path: string): 'libsvm' | 'csv' | 'jsonl' {
  const name = path.replace(/\.gz$/i, '');
  return /\.csv$/i.test(name) ? 'csv' : /\.(jsonl|ndjson)$/i.test(name) ? 'jsonl' : 'libsvm';
}

/** `first` and the rest of an iterable, whose first item tells text from rows. */
export async function resolveDatasetWriting(path: unknown, source: unknown, given?: WriteDatasetOptions): Promise<DatasetWriting> {
  checkPath(path);
  const options = knownOptions(given, OPTIONS, { type: 'format', dtype: 'values', separator: 'delimiter' });
  const asked = optional(options.format, 'format', oneOfThese('libsvm', 'csv', 'jsonl', 'rows'));
  const values = optional(options.values, 'values', oneOfThese('f64', 'f32'));
  const { cols, zeroBased, labels, label = 'label', header, delimiter, maxBytes, signal, backend } = options;
  const columns = optional(options.columns, 'columns', (list, where) => distinctNames(list, where, 'ERR_OPTION'));
  const libsvm = resolveLibsvmReading({
    ...(cols !== undefined && { cols }),
    ...(zeroBased !== undefined && { zeroBased }),
    ...(labels !== undefined && { labels }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(signal !== undefined && { signal }),
    ...(backend !== undefined && { backend }),
  });
  const csv = resolveCsvReading({
    label: header === false && label === 'label' ? 0 : label,
    ...(header !== undefined && { header }),
    ...(delimiter !== undefined && { delimiter }),
    ...(labels !== undefined && { labels }),
    ...(maxBytes !== undefined && { maxBytes }),
    ...(signal !== undefined && { signal }),
  });
  if (asked === 'jsonl' && typeof label === 'number')
    throw typeError('ERR_OPTION', 'the name of a field, or null', words`${option('label')} of JSON lines`, label);
  csv.signal?.throwIfAborted();
  const rest = { values, cols, label, columns, maxBytes: csv.maxBytes, signal: csv.signal, libsvm, csv, known: {} };
  if (typeof source === 'string' || isOf(source, 'Uint8Array')) {
    if (asked === 'rows') throw rangeError('ERR_OPTION', "'libsvm', 'csv' or 'jsonl'", words`${option('format')} of a text`, asked);
    const name = typeof source === 'string' ? source : 'input';
    return { ...rest, source, name, format: asked ?? (typeof source === 'string' ? textFormat(source) : 'libsvm') };
  }
  const iterable = source as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  if (
    !isObject(source) ||
    (typeof iterable[Symbol.asyncIterator] !== 'function' && typeof iterable[Symbol.iterator] !== 'function')
  ) {
    throw typeError('ERR_SOURCE', 'a path, a Readable, a Uint8Array, or rows', 'source', source);
  }
  const { path: own } = source as { path?: unknown };
  const name = typeof own === 'string' ? own : 'input';
  if (asked !== undefined) return { ...rest, source: iterable as AsyncIterable<unknown>, name, format: asked };
  const iterator = (iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]!()) as AsyncIterator<unknown>;
  const first = await unlessAborted(Promise.resolve(iterator.next()), csv.signal);
  const text = !first.done && (typeof first.value === 'string' || isOf(first.value, 'Uint8Array'));
  return {
    ...rest,
    source: joined(first, iterator),
    close: async () => iterator.return?.(),
    name,
    format: text ? (typeof own === 'string' ? textFormat(own) : 'libsvm') : 'rows',
  };
}

async function* joined(first: IteratorResult<unknown>, rest: AsyncIterator<unknown>): AsyncGenerator<unknown> {
  let done = first.done === true;
  try {
    if (done) return;
    yield first.value;
    for (;;) {
      const next = await rest.next();
      if (next.done === true) {
        done = true;
        return;
      }
      yield next.value;
    }
  } finally {
    if (!done) await rest.return?.();
  }
}
