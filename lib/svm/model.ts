/** A linear model, and its decision values for points. */
import type { Matrix } from '../backend/interface.js';
import { kernels } from '../backend/load.js';
import { Dataset } from '../data/dataset.js';
import type { Encoder } from '../data/encoder.js';
import { coded, plural, rangeError, show, typeError } from '../errors.js';
import type { ClassLabels } from '../input/labels.js';
import type { DecisionsInput } from '../input/resolve-decisions.js';
import { isRevoked, isShared, isTypedArray } from '../input/intrinsics.js';
import { checkKeys } from '../input/keys.js';
import { isList, pointLength } from '../input/lists.js';
import { finite } from '../input/numbers.js';
import type { Label, Point } from '../types.js';
import type { Calibration } from './calibration.js';
import type { PlaneBounds } from './certificate.js';

/** A plane: of two classes or of a pair of them, or, without a negative side, of one class against the rest. */
export interface Plane<L extends Label = Label> {
  /** The label above 0. */
  readonly positive: L;
  /** The label at or below 0; undefined: all others. */
  readonly negative?: L;
  readonly weights: Float64Array;
  readonly bias: number;
}

/** What is proved of the exact plane at any point, in the units of the points (method C11). */
export interface PlaneProof extends PlaneBounds {
  /** 1 / scale by column, 0 for one that was empty. */
  readonly inverseScale: Float64Array;
  readonly centre: Float64Array;
}

export interface Model<L extends Label = Label> {
  /** Ascending; of two, the positive one is the second. */
  readonly labels: ClassLabels<L>;
  /** One of two classes; of more, one a pair or one a class. */
  readonly planes: readonly Plane<L>[];
  /** The planes' weights, one after the other, and their biases. */
  readonly table: PlaneTable;
  /** By plane; undefined if the model was not trained here, or was stored without them. */
  readonly proofs: readonly PlaneProof[] | undefined;
  /** The names of the columns, if the points had them. */
  readonly columns?: readonly string[] | undefined;
  /** By plane, how its values become probabilities; undefined: the model estimates none. */
  readonly calibration?: readonly Calibration[] | undefined;
  /** What makes points of records, if the model was trained on records. */
  readonly encoder?: Encoder | undefined;
  /** With an encoder: the means of its columns in training. */
  readonly means?: Float64Array | undefined;
}

export interface PlaneTable {
  readonly weights: Float64Array;
  readonly biases: Float64Array;
}

/** Which classes a plane is between, by number. */
export interface Sides {
  readonly positive: number;
  /** undefined: all others. */
  readonly negative: number | undefined;
}

/** The planes of so many classes: for two, one; a pair each, the larger label positive, in the order of LIBSVM; or one a class. */
export function sidesOf(classes: number, way: 'pairs' | 'rest'): Sides[] {
  if (way === 'rest' && classes > 2) return Array.from({ length: classes }, (_, positive) => ({ positive, negative: undefined }));
  const sides: Sides[] = [];
  for (let negative = 0; negative < classes; negative++) {
    for (let positive = negative + 1; positive < classes; positive++) sides.push({ positive, negative });
  }
  return sides;
}

/** The labels on the sides of a plane. */
export function labelsOf<L extends Label>(
  labels: readonly L[],
  { positive, negative }: Sides,
): Pick<Plane<L>, 'positive' | 'negative'> {
  return { positive: labels[positive]!, ...(negative !== undefined && { negative: labels[negative]! }) };
}

/** A model from a table of planes. `planes` are views of the table. */
export function modelOf<L extends Label>(
  labels: ClassLabels<L>,
  sides: readonly Sides[],
  table: PlaneTable,
  more: Pick<Model<L>, 'proofs' | 'columns' | 'calibration' | 'encoder' | 'means'>,
): Model<L> {
  const cols = table.weights.length / sides.length;
  const planes = sides.map((side, p) => ({
    ...labelsOf(labels, side),
    weights: table.weights.subarray(p * cols, (p + 1) * cols),
    bias: table.biases[p]!,
  }));
  return { labels, planes, table, ...more };
}

