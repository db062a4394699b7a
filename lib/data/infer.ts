/**
 * Infers how fields become numbers.
 *
 * Given:  some of the records.
 * Wanted: a kind for each field: by the type of its values, and for strings by how many words they have and how many of them are distinct.
 */
import { decimal } from '../backend/decimal.js';
import { coded, show } from '../errors.js';
import type { FieldKind } from '../types.js';
import { timeOf } from './fields/date-field.js';
import { placeText, type IsMissing } from './fields/field.js';

/** So many records are looked at. */
export const SAMPLE = 2000;

/** The mean number of words above which strings are texts; and, if most of them are distinct, a lower one. */
const TEXT_WORDS = 4;
const DISTINCT_TEXT_WORDS = 2;
/** From so many values on, strings of one word that are nearly all distinct, and integers that count rows, are identifiers. */
const ENOUGH = 50;
/** Numbers of rows ascend by at most this much a row, on average: some rows may be missing. */
const FAST = 8;
/** So many characters of a string are looked at. */
const LOOKED_AT = 10_000;

type Type = 'number' | 'boolean' | 'string' | 'Date' | 'list';

interface Seen {
  readonly type: Type;
  /** The rows that have a value, and these. */
  readonly rows: number[];
  readonly values: unknown[];
}

/** The kinds of fields, in the order in which they first appear. `rows` are the numbers of these records. */
export function inferKinds(
  records: readonly object[],
  rows: readonly number[],
  leftOut: ReadonlySet<string>,
  isMissing: IsMissing,
): Map<string, FieldKind> {
  const fields = new Map<string, Seen | undefined>();
  records.forEach((record, k) => {
    for (const name of Object.keys(record)) {
      if (leftOut.has(name)) continue;
      const value = (record as Record<string, unknown>)[name];
      const seen = fields.get(name);
      if (value === undefined || value === null || Number.isNaN(value) || isMissing(value)) {
        if (!seen) fields.set(name, seen);
        continue;
      }
      const type = typeOf(value, { row: rows[k]!, name });
      if (seen && seen.type !== type) throw mixed(name, seen, type, rows[k]!);
      const known = seen ?? { type, rows: [], values: [] };
      known.rows.push(rows[k]!);
      known.values.push(value);
      fields.set(name, known);
    }
  });
  return new Map(Array.from(fields, ([name, seen]) => [name, seen ? kindOf(seen) : 'ignore']));
}

function typeOf(value: unknown, place: { row: number; name: string }): Type {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
  }
  if (value instanceof Date) return 'Date';
  if (Array.isArray(value) && Array.prototype.every.call(value, isItem)) return 'list';
  if (value instanceof Set) return 'list';
  const what = 'a number, string, boolean, Date or array of strings';
  const hint = `give a plan without the field, or with ${show(place.name)}: 'ignore'`;
  throw coded(TypeError, 'ERR_RECORDS', `Expected ${what} for ${placeText(place)} but received ${show(value)}; ${hint}`);
}

function isItem(item: unknown): boolean {
  return typeof item === 'string' || item === null || item === undefined;
}

function mixed(name: string, { type, rows: [row] }: Seen, other: Type, at: number): Error {
  const one = type === 'list' ? 'an array' : `a ${type}`;
  const two = other === 'list' ? 'an array' : `a ${other}`;
  const advice = `give a plan that says what it is, such as { ${JSON.stringify(name)}: 'category' }, and Encoder.fit the values that stand for missing ones`;
  const message = `Expected values of one type for the field ${show(name)} but received ${one} in records[${row}] and ${two} in records[${at}]; ${advice}`;
  return coded(TypeError, 'ERR_RECORDS', message);
}

function kindOf({ type, rows, values }: Seen): FieldKind {
  switch (type) {
    case 'number':
      return isRowNumber(values as number[], rows) ? 'ignore' : 'number';
    case 'boolean':
      return 'boolean';
    case 'Date':
      return 'date';
    case 'list':
      return 'categories';
    case 'string':
      return kindOfStrings(values as string[]);
  }
}

/** Whether integers number the rows: they always ascend, or always descend, about as fast as the rows do. */
function isRowNumber(values: readonly number[], rows: readonly number[]): boolean {
  const direction = Math.sign(values[1]! - values[0]!);
  const isStep = (value: number, k: number) =>
    Number.isInteger(value) && (k === 0 || Math.sign(value - values[k - 1]!) === direction);
  if (values.length < ENOUGH || direction === 0 || !values.every(isStep)) return false;
  return Math.abs(values.at(-1)! - values[0]!) <= FAST * (rows.at(-1)! - rows[0]!);
}

function kindOfStrings(given: readonly string[]): FieldKind {
  const values = given.map((value) => value.slice(0, LOOKED_AT));
  if (values.every((value) => !Number.isNaN(timeOf(value)))) return 'date';
  // Digits after a leading 0 are a code, such as that of a town.
  if (values.every((value) => !/^\s*[-+]?0\d/.test(value) && !Number.isNaN(decimal(value.trim())))) return 'number';
  const distinct = new Set(values).size;
  const words = values.reduce((sum, value) => sum + (value.match(/\S+/g)?.length ?? 0), 0) / values.length;
  const mostly = distinct > values.length / 2;
  if (words >= TEXT_WORDS || (words >= DISTINCT_TEXT_WORDS && mostly && values.length >= ENOUGH)) return 'text';
  return values.length >= ENOUGH && distinct > 0.9 * values.length ? 'ignore' : 'category';
}
