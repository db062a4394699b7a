import { describe, expect, it } from 'vitest';
import { LinearSvm, stop, type SvmOptions } from '../lib/index.js';
import { names } from './backends.js';
import { clouds } from './svm-data.js';

// 2,500 rows: a sample of about 312 starts the fit.
const { rows, labels } = clouds(5, 2500, 6);
const cold = (options: SvmOptions<number> = {}) => LinearSvm.fit(rows, labels, { sampling: false, ...options });

describe.each(names)('LinearSvm.fit starts from a sample, %s backend', (backend) => {
  const fit = (options: SvmOptions<number> = {}) => LinearSvm.fit(rows, labels, { backend, ...options });

  it('and reads less of the data for the same optimum', () => {
    const tight = { stop: stop.gap(1e-8) };
    const [warm, from0] = [fit(tight), cold({ backend, ...tight })];
    expect(Math.abs(warm.info.primal - from0.info.primal)).toBeLessThan(2e-8 * from0.info.primal);
    const loose = { stop: stop.gap(1e-2) };
    expect(fit(loose).info.passes).toBeLessThan(0.8 * cold({ backend, ...loose }).info.passes);
  });

  it('and gives the same model each time, on this thread or off it, with any number of threads', async () => {
    const one = fit();
    for (const other of [fit(), fit({ threads: 1 }), fit({ threads: 3 }), await LinearSvm.fitAsync(rows, labels, { backend })]) {
      expect(other.weights).toEqual(one.weights);
      expect(other.bias).toBe(one.bias);
      expect(other.info.passes).toBe(one.info.passes);
    }
  });

  it('in proportion to the rows that take part', () => {
    // Rows of weight 0 are as good as absent; what the rest weigh in all is what they would without them.
    const sampleWeight = rows.map((_, i) => (i < 1500 ? 1 : 0));
    const some = LinearSvm.fit(rows.slice(0, 1500), labels.slice(0, 1500), { backend, stop: stop.gap(1e-9), scale: 'none' });
    const weighted = fit({ sampleWeight, stop: stop.gap(1e-9), scale: 'none' });
    weighted.weights.forEach((w, j) => expect(w).toBeCloseTo(some.weights[j]!, 4));
  });

  it('without rows whose gamma is 0 by rounding', () => {
    const sampleWeight = labels.map((label) => (label > 0 ? 1e-323 : 1));
    const heavy = labels.flatMap((label, i) => (label > 0 ? [i] : [])).slice(0, 6);
    for (const i of heavy) {
      // One positive row takes part: a sample either holds it or has none.
      const weights = sampleWeight.with(i, 1);
      expect(fit({ sampleWeight: weights }).info.rows).toBe(1 + labels.filter((label) => label < 0).length);
    }
  });

  it('tells nobody of it, and counts its own iterations alone', () => {
    const seen: number[] = [];
    const { info } = fit({ onProgress: ({ iteration, rows: count }) => void (seen.push(iteration), expect(count).toBe(2500)) });
    expect(seen[0]).toBe(5);
    expect(info.iterations).toBe(seen.at(-1));
  });

  it('unless told otherwise, or started from a model, or asked for the paper’s way', () => {
    const from0 = cold({ backend }).info.passes;
    expect(fit({ sampling: true }).info.passes).toBe(fit().info.passes);
    expect(fit().info.passes).not.toBe(from0);
    const still = { weights: new Float64Array(6), bias: 0 };
    expect(fit({ warmStart: still }).info.passes).toBe(cold({ backend, warmStart: still }).info.passes);
    for (const way of [{ L: 'norm' }, { stop: stop.stale() }] as const) {
      expect(fit({ ...way, maxIterations: 20 }).info.passes).toBe(cold({ backend, ...way, maxIterations: 20 }).info.passes);
    }
  });

  it('not where a class has too few rows for one', () => {
    const rare = labels.map((_, i) => (i < 40 ? 1 : -1));
    const options = { backend, stop: stop.gap(1e-3) };
    expect(LinearSvm.fit(rows, rare, options).info.passes).toBe(
      LinearSvm.fit(rows, rare, { ...options, sampling: false }).info.passes,
    );
  });

  it('within the time limit, and ends when the signal says so', () => {
    expect(fit({ timeLimit: 1e-6 }).info).toMatchObject({ status: 'time-limit', iterations: 1 });
    const reason = new Error('enough');
    expect(() => fit({ signal: AbortSignal.abort(reason) })).toThrow(reason);
  });

  it('with weights so large that a sample could not carry them', () => {
    const { info } = fit({ gamma: 1e100, maxIterations: 5 });
    expect(Number.isFinite(info.primal)).toBe(true);
  });
});
