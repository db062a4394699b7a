import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { names, natives, wasm } from '../support/backends.js';
import { node, ROOT, run, type Thrown } from '../support/child.js';

const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** Describes the backend, and multiplies with it to show that it works. */
const LOOK = `
  const { backend, Dataset } = fista;
  const data = Dataset.from([[1, 2], [3, 4]]);
  const { Dataset: Internal } = require(ROOT + '/dist/data/dataset.js');
  const out = new Float64Array(2);
  Internal.dataOf(data).matrix.multiply(Float64Array.of(1, 10), out, 1);
  const { loadError } = backend;
  return { ...backend, loadError: loadError && describe(loadError), out: [...out], frozen: Object.isFrozen(backend) };`;
const works = { out: [-11, 11], frozen: true }; // dense f64 data are stored with their column means subtracted

const REMEDY = 'To use it, set FISTA_CLASSIFY_BINARY to the path of a built addon, or unset it for the one in the package.\n';
const BY_WASM = 'Without it, WebAssembly gives the same answers, more slowly; FISTA_CLASSIFY_BACKEND=wasm asks for it.';
const BY_JS = 'Without them, the TypeScript kernels give the same answers, more slowly; FISTA_CLASSIFY_BACKEND=js asks for them.';

/** What comes after the addon. */
const second = wasm ? { name: 'wasm', simd: 'wasm128' } : { name: 'js', simd: 'none' };

const native = describe.skipIf(natives.length === 0);
const name = names[0]!;

native('require, with an addon', () => {
  const best = natives.at(-1)?.simd;

  it('require(folder) loads the addon at the best SIMD level, with a thread for each core', async () => {
    expect(await run(LOOK)).toEqual({ ...works, name: 'native', simd: best, threads: availableParallelism() });
    expect(await run(LOOK, { FISTA_CLASSIFY_BACKEND: 'native' })).toMatchObject({ ...works, name: 'native' });
    expect(await run(LOOK, { FISTA_CLASSIFY_BACKEND: 'auto' })).toMatchObject({ ...works, name: 'native' });
  });

  it('FISTA_CLASSIFY_SIMD lowers the SIMD level and never raises it', async () => {
    const levels = natives.map(({ simd }) => simd);
    for (const level of ['baseline', 'avx2', 'avx512', 'neon']) {
      const expected = levels.includes(level) ? level : best;
      expect(await run(LOOK, { FISTA_CLASSIFY_SIMD: level })).toMatchObject({ ...works, name: 'native', simd: expected });
    }
  });
});

describe('require, without an addon', () => {
  it('FISTA_CLASSIFY_BACKEND=js selects the TypeScript kernels and sets no backend.loadError', async () => {
    const expected = { ...works, name: 'js', simd: 'none', threads: availableParallelism() };
    expect(await run(LOOK, { FISTA_CLASSIFY_BACKEND: 'js' })).toEqual(expected);
    expect(await run(`fista.Dataset.from([[1]], { backend: 'native' });`, { FISTA_CLASSIFY_BACKEND: 'js' })).toMatchObject({
      thrown: { name: 'Error', code: 'ERR_BACKEND', message: 'The native addon was switched off by FISTA_CLASSIFY_BACKEND=js' },
    });
  });

  const broken: [string, string, RegExp | string][] = [
    ['a text file', file('text.node', 'not a library'), /file too short|invalid ELF header|slice is not valid|not a valid Win32/i],
    ['a missing file', join(folder, 'missing.node'), 'Cannot find module'],
    ['a module that is not the addon', file('other.js', 'module.exports = {};'), 'the file loaded is not the fista-classify addon'],
    ['a module that throws', file('throws.js', 'throw new Error("no such luck");'), 'no such luck'],
    ['a module that throws undefined', file('nothing.js', 'throw undefined;'), 'undefined'],
  ];

  it.each(broken)('FISTA_CLASSIFY_BINARY naming %s falls back and sets backend.loadError', async (_, binary, reason) => {
    const result = (await run(LOOK, { FISTA_CLASSIFY_BINARY: binary })) as { loadError: Thrown };
    expect(result).toMatchObject({ ...works, ...second });
    const { name, code, message, stack } = result.loadError;
    expect([name, code]).toEqual(['Error', 'ERR_BACKEND']);
    const [first, rest] = message.split(/\n(?=To use it)/);
    expect(first).toMatch(reason);
    expect(first).toMatch(/^The native addon did not load: /);
    expect(rest!.startsWith(REMEDY)).toBe(true);
    expect(rest!.endsWith(wasm ? BY_WASM : BY_JS)).toBe(true);
    expect(stack).toMatch(/^Error \[ERR_BACKEND\]: The native addon did not load: /);
  });

  it.each(broken)('FISTA_CLASSIFY_BACKEND=native with %s throws the reason and the remedies', async (_, binary, reason) => {
    const result = await run(LOOK, { FISTA_CLASSIFY_BACKEND: 'native', FISTA_CLASSIFY_BINARY: binary });
    const { thrown } = result as { thrown: Thrown };
    expect([thrown.name, thrown.code]).toEqual(['Error', 'ERR_BACKEND']);
    expect(thrown.message).toMatch(reason);
    expect(thrown.message.endsWith(REMEDY + BY_WASM)).toBe(true);
  });

  it("Dataset.from(points, { backend: 'native' }) throws backend.loadError", async () => {
    const body = `
      try { fista.Dataset.from([[1]], { backend: 'native' }); } catch (error) { return error === fista.backend.loadError; }`;
    expect(await run(body, { FISTA_CLASSIFY_BINARY: join(folder, 'missing.node') })).toBe(true);
  });
});

