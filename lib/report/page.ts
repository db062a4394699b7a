/**
 * Charts as SVG inside HTML figures, and the page around them: one file, nothing to load, nothing to run. Colours are CSS variables
 * that follow the reader's scheme, light or dark; series differ by dash and sign too, not by colour alone. All text given is escaped.
 */

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** A sign at every point. @default for at most 12 points */
  readonly marks?: boolean | undefined;
}

export interface LineChart {
  readonly title: string;
  /** What is to be seen, in a sentence or two: under the title, and for those who cannot see the lines. */
  readonly note?: string | undefined;
  /** The axes' labels. */
  readonly x: string;
  readonly y: string;
  /** Which axes are logarithmic; what is not positive is left out there. */
  readonly log?: 'x' | 'y' | 'xy' | undefined;
  /** Whether y are shares from 0 to 1, shown in per cent. */
  readonly percent?: boolean | undefined;
  readonly series: readonly Series[];
}

export interface BarChart {
  readonly title: string;
  readonly note?: string | undefined;
  readonly bars: readonly { readonly name: string; readonly value: number }[];
  /** What a bar to the left, and one to the right, means. */
  readonly sides?: readonly [negative: string, positive: string] | undefined;
}

export interface Histogram {
  readonly title: string;
  readonly note?: string | undefined;
  readonly x: string;
  /** One group, or two back to back: the first upwards, the second downwards. */
  readonly groups: readonly { readonly name: string; readonly values: ArrayLike<number> }[];
  /** Places on the x axis with a name. */
  readonly marks?: readonly { readonly at: number; readonly name: string }[] | undefined;
}

// ---- Text

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for HTML, in elements and in quoted attributes; control characters, which HTML forbids, become a sign for them. */
export function escape(text: unknown): string {
  return String(text)
    .replace(/[&<>"']/g, (sign) => ENTITIES[sign]!)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** The first characters of a text that is too long for its place. */
function shorten(text: string, max: number): string {
  const signs = [...text];
  return signs.length <= max ? text : `${signs.slice(0, max - 1).join('')}…`;
}

/** The same with its end kept: names often differ there. */
function squeeze(text: string, max: number): string {
  const signs = [...text];
  if (signs.length <= max) return text;
  const head = Math.ceil(0.55 * (max - 1));
  return `${signs.slice(0, head).join('')}…${signs.slice(signs.length - (max - 1 - head)).join('')}`;
}

/** 32,561 */
export function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 0 });
}

/** A number in at most four digits or so: 0.0123, 1.23e-7, 12,300. */
export function brief(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 1e-3 || size >= 1e7) return minus(value.toExponential(size < 1e-3 ? 1 : 2).replace('e+', 'e'));
  const text = size >= 1000 ? count(value) : String(Number(value.toPrecision(3)));
  return minus(text);
}

/** The same to three digits, zeros among them, so that a column of numbers lines up. */
export function even(value: number): string {
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1000 ? minus(value.toPrecision(3)) : brief(value);
}

const minus = (text: string) => text.replace(/(^|e)-/g, '$1−');

/** 99.9 %, and 100 % only for all. */
export function percent(share: number): string {
  const text = (100 * share).toFixed(1);
  if (share < 1 && text === '100.0') return '> 99.9 %';
  return share === 0 || share === 1 ? `${100 * share} %` : `${text} %`;
}

const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const power = (k: number) =>
  `10${String(k)
    .replace(/-/, '⁻')
    .replace(/\d/g, (digit) => RAISED[Number(digit)]!)}`;

// ---- Scales

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  /** 0 to 1 along the axis. */
  place(value: number): number;
}

/** The largest of 1, 2, 5 times a power of ten that is not above. */
function niceStep(rough: number): number {
  const unit = 10 ** Math.floor(Math.log10(rough));
  const k = rough / unit;
  return (k >= 5 ? 5 : k >= 2 ? 2 : 1) * unit;
}

function linear(from: number, to: number, write: (value: number) => string = brief, min = 3.2): Scale {
  if (!(to > from)) [from, to] = from === 0 ? [0, 1] : [from - Math.abs(from) / 2, from + Math.abs(from) / 2];
  const step = niceStep((to - from) / min);
  const ticks = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step; k++) {
    const at = Number((k * step).toPrecision(12));
    ticks.push({ at, text: write(at) });
  }
  return { from, to, ticks, place: (value) => (value - from) / (to - from) };
}

