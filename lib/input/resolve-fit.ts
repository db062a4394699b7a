/** Checks and completes the arguments of a fit. */
import type { Backend } from '../backend/interface.js';
import { coded, option, plural, rangeError, show, typeError, Verbatim, words, type Words } from '../errors.js';
import { Dataset } from '../data/dataset.js';
import { share, together, type Communicator } from '../mpi/ranks.js';
import { stop } from '../svm/stopping.js';
import { rowWeights, type Weights } from '../svm/taking-part.js';
import type { TrainingRecords } from '../svm/training-records.js';
import { sidesOf, type Sides } from '../svm/model.js';
import type {
  CalibrationKind,
  Label,
  Loss,
  Multiclass,
  RecordOptions,
  Scale,
  StopRule,
  SvmMethod,
  SvmOptions,
  SvmProgress,
  WarmPlane,
} from '../types.js';
import { checkColumns, checkPlanes } from './capacity.js';
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
import { checkForRanks, meet, resolveRanks, type RankLimits } from './resolve-ranks.js';
import { resolveMethod, resolveSolver, type ResolvedSolver } from './solver-options.js';
import { checkWeights, participants, rangeOf, rangeOver, resolveWeights, type WeightRange } from './weights.js';
import { SVM_WORDS } from './words.js';

/** Points and labels, backend and threads. */
export interface TrainingInput<L extends Label = Label> extends Labels<L> {
  /** The time at which the call began. */
  readonly began: number;
  readonly backend: Backend;
  readonly threads: number;
  readonly source: PointSource;
  /** The ranks that each have some of the rows; undefined: all rows are here. */
  readonly ranks: Communicator | undefined;
  /** The records that the points were made of, if they were. */
  readonly records?: TrainingRecords | undefined;
}

/** The options that all fits of a call share. */
export interface ResolvedSvmOptions extends Limits<SvmProgress> {
  readonly loss: Loss;
  /** The user's mu; by default it follows gamma. */
  readonly mu: number | undefined;
  readonly weights: Weights;
  /** The number of rows of each class that take part. */
  readonly members: readonly number[];
  readonly scale: Scale;
  /** By plane. */
  readonly sides: readonly Sides[];
  /** Where each plane starts. */
  readonly warmStart: readonly WarmPlane[] | undefined;
  readonly keepSets: boolean;
  readonly solver: ResolvedSolver;
  readonly rules: readonly StopRule[];
  /** Given if several ranks train together; timeLimit, signal and onProgress are then not those of the caller. */
  readonly rankLimits?: RankLimits | undefined;
}

/** The arguments of a fit, checked and completed. */
export interface FitInput<L extends Label = Label> extends TrainingInput<L> {
  readonly options: ResolvedSvmOptions;
  /** undefined: the default, which depends on the data (method 1.3). */
  readonly gamma: number | 'auto' | undefined;
  /** Weights by row, or one for all rows. */
  readonly rowWeights: Float64Array;
  readonly weightRange: WeightRange;
  readonly probability: CalibrationKind | undefined;
}

const SVM_OPTIONS = [
  'gamma',
  'C',
  'loss',
  'mu',
  'classWeight',
  'sampleWeight',
  'scale',
  'positive',
  'multiclass',
  'probability',
  'columns',
  'encoder',
  'warmStart',
  'keepSets',
  'stop',
  'method',
  'solver',
  'ranks',
  ...RUN_OPTIONS,
] as const satisfies readonly (keyof AllOptions)[];

/** The options for points and those for records. */
type AllOptions<L extends Label = Label> = SvmOptions<L> & RecordOptions<object>;

/** Copies the options of a fit, reading each once. */
export function copyFitOptions<L extends Label>(given: AllOptions<L> | undefined): AllOptions<L> {
  return knownOptions<AllOptions<L>>(given, SVM_OPTIONS, SVM_WORDS);
}

