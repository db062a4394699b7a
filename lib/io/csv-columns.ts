/** What the cells of a table are: its labels, columns of the points, or neither. */
import { option, show, Verbatim, words } from '../errors.js';
import { findTwice } from '../input/column-names.js';
import { csvError, type CsvPlace } from '../input/file-errors.js';
import type { CsvReading } from '../input/file-options.js';
import type { CsvRecord } from './csv-record.js';
import type { Pace } from './pace.js';

interface Found {
  readonly label: number;
  readonly count: number;
  readonly places: Int32Array | undefined;
}

export class CsvColumns {
  /** The number of cells in a record. */
  readonly width: number;
  /** The cell with the label; `width`, which no cell has, if there are no labels. */
  readonly label: number;
  /** The number of columns of the points. */
  readonly count: number;
  /** By cell, its column of the points or -1. Undefined if all cells but the label are columns, in their order. */
  readonly #places: Int32Array | undefined;
  readonly #header: CsvRecord | undefined;

  private constructor(width: number, header: CsvRecord | undefined, { label, count, places }: Found) {
    this.width = width;
    this.label = label;
    this.count = count;
    this.#places = places;
    this.#header = header;
  }

  /** Finds the columns that options.label and options.columns name, by the first record of the file, which is at `place`. */
  static async find(first: CsvRecord, reading: CsvReading, place: CsvPlace, pace: Pace): Promise<CsvColumns> {
    const { width } = first;
    const label = await findLabel(first, reading, place, pace);
    const { header, columns } = reading;
    const places = columns && (await match(first, columns, label, reading.delimiter, place, pace));
    const count = columns?.length ?? width - (label < width ? 1 : 0);
    return new CsvColumns(width, header ? first : undefined, { label, count, places });
  }

  /** The column of the points that cell j is, or -1. */
  place(j: number): number {
    if (this.#places) return this.#places[j]!;
    return j < this.label ? j : j === this.label ? -1 : j - 1;
  }

  /** The name that the header has for cell j. */
  name(j: number): string | undefined {
    return j < this.width ? this.#header?.text(j) : undefined;
  }

  /** The names of the points' columns, and of cells that are nothing; and whether the former are distinct names from a header. */
  names(): { columns: string[]; ignored: string[]; distinct: boolean } {
    const columns = new Array<string>(this.count);
    const ignored: string[] = [];
    for (let j = 0; j < this.width; j++) {
      const [name, place] = [this.name(j) ?? String(j), this.place(j)];
      if (place >= 0) columns[place] = name;
      else if (j !== this.label) ignored.push(name);
    }
    return { columns, ignored, distinct: this.#header !== undefined && findTwice(columns) === undefined };
  }
}

async function findLabel(first: CsvRecord, { label, delimiter }: CsvReading, place: CsvPlace, pace: Pace): Promise<number> {
  const { width } = first;
  if (label === null) return width;
  if (typeof label === 'string') {
    let found = width;
    await pace.each(width, (j) => {
      if (found === width && first.text(j) === label) found = j;
    });
    if (found < width) return found;
    const what = words`a column ${JSON.stringify(label)}, as ${option('label')} says,`;
    throw csvError(what, place, first.beginning().join(delimiter));
  }
  const found = label < 0 ? label + width : label;
  if (!(found >= 0 && found < width)) {
    throw csvError(words`a column ${label}, as ${option('label')} says,`, place, `${width} columns`);
  }
  return found;
}

/** Matches the header with options.columns, in whose order the points' columns are. */
async function match(
  header: CsvRecord,
  columns: readonly string[],
  label: number,
  delimiter: string,
  place: CsvPlace,
  pace: Pace,
): Promise<Int32Array | undefined> {
  const { width } = header;
  let same = columns.length === width - (label < width ? 1 : 0);
  await pace.each(width, (j) => {
    if (same && j !== label) same = header.text(j) === columns[j < label ? j : j - 1];
  });
  if (same) return undefined;
  const wanted = new Map<string, number>();
  await pace.each(columns.length, (k) => wanted.set(columns[k]!, k));
  const missing = new Set(columns);
  const places = new Int32Array(width).fill(-1);
  await pace.each(width, (j) => {
    if (j === label) return;
    const name = header.text(j);
    places[j] = wanted.get(name) ?? -1;
    // A name that occurs twice cannot be matched. Only a header equal to options.columns, above, may have one.
    if (places[j] >= 0 && !missing.delete(name)) throw csvError(`one column ${show(name)}`, place, new Verbatim('two'));
  });
  if (missing.size > 0) {
    const [names, of] = [[...missing], missing.size === 1 ? 'the column' : 'the columns'];
    const some = names.slice(0, 10).map(show).join(', ') + (names.length > 10 ? ` and ${names.length - 10} more` : '');
    throw csvError(`${of} ${some}`, place, header.beginning().join(delimiter));
  }
  const twice = columns.find((name, k) => wanted.get(name) !== k);
  if (twice !== undefined) {
    const what = `the columns in their order, as two are called ${show(twice)},`;
    throw csvError(what, place, header.beginning().join(delimiter));
  }
  return places;
}
