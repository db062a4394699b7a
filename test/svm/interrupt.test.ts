/** Time limits and aborts interrupt a running task; the run then ends with the state of its last complete check. */
import { UNBOUNDED } from '../../lib/svm/certificate.js';
import { describe, expect, it } from 'vitest';
import { kernels } from '../../lib/backend/load.js';
import type { Backend, Interrupt, SvmProblem } from '../../lib/backend/interface.js';
import { svmTasks, type Performer, type TaskArgument } from '../../lib/backend/tasks.js';
import { run, runAsync } from '../../lib/solver/drivers.js';
import { Interrupted, interruptedOr } from '../../lib/errors.js';
import { CERTIFIED } from '../../lib/backend/encodings.js';
import { solveSvm, type LoopCheck, type LoopResult } from '../../lib/svm/solve.js';
import { crossValidate, LinearSvm, stop, type Points, type SvmOptions } from '../../lib/index.js';
import { resolveFit } from '../../lib/input/index.js';
import { TrainingData } from '../../lib/svm/training-data.js';
import { unfitted } from '../../lib/svm/training.js';
import { names } from '../support/backends.js';
import { unexpectedDefect } from '../support/points.js';
import { clouds, dense, sparse, wdbc } from '../support/svm-data.js';
import { methods } from '../support/methods.js';
import type { BackendName } from '../../lib/types.js';

const { rows, labels } = wdbc();
const cols = 30;
const gamma = 64 / rows.length;
const mu = 1 / (2 * gamma);
/** A time limit that has passed before the points are copied. */
const NO_TIME = 1e-9;

const load = (name: BackendName): Backend => kernels(name);

/** The name and arguments of a task. */
type Call = [name: string, ...args: TaskArgument[]];

/** A problem and its interrupt. */
function made(backend: Backend): { problem: SvmProblem; interrupt: Interrupt } {
  const interrupt = new backend.Interrupt(Infinity);
  const matrix = new backend.Matrix(unexpectedDefect, 2, dense(rows).data, rows.length, cols);
  matrix.centre(2);
  const problem = new backend.Svm(matrix, Int8Array.from(labels), Float64Array.of(1), 1, 2, 0, interrupt);
  return { problem, interrupt };
}

const NOTHING = { agreed: 0, properlyClassified: 0, zero: 0, atBound: 0, plane: UNBOUNDED };
const untrained = (): LoopCheck => ({ iteration: 0, L: 0, measured: { t: 1 } as LoopCheck['measured'], ...NOTHING });

/** The loop of a fit that never stops by itself; calls `at` at every check. */
function loopOf(
  problem: SvmProblem,
  settings: { ascent: boolean; certify: 'always' | 'shown' | 'end' },
  at: (check: LoopCheck) => void,
  performer: Performer = problem,
) {
  return solveSvm(problem, svmTasks(performer), {
    ...(settings.ascent ? methods('ascent', 'fista') : methods('fista')),
    certify: settings.certify,
    scaled: true,
    L: 'measured',
    shrinking: true,
    checkEvery: 3,
    maxIterations: 100_000,
    known: { n: rows.length, d: cols },
    regularize: () => ({ gamma, bound: gamma, mu }),
    decide: (check) => {
      at(check);
      return undefined;
    },
    holds: () => true,
    expired: () => false,
    interruptible: { alpha: true, untrained },
  });
}

function stateOf(problem: SvmProblem): { w: Float64Array; alpha: Float64Array; certified: Uint8Array } {
  const [w, alpha, certified] = [new Float64Array(cols), new Float64Array(rows.length), new Uint8Array(rows.length)];
  problem.weights(w);
  problem.alpha(alpha);
  problem.certified(certified);
  return { w, alpha, certified };
}

