import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Matrix } from '../../lib/backend/fallback/matrix.js';
import { NewtonSystem } from '../../lib/backend/fallback/newton-system.js';
import { Svm } from '../../lib/backend/fallback/svm.js';
import { Dataset, LinearSvm, stop, type Points, type StopRule, type SvmOptions, type SvmProgress } from '../../lib/index.js';
import { binary, clouds, dense, rounded, sparse, wdbc } from '../support/svm-data.js';
import { names } from '../support/backends.js';

const BACKENDS = names;
const cancer = wdbc();
const tight = { stop: stop.gap(1e-10) };

afterEach(() => {
  vi.restoreAllMocks();
});

function expectClose(a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): void {
  expect(a.length).toBe(b.length);
  const size = Math.max(...Array.from(a, Math.abs), ...Array.from(b, Math.abs), 1e-300);
  for (let j = 0; j < a.length; j++) expect(Math.abs(a[j]! - b[j]!)).toBeLessThanOrEqual(tolerance * size);
}

const numbers = (model: LinearSvm<never> | LinearSvm<number> | LinearSvm) => [...model.weights, model.bias];

describe.each(BACKENDS)('LinearSvm.fit(points, labels), %s', (backend) => {
  const fit = (points: Points, labels: ArrayLike<number>, options: SvmOptions<number> = {}) =>
    LinearSvm.fit(points, labels, { backend, ...options });

  describe('points', () => {
    it('give the same model in every form', () => {
      const rows = rounded(clouds(1, 80, 6).rows);
      const labels = clouds(1, 80, 6).labels;
      const expected = numbers(fit(rows, labels, { scale: 'standard', ...tight }));
      const forms: Points[] = [
        rows.map((row) => Float64Array.from(row)),
        rows.map((row) => Float32Array.from(row)),
        dense(rows),
        dense(rows, Float32Array),
        sparse(rows),
        sparse(rows, Float32Array),
        {
          ...sparse(rows),
          indptr: [...sparse(rows).indptr],
          indices: [...sparse(rows).indices],
          values: [...sparse(rows).values!],
        },
        { ...sparse(rows), indptr: Int32Array.from(sparse(rows).indptr), indices: Int32Array.from(sparse(rows).indices) },
        Dataset.from(rows, { backend }),
        Dataset.from(dense(rows, Float32Array), { backend }),
        Dataset.from(sparse(rows), { backend }),
      ];
      for (const form of forms) expectClose(numbers(fit(form, labels, { scale: 'standard', ...tight })), expected, 1e-6);
    });

    it('without values, sparse, are all ones', () => {
      const { rows, labels } = binary(2, 90, 10);
      const { indptr, indices, rows: n, cols } = sparse(rows);
      const ones = { indptr, indices, rows: n, cols };
      expect(numbers(fit(ones, labels))).toEqual(numbers(fit(sparse(rows), labels)));
      expectClose(numbers(fit(ones, labels, tight)), numbers(fit(rows, labels, { scale: 'maxabs', ...tight })), 1e-6);
    });

    it('in shared memory give the same model', () => {
      const { rows, labels } = clouds(3, 20, 3);
      const shared = new Float64Array(new SharedArrayBuffer(8 * 60));
      shared.set(rows.flat());
      expect(numbers(fit({ data: shared, rows: 20, cols: 3 }, labels))).toEqual(numbers(fit(dense(rows), labels)));
    });

    it('are unchanged afterwards, and so are labels, sampleWeight and warmStart', () => {
      const { rows, labels } = clouds(4, 40, 4);
      const sampleWeight = rows.map((_, i) => 1 + (i % 3));
      for (const form of [rows, dense(rows), dense(rows, Float32Array), sparse(rows)]) {
        const warmStart = fit(form, labels);
        const before = structuredClone([form, labels, sampleWeight, warmStart.weights]);
        fit(form, labels, { sampleWeight, warmStart, scale: 'standard' });
        fit(form, labels, { sampleWeight, scale: 'none', keepSets: true, stop: stop.gap(1e-6) });
        expect([form, labels, sampleWeight, warmStart.weights]).toEqual(before);
      }
    });
  });

  describe('labels', () => {
    const { rows, labels } = clouds(5, 30, 3, 4);
    const reference = fit(rows, labels);

    it.each([
      ['numbers', labels.map((y) => (y > 0 ? 10 : 9)), [9, 10]],
      ['strings, by code unit', labels.map((y) => (y > 0 ? 'a' : 'Z')), ['Z', 'a']],
      ['booleans', labels.map((y) => y > 0), [false, true]],
      ['typed arrays', Int8Array.from(labels), [-1, 1]],
    ])('as %s give the same model, in the order of model.labels', (_kind, given, names) => {
      const model = LinearSvm.fit<number | string | boolean>(rows, given, { backend });
      expect(model.labels).toEqual(names);
      expect(numbers(model)).toEqual(numbers(reference));
      const side = names[reference.predictOne(rows[0]!) > 0 ? 1 : 0];
      expect(model.predictOne(rows[0]!)).toBe(side);
      expect(new Set(model.predict(rows))).toEqual(new Set<unknown>(names));
    });

    it('exchange sides with options.positive', () => {
      const model = fit(rows, labels, { positive: -1, ...tight });
      expect(model.labels).toEqual([1, -1]);
      expectClose(
        numbers(model),
        numbers(fit(rows, labels, tight)).map((v) => -v),
        1e-5,
      );
      expect(model.predict(rows)).toEqual(reference.predict(rows));
      expect(fit(rows, labels, { positive: 1 }).labels).toEqual([-1, 1]);
    });

    it('0 and -0 are one class', () => {
      const model = fit([[1], [-1], [2]], [0, 1, -0]);
      expect(model.labels).toEqual([0, 1]);
    });
  });

  describe('options gamma, C and mu', () => {
    const { rows, labels } = clouds(6, 50, 4);

    it('default to 1 / mean squared distance from the centre, scaled, and 1 / (2 gamma)', () => {
      // Standardised, each of four columns has a mean squared distance of 1.
      expect(fit(rows, labels).info).toMatchObject({ gamma: 0.25, mu: 2 });
      // Weighted, and with scales by hand; rows of weight 0 do not count.
      const sampleWeight = rows.map((_, i) => i % 4);
      const total = sampleWeight.reduce((a, b) => a + b);
      const largest = rows[0]!.map((_, j) => Math.max(...rows.map((row, i) => (sampleWeight[i] ? Math.abs(row[j]!) : 0))));
      for (const [scale, sizes] of [
        ['none', [1, 1, 1, 1]],
        ['maxabs', largest],
      ] as const) {
        let squares = 0;
        for (let j = 0; j < 4; j++) {
          const values = rows.map((row) => row[j]! / sizes[j]!);
          const mean = values.reduce((s, v, i) => s + sampleWeight[i]! * v, 0) / total;
          squares += values.reduce((s, v, i) => s + sampleWeight[i]! * (v - mean) ** 2, 0) / total;
        }
        for (const form of [rows, sparse(rows), dense(rows, Float32Array)]) {
          const { gamma, mu } = fit(form, labels, { scale, sampleWeight }).info;
          expect(Math.abs(gamma * squares - 1)).toBeLessThan(1e-6);
          expect(mu).toBe(1 / (2 * gamma));
        }
      }
      expect(fit(rows, labels, { method: 'paper' }).info).toMatchObject({ gamma: 64 / 50, mu: 50 / 128 });
      expect(fit(rows, labels, { gamma: 0.25 }).info).toMatchObject({ gamma: 0.25, mu: 2 });
      expect(fit(rows, labels, { gamma: 0.25, mu: 0.125 }).info).toMatchObject({ gamma: 0.25, mu: 0.125 });
    });

    it('C is another name of gamma', () => {
      expect(numbers(fit(rows, labels, { C: 0.5 }))).toEqual(numbers(fit(rows, labels, { gamma: 0.5 })));
      expect(numbers(fit(rows, labels, { C: 0.5, gamma: 0.5 }))).toEqual(numbers(fit(rows, labels, { gamma: 0.5 })));
    });

    it('define the smoothed objective that the model minimises', () => {
      // No neighbour of the model has a smaller P(w, t).
      const [gamma, mu] = [0.7, 0.3];
      const model = fit(rows, labels, { gamma, mu, scale: 'none', stop: stop.gap(1e-12) });
      const primal = (w: number[], t: number) =>
        w.reduce((s, v) => s + (v * v) / 2, 0) +
        rows.reduce((s, row, i) => {
          const theta = labels[i]! * row.reduce((v, x, j) => v + x * w[j]!, t);
          if (theta >= 1) return s;
          return s + (theta <= 1 - mu * gamma ? gamma * (1 - theta) - (mu * gamma * gamma) / 2 : (1 - theta) ** 2 / (2 * mu));
        }, 0);
      const w = [...model.weights];
      const min = primal(w, model.bias);
      expect(Math.abs(min - model.info.primal)).toBeLessThan(1e-9 * min);
      for (const step of [1e-2, 1e-4]) {
        for (let j = 0; j <= w.length; j++) {
          for (const sign of [-1, 1]) {
            const moved = w.map((v, k) => (k === j ? v + sign * step : v));
            expect(primal(moved, model.bias + (j === w.length ? sign * step : 0))).toBeGreaterThan(min - 1e-12 * min);
          }
        }
      }
    });
  });

  describe('model.bias', () => {
    it('is optimal for the weights to the last bits, however early the fit ends', () => {
      const { rows, labels } = clouds(16, 70, 3);
      for (const maxIterations of [1, 2, 3, 8]) {
        const { weights, bias, info } = fit(rows, labels, { scale: 'none', maxIterations, stop: stop.gap(0) });
        const sums = [0, 0] as [number, number]; // of -psi' over either class: equal where the objective is flat in t
        rows.forEach((row, i) => {
          const theta = labels[i]! * row.reduce((s, x, j) => s + x * weights[j]!, bias);
          sums[labels[i]! > 0 ? 1 : 0] += Math.min(Math.max((1 - theta) / info.mu, 0), info.gamma);
        });
        expect(Math.abs(sums[0] - sums[1])).toBeLessThan(1e-13 * (sums[0] + sums[1]));
      }
    });

    it('is the middle of the interval of optimal offsets', () => {
      // With so small a gamma both rows are at their bound for an interval of offsets around the symmetric one.
      const { weights, bias } = fit([[3], [1]], [1, -1], { gamma: 0.01, scale: 'none' });
      expect(weights[0]).toBeCloseTo(0.02, 15);
      expect(bias).toBeCloseTo(-2 * weights[0]!, 15);
    });
  });

  describe('options sampleWeight and classWeight', () => {
    const { rows, labels } = clouds(7, 60, 3);
    const gamma = 1;
    const mu = 0.4;
    const base: SvmOptions<number> = { gamma, mu, scale: 'none', stop: stop.gap(1e-12) };

    it('sampleWeight 0 gives the model without the row', () => {
      const sampleWeight = rows.map((_, i) => (i % 5 === 0 ? 0 : 1));
      const kept = rows.filter((_, i) => i % 5 !== 0);
      const left = fit(
        kept,
        labels.filter((_, i) => i % 5 !== 0),
        base,
      );
      const zero = fit(rows, labels, { ...base, sampleWeight });
      expectClose(numbers(zero), numbers(left), 1e-5);
      expect(Math.abs(zero.info.primal - left.info.primal)).toBeLessThan(1e-9 * left.info.primal);
    });

    it('sampleWeight 2 gives the model with the row twice', () => {
      const twice = fit([...rows, ...rows], [...labels, ...labels], base);
      const weighted = fit(rows, labels, { ...base, sampleWeight: rows.map(() => 2) });
      expectClose(numbers(weighted), numbers(twice), 1e-5);
      expect(Math.abs(weighted.info.primal - twice.info.primal)).toBeLessThan(1e-9 * twice.info.primal);
    });

    it('classWeight multiplies the loss by class: a record, a Map and sampleWeight give the same model', () => {
      const expected = numbers(fit(rows, labels, { ...base, sampleWeight: labels.map((y) => (y > 0 ? 3 : 0.5)) }));
      expect(numbers(fit(rows, labels, { ...base, classWeight: { 1: 3, '-1': 0.5 } }))).toEqual(expected);
      expect(numbers(fit(rows, labels, { ...base, classWeight: new Map([[1, 3], [-1, 0.5]]) }))).toEqual(expected); // prettier-ignore
      const names = labels.map((y) => y > 0);
      expect(
        numbers(LinearSvm.fit(rows, names, { ...(base as SvmOptions), backend, classWeight: { true: 3, false: 0.5 } })),
      ).toEqual(expected);
    });

    it('classWeight is 1 for a class it does not name, and multiplies sampleWeight', () => {
      const sampleWeight = rows.map((_, i) => 1 + (i % 2));
      const both = fit(rows, labels, { ...base, classWeight: { 1: 2 }, sampleWeight });
      const product = sampleWeight.map((v, i) => v * (labels[i]! > 0 ? 2 : 1));
      expect(numbers(both)).toEqual(numbers(fit(rows, labels, { ...base, sampleWeight: product })));
    });

    it("classWeight 'balanced' gives both classes the same total weight", () => {
      const some = [...rows.slice(0, 30), ...rows.slice(30).filter((_, i) => labels[30 + i] === 1)];
      const names = [...labels.slice(0, 30), ...labels.slice(30).filter((y) => y === 1)];
      const [n, positives] = [names.length, names.filter((y) => y === 1).length];
      const expected = fit(some, names, { ...base, classWeight: { 1: n / (2 * positives), '-1': n / (2 * (n - positives)) } });
      expect(numbers(fit(some, names, { ...base, classWeight: 'balanced' }))).toEqual(numbers(expected));
    });
  });

  describe('options.scale', () => {
    const normalised = (kind: 'standard' | 'maxabs', rows: number[][]) => {
      const d = rows[0]!.length;
      const column = (j: number) => rows.map((row) => row[j]!);
      const sizes = Array.from({ length: d }, (_, j) => {
        const values = column(j);
        if (kind === 'maxabs') return Math.max(...values.map(Math.abs));
        const mean = values.reduce((a, b) => a + b) / values.length;
        return Math.sqrt(values.reduce((s, v) => s + (v - mean) ** 2, 0) / values.length);
      });
      return { rows: rows.map((row) => row.map((v, j) => v / sizes[j]!)), sizes };
    };

    it.each(['standard', 'maxabs'] as const)('%s equals scaling by hand, in every form', (kind) => {
      const rows = rounded(clouds(8, 60, 5).rows.map((row) => row.map((v, j) => v * 10 ** j + 3 * j)));
      const labels = clouds(8, 60, 5).labels;
      const byHand = normalised(kind, rows);
      const expected = fit(byHand.rows, labels, { scale: 'none', ...tight });
      const values = expected.decision(byHand.rows);
      for (const form of [rows, dense(rows, Float32Array), sparse(rows), Dataset.from(rows, { backend })]) {
        const model = fit(form, labels, { scale: kind, ...tight });
        expect(model.info.scale).toBe(kind);
        expect(Math.abs(model.info.primal - expected.info.primal)).toBeLessThan(1e-9 * expected.info.primal);
        expectClose(model.decision(rows), values, 1e-5);
        expectClose(
          model.weights.map((w, j) => w * byHand.sizes[j]!),
          expected.weights,
          1e-5,
        );
      }
      // Every step is the same: the weights agree to rounding, not only to the gap.
      const short = { maxIterations: 30, stop: stop.gap(0) };
      const [a, b] = [fit(rows, labels, { scale: kind, ...short }), fit(byHand.rows, labels, { scale: 'none', ...short })];
      expectClose(a.decision(rows), b.decision(byHand.rows), 1e-9);
    });

    it("'auto' is 'standard' for dense points and 'maxabs' for sparse ones", () => {
      const { rows, labels } = clouds(9, 20, 3);
      const scales = [rows, dense(rows), dense(rows, Float32Array), sparse(rows)].map((form) => fit(form, labels).info.scale);
      expect(scales).toEqual(['standard', 'standard', 'standard', 'maxabs']);
      expect(fit(rows, labels, { scale: 'none' }).info.scale).toBe('none');
    });

    it("'standard' does not magnify a constant column whose mean is rounded", () => {
      for (const constant of [0.1, 1e8 / 3, -7, 1e-12]) {
        for (const kind of ['standard', 'maxabs'] as const) {
          const { rows, labels } = clouds(10, 33, 2);
          const wider = rows.map((row) => [...row, constant]);
          const expected = fit(rows, labels, { scale: kind, ...tight });
          for (const form of [wider, dense(wider, Float32Array), sparse(wider)]) {
            const model = fit(form, labels, { scale: kind, ...tight });
            // The value of a point in that column hardly changes its decision.
            const far = model.decision([[0, 0, 0], [0, 0, 2 * constant]]); // prettier-ignore
            expect(Math.abs(far[0]! - far[1]!)).toBeLessThan(1e-6);
            expectClose(model.weights.subarray(0, 2), expected.weights, 1e-4);
          }
        }
      }
    });

    it("'standard' gives the same weights after a common shift of up to 1e8", () => {
      const { rows, labels } = clouds(11, 40, 3);
      const moved = rows.map((row) => row.map((v) => v + 1e8));
      const [a, b] = [fit(rows, labels, tight), fit(moved, labels, tight)];
      expectClose(b.weights, a.weights, 1e-5);
      expectClose(b.decision(moved), a.decision(rows), 1e-5);
    });
  });

  describe('options.warmStart', () => {
    const { rows, labels } = cancer;
    const options: SvmOptions<number> = { stop: stop.gap(1e-6) };
    const cold = fit(rows, labels, options);

    it('from the same problem takes at most a quarter of the iterations', () => {
      const warm = fit(rows, labels, { ...options, warmStart: cold });
      expect(warm.info.status).toBe('gap');
      expect(warm.info.iterations).toBeLessThanOrEqual(cold.info.iterations / 4);
    });

    it('needs only weights and bias: a model from JSON gives the same fit', () => {
      const warmStart = LinearSvm.fromJSON(JSON.parse(JSON.stringify(cold)));
      const warm = fit(rows, labels, { ...options, warmStart });
      expect(numbers(warm)).toEqual(numbers(fit(rows, labels, { ...options, warmStart: cold })));
      expect(numbers(warm)).toEqual(
        numbers(fit(rows, labels, { ...options, warmStart: { weights: [...cold.weights], bias: cold.bias } })),
      );
    });

    it('from another gamma, or from arbitrary weights, leads to the same optimum', () => {
      const other = { gamma: 0.5, stop: stop.gap(1e-9) };
      const expected = fit(rows, labels, other);
      const nonsense = { weights: cold.weights.map((w) => -1e3 * w), bias: 1e9 };
      for (const warmStart of [cold, nonsense, { weights: new Float64Array(30).fill(1e300), bias: -1e300 }]) {
        const warm = fit(rows, labels, { ...other, warmStart });
        expect(warm.info.status).toBe('gap');
        expect(Math.abs(warm.info.primal - expected.info.primal)).toBeLessThan(1e-8 * expected.info.primal);
      }
    });
  });

  describe('model.info', () => {
    const { rows, labels } = cancer;

    it('has every field, and its numbers are consistent', () => {
      const { info } = fit(rows, labels, { keepSets: true });
      expect(Object.keys(info).sort()).toEqual(
        ['L', 'agreed', 'alpha', 'atBound', 'backend', 'dual', 'elapsed', 'gamma', 'gap', 'iterations', 'loss', 'method', 'mu', 'passes', 'primal', 'properlyClassified', 'relativeGap', 'rows', 'scale', 'sets', 'shares', 'stages', 'status', 'threads', 'zero'].sort(), // prettier-ignore
      );
      expect(info).toMatchObject({
        status: 'agreement',
        rows: 569,
        scale: 'standard',
        backend,
        loss: 'hinge',
        gamma: Math.fround(1 / 30),
      });
      expect(info.mu).toBe(1 / (2 * info.gamma));
      expect(info.dual).toBe(info.primal - info.gap);
      expect(info.relativeGap).toBe(info.gap / info.primal);
      expect(info.gap).toBeGreaterThanOrEqual(0);
      for (const name of ['agreed', 'properlyClassified', 'zero', 'atBound'] as const) {
        expect(info.shares[name]).toBe(info[name] / 569);
        expect(info.sets![name].length).toBe(info[name]);
      }
      expect(info.agreed).toBeGreaterThanOrEqual(0.99 * 569);
      expect(info.L).toBeGreaterThan(info.mu);
      expect(info.elapsed).toBeGreaterThan(0);
      expect(info.threads).toBeGreaterThanOrEqual(1);
      const { info: plain } = fit(rows, labels);
      expect([plain.sets, plain.alpha]).toEqual([undefined, undefined]);
    });

    it.each(['none', 'standard'] as const)('has with keepSets a feasible alpha that gives the weights, scale %s', (scale) => {
      const weights = rows.map((_, i) => 0.5 + (i % 4));
      const { info, ...model } = fit(rows, labels, {
        keepSets: true,
        scale,
        sampleWeight: weights,
        stop: stop.gap(1e-7),
        maxIterations: 300,
      });
      const { alpha, sets } = info as Required<typeof info>;
      let balance = 0;
      let sum = 0;
      const w = new Float64Array(30);
      alpha.forEach((a, i) => {
        expect(a).toBeGreaterThanOrEqual(0);
        expect(a).toBeLessThanOrEqual(info.gamma * weights[i]!);
        balance += labels[i]! * a;
        sum += a;
        rows[i]!.forEach((x, j) => (w[j]! += labels[i]! * a * x));
      });
      expect(Math.abs(balance)).toBeLessThan(1e-13 * sum);
      // In scaled space: w̃_j = Σ y alpha x_j / s_j, and weights_j = w̃_j / s_j.
      const spread = (j: number) => {
        if (scale === 'none') return 1;
        const total = weights.reduce((a, b) => a + b);
        const mean = rows.reduce((s, row, i) => s + weights[i]! * row[j]!, 0) / total;
        return Math.sqrt(rows.reduce((s, row, i) => s + weights[i]! * (row[j]! - mean) ** 2, 0) / total);
      };
      const size = rows[0]!.map((_, j) => alpha.reduce((s, a, i) => s + a * Math.abs(rows[i]![j]!), 0));
      model.weights.forEach((value, j) => {
        const s = spread(j) ** 2;
        expect(Math.abs(value - w[j]! / s)).toBeLessThan((1e-11 * size[j]!) / s);
      });
      // alpha of a row certified as zero or at its bound is there, or nearly so; the sets ascend and do not overlap.
      for (const set of Object.values(sets)) expect([...set]).toEqual([...set].sort((a, b) => a - b));
      for (const i of sets.zero) expect(alpha[i]!).toBeLessThan(1e-2 * info.gamma);
      const zero = new Set(sets.zero);
      const proper = new Set(sets.properlyClassified);
      for (const i of sets.atBound) expect(zero.has(i) || proper.has(i)).toBe(false);
      for (const i of zero) expect(proper.has(i)).toBe(true);
      if (scale === 'standard') expect(zero.size).toBeGreaterThan(300);
    });
  });

  describe('ends', () => {
    const { rows, labels } = cancer;

    it('by default with the first of agreement and gap', () => {
      expect(fit(rows, labels).info.status).toBe('agreement');
      // The same point in both classes: no row can ever be agreed.
      const { info } = fit([[1], [1]], [1, -1]);
      expect(info).toMatchObject({ status: 'gap', agreed: 0 });
    });

    it("with 'gap' at a relative gap of at most that of stop.gap(relative)", () => {
      for (const relative of [1e-1, 1e-3, 1e-6]) {
        const { info } = fit(rows, labels, { stop: stop.gap(relative) });
        expect(info.status).toBe('gap');
        expect(info.relativeGap).toBeLessThanOrEqual(relative);
      }
    });

    it("with 'stale' by stop.stale(), with a check at every iteration", () => {
      const seen: number[] = [];
      const { info } = fit(rows, labels, { stop: stop.stale(), onProgress: ({ iteration }) => seen.push(iteration) });
      expect(info.status).toBe('stale');
      expect(info.properlyClassified).toBeGreaterThan(0);
      expect(seen).toEqual(Array.from({ length: info.iterations }, (_, k) => k + 1));
    });

    it("with 'stale' after about 831 iterations of method: 'paper'", () => {
      const { info } = fit(rows, labels, { method: 'paper' });
      expect(info.status).toBe('stale');
      expect(info.iterations).toBeGreaterThan(831 * 0.95);
      expect(info.iterations).toBeLessThan(831 * 1.05);
    });

    it("with 'precision' once rounding is most of the gap", () => {
      const { info } = fit(rows, labels, { stop: stop.gap(0) });
      expect(info.status).toBe('precision');
      expect(info.relativeGap).toBeLessThan(1e-10);
    });

    it("with 'max-iterations' after a last check", () => {
      for (const maxIterations of [1, 2, 7]) {
        const seen: number[] = [];
        const { info } = fit(rows, labels, {
          maxIterations,
          solver: { checkEvery: 5 },
          stop: stop.gap(1e-9),
          onProgress: (p) => seen.push(p.iteration),
        });
        expect(info).toMatchObject({ status: 'max-iterations', iterations: maxIterations });
        expect(seen).toEqual(maxIterations === 7 ? [5, 7] : [maxIterations]);
        expect(info.gap).toBeGreaterThan(0);
        expect(info.primal).toBeGreaterThan(info.dual);
      }
    });

    it("with 'time-limit' after at most one iteration if the time is over", () => {
      const { info } = fit(rows, labels, { timeLimit: 1e-6, stop: stop.gap(1e-9) });
      expect(info.status).toBe('time-limit');
      expect(info.iterations).toBeLessThanOrEqual(1); // 0 if the machine is so busy that the first iteration was interrupted
      expect(fit(rows, labels, { timeLimit: 1e9 }).info.status).toBe('agreement');
    });

    it('with the first of several rules that is met', () => {
      const one = fit(rows, labels, { stop: [stop.gap(1e-9), stop.agreement(0.5)] }).info;
      expect(one.status).toBe('agreement');
      const other = fit(rows, labels, { stop: [stop.gap(0.5), stop.agreement(1)] }).info;
      expect(other.status).toBe('gap');
    });

    it('with the status of a rule of the user, started anew for each fit', () => {
      const seen: number[] = [];
      const third: StopRule = {
        name: 'third',
        everyIteration: true,
        start: () => {
          let count = 0;
          return (check) => {
            seen.push(check.iteration);
            expect(check.rows).toBe(569);
            return ++count === 3 ? 'stale' : undefined;
          };
        },
      };
      expect(fit(rows, labels, { stop: third }).info).toMatchObject({ status: 'stale', iterations: 3 });
      expect(fit(rows, labels, { stop: [third, stop.gap(1e-9)] }).info.iterations).toBe(3); // a new count
      expect(seen).toEqual([1, 2, 3, 1, 2, 3]);
    });

    it('by throwing the reason of an aborted signal', () => {
      const reason = { why: 'because' };
      expect(thrown(() => fit(rows, labels, { signal: AbortSignal.abort(reason) }))).toBe(reason);
      const controller = new AbortController();
      let calls = 0;
      const onProgress = () => {
        calls++;
        controller.abort(reason);
      };
      expect(thrown(() => fit(rows, labels, { signal: controller.signal, onProgress }))).toBe(reason);
      expect(calls).toBe(1);
    });

    it('by throwing what onProgress throws, unchanged', () => {
      for (const error of [new Error('mine'), 'text', undefined]) {
        const onProgress = () => {
          throw error; // eslint-disable-line @typescript-eslint/only-throw-error -- users may throw anything
        };
        expect(thrown(() => fit(rows, labels, { onProgress }))).toBe(error);
      }
      expect(fit(rows, labels).info.status).toBe('agreement'); // the next fit works
    });
  });

  describe('options checkEvery and onProgress', () => {
    it('report every checkEvery iterations, with consistent numbers', () => {
      for (const checkEvery of [1, 3, 10]) {
        const seen: SvmProgress[] = [];
        const { info } = fit(cancer.rows, cancer.labels, { solver: { checkEvery }, onProgress: (p) => seen.push(p) });
        expect(seen.map((p) => p.iteration)).toEqual(seen.map((_, k) => (k + 1) * checkEvery));
        seen.forEach((p, k) => {
          expect(p.dual).toBe(p.primal - p.gap);
          expect(p.relativeGap).toBe(p.gap / p.primal);
          expect(p.shares.agreed).toBe(p.agreed / p.rows);
          expect(p.passes).toBeGreaterThan(k ? seen[k - 1]!.passes : 0);
          expect(p.elapsed).toBeGreaterThanOrEqual(k ? seen[k - 1]!.elapsed : 0);
          // What is certified stays certified.
          for (const name of ['properlyClassified', 'zero', 'atBound'] as const) {
            expect(p[name]).toBeGreaterThanOrEqual(k ? seen[k - 1]![name] : 0);
          }
        });
        const last = seen.at(-1)!;
        expect(info.iterations).toBe(last.iteration);
        expect(info.gap).toBeLessThanOrEqual(last.gap * (1 + 1e-9)); // the final offset is optimal
        expect(info.passes).toBe(last.passes);
      }
    });
  });

  describe('the model', () => {
    it('is bit-identical from run to run and for 1, 2, 3 and 7 threads', () => {
      const { rows, labels } = clouds(12, 6000, 20);
      for (const form of [dense(rows), dense(rows, Float32Array), sparse(rows.map((row) => row.map((v) => (v > 0.5 ? v : 0))))]) {
        const [first, ...others] = [1, 1, 2, 3, 7].map((threads) => {
          const { info, ...model } = fit(form, labels, { threads, keepSets: true, maxIterations: 25 });
          return { ...model, ...info, elapsed: 0, threads: 0 };
        });
        for (const other of others) expect(other).toEqual(first);
      }
    });
  });

  describe('on wdbc', () => {
    it('reaches 99 % agreement within 30 passes', () => {
      for (const options of [{}, { gamma: 64 / 569 }]) {
        const { info } = fit(cancer.rows, cancer.labels, { scale: 'standard', ...options });
        expect(info.status).toBe('agreement');
        expect(info.passes).toBeLessThanOrEqual(30);
        expect(info.iterations).toBeLessThanOrEqual(75);
      }
    });

    it.each([
      [1e-3, 64 / 569, 24],
      [1e-6, 64 / 569, 31],
      [1e-3, 1024 / 569, 44],
    ])('reaches gap %f with gamma %s in at most 15 %% over %i passes', (relative, gamma, passes) => {
      const { info } = fit(cancer.rows, cancer.labels, { stop: stop.gap(relative), gamma });
      expect(info.status).toBe('gap');
      expect(info.passes).toBeLessThanOrEqual(passes * 1.15);
    });

    it("reaches 99 % agreement with stepSize: 'norm' after about 178 iterations", () => {
      const { info } = fit(cancer.rows, cancer.labels, { gamma: 64 / 569, solver: { stepSize: 'norm', checkEvery: 1 } });
      expect(info.iterations).toBeGreaterThan(178 * 0.9);
      expect(info.iterations).toBeLessThan(178 * 1.1);
    });
  });

  describe('takes edge cases:', () => {
    it('one row of each class', () => {
      const { weights, bias, info } = fit([[1, 0], [-1, 0]], [1, -1], { scale: 'none', stop: stop.gap(1e-9) }); // prettier-ignore
      expect(info.status).toBe('gap');
      // gamma is 1 and mu 1/2: w²/2 + 2 (1 - w)² is least at 0.8.
      expect(info.gamma).toBe(1);
      expect(weights[0]).toBeCloseTo(0.8, 4);
      expect([weights[1], bias]).toEqual([0, 0]);
    });

    it('no columns, with only a bias as the model', () => {
      for (const form of [
        [[], [], []],
        { data: new Float64Array(0), rows: 3, cols: 0 },
        { indptr: [0, 0, 0, 0], indices: [], rows: 3, cols: 0 },
      ]) {
        const model = fit(form, [1, -1, 1]);
        expect(model.weights.length).toBe(0);
        expect(model.bias).toBeGreaterThan(0); // the larger class
        expect(model.predict(form)).toEqual([1, 1, 1]);
        expect(model.info.passes).toBe(0);
      }
    });

    it('no stored entries, with weights of 0', () => {
      const model = fit({ indptr: [0, 0, 0], indices: [], rows: 2, cols: 5 }, [1, -1]);
      expect([...model.weights]).toEqual([0, 0, 0, 0, 0]);
    });

    it('3000 columns and 12 rows, separated to a small gap', () => {
      const { rows, labels } = clouds(13, 12, 3000);
      for (const form of [rows, dense(rows, Float32Array), sparse(rows)]) {
        const model = fit(form, labels, { stop: stop.gap(1e-6) });
        expect(model.info.status).toBe('gap');
        expect(model.score(rows, labels).accuracy).toBe(1);
      }
    });

    it('the same points in both classes, with none agreed', () => {
      const rows = [[1, 2], [1, 2], [1, 2], [3, 4], [3, 4], [3, 4]]; // prettier-ignore
      const { info } = fit(rows, [1, -1, 1, -1, 1, -1], { stop: stop.gap(1e-9) });
      expect(info.status).toBe('gap');
      expect(fit([[5], [5]], [1, -1]).info.agreed).toBe(0);
    });

    it.each([1e300, 1e-300, 1e160, 1e-160])('values around %d, whose scaled weights are the usual ones', (size) => {
      const rows = [[1, 3], [2, 1], [-1, 2], [-2, 5], [0.5, 1], [-0.25, 1]]; // prettier-ignore
      const labels = [1, 1, -1, -1, 1, -1];
      for (const scale of ['maxabs', 'standard'] as const) {
        const plain = fit(rows, labels, { scale: 'maxabs', ...tight });
        const big = fit(
          rows.map((row) => row.map((v) => v * size)),
          labels,
          { scale, ...tight },
        );
        expect(big.info.status).toBe('gap');
        expectClose(
          big.weights.map((w) => w * size),
          plain.weights,
          1e-5,
        );
      }
    });

    it('values whose squares overflow, with an error', () => {
      for (const size of [1e160, 1e200, 1e308]) {
        expect(() => fit([[size], [-size], [size / 2]], [1, -1, 1], { scale: 'none' })).toThrow('overflow');
      }
      const max = Number.MAX_VALUE;
      expect(() => fit([[max], [-max], [-max], [max], [max]], [1, -1, 1, -1, 1])).toThrow('overflow');
    });

    it('values whose squares underflow, with a positive weight', () => {
      const { weights, info } = fit([[1e-300], [-1e-300]], [1, -1], { scale: 'none' });
      expect(info.status).toBe('gap');
      expect(weights[0]).toBeGreaterThan(0);
    });

    it('-0, as 0, without giving -0', () => {
      const rows = [[0, 1], [-0, 2], [0, -1], [-0, -3]]; // prettier-ignore
      const labels = [1, 1, -1, -1];
      const model = fit(rows, labels);
      expect(numbers(model)).toEqual(
        numbers(
          fit(
            rows.map((row) => row.map((v) => v + 0)),
            labels,
          ),
        ),
      );
      for (const value of numbers(model)) expect(Object.is(value, -0)).toBe(false);
    });

    it('extreme gammas, mus and weights, with finite numbers', () => {
      const { rows, labels } = clouds(14, 12, 2);
      for (const options of [
        { gamma: 1e-100 },
        { gamma: 1e100 },
        { mu: 1e-100 },
        { mu: 1e100 },
        { gamma: 1e9 },
        { sampleWeight: rows.map((_, i) => 10 ** (i - 6)) },
      ]) {
        const { info, ...model } = fit(rows, labels, { ...options, maxIterations: 300 });
        for (const value of [...model.weights, model.bias, info.primal, info.gap, info.L])
          expect(Number.isFinite(value)).toBe(true);
      }
    });

    it('random degenerate points, with finite numbers', () => {
      const value = fc.oneof(fc.constantFrom(0, -0, 1, -1, 1e-300, 1e8, 0.1), fc.double({ min: -10, max: 10, noNaN: true }));
      fc.assert(
        fc.property(
          fc
            .integer({ min: 0, max: 4 })
            .chain((d) => fc.array(fc.array(value, { minLength: d, maxLength: d }), { minLength: 2, maxLength: 12 })),
          fc.constantFrom(1 / 64, 1, 64, 4096),
          fc.constantFrom('none', 'standard', 'maxabs'),
          (rows, gamma, scale) => {
            const labels = rows.map((_, i) => i % 2);
            const { info, ...model } = fit(rows, labels, { gamma: gamma / rows.length, scale, maxIterations: 200 });
            for (const number of [...model.weights, model.bias, info.primal, info.gap]) expect(Number.isFinite(number)).toBe(true);
          },
        ),
        { numRuns: 100 },
      );
    });
  });
});

