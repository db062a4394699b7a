import { describe, expect, it } from 'vitest';
import { percent } from '../../lib/report/number-text.js';
import { report } from '../../lib/report/training-page.js';
import { LinearSvm } from '../../lib/svm/linear-svm.js';
import { cancer, fitted, long, PAGES } from '../support/pages.js';
import { clouds } from '../support/svm-data.js';

describe('report(input)', () => {
  it('shows how the fit ended, what was proved, and the names of the largest weights', () => {
    const input = { ...cancer(), names: Array.from({ length: 30 }, (_, j) => `measure ${j}`) };
    const html = report(input);
    const { info, model } = input;
    const [, positive] = model.labels;
    const right = Array.from(input.labels, (label, i) => input.decisions![i]! > 0 === (label === positive)).filter(Boolean).length;
    const accuracy = right / 569;
    const sizes = Array.from(model.planes[0]!.weights, Math.abs);
    const largest = sizes.indexOf(Math.max(...sizes));
    for (const words of [
      'gap</span> The objective is proved',
      `${info.agreed} rows`,
      percent(info.shares.zero),
      `None of these shares is an accuracy, which is ${percent(accuracy)} on the training rows.`,
      `>measure ${largest}<`,
    ]) {
      expect(html).toContain(words);
    }
    expect(html.match(/<svg viewBox="0 0 420/g)).toHaveLength(6);
  });

  it("shows the loss, and with gamma: 'auto' the held-out accuracy by gamma", () => {
    const { rows, labels } = clouds(3, 90, 4);
    const { info } = LinearSvm.fit(rows, labels, { gamma: 'auto' });
    const html = report({ ...fitted(rows, labels), info });
    expect(html).toContain('<th scope="row">loss</th><td>hinge</td>');
    expect(html).toContain('held-out accuracy</dt>');
    const lines = [...html.matchAll(/<th scope="row">held-out accuracy, gamma \S+<\/th><td>([^<]*)<\/td>/g)].map(
      ([, text]) => text!,
    );
    expect(lines.map((text) => text.replace(' (chosen)', ''))).toEqual(
      info.validation!.table.map(({ mean, standardError }) => `${percent(mean)} ± ${percent(standardError)}`),
    );
    expect(lines.findIndex((text) => text.endsWith(' (chosen)'))).toBe(
      info.validation!.table.findIndex(({ gamma }) => gamma === info.gamma),
    );
  });

  it('knows no bound with the squared hinge', () => {
    const { rows, labels } = clouds(3, 90, 4);
    const { info } = LinearSvm.fit(rows, labels, { loss: 'squared-hinge' });
    const html = report({ ...fitted(rows, labels), info });
    expect(html).toContain('<th scope="row">loss</th><td>squared-hinge</td>');
    expect(html).toContain('have a positive margin at the optimum');
    expect(html).not.toContain('inside the margin');
    expect(html).not.toContain('mu·gamma');
    expect(html).not.toContain('held-out');
  });

  it('numbers columns without names from firstColumn', () => {
    expect(report({ ...cancer(), firstColumn: 1 })).toContain('>column 30<');
    expect(report(cancer())).not.toContain('>column 30<');
  });

  it('shows the 30 largest of many weights', () => {
    const { rows: points, labels } = clouds(3, 60, 100);
    const html = report(fitted(points, labels));
    expect(html).toContain('The 30 largest weights');
    expect(html.match(/<rect class="c[01]" x=/g)).toHaveLength(30);
  });

  it('stays below 250,000 characters for 20,000 checks, with finite coordinates', () => {
    const html = report(long());
    expect(html.length).toBeLessThan(250_000);
    const coordinates = [...html.matchAll(/ (?:d|x|y|width|height)="([^"]*)"/g)].map(([, numbers]) => numbers);
    expect(coordinates.filter((numbers) => /NaN|Infinity|undefined/.test(numbers!))).toEqual([]);
  });

  it.each(Object.keys(PAGES))('the page %s loads nothing and runs nothing', (name) => {
    const html = PAGES[name]!();
    expect(html).not.toMatch(/<(script|img|iframe|object|embed|base|form)\b/i);
    expect(html).not.toMatch(/url\(|@import/);
    for (const [, address] of html.matchAll(/\s(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^(data:,|#\w+)$/);
  });

  it('prints primal and dual in full, and gaps rounded up', () => {
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