/** `records`: what the points were made of; `began`: when the call began. */
export function resolveFit<L extends Label>(
  points: unknown,
  labels: unknown,
  given?: AllOptions<L>,
  records?: TrainingRecords,
  began = performance.now(),
): FitInput<L> {
  const options = copyFitOptions(given);
  const ranks = resolveRanks(options.ranks);
  return together(ranks, () => resolveTogether(points, labels, options, ranks, records, began));
}

function resolveTogether<L extends Label>(
  points: unknown,
  labels: unknown,
  options: AllOptions<L>,
  ranks: Communicator | undefined,
  records: TrainingRecords | undefined,
  began: number,
): FitInput<L> {
  const training = resolveTraining<L>(points, labels, options, began, records, ranks);

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

  const { weights, members } = resolved;
  const gamma = asked ?? C ?? (options.method === 'paper' ? paperGamma(members) : undefined);
  const byRow = rowWeights(weights, training, undefined, () => members);
  const weightRange = rangeOver(ranks, rangeOf(byRow, weights));
  checkWeights(typeof gamma === 'number' ? gamma : 1, weightRange);
  if (gamma === 'auto') checkFolds(QUICK_FOLDS, members, training.labels, "gamma: 'auto'");
  const probability = optional(options.probability, 'probability', oneOfThese('sigmoid', 'isotonic'));
  if (probability) checkFolds(CALIBRATION_FOLDS, members, training.labels, words`${option('probability')}`);
  return { ...training, options: resolved, gamma, rowWeights: byRow, weightRange, probability };
}

/** The number of folds of the quick cross-validation that chooses gamma. */
export const QUICK_FOLDS = 3;

/** The number of folds on which planes are calibrated, as in LIBSVM and scikit-learn. */
export const CALIBRATION_FOLDS = 5;

/** The paper's default, for the number of rows that take part (method 1.3). */
function paperGamma(members: ResolvedSvmOptions['members']): number {
  return 64 / members.reduce((sum, count) => sum + count, 0);
}

/** Resolves the arguments that a fit and a cross-validation share: threads and backend, points and labels. */
export function resolveTraining<L extends Label>(
  points: unknown,
  labels: unknown,
  options: { positive?: unknown; threads?: unknown; backend?: unknown; columns?: unknown; encoder?: unknown },
  began: number,
  records: TrainingRecords | undefined,
  ranks: Communicator | undefined,
): TrainingInput<L> {
  checkKind(options, records);

  // Threads and backend; points in a Dataset are computed with by the backend that holds them
  const threads = resolveThreads(options.threads);
  const backend = resolveBackend(options.backend);

  // Points
  const source = pointSource(points, { columns: options.columns });
  checkColumns(source.cols);

  // Labels
  if (ranks) checkForRanks(options, source, records);
  const known = ranks && {
    known: meet(ranks, options, { backend: source.dataset ? Dataset.dataOf(source.dataset).backend : backend, source, labels }),
  };
  const resolved = resolveLabels(labels, source.rows, { positive: options.positive, ...known }) as Labels<L>;

  return { began, backend, threads, source, records, ranks, ...resolved };
}

/** An encoder is for records, names of columns are for points. */
function checkKind({ encoder, columns }: { encoder?: unknown; columns?: unknown }, records: unknown): void {
  if (!records && encoder !== undefined) {
    const received = `rows of numbers`;
    throw coded(
      TypeError,
      'ERR_OPTION',
      words`Expected records for points, as ${option('encoder')} is set, but received ${received}`,
    );
  }
  if (records && columns !== undefined) {
    throw typeError('ERR_OPTION', 'nothing', words`${option('columns')} with records, whose fields have names,`, columns);
  }
}

