import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinearSvm, type SparseMatrix, type SvmOptions } from '../../lib/index.js';
import { liblinearLines, readLiblinear } from '../../lib/io/liblinear.js';
import type { Model } from '../../lib/svm/model.js';
import type { Loss } from '../../lib/types.js';
import { normal, random } from '../support/random.js';
import { sparse, wdbc } from '../support/svm-data.js';
import { finite, labelOf, planesOf, randomModel } from './models.js';

const program = (name: string) => [`/usr/bin/${name}`, `/usr/local/bin/${name}`].find(existsSync);
const [train, predict] = [program('liblinear-train'), program('liblinear-predict')];
if (!train || !predict) {
  process.stdout.write('Models are not checked against LIBLINEAR, which is not installed (Debian: liblinear-tools)\n');
}

describe('model.toLiblinear()', () => {
  it('writes the text of a LIBLINEAR model, the positive label first', () => {
    const model = LinearSvm.fromJSON({
      format: 'fista-classify/linear-svm',
      version: 1,
      labels: [3, 7],
      bias: -0.5,
      weights: [1e-20, 0.1],
    });
    expect(model.toLiblinear()).toBe(
      'solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 7 3\nnr_feature 2\nbias 1\nw\n1e-20 \n0.1 \n-0.5 \n',
    );
  });

  it('names the loss that the model was trained with', () => {
    const { points, labels } = randomSparse([1, 2]);
    for (const [loss, type] of [
      ['hinge', 'L2R_L1LOSS_SVC_DUAL'],
      ['squared-hinge', 'L2R_L2LOSS_SVC'],
    ] as const) {
      const text = LinearSvm.fit(points, labels, { loss }).toLiblinear();
      expect(text.split('\n')[0]).toBe(`solver_type ${type}`);
      const read = LinearSvm.fromLiblinear(text);
      expect(read.predict(points)).toEqual(LinearSvm.fit(points, labels, { loss }).predict(points));
      // A file says nothing that `info` could be made of.
      expect(read.toLiblinear().split('\n')[0]).toBe('solver_type L2R_L1LOSS_SVC_DUAL');
    }
  });
});

/** 300 points of 4 to 12 entries in 40 columns. */
function randomSparse(names: readonly [number, number]): { points: SparseMatrix; labels: number[] } {
  const uniform = random(names[0] * 10 + names[1]);
  const rows = Array.from({ length: 300 }, () =>
    Array.from({ length: 40 }, () => (uniform() < 0.2 ? Math.round(2000 * uniform() - 1000) / 500 : 0)),
  );
  const labels = rows.map((row) => names[row[0]! + row[1]! - row[2]! + 0.5 * (uniform() - 0.5) > 0 ? 1 : 0]);
  return { points: sparse(rows), labels };
}

