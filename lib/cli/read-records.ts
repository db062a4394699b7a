/** Reads the records that a command line names: CSV with categories and gaps, JSON lines, Parquet or Arrow; `-` is stdin. */
import { decimal } from '../backend/decimal.js';
import { inferKinds, SAMPLE } from '../data/infer.js';
import { missingTest } from '../data/missing.js';
import { Dataset } from '../data/dataset.js';
import { Table, valueIn } from '../data/table.js';
import { coded, show, type CodedError } from '../errors.js';
import { nearest } from '../input/index.js';
import { DEFAULT_MISSING, FIELD_KINDS } from '../input/resolve-plan.js';
import { readArrow } from '../io/arrow.js';
import { readCsv } from '../io/csv.js';
import { readJsonLines } from '../io/json-lines.js';
import { readParquet } from '../io/parquet.js';
import { rowsOf } from '../selection/split.js';
import type { LinearSvm } from '../svm/linear-svm.js';
import type { FieldKind, Label, Source } from '../types.js';
import { usageError, type Arguments, type Option } from './arguments.js';
import type { Output } from './output.js';
import { looksLikeModel } from './read-model.js';
import { isCsv, isStored, openData, readData, sourceOf, textOptions, warnOfExtra, warnOfNumbers, type Data } from './read-data.js';

/** Records with labels or without. */
export interface RecordData {
  readonly points: Table<Record<string, Label>>;
  /** By row; empty if there is no field of labels. A label that is missing is ''. */
  readonly labels: readonly Label[];
  /** The field of the labels. */
  readonly label: string | undefined;
}

export function isRecordData(data: Data | RecordData): data is RecordData {
  return Table.is(data.points);
}

/** These rows of data. */
export function selectRows(points: (Data | RecordData)['points'], list: Uint32Array): (Data | RecordData)['points'] {
  if (Table.is(points)) return Table.select(points, list);
  if (!Dataset.is(points)) return rowsOf(points, list) as Data['points'];
  throw coded(RangeError, 'ERR_LABELS', `Expected labels of the model for all rows of ${points.path} but some have others`);
}

export const FORMAT_OPTIONS: readonly Option[] = [
  {
    names: ['--json-lines'],
    help: 'read JSON lines whatever the file name (default: if it ends in .jsonl or .ndjson)',
  },
];

export const FIELD_OPTIONS: readonly Option[] = [
  {
    names: ['--field'],
    value: 'NAME=KIND',
    help: `records: what a field is: ${FIELD_KINDS.filter((kind) => kind !== 'ignore').join(', ')}\n(default: inferred); may be given several times`,
  },
  { names: ['--ignore'], value: 'NAME', help: 'records: a field to leave out; may be given several times' },
];

type Format = 'csv' | 'json-lines' | 'parquet' | 'arrow';

/** The format of a file of records; undefined if it is one of points. */
export function recordFormat(path: string, args: Arguments): Format | undefined {
  if (isCsv(path, args)) return 'csv';
  if (args.has('json-lines') || /\.(jsonl|ndjson)(\.gz)?$/i.test(path)) return 'json-lines';
  return /\.parquet$/i.test(path) ? 'parquet' : /\.(arrow|feather)$/i.test(path) ? 'arrow' : undefined;
}

interface Asked {
  readonly signal: AbortSignal;
  readonly output: Output;
}

/** Reads data to train on: points, if they are numbers and complete, and otherwise records. */
export async function readTrainingData(
  path: string,
  args: Arguments,
  asked: Asked & { readonly cols: number | undefined },
): Promise<Data | RecordData> {
  const given = kindsOf(args);
  const format = isStored(path) ? undefined : recordFormat(path, args);
  if (format === undefined) {
    const flag = ['field', 'ignore'].find((name) => args.has(name));
    if (flag !== undefined) throw usageError(`Expected CSV or JSON lines with --${flag} but received ${show(path)}`);
  }
  if (format !== undefined && (format !== 'csv' || given.size > 0)) {
    return readRecords(path, sourceOf(path), args, { ...asked, strings: stringsOf(given), required: true });
  }
  if (isStored(path)) return labelled(openData(path, args), path);
  if (format === undefined) return readData(path, args, { ...asked, labelled: true });
  const source = path === '-' ? new Replay(process.stdin) : path;
  try {
    return await readData(path, args, { ...asked, labelled: true, source });
  } catch (error) {
    const { code, option } = error as CodedError;
    // What an option says is not what a cell says.
    if (code !== 'ERR_CSV' || option !== undefined || (source instanceof Replay && source.lost)) throw error;
    if (await looksLikeModel(path)) throw error;
    return await readRecords(path, source, args, { ...asked, strings: [], required: true });
  }
}

