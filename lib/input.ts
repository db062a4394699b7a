/** User values → checked, resolved values. The only place that checks: what passes here is taken as valid everywhere else. */
import { types } from 'node:util';
import {
  defaultThreads,
  kernels,
  type Backend,
  type CopyProblem,
  type EspFamily,
  type EspProblem,
  type Matrix,
} from './backend.js';
import { coded, plural, rangeError, show, typeError, Verbatim } from './errors.js';
import { KIND } from './facts.js';
import { cholesky } from './gaussian.js';
import { stop } from './stopping.js';
import type {
  DatasetOptions,
  DenseMatrix,
  Ellipsoid,
  Ellipsoids,
  EspOptions,
  EspProgress,
  Label,
  Rows,
  Scale,
  SparseMatrix,
  StopRule,
  SvmOptions,
  SvmProgress,
} from './types.js';

type Data = Float64Array | Float32Array;

/** Rows and columns are numbered with 32 bits. */
const MOST = 4294967294;

// ---- Options

/** Refuses option names that are not known, with a suggestion where one is near. */
export function checkOptionNames(options: unknown, known: readonly string[]): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw typeError('ERR_OPTION', 'an object', 'options', options);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const near = known.find((k) => k.toLowerCase() === name.toLowerCase()) ?? nearest(name, known);
    throw coded(
      TypeError,
      'ERR_OPTION',
      `Unknown option ${show(name)}${near === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${show(near)}?`}`,
    );
  }
}

/** The known name that shares a beginning, or is few edits away. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((k) => ({ k, d: distance(name.toLowerCase(), k.toLowerCase()) }))
    .sort((a, b) => a.d - b.d)
    .find(({ k, d }) => d <= Math.max(2, k.length / 3) || (name.length >= 4 && k.startsWith(name)));
  return near?.k;
}

/** Levenshtein's distance. Names longer than any option are not worth comparing. */
function distance(a: string, b: string): number {
  if (a.length > 40) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}

export function resolveThreads(threads: unknown): number {
  if (threads === undefined) return defaultThreads();
  if (typeof threads !== 'number') throw typeError('ERR_OPTION', 'an integer from 1 to 256', 'options.threads', threads);
  if (!Number.isInteger(threads) || threads < 1 || threads > 256) {
    throw rangeError('ERR_OPTION', 'an integer from 1 to 256', 'options.threads', threads);
  }
  return threads;
}

export function resolveBackend(choice: unknown): Backend {
  if (choice === undefined || choice === 'auto' || choice === 'native' || choice === 'js') return kernels(choice);
  const error = typeof choice === 'string' ? rangeError : typeError;
  throw error('ERR_OPTION', "'auto', 'native' or 'js'", 'options.backend', choice);
}

// ---- Points

/** Copies points into a backend's matrix, checking them on the way. The user's arrays are not kept. */
export function copyPoints(points: unknown, backend: Backend, threads: number, orDataset = true): Matrix {
  if (Array.isArray(points)) return copyRows(points as Rows, backend, threads);
  if (typeof points === 'object' && points !== null) {
    if ('data' in points) return copyDense(points as DenseMatrix, backend, threads);
    if ('indptr' in points) return copySparse(points as SparseMatrix, backend, threads);
  }
  const forms = ['rows of numbers', '{ data, rows, cols }', '{ indptr, indices, rows, cols }', ...(orDataset ? ['a Dataset'] : [])];
  throw typeError('ERR_POINTS', `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`, 'points', points);
}

function copyRows(points: Rows, backend: Backend, threads: number): Matrix {
  const rows = points.length;
  if (rows === 0) throw rangeError('ERR_POINTS', 'at least one row', 'points', new Verbatim('none'));
  // Each row is read once: what a getter or proxy answers the second time may be something else.
  const list: ArrayLike<number>[] = [];
  let cols = 0;
  for (let i = 0; i < rows; i++) {
    const row: unknown = points[i];
    const length = rowLength(row, i);
    if (i === 0) cols = length;
    if (length !== cols) throw rangeError('ERR_POINTS', plural(cols, 'number'), `points[${i}], as in points[0],`, length);
    list.push(row as ArrayLike<number>);
  }
  const data = allocate(rows, cols);
  list.forEach((row, i) => {
    for (let j = 0; j < cols; j++) {
      const value: unknown = row[j];
      if (typeof value !== 'number') throw typeError('ERR_POINTS', 'a finite number', `points[${i}][${j}]`, value);
      data[i * cols + j] = value;
    }
  });
  return new backend.Matrix(
    ({ at }) => {
      throw rangeError('ERR_POINTS', 'a finite number', `points[${Math.floor(at / cols)}][${at % cols}]`, data[at]);
    },
    threads,
    data,
    rows,
    cols,
  );
}

function rowLength(row: unknown, i: number): number {
  const length = typeof row === 'object' ? (row as ArrayLike<number> | null)?.length : undefined;
  if (!Number.isInteger(length) || length! < 0) throw typeError('ERR_POINTS', 'a row of numbers', `points[${i}]`, row);
  return length!;
}

function allocate(rows: number, cols: number): Float64Array {
  try {
    return new Float64Array(rows * cols);
  } catch {
    throw rangeError('ERR_POINTS', 'numbers that fit in memory', 'points', new Verbatim(`${rows} × ${cols}`));
  }
}

function copyDense(points: DenseMatrix, backend: Backend, threads: number): Matrix {
  const { data } = points;
  const rows = size(points.rows, 'points.rows', 1);
  const cols = size(points.cols, 'points.cols', 0);
  if (!isData(data)) {
    throw typeError('ERR_POINTS', 'a Float64Array or Float32Array', 'points.data', data);
  }
  if (data.length !== rows * cols) {
    throw rangeError('ERR_POINTS', `rows × cols = ${plural(rows * cols, 'number')}`, 'points.data', data.length);
  }
  return new backend.Matrix(
    ({ at }) => {
      const where = `points.data[${at}] (row ${Math.floor(at / cols)}, column ${at % cols})`;
      throw rangeError('ERR_POINTS', 'a finite number', where, data[at]);
    },
    threads,
    data,
    rows,
    cols,
  );
}

function copySparse({ rows, cols, ...given }: SparseMatrix, backend: Backend, threads: number): Matrix {
  rows = size(rows, 'points.rows', 1);
  cols = size(cols, 'points.cols', 0);
  const indptr = offsets(given.indptr, 'points.indptr');
  const indices = offsets(given.indices, 'points.indices');
  const values = optionalValues(given.values);
  if (indptr.length !== rows + 1) throw rangeError('ERR_POINTS', `rows + 1 = ${rows + 1} offsets`, 'points.indptr', indptr.length);
  if (values && values.length !== indices.length) {
    throw rangeError('ERR_POINTS', plural(indices.length, 'number'), 'points.values, as in points.indices,', values.length);
  }
  return new backend.Matrix(
    (problem) => {
      throw sparseError(problem, given, cols, indices.length);
    },
    threads,
    indptr,
    indices,
    values,
    rows,
    cols,
  );
}

type Lists = Pick<SparseMatrix, 'indptr' | 'indices' | 'values'>;

function sparseError({ problem, row, at }: CopyProblem, { indptr, indices, values }: Lists, cols: number, entries: number): Error {
  switch (problem) {
    case 'bad-start': {
      const what = at === 0 ? '0' : `an offset from ${indptr[at - 1]} to ${entries}`;
      return rangeError('ERR_POINTS', what, `points.indptr[${at}]`, indptr[at]);
    }
    case 'bad-range': {
      const what = cols === 0 ? 'no column, as points.cols is 0,' : `a column from 0 to ${cols - 1}`;
      return rangeError('ERR_POINTS', what, `points.indices[${at}] (row ${row})`, indices[at]);
    }
    case 'bad-order':
      return coded(
        RangeError,
        'ERR_POINTS',
        `Expected ascending column indices in row ${row} but received ${indices[at]} after ${indices[at - 1]}`,
      );
    case 'not-finite':
      return rangeError('ERR_POINTS', 'a finite number', `points.values[${at}]`, values?.[at]);
  }
}

/** Whatever realm (vm context) it comes from, and nothing that only looks like one. */
function isData(value: unknown): value is Data {
  return types.isFloat64Array(value) || types.isFloat32Array(value);
}

/** Offsets and indices as unsigned 32-bit numbers; a negative one becomes a huge one, which the copy refuses. */
function offsets(list: unknown, where: string): Uint32Array {
  if (types.isUint32Array(list)) return list;
  // A detached buffer, of length 0, cannot be viewed.
  if (types.isInt32Array(list))
    return list.length === 0 ? new Uint32Array(0) : new Uint32Array(list.buffer, list.byteOffset, list.length);
  if (!Array.isArray(list)) throw typeError('ERR_POINTS', 'an Int32Array, Uint32Array or array of integers', where, list);
  const bad = list.findIndex((v) => !Number.isInteger(v) || v < 0 || v > 0xffffffff);
  if (bad >= 0) throw rangeError('ERR_POINTS', 'an integer from 0 to 4294967295', `${where}[${bad}]`, list[bad]);
  return Uint32Array.from(list as number[]);
}

function optionalValues(list: unknown): Data | undefined {
  if (list === undefined || isData(list)) return list;
  if (!Array.isArray(list)) {
    throw typeError('ERR_POINTS', 'a Float64Array, Float32Array or array of numbers', 'points.values', list);
  }
  const bad = list.findIndex((v) => typeof v !== 'number');
  if (bad >= 0) throw typeError('ERR_POINTS', 'a finite number', `points.values[${bad}]`, list[bad]);
  return Float64Array.from(list as number[]);
}

function size(value: unknown, where: string, least: number): number {
  const what = `an integer from ${least} to ${MOST}`;
  if (typeof value !== 'number') throw typeError('ERR_POINTS', what, where, value);
  if (!Number.isInteger(value) || value < least || value > MOST) throw rangeError('ERR_POINTS', what, where, value);
  return value;
}

// ---- Datasets

const DATASET_OPTIONS = ['backend', 'threads'] as const satisfies readonly (keyof DatasetOptions)[];

export function resolveDatasetOptions(options: DatasetOptions | undefined): { backend: Backend; threads: number } {
  checkOptionNames(options, DATASET_OPTIONS);
  return { backend: resolveBackend(options?.backend), threads: resolveThreads(options?.threads) };
}

// ---- Labels

export interface Labels {
  readonly labels: readonly [negative: Label, positive: Label];
  /** ±1 by row. */
  readonly y: Int8Array;
}

/** Labels as ±1: of two kinds that are found in the list itself, or `known` beforehand. */
export function resolveLabels(
  list: unknown,
  rows: number,
  { positive, known }: { positive?: unknown; known?: readonly [Label, Label] },
): Labels {
  const length = (list as ArrayLike<unknown> | null | undefined)?.length;
  if (typeof list !== 'object' || !Number.isInteger(length)) throw typeError('ERR_LABELS', 'an array of labels', 'labels', list);
  const given = list as ArrayLike<Label>;
  if (length !== rows) throw rangeError('ERR_LABELS', `${rows} of them`, 'labels, one for each row of points,', length);
  const seen: Label[] = known ? [...known] : [];
  const type = typeof (known ? known[0] : given[0]);
  if (type !== 'number' && type !== 'string' && type !== 'boolean') {
    throw typeError('ERR_LABELS', 'a number, string or boolean', 'labels[0]', given[0]);
  }
  const y = new Int8Array(rows);
  for (let i = 0; i < rows; i++) {
    const label = given[i]!;
    let k = seen.indexOf(label);
    if (k < 0) {
      const as = known ? `as the model's labels` : 'as in labels[0]';
      if (typeof label !== type) throw typeError('ERR_LABELS', `a ${type}`, `labels[${i}], ${as},`, label);
      if (type === 'number' && !Number.isFinite(label)) throw rangeError('ERR_LABELS', 'a finite number', `labels[${i}]`, label);
      if (known) throw rangeError('ERR_LABELS', `${show(known[0])} or ${show(known[1])}`, `labels[${i}]`, label);
      k = seen.push(label) - 1;
      if (k === 2) {
        const three = seen.map(show).join(', ');
        throw coded(RangeError, 'ERR_LABELS', `Expected two distinct labels but received at least three: ${three}`);
      }
    }
    y[i] = k;
  }
  if (seen.length < 2) throw coded(RangeError, 'ERR_LABELS', `Expected two distinct labels but every label is ${show(seen[0])}`);
  let [negative, larger] = seen as [Label, Label];
  if (!known && negative > larger) [negative, larger] = [larger, negative];
  if (positive !== undefined && positive !== larger) {
    if (positive !== negative) {
      throw rangeError('ERR_OPTION', `${show(negative)} or ${show(larger)}`, 'options.positive, as in labels,', positive);
    }
    [negative, larger] = [larger, negative];
  }
  const up = seen.indexOf(larger);
  for (let i = 0; i < rows; i++) y[i] = y[i] === up ? 1 : -1;
  return { labels: [negative, larger], y };
}

