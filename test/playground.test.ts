/** examples/playground, built into one file and used as people use it: by pointer, by touch and by keys. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bordersOf, regionsOf } from '../examples/playground/src/points/regions.js';
import { clip, valueAt, type Affine, type Polygon, type Position } from '../examples/playground/src/geometry.js';
import { ticks } from '../examples/playground/src/numbers.js';
import { LinearSvm, stop } from '../lib/index.js';
import { buildPlayground } from '../scripts/build-playground.js';
import { HANG, ROOT } from './support/child.js';
import { CHROMIUM, launch, sayIfLeftOut } from './support/chromium.js';
import { normal, random } from './support/random.js';

sayIfLeftOut('the playground');

const BOX: Polygon = [
  [-9, -7],
  [9, -7],
  [9, 7],
  [-9, 7],
];

/** Whether a convex polygon, whose corners go round counter-clockwise, holds a point. */
function holds(polygon: Polygon, at: Position): boolean {
  return polygon.every((here, k) => {
    const next = polygon[(k + 1) % polygon.length]!;
    return (next[0] - here[0]) * (at[1] - here[1]) - (next[1] - here[1]) * (at[0] - here[0]) >= 0;
  });
}

/** Clouds around a circle, one a class. */
function clouds(classes: number, each: number): { points: number[][]; labels: number[] } {
  const next = random(classes);
  const labels = Array.from({ length: classes * each }, (_, i) => i % classes);
  const points = labels.map((k) => {
    const angle = (2 * Math.PI * k) / classes;
    return [4 * Math.cos(angle) + 1.5 * normal(next), 3 * Math.sin(angle) + 1.5 * normal(next)];
  });
  return { points, labels };
}

describe('the playground', () => {
  it('has no errors of types', async () => {
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const project = join(ROOT, 'examples', 'playground', 'tsconfig.json');
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', project], { timeout: HANG });
    expect(stdout).toBe('');
  });

  it.each([
    [2, 'auto'],
    [3, 'pairs'],
    [3, 'rest'],
    [5, 'pairs'],
    [8, 'pairs'],
    [8, 'rest'],
  ] as const)('colours the plane as the model predicts, of %i classes by %s', (classes, multiclass) => {
    const { points, labels } = clouds(classes, 12);
    const model = LinearSvm.fit(points, labels, { multiclass, stop: stop.gap(1e-6) });
    const regions = regionsOf(model, BOX);
    const next = random(99);
    const asked = Array.from({ length: 3000 }, (): Position => [18 * next() - 9, 14 * next() - 7]);
    const predicted = model.predict(asked.map((at) => [...at]));
    const shown = asked.map((at) => regions.filter(({ polygon }) => holds(polygon, at)).map(({ label }) => label));
    expect(shown).toEqual(predicted.map((label) => [label]));
    if (classes === 2) return;
    // On either side of a border the labels differ.
    const borders = bordersOf(model, BOX);
    expect(borders.length).toBeGreaterThanOrEqual(classes - 1);
    for (const [from, to] of borders) {
      const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
      if (length < 1e-3) continue;
      const [x, y, dx, dy] = [
        (from[0] + to[0]) / 2,
        (from[1] + to[1]) / 2,
        (1e-5 * (from[1] - to[1])) / length,
        (1e-5 * (to[0] - from[0])) / length,
      ];
      const [one, other] = model.predict([
        [x + dx, y + dy],
        [x - dx, y - dy],
      ]);
      expect(one).not.toBe(other);
    }
  });

  it('cuts polygons where a line is, and nowhere else', () => {
    const line: Affine = [1, 2, 0.5];
    const [one, other] = [clip(BOX, line), clip(BOX, [-1, -2, -0.5])];
    const area = (polygon: Polygon) =>
      polygon.reduce(
        (sum, [x, y], k) => sum + (x * polygon[(k + 1) % polygon.length]![1] - y * polygon[(k + 1) % polygon.length]![0]) / 2,
        0,
      );
    expect(area(one) + area(other)).toBeCloseTo(18 * 14, 10);
    for (const corner of one) expect(valueAt(line, corner)).toBeGreaterThan(-1e-12);
    expect(clip(BOX, [0, 0, -1])).toEqual([]);
    expect(clip(BOX, [0, 0, 1])).toEqual(BOX);
  });

  it.each([
    [0, 1, 1, ['0', '1']],
    [0, 0.3, 3, ['0', '0.1', '0.2', '0.3']],
    [15_000, 50_000, 3, ['20,000', '40,000']],
    [-1e100, 1e100, 2, ['−1e100', '0', '1e100']],
    [1e9, 1e9 + 1, 2, ['1.0000000000e9', '1.0000000005e9', '1.0000000010e9']],
    [1e14, 1e14 + 2, 2, ['1.00000000000000e14', '1.00000000000001e14', '1.00000000000002e14']],
    [1e15, 1e15 + 2, 8, ['1.00000000000000e15']],
  ] as const)('writes ticks from %d to %d, about %d, so that they differ', (from, to, count, texts) => {
    expect(ticks(from, to, count).map(({ text }) => text)).toEqual(texts);
  });
});