function labelled(data: Data, path: string): Data {
  if (data.labels.length > 0) return data;
  throw coded(RangeError, 'ERR_LABELS', `Expected a label for each row of ${path} but it has none`);
}

const READERS = { 'json-lines': readJsonLines, parquet: readParquet, arrow: readArrow } as const;

interface Reading extends Asked {
  /** CSV: fields that are strings whatever their cells are. */
  readonly strings: readonly string[];
  /** The field of labels, if no option names it. @default 'label' */
  readonly label?: string | undefined;
  /** Whether there must be labels. */
  readonly required: boolean;
}

export async function readRecords(path: string, source: Source, args: Arguments, reading: Reading): Promise<RecordData> {
  const { signal, output, required } = reading;
  const { delimiter, maxBytes } = textOptions(args);
  const header = !args.has('no-header');
  const named = args.text('label') ?? reading.label ?? (header ? 'label' : '0');
  const kind = args.oneOf('labels', ['number', 'string']);
  const format = recordFormat(path, args)!;
  if (format !== 'csv') {
    for (const name of ['no-header', 'delimiter'])
      if (args.has(name)) throw usageError(`Expected CSV with --${name} but received ${show(path)}`);
  }
  const table =
    format === 'csv'
      ? await readCsv<Record<string, Label>>(source, {
          as: 'records',
          header,
          strings: kind === 'string' ? [...reading.strings, named] : reading.strings,
          ...(delimiter !== undefined && { delimiter }),
          maxBytes,
          signal,
        })
      : await READERS[format]<Record<string, Label>>(source, { maxBytes, signal });
  if (format === 'csv' && header) warnOfNumbers(path, table.fields, output);
  if (args.has('no-label')) return { points: table, labels: [], label: undefined };
  const label = fieldOf(named, table.fields);
  if (label === undefined) {
    if (!required && !args.has('label')) return { points: table, labels: [], label };
    throw noField(named, path, table.fields, '--label');
  }
  return { points: table, labels: labelsIn(table, label, { path, required, kind }), label };
}

interface ReadingFor extends Asked {
  /** The summary of the model's training, which may name the field of labels. */
  readonly training: Readonly<Record<string, unknown>> | undefined;
  readonly extraColumns: 'ignore' | 'refuse';
}

/** Reads records for a model that takes records. Fields that it does not know are ignored with a warning, or refused. */
export async function readRecordsFor(
  model: LinearSvm<Label, object>,
  path: string,
  args: Arguments,
  { training, extraColumns, signal, output }: ReadingFor,
): Promise<RecordData> {
  if (recordFormat(path, args) === undefined) {
    throw usageError(
      `Expected CSV or JSON lines, as the model was trained on records, but received ${show(path)}; use --csv or --json-lines if it is one of them`,
    );
  }
  const kinds = Object.entries(model.encoder!.plan).map(([name, { kind }]) => [name, kind] as const);
  const label = typeof training?.label === 'string' ? training.label : undefined;
  const read = await readRecords(path, sourceOf(path), args, { strings: stringsOf(kinds), label, required: false, signal, output });
  const known = new Set([...kinds.map(([name]) => name), ...(read.label === undefined ? [] : [read.label])]);
  warnOfExtra(
    path,
    read.points.fields.filter((name) => !known.has(name)),
    extraColumns,
    output,
  );
  return { ...read, labels: labelsLike(read.labels, model.labels) };
}

/** A field by its name or by its number, from either end. */
function fieldOf(named: string, fields: readonly string[]): string | undefined {
  return fields.includes(named) ? named : /^-?\d+$/.test(named) ? fields.at(Number(named)) : undefined;
}

function labelsIn(
  table: Table<Record<string, Label>>,
  label: string,
  { path, required, kind }: { path: string; required: boolean; kind: 'number' | 'string' | undefined },
): Label[] {
  const column = Table.columnOf(table, label)!;
  return Array.from({ length: table.rows }, (_, row) => {
    const value = valueIn(column, row);
    const where = `row ${row + 1} of ${path}, field ${show(label)},`;
    if (value === undefined || value === null || value === '' || Number.isNaN(value)) {
      if (!required) return '';
      throw coded(RangeError, 'ERR_LABELS', `Expected a label for ${where} but received none`);
    }
    if (kind === 'number' && typeof value !== 'number') {
      throw coded(TypeError, 'ERR_LABELS', `Expected a number, the label, for ${where} but received ${show(value)}`);
    }
    if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
    throw coded(
      TypeError,
      'ERR_LABELS',
      `Expected a number, string or boolean, the label, for ${where} but received ${show(value)}`,
    );
  });
}

