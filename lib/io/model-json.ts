/** Models as JSON with a checksum. JSON that is read may be truncated, edited or forged. */
import { createHash } from 'node:crypto';
import { endianness } from 'node:os';
import { coded, plural, rangeError, show, typeError } from '../errors.js';
import { isArray, isObject } from '../input/intrinsics.js';
import { MAX_COLUMNS } from '../input/capacity.js';
import type { Model } from '../svm/model.js';
import type { Label, SvmJSON } from '../types.js';
import { finite, notFinite } from '../input/numbers.js';

const FORMAT = 'fista-classify/linear-svm';

/** The nonzero weights: possibly a handful among millions. */
export interface Entries {
  readonly length: number;
  readonly indices: Uint32Array;
  readonly values: Float64Array;
}

const BLOCK = 4096;
const ZEROS = new Uint8Array(8 * BLOCK);

/** Finds the nonzero weights. Blocks of zeros are skipped at the speed of memory, and not copied. */
export function entriesOf(weights: Float64Array): Entries {
  const { length } = weights;
  let [indices, values] = [new Uint32Array(64), new Float64Array(64)];
  let used = 0;
  for (let begin = 0; begin < length; begin += BLOCK) {
    const block = weights.subarray(begin, begin + BLOCK);
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    if (bytes.compare(ZEROS, 0, bytes.length) === 0) continue;
    if (used + block.length > indices.length) [indices, values] = [longer(indices), longer(values)];
    for (let j = 0; j < block.length; j++) {
      if (block[j] === 0) continue;
      indices[used] = begin + j;
      values[used++] = block[j]!;
    }
  }
  return { length, indices: indices.subarray(0, used), values: values.subarray(0, used) };
}

function longer<T extends Uint32Array | Float64Array>(list: T): T {
  const copy = new (list.constructor as new (length: number) => T)(2 * list.length + BLOCK);
  copy.set(list);
  return copy;
}

export function writeJSON(model: Model): SvmJSON {
  const { labels, bias, columns } = model;
  const entries = entriesOf(model.weights);
  const { length, indices, values } = entries;
  // A zero in a list takes two characters, an index about seven, and the keys of the sparse form a few more.
  const sparse = 3 * (indices.length + 8) < length;
  const weights = sparse ? { length, indices: Array.from(indices), values: Array.from(values) } : Array.from(model.weights);
  return { format: FORMAT, version: 1, labels, bias, weights, ...(columns && { columns }), checksum: checksum(model, entries) };
}

/** The SHA-256 of everything that predictions depend on. It is the same for both forms of weights. */
function checksum({ labels, bias, columns }: Model, { length, indices, values }: Entries): string {
  const hash = createHash('sha256').update(JSON.stringify(columns ? [labels, bias, length, columns] : [labels, bias, length]));
  for (const list of [indices, values]) {
    const bytes = Buffer.from(list.buffer, list.byteOffset, list.byteLength);
    hash.update(endianness() === 'LE' ? bytes : list === indices ? Buffer.from(bytes).swap32() : Buffer.from(bytes).swap64());
  }
  return hash.digest('hex');
}

/**
 * Reads a model that `writeJSON` wrote, from data that may be truncated, edited or forged. Reads own properties only, each once. Memory
 * grows with the numbers that are present, not with the lengths that lists claim.
 */
export function readJSON(json: unknown): Model {
  const own = properties(json, 'an object', 'json');
  const format = own('format');
  if (format !== FORMAT) throw rangeError('ERR_MODEL', show(FORMAT), 'json.format', format);
  const version = own('version');
  if (version !== 1) {
    const newer = typeof version === 'number' && version > 1 ? ' (written by a newer fista-classify)' : '';
    throw coded(RangeError, 'ERR_MODEL', `Expected version 1 for json.version but received ${show(version)}${newer}`);
  }
  const labels = readLabels(own('labels'));
  const bias = finite(own('bias'), 'json.bias', 'ERR_MODEL');
  const entries = readEntries(own('weights'));
  const { length, indices, values } = entries;
  const columns = readColumns(own('columns'), length);
  const model: Model = { weights: zeros(length), bias, labels, ...(columns && { columns }) };
  for (let k = 0; k < indices.length; k++) model.weights[indices[k]!] = values[k]!;
  const sum = own('checksum');
  if (sum !== undefined && sum !== checksum(model, entries)) {
    const what = columns ? 'labels, bias, weights and columns' : 'labels, bias and weights';
    throw coded(
      RangeError,
      'ERR_MODEL',
      `Expected ${what} that match json.checksum, ${show(sum)}, but received others: the model was edited or damaged ` +
        '(to read one that was edited on purpose, remove json.checksum)',
    );
  }
  return model;
}