/** Resolves all options but gamma and those of `resolveTraining`. */
export function resolveSvmOptions(options: SvmOptions, training: TrainingInput): ResolvedSvmOptions {
  const { source } = training;
  const loss = optional(options.loss, 'loss', oneOfThese('hinge', 'squared-hinge')) ?? 'hinge';
  const mu = optional(options.mu, 'mu', sensibleNumber);

  // Weights
  const weights = resolveWeights(options, training);
  const members = participants(weights, training, training.ranks);

  // Planes
  const asked = optional(options.multiclass, 'multiclass', oneOfThese('auto', 'pairs', 'rest')) ?? 'auto';
  const way = asked === 'auto' ? multiclassFor(training, members) : asked;
  const { length: classes } = training.labels;
  if (classes > 2) checkPlanes(classes, way === 'pairs' ? (classes * (classes - 1)) / 2 : classes, source.cols);
  const sides = sidesOf(classes, way);

  // Scaling
  const scale = optional(options.scale, 'scale', oneOfThese('auto', 'none', 'standard', 'maxabs')) ?? 'auto';

  // Solving and stopping
  const method = resolveMethod(options.method);
  const rules = stopRules(options.stop, method);
  const solver = resolveSolver(method, options.solver, rules, source.window !== undefined);
  if (loss === 'squared-hinge') checkSquaredHinge(options, method, rules);

  return {
    loss,
    mu,
    weights,
    members,
    // An encoder has scaled its columns.
    scale: scale === 'auto' ? (training.records ? 'none' : source.sparse ? 'maxabs' : 'standard') : scale,
    sides,
    warmStart: warmStart(options.warmStart, source.cols, sides, training.labels),
    keepSets: optional(options.keepSets, 'keepSets', boolean) ?? false,
    solver,
    rules,
    ...limitsOf(resolveLimits<SvmProgress>(options), training.ranks),
  };
}

/** The limits of a fit: over several ranks those of rank 0, which it decides on for all. */
function limitsOf(
  limits: Limits<SvmProgress>,
  ranks: Communicator | undefined,
): Limits<SvmProgress> & Pick<ResolvedSvmOptions, 'rankLimits'> {
  if (!ranks) return limits;
  const { timeLimit, signal, onProgress } = limits;
  const [{ polled, shown }] = share(ranks, {
    polled: timeLimit < Infinity || signal !== undefined,
    shown: onProgress !== undefined,
  }) as [{ polled: boolean; shown: boolean }];
  // Whether progress is shown decides what is computed at a check (lib/svm/check.ts): on all ranks as on rank 0.
  const show = shown ? (onProgress ?? (() => undefined)) : undefined;
  return { ...limits, timeLimit: Infinity, signal: undefined, onProgress: show, rankLimits: { ranks, timeLimit, signal, polled } };
}

function gammaOrAuto(value: unknown, where: Words): number | 'auto' {
  if (value === 'auto') return value;
  if (typeof value !== 'number') throw typeError('ERR_OPTION', "a positive number or 'auto'", where, value);
  return sensibleNumber(value, where);
}

/** The squared hinge has no upper bound on alpha, which mu, the rule 'stale' and the paper's method are about. */
function checkSquaredHinge({ mu }: SvmOptions, method: SvmMethod, rules: readonly StopRule[]): void {
  const why = "with loss: 'squared-hinge'";
  if (mu !== undefined) throw rangeError('ERR_OPTION', 'nothing', words`${option('mu')} ${why}, whose smoothing follows C,`, mu);
  if (method === 'paper')
    throw rangeError('ERR_OPTION', "'auto', 'ascent', 'newton' or 'fista'", words`${option('method')} ${why}`, method);
  const stale = rules.find(({ name }) => name === 'stale');
  if (stale) throw rangeError('ERR_OPTION', 'a rule of the gap or of agreement', words`${STOP} ${why}`, stale.name);
}

const STOP = option('stop');
const WARM_START = option('warmStart');

