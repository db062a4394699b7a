import { describe, expect, it } from 'vitest';
import { natives } from '../support/backends.js';
import { node, run } from '../support/child.js';

const MB = 2 ** 20;

// Creates 250 datasets of 4 MB, one at a time. Returns the growth of resident memory from the 21st to the last.
const LOOP = (body: string) => `
  const { Dataset } = fista;
  const source = { data: new Float64Array(2 ** 19).fill(1), rows: 2 ** 12, cols: 2 ** 7 };
  const n = 2 ** 18;
  const sparse = { indptr: Uint32Array.of(0, n), indices: Uint32Array.from({ length: n }, (_, k) => k), values: new Float64Array(n).fill(0.1), rows: 1, cols: n };
  const turn = () => new Promise((ok) => setImmediate(ok));
  const looks = [];
  for (let k = 0; k < 250; k++) {
    ${body}
    if (k === 20 || k === 249) {
      for (let g = 0; g < 3; g++) { gc(); await turn(); }
      looks.push(process.memoryUsage().rss);
    }
  }
  return looks[1] - looks[0];`;

describe.skipIf(natives.length === 0)('memory of native Datasets', () => {
  it.each([
    ['disposed of', `Dataset.from(source).dispose();`],
    ['collected on demand', `Dataset.from(source); if (k % 10 === 0) { gc(); await turn(); }`],
    ['left to the garbage collector, which is told of their size', `Dataset.from(source); await turn();`],
    ['sparse, left to the garbage collector', `Dataset.from(sparse); await turn();`],
    ['refused', `source.data[2 ** 19 - 1] = NaN; try { Dataset.from(source); } catch {} await turn();`],
    [
      'used and disposed of',
      `const d = Dataset.from(source); const X = require(ROOT + '/dist/data/dataset.js').Dataset.dataOf(d).matrix;
       X.multiply(new Float64Array(2 ** 7), new Float64Array(2 ** 12), 2); X.multiplyTransposed(new Float64Array(2 ** 12), new Float64Array(2 ** 7), 2); d.dispose();`,
    ],
  ])('stays bounded when Datasets are %s', async (_, body) => {
    const growth = await run(LOOP(body), { FISTA_CLASSIFY_BACKEND: 'native' }, ['--expose-gc']);
    expect(growth).toBeTypeOf('number');
    // 229 datasets are 900 MB; the C library keeps some of what was freed.
    expect(growth).toBeLessThan(400 * MB);
  });

  it('stays bounded until the garbage collector runs by itself', async () => {
    const body = `
      const source = { data: new Float64Array(2 ** 19), rows: 2 ** 12, cols: 2 ** 7 };
      let most = 0;
      for (let k = 0; k < 300; k++) {
        fista.Dataset.from(source);
        await new Promise((ok) => setImmediate(ok));
        most = Math.max(most, process.memoryUsage().rss);
      }
      return most;`;
    // 300 datasets are 1200 MB. If their size were not reported, the collector would see only a few kilobytes of garbage.
    expect(await run(body, { FISTA_CLASSIFY_BACKEND: 'native' })).toBeLessThan(600 * MB);
  });

  it('is subtracted by dispose() from what is reported to the garbage collector', async () => {
    const body = `
      const { PerformanceObserver, constants } = require('node:perf_hooks');
      let collections = 0;
      const told = new Promise((ok) => new PerformanceObserver((list) => {
        const major = list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR);
        collections += major.length;
        if (major.some(({ detail }) => detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED)) ok();
      }).observe({ entryTypes: ['gc'] }));
      const source = { data: new Float64Array(2 ** 19), rows: 2 ** 12, cols: 2 ** 7 };
      for (let k = 0; k < 500; k++) fista.Dataset.from(source).dispose();
      gc(); // the last collection to be observed
      await told;
      return collections - 1;`;
    // If 2000 MB stayed reported, a collection would run every hundred datasets.
    expect(await run(body, { FISTA_CLASSIFY_BACKEND: 'native' }, ['--expose-gc'])).toBeLessThan(5);
  });

  it('is freed at once by LinearSvm.fit when it throws, also while it chooses gamma', async () => {
    const body = `
      const points = { data: Float64Array.from({ length: 2 ** 19 }, (_, k) => Math.sin(k)), rows: 2 ** 13, cols: 2 ** 6 };
      const labels = Array.from({ length: 2 ** 13 }, (_, i) => Number(i < 2)); // too few to choose gamma
      const resident = [];
      for (let k = 0; k < 110; k++) {
        for (const options of [{ gamma: 'auto' }, { maxIterations: 1, onProgress: () => { throw new Error('mine'); } }]) {
          try { fista.LinearSvm.fit(points, labels, options); throw 'no error'; } catch (error) { if (error === 'no error') throw error; }
        }
        if (k === 9 || k === 109) resident.push(process.memoryUsage().rss);
      }
      return resident[1] - resident[0];`;
    // 200 fits are 800 MB, and the event loop does not turn, so no handle is finalised.
    expect(await run(body, { FISTA_CLASSIFY_BACKEND: 'native' })).toBeLessThan(150 * MB);
  });

  it('is freed when a worker thread ends', async () => {
    const body = `
      const { Worker } = require('node:worker_threads');
      const code = \`
        const { Dataset } = require(\${JSON.stringify(ROOT)});
        globalThis.kept = Array.from({ length: 10 }, () => Dataset.from({ data: new Float64Array(2 ** 19), rows: 2 ** 12, cols: 2 ** 7 }));\`;
      const resident = [];
      for (let k = 0; k < 12; k++) {
        await new Promise((ok) => new Worker(code, { eval: true }).on('exit', ok));
        if (k === 2 || k === 11) resident.push(process.memoryUsage().rss);
      }
      return resident[1] - resident[0];`;
    // The datasets of nine workers are 360 MB.
    expect(await run(body, { FISTA_CLASSIFY_BACKEND: 'native' })).toBeLessThan(120 * MB);
  });

  it('stays bounded over many fits, small and large (scripts/soak.js --quick)', async () => {
    const { code, stdout, stderr } = await node(['scripts/soak.js', '--quick'], { FISTA_CLASSIFY_BACKEND: 'native' });
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: '' });
    expect(stdout).toContain('1000 small fits, native');
  });
});
