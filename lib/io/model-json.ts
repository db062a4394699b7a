/**
 * Models as JSON with a checksum. JSON that is read may be truncated, edited or forged.
 *
 * Version 1 is for two classes. Version 2 has any number of planes, which may be rounded to 32 bits, and optionally what is proved of them.
 */
import { constants } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { endianness, freemem } from 'node:os';
import { coded, plural, rangeError, show, typeError } from '../errors.js';
import { isArray, isObject } from '../input/intrinsics.js';
import { MAX_COLUMNS } from '../input/capacity.js';
import { MAX_CLASSES, type ClassLabels } from '../input/labels.js';
import { finite, notFinite } from '../input/numbers.js';
import { boolean, knownOptions, oneOfThese, optional } from '../input/options.js';
import { UNBOUNDED, type PlaneBounds } from '../svm/certificate.js';
import { isPairs, modelOf, sidesOf, type Model, type PlaneProof, type PlaneTable } from '../svm/model.js';
import type { Label, ModelWriting, Multiclass, SvmJSON } from '../types.js';
import { inChunks } from './chunks.js';
import { plainOf, textOf, type Outline, type OutlineObject } from './json-text.js';
import { boundsOfRounded, shortest } from './single-precision.js';

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

/** Checks how a model is to be written. */
export function resolveWriting(options?: ModelWriting): Required<ModelWriting> {
  const { proofs, precision } = knownOptions(options, ['proofs', 'precision']);
  return {
    proofs: optional(proofs, 'proofs', boolean) ?? false,
    precision: optional(precision, 'precision', oneOfThese('f64', 'f32')) ?? 'f64',
  };
}

/** A model as plain data. Refuses one whose text would be longer than a string can be: `saveModel` writes it. */
export function writeJSON(model: Model, options?: ModelWriting): SvmJSON {
  const writing = resolveWriting(options);
  checkTextLength(model, writing);
  return plainOf(outlineOf(model, writing)) as SvmJSON;
}

/** A weight, a scale or a centre takes at most so many characters: 17 digits, two signs, a point, an exponent and a comma. */
const MAX_CHARACTERS = 25;

/** Refuses a model whose text would have more than `max` characters, which are counted only where there may be so many. @internal */
export function checkTextLength(model: Model, options: ModelWriting, max: number = constants.MAX_STRING_LENGTH): void {
  const lists = options.proofs && model.proofs ? 3 : 1;
  if (lists * MAX_CHARACTERS * model.table.weights.length <= max) return;
  let length = 0;
  for (const piece of textOf(outlineOf(model, options))) {
    length += piece.length;
    if (length <= max) continue;
    const message = `Expected at most ${max} characters, the longest string, for the model's JSON but received more`;
    throw coded(RangeError, 'ERR_MODEL', `${message}; saveModel(path, model) writes it to a file`);
  }
}

/** What `writeJSON` writes, made piece by piece. To be made into text or data once. @internal */
export function outlineOf(model: Model, { proofs = false, precision = 'f64' }: ModelWriting = {}): OutlineObject {
  const single = precision === 'f32';
  const stated = proofs ? statedProofs(model, single) : undefined;
  return model.labels.length === 2 && !stated && !single ? onePlane(model) : severalPlanes(model, stated, single);
}

function onePlane({ labels, planes, columns }: Model): OutlineObject {
  const { weights, bias } = planes[0]!;
  const entries = entriesOf(weights);
  const checksum = checksumOfOne(labels, bias, columns, entries);
  return { format: FORMAT, version: 1, labels, bias, weights: eitherForm(weights, entries), columns, checksum };
}

