import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import type { Performer, Step } from '../../lib/backend/tasks.js';
import { countTasksHere, runAsync } from '../../lib/solver/drivers.js';
import {
  crossValidate,
  Dataset,
  LinearSvm,
  separateEllipsoidsAsync,
  stop,
  type SvmInfo,
  type SvmOptions,
} from '../../lib/index.js';
import { clouds, dense, sparse, wdbc } from '../support/svm-data.js';
import { js, names } from '../support/backends.js';
import { HANG } from '../support/child.js';
import { place } from '../support/place.js';

vi.mock(import('../../lib/solver/drivers.js'), async (original) => (await import('../support/place.js')).placed(await original()));

const cancer = wdbc();
const ROOT = join(__dirname, '../..');

// A fit that does not end before it is aborted.
const endless = clouds(7, 300, 20, 0.5);
const never = { name: 'never', everyIteration: false, start: () => () => undefined };
const ENDLESS: SvmOptions<number> = { method: 'fista', stop: never, gamma: 1e6, maxIterations: 1e9 };

/** Everything of a fit except its time. */
function essence({ weights, bias, labels, info }: LinearSvm<number>) {
  return { weights, bias, labels, info: { ...(info as SvmInfo), elapsed: 0 } };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe.each(names)('LinearSvm.fitAsync(points, labels), %s', (backend) => {
  const { rows, labels } = cancer;

  it('gives the model of LinearSvm.fit, bit for bit', async () => {
    const weak = { weights: new Float64Array(30).fill(1e-3), bias: 1 };
    for (const form of [rows, dense(rows), dense(rows, Float32Array), sparse(rows), Dataset.from(rows, { backend })]) {
      for (const options of [
        {},
        { keepSets: true, stop: stop.gap(1e-7) },
        { solver: { stepSize: 'norm' } },
        { warmStart: weak, threads: 2 },
      ] as SvmOptions<number>[]) {
        const sync = LinearSvm.fit(form, labels, { ...options, backend });
        for (const elsewhere of [true, false]) {
          place.elsewhere = elsewhere;
          const later = await LinearSvm.fitAsync(form, labels, { ...options, backend });
          expect(essence(later)).toEqual(essence(sync));
        }
        place.elsewhere = true;
      }
    }
  });

  it('calls onProgress as LinearSvm.fit does', async () => {
    const [sync, later]: [number[], number[]] = [[], []];
    LinearSvm.fit(rows, labels, { backend, onProgress: ({ gap }) => sync.push(gap) });
    await LinearSvm.fitAsync(rows, labels, { backend, onProgress: ({ gap }) => later.push(gap) });
    expect(later).toEqual(sync);
    expect(later.length).toBeGreaterThan(3);
  });

  it('gives each of several concurrent fits its own result', async () => {
    const samples = [1, 2, 3, 4, 5, 6].map((seed) => clouds(seed, 150 + 10 * seed, 3 + seed));
    const fits = samples.map((sample) => LinearSvm.fitAsync(sample.rows, sample.labels, { backend, stop: stop.gap(1e-6) }));
    const models = await Promise.all(fits);
    models.forEach((model, k) => {
      const sample = samples[k]!;
      expect(essence(model)).toEqual(essence(LinearSvm.fit(sample.rows, sample.labels, { backend, stop: stop.gap(1e-6) })));
    });
  });

  it('lets several endless fits take turns: each reaches its checks', async () => {
    const { rows, labels } = endless;
    const controller = new AbortController();
    const checks = [0, 0, 0, 0, 0, 0];
    const fits = checks.map((_, k) => {
      const onProgress = () => {
        checks[k]!++;
        if (checks.every((count) => count >= 3)) controller.abort('all had theirs');
      };
      return LinearSvm.fitAsync(rows, labels, { backend, ...ENDLESS, signal: controller.signal, onProgress });
    });
    for (const end of await Promise.allSettled(fits)) expect(end).toEqual({ status: 'rejected', reason: 'all had theirs' });
  });

  it('shares a Dataset between concurrent fits', async () => {
    using data = Dataset.from(rows, { backend });
    const flipped = labels.map((y, i) => (i % 9 ? y : -y));
    const jobs: [number[], SvmOptions<number>][] = [
      [labels, {}],
      [flipped, { stop: stop.gap(1e-5) }],
      [labels, { scale: 'none', maxIterations: 30 }],
      [flipped, { scale: 'maxabs', gamma: 0.01 }],
    ];
    const models = await Promise.all(jobs.map(([y, options]) => LinearSvm.fitAsync(data, y, options)));
    jobs.forEach(([y, options], k) => expect(essence(models[k]!)).toEqual(essence(LinearSvm.fit(data, y, options))));
  });

  it('rejects with the reason of a signal that is already aborted, without a step', async () => {
    const reason = new Error('mine');
    let called = false;
    const fit = LinearSvm.fitAsync(rows, labels, { backend, signal: AbortSignal.abort(reason), onProgress: () => (called = true) });
    await expect(fit).rejects.toBe(reason);
    expect(called).toBe(false);
  });

  it('rejects with the reason of a signal aborted during the fit, within one step', async () => {
    const { rows, labels } = endless;
    for (const reason of [new Error('mine'), 'text', { why: 1 }]) {
      const controller = new AbortController();
      let checks = 0;
      const fit = LinearSvm.fitAsync(rows, labels, {
        backend,
        ...ENDLESS,
        solver: { checkEvery: 1 },
        signal: controller.signal,
        onProgress: () => checks++,
      });
      while (checks < 3) await tick();
      controller.abort(reason);
      const before = checks;
      await expect(fit).rejects.toBe(reason);
      expect(checks).toBeLessThanOrEqual(before + 1);
    }
    const options = { backend, ...ENDLESS, signal: AbortSignal.timeout(5) };
    await expect(LinearSvm.fitAsync(rows, labels, options)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('rejects if the signal is aborted inside onProgress, even at the last check', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    let calls = 0;
    const onProgress = () => {
      calls++;
      controller.abort(reason);
    };
    await expect(
      LinearSvm.fitAsync(rows, labels, { backend, maxIterations: 1, signal: controller.signal, onProgress }),
    ).rejects.toBe(reason);
    expect(calls).toBe(1);
  });

  it('keeps its result if the signal is aborted afterwards', async () => {
    const controller = new AbortController();
    const model = await LinearSvm.fitAsync(rows, labels, { backend, signal: controller.signal });
    controller.abort();
    expect(model.info.status).toBe('agreement');
  });

  it('rejects with what onProgress throws, unchanged', async () => {
    for (const error of [new Error('mine'), 'text', undefined]) {
      const onProgress = () => {
        throw error; // eslint-disable-line @typescript-eslint/only-throw-error -- users may
      };
      await expect(LinearSvm.fitAsync(rows, labels, { backend, onProgress })).rejects.toBe(error);
    }
    expect((await LinearSvm.fitAsync(rows, labels, { backend })).info.status).toBe('agreement');
  });

  it('allows another fit, sync or async, inside onProgress', async () => {
    const inner: Promise<LinearSvm<number>>[] = [];
    let sync: LinearSvm<number> | undefined;
    const onProgress = () => {
      sync ??= LinearSvm.fit(rows, labels, { backend });
      if (inner.length < 2) inner.push(LinearSvm.fitAsync(rows, labels, { backend }));
    };
    const outer = await LinearSvm.fitAsync(rows, labels, { backend, onProgress });
    for (const model of [sync!, ...(await Promise.all(inner))]) expect(essence(model)).toEqual(essence(outer));
  });

  it('lets timers fire between the checks of an endless fit', async () => {
    const controller = new AbortController();
    let [checks, fired] = [0, 0];
    const timer = setInterval(() => {
      if (checks > 0 && ++fired === 20) controller.abort('enough');
    }, 1);
    const onProgress = () => checks++;
    const fit = LinearSvm.fitAsync(endless.rows, endless.labels, { backend, ...ENDLESS, signal: controller.signal, onProgress });
    await expect(fit).rejects.toBe('enough');
    clearInterval(timer);
  });

  it('ignores changes made to its arguments after the call', async () => {
    const make = () => {
      const { indptr, indices, values } = sparse(rows);
      return {
        forms: [
          rows.map((row) => [...row]),
          dense(rows),
          dense(rows, Float32Array),
          { indptr, indices, values, rows: 569, cols: 30 },
        ],
        labels: [...labels],
        options: {
          backend,
          sampleWeight: rows.map((_, i) => 1 + (i % 2)),
          classWeight: new Map([[1, 2]]),
          warmStart: { weights: new Float64Array(30).fill(0.01), bias: 0.5 },
          stop: [stop.gap(1e-5)],
        },
      };
    };
    for (const k of [0, 1, 2, 3]) {
      const expected = essence(LinearSvm.fit(make().forms[k] as never, labels, make().options));
      const mine = make();
      const form = mine.forms[k]!;
      const fit = LinearSvm.fitAsync(form as never, mine.labels, mine.options);
      if (Array.isArray(form)) for (const row of form) row.fill(NaN);
      else for (const list of Object.values(form)) if (ArrayBuffer.isView(list)) (list as Float64Array).fill(3e9);
      mine.labels.fill(7);
      mine.options.sampleWeight.fill(-1);
      mine.options.classWeight.clear();
      mine.options.warmStart.weights.fill(NaN);
      mine.options.warmStart.bias = NaN;
      mine.options.stop.length = 0;
      expect(essence(await fit)).toEqual(expected);
    }
  });

  it('finishes if the buffers of its arguments are transferred after the call', async () => {
    const expected = essence(LinearSvm.fit(dense(rows), labels, { backend }));
    const form = dense(rows);
    const fit = LinearSvm.fitAsync(form, labels, { backend });
    structuredClone(form.data, { transfer: [form.data.buffer as ArrayBuffer] });
    expect(form.data.length).toBe(0);
    expect(essence(await fit)).toEqual(expected);
  });

  it('gives the same model while garbage collections run', async () => {
    const expected = essence(LinearSvm.fit(rows, labels, { backend }));
    let collections = 0;
    const onProgress = () => globalThis.gc!();
    const fits = Array.from({ length: 3 }, () => LinearSvm.fitAsync(Dataset.from(rows, { backend }), labels, { onProgress }));
    const timer = setInterval(() => collections++ < 20 && globalThis.gc!(), 1); // also during a step
    for (const model of await Promise.all(fits)) expect(essence(model)).toEqual(expected);
    clearInterval(timer);
    expect(globalThis.gc).toBeTypeOf('function');
  });

  it('rejects bad input instead of throwing', async () => {
    const promise = LinearSvm.fitAsync(null as never, labels, { backend });
    expect(promise).toBeInstanceOf(Promise);
    await expect(promise).rejects.toBeInstanceOf(TypeError);
  });
});

describe('Dataset.dispose() while a fit is under way', () => {
  it.each(names)('lets fitAsync finish, and makes later calls reject, %s', async (backend) => {
    for (const points of [dense(cancer.rows), sparse(cancer.rows)]) {
      const data = Dataset.from(points, { backend });
      const expected = essence(LinearSvm.fit(data, cancer.labels));
      const fit = LinearSvm.fitAsync(data, cancer.labels);
      data.dispose();
      await expect(LinearSvm.fitAsync(data, cancer.labels)).rejects.toMatchObject({ code: 'ERR_DISPOSED' });
      expect(essence(await fit)).toEqual(expected);
    }
  });

  it('lets fitAsync and crossValidate finish, also between the choice of gamma and the fit', async () => {
    const { rows, labels } = clouds(3, 1500, 3);
    for (const backend of names) {
      for (const options of [{ gamma: 'auto' }, { method: 'fista' }] as const) {
        const data = Dataset.from(rows, { backend });
        const expected = essence(LinearSvm.fit(data, labels, options));
        const fit = LinearSvm.fitAsync(data, labels, options);
        data.dispose();
        expect(essence(await fit)).toEqual(expected);
      }
      const data = Dataset.from(rows, { backend });
      const { table } = await crossValidate(data, labels, { gammas: [0.01, 0.1], folds: 3 });
      const validation = crossValidate(data, labels, { gammas: [0.01, 0.1], folds: 3 });
      data.dispose();
      expect((await validation).table).toEqual(table);
    }
  });

  it('lets fit and fitAsync finish when called in onProgress', async () => {
    for (const backend of names) {
      const expected = essence(LinearSvm.fit(cancer.rows, cancer.labels, { backend }));
      for (const later of [false, true]) {
        const data = Dataset.from(cancer.rows, { backend });
        const options = { onProgress: () => data.dispose() };
        const model = later ? await LinearSvm.fitAsync(data, cancer.labels, options) : LinearSvm.fit(data, cancer.labels, options);
        expect(essence(model)).toEqual(expected);
      }
    }
  });
});

describe('LinearSvm.fitAsync and file reads', () => {
  it.skipIf(!names.includes('native'))("share no thread: a fit finishes while libuv's only thread is busy", () => {
    // The only thread of libuv is busy for an hour: the read waits for it, the fit must not.
    const script = `
      const { LinearSvm } = require(${JSON.stringify(ROOT)});
      const { pbkdf2 } = require('node:crypto');
      const { readFile, writeSync } = require('node:fs');
      pbkdf2('a', 'b', 2 ** 31 - 1, 64, 'sha512', () => {});
      let read = false;
      readFile(${JSON.stringify(join(ROOT, 'package.json'))}, () => (read = true));
      const rows = Array.from({ length: 400 }, (_, i) => Array.from({ length: 4 }, (_, j) => Math.sin(i * 41 + j * j)));
      const labels = rows.map((row, i) => (row[0] + Math.sin(i) > 0 ? 1 : -1));
      LinearSvm.fitAsync(rows, labels, { backend: 'native' }).then(() => {
        writeSync(1, read ? 'read, then fitted' : 'fitted');
        process.kill(process.pid, 'SIGKILL'); // process.exit would wait for that thread
      });
    `;
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8', timeout: HANG });
    expect([stdout, stderr]).toEqual(['fitted', '']);
  });

  it('both finish when they run at once', async () => {
    const fit = LinearSvm.fitAsync(cancer.rows, cancer.labels, { stop: stop.gap(1e-9) });
    const text = await readFile(join(ROOT, 'package.json'), 'utf8');
    expect(text).toContain('fista-classify');
    expect((await fit).info.status).toBe('gap');
  });
});

describe('a program that calls LinearSvm.fitAsync', () => {
  const setup = `
    const { LinearSvm, stop } = require(${JSON.stringify(ROOT)});
    const rows = Array.from({ length: 5000 }, (_, i) => Array.from({ length: 30 }, (_, j) => Math.sin(i * 31 + j * j)));
    const labels = rows.map((row, i) => (row[0] + Math.sin(i) > 0 ? 1 : -1));
    const never = { name: 'never', everyIteration: false, start: () => () => undefined };
    const forever = (more) => LinearSvm.fitAsync(rows, labels, { stop: never, maxIterations: 1e9, ...more }).then(() => forever(more)); // rounding ends each
  `;
  const run = (body: string) => spawnSync(process.execPath, ['-e', setup + body], { encoding: 'utf8', timeout: HANG });

  it.each(names)('exits with its code in the middle of fits, %s', (backend) => {
    for (const code of [
      `setTimeout(() => process.exit(7), 30)`,
      `process.exit(7)`,
      `forever({ backend: '${backend}', onProgress: () => process.exit(7) })`,
    ]) {
      const { status, signal, stderr } = run(`forever({ backend: '${backend}' }); forever({ backend: '${backend}' }); ${code};`);
      expect({ status, signal, stderr }).toEqual({ status: 7, signal: null, stderr: '' });
    }
  });

  it('exits with 1 on an uncaught exception in the middle of a fit', () => {
    const { status, signal, stderr } = run(`forever({}); setTimeout(() => { throw new Error('on purpose'); }, 20);`);
    expect({ status, signal }).toEqual({ status: 1, signal: null });
    expect(stderr).toContain('on purpose');
  });

  it('stays alive until the fit is done, and no longer', () => {
    const { status, stdout } = run(`LinearSvm.fitAsync(rows, labels).then(({ info }) => console.log(info.status));`);
    expect({ status, stdout: stdout.trim() }).toEqual({ status: 0, stdout: expect.stringMatching(/^(agreement|gap)$/) as string });
  });

  it('exits with 1 on a rejection that nothing handles', () => {
    const { status, stderr } = run(`forever({ onProgress() { throw new Error('nobody listens'); } });`);
    expect(status).toBe(1);
    expect(stderr).toContain('nobody listens');
  });
});

describe('LinearSvm.fitAsync in a worker thread', () => {
  const code = (body: string) => `
    const { parentPort } = require('node:worker_threads');
    const { LinearSvm } = require(${JSON.stringify(ROOT)});
    const rows = Array.from({ length: 5000 }, (_, i) => Array.from({ length: 30 }, (_, j) => Math.sin(i * 31 + j * j)));
    const labels = rows.map((row, i) => (row[0] + Math.sin(i) > 0 ? 1 : -1));
    const never = { name: 'never', everyIteration: false, start: () => () => undefined };
    const forever = (backend, onProgress) => LinearSvm.fitAsync(rows, labels, { backend, stop: never, maxIterations: 1e9, onProgress }).then(() => forever(backend, onProgress)); // rounding ends each
    ${body}
  `;
  const ended = (worker: Worker) => new Promise<number>((resolve, reject) => worker.once('exit', resolve).once('error', reject));

  it.each(names)('survives terminate() in the middle of a fit, and fits here go on, %s', async (backend) => {
    for (let k = 0; k < 3; k++) {
      const worker = new Worker(
        code(`forever('${backend}', () => parentPort.postMessage('check')); forever('${backend}', () => {});`),
        { eval: true },
      );
      await new Promise((resolve) => worker.once('message', resolve));
      const exit = ended(worker);
      await worker.terminate();
      expect(await exit).toBe(1);
    }
    expect((await LinearSvm.fitAsync(cancer.rows, cancer.labels)).info.status).toBe('agreement');
  });

  it.each(names)('lets the thread exit in the middle of a fit, %s', async (backend) => {
    for (const way of ['process.exit(0)', 'setTimeout(() => process.exit(0), 10)']) {
      const worker = new Worker(code(`forever('${backend}', () => { ${way}; });`), { eval: true });
      expect(await ended(worker)).toBe(0);
    }
  });

  it('gives the model of this thread while both train', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fista-worker-'));
    const file = join(folder, 'data.json');
    writeFileSync(file, JSON.stringify(cancer));
    const worker = new Worker(
      code(`
        const { rows: points, labels: names } = JSON.parse(require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8'));
        LinearSvm.fitAsync(points, names).then((model) => parentPort.postMessage(model.toJSON()));
      `),
      { eval: true },
    );
    const here = LinearSvm.fitAsync(cancer.rows, cancer.labels);
    const there = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    const exit = ended(worker); // may come before the fit of this thread is done
    expect(await there).toEqual((await here).toJSON());
    expect(await exit).toBe(0);
    rmSync(folder, { recursive: true });
  });
});

it('runAsync(loop) lets the event loop turn even if every step answers at once', async () => {
  let turned = false;
  const step = { perform: () => undefined, later: () => undefined as Promise<void> | undefined };
  const loop = function* (): Generator<Step, boolean, void> {
    for (let k = 0; k < 1e7 && !turned; k++) yield step;
    return turned;
  };
  for (const later of [() => Promise.resolve(), () => undefined]) {
    step.later = later;
    turned = false;
    setImmediate(() => (turned = true));
    expect(await runAsync(loop())).toBe(true);
  }
});

describe('LinearSvm.fitAsync and separateEllipsoidsAsync hand tasks to another thread', () => {
  /** How many tasks a call performs here and how many elsewhere. The TypeScript backend, whose methods can be watched, stands for both. */
  async function countTasks(kind: 'Svm' | 'Esp', call: () => Promise<unknown>): Promise<{ here: number; elsewhere: number }> {
    const { prototype } = js[kind] as unknown as { prototype: Performer };
    const [perform, later] = [vi.spyOn(prototype, 'perform'), vi.spyOn(prototype, 'later')];
    try {
      await call();
      const elsewhere = later.mock.calls.length;
      return { here: perform.mock.calls.length - elsewhere, elsewhere }; // its `later` calls `perform`
    } finally {
      perform.mockRestore();
      later.mockRestore();
    }
  }
  const fit = (rows: number, cols: number) => {
    const { rows: points, labels } = clouds(9, rows, cols, 0.5);
    const options: SvmOptions<number> = { backend: 'js', gamma: 1, stop: stop.gap(1e-9), maxIterations: 40 };
    return countTasks('Svm', () => LinearSvm.fitAsync(dense(points), labels, options));
  };
  const separate = (count: number) => {
    const family = (at: number) => Array.from({ length: count }, (_, i) => ({ center: [at, Math.sin(i), i / count], shape: 0.4 }));
    return countTasks('Esp', () =>
      separateEllipsoidsAsync(family(0), family(1), { backend: 'js', goal: 'widest', maxIterations: 20 }),
    );
  };

  it('none of a small problem, the later ones of a larger one, and all of a large one', async () => {
    place.elsewhere = false;
    try {
      expect((await fit(100, 3)).elsewhere).toBe(0);
      const { here, elsewhere } = await fit(2000, 20);
      expect(here).toBe(countTasksHere(2000 * 20 + 8 * 2000 + 20));
      expect(elsewhere).toBeGreaterThan(0);
      expect((await fit(11_000, 5)).here).toBe(0);
      expect((await separate(5)).elsewhere).toBe(0);
      expect((await separate(20_000)).here).toBe(0);
    } finally {
      place.elsewhere = true;
    }
    expect((await fit(100, 3)).here).toBe(0); // as the other tests of this file want it
  });
});
