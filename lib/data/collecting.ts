/** Reads records once, field by field, into a form from which encodings are learnt and applied. */
import { coded, plural, show } from '../errors.js';
import { isObject } from '../input/intrinsics.js';
import { nearest } from '../input/keys.js';
import { resolveField, type ResolvedField, type ResolvedPlan } from '../input/resolve-plan.js';
import { soon } from '../platform/host.js';
import { pause, type Loop } from '../solver/drivers.js';
import type { Signal } from '../types.js';
import { CategoryCollector } from './fields/category-field.js';
import { placeText, type Collector, type IsMissing, type Place } from './fields/field.js';
import { fieldReader, type FieldReader } from './fields/kinds.js';
import { inferKinds, SAMPLE } from './infer.js';
import { missingTest } from './missing.js';
import { NumberList } from './number-list.js';
import { Table, valueIn, type DictionaryColumn } from './table.js';

/** A field of records that are read. */
export interface CollectedField {
  readonly name: string;
  readonly collector: Collector;
  readonly place: Place;
  /** Whether a record without the field is refused: it had a value in every record that was learnt from. */
  readonly required: boolean;
  /** Takes the rows without a value, of records to learn from. */
  readonly without?: NumberList<Uint32Array> | undefined;
}

/** Records between two pauses. */
const TURN = 512;

/** Rows of records, field by field. */
export class Collected {
  rows = 0;
  readonly #inherited: readonly boolean[];

  constructor(readonly fields: readonly CollectedField[]) {
    // Fields with such names are looked for among a record's own properties only.
    this.#inherited = fields.map(({ name }) => name in Object.prototype);
  }

  /** Adds a record. Each of its fields is read once. */
  push(record: unknown): void {
    if (!isRecord(record)) throw notARecord(record, this.rows);
    const { fields } = this;
    for (let k = 0; k < fields.length; k++) {
      const { name, collector, place, required, without } = fields[k]!;
      const inherited = this.#inherited[k]!;
      const value = inherited && !Object.hasOwn(record, name) ? undefined : (record as Record<string, unknown>)[name];
      // Whether the field is there is asked only without a value: it takes as long as reading one.
      if (value === undefined && required && !(inherited ? Object.hasOwn(record, name) : name in record)) {
        throw missingField(this.rows, name, record);
      }
      place.row = this.rows;
      collector.push(value, place);
      if (without && (value === undefined || value === null)) without.push(this.rows);
    }
    this.rows++;
  }

  clear(): void {
    this.rows = 0;
    for (const { collector } of this.fields) collector.clear();
  }
}

/** Whether it is an object with fields: no list, and none of the objects that hold values otherwise. */
export function isRecord(value: unknown): value is object {
  return (
    isObject(value) &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value) &&
    !(value instanceof Map) &&
    !(value instanceof Set) &&
    !(value instanceof Date)
  );
}

export function notARecord(record: unknown, row: number): Error {
  const hint = record instanceof Map ? '; Object.fromEntries makes an object of a Map' : '';
  return coded(TypeError, 'ERR_RECORDS', `Expected an object for records[${row}] but received ${show(record)}${hint}`);
}

function missingField(row: number, name: string, record: object): Error {
  const near = nearest(name, Object.keys(record));
  const hint = near === undefined ? 'null says that a value is missing' : `did it mean ${show(near)}?`;
  const message = `Expected a value for ${placeText({ row, name })}, as in every record that was learnt from, but received none; ${hint}`;
  return coded(RangeError, 'ERR_RECORDS', message);
}

/** Reads records into fields. The loop pauses now and then. */
export function* collecting(records: Iterable<unknown>, collected: Collected): Loop<void> {
  if (Table.is(records)) return yield* collectingTable(records, collected);
  let count = 0;
  for (const record of records) {
    collected.push(record);
    if (++count % TURN === 0) yield pause();
  }
}

/** Column by column. */
function* collectingTable(table: Table<object>, collected: Collected): Loop<void> {
  for (const { name, collector, place, required, without } of collected.fields) {
    const column = Table.columnOf(table, name);
    if (!column && required && table.rows > 0)
      throw missingField(0, name, Object.fromEntries(table.fields.map((field) => [field, 0])));
    if (column?.codes && collector instanceof CategoryCollector) {
      yield* collectingCodes(column, table.rows, collector, place);
      continue;
    }
    for (let row = 0; row < table.rows; row++) {
      if (row % (16 * TURN) === 0) yield pause();
      place.row = row;
      const value = column && valueIn(column, row);
      collector.push(value, place);
      if (without && (value === undefined || value === null)) without.push(row);
    }
  }
  collected.rows = table.rows;
}

