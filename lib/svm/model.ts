/** A linear model, and its decision values for points. */
import { kernels } from '../backend/load.js';
import { Dataset } from '../data/dataset.js';
import { coded, plural, rangeError, show, typeError } from '../errors.js';
import type { DecisionsInput } from '../input/resolve-decisions.js';
import { isRevoked, isShared, isTypedArray } from '../input/intrinsics.js';
import { checkKeys } from '../input/keys.js';
import { isList, pointLength } from '../input/lists.js';
import { finite } from '../input/numbers.js';
import type { Label, Point } from '../types.js';

export interface Model<L extends Label = Label> {
  readonly weights: Float64Array;
  readonly bias: number;
  readonly labels: readonly [negative: L, positive: L];
  /** The names of the columns, if the points had them. */
  readonly columns?: readonly string[] | undefined;
}

/** A tie is negative. */
export function labelOf<L extends Label>({ labels }: Model<L>, value: number): L {
  return labels[value > 0 ? 1 : 0];
}

/**
 * weights·x + bias for points, which are read where they are. The caller's array is not written if something is wrong with the points;
 * only a sum of a Dataset that overflows is found after it was written.
 */
export function decide({ weights, bias }: Model, { source, values, threads }: DecisionsInput): Float64Array {
  const { rows, view, dataset } = source;
  const { Matrix, decidePoints } = kernels();
  let bad: number;
  if (dataset) {
    const { matrix, shifted } = Dataset.dataOf(dataset);
    if (shifted) {
      const shift = new Float64Array(source.kept);
      const used = matrix.used();
      matrix.shift(shift);
      shift.forEach((s, j) => (bias += s * weights[used ? used[j]! : j]!));
    }
    bad = matrix.decide(weights, bias, values, threads);
  } else if (rows === 0) {
    bad = 0;
  } else if (view.arguments.some((list) => isTypedArray(list) && isShared(list))) {
    // Shared memory is copied first, as other threads may write to it meanwhile.
    const matrix = new Matrix(view.refuse, threads, ...view.arguments);
    const own = new Float64Array(rows);
    bad = matrix.decide(weights, bias, own, threads);
    matrix.dispose();
    if (bad === rows) values.set(own);
  } else {
    bad = decidePoints(view.refuse, threads, weights, bias, values, ...view.arguments);
  }
  if (bad < rows) throw overflow(`row ${bad}`);
  return values;
}

/** weights·x + bias for one point. In JavaScript: a native call would only add cost. */
export function decisionOf(model: Model, point: Point): number {
  try {
    return valueOf(model, point);
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

function valueOf({ weights, bias }: Model, point: Point): number {
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

function overflow(where: string): Error {
  return coded(RangeError, 'ERR_POINTS', `Expected smaller numbers for ${where} but its decision value overflows`);
}