function stopRules(given: unknown, method: SvmMethod): readonly StopRule[] {
  if (given === undefined) return method === 'paper' ? [stop.stale()] : [stop.agreement(0.99), stop.gap(1e-4)];
  const many = isArray(given);
  const where = (k: number) => (many ? words`${STOP}[${k}]` : words`${STOP}`);
  const rules: StopRule[] = [];
  for (let k = 0; k < (many ? given.length : 1); k++) {
    const rule = (many ? given[k] : given) as StopRule;
    if (!isObject(rule) || typeof rule.start !== 'function') {
      throw typeError('ERR_OPTION', 'a rule such as stop.gap(1e-3)', where(k), rule);
    }
    const { relativeGap = 0 } = rule;
    if (!(typeof relativeGap === 'number' && relativeGap >= 0)) {
      throw rangeError('ERR_OPTION', 'a number of 0 or more', words`${where(k)}.relativeGap`, relativeGap);
    }
    rules.push(rule);
  }
  if (rules.length === 0) throw rangeError('ERR_OPTION', 'at least one rule', words`${STOP}`, new Verbatim('none'));
  return rules;
}

/** At most so many weights, and so many planes, are trained for pairs where the user does not ask for them. */
const MAX_PAIR_WEIGHTS = 2 ** 24;
const MAX_PAIRS = 2 ** 13;

/** Pairs where an average pair has more rows than columns: planes through fewer rows than columns say little of other rows (method 1.14). */
function multiclassFor({ labels, source }: TrainingInput, members: readonly number[]): Multiclass {
  const rows = members.reduce((sum, count) => sum + count, 0);
  const pairs = (labels.length * (labels.length - 1)) / 2;
  const affordable = pairs <= MAX_PAIRS && pairs * source.cols <= MAX_PAIR_WEIGHTS;
  return affordable && source.cols < (2 * rows) / labels.length ? 'pairs' : 'rest';
}

function warmStart(
  given: unknown,
  cols: number,
  sides: readonly Sides[],
  labels: Labels['labels'],
): ResolvedSvmOptions['warmStart'] {
  if (given === undefined) return undefined;
  if (sides.length === 1) return [warmPlane(given, cols, words`${WARM_START}`)];
  const { planes } = (isObject(given) ? given : {}) as { planes?: unknown };
  if (!isArray(planes) || planes.length !== sides.length) {
    throw typeError('ERR_OPTION', `a model with ${sides.length} planes`, words`${WARM_START}`, given);
  }
  return sides.map((side, p) => {
    const where = words`${WARM_START}.planes[${p}]`;
    const plane = (isObject(planes[p]) ? planes[p] : {}) as { positive?: unknown; negative?: unknown };
    for (const name of ['positive', 'negative'] as const) {
      const k = side[name];
      const label = k === undefined ? undefined : labels[k];
      if (plane[name] !== label) throw rangeError('ERR_OPTION', show(label), words`${where}.${name}, as in labels,`, plane[name]);
    }
    return warmPlane(plane, cols, where);
  });
}

function warmPlane(given: unknown, cols: number, where: Words): WarmPlane {
  const { weights, bias } = (isObject(given) ? given : {}) as { weights?: unknown; bias?: unknown };
  const length = lengthOf(weights);
  if (Number.isNaN(length) || typeof bias !== 'number') {
    throw typeError('ERR_OPTION', 'a model, with weights and bias,', where, given);
  }
  if (length !== cols) {
    throw rangeError('ERR_OPTION', plural(cols, 'number'), words`${where}.weights, one for each column of points,`, length);
  }
  if (!Number.isFinite(bias)) throw rangeError('ERR_OPTION', 'a finite number', words`${where}.bias`, bias);
  // Copied, as an async fit reads it later. Pages of the copy that hold only zeros are not written, and take no memory.
  const copy = new Float64Array(cols);
  for (let j = 0; j < cols; j++) {
    const weight = (weights as ArrayLike<unknown>)[j];
    if (!Number.isFinite(weight)) throw rangeError('ERR_OPTION', 'a finite number', words`${where}.weights[${j}]`, weight);
    if (weight !== 0) copy[j] = weight as number;
  }
  return { weights: copy, bias };
}