describe.each(BACKENDS)('LinearSvm.fit(points, labels) on data far from the origin, %s', (backend) => {
  // Sparse data are not centred: the offset is as large as the data.
  it.each([1e4, 1e6, -1e6])('takes at most twice the iterations of centred data, sparse, mean %d', (mean) => {
    const { rows, labels } = clouds(11, 60, 2);
    const far = sparse(rows.map((row) => row.map((x) => x + mean)));
    const near = LinearSvm.fit(rows, labels, { backend, scale: 'none', solver: { shrinking: false } });
    const { status, iterations } = LinearSvm.fit(far, labels, { backend, scale: 'none', solver: { shrinking: false } }).info;
    expect(status).toBe(near.info.status);
    expect(iterations).toBeLessThanOrEqual(2 * near.info.iterations);
  });

  it('centres a Float64Array of another realm', () => {
    const { rows, labels } = clouds(11, 60, 2);
    const own = dense(rows.map((row) => row.map((x) => x + 1e8)));
    const foreign = (runInNewContext('Float64Array') as Float64ArrayConstructor).from(own.data);
    expect(numbers(LinearSvm.fit({ ...own, data: foreign }, labels, { backend }))).toEqual(
      numbers(LinearSvm.fit(own, labels, { backend })),
    );
  });
});

