/** What an encoder has learnt, as JSON, which may be truncated, edited or forged. */
import { coded, plural, rangeError, show, typeError } from '../errors.js';
import { MAX_COLUMNS } from '../input/capacity.js';
import { isArray } from '../input/intrinsics.js';
import { finite } from '../input/numbers.js';
import { missingValues, resolveField, type ResolvedField, type TextPlan } from '../input/resolve-plan.js';
import type { EncoderParts } from '../data/encoder.js';
import { CategoryEncoding, ListEncoding, type CategoryPlan } from '../data/fields/category-field.js';
import { countNumbers, DateEncoding } from '../data/fields/date-field.js';
import type { Encoding, IsMissing } from '../data/fields/field.js';
import type { UsedField } from '../data/fields/kinds.js';
import { NumberEncoding, type Standard } from '../data/fields/number-field.js';
import { TextEncoding } from '../data/fields/text-field.js';
import { missingTest } from '../data/missing.js';
import type { OutlineObject } from './json-text.js';
import { numbers, properties, readList, type Own } from './json-values.js';

const VERSION = 1;
/** Limits of what a file may claim. */
const MAX_FIELDS = 100_000;
const MAX_TEXTS = 2 ** 24 - 1;

export function encoderOutline({ plan, missing, fields }: EncoderParts): OutlineObject {
  const learnt = new Map(fields.map((field) => [field.name, field]));
  return {
    version: VERSION,
    missing,
    fields: Array.from(plan, ([name, field]): OutlineObject => {
      const { encoding, required } = learnt.get(name) ?? {};
      return { name, plan: { ...(encoding?.plan ?? field) } as OutlineObject, required, learnt: encoding?.outline() };
    }),
  };
}

export function readEncoder(json: unknown, where: string): EncoderParts {
  const own = properties(json, 'an object', where);
  const version = own('version');
  if (version !== VERSION) {
    const newer = typeof version === 'number' && version > VERSION ? ' (written by a newer fista-classify)' : '';
    throw coded(RangeError, 'ERR_MODEL', `Expected version ${VERSION} for ${where}.version but received ${show(version)}${newer}`);
  }
  const missing = asModel(() => missingValues(own('missing'), `${where}.missing`));
  const isMissing = missingTest(missing);
  const list = own('fields');
  if (!isArray(list)) throw typeError('ERR_MODEL', 'an array of fields', `${where}.fields`, list);
  if (!(list.length <= MAX_FIELDS)) throw rangeError('ERR_MODEL', `at most ${MAX_FIELDS} fields`, `${where}.fields`, list.length);
  const plan = new Map<string, ResolvedField>();
  const fields: { name: string; encoding: Encoding; required: boolean }[] = [];
  let cols = 0;
  for (let k = 0; k < list.length; k++) {
    const at = `${where}.fields[${k}]`;
    const field = properties(list[k], 'an object', at);
    const name = text(field('name'), `${at}.name`);
    if (plan.has(name)) throw rangeError('ERR_MODEL', 'distinct names', `${where}.fields`, name);
    const resolved = asModel(() => resolveField(field('plan'), `${at}.plan`));
    plan.set(name, resolved);
    if (resolved.kind === 'ignore') continue;
    const encoding = readEncoding(resolved, properties(field('learnt'), 'an object', `${at}.learnt`), `${at}.learnt`, isMissing);
    cols += encoding.width;
    if (cols > MAX_COLUMNS) throw rangeError('ERR_MODEL', `at most ${MAX_COLUMNS} columns`, `${where}.fields`, cols);
    fields.push({ name, encoding, required: flag(field, 'required', at) });
  }
  return { plan, missing, fields };
}

/** The error of an option that a file has is one of the model. */
function asModel<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    const { constructor: Kind, message } = error as Error;
    const text = message.startsWith('Expected ') ? message : `Expected options of the field for its plan: ${message}`;
    throw coded(Kind as ErrorConstructor, 'ERR_MODEL', text);
  }
}

function readEncoding(plan: UsedField, own: Own, where: string, isMissing: IsMissing): Encoding {
  switch (plan.kind) {
    case 'number':
      return new NumberEncoding(plan, readStandard(own, where), isMissing);
    case 'category':
    case 'boolean':
      return new CategoryEncoding(plan, ...readCategories(plan, own, where), isMissing);
    case 'categories':
      return new ListEncoding(plan, ...readCategories(plan, own, where), isMissing);
    case 'date': {
      const { parts } = plan;
      if (!parts) throw typeError('ERR_MODEL', 'an array of parts', `${where}: the plan's parts`, parts);
      const count = countNumbers(parts);
      const list = readList(own('standards'), count, plural(count, 'object'), `${where}.standards`);
      const standards = Array.from({ length: count }, (_, k) => {
        return readStandard(properties(list[k], 'an object', `${where}.standards[${k}]`), `${where}.standards[${k}]`);
      });
      return new DateEncoding({ ...plan, parts }, standards, flag(own, 'gaps', where), isMissing);
    }
    case 'text':
      return readText(plan, own, where);
  }
}