// ---- Fits

export interface Fit {
  readonly gamma: number;
  readonly mu: number;
  /** gamma by row, or one for all */
  readonly gammas: Float64Array;
  readonly scale: Scale;
  readonly warmStart: { readonly weights: ArrayLike<number>; readonly bias: number } | undefined;
  readonly keepSets: boolean;
  readonly L: 'measured' | 'norm' | 'paper';
  readonly resting: boolean;
  readonly checkEvery: number;
  readonly rules: readonly StopRule[];
  readonly maxIterations: number;
  readonly timeLimit: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: SvmProgress) => void) | undefined;
}

const SVM_OPTIONS = [
  'gamma',
  'C',
  'mu',
  'classWeight',
  'sampleWeight',
  'scale',
  'positive',
  'warmStart',
  'keepSets',
  'L',
  'resting',
  'checkEvery',
  'stop',
  'maxIterations',
  'timeLimit',
  'signal',
  'onProgress',
  'threads',
  'backend',
] as const satisfies readonly (keyof SvmOptions)[];

/** What can be checked before the points are looked at. */
export function checkSvmOptions(options: SvmOptions | undefined): void {
  checkOptionNames(options, SVM_OPTIONS);
}

/** Everything but points, labels, backend and threads. */
export function resolveFit(options: SvmOptions, rows: number, cols: number, sparse: boolean, { labels, y }: Labels): Fit {
  // gamma, C, mu
  const C = optional(options.C, 'C', sensibleNumber);
  const given = optional(options.gamma, 'gamma', sensibleNumber);
  if (C !== undefined && given !== undefined && C !== given) {
    throw coded(
      RangeError,
      'ERR_OPTION',
      `Expected one number for options.gamma and its other name C but received ${given} and ${C}`,
    );
  }
  const gamma = given ?? C ?? 64 / rows;
  const mu = optional(options.mu, 'mu', sensibleNumber) ?? 1 / (2 * gamma);
  // Weights
  const gammas = weights(options, gamma, rows, labels, y);
  // Scaling
  const scale = optional(options.scale, 'scale', oneOfThese('auto', 'none', 'standard', 'maxabs')) ?? 'auto';
  // The step size
  const L = optional(options.L, 'L', oneOfThese('measured', 'norm', 'paper')) ?? 'measured';
  const resting = optional(options.resting, 'resting', boolean) ?? L === 'measured';
  if (resting && L !== 'measured') {
    throw rangeError('ERR_OPTION', 'false', `options.resting with L: '${L}', which needs every row in every step,`, true);
  }
  // Stopping
  const rules = stopRules(options.stop);
  const checkEvery =
    optional(options.checkEvery, 'checkEvery', integer(1, 1_000_000)) ?? (rules.some((r) => r.everyIteration) ? 1 : 5);
  if (checkEvery > 1 && rules.some((r) => r.everyIteration)) {
    const { name } = rules.find((r) => r.everyIteration)!;
    throw rangeError('ERR_OPTION', '1', `options.checkEvery with the rule ${show(name)}, which sees every iteration,`, checkEvery);
  }
  return {
    gamma,
    mu,
    gammas,
    scale: scale === 'auto' ? (sparse ? 'maxabs' : 'standard') : scale,
    warmStart: warmStart(options.warmStart, cols),
    keepSets: optional(options.keepSets, 'keepSets', boolean) ?? false,
    L,
    resting,
    checkEvery,
    rules,
    maxIterations: optional(options.maxIterations, 'maxIterations', integer(1, 1e9)) ?? 10_000,
    timeLimit: optional(options.timeLimit, 'timeLimit', positiveNumber) ?? Infinity,
    signal: optional(options.signal, 'signal', abortSignal),
    onProgress: optional(options.onProgress, 'onProgress', callback<SvmProgress>),
  };
}

