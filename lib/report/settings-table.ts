/** The model and its fit in numbers. */
import { escape } from './html.js';
import { brief, count, duration, percent, upward } from './number-text.js';
import { proofsOf } from './proofs-section.js';
import { nameOfLabel, type Report } from './report-data.js';
import type { SvmInfo } from '../types.js';

type Line = readonly [name: string, value: string];

export function settings({ info, model }: Report): string {
  const columns = model.planes[0]!.weights.length;
  const pairs = model.planes[0]!.negative !== undefined;
  const rows: Line[] = [
    ['labels', labelsText(model)],
    ...(model.planes.length > 1
      ? ([
          ['planes', `${count(model.planes.length)}, ${pairs ? 'one a pair of labels' : 'one a label, against the rest'}`],
        ] as const)
      : []),
    ['columns', count(columns)],
    ['probabilities', model.calibration ?? 'none'],
    ...(info ? fitLines(info) : []),
  ];
  const lines = rows.map(([name, value]) => `<tr><th scope="row">${escape(name)}</th><td>${escape(value)}</td></tr>`);
  return `<div class="card"><h3>In numbers</h3><div class="wide"><table><tbody>${lines.join('')}</tbody></table></div></div>`;
}

function fitLines(info: SvmInfo): Line[] {
  return [
    ['status', info.status],
    ['training rows', count(info.rows)],
    ['iterations', count(info.iterations)],
    ['passes', info.passes.toFixed(1)],
    ['methods', info.stages.map(stageText).join(', then ')],
    ['elapsed', duration(info.elapsed)],
    ['optimum', `${info.dual} to ${info.primal}, proved`],
    ['gap', `${brief(upward(info.gap))} (relative ${brief(upward(info.relativeGap))})`],
    ...proofsOf(info).map(([key, name]): Line => [`proved: ${name}`, `${count(info[key])} (${percent(info.shares[key])})`]),
    ['loss', info.loss],
    ['gamma, mu', `${brief(info.gamma)}, ${brief(info.mu)}`],
    ['scaling', info.scale],
    ['L (steps are 1 / L)', brief(info.L)],
    ['backend', `${info.backend}, ${info.threads} ${info.threads === 1 ? 'thread' : 'threads'}`],
  ];
}

function labelsText({ labels }: Report['model']): string {
  const names = labels.map(nameOfLabel);
  if (names.length === 2) return `${names[0]} (negative), ${names[1]} (positive)`;
  return names.length > 30 ? `${count(names.length)} of them` : names.join(', ');
}

const UNITS = { ascent: 'epochs of coordinate ascent', newton: "steps of Newton's method", fista: 'iterations of FISTA' } as const;

function stageText({ method, iterations, passes }: SvmInfo['stages'][number]): string {
  return `${count(iterations)} ${UNITS[method]} (${passes.toFixed(1)} passes)`;
}
