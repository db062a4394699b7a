/** What a model is to be tried on. */
import { types } from 'node:util';
import { plural, rangeError, typeError } from '../errors.js';
import type { Label } from '../types.js';
import { plainView } from './intrinsics.js';
import { resolveLabels } from './labels.js';
import { resolveThreads } from './options.js';
import { pointSource, type PointSource } from './point-source.js';
import { checkRows, checkUnchanged } from './points.js';

export interface DecisionsInput {
  readonly source: PointSource;
  /** Where the values go, one for each row: the caller's own array, or a new one. */
  readonly values: Float64Array;
  readonly threads: number;
}

/** Points for a model of so many weights, and the array to write to, if there is one. */
export function resolveDecisions(weights: number, points: unknown, out?: unknown): DecisionsInput {
  if (out !== undefined && !types.isFloat64Array(out)) throw typeError('ERR_OPTION', 'a Float64Array', 'out', out);
  const threads = resolveThreads(undefined);
  const source = pointSource(points, 0);
  const { rows, cols } = source;
  // How many columns an empty list of rows has is not known.
  if (cols !== weights && !Number.isNaN(cols)) {
    throw rangeError('ERR_POINTS', plural(weights, 'column'), 'points, one for each weight of the model,', cols);
  }
  const values = out ? plainView(out) : new Float64Array(rows); // after the points, whose getters may have detached it
  if (values.length !== rows) {
    throw rangeError('ERR_OPTION', plural(rows, 'number'), 'out, one for each row of points,', values.length);
  }
  return { source, values, threads };
}

/** The same with the points' labels, which are the model's. */
export function resolveScore(
  model: { readonly weights: Float64Array; readonly labels: readonly [Label, Label] },
  points: unknown,
  labels: unknown,
): DecisionsInput & { readonly y: Int8Array } {
  const input = resolveDecisions(model.weights.length, points);
  checkRows(input.source.rows);
  const { y } = resolveLabels(labels, input.source.rows, { known: model.labels });
  if (input.source.view) checkUnchanged(input.source.view); // a label's getter may have detached them
  return { ...input, y };
}
