import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { node, ROOT } from './support/child.js';
import { CHROMIUM, launch } from './support/chromium.js';

// The benchmarks in a copy of the repository without other data than its own.

const above = mkdtempSync(join(tmpdir(), 'fista-bench-'));
const folder = join(above, 'clone');
const bench = (...words: string[]) => node([join(folder, 'bench', 'run.js'), ...words], { FISTA_CLASSIFY_DATA: '' });

beforeAll(() => {
  mkdirSync(folder);
  cpSync(join(ROOT, 'bench'), join(folder, 'bench'), { recursive: true, filter: (path) => !path.includes('results') });
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  cpSync(join(ROOT, 'test', 'fixtures'), join(folder, 'test', 'fixtures'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  for (const name of ['dist', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name), 'junction');
});
afterAll(() => rmSync(above, { recursive: true }));

describe('npm run bench', () => {
  it('-- svm measures the data of the repository, and writes a page that fits 1200 px', { tags: ['slow'] }, async () => {
    const { code, stdout, stderr } = await bench('svm');
    expect(`${code} ${stderr}`).toBe('0 ');
    expect(stdout).toMatch(/^wdbc +99 % agreement \d+\.\d \(\d+\) of 26/m);
    expect(stdout).toContain('Left out: the data set a9a is not in');
    const kept = JSON.parse(readFileSync(join(folder, 'bench/results/svm.json'), 'utf8')) as {
      work: { name: string; passes: number }[];
      async: { name: string; fits: number };
      tables: { title: string }[];
    };
    expect(kept.work.map(({ name }) => name)).toEqual(['wdbc', 'wdbc', 'wdbc', 'wdbc']);
    expect(kept.async).toMatchObject({ name: 'wdbc' });
    expect(kept.tables).toHaveLength(2);
    if (!CHROMIUM) return;
    const browser = await launch();
    try {
      const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
      await page.goto(pathToFileURL(join(folder, 'bench/results/index.html')).href);
      // Elements that would scroll horizontally.
      const wide = await page.evaluate<string[]>(
        `[document.documentElement, ...document.querySelectorAll('.wide, pre, .card')]
           .filter((element) => element.scrollWidth > element.clientWidth)
           .map((element) => element.outerHTML.slice(0, 200))`,
      );
      expect(wide).toEqual([]);
      expect(await page.locator('td').first().textContent()).toBe('wdbc');
    } finally {
      await browser.close();
    }
  });

  it('-- defaults measures the data of the repository, sparse and dense', { tags: ['slow'] }, async () => {
    const { code, stdout, stderr } = await bench('defaults');
    expect(`${code} ${stderr}`).toBe('0 ');
    expect(stdout).toMatch(/^wdbc +569 × 30 +10 +9\d\.\d\d, -?\d/m);
    expect(stdout).toMatch(/^wdbc, dense +569 × 30 +10 +9\d\.\d\d, -?\d/m);
    expect(stdout).toContain('Left out: the data set a9a is not in');
    const kept = JSON.parse(readFileSync(join(folder, 'bench/results/defaults.json'), 'utf8')) as {
      rows: { name: string; best: number; grid: number[]; scores: { default: number; auto: number }; runs: object[] }[];
    };
    expect(kept.rows.map(({ name }) => name)).toEqual(['wdbc', 'wdbc, dense']);
    for (const { best, grid, scores, runs } of kept.rows) {
      expect(runs).toHaveLength(10);
      expect(best).toBe(Math.max(...grid));
      expect(scores.default).toBe(grid[4]);
      expect(Math.min(scores.default, scores.auto)).toBeGreaterThan(0.95);
    }
  });

  it.each([
    [['svm', '--sets', 'wdbx'], 'The chosen tables have no data set wdbx: they have a9a, '],
    [['peers', '--sets', 'a9a,nope,w8a'], 'The chosen tables have no data set nope: they have a9a, '],
    [['calls', '--sets', 'a9a'], 'The chosen tables have no data set a9a: they have none.'],
    [['svn'], 'There is no table svn.'],
  ])('-- %j exits with code 1, and measures nothing', async (words, message) => {
    const { code, stdout } = await bench(...words);
    expect(code).toBe(1);
    expect(stdout).toMatch(message);
    expect(stdout).not.toContain('== ');
  });
});
