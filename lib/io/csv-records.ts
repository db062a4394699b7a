/** Records from comma-separated values. */
import { Table, type TableColumn } from '../data/table.js';
import { show, Verbatim } from '../errors.js';
import { checkCsv, csvError, type CsvPlace } from '../input/file-errors.js';
import type { CsvRecordsReading } from '../input/file-options.js';
import { checkStrings } from './byte-texts.js';
import type { CellTaker } from './csv-cells.js';
import { CsvField } from './csv-field.js';
import { CsvRecord } from './csv-record.js';
import type { Pace } from './pace.js';

/** More fields than this are no record. */
const MAX_FIELDS = 1 << 16;
/** Rows between two looks at the memory that strings will take. */
const LOOK = 1 << 12;

/** Takes the cells of a CSV file, and makes a Table of them. */
export class CsvRecords<R extends object> implements CellTaker {
  readonly #file: string;
  readonly #reading: CsvRecordsReading;
  readonly #first = new CsvRecord();
  /** By cell, its field; undefined if it is left out. */
  #cells: (CsvField | undefined)[] | undefined;
  #names: readonly string[] = [];
  /** In the order of the table. */
  #fields: readonly CsvField[] = [];
  #column = 0;
  #line = 1;
  #rows = 0;

  constructor(file: string, reading: CsvRecordsReading) {
    this.#file = file;
    this.#reading = reading;
  }

  get begun(): boolean {
    return this.#cells !== undefined;
  }

  cell(bytes: Buffer, from: number, to: number): void {
    if (!this.#cells) return this.#first.add(bytes, from, to);
    const j = this.#column++;
    if (j < this.#cells.length) this.#cells[j]?.push(bytes, from, to);
  }

  place(line: number, column: number): CsvPlace {
    const name = this.#reading.header ? this.#names[column] : undefined;
    return { file: this.#file, line, column: column + 1, name };
  }

  /** Ends the first record, on this line: the header or the first row. */
  async begin(line: number, pace: Pace): Promise<void> {
    const [first, place] = [this.#first, { file: this.#file, line }];
    await first.finish(pace);
    checkCsv(first.beginning(), this.#reading, place);
    const { width } = first;
    if (width > MAX_FIELDS) throw csvError(`at most ${MAX_FIELDS} fields`, place, width);
    this.#line = line;
    const { header, columns, strings } = this.#reading;
    const names = Array.from({ length: width }, (_, j) => (header ? first.text(j).trim() : String(j)));
    const fields = new Map<string, CsvField>();
    for (const name of names) {
      if (fields.has(name)) throw csvError(`one column ${show(name)}`, place, new Verbatim('two'));
      fields.set(name, new CsvField(name, strings.has(name)));
    }
    const missing = columns?.filter((name) => !fields.has(name)) ?? [];
    if (missing.length > 0) {
      const some = missing.slice(0, 10).map(show).join(', ') + (missing.length > 10 ? ` and ${missing.length - 10} more` : '');
      const what = `the column${missing.length === 1 ? '' : 's'} ${some}`;
      throw csvError(what, place, first.beginning().join(this.#reading.delimiter));
    }
    const wanted = new Set(columns ?? names);
    this.#names = names;
    this.#fields = (columns ?? names).map((name) => fields.get(name)!);
    this.#cells = names.map((name) => (wanted.has(name) ? fields.get(name) : undefined));
    if (header) return;
    const take = this.cell.bind(this);
    await pace.each(width, (j) => first.give(j, take));
    this.endRecord(line);
  }

  /** Ends a row, whose last line this is. */
  endRecord(line: number): void {
    const [width, count] = [this.#cells!.length, this.#column];
    if (count !== width) throw csvError(`${width} cells, as in the first row,`, { file: this.#file, line }, count);
    this.#column = 0;
    this.#line = line;
    if (++this.#rows % LOOK === 0) this.#checkHeap();
  }

  async finish(pace: Pace): Promise<Table<R>> {
    if (this.#rows === 0) {
      const what = this.#reading.header ? 'at least one row below the header' : 'at least one row';
      throw csvError(what, { file: this.#file, line: this.#line }, 0);
    }
    this.#checkHeap();
    const columns = new Map<string, TableColumn>();
    for (const field of this.#fields) columns.set(field.name, await field.finish(pace));
    return Table.of<R>(this.#rows, columns);
  }

  #checkHeap(): void {
    const bytes = this.#fields.reduce((sum, { heap }) => sum + heap, 0);
    checkStrings(bytes, this.#file, 'ERR_CSV');
  }
}
