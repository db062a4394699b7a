/** Points and labels from comma-separated values. */
import { option, show, Verbatim, words } from '../errors.js';
import { checkSource, resolveCsvReading, type CsvReading, checkCsv, csvError, checkWords } from '../input/index.js';
import type { Source, ReadCsvOptions, CsvData } from '../types.js';
import { Blocks } from './blocks.js';
import { records, type CsvRecord } from './csv-records.js';
import { decimal } from '../backend/decimal.js';
import { Pace } from './pace.js';
import { chunks } from './source.js';

/**
 * Reads comma-separated values: one column of labels or none, all others numbers. Needs the package csv-parse, which is not installed with
 * this one. Gzip is recognised.
 */
export async function readCsv(source: Source, options: ReadCsvOptions & { labels: 'string' }): Promise<CsvData<string[]>>;
export async function readCsv(source: Source, options: ReadCsvOptions & { labels: 'number' }): Promise<CsvData<Float64Array>>;
export async function readCsv(source: Source, options: ReadCsvOptions): Promise<CsvData>;
export async function readCsv(source: Source, options: ReadCsvOptions): Promise<CsvData> {
  const file = checkSource(source);
  const reading = resolveCsvReading(options);
  const pace = new Pace(reading.signal);
  const table = new Table(file, reading);
  const text = chunks(source, file, { ...reading, code: 'ERR_CSV' });
  for await (const record of records(text, reading.delimiter, file, pace)) {
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- it only pauses between parts of a long record
    for (const _ of table.add(record)) if (pace.due) await pace.turn();
    if (pace.due) await pace.turn();
  }
  return table.finish(pace);
}

/** The limit on characters of a label, as in LIBSVM text. */
const MAX_LABEL = 1000;
/** The number of cells between two looks at the clock. */
const CELLS = 1 << 14;

class Table {
  readonly #file: string;
  readonly #reading: CsvReading;
  #names: readonly string[] | undefined;
  #width = 0;
  #label = -1;
  #line = 1;
  #rows = 0;
  /** By cell, the column of the points that its number goes to, or -1. */
  #places: Int32Array<ArrayBuffer> = new Int32Array(0);
  #row: Float64Array<ArrayBuffer> = new Float64Array(0);
  readonly #data = new Blocks(Float64Array);
  /** By row, the index of its label in #known. */
  readonly #labels = new Blocks(Uint32Array);
  readonly #one = new Uint32Array(1);
  readonly #known = new Map<string, number>();
  #numeric = true;

  constructor(file: string, reading: CsvReading) {
    this.#file = file;
    this.#reading = reading;
  }

