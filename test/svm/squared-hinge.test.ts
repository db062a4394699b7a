/** loss: 'squared-hinge': gamma max(0, 1 - margin)². That its certificates hold is for soundness.test.ts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { crossValidate, LinearSvm, stop } from '../../lib/index.js';
import { resolveFit } from '../../lib/input/index.js';
import { TrainingData } from '../../lib/svm/training-data.js';
import { unfitted } from '../../lib/svm/training.js';
import type { Points, SvmOptions } from '../../lib/types.js';
import { compiled, names } from '../support/backends.js';
import { binary, clouds, dense, sparse, wdbc, type Sample } from '../support/svm-data.js';

const cancer = wdbc();
const cloud = clouds(11, 120, 6);
const ones = binary(5, 150, 20);
const FORMS: readonly [string, Points, Sample][] = [
  ['dense', dense(cancer.rows), cancer],
  ['f32', dense(cloud.rows, Float32Array), cloud],
  ['CSR', sparse(cloud.rows), cloud],
  ['ones', sparse(ones.rows), ones],
];

const base: SvmOptions<number> = { loss: 'squared-hinge', stop: stop.gap(1e-11) };

/** |w|²/2 + gamma Σ c max(0, 1 - margin)², and what alpha is there. */
function plain(
  { rows, labels }: Sample,
  weights: ArrayLike<number>,
  bias: number,
  gamma: number,
  c: (i: number) => number = () => 1,
) {
  let objective = 0;
  for (let j = 0; j < weights.length; j++) objective += weights[j]! ** 2 / 2;
  const alpha = rows.map((row, i) => {
    const below = Math.max(0, 1 - labels[i]! * row.reduce((s, x, j) => s + x * weights[j]!, bias));
    objective += gamma * c(i) * below ** 2;
    return 2 * gamma * c(i) * below;
  });
  return { objective, alpha };
}