/** Categories of a dictionary, each of which is looked up once. A code that the dictionary does not have is a missing value. */
function* collectingCodes(
  { codes, dictionary }: DictionaryColumn,
  rows: number,
  collector: CategoryCollector,
  place: Place,
): Loop<void> {
  const known = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    if (row % (16 * TURN) === 0) yield pause();
    const k = codes[row]!;
    let code = known.get(k);
    if (code === undefined) {
      place.row = row;
      known.set(k, (code = collector.code(dictionary[k], place)));
    }
    collector.codes.push(code);
  }
}

export interface LearningField {
  readonly name: string;
  readonly reader: FieldReader;
  /** The rows without a value. */
  readonly without: NumberList<Uint32Array>;
}

/** Records that were read in order to learn from them. */
export interface LearningRecords {
  readonly plan: ResolvedPlan;
  readonly rows: number;
  readonly fields: readonly LearningField[];
  readonly missing: readonly (string | number)[];
}

/** What is to be done with records. */
export interface Reading {
  /** undefined: all kinds are inferred. */
  readonly plan: ResolvedPlan | undefined;
  readonly missing: readonly (string | number)[];
  /** A field that is no part of the plan: that of the labels. */
  readonly label?: string | undefined;
  /** Takes each value of that field. */
  readonly takeLabel?: (value: unknown, place: Place, fields: () => readonly string[]) => void;
  /** The labels, if they are no field: a field that equals them is not to be learnt from. */
  readonly labels?: ArrayLike<unknown> | undefined;
}

/** Reads records to learn from. The first ones are looked at before the others are read, if kinds are to be inferred. */
export function* readingToLearn(records: Iterable<unknown>, reading: Reading): Loop<LearningRecords> {
  const reader = new LearningReader(reading);
  if (Table.is(records)) {
    if (records.rows > 0) reader.begin(...sampleOf(records));
    else return reader.finish();
    yield* reader.table(records);
  } else if (Array.isArray(records) && records.length > 0) {
    reader.begin(...sampleOf(records));
    for (let k = 0; k < records.length; k++) {
      reader.push(records[k]);
      if (k % TURN === TURN - 1) yield pause();
    }
  } else {
    let count = 0;
    for (const record of records) {
      reader.push(record);
      if (++count % TURN === 0) yield pause();
    }
  }
  return reader.finish();
}

/** The same for records that arrive one after the other. */
export async function readToLearn(
  records: AsyncIterable<unknown>,
  reading: Reading,
  signal: Signal | undefined,
): Promise<LearningRecords> {
  const reader = new LearningReader(reading);
  let count = 0;
  for await (const record of records) {
    signal?.throwIfAborted();
    reader.push(record);
    if (++count % TURN === 0) await new Promise<void>(soon);
  }
  signal?.throwIfAborted();
  return reader.finish();
}

/** Some of the records, evenly spaced, with their numbers. */
function sampleOf(records: readonly unknown[] | Table<object>): [unknown[], number[]] {
  const total = Table.is(records) ? records.rows : records.length;
  const count = Math.min(total, SAMPLE);
  const rows = Array.from({ length: count }, (_, k) => Math.floor((k * total) / count));
  return [rows.map((row) => (Table.is(records) ? records.record(row) : records[row])), rows];
}