const HUGE = 1e100;

function abortSignal(value: unknown, where: string): AbortSignal {
  if (!(value instanceof AbortSignal)) throw typeError('ERR_OPTION', 'an AbortSignal', where, value);
  return value;
}

function callback<T>(value: unknown, where: string): (argument: T) => void {
  if (typeof value !== 'function') throw typeError('ERR_OPTION', 'a function', where, value);
  return value as (argument: T) => void;
}

function optional<T>(value: unknown, name: string, check: (value: unknown, where: string) => T): T | undefined {
  return value === undefined ? undefined : check(value, `options.${name}`);
}

function positiveNumber(value: unknown, where: string): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', 'a positive number', where, value);
  if (!(value > 0 && value < Infinity)) throw rangeError('ERR_OPTION', 'a positive number', where, value);
  return value;
}

/** A positive number that can be squared and inverted. */
function sensibleNumber(value: unknown, where: string): number {
  const number = positiveNumber(value, where);
  if (number < 1 / HUGE || number > HUGE) throw rangeError('ERR_OPTION', `a number from ${1 / HUGE} to ${HUGE}`, where, value);
  return number;
}

function boolean(value: unknown, where: string): boolean {
  if (typeof value !== 'boolean') throw typeError('ERR_OPTION', 'true or false', where, value);
  return value;
}