function logarithmic(from: number, to: number): Scale {
  let [low, high] = [Math.log10(from), Math.log10(to)];
  const ticks = [];
  if (high - low < 1.5) {
    // Within a decade or so powers of ten alone would say little.
    if (high - low < 0.3) [low, high] = [low - 0.15, high + 0.15];
    for (let k = Math.floor(low); k <= high; k++) {
      for (const m of [1, 2, 5]) {
        const at = m * 10 ** k;
        if (Math.log10(at) >= low - 1e-9 && Math.log10(at) <= high + 1e-9) ticks.push({ at, text: m === 1 ? power(k) : brief(at) });
      }
    }
  } else {
    [low, high] = [Math.floor(low + 1e-9), Math.ceil(high - 1e-9)];
    const every = Math.ceil((high - low) / 6);
    for (let k = low; k <= high; k += every) ticks.push({ at: 10 ** k, text: power(k) });
  }
  return { from: 10 ** low, to: 10 ** high, ticks, place: (value) => (Math.log10(value) - low) / (high - low) };
}

// ---- Pieces

// In units of the view box. A phone shows it at about nine tenths, a desk in two columns a little larger.
const WIDTH = 420;
const HEIGHT = 274;
const FONT = 12;
const SIGN = 0.62 * FONT; // a generous guess at a character's width: which font draws it is the reader's matter

const at = (value: number) => String(Math.round(value * 10) / 10);

const DASHES = ['', '7 4', '2 3', '11 3 2 3', '5 2', '1 4'];
const SHAPES = [
  (x: number, y: number) => `M${at(x - 3.6)} ${at(y)}a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z`,
  (x: number, y: number) => `M${at(x - 3.3)} ${at(y - 3.3)}h6.6v6.6h-6.6z`,
  (x: number, y: number) => `M${at(x)} ${at(y - 4.4)}l4.3 7.4h-8.6z`,
  (x: number, y: number) => `M${at(x)} ${at(y - 4.6)}l4.6 4.6l-4.6 4.6l-4.6 -4.6z`,
  (x: number, y: number) => `M${at(x - 4.3)} ${at(y - 3.2)}h8.6l-4.3 7.4z`,
  (x: number, y: number) => `M${at(x - 1.4)} ${at(y - 4.2)}h2.8v2.8h2.8v2.8h-2.8v2.8h-2.8v-2.8h-2.8v-2.8h2.8z`,
];
const COLOURS = 6;

const dash = (k: number) => DASHES[(k + Math.floor(k / COLOURS)) % DASHES.length]!;
const stroke = (k: number) => `class="line c${k % COLOURS}"${dash(k) && ` stroke-dasharray="${dash(k)}"`}`;
const shape = (k: number, x: number, y: number) => SHAPES[(k + 2 * Math.floor(k / COLOURS)) % SHAPES.length]!(x, y);

function figure(title: string, note: string | undefined, legend: string, drawing: string, kind = ''): string {
  return (
    `<figure class="chart${kind && ` ${kind}`}"><figcaption><h3>${escape(title)}</h3>${note ? `<p>${escape(note)}</p>` : ''}` +
    `${legend}</figcaption>${drawing}</figure>`
  );
}

/** The drawing, with its name and description for those who do not see it. */
function svg(title: string, description: string, height: number, inside: string): string {
  return (
    `<svg viewBox="0 0 ${WIDTH} ${at(height)}" role="img" aria-label="${escape(title)}"><title>${escape(title)}</title>` +
    `<desc>${escape(description)}</desc>${inside}</svg>`
  );
}

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end' = 'start', kind = ''): string {
  return `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}"${kind && ` class="${kind}"`}>${escape(words)}</text>`;
}

const rule = (x1: number, y1: number, x2: number, y2: number, kind: string) =>
  `<path class="${kind}" d="M${at(x1)} ${at(y1)}L${at(x2)} ${at(y2)}"/>`;