describe.each(names)("loss: 'squared-hinge', %s", (backend) => {
  const fit = (points: Points, labels: number[], options: SvmOptions<number> = {}) =>
    LinearSvm.fit(points, labels, { ...base, backend, ...options });

  it('minimises what it says it does', () => {
    const sampleWeight = cloud.labels.map((_, i) => i % 4);
    const { weights, bias, info } = fit(cloud.rows, cloud.labels, { scale: 'none', gamma: 0.3, sampleWeight, keepSets: true });
    expect(info).toMatchObject({ loss: 'squared-hinge', gamma: 0.3, mu: 1 / 0.6, status: 'gap' });
    const c = (i: number) => sampleWeight[i]!;
    const { objective, alpha } = plain(cloud, weights, bias, 0.3, c);
    expect(Math.abs(objective / info.primal - 1)).toBeLessThan(1e-12);
    info.alpha!.forEach((a, i) => expect(Math.abs(a - alpha[i]!)).toBeLessThan(1e-4));
    for (let j = 0; j <= weights.length; j++) {
      for (const step of [1e-3, -1e-3]) {
        const moved = [...weights].map((w, k) => (k === j ? w + step : w));
        const other = plain(cloud, moved, j === weights.length ? bias + step : bias, 0.3, c).objective;
        expect(other).toBeGreaterThan(objective);
      }
    }
  });

  it.each(FORMS)('certifies rows with a positive margin, none at a bound: %s', (_, points, { rows, labels }) => {
    for (const scale of ['none', 'standard', 'maxabs'] as const) {
      // The raw columns of wdbc differ by four decades.
      if (scale === 'none' && rows === cancer.rows) continue;
      const model = fit(points, labels, { scale, keepSets: true });
      const { info } = model;
      expect(['gap', 'precision']).toContain(info.status);
      const margins = model.decision(points).map((value, i) => value * labels[i]!);
      const count = (min: number) => margins.filter((theta) => theta > min).length;
      const { properlyClassified, zero, atBound } = info.sets!;
      for (const i of properlyClassified) expect(margins[i]).toBeGreaterThan(0);
      for (const i of zero) expect(margins[i]).toBeGreaterThan(1);
      expect([info.properlyClassified, info.zero]).toEqual([properlyClassified.length, zero.length]);
      expect(properlyClassified.length).toBeGreaterThanOrEqual(count(1e-3));
      expect(zero.length).toBeGreaterThanOrEqual(count(1 + 1e-3));
      expect([info.atBound, atBound.length, info.shares.atBound]).toEqual([0, 0, 0]);
      expect(info.agreed).toBeGreaterThan(0.97 * rows.length);
    }
  });

  it.each(FORMS)(
    'has the same optimum by every method, at once and later, whatever the threads: %s',
    async (_, points, { labels }) => {
      const one = fit(points, labels, { threads: 1 });
      for (const options of [
        { method: 'ascent' },
        { method: 'fista' },
        { solver: { stepSize: 'norm' } },
        { solver: { shrinking: false } },
      ] as SvmOptions<number>[]) {
        const other = fit(points, labels, { maxIterations: 100_000, stop: stop.gap(1e-9), ...options });
        expect(Math.abs(other.info.primal / one.info.primal - 1)).toBeLessThan(2e-9);
      }
      for (const threads of [1, 2, 3]) {
        const later = await LinearSvm.fitAsync(points, labels, { ...base, backend, threads });
        expect([later.weights, later.bias]).toEqual([one.weights, one.bias]);
      }
    },
  );

  it('starts from another model', () => {
    const cold = fit(cancer.rows, cancer.labels);
    const warm = fit(cancer.rows, cancer.labels, { warmStart: cold });
    expect(warm.info.iterations).toBeLessThan(cold.info.iterations / 2);
    expect(Math.abs(warm.info.primal / cold.info.primal - 1)).toBeLessThan(1e-10);
    const hinge = LinearSvm.fit(cancer.rows, cancer.labels, { backend });
    const nonsense = { weights: new Float64Array(30).fill(1e300), bias: -1e300 };
    for (const warmStart of [hinge, nonsense]) {
      const other = fit(cancer.rows, cancer.labels, { warmStart });
      expect(Math.abs(other.info.primal / cold.info.primal - 1)).toBeLessThan(1e-10);
    }
  });

  it('is cross-validated, and gamma chosen for it', async () => {
    const { table, best } = await crossValidate(cancer.rows, cancer.labels, { loss: 'squared-hinge', backend, folds: 4 });
    expect(table.length).toBeGreaterThanOrEqual(7);
    expect(best.mean).toBeGreaterThan(0.96);
    const byHand = await crossValidate(cancer.rows, cancer.labels, { backend, folds: 4 });
    expect(table.map(({ loss }) => loss)).not.toEqual(byHand.table.map(({ loss }) => loss));
    const { info } = LinearSvm.fit(cancer.rows, cancer.labels, { loss: 'squared-hinge', gamma: 'auto', backend });
    expect(info).toMatchObject({ loss: 'squared-hinge', mu: 1 / (2 * info.gamma) });
    expect(info.validation!.table.map(({ gamma }) => gamma)).toContain(info.gamma);
  });

  it('refuses what belongs to the hinge alone, in a cross-validation too', async () => {
    const refused = expect.objectContaining({ name: 'RangeError', code: 'ERR_OPTION' }) as Error;
    expect(() => fit(cloud.rows, cloud.labels, { mu: 1 })).toThrow(refused);
    expect(() => fit(cloud.rows, cloud.labels, { method: 'paper' })).toThrow(refused);
    expect(() => fit(cloud.rows, cloud.labels, { stop: stop.stale() })).toThrow(refused);
    await expect(
      crossValidate(cloud.rows, cloud.labels, { loss: 'squared-hinge', stop: stop.stale(), backend }),
    ).rejects.toMatchObject({ code: 'ERR_OPTION', option: 'stop' });
  });

  it('says what it knows without time', () => {
    const input = resolveFit(cloud.rows, cloud.labels, { ...base, backend });
    const { rowWeights: weights, weightRange, options } = input;
    const { info, bias } = unfitted(new TrainingData(input), options, { gamma: 0.5, weights, weightRange });
    expect(info).toMatchObject({ status: 'time-limit', iterations: 0, dual: 0, loss: 'squared-hinge', gamma: 0.5, mu: 1 });
    // w = 0, and an offset of ±1: one class at a margin of -1, which costs 4 gamma a row.
    expect(Math.abs(bias)).toBe(1);
    expect(info.primal).toBeCloseTo(0.5 * 4 * 60, 9);
  });
});

