import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barChart } from '../../lib/report/bar-chart.js';
import { histogram } from '../../lib/report/histogram.js';
import { table } from '../../lib/report/html.js';
import { lineChart } from '../../lib/report/line-chart.js';
import { brief, percent } from '../../lib/report/number-text.js';
import { page as pageOf } from '../../lib/report/page.js';
import { upward } from '../../lib/io/decimal.js';
import { report, type ReportInput } from '../../lib/report/training-page.js';
import { LinearSvm, stop, type Label, type SvmProgress } from '../../lib/index.js';
import { HANG } from '../support/child.js';
import { clouds, wdbc } from '../support/svm-data.js';

const { resultsPage } = createRequire(__filename)('../../bench/page.js') as { resultsPage: (results: object[]) => string };

/** A fit and its story, as the command line would hand it over. */
function fitted(points: Parameters<typeof LinearSvm.fit>[0], labels: readonly Label[], title = 'a title'): ReportInput {
  const history: SvmProgress[] = [];
  const model = LinearSvm.fit(points, labels, { stop: stop.gap(1e-5), onProgress: (progress) => history.push(progress) });
  return { title, model, info: model.info, history, decisions: model.decision(points), labels };
}

const cancer = () => {
  const { rows: points, labels } = wdbc();
  return fitted(
    points,
    labels.map((label) => (label > 0 ? 'malignant' : 'benign')),
    'Breast cancer',
  );
};

const HOSTILE = `</title></script><script>window.harmed = 1</script><img src="http://example.invalid/x" onerror='window.harmed = 2'>&lt;`;

/** Everything a user may name is hostile. */
function hostile(): ReportInput {
  const input = cancer();
  const rename = (label: Label) => (label === 'malignant' ? `${HOSTILE}+` : `${HOSTILE}-`);
  return {
    ...input,
    title: HOSTILE,
    model: {
      ...input.model,
      labels: [rename(input.model.labels[0]), rename(input.model.labels[1])],
      weights: input.model.weights,
      bias: 0,
    },
    labels: Array.from(input.labels, rename),
    names: Array.from({ length: 30 }, (_, j) => `${j}${HOSTILE}`),
    facts: [[HOSTILE, HOSTILE]],
  };
}

/** A run far longer than any axis has pixels, with gaps of 0 and without a number at its end. */
function long(): ReportInput {
  const input = cancer();
  const last = input.history[input.history.length - 1]!;
  const history = Array.from({ length: 20_000 }, (_, k) => ({
    ...last,
    iteration: k + 1,
    elapsed: 50 * k,
    relativeGap: k < 19_000 ? (1 + 0.9 * Math.sin(k)) * 10 ** (-k / 1000) : k < 19_500 ? 0 : NaN,
  }));
  return { ...input, history };
}

/** Two rows, nothing learnt, no history. */
function min(): ReportInput {
  const input = fitted([[1], [1]], [1, 2], 'Two rows');
  return { ...input, history: [] };
}

const PAGES: Record<string, () => string> = {
  'of a fit': () => report(cancer()),
  'of a fit whose names are hostile': () => report(hostile()),
  'of 20,000 checks': () => report(long()),
  'of two rows': () => report(min()),
  'of the benchmarks': () => resultsPage(results()),
};

function results(): object[] {
  return [
    {
      name: 'serve',
      title: HOSTILE,
      date: '2026-01-01 00:00',
      machine: { cpu: 'a CPU' },
      versions: { node: 'v20' },
      tables: [
        {
          title: 'Latency',
          columns: ['what', 'p99 ms', HOSTILE],
          rows: [
            ['without', 1.25, { value: 2, met: true }],
            [HOSTILE, null, { value: 1e9, met: false }],
          ],
          notes: ['measured', HOSTILE],
        },
      ],
      plots: [
        {
          title: 'Time over rows',
          kind: 'line',
          x: 'rows',
          y: 'seconds',
          log: 'xy',
          series: Array.from({ length: 8 }, (_, k) => ({
            name: `solver ${k}`,
            points: [1, 10, 100, 1e6].map((x) => [x, x * (k + 1) * 1e-6]),
          })),
        },
        { title: 'Unknown', kind: 'pie' },
        {
          title: 'Ratios',
          kind: 'bar',
          bars: [
            { name: 'a', value: 3 },
            { name: 'b', value: 1e-9 },
          ],
        },
        { title: 'Broken', kind: 'line' },
      ],
    },
    { name: 'old', date: '2025', cpu: 'another', calls: {}, printed: ['a <b> line', 'another'] },
  ];
}

