/** The report of a fit as one self-contained HTML page: certificates, progress, margins and weights. */
import { barChart } from './bar-chart.js';
import { histogram } from './histogram.js';
import { escape, table } from './html.js';
import { lineChart } from './line-chart.js';
import { brief, count, percent, upward } from './number-text.js';
import { page } from './page.js';
import { entriesOf } from '../io/model-checksum.js';
import type { LinearSvm } from '../svm/linear-svm.js';
import type { Label, SvmInfo, SvmProgress, SvmShares, SvmStatus } from '../types.js';

export interface ReportInput {
  /** The page's heading, such as the name of the data. */
  readonly title: string;
  readonly model: Pick<LinearSvm, 'labels' | 'planes'>;
  readonly info: SvmInfo;
  /** The arguments of `onProgress`, in order. */
  readonly history: readonly SvmProgress[];
  /** The label of each row of the training data, and how many of them the model gives. */
  readonly labels: ArrayLike<Label>;
  readonly correct: number;
  /** Of two classes, the decision value of each row, weights·x + bias. */
  readonly decisions?: ArrayLike<number>;
  /** The names of the columns. @default their numbers, counted from `firstColumn` */
  readonly names?: readonly string[] | undefined;
  /** The number of the first column: 1 for LIBSVM files. @default 0 */
  readonly firstColumn?: 0 | 1 | undefined;
}

const MAX_BARS = 30;
const MAX_LINES = 40;

/** Why the fit ended, in a sentence. */
export const STATUS_MEANING: Readonly<Record<SvmStatus, string>> = {
  agreement: 'The requested share of rows provably gets the label, right or wrong, that every exact optimum gives them.',
  gap: 'The objective is proved to be as close to the optimum as requested.',
  stale: 'The share of rows proved properly classified has stopped growing.',
  precision: 'Rounding accounts for most of the remaining gap: more iterations cannot prove more.',
  'max-iterations': 'The limit on iterations was reached first. Everything proved below still holds.',
  'time-limit': 'The limit on time was reached first. Everything proved below still holds.',
};

const PROOFS: readonly (readonly [keyof SvmShares, string, string])[] = [
  ['agreed', 'agreed', 'get from this model the label, right or wrong, that every exact optimum gives them'],
  [
    'properlyClassified',
    'properly classified',
    'have a margin above 1 − mu·gamma at the optimum (with the default mu: above one half)',
  ],
  ['zero', 'beyond the margin', 'have a margin above 1 at the optimum, which would be the same without them'],
  ['atBound', 'inside the margin', 'have a margin below 1 − mu·gamma at the optimum, on the wrong side or not'],
];

/** With the squared hinge there is no bound to be at. */
const SQUARED_PROOFS = PROOFS.filter(([key]) => key !== 'atBound').map(
  ([key, name, meaning]) =>
    [
      key,
      name,
      key === 'properlyClassified' ? 'have a positive margin at the optimum: it gives them their own label' : meaning,
    ] as const,
);

const proofsOf = ({ loss }: SvmInfo) => (loss === 'squared-hinge' ? SQUARED_PROOFS : PROOFS);

export function report(input: ReportInput): string {
  const { title, model, info } = input;
  const columns = model.planes[0]!.weights.length;
  const rows = input.labels.length;
  const wrong = rows - input.correct;
  const accuracy = percent(1 - wrong / (rows || 1));
  const limit = info.status === 'max-iterations' || info.status === 'time-limit';
  const chosen = info.validation?.table.find(({ gamma }) => gamma === info.gamma);
  const tile = (name: string, value: string, more = '') =>
    `<div><dt>${name}</dt><dd>${value}${more && `<small>${more}</small>`}</dd></div>`;
  const tiles = [
    tile('training accuracy', accuracy, `${count(wrong)} of ${count(rows)} rows wrong`),
    ...(chosen
      ? [tile('held-out accuracy', percent(chosen.mean), `± ${percent(chosen.standardError)}, when gamma was chosen`)]
      : []),
    tile('rows', count(info.rows), `${count(columns)} ${columns === 1 ? 'column' : 'columns'}`),
    tile('relative gap', brief(upward(info.relativeGap)), 'a proved bound'),
    tile('iterations', count(info.iterations), `${brief(info.passes)} passes over the data`),
    tile('time', duration(info.elapsed), `${escape(info.backend)}, ${info.threads} ${info.threads === 1 ? 'thread' : 'threads'}`),
  ];
  return page(
    title,
    `<header><h1>${escape(title)}</h1>
<p class="lead"><span class="status${limit ? ' limit' : ''}">${escape(info.status)}</span> ${escape(STATUS_MEANING[info.status])}</p></header>
<dl class="tiles">${tiles.join('')}</dl>
<section><h2>What is proved</h2><div class="card">${proofs(info, accuracy)}</div></section>
<section><h2>How it got there</h2><div class="charts">${progress(input).join('\n')}</div>${numbers(input)}</section>
<section><h2>The model</h2><div class="charts"><div class="stack">${margins(input)}
<div class="card">${settings(input)}</div></div>
${model.planes.length === 1 ? weightChart(input) : ''}</div></section>
<footer>Written by fista-classify. Counts refer to the training rows, and are proved for the scaled training problem, rounding included.</footer>`,
  );
}

