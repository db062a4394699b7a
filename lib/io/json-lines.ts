/** Records from newline-delimited JSON: an object a line. */
import { Table, type TableColumn } from '../data/table.js';
import { Verbatim } from '../errors.js';
import { jsonError, lostFieldError } from '../input/file-errors.js';
import { checkSource, resolveTableReading, type TableReading } from '../input/file-options.js';
import type { JsonRow, ReadTableOptions, Source } from '../types.js';
import { checkStrings } from './byte-texts.js';
import { ColumnOfValues } from './column-of-values.js';
import { Pace } from './pace.js';
import { chunks, inParts } from './source.js';
import { jsonDefect } from './json-defect.js';

/** Bytes that are parsed at a time, which takes about a millisecond. */
const PARSED = 1 << 16;
/** The limit on bytes of a line, as in CSV: a file without line ends would be one. */
const MAX_BYTES = 1 << 24;
/** More fields than this are no record. */
const MAX_FIELDS = 1 << 16;
/** Each field has an entry in every row. So many may be missing before most must be there, as each line could name fields of its own. */
const MAX_GAPS = 1 << 26;
const GAPS_PER_VALUE = 16;
/** Lines between two looks at the memory that strings take. */
const LOOK = 1 << 12;

const [NEWLINE, OPEN] = [10, 0x7b];

/** Reads newline-delimited JSON, an object a line. Blank lines are skipped. Gzip is recognised. */
export async function readJsonLines<R extends object = JsonRow>(source: Source, options?: ReadTableOptions): Promise<Table<R>> {
  const file = checkSource(source);
  const reading = resolveTableReading(options);
  const pace = new Pace(reading.signal);
  const lines = new JsonLines(file, reading);
  for await (const line of linesOf(source, file, reading, pace)) lines.push(line);
  return lines.finish<R>(pace);
}

/** The lines of a text, without their ends. A line is valid until the next. */
export async function* linesOf(
  source: Source,
  file: string,
  reading: Pick<TableReading, 'maxBytes' | 'signal'>,
  pace: Pace,
): AsyncGenerator<Uint8Array, void, undefined> {
  let rest: Buffer[] = []; // of a line whose end has not come yet
  let length = 0;
  let number = 1;
  for await (const part of inParts(chunks(source, file, { ...reading, code: 'ERR_JSON' }), PARSED, pace)) {
    let begin = 0;
    for (let end = part.indexOf(NEWLINE); end >= 0; end = part.indexOf(NEWLINE, begin)) {
      const line = part.subarray(begin, end);
      yield rest.length === 0 ? line : Buffer.concat([...rest, line]);
      [rest, length, begin] = [[], 0, end + 1];
      number++;
      if (pace.due) await pace.turn();
    }
    if (begin === part.length) continue;
    rest.push(Buffer.from(part.subarray(begin))); // copied, as a part is valid until the next
    length += part.length - begin;
    if (length > MAX_BYTES) throw tooLong(file, number);
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

function tooLong(file: string, line: number): Error {
  return jsonError(`a line of at most ${MAX_BYTES} bytes`, file, line, new Verbatim('more'));
}

/** The value of a line of JSON. */
export function jsonOf(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { at, received } = jsonDefect(error, text);
    throw jsonError('JSON', file, at === undefined ? line : `${line}:${at + 1}`, received, error);
  }
}

class JsonLines {
  readonly #file: string;
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #columns = new Map<string, ColumnOfValues>();
  #line = 0;
  #rows = 0;
  /** The numbers of entries that are there, and that are missing. */
  #values = 0;
  #gaps = 0;

  constructor(file: string, { fields }: TableReading) {
    this.#file = file;
    this.#wanted = fields && new Set(fields);
    // The table has them in this order.
    for (const name of fields ?? []) this.#columns.set(name, new ColumnOfValues());
  }

  push(bytes: Uint8Array): void {
    this.#line++;
    if (bytes.length > MAX_BYTES) throw tooLong(this.#file, this.#line);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    if (text.trim() === '') return;
    const record = this.#parse(text);
    for (const name of Object.keys(record)) {
      if (this.#wanted && !this.#wanted.has(name)) continue;
      const column = this.#columns.get(name) ?? this.#add(name);
      this.#count(this.#rows - column.length);
      column.pad(this.#rows);
      column.push(record[name]);
      this.#values++;
    }
    this.#rows++;
    if (this.#rows % LOOK === 0) this.#checkHeap();
  }

  #parse(text: string): Record<string, unknown> {
    const value = jsonOf(text, this.#file, this.#line);
    // No other kind of value begins so.
    if (text.trimStart().charCodeAt(0) === OPEN) return value as Record<string, unknown>;
    throw jsonError('an object', this.#file, this.#line, value);
  }

  #add(name: string): ColumnOfValues {
    if (this.#columns.size === MAX_FIELDS)
      throw jsonError(`at most ${MAX_FIELDS} fields`, this.#file, this.#line, new Verbatim('more'));
    const column = new ColumnOfValues();
    this.#columns.set(name, column);
    return column;
  }

  #count(gaps: number): void {
    this.#gaps += gaps;
    if (this.#gaps <= MAX_GAPS + GAPS_PER_VALUE * this.#values) return;
    const received = new Verbatim(`${this.#columns.size} fields, most of which most records lack`);
    throw jsonError('records that share their fields', this.#file, this.#line, received);
  }

  #checkHeap(): void {
    let bytes = 0;
    for (const { heap } of this.#columns.values()) bytes += heap;
    checkStrings(bytes, this.#file, 'ERR_JSON');
  }

  async finish<R extends object>(pace: Pace): Promise<Table<R>> {
    if (this.#rows === 0) throw jsonError('at least one object', this.#file, Math.max(this.#line, 1), new Verbatim('none'));
    this.#checkHeap();
    const columns = new Map<string, TableColumn>();
    for (const [name, column] of this.#columns) {
      if (column.length === 0) throw lostFieldError(name, this.#file, this.#rows, 'ERR_JSON');
      this.#count(this.#rows - column.length);
      column.pad(this.#rows);
      if (pace.due) await pace.turn();
      columns.set(name, column.finish());
    }
    return Table.of<R>(this.#rows, columns);
  }
}
