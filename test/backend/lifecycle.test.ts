/** Many calls at once, some of them aborted or terminated: each gets its own result. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import {
  Dataset,
  LinearSvm,
  separateEllipsoids,
  separateEllipsoidsAsync,
  stop,
  type Points,
  type SvmOptions,
} from '../../lib/index.js';
import { names } from '../support/backends.js';
import { HANG } from '../support/child.js';
import { random } from '../support/random.js';
import { clouds, dense, sparse } from '../support/svm-data.js';

vi.mock(import('../../lib/solver/drivers.js'), async (original) => (await import('../support/place.js')).placed(await original()));

const ROOT = join(__dirname, '../..');

/** Everything of a fit except its time. */
const essence = ({ weights, bias, info }: LinearSvm<number>) => ({ weights, bias, info: { ...info, elapsed: 0 } });

describe('LinearSvm.fitAsync, 50 at once', () => {
  it.each([1, 2])(
    'gives each fit its own result, or rejects with the reason of its own signal, random aborts included (seed %d)',
    async (seed) => {
      const uniform = random(seed);
      const jobs = Array.from({ length: 50 }, (_, k) => {
        const { rows, labels } = clouds(1000 * seed + k, 40 + Math.floor(160 * uniform()), 2 + Math.floor(8 * uniform()));
        const points: Points = [rows, dense(rows), dense(rows, Float32Array), sparse(rows)][k % 4]!;
        const backend = names[k % names.length]!;
        const options: SvmOptions<number> = { backend, stop: stop.gap(10 ** -(2 + 6 * uniform())), threads: 1 + (k % 3) };
        const expected = essence(LinearSvm.fit(points, labels, options));
        return { points, labels, options, expected, reason: { number: k }, way: ['never', 'at a check', 'at some time'][k % 3]! };
      });
      const fits = jobs.map(({ points, labels, options, reason, way }) => {
        const controller = new AbortController();
        const { signal } = controller;
        const onProgress = way === 'at a check' ? () => controller.abort(reason) : undefined;
        if (way === 'at some time') setTimeout(() => controller.abort(reason), 100 * uniform());
        return LinearSvm.fitAsync(points, labels, { ...options, signal, ...(onProgress && { onProgress }) });
      });
      const ends = await Promise.allSettled(fits);
      ends.forEach((end, k) => {
        const { way, expected, reason } = jobs[k]!;
        if (way === 'never') expect(end.status).toBe('fulfilled');
        if (way === 'at a check') expect(end.status).toBe('rejected');
        if (end.status === 'fulfilled') expect(essence(end.value)).toEqual(expected);
        else expect(end.reason).toBe(reason);
      });
    },
  );

  it('finishes every fit on a shared Dataset that is disposed of meanwhile, and refuses later ones', async () => {
    for (const backend of names) {
      const { rows, labels } = clouds(4, 120, 5);
      const data = Dataset.from(rows, { backend });
      const options = (k: number): SvmOptions<number> => ({ gamma: 0.01 * (k + 1) });
      const expected = Array.from({ length: 50 }, (_, k) => essence(LinearSvm.fit(data, labels, options(k))));
      const fits = expected.map((_, k) => LinearSvm.fitAsync(data, labels, options(k)));
      data.dispose();
      expect(() => LinearSvm.fit(data, labels)).toThrow(expect.objectContaining({ code: 'ERR_DISPOSED' }));
      expect((await Promise.all(fits)).map(essence)).toEqual(expected);
    }
  });
});

