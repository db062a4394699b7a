import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Backend, type Matrix } from '../../lib/backend/interface.js';
import { svmTasks } from '../../lib/backend/tasks.js';
import { run } from '../../lib/solver/drivers.js';
import { solveSvm, type LoopCheck } from '../../lib/svm/solve.js';
import { Dataset, LinearSvm, stop, type BackendName, type Points, type SvmOptions } from '../../lib/index.js';
import { normal, random } from '../support/random.js';
import { binary, clouds, dense, sparse, wdbc } from '../support/svm-data.js';
import { compiled, js, kernelsInC, names } from '../support/backends.js';
import { methods } from '../support/methods.js';

const cancer = wdbc();
const ones = (rows: number[][]): Points => {
  const { indptr, indices, cols } = sparse(rows);
  return { indptr, indices, rows: rows.length, cols };
};

function both(name: BackendName, points: Points, labels: number[], options: SvmOptions<number>) {
  return [name, 'js' as const].map((backend) => LinearSvm.fit(points, labels, { ...options, backend }));
}

/** |a - b| / |a| */
function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const size = Math.hypot(...Array.from(a));
  return Math.hypot(...Array.from(a, (v, j) => v - b[j]!)) / (size || 1);
}

describe.each(compiled)('LinearSvm.fit on wdbc, %s and js', (backend) => {
  const forms: [string, Points, number[]][] = [
    ['rows', cancer.rows, cancer.labels],
    ['dense f64', dense(cancer.rows), cancer.labels],
    ['dense f32', dense(cancer.rows, Float32Array), cancer.labels],
    ['sparse f64', sparse(cancer.rows), cancer.labels],
    ['sparse f32', sparse(cancer.rows, Float32Array), cancer.labels],
    [
      'sparse ones, made by thresholds',
      ones(cancer.rows.map((row) => row.map((v, j) => (v > cancer.rows[7]![j]! ? 1 : 0)))),
      cancer.labels,
    ],
  ];

  for (const [name, form, labels] of forms) {
    it.each(['standard', 'maxabs', 'none'] as const)(`agree on ${name}, scale %s, iteration by iteration`, (scale) => {
      // Raw columns differ by six decades: agreement takes long there, and 60 iterations are enough to compare.
      const options: SvmOptions<number> =
        scale === 'none' && !name.includes('ones') ? { scale, maxIterations: 60, stop: stop.gap(1e-3) } : { scale };
      const [native, js] = both(backend, form, labels, { ...options, keepSets: true });
      expect(native!.info.iterations).toBe(js!.info.iterations);
      expect(native!.info.status).toBe(js!.info.status);
      expect(distance(native!.weights, js!.weights)).toBeLessThan(1e-9);
      expect(Math.abs(native!.bias - js!.bias)).toBeLessThan(1e-9 * (1 + Math.abs(js!.bias)));
      for (const key of ['agreed', 'properlyClassified', 'zero', 'atBound'] as const) {
        expect(Math.abs(native!.info[key] - js!.info[key])).toBeLessThanOrEqual(1);
      }
      expect(Math.abs(native!.info.primal - js!.info.primal)).toBeLessThan(1e-9 * js!.info.primal);
    });
  }

  it.each([
    ['stepSize: norm', { solver: { stepSize: 'norm' }, maxIterations: 40 }],
    ['stepSize: paper', { solver: { stepSize: 'paper' }, maxIterations: 40 }],
    ['shrinking: false', { solver: { shrinking: false } }],
    ['checkEvery: 1', { solver: { checkEvery: 1 } }],
    ['windows', { solver: { window: 100 } }],
    ['weights', { classWeight: 'balanced', sampleWeight: cancer.rows.map((_, i) => i % 3) }],
    ['warmStart', { warmStart: { weights: new Float64Array(30).fill(0.01), bias: -3 } }],
    ['gamma and mu', { gamma: 0.01, mu: 3 }],
  ] as [string, SvmOptions<number>][])('agree with %s', (_name, options) => {
    const [native, js] = both(backend, cancer.rows, cancer.labels, options);
    expect(native!.info.iterations).toBe(js!.info.iterations);
    expect(distance(native!.weights, js!.weights)).toBeLessThan(1e-9);
  });
});