/** Grid, ticks and labels around a plot, and where values are in it. */
function frame(x: Scale, y: Scale, labels: { x: string; y: string }) {
  const left = Math.max(30, ...y.ticks.map((tick) => tick.text.length * SIGN + 10));
  const [right, top, bottom] = [WIDTH - 22, 32, HEIGHT - 42];
  const px = (value: number) => left + x.place(value) * (right - left);
  const py = (value: number) => bottom - y.place(value) * (bottom - top);
  const room = Math.floor((right - left) / (Math.max(...x.ticks.map((tick) => tick.text.length)) * SIGN + 8));
  const every = Math.ceil(x.ticks.length / Math.max(1, room));
  const parts = [
    ...y.ticks.map(
      (tick) => rule(left, py(tick.at), right, py(tick.at), 'grid') + text(left - 6, py(tick.at) + 4, tick.text, 'end'),
    ),
    ...x.ticks
      .filter((_, k) => k % every === 0)
      .map(
        (tick) => rule(px(tick.at), bottom, px(tick.at), bottom + 4, 'axis') + text(px(tick.at), bottom + 17, tick.text, 'middle'),
      ),
    rule(left, bottom, right, bottom, 'axis'),
    text(4, 13, shorten(labels.y, 50)),
    text(right, HEIGHT - 6, shorten(labels.x, 50), 'end'),
  ];
  return { parts, px, py, left, right, top, bottom };
}

const finite = (value: number) => Number.isFinite(value);

/** Of many points in one column of pixels the first, lowest, highest and last draw the same line. */
function thin(points: (readonly [number, number])[]): (readonly [number, number])[] {
  if (points.length <= 2 * WIDTH) return points;
  const kept = new Set<readonly [number, number]>();
  for (let from = 0; from < points.length;) {
    const column = Math.round(points[from]![0]);
    let to = from;
    let [low, high] = [points[from]!, points[from]!];
    for (; to < points.length && Math.round(points[to]![0]) === column; to++) {
      if (points[to]![1] < low[1]) low = points[to]!;
      if (points[to]![1] > high[1]) high = points[to]!;
    }
    for (const point of [points[from]!, low, high, points[to - 1]!]) kept.add(point);
    from = to;
  }
  const level = (k: number, list: (readonly [number, number])[]) =>
    list[k]![1] === list[k - 1]?.[1] && list[k]![1] === list[k + 1]?.[1];
  return points.filter((point) => kept.has(point)).filter((_, k, list) => !level(k, list));
}

/** Least and most of many numbers: as arguments of Math.min they might be too many. */
function extent(values: Iterable<number>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

// ---- Charts

const NOTHING = '<p class="empty">There is nothing to draw.</p>';

/** Lines of y over x, with a legend if there are several. */
export function lineChart({ title, note, x, y, log = undefined, percent: shares, series }: LineChart): string {
  const [logX, logY] = [log?.includes('x'), log?.includes('y')];
  const lines = series.map((line) => ({
    ...line,
    points: line.points.filter(([a, b]) => finite(a) && finite(b) && !(logX && a <= 0) && !(logY && b <= 0)),
  }));
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) return figure(title, note, '', NOTHING);
  const [x0, x1] = extent(all.map(([value]) => value));
  const [y0, y1] = extent(all.map(([, value]) => value));
  const xs = logX ? logarithmic(x0, x1) : linear(x0 >= 0 && x0 < 0.8 * x1 ? 0 : x0, x1);
  const ys = logY
    ? logarithmic(y0, y1)
    : shares
      ? linear(0, 1, (value) => `${Math.round(100 * value)} %`)
      : linear(y0 >= 0 && y0 < y1 / 2 ? 0 : y0, y1 + (y1 - y0) * 0.04);
  const { parts, px, py, left, right } = frame(xs, ys, { x, y });
  lines.forEach(({ points, marks }, k) => {
    const drawn = thin(points.map(([a, b]) => [px(a), py(b)] as const));
    if (drawn.length === 0) return;
    if (drawn.length > 1) parts.push(`<path ${stroke(k)} d="M${drawn.map(([a, b]) => `${at(a)} ${at(b)}`).join('L')}"/>`);
    let signs = drawn;
    if (!(marks ?? points.length <= 12)) {
      // A few signs tell the lines apart; each line has them at places of its own.
      const gap = (right - left) / 5;
      const places = Array.from({ length: 5 }, (_, n) => left + gap * (n + (k + 0.5) / lines.length));
      const within = places.filter((place) => place >= drawn[0]![0] && place <= drawn[drawn.length - 1]![0]);
      signs = within.map((place) =>
        drawn.reduce((best, point) => (Math.abs(point[0] - place) < Math.abs(best[0] - place) ? point : best)),
      );
    }
    parts.push(`<path class="sign c${k % COLOURS}" d="${signs.map(([a, b]) => shape(k, a, b)).join('')}"/>`);
  });
  const keys = lines.map(
    ({ name }, k) =>
      `<li><svg viewBox="0 0 34 12" aria-hidden="true"><path ${stroke(k)} d="M1 6H33"/><path class="sign c${k % COLOURS}" d="${shape(k, 17, 6)}"/></svg>${escape(name)}</li>`,
  );
  const legend = lines.length > 1 ? `<ul class="legend">${keys.join('')}</ul>` : '';
  const ends = lines
    .filter(({ points }) => points.length > 0)
    .map(({ name, points }) => {
      const [[a, b], [c, d]] = [points[0]!, points[points.length - 1]!];
      const write = shares ? percent : brief;
      return `${name}: from ${write(b)} at ${brief(a)} to ${write(d)} at ${brief(c)}.`;
    });
  return figure(title, note, legend, svg(title, `${y} over ${x}. ${ends.join(' ')}`, HEIGHT, parts.join('')));
}

