import { describe, expect, it } from 'vitest';
import { barChart } from '../../lib/report/bar-chart.js';
import { histogram } from '../../lib/report/histogram.js';
import { lineChart } from '../../lib/report/line-chart.js';

describe('lineChart(spec)', () => {
  const chart = (points: [number, number][], log?: 'x' | 'y' | 'xy') =>
    lineChart({ title: 't', x: 'x', y: 'y', ...(log && { log }), series: [{ name: 's', points }] });

  it.each([
    ['no points', []],
    [
      'nothing positive on a log axis',
      [
        [1, 0],
        [2, -1],
      ],
    ],
    [
      'no finite point',
      [
        [NaN, 1],
        [1, Infinity],
      ],
    ],
  ] as [string, [number, number][]][])('says that there is nothing to draw for %s', (_, points) => {
    expect(chart(points, 'y')).toContain('There is nothing to draw.');
  });

  it.each([
    [[[5, 5]]],
    [[[0, 0]]],
    [
      [
        [1, 1e-300],
        [2, 1e300],
      ],
    ],
    [
      [
        [-1e9, -1],
        [1e9, 1e-9],
      ],
    ],
  ] as [[number, number][]][])('draws %j with finite coordinates', (points) => {
    for (const log of [undefined, 'y'] as const) expect(chart(points, log)).not.toMatch(/NaN|Infinity/);
  });

  it('draws error bars within the axes, also where all values are equal', () => {
    const gammas = [0.01, 0.1, 1];
    const bars = (points: [number, number, number][]) =>
      lineChart({ title: 't', x: 'x', y: 'y', log: 'x', percent: true, zoom: true, series: [{ name: 's', points }] });
    const html = bars(gammas.map((gamma, k) => [gamma, 0.9 + k / 20, 0.03]));
    expect(html.match(/V[\d.]+M/g)).toHaveLength(3);
    const heights = [...html.matchAll(/h6M\S+ (\S+)V([\d.]+)/g)].flatMap(([, from, to]) => [Number(from), Number(to)]);
    for (const height of heights) expect(height >= 32 && height <= 232).toBe(true);
    for (const share of [0, 0.5, 1]) expect(bars(gammas.map((gamma) => [gamma, share, 0]))).not.toMatch(/NaN|Infinity/);
  });

  it('draws shares over shares on the whole unit square, with its diagonal', () => {
    const html = lineChart({
      title: 't',
      x: 'x',
      y: 'y',
      percent: 'xy',
      diagonal: true,
      series: [
        {
          name: 's',
          points: [
            [0.2, 0.3],
            [0.4, 0.5],
          ],
        },
      ],
    });
    expect(html.match(/>100 %</g)).toHaveLength(2);
    expect(html).toContain('class="mark"');
    expect(html).toContain('s: from 30.0 % at 20.0 % to 50.0 % at 40.0 %.');
  });

  it('gives each line its own dash, mark and name', () => {
    const html = lineChart({
      title: 't',
      x: 'x',
      y: 'y',
      series: ['a', 'b', 'c'].map((name) => ({
        name,
        points: [
          [0, 1],
          [1, 2],
        ],
      })),
    });
    const keys = html.match(/<li>.*?<\/li>/g)!.map((key) => key.replace(/c\d|>\w</g, ''));
    expect(new Set(keys).size).toBe(3);
  });
});

describe('barChart(spec) and histogram(spec)', () => {
  it.each([[[]], [[0]], [[NaN]], [[-1, -2]], [[1e300, -1e-300]]])('draw %j with finite coordinates', (values) => {
    for (const html of [
      barChart({ title: 't', bars: values.map((value) => ({ name: 'b', value })) }),
      histogram({
        title: 't',
        x: 'x',
        groups: [
          { name: 'g', values },
          { name: 'h', values: [] },
        ],
      }),
    ]) {
      expect(html.replace(/<(title|desc)>.*?<\/\1>/g, '')).not.toMatch(/NaN|Infinity/);
    }
  });

  it('histogram(spec) counts rows in whole numbers, and has all of a range that is given', () => {
    const html = histogram({
      title: 't',
      x: 'x',
      range: [0, 1],
      groups: [
        { name: 'g', values: [0, 1] },
        { name: 'h', values: [] },
      ],
    });
    const counts = [...html.matchAll(/text-anchor="end">(\d+)</g)].map(([, text]) => text);
    expect(counts).toEqual(['1', '0', '1']);
    expect(html).not.toContain('further out');
    expect(html).toContain('h: 0 rows.');
  });

  it('histogram(spec) says how many values lie outside its range', () => {
    const values = [...Array.from({ length: 400 }, (_, k) => k / 400), 1e6, -1e6];
    expect(histogram({ title: 't', x: 'x', groups: [{ name: 'g', values }] })).toContain('2 further out');
  });
});
