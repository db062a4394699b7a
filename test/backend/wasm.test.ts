/** The WebAssembly backend in Node.js: when it is in use, what it does off this thread, and its memory. What it computes, the tests of all backends test. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LinearSvm, separateEllipsoidsAsync, separateEllipsoids, stop } from '../../lib/index.js';
import { kernels } from '../../lib/backend/load.js';
import { WasmMatrix } from '../../lib/backend/wasm/matrix-handle.js';
import { Module } from '../../lib/backend/wasm/module.js';
import { WasmParser } from '../../lib/backend/wasm/parse-handle.js';
import { webAssembly } from '../../lib/backend/wasm/webassembly.js';
import { WorkerClient } from '../../lib/backend/wasm/worker-client.js';
import { wasm } from '../support/backends.js';
import { HANG, node, ROOT, run } from '../support/child.js';
import { Installed } from '../support/installed.js';
import { clouds } from '../support/svm-data.js';

const FILE = 'prebuilds/wasm/fista-classify.wasm';
const tested = describe.skipIf(!wasm);
const bytes = () => readFileSync(join(ROOT, FILE));

tested('an installed package without an addon', () => {
  let installed: Installed;
  beforeAll(() => void (installed = new Installed()));
  beforeEach(() => installed.clear());
  afterAll(() => installed.remove());

  const LOOK = `const { backend, LinearSvm } = require(process.argv[1]);
    const labels = LinearSvm.fit([[1], [2], [8], [9]], ['a', 'a', 'b', 'b']).predict([[0], [10]]);
    console.log(JSON.stringify({ name: backend.name, loadError: backend.loadError?.message, labels }));`;

  function look(flags: string[] = [], env: NodeJS.ProcessEnv = {}) {
    const clean = Object.entries(process.env).filter(([name]) => !/^(FISTA_CLASSIFY_\w+|NODE_OPTIONS)$/.test(name));
    const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', LOOK, installed.root], {
      env: { ...Object.fromEntries(clean), ...env },
      encoding: 'utf8',
      timeout: HANG,
    });
    return { status, stderr, ...(JSON.parse(stdout || '{}') as { name?: string; loadError?: string; labels?: string[] }) };
  }

  it('uses WebAssembly, and warns once of what is missing', () => {
    installed.module(bytes());
    const { status, name, labels, loadError, stderr } = look();
    expect([status, name, labels]).toEqual([0, 'wasm', ['a', 'b']]);
    expect(loadError).toMatch(/^The native addon did not load: No native build was found/);
    expect(loadError!.split('\n').at(-1)).toBe(
      'Without it, WebAssembly gives the same answers, more slowly; FISTA_CLASSIFY_BACKEND=wasm asks for it.',
    );
    expect(stderr).toContain('fista-classify computes in WebAssembly, more slowly than it could.');
    expect(stderr.match(/Warning: /g)).toHaveLength(1);
  });

  const damaged: [string, () => void, string[], RegExp][] = [
    ['no module', () => undefined, [], /fista-classify\.wasm is missing/],
    ['a module that was cut', () => installed.module(bytes().subarray(0, 100_000), bytes()), [], /is damaged: its checksum/],
    [
      'a module that was cut, without a checksum',
      () => installed.write(FILE, bytes().subarray(0, 100_000)),
      [],
      /WebAssembly\.Module\(\)/,
    ],
    [
      'a module with another byte',
      () =>
        installed.module(
          bytes().map((byte, k) => (k === 150_000 ? byte ^ 1 : byte)),
          bytes(),
        ),
      [],
      /is damaged/,
    ],
    ['a text', () => installed.write(FILE, 'no module'), [], /expected magic word/],
    ['an empty file', () => installed.write(FILE, ''), [], /BufferSource argument is empty/],
    [
      'another module',
      () => installed.write(FILE, Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)),
      [],
      /_initialize is not a function/,
    ],
    ['a folder', () => installed.write(join(FILE, 'file'), ''), [], /EISDIR/],
    ['no SIMD', () => installed.module(bytes()), ['--no-enable-sse4-1'], /Wasm SIMD unsupported/],
    ['no WebAssembly', () => installed.module(bytes()), ['--jitless'], /this runtime has no WebAssembly/],
  ];
  it.each(damaged.filter(([what]) => what !== 'no SIMD' || process.arch === 'x64'))(
    'and with %s uses the TypeScript kernels, and keeps both reasons',
    (_, damage, flags, reason) => {
      damage();
      const { status, name, labels, loadError } = look(flags);
      expect([status, name, labels]).toEqual([0, 'js', ['a', 'b']]);
      const lines = loadError!.split('\n');
      expect(lines[0]).toMatch(/^The native addon did not load: /);
      expect(lines.find((line) => line.startsWith('WebAssembly did not load either: '))).toMatch(reason);
      const required = look(flags, { FISTA_CLASSIFY_BACKEND: 'wasm' });
      expect(required.status).toBe(1);
      expect(required.stderr).toMatch(/Error \[ERR_BACKEND\]: WebAssembly did not load: /);
      expect(required.stderr).toMatch(reason);
    },
  );
});

tested('fitAsync and separateEllipsoidsAsync in WebAssembly', () => {
  const large = clouds(3, 6000, 20, 1);

  it('give the results of the synchronous calls, bit for bit, from a worker', async () => {
    for (const options of [
      {},
      { method: 'newton' },
      { method: 'fista', keepSets: true },
      { gamma: 'auto' },
      { loss: 'squared-hinge' },
    ] as const) {
      const all = { backend: 'wasm', ...options } as const;
      const [now, later] = [LinearSvm.fit(large.rows, large.labels, all), await LinearSvm.fitAsync(large.rows, large.labels, all)];
      expect({ ...later.info, elapsed: 0 }).toEqual({ ...now.info, elapsed: 0 });
      expect([later.weights, later.bias]).toEqual([now.weights, now.bias]);
      expect(later.toJSON()).toEqual(now.toJSON());
    }
    const three = large.rows.map((row) => (row[0]! > 0.5 ? 'a' : row[1]! > 0 ? 'b' : 'c'));
    for (const multiclass of ['pairs', 'rest'] as const) {
      const all = { backend: 'wasm', multiclass, probability: 'sigmoid' } as const;
      expect((await LinearSvm.fitAsync(large.rows, three, all)).toJSON()).toEqual(LinearSvm.fit(large.rows, three, all).toJSON());
    }
    const family = (at: number) =>
      Array.from({ length: 60 }, (_, i) => ({ center: Array.from({ length: 300 }, (_, j) => at + Math.sin(i * j)), radius: 0.2 }));
    for (const [first, second] of [
      [family(0), family(3)],
      [family(0), family(0.01)],
    ] as const) {
      const options = { backend: 'wasm', goal: 'widest' } as const;
      const [now, later] = [separateEllipsoids(first, second, options), await separateEllipsoidsAsync(first, second, options)];
      expect({ ...later, elapsed: 0 }).toEqual({ ...now, elapsed: 0 });
    }
  });

  it('let the event loop turn, and the process end when they are done', async () => {
    const code = `
      const rows = Array.from({ length: 20_000 }, (_, i) => [Math.sin(i), Math.cos(i * i), i % 7, Math.sin(i / 3), i % 3]);
      const labels = rows.map(([x], i) => x + Math.sin(i * i * i) > 0);
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      fista.LinearSvm.fitAsync(rows, labels, { stop: fista.stop.gap(1e-7) }).then(({ info }) => {
        clearInterval(timer);
        process.stdout.write(JSON.stringify({ backend: info.backend, status: info.status, turned: turns > 0 }));
      });`;
    const { code: exit, stdout } = await node(['-e', `const fista = require(${JSON.stringify(ROOT)});${code}`], {
      FISTA_CLASSIFY_BACKEND: 'wasm',
    });
    expect([exit, stdout]).toEqual([0, JSON.stringify({ backend: 'wasm', status: 'gap', turned: true })]);
  });

  it('compute on this thread where no worker may be started', async () => {
    const body = `
      const { Worker } = require('node:worker_threads');
      let refused = '';
      try { new Worker('1', { eval: true }); } catch (error) { refused = error.code; }
      const rows = Array.from({ length: 20_000 }, (_, i) => [Math.sin(i), Math.cos(i * i), i % 7, 1 / (1 + i), i % 3]);
      const { info } = await fista.LinearSvm.fitAsync(rows, rows.map(([x]) => x > 0));
      return [refused, info.backend, info.status];`;
    const flags = ['--experimental-permission', '--allow-fs-read=*'];
    expect(await run(body, { FISTA_CLASSIFY_BACKEND: 'wasm' }, flags)).toEqual([
      'ERR_ACCESS_DENIED',
      'wasm',
      expect.stringMatching(/agreement|gap/),
    ]);
  });

  it('end with the reason of an aborted signal, and with a time limit', async () => {
    const controller = new AbortController();
    const fit = LinearSvm.fitAsync(large.rows, large.labels, {
      backend: 'wasm',
      signal: controller.signal,
      stop: stop.gap(1e-12),
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(fit).rejects.toThrow('enough');
    const { info } = await LinearSvm.fitAsync(large.rows, large.labels, { backend: 'wasm', timeLimit: 1e-6 });
    expect(info.status).toBe('time-limit');
  });

  it('fail with ERR_BACKEND when the worker ends', async () => {
    const compiled = new webAssembly!.Module(bytes());
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       parentPort.once('message', () => { parentPort.postMessage({ ready: true }); parentPort.once('message', () => process.exit(3)); });`,
      { eval: true },
    );
    let [gone, ended] = [0, 0];
    const client = await WorkerClient.start(
      {
        post: (message, transfer = []) => worker.postMessage(message, transfer),
        listen: (onMessage, onError) => void worker.on('message', onMessage).on('exit', onError),
        end: () => ended++,
        wait: () => undefined,
      },
      compiled,
      () => gone++,
    );
    await expect(client.perform(1, 'begin', [0])).rejects.toMatchObject({
      code: 'ERR_BACKEND',
      message: 'The worker that computes has ended',
    });
    await expect(client.perform(1, 'begin', [0])).rejects.toMatchObject({ code: 'ERR_BACKEND' });
    expect([gone, ended]).toEqual([1, 1]);
  });
});

tested('memory of WebAssembly', () => {
  const { Matrix } = kernels(wasm ? 'wasm' : 'js');
  const never = (): never => expect.fail();

  /** The limit on a matrix of 2^32 bytes: the module's memory has no more. */
  it('that is not there is an error, and the module goes on', () => {
    const few = new Float64Array(8);
    expect(() => new Matrix(never, 1, few, 2 ** 20, 2 ** 10)).toThrow(expect.objectContaining({ code: 'ERR_MEMORY' }) as Error);
    expect(() => new Matrix(never, 1, few, 2 ** 31, 2 ** 20)).toThrow(expect.objectContaining({ code: 'ERR_MEMORY' }) as Error);
    expect(LinearSvm.fit([[1], [2]], [0, 1], { backend: 'wasm' }).predict([[0]])).toEqual([0]);
  });

  it('that is full is an error of whatever asks for more', () => {
    const module = new Module(new webAssembly!.Module(bytes()));
    const full = expect.objectContaining({ code: 'ERR_MEMORY' }) as Error;
    const taken: number[] = [];
    for (let size = 2 ** 30; size >= 64; size /= 4) {
      expect(() => {
        for (;;) taken.push(module.take(size));
      }).toThrow(full);
    }
    const matrix = (): unknown => new WasmMatrix(module, never, 1, new Float64Array(8), 4, 2);
    for (let k = 0; k < 10; k++) expect(matrix).toThrow(full);
    expect(() => {
      for (let k = 0; k < 100_000; k++) module.made(module.exports.interruptNew(1));
    }).toThrow(full);
    expect(matrix).toThrow(full);
    for (const at of taken) module.exports.giveBack(at);
    expect(matrix).not.toThrow();
  });

  it('beyond 2 GB has addresses, too', () => {
    const module = new Module(new webAssembly!.Module(bytes()));
    for (let k = 0; k < 5; k++) module.take(2 ** 29);
    const parser = new WasmParser(module, false, 10, false, false);
    const value = '0.12345678901234567890123456789012345678901234567890'; // more digits than the module reads by itself
    expect(parser.push(new TextEncoder().encode(`1 1:${value}\n`))).toBeUndefined();
    expect(parser.finish()).toBeUndefined();
    const out = new Float64Array(1);
    parser.takeValues(out);
    expect(out[0]).toBe(Number(value));
  });

  it('is given back by dispose(), and by the garbage collector', async () => {
    const data = new Float64Array(2 ** 19).fill(1); // 4 MB; a module of 4 GB holds fewer than a thousand of them
    for (let k = 0; k < 600; k++) new Matrix(never, 1, data, 2 ** 10, 2 ** 9).dispose();
    for (let k = 0; k < 600; k++) {
      new Matrix(never, 1, data, 2 ** 10, 2 ** 9);
      if (k % 50 !== 49) continue;
      globalThis.gc!();
      await new Promise((done) => setTimeout(done, 1)); // finalizers run in a task of their own
    }
  });
});