/** Whether the planes of a model of several classes are between pairs. */
export function isPairs({ planes }: Pick<Model, 'planes'>): boolean {
  return planes[0]!.negative !== undefined;
}

/**
 * The planes' values for points, which are read where they are: rows × planes. The caller's array is not written if something is wrong with
 * the points; only a sum of a Dataset that overflows is found after it was written.
 */
export function decide(
  { table }: Pick<Model, 'table'>,
  { source, values, threads }: Pick<DecisionsInput, 'source' | 'values' | 'threads'>,
): Float64Array {
  const { rows, view, dataset } = source;
  const { weights, biases } = table;
  const { Matrix, decidePoints } = kernels();
  let bad: number;
  if (dataset) {
    const { matrix } = Dataset.dataOf(dataset);
    bad = matrix.decide(weights, shiftedBiases(matrix, table), values, threads);
  } else if (rows === 0) {
    bad = 0;
  } else if (view.arguments.some((list) => isTypedArray(list) && isShared(list))) {
    // Shared memory is copied first, as other threads may write to it meanwhile.
    const matrix = new Matrix(view.refuse, threads, ...view.arguments);
    const own = new Float64Array(rows * biases.length);
    bad = matrix.decide(weights, biases, own, threads);
    matrix.dispose();
    if (bad === rows) values.set(own);
  } else {
    bad = decidePoints(view.refuse, threads, weights, biases, values, ...view.arguments);
  }
  if (bad < rows) throw overflow(`row ${bad}`);
  return values;
}

/** How many rows of so many numbers each are a block of about `numbers`, so that little memory is held at a time. */
export function blockHeight(rows: number, width: number, numbers = 2 ** 20): number {
  return Math.min(rows, Math.max(1, Math.floor(numbers / width)));
}

/** The blocks of so many rows, one after the other. */
export function* blocksOf(rows: number, height: number): Generator<{ readonly begin: number; readonly end: number }> {
  for (let begin = 0; begin < rows; begin += height) yield { begin, end: Math.min(begin + height, rows) };
}

/**
 * The planes' values, of as many rows at a time as take little memory. The values are valid until the next block. Points that are not a
 * Dataset are copied if they need more than one.
 */
export function* decideInBlocks(
  model: Pick<Model, 'table'>,
  { source, threads }: Pick<DecisionsInput, 'source' | 'threads'>,
): Generator<{ readonly begin: number; readonly end: number; readonly values: Float64Array }> {
  const { rows, view, dataset } = source;
  const planes = model.table.biases.length;
  const height = blockHeight(rows, planes, 2 ** 22);
  if (rows === height) {
    yield { begin: 0, end: rows, values: decide(model, { source, threads, values: new Float64Array(rows * planes) }) };
    return;
  }
  const { Matrix } = kernels();
  const matrix = dataset ? Dataset.dataOf(dataset).matrix.share() : new Matrix(view.refuse, threads, ...view.arguments);
  try {
    const biases = shiftedBiases(matrix, model.table);
    const room = new Float64Array(height * planes);
    for (const { begin, end } of blocksOf(rows, height)) {
      const values = room.subarray(0, (end - begin) * planes);
      const bad = matrix.decide(model.table.weights, biases, values, threads, begin, end);
      if (bad < end) throw overflow(`row ${bad}`);
      yield { begin, end, values };
    }
  } finally {
    matrix.dispose();
  }
}

/** The planes' biases for a matrix from whose columns something was subtracted. */
export function shiftedBiases(matrix: Matrix, { weights, biases }: PlaneTable): Float64Array {
  const { kept, cols } = matrix.describe();
  const shift = new Float64Array(kept);
  matrix.shift(shift);
  if (shift.every((s) => s === 0)) return biases;
  const used = matrix.used();
  return biases.map((bias, p) => {
    const first = p * cols;
    shift.forEach((s, j) => (bias += s * weights[first + (used ? used[j]! : j)]!));
    return bias;
  });
}

/** A plane's value for one point. In JavaScript: a native call would only add cost. */
export function decisionOf(plane: Pick<Plane, 'weights' | 'bias'>, point: Point): number {
  try {
    return valueOf(plane, point);
  } catch (error) {
    throw revoked(point) ?? error; // only now: asking first would cost as much as the sum of a short point
  }
}