describe.each(names)('Interrupt of a problem, %s', (name) => {
  const backend = load(name);

  it('makes every task throw except keep, forget, certify, restore, score and model', () => {
    const { problem, interrupt } = made(backend);
    problem.perform('begin', 0);
    expect(interrupt.isSet).toBe(false);
    interrupt.set();
    expect(interrupt.isSet).toBe(true);
    const outcome = (call: Call) => {
      try {
        problem.perform(...call);
        return 'done';
      } catch (error) {
        return interruptedOr(error) instanceof Interrupted ? 'interrupted' : error;
      }
    };
    const calls: Call[] = [
      ['begin', 1],
      ['warm', new Float64Array(cols), 0, 1],
      ['ascend', 0, 1, 0.1, 1],
      ['settle', 0],
      ['step', 1e9, 0],
      ['refresh', 0],
      ['offsets', 0, 0, 0, 0, 0],
      ['gap', 0, 0, 0],
      ['shrink', 0, 0, 0.1],
      ['unshrink'],
      ['gradient', 0, 1],
      ['linearize'],
      ['conjugate'],
      ['direction'],
      ['slope', 0, 0, 1],
      ['move', 1],
      ['power', 1],
    ];
    for (const call of calls.slice(1)) expect([call[0], outcome(call)]).toEqual([call[0], 'interrupted']);
    for (const call of [
      ['keep', 1],
      ['forget'],
      ['certify', 0, 0, 1, 1, 0, 1, 1, 0, 0, 0],
      ['restore'],
      ['score', 0],
      ['model', new Float64Array(cols), 0],
    ] as Call[]) {
      expect([call[0], outcome(call)]).toEqual([call[0], 'done']);
    }
    problem.dispose();
  });

  it('makes tasks off the main thread reject', async () => {
    const { problem, interrupt } = made(backend);
    await problem.later('begin', 0);
    interrupt.set();
    await expect(problem.later('ascend', 0, 1, 0.1, 1)).rejects.toMatchObject({ code: 'TASK_ENDED' });
    problem.dispose();
  });

  it('is set when its time has passed', async () => {
    expect(new backend.Interrupt(-1).isSet).toBe(true);
    const soon = new backend.Interrupt(5);
    while (!soon.isSet) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(new backend.Interrupt(1e9).isSet).toBe(false);
  });

  it('makes new Matrix throw and copyPoints reject', async () => {
    const late = new backend.Interrupt(0);
    const { indptr, indices, values } = sparse(rows) as { indptr: Uint32Array; indices: Uint32Array; values: Float64Array };
    expect(() => new backend.Matrix(unexpectedDefect, 2, dense(rows).data, rows.length, cols, late)).toThrow('Interrupted');
    expect(() => new backend.Matrix(unexpectedDefect, 2, indptr, indices, values, rows.length, cols, late)).toThrow('Interrupted');
    await expect(backend.copyPoints(2, late, dense(rows).data, rows.length, cols)).rejects.toMatchObject({
      code: 'TASK_ENDED',
    });
    await expect(backend.copyPoints(2, late, indptr, indices, values, rows.length, cols)).rejects.toMatchObject({
      code: 'TASK_ENDED',
    });
  });

  const settings = [true, false].flatMap((ascent) => (['always', 'shown', 'end'] as const).map((certify) => ({ ascent, certify })));

  it.each(settings)('ends solveSvm with the state of the last check, ascent $ascent, certify $certify', ({ ascent, certify }) => {
    // Interrupts the run after each of the tasks that follow the third check, in turn.
    let tasks = Infinity;
    for (let after = 0; after < tasks && after < 60; after++) {
      const { problem, interrupt } = made(backend);
      let checks = 0;
      let left = -1; // tasks left before the interruption
      let third: { check: LoopCheck; state: ReturnType<typeof stateOf> } | undefined;
      const counting = {
        perform: (...call: Call) => {
          if (left === 0) interrupt.set();
          if (left >= 0) left--;
          return problem.perform(...call);
        },
        later: () => Promise.reject(new Error('not here')),
      };
      const result: LoopResult = run(
        loopOf(
          problem,
          { ascent, certify },
          (check) => {
            if (++checks === 3) {
              third = { check, state: stateOf(problem) };
              left = after;
            }
            if (checks === 4) tasks = after; // the fourth check came first: all tasks between two checks were interrupted
          },
          counting,
        ),
      );
      if (checks > 3) break;
      expect(result).toEqual({ status: 'time-limit', check: third!.check });
      const { w, alpha, certified } = stateOf(problem);
      expect(w).toEqual(third!.state.w);
      expect(alpha).toEqual(third!.state.alpha);
      expect(certified).toEqual(third!.state.certified);
      expect(certified.reduce((count, bits) => count + Number((bits & CERTIFIED.agreed) > 0), 0)).toBe(result.check.agreed);
      problem.dispose();
    }
    expect(tasks).toBeLessThan(60);
    expect(tasks).toBeGreaterThan(3);
  });

  it('ends solveSvm with weights and alpha of 0 before the first check', () => {
    const { problem, interrupt } = made(backend);
    interrupt.set();
    const result = run(loopOf(problem, { ascent: true, certify: 'always' }, () => undefined));
    expect(result).toEqual({ status: 'time-limit', check: untrained() });
    const weights = new Float64Array(cols);
    expect(problem.perform('model', weights, 0.25)[0]).toBe(0.25);
    expect(weights).toEqual(new Float64Array(cols));
    expect(stateOf(problem).alpha).toEqual(new Float64Array(rows.length));
    problem.dispose();
  });

  it('makes runAsync reject with the reason of the signal, not with Interrupted', async () => {
    const { problem, interrupt } = made(backend);
    const controller = new AbortController();
    const reason = new Error('mine');
    controller.signal.addEventListener('abort', () => interrupt.set());
    const loop = loopOf(problem, { ascent: false, certify: 'always' }, (check) => {
      if (check.iteration === 9) setImmediate(() => controller.abort(reason));
    });
    await expect(runAsync(loop, controller.signal)).rejects.toBe(reason);
    problem.dispose();
  });
});

