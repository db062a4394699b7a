/** Weights multiply the loss: a row of weight k is k copies of it. And what the default gamma does not depend on. */
import { describe, expect, it } from 'vitest';
import { LinearSvm, stop } from '../../lib/index.js';
import type { Loss, Points, SvmOptions } from '../../lib/types.js';
import { names } from '../support/backends.js';
import { normal, random } from '../support/random.js';
import { clouds, dense, sparse } from '../support/svm-data.js';

const LOSSES: readonly Loss[] = ['hinge', 'squared-hinge'];
const SCALES = ['none', 'standard', 'maxabs'] as const;
const FORMS: readonly [string, (rows: readonly number[][]) => Points][] = [
  ['dense', dense],
  ['CSR', sparse],
];

interface Problem {
  rows: number[][];
  labels: number[];
  weights: number[];
}

/** Of one or the other kind: overlapping classes, with a third of the entries 0. */
function problem(seed: number): Problem {
  const next = random(seed);
  const [n, d] = [8 + Math.floor(30 * next()), 1 + Math.floor(6 * next())];
  const labels = Array.from({ length: n }, (_, i) => (i < 2 ? 2 * i - 1 : next() < 0.4 ? 1 : -1));
  const size = Array.from({ length: d }, () => 10 ** (2 * next() - 1));
  const rows = labels.map((y) => size.map((s) => (next() < 0.3 ? 0 : s * (normal(next) + 0.7 * y + 1))));
  return { rows, labels, weights: labels.map((_, i) => (i < 2 ? 1 : Math.floor(5 * next()))) };
}

function copies({ rows, labels, weights }: Problem): { rows: number[][]; labels: number[] } {
  const repeat = <T>(list: readonly T[]) => list.flatMap((item, i) => Array<T>(weights[i]!).fill(item));
  return { rows: repeat(rows), labels: repeat(labels) };
}

const numbers = ({ weights, bias }: { weights: Float64Array; bias: number }) => [...weights, bias];

describe.each(names)('sampleWeight, %s', (backend) => {
  it.each(FORMS)('k is k copies of the row, in model, gamma and objective: %s', (_, form) => {
    let worst = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const whole = problem(seed);
      const repeated = copies(whole);
      const scale = SCALES[seed % 3]!;
      const loss = LOSSES[(seed >> 1) % 2]!;
      // Most with the default gamma, some with others.
      const gamma = seed % 5 === 0 ? { gamma: [0.01, 0.1, 1][seed % 3]! } : {};
      const options: SvmOptions<number> = { loss, scale, stop: stop.gap(1e-12), backend, ...gamma };
      const one = LinearSvm.fit(form(whole.rows), whole.labels, { ...options, sampleWeight: whole.weights });
      const many = LinearSvm.fit(form(repeated.rows), repeated.labels, options);
      const where = `seed ${seed}, ${loss}, ${scale}`;
      for (const { info } of [one, many]) expect(['gap', 'precision'], where).toContain(info.status);
      expect(Math.abs(one.info.gamma / many.info.gamma - 1), where).toBeLessThan(1e-6);
      expect(Math.abs(one.info.primal / many.info.primal - 1), where).toBeLessThan(1e-9);
      const values = one.decision(whole.rows);
      const others = many.decision(whole.rows);
      const size = Math.max(1, ...values.map(Math.abs));
      values.forEach((value, i) => {
        const off = Math.abs(value - others[i]!) / size;
        worst = Math.max(worst, off);
      });
    }
    expect(worst).toBeLessThan(1e-9);
  });
});

describe.each(names)('all weights 1, %s', (backend) => {
  it.each(FORMS)('are no weights, bit for bit: %s', (_, form) => {
    for (let seed = 1; seed <= 20; seed++) {
      const { rows, labels } = problem(seed);
      for (const scale of SCALES) {
        for (const loss of LOSSES) {
          const options: SvmOptions<number> = { scale, loss, backend, keepSets: true };
          const { info: none, ...model } = LinearSvm.fit(form(rows), labels, options);
          const ones = [{ sampleWeight: labels.map(() => 1) }, { classWeight: { 1: 1, '-1': 1 } }];
          for (const weights of ones) {
            const { info, ...other } = LinearSvm.fit(form(rows), labels, { ...options, ...weights });
            expect(other).toEqual(model);
            expect({ ...info, elapsed: 0 }).toEqual({ ...none, elapsed: 0 });
          }
        }
      }
    }
  });
});

