/** The CSV library, an optional peer dependency: loaded when a file is read. */
import { Readable } from 'node:stream';
import { coded, Verbatim } from './errors.js';
import { csvError } from './input/index.js';

/** A record, and the number of the line it ends on. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

async function load(): Promise<typeof import('csv-parse')> {
  try {
    return await import('csv-parse');
  } catch (error) {
    throw coded(Error, 'ERR_CSV', 'readCsv needs the package csv-parse, which is not installed: npm install csv-parse', error);
  }
}

/** The records of CSV text, whatever their lengths; empty lines are none. */
export async function* records(pieces: AsyncGenerator<Uint8Array>, delimiter: string, file: string): AsyncGenerator<CsvRecord> {
  const { parse, CsvError } = await load();
  let failed: { error: unknown } | undefined;
  const bytes = async function* () {
    try {
      for await (const piece of pieces) yield Buffer.from(piece); // the parser looks at it later
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  const input = Readable.from(bytes(), { objectMode: true, highWaterMark: 1 });
  // A record is bounded: a quote that is never closed would take in the rest of the file.
  const parser = parse({ delimiter, info: true, relax_column_count: true, skip_empty_lines: true, max_record_size: 1 << 24 });
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
    throw csvError('comma-separated values', { file, line }, new Verbatim(error.message.slice(0, 200)), error);
  } finally {
    input.destroy();
    parser.destroy();
  }
}
