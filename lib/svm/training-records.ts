/**
 * Records to train on: read once, and encoded by what is learnt from all of them, or from those outside a fold.
 */
import { isAsync, Encoder, notAnEncoder } from '../data/encoder.js';
import { isRecord, readingToLearn, readToLearn, type LearningRecords, type Reading } from '../data/collecting.js';
import { placeText, type Place } from '../data/fields/field.js';
import { Table } from '../data/table.js';
import { coded, option, show, words } from '../errors.js';
import { isArray, isObject, isTypedArray } from '../input/intrinsics.js';
import { isList, lengthOf } from '../input/lists.js';
import { nearest } from '../input/keys.js';
import { isSparseRow } from '../input/points.js';
import { resolveEncoderOptions, resolvePlan } from '../input/resolve-plan.js';
import { pause, type Loop } from '../solver/drivers.js';
import type { DenseMatrix, Label, Signal, SparseMatrix } from '../types.js';

/** Whether points are records. `encoded`: whether they go to an encoder, so that objects with indices are records too. */
export function isRecords(points: unknown, encoded = false): points is Iterable<unknown> {
  if (isArray(points)) {
    const [first] = points;
    if (encoded) return points.length > 0 && !isList(first);
    return isObject(first) && !isList(first) && !isSparseRow(first) && !isLikeArray(first);
  }
  return isObject(points) && Symbol.iterator in points && !isTypedArray(points);
}

/** Whether records can perhaps be iterated only once, as a generator's can. */
export function isOnce(points: unknown): points is Iterable<unknown> {
  return isRecords(points, true) && !isArray(points) && !Table.is(points);
}

/** Whether it is an object with a length and entries alone: a row of numbers, not a record with a field called length. */
function isLikeArray(row: object): boolean {
  return 'length' in row && Object.keys(row).every((name) => name === 'length' || /^\d+$/.test(name));
}

/** Whether a call is about records: labels that are a field's name, or an encoder, say so, too. */
export function isRecordCall(
  points: unknown,
  labels: unknown,
  options: { readonly encoder?: unknown },
): points is Iterable<unknown> {
  const encoded = typeof labels === 'string' || options.encoder !== undefined;
  return isRecords(points, encoded);
}

/** Rows between two pauses. */
const TURN = 4096;

/** The records of a fit. */
export class TrainingRecords {
  readonly encoder: Encoder;
  readonly #learning: LearningRecords;
  readonly #weights: Float64Array | undefined;

  private constructor(learning: LearningRecords, encoder: Encoder, weights: Float64Array | undefined) {
    this.#learning = learning;
    this.encoder = encoder;
    this.#weights = weights;
  }

  /** Encodes records that were read, by a given encoder, or else by what is learnt from rows of positive weight. */
  static *of(
    learning: LearningRecords,
    given: Encoder | undefined,
    weights: Float64Array | undefined,
  ): Loop<{ records: TrainingRecords; points: DenseMatrix | SparseMatrix }> {
    const { rows } = learning;
    const { encoder, bound } = given
      ? { encoder: given, bound: Encoder.bindTo(given, learning) }
      : yield* Encoder.learning(learning, weights);
    const points = yield* Encoder.encodingBound(encoder, bound, rows);
    return { records: new TrainingRecords(learning, encoder, weights), points };
  }

