/** Checks and completes the plan of an encoder. */
import { coded, option, rangeError, show, typeError, words, type Words } from '../errors.js';
import type {
  CategoryField,
  DateField,
  DatePart,
  EncoderOptions,
  FieldKind,
  IgnoredField,
  NumberField,
  TextField,
} from '../types.js';
import { isArray, isObject } from './intrinsics.js';
import { boolean, integer, knownOptions, oneOfThese } from './options.js';
import { checkNames } from './keys.js';

/** The plan of a field, completed: what depends on the data is left out. */
export type ResolvedField = NumberField | Required<CategoryField> | DateField | IgnoredField | TextPlan;

/** Either hash, or minCount and maxFeatures are there. */
export type TextPlan = Required<Pick<TextField, 'kind' | 'values' | 'unit' | 'lowercase'>> &
  Pick<TextField, 'hash' | 'segmenter' | 'minCount' | 'maxFeatures'> & { readonly words: readonly [number, number] };

/** By field. */
export type ResolvedPlan = ReadonlyMap<string, ResolvedField>;

export const FIELD_KINDS = [
  'number',
  'category',
  'categories',
  'boolean',
  'date',
  'text',
  'ignore',
] as const satisfies readonly FieldKind[];
const DATE_PARTS = ['time', 'year', 'month', 'weekday', 'hour'] as const satisfies readonly DatePart[];
const OPTIONS: Readonly<Record<FieldKind, readonly string[]>> = {
  number: [],
  category: ['minCount', 'maxFeatures'],
  categories: ['minCount', 'maxFeatures'],
  boolean: ['minCount', 'maxFeatures'],
  date: ['parts'],
  text: ['words', 'hash', 'minCount', 'maxFeatures', 'values', 'unit', 'lowercase', 'segmenter'],
  ignore: [],
};

/** Columns are numbered with 32 bits, and weights are held for each. */
const MAX_HASH = 2 ** 26;
const MAX_WORDS = 16;
const MAX_FEATURES = { category: 10_000, text: 1_000_000 };

const ENCODER = option('encoder');

/** Resolves a plan, whose properties are each read once. */
export function resolvePlan(given: unknown, where: Words = words`${ENCODER}`): ResolvedPlan {
  if (!isObject(given) || isArray(given)) throw typeError('ERR_OPTION', 'a plan: an object with kinds of fields,', where, given);
  const plan = new Map<string, ResolvedField>();
  for (const name of Object.keys(given)) {
    const field = (given as Record<string, unknown>)[name];
    if (field !== undefined) plan.set(name, resolveField(field, words`${where}.${name}`));
  }
  return plan;
}

/** Resolves the plan of one field. */
export function resolveField(given: unknown, where: Words): ResolvedField {
  const kinds = oneOfThese(...FIELD_KINDS);
  if (typeof given === 'string') return completed(kinds(given, where), {}, where);
  if (!isObject(given) || isArray(given)) {
    throw typeError(
      'ERR_OPTION',
      `a kind of field (${FIELD_KINDS.map((kind) => `'${kind}'`).join(', ')}) or an object with a kind`,
      where,
      given,
    );
  }
  const kind = kinds((given as { kind?: unknown }).kind, words`${where}.kind`);
  const known = OPTIONS[kind];
  checkNames(given, ['kind', ...known], { code: 'ERR_OPTION', what: 'option', of: `a ${kind} field` });
  const options: Record<string, unknown> = {};
  for (const name of known) {
    const value = (given as Record<string, unknown>)[name];
    if (value !== undefined) options[name] = value;
  }
  return completed(kind, options, where);
}

