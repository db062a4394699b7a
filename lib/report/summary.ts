/** The head of a report: how the fit ended, and the most important numbers. */
import { escape } from './html.js';
import { brief, count, duration, percent, upToOne, upward } from './number-text.js';
import type { Evaluation, Report } from './report-data.js';
import type { SvmInfo, SvmStatus } from '../types.js';

/** Why the fit ended, in a sentence. */
export const STATUS_MEANING: Readonly<Record<SvmStatus, string>> = {
  agreement: 'The requested share of rows provably gets the label, right or wrong, that every exact optimum gives them.',
  gap: 'The objective is proved to be as close to the optimum as requested.',
  stale: 'The share of rows proved properly classified has stopped growing.',
  precision: 'Rounding accounts for most of the remaining gap: more iterations cannot prove more.',
  'max-iterations': 'The limit on iterations was reached first. Everything proved below still holds.',
  'time-limit': 'The limit on time was reached first. Everything proved below still holds.',
};

export function header({ title, info }: Report): string {
  const limit = info?.status === 'max-iterations' || info?.status === 'time-limit';
  const lead = info
    ? `<span class="status${limit ? ' limit' : ''}">${escape(info.status)}</span> ${escape(STATUS_MEANING[info.status])}`
    : 'A model that was read from a file or from JSON: how its training went is not known.';
  return `<header><h1>${escape(title)}</h1>\n<p class="lead">${lead}</p></header>`;
}

/** All arguments are text. */
function tile(name: string, value: string, more = ''): string {
  return `<div><dt>${escape(name)}</dt><dd>${escape(value)}${more && `<small>${escape(more)}</small>`}</dd></div>`;
}

export function tiles(report: Report): string {
  const { evaluation, info } = report;
  const all = [...(evaluation ? scoreTiles(evaluation) : []), ...heldOut(report), ...(info ? fitTiles(info, report) : [])];
  return all.length === 0 ? '' : `<dl class="tiles">${all.join('')}</dl>`;
}

function scoreTiles({ score, rows, count: all }: Evaluation): string[] {
  const wrong = all - score.confusion.reduce((sum, row, k) => sum + row[k]!, 0);
  const two = score.classes.length === 2;
  return [
    tile('accuracy', percent(score.accuracy), `${count(wrong)} of ${count(all)} ${rows} wrong`),
    tile('balanced accuracy', percent(score.balancedAccuracy), 'every label counts the same'),
    tile('F1', percent(score.macro.f1), 'mean over the labels'),
    tile('Matthews correlation', upToOne(score.matthews), '0: no better than chance'),
    ...(score.rocAuc === undefined
      ? []
      : [tile('ROC AUC', upToOne(score.rocAuc), two ? '0.5: no better than chance' : 'mean over the labels')]),
    ...(score.logLoss === undefined ? [] : [tile('log loss', brief(score.logLoss), 'of the probabilities')]),
  ];
}

/** The score of this model's gamma in a cross-validation. */
function heldOut({ validation, info }: Report): string[] {
  const chosen = validation?.table.find(({ gamma }) => gamma === info?.gamma);
  if (!validation || !chosen) return [];
  const write = validation.isAccuracy ? percent : brief;
  const name = validation.isAccuracy ? 'held-out accuracy' : 'held-out score';
  return [tile(name, write(chosen.mean), `± ${write(chosen.standardError)}, in cross-validation`)];
}

function fitTiles(info: SvmInfo, { model }: Report): string[] {
  const columns = model.planes[0]!.weights.length;
  return [
    tile('training rows', count(info.rows), `${count(columns)} ${columns === 1 ? 'column' : 'columns'}`),
    tile('relative gap', brief(upward(info.relativeGap)), 'a proved bound'),
    tile('iterations', count(info.iterations), `${brief(info.passes)} passes over the data`),
    tile('time', duration(info.elapsed), `${info.backend}, ${info.threads} ${info.threads === 1 ? 'thread' : 'threads'}`),
  ];
}
