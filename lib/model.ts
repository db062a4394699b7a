/** What predicts: a linear model's values, its plain-data form and LIBLINEAR's text. */
import { kernels, type Matrix } from './backend.js';
import { Dataset } from './dataset.js';
import { coded, rangeError, show, typeError } from './errors.js';
import { copyPoints, resolveThreads } from './input.js';
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

/** weights·x + bias for points. */
export function decisions(model: Model, points: Points, out?: Float64Array): Float64Array {
  const { weights } = model;
  if (out !== undefined && !(out instanceof Float64Array)) throw typeError('ERR_OPTION', 'a Float64Array', 'out', out);
  const threads = resolveThreads(undefined);
  let matrix: Matrix;
  let bias = model.bias;
  if (points instanceof Dataset) {
    ({ matrix } = Dataset.dataOf(points));
  } else {
    matrix = copyPoints(points, kernels(), threads);
  }
  const { rows, cols } = matrix.describe();
  if (cols !== weights.length)
    throw rangeError('ERR_POINTS', `${weights.length} columns, as the model has weights,`, 'points', cols);
  if (out !== undefined && out.length !== rows) throw rangeError('ERR_OPTION', `${rows} numbers`, 'out', out.length);
  const shift = new Float64Array(cols);
  matrix.shift(shift);
  shift.forEach((s, j) => (bias += s * weights[j]!));
  const values = out ?? new Float64Array(rows);
  matrix.multiply(weights, values, threads);
  for (let i = 0; i < rows; i++) values[i]! += bias;
  if (!(points instanceof Dataset)) matrix.dispose();
  return values;
}

/** weights·x + bias for one point. In JavaScript: a native call would only add cost. */
export function decisionOf({ weights, bias }: Model, point: Point): number {
  const d = weights.length;
  let s = 0;
  if ('indices' in point) {
    const { indices, values } = point;
    if (values && values.length !== indices.length) {
      throw rangeError('ERR_POINTS', `${indices.length} numbers, as in point.indices,`, 'point.values', values.length);
    }
    let last = -1;
    for (let k = 0; k < indices.length; k++) {
      const j = indices[k]!;
      if (!Number.isInteger(j) || j < 0 || j >= d)
        throw rangeError('ERR_POINTS', `a column from 0 to ${d - 1}`, `point.indices[${k}]`, j);
      if (j <= last) {
        throw coded(RangeError, 'ERR_POINTS', `Expected ascending column indices in the point but received ${j} after ${last}`);
      }
      last = j;
      s += weights[j]! * (values ? values[k]! : 1);
    }
  } else {
    if (point.length !== d) throw rangeError('ERR_POINTS', `${d} numbers, as the model has weights,`, 'point', point.length);
    for (let j = 0; j < d; j++) s += weights[j]! * point[j]!;
  }
  s += bias;
  if (!Number.isFinite(s)) throw notFinite(point);
  return s;
}

function notFinite(point: Point): Error {
  const values = 'indices' in point ? (point.values ?? []) : point;
  const where = 'indices' in point ? 'point.values' : 'point';
  for (let j = 0; j < values.length; j++) {
    if (!Number.isFinite(values[j])) return rangeError('ERR_POINTS', 'a finite number', `${where}[${j}]`, values[j]);
  }
  return coded(RangeError, 'ERR_POINTS', 'Expected a decision value within the range of numbers but it overflows');
}

// ---- Plain data

const FORMAT = 'fista-classify/linear-svm';

/** Far beyond any data this package can hold; a file that claims more is not a model. */
const MOST_WEIGHTS = 2 ** 28;

export function writeJSON({ labels, bias, weights }: Model): SvmJSON {
  return { format: FORMAT, version: 1, labels, bias, weights: Array.from(weights) };
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
    if ((kind !== 'number' && kind !== 'string' && kind !== 'boolean') || label !== label) {
      throw typeError('ERR_MODEL', 'a number, string or boolean', `json.labels[${k}]`, label);
    }
  }
  if (typeof negative !== typeof positive || negative === positive) {
    throw rangeError('ERR_MODEL', `a ${typeof negative} other than ${show(negative)}`, 'json.labels[1]', positive);
  }
  const bias = own('bias');
  if (typeof bias !== 'number' || !Number.isFinite(bias)) throw typeError('ERR_MODEL', 'a finite number', 'json.bias', bias);
  const list = own('weights');
  if (!Array.isArray(list)) throw typeError('ERR_MODEL', 'an array of numbers', 'json.weights', list);
  if (list.length > MOST_WEIGHTS) throw rangeError('ERR_MODEL', `at most ${MOST_WEIGHTS} numbers`, 'json.weights', list.length);
  const weights = new Float64Array(list.length);
  for (let j = 0; j < list.length; j++) {
    const value: unknown = list[j];
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw typeError('ERR_MODEL', 'a finite number', `json.weights[${j}]`, value);
    }
    weights[j] = value;
  }
  return { weights, bias, labels: [negative as Label, positive as Label] };
}

// ---- LIBLINEAR

/**
 * The text of a LIBLINEAR model. Its first label is the one of positive decision values, and a bias of 1 means that every row has a
 * last feature 1, whose weight is ours for the bias.
 */
export function writeLiblinear({ weights, bias, labels: [negative, positive] }: Model): string {
  for (const label of [negative, positive]) {
    if (typeof label !== 'number' || !Number.isInteger(label) || Math.abs(label) > 0x7fffffff) {
      throw rangeError('ERR_LABELS', 'integer labels', 'toLiblinear, as LIBLINEAR has no others,', label);
    }
  }
  const head = ['solver_type L2R_L1LOSS_SVC_DUAL', 'nr_class 2', `label ${positive} ${negative}`, `nr_feature ${weights.length}`];
  const lines = Array.from(weights, (w) => `${w} `);
  return [...head, 'bias 1', 'w', ...lines, `${bias} `, ''].join('\n');
}