describe('LinearSvm.fromLiblinear(text)', () => {
  const head = 'solver_type L2R_LR\nnr_class 2\nlabel 3 7\nnr_feature 2\n';

  it('takes the first label as the positive one and the second on a tie, as liblinear-predict does', () => {
    const model = LinearSvm.fromLiblinear(`${head}bias -1\nw\n1 \n-2 \n`);
    expect(model.labels).toEqual([7, 3]);
    expect([...model.weights, model.bias]).toEqual([1, -2, 0]);
    expect(model.predict([[1, 0], [0, 1], [2, 1]])).toEqual([3, 7, 7]); // prettier-ignore
    expect(model.info).toBeUndefined();
  });

  it.each([
    ['-1', '', 0],
    ['-0.5', '', 0],
    ['0', '5 \n', 0],
    ['1', '5 \n', 5],
    ['2.5', '-5 \n', -12.5],
  ])('makes bias %s the weight of a last feature of that value', (B, line, bias) => {
    expect(LinearSvm.fromLiblinear(`${head}bias ${B}\nw\n1 \n-2 \n${line}`).bias).toBe(bias);
  });

  it('takes the first of the two weights that Crammer and Singer give a feature', () => {
    const text = `${head.replace('L2R_LR', 'MCSVM_CS')}bias 1\nw\n1 -1 \n-2 2 \n3 -3 \n`;
    const model = LinearSvm.fromLiblinear(text);
    expect([...model.weights, model.bias]).toEqual([1, -2, 3]);
  });

  it('accepts headers in any order, and any white space', () => {
    const text = 'bias -1\r\nnr_feature 0\r\nnr_class 2\tlabel +1 -1\r\nsolver_type L1R_LR\r\nw\r\n';
    expect(LinearSvm.fromLiblinear(text).labels).toEqual([-1, 1]);
  });

  it('reads what toLiblinear wrote, bit for bit', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.array(finite), finite, fc.boolean(), (weights, bias, swap) => {
        const labels = swap ? [4, -4] : [-4, 4];
        const model = LinearSvm.fromJSON({ format: 'fista-classify/linear-svm', version: 1, labels, bias, weights });
        expect(JSON.stringify(LinearSvm.fromLiblinear(model.toLiblinear()))).toBe(JSON.stringify(model));
      }),
    );
  });

  const good = `${head}bias 1\nw\n1 \n-2 \n0.5 \n`;
  it.each([
    ['an empty text', '', 'Expected solver_type at text:1:1 but received the end: the file was cut'],
    ['other text', '<html>\n', 'Expected solver_type, nr_class, label, nr_feature, bias or w at text:1:1 but received "<html>"'],
    ['a long line', 'x'.repeat(1e6), `Expected solver_type, nr_class, label, nr_feature, bias or w at text:1:1 but received "${'x'.repeat(40)}…"`],
    ['a class without a label', good.replace('nr_class 2', 'nr_class 3'), 'Expected an integer, label 3 of 3, at text:4:1 but received "nr_feature"'],
    ['a label too many', good.replace('label 3 7', 'label 3 7 8'), 'Expected solver_type, nr_class, label, nr_feature, bias or w at text:3:11 but received "8"'],
    ['one label of three twice', good.replace('nr_class 2\nlabel 3 7', 'nr_class 3\nlabel 3 7 3'), 'Expected 3 distinct labels at text:3:1 but received 3 twice'],
    ['weights of two classes for three', good.replace('nr_class 2\nlabel 3 7', 'nr_class 3\nlabel 3 7 5'), 'Expected 9 weights at text:10:1 but received the end: the file was cut'],
    ['more classes than text', good.replace('nr_class 2', 'nr_class 65536'), 'Expected an integer, label 3 of 65536, at text:4:1 but received "nr_feature"'],
    ['no header', 'w\n', 'Expected solver_type before w at text:1:1 but received "w"'],
    ['no bias', good.replace('bias 1\n', ''), 'Expected bias before w at text:5:1 but received "w"'],
    ['a field twice', `${head}nr_class 2\n`, 'Expected one nr_class at text:5:1 but received a second'],
    ['labels before their number', 'label 1 2\n', 'Expected nr_class before label at text:1:1 but received "label"'],
    ['one class', good.replace('nr_class 2', 'nr_class 1'), 'Expected 2 to 65536 classes at text:2:10 but received 1'],
    ['too many classes', good.replace('nr_class 2', 'nr_class 65537'), 'Expected 2 to 65536 classes at text:2:10 but received 65537'],
    ['no number of classes', good.replace('nr_class 2', 'nr_class two'), 'Expected the number of classes at text:2:10 but received "two"'],
    ['a one-class model', 'rho 0.5\n', 'Expected a classifier of two classes or more at text:1:1 but received rho, which only one-class models have'],
    ['labels that are not integers', good.replace('label 3 7', 'label 3 7.5'), 'Expected an integer, label 2 of 2, at text:3:9 but received "7.5"'],
    ['one label', good.replace('label 3 7', 'label 3'), 'Expected an integer, label 2 of 2, at text:4:1 but received "nr_feature"'],
    ['labels beyond 32 bits', good.replace('label 3 7', 'label 3 2147483648'), 'Expected an integer, label 2 of 2, at text:3:9 but received "2147483648"'],
    ['one label twice', good.replace('label 3 7', 'label 3 3'), 'Expected 2 distinct labels at text:3:1 but received 3 twice'],
    ['a negative number of features', good.replace('feature 2', 'feature -2'), 'Expected an integer from 0 to 268435456 at text:4:12 but received "-2"'],
    ['too many features', good.replace('feature 2', 'feature 268435457'), 'Expected an integer from 0 to 268435456 at text:4:12 but received "268435457"'],
    ['more features than text', good.replace('feature 2', 'feature 268435456'), 'Expected 268435457 weights at text:10:1 but received the end: the file was cut'],
    ['a bias that is not finite', good.replace('bias 1', 'bias 1e999'), 'Expected a finite number at text:5:6 but received "1e999"'],
    ['a weight that is not a number', good.replace('-2 ', 'nan '), 'Expected a finite number, weight 2 of 3, at text:8:1 but received "nan"'],
    ['a weight that overflows', good.replace('-2 ', '1e999 '), 'Expected a finite number, weight 2 of 3, at text:8:1 but received "1e999"'],
    ['a hexadecimal weight', good.replace('-2 ', '0x10 '), 'Expected a finite number, weight 2 of 3, at text:8:1 but received "0x10"'],
    ['a bias that overflows', good.replace('bias 1', 'bias 1e300').replace('0.5', '1e300'), 'Expected a finite product of bias and its weight at text:9:1 but received Infinity'],
    ['a weight too few', good.replace('-2 \n', '    \n'), 'Expected weight 3 of 3 at text:10:1 but received the end: the file was cut'],
    ['a weight too many', `${good}4 \n`, 'Expected the end at text:10:1 but received "4"'],
    ['an end inside a weight', good.slice(0, -2), 'Expected a line end at text:9:4 but received the end: the file was cut'],
  ])('refuses %s', (_what, text, message) => {
    expect(() => LinearSvm.fromLiblinear(text)).toThrow(expect.objectContaining({ code: 'ERR_MODEL', message }) as Error);
  }); // prettier-ignore

  it.each(['L2R_L2LOSS_SVR', 'L2R_L2LOSS_SVR_DUAL', 'L2R_L1LOSS_SVR_DUAL', 'ONECLASS_SVM', 'SVM'])(
    'refuses solver_type %s',
    (type) => {
      const reason =
        type === 'ONECLASS_SVM'
          ? `${type}, which knows one class only`
          : type === 'SVM'
            ? '"SVM"'
            : `${type}, which is for regression`;
      expect(() => LinearSvm.fromLiblinear(`solver_type ${type}\n`)).toThrow(
        `Expected a classifier (L2R_LR, L2R_L2LOSS_SVC_DUAL, L2R_L2LOSS_SVC, L2R_L1LOSS_SVC_DUAL, MCSVM_CS, L1R_L2LOSS_SVC, L1R_LR, L2R_LR_DUAL) at text:1:13 but received ${reason}`,
      );
    },
  );

  it('refuses a text cut at any position', () => {
    for (let end = 0; end < good.length - 1; end++) {
      expect(() => LinearSvm.fromLiblinear(good.slice(0, end)), good.slice(0, end)).toThrow(
        expect.objectContaining({ code: 'ERR_MODEL' }) as Error,
      );
    }
  });

  it('refuses an argument that is not a string', () => {
    expect(() => LinearSvm.fromLiblinear(Buffer.from(good) as unknown as string)).toThrow(
      expect.objectContaining({ name: 'TypeError', code: 'ERR_MODEL' }) as Error,
    );
  });

  it('reads arbitrary changes of a text, or refuses them with a code', () => {
    const chunk = fc.oneof(fc.constantFrom(...good.split(/(\s+)/)), fc.string(), fc.double().map(String));
    fc.assert(
      fc.property(fc.array(chunk), fc.nat(good.length), (chunks, at) => {
        try {
          LinearSvm.fromLiblinear(good.slice(0, at) + chunks.join(' ') + good.slice(at));
        } catch (error) {
          expect((error as { code: string }).code).toBe('ERR_MODEL');
        }
      }),
    );
  });
});