function severalPlanes(model: Model, stated: StatedProofs | undefined, single: boolean): OutlineObject {
  const { labels, planes, columns } = model;
  const multiclass = labels.length === 2 ? undefined : isPairs(model) ? 'pairs' : 'rest';
  const sum = new Checksum({ labels, multiclass, columns, cols: planes[0]!.weights.length });
  return {
    format: FORMAT,
    version: 2,
    labels,
    multiclass,
    precision: single ? 'f32' : undefined,
    columns,
    planes: function* () {
      for (const [p, { weights, bias }] of planes.entries()) {
        const kept = single ? rounded(weights, p) : weights;
        const entries = entriesOf(kept);
        sum.plane(bias, entries);
        yield { bias, weights: eitherForm(kept, entries, single ? shortest : undefined) };
      }
    },
    proofs: stated && proofsOutline(stated, sum),
    checksum: () => sum.digest(),
  };
}

/** Either form of weights: all of them, or the nonzero ones. */
function eitherForm(all: Float64Array, { length, indices, values }: Entries, written?: (value: number) => number): Outline {
  // A zero in a list takes two characters, an index about seven, and the keys of the sparse form a few more.
  if (3 * (indices.length + 8) < length) return { length, indices, values: written ? values.map(written) : values };
  return written ? all.map(written) : all;
}

function rounded(weights: Float64Array, plane: number): Float64Array {
  const kept = weights.map(Math.fround);
  const bad = kept.findIndex((weight) => !Number.isFinite(weight));
  if (bad < 0) return kept;
  const where = `planes[${plane}].weights[${bad}], as precision is 'f32',`;
  throw rangeError('ERR_MODEL', SINGLE, where, weights[bad]);
}

const SINGLE = 'a number that 32 bits can hold';

/** Proofs in the form in which they are written. */
interface StatedProofs {
  readonly inverseScale: Float64Array;
  /** The centre of all planes, if they have the same one. */
  readonly centre: Float64Array | undefined;
  /** By plane; undefined where nothing is proved. */
  readonly planes: readonly (PlaneProof | undefined)[];
}

/** The proofs of a model, or of one of 32-bit weights, if there is a plane of which something is proved. */
function statedProofs({ proofs, planes }: Model, single: boolean): StatedProofs | undefined {
  const cols = planes[0]!.weights.length;
  const fine = (list: Float64Array) => list.length === cols && list.every(Number.isFinite);
  const known = proofs?.map((proof, p) => {
    if (!fine(proof.centre) || !fine(proof.inverseScale)) return undefined;
    const bounds = single ? boundsOfRounded(proof, planes[p]!.weights) : proof;
    return isBounded(bounds) ? { ...proof, ...bounds } : undefined;
  });
  const first = known?.find((proof) => proof !== undefined);
  if (!known || !first) return undefined;
  const { inverseScale, centre } = first;
  // All planes have the same scale. Nothing is said of one that has not.
  const stated = known.map((proof) => (proof && isSame(proof.inverseScale, inverseScale) ? proof : undefined));
  const shared = stated.every((proof) => !proof || isSame(proof.centre, centre));
  return { inverseScale, centre: shared ? centre : undefined, planes: stated };
}

function isBounded({ slope, low, high, norm }: PlaneBounds): boolean {
  return [slope, low, high, norm].every(Number.isFinite);
}

function isSame(one: Float64Array, other: Float64Array): boolean {
  return one === other || bytesOf(one).equals(bytesOf(other));
}

function proofsOutline({ inverseScale, centre, planes }: StatedProofs, sum: Checksum): OutlineObject {
  const common = { inverseScale: entriesOf(inverseScale), centre: centre && entriesOf(centre) };
  return {
    inverseScale: eitherForm(inverseScale, common.inverseScale),
    centre: centre && eitherForm(centre, common.centre!),
    // Made after the planes, and so in the order in which the checksum takes them.
    planes: function* () {
      sum.columns(common.inverseScale, common.centre);
      for (const proof of planes) {
        const own = proof && !centre ? entriesOf(proof.centre) : undefined;
        sum.bounds(proof, own);
        if (!proof) {
          yield null;
          continue;
        }
        const { slope, low, high, norm } = proof;
        yield { slope, low, high, norm, centre: own && eitherForm(proof.centre, own) };
      }
    },
  };
}

