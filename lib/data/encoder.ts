/** Encoder: learns from records how to make numbers of them. */
import { coded, option, show, words } from '../errors.js';
import { isObject } from '../input/intrinsics.js';
import { notMade } from '../input/options.js';
import { resolveEncoderOptions, resolvePlan, type ResolvedPlan } from '../input/resolve-plan.js';
import { encoderOutline, readEncoder } from '../io/encoder-json.js';
import { plainOf } from '../io/json-text.js';
import { pause, run, runAsync, type Loop } from '../solver/drivers.js';
import type { DenseMatrix, EncoderOptions, FieldInfo, FieldPlan, Plan, Records, SparseMatrix } from '../types.js';
import { Collected, collecting, isRecord, notARecord, readingToLearn, readToLearn, type LearningRecords } from './collecting.js';
import { encoding, type EncodedField } from './encoding.js';
import { EncodedRow } from './fields/encoded-row.js';
import { weightAt, type BoundEncoding, type Encoding, type LearningWeights, type Writer } from './fields/field.js';
import type { NumberList } from './number-list.js';

/** What an encoder is made of. */
export interface EncoderParts {
  /** Of all fields, those that are ignored too. */
  readonly plan: ResolvedPlan;
  readonly missing: readonly (string | number)[];
  readonly fields: readonly {
    readonly name: string;
    readonly encoding: Encoding;
    /** Whether every record that was learnt from had a value. */
    readonly required: boolean;
  }[];
}

/** Private to this file, so that only this file can construct an Encoder. */
const MADE = Symbol('made');

/**
 * Makes numbers of records, as it has learnt from other records: numbers are standardised, categories and words become columns. A model that
 * was trained on records has one, and takes records.
 */
export class Encoder<R extends object = object> {
  /** The number of columns that it makes. */
  readonly cols: number;
  /** How each field becomes numbers, with all options. */
  readonly plan: Readonly<Record<string, Exclude<FieldPlan, string>>>;
  /** What was learnt of the fields that are used. */
  readonly fields: readonly FieldInfo[];
  readonly #parts: EncoderParts;
  readonly #fields: readonly EncodedField[];
  #columns: readonly string[] | undefined;
  /** For one record after the other. */
  #one: Rows | undefined;