/** LIBSVM text, with columns counted from 1. */
function libsvm({ indptr, indices, values, rows }: SparseMatrix, labels: ArrayLike<number>): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const entries = Array.from({ length: indptr[i + 1]! - indptr[i]! }, (_, k) => indptr[i]! + k);
    return [labels[i]!, ...entries.map((k) => `${indices[k]! + 1}:${values![k]!}`)].join(' ');
  });
  return lines.join('\n') + '\n';
}

describe.skipIf(!train || !predict)('liblinear-predict with model.toLiblinear()', () => {
  let folder = '';
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'liblinear-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function theirs(model: LinearSvm<number>, points: SparseMatrix): number[] {
    const [data, file, out] = ['data', 'model', 'out'].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(data, libsvm(points, new Float64Array(points.rows)));
    writeFileSync(file, model.toLiblinear());
    execFileSync(predict!, [data, file, out], { stdio: 'pipe' });
    return readFileSync(out, 'utf8').trim().split('\n').map(Number);
  }

  const cases: [string, () => { points: SparseMatrix; labels: number[] }, SvmOptions<number>][] = [
    ['wdbc', () => ({ points: sparse(wdbc().rows), labels: wdbc().labels }), {}],
    [
      'wdbc, standardised, positive: -1',
      () => ({ points: sparse(wdbc().rows), labels: wdbc().labels }),
      { scale: 'standard', positive: -1 },
    ],
  ];
  for (const names of [
    [-1, 1],
    [0, 1],
    [1, 2],
    [-5, -2],
  ] as const) {
    cases.push([`random points, labels ${names.join(', ')}`, () => randomSparse(names), {}]);
    cases.push([
      `random points, labels ${names.join(', ')}, positive: ${names[0]}`,
      () => randomSparse(names),
      { positive: names[0] },
    ]);
  }

  it.each(cases)('predicts as model.predict does: %s', (_name, make, options) => {
    const { points, labels } = make();
    const model = LinearSvm.fit(points, labels, options);
    const ours = model.predict(points);
    expect(theirs(model, points)).toEqual(ours);
    expect(new Set(ours).size).toBe(2);
    expect(model.score(points, labels).accuracy).toBeGreaterThan(0.75);
  });
});

