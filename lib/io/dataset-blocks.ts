/** The rows of a source, a block at a time, whatever form it has: what is written to a dataset's file. */
import type { Parser } from '../backend/interface.js';
import { show } from '../errors.js';
import { checkEntries, datasetError, jsonError, libsvmError } from '../input/file-errors.js';
import { isIterated, type LibsvmReading } from '../input/file-options.js';
import type { DatasetWriting } from '../input/resolve-dataset-writing.js';
import { RowReader, type ReadRow } from '../input/row-reader.js';
import type { Label, Source } from '../types.js';
import { csvRows } from './csv.js';
import { jsonOf, linesOf } from './json-lines.js';
import { Pace } from './pace.js';
import { abortable, chunks, inParts } from './source.js';

/** Some rows, dense or sparse, and their labels, if there are any: numbers, or numbers of labels that are known at the end. */
export interface Block {
  readonly rows: number;
  readonly dense?: Float64Array | Float32Array | undefined;
  readonly sparse?:
    { readonly lengths: Uint32Array; readonly indices: Uint32Array; readonly values: Float64Array | undefined } | undefined;
  readonly labels?: Float64Array | Uint32Array | undefined;
}

/** What is known at the end. */
export interface Ending {
  /** Dense rows: their numbers; sparse ones: the number of columns that was asked for, if it was. */
  readonly cols?: number | undefined;
  /** The labels, by their numbers. */
  readonly labels?: readonly Label[] | undefined;
  readonly columns?: readonly string[] | undefined;
}

export type Blocks = AsyncGenerator<Block, Ending, undefined>;

/** LIBSVM text is parsed in pieces of so many bytes, each up to the end of a line. */
const PIECE = 1 << 19;
/** The most bytes of a line. */
const MAX_LINE = 1 << 28;
/** The most numbers in a block of rows. */
const BLOCK = 1 << 17;
/** Rows between two looks at the clock. */
const ROWS = 64;

export function blocksFrom(writing: DatasetWriting): Blocks {
  const { source, name, format } = writing;
  if (format === 'libsvm') return libsvmBlocks(source as Source, name, writing.libsvm, writing.values);
  if (format === 'csv') return csvBlocks(writing);
  return rowBlocks(format === 'jsonl' ? jsonRows(writing) : (source as AsyncIterable<unknown>), writing);
}

/** A parser for each piece: what it read is handed over at once. */
async function* libsvmBlocks(source: Source, name: string, reading: LibsvmReading, kind: 'f64' | 'f32' | undefined): Blocks {
  const pace = new Pace(reading.signal);
  const words = new Map<string, number>();
  // The beginning of a line, in parts: joined once, as a line may be long.
  let rest: Uint8Array[] = [];
  let held = 0;
  let [lines, rows, entries] = [0, 0, 0];
  let first: ArrayLike<number | string> = [];
  const parse = (text: Uint8Array): Block | undefined => {
    const { backend, zeroBased, limit, ignoreExtra } = reading;
    const parser = new backend.Parser(zeroBased, limit, ignoreExtra, reading.words);
    const defect = parser.push(text) ?? parser.finish();
    if (defect && defect.defect !== 'empty') throw libsvmError({ ...defect, line: defect.line + lines }, name, reading);
    for (let at = text.indexOf(10); at >= 0; at = text.indexOf(10, at + 1)) lines++;
    if (defect) return undefined;
    const { block, own } = handOver(parser, reading.words, words, name, kind);
    if (rows === 0) first = own;
    rows += block.rows;
    entries += block.sparse.indices.length + parser.sizes().ignored;
    return block;
  };
  for await (const part of inParts(chunks(source, name, { ...reading, code: 'ERR_LIBSVM' }), PIECE, pace)) {
    const end = part.lastIndexOf(10) + 1;
    if (held + part.length > MAX_LINE) throw datasetError(`lines of at most ${MAX_LINE} bytes`, name, 'a longer one');
    const text = end === 0 ? undefined : Buffer.concat([...rest, part.subarray(0, end)]);
    if (text) [rest, held] = [[], 0];
    rest.push(Buffer.from(part.subarray(end))); // copied, as a part is valid until the next
    held += part.length - end;
    const block = text && parse(text);
    if (block) yield block;
  }
  const block = held > 0 ? parse(Buffer.concat(rest)) : undefined;
  if (block) yield block;
  if (rows === 0)
    throw libsvmError({ defect: 'empty', line: Math.max(lines, 1), column: 1, text: new Uint8Array(0), last: 0 }, name, reading);
  checkEntries(entries, first, name);
  return { cols: reading.cols, labels: reading.words ? [...words.keys()] : undefined };
}

function handOver(parser: Parser, words: boolean, known: Map<string, number>, name: string, kind: 'f64' | 'f32' | undefined) {
  const { rows, entries, hasValues, words: bytes } = parser.sizes();
  const lengths = new Uint32Array(rows + 1);
  parser.takeStarts(lengths.subarray(0, rows));
  lengths[rows] = entries;
  for (let i = 0; i < rows; i++) lengths[i] = lengths[i + 1]! - lengths[i]!;
  const indices = new Uint32Array(entries);
  parser.takeIndices(indices);
  const given = hasValues ? new Float64Array(entries) : undefined;
  if (given) parser.takeValues(given);
  const values = given && kind === 'f32' ? Float64Array.from(rounded(given, name)) : given;
  let labels: Float64Array | Uint32Array = new Float64Array(words ? 0 : rows);
  let own: ArrayLike<number | string> = labels;
  if (words) {
    const text = Buffer.alloc(bytes);
    parser.takeWords(text);
    own = text.toString().split('\n').slice(0, rows);
    labels = Uint32Array.from(own as string[], (word) => numberOf(word, known, name));
  } else parser.takeLabels(labels);
  return { block: { rows, sparse: { lengths: lengths.subarray(0, rows), indices, values }, labels } satisfies Block, own };
}