function proofs(info: SvmInfo, accuracy: string): string {
  const lines = proofsOf(info).map(([key, name, meaning], k) => {
    const share = info.shares[key];
    return (
      `<div><dt>${percent(share)}<small>${count(info[key])} rows</small></dt><dd><strong>${name}</strong>: ${meaning}` +
      `<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/>` +
      `<rect class="c${k}" width="${(100 * share).toFixed(2)}" height="8"/></svg></dd></div>`
    );
  });
  return (
    `<p class="soft">Of ${count(info.rows)} training rows, and for every exact optimum. None of these shares is an accuracy, which is ` +
    `${accuracy} on the training rows. The proof says how near the model is to the optimum of its problem, not how often it is right.</p><dl class="proofs">${lines.join('')}</dl>`
  );
}

// ---- Progress

function progress({ history, info }: ReportInput): string[] {
  const { unit, size } = timeUnit(history[history.length - 1]?.elapsed ?? 0);
  const axes = [
    { x: 'iterations', over: 'iterations', of: (p: SvmProgress) => p.iteration },
    { x: `time (${unit})`, over: 'time', of: (p: SvmProgress) => p.elapsed / size },
  ];
  return [
    ...axes.map(({ x, over, of }) =>
      lineChart({
        title: `Gap over ${over}`,
        note: 'A proved bound on the distance of the objective from the optimum, as a share of the objective.',
        x,
        y: 'relative gap',
        log: 'y',
        series: [{ name: 'relative gap', points: history.map((p) => [of(p), p.relativeGap]) }],
      }),
    ),
    ...axes.map(({ x, over, of }) =>
      lineChart({
        title: `Rows certified over ${over}`,
        note: 'The shares of the training rows that are certified at each check. They are not accuracies.',
        x,
        y: 'share of the training rows',
        percent: true,
        series: proofsOf(info).map(([key, name]) => ({ name, points: history.map((p) => [of(p), p.shares[key]]) })),
      }),
    ),
  ];
}

/** The numbers of the charts, as a table. */
function numbers({ history, info }: ReportInput): string {
  if (history.length === 0) return '';
  const every = (history.length - 1) / Math.max(1, MAX_LINES - 1);
  const shown =
    history.length <= MAX_LINES ? history : Array.from({ length: MAX_LINES }, (_, k) => history[Math.round(k * every)]!);
  const rows = shown.map(({ iteration, elapsed, relativeGap, shares }) => [
    iteration,
    duration(elapsed),
    brief(upward(relativeGap)),
    ...proofsOf(info).map(([key]) => percent(shares[key])),
  ]);
  const caption = `${count(shown.length)} of ${count(history.length)} checks; shares of the training rows that are certified`;
  return `<details class="card"><summary>The same in numbers</summary>${table(['iteration', 'time', 'relative gap', ...proofsOf(info).map(([, name]) => name)], rows, caption)}</details>`;
}

// ---- Margins and weights

function margins(input: ReportInput): string {
  return input.decisions ? histogram(marginChart(input, byClass(input, input.decisions))) : '';
}

/** The margins of the rows of the positive class, and of the negative class. */
function byClass({ model, labels }: ReportInput, decisions: ArrayLike<number>): [number[], number[]] {
  const [, positive] = model.labels;
  const margins: [number[], number[]] = [[], []];
  for (let i = 0; i < decisions.length; i++) {
    if (labels[i] === positive) margins[0].push(decisions[i]!);
    else margins[1].push(0 - decisions[i]!);
  }
  return margins;
}

