import { describe, expect, it } from 'vitest';
import { kernels } from '../../lib/backend/load.js';
import type { Backend } from '../../lib/backend/interface.js';
import { SVM_TASKS, svmTasks, type TaskArgument } from '../../lib/backend/tasks.js';
import { run } from '../../lib/solver/drivers.js';
import { solveSvm } from '../../lib/svm/solve.js';
import { LinearSvm, stop, type Points, type SvmOptions } from '../../lib/index.js';
import { viewPoints } from '../../lib/input/points.js';
import { asking } from '../support/asking.js';
import { compiled, names } from '../support/backends.js';
import { clouds, dense, sparse, wdbc } from '../support/svm-data.js';
import { methods } from '../support/methods.js';

const cancer = wdbc();
const never = () => {
  throw new Error('the data are fine');
};

/** A problem on wdbc with gamma by row: every tenth row has another weight, one row has weight 0. */
function problemOf({ Svm, Matrix }: Backend, points: 'dense' | 'f32' | 'sparse' | 'wide' | 'ones', scale: number) {
  const rows = points === 'ones' ? cancer.rows.map((row) => row.map((v, j) => Number(v > cancer.rows[7]![j]!))) : cancer.rows;
  const { indptr, indices, values } = sparse(rows);
  const apart = points === 'wide' ? 3000 : 1; // column indices beyond 16 bits
  const matrix =
    points === 'dense'
      ? new Matrix(never, 2, dense(rows).data, 569, 30)
      : points === 'f32'
        ? new Matrix(never, 2, dense(rows, Float32Array).data, 569, 30)
        : new Matrix(
            never,
            2,
            indptr as Uint32Array,
            Uint32Array.from(indices, (j) => j * apart),
            values as Float64Array,
            569,
            30 * apart,
          );
  const weight = Float64Array.from(rows, (_, i) => (i === 5 ? 0 : i % 10 ? 1 : 3));
  matrix.centre(2);
  return new Svm(matrix, Int8Array.from(cancer.labels), weight, scale, 2);
}

/** Of all rows. */
const WEIGHT = 568 + 2 * Math.ceil(569 / 10);

/** Begins with the paper's gamma and mu; Σ c_i r_i². */
function begun(ask: ReturnType<typeof asking>): number {
  const { radiusSquares, weightSum } = ask('begin', { curvature: false });
  expect(weightSum).toBe(WEIGHT);
  ask('regularize', { gamma: 64 / 569, mu: 569 / 128 });
  return radiusSquares;
}

/** The numbers of an epoch over all rows and one over the active set, of settle, of another epoch, and of settle again. */
function trace(backend: Backend, points: Parameters<typeof problemOf>[1], scale: number): number[] {
  const problem = problemOf(backend, points, scale);
  const ask = asking(problem);
  const weight = (0.3 * begun(ask)) / WEIGHT;
  const seen: number[] = [];
  let offset = 0;
  const epoch = (all: boolean) => {
    const { fenchelYoung, loss, wSquared, offset: next, t } = ask('ascend', { offset, weight, delta: 0.1, all });
    offset = next;
    seen.push(fenchelYoung, loss, wSquared, next, t, problem.read);
  };
  const look = () => {
    ask('settle', { back: false });
    const alpha = new Float64Array(569);
    problem.alpha(alpha);
    const { wSquared, centreDot } = ask('refresh', { all: false });
    const gap = ask('gap', { t: 0.1, wNorm: 1, etaT: 0 });
    seen.push(wSquared, centreDot, ...SVM_TASKS.gap.answers.map((name) => gap[name]), ...alpha);
  };
  epoch(true);
  epoch(false);
  look();
  epoch(false);
  look();
  problem.dispose();
  return seen;
}

