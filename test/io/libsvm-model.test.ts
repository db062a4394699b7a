import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { libsvmLines } from '../../lib/io/libsvm-model.js';
import { sidesOf, type Model } from '../../lib/svm/model.js';
import { Probabilities } from '../../lib/svm/probability.js';
import { normal, random } from '../support/random.js';
import { labelOf, planesOf, randomModel, valuesOf, votesOf } from './models.js';

const predict = ['/usr/bin/svm-predict', '/usr/local/bin/svm-predict'].find(existsSync);
if (!predict) process.stdout.write('Models are not checked against LIBSVM, which is not installed (Debian: libsvm-tools)\n');

const textOf = (model: Model) => [...libsvmLines(model)].join('');

describe('libsvmLines(model)', () => {
  it('writes two classes as one support vector, the positive label first', () => {
    const model = planesOf([3, 7], 'pairs', [{ weights: [1e-20, 0, 0.1], bias: -0.5 }]);
    expect(textOf(model)).toBe(
      'svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.5\nlabel 7 3\nnr_sv 1 0\nSV\n1 1:1e-20 3:0.1 \n',
    );
  });

  it('writes pairs as one support vector each, the largest label first', () => {
    const planes = ['01', '02', '03', '12', '13', '23'].map((pair) => ({ weights: [Number(pair)], bias: Number(pair) / 8 }));
    expect(
      textOf(planesOf([0, 1, 2, 3], 'pairs', planes))
        .split('\n')
        .slice(2),
    ).toEqual([
      'nr_class 4',
      'total_sv 6',
      'rho -2.875 -1.625 -0.375 -1.5 -0.25 -0.125',
      'label 3 2 1 0',
      'nr_sv 3 2 1 0',
      'SV',
      '1 0 0 1:23 ',
      '0 1 0 1:13 ',
      '0 0 1 1:3 ',
      '0 1 0 1:12 ',
      '0 0 1 1:2 ',
      '0 0 1 1:1 ',
      '',
    ]);
  });

  it('refuses planes against the rest and labels that are not integers', () => {
    expect(() => libsvmLines(randomModel([1, 2, 3], 'rest', 2))).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        code: 'ERR_MODEL',
        message:
          "Expected planes between pairs of classes, as a fit with multiclass: 'pairs' makes them, for LIBSVM's text but received 3 planes against the rest",
      }) as Error,
    );
    expect(() => libsvmLines(planesOf(['a', 'b'], 'pairs', [{ weights: [1], bias: 0 }]))).toThrow(
      expect.objectContaining({
        code: 'ERR_LABELS',
        message: 'Expected an integer for every label, as LIBSVM has no others, but received "a"',
      }) as Error,
    );
  });

  it('writes long planes in short pieces', () => {
    const pieces = [...libsvmLines(randomModel([0, 1, 2], 'pairs', 50_000))];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(200_000);
    expect(pieces.join('').split('\n').length).toBe(12);
  });
});

describe.skipIf(!predict)('svm-predict with libsvmLines(model)', () => {
  let folder = '';
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'libsvm-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const theirs = (model: Model, rows: readonly (readonly number[])[]) => output(model, rows).map(Number);

  /** The lines that svm-predict writes. */
  function output(model: Model, rows: readonly (readonly number[])[], options: string[] = []): string[] {
    const [data, file, out] = ['data', 'model', 'out'].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(data, rows.map((row) => `0${row.map((x, j) => ` ${j + 1}:${x}`).join('')}\n`).join(''));
    writeFileSync(file, textOf(model));
    execFileSync(predict!, [...options, data, file, out], { stdio: 'pipe' });
    return readFileSync(out, 'utf8').trim().split('\n');
  }

  const cases: [number, number, number][] = [
    [2, 4, 0],
    [2, 1, 0.5],
    [3, 4, 0],
    [4, 6, 0.5],
    [7, 3, 0.2],
    [26, 16, 0],
  ];
  it.each(cases)('gives the labels of a model of %i classes, %i columns, share of zeros %d', (classes, cols, zeros) => {
    const uniform = random(classes);
    const rows = Array.from({ length: 400 }, () => Array.from({ length: cols }, () => normal(uniform)));
    const model = randomModel(Array.from({ length: classes }, (_, k) => 2 * k - 5), 'pairs', cols, classes, zeros); // prettier-ignore
    const found = theirs(model, rows);
    let alone = 0;
    rows.forEach((row, i) => {
      const votes = votesOf(model, row);
      const most = Math.max(...votes);
      // By most votes, as here; among equal ones LIBSVM takes the first of its order, the largest label.
      expect(found[i]).toBe(model.labels[votes.lastIndexOf(most)]);
      if (votes.indexOf(most) !== votes.lastIndexOf(most)) return;
      expect(found[i]).toBe(labelOf(model, row));
      alone++;
    });
    expect(alone).toBeGreaterThan(150);
  });

  it.each([2, 3, 5])('gives the probabilities of a model of %i classes, to its tolerance', (classes) => {
    const uniform = random(classes);
    const rows = Array.from({ length: 200 }, () => Array.from({ length: 3 }, () => normal(uniform)));
    const sides = sidesOf(classes, 'pairs');
    const calibration = sides.map(() => ({ kind: 'sigmoid' as const, a: -1 - uniform(), b: uniform() - 0.5 }));
    const model = { ...randomModel(Array.from({ length: classes }, (_, k) => k), 'pairs', 3, classes), calibration }; // prettier-ignore
    const [head, ...lines] = output(model, rows, ['-b', '1']);
    const order = head!.split(' ').slice(1).map(Number); // the order of their columns
    const [probabilities, out] = [new Probabilities(sides, calibration, classes), new Float64Array(classes)];
    rows.forEach((row, i) => {
      const [, ...found] = lines[i]!.split(' ').map(Number);
      probabilities.write(valuesOf(model, row), 1, out);
      order.forEach((c, k) => expect(Math.abs(found[k]! - out[c]!)).toBeLessThan(classes === 2 ? 1e-5 : 0.01));
    });
  });

  it('votes for the smaller label where a value is 0, as predict does', () => {
    const model = planesOf([1, 2, 3], 'pairs', [
      { weights: [1], bias: 0 },
      { weights: [1], bias: 0 },
      { weights: [0], bias: 0 },
    ]);
    const rows = [[0], [1], [-1]];
    expect(rows.map((row) => votesOf(model, row))).toEqual([[2, 1, 0], [0, 2, 1], [2, 1, 0]]); // prettier-ignore
    expect(theirs(model, rows)).toEqual([1, 2, 1]);
    expect(rows.map((row) => labelOf(model, row))).toEqual([1, 2, 1]);
    expect([...valuesOf(model, [0])]).toEqual([0, 0, 0]);
  });

  it('reads a model without columns', () => {
    const model = planesOf([5, 8], 'pairs', [{ weights: [], bias: 1 }]);
    expect(theirs(model, [[], [3]])).toEqual([8, 8]);
  });
});
