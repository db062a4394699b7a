/** Which labels are taken for which. */
import { escape, table } from './html.js';
import { count, percent } from './number-text.js';
import { nameOfLabel, type Evaluation, type Report } from './report-data.js';
import { squeeze } from './svg.js';

/** With more labels than this there is a list instead of a table. */
const MAX_TABLE = 30;
/** With more labels than this, names of columns stand upright, and shares are shown by shade only. */
const MAX_SHARES = 8;
const MAX_LIST = 20;

export function confusion({ model }: Report, { score, rows }: Evaluation): string {
  const names = model.labels.map(nameOfLabel);
  const parts = [
    ...(names.length <= MAX_TABLE ? [matrix(names, score.confusion, rows)] : []),
    ...(names.length > MAX_SHARES ? [largest(names, score.confusion, rows)] : []),
  ];
  return parts.map((part) => `<div class="card">${part}</div>`).join('');
}

function matrix(names: readonly string[], counts: readonly (readonly number[])[], rows: string): string {
  const many = names.length > MAX_SHARES;
  const heads = names.map(
    (name) => `<th scope="col" title="${escape(name)}"><span>${escape(squeeze(name, many ? 16 : 14))}</span></th>`,
  );
  const lines = counts.map((row, i) => {
    const total = row.reduce((sum, n) => sum + n, 0);
    const cells = row.map((n, j) => {
      const share = total === 0 ? 0 : n / total;
      const said = `${names[i]!} predicted as ${names[j]!}: ${count(n)} of ${count(total)} (${percent(share)})`;
      const kind = `${i === j ? 'hit' : 'miss'}${n === 0 ? 0 : Math.min(4, 1 + Math.floor(4 * share))}`;
      const small = many || total === 0 ? '' : `<small>${percent(share)}</small>`;
      return `<td class="${kind}" title="${escape(said)}">${many && n === 0 ? '' : count(n)}${small}</td>`;
    });
    return `<tr><th scope="row" title="${escape(names[i]!)}">${escape(squeeze(names[i]!, 24))}</th>${cells.join('')}<td class="number">${count(total)}</td></tr>`;
  });
  const shares = many
    ? 'The stronger the colour of a cell, the larger its share of its row; an empty cell is 0.'
    : 'Shares are of the row: of all with this true label.';
  return (
    `<h3>Confusion table</h3><p class="soft">The ${escape(rows)} by true label (down) and predicted label (across). Those on the diagonal are right. ${shares}</p>` +
    `<div class="wide" tabindex="0" role="region" aria-label="Confusion table"><table class="confusion${many ? ' many' : ''}"><thead><tr><th scope="col">true \\ predicted</th>${heads.join('')}` +
    `<th scope="col" class="number"><span>${many ? 'all' : 'rows'}</span></th></tr></thead><tbody>${lines.join('')}</tbody></table></div>`
  );
}

/** The pairs of labels that are confused most. */
function largest(names: readonly string[], counts: readonly (readonly number[])[], rows: string): string {
  const all: { i: number; j: number; n: number; total: number }[] = [];
  counts.forEach((row, i) => {
    const total = row.reduce((sum, n) => sum + n, 0);
    row.forEach((n, j) => i !== j && n > 0 && all.push({ i, j, n, total }));
  });
  if (all.length === 0) return `<h3>Largest confusions</h3><p>None: all ${escape(rows)} are predicted right.</p>`;
  all.sort((a, b) => b.n - a.n || b.n / b.total - a.n / a.total);
  const shown = all.slice(0, MAX_LIST);
  const lines = shown.map(({ i, j, n, total }) => [names[i]!, names[j]!, n, { number: percent(n / total) }]);
  const wrong = (some: typeof all) => some.reduce((sum, { n }) => sum + n, 0);
  const caption = `${count(shown.length)} of ${count(all.length)} pairs of labels that are confused: ${count(wrong(shown))} of the ${count(wrong(all))} ${rows} that are predicted wrong`;
  return `<h3>Largest confusions</h3>${table(['true label', 'predicted label', 'rows', 'share of the true label'], lines, caption)}`;
}
