/** What the sections of a report are made from. */
import { MAX_VALUES, rankingOf } from '../metrics/score-of.js';
import type { Ranking } from '../metrics/ranking.js';
import type { LinearSvm } from '../svm/linear-svm.js';
import { isRecords, labelsIn } from '../svm/training-records.js';
import type { Label, Points, Records, Score, SvmInfo, SvmProgress } from '../types.js';
import type { ReportedValidation } from '../input/resolve-report.js';

export interface Report {
  /** The page's heading, such as the name of the data. */
  readonly title: string;
  readonly model: LinearSvm<Label, object>;
  /** Undefined for a model that was read. */
  readonly info: SvmInfo | undefined;
  /** The arguments of `onProgress`, in order. */
  readonly history: readonly SvmProgress[];
  readonly validation: ReportedValidation | undefined;
  /** What the model makes of labelled rows, if there are any. */
  readonly evaluation: Evaluation | undefined;
  /** The name of a column. */
  readonly nameOf: (column: number) => string;
}

/** What a model makes of labelled rows. */
export interface Evaluation {
  /** What the rows are: 'training rows'. */
  readonly rows: string;
  readonly count: number;
  readonly score: Score;
  /** By row, the number of its label. */
  readonly actual: Uint16Array;
  /** Of two labels, one value a row; of up to MAX_CURVES, one a row and label. Undefined beyond, or if they would take too much memory. */
  readonly decisions: Float64Array | undefined;
  /** One a row and label. Undefined if the model has none, or if they would take too much memory. */
  readonly probabilities: Float64Array | undefined;
}

/** With more labels than this, curves of single labels are left out. */
export const MAX_CURVES = 6;

export function evaluate(
  model: LinearSvm<Label, object>,
  points: Points | Records,
  given: ArrayLike<Label> | string,
  rows: string,
): Evaluation {
  const labels = typeof given === 'string' && isRecords(points, true) ? labelsIn(points, given) : (given as ArrayLike<Label>);
  const score = model.score(points, labels);
  const numbers = new Map(model.labels.map((label, k) => [label, k]));
  const actual = Uint16Array.from(labels, (label) => numbers.get(label)!);
  const { length } = model.labels;
  const each = length === 2 ? 1 : length;
  const fits = (values: number) => actual.length * values <= MAX_VALUES;
  return {
    rows,
    count: actual.length,
    score,
    actual,
    decisions: length <= MAX_CURVES && fits(each) ? model.decision(points) : undefined,
    probabilities: model.calibration && fits(length) ? model.probability(points) : undefined,
  };
}

/** A label and the ranking of the rows by its decision values; undefined if all rows or none have the label. */
export interface LabelRanking {
  readonly label: Label;
  readonly number: number;
  readonly ranking: Ranking | undefined;
}

/** The rankings by label; of two labels, that of the second one alone. */
export function rankings({ model }: Report, { actual, decisions }: Evaluation): LabelRanking[] {
  const { labels } = model;
  const list = labels.length === 2 ? [1] : [...labels.keys()];
  return decisions
    ? list.map((number) => {
        const ranking = rankingOf({ labels, actual }, decisions, number);
        const both = ranking.positives > 0 && ranking.negatives > 0;
        return { label: labels[number]!, number, ranking: both ? ranking : undefined };
      })
    : [];
}

/** A label as text. An empty one would not be seen. */
export function nameOfLabel(label: Label): string {
  const text = String(label);
  return text.trim() === '' ? JSON.stringify(text) : text;
}