describe.each(names)('the default gamma, %s', (backend) => {
  it.each(FORMS)('does not change when every row is repeated, in whatever order: %s', (_, form) => {
    for (let seed = 1; seed <= 30; seed++) {
      const { rows, labels } = problem(seed);
      for (const scale of SCALES) {
        const options: SvmOptions<number> = { scale, backend, maxIterations: 1 };
        const { gamma } = LinearSvm.fit(form(rows), labels, options).info;
        for (const times of [2, 7]) {
          const again = <T>(list: readonly T[]) => Array.from({ length: times }, () => list).flat();
          const repeated = LinearSvm.fit(form(again(rows)), again(labels), options).info;
          expect(Math.abs(repeated.gamma / gamma - 1)).toBeLessThan(1e-6);
          const weighted = LinearSvm.fit(form(rows), labels, { ...options, sampleWeight: labels.map(() => times) }).info;
          expect(Math.abs(weighted.gamma / gamma - 1)).toBeLessThan(1e-6);
        }
      }
    }
  });

  it.each(FORMS)('nor does the model when a column is multiplied by a power of two: %s', (_, form) => {
    for (let seed = 1; seed <= 20; seed++) {
      const { rows, labels, weights: sampleWeight } = problem(seed);
      const factor = (j: number) => 2 ** (7 * j - 20);
      const multiplied = rows.map((row) => row.map((value, j) => value * factor(j)));
      for (const scale of ['standard', 'maxabs'] as const) {
        for (const loss of LOSSES) {
          const options: SvmOptions<number> = { scale, loss, backend, sampleWeight };
          const one = LinearSvm.fit(form(rows), labels, options);
          const other = LinearSvm.fit(form(multiplied), labels, options);
          expect(other.info.gamma).toBe(one.info.gamma);
          expect(numbers(other)).toEqual([...one.weights.map((w, j) => w / factor(j)), one.bias]);
        }
      }
    }
  });

  it('knows distances that are small beside the rows, and rows that are the same', () => {
    for (const [, form] of FORMS) {
      for (const away of [0, 1e3, 1e6, 1e9]) {
        const next = random(7);
        const labels = Array.from({ length: 40 }, (_, i) => (i % 2 ? 1 : -1));
        const rows = labels.map((y) => [
          away + Math.round(64 * (normal(next) + y)) / 64,
          -away + Math.round(64 * normal(next)) / 64,
        ]);
        const mean = (j: number) => rows.reduce((sum, row) => sum + (row[j]! - (j ? -away : away)), 0) / 40;
        const [m0, m1] = [mean(0) + away, mean(1) - away];
        const squares = rows.reduce((sum, [a, b]) => sum + (a! - m0) ** 2 + (b! - m1) ** 2, 0) / 40;
        const { gamma } = LinearSvm.fit(form(rows), labels, { scale: 'none', backend, maxIterations: 1 }).info;
        expect(Math.abs(gamma * squares - 1), `${away}`).toBeLessThan(1e-5);
      }
      const same = LinearSvm.fit(form([[0.1, 3e7], [0.1, 3e7], [0.1, 3e7]]), [1, -1, 1], { scale: 'none', backend }); // prettier-ignore
      expect(same.info).toMatchObject({ gamma: 1, mu: 0.5 });
    }
  });
});

describe.each(names)('weights and gammas far apart, %s', (backend) => {
  const { rows, labels } = clouds(7, 60, 3);

  it.each(FORMS)('lead to honest ends: %s', (_, form) => {
    for (const loss of LOSSES) {
      for (const scale of SCALES) {
        for (const gamma of [1e-12, 1e-6, 1, 1e6, 1e12]) {
          for (const far of [1, 1e6, 1e12, 1e50]) {
            const sampleWeight = labels.map((_, i) => (i % 3 === 0 ? far : i % 3 === 1 ? 1 / far : 1));
            const options: SvmOptions<number> = { loss, scale, gamma, sampleWeight, backend, maxIterations: 200 };
            const { info, weights, bias } = LinearSvm.fit(form(rows), labels, options);
            const where = JSON.stringify({ loss, scale, gamma, far, status: info.status });
            for (const value of [...weights, bias, info.primal, info.dual, info.gap])
              expect(Number.isFinite(value), where).toBe(true);
            expect(info.dual, where).toBeLessThanOrEqual(info.primal);
            expect(['agreement', 'gap', 'precision', 'max-iterations'], where).toContain(info.status);
            if (info.status === 'gap') expect(info.relativeGap, where).toBeLessThanOrEqual(1e-4);
            if (info.status === 'agreement') expect(info.shares.agreed, where).toBeGreaterThanOrEqual(0.99);
          }
        }
      }
    }
  });

  it('are refused where they cannot be computed with', () => {
    const fit = (options: SvmOptions<number>) => () => LinearSvm.fit(rows, labels, { backend, ...options });
    const weights = labels.map((_, i) => (i === 0 ? 1e-300 : i === 1 ? 1e300 : 1));
    const refused = (call: () => unknown, option: string) =>
      expect(call).toThrow(expect.objectContaining({ name: 'RangeError', code: 'ERR_OPTION', option }));
    refused(fit({ sampleWeight: weights }), 'sampleWeight');
    refused(fit({ gamma: 1e-12, sampleWeight: weights }), 'sampleWeight');
    refused(fit({ gamma: 1e12, sampleWeight: labels.map(() => 1e99) }), 'sampleWeight');
    refused(fit({ gamma: 1e101 }), 'gamma');
    expect(fit({ gamma: 1e12, sampleWeight: labels.map(() => 1e80), maxIterations: 5 })).not.toThrow();
  });
});