describe.each(names)('LinearSvm.fit(points, labels, { timeLimit: 1e-9 }), %s', (backend) => {
  const forms: [string, Points][] = [
    ['dense', dense(rows)],
    ['f32', dense(rows, Float32Array)],
    ['sparse', sparse(rows)],
    ['rows', rows],
  ];

  it.each(forms)("returns a model with status 'time-limit' and a valid gap, %s", async (_, points) => {
    for (const options of [{}, { keepSets: true }, { classWeight: 'balanced' }, { gamma: 'auto' }] as SvmOptions<number>[]) {
      const given = { ...options, backend, timeLimit: NO_TIME };
      for (const { info, weights } of [LinearSvm.fit(points, labels, given), await LinearSvm.fitAsync(points, labels, given)]) {
        expect(info.status).toBe('time-limit');
        expect(info.dual).toBeLessThanOrEqual(info.primal);
        expect(info.primal - info.dual).toBeLessThanOrEqual(info.gap * (1 + 1e-12));
        expect(weights).toHaveLength(cols);
      }
    }
  });

  it('has weights of 0, and predicts the class of larger cost, if the points were not even copied', () => {
    const { rows: many, labels: y } = clouds(3, 400, 5);
    const mostly = y.map((_, i) => (i % 5 ? 'often' : 'seldom'));
    const input = resolveFit(many, mostly, { backend, keepSets: true });
    const data = new TrainingData(input);
    const { weights, bias, info } = unfitted(data, input.options, {
      gamma: 0.16,
      weights: input.rowWeights,
      weightRange: input.weightRange,
    });
    expect({ weights, bias }).toEqual({ weights: new Float64Array(5), bias: -1 });
    expect(info).toMatchObject({
      status: 'time-limit',
      iterations: 0,
      rows: 400,
      agreed: 0,
      properlyClassified: 0,
      zero: 0,
      atBound: 0,
      gamma: 0.16,
      mu: 3.125,
    });
    expect(info.sets).toEqual({
      agreed: new Uint32Array(0),
      properlyClassified: new Uint32Array(0),
      zero: new Uint32Array(0),
      atBound: new Uint32Array(0),
    });
    // 80 rows at margin -1, the others at margin 1.
    expect(info.primal).toBeCloseTo(80 * 0.16 * (2 - (3.125 * 0.16) / 2), 9);
    const exact = LinearSvm.fit(many, mostly, { backend, gamma: 0.16, stop: stop.gap(1e-9) }).info;
    expect(info.primal).toBeGreaterThanOrEqual(exact.primal);
    expect(info.dual).toBeLessThanOrEqual(exact.dual);
  });

  it('gives the models that crossValidate scores, with a status for each fit', async () => {
    const { table } = await crossValidate(rows, labels, { backend, timeLimit: NO_TIME, folds: 3, gammas: [0.1, 1] });
    for (const { status, accuracy } of table) {
      expect(status).toEqual(Array(3).fill('time-limit'));
      for (const share of accuracy) expect(share).toBeGreaterThan(0.3);
    }
  });
});

