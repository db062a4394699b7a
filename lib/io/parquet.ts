/** Records from Parquet files, by the optional package hyparquet. */
import { open, type FileHandle } from 'node:fs/promises';
import zlib from 'node:zlib';
import { Table, type TableColumn } from '../data/table.js';
import { plural, show } from '../errors.js';
import {
  binaryDefect,
  binaryError,
  checkSource,
  longError,
  lostFieldError,
  resolveTableReading,
  type TableReading,
} from '../input/index.js';
import type { FileRow, ReadTableOptions, Source } from '../types.js';
import { ColumnOfBytes } from './column-of-bytes.js';
import { ColumnOfValues } from './column-of-values.js';
import { Pace } from './pace.js';
import { loadCompressors, loadParquet } from './peers.js';
import { named } from '../platform/files.js';
import { allBytes } from './source.js';

type Parquet = Awaited<ReturnType<typeof loadParquet>>;
type ReadOptions = Parameters<Parquet['parquetRead']>[0];
type Metadata = Awaited<ReturnType<Parquet['parquetMetadataAsync']>>;
type Field = ReturnType<Parquet['parquetSchema']>['children'][number];

/** Reads a Parquet file. Needs the package hyparquet. */
export async function readParquet<R extends object = FileRow>(source: Source, options?: ReadTableOptions): Promise<Table<R>> {
  const name = checkSource(source);
  const reading = resolveTableReading(options);
  const parquet = await loadParquet();
  const handle = typeof source === 'string' ? await open(source, 'r') : undefined;
  try {
    const file = handle
      ? await fromHandle(handle, name, reading)
      : fromBytes(await allBytes(source, name, { ...reading, code: 'ERR_PARQUET' }));
    return await new ParquetFile(parquet, file, name, reading).read<R>();
  } catch (error) {
    throw binaryDefect(error, 'a Parquet file', name, 'ERR_PARQUET', reading.signal);
  } finally {
    await handle?.close();
  }
}

class ParquetFile {
  readonly #compressors: Required<ReadOptions>['compressors'] = {
    GZIP: (input, maxOutputLength) => zlib.gunzipSync(input, { maxOutputLength }),
    BROTLI: (input, maxOutputLength) => zlib.brotliDecompressSync(input, { maxOutputLength }),
  };

  constructor(
    readonly parquet: Parquet,
    readonly file: ReadOptions['file'],
    readonly name: string,
    readonly reading: TableReading,
  ) {}

  async read<R extends object>(): Promise<Table<R>> {
    const { parquet, file, name, reading } = this;
    const pace = new Pace(reading.signal);
    const metadata = await parquet.parquetMetadataAsync(file);
    const groups = metadata.row_groups.map(({ num_rows: rows }) => Number(rows));
    const rows = groups.reduce((sum, count) => sum + count, 0);
    if (rows === 0) throw binaryError('at least one row', name, 'ERR_PARQUET');
    if (metadata.row_groups.some(({ columns }) => columns.some(({ meta_data: column }) => isRare(column?.codec)))) {
      Object.assign(this.#compressors, await loadCompressors());
    }
    const fields = new Map<string, Field>();
    for (const field of parquet.parquetSchema(metadata).children) {
      const own = field.element.name;
      if (fields.has(own)) throw binaryError(`one column ${show(own)}`, name, 'ERR_PARQUET', 'two');
      fields.set(own, field);
    }
    const columns = new Map<string, TableColumn>();
    for (const field of reading.fields ?? fields.keys()) {
      const found = fields.get(field);
      if (!found) throw lostFieldError(field, name, rows, 'ERR_PARQUET');
      columns.set(field, await this.#column(field, found, metadata, groups, pace));
    }
    return Table.of<R>(rows, columns);
  }

  /** Reads a column, a group of rows at a time. */
  async #column(name: string, field: Field, metadata: Metadata, groups: readonly number[], pace: Pace): Promise<TableColumn> {
    const texts = isText(field) ? new ColumnOfBytes(this.name, 'ERR_PARQUET') : undefined;
    const values = new ColumnOfValues();
    const column = texts ?? values;
    const push = texts
      ? (value: unknown) => texts.push(typeof value === 'number' ? value : undefined)
      : (value: unknown) => values.push(plain(value));
    let rowStart = 0;
    for (const count of groups) {
      const chunks: ArrayLike<unknown>[] = [];
      await this.parquet.parquetRead({
        file: this.file,
        metadata,
        columns: [name],
        compressors: this.#compressors,
        rowStart,
        rowEnd: rowStart + count,
        // A string becomes the number of its bytes: once for each entry of a dictionary page.
        ...(texts && { parsers: { stringFromBytes: (bytes: Uint8Array) => (bytes ? texts.code(bytes) : undefined) } }),
        onChunk: ({ columnData }) => chunks.push(columnData),
      });
      for (const chunk of chunks) await pace.each(chunk.length, (k) => push(chunk[k]));
      if (column.length !== rowStart + count)
        throw binaryError(`${plural(count, 'value')} of ${show(name)}`, this.name, 'ERR_PARQUET', String(column.length - rowStart));
      rowStart += count;
    }
    return column.finish(pace);
  }
}

/** Whether a field is a string. */
function isText({ children, element }: Field): boolean {
  const { type, converted_type: converted, logical_type: logical, repetition_type: repetition } = element;
  return (
    children.length === 0 &&
    type === 'BYTE_ARRAY' &&
    repetition !== 'REPEATED' &&
    (converted === undefined || converted === 'UTF8' || converted === 'ENUM') &&
    (logical === undefined || logical.type === 'STRING' || logical.type === 'ENUM')
  );
}

/** An integer of 64 bits as a number, where it is one. */
export function plain(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Whether a compression needs a package of its own. */
function isRare(codec: string | undefined): boolean {
  return codec === 'ZSTD' || codec === 'LZ4' || codec === 'LZ4_RAW';
}

async function fromHandle(handle: FileHandle, path: string, { maxBytes, signal }: TableReading): Promise<ReadOptions['file']> {
  const { size } = await handle.stat();
  if (size > maxBytes) throw longError(path, 'ERR_PARQUET', maxBytes);
  return {
    byteLength: size,
    async slice(start, end = size) {
      signal?.throwIfAborted();
      const bytes = new Uint8Array(Math.max(0, end - start));
      for (let at = 0; at < bytes.length;) {
        const { bytesRead } = await handle
          .read(bytes, at, bytes.length - at, start + at)
          .catch((error: unknown) => named(error, path));
        if (bytesRead === 0) throw binaryError('a whole file', path, 'ERR_PARQUET', 'a part of it');
        at += bytesRead;
      }
      return bytes.buffer;
    },
  };
}

function fromBytes(bytes: Uint8Array<ArrayBuffer>): ReadOptions['file'] {
  return { byteLength: bytes.length, slice: (start, end) => bytes.slice(start, end).buffer };
}