function integer(least: number, most: number) {
  return (value: unknown, where: string): number => {
    const what = `an integer from ${least} to ${most}`;
    if (typeof value !== 'number') throw typeError('ERR_OPTION', what, where, value);
    if (!Number.isInteger(value) || value < least || value > most) throw rangeError('ERR_OPTION', what, where, value);
    return value;
  };
}

function oneOfThese<T extends string>(...allowed: T[]) {
  return (value: unknown, where: string): T => {
    if (allowed.includes(value as T)) return value as T;
    const names = allowed.map((a) => `'${a}'`);
    const what = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    throw (typeof value === 'string' ? rangeError : typeError)('ERR_OPTION', what, where, value);
  };
}

function stopRules(given: unknown): readonly StopRule[] {
  if (given === undefined) return [stop.agreement(0.99), stop.gap(1e-4)];
  const rules = (Array.isArray(given) ? given : [given]) as StopRule[];
  rules.forEach((rule, k) => {
    const where = Array.isArray(given) ? `options.stop[${k}]` : 'options.stop';
    if (typeof rule?.start !== 'function') throw typeError('ERR_OPTION', 'a rule such as stop.gap(1e-3)', where, rule);
  });
  if (rules.length === 0) throw rangeError('ERR_OPTION', 'at least one rule', 'options.stop', new Verbatim('none'));
  return rules;
}