describe.skipIf(!wasm)('require, with WebAssembly', () => {
  it('FISTA_CLASSIFY_BACKEND=wasm selects it, sets no backend.loadError, and switches the addon off', async () => {
    const expected = { ...works, name: 'wasm', simd: 'wasm128', threads: availableParallelism() };
    expect(await run(LOOK, { FISTA_CLASSIFY_BACKEND: 'wasm' })).toEqual(expected);
    expect(await run(`fista.Dataset.from([[1]], { backend: 'native' });`, { FISTA_CLASSIFY_BACKEND: 'wasm' })).toMatchObject({
      thrown: { code: 'ERR_BACKEND', message: 'The native addon was switched off by FISTA_CLASSIFY_BACKEND=wasm' },
    });
  });

  it("{ backend: 'wasm' } is there beside every other backend", async () => {
    for (const backend of ['auto', 'js'])
      expect(
        await run(`return fista.LinearSvm.fit([[1], [2]], [1, 2], { backend: 'wasm' }).info.backend;`, {
          FISTA_CLASSIFY_BACKEND: backend,
        }),
      ).toBe('wasm');
  });
});

describe('require, with environment variables', () => {
  it.each([
    ['BACKEND', 'gpu', 'Expected auto, native, wasm or js for FISTA_CLASSIFY_BACKEND but received "gpu"'],
    ['BACKEND', 'JS', 'Expected auto, native, wasm or js for FISTA_CLASSIFY_BACKEND but received "JS"'],
    ['SIMD', 'avx3', 'Expected baseline, avx2, avx512 or neon for FISTA_CLASSIFY_SIMD but received "avx3"'],
    ['SIMD', 'none', 'Expected baseline, avx2, avx512 or neon for FISTA_CLASSIFY_SIMD but received "none"'],
    ['THREADS', '0', 'Expected an integer from 1 to 256 for FISTA_CLASSIFY_THREADS but received "0"'],
    ['THREADS', '257', 'Expected an integer from 1 to 256 for FISTA_CLASSIFY_THREADS but received "257"'],
    ['THREADS', '-2', 'Expected an integer from 1 to 256 for FISTA_CLASSIFY_THREADS but received "-2"'],
    ['THREADS', '2.5', 'Expected an integer from 1 to 256 for FISTA_CLASSIFY_THREADS but received "2.5"'],
    ['THREADS', 'many', 'Expected an integer from 1 to 256 for FISTA_CLASSIFY_THREADS but received "many"'],
    ['THREADS', '0x2', 'Expected an integer from 1 to 256 for FISTA_CLASSIFY_THREADS but received "0x2"'],
    ['THREADS', ' ', 'Expected an integer from 1 to 256 for FISTA_CLASSIFY_THREADS but received " "'],
  ] as const)('FISTA_CLASSIFY_%s=%s throws ERR_BACKEND', async (variable, value, message) => {
    const backends = variable === 'BACKEND' ? [value] : ['auto', 'js'];
    for (const backend of backends) {
      const { thrown } = (await run(LOOK, { FISTA_CLASSIFY_BACKEND: backend, [`FISTA_CLASSIFY_${variable}`]: value })) as {
        thrown: Thrown;
      };
      expect(thrown).toMatchObject({ name: 'RangeError', code: 'ERR_BACKEND', message });
      expect(thrown.stack).toMatch(/^RangeError \[ERR_BACKEND\]: Expected /);
    }
  });

  it('FISTA_CLASSIFY_THREADS=n sets backend.threads to n', async () => {
    for (const threads of ['1', '3', '256']) {
      expect(await run(LOOK, { FISTA_CLASSIFY_THREADS: threads })).toMatchObject({ ...works, threads: Number(threads) });
    }
  });

  it('variables set to the empty string count as not set', async () => {
    const empty = { FISTA_CLASSIFY_BACKEND: '', FISTA_CLASSIFY_SIMD: '', FISTA_CLASSIFY_THREADS: '' };
    expect(await run(LOOK, empty)).toEqual(await run(LOOK));
  });
});