  /** The rows of `among`, encoded by what is learnt from those of `others`; all other rows are empty. */
  *encoded(others: Uint8Array, among: Uint8Array): Loop<DenseMatrix | SparseMatrix> {
    const weights = Float64Array.from(others, (is, row) => (is > 0 ? (this.#weights?.[row] ?? 1) : 0));
    const { encoder, bound } = yield* Encoder.learning(this.#learning, weights);
    return yield* Encoder.encodingBound(encoder, bound, this.#learning.rows, among);
  }

  /** The means of encoded columns, by weight. */
  *meansOf(points: DenseMatrix | SparseMatrix): Loop<Float64Array> {
    const { rows, cols } = points;
    const means = new Float64Array(cols);
    let total = 0;
    for (let row = 0; row < rows; row++) {
      if (row % TURN === 0) yield pause();
      const weight = this.#weights ? this.#weights[row]! : 1;
      total += weight;
      if ('data' in points) {
        for (let j = 0; j < cols; j++) means[j]! += weight * points.data[row * cols + j]!;
      } else {
        const { indptr, indices, values } = points;
        for (let k = indptr[row]!; k < indptr[row + 1]!; k++) means[indices[k]!]! += weight * (values ? values[k]! : 1);
      }
    }
    return total > 0 ? means.map((sum) => sum / total) : means;
  }
}

/** What was made of records and labels. */
export interface EncodedTraining {
  readonly points: DenseMatrix | SparseMatrix;
  readonly labels: ArrayLike<unknown>;
  readonly records: TrainingRecords;
}

/** How a call wants its records read. */
interface Asked {
  readonly encoder?: unknown;
  readonly sampleWeight?: unknown;
}

/** The arguments of a call with records. */
class RecordCall {
  readonly reading: Reading;
  readonly #encoder: Encoder | undefined;
  readonly #labels: unknown;
  readonly #found: unknown[] = [];
  readonly #weights: unknown;

  constructor(labels: unknown, { encoder, sampleWeight }: Asked) {
    this.#labels = labels;
    this.#weights = sampleWeight;
    this.#encoder = Encoder.is(encoder) ? encoder : undefined;
    if (encoder !== undefined && !isObject(encoder)) throw notAnEncoder(encoder);
    const parts = this.#encoder && Encoder.partsOf(this.#encoder);
    if (parts?.fields.some(({ name }) => name === labels)) throw knowsLabel(labels as string);
    this.reading = {
      plan: parts?.plan ?? (encoder === undefined ? undefined : resolvePlan(encoder)),
      missing: parts?.missing ?? resolveEncoderOptions().missing,
      ...(typeof labels === 'string' && {
        label: labels,
        takeLabel: (value, place, fields) => this.#found.push(labelOf(value, place, fields)),
      }),
      ...(isObject(labels) && { labels: labels as ArrayLike<unknown> }),
    };
  }

  *finish(learning: LearningRecords): Loop<EncodedTraining> {
    const weights = rowWeightsOf(this.#weights, learning.rows);
    const { records, points } = yield* TrainingRecords.of(learning, this.#encoder, weights);
    return { points, records, labels: typeof this.#labels === 'string' ? this.#found : (this.#labels as ArrayLike<unknown>) };
  }
}

/** Reads records, learns, and encodes. `labels` may be the name of a field. */
export function* encodingRecords(records: Iterable<unknown>, labels: unknown, asked: Asked): Loop<EncodedTraining> {
  const call = new RecordCall(labels, asked);
  return yield* call.finish(yield* readingToLearn(records, call.reading));
}

/** The same for records that arrive one after the other. */
export async function readRecords(
  records: AsyncIterable<unknown>,
  labels: unknown,
  asked: Asked & { readonly signal?: Signal | undefined },
): Promise<Loop<EncodedTraining>> {
  const call = new RecordCall(labels, asked);
  return call.finish(await readToLearn(records, call.reading, asked.signal));
}

export { isAsync };

function labelOf(value: unknown, place: Place, fields: () => readonly string[]): Label {
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  const near = value === undefined && !fields().includes(place.name) ? nearest(place.name, fields()) : undefined;
  const hint = near === undefined ? '' : `; did you mean ${show(near)}?`;
  const message = `Expected a number, string or boolean, the label, for ${placeText(place)} but received ${show(value)}${hint}`;
  throw coded(TypeError, 'ERR_LABELS', message);
}

function knowsLabel(field: string): Error {
  const what = `an Encoder that has not learnt from ${show(field)}, the label,`;
  const hint = `Encoder.fit(records, { ${JSON.stringify(field)}: 'ignore' }) makes one`;
  return coded(RangeError, 'ERR_OPTION', words`Expected ${what} for ${option('encoder')} but received one that has; ${hint}`);
}

/** The weights of rows, if there is one for each; whether they are right is checked with the other options. */
function rowWeightsOf(given: unknown, rows: number): Float64Array | undefined {
  if (given === undefined || lengthOf(given) !== rows) return undefined;
  const weights = Float64Array.from({ length: rows }, (_, i) => Number((given as ArrayLike<unknown>)[i]));
  return weights.every((weight) => weight >= 0 && weight < Infinity) ? weights : undefined;
}

/** The labels of a field of records, for calls that only need these. */
export function labelsIn(records: Iterable<unknown>, field: string): Label[] {
  if (Table.is(records) && !records.fields.includes(field)) throw noLabelField(field, records.fields);
  const labels: Label[] = [];
  const place = { row: 0, name: field };
  for (const record of records) {
    const value = isRecord(record) ? (record as Record<string, unknown>)[field] : undefined;
    labels.push(labelOf(value, place, () => Object.keys(record as object)));
    place.row++;
  }
  return labels;
}

function noLabelField(field: string, fields: readonly string[]): Error {
  const message = `Expected a field ${show(field)}, the label, but the records have ${fields.slice(0, 10).map(show).join(', ')}`;
  return coded(RangeError, 'ERR_LABELS', message);
}