describe('model.info.passes', () => {
  /** Counts the entries that the TypeScript kernels read, independently of `problem.read`. */
  function counter() {
    let read = 0;
    let first = true;
    const entries = (X: Matrix, row: Uint32Array, begin: number, end: number, u?: Float64Array) => {
      for (let p = begin; p < end; p++) if (!u || u[p] !== 0) read += X.entries(row[p]!);
    };
    const { start } = NewtonSystem.prototype; // eslint-disable-line @typescript-eslint/unbound-method -- called with its own `this`
    const { multiplyRows, combineRows, dotRow, addRow } = Matrix.prototype; // eslint-disable-line @typescript-eslint/unbound-method -- called with their own `this`
    vi.spyOn(Matrix.prototype, 'multiplyRows').mockImplementation(function (this: Matrix, row, begin, end, w, out) {
      if (!first) entries(this, row, begin, end); // the first call measures the rows, as part of the copy
      first = false;
      return multiplyRows.call(this, row, begin, end, w, out);
    });
    vi.spyOn(Matrix.prototype, 'combineRows').mockImplementation(function (this: Matrix, row, begin, end, u, out) {
      entries(this, row, begin, end, u);
      return combineRows.call(this, row, begin, end, u, out);
    });
    vi.spyOn(NewtonSystem.prototype, 'start').mockImplementation(function (this: NewtonSystem, right) {
      read += this.read; // what the preconditioner read
      return start.call(this, right);
    });
    vi.spyOn(Matrix.prototype, 'dotRow').mockImplementation(function (this: Matrix, i, w) {
      read += this.entries(i);
      return dotRow.call(this, i, w);
    });
    vi.spyOn(Matrix.prototype, 'addRow').mockImplementation(function (this: Matrix, i, c, factor, out) {
      read += this.entries(i);
      addRow.call(this, i, c, factor, out);
    });
    return () => read;
  }

  it.each([
    ['by default', {}],
    ['by FISTA alone', { method: 'fista' }],
    ['without shrunk rows', { method: 'fista', solver: { shrinking: false } }],
    ['with the norm', { solver: { stepSize: 'norm' } }],
    ['to a small gap', { stop: stop.gap(1e-8) }],
    ['with checks at every iteration', { solver: { checkEvery: 1 } }],
    ['from a warm start', { warmStart: { weights: new Float64Array(30).fill(0.1), bias: 0 } }],
  ] as [string, SvmOptions<number>][])('counts the entries that the kernels read, on both backends, %s', (_name, options) => {
    for (const form of [cancer.rows, sparse(cancer.rows)]) {
      const count = counter();
      const js = LinearSvm.fit(form, cancer.labels, { ...options, backend: 'js' });
      const stored = form === cancer.rows ? 569 * 30 : (form as { indices: Uint32Array }).indices.length;
      expect(js.info.passes).toBe(count() / (2 * stored));
      vi.restoreAllMocks();
      const native = LinearSvm.fit(form, cancer.labels, { ...options, backend: names[0]! });
      expect(native.info.iterations).toBe(js.info.iterations);
      expect(Math.abs(native.info.passes - js.info.passes)).toBeLessThan(0.01 * js.info.passes);
    }
  });

  it('counts half a pass for each product over all rows', () => {
    // One step from alpha = 0. Xᵀu reads only rows with alpha > 0; the two other products read every row.
    const { rows, labels } = clouds(15, 40, 5, 0);
    for (const backend of BACKENDS) {
      const { info } = LinearSvm.fit(rows, labels, { backend, method: 'fista', maxIterations: 1, keepSets: true });
      const positive = info.alpha!.filter((a) => a > 0).length;
      expect(info.passes).toBe(0.5 + 0.5 * (positive / 40) + 0.5);
    }
  });

  it('falls with shrinking, for the same answer', () => {
    const [shrinking, active] = [true, false].map(
      (shrinking) =>
        LinearSvm.fit(cancer.rows, cancer.labels, { method: 'fista', solver: { shrinking }, stop: stop.gap(1e-6) }).info,
    );
    expect(shrinking!.passes).toBeLessThan(0.6 * active!.passes);
    expect(Math.abs(shrinking!.primal - active!.primal)).toBeLessThan(2e-6 * active!.primal);
  });
});

