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

type Type = 'number' | 'boolean' | 'string' | 'Date' | 'list';

interface Seen {
  type: Type;
  /** The first row that has a value. */
  row: number;
  values: unknown[];
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
      if (!seen) fields.set(name, { type, row: rows[k]!, values: [value] });
      else if (seen.type === type) seen.values.push(value);
      else throw mixed(name, seen, type, rows[k]!);
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
  if ((Array.isArray(value) || value instanceof Set) && [...(value as Iterable<unknown>)].every(isItem)) return 'list';
  const what = 'a number, string, boolean, Date or array of strings';
  const hint = `give a plan without the field, or with ${show(place.name)}: 'ignore'`;
  throw coded(TypeError, 'ERR_RECORDS', `Expected ${what} for ${placeText(place)} but received ${show(value)}; ${hint}`);
}

function isItem(item: unknown): boolean {
  return typeof item === 'string' || item === null || item === undefined;
}

function mixed(name: string, { type, row }: Seen, other: Type, at: number): Error {
  const one = type === 'list' ? 'an array' : `a ${type}`;
  const two = other === 'list' ? 'an array' : `a ${other}`;
  const advice = `give a plan that says what it is, such as { ${JSON.stringify(name)}: 'category' }, and Encoder.fit the values that stand for missing ones`;
  const message = `Expected values of one type for the field ${show(name)} but received ${one} in records[${row}] and ${two} in records[${at}]; ${advice}`;
  return coded(TypeError, 'ERR_RECORDS', message);
}

function kindOf({ type, values }: Seen): FieldKind {
  switch (type) {
    case 'number':
      return isRowNumber(values as number[]) ? 'ignore' : 'number';
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

/** Whether integers count rows: each is one more than the last. */
function isRowNumber(values: readonly number[]): boolean {
  return (
    values.length >= ENOUGH && values.every((value, k) => Number.isInteger(value) && (k === 0 || value === values[k - 1]! + 1))
  );
}

function kindOfStrings(values: readonly string[]): FieldKind {
  if (values.every((value) => !Number.isNaN(timeOf(value)))) return 'date';
  // Digits after a leading 0 are a code, such as that of a town.
  if (values.every((value) => !/^\s*[-+]?0\d/.test(value) && !Number.isNaN(decimal(value.trim())))) return 'number';
  const distinct = new Set(values).size;
  const words = values.reduce((sum, value) => sum + (value.match(/\S+/g)?.length ?? 0), 0) / values.length;
  const mostly = distinct > values.length / 2;
  if (words >= TEXT_WORDS || (words >= DISTINCT_TEXT_WORDS && mostly && values.length >= ENOUGH)) return 'text';
  return values.length >= ENOUGH && distinct > 0.9 * values.length ? 'ignore' : 'category';
}
