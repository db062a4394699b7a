/** Checks the arguments of decision and score. */
import { types } from 'node:util';
import { plural, rangeError, typeError } from '../errors.js';
import { plainView } from './intrinsics.js';
import { resolveLabels, type ClassLabels, type Labels } from './labels.js';
import { resolveThreads } from './options.js';
import { pointSource, type PointSource } from './point-source.js';
import { checkRows, checkUnchanged } from './points.js';

export interface DecisionsInput {
  readonly source: PointSource;
  /** The array for the decision values, one for each row: the caller's, or a new one. */
  readonly values: Float64Array;
  readonly threads: number;
}

/** Checks points for a model with this number of weights, and the array to write so many values a row to, if one is given. */
export function resolveDecisions(weights: number, points: unknown, out?: unknown, each = 1): DecisionsInput {
  if (out !== undefined && !types.isFloat64Array(out)) throw typeError('ERR_OPTION', 'a Float64Array', 'out', out);
  const threads = resolveThreads(undefined);
  const source = pointSource(points, { min: 0, forOne: 'predictOne' });
  const { rows, cols } = source;
  // The number of columns of an empty list of rows is not known.
  if (cols !== weights && !Number.isNaN(cols)) {
    throw rangeError('ERR_POINTS', plural(weights, 'column'), 'points, one for each weight of the model,', cols);
  }
  const values = out ? plainView(out) : new Float64Array(rows * each); // after the points, whose getters may have detached it
  if (values.length !== rows * each) {
    const what = each === 1 ? 'out, one for each row of points,' : 'out, one for each row of points and class,';
    throw rangeError('ERR_OPTION', plural(rows * each, 'number'), what, values.length);
  }
  return { source, values, threads };
}

/** Checks points and their labels, which must be the model's. */
export function resolveScore(
  model: { readonly cols: number; readonly labels: ClassLabels },
  points: unknown,
  labels: unknown,
): DecisionsInput & Labels {
  const input = resolveDecisions(model.cols, points);
  checkRows(input.source.rows);
  const known = resolveLabels(labels, input.source.rows, { known: model.labels });
  if (input.source.view) checkUnchanged(input.source.view); // a label's getter may have detached a buffer
  return { ...input, ...known };
}
