import { describe, expect, it } from 'vitest';
import { natives } from '../support/backends.js';
import { run } from '../support/child.js';

// lib/input checks what users pass, but a buffer may be detached or shrunk later, and a defect in lib could pass anything: the addon
// must never read past the end of a buffer. All calls of a test run in one process, which a bad read may crash.

const PRELUDE = `
  const addon = require(ROOT + '/dist/backend/load.js').loadNative();
  const f64 = (n) => new Float64Array(n), f32 = (n) => new Float32Array(n), u32 = (...v) => Uint32Array.from(v);
  const detached = (view) => (structuredClone(view, { transfer: [view.buffer] }), view);
  const shrunk = (View) => {
    const buffer = new ArrayBuffer(64, { maxByteLength: 64 }), view = new View(buffer, 16);
    return buffer.resize(8), view;
  };
  const report = ({ defect }) => { throw new Error('reported ' + defect); };
  const X = new addon.Matrix(report, 1, f64(6), 2, 3);
  const S = new addon.Matrix(report, 1, u32(0, 1, 2), u32(0, 2), f64(2).fill(2), 2, 3);
  const entries = {
    'new Matrix (dense)': [(...a) => new addon.Matrix(...a), report, 1, f64(6), 2, 3],
    'new Matrix (dense f32)': [(...a) => new addon.Matrix(...a), report, 1, f32(6), 2, 3],
    'new Matrix (sparse)': [(...a) => new addon.Matrix(...a), report, 1, u32(0, 1, 2), u32(0, 2), f64(2), 2, 3],
    'new Matrix (sparse f32)': [(...a) => new addon.Matrix(...a), report, 1, u32(0, 1, 2), u32(0, 2), f32(2), 2, 3],
    multiply: [(...a) => X.multiply(...a), f64(3), f64(2), 1],
    multiplyTransposed: [(...a) => X.multiplyTransposed(...a), f64(2), f64(3), 1],
    'multiply (sparse)': [(...a) => S.multiply(...a), f64(3), f64(2), 1],
    'multiplyTransposed (sparse)': [(...a) => S.multiplyTransposed(...a), f64(2), f64(3), 1],
    projectKnapsack: [addon.kernels.projectKnapsack, f64(4), new Int8Array(4).fill(1), f64(4), 1, 0, NaN, f64(4), 1],
    projectCones: [addon.kernels.projectCones, f64(4), u32(0, 1, 4), f64(4), 1],
    'new Esp': [(...a) => new addon.Esp(...a), report, 1, 2, f64(4), Uint8Array.of(2, 1), f64(3), f64(2), Uint8Array.of(3), f64(4)],
    'new Esp (f32)': [(...a) => new addon.Esp(...a), report, 1, 2, f32(4), Uint8Array.of(2, 1), f32(3), f32(2), Uint8Array.of(1), f32(1)],
    'new Parser': [(...a) => new addon.Parser(...a), false, 5, true, false],
    'Parser.push': [(...a) => new addon.Parser(false, 5, true, false).push(...a), new Uint8Array(0)],
  };
  // These arguments are bytes of any length: the kinds of ellipsoids, whose length is their number, and chunks of text.
  const kinds = (name, i) => (name.startsWith('new Esp') && (i === 4 || i === 7)) || name === 'Parser.push';
  // 'returned', or the name and message of the error that a call threw.
  const outcome = (call) => {
    try { call(); return 'returned'; } catch (error) { return error instanceof Error ? error.name + ': ' + error.message : 'no error'; }
  };
  const swap = ([call, ...args], i, value) => () => call(...args.slice(0, i), value, ...args.slice(i + 1));`;

const all = (body: string) => run(PRELUDE + body) as Promise<Record<string, string>>;

