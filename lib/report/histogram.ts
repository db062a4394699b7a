/** Counts of values in bins of equal width. */
import { axes } from './axes.js';
import { escape } from './html.js';
import { brief, count, rowCount } from './number-text.js';
import { linear, niceStep } from './scales.js';
import { CHARACTER, coord, figure, HEIGHT, NO_DATA, segment, shorten, svg, text, WIDTH } from './svg.js';

export interface Histogram {
  readonly title: string;
  readonly note?: string | undefined;
  readonly x: string;
  /** One group, or two back to back: the first upwards, the second downwards. */
  readonly groups: readonly { readonly name: string; readonly values: ArrayLike<number> }[];
  /** Named positions on the x axis. */
  readonly marks?: readonly { readonly at: number; readonly name: string }[] | undefined;
  /** What the values can be. @default their own range */
  readonly range?: readonly [low: number, high: number] | undefined;
}

/** Draws one group upwards, or two back to back. */
export function histogram({ title, note, x, groups, marks = [], range }: Histogram): string {
  const values = groups.map((group) => Float64Array.from(group.values).filter(Number.isFinite).sort());
  const all = Float64Array.from(values.flatMap((list) => [...quantiles(list)])).sort();
  if (all.length === 0) return figure(title, note, '', NO_DATA);
  // Outliers would leave only a few bins for the other values. They are counted in the last bin on their side.
  const [q1, q3] = [all[Math.floor(0.25 * (all.length - 1))]!, all[Math.ceil(0.75 * (all.length - 1))]!];
  const reach = 4 * (q3 - q1) || Infinity;
  const [min, max] = range ?? [Math.max(all[0]!, q1 - reach), Math.min(all[all.length - 1]!, q3 + reach)];
  const low = Math.min(min, ...marks.map((mark) => mark.at));
  const high = Math.max(max, ...marks.map((mark) => mark.at));
  const step = niceStep((high - low) / 22 || 1);
  const first = Math.floor(low / step);
  // The upper end of a range belongs to the last bin.
  const bins = Math.max(1, range ? Math.round((high - low) / step) : Math.floor(high / step) - first + 1);
  let beyond = 0;
  const counts = values.map((list) => {
    const bin = new Array<number>(bins).fill(0);
    for (const value of list) {
      const k = Math.floor(value / step) - first;
      if ((k < 0 || k >= bins) && !range) beyond++;
      bin[Math.min(Math.max(k, 0), bins - 1)]!++;
    }
    return bin;
  });
  const up = Math.max(1, ...counts[0]!);
  const down = counts[1] ? Math.max(1, ...counts[1]) : 0;
  const xs = linear(first * step, (first + bins) * step);
  const scale = linear(-down * 1.04, up * 1.04, (value) => count(Math.abs(value)), 5);
  const ys = { ...scale, ticks: scale.ticks.filter(({ at }) => Number.isInteger(at)) };
  const { parts, px, py, top, bottom, left, right } = axes(xs, ys, { x, y: 'rows' });
  counts.forEach((bin, group) => {
    const bars = bin.map((n, k) => {
      if (n === 0) return '';
      const [a, b] = [px((first + k) * step) + 0.5, px((first + k + 1) * step) - 0.5];
      const [from, to] = group === 0 ? [py(n), py(0)] : [py(0), py(-n)];
      const size = Math.max(to - from, 0.8);
      return `M${coord(a)} ${coord(group === 0 ? to - size : from)}H${coord(b)}v${coord(size)}H${coord(a)}z`;
    });
    parts.push(`<path class="c${group}" d="${bars.join('')}"/>`);
  });
  parts.push(segment(left, py(0), right, py(0), 'axis'));
  marks.forEach((mark, k) => {
    // A name stands to the left of its line if the next line or the edge is near.
    const place = px(mark.at);
    const next = marks[k + 1];
    const room = (next === undefined ? WIDTH : px(next.at)) - place;
    const before = room < Math.min(mark.name.length, 14) * CHARACTER + 8;
    const [where, anchor] = before ? ([place - 4, 'end'] as const) : ([place + 4, 'start'] as const);
    parts.push(segment(place, top - 14, place, bottom, 'mark'), text(where, top - 5, shorten(mark.name, 14), anchor, 'strong'));
  });
  const keys = groups.map(
    ({ name }, k) =>
      `<li><svg viewBox="0 0 34 12" aria-hidden="true"><path class="c${k}" d="M11 1h12v10h-12z"/></svg>${groups.length > 1 ? (k === 0 ? '↑ ' : '↓ ') : ''}${escape(name)}</li>`,
  );
  const far = beyond > 0 ? ` ${count(beyond)} further out are counted in the last bin of their side.` : '';
  const said = groups.map(({ name }, k) => {
    const list = values[k]!;
    const half = list.length > 0 ? `, half of them up to ${brief(list[list.length >> 1]!)}` : '';
    return `${name}: ${rowCount(list.length)}${half}.`;
  });
  const full = `${note ?? ''}${far}`.trim();
  return figure(
    title,
    full,
    `<ul class="legend">${keys.join('')}</ul>`,
    svg(title, `The number of rows by ${x}. ${said.join(' ')}`, HEIGHT, parts.join('')),
  );
}

/** At most 201 quantiles of a sorted list, including its ends, so that each group has the same weight in the choice of the range. */
function quantiles(sorted: Float64Array): Float64Array {
  if (sorted.length <= 201) return sorted;
  return Float64Array.from({ length: 201 }, (_, k) => sorted[Math.round((k / 200) * (sorted.length - 1))]!);
}
