/**
 * Models as JSON with a checksum. JSON that is read may be truncated, edited or forged.
 *
 * Version 1 is for two classes. Version 2 has any number of planes, which may be rounded to 32 bits, and optionally what is proved
 * of them, and how their values become probabilities.
 */
import { coded, plural, rangeError, show, typeError } from '../errors.js';
import { isArray } from '../input/intrinsics.js';
import { MAX_COLUMNS } from '../input/capacity.js';
import { availableMemory, MAX_STRING_LENGTH } from '../platform/host.js';
import { MAX_CLASSES, type ClassLabels } from '../input/labels.js';
import { finite } from '../input/numbers.js';
import { boolean, knownOptions, oneOfThese, optional } from '../input/options.js';
import { UNBOUNDED, type PlaneBounds } from '../svm/certificate.js';
import { isPairs, modelOf, sidesOf, type Model, type PlaneProof, type PlaneTable } from '../svm/model.js';
import type { Label, ModelWriting, Multiclass, SvmJSON } from '../types.js';
import { Encoder } from '../data/encoder.js';
import { calibrationOutline, readCalibration } from './calibration-json.js';
import { encoderOutline, readEncoder } from './encoder-json.js';
import { plainOf, textOf, type Outline, type OutlineObject } from './json-text.js';
import { numbers, properties, readList, SINGLE, type Own } from './json-values.js';
import { Checksum, checksumOfOne, entriesOf, isSame, type Entries } from './model-checksum.js';
import { boundsOfRounded, shortest } from './single-precision.js';

const FORMAT = 'fista-classify/linear-svm';

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
export function checkTextLength(model: Model, options: ModelWriting, max: number = MAX_STRING_LENGTH): void {
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
  const plain = model.labels.length === 2 && !stated && !single && !model.calibration && !model.encoder;
  return plain ? onePlane(model) : severalPlanes(model, stated, single);
}

function onePlane({ labels, planes, columns }: Model): OutlineObject {
  const { weights, bias } = planes[0]!;
  const entries = entriesOf(weights);
  const checksum = checksumOfOne(labels, bias, columns, entries);
  return { format: FORMAT, version: 1, labels, bias, weights: eitherForm(weights, entries), columns, checksum };
}

function severalPlanes(model: Model, stated: StatedProofs | undefined, single: boolean): OutlineObject {
  const { labels, planes, columns, calibration, encoder, means } = model;
  const multiclass = labels.length === 2 ? undefined : isPairs(model) ? 'pairs' : 'rest';
  const sum = new Checksum({ labels, multiclass, columns, cols: planes[0]!.weights.length });
  const records = encoder && means && { encoder: encoderOutline(Encoder.partsOf(encoder)), means: entriesOf(means) };
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
    calibration: calibration && calibrationOutline(calibration, sum),
    encoder: records?.encoder,
    means: means && records && eitherForm(means, records.means),
    checksum: () => {
      if (records) sum.records(records.encoder, records.means);
      return sum.digest();
    },
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
  checkWeights(planes.length * cols);
  const columns = readColumns(own('columns'), cols);
  const stated = readProofs(own('proofs'), planes.length, cols);
  const calibration = readCalibration(own('calibration'), planes.length);
  const { encoder, means } = readRecords(own, cols);
  const sum = own('checksum');
  if (sum !== undefined && sum !== checksumOf({ labels, columns, calibration, encoder, means }, multiclass, planes, stated)) {
    throw damaged(sum, ['planes'], { columns, proofs: stated, calibration, encoder, means });
  }
  // Without a checksum nothing says that the proofs are about these weights: the model may have been edited on purpose.
  const proofs = sum === undefined ? undefined : stated && proofsOf(stated);
  const sides = sidesOf(labels.length, multiclass ?? 'pairs'); // only now: it may be a billion of them
  return modelOf(labels, sides, tableOf(planes), { proofs, columns, calibration, encoder, means });
}

/** What a model of records has besides. */
function readRecords(own: Own, cols: number): Pick<Model, 'encoder' | 'means'> {
  const json = own('encoder');
  if (json === undefined) return {};
  const encoder = Encoder.of(readEncoder(json, 'json.encoder'));
  if (encoder.cols !== cols)
    throw rangeError('ERR_MODEL', `${plural(cols, 'column')}, one for each weight,`, 'json.encoder', encoder.cols);
  const entries = readEntries(own('means'), 'json.means');
  if (entries.length !== cols)
    throw rangeError('ERR_MODEL', `${plural(cols, 'number')}, one for each weight,`, 'json.means', entries.length);
  return { encoder, means: byColumn(entries) };
}

