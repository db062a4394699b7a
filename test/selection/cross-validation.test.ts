import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { crossValidate, Dataset, LinearSvm, stop, trainTestSplit } from '../../lib/index.js';
import { Random } from '../../lib/selection/random.js';
import type {
  CrossValidation,
  CrossValidationOptions,
  CrossValidationProgress,
  GammaScore,
  Label,
  Points,
  SvmOptions,
} from '../../lib/types.js';
import { names } from '../support/backends.js';
import { normal, random } from '../support/random.js';
import { binary, clouds, dense, sparse, wdbc } from '../support/svm-data.js';

const cancer = wdbc();
const small = clouds(3, 90, 4);

/** The result without what differs from run to run. */
const lasting = (result: CrossValidation) => ({ ...result, elapsed: 0, threads: 0, backend: '' });

const rowsIn = (fold: Int32Array, k: number) => [...fold.keys()].filter((i) => fold[i] === k);
const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);

/** The highest mean; among equal ones, the least loss. */
const bestOf = (table: readonly GammaScore[]) =>
  table.reduce((a, b) => (b.mean > a.mean || (b.mean === a.mean && b.loss < a.loss) ? b : a));

describe('crossValidate(points, labels)', () => {
  it('holds out every row once, and deals each class evenly to the folds', async () => {
    const { fold, folds } = await crossValidate(dense(cancer.rows), cancer.labels, { folds: 7, gammas: [0.1] });
    expect(folds).toBe(7);
    expect(fold).toHaveLength(569);
    for (const label of [-1, 1]) {
      const sizes = Array.from({ length: 7 }, (_, k) => rowsIn(fold, k).filter((i) => cancer.labels[i] === label).length);
      expect(sum(sizes)).toBe(cancer.labels.filter((l) => l === label).length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }
    const sizes = Array.from({ length: 7 }, (_, k) => rowsIn(fold, k).length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  });

  it.each([
    ['dense', dense(small.rows), small, {}],
    ['dense f32', dense(small.rows, Float32Array), small, { scale: 'maxabs' }],
    ['sparse', sparse(small.rows), small, { classWeight: 'balanced' }],
    ['ones', sparse(binary(5, 80, 12).rows), binary(5, 80, 12), { classWeight: { 1: 3 }, scale: 'standard' }],
  ] as [string, Points, typeof small, CrossValidationOptions<number>][])(
    'scores each fold with the model that LinearSvm.fit gives on the other rows: %s',
    async (_, points, { rows, labels }, options) => {
      const exact = stop.gap(1e-9);
      for (const backend of names) {
        const { fold, table } = await crossValidate(points, labels, {
          folds: 3,
          gammas: [2, 0.05],
          stop: exact,
          backend,
          ...options,
        });
        expect(table.map(({ gamma }) => gamma)).toEqual([0.05, 2]);
        for (const { gamma, accuracy, loss } of table) {
          const hinges: number[] = [];
          const byHand = [0, 1, 2].map((k) => {
            const [train, test] = [(i: number) => fold[i] !== k, (i: number) => fold[i] === k].map((of) => ({
              rows: rows.filter((_row, i) => of(i)),
              labels: labels.filter((_label, i) => of(i)),
            })) as [typeof small, typeof small];
            const form = Array.isArray(points) || 'data' in points ? dense : sparse;
            const model = LinearSvm.fit(form(train.rows), train.labels, {
              gamma,
              stop: exact,
              backend,
              ...(options as Pick<SvmOptions<number>, 'scale' | 'classWeight'>),
            });
            const margins = [...model.decision(test.rows)].map((value, i) => value * test.labels[i]!);
            hinges.push(sum(margins.map((theta) => Math.max(0, 1 - theta))) / margins.length);
            return model.score(test.rows, test.labels).accuracy;
          });
          expect(accuracy).toEqual(byHand);
          expect(Math.abs(loss - sum(hinges) / 3)).toBeLessThan(1e-5); // as near as two fits to this gap are
        }
      }
    },
  );

  it('returns means, standard errors, the best gamma, and the smallest one within a standard error of it', async () => {
    const { table, best, oneStandardError, gamma, atEdge } = await crossValidate(cancer.rows, cancer.labels, { folds: 4 });
    // Around the default gamma: of 30 standardised columns 1/30, in single precision.
    const middle = Math.fround(1 / 30);
    expect(table.map((score) => score.gamma)).toEqual([-3, -2, -1, 0, 1, 2, 3].map((k) => middle * 4 ** k));
    expect(atEdge).toBe(false);
    for (const { accuracy, mean, standardError, status, unfinished } of table) {
      expect(unfinished).toBe(0);
      expect(accuracy).toHaveLength(4);
      expect(mean).toBeCloseTo(sum([...accuracy]) / 4, 14);
      const variance = sum(accuracy.map((a) => (a - mean) ** 2)) / 3;
      expect(standardError).toBeCloseTo(Math.sqrt(variance / 4), 14);
      for (const one of status) expect(['gap', 'agreement']).toContain(one);
    }
    expect(best.mean).toBe(Math.max(...table.map(({ mean }) => mean)));
    expect(oneStandardError).toBe(table.filter(({ mean }) => mean >= best.mean - best.standardError)[0]);
    expect(gamma).toBe(best.gamma);
    expect(best.mean).toBeGreaterThan(0.96);
  });

  it.each(names)('counts unfinished fits, and prefers gammas without any: %s', async (backend) => {
    const options = { folds: 4, stop: stop.gap(1e-3), backend };
    const limited = await crossValidate(cancer.rows, cancer.labels, { ...options, maxIterations: 5 });
    const counts = limited.table.map(({ unfinished }) => unfinished);
    expect(counts).toEqual(limited.table.map(({ status }) => status.filter((one) => one === 'max-iterations').length));
    expect(counts).toContain(0);
    // By the mean alone, a gamma with unfinished fits would be the best.
    const highest = limited.table.reduce((a, b) => (b.mean > a.mean ? b : a));
    expect(highest.unfinished).toBeGreaterThan(0);
    const finished = limited.table.filter(({ unfinished }) => unfinished === 0);
    expect(limited.best).toBe(finished.reduce((a, b) => (b.mean > a.mean ? b : a)));
    expect(finished).toContain(limited.oneStandardError);
    // If every gamma has unfinished fits, the best of all is chosen.
    const none = await crossValidate(cancer.rows, cancer.labels, { ...options, stop: stop.gap(0), maxIterations: 1 });
    expect(none.table.map(({ unfinished }) => unfinished)).toEqual(none.table.map(() => 4));
    expect(none.best).toBe(none.table.reduce((a, b) => (b.mean > a.mean ? b : a)));
  });

  it.each([
    ['dense', dense],
    ['sparse', sparse],
  ])('trains without the held-out rows, neither their labels nor their scale: %s', async (_, form) => {
    const { rows, labels } = clouds(8, 60, 3, 2);
    const folds = rows.map((_row, i) => i % 4);
    for (const backend of names) {
      const options = { backend, folds, gammas: [0.01, 0.1, 1], stop: stop.gap(1e-9), scale: 'standard' } as const;
      const before = await crossValidate(form(rows), labels, options);
      // Row 4 is held out in fold 0, of 15 rows.
      const relabelled = await crossValidate(form(rows), labels.with(4, -labels[4]!), options);
      const moved = await crossValidate(form(rows.with(4, [1e5, -1e5, 1e5])), labels, options);
      before.table.forEach(({ accuracy }, g) => {
        expect(Math.abs(relabelled.table[g]!.accuracy[0]! - accuracy[0]!)).toBeCloseTo(1 / 15, 12);
        const shift = Math.abs(moved.table[g]!.accuracy[0]! - accuracy[0]!);
        expect(Math.min(shift, Math.abs(shift - 1 / 15))).toBeCloseTo(0, 12);
      });
      expect(moved.table).not.toEqual(before.table); // the other folds train on that row
    }
  });

  it('gives the same table for one seed and any number of threads, and another for another seed', { tags: ['slow'] }, async () => {
    for (const backend of names) {
      const points = Dataset.from(sparse(binary(2, 400, 30).rows), { backend });
      const { labels } = binary(2, 400, 30);
      const [one, two, four, other] = await Promise.all([
        crossValidate(points, labels, { seed: 7, threads: 1 }),
        crossValidate(points, labels, { seed: 7, threads: 2 }),
        crossValidate(points, labels, { seed: 7, threads: 4 }),
        crossValidate(points, labels, { seed: 8, threads: 9 }),
      ]);
      expect(lasting(two)).toEqual(lasting(one));
      expect(lasting(four)).toEqual(lasting(one));
      expect(other.fold).not.toEqual(one.fold);
      expect([one, two, four, other].map(({ threads }) => threads)).toEqual([1, 2, 4, 9]);
      expect(one.backend).toBe(backend);
    }
  });

  it('gives the same table on both backends', async () => {
    const [one, other] = await Promise.all(
      (['js', names[0]!] as const).map((backend) =>
        crossValidate(small.rows, small.labels, { backend, stop: stop.gap(1e-8), gammas: [0.05, 0.5] }),
      ),
    );
    expect(other!.table.map(({ accuracy }) => accuracy)).toEqual(one!.table.map(({ accuracy }) => accuracy));
    expect(other!.fold).toEqual(one!.fold);
  });

  it('leaves out rows of weight 0', async () => {
    const sampleWeight = small.rows.map((_, i) => (i % 5 === 2 ? 0 : 1 + (i % 3)));
    const kept = <T>(list: readonly T[]) => list.filter((_, i) => sampleWeight[i]! > 0);
    const options = { gammas: [0.1, 1], folds: 3, stop: stop.gap(1e-9) };
    const whole = await crossValidate(small.rows, small.labels, { ...options, sampleWeight });
    const part = await crossValidate(kept(small.rows), kept(small.labels), { ...options, sampleWeight: kept(sampleWeight) });
    expect(whole.table.map(({ accuracy }) => accuracy)).toEqual(part.table.map(({ accuracy }) => accuracy));
    expect([...whole.fold].filter((k) => k >= 0)).toEqual([...part.fold]);
    sampleWeight.forEach((weight, i) => expect(whole.fold[i]! >= 0).toBe(weight > 0));
    const around = await Promise.all([
      crossValidate(small.rows, small.labels, { sampleWeight, gammas: 'default' }),
      crossValidate(kept(small.rows), kept(small.labels), { sampleWeight: kept(sampleWeight), gammas: 'default' }),
    ]);
    expect(around[0].table.map(({ gamma }) => gamma)).toEqual(around[1].table.map(({ gamma }) => gamma));
  });

  it.each(names)('goes on beyond the end of the grid where the best gamma is, %s', async (backend) => {
    // What tells the classes is a hundred times smaller than what does not, so weights must be large.
    const next = random(3);
    const labels = Array.from({ length: 90 }, (_, i) => (i % 3 ? 1 : -1));
    const rows = labels.map((y) => [0.01 * (y + 0.1 * normal(next)), normal(next)]);
    const large = await crossValidate(rows, labels, { scale: 'none', backend });
    const [middle] = (await crossValidate(rows, labels, { scale: 'none', backend, gammas: 'default' })).table;
    const exponents = ({ table }: typeof large) =>
      table.map(({ gamma }) => Math.round(Math.log(gamma / middle!.gamma) / Math.log(4)));
    expect(exponents(large)).toEqual([-3, -2, -1, 0, 1, 2, 3, 4, 5, 6]);
    expect(large.best).toBe(bestOf(large.table));
    expect(large.gamma).toBeGreaterThan(middle!.gamma * 4 ** 2.5);
    // The last one is still the best if it separates the classes best, and that is told.
    expect(large.atEdge).toBe(large.best === large.table.at(-1));

    // Noise in many columns: the best is to learn nothing, and to say the larger class.
    const noise = labels.map(() => Array.from({ length: 60 }, () => normal(next)));
    const small = await crossValidate(noise, labels, { scale: 'none', backend });
    const [own] = (await crossValidate(noise, labels, { scale: 'none', backend, gammas: 'default' })).table;
    const tried = small.table.map(({ gamma }) => Math.round(Math.log(gamma / own!.gamma) / Math.log(4)));
    expect(tried[0]).toBeLessThan(-3); // one more at a time, until the best is no longer the first
    expect(tried).toEqual(Array.from({ length: 4 - tried[0]! }, (_, k) => k + tried[0]!));
    expect(small.atEdge).toBe(tried[0] === -6 && small.best === small.table[0]);
    expect(small.best).toBe(bestOf(small.table));
    expect(small.gamma).toBeLessThan(own!.gamma / 4 ** 2.5);
    for (const { accuracy, status } of [...large.table, ...small.table]) expect([accuracy.length, status.length]).toEqual([5, 5]);
  });

  it.each(names)('decides by the loss where accuracies are the same, and says where the best is at an end: %s', async (backend) => {
    // Classes far apart: every gamma is right, and the larger ones are sure of it.
    const labels = Array.from({ length: 40 }, (_, i) => (i % 2 ? 1 : -1));
    const rows = labels.map((y, i) => [y * (5 + (i % 7)), i % 3]);
    const options = { gammas: [1e-4, 1e-3, 1e-2], backend };
    const { table, best, atEdge, oneStandardError } = await crossValidate(rows, labels, options);
    expect(table.map(({ mean }) => mean)).toEqual([1, 1, 1]);
    expect(table[0]!.loss).toBeGreaterThan(table[1]!.loss);
    expect(table[1]!.loss).toBeGreaterThan(table[2]!.loss);
    expect([best, atEdge, oneStandardError]).toEqual([table[2], true, table[0]]);
    const one = await crossValidate(rows, labels, { gammas: [0.1], backend });
    expect([one.atEdge, one.best]).toEqual([false, one.table[0]]); // of one there are no ends
  });

  it.each(names)("gammas: 'default' is the gamma of a fit, of either loss: %s", async (backend) => {
    for (const loss of ['hinge', 'squared-hinge'] as const) {
      for (const points of [dense(small.rows), sparse(small.rows)]) {
        const options = { loss, backend, sampleWeight: small.labels.map((_, i) => 1 + (i % 3)) };
        const { table, gamma } = await crossValidate(points, small.labels, { ...options, gammas: 'default' });
        expect(table.map((score) => score.gamma)).toEqual([LinearSvm.fit(points, small.labels, options).info.gamma]);
        expect(gamma).toBe(table[0]!.gamma);
        expect(table[0]!.mean).toBeGreaterThan(0.5);
      }
    }
  });

  it.each(names)('takes rows that are all the same: gamma is about 1 then, %s', async (backend) => {
    const labels = [1, 1, -1, 1, -1, 1, 1, -1, 1, -1];
    const same = [
      [3, -1],
      [0.1, -1e8 / 3],
    ]; // whose means are numbers, or are not
    for (const points of same.flatMap((row) => [labels.map(() => row), sparse(labels.map(() => row))])) {
      for (const loss of ['hinge', 'squared-hinge'] as const) {
        const { table, best } = await crossValidate(points, labels, { backend, folds: 2, loss });
        for (let k = -3; k <= 3; k++) expect(table.map(({ gamma }) => gamma)).toContain(4 ** k);
        expect(best.mean).toBe(0.6); // the larger class
        const auto = LinearSvm.fit(points, labels, { backend, gamma: 'auto', loss });
        expect(table.map(({ gamma }) => gamma)).toContain(auto.info.gamma);
        expect(auto.predict(points)).toEqual(labels.map(() => 1));
        expect(LinearSvm.fit(points, labels, { backend, loss }).info).toMatchObject({ gamma: 1, mu: 0.5 });
      }
    }
  });

  it("with accuracy: 'balanced' averages over the classes", async () => {
    const rows = Array.from({ length: 40 }, (_, i) => [i < 32 ? 0 : i % 2]);
    const labels = rows.map((_, i) => (i < 32 ? 'no' : 'yes'));
    const folds = rows.map((_, i) => i % 2);
    const options = { folds, gammas: [1e-6], positive: 'yes' };
    // With so small a gamma the model predicts the larger class for every row.
    expect((await crossValidate(rows, labels, options)).best.accuracy).toEqual([0.8, 0.8]);
    expect((await crossValidate(rows, labels, { ...options, accuracy: 'balanced' })).best.accuracy).toEqual([0.5, 0.5]);
  });

  it('calls onProgress after every fit, with the scores so far', async () => {
    for (const backend of names) {
      const seen: CrossValidationProgress[] = [];
      const { table } = await crossValidate(small.rows, small.labels, {
        folds: 3,
        gammas: [0.1, 1],
        threads: 2,
        backend,
        onProgress: (progress) => seen.push(progress),
      });
      expect(seen.map(({ done, total }) => [done, total])).toEqual([1, 2, 3, 4, 5, 6].map((done) => [done, 6]));
      for (const { gamma, accuracy } of table) {
        const about = seen.filter((one) => one.gamma === gamma);
        expect(about.map(({ fold }) => fold).sort()).toEqual([0, 1, 2]);
        for (const { fold, accuracy: found } of about) expect(found).toBe(accuracy[fold]);
        about.forEach(({ mean }, k) => {
          const known = about.slice(0, k + 1).map((one) => one.accuracy);
          expect(mean).toBeCloseTo(sum(known) / known.length, 14);
        });
      }
      for (const { iterations, elapsed } of seen) expect(iterations > 0 && elapsed > 0).toBe(true);
    }
  });

  it('rejects with the reason of an aborted signal, and with what onProgress throws', async () => {
    for (const backend of names) {
      for (const threads of [1, 2, 4]) {
        const reason = { why: 'enough' };
        const abort = new AbortController();
        let calls = 0;
        const given = { backend, threads, signal: abort.signal, onProgress: () => ++calls === 3 && abort.abort(reason) };
        await expect(crossValidate(cancer.rows, cancer.labels, given)).rejects.toBe(reason);
        expect(calls).toBeLessThan(3 + threads); // the fits of the other folds end too
        await expect(crossValidate(cancer.rows, cancer.labels, given)).rejects.toBe(reason);
        const thrown = new Error('no more');
        const onProgress = () => {
          throw thrown;
        };
        await expect(crossValidate(small.rows, small.labels, { backend, threads, onProgress })).rejects.toBe(thrown);
      }
      await expect(crossValidate(small.rows, small.labels, { backend, gammas: [1] })).resolves.toBeDefined();
    }
  });

  it('ignores changes made to its arguments after the call, and changes none of them', async () => {
    const points = dense(small.rows);
    const labels = small.labels.slice();
    const sampleWeight = labels.map(() => 2);
    const gammas = [0.1, 1];
    const expected = lasting(await crossValidate(points, labels, { sampleWeight, gammas }));
    expect([points, labels, gammas]).toEqual([dense(small.rows), small.labels, [0.1, 1]]);
    const running = crossValidate(points, labels, { sampleWeight, gammas });
    points.data.fill(NaN);
    labels.fill(0);
    sampleWeight.fill(-1);
    gammas.fill(0);
    expect(lasting(await running)).toEqual(expected);
  });

  it.each(names)('survives terminate() of its worker thread, %s', { tags: ['slow'] }, async (backend) => {
    const code = `
      const { parentPort } = require('node:worker_threads');
      const { crossValidate } = require(${JSON.stringify(join(__dirname, '../..'))});
      const rows = Array.from({ length: 2000 }, (_, i) => Array.from({ length: 30 }, (_, j) => Math.sin(i * 31 + j * j)));
      const labels = rows.map((row, i) => (row[0] + Math.sin(i) > 0 ? 1 : -1));
      const never = { name: 'never', everyIteration: false, start: () => (check) => void parentPort.postMessage('check') };
      const validate = () => crossValidate(rows, labels, { backend: '${backend}', threads: 4, stop: never, maxIterations: 1e9 }).then(validate);
      validate();`;
    for (let k = 0; k < 3; k++) {
      const worker = new Worker(code, { eval: true });
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      expect(await worker.terminate()).toBe(1);
    }
    await expect(crossValidate(small.rows, small.labels, { backend, gammas: [1], threads: 4 })).resolves.toBeDefined();
  });

  it('applies maxIterations and timeLimit to each fit', async () => {
    const { table } = await crossValidate(small.rows, small.labels, { maxIterations: 1, gammas: [0.1] });
    expect(table[0]!.status).toEqual(Array(5).fill('max-iterations'));
    const late = await crossValidate(small.rows, small.labels, { timeLimit: 1e-9, gammas: [0.1] });
    expect(late.table[0]!.status).toEqual(Array(5).fill('time-limit'));
  });
});

type Run = () => unknown;
const validate = (options: object, labels: ArrayLike<Label> = small.labels) => crossValidate(small.rows, labels, options);
const few: number[] = small.labels.map((_, i) => (i < 3 ? 1 : 0));
const inOne = small.labels.map((label) => (label > 0 ? 0 : 1));

/* prettier-ignore */
const BAD: [string, Run, typeof TypeError | typeof RangeError, string, string][] = [
  ['an unknown option', () => validate({ fold: 3 }), TypeError, 'ERR_OPTION', 'Unknown option "fold"; did you mean "folds"?'],
  ['an option of fit', () => validate({ keepSets: true }), TypeError, 'ERR_OPTION', 'Unknown option "keepSets"; expected one of folds, gammas, seed, accuracy, probability, scoring, positive, multiclass, classWeight, sampleWeight, loss, scale, stop, encoder, ranks, maxIterations, timeLimit, signal, onProgress, threads, backend'],
  ['folds: 1', () => validate({ folds: 1 }), RangeError, 'ERR_OPTION', 'Expected an integer from 2 to 90 for options.folds but received 1'],
  ['folds: 2.5', () => validate({ folds: 2.5 }), RangeError, 'ERR_OPTION', 'Expected an integer from 2 to 90 for options.folds but received 2.5'],
  ['folds: NaN', () => validate({ folds: NaN }), RangeError, 'ERR_OPTION', 'Expected an integer from 2 to 90 for options.folds but received NaN'],
  ['folds: "5"', () => validate({ folds: '5' }), TypeError, 'ERR_OPTION', 'Expected an integer, or an array with the fold of each row, for options.folds but received "5"'],
  ['too many folds', () => validate({ folds: 46 }), RangeError, 'ERR_LABELS', 'Expected at least 46 rows of class -1, one for each fold of options.folds, but received 45'],
  ['a small class', () => validate({}, few), RangeError, 'ERR_LABELS', 'Expected at least 5 rows of class 1, one for each fold of options.folds, but received 3'],
  ['a class that weights make small', () => validate({ sampleWeight: small.labels.map((label, i) => (label > 0 && i > 5 ? 0 : 1)) }), RangeError, 'ERR_LABELS', 'Expected at least 5 rows of class 1, one for each fold of options.folds, but received 3'],
  ['folds of too few rows', () => validate({ folds: [0, 1] }), RangeError, 'ERR_OPTION', 'Expected 90 numbers for options.folds, one for each row of points, but received 2'],
  ['a negative fold', () => validate({ folds: few.with(7, -1) }), RangeError, 'ERR_OPTION', 'Expected an integer from 0 to 89 for options.folds[7] but received -1'],
  ['a fold without rows', () => validate({ folds: few.map((k) => 2 * k) }), RangeError, 'ERR_OPTION', 'Expected a row in every fold of options.folds but fold 1 of 3 has none'],
  ['one fold', () => validate({ folds: few.map(() => 0) }), RangeError, 'ERR_OPTION', 'Expected rows of class -1 outside every fold of options.folds but all of them are in fold 0'],
  ['a fold that holds all of a class', () => validate({ folds: inOne }), RangeError, 'ERR_OPTION', 'Expected rows of class 1 outside every fold of options.folds but all of them are in fold 0'],
  ['no gammas', () => validate({ gammas: [] }), RangeError, 'ERR_OPTION', 'Expected at least one number for options.gammas but received none'],
  ['gammas: 1', () => validate({ gammas: 1 }), TypeError, 'ERR_OPTION', "Expected an array of numbers or 'default' for options.gammas but received 1"],
  ['gammas: null', () => validate({ gammas: null }), TypeError, 'ERR_OPTION', "Expected an array of numbers or 'default' for options.gammas but received null"],
  ['a gamma of 0', () => validate({ gammas: [1, 0] }), RangeError, 'ERR_OPTION', 'Expected a positive number for options.gammas[1] but received 0'],
  ['a gamma twice', () => validate({ gammas: [1, 2, 1] }), RangeError, 'ERR_OPTION', 'Expected distinct numbers for options.gammas but received 1 twice'],
  ['a negative seed', () => validate({ seed: -1 }), RangeError, 'ERR_OPTION', 'Expected an integer from 0 to 9007199254740991 for options.seed but received -1'],
  ['another accuracy', () => validate({ accuracy: 'f1' }), RangeError, 'ERR_OPTION', "Expected 'plain' or 'balanced' for options.accuracy but received \"f1\""],
  ['a label too many', () => validate({}, [...small.labels, 1]), RangeError, 'ERR_LABELS', 'Expected 90 labels, one for each row of points, but received 91'],
  ['one class', () => validate({}, small.labels.map(() => 1)), RangeError, 'ERR_LABELS', 'Expected two distinct labels but every label is 1'],
  ['onProgress: 1', () => validate({ onProgress: 1 }), TypeError, 'ERR_OPTION', 'Expected a function for options.onProgress but received 1'],
  ['threads: 0', () => validate({ threads: 0 }), RangeError, 'ERR_OPTION', 'Expected an integer from 1 to 256 for options.threads but received 0'],
  ['stop: []', () => validate({ stop: [] }), RangeError, 'ERR_OPTION', 'Expected at least one rule for options.stop but received none'],
  ['a weight that is too much for a gamma', () => validate({ gammas: [1e99], sampleWeight: few.map(() => 100) }), RangeError, 'ERR_OPTION', 'Expected at most 1e+100 for gamma times the weights of row 0, by options.sampleWeight, but received 1e+101'],

  ['an unknown option of a split', () => trainTestSplit(small.rows, small.labels, { testshare: 0.5 } as object), TypeError, 'ERR_OPTION', 'Unknown option "testshare"; did you mean "testShare"?'],
  ['testShare: 1', () => trainTestSplit(small.rows, small.labels, { testShare: 1 }), RangeError, 'ERR_OPTION', 'Expected a number between 0 and 1 for options.testShare but received 1'],
  ['testSize: 90', () => trainTestSplit(small.rows, small.labels, { testSize: 90 }), RangeError, 'ERR_OPTION', 'Expected an integer from 1 to 89 for options.testSize but received 90'],
  ['testShare and testSize', () => trainTestSplit(small.rows, small.labels, { testShare: 0.5, testSize: 45 }), RangeError, 'ERR_OPTION', 'Expected one of options.testShare and options.testSize but received both: 0.5 and 45'],
  ['a test part too small for both classes', () => trainTestSplit(small.rows, small.labels, { testSize: 1 }), RangeError, 'ERR_OPTION', 'Expected at least 2 rows, one of each class, for the test part but received 1'],
  ['a training part too small for both classes', () => trainTestSplit(small.rows, small.labels, { testSize: 89 }), RangeError, 'ERR_OPTION', 'Expected at least 2 rows, one of each class, for the training part but received 1'],
  ['a class of one row', () => trainTestSplit(small.rows, small.labels.map((_, i) => i === 3)), RangeError, 'ERR_LABELS', 'Expected at least 2 rows of class true, for either side, but received 1'],
  ['a class on one side', () => trainTestSplit(small.rows, small.labels.map((_, i) => i === 3), { stratify: false }), RangeError, 'ERR_OPTION', 'Expected rows of class true on both sides of the split but all of them are on one; set stratify: true'],
  ['one row', () => trainTestSplit([[1]], [1]), RangeError, 'ERR_POINTS', 'Expected at least 2 rows for points but received 1'],
  ['too few labels', () => trainTestSplit(small.rows, [1]), RangeError, 'ERR_LABELS', 'Expected 90 labels, one for each row of points, but received 1'],
  ['no labels', () => trainTestSplit(small.rows, undefined as never), TypeError, 'ERR_LABELS', 'Expected an array of labels for labels but received undefined'],
  ['labels of two types', () => trainTestSplit([[1], [2]], [1, 'a']), TypeError, 'ERR_LABELS', 'Expected a number for labels[1], as in labels[0], but received "a"'],
  ['a label that is null', () => trainTestSplit([[1], [2]], [null, null] as never), TypeError, 'ERR_LABELS', 'Expected a number, string or boolean for labels[0] but received null'],
  ['a label of NaN', () => trainTestSplit([[1], [2]], [1, NaN]), RangeError, 'ERR_LABELS', 'Expected a finite number for labels[1] but received NaN'],
  ['a Dataset', () => trainTestSplit(Dataset.from(small.rows) as never, small.labels), TypeError, 'ERR_POINTS', 'Expected rows of numbers, { data, rows, cols } or { indptr, indices, rows, cols } for points, to be split, but received a Dataset'],
  ['a matrix of another size', () => trainTestSplit({ data: new Float64Array(7), rows: 2, cols: 4 }, [0, 1]), RangeError, 'ERR_POINTS', 'Expected rows × cols = 8 numbers for points.data but received 7'],
  ['an indptr of another size', () => trainTestSplit({ indptr: [0, 1], indices: [0], rows: 2, cols: 4 }, [0, 1]), RangeError, 'ERR_POINTS', 'Expected rows + 1 = 3 offsets for points.indptr but received 2'],
  ['an indptr that goes back', () => trainTestSplit({ indptr: [0, 1, 0], indices: [0], rows: 2, cols: 4 }, [0, 1]), RangeError, 'ERR_POINTS', 'Expected an offset from 1 to 1 for points.indptr[2] but received 0'],
  ['an indptr that begins late', () => trainTestSplit({ indptr: [1, 1, 1], indices: [0], rows: 2, cols: 4 }, [0, 1]), RangeError, 'ERR_POINTS', 'Expected 0 for points.indptr[0] but received 1'],
  ['values of another size', () => trainTestSplit({ indptr: [0, 1, 1], indices: [0], values: [], rows: 2, cols: 4 }, [0, 1]), RangeError, 'ERR_POINTS', 'Expected 1 number for points.values, as in points.indices, but received 0'],
  ['indices that are no list', () => trainTestSplit({ indptr: [0, 1, 1], indices: 7 as never, rows: 2, cols: 4 }, [0, 1]), TypeError, 'ERR_POINTS', 'Expected an array of numbers for points.indices but received 7'],
];

describe('crossValidate and trainTestSplit refuse bad input:', () => {
  it.each(BAD)('%s', async (_call, run, Kind, code, message) => {
    let thrown: unknown;
    try {
      await run();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(Kind);
    expect(thrown).toMatchObject({ message, code });
  });
});

describe("LinearSvm.fit(points, labels, { gamma: 'auto' })", () => {
  const comparable = ({ weights, bias, labels, info }: { [K in 'weights' | 'bias' | 'labels' | 'info']: unknown }) => ({
    weights,
    bias,
    labels,
    info: { ...(info as object), elapsed: 0, threads: 0 },
  });

  it('gives the model of fitAsync, for any number of threads', { tags: ['slow'] }, async () => {
    const rows = cancer.rows.slice(0, 200);
    const labels = cancer.labels.slice(0, 200);
    for (const backend of names) {
      for (const points of [dense(rows), sparse(rows), Dataset.from(rows, { backend })]) {
        const model = LinearSvm.fit(points, labels, { gamma: 'auto', backend, threads: 1 });
        for (const threads of [1, 2, 4]) {
          const other = await LinearSvm.fitAsync(points, labels, { gamma: 'auto', backend, threads });
          expect(comparable(other)).toEqual(comparable(model));
        }
      }
    }
  });

  it('chooses a gamma whose accuracy is within 0.01 of the best of a full cross-validation', { tags: ['slow'] }, async () => {
    const full = await crossValidate(cancer.rows, cancer.labels, { seed: 3 });
    for (const backend of names) {
      const { info } = LinearSvm.fit(cancer.rows, cancer.labels, { gamma: 'auto', backend });
      const chosen = full.table.find(({ gamma }) => Math.abs(gamma / info.gamma - 1) < 1e-9)!;
      expect(chosen.mean).toBeGreaterThan(full.best.mean - 0.01);
      expect(info.mu).toBe(1 / (2 * info.gamma));
      const { rows, folds, table } = info.validation!;
      expect([rows, folds, table.length]).toEqual([569, 3, 5]);
      expect(info.validation!.atEdge).toBe(false);
    }
  });

  it.each(names)('takes the gamma nearest to the default, of those that are as good as the best: %s', (backend) => {
    const next = random(12);
    const labels = Array.from({ length: 400 }, (_, i) => (i % 2 ? 1 : -1));
    const samples = [
      labels.map((y) => [y + normal(next), normal(next)]), // a plateau
      labels.map((y) => [0.003 * (y + 0.1 * normal(next)), normal(next)]), // a large gamma is needed
    ];
    for (const [k, rows] of samples.entries()) {
      const options = { scale: 'none', backend } as const;
      const { info } = LinearSvm.fit(rows, labels, { ...options, gamma: 'auto' });
      const middle = LinearSvm.fit(rows, labels, { ...options, maxIterations: 1 }).info.gamma;
      const { table, atEdge } = info.validation!;
      const best = bestOf(table);
      const luck = Math.sqrt((best.mean * (1 - best.mean)) / 400) / 2;
      const steps = ({ gamma }: { gamma: number }) => Math.round(Math.log(gamma / middle) / Math.log(4));
      const good = table.filter(({ mean }) => mean >= best.mean - luck).map((row) => Math.abs(steps(row)));
      expect(Math.abs(steps(info))).toBe(Math.min(...good));
      expect(atEdge).toBe([table[0], table.at(-1)].some((row) => row!.gamma === info.gamma));
      if (k === 0) expect(table.map(steps)).toEqual([-2, -1, 0, 1, 2]);
      else expect(steps(info)).toBeGreaterThan(2);
    }
  });

  it.each(names)('prefers a gamma without unfinished fits: %s', (backend) => {
    const { info } = LinearSvm.fit(cancer.rows, cancer.labels, { gamma: 'auto', maxIterations: 5, scale: 'maxabs', backend });
    const { table } = info.validation!;
    const highest = table.reduce((a, b) => (b.mean > a.mean ? b : a));
    expect(highest.unfinished).toBeGreaterThan(0);
    expect(table.find(({ gamma }) => gamma === info.gamma)!.unfinished).toBe(0);
  });

  it('gives the model of LinearSvm.fit with the gamma it chose', () => {
    const precise = { stop: stop.gap(1e-10), classWeight: 'balanced', sampleWeight: small.labels.map((_, i) => i % 4) } as const;
    const auto = LinearSvm.fit(small.rows, small.labels, { ...precise, gamma: 'auto' });
    const plain = LinearSvm.fit(small.rows, small.labels, { ...precise, gamma: auto.info.gamma });
    expect(plain.info.validation).toBeUndefined();
    plain.weights.forEach((weight, j) => expect(auto.weights[j]).toBeCloseTo(weight, 4));
    expect(auto.bias).toBeCloseTo(plain.bias, 4);
  });

  it.each([
    ['all of few entries', 3, 9001],
    ['4096 of many', 130, 4096],
    ['as many as hold 2^19 entries, between', 100, 2 ** 19 / 100],
  ])('validates on a sample of many rows: %s', { tags: ['slow'] }, (_, cols, expected) => {
    const { rows, labels } = clouds(9, 9001, cols, 2);
    const { info } = LinearSvm.fit(dense(rows, Float32Array), labels, { gamma: 'auto' });
    const { table, rows: sample } = info.validation!;
    expect(Math.abs(sample - expected)).toBeLessThanOrEqual(1);
    // Around the default of all rows, whatever the sample.
    const middle = LinearSvm.fit(dense(rows, Float32Array), labels, { maxIterations: 1 }).info.gamma;
    for (let k = -2; k <= 2; k++) expect(table.map(({ gamma }) => gamma)).toContain(middle * 4 ** k);
    expect(table.map(({ gamma }) => gamma)).toContain(info.gamma);
    expect(info.rows).toBe(9001);
  });

  it('throws the reason of a signal aborted while it chooses', async () => {
    const reason = new Error('enough');
    expect(() => LinearSvm.fit(small.rows, small.labels, { gamma: 'auto', signal: AbortSignal.abort(reason) })).toThrow(reason);
    const abort = new AbortController();
    let checks = 0;
    const atFirst = { name: 'at first', everyIteration: false, start: () => () => void (++checks === 1 && abort.abort(reason)) };
    const options = { gamma: 'auto', stop: atFirst, signal: abort.signal } as const;
    await expect(LinearSvm.fitAsync(cancer.rows, cancer.labels, options)).rejects.toBe(reason);
    expect(checks).toBe(1);
  });
});

describe('LinearSvm.fit(points, labels, { sampleWeight }) with weights of 0', () => {
  const { rows, labels } = binary(6, 120, 14);
  const sampleWeight = rows.map((_, i) => (i % 3 === 1 ? 0 : 1 + (i % 2)));
  const kept = <T>(list: readonly T[]) => list.filter((_, i) => sampleWeight[i]! > 0);

  it.each([
    ['sparse', sparse, 'maxabs'],
    ['sparse, standardised', sparse, 'standard'],
    ['dense f32', (given: readonly number[][]) => dense(given, Float32Array), 'standard'],
    ['dense', dense, 'standard'],
    ['dense, by the largest', dense, 'maxabs'],
    ['dense, as they are', dense, 'none'],
  ] as const)('gives the model of the other rows: %s', (title, form, scale) => {
    for (const backend of names) {
      const options = { scale, backend, keepSets: true, classWeight: 'balanced', stop: stop.gap(1e-7) } as const;
      const whole = LinearSvm.fit(form(rows), labels, { ...options, sampleWeight });
      const part = LinearSvm.fit(form(kept(rows)), kept(labels), { ...options, sampleWeight: kept(sampleWeight) });
      // Dense f64 data are stored minus the mean of all rows: the same problem, rounded differently.
      const digits = title.startsWith('dense,') || title === 'dense' ? 4 : 12;
      part.weights.forEach((weight, j) => expect(whole.weights[j]).toBeCloseTo(weight, digits));
      expect(whole.bias).toBeCloseTo(part.bias, digits);
      const { rows: n, gamma, mu, gap, primal, passes, iterations, agreed, shares, sets, alpha } = whole.info;
      expect(n).toBe(kept(rows).length);
      expect([gamma, mu]).toEqual([part.info.gamma, part.info.mu]);
      expect(gap).toBeLessThanOrEqual(1e-7 * primal);
      expect(primal).toBeCloseTo(part.info.primal, 6);
      if (digits === 12) expect([iterations, passes]).toEqual([part.info.iterations, part.info.passes]);
      expect(shares.agreed).toBe(agreed / n);
      for (const list of Object.values(sets!)) for (const i of list) expect(sampleWeight[i]).toBeGreaterThan(0);
      expect(alpha).toHaveLength(rows.length);
      sampleWeight.forEach((weight, i) => weight === 0 && expect(alpha![i]).toBe(0));
    }
  });

  it('is not affected by the values of a row of weight 0', () => {
    for (const backend of names) {
      const huge = rows.with(
        1,
        rows[1]!.map(() => 1e300),
      ); // its squares overflow
      const model = LinearSvm.fit(sparse(huge), labels, { sampleWeight, backend });
      expect(model.weights).toEqual(LinearSvm.fit(sparse(rows), labels, { sampleWeight, backend }).weights);
    }
  });
});

describe('trainTestSplit(points, labels)', () => {
  const { rows, labels } = small;
  const skewed = rows.map((_, i) => (i % 6 === 0 ? 'rare' : 'common'));

  it('keeps the names of columns', () => {
    const columns = rows[0]!.map((_, j) => `x${j}`);
    for (const points of [dense(rows), sparse(rows)]) {
      const { train, test } = trainTestSplit({ ...points, columns }, labels);
      expect([train.points.columns, test.points.columns]).toEqual([columns, columns]);
      expect(trainTestSplit(points, labels).train.points).not.toHaveProperty('columns');
      expect(() => trainTestSplit({ ...points, columns: ['a'] }, labels)).toThrow(
        `Expected ${columns.length} names for points.columns, one for each column, but received 1`,
      );
    }
  });

  it('splits every class in the same proportion, and keeps the order', () => {
    const { train, test } = trainTestSplit(rows, skewed);
    expect(test.labels).toHaveLength(23);
    expect(test.labels.filter((label) => label === 'rare')).toHaveLength(4);
    expect([...train.rows, ...test.rows].sort((a, b) => a - b)).toEqual(rows.map((_, i) => i));
    for (const part of [train, test]) {
      expect([...part.rows]).toEqual([...part.rows].sort((a, b) => a - b));
      expect(part.points).toEqual(Array.from(part.rows, (i) => rows[i]));
      part.points.forEach((row, p) => expect(row).toBe(rows[part.rows[p]!]));
      expect(part.labels).toEqual(Array.from(part.rows, (i) => skewed[i]));
    }
  });

  it.each([
    [{ testSize: 30 }, 30, 5],
    [{ testShare: 0.5 }, 45, 7.5],
    [{ testShare: 0.001 }, 2, 1],
    [{ testShare: 0.999 }, 88, 14],
    [{ testSize: 2 }, 2, 1],
  ])('with %o gives %i test rows', (options, size, rare) => {
    const { train, test } = trainTestSplit(rows, skewed, options);
    expect([test.points.length, train.points.length]).toEqual([size, 90 - size]);
    expect(Math.abs(test.labels.filter((label) => label === 'rare').length - rare)).toBeLessThanOrEqual(0.5);
  });

  it('gives the same split for the same seed', () => {
    const of = (seed?: number) => [...trainTestSplit(rows, labels, seed === undefined ? {} : { seed }).test.rows];
    expect(of(5)).toEqual(of(5));
    expect(of()).toEqual(of(0));
    expect(of(5)).not.toEqual(of(6));
    expect(of(2 ** 32)).not.toEqual(of(0));
  });

  it('keeps the form and the kinds of arrays of the points, and leaves them unchanged', () => {
    const sparseRows = sparse(rows);
    const plain = {
      indptr: [...sparseRows.indptr],
      indices: Int32Array.from(sparseRows.indices),
      values: [...sparseRows.values!],
      rows: 90,
      cols: 4,
    };
    const { indptr, indices } = sparse(binary(4, 90, 9).rows);
    const forms = [dense(rows), dense(rows, Float32Array), sparseRows, sparse(rows, Float32Array), plain];
    for (const points of [...forms, { indptr, indices, rows: 90, cols: 9 }]) {
      const typed = Int8Array.from(labels);
      const before = structuredClone([points, typed]);
      const { train, test } = trainTestSplit(points, typed, { seed: 1 });
      expect([points, typed]).toEqual(before);
      const byRows = trainTestSplit(rows, labels, { seed: 1 });
      const form = 'data' in points ? dense : 'values' in points ? sparse : undefined;
      for (const side of ['train', 'test'] as const) {
        const part = { train, test }[side];
        expect(part.labels).toEqual(Int8Array.from(byRows[side].labels));
        const kinds = (of: object) => Object.entries(of).map(([name, value]) => [name, (value as object).constructor.name]);
        expect(kinds(part.points)).toEqual(kinds(points));
        const Kind = 'data' in points ? points.data.constructor : points.values?.constructor;
        const expected = form?.(byRows[side].points, Kind === Float32Array ? Float32Array : Float64Array);
        if (expected && 'data' in expected) expect(part.points).toEqual(expected);
        else if (expected && 'indptr' in part.points && 'indptr' in expected) {
          for (const name of ['indptr', 'indices', 'values'] as const)
            expect([...part.points[name]!]).toEqual([...expected[name]!]);
          expect([part.points.rows, part.points.cols]).toEqual([expected.rows, expected.cols]);
        } else {
          const ones = sparse(Array.from(part.rows, (i) => binary(4, 90, 9).rows[i]!));
          expect(part.points).toEqual({ indptr: ones.indptr, indices: ones.indices, rows: ones.rows, cols: 9 });
        }
      }
      expect(LinearSvm.fit(train.points, train.labels).score(test.points, test.labels).accuracy).toBeGreaterThan(0.3);
    }
  });

  it('splits three classes evenly, and rows regardless of class with stratify: false', () => {
    const three = rows.map((_, i) => i % 3);
    const { test } = trainTestSplit(rows, three, { testSize: 9 });
    expect(three.slice(0, 3).map((k) => test.labels.filter((label) => label === k).length)).toEqual([3, 3, 3]);
    const free = trainTestSplit(rows, labels, { stratify: false, seed: 1 });
    expect([free.train.points.length, free.test.points.length]).toEqual([67, 23]);
  });
});

describe('new Random(seed)', () => {
  it('next() and shuffle(list) give the recorded numbers on every platform', () => {
    const random = new Random(1);
    expect([random.next(), random.next(), random.next()]).toMatchInlineSnapshot(`
      [
        2442144158,
        1422934427,
        3149838484,
      ]
    `);
    expect([...new Random(2 ** 53 - 1).shuffle(Uint32Array.from({ length: 8 }, (_, i) => i))]).toMatchInlineSnapshot(`
      [
        4,
        7,
        3,
        5,
        2,
        1,
        0,
        6,
      ]
    `);
  });

  it('below(n) is uniform', () => {
    const random = new Random(4);
    const counts = new Uint32Array(6);
    for (let k = 0; k < 60_000; k++) counts[random.below(6)]!++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
    expect(random.below(1)).toBe(0);
    for (let k = 0; k < 100; k++) expect(random.below(2 ** 32)).toBeLessThan(2 ** 32);
  });
});
