/** Checks the options of a report. Points and labels are checked when the model scores them. */
import { coded, option, rangeError, typeError, words, type Words } from '../errors.js';
import type { GammaScore, Label, Points, Records, ReportOptions, SvmProgress } from '../types.js';
import { nameList } from './column-names.js';
import { isObject } from './intrinsics.js';
import { knownOptions, optional } from './options.js';
import { REPORT_WORDS } from './words.js';

/** How well each gamma did. */
export interface ReportedValidation {
  readonly table: readonly Pick<GammaScore, 'gamma' | 'mean' | 'standardError'>[];
  /** Whether the scores are accuracies. */
  readonly isAccuracy: boolean;
}

export interface ReportInput {
  readonly title: string | undefined;
  readonly rows: string;
  readonly history: readonly SvmProgress[];
  readonly validation: ReportedValidation | undefined;
  readonly columns: readonly string[] | undefined;
  readonly given: { readonly points: Points | Records; readonly labels: ArrayLike<Label> | string } | undefined;
}

const REPORT_OPTIONS = [
  'points',
  'labels',
  'rows',
  'title',
  'history',
  'validation',
  'columns',
] as const satisfies readonly (keyof ReportOptions)[];

/** Checks the options of a report on a model with so many columns. */
export function resolveReport(asked: ReportOptions | undefined, cols: number): ReportInput {
  const options = knownOptions(asked, REPORT_OPTIONS, REPORT_WORDS);
  const { points, labels } = options;
  if ((points === undefined) !== (labels === undefined)) {
    const [there, missing] = points === undefined ? ['labels', 'points'] : ['points', 'labels'];
    const what = words`Expected ${option(missing)} with ${option(there)} but received none`;
    throw coded(TypeError, 'ERR_OPTION', what);
  }
  const columns = optional(options.columns, 'columns', (value, where) => nameList(value, where, 'ERR_OPTION'));
  if (columns && columns.length !== cols) {
    const where = words`${option('columns')}, one for each weight of the model,`;
    throw rangeError('ERR_OPTION', cols === 1 ? '1 name' : `${cols} names`, where, columns.length);
  }
  return {
    title: optional(options.title, 'title', someText),
    rows: optional(options.rows, 'rows', someText) ?? 'rows given',
    history: optional(options.history, 'history', historyOf) ?? [],
    validation: optional(options.validation, 'validation', validationOf),
    columns,
    given: points === undefined || labels === undefined ? undefined : { points, labels },
  };
}

function someText(value: unknown, where: Words): string {
  if (typeof value !== 'string') throw typeError('ERR_OPTION', 'a text', where, value);
  if (value.trim() === '') throw rangeError('ERR_OPTION', 'a text', where, value);
  return value;
}

const COUNTS = ['iteration', 'elapsed', 'relativeGap'] as const;
const SHARES = ['agreed', 'properlyClassified', 'zero', 'atBound'] as const;

function historyOf(value: unknown, where: Words): SvmProgress[] {
  if (!Array.isArray(value)) throw typeError('ERR_OPTION', 'an array of what onProgress was called with', where, value);
  return Array.from(value, (progress: unknown, k) => {
    const numbers = (of: unknown, names: readonly string[]) =>
      isObject(of) && names.every((name) => typeof (of as Record<string, unknown>)[name] === 'number');
    if (numbers(progress, COUNTS) && numbers((progress as SvmProgress).shares, SHARES)) return progress as SvmProgress;
    throw typeError('ERR_OPTION', 'what onProgress was called with', words`${where}[${k}]`, progress);
  });
}

function validationOf(value: unknown, where: Words): ReportedValidation {
  const table: unknown = isObject(value) ? (value as { table?: unknown }).table : undefined;
  if (!Array.isArray(table)) throw typeError('ERR_OPTION', 'the result of crossValidate', where, value);
  const scores = Array.from(table, (row: unknown, k) => {
    const { gamma, mean, standardError } = (isObject(row) ? row : {}) as Partial<Record<keyof GammaScore, unknown>>;
    const fine = positive(gamma) && Number.isFinite(mean) && Number.isFinite(standardError);
    if (!fine) throw typeError('ERR_OPTION', 'a gamma with its score', words`${where}.table[${k}]`, row);
    return row as GammaScore;
  });
  return validationFrom(scores);
}

const positive = (value: unknown) => typeof value === 'number' && value > 0 && value < Infinity;

/** The table of a cross-validation, and whether its scores are accuracies. */
export function validationFrom(table: readonly GammaScore[]): ReportedValidation {
  const same = ({ accuracy, score }: Partial<GammaScore>) =>
    !accuracy || !score || accuracy.every((share, k) => share === score[k]);
  return { table: [...table].sort((a, b) => a.gamma - b.gamma), isAccuracy: table.every(same) };
}
