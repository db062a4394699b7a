/** CSV text → records, by csv-parse, an optional peer dependency that is loaded when a file is read. */
import { coded, printable, Verbatim } from '../errors.js';
import { csvError } from '../input/index.js';
import type { Pace } from './pace.js';
import { pipe } from './pipe.js';
import { inParts, type Chunks } from './source.js';

/** A record and the number of its last line. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/** The limit on bytes of a record, and of a line. An unclosed quote, or a file without line ends, would make all of it one record. */
const MAX_BYTES = 1 << 24;
/** Bytes that the parser gets at a time, for which it takes a few milliseconds. */
const FED = 1 << 14;

async function load(): Promise<typeof import('csv-parse')> {
  try {
    return await import('csv-parse');
  } catch (error) {
    throw coded(Error, 'ERR_CSV', 'readCsv needs the package csv-parse, which is not installed: npm install csv-parse', error);
  }
}

/** The records of CSV text, of any length. Empty lines are skipped. */
export async function* records(chunks: Chunks, delimiter: string, file: string, pace: Pace): AsyncGenerator<CsvRecord> {
  const { parse, CsvError } = await load();
  const parser = parse({
    delimiter,
    // Without the list the parser looks for the line end at every byte of the first line, and accepts no other afterwards.
    record_delimiter: ['\r\n', '\n', '\r'],
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_BYTES,
  });
  const reword = (error: Error) => {
    if (!(error instanceof CsvError)) return error;
    const line = Number((error as { lines?: unknown }).lines ?? 1);
    return csvError('comma-separated values', { file, line }, new Verbatim(printable(error.message.slice(0, 200))), error);
  };
  const parts = withBoundedLines(inParts(chunks, FED, pace), file);
  for await (const { record, info } of pipe<Parsed>(parts, parser, reword)) yield { cells: record, line: info.lines };
}

/** A record as the parser gives it. */
interface Parsed {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

/**
 * The same chunks; refuses a line of more than MAX_BYTES. The parser bounds the text of a record's cells but not their number: a line
 * of commas would become a list of as many empty cells.
 */
async function* withBoundedLines(chunks: Chunks, file: string): Chunks {
  let line = 1;
  let length = 0;
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      length = byte === 10 || byte === 13 ? 0 : length + 1;
      if (byte === 10) line++;
      if (length > MAX_BYTES) throw csvError(`a line of at most ${MAX_BYTES} bytes`, { file, line }, new Verbatim('more'));
    }
    yield chunk;
  }
}
