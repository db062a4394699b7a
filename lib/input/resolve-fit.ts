/** Checks and completes the arguments of a fit. */
import type { Backend } from '../backend/interface.js';
import { coded, option, plural, rangeError, show, typeError, Verbatim, words, type Words } from '../errors.js';
import { stop } from '../svm/stopping.js';
import { rowWeights, type Weights } from '../svm/taking-part.js';
import type { Label, Scale, StopRule, SvmMethod, SvmOptions, SvmProgress } from '../types.js';
import { checkColumns } from './capacity.js';
import { checkFolds } from './fold-options.js';
import { isArray, isObject } from './intrinsics.js';
import { resolveLabels, type Labels } from './labels.js';
import { lengthOf } from './lists.js';
import {
  boolean,
  knownOptions,
  oneOfThese,
  optional,
  resolveBackend,
  resolveLimits,
  resolveThreads,
  RUN_OPTIONS,
  sensibleNumber,
  type Limits,
} from './options.js';
import { pointSource, type PointSource } from './point-source.js';
import { resolveMethod, resolveSolver, type ResolvedSolver } from './solver-options.js';
import { gammaByRow, participants, resolveWeights } from './weights.js';
import { SVM_WORDS } from './words.js';

/** Points and labels, backend and threads. */
export interface TrainingInput<L extends Label = Label> extends Labels<L> {
  /** The time at which the call began. */
  readonly began: number;
  readonly backend: Backend;
  readonly threads: number;
  readonly source: PointSource;
}

/** The options that all fits of a call share. */
export interface ResolvedSvmOptions extends Limits<SvmProgress> {
  /** The user's mu; by default it follows gamma. */
  readonly mu: number | undefined;
  readonly weights: Weights;
  /** The number of rows of each class that take part. */
  readonly members: readonly [negative: number, positive: number];
  readonly scale: Scale;
  readonly warmStart: { readonly weights: ArrayLike<number>; readonly bias: number } | undefined;
  readonly keepSets: boolean;
  readonly solver: ResolvedSolver;
  readonly rules: readonly StopRule[];
}

/** The arguments of a fit, checked and completed. */
export interface FitInput<L extends Label = Label> extends TrainingInput<L> {
  readonly options: ResolvedSvmOptions;
  /** gamma by row, or one for all rows; with gamma: 'auto', the factors on the gamma to be chosen. */
  readonly gamma:
    { readonly value: number; readonly byRow: Float64Array } | { readonly value: 'auto'; readonly weights: Float64Array };
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
  'stop',
  'method',
  'solver',
  ...RUN_OPTIONS,
] as const satisfies readonly (keyof SvmOptions)[];

export function resolveFit<L extends Label>(points: unknown, labels: unknown, given?: SvmOptions<L>): FitInput<L> {
  const began = performance.now();
  const options = knownOptions(given, SVM_OPTIONS, SVM_WORDS);
  const training = resolveTraining<L>(points, labels, options, began);

  // gamma, under either name
  const C = optional(options.C, 'C', sensibleNumber);
  const asked = optional(options.gamma, 'gamma', gammaOrAuto);
  if (C !== undefined && asked !== undefined && C !== asked) {
    throw coded(
      RangeError,
      'ERR_OPTION',
      words`Expected one number for ${option('gamma')} and its other name C but received ${show(asked)} and ${C}`,
    );
  }

  const resolved = resolveSvmOptions(options, training);

  // gamma by row
  const { weights, members } = resolved;
  const value = asked ?? C ?? defaultGamma(members);
  const byRow = rowWeights(weights, training.y);
  if (value !== 'auto')
    return { ...training, options: resolved, gamma: { value, byRow: gammaByRow(value, byRow, training, weights) } };
  gammaByRow(1, byRow, training, weights); // weights that are too large for any gamma
  checkFolds(QUICK_FOLDS, members, training.labels, "gamma: 'auto'");
  return { ...training, options: resolved, gamma: { value, weights: byRow } };
}

/** The number of folds of the quick cross-validation that chooses gamma. */
export const QUICK_FOLDS = 3;

/** The paper's default, for the number of rows that take part (method 1.3). */
export function defaultGamma([negative, positive]: ResolvedSvmOptions['members']): number {
  return 64 / (negative + positive);
}

