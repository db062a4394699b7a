/** The columns that speak most for each label. */
import { entriesOf } from '../io/model-checksum.js';
import { barChart } from './bar-chart.js';
import { table } from './html.js';
import { brief, count, threeDigits } from './number-text.js';
import { MAX_CURVES, nameOfLabel, type Report } from './report-data.js';
import type { Label } from '../types.js';

const MAX_BARS = 30;
const MAX_BARS_OF_LABEL = 10;
const MAX_WORDS_OF_LABEL = 5;
const MAX_LABELS = 40;
const UNITS = 'In the units of the data as given: a column of small numbers has large weights.';

export function weightCharts(report: Report): string {
  const { model } = report;
  if (model.planes.length === 1) return ofTwo(report);
  const pairs = model.planes[0]!.negative !== undefined;
  const meaning = pairs
    ? `For each label, the mean of its weights in the ${count(model.labels.length - 1)} planes that tell it from one other label each`
    : 'For each label, the weights of the plane that tells it from the rest';
  const note = `<p class="soft">${meaning}. Above 0 a column speaks for the label, below 0 against it. ${UNITS}</p>`;
  if (model.labels.length > MAX_CURVES) return `<div class="card">${note}${ofMany(report)}</div>`;
  return `${note}<div class="charts">${model.labels.map((label) => ofLabel(report, label)).join('\n')}</div>`;
}

/** The columns with the largest weights first. Those of weight 0 are left out. */
function order(weights: Float64Array): Uint32Array {
  return entriesOf(weights).indices.sort((a, b) => Math.abs(weights[b]!) - Math.abs(weights[a]!) || a - b);
}

function ofTwo({ model, nameOf }: Report): string {
  const { weights, bias } = model.planes[0]!;
  const [negative, positive] = model.labels;
  const all = order(weights);
  const shown = all.slice(0, MAX_BARS);
  const others = all.length - shown.length;
  return barChart({
    title: others > 0 ? `The ${MAX_BARS} largest weights` : 'Weights',
    note:
      `${UNITS} ${count(weights.length - all.length)} of ${count(weights.length)} weights are 0` +
      `${others > 0 ? `, ${count(others)} smaller ones are not shown` : ''}. The bias is ${brief(bias)}.`,
    bars: Array.from(shown, (j) => ({ name: nameOf(j), value: weights[j]! })),
    sides: [`speaks for ${nameOfLabel(negative)}`, `speaks for ${nameOfLabel(positive)}`],
  });
}

function ofLabel({ model, nameOf }: Report, label: Label): string {
  const weights = weightsOf(model.planes, label);
  const all = order(weights);
  const shown = all.slice(0, MAX_BARS_OF_LABEL);
  return barChart({
    title: `${shown.length < all.length ? `The ${MAX_BARS_OF_LABEL} largest weights` : 'Weights'} of ${nameOfLabel(label)}`,
    bars: Array.from(shown, (j) => ({ name: nameOf(j), value: weights[j]! })),
    sides: ['against it', 'for it'],
  });
}

function ofMany({ model, nameOf }: Report): string {
  const labels = model.labels.slice(0, MAX_LABELS);
  const lines = labels.map((label) => {
    const weights = weightsOf(model.planes, label);
    const shown = order(weights).slice(0, MAX_WORDS_OF_LABEL);
    return [nameOfLabel(label), Array.from(shown, (j) => `${nameOf(j)} ${threeDigits(weights[j]!)}`).join(', ')];
  });
  const caption =
    labels.length < model.labels.length ? `The first ${count(labels.length)} of ${count(model.labels.length)} labels` : '';
  return table(['label', `the ${MAX_WORDS_OF_LABEL} largest weights`], lines, caption);
}

/** What speaks for a label: the mean over the planes that it is part of, each turned to its side. */
export function weightsOf(planes: Report['model']['planes'], label: Label): Float64Array {
  const own = planes.filter(({ positive, negative }) => positive === label || negative === label);
  const sum = new Float64Array(planes[0]!.weights.length);
  for (const { positive, weights } of own) {
    const factor = (positive === label ? 1 : -1) / own.length;
    for (let j = 0; j < sum.length; j++) sum[j]! += factor * weights[j]!;
  }
  return sum;
}
