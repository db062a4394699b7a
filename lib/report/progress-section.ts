/** How the fit went, check by check. */
import { details, table } from './html.js';
import { lineChart } from './line-chart.js';
import { brief, count, duration, percent, timeUnit, upward } from './number-text.js';
import { proofsOf } from './proofs-section.js';
import { nameOfLabel, type Report } from './report-data.js';
import type { PlaneInfo, SvmInfo, SvmProgress } from '../types.js';

const MAX_LINES = 40;
const GAP = 'A proved bound on the distance of the objective from the optimum, as a share of the objective.';

export function progress({ info, history }: Report): string {
  if (!info) return '';
  if (info.planes) return `${charts(planesGap(history))}${planeNumbers(info.planes)}`;
  return history.length === 0 ? '' : `${charts(courses(info, history))}${numbers(info, history)}`;
}

const charts = (list: readonly string[]) => (list.length === 0 ? '' : `<div class="charts">${list.join('\n')}</div>`);

/** Two labels: the gap and the certificates over iterations and time. */
function courses(info: SvmInfo, history: readonly SvmProgress[]): string[] {
  const { unit, size } = timeUnit(history.at(-1)!.elapsed);
  const axes = [
    { x: 'iterations', over: 'iterations', of: (p: SvmProgress) => p.iteration },
    { x: `time (${unit})`, over: 'time', of: (p: SvmProgress) => p.elapsed / size },
  ];
  return [
    ...axes.map(({ x, over, of }) =>
      lineChart({
        title: `Gap over ${over}`,
        note: GAP,
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
function numbers(info: SvmInfo, history: readonly SvmProgress[]): string {
  const shown = sample(history);
  const rows = shown.map(({ iteration, elapsed, relativeGap, shares }) => [
    iteration,
    duration(elapsed),
    Number.isFinite(relativeGap) ? brief(upward(relativeGap)) : '–',
    ...proofsOf(info).map(([key]) => percent(shares[key])),
  ]);
  const caption = `${count(shown.length)} of ${count(history.length)} checks; shares of the training rows that are certified`;
  const names = ['iteration', 'time', 'relative gap', ...proofsOf(info).map(([, name]) => name)];
  return details('The same in numbers', table(names, rows, caption));
}

function sample<T>(list: readonly T[]): readonly T[] {
  const every = (list.length - 1) / (MAX_LINES - 1);
  return list.length <= MAX_LINES ? list : Array.from({ length: MAX_LINES }, (_, k) => list[Math.round(k * every)]!);
}

/** Three labels or more: planes are trained side by side, and each counts its own iterations. */
function planesGap(history: readonly SvmProgress[]): string[] {
  const last = new Map<string, number>();
  const points = history.flatMap(({ plane, relativeGap }, k): [number, number][] => {
    if (!plane) return [];
    last.set(JSON.stringify([plane.positive, plane.negative]), relativeGap);
    return last.size < plane.total ? [] : [[k + 1, Math.max(...last.values())]];
  });
  if (points.length === 0) return [];
  return [
    lineChart({
      title: 'Largest gap of any plane',
      note: `${GAP} From the first check of the last plane on.`,
      x: 'checks, of all planes',
      y: 'relative gap',
      log: 'y',
      series: [{ name: 'largest relative gap', points }],
    }),
  ];
}

function planeNumbers(planes: readonly PlaneInfo[]): string {
  const shown = sample([...planes].sort((a, b) => b.relativeGap - a.relativeGap).slice(0, MAX_LINES));
  const rows = shown.map((plane) => [
    nameOfLabel(plane.positive),
    plane.negative === undefined ? 'the rest' : nameOfLabel(plane.negative),
    plane.rows,
    plane.iterations,
    { number: brief(upward(plane.relativeGap)) },
    { number: percent(plane.shares.agreed) },
  ]);
  const which =
    shown.length < planes.length
      ? `The ${count(shown.length)} of ${count(planes.length)} planes with the largest gaps`
      : 'By plane, the largest gap first';
  const caption = `${which}; agreed: the share of its rows that are proved to be on the same side of every exact optimum`;
  return details('Plane by plane', table(['label', 'against', 'rows', 'iterations', 'relative gap', 'agreed'], rows, caption));
}