describe('report(input)', () => {
  it('says how the fit ended, what was proved, and names the largest weights', () => {
    const input = { ...cancer(), names: Array.from({ length: 30 }, (_, j) => `measure ${j}`) };
    const html = report(input);
    const { info, model } = input;
    const [, positive] = model.labels;
    const right = Array.from(input.labels, (label, i) => input.decisions[i]! > 0 === (label === positive)).filter(Boolean).length;
    const accuracy = right / 569;
    const largest = Array.from(model.weights, Math.abs).indexOf(Math.max(...Array.from(model.weights, Math.abs)));
    for (const words of [
      'gap</span> The objective is proved',
      `${info.agreed} rows`,
      percent(info.shares.zero),
      `None of these shares is an accuracy: that is ${percent(accuracy)} on the training rows.`,
      `>measure ${largest}<`,
    ]) {
      expect(html).toContain(words);
    }
    expect(html.match(/<svg viewBox="0 0 420/g)).toHaveLength(6);
  });

  it('counts the columns from firstColumn where they have no names', () => {
    expect(report({ ...cancer(), firstColumn: 1 })).toContain('>column 30<');
    expect(report(cancer())).not.toContain('>column 30<');
  });

  it('shows 30 weights of many, the largest', () => {
    const { rows: points, labels } = clouds(3, 60, 100);
    const html = report(fitted(points, labels));
    expect(html).toContain('The 30 largest weights');
    expect(html.match(/<rect class="c[01]" x=/g)).toHaveLength(30);
  });

  it('stays small for a long run, whatever its numbers', () => {
    const html = report(long());
    expect(html.length).toBeLessThan(250_000);
    const coordinates = [...html.matchAll(/ (?:d|x|y|width|height)="([^"]*)"/g)].map(([, numbers]) => numbers);
    expect(coordinates.filter((numbers) => /NaN|Infinity|undefined/.test(numbers!))).toEqual([]);
  });

  it.each(Object.keys(PAGES))('%s loads nothing and runs nothing', (name) => {
    const html = PAGES[name]!();
    expect(html).not.toMatch(/<(script|img|iframe|object|embed|base|form)\b/i);
    expect(html).not.toMatch(/url\(|@import/);
    for (const [, address] of html.matchAll(/\s(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^(data:,|#\w+)$/);
  });
});

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
  ] as [string, [number, number][]][])('draws nothing for %s', (_, points) => {
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

  it('gives each of several lines a dash, a sign and a name', () => {
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

  it('histogram(spec) says how many values it counts in its last bins', () => {
    const values = [...Array.from({ length: 400 }, (_, k) => k / 400), 1e6, -1e6];
    expect(histogram({ title: 't', x: 'x', groups: [{ name: 'g', values }] })).toContain('2 further out');
  });
});

describe('table(columns, rows)', () => {
  it('puts columns of numbers to the right and says in words whether a target was met', () => {
    const html = table(
      ['name', 'n'],
      [
        ['a', 1234],
        ['b', { value: 2, met: false }],
      ],
    );
    expect(html).toContain('<th scope="col">name</th><th scope="col" class="number">n</th>');
    expect(html).toContain('1,234');
    expect(html).toContain('✗ missed');
  });
});

describe('brief(value) and percent(share)', () => {
  it.each([
    [0, '0'],
    [-0.5, '−0.5'],
    [1234.5, '1,235'],
    [1.26e-7, '1.3e−7'],
    [1e12, '1.00e12'],
  ])('brief(%d) is %s', (value, text) => expect(brief(value)).toBe(text));

  it.each([
    [1, '100 %'],
    [0.99999, '> 99.9 %'],
    [0.9898, '99.0 %'],
    [0, '0 %'],
  ])('percent(%d) is %s', (share, text) => expect(percent(share)).toBe(text));
});

// ---- In a browser

const CHROMIUM = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
if (!CHROMIUM) process.stdout.write('Left out: the pages in a browser. Install chromium, or name one in CHROMIUM_PATH.\n');

/** What is wrong with a page as it is laid out: read in the page itself. */
const EXAMINE = `(() => {
  const wrong = [];
  const channel = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const numbers = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const clear = (colour) => { const c = numbers(colour); return c.length === 4 && c[3] === 0; };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const { backgroundColor } = getComputedStyle(e);
      if (!clear(backgroundColor)) return numbers(backgroundColor);
    }
    return [255, 255, 255];
  };
  const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  let [texts, least] = [0, 21];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ['title', 'desc', 'STYLE'].includes(element.tagName) || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const colour = numbers(element instanceof SVGElement ? style.fill : style.color);
    const ratio = contrast(colour, behind(element));
    texts++;
    least = Math.min(least, ratio);
    if (!(ratio >= 4.5)) wrong.push('contrast ' + ratio.toFixed(2) + ': ' + walker.currentNode.data.slice(0, 40));
  }
  for (const line of document.querySelectorAll('.chart .line, .chart .sign, .chart rect, .chart path.c0, .chart path.c1')) {
    const style = getComputedStyle(line);
    const ratio = contrast(numbers(line.classList.contains('line') ? style.stroke : style.fill), behind(line));
    if (!(ratio >= 3)) wrong.push('contrast of a line ' + ratio.toFixed(2));
  }
  const drawings = [...document.querySelectorAll('figure > svg')];
  for (const svg of drawings) {
    const box = svg.getBoundingClientRect();
    const name = svg.getAttribute('aria-label');
    if (!(box.width > 200 && box.height > 30)) wrong.push('small: ' + name + ' ' + box.width + ' x ' + box.height);
    if (!svg.querySelector('title')?.textContent || !svg.querySelector('desc')?.textContent) wrong.push('no description: ' + name);
    const { width, height } = svg.viewBox.baseVal;
    const marks = [...svg.querySelectorAll('text, path, rect')];
    for (const mark of marks) {
      const b = mark.getBBox();
      if (b.x < -0.5 || b.y < -0.5 || b.x + b.width > width + 0.5 || b.y + b.height > height + 0.5) {
        wrong.push('outside ' + name + ': ' + (mark.textContent || mark.getAttribute('d')).slice(0, 40) + JSON.stringify([b.x, b.y, b.width, b.height]));
      }
    }
    for (const text of svg.querySelectorAll('text')) {
      const size = parseFloat(getComputedStyle(text).fontSize) * (box.width / width);
      if (size < 9) wrong.push('tiny text ' + size.toFixed(1) + ': ' + text.textContent);
    }
    // Labels of one chart must not run into each other.
    const boxes = [...svg.querySelectorAll('text')].map((t) => [t.textContent, t.getBBox()]);
    boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
      const [w, h] = [Math.min(p.x + p.width, q.x + q.width) - Math.max(p.x, q.x), Math.min(p.y + p.height, q.y + q.height) - Math.max(p.y, q.y)];
      if (w > 1 && h > 4) wrong.push('overlap in ' + name + ': ' + a + ' | ' + b);
    }));
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push('scrolls sideways: ' + root.scrollWidth + ' > ' + root.clientWidth);
  if (document.scripts.length || document.images.length || window.harmed) wrong.push('something of the user became markup');
  return { wrong, texts, least, drawings: drawings.length, background: getComputedStyle(document.body).backgroundColor };
})()`;

interface Examined {
  wrong: string[];
  texts: number;
  min: number;
  drawings: number;
  background: string;
}

describe.skipIf(!CHROMIUM)('a page in a browser', () => {
  let browser: Browser;
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fista-report-'));
    // Debian's chromium is a shell script around the browser: it needs a PATH, even where the tests are run without one.
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/bin:/bin` } as Record<string, string>;
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'], env, timeout: HANG });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  const VIEWS = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
  for (const [name, make] of Object.entries(PAGES)) {
    it(`${name} is readable, light and dark, at a desk and on a phone, and asks for nothing`, async () => {
      const file = join(folder, `${name.replace(/\W/g, '-')}.html`);
      writeFileSync(file, make());
      const backgrounds = new Set<string>();
      for (const colorScheme of ['light', 'dark'] as const) {
        const view = await browser.newPage({ viewport: VIEWS.desk, colorScheme });
        const [requests, complaints]: [string[], string[]] = [[], []];
        view.on('request', (request) => requests.push(request.url()));
        view.on('console', (message) => complaints.push(message.text()));
        view.on('pageerror', (error) => complaints.push(error.message));
        await view.goto(pathToFileURL(file).href, { timeout: HANG });
        for (const viewport of Object.values(VIEWS)) {
          await view.setViewportSize(viewport);
          const found: Examined = await view.evaluate(EXAMINE);
          expect(found.wrong).toEqual([]);
          expect(found.texts).toBeGreaterThan(20);
          expect(found.drawings).toBeGreaterThan(0);
          backgrounds.add(found.background);
        }
        expect(complaints).toEqual([]);
        expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(file).href]);
        await view.close();
      }
      expect(backgrounds.size).toBe(2);
    });
  }

  it('which is poor is found so', async () => {
    // The examination itself: a page with each of the faults it looks for.
    const chart = lineChart({
      title: 't',
      x: 'x',
      y: 'y',
      series: [
        {
          name: 's',
          points: [
            [0, 1],
            [1, 2],
          ],
        },
      ],
    });
    const poor = pageOf(
      'poor',
      `<p style="color:#888">grey</p><p style="width:2000px">wide</p>${chart.replace('</svg>', '<text x="410" y="50">outside</text><text x="4" y="14">over</text></svg>')}`,
    );
    const view = await browser.newPage({ viewport: VIEWS.phone, colorScheme: 'light' });
    await view.setContent(poor, { timeout: HANG });
    const { wrong }: Examined = await view.evaluate(EXAMINE);
    for (const fault of ['contrast', 'outside', 'overlap', 'scrolls']) expect(wrong.join('\n')).toContain(fault);
    await view.close();
  });
});

describe('bounds in print', () => {
  it('upward(value) has two digits and is no less', () => {
    expect([0, 1, 0.12, 0.121, 0.999, 9.91e-8, 1.2000001e-5, 123, 5e-324].map(upward)).toEqual([
      0, 1, 0.12, 0.13, 1, 1e-7, 1.3e-5, 130, 5e-324,
    ]);
    expect([NaN, Infinity].map(upward)).toEqual([NaN, Infinity]);
    for (let k = 1; k < 500; k++) {
      const value = Math.abs(Math.sin(k)) * 10 ** ((k % 40) - 20);
      expect(upward(value)).toBeGreaterThanOrEqual(value);
      expect(upward(value)).toBeLessThanOrEqual(1.1 * value);
    }
  });

  it('report(…) prints primal and dual in full, and gaps that are no less than they are', () => {
    const input = cancer();
    const { primal, dual, gap, relativeGap } = input.info;
    const page = report(input);
    expect(page).toContain(`${dual} to ${primal}, proved`);
    const [, first, second] = /<th scope="row">gap<\/th><td>(\S+) \(relative (\S+)\)/.exec(page)!;
    const number = (text: string) => Number(text.replace('\u2212', '-'));
    expect(number(first!)).toBeGreaterThanOrEqual(gap);
    expect(number(second!)).toBeGreaterThanOrEqual(relativeGap);
  });
});
