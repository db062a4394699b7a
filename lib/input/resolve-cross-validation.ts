/** Checks and completes the arguments of a cross-validation. */
import { option, rangeError, typeError, Verbatim, words, type Words } from '../errors.js';
import { share, together, type Communicator } from '../mpi/ranks.js';
import { stop } from '../svm/stopping.js';
import type { TrainingRecords } from '../svm/training-records.js';
import type { CrossValidationOptions, CrossValidationProgress, Label, RecordOptions, SvmOptions } from '../types.js';
import { resolveSvmOptions, resolveTraining, type ResolvedSvmOptions, type TrainingInput } from './resolve-fit.js';
import { checkFolds, foldsByRow } from './fold-options.js';
import { listOf, numbersOf } from './lists.js';
import { integer, knownOptions, optional, resolveLimits, RUN_OPTIONS, SEED, sensibleNumber } from './options.js';
import { resolveRanks } from './resolve-ranks.js';
import { resolveScoring, type ScoringInput } from './resolve-scoring.js';
import { CROSS_VALIDATION_WORDS } from './words.js';

const CROSS_VALIDATION_OPTIONS = [
  'folds',
  'gammas',
  'seed',
  'accuracy',
  'probability',
  'scoring',
  'positive',
  'multiclass',
  'classWeight',
  'sampleWeight',
  'loss',
  'scale',
  'stop',
  'encoder',
  'ranks',
  ...RUN_OPTIONS,
] as const satisfies readonly (keyof AllOptions)[];

type AllOptions<L extends Label = Label> = CrossValidationOptions<L> & RecordOptions<object>;

/** The arguments of a cross-validation, checked and completed. */
export interface CrossValidationInput<L extends Label = Label> extends TrainingInput<L>, ScoringInput {
  /** The options that all fits share. */
  readonly options: ResolvedSvmOptions;
  /** The number of folds; or the fold of each row, -1 for a row that takes no part. */
  readonly folds: number | Int32Array;
  /** Ascending; or the default of a fit; undefined: those around it. */
  readonly gammas: readonly number[] | 'default' | undefined;
  readonly seed: number;
  readonly onProgress: ((progress: CrossValidationProgress) => void) | undefined;
}

/** Copies the options of a cross-validation, reading each once. */
export function copyCrossValidationOptions<L extends Label>(given: AllOptions<L> | undefined): AllOptions<L> {
  return knownOptions<AllOptions<L>>(given, CROSS_VALIDATION_OPTIONS, CROSS_VALIDATION_WORDS);
}

/** `records`: what the points were made of; `began`: when the call began. */
export function resolveCrossValidation<L extends Label>(
  points: unknown,
  labels: unknown,
  given?: AllOptions<L>,
  records?: TrainingRecords,
  began = performance.now(),
): CrossValidationInput<L> {
  const options = copyCrossValidationOptions(given);
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
): CrossValidationInput<L> {
  const training = resolveTraining<L>(points, labels, options, began, records, ranks);

  // Options that all fits share. onProgress is called after each fit, not at its checks
  const { multiclass, classWeight, sampleWeight, loss, scale, maxIterations, timeLimit, signal } = options;
  const stopping = options.stop ?? [stop.agreement(0.99), stop.gap(1e-3)];
  const common = { multiclass, classWeight, sampleWeight, loss, scale, maxIterations, timeLimit, signal, stop: stopping };
  const fit = resolveSvmOptions(common as SvmOptions, training); // options that are undefined count as absent
  const { members, weights } = fit;

  // Folds
  const rows = ranks ? members.reduce((sum, count) => sum + count, 0) : training.source.rows;
  const counted = options.folds === undefined || typeof options.folds === 'number';
  const folds = counted
    ? (optional(options.folds, 'folds', integer(2, rows)) ?? 5)
    : foldsByRow(options.folds, training, weights.byRow);
  if (typeof folds === 'number') checkFolds(folds, members, training.labels, words`${option('folds')}`);

  const scoring = resolveScoring(options, training, folds);
  if (ranks && typeof folds !== 'number')
    throw typeError('ERR_OPTION', 'a number', words`${option('folds')} with ${option('ranks')}`, options.folds);
  if (ranks && scoring.scorer?.byRow) {
    const what = words`${option('scoring')} with ${option('ranks')}`;
    throw rangeError('ERR_OPTION', 'a metric of counts, such as accuracy or f1,', what, options.scoring);
  }

  return {
    ...training,
    options: fit,
    folds,
    gammas: optional(options.gammas, 'gammas', gammaList),
    seed: optional(options.seed, 'seed', SEED) ?? 0,
    ...scoring,
    onProgress: callbackOf(resolveLimits<CrossValidationProgress>({ onProgress: options.onProgress }).onProgress, ranks),
  };
}

/** Rank 0's, and a call that does nothing on the others: all of them hear how it ended. */
function callbackOf(own: CrossValidationInput['onProgress'], ranks: Communicator | undefined): CrossValidationInput['onProgress'] {
  if (!ranks) return own;
  return share(ranks, own !== undefined)[0] ? (own ?? (() => undefined)) : undefined;
}

function gammaList(given: unknown, where: Words): readonly number[] | 'default' {
  if (given === 'default') return given;
  const list = listOf<number>(given, 'ERR_OPTION', "an array of numbers or 'default'", where);
  const gammas = numbersOf(list, (value, k) => sensibleNumber(value, words`${where}[${k}]`)).sort((a, b) => a - b);
  if (gammas.length === 0) throw rangeError('ERR_OPTION', 'at least one number', where, new Verbatim('none'));
  const twice = gammas.find((gamma, k) => gamma === gammas[k - 1]);
  if (twice !== undefined) throw rangeError('ERR_OPTION', 'distinct numbers', where, new Verbatim(`${twice} twice`));
  return gammas;
}
