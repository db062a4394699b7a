/** The CSV library, an optional peer dependency: loaded when a file is read. */
import { Readable } from 'node:stream';
import { coded } from './errors.js';
import type { CsvPlace } from './input/index.js';
import { csvError } from './input/index.js';

/** A record, and the number of the line it ends on. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly line: number;
}

interface Failure extends Error {
  code: string;
  lines?: number;
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
  const { parse } = await load();
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
  const parser = parse({ delimiter, info: true, relax_column_count: true, skip_empty_lines: true, max_record_size: 1 << 24 });
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      yield { cells: record, line: info.lines };
    }
  } catch (error) {
    if (failed) throw failed.error;
    throw wording(error as Failure, file);
  } finally {
    input.destroy();
    parser.destroy();
  }
}

function wording(error: Failure, file: string): Error {
  if (typeof error.code !== 'string' || !error.code.startsWith('CSV_')) return error;
  const place: CsvPlace = { file, line: error.lines ?? 1 };
  return csvError('comma-separated values', place, error.message, error);
}