describe('require and import', () => {
  it('require(folder) twice gives the same module; one loaded anew works beside it', async () => {
    const body = `
      const again = require(ROOT);
      for (const key of Object.keys(require.cache)) delete require.cache[key];
      const fresh = require(ROOT);
      const [a, b] = [fista, fresh].map(({ Dataset }) => Dataset.from([[1, 2]]));
      return [again === fista, fresh === fista, a.bytes === b.bytes, fresh.backend.name === fista.backend.name];`;
    expect(await run(body)).toEqual([true, false, true, true]);
  });

  it('require(folder) exports these names', async () => {
    expect(await run('return Object.keys(fista).sort();')).toEqual([
      'Dataset',
      'Encoder',
      'LinearSvm',
      'Table',
      'backend',
      'calibrationCurve',
      'categories',
      'category',
      'chooseThreshold',
      'crossValidate',
      'date',
      'ellipsoidFromCovariance',
      'loadModel',
      'precisionRecallCurve',
      'readArrow',
      'readCsv',
      'readJsonLines',
      'readLibsvm',
      'readParquet',
      'rocCurve',
      'saveModel',
      'separateEllipsoids',
      'separateEllipsoidsAsync',
      'stop',
      'text',
      'trainTestSplit',
      'writeLibsvm',
      'writeReport',
    ]);
  });

  it('import and require give the same values by the same names, so instanceof holds across them', async () => {
    const code = `
      import { createRequire } from 'node:module';
      import * as imported from 'fista-classify';
      const required = createRequire(import.meta.url)('fista-classify');
      const other = Object.keys(required).filter((name) => imported[name] !== required[name]);
      const model = required.LinearSvm.fit([[1], [2]], ['a', 'b']);
      const points = imported.Dataset.from([[1], [2]]);
      console.log(JSON.stringify({
        imported: Object.keys(imported).sort(), required: Object.keys(required).sort(), other,
        instances: [model instanceof imported.LinearSvm, points instanceof required.Dataset],
        predicted: model.predict(points), // of a Dataset made by the other
      }));`;
    // A file in the package: a package can import itself by its name.
    const { stdout, stderr } = await node(['--input-type=module', '-e', code], { FISTA_CLASSIFY_BACKEND: name });
    expect(stderr).toBe('');
    const { imported, required, ...rest } = JSON.parse(stdout) as Record<'imported' | 'required', string[]>;
    expect(imported).toEqual(required);
    expect(rest).toEqual({ other: [], instances: [true, true], predicted: ['a', 'b'] });
  });

  it('import of the main file has named exports', async () => {
    const { main } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { main: string };
    const code = `
      import { Dataset, backend } from ${JSON.stringify(pathToFileURL(join(ROOT, main)).href)};
      process.stdout.write(backend.name + ' ' + Dataset.from([[1, 2]]).nnz);`;
    const { stdout, stderr } = await node(['--input-type=module', '-e', code], { FISTA_CLASSIFY_BACKEND: name });
    expect([stdout, stderr]).toEqual([`${name} 2`, '']);
  });

  it('import of the package by its name has named exports', async () => {
    // Inside its own folder a package can import itself by name.
    const code = `import { backend } from 'fista-classify'; console.log(backend.name)`;
    const { stdout } = await node(['--input-type=module', '-e', code], { FISTA_CLASSIFY_BACKEND: name });
    expect(stdout.trim()).toBe(name);
  });
});

