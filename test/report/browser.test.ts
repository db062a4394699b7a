import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lineChart } from '../../lib/report/line-chart.js';
import { page as pageOf } from '../../lib/report/page.js';
import { HANG } from '../support/child.js';
import { CHROMIUM, launch, sayIfLeftOut } from '../support/chromium.js';
import { PAGES } from '../support/pages.js';

sayIfLeftOut('the pages');

/** Runs in the page and lists the defects of its layout. */
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
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ['title', 'desc', 'STYLE'].includes(element.tagName) || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const colour = numbers(element instanceof SVGElement ? style.fill : style.color);
    const ratio = contrast(colour, behind(element));
    texts++;
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
    // Labels of one chart must not overlap.
    const boxes = [...svg.querySelectorAll('text')].map((t) => [t.textContent, t.getBBox()]);
    boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
      const [w, h] = [Math.min(p.x + p.width, q.x + q.width) - Math.max(p.x, q.x), Math.min(p.y + p.height, q.y + q.height) - Math.max(p.y, q.y)];
      if (w > 1 && h > 4) wrong.push('overlap in ' + name + ': ' + a + ' | ' + b);
    }));
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push('scrolls sideways: ' + root.scrollWidth + ' > ' + root.clientWidth);
  if (document.scripts.length || document.images.length || window.harmed) wrong.push('something of the user became markup');
  return { wrong, texts, drawings: drawings.length, background: getComputedStyle(document.body).backgroundColor };
})()`;

interface Examined {
  wrong: string[];
  texts: number;
  drawings: number;
  background: string;
}

describe.skipIf(!CHROMIUM)('a page in a browser', () => {
  let browser: Browser;
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fista-report-'));
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  const VIEWS = { desk: { width: 1280, height: 900 }, phone: { width: 375, height: 812 } };
  for (const [name, make] of Object.entries(PAGES)) {
    it(`${name} is readable in light and dark, on desktop and phone, and makes no requests`, async () => {
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

  it('with low contrast, overlaps or overflow is reported by this check', async () => {
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
