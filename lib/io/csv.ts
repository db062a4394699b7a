/** Points and labels, or records, from comma-separated values. */
import { Verbatim } from '../errors.js';
import type { Table } from '../data/table.js';
import { checkCsv, checkWords, csvError, type CsvPlace } from '../input/file-errors.js';
import { asksForRecords, checkSource, resolveCsvReading, resolveCsvRecords, type CsvReading } from '../input/file-options.js';
import type { CsvData, CsvRow, ReadCsvOptions, ReadCsvRecordsOptions, Source } from '../types.js';
import { Blocks } from './blocks.js';
import { CsvCells, type CellTaker } from './csv-cells.js';
import { CsvColumns } from './csv-columns.js';
import { CsvRecord } from './csv-record.js';
import { CsvRecords } from './csv-records.js';
import { decimal, decimalIn } from '../backend/decimal.js';
import { Pace } from './pace.js';
import { chunks, inParts } from './source.js';

/**
 * Reads comma-separated values: one column of labels or none, all others numbers. With `as: 'records'`, a Table of numbers and strings with gaps.
 * Gzip is recognised.
 */
export async function readCsv<R extends object = CsvRow>(source: Source, options: ReadCsvRecordsOptions): Promise<Table<R>>;
export async function readCsv(source: Source, options: ReadCsvOptions & { labels: 'string' }): Promise<CsvData<string[]>>;
export async function readCsv(source: Source, options: ReadCsvOptions & { labels: 'number' }): Promise<CsvData<Float64Array>>;
export async function readCsv(source: Source, options: ReadCsvOptions): Promise<CsvData>;
export async function readCsv(source: Source, options: ReadCsvOptions | ReadCsvRecordsOptions): Promise<CsvData | Table<CsvRow>> {
  const file = checkSource(source);
  if (asksForRecords(options)) {
    const reading = resolveCsvRecords(options);
    return readTable(source, file, reading, new CsvRecords<CsvRow>(file, reading));
  }
  const reading = resolveCsvReading(options);
  return readTable(source, file, reading, new CsvPoints(file, reading));
}

/** What takes the cells, and makes a result of them. */
interface CsvTaker<T> extends CellTaker {
  /** Whether the first record has been read, and so what the cells of others are is known. */
  readonly begun: boolean;
  begin(line: number, pace: Pace): Promise<void>;
  endRecord(line: number): void;
  finish(pace: Pace): Promise<T>;
}

async function readTable<T>(source: Source, file: string, reading: CsvText, taker: CsvTaker<T>): Promise<T> {
  const pace = new Pace(reading.signal);
  for await (const _ of inPieces(source, file, reading, taker, pace)) void _;
  return taker.finish(pace);
}

type CsvText = Pick<CsvReading, 'delimiter' | 'maxBytes' | 'signal'>;

/** Reads the text piece by piece, and yields after each. */
async function* inPieces(
  source: Source,
  file: string,
  reading: CsvText,
  taker: CsvTaker<unknown>,
  pace: Pace,
): AsyncGenerator<void, void, undefined> {
  const cells = new CsvCells(reading.delimiter, taker);
  const readRecords = async () => {
    while (cells.read()) {
      if (taker.begun) taker.endRecord(cells.line);
      else await taker.begin(cells.line, pace);
    }
  };
  for await (const part of inParts(chunks(source, file, { ...reading, code: 'ERR_CSV' }), PARSED, pace)) {
    cells.push(part);
    await readRecords();
    yield;
  }
  cells.finish();
  await readRecords();
}

/** Rows of a CSV file, by the numbers of their labels. */
export interface CsvRows {
  readonly rows: number;
  readonly data: Float64Array;
  readonly labels: Uint32Array | undefined;
}

/** What is known of a CSV file when all of it was read: labels in the order of their numbers. */
export interface CsvNames {
  readonly labels: readonly (string | number)[];
  readonly columns: readonly string[] | undefined;
}

/** Points and labels, a few rows at a time: they are not kept. */
export async function* csvRows(source: Source, file: string, reading: CsvReading): AsyncGenerator<CsvRows, CsvNames, undefined> {
  const pace = new Pace(reading.signal);
  const points = new CsvPoints(file, reading);
  for await (const _ of inPieces(source, file, reading, points, pace)) {
    void _;
    if (points.pending > PENDING) yield await points.take(pace);
  }
  yield await points.take(pace);
  return points.names();
}

