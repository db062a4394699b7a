/** Lines of y over x. They differ by dash and marker as well as by colour. */
import { axes } from './axes.js';
import { escape } from './html.js';
import { brief, percent } from './number-text.js';
import { extent, linear, logarithmic } from './scales.js';
import { coord, figure, HEIGHT, NO_DATA, segment, svg, WIDTH } from './svg.js';

export interface Series {
  readonly name: string;
  /** Each with the half length of its error bar, if it has one. */
  readonly points: readonly (readonly [x: number, y: number, error?: number])[];
  /** Whether every point has a marker. @default true for at most 12 points */
  readonly marks?: boolean | undefined;
}

export interface LineChart {
  readonly title: string;
  /** A sentence or two on the chart, printed below the title. */
  readonly note?: string | undefined;
  /** The axes' labels. */
  readonly x: string;
  readonly y: string;
  /** Logarithmic axes. They leave out values of 0 and below. */
  readonly log?: 'x' | 'y' | 'xy' | undefined;
  /** Whether y, or x as well, is a share from 0 to 1, shown in per cent. */
  readonly percent?: boolean | 'xy' | undefined;
  /** Whether the y axis shows only the range of the values, rather than all shares from 0 to 1. */
  readonly zoom?: boolean | undefined;
  /** Whether a dashed line shows where y = x. */
  readonly diagonal?: boolean | undefined;
  readonly series: readonly Series[];
}

const DASHES = ['', '7 4', '2 3', '11 3 2 3', '5 2', '1 4'];
const MARKERS = [
  (x: number, y: number) => `M${coord(x - 3.6)} ${coord(y)}a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z`,
  (x: number, y: number) => `M${coord(x - 3.3)} ${coord(y - 3.3)}h6.6v6.6h-6.6z`,
  (x: number, y: number) => `M${coord(x)} ${coord(y - 4.4)}l4.3 7.4h-8.6z`,
  (x: number, y: number) => `M${coord(x)} ${coord(y - 4.6)}l4.6 4.6l-4.6 4.6l-4.6 -4.6z`,
  (x: number, y: number) => `M${coord(x - 4.3)} ${coord(y - 3.2)}h8.6l-4.3 7.4z`,
  (x: number, y: number) => `M${coord(x - 1.4)} ${coord(y - 4.2)}h2.8v2.8h2.8v2.8h-2.8v2.8h-2.8v-2.8h-2.8v-2.8h2.8z`,
];
const COLOURS = 6;
const SHARES = linear(0, 1, (value) => `${Math.round(100 * value)} %`);

const errorBar = (x: number, from: number, to: number) =>
  `M${coord(x - 3)} ${coord(from)}h6M${coord(x)} ${coord(from)}V${coord(to)}M${coord(x - 3)} ${coord(to)}h6`;

const dash = (k: number) => DASHES[(k + Math.floor(k / COLOURS)) % DASHES.length]!;
const stroke = (k: number) => `class="line c${k % COLOURS}"${dash(k) && ` stroke-dasharray="${dash(k)}"`}`;
const marker = (k: number, x: number, y: number) => MARKERS[(k + 2 * Math.floor(k / COLOURS)) % MARKERS.length]!(x, y);

/** Draws a line for each series, with a legend if there are several. */
export function lineChart(chart: LineChart): string {
  const { title, note, x, y, log, percent: shares, zoom, diagonal, series } = chart;
  const [logX, logY] = [log?.includes('x'), log?.includes('y')];
  const lines = series.map((line) => ({
    ...line,
    points: line.points.filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b) && !(logX && a <= 0) && !(logY && b <= 0)),
  }));
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) return figure(title, note, '', NO_DATA);
  const [x0, x1] = extent(all.map(([value]) => value));
  const [y0, y1] = extent(all.flatMap(([, value, error = 0]) => [value - error, value + error]));
  const xs = logX ? logarithmic(x0, x1) : shares === 'xy' ? SHARES : linear(x0 >= 0 && x0 < 0.8 * x1 ? 0 : x0, x1);
  const ys = logY
    ? logarithmic(y0, y1)
    : shares
      ? zoom
        ? linear(Math.max(0, y0 - (y1 - y0) * 0.08), Math.min(1, y1 + (y1 - y0) * 0.08), (value) => `${brief(100 * value)} %`)
        : SHARES
      : linear(y0 >= 0 && y0 < y1 / 2 ? 0 : y0, y1 + (y1 - y0) * 0.04);
  const { parts, px, py, left, right } = axes(xs, ys, { x, y });
  if (diagonal) parts.push(segment(px(0), py(0), px(1), py(1), 'mark'));
  lines.forEach(({ points, marks }, k) => {
    const drawn = thin(points.map(([a, b]) => [px(a), py(b)] as const));
    if (drawn.length === 0) return;
    const within = (value: number) => py(Math.min(Math.max(value, ys.from), ys.to)); // no share exceeds 1
    const bars = points.flatMap(([a, b, error = 0]) => (error > 0 ? [errorBar(px(a), within(b - error), within(b + error))] : []));
    if (bars.length > 0) parts.push(`<path class="line c${k % COLOURS}" d="${bars.join('')}"/>`);
    if (drawn.length > 1) parts.push(`<path ${stroke(k)} d="M${drawn.map(([a, b]) => `${coord(a)} ${coord(b)}`).join('L')}"/>`);
    let markers = drawn;
    if (!(marks ?? points.length <= 12)) {
      // A few markers tell the lines apart. Each line has them at different places.
      const gap = (right - left) / 5;
      const places = Array.from({ length: 5 }, (_, n) => left + gap * (n + (k + 0.5) / lines.length));
      const inside = places.filter((place) => place >= drawn[0]![0] && place <= drawn[drawn.length - 1]![0]);
      markers = inside.map((place) =>
        drawn.reduce((best, point) => (Math.abs(point[0] - place) < Math.abs(best[0] - place) ? point : best)),
      );
    }
    parts.push(`<path class="sign c${k % COLOURS}" d="${markers.map(([a, b]) => marker(k, a, b)).join('')}"/>`);
  });
  const keys = lines.map(
    ({ name }, k) =>
      `<li><svg viewBox="0 0 34 12" aria-hidden="true"><path ${stroke(k)} d="M1 6H33"/><path class="sign c${k % COLOURS}" d="${marker(k, 17, 6)}"/></svg>${escape(name)}</li>`,
  );
  const legend = lines.length > 1 ? `<ul class="legend">${keys.join('')}</ul>` : '';
  const ends = lines
    .filter(({ points }) => points.length > 0)
    .map(({ name, points }) => {
      const [[a, b], [c, d]] = [points[0]!, points[points.length - 1]!];
      const write = shares ? percent : brief;
      const at = shares === 'xy' ? percent : brief;
      return `${name}: from ${write(b)} at ${at(a)} to ${write(d)} at ${at(c)}.`;
    });
  return figure(title, note, legend, svg(title, `${y} over ${x}. ${ends.join(' ')}`, HEIGHT, parts.join('')));
}

/** Thins out the points: of those in one column of pixels, the first, lowest, highest and last draw the same line as all. */
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