describe.each(names)('LinearSvm.fit and LinearSvm.fitAsync, ended from outside, %s', (backend) => {
  it('throw the reason of a signal that is already aborted, even if the time limit has passed', async () => {
    const options = { backend, signal: AbortSignal.abort('why'), timeLimit: NO_TIME };
    expect(() => LinearSvm.fit(rows, labels, options)).toThrow('why');
    await expect(LinearSvm.fitAsync(rows, labels, options)).rejects.toBe('why');
  });

  it('throw the error of onProgress unchanged, even if its code is TASK_ENDED', async () => {
    const mine = Object.assign(new Error('mine'), { code: 'TASK_ENDED' });
    const options = {
      backend,
      timeLimit: 1e9,
      onProgress: () => {
        throw mine;
      },
    };
    expect(() => LinearSvm.fit(rows, labels, options)).toThrow(mine);
    await expect(LinearSvm.fitAsync(rows, labels, options)).rejects.toBe(mine);
  });

  it('add so few listeners to a shared signal that Node does not warn', async () => {
    const warnings: string[] = [];
    const hear = (warning: Error) => warnings.push(warning.name);
    process.on('warning', hear);
    const { signal } = new AbortController();
    const { rows: many, labels: y } = clouds(4, 1500, 4);
    await Promise.all(Array.from({ length: 15 }, () => LinearSvm.fitAsync(many, y, { backend, signal, gamma: 'auto' })));
    await crossValidate(many, y, { backend, threads: 12, folds: 12, gammas: [0.1] });
    await new Promise(setImmediate); // warnings are emitted in the next turn
    process.off('warning', hear);
    expect(warnings).toEqual([]);
  });

  it('throw ERR_POINTS if reading the labels detaches the points', async () => {
    for (const form of [() => dense(rows), () => dense(rows, Float32Array)]) {
      const attack = () => {
        const points = form();
        const lying = new Proxy(labels, {
          get(target, key, receiver) {
            if (key === '3') structuredClone(null, { transfer: [points.data.buffer as ArrayBuffer] });
            return Reflect.get(target, key, receiver) as unknown;
          },
        });
        return [points, lying, { backend }] as const;
      };
      expect(() => LinearSvm.fit(...attack())).toThrow(expect.objectContaining({ code: 'ERR_POINTS' }));
      await expect(LinearSvm.fitAsync(...attack())).rejects.toMatchObject({ code: 'ERR_POINTS' });
    }
  });

  it("return the default gamma if the time limit passes while gamma: 'auto' is chosen", async () => {
    const { rows: many, labels: y } = clouds(5, 20_000, 3);
    const sampleWeight = many.map((_, i) => (i % 4 < 2 ? 1 : 0));
    const options: SvmOptions<number> = { backend, gamma: 'auto', timeLimit: NO_TIME, sampleWeight };
    for (const { info } of [LinearSvm.fit(many, y, options), await LinearSvm.fitAsync(many, y, options)]) {
      expect(info).toMatchObject({ status: 'time-limit', iterations: 0, rows: 10_000 });
      // Not even gamma is known, and so of the optimum only that it is finite and not negative.
      expect(info).toMatchObject({ gamma: NaN, mu: NaN, primal: Number.MAX_VALUE, dual: 0 });
      expect(info.validation).toBeUndefined();
    }
  });
});

describe.each(names)('LinearSvm.fitAsync of few rows, %s', (backend) => {
  const points = [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ];

  it('lets the event loop turn between 300 concurrent fits', async () => {
    let turns = 0;
    let counting = true;
    const count = () => {
      turns++;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const models = await Promise.all(
      Array.from({ length: 300 }, (_, k) => LinearSvm.fitAsync(points, [0, 0, 1, 1], { backend, gamma: 1 + k })),
    );
    counting = false;
    expect(turns).toBeGreaterThanOrEqual(300);
    models.forEach((model, k) => {
      expect(model.weights).toEqual(LinearSvm.fit(points, [0, 0, 1, 1], { backend, gamma: 1 + k }).weights);
    });
  });

  it('starts after the call returns: a signal aborted right after it rejects the fit', async () => {
    const controller = new AbortController();
    let checks = 0;
    const fit = LinearSvm.fitAsync(points, [0, 0, 1, 1], { backend, signal: controller.signal, onProgress: () => checks++ });
    controller.abort(new Error('mine'));
    await expect(fit).rejects.toThrow('mine');
    expect(checks).toBe(0);
  });
});