describe.each(compiled)("loss: 'squared-hinge', %s", (name) => {
  it.each(FORMS)('is what the TypeScript kernels make of it: %s', (_, points, { labels }) => {
    for (const scale of ['standard', 'maxabs'] as const) {
      const [native, js] = [name, 'js' as const].map((backend) => LinearSvm.fit(points, labels, { ...base, scale, backend }));
      expect(Math.abs(native!.info.gamma / js!.info.gamma - 1)).toBeLessThan(1e-6);
      const values = js!.decision(points);
      native!.decision(points).forEach((value, i) => expect(Math.abs(value - values[i]!)).toBeLessThan(1e-4));
      expect(Math.abs(native!.info.primal / js!.info.primal - 1)).toBeLessThan(1e-6);
    }
  });
});

const liblinear = spawnSync('liblinear-train', [], { stdio: 'ignore' }).error === undefined;
if (!liblinear) process.stdout.write('Left out: the objective of liblinear-train -s 2 (it is not installed)\n');

describe.skipIf(!liblinear)("loss: 'squared-hinge' and liblinear-train -s 2", () => {
  const standardised = ({ rows, labels }: Sample): Sample => {
    const moments = rows[0]!.map((_, j) => {
      const mean = rows.reduce((s, row) => s + row[j]!, 0) / rows.length;
      return [mean, Math.sqrt(rows.reduce((s, row) => s + (row[j]! - mean) ** 2, 0) / rows.length)] as const;
    });
    return { rows: rows.map((row) => row.map((v, j) => (v - moments[j]![0]) / moments[j]![1])), labels };
  };
  it.each([
    ['wdbc, standardised', standardised(cancer), 1 / 30],
    ['clouds', cloud, 1],
    ['ones', ones, 0.3],
  ])('have the same objective: %s', (_, sample, gamma) => {
    const folder = mkdtempSync(join(tmpdir(), 'squared-hinge-'));
    try {
      const [data, written] = [join(folder, 'data'), join(folder, 'model')];
      const line = (row: number[], i: number) =>
        `${sample.labels[i]} ${row.flatMap((v, j) => (v === 0 ? [] : [`${j + 1}:${v}`])).join(' ')}\n`;
      writeFileSync(data, sample.rows.map(line).join(''));
      // So large a -B leaves the bias all but unregularised.
      const args = ['-s', '2', '-B', '1000', '-e', '1e-6', '-c', String(gamma), '-q', data, written];
      execFileSync('liblinear-train', args, { stdio: 'ignore' });
      const [header, body] = readFileSync(written, 'utf8').split('\nw\n') as [string, string];
      const sign = /label 1 -1/.test(header) ? 1 : -1;
      const all = body.trim().split(/\s+/).map((w) => sign * Number(w)); // prettier-ignore
      const theirs = plain(sample, all.slice(0, -1), 1000 * all.at(-1)!, gamma).objective;
      for (const backend of names) {
        const { info } = LinearSvm.fit(sample.rows, sample.labels, { ...base, scale: 'none', gamma, backend });
        expect(Math.abs(theirs / info.primal - 1)).toBeLessThan(1e-3);
        expect(theirs).toBeGreaterThanOrEqual(info.dual * (1 - 1e-12));
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
