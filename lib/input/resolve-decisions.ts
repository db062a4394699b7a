/** Checks the arguments of predict, decision, probability, certify and score. */
import { plural, rangeError, typeError } from '../errors.js';
import type { DecisionOptions, PredictOptions } from '../types.js';
import type { KnownNames } from './column-names.js';
import { isObject, isOf, plainView } from './intrinsics.js';
import { resolveLabels, type ClassLabels, type Labels } from './labels.js';
import { isList } from './lists.js';
import { knownOptions, oneOfThese, optional, resolveThreads } from './options.js';
import { pointSource, type PointSource } from './point-source.js';
import { checkRows, checkUnchanged } from './points.js';
import { PREDICT_WORDS } from './words.js';

/** What points are checked for. */
export interface ExpectedPoints {
  /** The number of the model's columns. */
  readonly cols: number;
  /** Their names, if it has them. */
  readonly columns?: readonly string[] | undefined;
  /** Names that need not be checked again. */
  readonly known?: KnownNames;
}

export interface DecisionsInput {
  readonly source: PointSource;
  /** What to do with columns that the model does not have, if columns are matched by name. */
  readonly extraColumns: 'refuse' | 'ignore';
  /** The array for the decision values, one for each row: a view of the caller's, or a new one. */
  readonly values: Float64Array;
  /** The caller's array itself, which is returned. */
  readonly out: Float64Array | undefined;
  readonly threads: number;
}

const PREDICT_OPTIONS = ['columns', 'extraColumns'] as const satisfies readonly (keyof PredictOptions)[];
const DECISION_OPTIONS = ['out', ...PREDICT_OPTIONS] as const satisfies readonly (keyof DecisionOptions)[];

/** Checks points for a model, and the options of predict, certify and score. */
export function resolvePrediction(model: ExpectedPoints, points: unknown, options?: PredictOptions): DecisionsInput {
  return resolve(model, points, knownOptions(options, PREDICT_OPTIONS, PREDICT_WORDS), 1);
}

/** Checks points for a model, and options or the array to write so many values a row to. */
export function resolveDecisions(
  model: ExpectedPoints,
  points: unknown,
  given?: Float64Array | DecisionOptions,
  each = 1,
): DecisionsInput {
  return resolve(model, points, decisionOptions(given), each);
}

/** Options, or an array, which is short for `{ out }`. What claims to be an array is one, and is refused as such. */
function decisionOptions(given: unknown): DecisionOptions {
  const asked: { out?: unknown } =
    isObject(given) && !isList(given) && !('buffer' in given)
      ? knownOptions<DecisionOptions>(given, DECISION_OPTIONS, PREDICT_WORDS)
      : { out: given };
  const { out } = asked;
  if (out !== undefined && !isOf(out, 'Float64Array')) throw typeError('ERR_OPTION', 'a Float64Array', 'out', out);
  return { ...asked, out };
}

function resolve(model: ExpectedPoints, points: unknown, options: DecisionOptions, each: number): DecisionsInput {
  const { columns, out } = options;
  const extraColumns = optional(options.extraColumns, 'extraColumns', oneOfThese('refuse', 'ignore')) ?? 'refuse';
  const threads = resolveThreads(undefined);
  const source = pointSource(points, { min: 0, forOne: 'predictOne', columns, known: model.known ?? [], cols: model.cols });
  const { rows, cols } = source;
  const byName = source.columns !== undefined && model.columns !== undefined;
  // The number of columns of an empty list of rows is not known.
  if (!byName && cols !== model.cols && !Number.isNaN(cols)) {
    throw rangeError('ERR_POINTS', plural(model.cols, 'column'), 'points, one for each weight of the model,', cols);
  }
  const values = out ? plainView(out) : new Float64Array(rows * each); // after the points, whose getters may have detached it
  if (values.length !== rows * each) {
    const what = each === 1 ? 'out, one for each row of points,' : 'out, one for each row of points and class,';
    throw rangeError('ERR_OPTION', plural(rows * each, 'number'), what, values.length);
  }
  return { source, extraColumns, values, out, threads };
}

/** Checks points and their labels, which must be the model's. */
export function resolveScore(
  model: ExpectedPoints & { readonly labels: ClassLabels },
  points: unknown,
  labels: unknown,
  options?: PredictOptions,
): DecisionsInput & Labels {
  const input = resolvePrediction(model, points, options);
  checkRows(input.source.rows);
  const known = resolveLabels(labels, input.source.rows, { known: model.labels });
  if (input.source.view) checkUnchanged(input.source.view); // a label's getter may have detached a buffer
  return { ...input, ...known };
}