/** Resolves the arguments that a fit and a cross-validation share: threads and backend, points and labels. */
export function resolveTraining<L extends Label>(
  points: unknown,
  labels: unknown,
  options: { positive?: unknown; threads?: unknown; backend?: unknown },
  began: number,
): TrainingInput<L> {
  // Threads and backend; points in a Dataset are computed with by the backend that holds them
  const threads = resolveThreads(options.threads);
  const backend = resolveBackend(options.backend);

  // Points
  const source = pointSource(points);
  checkColumns(source.cols);

  // Labels
  const resolved = resolveLabels(labels, source.rows, { positive: options.positive }) as Labels<L>;

  return { began, backend, threads, source, ...resolved };
}

/** Resolves all options but gamma and those of `resolveTraining`. */
export function resolveSvmOptions(options: SvmOptions, { source, labels, y }: TrainingInput): ResolvedSvmOptions {
  const mu = optional(options.mu, 'mu', sensibleNumber);

  // Weights
  const weights = resolveWeights(options, { labels, y });
  const members = participants(weights, { labels, y });

  // Scaling
  const scale = optional(options.scale, 'scale', oneOfThese('auto', 'none', 'standard', 'maxabs')) ?? 'auto';

  // Solving and stopping
  const method = resolveMethod(options.method);
  const rules = stopRules(options.stop, method);
  const solver = resolveSolver(method, options.solver, rules);

  return {
    mu,
    weights,
    members,
    scale: scale === 'auto' ? (source.sparse ? 'maxabs' : 'standard') : scale,
    warmStart: warmStart(options.warmStart, source.cols),
    keepSets: optional(options.keepSets, 'keepSets', boolean) ?? false,
    solver,
    rules,
    ...resolveLimits<SvmProgress>(options),
  };
}

function gammaOrAuto(value: unknown, where: Words): number | 'auto' {
  if (value === 'auto') return value;
  if (typeof value !== 'number') throw typeError('ERR_OPTION', "a positive number or 'auto'", where, value);
  return sensibleNumber(value, where);
}

const STOP = option('stop');
const WARM_START = option('warmStart');

function stopRules(given: unknown, method: SvmMethod): readonly StopRule[] {
  if (given === undefined) return method === 'paper' ? [stop.stale()] : [stop.agreement(0.99), stop.gap(1e-4)];
  const many = isArray(given);
  const rules: StopRule[] = [];
  for (let k = 0; k < (many ? given.length : 1); k++) {
    const rule = (many ? given[k] : given) as StopRule;
    if (!isObject(rule) || typeof rule.start !== 'function') {
      throw typeError('ERR_OPTION', 'a rule such as stop.gap(1e-3)', many ? words`${STOP}[${k}]` : words`${STOP}`, rule);
    }
    rules.push(rule);
  }
  if (rules.length === 0) throw rangeError('ERR_OPTION', 'at least one rule', words`${STOP}`, new Verbatim('none'));
  return rules;
}

function warmStart(given: unknown, cols: number): ResolvedSvmOptions['warmStart'] {
  if (given === undefined) return undefined;
  const { weights, bias } = (isObject(given) ? given : {}) as { weights?: unknown; bias?: unknown };
  const length = lengthOf(weights);
  if (Number.isNaN(length) || typeof bias !== 'number') {
    throw typeError('ERR_OPTION', 'a model, with weights and bias,', words`${WARM_START}`, given);
  }
  if (length !== cols) {
    throw rangeError('ERR_OPTION', plural(cols, 'number'), words`${WARM_START}.weights, one for each column of points,`, length);
  }
  if (!Number.isFinite(bias)) throw rangeError('ERR_OPTION', 'a finite number', words`${WARM_START}.bias`, bias);
  // Copied, as an async fit reads it later. Pages of the copy that hold only zeros are not written, and take no memory.
  const copy = new Float64Array(cols);
  for (let j = 0; j < cols; j++) {
    const weight = (weights as ArrayLike<unknown>)[j];
    if (!Number.isFinite(weight)) throw rangeError('ERR_OPTION', 'a finite number', words`${WARM_START}.weights[${j}]`, weight);
    if (weight !== 0) copy[j] = weight as number;
  }
  return { weights: copy, bias };
}
