/** The bundle for browsers, dist/browser.mjs, in a real one: alone, through bundlers, and where a page forbids what it would like to use. */
import { cpSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as fista from '../lib/index.js';
import { names, wasm } from './support/backends.js';
import { HANG, ROOT } from './support/child.js';
import { CHROMIUM, launch, sayIfLeftOut } from './support/chromium.js';
import { clouds, sparse, wdbc } from './support/svm-data.js';

sayIfLeftOut('the bundle');

const BUNDLE = join(ROOT, 'dist/browser.mjs');
const CSV = 'height,weight,colour,kind\n1.5,60,red,a\n1.6,61,green,a\n,90,red,b\n1.9,91,"green",b\n1.7,,red,b\n';

/** A page that has loaded the package as `window.fista`. Nothing of it is fetched but the page and the bundle. */
interface Visit {
  readonly page: Page;
  readonly complaints: string[];
  readonly requests: string[];
}

/**
 * What is computed in a page and in Node.js: the same code, given the package. Bits are compared, so it returns numbers that have not been
 * through functions which engines may round in their own way.
 */
const COMPUTE = `async ({ LinearSvm, Dataset, separateEllipsoids, separateEllipsoidsAsync, crossValidate, stop, readCsv, readLibsvm, readJsonLines }, { rows, labels, cloud, points, csv, gz }, backend) => {
  const list = (numbers) => Array.from(numbers);
  const story = ({ elapsed, threads, ...info }) => JSON.parse(JSON.stringify(info));
  const out = {};
  const bytes = (text) => new TextEncoder().encode(text);
  for (const [name, options] of Object.entries({
    plain: {}, newton: { method: 'newton', gamma: 10 }, fista: { method: 'fista' }, paper: { method: 'paper' }, squared: { loss: 'squared-hinge' },
    weighted: { classWeight: 'balanced', scale: 'maxabs' }, auto: { gamma: 'auto' },
  })) {
    const model = LinearSvm.fit(rows, labels, { backend, ...options });
    out[name] = { weights: list(model.weights), bias: model.bias, info: story(model.info) };
  }
  const csr = { ...points, indptr: Uint32Array.from(points.indptr), indices: Uint32Array.from(points.indices), values: Float64Array.from(points.values) };
  out.sparse = list(LinearSvm.fit(csr, labels, { backend }).weights);
  const data = Dataset.from(cloud.rows, { backend });
  const now = LinearSvm.fit(data, cloud.labels, { stop: stop.gap(1e-6) });
  const later = await LinearSvm.fitAsync(data, cloud.labels, { stop: stop.gap(1e-6) });
  out.later = [list(now.weights), list(later.weights), now.bias, later.bias, story(later.info)];
  const three = cloud.rows.map(([x, y]) => (x > 0.5 ? 'a' : y > 0 ? 'b' : 'c'));
  const classes = await LinearSvm.fitAsync(cloud.rows, three, { backend });
  out.classes = [classes.predict(cloud.rows), classes.certify(cloud.rows), classes.planes.map(({ weights }) => list(weights))];
  out.json = LinearSvm.fromJSON(JSON.parse(JSON.stringify(classes.toJSON()))).predict(cloud.rows.slice(0, 50));
  out.folds = (await crossValidate(rows, labels, { folds: 3, gammas: [0.01, 0.1], backend })).table.map(({ accuracy }) => accuracy);
  const ball = (x, y) => ({ center: [x, y], radius: 1 });
  const { elapsed, ...apart } = separateEllipsoids([ball(0, 0), ball(0, 3)], [ball(4, 1), { center: [5, 5], shape: [1, 0.5] }], { goal: 'widest', backend });
  const { elapsed: _, ...touching } = await separateEllipsoidsAsync([ball(0, 0)], [ball(1, 0)], { backend });
  out.ellipsoids = JSON.parse(JSON.stringify([apart, touching], (_, v) => (ArrayBuffer.isView(v) ? list(v) : v)));
  const table = await readCsv(bytes(csv), { as: 'records' });
  const model = LinearSvm.fit(table, 'kind', { backend });
  out.records = [table.rows, model.predictOne({ height: 1.5, weight: 59, colour: 'red' }), list(model.weights), model.explain({ height: 2, colour: 'blue' }).fields.map(({ name }) => name)];
  out.checksum = LinearSvm.fromJSON(model.toJSON()).toJSON().checksum;
  const texts = [{ text: 'gratis pengar nu', spam: true }, { text: 'möte på måndag', spam: false }, { text: 'pengar pengar', spam: true }, { text: 'lunch på fredag', spam: false }];
  out.texts = list(LinearSvm.fit(texts, 'spam', { backend, encoder: { text: 'text' } }).weights);
  out.libsvm = list((await readLibsvm(Uint8Array.from(gz), { backend })).points.values);
  out.lines = (await readJsonLines(bytes('{"a":1,"b":"x"}\\n{"a":null,"b":"y"}\\n'))).rows;
  // A byte order mark inside a text is a character.
  out.marks = [
    (await readCsv(bytes('a,b\\n"\\uFEFFtea",1\\n'), { as: 'records' })).record(0),
    await readJsonLines(bytes('{"a":1}\\n\\uFEFF{"a":2}\\n')).catch(({ code }) => code),
  ];
  const web = (text) => ({ getReader: () => new Blob([text]).stream().getReader() }); // of a browser that does not iterate over streams
  out.web = [(await readCsv(web(csv), { as: 'records' })).rows, (await readLibsvm(web('1 1:2\\n'), { backend })).labels[0]];
  out.onnx = classes.toOnnx().length;
  const refused = async (make) => { try { await make(); return 'nothing'; } catch (error) { return error.code + ': ' + error.message; } };
  out.errors = [
    await refused(() => LinearSvm.fit([[1], [NaN]], [0, 1], { backend })),
    await refused(() => LinearSvm.fitAsync([[1], [2]], [0, 0], { backend })),
    await refused(() => LinearSvm.fit(rows, labels, { maxIter: 3 })),
    await refused(() => readCsv(bytes('a,b\\n1\\n'), { label: 'b' })),
    await refused(() => readLibsvm(Uint8Array.from(gz).subarray(0, 40), { backend })),
  ];
  return out;
}`;

const { rows, labels } = wdbc();
const text = rows.map((row, i) => `${labels[i]} ${row.map((value, j) => `${j + 1}:${value}`).join(' ')}\n`).join('');
const { indptr, indices, values, ...shape } = sparse(rows);
const INPUT = {
  rows,
  labels,
  cloud: clouds(5, 10_000, 8, 1),
  points: { ...shape, indptr: Array.from(indptr), indices: Array.from(indices), values: Array.from(values!) },
  csv: CSV,
  gz: Array.from(gzipSync(text)),
};

describe.skipIf(!CHROMIUM)('the package in a browser', () => {
  let browser: Browser;
  let server: Server;
  let origin = '';
  const files = new Map<string, { readonly body: string | Buffer; readonly csp?: string }>();
  const folder = mkdtempSync(join(tmpdir(), 'fista-browser-'));

  beforeAll(async () => {
    browser = await launch();
    server = createServer((request, response) => {
      const file = files.get(request.url!);
      if (!file) return void response.writeHead(404).end();
      const type = /\.m?js$/.test(request.url!) ? 'text/javascript' : 'text/html';
      response
        .writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...(file.csp && { 'content-security-policy': file.csp }) })
        .end(file.body);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser.close();
    await new Promise((done) => server.close(done));
    rmSync(folder, { recursive: true });
  });

  /** Opens a page that imports a module as `window.fista`. */
  async function visit(name: string, module: string | Buffer, csp?: string): Promise<Visit> {
    files.set(`/${name}.mjs`, { body: module });
    files.set(`/${name}-start.mjs`, { body: `import * as fista from './${name}.mjs'; window.fista = fista;` });
    files.set(`/${name}.html`, {
      body: `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${name}-start.mjs"></script>`,
      ...(csp && { csp }),
    });
    const page = await browser.newPage();
    const [complaints, requests]: [string[], string[]] = [[], []];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) =>
      requests.push(new URL(request.url()).protocol === 'blob:' ? 'blob' : new URL(request.url()).pathname),
    );
    await page.goto(`${origin}/${name}.html`, { timeout: HANG });
    await page.waitForFunction('window.fista', undefined, { timeout: HANG });
    return { page, complaints, requests };
  }

  type Computed = Record<string, unknown>;
  const inPage = (page: Page, backend: string) =>
    page.evaluate<Computed>(`(${COMPUTE})(window.fista, ${JSON.stringify(INPUT)}, ${JSON.stringify(backend)})`);
  const compute = runInThisContext(`(${COMPUTE})`) as (
    given: typeof fista,
    input: typeof INPUT,
    backend: string,
  ) => Promise<Computed>;

  it.each(names.filter((name) => name !== 'native'))('computes what it computes in Node.js, bit for bit: %s', async (backend) => {
    const { page, complaints, requests } = await visit('plain', readFileSync(BUNDLE));
    const [here, there] = [await compute(fista, INPUT, backend), await inPage(page, backend)];
    for (const key of Object.keys(here)) expect({ [key]: there[key] }).toEqual({ [key]: here[key] });
    expect(Object.keys(there)).toEqual(Object.keys(here));
    expect(complaints).toEqual([]);
    // The worker's code is in the bundle.
    expect(requests.filter((path) => path !== 'blob')).toEqual(['/plain.html', '/plain-start.mjs', '/plain.mjs']);
    expect(page.workers().length).toBe(backend === 'wasm' ? 1 : 0);
    await page.close();
  });

  it('says which backend it has, and has no native one, no files and no writing', async () => {
    const { page } = await visit('says', readFileSync(BUNDLE));
    const found = await page.evaluate(`(async () => {
      const { backend, LinearSvm, readCsv } = window.fista;
      const refused = async (make) => { try { await make(); } catch (error) { return error.code + ': ' + error.message; } };
      return [backend.name, backend.simd, backend.threads, backend.loadError?.message,
        await refused(() => LinearSvm.fit([[1], [2]], [0, 1], { backend: 'native' })),
        await refused(() => readCsv('a.csv', { label: 'x' })), Object.keys(window.fista).sort().join(' ')];
    })()`);
    expect(found).toEqual([
      ...(wasm
        ? ['wasm', 'wasm128', 1, undefined]
        : ['js', 'none', 1, expect.stringContaining('this bundle was made without it') as string]),
      'ERR_BACKEND: There is no native addon in a browser',
      'ERR_SOURCE: Expected a stream or a Uint8Array for source, as there are no files in a browser, but received "a.csv"',
      Object.keys(fista)
        .filter((name) => !['loadModel', 'readArrow', 'readParquet', 'saveModel', 'writeLibsvm', 'writeReport'].includes(name))
        .concat('useWasm')
        .sort()
        .join(' '),
    ]);
    await page.close();
  });

  it('does in a page what docs/browser.md says', async () => {
    const [, html] = /```html\n([^]*?)```/.exec(readFileSync(join(ROOT, 'docs/browser.md'), 'utf8'))!;
    const said = /It shows \*(.+?)\*/.exec(readFileSync(join(ROOT, 'docs/browser.md'), 'utf8'))![1]!;
    files.set('/documented.html', { body: html! });
    files.set('/node_modules/fista-classify/dist/browser.mjs', { body: readFileSync(BUNDLE) });
    const page = await browser.newPage();
    await page.goto(`${origin}/documented.html`, { timeout: HANG });
    await page.waitForFunction(`document.getElementById('out').textContent`, undefined, { timeout: HANG });
    expect(await page.textContent('#out')).toBe(said);
    await page.close();
  });

  const LOOK = `(async () => {
    const { backend, LinearSvm } = window.fista;
    const rows = Array.from({ length: 20_000 }, (_, i) => [Math.sin(i), Math.cos(i * i), i % 7, i % 3]);
    const labels = rows.map(([x]) => (x > 0 ? 'b' : 'a'));
    const [now, later] = [LinearSvm.fit(rows, labels), await LinearSvm.fitAsync(rows, labels)];
    return { name: backend.name, reason: backend.loadError?.message, same: String(now.weights) === String(later.weights), labels: now.predict(rows.slice(0, 4)) };
  })()`;
  const answers = { same: true, labels: ['a', 'b', 'b', 'b'] };

  describe.skipIf(!wasm)('falls back, and keeps the reason', () => {
    it.each([
      ['forbids WebAssembly', "script-src 'self'", 'js', /WebAssembly did not load: .*(Content Security Policy|unsafe-eval)/],
      ['forbids everything but its own files', "default-src 'self'", 'js', /WebAssembly did not load: /],
      [
        'permits WebAssembly but no blob as a worker',
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
        'wasm',
        undefined,
      ],
      ['forbids workers', "script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'", 'wasm', undefined],
      ['forbids eval', "script-src 'self' 'wasm-unsafe-eval'; worker-src blob:", 'wasm', undefined],
    ])('in a page whose Content-Security-Policy %s', async (what, csp, name, reason) => {
      const { page } = await visit(what.replace(/\W/g, '-'), readFileSync(BUNDLE), csp);
      // Playwright's evaluate is not the page's eval, and is permitted.
      expect(await page.evaluate(LOOK)).toEqual({
        ...answers,
        name,
        ...(reason && { reason: expect.stringMatching(reason) as string }),
      });
      expect(page.workers().length).toBe(what === 'forbids eval' ? 1 : 0);
      await page.close();
    });

    it('with a damaged module in the bundle', async () => {
      const bundle = readFileSync(BUNDLE, 'latin1');
      const at = bundle.indexOf('AGFzbQEAAAA'); // \0asm, version 1, in base64
      expect(at).toBeGreaterThan(0);
      const damaged = `${bundle.slice(0, at + 1000)}${'AAAA'.repeat(10)}${bundle.slice(at + 1040)}`;
      const { page } = await visit('damaged', Buffer.from(damaged, 'latin1'));
      expect(await page.evaluate(LOOK)).toEqual({
        ...answers,
        name: 'js',
        reason: expect.stringMatching(
          /^WebAssembly did not load: .*\nWithout it, the TypeScript kernels give the same answers, more slowly\.$/,
        ) as string,
      });
      await page.close();
    });

    it('without SIMD', async () => {
      const old = await launch(['--js-flags=--no-enable-sse4-1 --no-enable-avx']);
      const page = await old.newPage();
      files.set('/old.mjs', { body: readFileSync(BUNDLE) });
      files.set('/old.html', { body: `<!doctype html><script type="module">window.fista = await import('./old.mjs')</script>` });
      await page.goto(`${origin}/old.html`, { timeout: HANG });
      await page.waitForFunction('window.fista', undefined, { timeout: HANG });
      const found = await page.evaluate<{ name: string; reason?: string }>(LOOK);
      if (process.arch === 'x64')
        expect(found).toMatchObject({ ...answers, name: 'js', reason: expect.stringMatching(/SIMD/) as string });
      await old.close();
    });

    it('and useWasm(module) takes a module that was compiled elsewhere', async () => {
      const bundle = readFileSync(BUNDLE, 'latin1');
      const { page } = await visit('edge', Buffer.from(bundle.replace('AGFzbQEAAAA', 'AAAAAAAAAAA'), 'latin1'));
      const given = readFileSync(join(ROOT, 'prebuilds/wasm/fista-classify.wasm')).toString('base64');
      const use = `(async () => {
        const { backend, useWasm, LinearSvm } = window.fista;
        const before = backend.name;
        const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
        const refused = [{}, 3, empty, { [Symbol.toStringTag]: 'WebAssembly.Module' }].map((given) => {
          try { useWasm(given); } catch (error) { return error.code; }
        });
        useWasm(await WebAssembly.compile(Uint8Array.from(atob('${given}'), (c) => c.charCodeAt(0))));
        const { info } = LinearSvm.fit([[1], [2]], [0, 1]);
        return [before, [...new Set(refused)], backend.name, backend.loadError, info.backend];
      })()`;
      expect(await page.evaluate(use)).toEqual(['js', ['ERR_BACKEND'], 'wasm', undefined, 'wasm']);
      expect(await page.evaluate(LOOK)).toMatchObject({ ...answers, name: 'wasm' });
      await page.close();
    });
  });

  it('reads bytes of another frame', async () => {
    const { page } = await visit('frames', readFileSync(BUNDLE));
    const read = `(async () => {
      const frame = document.body.appendChild(document.createElement('iframe')).contentWindow;
      const bytes = new frame.TextEncoder().encode('no JSON\\n{"a":1}\\n');
      return [bytes instanceof Uint8Array, (await window.fista.readJsonLines(bytes.subarray(8))).rows];
    })()`;
    expect(await page.evaluate(read)).toEqual([false, 1]);
    await page.close();
  });

  describe('through a bundler', () => {
    const app = join(folder, 'app');
    const source = join(app, 'main.js');
    beforeAll(() => {
      const installed = join(app, 'node_modules/fista-classify');
      mkdirSync(installed, { recursive: true });
      for (const part of ['package.json', 'dist']) cpSync(join(ROOT, part), join(installed, part), { recursive: true });
      writeFileSync(source, `import { backend, LinearSvm } from 'fista-classify'; export { backend, LinearSvm };`);
    });

    it.each([
      [
        'esbuild',
        async (out: string) =>
          void (await esbuild.build({ entryPoints: [source], bundle: true, format: 'esm', outfile: out, logLevel: 'silent' })),
      ],
      [
        'rolldown, the bundler of Vite,',
        async (out: string) => {
          const { rolldown } = await import('rolldown');
          const built = await rolldown({ input: source, platform: 'browser' });
          await built.write({ file: out, format: 'esm' });
        },
      ],
    ])('%s an application works as it is, and asks for nothing of Node.js', async (name, build) => {
      const out = join(folder, `${name.replace(/\W/g, '')}.mjs`);
      await build(out);
      const code = readFileSync(out, 'utf8');
      expect(code).not.toMatch(/\b(?:require\(|from\s*)['"](?:node:|fs|path|os|worker_threads)/);
      const { page, complaints } = await visit(name.replace(/\W/g, ''), code);
      expect(await page.evaluate(LOOK)).toEqual({
        ...answers,
        name: wasm ? 'wasm' : 'js',
        ...(!wasm && { reason: expect.any(String) as string }),
      });
      expect(complaints).toEqual([]);
      await page.close();
    });
  });
});