  /** Adds a record. Yields between parts of a long one. */
  *add({ cells, line }: CsvRecord): Generator<void> {
    this.#line = line;
    if (this.#label < 0) {
      checkCsv(cells, this.#reading, { file: this.#file, line });
      this.#width = cells.length;
      this.#label = this.#find(cells);
      this.#places = this.#match(cells);
      this.#row = new Float64Array(this.#reading.columns?.length ?? this.#width - (this.#label < this.#width ? 1 : 0));
      if (this.#reading.header) {
        this.#names = cells;
        return;
      }
    }
    if (cells.length !== this.#width) {
      const what = `${this.#width} cells, as in the first row,`;
      throw csvError(what, { file: this.#file, line }, cells.length);
    }
    this.#rows++;
    const [places, row, label] = [this.#places, this.#row, this.#label];
    for (let begin = 0; begin < cells.length; begin += CELLS) {
      if (begin > 0) yield;
      for (let j = begin; j < Math.min(begin + CELLS, cells.length); j++) {
        const place = places[j]!;
        if (place >= 0) {
          const number = decimal(cells[j]!.trim());
          if (Number.isNaN(number)) throw csvError('a finite number', this.#place(j), cells[j]);
          row[place] = number;
        } else if (j === label) this.#addLabel(cells[j]!, j);
      }
    }
    this.#fit(() => this.#data.append(row));
  }

  async finish(pace: Pace): Promise<CsvData> {
    if (this.#rows === 0) {
      const what = this.#reading.header ? 'at least one row below the header' : 'at least one row';
      throw csvError(what, { file: this.#file, line: this.#line }, 0);
    }
    const words = [...this.#known.keys()];
    const asNumbers = this.#numeric && this.#reading.labels !== 'string';
    if (!asNumbers) checkWords(this.#labels.length, words.length, this.#file, 'ERR_CSV');
    const columns: string[] = [];
    const ignored: string[] = [];
    await inSteps(this.#width, pace, (j) => {
      if (j === this.#label) return;
      const name = this.#names?.[j] ?? String(j);
      if (this.#places[j]! < 0) ignored.push(name);
      else columns[this.#places[j]!] = name;
    });
    const cols = columns.length;
    const data = this.#fit(() => new Float64Array(this.#data.length));
    await this.#data.take(data, pace);
    return { points: { data, rows: this.#rows, cols }, labels: await this.#takeLabels(words, asNumbers, pace), columns, ignored };
  }

  async #takeLabels(words: readonly string[], asNumbers: boolean, pace: Pace): Promise<Float64Array | string[]> {
    const known = new Uint32Array(this.#labels.length);
    await this.#labels.take(known, pace);
    if (!asNumbers) {
      const labels: string[] = [];
      await inSteps(known.length, pace, (i) => labels.push(words[known[i]!]!));
      return labels;
    }
    const numbers = Float64Array.from(words, (word) => decimal(word.trim()));
    const labels = new Float64Array(known.length);
    await inSteps(known.length, pace, (i) => (labels[i] = numbers[known[i]!]!));
    return labels;
  }

  #find(cells: readonly string[]): number {
    const { label } = this.#reading;
    if (label === null) return cells.length; // an index that no cell has
    const place = { file: this.#file, line: this.#line };
    if (typeof label === 'string') {
      const found = cells.indexOf(label);
      if (found < 0)
        throw csvError(
          words`a column ${JSON.stringify(label)}, as ${option('label')} says,`,
          place,
          cells.join(this.#reading.delimiter),
        );
      return found;
    }
    const found = label < 0 ? label + cells.length : label;
    if (!(found >= 0 && found < cells.length)) {
      throw csvError(words`a column ${label}, as ${option('label')} says,`, place, `${cells.length} columns`);
    }
    return found;
  }

  /** The columns that cells go to: all in file order, or those of options.columns in its order. */
  #match(cells: readonly string[]): Int32Array<ArrayBuffer> {
    const { columns } = this.#reading;
    const places = new Int32Array(cells.length);
    let others = 0;
    for (let j = 0; j < places.length; j++) places[j] = j === this.#label ? -1 : others++;
    if (columns === undefined) return places;
    if (columns.length === others && places.every((place, j) => place < 0 || cells[j] === columns[place])) return places;
    const wanted = new Map(columns.map((name, place) => [name, place]));
    const place = { file: this.#file, line: this.#line };
    // A name that occurs twice cannot be matched. Only a header equal to options.columns, above, may have one.
    const missing = new Set(columns);
    const twice = columns.find((name, j) => wanted.get(name) !== j);
    cells.forEach((name, j) => {
      if (j === this.#label) return;
      places[j] = wanted.get(name) ?? -1;
      if (places[j] >= 0 && !missing.delete(name)) throw csvError(`one column ${show(name)}`, place, new Verbatim('two'));
    });
    if (missing.size > 0) {
      const [names, of] = [[...missing], missing.size === 1 ? 'the column' : 'the columns'];
      const some = names.slice(0, 10).map(show).join(', ') + (names.length > 10 ? ` and ${names.length - 10} more` : '');
      throw csvError(`${of} ${some}`, place, cells.join(this.#reading.delimiter));
    }
    if (twice !== undefined) {
      throw csvError(`the columns in their order, as two are called ${show(twice)},`, place, cells.join(this.#reading.delimiter));
    }
    return places;
  }

  #place(column: number) {
    return { file: this.#file, line: this.#line, column: column + 1, name: this.#names?.[column] };
  }

  #addLabel(cell: string, column: number): void {
    if (this.#numeric && this.#reading.labels !== 'string' && Number.isNaN(decimal(cell.trim()))) {
      if (this.#reading.labels === 'number') throw csvError('a finite number, the label,', this.#place(column), cell);
      this.#numeric = false;
    }
    if (cell === '') throw csvError('a label', this.#place(column), cell);
    if (cell.length > MAX_LABEL) throw csvError(`a label of at most ${MAX_LABEL} characters`, this.#place(column), cell);
    let known = this.#known.get(cell);
    if (known === undefined) {
      known = this.#known.size;
      checkWords(0, this.#known.set(cell, known).size, this.#file, 'ERR_CSV');
    }
    this.#one[0] = known;
    this.#fit(() => this.#labels.append(this.#one));
  }

  /** Runs work that allocates, and words the error if memory runs out. */
  #fit<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const received = new Verbatim(`${this.#rows} rows of ${this.#row.length}`);
      throw csvError('numbers that fit in memory', { file: this.#file, line: this.#line }, received, error);
    }
  }
}

/** Calls work(0), … work(count - 1), and lets the event loop turn in between. */
async function inSteps(count: number, pace: Pace, work: (k: number) => void): Promise<void> {
  for (let begin = 0; begin < count; begin += CELLS) {
    if (pace.due) await pace.turn();
    for (let k = begin; k < Math.min(begin + CELLS, count); k++) work(k);
  }
}
