/** Newton's method (method 1.13): its system, its steps, what it hands over, and the cases that are hard for it. */
import { describe, expect, it } from 'vitest';
import { kernels } from '../../lib/backend/load.js';
import type { Backend, SvmProblem } from '../../lib/backend/interface.js';
import { svmTasks, type TaskArgument } from '../../lib/backend/tasks.js';
import { LinearSvm, stop, type Loss, type Points, type SvmOptions } from '../../lib/index.js';
import { run } from '../../lib/solver/drivers.js';
import { solveSvm, type LoopSettings } from '../../lib/svm/solve.js';
import { asking } from '../support/asking.js';
import { compiled, names } from '../support/backends.js';
import { methods } from '../support/methods.js';
import { normal, random } from '../support/random.js';
import { clouds, dense, sparse, wdbc } from '../support/svm-data.js';

const cancer = wdbc();
const never = () => {
  throw new Error('the data are fine');
};

type Form = 'dense' | 'f32' | 'sparse' | 'ones';

/** wdbc, every tenth row with weight 3 and one with weight 0. */
function problemOf({ Svm, Matrix }: Backend, form: Form, scale: number): SvmProblem {
  const rows = form === 'ones' ? cancer.rows.map((row) => row.map((v, j) => Number(v > cancer.rows[7]![j]!))) : cancer.rows;
  const { indptr, indices, values } = sparse(rows);
  const matrix =
    form === 'dense' || form === 'f32'
      ? new Matrix(never, 2, dense(rows, form === 'f32' ? Float32Array : Float64Array).data, 569, 30)
      : new Matrix(never, 2, indptr as Uint32Array, indices as Uint32Array, values as Float64Array, 569, 30);
  matrix.centre(2);
  const weight = Float64Array.from(rows, (_, i) => (i === 5 ? 0 : i % 10 ? 1 : 3));
  return new Svm(matrix, Int8Array.from(cancer.labels), weight, scale, 2);
}

/** The numbers of three steps, each of full length. */
function trace(backend: Backend, form: Form, scale: number, gamma: number, mu: number): number[] {
  const problem = problemOf(backend, form, scale);
  const ask = asking(problem);
  ask('begin', { curvature: false });
  ask('regularize', { gamma, mu });
  const seen: number[] = [];
  const weights = new Float64Array(30);
  for (let step = 0; step < 3; step++) {
    const gradient = ask('gradient', { t: 0.1, first: step === 0 });
    seen.push(gradient.squared, ask('linearize').residual);
    for (let k = 0; k < 4; k++) seen.push(ask('conjugate').residual);
    const { tau, along, squared } = ask('direction');
    const slope = ask('slope', { t: 0.1, tau, length: 0.5 });
    seen.push(tau, along, squared, slope.slope, slope.curvature, problem.read);
    ask('move', { length: 0.5 });
    problem.weights(weights);
    seen.push(...weights, ask('refresh', { all: step === 1 }).wSquared);
  }
  const alpha = new Float64Array(569);
  ask('settle', { back: true });
  problem.alpha(alpha);
  seen.push(...alpha);
  problem.dispose();
  return seen;
}

describe.each(compiled)("the tasks of Newton's method, %s", (backend) => {
  it.each(['dense', 'f32', 'sparse', 'ones'] as const)('answer as the TypeScript kernels do, %s', (form) => {
    for (const scale of [0, 1, 2]) {
      if (scale === 0 && form !== 'ones') continue; // raw columns differ by decades: rounding grows with every step
      for (const gamma of [0.5, Infinity]) {
        const [native, js] = [backend, 'js' as const].map((name) => trace(kernels(name), form, scale, gamma, 1));
        const sizes = js!.map(Math.abs);
        native!.forEach((value, k) => {
          expect(Math.abs(value - js![k]!), `${k} of ${form}, scale ${scale}`).toBeLessThanOrEqual(1e-7 * (1 + sizes[k]!));
        });
      }
    }
  });
});