/** More distinct labels than this are no classes. */
const MAX_DISTINCT = 2 ** 20;

function numberOf<T>(label: T, known: Map<T, number>, name: string): number {
  const number = known.get(label);
  if (number !== undefined) return number;
  if (known.size === MAX_DISTINCT) throw datasetError(`at most ${MAX_DISTINCT} distinct labels`, name, 'more');
  known.set(label, known.size);
  return known.size - 1;
}

async function* csvBlocks({ source, name, csv, values: kind }: DatasetWriting): Blocks {
  const rows = csvRows(source as Source, name, csv);
  let cols = 0;
  for (;;) {
    const { done, value } = await rows.next();
    if (done === true) return { cols, labels: csv.label === null ? undefined : value.labels, columns: value.columns };
    if (value.rows === 0) continue;
    cols = value.data.length / value.rows;
    yield { rows: value.rows, dense: kind === 'f32' ? rounded(value.data, name) : value.data, labels: value.labels };
  }
}

/** f32, none of which overflowed. */
function rounded(data: Float64Array, name: string): Float32Array {
  const floats = Float32Array.from(data);
  const bad = floats.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw datasetError('numbers that f32 can hold', name, show(data[bad]));
  return floats;
}

/** An array, or an object with the field `point`, `indices`, or one for each column. */
async function* jsonRows({ source, name, label, maxBytes, signal, known }: DatasetWriting): AsyncGenerator<unknown> {
  const pace = new Pace(signal);
  let line = 0;
  let fields: string[] | undefined;
  let expected: ReadonlySet<string> = new Set();
  for await (const bytes of linesOf(source as Source, name, { maxBytes, signal }, pace)) {
    line++;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    if (text.trim() === '') continue;
    const value = jsonOf(text, name, line);
    if (typeof value !== 'object' || value === null) throw jsonError('an array or an object', name, line, value);
    if (Array.isArray(value)) {
      yield value;
      continue;
    }
    const record = value as Record<string, unknown>;
    const field = typeof label === 'string' ? label : undefined;
    const own = field === undefined ? undefined : record[field];
    if (field !== undefined && own === undefined) throw jsonError(`a field ${show(field)}, the label,`, name, line, 'none');
    let { point } = record;
    if ('indices' in record) point = { indices: record['indices'], ...('values' in record && { values: record['values'] }) };
    else if (!('point' in record)) {
      if (!fields) {
        fields = known.columns = Object.keys(record).filter((one) => one !== field);
        expected = new Set(fields);
      }
      const extra = Object.keys(record).find((one) => one !== field && !expected.has(one));
      if (extra !== undefined) throw jsonError('the fields of the first line', name, line, extra);
      point = fields.map((one) => {
        if (typeof record[one] !== 'number') throw jsonError(`a number for ${show(one)}`, name, line, record[one]);
        return record[one];
      });
    }
    yield field === undefined ? point : { label: own, point };
  }
}

async function* rowBlocks(source: Iterable<unknown> | AsyncIterable<unknown>, writing: DatasetWriting): Blocks {
  const { name, cols, values: kind, signal, known } = writing;
  const pace = new Pace(signal);
  const reader = new RowReader(cols);
  const labels = new Map<Label, number>();
  let rows: ReadRow[] = [];
  let numbers = 0;
  let f32 = kind === 'f32';
  const flush = (): Block => {
    const codes = rows[0]!.label === undefined ? undefined : Uint32Array.from(rows, ({ label }) => numberOf(label!, labels, name));
    const block: Block = {
      rows: rows.length,
      labels: codes,
      ...(reader.sparse ? { sparse: sparseOf(rows, kind, name) } : { dense: denseOf(rows) }),
    };
    [rows, numbers] = [[], 0];
    return block;
  };
  const denseOf = (list: readonly ReadRow[]) => {
    const data = new Float64Array(numbers);
    list.forEach(({ values }, i) => data.set(values!, i * reader.cols));
    if (!f32) return data;
    const floats = rounded(data, name);
    const lost = kind === 'f32' ? -1 : floats.findIndex((value, k) => value !== data[k]);
    if (lost >= 0)
      throw datasetError(
        "numbers that f32 holds, as the first row is a Float32Array (values: 'f32' rounds them)",
        name,
        show(data[lost]),
      );
    return floats;
  };
  for await (const item of isIterated(source) ? abortable(source, signal) : source) {
    const row = reader.read(item);
    if (reader.rows === 1) f32 ||= kind === undefined && row.f32;
    rows.push(row);
    numbers += row.count;
    if (numbers + rows.length >= BLOCK) yield flush();
    if (reader.rows % ROWS === 0 && pace.due) await pace.turn();
  }
  if (rows.length > 0) yield flush();
  if (reader.rows === 0) throw datasetError('at least one row', name, 'none');
  return { cols: reader.cols, labels: labels.size > 0 ? [...labels.keys()] : undefined, columns: known.columns };
}

function sparseOf(rows: readonly ReadRow[], kind: 'f64' | 'f32' | undefined, name: string): NonNullable<Block['sparse']> {
  const lengths = Uint32Array.from(rows, ({ count }) => count);
  const total = lengths.reduce((sum, count) => sum + count, 0);
  const [indices, values] = [new Uint32Array(total), new Float64Array(total)];
  let at = 0;
  for (const row of rows) {
    indices.set(row.indices!, at);
    if (row.values) values.set(row.values, at);
    else values.fill(1, at, at + row.count);
    at += row.count;
  }
  return { lengths, indices, values: kind === 'f32' ? Float64Array.from(rounded(values, name)) : values };
}
