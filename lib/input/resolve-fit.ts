/** What a fit is asked to do. */
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

/** Points and labels, and who computes. */
export interface TrainingInput<L extends Label = Label> extends Labels<L> {
  /** When the call began. */
  readonly began: number;
  readonly backend: Backend;
  readonly threads: number;
  readonly source: PointSource;
}

/** What every fit on the same data has in common. */
export interface ResolvedSvmOptions extends Limits<SvmProgress> {
  /** What was asked for; by default it follows gamma. */
  readonly mu: number | undefined;
  readonly weights: Weights;
  /** How many rows of each class take part. */
  readonly members: readonly [negative: number, positive: number];
  readonly scale: Scale;
  readonly warmStart: { readonly weights: ArrayLike<number>; readonly bias: number } | undefined;
  readonly keepSets: boolean;
  readonly solver: ResolvedSolver;
  readonly rules: readonly StopRule[];
}

/** The call of a fit, checked and complete. */
export interface FitInput<L extends Label = Label> extends TrainingInput<L> {
  readonly options: ResolvedSvmOptions;
  /** By row, or one for all; with gamma: 'auto', what gamma is to be multiplied with. */
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
  if (value !== 'auto') return { ...training, options: resolved, gamma: { value, byRow: gammaByRow(value, byRow, training) } };
  gammaByRow(1, byRow, training); // weights that are too large for any gamma
  checkFolds(QUICK_FOLDS, members, training.labels, "gamma: 'auto'");
  return { ...training, options: resolved, gamma: { value, weights: byRow } };
}

/** Folds of the quick cross-validation that chooses gamma. */
export const QUICK_FOLDS = 3;

/** The paper's, of the rows that take part. */
export function defaultGamma([negative, positive]: ResolvedSvmOptions['members']): number {
  return 64 / (negative + positive);
}

/** What a fit and a cross-validation take alike: who computes, points and labels. */
export function resolveTraining<L extends Label>(
  points: unknown,
  labels: unknown,
  options: { positive?: unknown; threads?: unknown; backend?: unknown },
  began: number,
): TrainingInput<L> {
  // Who computes: with a Dataset, the backend that has it
  const threads = resolveThreads(options.threads);
  const backend = resolveBackend(options.backend);

  // Points
  const source = pointSource(points);
  checkColumns(source.cols);

  // Labels
  const resolved = resolveLabels(labels, source.rows, { positive: options.positive }) as Labels<L>;

  return { began, backend, threads, source, ...resolved };
}

/** Everything but gamma, and what `resolveTraining` has seen to. */
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
  // A copy: an async fit gets to it later. Where weights are 0 it is not touched, and takes no memory.
  const copy = new Float64Array(cols);
  for (let j = 0; j < cols; j++) {
    const weight = (weights as ArrayLike<unknown>)[j];
    if (!Number.isFinite(weight)) throw rangeError('ERR_OPTION', 'a finite number', words`${WARM_START}.weights[${j}]`, weight);
    if (weight !== 0) copy[j] = weight as number;
  }
  return { weights: copy, bias };
}