/** Bytes that are parsed at a time, which takes about a millisecond. */
const PARSED = 1 << 16;
/** The limit on characters of a label, as in LIBSVM text. */
const MAX_LABEL = 1000;
/** The names of more columns than this are made when they are asked for: V8 moves a million strings at once, which takes 30 ms. */
const MANY_COLUMNS = 1 << 14;

const SPACE = 32;
/** The numbers that are collected before they are handed over. */
const PENDING = 1 << 17;

/** What is wrong with a cell. It is said when the record ends, unless the record as a whole is wrong. */
interface Defect {
  readonly what: string;
  readonly column: number;
  readonly text: string;
}

class CsvPoints implements CsvTaker<CsvData> {
  readonly #file: string;
  readonly #reading: CsvReading;
  readonly #first = new CsvRecord();
  #columns: CsvColumns | undefined;
  #column = 0;
  #defect: Defect | undefined;
  #line = 1;
  #rows = 0;
  #taken = 0; // rows that were handed over
  #data = new Blocks(Float64Array);
  /** By row, the index of its label in #known. */
  #labels = new Blocks(Uint32Array);
  readonly #known = new Map<string, number>();
  #numeric = true;

  constructor(file: string, reading: CsvReading) {
    this.#file = file;
    this.#reading = reading;
  }

  get begun(): boolean {
    return this.#columns !== undefined;
  }