describe('LinearSvm.fit with the measured curvature', () => {
  /** With 20 random points in 10 dimensions and gamma = 4096 / n, many steps are rejected repeatedly. */
  it('converges after it falls back to the norm, for good and with all rows active', () => {
    const { perform } = Svm.prototype; // eslint-disable-line @typescript-eslint/unbound-method -- called with its own `this`
    let calls: string[] = [];
    vi.spyOn(Svm.prototype, 'perform').mockImplementation(function (this: Svm, ...call) {
      calls.push(call[0]);
      return perform.apply(this, call);
    });
    let reached = 0;
    for (let seed = 1; seed <= 30; seed++) {
      const { rows, labels } = clouds(seed, 20, 10, 0);
      calls = [];
      const options: SvmOptions<number> = { method: 'fista', gamma: 4096 / 20, scale: 'none', stop: stop.gap(1e-7) };
      const { info } = LinearSvm.fit(rows, labels, { ...options, backend: 'js' });
      expect(info.status).toBe('gap');
      if (!calls.includes('unshrink')) continue;
      reached++;
      expect(calls.filter((name) => name === 'unshrink').length).toBe(1);
      expect(calls.filter((name) => name === 'power').length).toBeGreaterThan(10);
      expect(calls.lastIndexOf('shrink')).toBeLessThan(calls.indexOf('unshrink')); // no row is shrunk from then on
      expect(info.iterations).toBeLessThan(2000);
      const native = LinearSvm.fit(rows, labels, { ...options, backend: names[0]! }).info;
      expect(native.status).toBe('gap');
      expect(Math.abs(native.primal - info.primal)).toBeLessThan(2e-7 * info.primal);
      const norm = LinearSvm.fit(rows, labels, { ...options, solver: { stepSize: 'norm' } }).info;
      expect(Math.abs(norm.primal - info.primal)).toBeLessThan(2e-7 * info.primal);
    }
    expect(reached).toBeGreaterThan(3);
  });

  it('converges within 1000 iterations on 10 separable points in 60 dimensions', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { rows, labels } = clouds(seed, 10, 60, 3);
      const { info } = LinearSvm.fit(rows, labels, { gamma: 4096 / 10, scale: 'none', stop: stop.gap(1e-7) });
      expect(info.status).toBe('gap');
      expect(info.iterations).toBeLessThan(1000);
    }
  });
});

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