/** The SHA-256 of everything that predictions of version 1 depend on. It is the same for both forms of weights. */
function checksumOfOne(
  labels: readonly Label[],
  bias: number,
  columns: readonly string[] | undefined,
  { length, indices, values }: Entries,
): string {
  const hash = createHash('sha256').update(JSON.stringify(columns ? [labels, bias, length, columns] : [labels, bias, length]));
  for (const list of [indices, values]) updateBy(hash, list);
  return hash.digest('hex');
}

/**
 * The SHA-256 of everything that predictions and proofs of version 2 depend on, taken in the order of the file. It is the same for both
 * forms of weights. Every list is preceded by its length, so that no two models are hashed alike.
 */
class Checksum {
  readonly #hash = createHash('sha256');

  constructor(head: {
    readonly labels: readonly Label[];
    readonly multiclass: Multiclass | undefined;
    readonly columns: readonly string[] | undefined;
    readonly cols: number;
  }) {
    const { labels, multiclass = null, columns = null, cols } = head;
    for (const chunk of inChunks(textOf([labels, multiclass, cols, columns]), undefined)) this.#hash.update(chunk);
  }

  plane(bias: number, weights: Entries): void {
    this.#numbers(bias);
    this.#entries(weights);
  }

  /** What the proofs of all planes have in common. */
  columns(inverseScale: Entries, centre: Entries | undefined): void {
    this.#entries(inverseScale);
    this.#optional(centre);
  }

  /** What is proved of a plane, if anything, and its own centre, if it has one. */
  bounds(bounds: PlaneBounds | undefined, centre: Entries | undefined): void {
    this.#numbers(bounds ? 1 : 0);
    if (bounds) this.#numbers(bounds.slope, bounds.low, bounds.high, bounds.norm);
    this.#optional(centre);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  #optional(list: Entries | undefined): void {
    this.#numbers(list ? 1 : 0);
    if (list) this.#entries(list);
  }

  #entries({ indices, values }: Entries): void {
    this.#numbers(indices.length);
    for (const list of [indices, values]) updateBy(this.#hash, list);
  }

  #numbers(...numbers: number[]): void {
    updateBy(
      this.#hash,
      Float64Array.from(numbers, (number) => number + 0),
    ); // + 0: no -0, which JSON does not keep
  }
}

function bytesOf(list: Uint32Array | Float64Array): Buffer {
  return Buffer.from(list.buffer, list.byteOffset, list.byteLength);
}

/** Numbers that a hash takes at a time: it takes no more than 2 GB. */
const HASHED = 2 ** 20;

/** Updates a hash by numbers, whose lowest bytes come first. */
function updateBy(hash: Hash, list: Uint32Array | Float64Array): void {
  for (let begin = 0; begin < list.length; begin += HASHED) {
    const bytes = bytesOf(list.subarray(begin, begin + HASHED));
    if (endianness() === 'LE') hash.update(bytes);
    else hash.update(list instanceof Uint32Array ? Buffer.from(bytes).swap32() : Buffer.from(bytes).swap64());
  }
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
  if (version === 1) return readOnePlane(own);
  if (version === 2) return readSeveralPlanes(own);
  const newer = typeof version === 'number' && version > 2 ? ' (written by a newer fista-classify)' : '';
  throw coded(RangeError, 'ERR_MODEL', `Expected version 1 or 2 for json.version but received ${show(version)}${newer}`);
}

type Own = (name: string) => unknown;

function readOnePlane(own: Own): Model {
  const labels = readTwoLabels(own('labels'));
  const bias = finite(own('bias'), 'json.bias', 'ERR_MODEL');
  const entries = readEntries(own('weights'), 'json.weights');
  const columns = readColumns(own('columns'), entries.length);
  const model = modelOf(labels, sidesOf(2, 'pairs'), tableOf([{ bias, entries }]), { proofs: undefined, columns });
  const sum = own('checksum');
  if (sum !== undefined && sum !== checksumOfOne(labels, bias, columns, entries)) throw damaged(sum, ['bias', 'weights'], model);
  return model;
}