describe.each(names)('coordinate ascent, %s', (name) => {
  const backend = kernels(name);
  const wants = (points: Points, labels: number[], options: SvmOptions<number> = {}) =>
    LinearSvm.fit(points, labels, { backend: name, ...options });

  it.each(['dense', 'f32', 'sparse', 'wide', 'ones'] as const)(
    'ascend raises the dual and keeps alpha in its box, %s',
    (points) => {
      for (const scale of [0, 1, 2]) {
        const problem = problemOf(backend, points, scale);
        const ask = asking(problem);
        const weight = (0.3 * begun(ask)) / WEIGHT;
        let offset = 0;
        let last = -Infinity;
        for (let epoch = 0; epoch < 12; epoch++) {
          ({ offset } = ask('ascend', { offset, weight, delta: 0.1, all: epoch < 3 }));
          if (epoch % 4 !== 3) continue;
          ask('settle', { back: false });
          const alpha = new Float64Array(569);
          problem.alpha(alpha);
          let [dual, balance] = [-ask('refresh', { all: false }).wSquared / 2, 0];
          alpha.forEach((a, i) => {
            expect(a).toBeGreaterThanOrEqual(0);
            expect(a).toBeLessThanOrEqual(i === 5 ? 0 : ((i % 10 ? 1 : 3) * 64) / 569);
            dual += a - (((569 / 256) * a) / (i % 10 ? 1 : 3)) * a; // mu over the weight
            balance += a * cancer.labels[i]!;
          });
          expect(Math.abs(balance)).toBeLessThan(1e-12);
          expect(dual).toBeGreaterThan(last);
          last = dual;
        }
        expect(last).toBeGreaterThan(0);
        problem.dispose();
      }
    },
  );

  it('settle before the first epoch leaves alpha = 0', () => {
    const problem = problemOf(backend, 'dense', 1);
    const ask = asking(problem);
    begun(ask);
    ask('settle', { back: false });
    const alpha = new Float64Array(569).fill(NaN);
    problem.alpha(alpha);
    expect(alpha).toEqual(new Float64Array(569));
    problem.dispose();
  });

  it('settle leaves rows of both labels at alpha = 0', () => {
    const problem = problemOf(backend, 'dense', 1);
    const ask = asking(problem);
    const weight = (0.3 * begun(ask)) / WEIGHT;
    let offset = 0;
    for (let epoch = 0; epoch < 4; epoch++) ({ offset } = ask('ascend', { offset, weight, delta: 0.1, all: true }));
    ask('settle', { back: false });
    const alpha = new Float64Array(569);
    problem.alpha(alpha);
    for (const label of [-1, 1]) expect(alpha.filter((a, i) => a === 0 && cancer.labels[i] === label).length).toBeGreaterThan(100);
    problem.dispose();
  });

  it('LinearSvm.fit gives the answer of FISTA alone, after a fraction of its passes', () => {
    for (const points of [cancer.rows, sparse(cancer.rows)]) {
      const [start, alone] = (['auto', 'fista'] as const).map(
        (method) => wants(points, cancer.labels, { method, stop: stop.gap(1e-3) }).info,
      );
      expect(start!.passes).toBeLessThan(0.6 * alone!.passes);
      expect(start!.iterations).toBeLessThan(0.5 * alone!.iterations);
      expect(Math.abs(start!.primal - alone!.primal)).toBeLessThan(1e-3 * alone!.primal);
    }
  });

  it('LinearSvm.fit finds offsets far from 0 on data that are not centred', () => {
    const { rows, labels } = clouds(4, 600, 3, 3);
    const far = rows.map((row) => row.map((v) => v + 50));
    for (const points of [far, dense(far, Float32Array), sparse(far)]) {
      const { info } = wants(points, labels, { scale: 'none', stop: stop.gap(1e-3) });
      expect(info.status).toBe('gap');
      expect(info.passes).toBeLessThan(30);
    }
  });

  it('LinearSvm.fit counts epochs as iterations, and keeps maxIterations and timeLimit', () => {
    for (const maxIterations of [1, 2, 7]) {
      const { info } = wants(cancer.rows, cancer.labels, { maxIterations, stop: stop.gap(0) });
      expect(info).toMatchObject({ status: 'max-iterations', iterations: maxIterations });
    }
    const { status, iterations } = wants(cancer.rows, cancer.labels, { timeLimit: 1e-6, stop: stop.gap(0) }).info;
    expect(status).toBe('time-limit');
    expect(iterations).toBeLessThanOrEqual(1); // 0 if the machine is so busy that the first epoch was interrupted
  });

  it('LinearSvm.fit continues from warmStart', () => {
    const cold = wants(cancer.rows, cancer.labels, { stop: stop.gap(1e-6) });
    const warm = wants(cancer.rows, cancer.labels, { stop: stop.gap(1e-6), warmStart: cold });
    expect(warm.info.iterations).toBeLessThan(0.5 * cold.info.iterations);
  });

  it.each(['norm', 'paper'] as const)("LinearSvm.fit leaves FISTA its own step size after the epochs, '%s'", (stepSize) => {
    const { rows, labels } = clouds(8, 60, 4);
    const options = { solver: { stepSize, ascent: true }, gamma: 20, stop: stop.gap(1e-7), maxIterations: 100_000 };
    const { info } = wants(rows, labels, options);
    const alone = wants(rows, labels, { ...options, solver: { stepSize, ascent: false } }).info;
    expect(info.status).toBe('gap');
    expect(info.L).toBe(alone.L);
    expect(Math.abs(info.primal - alone.primal)).toBeLessThan(1e-6 * alone.primal);
  });

  it("info.method tells whether FISTA made a step; with method: 'ascent' it makes none", () => {
    const hard = { gamma: 1e4, mu: 1e-8, maxIterations: 60, stop: stop.gap(1e-9) }; // epochs make little progress here
    const of = (options: SvmOptions<number>) => wants(cancer.rows, cancer.labels, options).info;
    expect(of({})).toMatchObject({ method: 'ascent' });
    expect(of(hard)).toMatchObject({ method: 'fista', iterations: 60 });
    expect(of({ ...hard, method: 'ascent' })).toMatchObject({ method: 'ascent', iterations: 60, status: 'max-iterations' });
    expect(of({ method: 'fista' })).toMatchObject({ method: 'fista', status: 'agreement' });
    expect(of({ method: 'paper' })).toMatchObject({ method: 'fista', status: 'stale' });
    expect(of({ timeLimit: 1e-9 })).toMatchObject({ method: 'ascent', status: 'time-limit' });
    expect(of({ timeLimit: 1e-9, method: 'fista' })).toMatchObject({ method: 'fista', status: 'time-limit' });
  });

  it('solveSvm switches to FISTA where epochs make little progress, and only there', () => {
    const kinds = (gamma: number, relative: number): string[] => {
      const { refuse, arguments: lists } = viewPoints(cancer.rows);
      const matrix = new backend.Matrix(refuse, 1, ...lists);
      matrix.centre(1);
      const mu = 1 / (2 * gamma);
      const problem = new backend.Svm(matrix, Int8Array.from(cancer.labels), Float64Array.of(1), 1, 1);
      const seen: string[] = [];
      const perform = (name: string, ...args: TaskArgument[]) => {
        seen.push(name);
        return problem.perform(name, ...args);
      };
      const tasks = svmTasks({ perform, later: () => Promise.reject(new Error('not here')) });
      run(
        solveSvm(problem, tasks, {
          L: 'measured',
          shrinking: true,
          ...methods('ascent', 'fista'),
          checkEvery: undefined,
          maxIterations: 10_000,
          certify: 'end',
          scaled: true,
          known: { n: 569, d: 30 },
          regularize: () => ({ gamma, bound: gamma, mu }),
          decide: ({ measured: { gap, primal } }) => (gap <= relative * primal ? 'gap' : undefined),
          holds: () => true,
          expired: () => false,
        }),
      );
      problem.dispose();
      matrix.dispose();
      return [...new Set(seen)];
    };
    expect(kinds(64 / 569, 1e-3)).not.toContain('step');
    expect(kinds(1e4, 1e-6)).toEqual(expect.arrayContaining(['ascend', 'settle', 'step']));
  });
});

describe.each(compiled)('coordinate ascent, %s', (backend) => {
  it.each(['dense', 'f32', 'sparse', 'wide', 'ones'] as const)(
    'ascend, settle and gap answer as the TypeScript kernels do, %s',
    (points) => {
      for (const scale of [0, 1, 2]) {
        const [native, js] = [backend, 'js' as const].map((name) => trace(kernels(name), points, scale));
        expect(native!.length).toBe(js!.length);
        native!.forEach((value, k) => expect(Math.abs(value - js![k]!)).toBeLessThan(1e-9 * Math.max(1, Math.abs(js![k]!))));
      }
    },
  );

  it('LinearSvm.fit gives the same bits for 1 and 2 threads', () => {
    const { rows, labels } = clouds(9, 20_000, 6);
    const [one, two] = [1, 2].map((threads) => LinearSvm.fit(rows, labels, { threads, backend }));
    expect(one!.weights).toEqual(two!.weights);
    expect(one!.info.gap).toBe(two!.info.gap);
  });
});