function completed(kind: FieldKind, options: Readonly<Record<string, unknown>>, where: Words): ResolvedField {
  const get = <T>(name: string, check: (value: unknown, where: Words) => T): T | undefined => {
    return options[name] === undefined ? undefined : check(options[name], words`${where}.${name}`);
  };
  const count = integer(1, 2 ** 31 - 1);
  switch (kind) {
    case 'category':
    case 'categories':
    case 'boolean':
      return { kind, minCount: get('minCount', count) ?? 1, maxFeatures: get('maxFeatures', count) ?? MAX_FEATURES.category };
    case 'date': {
      const parts = get('parts', dateParts);
      return { kind, ...(parts && { parts }) };
    }
    case 'text': {
      const hash = get('hash', integer(1, MAX_HASH));
      const segmenter = get('segmenter', locale);
      for (const name of ['minCount', 'maxFeatures']) {
        if (hash === undefined || options[name] === undefined) continue;
        throw rangeError('ERR_OPTION', 'nothing', words`${where}.${name} with hash, which has no vocabulary,`, options[name]);
      }
      return {
        kind,
        words: get('words', wordCounts) ?? [1, 1],
        ...(hash === undefined
          ? { minCount: get('minCount', count) ?? 1, maxFeatures: get('maxFeatures', count) ?? MAX_FEATURES.text }
          : { hash }),
        values: get('values', oneOfThese('tf-idf', 'counts', 'binary')) ?? 'tf-idf',
        unit: get('unit', boolean) ?? true,
        lowercase: get('lowercase', boolean) ?? true,
        ...(segmenter !== undefined && { segmenter }),
      };
    }
    default:
      return { kind };
  }
}

function dateParts(given: unknown, where: Words): DatePart[] {
  if (!isArray(given) || given.length === 0) throw typeError('ERR_OPTION', `an array of ${list(DATE_PARTS)}`, where, given);
  const part = oneOfThese(...DATE_PARTS);
  const parts = Array.from({ length: given.length }, (_, k) => part(given[k], words`${where}[${k}]`));
  const twice = parts.find((one, k) => parts.indexOf(one) !== k);
  if (twice !== undefined) throw rangeError('ERR_OPTION', 'distinct parts', where, twice);
  return parts;
}

function wordCounts(given: unknown, where: Words): [number, number] {
  const number = integer(1, MAX_WORDS);
  if (!isArray(given)) {
    const one = number(given, where);
    return [one, one];
  }
  if (given.length !== 2) throw rangeError('ERR_OPTION', 'two numbers', where, given);
  const least = number(given[0], words`${where}[0]`);
  return [least, integer(least, MAX_WORDS)(given[1], words`${where}[1]`)];
}

function locale(given: unknown, where: Words): string {
  if (typeof given !== 'string') throw typeError('ERR_OPTION', "a locale such as 'en'", where, given);
  try {
    return Intl.getCanonicalLocales(given)[0]!;
  } catch (error) {
    throw coded(RangeError, 'ERR_OPTION', words`Expected a locale such as 'en' for ${where} but received ${show(given)}`, error);
  }
}

function list(allowed: readonly string[]): string {
  return allowed.map((one) => `'${one}'`).join(', ');
}

/** Values that stand for a missing one. */
export const DEFAULT_MISSING: readonly (string | number)[] = ['', 'NA', 'N/A', 'NaN'];
const MAX_MISSING = 1000;

export function resolveEncoderOptions(given?: EncoderOptions): { readonly missing: readonly (string | number)[] } {
  const { missing } = knownOptions(given, ['missing']);
  return { missing: missing === undefined ? DEFAULT_MISSING : missingValues(missing, words`${option('missing')}`) };
}

export function missingValues(given: unknown, where: Words): readonly (string | number)[] {
  if (!isArray(given)) throw typeError('ERR_OPTION', 'an array of strings and numbers', where, given);
  if (given.length > MAX_MISSING) throw rangeError('ERR_OPTION', `at most ${MAX_MISSING} values`, where, given.length);
  return Array.from({ length: given.length }, (_, k) => {
    const value = given[k];
    if (typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) return value;
    throw typeError('ERR_OPTION', 'a string or a finite number', words`${where}[${k}]`, value);
  });
}