function checksumOf(
  { labels, columns, calibration, encoder, means }: Pick<Model, 'labels' | 'columns' | 'calibration' | 'encoder' | 'means'>,
  multiclass: Multiclass | undefined,
  planes: readonly ReadPlane[],
  stated: ReadProofs | undefined,
): string {
  const sum = new Checksum({ labels, multiclass, columns, cols: planes[0]!.entries.length });
  for (const { bias, entries } of planes) sum.plane(bias, entries);
  if (stated) {
    sum.columns(stated.inverseScale, stated.centre);
    for (const proof of stated.planes) sum.bounds(proof, proof?.centre);
  }
  calibration?.forEach((one) => sum.calibration(one));
  if (encoder && means) sum.records(encoderOutline(Encoder.partsOf(encoder)), entriesOf(means));
  return sum.digest();
}

function damaged(
  sum: unknown,
  kept: readonly string[],
  model: { columns?: unknown; proofs?: unknown; calibration?: unknown; encoder?: unknown; means?: unknown },
): Error {
  const others = (['columns', 'proofs', 'calibration', 'encoder', 'means'] as const).filter((name) => model[name]);
  const all = ['labels', ...kept, ...others];
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
  checkWeights(planes.length * cols);
  const weights = zeros(planes.length * cols);
  planes.forEach(({ entries: { indices, values } }, p) => {
    for (let k = 0; k < indices.length; k++) weights[p * cols + indices[k]!] = values[k]!;
  });
  return { weights, biases: Float64Array.from(planes, ({ bias }) => bias) };
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
    throw rangeError('ERR_MODEL', "'f64', 'f32' or nothing", 'json.precision', value);
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

/** Proofs as they are read: lists may claim any length, and become arrays by column only once the checksum matched. */
interface ReadProofs {
  readonly inverseScale: Entries;
  /** The centre of all planes, if they have the same one. */
  readonly centre: Entries | undefined;
  /** By plane, with its own centre if there is no common one; undefined where nothing is proved. */
  readonly planes: readonly (ReadBounds | undefined)[];
}

interface ReadBounds extends PlaneBounds {
  readonly centre: Entries | undefined;
}

function readProofs(value: unknown, count: number, cols: number): ReadProofs | undefined {
  if (value === undefined) return undefined;
  const own = properties(value, 'an object', 'json.proofs');
  const inverseScale = readByColumn(own('inverseScale'), cols, 'json.proofs.inverseScale');
  const negative = inverseScale.values.findIndex((inverse) => inverse < 0);
  if (negative >= 0) {
    const where = `json.proofs.inverseScale, column ${inverseScale.indices[negative]},`;
    throw rangeError('ERR_MODEL', 'a number of 0 or more', where, inverseScale.values[negative]);
  }
  const common = own('centre');
  const centre = common === undefined ? undefined : readByColumn(common, cols, 'json.proofs.centre');
  const where = 'json.proofs.planes';
  const list = readList(own('planes'), count, `${plural(count, 'proof')}, one for each plane,`, where);
  const planes: (ReadBounds | undefined)[] = [];
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
    const its = centre ? undefined : readByColumn(own('centre'), cols, `${where}[${p}].centre`);
    planes.push({ slope, low, high, norm, centre: its });
  }
  return { inverseScale, centre, planes };
}

function readByColumn(list: unknown, cols: number, where: string): Entries {
  const entries = readEntries(list, where);
  if (entries.length !== cols)
    throw rangeError('ERR_MODEL', plural(cols, 'number'), `${where}, one for each weight,`, entries.length);
  return entries;
}

function proofsOf({ inverseScale, centre, planes }: ReadProofs): PlaneProof[] {
  const cols = inverseScale.length;
  checkNumbers((1 + (centre ? 1 : planes.filter(Boolean).length)) * cols, 2 * MAX_COLUMNS, 'scales and centres');
  const none = new Float64Array(0);
  const [scales, common] = [byColumn(inverseScale), centre && byColumn(centre)];
  return planes.map((proof) => {
    if (!proof) return { ...UNBOUNDED, inverseScale: none, centre: none };
    return { ...proof, inverseScale: scales, centre: common ?? byColumn(proof.centre!) };
  });
}

function byColumn({ length, indices, values }: Entries): Float64Array {
  const all = zeros(length);
  for (let k = 0; k < indices.length; k++) all[indices[k]!] = values[k]!;
  return all;
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

/** Refuses more weights than memory holds. Several planes may claim together what one may not. */
function checkWeights(count: number): void {
  checkNumbers(count, MAX_COLUMNS, 'weights');
}

/** Refuses more numbers than memory holds; up to `always` of them are let pass. */
function checkNumbers(count: number, always: number, what: string): void {
  if (count > always && 8 * count > availableMemory()) throw tooMany(count, what);
}

function tooMany(count: number, what: string, cause?: unknown): Error {
  return coded(RangeError, 'ERR_MODEL', `Expected as many ${what} as memory holds for json but received ${count}`, cause);
}

/** Zeros take no memory until they are written, so that those of a sparse form, which claims any length, cost nothing here. */
function zeros(length: number): Float64Array {
  try {
    return new Float64Array(length);
  } catch (error) {
    throw tooMany(length, 'weights', error);
  }
}