describe.each(names)("Newton's method, %s", (name) => {
  const backend = kernels(name);
  const fit = (points: Points, labels: readonly number[], options: SvmOptions<number>) =>
    LinearSvm.fit(points, labels, { backend: name, ...options });

  it('solves its system: H p = -g, by an H that is written out', () => {
    const next = random(3);
    const [n, d, gamma, mu] = [40, 4, 3, 2];
    const rows = Array.from({ length: n }, () => Array.from({ length: d }, () => normal(next) + 3));
    const y = Int8Array.from(rows, ([x]) => (x! + normal(next) > 3 ? 1 : -1));
    const weight = Float64Array.from(rows, (_, i) => 1 + (i % 3));
    const matrix = new backend.Matrix(never, 1, dense(rows).data, n, d);
    matrix.centre(1);
    const problem = new backend.Svm(matrix, y, weight, 0, 1);
    const ask = asking(problem);
    ask('begin', { curvature: false });
    ask('regularize', { gamma, mu });
    ask('warm', { w: Float64Array.of(0.5, -0.2, 0.1, 0), t: 0, dual: false });
    ask('gradient', { t: 0, first: true });
    const { squared } = ask('gradient', { t: 0, first: false });
    ask('linearize');
    for (let k = 0; k < d + 3; k++) ask('conjugate');
    // H, from alpha and the centred rows; g, from w and alpha.
    const alpha = new Float64Array(n);
    problem.alpha(alpha);
    const [shift, factor, w, after] = Array.from({ length: 4 }, () => new Float64Array(d)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    problem.columns(factor, shift);
    problem.weights(w);
    ask('direction');
    ask('move', { length: 1 });
    problem.weights(after);
    const p = after.map((value, j) => value - w[j]!);
    const X = rows.map((row) => row.map((x, j) => x - shift[j]!));
    const g = w.map((value, j) => value - X.reduce((sum, row, i) => sum + y[i]! * alpha[i]! * row[j]!, 0));
    expect(g.reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(squared, 9);
    const taking = [...alpha.keys()].filter((i) => alpha[i]! > 0 && alpha[i]! < weight[i]! * gamma);
    expect(taking.length).toBeGreaterThan(d);
    const total = taking.reduce((sum, i) => sum + weight[i]!, 0);
    const mean = p.map((_, j) => taking.reduce((sum, i) => sum + weight[i]! * X[i]![j]!, 0) / total);
    p.forEach((_, j) => {
      const row = taking.reduce((sum, i) => {
        const along = p.reduce((dot, v, k) => dot + v * (X[i]![k]! - mean[k]!), 0);
        return sum + (weight[i]! * along * (X[i]![j]! - mean[j]!)) / mu;
      }, 0);
      expect(p[j]! + row).toBeCloseTo(-g[j]!, 8);
    });
    problem.dispose();
  });

  it.each(['hinge', 'squared-hinge'] as const)("method: 'newton' finds the optimum that FISTA finds, with the %s", (loss: Loss) => {
    for (const gamma of [1e-3, 0.1, 10, 1e3]) {
      for (const points of [cancer.rows, sparse(cancer.rows)]) {
        const options: SvmOptions<number> = { gamma, loss, stop: stop.gap(1e-8), maxIterations: 200_000 };
        const { info } = fit(points, cancer.labels, { ...options, method: 'newton' });
        expect([info.status, info.method, info.stages.length]).toEqual(['gap', 'newton', 1]);
        expect(info.iterations).toBeLessThan(60);
        if (gamma > 1) continue; // FISTA takes long
        const other = fit(points, cancer.labels, { ...options, method: 'fista' }).info;
        expect(Math.max(info.dual, other.dual)).toBeLessThanOrEqual(Math.min(info.primal, other.primal)); // both brackets hold it
      }
    }
  });

  it("method: 'auto' chooses it for tall data at a large gamma, and info.stages adds up", () => {
    const { info } = fit(cancer.rows, cancer.labels, { gamma: 100, stop: stop.gap(1e-6) });
    expect(info.stages.map(({ method }) => method)).toEqual(['ascent', 'newton']);
    expect(info.method).toBe('newton');
    expect(info.stages.reduce((sum, { iterations }) => sum + iterations, 0)).toBe(info.iterations);
    expect(info.stages.reduce((sum, { passes }) => sum + passes, 0)).toBeCloseTo(info.passes, 9);
    expect(info.stages[0]!.iterations).toBe(3);
    const wide = clouds(3, 40, 60, 0.3);
    expect(fit(wide.rows, wide.labels, { gamma: 100, stop: stop.gap(1e-6) }).info.stages.map(({ method }) => method)).not.toContain(
      'newton',
    );
  });

  it('finishes where the gap is small, on wide data too, and leaves little but rounding', () => {
    const { rows, labels } = clouds(3, 40, 60, 0.3);
    for (const gamma of [0.01, 1]) {
      const [one, two] = [1e-9, 1e-13].map((gap) => fit(rows, labels, { gamma, stop: stop.gap(gap) }));
      expect([one!.info.method, two!.info.method]).toEqual(['newton', 'newton']);
      const size = Math.hypot(...two!.weights);
      one!.weights.forEach((w, j) => expect(Math.abs(w - two!.weights[j]!)).toBeLessThan(1e-8 * size));
    }
  });

  it('counts a weight of k as k rows when it chooses', () => {
    const { rows, labels } = clouds(5, 30, 10, 0.2);
    const options: SvmOptions<number> = { gamma: 100, stop: stop.gap(1e-6) };
    const stages = (points: number[][], y: number[], more: SvmOptions<number> = {}) =>
      fit(points, y, { ...options, ...more }).info.stages.map(({ method }) => method);
    const twice = <T>(list: readonly T[]) => list.flatMap((item) => [item, item]);
    expect(stages(twice(rows), twice(labels))).toContain('newton');
    expect(stages(rows, labels, { sampleWeight: labels.map(() => 2) })).toContain('newton');
    expect(stages(rows, labels)).not.toContain('newton');
  });

  it('reaches the gap at a large gamma without scaling, with FISTA in between if need be', () => {
    for (const gamma of [1e3, 1e4, 1e5, 1e6]) {
      const { status } = fit(cancer.rows, cancer.labels, { gamma, scale: 'none', stop: stop.gap(1e-3) }).info;
      expect(status).toBe('gap');
    }
  });

  it('is the same for any number of threads', () => {
    const { rows, labels } = clouds(8, 3000, 12, 0.4);
    const [one, two, three] = [1, 2, 3].map((threads) => {
      const { info, ...model } = fit(dense(rows), labels, { gamma: 10, threads, stop: stop.gap(1e-9) });
      return { ...model, info: { ...info, elapsed: 0, threads: 0 } };
    });
    expect(one!.info.stages.map(({ method }) => method)).toContain('newton');
    expect(two).toEqual(one);
    expect(three).toEqual(one);
  });

  it('starts from a model that is given', () => {
    const options: SvmOptions<number> = { gamma: 100, stop: stop.gap(1e-6) };
    const cold = fit(cancer.rows, cancer.labels, options);
    const warm = fit(cancer.rows, cancer.labels, { ...options, method: 'newton', warmStart: cold });
    expect(warm.info.status).toBe('gap');
    expect(warm.info.iterations).toBeLessThanOrEqual(1);
    // Its offset is a guess: one that is far off must not look like the end.
    const shrunk = { weights: cold.weights.map((w) => 0.3 * w), bias: cold.bias + 50 };
    expect(fit(cancer.rows, cancer.labels, { ...options, method: 'newton', warmStart: shrunk }).info.status).toBe('gap');
  });

  const hard: [title: string, rows: number[][], labels: number[]][] = [
    ['duplicate columns', cancer.rows.map((row) => [...row, ...row]), cancer.labels],
    ['a column a thousand times as large', cancer.rows.map(([x, ...rest]) => [1e3 * x!, ...rest]), cancer.labels],
    ['constant columns', cancer.rows.map((row) => [...row, 7, 0]), cancer.labels],
    ['empty rows', cancer.rows.map((row, i) => (i % 5 ? row : row.map(() => 0))), cancer.labels],
    ['one row of huge norm', cancer.rows.map((row, i) => (i === 3 ? row.map((x) => 1e6 * x) : row)), cancer.labels],
    ['two rows', [[1, 2], [3, -1]], [1, -1]], // prettier-ignore
    ['more columns than rows', clouds(4, 10, 50).rows, clouds(4, 10, 50).labels],
    ['separable data', clouds(6, 200, 3, 12).rows, clouds(6, 200, 3, 12).labels],
  ];
  it.each(hard)('ends with a true status on %s, alone and with the others', (_, rows, labels) => {
    for (const points of [dense(rows), sparse(rows)]) {
      for (const method of ['auto', 'newton'] as const) {
        for (const scale of ['standard', 'none'] as const) {
          for (const gamma of [1e-12, 1e-3, 1, 1e6, 1e12]) {
            for (const loss of ['hinge', 'squared-hinge'] as const) {
              const { info } = fit(points, labels, { method, gamma, loss, scale, stop: stop.gap(1e-3), maxIterations: 150 });
              const where = `${method}, ${scale}, ${gamma}, ${loss}`;
              expect(['gap', 'precision', 'max-iterations'], where).toContain(info.status);
              for (const key of ['primal', 'dual', 'gap'] as const)
                expect(info[key], `${where}: ${key}`).toSatisfy(Number.isFinite);
              if (info.status === 'gap') expect(info.relativeGap, where).toBeLessThanOrEqual(1e-3);
            }
          }
        }
      }
    }
  });

  const SETTINGS: LoopSettings = {
    L: 'measured',
    shrinking: true,
    ...methods('ascent', 'newton', 'fista'),
    checkEvery: undefined,
    maxIterations: 10_000,
    certify: 'end',
    scaled: true,
    known: { n: 568, d: 30 },
    regularize: () => ({ gamma: 1e3, bound: 1e3, mu: 1 / 2e3 }),
    decide: () => undefined,
    holds: () => true,
    expired: () => false,
  };

  /** A run of methods on wdbc, and the names of its tasks. */
  function loop(settings: Partial<LoopSettings>): { seen: string[]; status: string } {
    const problem = problemOf(backend, 'dense', 1);
    const seen: string[] = [];
    const perform = (task: string, ...args: TaskArgument[]) => {
      seen.push(task);
      return problem.perform(task, ...args);
    };
    const tasks = svmTasks({ perform, later: () => Promise.reject(new Error('not here')) });
    const { status } = run(solveSvm(problem, tasks, { ...SETTINGS, ...settings }));
    problem.dispose();
    return { seen, status };
  }

  it('solves for directions no more exactly than the wanted gap needs', () => {
    const iterations = (wantedGap: number) => {
      const { seen } = loop({ ...methods('newton'), maxIterations: 10, wantedGap });
      return seen.filter((task) => task === 'conjugate').length;
    };
    expect(iterations(1e6)).toBeLessThan(iterations(0));
  });

  it('ends within conjugate gradients when the time is up', () => {
    for (const ended of [1, 3, 10]) {
      let asked = 0;
      const { seen, status } = loop({ ...methods('newton'), expired: () => asked++ >= ended });
      expect(status).toBe('time-limit');
      expect(seen.filter((task) => task === 'conjugate').length).toBeLessThanOrEqual(ended);
    }
  });

  it('goes on until rounding is what is left, and says so', () => {
    const { seen, status } = loop(methods('newton'));
    expect(status).toBe('precision');
    expect(seen).not.toContain('step');
  });

  it('hands over to FISTA if in ten steps neither the gap halves nor the primal falls, with the better alpha', () => {
    // A backend that computes nothing: each step goes down a little, and the gap stays what it is.
    for (const [first, later, back] of [
      [1, 1.5, 1],
      [1, 0.9, 0],
    ] as const) {
      // prettier-ignore
      const calls: [string, ...TaskArgument[]][] = [];
      let gradients = 0;
      const answers: Record<string, () => number[]> = {
        begin: () => [0, 100, 1, 1, 1, 0, 1, 1, 0, 0],
        ascend: () => [0.9, 1, 0, 0, 0],
        refresh: () => [1, 0],
        offsets: () => [1, 1, 1, 1, 1, 1],
        gap: () => [gradients === 0 ? first : later, 0, 1e3, 1, 0, 0, 0, 0],
        gradient: () => (gradients++, [0.01]),
        linearize: () => [1],
        conjugate: () => [0],
        direction: () => [0, -1, 1],
        slope: () => [0, 0],
        step: () => [1e-3, 0, 0, 0],
        certify: () => [0, 0, 0, 0],
        shrink: () => [1],
        power: () => [1],
      };
      const perform = (name: string, ...args: TaskArgument[]) => {
        calls.push([name, ...args]);
        return answers[name]?.() ?? [];
      };
      const tasks = svmTasks({ perform, later: () => Promise.reject(new Error('not here')) });
      const { status } = run(
        solveSvm({ accept: () => undefined }, tasks, {
          ...SETTINGS,
          maxIterations: 30,
          known: { n: 100, d: 2 },
          regularize: () => ({ gamma: 1, bound: 1, mu: 0.5 }),
        }),
      );
      expect(status).toBe('max-iterations');
      const kinds = calls.map(([name]) => name);
      expect(kinds.indexOf('gradient')).toBeGreaterThan(0);
      expect(kinds.indexOf('step')).toBeGreaterThan(kinds.lastIndexOf('gradient'));
      expect(gradients).toBe(11);
      const settles = calls.filter(([name]) => name === 'settle');
      expect(settles.at(-1)).toEqual(['settle', back]); // back to the first alpha if the gap was smaller there
      expect(settles.slice(0, -1).every(([, flag]) => flag === 0)).toBe(true);
    }
  });

  it('hands over to FISTA where gradients overflow', () => {
    const { rows, labels } = clouds(23, 30, 2, 0.5);
    const huge = rows.map((row) => row.map((x) => 1e300 * x));
    const options: SvmOptions<number> = { gamma: 1e12, scale: 'standard', stop: stop.gap(1e-3) };
    const { info } = fit(huge, labels, options);
    // FISTA hands over three times, and then goes on to the end.
    expect(info.stages.map(({ method }) => method).join(' ')).toBe(`ascent${' newton fista'.repeat(4)}`);
    expect(() => fit(huge, labels, { ...options, method: 'newton' })).toThrow(
      /^Expected smaller numbers for column \d of points but /,
    );
  });
});