describe('LinearSvm in 8 worker threads at once', () => {
  const CODE = `
    const { parentPort, workerData: jobs } = require('node:worker_threads');
    const { LinearSvm, Dataset } = require(${JSON.stringify(ROOT)});
    (async () => {
      const models = await Promise.all(jobs.map(({ rows, labels, options }, k) =>
        k % 2 ? LinearSvm.fitAsync(Dataset.from(rows, { backend: options.backend }), labels) : LinearSvm.fit(rows, labels, options)));
      parentPort.postMessage(models.map((model) => model.toJSON()));
    })();`;

  it.each(names)('gives the models that this thread gives, %s', async (backend) => {
    const jobs = Array.from({ length: 4 }, (_, k) => ({ ...clouds(50 + k, 120, 3), options: { backend } }));
    const answers = Array.from({ length: 8 }, () => {
      const worker = new Worker(CODE, { eval: true, workerData: jobs });
      const exit = new Promise<number>((resolve) => worker.once('exit', resolve));
      const answer = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      return Promise.all([answer, exit]);
    });
    const here = jobs.map(({ rows, labels, options }) => LinearSvm.fit(rows, labels, options).toJSON());
    for (const [there, exit] of await Promise.all(answers)) {
      expect(there).toEqual(here);
      expect(exit).toBe(0);
    }
  });

  it.each(names)('survives terminate() of every thread in the middle of a fit, %s', async (backend) => {
    const code = `
      const { parentPort } = require('node:worker_threads');
      const { LinearSvm, separateEllipsoidsAsync } = require(${JSON.stringify(ROOT)});
      const rows = Array.from({ length: 5000 }, (_, i) => Array.from({ length: 30 }, (_, j) => Math.sin(i * 31 + j * j)));
      const labels = rows.map((row, i) => (row[0] + Math.sin(i) > 0 ? 1 : -1));
      const never = { name: 'never', everyIteration: false, start: () => () => undefined };
      const family = (at) => rows.slice(at, at + 2500).map((center) => ({ center, shape: 2 }));
      const fit = () => LinearSvm.fitAsync(rows, labels, { backend: '${backend}', stop: never, maxIterations: 1e9, onProgress: () => parentPort.postMessage(0) }).then(fit);
      const separate = () => separateEllipsoidsAsync(family(0), family(2500), { backend: '${backend}', goal: 'converged', tolerance: 1e-300, maxIterations: 1e9 }).then(separate);
      for (let k = 0; k < 3; k++) fit(), separate();`;
    const workers = Array.from({ length: 8 }, () => new Worker(code, { eval: true }));
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('message', resolve))));
    expect(await Promise.all(workers.map((worker) => worker.terminate()))).toEqual(new Array(8).fill(1));
    const { rows, labels } = clouds(1, 100, 3);
    expect(essence(await LinearSvm.fitAsync(rows, labels, { backend }))).toEqual(essence(LinearSvm.fit(rows, labels, { backend })));
  });
});

describe('process.exit with fits, separations, reads and a worker under way', () => {
  const CODE = (backend: string, end: string) => `
    const { LinearSvm, crossValidate, separateEllipsoidsAsync, readLibsvm } = require(${JSON.stringify(ROOT)});
    const { Worker } = require('node:worker_threads');
    const { Readable } = require('node:stream');
    const rows = Array.from({ length: 5000 }, (_, i) => Array.from({ length: 30 }, (_, j) => Math.sin(i * 31 + j * j)));
    const labels = rows.map((row, i) => (row[0] + Math.sin(i) > 0 ? 1 : -1));
    const never = { name: 'never', everyIteration: false, start: () => () => undefined };
    const backend = '${backend}';
    const family = (at) => rows.slice(at, at + 2500).map((center) => ({ center, shape: 2 }));
    LinearSvm.fitAsync(rows, labels, { backend, stop: never, maxIterations: 1e9 });
    crossValidate(rows, labels, { backend, stop: never, maxIterations: 1e9 });
    separateEllipsoidsAsync(family(0), family(2500), { backend, goal: 'converged', tolerance: 1e-300, maxIterations: 1e9 });
    readLibsvm(Readable.from((async function* () { for (;;) yield await new Promise((ok) => setImmediate(ok, '1 1:2\\n')); })()), { backend });
    new Worker('const { LinearSvm } = require(${JSON.stringify(ROOT)}); LinearSvm.fitAsync([[1], [-1]], [1, -1], { backend: "${backend}", maxIterations: 1e9, stop: { name: "never", everyIteration: false, start: () => () => undefined } });', { eval: true });
    ${end}`;

  const ends = ['process.exit(7)', 'setImmediate(() => process.exit(7))', 'setTimeout(() => process.exit(7), 60)', 'setTimeout(() => process.exit(7), 200)']; // prettier-ignore
  it.each(names.flatMap((backend) => ends.map((end) => [backend, end])))(
    'exits with its code and prints nothing, %s: %s',
    async (backend, end) => {
      const result = await new Promise((done) => {
        const child = execFile(process.execPath, ['-e', CODE(backend, end)], { timeout: HANG }, (_, stdout, stderr) =>
          done({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
        );
      });
      expect(result).toEqual({ code: 7, signal: null, stdout: '', stderr: '' });
    },
  );
});

describe('separateEllipsoidsAsync(first, second), 50 at once', () => {
  it.each(names)('gives each call its own answer, %s', async (backend) => {
    const pairs = Array.from({ length: 50 }, (_, k) => {
      const { rows } = clouds(300 + k, 20, 3);
      const family = (parity: number, shift: number) =>
        rows.filter((_, i) => i % 2 === parity).map(([x, ...rest]) => ({ center: [x! + shift, ...rest], shape: 0.3 }));
      return [family(0, 0), family(1, k / 5)] as const;
    });
    const answers = await Promise.all(pairs.map(([a, b]) => separateEllipsoidsAsync(a, b, { backend, goal: 'widest' })));
    const expected = pairs.map(([a, b]) => separateEllipsoids(a, b, { backend, goal: 'widest' }));
    expect(answers.map((answer) => ({ ...answer, elapsed: 0 }))).toEqual(expected.map((answer) => ({ ...answer, elapsed: 0 })));
    expect(new Set(expected.map(({ status }) => status)).size).toBeGreaterThan(1);
  });
});
