/** Whether probabilities are borne out. */
import { calibrationCurve } from '../metrics/calibration-curve.js';
import { details, table } from './html.js';
import { histogram } from './histogram.js';
import { lineChart } from './line-chart.js';
import { brief, percent, rowCount } from './number-text.js';
import { MAX_CURVES, nameOfLabel, type Evaluation, type Report } from './report-data.js';
import type { CalibrationCurve } from '../types.js';

interface Curve extends CalibrationCurve {
  readonly name: string;
}

/** The calibration curve, of two labels with the distribution of the probabilities; and the counts as a table. */
export function calibrationCharts(report: Report, evaluation: Evaluation): { charts: string[]; numbers: string } {
  const { probabilities, rows, score } = evaluation;
  const curves = probabilities ? curvesOf(report, evaluation, probabilities) : [];
  if (!probabilities || curves.length === 0) return { charts: [], numbers: '' };
  const [first, second] = report.model.labels;
  const two = report.model.labels.length === 2;
  const whose = two ? `of label ${nameOfLabel(second)}` : curves.length > 1 ? 'of each label' : 'of all labels, taken together,';
  const chart = lineChart({
    title: 'Calibration',
    note:
      `The probabilities ${whose} in ten bins, and how often they came true on the ${rows}. On the dashed line they are borne out. Bins of few rows stray by chance.` +
      (score.logLoss === undefined ? '' : ` Log loss ${brief(score.logLoss)}, Brier score ${brief(score.brier!)}.`),
    x: 'mean probability in the bin',
    y: 'share that has the label',
    percent: 'xy',
    diagonal: true,
    series: curves.map(({ name, predicted, observed }) => ({
      name,
      points: Array.from(predicted, (p, k) => [p, observed[k]!]),
      marks: true,
    })),
  });
  const lines = curves.flatMap(({ name, predicted, observed, counts }) =>
    Array.from(counts, (n, k) => [name, { number: percent(predicted[k]!) }, { number: percent(observed[k]!) }, n]),
  );
  const caption = 'By bin of probabilities: their mean, the share of the rows that has the label, and how many there are';
  const numbers = details('Calibration in numbers', table(['label', 'mean probability', 'has the label', 'rows'], lines, caption));
  if (!two) return { charts: [chart], numbers };
  const of = (k: number) => probabilities.filter((_, at) => at % 2 === 1 && evaluation.actual[at >> 1] === k);
  const groups = [second, first].map((label, k) => {
    const values = of(1 - k);
    return { name: `label ${nameOfLabel(label)} (${rowCount(values.length)})`, values };
  });
  const spread = histogram({
    title: `Probabilities of label ${nameOfLabel(second)}`,
    note: `The ${rows} by the probability that they have this label. Those that have it are above the line.`,
    x: `probability of label ${nameOfLabel(second)}`,
    groups,
    range: [0, 1],
  });
  return { charts: [chart, spread], numbers };
}

/** A curve a label; of two labels, that of the second; of many, one of all probabilities together. */
function curvesOf({ model }: Report, { actual }: Evaluation, probabilities: Float64Array): Curve[] {
  const { labels } = model;
  const { length } = labels;
  if (length > MAX_CURVES) {
    const is = Uint8Array.from(probabilities, (_, at) => Number(actual[Math.floor(at / length)] === at % length));
    return curveOf('all labels', probabilities, is);
  }
  const shown = length === 2 ? [1] : [...labels.keys()];
  return shown.flatMap((k) => {
    const is = actual.map((label) => Number(label === k));
    const own = Float64Array.from(actual, (_, i) => probabilities[i * length + k]!);
    return curveOf(nameOfLabel(labels[k]!), own, is);
  });
}

/** None if all rows or no rows have the label. */
function curveOf(name: string, probabilities: Float64Array, is: ArrayLike<number>): Curve[] {
  const hits = Array.prototype.reduce.call(is, (sum, one) => (sum as number) + (one as number), 0) as number;
  return hits === 0 || hits === is.length ? [] : [{ name, ...calibrationCurve(probabilities, is, { positive: 1 }) }];
}