  private constructor(made: typeof MADE, parts: EncoderParts) {
    if (made !== MADE) throw notMade('Encoder', 'Encoder.fit(records, plan)');
    this.#parts = parts;
    let first = 0;
    this.#fields = parts.fields.map(({ name, encoding, required }) => {
      const field = { name, encoding, first, required };
      first += encoding.width;
      return field;
    });
    this.cols = first;
    const learnt = new Map(parts.fields.map(({ name, encoding }) => [name, encoding.plan]));
    this.plan = frozen(Object.fromEntries(Array.from(parts.plan, ([name, plan]) => [name, learnt.get(name) ?? plan])));
    this.fields = frozen(parts.fields.map(({ name, encoding }) => infoOf(name, encoding)));
  }

  /** Learns from records. Without a plan, the kinds of the fields are inferred; `plan` then shows them. */
  static fit<R extends object>(records: Records<R>, plan?: Plan<R>, options?: EncoderOptions): Encoder<R> {
    return run(Encoder.#fitting(records, plan, options)).encoder;
  }

  /** The same, pausing now and then for the event loop. The records may arrive one after the other. */
  static async fitAsync<R extends object>(
    records: Records<R> | AsyncIterable<R>,
    plan?: Plan<R>,
    options?: EncoderOptions,
  ): Promise<Encoder<R>> {
    if (!isAsync(records)) return (await runAsync(Encoder.#fitting(records, plan, options))).encoder;
    const reading = { plan: plan === undefined ? undefined : resolvePlan(plan, 'plan'), ...resolveEncoderOptions(options) };
    const { encoder } = await runAsync(Encoder.learning<R>(await readToLearn(records, reading, undefined), undefined));
    return encoder;
  }

  /** Learns from records and encodes them. They are read once, so they may be of any iterable. */
  static fitEncode<R extends object>(
    records: Records<R>,
    plan?: Plan<R>,
    options?: EncoderOptions,
  ): { encoder: Encoder<R>; points: DenseMatrix | SparseMatrix } {
    const { encoder, bound, rows } = run(Encoder.#fitting(records, plan, options));
    return { encoder, points: run(encoding(encoder.#fields, bound, rows)) };
  }

  static *#fitting<R extends object>(
    records: Records<R>,
    plan: Plan<R> | undefined,
    options: EncoderOptions | undefined,
  ): Loop<{ encoder: Encoder<R>; bound: readonly BoundEncoding[]; rows: number }> {
    const reading = { plan: plan === undefined ? undefined : resolvePlan(plan, 'plan'), ...resolveEncoderOptions(options) };
    const read = yield* readingToLearn(checkedIterable(records), reading);
    return { ...(yield* Encoder.learning<R>(read, undefined)), rows: read.rows };
  }

  /** What is learnt from records that were read. @internal */
  static learn<R extends object>(records: LearningRecords, weights: LearningWeights): Encoder<R> {
    return run(Encoder.learning<R>(records, weights)).encoder;
  }

  /** The same, with the values of all rows. @internal */
  static *learning<R extends object>(
    { plan, fields, missing }: LearningRecords,
    weights: LearningWeights,
  ): Loop<{ encoder: Encoder<R>; bound: readonly BoundEncoding[] }> {
    const bound: BoundEncoding[] = [];
    for (const { reader } of fields) {
      bound.push(reader.learn(weights));
      yield pause();
    }
    const encodings = fields.map(({ name, without }, k) => {
      const { encoding } = bound[k]!;
      return { name, encoding, required: !encoding.gaps && !hasWeight(without, weights) };
    });
    return { encoder: new Encoder<R>(MADE, { plan, missing, fields: encodings }), bound };
  }

  /** The values of all rows of records that were read by this encoder's plan. @internal */
  static bindTo(encoder: Encoder, { fields }: LearningRecords): readonly BoundEncoding[] {
    const known = new Map(encoder.#fields.map(({ name, encoding }) => [name, encoding]));
    return fields.map(({ name, reader }) => reader.apply(known.get(name)!));
  }

  /** An encoder from what `toJSON` gave. */
  static fromJSON<R extends object = object>(json: unknown): Encoder<R> {
    return new Encoder<R>(MADE, readEncoder(json, 'json'));
  }

  /** An encoder of these parts. @internal */
  static of<R extends object = object>(parts: EncoderParts): Encoder<R> {
    return new Encoder<R>(MADE, parts);
  }

  /** Whether a value is an Encoder made here. @internal */
  static is(value: unknown): value is Encoder {
    return typeof value === 'object' && value !== null && #parts in value;
  }

  /** @internal */
  static partsOf(encoder: Encoder): EncoderParts {
    return encoder.#parts;
  }

  /** Encodes the rows of records that were read to learn from them. `rows`: only those that are not 0 there; the others are left empty. @internal */
  static encodingBound(
    encoder: Encoder,
    bound: readonly BoundEncoding[],
    rows: number,
    among?: ArrayLike<number>,
  ): Loop<DenseMatrix | SparseMatrix> {
    return encoding(encoder.#fields, bound, rows, among);
  }

  /** The entries of one record, until the next one is encoded. @internal */
  static encodeOne(encoder: Encoder, record: unknown): EncodedRow {
    const one = encoder.#one ?? new Rows(encoder.#fields);
    encoder.#one = undefined; // a getter of the record may ask for another record meanwhile
    const row = one.encodeOne(record);
    encoder.#one = one;
    return row;
  }

  /** The fields and where their columns begin. @internal */
  static fieldsOf(encoder: Encoder): readonly EncodedField[] {
    return encoder.#fields;
  }

  /** The names of all columns. */
  get columns(): readonly string[] {
    return (this.#columns ??= Object.freeze(
      this.#fields.flatMap(({ name, encoding }) => Array.from({ length: encoding.width }, (_, k) => encoding.columnName(name, k))),
    ));
  }

  /** Encodes records: dense or sparse, whichever is smaller. */
  encode(records: Records<R>): DenseMatrix | SparseMatrix {
    return run(Encoder.encoding(this, records));
  }

  /** @internal */
  static *encoding(encoder: Encoder, records: Iterable<unknown>): Loop<DenseMatrix | SparseMatrix> {
    const rows = new Rows(encoder.#fields);
    yield* collecting(checkedIterable(records), rows.collected);
    return yield* encoding(encoder.#fields, rows.bound, rows.collected.rows);
  }

  /** The encoder as plain data. */
  toJSON(): unknown {
    return plainOf(encoderOutline(this.#parts));
  }
}

/** Rows for which an encoder was not learnt. */
class Rows {
  readonly bound: readonly BoundEncoding[];
  readonly collected: Collected;
  readonly #fields: readonly EncodedField[];
  readonly #writers: (readonly [add: Writer, first: number])[] = [];
  readonly #row = new EncodedRow();

  constructor(fields: readonly EncodedField[]) {
    this.#fields = fields;
    this.bound = fields.map(({ encoding }) => encoding.fresh());
    this.collected = new Collected(
      fields.map(({ name, required }, k) => {
        return { name, collector: this.bound[k]!.collector, place: { row: 0, name }, required };
      }),
    );
  }

  /** The entries of one record, whose values are forgotten. */
  encodeOne(record: unknown): EncodedRow {
    if (this.#writers.length === 0) this.bound.forEach((one, k) => this.#writers.push([one.writer(), this.#fields[k]!.first]));
    try {
      if (!isRecord(record)) throw notARecord(record, 0);
      this.collected.push(record);
      this.#row.clear();
      for (const [add, first] of this.#writers) add(0, first, this.#row);
      return this.#row;
    } finally {
      this.collected.clear();
    }
  }
}

/** An object that nobody can change, nor what is in it: a model goes by its plan. */
function frozen<T extends object>(value: T): T {
  for (const inner of Object.values(value) as unknown[]) if (typeof inner === 'object' && inner !== null) frozen(inner);
  return Object.freeze(value);
}

/** Whether one of these rows has a weight. */
function hasWeight(rows: NumberList<Uint32Array>, weights: LearningWeights): boolean {
  for (let k = 0; k < rows.length; k++) if (weightAt(weights, rows.at(k)) > 0) return true;
  return false;
}

function infoOf(name: string, { plan, width, distinct }: Encoding): FieldInfo {
  return { name, kind: plan.kind, columns: width, ...(distinct !== undefined && { distinct }) };
}

export function isAsync(records: unknown): records is AsyncIterable<unknown> {
  return isObject(records) && Symbol.asyncIterator in records && !(Symbol.iterator in records);
}

function checkedIterable(records: unknown): Iterable<unknown> {
  if (isObject(records) && Symbol.iterator in records) return records as Iterable<unknown>;
  throw coded(
    TypeError,
    'ERR_RECORDS',
    `Expected an array of objects, a Table or another iterable for records but received ${show(records)}`,
  );
}

/** The error of a value that is neither a plan nor an encoder. */
export function notAnEncoder(value: unknown): Error {
  return coded(TypeError, 'ERR_OPTION', words`Expected a plan or an Encoder for ${option('encoder')} but received ${show(value)}`);
}
