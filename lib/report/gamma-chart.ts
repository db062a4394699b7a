/** How well each gamma did on rows held out. */
import { table } from './html.js';
import { lineChart } from './line-chart.js';
import { brief, percent } from './number-text.js';
import type { Report } from './report-data.js';

export function gammaChart({ validation, info }: Report): string {
  if (!validation || validation.table.length === 0) return '';
  const { table: scores, isAccuracy } = validation;
  const what = isAccuracy ? 'accuracy' : 'score';
  const write = isAccuracy ? percent : brief;
  const chosen = scores.find(({ gamma }) => gamma === info?.gamma);
  const chart = lineChart({
    title: `${isAccuracy ? 'Accuracy' : 'Score'} by gamma`,
    note:
      `The mean ${what} over the folds of a cross-validation, on rows that were not learnt from, with bars of one standard error either way.` +
      (chosen ? ` This model has gamma ${brief(chosen.gamma)}.` : ''),
    x: 'gamma',
    y: `${what} on held-out rows`,
    log: 'x',
    percent: isAccuracy,
    zoom: true,
    series: [{ name: what, points: scores.map(({ gamma, mean, standardError }) => [gamma, mean, standardError]), marks: true }],
  });
  const lines = scores.map((row) => [
    `${brief(row.gamma)}${row === chosen ? ' (this model)' : ''}`,
    { number: write(row.mean) },
    { number: `± ${write(row.standardError)}` },
  ]);
  return `<div class="charts">${chart}<div class="card"><h3>In numbers</h3>${table(['gamma', what, 'standard error'], lines)}</div></div>`;
}
