/** What is proved of the training rows. */
import { escape } from './html.js';
import { count, percent } from './number-text.js';
import type { Report } from './report-data.js';
import type { SvmInfo, SvmShares } from '../types.js';

type Proof = readonly [key: keyof SvmShares, name: string, meaning: string];

const PROOFS: readonly Proof[] = [
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
const SQUARED_PROOFS = PROOFS.filter(([key]) => key !== 'atBound').map(([key, name, meaning]): Proof => [
  key,
  name,
  key === 'properlyClassified' ? 'have a positive margin at the optimum: it gives them their own label' : meaning,
]);

export function proofsOf({ loss }: SvmInfo): readonly Proof[] {
  return loss === 'squared-hinge' ? SQUARED_PROOFS : PROOFS;
}

export function proofs({ info, evaluation }: Report): string {
  if (!info) return '';
  // Counts of three labels or more, but for the first, are sums over the planes.
  const total = info.planes ? info.planes.reduce((sum, plane) => sum + plane.rows, 0) : info.rows;
  const lines = proofsOf(info).map(([key, name, meaning], k) => {
    const share = info.shares[key];
    const of =
      info.planes && key !== 'agreed' ? `${count(info[key])} of ${count(total)}, plane by plane` : `${count(info[key])} rows`;
    return (
      `<div><dt>${percent(share)}<small>${of}</small></dt><dd><strong>${name}</strong>: ${meaning}` +
      `<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/>` +
      `<rect class="c${k}" width="${(100 * share).toFixed(2)}" height="8"/></svg></dd></div>`
    );
  });
  const accuracy = evaluation
    ? `an accuracy, which is ${percent(evaluation.score.accuracy)} on the ${escape(evaluation.rows)}`
    : 'an accuracy';
  return (
    `<div class="card"><p class="soft">Of ${count(info.rows)} training rows, and for every exact optimum. None of these shares is ${accuracy}. ` +
    `The proof says how near the model is to the optimum of its problem, not how often it is right.</p><dl class="proofs">${lines.join('')}</dl></div>`
  );
}