describe.skipIf(natives.length === 0)('entries of the native addon', () => {
  it('accept the arguments that lib passes, also in shared memory', async () => {
    const body = `
      const shared = (v) => { if (!ArrayBuffer.isView(v)) return v; const s = new v.constructor(new SharedArrayBuffer(v.byteLength)); s.set(v); return s; };
      return Object.fromEntries(Object.entries(entries).flatMap(([name, [call, ...args]]) => [
        [name, outcome(() => call(...args))],
        [name + ', shared', outcome(() => call(...args.map(shared)))],
      ]));`;
    expect(new Set(Object.values(await all(body)))).toEqual(new Set(['returned']));
  });

  it('throw a RangeError for an argument of the wrong kind, at every position', async () => {
    const body = `
      const wrong = {
        null: null, true: true, string: 'x', symbol: Symbol(), bigint: 1n, object: {}, array: [1, 2, 3, 4, 5, 6], function: () => 1,
        buffer: new ArrayBuffer(64), view: new DataView(new ArrayBuffer(64)), proxy: new Proxy(f64(9), {}),
        Uint8Array: new Uint8Array(64), Int32Array: new Int32Array(64), Uint16Array: new Uint16Array(64), BigInt64Array: new BigInt64Array(64),
        fake: Object.create(Float64Array.prototype), 'Number object': new Number(1),
      };
      const results = {};
      for (const [name, entry] of Object.entries(entries)) {
        for (let i = 0; i < entry.length - 1; i++) {
          if (typeof entry[i + 1] === 'function') continue;
          for (const [kind, value] of Object.entries(wrong)) {
            if (kind === 'true' && typeof entry[i + 1] === 'boolean') continue;
            if (!(kind === 'Uint8Array' && kinds(name, i))) results[name + ' ' + i + ' ' + kind] = outcome(swap(entry, i, value));
          }
          // A sparse matrix may have no values.
          if (!(name.includes('sparse') && name.startsWith('new') && i === 4)) results[name + ' ' + i + ' absent'] = outcome(swap(entry, i, undefined));
        }
      }
      return results;`;
    const results = Object.entries(await all(body));
    expect(results.length).toBeGreaterThan(700);
    for (const [call, result] of results) {
      expect([call, result]).toEqual([
        call,
        expect.stringMatching(/^RangeError: Expected .* for \w+ but received something else$/),
      ]);
    }
  });

  it('throw for an array that is too short, detached or shrunk', async () => {
    const body = `
      const results = {};
      for (const [name, entry] of Object.entries(entries)) {
        for (let i = 0; i < entry.length - 1; i++) {
          const full = entry[i + 1];
          if (!ArrayBuffer.isView(full) || name === 'Parser.push') continue; // an empty chunk is valid
          const View = full.constructor;
          // A shorter array here is a smaller problem, for which the other arrays are long enough.
          if (i === 0 && (name === 'projectKnapsack' || name.startsWith('svm'))) continue;
          const fewer = name === 'projectCones' && i === 1 ? u32() : View.from(full).subarray(0, full.length - 1);
          if (!kinds(name, i) && full.length > 0) results[name + ' ' + i + ' shorter'] = outcome(swap(entry, i, fewer));
          results[name + ' ' + i + ' detached'] = outcome(swap(entry, i, detached(View.from(full))));
          results[name + ' ' + i + ' shrunk'] = outcome(swap(entry, i, shrunk(View)));
        }
      }
      return results;`;
    for (const [call, result] of Object.entries(await all(body))) {
      expect([call, result]).toEqual([call, expect.stringMatching(/^(RangeError|Error: reported bad-start)/)]);
    }
  });

  it('throw for counts and offsets out of range', async () => {
    const body = `
      const M = (...a) => () => new addon.Matrix(report, 1, ...a);
      const nonsense = [-1, 0.5, NaN, Infinity, -Infinity, 2 ** 53, 1e300, -1e300];
      const results = {};
      for (const n of nonsense) {
        results['rows ' + n] = outcome(M(f64(6), n, 3));
        results['cols ' + n] = outcome(M(f64(6), 2, n));
        results['sparse rows ' + n] = outcome(M(u32(0, 1), u32(0), undefined, n, 3));
        results['sparse cols ' + n] = outcome(M(u32(0, 1), u32(0), undefined, 1, n));
        results['threads ' + n] = outcome(() => new addon.Matrix(report, n, f64(6), 2, 3));
        results['multiply threads ' + n] = outcome(() => X.multiply(f64(3), f64(2), n));
      }
      for (const n of [...nonsense, 256, 'x', null]) {
        results['lane ' + n] = outcome(() => new addon.Svm(X, new Int8Array(2).fill(1), f64(2), 0, 1, n));
      }
      for (const [rows, cols] of [[3, 3], [2, 4], [7, 1], [2 ** 32, 2 ** 32], [2 ** 52, 2 ** 52], [2 ** 53 - 1, 2 ** 53 - 1], [2 ** 61 / 2 ** 20, 2 ** 23]]) {
        results['dense ' + rows + ' x ' + cols] = outcome(M(f64(6), rows, cols));
      }
      for (const [rows, cols] of [[2, 3], [2 ** 32 - 1, 3], [2 ** 32, 3], [1, 2 ** 32 - 1], [1, 2 ** 40]]) {
        results['sparse ' + rows + ' x ' + cols] = outcome(M(u32(0, 1), u32(0), undefined, rows, cols));
      }
      for (const start of [[], [0, 5], [0, 2, 1], [0, 0, 4], [4, 0], [0, 4294967295], [0, 1, 4294967295], [4294967295]]) {
        results['start ' + start] = outcome(() => addon.kernels.projectCones(f64(4), u32(...start), f64(4), 1));
      }
      results['indptr beyond'] = outcome(M(u32(0, 3), u32(0), undefined, 1, 3));
      results['indptr descending'] = outcome(M(u32(0, 1, 0), u32(0), undefined, 2, 3));
      results['index beyond'] = outcome(M(u32(0, 1), u32(3), undefined, 1, 3));
      results['index far beyond'] = outcome(M(u32(0, 1), u32(4294967295), undefined, 1, 70_000));
      results['values fewer'] = outcome(M(u32(0, 1), u32(0, 1), f64(1), 1, 3));
      results['not a number'] = outcome(M(f64(6).fill(NaN), 2, 3));
      return results;`;
    const results = Object.entries(await all(body));
    for (const [call, result] of results) {
      expect([call, result]).toEqual([
        call,
        expect.stringMatching(/^(RangeError: Expected .*|Error: reported (bad-start|bad-range|not-finite))$/),
      ]);
    }
  });

  it('take a problem without rows, as a rank may have none of two classes', async () => {
    const body = `
      const results = {};
      for (const weights of [f64(1).fill(1), f64(0)]) {
        const svm = new addon.Svm(X, new Int8Array(0), weights, 0, 1, 0, undefined, new Uint32Array(0));
        svm.perform('begin', 0);
        results[weights.length + ' weights'] = [svm.stored];
      }
      return results;`;
    expect(await all(body)).toEqual({ '1 weights': [0], '0 weights': [0] });
  });

  it('throw without new, with a foreign this, with a bad onDefect, and without arguments', async () => {
    const body = `
      const { Matrix } = addon;
      class Sub extends Matrix {}
      const bad = (f) => () => new Matrix(f, 1, f64(1).fill(NaN), 1, 1);
      const silent = bad(() => {})();
      return {
        'nothing': outcome(() => new Matrix()),
        'without new': outcome(() => Matrix(report, 1, f64(6), 2, 3)),
        'foreign this': outcome(() => X.multiply.call({}, f64(3), f64(2), 1)),
        'this of the prototype': outcome(() => Matrix.prototype.describe.call(Object.create(Matrix.prototype))),
        'no this': outcome(() => (0, X.describe)()),
        'onDefect is no function': outcome(bad(5)),
        'onDefect is absent': outcome(bad(undefined)),
        'onDefect throws': outcome(bad(() => { throw new TypeError('mine'); })),
        'after a silent onDefect': outcome(() => silent.describe()),
        'no arguments': Object.values(entries).map(([call]) => outcome(() => call())).filter((r) => r === 'returned').length + ' returned',
      };`;
    const { 'onDefect throws': mine, 'after a silent onDefect': dead, 'no arguments': none, ...others } = await all(body);
    expect(mine).toBe('TypeError: mine');
    expect(dead).toBe('Error: Expected a live matrix but it was disposed of');
    expect(none).toBe('0 returned');
    for (const [call, result] of Object.entries(others)) {
      expect([call, result]).toEqual([call, expect.stringMatching(/^(Type|Range)?Error: ./)]);
    }
  });

  it('accept any number of threads in multiply and any value in useSimd', async () => {
    const body = `
      const out = f64(2), ones = f64(3).fill(1);
      const Y = new addon.Matrix(report, 1, f64(6).fill(1), 2, 3);
      const sums = [0, 1, 255, 256, 257, 1e6, 2 ** 53 - 1].map((threads) => (Y.multiply(ones, out, threads), out.join()));
      const best = addon.useSimd();
      const levels = [null, 5, {}, '', 'x'.repeat(1e6), 'avx\\0', Symbol.iterator].map((level) => outcome(() => { if (addon.useSimd(level) !== best) throw new Error(); }));
      return [...new Set([...sums, ...levels])];`;
    expect(await all(body)).toEqual(['3,3', 'returned']);
  });
});