describe('require in worker threads', () => {
  // Multiplies and projects repeatedly with two threads, and calls done after each round. Throws if a result is wrong.
  const WORK = `
    const work = (rounds, done = () => {}) => {
      const { kernels } = require(ROOT + '/dist/backend/load.js');
      const { Matrix, kernels: { projectKnapsack } } = kernels();
      const n = 2000, d = 100;
      const ones = new Float64Array(n * d).fill(1);
      const X = new Matrix(() => {}, 2, ones, n, d);
      const w = new Float64Array(d).map((_, j) => j), out = new Float64Array(n), y = new Int8Array(n).fill(1), c = new Float64Array(n).fill(1), x = new Float64Array(n);
      for (let k = 0; k < rounds; k++) {
        X.multiply(w, out, 2);
        if (out.some((v) => v !== 4950)) throw new Error('a wrong product');
        const lambda = projectKnapsack(out, y, c, 1, n / 2, NaN, x, 2);
        if (Math.abs(lambda - 4949.5) > 1e-9) throw new Error('a wrong projection: ' + lambda);
        done(k);
      }
    };`;
  const WORKER = `
    const { Worker } = require('node:worker_threads');
    const code = (rounds) => \`
      const ROOT = \${JSON.stringify(ROOT)};
      ${WORK.replaceAll('`', '\\`').replaceAll('${', '\\${')}
      const { parentPort } = require('node:worker_threads');
      parentPort.postMessage(require(ROOT).backend.name);
      work(\${rounds}, (k) => k % 10 === 9 && parentPort.postMessage(k));\`;
    const start = (rounds) => {
      const worker = new Worker(code(rounds), { eval: true });
      const said = [];
      worker.on('message', (m) => said.push(m));
      worker.ended = new Promise((ok, no) => worker.on('exit', (c) => ok([c, ...said])).on('error', no));
      worker.working = new Promise((ok) => worker.on('message', (m) => m === 9 && ok()));
      return worker;
    };
    ${WORK}`;

  it('loads in four threads at once, and works there and in the main thread', async () => {
    const body = `${WORKER} const all = [1, 2, 3, 4].map(() => start(40)); work(40); return Promise.all(all.map((w) => w.ended));`;
    expect(await run(body, { FISTA_CLASSIFY_BACKEND: name })).toEqual(Array<unknown>(4).fill([0, name, 9, 19, 29, 39]));
  });

  it('works in new threads after others have exited, while one still computes', async () => {
    const body = `${WORKER}
      const long = start(150);
      const short = [];
      for (let k = 0; k < 4; k++) short.push(await start(10).ended);
      work(20);
      return [short, (await long.ended)[0]];`;
    expect(await run(body, { FISTA_CLASSIFY_BACKEND: name })).toEqual([Array<unknown>(4).fill([0, name, 9]), 0]);
  });

  it('survives terminate() in the middle of a computation', async () => {
    const body = `${WORKER}
      const codes = [];
      for (let k = 0; k < 4; k++) {
        const [doomed, other] = [start(1e9), start(1e9)];
        await Promise.all([doomed.working, other.working]);
        codes.push(await doomed.terminate());
        work(10);
        codes.push(await other.terminate());
      }
      work(10);
      return codes;`;
    expect(await run(body)).toEqual(Array<number>(8).fill(1));
  });

  it('lets the process exit while threads compute', async () => {
    const body = `${WORKER}
      const workers = [start(1e9), start(1e9)];
      await Promise.all(workers.map((w) => w.working));
      process.on('exit', () => process.stdout.write('\\n{"value":"gone"}'));
      setImmediate(() => process.exit(0));
      await new Promise(() => {});`;
    expect(await run(body)).toBe('gone');
  });
});