/** Labels of a file in the type of a model's: a file of strings may hold numbers, too. */
function labelsLike(labels: readonly Label[], [known]: readonly Label[]): readonly Label[] {
  if (typeof known === 'string') return labels.map(String);
  return labels.map((label) => {
    if (typeof label !== 'string') return label;
    if (typeof known === 'boolean') return label === 'true' ? true : label === 'false' ? false : label;
    const number = decimal(label);
    return Number.isNaN(number) ? label : number;
  });
}

function noField(name: string, path: string, fields: readonly string[], flag: string): Error {
  const near = nearest(name, fields);
  const some = fields.slice(0, 10).map(show).join(', ') + (fields.length > 10 ? `, … (${fields.length} fields)` : '');
  const hint = near === undefined ? '' : `; did you mean ${show(near)}?`;
  return coded(RangeError, 'ERR_RECORDS', `Expected a field ${show(name)}, as ${flag} says, in ${path} but it has ${some}${hint}`);
}

/** The kinds that --field and --ignore give. */
export function kindsOf(args: Arguments): Map<string, FieldKind> {
  const kinds = new Map<string, FieldKind>();
  for (const text of args.texts('field')) {
    const at = text.lastIndexOf('=');
    const kind = FIELD_KINDS.find((one) => one === text.slice(at + 1));
    if (at < 1 || kind === undefined) {
      const list = FIELD_KINDS.join(', ');
      throw usageError(`Expected NAME=KIND with one of ${list} for --field but received ${show(text)}`);
    }
    set(text.slice(0, at), kind);
  }
  for (const name of args.texts('ignore')) set(name, 'ignore');
  return kinds;

  function set(name: string, kind: FieldKind): void {
    const other = kinds.get(name);
    if (other !== undefined && other !== kind)
      throw usageError(`Expected one kind for the field ${show(name)} but received ${other} and ${kind}`);
    kinds.set(name, kind);
  }
}

/** Of kinds of fields, those whose cells are texts even if they are numbers. */
export function stringsOf(kinds: Iterable<readonly [string, FieldKind]>): string[] {
  return Array.from(kinds).flatMap(([name, kind]) => (kind === 'number' || kind === 'ignore' ? [] : [name]));
}

/** The kinds of all fields but the label: as given, and otherwise inferred. */
export function planOf(
  path: string,
  { points: table, label }: RecordData,
  given: ReadonlyMap<string, FieldKind>,
): Record<string, FieldKind> {
  for (const [name, kind] of given) {
    if (!table.fields.includes(name)) throw noField(name, path, table.fields, kind === 'ignore' ? '--ignore' : '--field');
    if (name === label) throw usageError(`Expected a field other than that of the labels for --field but received ${show(name)}`);
  }
  const count = Math.min(table.rows, SAMPLE);
  const rows = Array.from({ length: count }, (_, k) => Math.floor((k * table.rows) / count));
  const leftOut = new Set([...given.keys(), ...(label === undefined ? [] : [label])]);
  const inferred = inferKinds(
    rows.map((row) => table.record(row)),
    rows,
    leftOut,
    missingTest(DEFAULT_MISSING),
  );
  // In the order of the file. By entries, as a field may be called __proto__.
  return Object.fromEntries(
    table.fields.filter((name) => name !== label).map((name) => [name, given.get(name) ?? inferred.get(name) ?? 'ignore']),
  );
}

/** The most bytes of stdin that are kept to be read again. */
const MAX_KEPT = 1 << 28;

/** A stream that can be read again from its beginning, as long as not too much of it was read. */
class Replay implements AsyncIterable<Uint8Array> {
  readonly #rest: AsyncIterator<Uint8Array>;
  #kept: Uint8Array[] = [];
  #bytes = 0;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#rest = stream[Symbol.asyncIterator]();
  }

  /** Whether its beginning is gone. */
  get lost(): boolean {
    return this.#bytes > MAX_KEPT;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (const chunk of this.#kept) yield chunk;
    for (;;) {
      const next = await this.#rest.next();
      if (next.done === true) return;
      const { value } = next;
      this.#bytes += value.length;
      if (this.lost) this.#kept = [];
      else this.#kept.push(value);
      yield value;
    }
  }
}