  cell(bytes: Buffer, from: number, to: number): void {
    const columns = this.#columns;
    if (!columns) return this.#first.add(bytes, from, to);
    const j = this.#column++;
    if (j >= columns.width || this.#defect) return;
    if (j === 0) this.#fit(() => this.#data.grow(columns.count));
    const place = columns.place(j);
    if (place >= 0) {
      const number = trimmedDecimal(bytes, from, to);
      if (Number.isNaN(number)) this.#refuse('a finite number', j, bytes.toString('utf8', from, to));
      this.#data.set(place, number);
    } else if (j === columns.label) this.#addLabel(bytes.toString('utf8', from, to), j);
  }

  place(line: number, column: number): CsvPlace {
    return { file: this.#file, line, column: column + 1, name: this.#columns?.name(column) };
  }

  /** Ends the first record, on this line: the header or the first row. */
  async begin(line: number, pace: Pace): Promise<void> {
    const [first, place] = [this.#first, { file: this.#file, line }];
    await first.finish(pace);
    checkCsv(first.beginning(), this.#reading, place);
    this.#line = line;
    this.#columns = await CsvColumns.find(first, this.#reading, place, pace);
    if (this.#reading.header) return;
    const take = this.cell.bind(this);
    await pace.each(first.width, (j) => first.give(j, take));
    this.endRecord(line);
  }

  /** Ends a row, whose last line this is. */
  endRecord(line: number): void {
    const [{ width }, count] = [this.#columns!, this.#column];
    if (count !== width) throw csvError(`${width} cells, as in the first row,`, { file: this.#file, line }, count);
    if (this.#defect) throw csvError(this.#defect.what, this.place(line, this.#defect.column), this.#defect.text);
    this.#column = 0;
    this.#line = line;
    this.#rows++;
  }

  /** How many numbers were read since the last time they were handed over. */
  get pending(): number {
    return this.#data.length;
  }

  /** Hands over the rows that were read since the last time. */
  async take(pace: Pace): Promise<CsvRows> {
    const [cols, rows] = [this.#columns?.count ?? 0, this.#rows - this.#taken];
    this.#taken = this.#rows;
    const all = [new Float64Array(rows * cols), new Uint32Array(this.#labels.length === 0 ? 0 : rows)] as const;
    // A row that is not whole yet stays.
    const [data, labels] = [new Float64Array(this.#data.length), new Uint32Array(this.#labels.length)];
    await this.#data.take(data, pace);
    await this.#labels.take(labels, pace);
    all[0].set(data.subarray(0, rows * cols));
    all[1].set(labels.subarray(0, rows));
    [this.#data, this.#labels] = [new Blocks(Float64Array), new Blocks(Uint32Array)];
    for (const value of labels.subarray(rows)) {
      this.#labels.grow(1);
      this.#labels.set(0, value);
    }
    if (data.length > rows * cols) {
      this.#data.grow(cols);
      data.subarray(rows * cols).forEach((value, j) => this.#data.set(j, value));
    }
    return { rows, data: all[0], labels: labels.length > 0 ? all[1] : undefined };
  }

  /** The labels and columns of a file that was read to its end. */
  names(): CsvNames {
    this.#checkRows();
    const words = [...this.#known.keys()];
    const asNumbers = this.#numeric && this.#reading.labels !== 'string';
    const names = this.#columns!.names();
    return {
      labels: asNumbers ? words.map((word) => decimal(word.trim())) : words,
      columns: names.distinct ? names.columns : undefined,
    };
  }

  #checkRows(): void {
    if (this.#rows > 0) return;
    const what = this.#reading.header ? 'at least one row below the header' : 'at least one row';
    throw csvError(what, { file: this.#file, line: this.#line }, 0);
  }

  async finish(pace: Pace): Promise<CsvData> {
    this.#checkRows();
    const words = [...this.#known.keys()];
    const asNumbers = this.#numeric && this.#reading.labels !== 'string';
    if (!asNumbers) checkWords(this.#labels.length, words.length, this.#file, 'ERR_CSV');
    const columns = this.#columns!;
    const data = this.#fit(() => new Float64Array(this.#data.length));
    await this.#data.take(data, pace);
    const points = { data, rows: this.#rows, cols: columns.count };
    const labels = await this.#takeLabels(words, asNumbers, pace);
    if (columns.width <= MANY_COLUMNS) {
      const { distinct, ...names } = columns.names();
      return { points: distinct ? { ...points, columns: names.columns } : points, labels, ...names };
    }
    let made: ReturnType<CsvColumns['names']> | undefined;
    const names = () => (made ??= columns.names());
    return {
      points: {
        ...points,
        get columns() {
          return names().distinct ? names().columns : undefined;
        },
      },
      labels,
      get columns() {
        return names().columns;
      },
      get ignored() {
        return names().ignored;
      },
    };
  }

  async #takeLabels(words: readonly string[], asNumbers: boolean, pace: Pace): Promise<Float64Array | string[]> {
    const known = new Uint32Array(this.#labels.length);
    await this.#labels.take(known, pace);
    if (!asNumbers) {
      const labels: string[] = [];
      await pace.each(known.length, (i) => labels.push(words[known[i]!]!));
      return labels;
    }
    const numbers = new Float64Array(words.length);
    await pace.each(words.length, (k) => (numbers[k] = decimal(words[k]!.trim())));
    const labels = new Float64Array(known.length);
    await pace.each(known.length, (i) => (labels[i] = numbers[known[i]!]!));
    return labels;
  }

  #addLabel(text: string, column: number): void {
    const known = this.#known.get(text) ?? this.#learn(text, column);
    this.#fit(() => this.#labels.grow(1));
    this.#labels.set(0, known);
  }

  /** Checks a label that is new. */
  #learn(text: string, column: number): number {
    const { labels } = this.#reading;
    if (this.#numeric && labels !== 'string' && Number.isNaN(decimal(text.trim()))) {
      if (labels === 'number') this.#refuse('a finite number, the label,', column, text);
      this.#numeric = false;
    }
    if (text === '') this.#refuse('a label', column, text);
    if (text.length > MAX_LABEL) this.#refuse(`a label of at most ${MAX_LABEL} characters`, column, text);
    const index = this.#known.size;
    checkWords(0, this.#known.set(text, index).size, this.#file, 'ERR_CSV');
    return index;
  }

  #refuse(what: string, column: number, text: string): void {
    this.#defect ??= { what, column, text };
  }

  /** Runs work that allocates, and words the error if memory runs out. */
  #fit<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const received = new Verbatim(`${this.#rows} rows of ${this.#columns!.count}`);
      throw csvError('numbers that fit in memory', { file: this.#file, line: this.#line }, received, error);
    }
  }
}

/** decimal(text.trim()), which makes no text of an ordinary number. */
function trimmedDecimal(bytes: Buffer, from: number, to: number): number {
  while (from < to && bytes[from] === SPACE) from++;
  while (from < to && bytes[to - 1] === SPACE) to--;
  const number = decimalIn(bytes, from, to);
  return Number.isNaN(number) ? decimal(bytes.toString('utf8', from, to).trim()) : number;
}