describe.skipIf(!train || !predict)('LinearSvm.fromLiblinear(text) of a model of liblinear-train', () => {
  let folder = '';
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'liblinear-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const types = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((s) =>
    [[], ['-B', '1'], ['-B', '0'], ['-B', '2.5']].map((B) => ['-s', `${s}`, ...B]),
  );
  it.each(types.map((options) => [options.join(' '), options] as const))(
    'predicts as liblinear-predict does: %s',
    (_name, options) => {
      const { points, labels } = randomSparse([1, 2]);
      const [data, file, out] = ['data', 'model', 'out'].map((name) => join(folder, name)) as [string, string, string];
      writeFileSync(data, libsvm(points, labels));
      execFileSync(train!, ['-q', ...options, data, file], { stdio: 'pipe' });
      execFileSync(predict!, [data, file, out], { stdio: 'pipe' });
      const theirs = readFileSync(out, 'utf8').trim().split('\n').map(Number);
      const model = LinearSvm.fromLiblinear(readFileSync(file, 'utf8'));
      expect(model.predict(points)).toEqual(theirs);
      expect(model.score(points, labels).accuracy).toBeGreaterThan(0.75);
      // toLiblinear of the model gives the same predictions again.
      writeFileSync(file, model.toLiblinear());
      execFileSync(predict!, [data, file, out], { stdio: 'pipe' });
      expect(readFileSync(out, 'utf8').trim().split('\n').map(Number)).toEqual(theirs);
    },
  );

  it('refuses a regression', () => {
    const { points, labels } = randomSparse([1, 2]);
    const [data, file] = [join(folder, 'data'), join(folder, 'model')];
    writeFileSync(data, libsvm(points, labels));
    execFileSync(train!, ['-q', '-s', '11', data, file], { stdio: 'pipe' });
    expect(() => LinearSvm.fromLiblinear(readFileSync(file, 'utf8'))).toThrow('which is for regression');
  });
});

