/** The CSV library, an optional peer dependency: loaded when a file is read. */
import { coded, printable, Verbatim } from '../errors.js';
import { csvError } from '../input/index.js';
import type { Pace } from './pace.js';
import { pipe } from './pipe.js';
import { inParts, type Chunks } from './source.js';

/** A record, and the number of the line it ends on. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

/** Bytes of a record, and of a line: a quote that is never closed, or a line that never ends, would take in the rest of the file. */
const MAX_BYTES = 1 << 24;
/** Bytes that the parser is given at a time: it takes a few milliseconds for them. */
const FED = 1 << 14;

async function load(): Promise<typeof import('csv-parse')> {
  try {
    return await import('csv-parse');
  } catch (error) {
    throw coded(Error, 'ERR_CSV', 'readCsv needs the package csv-parse, which is not installed: npm install csv-parse', error);
  }
}

/** The records of CSV text, whatever their lengths; empty lines are none. */
export async function* records(chunks: Chunks, delimiter: string, file: string, pace: Pace): AsyncGenerator<CsvRecord> {
  const { parse, CsvError } = await load();
  const parser = parse({
    delimiter,
    // Named, as the parser would ask at every byte of the first line which of them it is, and know no other afterwards.
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