function warmStart(given: unknown, cols: number): Fit['warmStart'] {
  if (given === undefined) return undefined;
  const { weights, bias } = (given ?? {}) as { weights?: ArrayLike<number>; bias?: number };
  if (typeof weights !== 'object' || typeof weights?.length !== 'number' || typeof bias !== 'number') {
    throw typeError('ERR_OPTION', 'a model, with weights and bias,', 'options.warmStart', given);
  }
  if (weights.length !== cols) {
    throw rangeError(
      'ERR_OPTION',
      plural(cols, 'number'),
      'options.warmStart.weights, one for each column of points,',
      weights.length,
    );
  }
  for (let j = 0; j < cols; j++) {
    if (!Number.isFinite(weights[j]))
      throw rangeError('ERR_OPTION', 'a finite number', `options.warmStart.weights[${j}]`, weights[j]);
  }
  if (!Number.isFinite(bias)) throw rangeError('ERR_OPTION', 'a finite number', 'options.warmStart.bias', bias);
  return { weights: Float64Array.from(weights), bias }; // a copy: an async fit gets to it later
}

/** gamma by row, times the class's and the row's weight; or one for all. */
function weights(options: SvmOptions, gamma: number, rows: number, labels: Labels['labels'], y: Int8Array): Float64Array {
  const { classWeight, sampleWeight } = options;
  const [negative, positive] = classFactors(classWeight, labels, y);
  const uniform = classWeight === undefined && sampleWeight === undefined;
  const gammas = uniform ? Float64Array.of(gamma) : Float64Array.from(y, (label) => gamma * (label > 0 ? positive : negative));
  if (sampleWeight !== undefined) {
    if (typeof sampleWeight !== 'object' || !Number.isInteger(sampleWeight?.length)) {
      throw typeError('ERR_OPTION', 'an array of numbers', 'options.sampleWeight', sampleWeight);
    }
    if (sampleWeight.length !== rows) {
      throw rangeError(
        'ERR_OPTION',
        plural(rows, 'number'),
        'options.sampleWeight, one for each row of points,',
        sampleWeight.length,
      );
    }
    for (let i = 0; i < rows; i++) gammas[i]! *= weight(sampleWeight[i], `options.sampleWeight[${i}]`);
  }
  for (const [sign, label] of [
    [-1, labels[0]],
    [1, labels[1]],
  ] as const) {
    if (!uniform && gammas.every((g, i) => y[i] !== sign || g === 0)) {
      throw coded(
        RangeError,
        'ERR_OPTION',
        `Expected a positive weight for some row of class ${show(label)} but all of them are 0`,
      );
    }
  }
  const bad = gammas.findIndex((g) => g > HUGE);
  if (bad >= 0) throw rangeError('ERR_OPTION', `at most ${HUGE}`, `gamma times the weights of row ${bad}`, gammas[bad]);
  return gammas;
}

