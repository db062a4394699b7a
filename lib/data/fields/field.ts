/** What every kind of field has in common: how its values are collected, what is learnt from them, and how they become columns. */
import { coded, show, type CodedError } from '../../errors.js';
import type { OutlineObject } from '../../io/json-text.js';
import type { FieldPlan } from '../../types.js';
import type { EncodedRow } from './encoded-row.js';

/** Where a value is, for messages. The collector of records sets the row. */
export interface Place {
  row: number;
  readonly name: string;
}

/** records[3].age, or records[3]["first name"]. */
export function placeText({ row, name }: Place): string {
  return `records[${row}]${/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${show(name)}]`}`;
}

export function fieldError(what: string, place: Place, received: unknown, hint = ''): CodedError {
  const message = `Expected ${what} for ${placeText(place)} but received ${show(received)}${hint}`;
  return coded(TypeError, 'ERR_RECORDS', message);
}

/** The values of one field, row by row, in a form that takes little memory. */
export interface Collector {
  /** Adds the value of the next row, or throws and adds nothing. `undefined` and `null` are missing values. */
  push(value: unknown, place: Place): void;
  clear(): void;
}

/** Adds the entries of a row, columns ascending; the first column of this field is `first`. */
export type Writer = (row: number, first: number, to: EncodedRow) => void;

/** Weights of rows; undefined: 1 for all. Rows of weight 0 take no part. */
export type LearningWeights = Float64Array | undefined;

/** What was learnt from the values of a field: how values become columns. */
export interface Encoding {
  /** The plan of the field, completed. */
  readonly plan: Exclude<FieldPlan, string>;
  /** The number of its columns. */
  readonly width: number;
  /** Whether every entry is 1. */
  readonly ones: boolean;
  /** The number of distinct values or terms that were seen, if that is counted. */
  readonly distinct: number | undefined;
  /** Whether a value was missing in training, so that it may be later, too. */
  readonly gaps: boolean;
  /** The name of a column. */
  columnName(field: string, column: number): string;
  /** With an empty collector for other rows, which keeps no value that is not known. */
  fresh(): BoundEncoding;
  /** What JSON keeps of it besides the plan. */
  outline(): OutlineObject;
}

/** An encoding, and the values that it is applied to. */
export interface BoundEncoding {
  readonly encoding: Encoding;
  readonly collector: Collector;
  /** How the rows of the collector are written. To be asked for once they are complete. */
  writer(): Writer;
  /** At most so many entries are written for them. */
  entries(): number;
}

/** An encoding that knows how to write the rows of collectors of its kind: of the one that it was learnt from, and of those that it makes. */
export interface EncodingOf<C extends Collector> extends Encoding {
  writer(collector: C): Writer;
  entries(collector: C): number;
}

export function bind<C extends Collector>(encoding: EncodingOf<C>, collector: C): BoundEncoding {
  return { encoding, collector, writer: () => encoding.writer(collector), entries: () => encoding.entries(collector) };
}

/** A value that the user calls missing. */
export interface IsMissing {
  (value: unknown): boolean;
  /** Whether a number may be one. */
  readonly numbers: boolean;
}

/** The weight of a row. */
export function weightAt(weights: LearningWeights, row: number): number {
  return weights === undefined ? 1 : weights[row]!;
}

export type { OutlineObject };