/** Horizontal bars, one below the other, to both sides of 0 if there are negative ones. */
export function barChart({ title, note, bars, sides }: BarChart): string {
  const drawn = bars.filter(({ value }) => finite(value));
  if (drawn.length === 0) return figure(title, note, '', NOTHING, 'bars');
  const longest = Math.max(...drawn.map(({ name }) => [...name].length));
  const left = Math.min(150, longest * SIGN) + 8;
  const right = WIDTH - 66;
  const [low, high] = extent([0, ...drawn.map(({ value }) => value)]);
  const size = Math.max(-low, high) || 1;
  const zero = left + (low < 0 ? (right - left) * (high > 0 ? -low / (high - low) : 1) : 0);
  const scale = low < 0 && high > 0 ? (right - left) / (high - low) : (right - left) / size;
  const top = sides ? 24 : 4;
  const step = 18;
  const height = top + drawn.length * step + 4;
  const parts = drawn.map(({ name, value }, k) => {
    const y = top + k * step;
    const width = Math.abs(value) * scale;
    const from = value < 0 ? zero - width : zero;
    return (
      `<g><title>${escape(name)}: ${brief(value)}</title>${text(left - 8, y + 13, squeeze(name, Math.floor((left - 8) / SIGN)), 'end')}` +
      `<rect class="${value < 0 ? 'c1' : 'c0'}" x="${at(from)}" y="${y + 3}" width="${at(Math.max(width, 0.8))}" height="${step - 5}" rx="1.5"/>` +
      `${text(WIDTH - 4, y + 13, even(value), 'end', 'strong')}</g>`
    );
  });
  parts.push(rule(zero, top, zero, height - 4, 'axis'));
  if (sides) {
    const room = (WIDTH - 20) / 2 / SIGN;
    parts.push(text(4, 13, `← ${shorten(sides[0], room - 3)}`), text(WIDTH - 4, 13, `${shorten(sides[1], room - 3)} →`, 'end'));
  }
  const said = drawn.map(({ name, value }) => `${name}: ${brief(value)}`).join('; ');
  return figure(title, note, '', svg(title, said, height, parts.join('')), 'bars');
}