function classFactors(classWeight: unknown, labels: Labels['labels'], y: Int8Array): [negative: number, positive: number] {
  if (classWeight === undefined) return [1, 1];
  if (classWeight === 'balanced') {
    const positives = y.reduce((count, label) => count + (label > 0 ? 1 : 0), 0);
    return [y.length / (2 * (y.length - positives)), y.length / (2 * positives)];
  }
  if (typeof classWeight !== 'object' || classWeight === null) {
    const error = typeof classWeight === 'string' ? rangeError : typeError;
    throw error('ERR_OPTION', "'balanced', a Map or an object", 'options.classWeight', classWeight);
  }
  const entries = classWeight instanceof Map ? [...(classWeight as Map<unknown, unknown>)] : Object.entries(classWeight);
  const factors: [number, number] = [1, 1];
  for (const [key, value] of entries) {
    const k = labels.findIndex((label) => label === key || (!(classWeight instanceof Map) && String(label) === key));
    if (k < 0) {
      throw rangeError(
        'ERR_OPTION',
        `${show(labels[0])} or ${show(labels[1])}`,
        'a key of options.classWeight, as in labels,',
        key,
      );
    }
    factors[k] = weight(value, `options.classWeight[${show(key)}]`);
  }
  return factors;
}

function weight(value: unknown, where: string): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', 'a number of 0 or more', where, value);
  if (!(value >= 0 && value < Infinity)) throw rangeError('ERR_OPTION', 'a number of 0 or more', where, value);
  return value;
}

// ---- Ellipsoids

/** Everything but the families, backend and threads. */
export interface EspFit {
  readonly goal: 'any' | 'widest' | 'converged';
  readonly tolerance: number;
  readonly touching: number;
  readonly test: 'best' | 'paper';
  readonly L: 'measured' | 'paper';
  readonly restart: boolean;
  readonly maxIterations: number;
  readonly timeLimit: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: EspProgress) => void) | undefined;
}

const ESP_OPTIONS = [
  'goal',
  'tolerance',
  'test',
  'L',
  'restart',
  'maxIterations',
  'timeLimit',
  'signal',
  'onProgress',
  'threads',
  'backend',
] as const satisfies readonly (keyof EspOptions)[];

export function resolveEspOptions(options: EspOptions): EspFit {
  checkOptionNames(options, ESP_OPTIONS);
  const goal = optional(options.goal, 'goal', oneOfThese('any', 'widest', 'converged')) ?? 'any';
  const tolerance = optional(options.tolerance, 'tolerance', share) ?? (goal === 'widest' ? 1e-4 : 1e-6);
  const L = optional(options.L, 'L', oneOfThese('measured', 'paper')) ?? 'measured';
  return {
    goal,
    tolerance,
    touching: goal === 'any' ? tolerance : 1e-6,
    test: optional(options.test, 'test', oneOfThese('best', 'paper')) ?? 'best',
    L,
    restart: optional(options.restart, 'restart', boolean) ?? L === 'measured',
    maxIterations: optional(options.maxIterations, 'maxIterations', integer(1, 1e9)) ?? 10_000,
    timeLimit: optional(options.timeLimit, 'timeLimit', positiveNumber) ?? Infinity,
    signal: optional(options.signal, 'signal', abortSignal),
    onProgress: optional(options.onProgress, 'onProgress', callback<EspProgress>),
  };
}

/** Strictly between 0 and 1. */
function share(value: unknown, where: string): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', 'a number between 0 and 1', where, value);
  if (!(value > 0 && value < 1)) throw rangeError('ERR_OPTION', 'a number between 0 and 1', where, value);
  return value;
}

/** A family and how to name its entries. */
interface Family extends EspFamily, Wanted {
  readonly value: (part: number, at: number) => { where: string; value: unknown };
}

/** Copies two families into a backend's problem, checking them on the way. The user's arrays are not kept. */
export function copyEllipsoids(
  first: unknown,
  second: unknown,
  backend: Backend,
  threads: number,
): { problem: EspProblem; counts: [number, number]; cols: number } {
  const a = family(first, 'first');
  const b = family(second, 'second', a);
  const problem = new backend.Esp(
    (which, part, at) => {
      const { where, value } = (which === 0 ? a : b).value(part, at);
      throw rangeError('ERR_ELLIPSOIDS', 'a finite number', where, value);
    },
    threads,
    a.cols,
    a.centers,
    a.kinds,
    a.shapes,
    b.centers,
    b.kinds,
    b.shapes,
  );
  return { problem, counts: [a.kinds.length, b.kinds.length], cols: a.cols };
}

/** The number of columns, and where it comes from. */
interface Wanted {
  readonly cols: number;
  readonly as: string;
}

function family(given: unknown, name: string, wanted?: Wanted): Family {
  if (Array.isArray(given)) return listedFamily(given as Ellipsoid[], name, wanted);
  if (typeof given === 'object' && given !== null && 'centers' in given && 'shapes' in given) {
    return blockFamily(given as Exclude<Ellipsoids, readonly Ellipsoid[]>, name, wanted);
  }
  throw typeError('ERR_ELLIPSOIDS', 'an array of ellipsoids or { centers, shapes }', name, given);
}

