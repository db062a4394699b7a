/** fista-classify predict --metrics: the score of labelled rows, and its layout as text. */
import { printable } from '../errors.js';
import type { LinearSvm } from '../svm/linear-svm.js';
import type { Label, Score } from '../types.js';
import { count, fraction, short } from './format.js';
import type { Data } from './read-data.js';
import { selectRows, type RecordData } from './read-records.js';

/** Tables of more labels than these are not printed: nobody reads them, and --json has all. */
const MAX_TABLE = 100;
const MAX_CONFUSION = 12;

/** The widest name of a label, in a line's first cell and above a column. */
const WIDE = 32;
const NARROW = 10;

/** A score, and the number of rows it is of. */
export type Metrics = Score & { readonly rows: number };

/** Scores the rows whose label the model knows; undefined if there are none. */
export function metricsOf(
  model: LinearSvm<Label, object>,
  { points, labels }: Pick<Data | RecordData, 'points' | 'labels'>,
): Metrics | undefined {
  const known = new Set<Label>(model.labels);
  const list = Uint32Array.from(labels.keys()).filter((i) => known.has(labels[i]!));
  if (list.length === 0) return undefined;
  const all = list.length === labels.length;
  const scored = all ? points : selectRows(points, list);
  return { rows: list.length, ...model.score(scored, all ? labels : Array.from(list, (i) => labels[i]!)) };
}

/** The score as lines of text, without the accuracy. `others` is the number of rows that it leaves out. */
export function metricsLines({ rows, ...score }: Metrics, others: number): string[] {
  return [
    ...(others > 0 ? [`Metrics of the ${count(rows, 'row')} whose label the model knows:`] : []),
    ...summary(score),
    '',
    ...byLabel(score),
    '',
    ...confusion(score),
  ];
}

function summary({ classes, balancedAccuracy, matthews, rocAuc, averagePrecision, logLoss, brier }: Score): string[] {
  const of =
    classes.length === 2
      ? `of ${named(classes[1]!.label, WIDE)} against ${named(classes[0]!.label, WIDE)}`
      : 'mean over the labels';
  const ranked = (value: number | undefined) =>
    value === undefined ? '-  (needs rows of two labels)' : `${fraction(value)}  (${of})`;
  return aligned(
    [
      ['balanced accuracy', fraction(balancedAccuracy)],
      ["Matthews' correlation", fraction(matthews)],
      ['ROC AUC', ranked(rocAuc)],
      ['average precision', ranked(averagePrecision)],
      ...(logLoss === undefined ? [] : [['log loss', short(logLoss)]]),
      ...(brier === undefined ? [] : [['Brier score', short(brier)]]),
    ],
    'left',
  );
}

function byLabel({ classes, macro, weighted }: Score): string[] {
  const total = classes.reduce((sum, { support }) => sum + support, 0);
  const row = (name: string, { precision, recall, f1 }: Score['macro'], support: number) => {
    return [name, fraction(precision), fraction(recall), fraction(f1), count(support)];
  };
  const shown = classes.slice(0, MAX_TABLE);
  const lines = aligned([
    ['label', 'precision', 'recall', 'F1', 'support'],
    ...shown.map((score) => row(named(score.label, WIDE), score, score.support)),
    row('macro average', macro, total),
    row('weighted average', weighted, total),
  ]);
  const more = classes.length - shown.length;
  const averages = lines.splice(-2);
  return [...lines, ...(more > 0 ? [`… and ${count(more, 'label')} more; --json prints all of them`] : []), '', ...averages];
}

function confusion({ classes, confusion }: Score): string[] {
  if (classes.length > MAX_CONFUSION) {
    return [`The confusion matrix of ${count(classes.length)} labels is not shown; --json prints it.`];
  }
  return [
    'confusion matrix, predicted labels in columns',
    ...aligned([
      ['actual', ...classes.map(({ label }) => named(label, NARROW))],
      ...confusion.map((row, k) => [named(classes[k]!.label, WIDE), ...row.map((number) => count(number))]),
    ]),
  ];
}

/** A label's name, without control characters. One that is too wide keeps its beginning and its end, by which names differ. */
function named(label: Label, max: number): string {
  const signs = [...printable(String(label))];
  if (widthOf(signs) <= max) return signs.join('');
  const end = signs.splice(-Math.floor(max / 3));
  while (widthOf(signs) + widthOf(end) >= max) (signs.length > 0 ? signs : end).pop();
  return `${signs.join('')}…${end.join('')}`;
}

/** The number of columns that text takes on a terminal: none for marks on a letter, two for East Asian signs and pictures. */
function widthOf(signs: Iterable<string>): number {
  let width = 0;
  for (const sign of signs) width += /^[\p{M}\p{Cf}]$/u.test(sign) ? 0 : WIDE_SIGN.test(sign) ? 2 : 1;
  return width;
}

const WIDE_SIGN =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{20000}-\u{3fffd}]$/u;

/** Lines of cells in columns, the first one to the left, the others to the right. */
function aligned(rows: readonly (readonly string[])[], others: 'left' | 'right' = 'right'): string[] {
  const widths = rows[0]!.map((_, k) => Math.max(...rows.map((row) => widthOf(row[k]!))));
  const pad = (cell: string, k: number) => {
    const space = ' '.repeat(widths[k]! - widthOf(cell));
    return k === 0 || others === 'left' ? cell + space : space + cell;
  };
  return rows.map((row) => row.map(pad).join('  ').trimEnd());
}