/** Counts of values in bins of equal width. */
export function histogram({ title, note, x, groups, marks = [] }: Histogram): string {
  const values = groups.map((group) => Float64Array.from(group.values).filter(finite).sort());
  const all = Float64Array.from(values.flatMap((list) => [...quantiles(list)])).sort();
  if (all.length === 0) return figure(title, note, '', NOTHING);
  // Few values far out would leave the others a few bins: they are counted in the last bin of their side.
  const [q1, q3] = [all[Math.floor(0.25 * (all.length - 1))]!, all[Math.ceil(0.75 * (all.length - 1))]!];
  const reach = 4 * (q3 - q1) || Infinity;
  const [min, max] = [Math.max(all[0]!, q1 - reach), Math.min(all[all.length - 1]!, q3 + reach)];
  const low = Math.min(min, ...marks.map((mark) => mark.at));
  const high = Math.max(max, ...marks.map((mark) => mark.at));
  const step = niceStep((high - low) / 22 || 1);
  const first = Math.floor(low / step);
  const bins = Math.max(1, Math.floor(high / step) - first + 1);
  let beyond = 0;
  const counts = values.map((list) => {
    const bin = new Array<number>(bins).fill(0);
    for (const value of list) {
      const k = Math.floor(value / step) - first;
      if (k < 0 || k >= bins) beyond++;
      bin[Math.min(Math.max(k, 0), bins - 1)]!++;
    }
    return bin;
  });
  const up = Math.max(1, ...counts[0]!);
  const down = counts[1] ? Math.max(1, ...counts[1]) : 0;
  const xs = linear(first * step, (first + bins) * step);
  const ys = linear(-down * 1.04, up * 1.04, (value) => count(Math.abs(value)), 5);
  const { parts, px, py, top, bottom, left, right } = frame(xs, ys, { x, y: 'rows' });
  counts.forEach((bin, group) => {
    const bars = bin.map((n, k) => {
      if (n === 0) return '';
      const [a, b] = [px((first + k) * step) + 0.5, px((first + k + 1) * step) - 0.5];
      const [from, to] = group === 0 ? [py(n), py(0)] : [py(0), py(-n)];
      const size = Math.max(to - from, 0.8);
      return `M${at(a)} ${at(group === 0 ? to - size : from)}H${at(b)}v${at(size)}H${at(a)}z`;
    });
    parts.push(`<path class="c${group}" d="${bars.join('')}"/>`);
  });
  parts.push(rule(left, py(0), right, py(0), 'axis'));
  marks.forEach((mark, k) => {
    // A name stands to the left of its line where the next line, or the edge, is near.
    const place = px(mark.at);
    const next = marks[k + 1];
    const room = (next === undefined ? WIDTH : px(next.at)) - place;
    const before = room < Math.min(mark.name.length, 14) * SIGN + 8;
    const [where, anchor] = before ? ([place - 4, 'end'] as const) : ([place + 4, 'start'] as const);
    parts.push(rule(place, top - 14, place, bottom, 'mark'), text(where, top - 5, shorten(mark.name, 14), anchor, 'strong'));
  });
  const keys = groups.map(
    ({ name }, k) =>
      `<li><svg viewBox="0 0 34 12" aria-hidden="true"><path class="c${k}" d="M11 1h12v10h-12z"/></svg>${groups.length > 1 ? (k === 0 ? '↑ ' : '↓ ') : ''}${escape(name)}</li>`,
  );
  const far = beyond > 0 ? ` ${count(beyond)} further out are counted in the last bin of their side.` : '';
  const said = groups.map(
    ({ name }, k) =>
      `${name}: ${count(values[k]!.length)} rows, half of them up to ${brief(values[k]![values[k]!.length >> 1] ?? NaN)}.`,
  );
  const full = `${note ?? ''}${far}`.trim();
  return figure(
    title,
    full,
    `<ul class="legend">${keys.join('')}</ul>`,
    svg(title, `How many rows by ${x}. ${said.join(' ')}`, HEIGHT, parts.join('')),
  );
}

/** 201 values that stand for a sorted list, its ends among them: each group counts alike in the choice of the range. */
function quantiles(sorted: Float64Array): Float64Array {
  if (sorted.length <= 201) return sorted;
  return Float64Array.from({ length: 201 }, (_, k) => sorted[Math.round((k / 200) * (sorted.length - 1))]!);
}

// ---- Tables and the page

export type Cell = string | number | null | { readonly value: string | number; readonly met: boolean };