function readSeveralPlanes(own: Own): Model {
  const labels = readLabels(own('labels'));
  const multiclass = readMulticlass(own('multiclass'), labels.length);
  const single = readPrecision(own('precision'));
  const planes = readPlanes(own('planes'), labels.length, multiclass, single);
  const cols = planes[0]!.entries.length;
  const columns = readColumns(own('columns'), cols);
  const stated = readProofs(own('proofs'), planes.length, cols);
  const sum = own('checksum');
  // Without a checksum nothing says that the proofs are about these weights: the model may have been edited on purpose.
  const proofs = sum === undefined ? undefined : stated && proofsOf(stated);
  const sides = sidesOf(labels.length, multiclass ?? 'pairs'); // only now: it may be a billion of them
  const model = modelOf(labels, sides, tableOf(planes), { proofs, columns });
  if (sum !== undefined && sum !== checksumOf(model, multiclass, planes, stated)) throw damaged(sum, ['planes'], model);
  return model;
}

function checksumOf(
  { labels, columns }: Model,
  multiclass: Multiclass | undefined,
  planes: readonly ReadPlane[],
  stated: StatedProofs | undefined,
): string {
  const sum = new Checksum({ labels, multiclass, columns, cols: planes[0]!.entries.length });
  for (const { bias, entries } of planes) sum.plane(bias, entries);
  if (stated) {
    const { inverseScale, centre } = stated;
    sum.columns(entriesOf(inverseScale), centre && entriesOf(centre));
    for (const proof of stated.planes) sum.bounds(proof, proof && !centre ? entriesOf(proof.centre) : undefined);
  }
  return sum.digest();
}

function damaged(sum: unknown, kept: readonly string[], { columns, proofs }: Model): Error {
  const all = ['labels', ...kept, ...(columns ? ['columns'] : []), ...(proofs ? ['proofs'] : [])];
  return coded(
    RangeError,
    'ERR_MODEL',
    `Expected ${all.slice(0, -1).join(', ')} and ${all.at(-1)} that match json.checksum, ${show(sum)}, but received others: the model ` +
      'was edited or damaged (to read one that was edited on purpose, remove json.checksum)',
  );
}

/** A plane's bias and nonzero weights. */
interface ReadPlane {
  readonly bias: number;
  readonly entries: Entries;
}

/** The table of planes that have the same number of columns. */
function tableOf(planes: readonly ReadPlane[]): PlaneTable {
  const cols = planes[0]!.entries.length;
  const weights = zeros(planes.length * cols);
  planes.forEach(({ entries: { indices, values } }, p) => {
    for (let k = 0; k < indices.length; k++) weights[p * cols + indices[k]!] = values[k]!;
  });
  return { weights, biases: Float64Array.from(planes, ({ bias }) => bias) };
}

/** Returns a function that reads an object's own properties. */
function properties(value: unknown, what: string, where: string): Own {
  if (!isObject(value) || isArray(value)) throw typeError('ERR_MODEL', what, where, value);
  return (name) => (Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined);
}

function readLabel(label: unknown, k: number): Label {
  const kind = typeof label;
  if (kind !== 'number' && kind !== 'string' && kind !== 'boolean') {
    throw typeError('ERR_MODEL', 'a number, string or boolean', `json.labels[${k}]`, label);
  }
  if (kind === 'number') finite(label, `json.labels[${k}]`, 'ERR_MODEL');
  return label as Label;
}

function readTwoLabels(list: unknown): [Label, Label] {
  if (!isArray(list) || list.length !== 2) throw typeError('ERR_MODEL', 'two labels', 'json.labels', list);
  const { 0: first, 1: second } = list;
  const negative = readLabel(first, 0);
  const positive = readLabel(second, 1);
  if (typeof negative !== typeof positive || negative === positive) {
    throw rangeError('ERR_MODEL', `a ${typeof negative} other than ${show(negative)}`, 'json.labels[1]', positive);
  }
  return [negative, positive];
}

