/** Records from Arrow files and streams, by the optional package @uwdata/flechette. */
import { Table, type TableColumn } from '../data/table.js';
import { show } from '../errors.js';
import { binaryDefect, binaryError, checkSource, lostFieldError, resolveTableReading } from '../input/index.js';
import type { FileRow, ReadTableOptions, Source } from '../types.js';
import { ColumnOfBytes } from './column-of-bytes.js';
import { ColumnOfValues } from './column-of-values.js';
import { Pace } from './pace.js';
import { plain } from './parquet.js';
import { loadArrow } from './peers.js';
import { allBytes } from './source.js';

type Arrow = Awaited<ReturnType<typeof loadArrow>>;
type ArrowTable = ReturnType<Arrow['tableFromIPC']>;
type ArrowColumn = ArrowTable['children'][number];
type Batch = ArrowColumn['data'][number];

/** What a batch of a dictionary column has besides. */
interface DictionaryBatch {
  readonly dictionary?: Iterable<unknown>;
  key(row: number): number | bigint;
}

/** Reads an Arrow file or stream (IPC; Feather of version 2). Needs the package @uwdata/flechette. */
export async function readArrow<R extends object = FileRow>(source: Source, options?: ReadTableOptions): Promise<Table<R>> {
  const name = checkSource(source);
  const reading = resolveTableReading(options);
  const arrow = await loadArrow();
  const bytes = await allBytes(source, name, { ...reading, code: 'ERR_ARROW' });
  const pace = new Pace(reading.signal);
  try {
    const table = arrow.tableFromIPC(bytes, { useDate: true, useBigInt: true });
    const rows = table.numRows;
    if (rows === 0) throw binaryError('at least one row', name, 'ERR_ARROW');
    // A value takes a bit at least. A damaged file may say that it has any number of them.
    const max = 8 * bytes.length;
    for (const { length } of table.children) {
      if (length !== rows || rows > max)
        throw binaryError(`at most ${max} rows, as many in each column,`, name, 'ERR_ARROW', String(length));
    }
    const found = new Map<string, ArrowColumn>();
    table.names.forEach((field, k) => {
      if (found.has(String(field))) throw binaryError(`one column ${show(field)}`, name, 'ERR_ARROW', 'two');
      found.set(String(field), table.children[k]!);
    });
    const columns = new Map<string, TableColumn>();
    for (const field of reading.fields ?? found.keys()) {
      const column = found.get(field);
      if (!column) throw lostFieldError(field, name, rows, 'ERR_ARROW');
      columns.set(field, await columnOf(column, arrow, name, pace));
    }
    return Table.of<R>(rows, columns);
  } catch (error) {
    throw binaryDefect(error, 'an Arrow file or stream', name, 'ERR_ARROW', reading.signal);
  }
}

async function columnOf(column: ArrowColumn, { Type }: Arrow, file: string, pace: Pace): Promise<TableColumn> {
  const { typeId } = column.type;
  if (typeId === Type.Dictionary) return dictionaryColumn(column, file, pace);
  if (typeId === Type.Utf8 || typeId === Type.LargeUtf8) return textColumn(column, file, pace);
  const values = new ColumnOfValues();
  for (const batch of column.data) await pace.each(batch.length, (row) => values.push(plain(batch.at(row))));
  return values.finish();
}

/** Strings by their bytes, each distinct one once. */
async function textColumn(column: ArrowColumn, file: string, pace: Pace): Promise<TableColumn> {
  const texts = new ColumnOfBytes(file, 'ERR_ARROW');
  for (const batch of column.data) {
    const bytes = batch.values as unknown as Uint8Array;
    const offsets = batch.offsets as unknown as ArrayLike<number | bigint>;
    await pace.each(batch.length, (row) => {
      const [from, to] = [Number(offsets[row]), Number(offsets[row + 1])];
      if (!isThere(batch, row)) texts.push(undefined);
      else if (from >= 0 && from <= to && to <= bytes.length) texts.push(texts.code(bytes, from, to));
      else throw binaryError('strings within their bytes', file, 'ERR_ARROW', 'one outside of them');
    });
  }
  return texts.finish(pace);
}

/** The codes of a dictionary column as they are. Batches may have dictionaries of their own, one after the other in the table's. */
async function dictionaryColumn(column: ArrowColumn, file: string, pace: Pace): Promise<TableColumn> {
  const codes = new Int32Array(column.length);
  const dictionary: unknown[] = [];
  const begins = new Map<unknown, readonly [begin: number, size: number]>();
  let at = 0;
  for (const batch of column.data) {
    const own = batch as unknown as DictionaryBatch;
    let place = begins.get(own.dictionary);
    if (!place) {
      const values = Array.from(own.dictionary ?? [], plain);
      place = [dictionary.length, values.length];
      begins.set(own.dictionary, place);
      await pace.each(values.length, (k) => dictionary.push(values[k]));
    }
    const [begin, size] = place;
    await pace.each(batch.length, (row) => {
      const key = Number(own.key(row));
      if (!isThere(batch, row)) codes[at++] = -1;
      else if (key >= 0 && key < size) codes[at++] = begin + key;
      else throw binaryError(`keys of a dictionary of ${size}`, file, 'ERR_ARROW', String(key));
    });
  }
  return { codes, dictionary };
}

function isThere(batch: Batch, row: number): boolean {
  return batch.nullCount === 0 || batch.isValid(row);
}