/** A table; numbers stand to the right. A cell with `met` says in words, too, whether a target was met. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[], caption = ''): string {
  const numeric = columns.map((_, k) => rows.some((row) => row[k] !== null) && rows.every((row) => isNumber(row[k])));
  const kind = (k: number) => (numeric[k] ? ' class="number"' : '');
  const body = rows.map((row) => `<tr>${row.map((cell, k) => `<td${kind(k)}>${write(cell)}</td>`).join('')}</tr>`);
  return (
    `<div class="wide"><table>${caption && `<caption>${escape(caption)}</caption>`}<thead><tr>` +
    `${columns.map((name, k) => `<th scope="col"${kind(k)}>${escape(name)}</th>`).join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
  );
}

const isNumber = (cell: Cell | undefined) =>
  cell === null || cell === undefined || typeof (typeof cell === 'object' ? cell.value : cell) === 'number';

function write(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isInteger(cell) ? count(cell) : brief(cell);
  if (typeof cell === 'string') return escape(cell);
  return `${write(cell.value)} <span class="${cell.met ? 'met' : 'missed'}">${cell.met ? '✓ met' : '✗ missed'}</span>`;
}

/** A whole page. `body` is HTML; the title is text. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="generator" content="fista-classify">
<link rel="icon" href="data:,">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

const STYLE = `
:root {
  color-scheme: light dark;
  --page: #f5f6f8; --card: #ffffff; --ink: #1a1e24; --soft: #545d69; --line: #dfe3e8; --axis: #7b8592; --good: #17693d; --bad: #b3261e;
  --c0: #0b5cad; --c1: #b3470a; --c2: #1a7546; --c3: #8033ad; --c4: #ad1f58; --c5: #5c6370;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1116; --card: #171c23; --ink: #e8ebef; --soft: #a3adba; --line: #2b323c; --axis: #75808e; --good: #5fd394; --bad: #ff8a80;
    --c0: #6db3ff; --c1: #ffa45c; --c2: #5fd394; --c3: #d0a5ff; --c4: #ff8fb4; --c5: #b4bcc8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif; -webkit-text-size-adjust: 100%; }
main { max-width: 1000px; margin: 0 auto; padding: 40px 20px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 40px 0 12px; overflow-wrap: anywhere; }
h3 { font-size: 16px; margin: 0; overflow-wrap: anywhere; }
p { margin: 0 0 8px; overflow-wrap: anywhere; }
.soft, figcaption p, footer, caption { color: var(--soft); font-size: 14px; }
.lead { font-size: 17px; max-width: 68ch; }
.status { display: inline-block; border: 1px solid currentColor; border-radius: 99px; padding: 1px 12px; margin-right: 8px; font-size: 14px; font-weight: 600; color: var(--good); }
.status.limit { color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); gap: 12px; margin: 24px 0 0; padding: 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; min-width: 0; }
.tiles dt { color: var(--soft); font-size: 13px; }
.tiles dd { margin: 0; font-size: 21px; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tiles dd small { display: block; font-size: 13px; font-weight: 400; color: var(--soft); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 16px; align-items: start; }
.charts > * { min-width: 0; }
.stack { display: grid; gap: 16px; }
.card, .chart { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px; margin: 0; min-width: 0; }
.chart > svg { display: block; width: 100%; height: auto; margin-top: 10px; font-size: ${FONT}px; font-family: inherit; font-variant-numeric: tabular-nums; }
.chart text { fill: var(--soft); }
.chart text.strong { fill: var(--ink); }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart .axis { stroke: var(--axis); stroke-width: 1; }
.chart .mark { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 3 3; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.sign { stroke: var(--card); stroke-width: 1; }
${[0, 1, 2, 3, 4, 5].map((k) => `.c${k} { fill: var(--c${k}); } .line.c${k} { fill: none; stroke: var(--c${k}); }`).join('\n')}
.legend { list-style: none; margin: 8px 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 14px; }
.legend li { display: flex; align-items: center; gap: 6px; min-width: 0; overflow-wrap: anywhere; }
.legend svg { width: 34px; height: 12px; flex: none; }
.empty { color: var(--soft); margin: 16px 0; }
.proofs { display: grid; gap: 14px; margin: 0; }
.proofs > div { display: grid; grid-template-columns: 7.5em 1fr; gap: 0 16px; align-items: baseline; }
.proofs dt { font-weight: 600; font-size: 18px; font-variant-numeric: tabular-nums; }
.proofs dt small { display: block; font-size: 13px; font-weight: 400; color: var(--soft); }
.proofs dd { margin: 0; }
.proofs svg { display: block; width: 100%; height: 8px; margin: 6px 0 0; }
.proofs .track { fill: var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 6px; }
th, td { text-align: left; vertical-align: top; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
thead th { vertical-align: bottom; }
td:first-child { min-width: 8em; }
tbody th { font-weight: 400; }
tbody tr:last-child > * { border-bottom: 0; }
.number { text-align: right; }
.met { color: var(--good); white-space: nowrap; }
.missed { color: var(--bad); font-weight: 600; white-space: nowrap; }
section > * + .card, section > .card + .charts { margin-top: 16px; }
.card > h3 { margin-bottom: 8px; }
.wide + p { margin-top: 12px; }
summary { cursor: pointer; font-weight: 600; }
details[open] summary { margin-bottom: 10px; }
pre { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-x: auto; margin: 0; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; }
a { color: var(--c0); }
footer { margin-top: 40px; }
@media (max-width: 480px) {
  main { padding: 24px 16px 40px; }
  h1 { font-size: 24px; }
  .tiles { grid-template-columns: 1fr 1fr; }
  .tiles div:last-child:nth-child(odd) { grid-column: 1 / -1; }
  .card, .chart { padding: 12px; }
  .proofs > div { grid-template-columns: 1fr; }
}
@media print { body { background: none; } .chart, .card, .tiles div { break-inside: avoid; } }
`;
