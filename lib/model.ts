/** What predicts: a linear model's values and its plain-data form. */
import { createHash } from 'node:crypto';
import { types } from 'node:util';
import { kernels } from './backend.js';
import { Dataset } from './dataset.js';
import { coded, plural, rangeError, show, typeError } from './errors.js';
import { resolveThreads, viewPoints } from './input/index.js';
import type { Label, Point, Points, SvmJSON } from './types.js';

export interface Model<L extends Label = Label> {
  readonly weights: Float64Array;
  readonly bias: number;
  readonly labels: readonly [negative: L, positive: L];
}

/** A tie is negative. */
export function labelOf<L extends Label>({ labels }: Model<L>, value: number): L {
  return labels[value > 0 ? 1 : 0];
}

/**
 * weights·x + bias for points, which are looked at where they are. `out` is not written if something is wrong with them; that a
 * Dataset's sum overflows is known only once it is.
 */
export function decisions({ weights, bias }: Model, points: Points, out?: Float64Array): Float64Array {
  if (out !== undefined && !(out instanceof Float64Array)) throw typeError('ERR_OPTION', 'a Float64Array', 'out', out);
  const threads = resolveThreads(undefined);
  const room = (rows: number, cols: number): Float64Array => {
    if (cols !== weights.length) {
      throw rangeError('ERR_POINTS', plural(weights.length, 'column'), 'points, one for each weight of the model,', cols);
    }
    if (out !== undefined && out.length !== rows) {
      throw rangeError('ERR_OPTION', plural(rows, 'number'), 'out, one for each row of points,', out.length);
    }
    return out ?? new Float64Array(rows);
  };
  const { Matrix, decidePoints } = kernels();
  let values: Float64Array;
  let bad: number;
  if (points instanceof Dataset) {
    const { matrix, shifted } = Dataset.dataOf(points);
    values = room(points.rows, points.cols);
    if (shifted) {
      const shift = new Float64Array(points.cols);
      matrix.shift(shift);
      shift.forEach((s, j) => (bias += s * weights[j]!));
    }
    bad = matrix.decide(weights, bias, values, threads);
  } else {
    const { rows, cols, arguments: lists, refuse } = viewPoints(points);
    values = room(rows, cols);
    // What other threads may write to meanwhile is copied first.
    if (lists.some((list) => ArrayBuffer.isView(list) && types.isSharedArrayBuffer(list.buffer))) {
      const matrix = new Matrix(refuse, threads, ...lists);
      const own = new Float64Array(rows);
      bad = matrix.decide(weights, bias, own, threads);
      matrix.dispose();
      if (bad === rows) values.set(own);
    } else bad = decidePoints(refuse, threads, weights, bias, values, ...lists);
  }
  if (bad < values.length) throw overflow(`row ${bad}`);
  return values;
}

/** weights·x + bias for one point. In JavaScript: a native call would only add cost. */
export function decisionOf({ weights, bias }: Model, point: Point): number {
  if (typeof point !== 'object' || point === null) {
    throw typeError('ERR_POINTS', 'an array of numbers or { indices, values }', 'point', point);
  }
  const d = weights.length;
  let s = 0;
  if ('indices' in point) {
    const { indices, values } = point;
    const count = lengthOf(indices, 'point.indices');
    if (values !== undefined && lengthOf(values, 'point.values') !== count) {
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
    if (lengthOf(point, 'point') !== d) {
      throw rangeError('ERR_POINTS', plural(d, 'number'), 'point, one for each weight of the model,', point.length);
    }
    s = dot(weights, point);
    // Nothing that is not finite can leave a finite sum, so the values are looked at one by one only after a bad one.
    if (!Number.isFinite(s)) for (let j = 0; j < d; j++) finite(point[j], `point[${j}]`);
  }
  s += bias;
  if (!Number.isFinite(s)) throw overflow('the point');
  return s;
}

/** weights·values; NaN if one is not a number. Four sums, as the additions of one would wait for each other. */
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

function lengthOf(list: unknown, where: string): number {
  const length = (list as ArrayLike<number> | null | undefined)?.length;
  if (typeof list !== 'object' || !Number.isInteger(length)) throw typeError('ERR_POINTS', 'an array of numbers', where, list);
  return length!;
}

function finite(value: unknown, where: string, code: 'ERR_POINTS' | 'ERR_MODEL' = 'ERR_POINTS'): number {
  if (typeof value !== 'number') throw typeError(code, 'a finite number', where, value);
  if (!Number.isFinite(value)) throw rangeError(code, 'a finite number', where, value);
  return value;
}

function overflow(where: string): Error {
  return coded(RangeError, 'ERR_POINTS', `Expected smaller numbers for ${where} but its decision value overflows`);
}

// ---- Plain data

const FORMAT = 'fista-classify/linear-svm';

/** Far beyond any data this package can hold; a file that claims more is not a model. */
export const MOST_WEIGHTS = 2 ** 28;

export function writeJSON({ labels, bias, weights }: Model): SvmJSON {
  return { format: FORMAT, version: 1, labels, bias, weights: Array.from(weights) };
}

/** Of all that predicts. Files carry it, so that a changed one is noticed. */
export function checksum({ labels, bias, weights }: Model): string {
  return createHash('sha256')
    .update(JSON.stringify([labels, bias, Array.from(weights)]))
    .digest('hex');
}

/** Reads what `writeJSON` wrote; the file may have been cut, edited or made up. Only own properties are looked at. */
export function readJSON(json: unknown): Model {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw typeError('ERR_MODEL', 'an object', 'json', json);
  const own = (name: string): unknown => (Object.hasOwn(json, name) ? (json as Record<string, unknown>)[name] : undefined);
  if (own('format') !== FORMAT) throw rangeError('ERR_MODEL', show(FORMAT), 'json.format', own('format'));
  const version = own('version');
  if (version !== 1) {
    const newer = typeof version === 'number' && version > 1 ? ' (written by a newer fista-classify)' : '';
    throw coded(RangeError, 'ERR_MODEL', `Expected version 1 for json.version but received ${show(version)}${newer}`);
  }
  const labels = own('labels');
  if (!Array.isArray(labels) || labels.length !== 2) throw typeError('ERR_MODEL', 'two labels', 'json.labels', labels);
  const [negative, positive] = labels as [unknown, unknown];
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
  const bias = finite(own('bias'), 'json.bias', 'ERR_MODEL');
  const list = own('weights');
  if (!Array.isArray(list)) throw typeError('ERR_MODEL', 'an array of numbers', 'json.weights', list);
  if (list.length > MOST_WEIGHTS) throw rangeError('ERR_MODEL', `at most ${MOST_WEIGHTS} numbers`, 'json.weights', list.length);
  // Nothing is allocated for a list that claims a length but does not hold as many numbers.
  const bad = list.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) finite(list[bad], `json.weights[${bad}]`, 'ERR_MODEL');
  const weights = Float64Array.from(list as number[]);
  const model: Model = { weights, bias, labels: [negative as Label, positive as Label] };
  const sum = own('checksum');
  if (sum !== undefined && sum !== checksum(model)) {
    throw coded(
      RangeError,
      'ERR_MODEL',
      `Expected labels, bias and weights as they were written but json.checksum, ${show(sum)}, is not theirs: the model was edited or ` +
        'damaged (one that was edited on purpose is read without json.checksum)',
    );
  }
  return model;
}
