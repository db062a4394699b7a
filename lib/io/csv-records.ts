/** The CSV library, an optional peer dependency: loaded when a file is read. */
import { Readable } from 'node:stream';
import { coded, printable, Verbatim } from '../errors.js';
import { csvError } from '../input/index.js';
import type { Pace } from './pace.js';
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
  let failed: { error: unknown } | undefined;
  const bytes = async function* () {
    // The parser's own bound is on the text of cells, and has no eye on the delimiters: a line of commas is a list of empty cells.
    let line = 1;
    let length = 0;
    try {
      for await (const part of inParts(chunks, FED, pace)) {
        const some = Buffer.from(part); // a copy: the parser looks at it later
        for (const byte of some) {
          length = byte === 10 || byte === 13 ? 0 : length + 1;
          if (byte === 10) line++;
          if (length > MAX_BYTES) throw csvError(`a line of at most ${MAX_BYTES} bytes`, { file, line }, new Verbatim('more'));
        }
        yield some;
      }
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  const input = Readable.from(bytes(), { objectMode: true, highWaterMark: 1 });
  const parser = parse({
    delimiter,
    // Named, as the parser would ask at every byte of the first line which of them it is, and know no other afterwards.
    record_delimiter: ['\r\n', '\n', '\r'],
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_BYTES,
  });
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      yield { cells: record, line: info.lines };
    }
  } catch (error) {
    if (failed) throw failed.error;
    if (!(error instanceof CsvError)) throw error;
    const line = Number((error as { lines?: unknown }).lines ?? 1);
    throw csvError('comma-separated values', { file, line }, new Verbatim(printable(error.message.slice(0, 200))), error);
  } finally {
    input.destroy();
    parser.destroy();
  }
}