/** The error of a point that is, or holds, a revoked proxy. */
function revoked(point: unknown): Error | undefined {
  if (typeof point !== 'object' || point === null) return undefined;
  if (isRevoked(point)) return typeError('ERR_POINTS', POINT, 'point', point);
  for (const name of KEYS) {
    const list = (point as Record<string, unknown>)[name];
    if (isRevoked(list)) return typeError('ERR_POINTS', 'an array of numbers', `point.${name}`, list);
  }
  return undefined;
}

const POINT = 'an array of numbers or { indices, values }';

function valueOf({ weights, bias }: Pick<Plane, 'weights' | 'bias'>, point: Point): number {
  if (typeof point !== 'object' || point === null) throw typeError('ERR_POINTS', POINT, 'point', point);
  const d = weights.length;
  let s = 0;
  if ('indices' in point) {
    for (const name in point) if (name !== 'indices' && name !== 'values') checkKeys(point, KEYS, 'ERR_POINTS', 'point');
    const { indices, values } = point;
    const count = pointLength(indices, 'point.indices');
    if (values !== undefined && pointLength(values, 'point.values') !== count) {
      throw rangeError('ERR_POINTS', plural(count, 'number'), 'point.values, as in point.indices,', values.length);
    }
    let last = -1;
    for (let k = 0; k < count; k++) {
      const j = indices[k]!;
      if (!Number.isInteger(j) || j < 0 || j >= d) {
        throw rangeError('ERR_POINTS', d === 0 ? 'no entries' : `a column from 0 to ${d - 1}`, `point.indices[${k}]`, j);
      }
      if (j <= last) {
        throw coded(RangeError, 'ERR_POINTS', `Expected ascending column indices in the point but received ${j} after ${last}`);
      }
      last = j;
      const value = values ? values[k]! : 1;
      if (typeof value !== 'number' || value - value !== 0) finite(value, `point.values[${k}]`);
      s += weights[j]! * value;
    }
  } else {
    const length = pointLength(point, 'point');
    if (length !== d) {
      if (isList(point[0])) throw severalPoints(point);
      throw rangeError('ERR_POINTS', plural(d, 'number'), 'point, one for each weight of the model,', length);
    }
    s = dot(weights, point);
    // A value that is not finite never leaves a finite sum, so values are checked one by one only if the sum is not finite.
    if (!Number.isFinite(s)) {
      if (isList(point[0])) throw severalPoints(point);
      for (let j = 0; j < d; j++) finite(point[j], `point[${j}]`);
    }
  }
  s += bias;
  if (!Number.isFinite(s)) throw overflow('the point');
  return s;
}

const KEYS = ['indices', 'values'] as const;

function severalPoints(point: ArrayLike<unknown>): Error {
  const received = `rows: ${show(point[0])} for point[0]`;
  return coded(TypeError, 'ERR_POINTS', `Expected the numbers of one point but received ${received}; predict takes many points`);
}

/** weights·values; NaN if a value is not a number. Four sums, as the additions of one would wait for each other. */
function dot(weights: Float64Array, values: ArrayLike<unknown>): number {
  const d = weights.length;
  const whole = d - (d % 4);
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let j = 0; j < whole; j += 4) {
    const x0 = values[j];
    const x1 = values[j + 1];
    const x2 = values[j + 2];
    const x3 = values[j + 3];
    if (typeof x0 !== 'number' || typeof x1 !== 'number' || typeof x2 !== 'number' || typeof x3 !== 'number') return NaN;
    s0 += weights[j]! * x0;
    s1 += weights[j + 1]! * x1;
    s2 += weights[j + 2]! * x2;
    s3 += weights[j + 3]! * x3;
  }
  for (let j = whole; j < d; j++) {
    const x = values[j];
    if (typeof x !== 'number') return NaN;
    s0 += weights[j]! * x;
  }
  return s0 + s1 + (s2 + s3);
}

export function overflow(where: string): Error {
  return coded(RangeError, 'ERR_POINTS', `Expected smaller numbers for ${where} but its decision value overflows`);
}
