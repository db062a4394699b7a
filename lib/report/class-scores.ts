/** Precision, recall and F1 by label, and their averages. */
import { table, type Cell } from './html.js';
import { count, percent, upToOne } from './number-text.js';
import { nameOfLabel, type Evaluation } from './report-data.js';
import type { AverageScore, ClassScore } from '../types.js';

const MAX_CLASSES = 100;

export function classScores({ score, rows, count: all }: Evaluation): string {
  const { classes, macro, weighted } = score;
  const order = [...classes].sort((a, b) => a.f1 - b.f1 || b.support - a.support);
  const shown = classes.length > MAX_CLASSES ? order.slice(0, MAX_CLASSES) : classes;
  // Areas are left out where there are too many decision values.
  const areas = classes.some(({ rocAuc }) => rocAuc !== undefined);
  const rates = ({ precision, recall, f1 }: AverageScore): Cell[] =>
    [precision, recall, f1].map((rate) => ({ number: percent(rate) }));
  const area = (value: number | undefined): Cell => ({ number: value === undefined ? '–' : upToOne(value) });
  const line = (name: string, of: AverageScore, support: number, { rocAuc, averagePrecision }: Partial<ClassScore>): Cell[] => [
    name,
    ...rates(of),
    support,
    ...(areas ? [area(rocAuc), area(averagePrecision)] : []),
  ];
  const lines = [
    ...shown.map((of) => line(nameOfLabel(of.label), of, of.support, of)),
    line('mean over the labels', macro, all, classes.length > 2 ? score : {}),
    line('mean by rows', weighted, all, {}),
  ];
  const caption =
    shown.length < classes.length
      ? `The ${count(shown.length)} labels of ${count(classes.length)} with the lowest F1, and the means over all labels, on the ${rows}`
      : `On the ${rows}. Precision: of those predicted as the label, the share that has it. Recall: of those with the label, the share that is predicted as it. F1: their harmonic mean.`;
  const names = ['label', 'precision', 'recall', 'F1', 'rows', ...(areas ? ['ROC AUC', 'average precision'] : [])];
  return `<div class="card"><h3>By label</h3>${table(names, lines, caption)}</div>`;
}