function marginChart({ model }: ReportInput, [up, down]: [number[], number[]]) {
  const [negative, positive] = model.labels;
  return {
    title: 'Margins of the training rows',
    note: 'How far each row is on its own side of the plane: below 0 it is misclassified, above 1 it is beyond the margin.',
    x: 'margin',
    groups: [
      { name: `label ${String(positive)} (${count(up.length)} rows)`, values: up },
      { name: `label ${String(negative)} (${count(down.length)} rows)`, values: down },
    ],
    marks: [
      { at: 0, name: 'plane' },
      { at: 1, name: 'margin' },
    ],
  };
}

function weightChart({ model, names, firstColumn = 0 }: ReportInput): string {
  const { weights, bias } = model.planes[0]!;
  const [negative, positive] = model.labels;
  const order = entriesOf(weights).indices.sort((a, b) => Math.abs(weights[b]!) - Math.abs(weights[a]!) || a - b);
  const shown = order.slice(0, MAX_BARS);
  const others = order.length - shown.length;
  return barChart({
    title: shown.length < order.length ? `The ${MAX_BARS} largest weights` : 'Weights',
    note:
      `In the units of the data as given; ${count(weights.length - order.length)} of ${count(weights.length)} weights are 0` +
      `${others > 0 ? `, ${count(others)} smaller ones are not shown` : ''}. The bias is ${brief(bias)}.`,
    bars: Array.from(shown, (j) => ({ name: names?.[j] ?? `column ${j + firstColumn}`, value: weights[j]! })),
    sides: [`speaks for ${String(negative)}`, `speaks for ${String(positive)}`],
  });
}

// ---- The table

function settings({ info, model }: ReportInput): string {
  const rows: (readonly [string, string | number])[] = [
    ['status', info.status],
    ['labels', labelsText(model)],
    ...(info.planes ? ([['planes', count(info.planes.length)]] as const) : []),
    ['rows, columns', `${count(info.rows)}, ${count(model.planes[0]!.weights.length)}`],
    ['iterations', count(info.iterations)],
    ['passes', info.passes.toFixed(1)],
    ['methods', info.stages.map(stageText).join(', then ')],
    ['elapsed', duration(info.elapsed)],
    ['optimum', `${info.dual} to ${info.primal}, proved`],
    ['gap', `${brief(upward(info.gap))} (relative ${brief(upward(info.relativeGap))})`],
    ...proofsOf(info).map(
      ([key, name]) =>
        [`proved: ${name}`, `${count(info[key])} of ${count(info.rows)} rows (${percent(info.shares[key])})`] as const,
    ),
    ['loss', info.loss],
    ['gamma, mu', `${brief(info.gamma)}, ${brief(info.mu)}`],
    ...(info.validation?.table ?? []).map(
      ({ gamma, mean, standardError }) =>
        [
          `held-out accuracy, gamma ${brief(gamma)}`,
          `${percent(mean)} ± ${percent(standardError)}${gamma === info.gamma ? ' (chosen)' : ''}`,
        ] as const,
    ),
    ['scaling', info.scale],
    ['L (steps are 1 / L)', brief(info.L)],
    ['backend', `${info.backend}, ${info.threads} ${info.threads === 1 ? 'thread' : 'threads'}`],
  ];
  const lines = rows.map(([name, value]) => `<tr><th scope="row">${escape(name)}</th><td>${escape(value)}</td></tr>`);
  return `<h3>The run in numbers</h3><div class="wide"><table><tbody>${lines.join('')}</tbody></table></div>`;
}

function labelsText({ labels }: Pick<LinearSvm, 'labels'>): string {
  if (labels.length === 2) return `${String(labels[0])} (negative), ${String(labels[1])} (positive)`;
  return labels.length > 30 ? `${count(labels.length)} of them` : labels.map(String).join(', ');
}

function timeUnit(milliseconds: number): { unit: string; size: number } {
  if (milliseconds < 2000) return { unit: 'ms', size: 1 };
  if (milliseconds < 600_000) return { unit: 's', size: 1000 };
  return { unit: 'min', size: 60_000 };
}

function duration(milliseconds: number): string {
  const { unit, size } = timeUnit(milliseconds);
  return `${brief(milliseconds / size)} ${unit}`;
}

const UNITS = { ascent: 'epochs of coordinate ascent', newton: "steps of Newton's method", fista: 'iterations of FISTA' } as const;

function stageText({ method, iterations, passes }: SvmInfo['stages'][number]): string {
  return `${count(iterations)} ${UNITS[method]} (${passes.toFixed(1)} passes)`;
}