/** Reads two labels, or more that ascend. */
function readLabels(list: unknown): ClassLabels {
  if (!isArray(list)) throw typeError('ERR_MODEL', 'two labels or more', 'json.labels', list);
  const { length } = list;
  if (length === 2) return readTwoLabels(list);
  if (!(length > 2)) throw typeError('ERR_MODEL', 'two labels or more', 'json.labels', list);
  if (!(length <= MAX_CLASSES)) throw rangeError('ERR_MODEL', `at most ${MAX_CLASSES} labels`, 'json.labels', length);
  const labels: Label[] = [];
  for (let k = 0; k < length; k++) {
    const label = readLabel(list[k], k);
    const last = labels.at(-1);
    if (last !== undefined && !(typeof label === typeof last && label > last)) {
      const what = `a ${typeof last} above ${show(last)}, as labels ascend,`;
      throw rangeError('ERR_MODEL', what, `json.labels[${k}]`, label);
    }
    labels.push(label);
  }
  return labels as [Label, Label, ...Label[]];
}

function readMulticlass(value: unknown, classes: number): Multiclass | undefined {
  if (classes === 2 && value === undefined) return undefined;
  if (classes > 2 && (value === 'pairs' || value === 'rest')) return value;
  const what = classes === 2 ? 'nothing, as there are two labels,' : "'pairs' or 'rest'";
  throw rangeError('ERR_MODEL', what, 'json.multiclass', value);
}

/** Whether weights are 32-bit numbers. */
function readPrecision(value: unknown): boolean {
  if (value !== undefined && value !== 'f64' && value !== 'f32') {
    throw rangeError('ERR_MODEL', "'f32' or nothing", 'json.precision', value);
  }
  return value === 'f32';
}

function readPlanes(list: unknown, classes: number, multiclass: Multiclass | undefined, single: boolean): ReadPlane[] {
  const rest = multiclass === 'rest';
  const count = rest ? classes : (classes * (classes - 1)) / 2;
  const each = classes === 2 ? '' : rest ? ', one for each label,' : ', one for each pair of labels,';
  const found = readList(list, count, `${plural(count, 'plane')}${each}`, 'json.planes');
  const planes: ReadPlane[] = [];
  for (let p = 0; p < count; p++) {
    const where = `json.planes[${p}]`;
    const own = properties(found[p], '{ bias, weights }', where);
    const bias = finite(own('bias'), `${where}.bias`, 'ERR_MODEL');
    const entries = readEntries(own('weights'), `${where}.weights`, single);
    const cols = planes[0]?.entries.length ?? entries.length;
    if (entries.length !== cols) {
      throw rangeError('ERR_MODEL', plural(cols, 'number'), `${where}.weights, as in json.planes[0],`, entries.length);
    }
    planes.push({ bias, entries });
  }
  return planes;
}

/** Checks that it is an array of so many entries, which are to be read once. */
function readList(list: unknown, length: number, what: string, where: string): unknown[] {
  if (!isArray(list)) throw typeError('ERR_MODEL', what, where, list);
  if (list.length !== length) throw rangeError('ERR_MODEL', what, where, list.length);
  return list;
}

function readProofs(value: unknown, count: number, cols: number): StatedProofs | undefined {
  if (value === undefined) return undefined;
  const own = properties(value, 'an object', 'json.proofs');
  const inverseScale = readByColumn(own('inverseScale'), cols, 'json.proofs.inverseScale');
  const negative = inverseScale.findIndex((inverse) => inverse < 0);
  if (negative >= 0) {
    const where = `json.proofs.inverseScale, column ${negative},`;
    throw rangeError('ERR_MODEL', 'a number of 0 or more', where, inverseScale[negative]);
  }
  const common = own('centre');
  const centre = common === undefined ? undefined : readByColumn(common, cols, 'json.proofs.centre');
  const where = 'json.proofs.planes';
  const list = readList(own('planes'), count, `${plural(count, 'proof')}, one for each plane,`, where);
  const planes: (PlaneProof | undefined)[] = [];
  for (let p = 0; p < count; p++) {
    const given = list[p];
    if (given === null) {
      planes.push(undefined);
      continue;
    }
    const own = properties(given, '{ slope, low, high, norm } or null', `${where}[${p}]`);
    const number = (name: string) => finite(own(name), `${where}[${p}].${name}`, 'ERR_MODEL');
    const [slope, low, high, norm] = [number('slope'), number('low'), number('high'), number('norm')];
    for (const [name, value] of Object.entries({ slope, high, norm })) {
      if (value < 0) throw rangeError('ERR_MODEL', 'a number of 0 or more', `${where}[${p}].${name}`, value);
    }
    if (low > 0) throw rangeError('ERR_MODEL', 'a number of 0 or less', `${where}[${p}].low`, low);
    const its = centre ?? readByColumn(own('centre'), cols, `${where}[${p}].centre`);
    planes.push({ slope, low, high, norm, inverseScale, centre: its });
  }
  return { inverseScale, centre, planes };
}

