import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { crossValidate, Dataset, LinearSvm, writeReport, type SvmProgress } from '../../lib/index.js';
import { brief, percent, upToOne } from '../../lib/report/number-text.js';
import { reportPage } from '../../lib/report/write-report.js';
import { weightsOf } from '../../lib/report/weight-charts.js';
import { cancer, fitted, long, manyLabels, PAGES, type Reported } from '../support/pages.js';
import { clouds, wdbc } from '../support/svm-data.js';

const folder = mkdtempSync(join(tmpdir(), 'fista-report-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => readdirSync(folder).forEach((name) => rmSync(join(folder, name))));
const path = join(folder, 'page.html');

const written = ({ model, options }: Reported) => reportPage(model, options);

/** The text of a table's cells, row by row, without the heading. */
function cells(html: string, heading: string): string[][] {
  const from = html.indexOf(`<h3>${heading}</h3>`);
  expect(from).toBeGreaterThan(0);
  const body = /<tbody>(.*?)<\/tbody>/s.exec(html.slice(from))![1]!;
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell!.replace(/<[^>]*>/g, ' ').trim()),
  );
}

describe('writeReport(path, model, options)', () => {
  it('writes one page, replaces the earlier one, and leaves no other file', async () => {
    const { model, options } = cancer();
    writeFileSync(path, 'old');
    await writeReport(path, model, options);
    expect(readFileSync(path, 'utf8')).toBe(reportPage(model, options));
    expect(readdirSync(folder)).toEqual(['page.html']);
  });

  it('keeps the earlier page, and leaves no other file, if something is wrong', async () => {
    const { model, options } = cancer();
    writeFileSync(path, 'old');
    await expect(writeReport(path, model, { ...options, labels: ['benign'] })).rejects.toThrow(/Expected 569 labels/);
    await expect(writeReport(join(folder, 'no', 'page.html'), model, options)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['page.html']);
  });

  it.skipIf(process.platform === 'win32')('keeps the mode of the earlier page', async () => {
    writeFileSync(path, 'old');
    chmodSync(path, 0o600);
    await writeReport(path, cancer().model);
    expect(readFileSync(path, 'utf8')).toMatch(/^<!doctype html>/);
  });

  it('takes points in every form, and changes none', () => {
    const { model, options } = cancer();
    const { rows } = wdbc();
    const flat = { data: Float64Array.from(rows.flat()), rows: rows.length, cols: 30 };
    const before = flat.data.slice();
    const { labels } = options;
    const [plain, dense, copied] = [rows, flat, Dataset.from(rows)].map((points) => reportPage(model, { points, labels }));
    expect(dense).toBe(plain);
    expect(copied).toBe(plain);
    expect(flat.data).toEqual(before);
  });

  const { model, options } = cancer();
  const { points, labels } = options;
  const progress = options.history[0]!;
  it.each<[string, unknown[], string, string]>([
    ['a path that is none', [3, model], 'ERR_SOURCE', 'Expected a path for path but received 3'],
    ['a model that is none', [path, { weights: [1] }], 'ERR_MODEL', 'Expected a LinearSvm for model but received an object'],
    ['no model', [path], 'ERR_MODEL', 'Expected a LinearSvm for model but received undefined'],
    ['options that are none', [path, model, 'title'], 'ERR_OPTION', 'Expected an object for options but received "title"'],
    ['an unknown option', [path, model, { titel: 'a' }], 'ERR_OPTION', 'Unknown option "titel"; did you mean "title"?'],
    ['another word', [path, model, { y: [] }], 'ERR_OPTION', 'Unknown option "y"; did you mean "labels"?'],
    [
      'labels without points',
      [path, model, { labels }],
      'ERR_OPTION',
      'Expected options.points with options.labels but received none',
    ],
    [
      'points without labels',
      [path, model, { points }],
      'ERR_OPTION',
      'Expected options.labels with options.points but received none',
    ],
    [
      'no points',
      [path, model, { points: [], labels: [] }],
      'ERR_POINTS',
      'Expected at least one row for points but received none',
    ],
    [
      'points of other columns',
      [path, model, { points: [[1]], labels: ['benign'] }],
      'ERR_POINTS',
      'Expected 30 columns for points, one for each weight of the model, but received 1',
    ],
    [
      'a label that the model does not know',
      [path, model, { points: [wdbc().rows[0]], labels: ['unclear'] }],
      'ERR_LABELS',
      'Expected "benign" or "malignant" for labels[0] but received "unclear"',
    ],
    ['a title that is no text', [path, model, { title: 1 }], 'ERR_OPTION', 'Expected a text for options.title but received 1'],
    ['an empty title', [path, model, { title: ' ' }], 'ERR_OPTION', 'Expected a text for options.title but received " "'],
    ['rows that are no word', [path, model, { rows: [] }], 'ERR_OPTION', 'for options.rows but received an array of length 0'],
    [
      'a history that is none',
      [path, model, { history: {} }],
      'ERR_OPTION',
      'Expected an array of what onProgress was called with for options.history but received an object',
    ],
    [
      'a history of other things',
      [path, model, { history: [progress, { ...progress, shares: {} }] }],
      'ERR_OPTION',
      'Expected what onProgress was called with for options.history[1] but received an object',
    ],
    [
      'a validation that is none',
      [path, model, { validation: [] }],
      'ERR_OPTION',
      'Expected the result of crossValidate for options.validation but received an array of length 0',
    ],
    [
      'a validation of other things',
      [path, model, { validation: { table: [{ gamma: 1, mean: NaN, standardError: 0 }] } }],
      'ERR_OPTION',
      'Expected a gamma with its score for options.validation.table[0] but received an object',
    ],
    [
      'too few names of columns',
      [path, model, { columns: ['a'] }],
      'ERR_OPTION',
      'Expected 30 names for options.columns, one for each weight of the model, but received 1',
    ],
    [
      'a name of a column that is none',
      [path, model, { columns: Array.from({ length: 30 }, (_, j) => j) }],
      'ERR_OPTION',
      'Expected a name for options.columns[0] but received 0',
    ],
  ])('refuses %s, and writes nothing', async (_, args, code, message) => {
    const error = await writeReport(...(args as Parameters<typeof writeReport>)).then(
      () => undefined,
      (reason: unknown) => reason as Error & { code: string },
    );
    expect(error?.message).toContain(message);
    expect(error?.code).toBe(code);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the page of writeReport', () => {
  it('shows how the fit ended, what was proved, and the names of the largest weights', () => {
    const { model, options } = cancer();
    const html = reportPage(model, { ...options, columns: Array.from({ length: 30 }, (_, j) => `measure ${j}`) });
    const { info } = model;
    const { accuracy } = model.score(options.points, options.labels);
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
    expect(html.match(/<svg viewBox="0 0 420/g)).toHaveLength(8); // two curves, margins, weights, four of progress
  });

  it.each([
    ['two labels', () => cancer({ probability: 'sigmoid' })],
    ['five labels', () => manyLabels(5, 300, (k) => `label ${k}`, { probability: 'sigmoid' })],
    ['25 labels', () => manyLabels(25, 500, (k) => k)],
  ])('has the numbers of model.score: %s', (_, make) => {
    const { model, options } = make();
    const score = model.score(options.points, options.labels);
    const html = reportPage(model, options);
    const wrong = options.labels.length - score.confusion.reduce((sum, row, k) => sum + row[k]!, 0);
    const tile = (name: string, value: string) => expect(html).toContain(`<dt>${name}</dt><dd>${value}<small>`);
    expect(html).toContain(
      `<dt>accuracy</dt><dd>${percent(score.accuracy)}<small>${wrong} of ${options.labels.length} training rows wrong</small>`,
    );
    tile('balanced accuracy', percent(score.balancedAccuracy));
    tile('F1', percent(score.macro.f1));
    tile('Matthews correlation', upToOne(score.matthews));
    tile('ROC AUC', upToOne(score.rocAuc!).replace('>', '&gt;'));
    if (score.logLoss !== undefined) tile('log loss', brief(score.logLoss));

    const counts = cells(html, 'Confusion table').map(([label, ...row]) => [
      label,
      ...row.map((cell) => Number(cell.split(' ')[0])),
    ]);
    expect(counts).toEqual(
      model.labels.map((label, i) => {
        const row = score.confusion[i]!;
        return [String(label), ...row, row.reduce((sum, n) => sum + n, 0)];
      }),
    );
    const text = (value: number) => upToOne(value).replace('>', '&gt;');
    const rates = ({ precision, recall, f1 }: typeof score.macro) => [precision, recall, f1].map(percent);
    const byLabel = cells(html, 'By label');
    expect(byLabel.slice(0, -2)).toEqual(
      score.classes.map((of) => [String(of.label), ...rates(of), String(of.support), text(of.rocAuc!), text(of.averagePrecision!)]),
    );
    expect(byLabel.at(-2)!.slice(0, 4)).toEqual(['mean over the labels', ...rates(score.macro)]);
    expect(byLabel.at(-1)!.slice(0, 4)).toEqual(['mean by rows', ...rates(score.weighted)]);
  });

  it('shows shares of the true label in a table of few labels, and shades in one of many', () => {
    const { model, options } = cancer();
    const [row] = model.score(options.points, options.labels).confusion;
    expect(cells(written({ model, options }), 'Confusion table')[0]![1]).toMatch(
      new RegExp(`^${row[0]} +${percent(row[0] / (row[0] + row[1])).replace('.', '\\.')}$`),
    );
    const many = written(manyLabels(9, 180, (k) => k));
    expect(cells(many, 'Confusion table')[0]![1]).toMatch(/^\d+$/);
    expect(many).toContain('<h3>Largest confusions</h3>');
  });

  it('lists the largest confusions, and has no table, of more than 30 labels', () => {
    const { model, options } = manyLabels(31, 620, (k) => k, { multiclass: 'rest' });
    const html = reportPage(model, options);
    expect(html).not.toContain('Confusion table');
    const { confusion } = model.score(options.points, options.labels);
    const all = confusion.flatMap((row, i) => row.flatMap((n, j) => (i === j ? [] : [n]))).sort((a, b) => b - a);
    const listed = cells(html, 'Largest confusions');
    expect(listed.map(([, , n]) => Number(n))).toEqual(all.slice(0, 20));
    for (const [is, as, n] of listed) expect(confusion[Number(is)]![Number(as)]).toBe(Number(n));
  });

  it('has curves of the second of two labels, of each of six, and of none of seven', () => {
    const titles = (classes: number) =>
      [
        ...written(manyLabels(classes, 30 * classes, (k) => k, { probability: 'sigmoid' })).matchAll(
          /<figcaption><h3>(.*?)<\/h3>/g,
        ),
      ].map(([, title]) => title);
    for (const classes of [2, 6]) expect(titles(classes)).toEqual(expect.arrayContaining(['ROC curve', 'Precision and recall']));
    expect(titles(7)).not.toContain('ROC curve');
    for (const classes of [2, 6, 7]) expect(titles(classes)).toContain('Calibration');
  });

  it('draws a precision–recall curve whose area is the average precision', () => {
    const { model, options } = manyLabels(2, 400, (k) => k);
    const { averagePrecision } = model.score(options.points, options.labels);
    const html = reportPage(model, options);
    const drawing = html.slice(html.indexOf('aria-label="Precision and recall"'));
    const places = / d="M([^"]*)"\/><path class="sign/
      .exec(drawing)![1]!
      .split('L')
      .map((place) => place.split(' ').map(Number));
    let area = 0;
    places.slice(1).forEach(([x, y], k) => (area += ((x! - places[k]![0]!) * (232 - y! + 232 - places[k]![1]!)) / 2));
    const width = places.at(-1)![0]! - places[0]![0]!;
    expect(area / width / 200).toBeCloseTo(averagePrecision!, 2);
  });

  it('has a calibration table whose counts are those of the rows', () => {
    const { model, options } = cancer({ probability: 'sigmoid' });
    const html = reportPage(model, options);
    const body = /Calibration in numbers.*?<tbody>(.*?)<\/tbody>/s.exec(html)![1]!;
    const counts = [...body.matchAll(/<td class="number">([\d,]+)<\/td><\/tr>/g)].map(([, n]) => Number(n));
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(569);
    expect(reportPage(cancer().model, options)).not.toContain('Calibration');
  });

  it("shows the loss, and with gamma: 'auto' the held-out accuracy by gamma", () => {
    const { rows, labels } = clouds(3, 90, 4);
    const reported = fitted(rows, labels, 'clouds', { gamma: 'auto' });
    const { info } = reported.model;
    const html = written(reported);
    expect(html).toContain('<th scope="row">loss</th><td>hinge</td>');
    expect(html).toContain('held-out accuracy</dt>');
    expect(cells(html.slice(html.indexOf('id="gamma"')), 'In numbers')).toEqual(
      info.validation!.table.map(({ gamma, mean, standardError }) => [
        `${brief(gamma)}${gamma === info.gamma ? ' (this model)' : ''}`,
        percent(mean),
        `± ${percent(standardError)}`,
      ]),
    );
  });

  it('takes the result of crossValidate, by accuracy or by another score', async () => {
    const { rows, labels } = clouds(3, 90, 4);
    const model = LinearSvm.fromJSON(LinearSvm.fit(rows, labels).toJSON());
    const plain = await crossValidate(rows, labels, { folds: 3 });
    expect(reportPage(model, { validation: plain })).toContain('<h3>Accuracy by gamma</h3>');
    const other = await crossValidate(rows, labels, { folds: 3, scoring: ({ labels: held }) => -held.length });
    const html = reportPage(model, { validation: other });
    expect(html).toContain('<h3>Score by gamma</h3>');
    expect(html).toContain('>−30<');
  });

  it('knows no bound with the squared hinge', () => {
    const { rows, labels } = clouds(3, 90, 4);
    const html = written(fitted(rows, labels, 'clouds', { loss: 'squared-hinge' }));
    expect(html).toContain('<th scope="row">loss</th><td>squared-hinge</td>');
    expect(html).toContain('have a positive margin at the optimum');
    expect(html).not.toContain('inside the margin');
    expect(html).not.toContain('mu·gamma');
    expect(html).not.toContain('held-out');
  });

  it('has only the model itself, without a fit, points and history', () => {
    const html = reportPage(LinearSvm.fromJSON(cancer().model.toJSON()));
    for (const heading of ['How well it predicts', 'What is proved', 'How it got there', 'Choice of gamma']) {
      expect(html).not.toContain(heading);
    }
    expect(html).toContain('benign (negative), malignant (positive)');
    expect(html).toContain('how its training went is not known');
    expect(html).toContain('<h1>Linear SVM</h1>');
  });

  it('says which rows it was given', () => {
    const { model, options } = cancer();
    const { points, labels } = options;
    expect(reportPage(model, { points, labels })).toMatch(/\d+ of 569 rows given wrong/);
    expect(reportPage(model, { points, labels, rows: 'held-out rows' })).toContain('Margins of the held-out rows');
  });

  it('numbers columns without names, from 0 or as told', () => {
    const { model, options } = cancer();
    expect(reportPage(model, options, 1)).toContain('>column 30<');
    expect(reportPage(model, options)).not.toContain('>column 30<');
  });

  it('shows the 30 largest of many weights', () => {
    const { rows, labels } = clouds(3, 60, 100);
    const html = written(fitted(rows, labels));
    expect(html).toContain('The 30 largest weights');
    expect(html.match(/<rect class="c[01]" x=/g)).toHaveLength(30);
  });

  it.each(['pairs', 'rest'] as const)('shows the weights that speak for each label: %s', (multiclass) => {
    const { model, options } = manyLabels(4, 200, (k) => `l${k}`, { multiclass });
    const weights = weightsOf(model.planes, 'l1');
    const expected = Array.from(weights, (_, j) => {
      const own = model.planes.filter(({ positive, negative }) => positive === 'l1' || negative === 'l1');
      return own.reduce((sum, plane) => sum + (plane.positive === 'l1' ? 1 : -1) * plane.weights[j]!, 0) / own.length;
    });
    weights.forEach((weight, j) => expect(weight).toBeCloseTo(expected[j]!, 12));
    // A label's cloud is on the positive side of what speaks for it, seen from the mean of all.
    const { points, labels } = options as unknown as { points: number[][]; labels: string[] };
    const meanOf = (some: number[][]) => weights.map((_, j) => some.reduce((sum, row) => sum + row[j]!, 0) / some.length);
    const [own, all] = [meanOf(points.filter((_, i) => labels[i] === 'l1')), meanOf(points)];
    expect(weights.reduce((sum, weight, j) => sum + weight * (own[j]! - all[j]!), 0)).toBeGreaterThan(0);
    const html = reportPage(model, options);
    expect(html).toContain('Weights of l1');
    expect(html).toContain(multiclass === 'pairs' ? 'in the 3 planes that tell it from one other label' : 'tells it from the rest');
  });

  it('stays below 300,000 characters for 20,000 checks', () => {
    expect(written(long()).length).toBeLessThan(300_000);
  });

  it('draws the gap of planes that are trained side by side as one falling line', () => {
    const { model, options } = manyLabels(3, 150, (k) => k);
    const html = reportPage(model, options);
    expect(html).toContain('Largest gap of any plane');
    expect(html).toContain('Plane by plane');
    const history = options.history.map((progress) => ({ ...progress, plane: undefined }) as unknown as SvmProgress);
    expect(reportPage(model, { ...options, history })).not.toContain('Largest gap of any plane');
  });

  it.each(Object.keys(PAGES))('the page %s loads nothing, runs nothing and has no number that is none', (name) => {
    const html = PAGES[name]!();
    expect(html).not.toMatch(/<(script|img|iframe|object|embed|base|form)\b/i);
    expect(html).not.toMatch(/url\(|@import/);
    for (const [, address] of html.matchAll(/\s(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^(data:,|#\w+)$/);
    expect(html.match(/.{0,40}(NaN|Infinity|undefined|\[object).{0,40}/g)).toBeNull();
    const coordinates = [...html.matchAll(/ (?:d|x|y|width|height)="([^"]*)"/g)].map(([, numbers]) => numbers);
    expect(coordinates.filter((numbers) => /NaN|Infinity|undefined/.test(numbers!))).toEqual([]);
  });

  it('prints primal and dual in full, and gaps rounded up', () => {
    const { model, options } = cancer();
    const { primal, dual, gap, relativeGap } = model.info;
    const html = reportPage(model, options);
    expect(html).toContain(`${dual} to ${primal}, proved`);
    const [, first, second] = /<th scope="row">gap<\/th><td>(\S+) \(relative (\S+)\)/.exec(html)!;
    const number = (text: string) => Number(text.replace('\u2212', '-'));
    expect(number(first!)).toBeGreaterThanOrEqual(gap);
    expect(number(second!)).toBeGreaterThanOrEqual(relativeGap);
  });
});