const read = (text: string) => readLiblinear(text);
const textOf = (model: Model, loss?: Loss) => [...liblinearLines({ ...model, info: loss && { loss } })].join('');

describe('liblinearLines(model) of several classes', () => {
  const model = planesOf([-1, 4, 9], 'rest', [
    { weights: [1, -2], bias: 0.5 },
    { weights: [0, 1e-20], bias: 0 },
    { weights: [3, 4], bias: -1 },
  ]);

  it('writes a line a feature, with a weight for each class', () => {
    expect(textOf(model)).toBe(
      'solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 3\nlabel -1 4 9\nnr_feature 2\nbias 1\nw\n1 0 3 \n-2 1e-20 4 \n0.5 0 -1 \n',
    );
    expect(textOf(model, 'squared-hinge').split('\n')[0]).toBe('solver_type L2R_L2LOSS_SVC');
  });

  it('refuses planes between pairs and labels that are not integers', () => {
    expect(() => liblinearLines(randomModel([1, 2, 3, 4], 'pairs', 2))).toThrow(
      expect.objectContaining({
        code: 'ERR_MODEL',
        message:
          "Expected planes against the rest, as a fit with multiclass: 'rest' makes them, for LIBLINEAR's text but received 6 planes between pairs of classes",
      }) as Error,
    );
    for (const [label, shown] of [
      ['c', '"c"'],
      [9.5, '9.5'],
      [2 ** 31, '2147483648'],
    ] as const) {
      expect(() => liblinearLines({ ...model, labels: [-1, 4, label] })).toThrow(
        expect.objectContaining({
          code: 'ERR_LABELS',
          message: `Expected an integer for every label, as LIBLINEAR has no others, but received ${shown}`,
        }) as Error,
      );
    }
  });
});