function readByColumn(list: unknown, cols: number, where: string): Float64Array {
  const { length, indices, values } = readEntries(list, where);
  if (length !== cols) throw rangeError('ERR_MODEL', plural(cols, 'number'), `${where}, one for each weight,`, length);
  const all = zeros(cols);
  for (let k = 0; k < indices.length; k++) all[indices[k]!] = values[k]!;
  return all;
}

function proofsOf({ planes }: StatedProofs): PlaneProof[] {
  const none = new Float64Array(0);
  return planes.map((proof) => proof ?? { ...UNBOUNDED, inverseScale: none, centre: none });
}

/** Reads the nonzero numbers from either form; if `single`, as 32-bit numbers. */
function readEntries(list: unknown, where: string, single = false): Entries {
  if (isArray(list)) return entriesOf(numbers(list, MAX_COLUMNS, where, single));
  const own = properties(list, 'an array of numbers or { length, indices, values }', where);
  const length = own('length');
  if (typeof length !== 'number') throw typeError('ERR_MODEL', 'a number', `${where}.length`, length);
  if (!Number.isInteger(length) || length < 0 || length > MAX_COLUMNS) {
    throw rangeError('ERR_MODEL', `an integer from 0 to ${MAX_COLUMNS}`, `${where}.length`, length);
  }
  const columns = numbers(own('indices'), length, `${where}.indices`);
  const values = numbers(own('values'), length, `${where}.values`, single);
  if (values.length !== columns.length) {
    throw rangeError('ERR_MODEL', plural(columns.length, 'number'), `${where}.values, as in ${where}.indices,`, values.length);
  }
  const last = (k: number) => (k === 0 ? -1 : columns[k - 1]!);
  const bad = columns.findIndex((j, k) => !(Number.isInteger(j) && j > last(k) && j < length));
  if (bad >= 0) {
    const what = `an integer from ${last(bad) + 1} to ${length - 1}, as indices ascend,`;
    throw rangeError('ERR_MODEL', what, `${where}.indices[${bad}]`, columns[bad]);
  }
  // A file may list zeros, which entries exclude.
  const { indices: used, values: entries } = entriesOf(values);
  return { length, indices: used.map((k) => columns[k]!), values: entries };
}

/**
 * Copies an array of at most `max` finite numbers, and reads each once. The copy grows with the numbers read, so an array that only claims
 * a large length allocates little.
 */
function numbers(list: unknown, max: number, where: string, single = false): Float64Array {
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
    copy[k] = single ? Math.fround(value) : value;
    if (single && !Number.isFinite(copy[k])) throw rangeError('ERR_MODEL', SINGLE, `${where}[${k}]`, value);
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

/** Zeros take no memory until they are written, so that those of a sparse form, which claims any length, cost nothing here. */
function zeros(length: number): Float64Array {
  const refusal = (cause?: unknown) =>
    coded(RangeError, 'ERR_MODEL', `Expected as many weights as memory holds for json but received ${length}`, cause);
  // Several planes may claim together what one may not.
  if (length > MAX_COLUMNS && 8 * length > freemem()) throw refusal();
  try {
    return new Float64Array(length);
  } catch (error) {
    throw refusal(error);
  }
}