function readStandard(own: Own, where: string): Standard {
  const number = (name: string) => finite(own(name), `${where}.${name}`, 'ERR_MODEL');
  const scale = number('scale');
  if (scale < 0 || (scale > 0 && !Number.isFinite(1 / scale)))
    throw rangeError('ERR_MODEL', 'a number of 0 or more', `${where}.scale`, scale);
  return { median: number('median'), mean: number('mean'), scale, gaps: flag(own, 'gaps', where) };
}

function readCategories(plan: CategoryPlan, own: Own, where: string): [CategoryEncoding['known'], number | undefined] {
  const values = texts(own('values'), plan.maxFeatures, `${where}.values`);
  return [{ values, missing: flag(own, 'missing', where), other: flag(own, 'other', where) }, count(own, 'distinct', where)];
}

function readText(plan: TextPlan, own: Own, where: string): TextEncoding {
  const vocabulary = plan.hash === undefined ? texts(own('vocabulary'), plan.maxFeatures!, `${where}.vocabulary`) : undefined;
  const width = vocabulary?.length ?? plan.hash!;
  const all = finite(own('texts'), `${where}.texts`, 'ERR_MODEL');
  const counts =
    plan.values === 'tf-idf' ? readCounts(own('counts'), width, vocabulary !== undefined, `${where}.counts`) : undefined;
  if (all < 0) throw rangeError('ERR_MODEL', 'a number of 0 or more', `${where}.texts`, all);
  const icu = own('icu');
  if (plan.segmenter !== undefined && icu !== process.versions.icu) {
    const message = `Texts were split into words by ICU ${show(icu)} in training, and are by ICU ${show(process.versions.icu)} here: words may differ`;
    process.emitWarning(message, { code: 'FISTA_CLASSIFY_ICU' });
  }
  return new TextEncoding(plan, { vocabulary, texts: all, counts }, count(own, 'distinct', where));
}

/** How many texts have the term of a column: of a vocabulary all numbers, of hashed terms those that are not 0. */
function readCounts(value: unknown, width: number, isDense: boolean, where: string): Float64Array {
  if (isDense) {
    const list = numbers(value, width, where);
    if (list.length !== width) throw rangeError('ERR_MODEL', `${plural(width, 'number')}, one for each term,`, where, list.length);
    checkCounts(list, where);
    return list;
  }
  const own = properties(value, '{ indices, values }', where);
  const indices = numbers(own('indices'), width, `${where}.indices`);
  const values = numbers(own('values'), width, `${where}.values`);
  if (values.length !== indices.length) {
    throw rangeError('ERR_MODEL', plural(indices.length, 'number'), `${where}.values, as in ${where}.indices,`, values.length);
  }
  checkCounts(values, `${where}.values`);
  const counts = new Float64Array(width);
  indices.forEach((column, k) => {
    if (!(Number.isInteger(column) && column >= 0 && column < width)) {
      throw rangeError('ERR_MODEL', `an integer from 0 to ${width - 1}`, `${where}.indices[${k}]`, column);
    }
    counts[column] = values[k]!;
  });
  return counts;
}

function checkCounts(counts: Float64Array, where: string): void {
  const bad = counts.findIndex((count) => count < 0);
  if (bad >= 0) throw rangeError('ERR_MODEL', 'a number of 0 or more', `${where}[${bad}]`, counts[bad]);
}

function flag(own: Own, name: string, where: string): boolean {
  const value = own(name);
  if (typeof value !== 'boolean') throw typeError('ERR_MODEL', 'true or false', `${where}.${name}`, value);
  return value;
}

function count(own: Own, name: string, where: string): number | undefined {
  const value = own(name);
  return value === undefined ? undefined : finite(value, `${where}.${name}`, 'ERR_MODEL');
}

function text(value: unknown, where: string): string {
  if (typeof value !== 'string') throw typeError('ERR_MODEL', 'a string', where, value);
  return value;
}

/** Distinct texts, each read once. */
function texts(value: unknown, max: number, where: string): string[] {
  const most = Math.min(max, MAX_TEXTS);
  if (!isArray(value)) throw typeError('ERR_MODEL', 'an array of strings', where, value);
  if (!(value.length <= most)) throw rangeError('ERR_MODEL', `at most ${plural(most, 'string')}`, where, value.length);
  const all: string[] = [];
  const seen = new Set<string>();
  const { length } = value;
  for (let k = 0; k < length; k++) {
    const one = text(value[k], `${where}[${k}]`);
    if (seen.size === seen.add(one).size) throw rangeError('ERR_MODEL', 'distinct strings', `${where}[${k}]`, one);
    all.push(one);
  }
  return all;
}