function blockFamily(given: { centers: DenseMatrix; shapes: DenseMatrix }, name: string, wanted?: Wanted): Family {
  const centers = block(given.centers, `${name}.centers`);
  const shapes = block(given.shapes, `${name}.shapes`);
  if (wanted && centers.cols !== wanted.cols) {
    throw rangeError('ERR_ELLIPSOIDS', `${wanted.cols} columns, as in ${wanted.as},`, `${name}.centers.cols`, centers.cols);
  }
  for (const side of ['rows', 'cols'] as const) {
    if (shapes[side] !== centers[side]) {
      throw rangeError('ERR_ELLIPSOIDS', `${centers[side]}, as in ${name}.centers,`, `${name}.shapes.${side}`, shapes[side]);
    }
  }
  const { cols } = centers;
  return {
    cols,
    as: `${name}.centers`,
    centers: centers.data,
    kinds: new Uint8Array(centers.rows).fill(KIND.diagonal),
    shapes: shapes.data,
    value: (part, at) => {
      const data = part === 0 ? centers.data : shapes.data;
      return { where: `${name}.${part === 0 ? 'centers' : 'shapes'}.data[${at}]`, value: data[at] };
    },
  };
}

function block(given: unknown, where: string): DenseMatrix {
  if (typeof given !== 'object' || given === null) throw typeError('ERR_ELLIPSOIDS', '{ data, rows, cols }', where, given);
  const { data, rows, cols } = given as DenseMatrix;
  for (const [value, side, least] of [[rows, 'rows', 1], [cols, 'cols', 0]] as const) {
    const what = `an integer from ${least} to 4294967294`;
    if (typeof value !== 'number') throw typeError('ERR_ELLIPSOIDS', what, `${where}.${side}`, value);
    if (!Number.isInteger(value) || value < least || value > 4294967294) {
      throw rangeError('ERR_ELLIPSOIDS', what, `${where}.${side}`, value);
    }
  } // prettier-ignore
  if (!isData(data)) throw typeError('ERR_ELLIPSOIDS', 'a Float64Array or Float32Array', `${where}.data`, data);
  if (data.length !== rows * cols) {
    throw rangeError('ERR_ELLIPSOIDS', `rows × cols = ${rows * cols} numbers`, `${where}.data`, data.length);
  }
  return { data, rows, cols };
}

function listedFamily(list: Ellipsoid[], name: string, wanted?: Wanted): Family {
  if (list.length === 0) throw rangeError('ERR_ELLIPSOIDS', 'at least one ellipsoid', name, new Verbatim('none'));
  const centers: number[] = [];
  const shapes: number[] = [];
  const kinds = new Uint8Array(list.length);
  const starts: number[] = []; // where each shape begins
  const as = wanted?.as ?? `${name}[0].center`;
  let cols = wanted?.cols ?? -1;
  for (let i = 0; i < list.length; i++) {
    const ellipsoid: unknown = list[i];
    if (typeof ellipsoid !== 'object' || ellipsoid === null) {
      throw typeError('ERR_ELLIPSOIDS', 'an ellipsoid { center, shape }', `${name}[${i}]`, ellipsoid);
    }
    const { center, shape } = ellipsoid as Ellipsoid;
    const length = lengthOf(center, `${name}[${i}].center`);
    if (cols < 0) cols = length;
    if (length !== cols) throw rangeError('ERR_ELLIPSOIDS', `${cols} numbers, as in ${as},`, `${name}[${i}].center`, length);
    numbers(center, cols, `${name}[${i}].center`, centers);
    starts.push(shapes.length);
    kinds[i] = readShape(shape, cols, `${name}[${i}].shape`, shapes);
  }
  return {
    cols,
    as,
    centers: Float64Array.from(centers),
    kinds,
    shapes: Float64Array.from(shapes),
    value: (part, at) => {
      if (part === 0) return { where: `${name}[${Math.floor(at / cols) || 0}].center[${at % cols || 0}]`, value: centers[at] };
      const i = starts.findLastIndex((start) => start <= at);
      const k = at - starts[i]!;
      const inside = kinds[i] === KIND.ball ? '' : kinds[i] === KIND.diagonal ? `[${k}]` : `[${Math.floor(k / cols)}][${k % cols}]`;
      return { where: `${name}[${i}].shape${inside}`, value: shapes[at] };
    },
  };
}

function lengthOf(list: unknown, where: string): number {
  const length = typeof list === 'object' ? (list as ArrayLike<number> | null)?.length : undefined;
  if (!Number.isInteger(length) || length! < 0) throw typeError('ERR_ELLIPSOIDS', 'an array of numbers', where, list);
  return length!;
}