/** Returns a function that reads an object's own properties. */
function properties(value: unknown, what: string, where: string): (name: string) => unknown {
  if (!isObject(value) || isArray(value)) throw typeError('ERR_MODEL', what, where, value);
  return (name) => (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined);
}

function readLabels(list: unknown): [Label, Label] {
  if (!isArray(list) || list.length !== 2) throw typeError('ERR_MODEL', 'two labels', 'json.labels', list);
  const { 0: negative, 1: positive } = list;
  for (const [k, label] of [negative, positive].entries()) {
    const kind = typeof label;
    if (kind !== 'number' && kind !== 'string' && kind !== 'boolean') {
      throw typeError('ERR_MODEL', 'a number, string or boolean', `json.labels[${k}]`, label);
    }
    if (kind === 'number') finite(label, `json.labels[${k}]`, 'ERR_MODEL');
  }
  if (typeof negative !== typeof positive || negative === positive) {
    throw rangeError('ERR_MODEL', `a ${typeof negative} other than ${show(negative)}`, 'json.labels[1]', positive);
  }
  return [negative as Label, positive as Label];
}

/** Reads the nonzero weights from either form. */
function readEntries(weights: unknown): Entries {
  if (isArray(weights)) return entriesOf(numbers(weights, MAX_COLUMNS, 'json.weights'));
  const own = properties(weights, 'an array of numbers or { length, indices, values }', 'json.weights');
  const length = own('length');
  if (typeof length !== 'number') throw typeError('ERR_MODEL', 'a number', 'json.weights.length', length);
  if (!Number.isInteger(length) || length < 0 || length > MAX_COLUMNS) {
    throw rangeError('ERR_MODEL', `an integer from 0 to ${MAX_COLUMNS}`, 'json.weights.length', length);
  }
  const columns = numbers(own('indices'), length, 'json.weights.indices');
  const values = numbers(own('values'), length, 'json.weights.values');
  if (values.length !== columns.length) {
    const where = 'json.weights.values, as in json.weights.indices,';
    throw rangeError('ERR_MODEL', plural(columns.length, 'number'), where, values.length);
  }
  const last = (k: number) => (k === 0 ? -1 : columns[k - 1]!);
  const bad = columns.findIndex((j, k) => !(Number.isInteger(j) && j > last(k) && j < length));
  if (bad >= 0) {
    const what = `an integer from ${last(bad) + 1} to ${length - 1}, as indices ascend,`;
    throw rangeError('ERR_MODEL', what, `json.weights.indices[${bad}]`, columns[bad]);
  }
  // A file may list zeros, which entries exclude.
  const { indices: used, values: entries } = entriesOf(values);
  return { length: length, indices: used.map((k) => columns[k]!), values: entries };
}

/**
 * Copies an array of at most `max` finite numbers, and reads each once. The copy grows with the numbers read, so an array that only claims
 * a large length allocates little.
 */
function numbers(list: unknown, max: number, where: string): Float64Array {
  if (!isArray(list)) throw typeError('ERR_MODEL', 'an array of numbers', where, list);
  const { length } = list;
  if (!(length <= max)) throw rangeError('ERR_MODEL', `at most ${plural(max, 'number')}`, where, length);
  let copy = new Float64Array(Math.min(length, 1024));
  for (let k = 0; k < length; k++) {
    const value = list[k];
    if (typeof value !== 'number' || !Number.isFinite(value)) throw notFinite(value, `${where}[${k}]`, 'ERR_MODEL');
    if (k === copy.length) {
      const longer = new Float64Array(Math.min(length, 2 * k));
      longer.set(copy);
      copy = longer;
    }
    copy[k] = value;
  }
  return copy;
}

function readColumns(list: unknown, length: number): string[] | undefined {
  if (list === undefined) return undefined;
  if (!isArray(list) || list.length !== length) {
    throw typeError('ERR_MODEL', `${plural(length, 'name')}, one for each weight,`, 'json.columns', list);
  }
  return Array.from({ length }, (_, k) => {
    const name = list[k]; // read once: a proxy may return another value the second time
    if (typeof name !== 'string') throw typeError('ERR_MODEL', 'a string', `json.columns[${k}]`, name);
    return name;
  });
}

function zeros(length: number): Float64Array {
  try {
    return new Float64Array(length);
  } catch (error) {
    const message = `Expected as many weights as memory holds for json.weights but received ${length}`;
    throw coded(RangeError, 'ERR_MODEL', message, error);
  }
}