describe.each(compiled)('LinearSvm.fit on random data, %s and js', (backend) => {
  const sample = fc.record({
    seed: fc.integer({ min: 1, max: 1e9 }),
    n: fc.integer({ min: 2, max: 120 }),
    d: fc.integer({ min: 1, max: 20 }),
    distance: fc.constantFrom(0, 1, 5),
    gamma: fc.constantFrom(0.25, 4, 64, 1024),
    scale: fc.constantFrom('none', 'standard', 'maxabs'),
    stepSize: fc.constantFrom('measured', 'norm'),
    form: fc.constantFrom('f64', 'f32', 'sparse', 'ones'),
  });

  it('end at most one check apart, and then agree within the gap', () => {
    fc.assert(
      fc.property(sample, ({ seed, n, d, distance, gamma, scale, form, stepSize }) => {
        const { rows, labels } = form === 'ones' ? binary(seed, n, d) : clouds(seed, n, d, distance);
        fc.pre(new Set(labels).size === 2);
        const points =
          form === 'f64' ? rows : form === 'f32' ? dense(rows, Float32Array) : form === 'ones' ? ones(rows) : sparse(rows);
        const options: SvmOptions<number> = {
          gamma: gamma / n,
          scale,
          stop: stop.gap(1e-5),
          maxIterations: 3000,
          solver: { stepSize },
        };
        const [native, js] = both(backend, points, labels, options);
        // Far above the default gamma a fit takes hundreds of iterations, and one bit can decide whether a step is accepted with
        // the measured curvature; with the norm every step is.
        if (gamma <= 64 || stepSize === 'norm')
          expect(Math.abs(native!.info.iterations - js!.info.iterations)).toBeLessThanOrEqual(5);
        // The optimum is between the dual and the primal of either backend, up to rounding, and |w - w*|² <= gap.
        const rounding = 1e-13 * js!.info.primal;
        expect(native!.info.primal).toBeGreaterThanOrEqual(js!.info.dual - rounding);
        expect(js!.info.primal).toBeGreaterThanOrEqual(native!.info.dual - rounding);
        if (scale === 'none') {
          const apart = Math.hypot(...native!.weights.map((w, j) => w - js!.weights[j]!));
          expect(apart).toBeLessThanOrEqual(Math.sqrt(native!.info.gap) + Math.sqrt(js!.info.gap) + 1e-13);
        }
      }),
      { numRuns: 300, seed: 20251203 },
    );
  });
});

describe.runIf(kernelsInC.length > 0)('solveSvm at every SIMD level', () => {
  /** Runs solveSvm directly, since no option chooses the SIMD level. */
  function fitWith(
    { Matrix, Svm }: Backend,
    copy: (M: Backend['Matrix']) => Matrix,
    labels: number[],
    scale: number,
    ascent: boolean,
  ) {
    const matrix = copy(Matrix);
    matrix.centre(2);
    const { rows, cols } = matrix.describe();
    const gamma = 64 / rows;
    const problem = new Svm(matrix, Int8Array.from(labels), Float64Array.of(1), scale, 2);
    let last: LoopCheck | undefined;
    const loop = solveSvm(problem, svmTasks(problem), {
      scaled: true,
      L: 'measured',
      shrinking: true,
      ...(ascent ? methods('ascent', 'fista') : methods('fista')),
      certify: 'always',
      checkEvery: 5,
      maxIterations: 1000,
      known: { n: rows, d: cols },
      regularize: () => ({ gamma, bound: gamma, mu: 1 / (2 * gamma) }),
      decide: (check) => ((last = check).agreed >= 0.99 * rows ? 'agreement' : undefined),
      holds: () => true,
      expired: () => false,
    });
    const { status } = run(loop);
    const weights = new Float64Array(cols);
    problem.weights(weights);
    problem.dispose();
    matrix.dispose();
    return { status, iterations: last!.iteration, weights };
  }

  const never = () => {
    throw new Error('the data are fine');
  };
  const wide = clouds(5, 300, 77);
  const forms: [string, (M: Backend['Matrix']) => Matrix, number[]][] = [
    ['dense f64', (M) => new M(never, 2, dense(cancer.rows).data, 569, 30), cancer.labels],
    ['dense f32', (M) => new M(never, 2, dense(cancer.rows, Float32Array).data, 569, 30), cancer.labels],
    ['dense f64, 77 columns', (M) => new M(never, 2, dense(wide.rows).data, 300, 77), wide.labels],
    // Up to four vectors of any level, the last of them whole or not.
    ...Array.from({ length: 33 }, (_, k): [string, (M: Backend['Matrix']) => Matrix, number[]] => {
      const { rows, labels } = clouds(k + 1, 120, k + 1);
      return [`dense f32, ${k + 1} columns`, (M) => new M(never, 2, dense(rows, Float32Array).data, 120, k + 1), labels];
    }),
    [
      'sparse f64',
      (M) => {
        const { indptr, indices, values, rows, cols } = sparse(cancer.rows);
        return new M(never, 2, indptr as Uint32Array, indices as Uint32Array, values as Float64Array, rows, cols);
      },
      cancer.labels,
    ],
  ];

  it.each(kernelsInC)('$name, $simd takes the same steps as the TypeScript kernels', (native) => {
    for (const [name, copy, labels] of forms) {
      for (const ascent of [true, false]) {
        const [a, b] = [fitWith(native, copy, labels, 1, ascent), fitWith(js, copy, labels, 1, ascent)];
        expect(a.status, name).toBe(b.status);
        expect(a.iterations, name).toBe(b.iterations);
        expect(distance(a.weights, b.weights), name).toBeLessThan(1e-9);
      }
    }
  });
});

describe('LinearSvm.fit(dataset, labels)', () => {
  it('gives the model of the points, bit for bit, also when the Dataset is used again', () => {
    for (const name of names) {
      for (const points of [dense(cancer.rows), sparse(cancer.rows)]) {
        using data = Dataset.from(points, { backend: name });
        const { info, ...model } = LinearSvm.fit(data, cancer.labels);
        const raw = LinearSvm.fit(points, cancer.labels, { backend: name });
        expect(info.backend).toBe(name);
        expect([model.weights, model.bias]).toEqual([raw.weights, raw.bias]);
        const next = random(3);
        const labels = cancer.labels.map(() => (normal(next) > 0 ? 1 : -1));
        const options: SvmOptions<number> = { scale: 'none', maxIterations: 10 };
        expect(LinearSvm.fit(data, labels, options).weights).toEqual(
          LinearSvm.fit(points, labels, { ...options, backend: name }).weights,
        );
      }
    }
  });
});