/** Appends numbers of the right kind; whether they are finite is seen when they are copied. */
function numbers(list: ArrayLike<number>, length: number, where: string, to: number[]): void {
  for (let j = 0; j < length; j++) {
    const value: unknown = list[j];
    if (typeof value !== 'number') throw typeError('ERR_ELLIPSOIDS', 'a finite number', `${where}[${j}]`, value);
    to.push(value);
  }
}

/** Appends a shape's entries; its kind. */
function readShape(shape: unknown, cols: number, where: string, to: number[]): number {
  if (shape === undefined || shape === 0) return KIND.point;
  if (typeof shape === 'number') {
    if (shape < 0) throw rangeError('ERR_ELLIPSOIDS', 'a radius of 0 or more', where, shape);
    to.push(shape);
    return KIND.ball;
  }
  const length = typeof shape === 'object' ? (shape as ArrayLike<unknown> | null)?.length : undefined;
  if (!Number.isInteger(length)) throw typeError('ERR_ELLIPSOIDS', 'a radius, a diagonal or rows of a matrix', where, shape);
  const list = shape as ArrayLike<unknown>;
  if (cols === 0 && length === 0) return KIND.point;
  const full = typeof list[0] === 'object';
  if (length !== cols) throw rangeError('ERR_ELLIPSOIDS', full ? `${cols} rows` : `${cols} numbers`, where, length);
  if (!full) {
    numbers(list as ArrayLike<number>, cols, where, to);
    return KIND.diagonal;
  }
  for (let r = 0; r < cols; r++) {
    const row = list[r] as ArrayLike<number>;
    const width = lengthOf(row, `${where}[${r}]`);
    if (width !== cols) throw rangeError('ERR_ELLIPSOIDS', `${cols} numbers`, `${where}[${r}]`, width);
    numbers(row, cols, `${where}[${r}]`, to);
  }
  return KIND.full;
}

/** A mean, the factor of its covariance (a diagonal of deviations, or rows), and the confidence. */
export function resolveCovariance(
  mean: unknown,
  covariance: unknown,
  options: { confidence?: number } | undefined,
): { center: Float64Array; deviations?: Float64Array; factor?: Float64Array[]; confidence: number } {
  checkOptionNames(options, ['confidence']);
  const confidence = optional(options?.confidence, 'confidence', share) ?? 0.95;
  const finite = (list: unknown, length: number | undefined, where: string): Float64Array => {
    const found = lengthOf(list, where);
    if (length !== undefined && found !== length) {
      throw rangeError('ERR_ELLIPSOIDS', `${length} numbers, as in mean,`, where, found);
    }
    const all: number[] = [];
    numbers(list as ArrayLike<number>, found, where, all);
    const bad = all.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) throw rangeError('ERR_ELLIPSOIDS', 'a finite number', `${where}[${bad}]`, all[bad]);
    return Float64Array.from(all);
  };
  const center = finite(mean, undefined, 'mean');
  const d = center.length;
  const rows = covariance as ArrayLike<unknown>;
  if (lengthOf(covariance, 'covariance') !== d) {
    throw rangeError('ERR_ELLIPSOIDS', `${d} variances or rows, as in mean,`, 'covariance', rows.length);
  }
  if (d === 0 || typeof rows[0] !== 'object') {
    const variances = finite(covariance, d, 'covariance');
    const bad = variances.findIndex((value) => value < 0);
    if (bad >= 0) throw rangeError('ERR_ELLIPSOIDS', 'a variance of 0 or more', `covariance[${bad}]`, variances[bad]);
    return { center, deviations: variances.map(Math.sqrt), confidence };
  }
  const matrix = Array.from({ length: d }, (_, r) => finite(rows[r], d, `covariance[${r}]`));
  const outcome = cholesky(matrix);
  if ('factor' in outcome) return { center, factor: outcome.factor, confidence };
  const { row, col, value, expected } = outcome;
  if (row === col) {
    const what = 'a positive semidefinite matrix, whose pivots are 0 or more,';
    throw rangeError('ERR_ELLIPSOIDS', what, 'covariance', new Verbatim(`pivot ${value} at [${row}][${row}]`));
  }
  const what =
    expected === undefined
      ? `at most ${outcome.bound} in magnitude, as in every positive semidefinite matrix,`
      : `${expected}, as in covariance[${col}][${row}],`;
  throw rangeError(
    'ERR_ELLIPSOIDS',
    what,
    expected === undefined ? `what is left of covariance[${row}][${col}]` : `covariance[${row}][${col}]`,
    value,
  );
}