describe('readLiblinear(text) of several classes', () => {
  it('sorts the labels, and the planes with them', () => {
    const model = read('solver_type MCSVM_CS\nnr_class 3\nlabel 5 -2 3\nnr_feature 2\nbias 2\nw\n1 2 3 \n4 5 6 \n7 8 9 \n');
    expect(model.labels).toEqual([-2, 3, 5]);
    expect(model.planes.map(({ positive, negative, weights, bias }) => [positive, negative, ...weights, bias])).toEqual([
      [-2, undefined, 2, 5, 16],
      [3, undefined, 3, 6, 18],
      [5, undefined, 1, 4, 14],
    ]);
    expect(model.proofs).toBeUndefined();
  });

  it('reads what liblinearLines wrote, bit for bit', () => {
    const labels = fc.uniqueArray(fc.integer({ min: -0x7fffffff, max: 0x7fffffff }), { minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(labels, fc.nat(9), fc.array(finite, { minLength: 1 }), (names, cols, numbers) => {
        const planes = names.map((_, p) => ({
          weights: Array.from({ length: cols }, (_, j) => numbers[(7 * p + j) % numbers.length]!),
          bias: numbers[p % numbers.length]!,
        }));
        const model = planesOf(names.toSorted((a, b) => a - b), 'rest', planes); // prettier-ignore
        const { table, labels } = read(textOf(model));
        expect(labels).toEqual(model.labels);
        expect(table.weights).toEqual(model.table.weights.map((w) => w + 0));
        expect(table.biases).toEqual(model.table.biases.map((bias) => bias + 0));
      }),
    );
  });

  it('refuses a text cut at any position', () => {
    const text = textOf(randomModel([1, 2, 3], 'rest', 2));
    for (let end = 0; end < text.length - 1; end++) {
      expect(() => read(text.slice(0, end)), text.slice(0, end)).toThrow(expect.objectContaining({ code: 'ERR_MODEL' }) as Error);
    }
    expect(() => read(text.replace(/ \n$/, ' 7 \n'))).toThrow('Expected the end at text:9:');
  });

  it('reads a model of 65536 classes', () => {
    const labels = Array.from({ length: 65536 }, (_, k) => 65536 - k);
    const line = `${labels.map((label) => label % 7).join(' ')} \n`;
    const model = read(`solver_type L2R_LR\nnr_class 65536\nlabel ${labels.join(' ')}\nnr_feature 1\nbias -1\nw\n${line}`);
    expect([model.labels[0], model.planes[4]!.positive, model.planes[4]!.weights[0]]).toEqual([1, 5, 5]);
  });
});

/** Rows of numbers as LIBSVM text. */
function rowsText(rows: readonly (readonly number[])[], labels: readonly number[]): string {
  return rows.map((row, i) => `${labels[i]!}${row.map((x, j) => ` ${j + 1}:${x}`).join('')}\n`).join('');
}

/** Points whose label is the direction that they are in, roughly. */
function fans(names: readonly number[], count: number, seed: number): { rows: number[][]; labels: number[] } {
  const uniform = random(seed);
  const rows = Array.from({ length: count }, () => Array.from({ length: 5 }, () => normal(uniform)));
  const labels = rows.map(([x, y]) => {
    const turn = Math.atan2(y! + 0.2 * normal(uniform), x!) / (2 * Math.PI) + 0.5;
    return names[Math.floor(turn * names.length) % names.length]!;
  });
  return { rows, labels };
}

describe.skipIf(!train || !predict)('models of several classes, liblinear-train and liblinear-predict', () => {
  let folder = '';
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'liblinear-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What liblinear-predict makes of a model's text. */
  function theirs(text: string, rows: readonly number[][]): number[] {
    const [data, file, out] = ['data', 'model', 'out'].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(data, rowsText(rows, rows.map(() => 0))); // prettier-ignore
    writeFileSync(file, text);
    execFileSync(predict!, [data, file, out], { stdio: 'pipe' });
    return readFileSync(out, 'utf8').trim().split('\n').map(Number);
  }

  it.each([3, 5, 17])('liblinear-predict gives the labels of a model of %i classes', (count) => {
    const names = Array.from({ length: count }, (_, k) => 3 * k - 7);
    const { rows } = fans(names, 300, count);
    const model = randomModel(names, 'rest', 5, count, 0.2);
    const ours = rows.map((row) => labelOf(model, row));
    expect(theirs(textOf(model), rows)).toEqual(ours);
    expect(new Set(ours).size).toBeGreaterThan(2);
  });

  it('liblinear-predict gives ties to the smallest label, as predict does', () => {
    const plane = { weights: [1, 1, 1, 1, 1], bias: 0 };
    const model = planesOf([2, 5, 7, 9], 'rest', [{ weights: [0, 0, 0, 0, 0], bias: -1 }, plane, plane, plane]);
    const rows = [
      [1, 0, 0, 0, 0],
      [-1, 0, 0, 0, 0],
      [-2, 0, 0, 0, 0],
    ];
    expect(theirs(textOf(model), rows)).toEqual([5, 2, 2]);
    expect(rows.map((row) => labelOf(model, row))).toEqual([5, 2, 2]);
  });

  const types = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((s) => [[], ['-B', '1'], ['-B', '2.5']].map((B) => ['-s', `${s}`, ...B]));
  it.each(types.map((options) => [options.join(' '), options] as const))(
    'readLiblinear(text) of liblinear-train %s gives the labels of liblinear-predict',
    (_name, options) => {
      const names = [4, -1, 30, 7]; // the order in which labels appear is not theirs
      const { rows, labels } = fans(names, 400, 9);
      const [data, file] = [join(folder, 'data'), join(folder, 'model')];
      writeFileSync(data, rowsText(rows, labels));
      execFileSync(train!, ['-q', ...options, data, file], { stdio: 'pipe' });
      const text = readFileSync(file, 'utf8');
      const expected = theirs(text, rows);
      const model = read(text);
      expect(model.labels).toEqual([-1, 4, 7, 30]);
      expect(rows.map((row) => labelOf(model, row))).toEqual(expected);
      expect(theirs(textOf(model), rows)).toEqual(expected);
      expect(rows.filter((_, i) => expected[i] === labels[i]).length).toBeGreaterThan(250);
    },
  );
});