describe.skipIf(!CHROMIUM)('the playground in a browser', () => {
  let browser: Browser;
  let folder = '';
  let address = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fista-playground-'));
    address = pathToFileURL(await buildPlayground(folder)).href;
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens the page for a test, after which there must have been no request, no message on the console and no error. */
  async function using(test: (view: Page) => Promise<void>, options: BrowserContextOptions = {}, prepare?: string): Promise<void> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    if (prepare) await context.addInitScript(prepare);
    const view = await context.newPage();
    view.setDefaultTimeout(HANG);
    const [requests, complaints]: [string[], string[]] = [[], []];
    view.on('request', (request) => requests.push(request.url()));
    view.on('console', (message) => complaints.push(message.text()));
    view.on('pageerror', (error) => complaints.push(error.message));
    await view.goto(address, { timeout: HANG });
    await test(view);
    expect(complaints).toEqual([]);
    expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([address]);
    await context.close();
  }

  /** Waits until everything that was asked for is drawn: training comes before the next picture. */
  async function drawn(view: Page): Promise<void> {
    await view.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))',
    );
  }

  /** Waits for what an expression says. The page's policy keeps Playwright's own way of waiting from evaluating it. */
  async function until(view: Page, expression: string): Promise<void> {
    await view.evaluate(`new Promise((done) => {
      const look = () => (${expression} ? done() : setTimeout(look, 20));
      look();
    })`);
  }

  /** What the page says of a tab's result: its status, its headline and its facts by name. */
  async function result(view: Page, tab = 'points'): Promise<{ status: string; headline: string; facts: Record<string, string> }> {
    await drawn(view);
    return view.evaluate(`(() => {
      const root = document.getElementById('${tab}-result');
      const facts = [...root.querySelectorAll('dl > div')].map((fact) => [fact.children[0].textContent, fact.children[1].textContent]);
      return { status: root.dataset.status, headline: root.querySelector('p').textContent, facts: Object.fromEntries(facts) };
    })()`);
  }

  const attribute = (view: Page, selector: string, name: string) =>
    view.evaluate<string | undefined>(`document.querySelector(${JSON.stringify(selector)})?.getAttribute('${name}') ?? undefined`);
  const count = (view: Page, selector: string) => view.locator(selector).count();
  const planeOf = (view: Page) => attribute(view, '#points-plot .plane', 'd');

  /** The place of a share of the plot, in pixels of the page. */
  async function placeIn(view: Page, plot: string, [across, down]: Position): Promise<Position> {
    const box = (await view.locator(plot).boundingBox())!;
    return [box.x + across * box.width, box.y + down * box.height];
  }

  async function clickAt(view: Page, at: Position, button: 'left' | 'right' = 'left', plot = '#points-plot'): Promise<void> {
    await view.mouse.click(...(await placeIn(view, plot, at)), { button });
    await drawn(view);
  }

  async function drag(view: Page, from: Position, to: Position): Promise<void> {
    await view.mouse.move(...from);
    await view.mouse.down();
    await view.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
    await view.mouse.move(...to);
    await view.mouse.up();
    await drawn(view);
  }

  /** The middle of the first such element. It is asked for at once, as drawings are made anew at every change. */
  async function middleOf(view: Page, selector: string): Promise<Position> {
    await drawn(view);
    return view.evaluate(`(() => {
      const { x, y, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    })()`);
  }

  async function setRange(view: Page, id: string, value: number): Promise<void> {
    await view.evaluate(`(() => {
      const input = document.getElementById('${id}');
      input.value = '${value}';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await drawn(view);
  }

  /** Has fingers at places of the page, by number; those that are not named are lifted. */
  async function fingers(view: Page): Promise<(...at: readonly (Position | undefined)[]) => Promise<void>> {
    const session = await view.context().newCDPSession(view);
    let before = 0;
    return async (...at) => {
      const touchPoints = at.flatMap((place, id) => (place ? [{ x: place[0], y: place[1], id }] : []));
      const type = touchPoints.length > before ? 'touchStart' : touchPoints.length ? 'touchMove' : 'touchEnd';
      before = touchPoints.length;
      await session.send('Input.dispatchTouchEvent', { type, touchPoints });
      await drawn(view);
    };
  }

  /** The rectangles of elements, in pixels of the page. */
  interface Place {
    readonly text: string;
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  }

  async function placesOf(view: Page, selector: string): Promise<Place[]> {
    await drawn(view);
    return view.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return { text: one.textContent, left, right, top, bottom };
    })`);
  }

  /** Pastes a text, and gives the message that follows. As one event: typing a long text key by key would take minutes. */
  async function pasteCsv(view: Page, text: string): Promise<string> {
    const put = `((value) => {
      const area = document.getElementById('csv-text');
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', value);
      if (value && !area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))) return;
      area.value = value;
      area.dispatchEvent(new Event('input', { bubbles: true }));
    })`;
    await view.evaluate(`${put}('')`);
    await until(view, `document.getElementById('csv-message').textContent === ''`);
    await view.evaluate(`${put}(${JSON.stringify(text)})`);
    await until(view, `!['', 'Reading …'].includes(document.getElementById('csv-message').textContent)`);
    return (await view.textContent('#csv-message'))!;
  }

  it('trains as points are drawn, and moves the plane as one is dragged', () =>
    using(async (view) => {
      await view.click('#points-clear');
      expect(await result(view)).toMatchObject({ status: 'empty', headline: 'Draw points of two classes or more.' });
      await clickAt(view, [0.3, 0.4]);
      await clickAt(view, [0.35, 0.6]);
      expect((await result(view)).headline).toBe('Add points of a second class.');
      expect(await planeOf(view)).toBeUndefined();
      await view.keyboard.press('2');
      await clickAt(view, [0.7, 0.4]);
      await clickAt(view, [0.75, 0.6]);
      expect(await count(view, '#points-plot .spot')).toBe(4);
      expect(await count(view, '#points-plot .spot.c1')).toBe(2);
      const first = await result(view);
      expect(first.status).toMatch(/^(agreement|gap)$/);
      expect(first.facts).toMatchObject({ Certified: '4 of 4', Accuracy: '100 %' });
      expect(first.facts.Backend).toMatch(/^(wasm, \w+|js)$/);
      expect(await count(view, '#points-plot .margin')).toBe(2);

      const before = await planeOf(view);
      const spot = await middleOf(view, '#points-plot .spot.c1');
      await drag(view, spot, [spot[0] - 90, spot[1] + 150]);
      expect(await count(view, '#points-plot .spot')).toBe(4);
      const after = await planeOf(view);
      expect(after).not.toBe(before);
      // One gesture is one step back, and the same points give the same plane to the last digit.
      await view.keyboard.press('Control+z');
      await drawn(view);
      expect(await planeOf(view)).toBe(before);
    }));

  it('deletes points by the right button, by the eraser and by a key', () =>
    using(async (view) => {
      await view.selectOption('#samples', 'separable');
      await drawn(view);
      const all = await count(view, '#points-plot .spot');
      expect(all).toBe(52);
      await view.mouse.click(...(await middleOf(view, '#points-plot .spot')), { button: 'right' });
      await drawn(view);
      expect(await count(view, '#points-plot .spot')).toBe(all - 1);
      await view.click('#eraser');
      await view.mouse.click(...(await middleOf(view, '#points-plot .spot')));
      await drawn(view);
      expect(await count(view, '#points-plot .spot')).toBe(all - 2);
      await clickAt(view, [0.5, 0.1]); // there is nothing to erase, and nothing is added
      expect(await count(view, '#points-plot .spot')).toBe(all - 2);
      await view.click('#eraser');
      await view.mouse.click(...(await middleOf(view, '#points-plot .spot')));
      await view.keyboard.press('Delete');
      await drawn(view);
      expect(await count(view, '#points-plot .spot')).toBe(all - 3);
      for (let k = 0; k < 3; k++) await view.click('#points-undo');
      await drawn(view);
      expect(await count(view, '#points-plot .spot')).toBe(all);
      await view.click('#points-clear');
      await drawn(view);
      expect(await count(view, '#points-plot .spot')).toBe(0);
    }));

  it('draws a ring around just those points that the library certifies, at every iteration of every sample', () =>
    using(async (view) => {
      for (const sample of ['overlap', 'separable', 'moons', 'outliers', 'three', 'five']) {
        await view.selectOption('#samples', sample);
        const { status, facts } = await result(view);
        expect(status).toMatch(/^(agreement|gap)$/);
        const total = Number(await attribute(view, '#points-iteration', 'max'));
        expect(total).toBeGreaterThan(1);
        for (const k of new Set([1, Math.ceil(total / 3), Math.ceil((2 * total) / 3), total])) {
          await setRange(view, 'points-iteration', k);
          const state = await result(view);
          expect(`${await count(view, '#points-plot .spot.certified')} of ${await count(view, '#points-plot .spot')}`).toBe(
            state.facts.Certified,
          );
          if (k < total) expect(state.status).toBe('max-iterations');
          else expect(state.facts).toEqual(facts);
        }
      }
    }));

  it('trains by every method, rule, loss and way to divide classes', () =>
    using(async (view) => {
      for (const method of ['auto', 'fista', 'newton', 'ascent', 'paper']) {
        await view.selectOption('#method', method);
        for (const rule of ['default', 'agreement', 'gap', 'stale']) {
          await view.selectOption('#rule', rule);
          const { status, facts } = await result(view);
          const expected = { default: /(agreement|gap|stale)$/, agreement: /agreement$/, gap: /gap$/, stale: /(stale|precision)$/ }[
            rule
          ]!;
          expect(`${method}, ${rule}: ${status}`).toMatch(expected);
          if (method === 'newton' && rule === 'gap') expect(facts.Method).toBe('newton');
          if (method === 'fista' && rule === 'gap') expect(facts.Method).toBe('fista');
          expect(await view.isDisabled('#loss')).toBe(method === 'paper' || rule === 'stale');
        }
      }
      await view.selectOption('#method', 'auto');
      await view.selectOption('#rule', 'gap');
      await setRange(view, 'gap', -8);
      const exact = await planeOf(view);
      await setRange(view, 'gap', -1);
      expect(await planeOf(view)).not.toBe(exact);
      await setRange(view, 'gap', -8);
      expect(await planeOf(view)).toBe(exact);
      await view.selectOption('#loss', 'squared-hinge');
      await drawn(view);
      expect(await planeOf(view)).not.toBe(exact);
      await view.selectOption('#loss', 'hinge');
      expect(await view.isChecked('#gamma-default')).toBe(true);
      await setRange(view, 'gamma', -3);
      expect(await view.isChecked('#gamma-default')).toBe(false);
      expect(await view.textContent('#gamma-value')).toBe('0.001');
      expect(await planeOf(view)).not.toBe(exact);

      expect(await view.isDisabled('#multiclass')).toBe(true);
      await view.selectOption('#samples', 'five');
      await drawn(view);
      await view.selectOption('#multiclass', 'pairs');
      await drawn(view);
      expect((await result(view)).headline).toContain('10 planes');
      await view.selectOption('#multiclass', 'rest');
      expect((await result(view)).headline).toContain('5 planes');
      for (const k of [0, 1, 2, 3, 4]) expect(await count(view, `#points-plot .region.c${k}`)).toBeGreaterThan(0);
    }));

  it('shows after k iterations what the library returns when it is stopped there', () =>
    using(async (view) => {
      const { points, labels } = clouds(2, 40);
      const table = ['x,y,kind', ...points.map(([x, y], i) => `${x},${y},${'pq'[labels[i]!]}`)].join('\n');
      await view.click('#csv-open');
      await pasteCsv(view, table);
      await view.click('#csv-use');
      for (const method of ['auto', 'fista', 'paper'] as const) {
        await view.selectOption('#method', method);
        await view.selectOption('#rule', 'gap');
        await setRange(view, 'gap', -4);
        const options = { method, stop: stop.gap(1e-4), solver: { checkEvery: 1 } };
        const whole = LinearSvm.fit(points, labels, options);
        expect(await attribute(view, '#points-iteration', 'max')).toBe(String(whole.info.iterations));
        for (const k of [1, 2, 5, Math.ceil(whole.info.iterations / 2), whole.info.iterations]) {
          if (k > whole.info.iterations) continue;
          await setRange(view, 'points-iteration', k);
          const { info } = LinearSvm.fit(points, labels, { ...options, maxIterations: k });
          const { status, facts } = await result(view);
          expect(status).toBe(k < whole.info.iterations ? 'max-iterations' : 'gap');
          expect(facts.Certified).toBe(`${info.agreed} of ${info.rows}`);
          const shown = Number(facts['Relative gap']!.replace('−', '-'));
          expect(Math.abs(shown / info.relativeGap - 1)).toBeLessThan(0.06); // two digits
        }
      }
    }));

  it('plays the iterations to the end, steps, and takes one from the curve', () =>
    using(async (view) => {
      const total = Number(await attribute(view, '#points-iteration', 'max'));
      expect(await view.textContent('#points-iteration-text')).toBe(`iteration ${total} of ${total}`);
      await view.click('#points-back');
      expect(await view.textContent('#points-iteration-text')).toBe(`iteration ${total - 1} of ${total}`);
      await view.click('#points-forward');
      await view.focus('#points-plot');
      await view.keyboard.press('Space');
      expect(await attribute(view, '#points-play', 'aria-label')).toBe('Pause');
      await until(view, `document.getElementById('points-play').getAttribute('aria-label') !== 'Pause'`);
      expect(await view.textContent('#points-iteration-text')).toBe(`iteration ${total} of ${total}`);
      expect((await result(view)).status).toMatch(/^(agreement|gap)$/);
      const chart = (await view.locator('#points-chart').boundingBox())!;
      await view.mouse.click(chart.x + 50, chart.y + 60);
      expect(await view.textContent('#points-iteration-text')).toBe(`iteration 1 of ${total}`);
      await view.click('#points-play');
      await view.click('#points-play');
      expect(await attribute(view, '#points-play', 'aria-label')).toBe('Play the iterations');
      expect(await count(view, '#points-chart .curve')).toBe(2);
    }));

  it('separates ellipsoids that are turned and stretched, and shows the witness when they touch', () =>
    using(async (view) => {
      await view.click('#tab-ellipsoids');
      const first = await result(view, 'ellipsoids');
      expect(first.status).toBe('separated');
      expect(await count(view, '#ellipsoids-plot .strip')).toBe(1);
      const strip = () => attribute(view, '#ellipsoids-plot .strip', 'd');
      const before = await strip();

      // The knob turns; the squares stretch.
      const knob = await middleOf(view, '#ellipsoids-plot .handles circle');
      await drag(view, knob, [knob[0] - 40, knob[1] - 60]);
      expect(await view.textContent('#shape-angle-value')).not.toBe('34°');
      expect(await view.textContent('#shape-a-value')).toBe('1.25');
      expect(await strip()).not.toBe(before);
      const square = await middleOf(view, '#ellipsoids-plot .handles rect');
      const centre = await middleOf(view, '#ellipsoids-plot .ellipse.selected .centre');
      await drag(view, square, [2 * square[0] - centre[0], 2 * square[1] - centre[1]]);
      expect(await view.textContent('#shape-a-value')).toBe('2.5');
      await view.click('#ellipsoids-undo');
      await view.click('#ellipsoids-undo');
      await drawn(view);
      expect(await strip()).toBe(before);
      await setRange(view, 'shape-angle', 80);
      await setRange(view, 'shape-b', 1.1);
      expect(await strip()).not.toBe(before);

      // Any plane is found sooner than the widest slab.
      const iterations = async () => Number(await attribute(view, '#ellipsoids-iteration', 'max'));
      const widest = [await iterations(), Number((await result(view, 'ellipsoids')).facts.Width)] as const;
      await view.selectOption('#goal', 'any');
      const any = await result(view, 'ellipsoids');
      expect(any.status).toBe('separated');
      expect(await iterations()).toBeLessThan(widest[0]);
      expect(Number(any.facts.Width)).toBeLessThanOrEqual(widest[1]);
      await view.selectOption('#goal', 'widest');
      await drawn(view);
      await setRange(view, 'ellipsoids-iteration', 1);
      expect((await result(view, 'ellipsoids')).headline).toContain('after 1 iteration');

      // Over one another, they touch.
      const other = await middleOf(view, '#ellipsoids-plot .ellipse.c1 .centre');
      await drag(view, await middleOf(view, '#ellipsoids-plot .ellipse.selected .centre'), other);
      await setRange(view, 'ellipsoids-iteration', await iterations());
      const touching = await result(view, 'ellipsoids');
      expect(touching.status).toBe('touching');
      expect(touching.facts.Distance).toMatch(/^0 to /);
      expect(await count(view, '#ellipsoids-plot .witness circle')).toBe(1);
      expect(await count(view, '#ellipsoids-plot .strip')).toBe(0);

      // Without one of the families there is nothing to separate; new ones come by clicks.
      while (await count(view, '#ellipsoids-plot .ellipse.c1')) {
        await view.mouse.click(...(await middleOf(view, '#ellipsoids-plot .ellipse.c1 .centre')), { button: 'right' });
        await drawn(view);
      }
      expect((await result(view, 'ellipsoids')).status).toBe('empty');
      await view.click('#family-1');
      await clickAt(view, [0.85, 0.85], 'left', '#ellipsoids-plot');
      expect(await count(view, '#ellipsoids-plot .ellipse.c1')).toBe(1);
      expect((await result(view, 'ellipsoids')).status).toMatch(/^(separated|touching)$/);
    }));

  it('draws a pasted table, by the columns that are chosen', () =>
    using(async (view) => {
      await view.click('#csv-open');
      const rows = Array.from(
        { length: 60 },
        (_, i) => `${1000 + 37 * (i % 17)};${(i % 7) / 1e4};${i % 5};${i % 3 ? 'tea' : '"coffee; black"'}`,
      );
      expect(await pasteCsv(view, `price;weight;size;kind\n${rows.join('\n')}`)).toBe('60 rows of 2 classes.');
      expect(await view.$eval('#csv-label', (select) => (select as unknown as { value: string }).value)).toBe('3');
      await view.selectOption('#csv-y', { label: 'size' });
      await view.click('#csv-use');
      expect((await result(view)).facts.Certified).toMatch(/ of 60$/);
      expect(await view.locator('#points-plot .title').allTextContents()).toEqual(['price', 'size']);
      expect(await view.locator('#points-plot .axes text').allTextContents()).toContain('1,200');
      expect(await view.locator('#classes .chip-name').allTextContents()).toEqual(['coffee; black', 'tea']);
      await view.click('#points-undo');
      await drawn(view);
      expect(await count(view, '#points-plot .spot')).toBe(80);

      // Numbers without names, and labels that are numbers.
      await view.click('#csv-open');
      expect(await pasteCsv(view, '1,2,0\n3,4,1\n2,1,0\n5,4,1')).toBe('4 rows of 2 classes.');
      expect(await view.isChecked('#csv-header')).toBe(false);
      await view.click('#csv-use');
      expect((await result(view)).facts.Accuracy).toBe('100 %');
      expect(await view.locator('#points-plot .title').allTextContents()).toEqual(['column 1', 'column 2']);

      // What cannot be told apart, and what is constant, is drawn all the same.
      await view.click('#csv-open');
      await pasteCsv(view, 'x,y,k\n1e15,7,a\n1000000000000001,7,b\n1e15,7,a');
      await view.click('#csv-use');
      expect((await result(view)).status).not.toBe('error');
      expect(await count(view, '#points-plot .spot')).toBe(3);
    }));

  it('answers a hostile table by a message alone', () =>
    using(async (view) => {
      const before = [await planeOf(view), await count(view, '#points-plot .spot'), await view.textContent('#points-result')];
      const many = (classes: number) => Array.from({ length: 40 }, (_, i) => `${i},${i * i},c${i % classes}`).join('\n');
      const hostile: Record<string, [text: string, message: RegExp]> = {
        'markup where numbers should be': [
          'a,b,c\n<img src=x onerror=harmed=1>,<script>harmed=1</script>,x\n1,2,y',
          /^Expected two columns of numbers .* but received 0 of numbers and 3 of text$/,
        ],
        'a name that is markup': [
          '<b onclick=harmed=1>,"<svg onload=harmed=1>",</textarea><script>harmed=1</script>\n1,2,x\n3,4,x',
          /^Expected two classes or more in column "<\/textarea><script>harmed=1<\/script>" but every label is "x"$/,
        ],
        junk: ['\u0000\u0001\u0002\ufffd\u0000,\u0007\n\u0000', /^Expected/],
        'an open quote': ['a,b,c\n1,2,"x\n3,4,y\n', /^Expected a closing quote/],
        'rows of other lengths': ['a,b,c\n1,2,x\n3,4\n', /^Expected 3 cells/],
        'a name twice': ['a,b,a\n1,2,x\n3,4,y\n', /^Expected one column "a"/],
        'no number': ['a,b,c\nNaN,2,x\n1,2,y\n', /^Expected a number .* row 1, but received a gap$/],
        'a gap': ['a,b,c\n1,2,x\n1,,y\n', /^Expected a number .* row 2, but received a gap$/],
        'a number that is no double': ['a,b,c\n1,1e400,x\n1,2,y\n', /^Expected two columns of numbers/],
        'numbers whose differences overflow': ['a,b,c\n1e308,1,x\n-1e308,2,y\n', /^Expected a number of at most 1e100/],
        'one column': ['a\n1\n2\n', /^Expected two columns of numbers/],
        'one class': ['a,b,c\n1,2,x\n3,4,x\n', /^Expected two classes or more/],
        'a label that is missing': ['a,b,c\n1,2,x\n3,4,\n5,6,y', /^Expected a label in every row/],
        'too many classes': [`a,b,c\n${many(9)}`, /^Expected at most 8 classes in column "c" but received 9$/],
        'a header alone': ['a,b,c\n', /^Expected at least one row/],
        blanks: ['   \n\n  ', /^Expected/],
        'too many rows': [`a,b,c\n${'1,2,x\n'.repeat(2001)}`, /^Expected at most 2,000 rows/],
        'far too much text': [
          '1,2,x\n'.repeat(800_000),
          /^Expected a table of at most 1,000,000 characters but received 4,800,000$/,
        ],
        'names of a prototype': ['__proto__,constructor,toString\n1,2,x\n3,4,x\n', /^Expected/],
      };
      await view.click('#csv-open');
      for (const [name, [text, message]] of Object.entries(hostile)) {
        expect(`${name}: ${await pasteCsv(view, text)}`).toMatch(new RegExp(`^${name}: ${message.source.replace(/^\^/, '')}`));
        expect(await view.isDisabled('#csv-use')).toBe(true);
        expect(await view.evaluate('[document.scripts.length, document.images.length, typeof harmed]')).toEqual([
          1,
          0,
          'undefined',
        ]);
      }
      await view.click('#csv-cancel');
      await drawn(view);
      expect([await planeOf(view), await count(view, '#points-plot .spot'), await view.textContent('#points-result')]).toEqual(
        before,
      );

      // A table that is fine, but for markup in its names and labels: they are shown as they are.
      await view.click('#csv-open');
      const label = '<img src=x onerror=harmed=1>';
      expect(await pasteCsv(view, `<i>a</i>,b,c\n1,2,${label}\n3,4,__proto__\n`)).toBe('2 rows of 2 classes.');
      await view.click('#csv-use');
      await drawn(view);
      expect(await view.locator('#classes .chip-name').allTextContents()).toEqual([label, '__proto__']);
      expect(await view.locator('#points-plot .title').allTextContents()).toEqual(['<i>a</i>', 'b']);
      expect(await view.evaluate('[document.scripts.length, document.images.length, typeof harmed]')).toEqual([1, 0, 'undefined']);
    }));

  it('is used by keys alone', () =>
    using(async (view) => {
      const focused = () =>
        view.evaluate<string>('document.activeElement.id || document.activeElement.className || document.activeElement.tagName');
      const seen: string[] = [];
      for (let k = 0; k < 60; k++) {
        await view.keyboard.press('Tab');
        seen.push(await focused());
        // What has the focus shows it.
        const outline = await view.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
        if (seen.at(-1) !== 'BODY') expect([seen.at(-1), outline]).toEqual([seen.at(-1), 'solid']);
      }
      const controls = [
        'tab-points',
        'theme',
        'chip c0',
        'add-class',
        'eraser',
        'points-clear',
        'samples',
        'csv-open',
        'points-plot',
        'points-back',
        'points-play',
      ];
      const options = ['points-forward', 'points-iteration', 'method', 'rule', 'loss', 'gamma', 'gamma-default', 'SUMMARY'];
      expect(seen).toEqual(expect.arrayContaining([...controls, ...options]));

      // Points of two classes, by the crosshair.
      await view.focus('#points-clear');
      await view.keyboard.press('Enter');
      await view.focus('#points-plot');
      for (const key of ['1', 'Shift+ArrowLeft', 'Shift+ArrowLeft', 'Enter', 'Shift+ArrowUp', 'Enter', '2'])
        await view.keyboard.press(key);
      for (let k = 0; k < 5; k++) await view.keyboard.press('Shift+ArrowRight');
      await view.keyboard.press('Enter');
      const first = await result(view);
      expect(first.facts).toMatchObject({ Certified: '3 of 3', Accuracy: '100 %' });
      // The selected point moves, and is deleted.
      const before = await planeOf(view);
      await view.keyboard.press('n');
      expect(await view.textContent('#points-said')).toBe('Point 1 of 3, class A.');
      await view.keyboard.press('ArrowDown');
      await drawn(view);
      expect(await planeOf(view)).not.toBe(before);
      await view.keyboard.press('c'); // the current class
      await drawn(view);
      expect(await count(view, '#points-plot .spot.c1')).toBe(2);
      await view.keyboard.press('Delete');
      await drawn(view);
      expect(await count(view, '#points-plot .spot')).toBe(2);
      for (let k = 0; k < 3; k++) await view.keyboard.press('Control+z');
      await drawn(view);
      expect(await planeOf(view)).toBe(before);

      // The other tab.
      await view.focus('#tab-points');
      await view.keyboard.press('ArrowRight');
      expect(await focused()).toBe('tab-ellipsoids');
      const slab = async () => {
        await drawn(view);
        return attribute(view, '#ellipsoids-plot .strip', 'd');
      };
      await view.focus('#ellipsoids-plot');
      let last = await slab();
      for (const key of ['Shift+ArrowRight', ']']) {
        await view.keyboard.press(key);
        expect(await slab()).not.toBe(last);
        last = await slab();
      }
      await view.keyboard.press('Delete');
      await drawn(view);
      expect(await count(view, '#ellipsoids-plot .ellipse')).toBe(3);
      await view.keyboard.press('Enter');
      await drawn(view);
      expect(await count(view, '#ellipsoids-plot .ellipse')).toBe(4);
    }));

  it('is used by touch on a phone, where nothing scrolls sideways', () =>
    using(
      async (view) => {
        const overflow = () => view.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        expect(await overflow()).toBe(0);
        await view.locator('#points-clear').tap();
        for (const [k, at] of [
          [0, [0.3, 0.5]],
          [1, [0.7, 0.4]],
        ] as const) {
          await view.locator('#classes .chip').nth(k).tap();
          await view.locator('#points-plot').scrollIntoViewIfNeeded();
          await view.touchscreen.tap(...(await placeIn(view, '#points-plot', at)));
        }
        expect((await result(view)).facts.Certified).toBe('2 of 2');
        await view.selectOption('#samples', 'five');
        await drawn(view);
        for (let k = 0; k < 3; k++) await view.locator('#add-class').tap();
        expect(await view.isDisabled('#add-class')).toBe(true);
        expect(await overflow()).toBe(0);
        await view.locator('#csv-open').tap();
        await pasteCsv(view, `a,b,c\n1,2,${'wide'.repeat(100)}\n3,4,${'W'.repeat(300)}`);
        expect(await overflow()).toBe(0);
        const dialog = (await view.locator('#csv').boundingBox())!;
        expect([dialog.x >= 0, dialog.x + dialog.width <= 390]).toEqual([true, true]);
        await view.locator('#csv-use').tap();
        await drawn(view);
        expect(await overflow()).toBe(0);
        // Only the plots keep a finger from scrolling the page.
        const still = await view.evaluate(
          `[...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).touchAction === 'none').map((one) => one.id)`,
        );
        expect(still).toEqual(['points-plot', 'ellipsoids-plot']);
        await view.locator('#tab-ellipsoids').tap();
        await drawn(view);
        expect(await overflow()).toBe(0);
        await view.locator('#ellipsoids-plot').scrollIntoViewIfNeeded();
        await view.touchscreen.tap(...(await placeIn(view, '#ellipsoids-plot', [0.3, 0.85])));
        await drawn(view);
        expect(await count(view, '#ellipsoids-plot .ellipse')).toBe(5);
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    ));

  const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const moved = (from: Position, [dx, dy]: Position): Position => [from[0] + dx, from[1] + dy];
  const rounded = (at: Position) => at.map(Math.round);

  it('moves a small ellipsoid as a whole by a finger at its centre, and stretches it by one at its squares', () =>
    using(async (view) => {
      await view.locator('#tab-ellipsoids').tap();
      const touch = await fingers(view);
      const values = () => view.locator('#shape output').allTextContents();
      expect(await values()).toEqual(['1.25', '0.55', '34°']);
      const centre = await middleOf(view, '#ellipsoids-plot .ellipse.selected .centre');
      await touch(centre);
      await touch(moved(centre, [10, 25]));
      await touch(moved(centre, [20, 50]));
      await touch();
      expect(rounded(await middleOf(view, '#ellipsoids-plot .ellipse.selected .centre'))).toEqual(rounded(moved(centre, [20, 50])));
      expect(await values()).toEqual(['1.25', '0.55', '34°']);
      const square = await middleOf(view, '#ellipsoids-plot .handles rect:nth-of-type(2)');
      const outward = moved(square, [4 * (square[0] - centre[0] - 20), 4 * (square[1] - centre[1] - 50)]);
      await touch(square);
      await touch(outward);
      await touch();
      expect(await values()).toEqual(['1.25', '2.75', '34°']);
    }, PHONE));

  it('follows the finger that began a drag, and no other', () =>
    using(async (view) => {
      const touch = await fingers(view);
      for (const [tab, thing] of [
        ['points', '#points-plot .spot'],
        ['ellipsoids', '#ellipsoids-plot .ellipse.selected .centre'],
      ] as const) {
        await view.click(`#tab-${tab}`);
        const place = async () => rounded(await middleOf(view, thing));
        const first = await middleOf(view, thing);
        const second = await placeIn(view, `#${tab}-plot`, [0.85, 0.85]);
        const things = await count(view, thing.split(' ').slice(0, 2).join(' '));
        await touch(first);
        await touch(first, second);
        await touch(first, moved(second, [-30, -40]));
        expect(await place()).toEqual(rounded(first));
        await touch(first); // the second finger goes up
        await touch(moved(first, [12, 16]));
        expect(await place()).toEqual(rounded(moved(first, [12, 16])));
        await touch();
        expect(await count(view, thing.split(' ').slice(0, 2).join(' '))).toBe(things);
        await view.click(`#${tab}-undo`);
        expect(await place()).toEqual(rounded(first));
        expect(await view.isDisabled(`#${tab}-undo`)).toBe(true);
      }
    }, PHONE));

  it('leaves room for long numbers beside the axes', async () => {
    const tables = {
      salaries: 'age,salary,kind\n30,50000,a\n40,20000,b\n50,81000,a',
      huge: 'x,y,k\n1e100,-1e100,a\n-1e100,1e100,b\n1e99,3,a',
      near: 'x,y,k\n1000000000,1000000000,a\n1000000001,1000000001,b\n1000000000.5,1000000000.7,a',
    };
    for (const width of [1280, 390, 320]) {
      await using(
        async (view) => {
          for (const [name, table] of Object.entries(tables)) {
            await view.click('#csv-open');
            await pasteCsv(view, table);
            await view.click('#csv-use');
            const [plot] = await placesOf(view, '#points-plot');
            const [frame] = await placesOf(view, '#points-plot .frame');
            const [, title] = await placesOf(view, '#points-plot .title');
            const texts = await placesOf(view, '#points-plot .axes text:not(.title)');
            const [up, across] = [true, false].map((is) => texts.filter(({ right }) => right < frame!.left === is)) as [
              Place[],
              Place[],
            ];
            const where = `${name}, ${width} px`;
            expect([where, up.length > 0, across.length > 0]).toEqual([where, true, true]);
            expect([where, up.filter(({ left }) => left < title!.right)]).toEqual([where, []]);
            expect([where, across.filter(({ left, right }) => left < plot!.left || right > plot!.right)]).toEqual([where, []]);
            expect([where, across.filter(({ right }, i) => right > (across[i + 1]?.left ?? Infinity))]).toEqual([where, []]);
          }
        },
        { viewport: { width, height: 844 } },
      );
    }
  });

  it('offers the classes of the points that are drawn, before and after a step back', () =>
    using(async (view) => {
      const chips = async () => {
        await drawn(view);
        return view.evaluate<string>(
          `[...document.getElementById('classes').children].map((one) => one.children[1].textContent + (one.ariaChecked === 'true' ? '*' : '')).join(' ')`,
        );
      };
      expect(await chips()).toBe('A* B');
      await view.selectOption('#samples', 'five');
      expect(await chips()).toBe('A* B C D E');
      await view.keyboard.press('5');
      await view.selectOption('#samples', 'moons');
      expect(await chips()).toBe('A B*');
      await view.click('#points-undo');
      expect(await chips()).toBe('A B* C D E');
      await view.click('#points-undo');
      expect(await chips()).toBe('A B*');
      // A class that was added stays where its first point is taken back, and goes with the points.
      await view.click('#add-class');
      await clickAt(view, [0.5, 0.2]);
      expect(await chips()).toBe('A B C*');
      await view.click('#points-undo');
      expect(await chips()).toBe('A B C*');
      await view.click('#points-clear');
      expect(await chips()).toBe('A B*');
      // One that a table does not name has its letter.
      await view.click('#csv-open');
      await pasteCsv(view, '1,2,tea\n3,4,coffee\n2,2,tea');
      await view.click('#csv-use');
      await view.click('#add-class');
      expect(await chips()).toBe('coffee tea C*');
      await clickAt(view, [0.5, 0.2]);
      await view.keyboard.press('n');
      await view.keyboard.press('p');
      expect(await view.textContent('#points-said')).toBe('Point 4 of 4, class C.');
    }));

  it('takes a slide of a slider back in one step', () =>
    using(async (view) => {
      await view.click('#tab-ellipsoids');
      const value = async () => {
        await drawn(view);
        return view.textContent('#shape-a-value');
      };
      const slide = async (from: number, to: number) => {
        const slider = (await view.locator('#shape-a').boundingBox())!; // anew, as what is said above it may take more lines
        const y = slider.y + slider.height / 2;
        await drag(view, [slider.x + from * slider.width, y], [slider.x + to * slider.width, y]);
        return value();
      };
      const seen = [await value(), await slide(0.32, 0.6), await slide(0.6, 0.8)];
      expect(new Set(seen).size).toBe(3);
      for (const before of [seen[1], seen[0]]) {
        await view.click('#ellipsoids-undo');
        expect(await value()).toBe(before);
      }
      expect(await view.isDisabled('#ellipsoids-undo')).toBe(true);
    }));

  it('says by how much an ellipsoid is turned as the slider does', () =>
    using(async (view) => {
      await view.click('#tab-ellipsoids');
      const angle = () => view.textContent('#shape-angle-value');
      for (const [degrees, text] of [
        [90, '90°'],
        [-89, '−89°'],
        [0, '0°'],
      ] as const) {
        await setRange(view, 'shape-angle', degrees);
        expect(await angle()).toBe(text);
      }
      await setRange(view, 'shape-angle', 88);
      await view.focus('#ellipsoids-plot');
      await view.keyboard.press(']');
      await drawn(view);
      expect(await angle()).toBe('−87°');
      expect(await view.inputValue('#shape-angle')).toBe('-87');
      // As well if it is turned by the knob to just beyond.
      const [centre, knob] = [
        await middleOf(view, '#ellipsoids-plot .ellipse.selected .centre'),
        await middleOf(view, '#ellipsoids-plot .handles circle'),
      ];
      await drag(view, knob, [centre[0] - 0.2, centre[1] - 120]);
      expect([await angle(), await view.inputValue('#shape-angle')]).toEqual(['90°', '90']);
    }));

  it('shows the whole of what is chosen, the plus beside the classes and the iteration on its card', async () => {
    // What a select would take for its chosen option alone, and what it has.
    const CLIPPED = `[...document.querySelectorAll('select')].flatMap((select) => {
      if (!select.checkVisibility()) return [];
      const copy = select.parentElement.insertBefore(select.cloneNode(), select);
      const found = [...select.options].filter((option) => !select.matches('#samples') || option.hidden).flatMap((option) => {
        copy.replaceChildren(option.cloneNode(true));
        copy.style.cssText = 'position: absolute; width: max-content; max-width: none';
        return copy.offsetWidth > select.offsetWidth ? [option.text + ': ' + copy.offsetWidth + ' of ' + select.offsetWidth] : [];
      });
      copy.remove();
      return found;
    })`;
    for (const width of [1280, 390, 320]) {
      await using(
        async (view) => {
          await drawn(view);
          if (width > 320) expect([width, await view.evaluate(CLIPPED)]).toEqual([width, []]);
          for (let classes = 2; classes <= 8; classes++) {
            const [plus] = await placesOf(view, '#add-class');
            const chips = await placesOf(view, '#classes .chip');
            expect(chips.length).toBe(classes);
            expect([width, classes, chips.some(({ top, bottom }) => top < plus!.bottom && bottom > plus!.top)]).toEqual([
              width,
              classes,
              true,
            ]);
            if (classes < 8) await view.click('#add-class');
          }
          for (const tab of ['points', 'ellipsoids']) {
            await view.click(`#tab-${tab}`);
            const [text] = await placesOf(view, `#${tab}-iteration-text`);
            const [player] = await placesOf(view, `#panel-${tab} .player`);
            expect([width, tab, text!.right <= player!.right + 0.5]).toEqual([width, tab, true]);
            if (width > 320) expect([width, await view.evaluate(CLIPPED)]).toEqual([width, []]);
          }
        },
        { ...PHONE, viewport: { width, height: 844 } },
      );
    }
  });

  it('shows one iteration as one', () =>
    using(async (view) => {
      await view.click('#csv-open');
      await pasteCsv(view, '0,0,a\n5,5,b');
      await view.click('#csv-use');
      expect((await result(view)).headline).toBe('Labels proved after 1 iteration');
      expect(await view.evaluate(`document.getElementById('points-iteration').style.getPropertyValue('--done')`)).toBe('0');
      expect((await view.locator('#points-chart text:not(.title)').allTextContents()).slice(-2)).toEqual(['0', '1']);
    }));

  it('leaves keys to what has the focus only where it uses them', () =>
    using(async (view) => {
      const chosen = () => view.evaluate<string>(`document.querySelector('#classes [aria-checked=true]').children[1].textContent`);
      await view.click('#points-clear');
      await view.keyboard.press('2');
      expect(await chosen()).toBe('B');
      await view.focus('#gamma-default');
      await view.keyboard.press('1');
      expect(await chosen()).toBe('A');
      for (const field of ['method', 'gamma', 'points-iteration']) {
        await view.focus(`#${field}`);
        await view.keyboard.press('2');
        expect([field, await chosen()]).toEqual([field, 'A']);
      }
      // Space presses what can be pressed, and does not play.
      await view.selectOption('#samples', 'overlap');
      await drawn(view);
      await view.focus('#add-class');
      await view.keyboard.press('Space');
      expect(await count(view, '#classes .chip')).toBe(3);
      await view.focus('#gamma-default');
      await view.keyboard.press('Space');
      expect(await view.isChecked('#gamma-default')).toBe(false);
      expect(await attribute(view, '#points-play', 'aria-label')).toBe('Play the iterations');
      // Letters are the same with Shift.
      await view.focus('#points-plot');
      for (const [key, number] of [
        ['N', 1],
        ['n', 2],
        ['Shift+N', 3],
        ['P', 2],
      ] as const) {
        await view.keyboard.press(key);
        expect(await view.textContent('#points-said')).toBe(`Point ${number} of 80, class A.`);
      }
      await view.click('#tab-ellipsoids');
      await view.keyboard.press('2');
      expect(await attribute(view, '#family-1', 'aria-checked')).toBe('true');
      await view.focus('#ellipsoids-plot');
      await view.keyboard.press('P');
      await drawn(view);
      expect(await attribute(view, '#ellipsoids-plot .ellipse:last-of-type', 'class')).toContain('selected');
    }));

  it('has a key of what is drawn', () =>
    using(async (view) => {
      const key = async () => {
        await drawn(view);
        const [shown, lines] = await view.evaluate<[string[], number[]]>(`[
          [...document.querySelectorAll('#points-key span')].filter((one) => one.checkVisibility()).map((one) => one.textContent),
          ['.margin', '.border', '.one-of-several'].map((name) => document.querySelectorAll('#points-plot ' + name).length),
        ]`);
        return [shown.slice(2, -1), lines.map((many) => many > 0)];
      };
      expect(await key()).toEqual([
        ['plane', 'margin'],
        [true, false, false],
      ]);
      await view.selectOption('#samples', 'three');
      expect(await key()).toEqual([
        ['border', 'planes'],
        [false, true, true],
      ]);
      await view.click('#points-clear');
      expect(await key()).toEqual([
        ['plane', 'margin'],
        [false, false, false],
      ]);
    }));

  it('knows names in quotes, and says when it reads another text', () =>
    using(async (view) => {
      await view.click('#csv-open');
      const isHeader = async (text: string) => [await pasteCsv(view, text), await view.isChecked('#csv-header')];
      const good = '2 rows of 2 classes.';
      expect(await isHeader('"x,1",y,label\n1,2,a\n3,4,b')).toEqual([good, true]);
      expect(await isHeader('"x\n1","2,""3",label\n1,2,a\n3,4,b')).toEqual([good, true]);
      expect(await isHeader('"1","2","a;b;c;d"\n3,4,b')).toEqual([good, false]);
      const said = await view.evaluate(`(() => {
        const area = document.getElementById('csv-text');
        return ['x,y,k\\n1,2,', ''].map((text) => {
          area.value = text;
          area.dispatchEvent(new Event('input', { bubbles: true }));
          return document.getElementById('csv-message').textContent;
        });
      })()`);
      expect(said).toEqual(['Reading …', '']);
    }));

  /** Runs in the page and lists texts without enough contrast with what is behind them; disabled controls are exempt. */
  const PALE = `(() => {
    const channel = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const numbers = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
    const behind = (element) => {
      for (let e = element; e; e = e.parentElement) {
        const c = numbers(getComputedStyle(e).backgroundColor);
        if (c.length !== 4 || c[3] !== 0) return c;
      }
      return [255, 255, 255];
    };
    const pale = [];
    let texts = 0;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || ['SCRIPT', 'OPTION'].includes(element.tagName) || !element.getClientRects().length) continue;
      if (element.closest(':disabled, .unseen')) continue;
      const style = getComputedStyle(element);
      const [x, y] = [luminance(numbers(element instanceof SVGElement ? style.fill : style.color)), luminance(behind(element))].sort((p, q) => q - p);
      texts++;
      if (!((x + 0.05) / (y + 0.05) >= 4.5)) pale.push(((x + 0.05) / (y + 0.05)).toFixed(2) + ': ' + walker.currentNode.data.slice(0, 40));
    }
    for (const icon of document.querySelectorAll('.icon, .primary')) {
      if (!icon.checkVisibility() || icon.disabled) continue;
      const [x, y] = [luminance(numbers(getComputedStyle(icon).color)), luminance(behind(icon))].sort((p, q) => q - p);
      if (!((x + 0.05) / (y + 0.05) >= 4.5)) pale.push('icon ' + icon.id);
    }
    return { pale, texts, background: getComputedStyle(document.body).backgroundColor };
  })()`;

  it('is readable in light and dark, by the system and by the button', async () => {
    const backgrounds: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await using(
        async (view) => {
          for (const press of [false, true]) {
            if (press) await view.click('#theme');
            for (const tab of ['points', 'ellipsoids']) {
              await view.click(`#tab-${tab}`);
              if (tab === 'points') {
                await view.click('#eraser'); // pressed, it has other colours
                await view.evaluate(`document.getElementById('csv').show()`);
                await pasteCsv(view, '1,2,a\n3,4,b');
              }
              const { pale, texts, background } = await view.evaluate<{ pale: string[]; texts: number; background: string }>(PALE);
              expect(pale).toEqual([]);
              expect(texts).toBeGreaterThan(30);
              backgrounds.push(background);
            }
          }
        },
        { colorScheme },
      );
    }
    const [light, , dark] = backgrounds;
    expect(backgrounds).toEqual([light, light, dark, dark, dark, dark, light, light]);
    expect(light).not.toBe(dark);
  });

  it('permits its own script, its style and WebAssembly, and no worker', () =>
    using(async (view) => {
      const policy = (await attribute(view, 'meta[http-equiv]', 'content'))!;
      expect(policy.split('; ').map((part) => part.replaceAll(/'sha256-[^']*'/g, 'hash'))).toEqual([
        "default-src 'none'",
        "script-src hash 'wasm-unsafe-eval'",
        'style-src hash',
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
      ]);
    }));

  it('works without WebAssembly, and with less motion', () =>
    using(
      async (view) => {
        const { status, facts } = await result(view);
        expect(status).toMatch(/^(agreement|gap)$/);
        expect(facts.Backend).toBe('js');
        await setRange(view, 'points-iteration', Number(await attribute(view, '#points-iteration', 'max')) - 1);
        await view.click('#points-play');
        await until(view, `document.getElementById('points-play').getAttribute('aria-label') !== 'Pause'`);
      },
      { reducedMotion: 'reduce' },
      'delete globalThis.WebAssembly',
    ));
});