class LearningReader {
  readonly #reading: Reading;
  readonly #isMissing: IsMissing;
  /** Records that wait for the plan. */
  #first: object[] = [];
  #plan: ResolvedPlan | undefined;
  #collected: Collected | undefined;
  readonly #fields: LearningField[] = [];
  #rows = 0;
  /** By field of the plan, whether a record has it. */
  readonly #found = new Set<string>();
  #fieldsSeen: string[] = [];
  readonly #labelPlace: Place;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#isMissing = missingTest(reading.missing);
    this.#labelPlace = { row: 0, name: reading.label ?? '' };
  }

  /** Decides on the plan, given some records. */
  begin(sample: readonly unknown[], rows: readonly number[]): void {
    sample.forEach((record, k) => {
      if (!isRecord(record)) throw notARecord(record, rows[k]!);
    });
    const records = sample as object[];
    const { plan: given, label } = this.#reading;
    const inferred = !given || [...given.values()].every(({ kind }) => kind === 'ignore');
    const leftOut = new Set([...(given?.keys() ?? []), ...(label === undefined ? [] : [label])]);
    const plan = new Map<string, ResolvedField>(given);
    plan.delete(label!);
    if (inferred)
      for (const [name, kind] of inferKinds(records, rows, leftOut, this.#isMissing))
        plan.set(name, resolveField(kind, 'the plan'));
    this.#plan = plan;
    this.#fieldsSeen = [...new Set(records.flatMap((record) => Object.keys(record)))];
    const fields = [...plan].flatMap(([name, field]): CollectedField[] => {
      if (field.kind === 'ignore') return [];
      const reader = fieldReader(field, this.#isMissing);
      const without = new NumberList(Uint32Array);
      this.#fields.push({ name, reader, without });
      return [{ name, collector: reader.collector, place: { row: 0, name }, required: false, without }];
    });
    if (fields.length === 0) throw noFields([...plan.keys()], label);
    if (inferred) this.#checkLabels(fields, records, rows);
    this.#collected = new Collected(fields);
  }

  /** Refuses a field that is the label in every record: a model would learn nothing else. */
  #checkLabels(fields: readonly CollectedField[], records: readonly object[], rows: readonly number[]): void {
    const { labels } = this.#reading;
    if (!labels || rows.length < 2) return;
    const isLabel = ({ name }: CollectedField) =>
      records.every((record, k) => (record as Record<string, unknown>)[name] === labels[rows[k]!]);
    const found = fields.find(isLabel);
    if (!found) return;
    const message = `Expected records without their labels but the field ${show(found.name)} is the label in every record`;
    const hint = `give ${show(found.name)} in place of the labels, or plan the field as 'ignore'`;
    throw coded(RangeError, 'ERR_RECORDS', `${message}; ${hint}`);
  }

  push(record: unknown): void {
    if (!this.#collected) {
      if (!isRecord(record)) throw notARecord(record, this.#rows);
      this.#first.push(record);
      this.#rows++;
      if (this.#first.length === SAMPLE) this.#release();
      return;
    }
    this.#add(record);
  }

  /** Reads the records that have waited. */
  #release(): void {
    const waiting = this.#first;
    this.#first = [];
    this.begin(waiting, [...waiting.keys()]);
    for (const record of waiting) this.#add(record);
  }

  #add(record: unknown): void {
    const collected = this.#collected!;
    const row = collected.rows;
    const { label, takeLabel } = this.#reading;
    if (label !== undefined && takeLabel && isRecord(record)) {
      this.#labelPlace.row = row;
      takeLabel(
        Object.hasOwn(record, label) || !(label in Object.prototype) ? (record as Record<string, unknown>)[label] : undefined,
        this.#labelPlace,
        () => Object.keys(record),
      );
    }
    collected.push(record);
    if (this.#found.size < collected.fields.length) {
      for (const { name } of collected.fields) if (!this.#found.has(name) && name in (record as object)) this.#found.add(name);
    }
  }

  *table(table: Table<object>): Loop<void> {
    const { label, takeLabel } = this.#reading;
    if (label !== undefined && takeLabel) {
      const column = Table.columnOf(table, label);
      for (let row = 0; row < table.rows; row++) {
        this.#labelPlace.row = row;
        takeLabel(column && valueIn(column, row), this.#labelPlace, () => table.fields);
      }
    }
    for (const name of table.fields) this.#found.add(name);
    yield* collecting(table, this.#collected!);
  }

  finish(): LearningRecords {
    if (!this.#collected && this.#rows > 0) this.#release();
    const collected = this.#collected;
    if (!collected || collected.rows === 0) throw noRecords();
    const lost = collected.fields.find(({ name }) => !this.#found.has(name));
    if (lost) throw lostField(lost.name, this.#fieldsSeen, collected.rows);
    return { plan: this.#plan!, rows: collected.rows, fields: this.#fields, missing: this.#reading.missing };
  }
}

function noRecords(): Error {
  return coded(RangeError, 'ERR_RECORDS', 'Expected at least one record but received none');
}

function noFields(ignored: readonly string[], label: string | undefined): Error {
  const received = ignored.length === 0 ? 'none' : `only fields to ignore: ${ignored.slice(0, 5).map(show).join(', ')}`;
  const besides = label === undefined ? '' : ` besides ${show(label)}, the label,`;
  return coded(RangeError, 'ERR_RECORDS', `Expected at least one field for records${besides} but received ${received}`);
}

function lostField(name: string, fields: readonly string[], rows: number): Error {
  const near = nearest(name, fields);
  const hint = near === undefined ? `they have ${fields.slice(0, 10).map(show).join(', ')}` : `did you mean ${show(near)}?`;
  return coded(
    RangeError,
    'ERR_RECORDS',
    `Expected a field ${show(name)}, as in the plan, but none of ${plural(rows, 'record')} has it; ${hint}`,
  );
}
