// WebAssembly against the addon and the TypeScript kernels, all on one thread: kernels, and fits to the same rule, whose gaps are compared. And
// what it weighs.
'use strict';
const { existsSync, readFileSync, statSync } = require('node:fs');
const { join } = require('node:path');
const { brotliCompressSync, gzipSync } = require('node:zlib');
const { LinearSvm, separateEllipsoids, stop } = require('../../dist/index.js');
const { kernels } = require('../../dist/backend/load.js');
const { interleave, layout, show, speed, verdict } = require('../ratios.js');
const { parseLibsvm } = require('../data.js');

const NAMES = ['native', 'wasm', 'js'];
const ROUNDS = 7;

const numbers = (n, Kind = Float64Array) => Kind.from({ length: n }, (_, k) => Math.sin(k * 1.7) + ((k * 7919) % 13) / 13);

/** A trial repeats short work for some milliseconds. */
function timed(work) {
  let repeat = 1;
  for (;;) {
    const began = performance.now();
    for (let k = 0; k < repeat; k++) work();
    if (performance.now() - began > 5) break;
    repeat *= 2;
  }
  return () => {
    const began = performance.now();
    for (let k = 0; k < repeat; k++) work();
    return (performance.now() - began) / 1000 / repeat;
  };
}

function kernelTrials() {
  const dense = (rows, cols, Kind) => (backend) => {
    const X = new backend.Matrix(() => undefined, 1, numbers(rows * cols, Kind), rows, cols);
    const [w, q, u, g] = [numbers(cols), new Float64Array(rows), numbers(rows), new Float64Array(cols)];
    return { 'X·w': () => X.multiply(w, q, 1), Xᵀu: () => X.multiplyTransposed(u, g, 1) };
  };
  const n = 100_000;
  const [a, weight, x] = [numbers(n), new Float64Array(n).fill(1), new Float64Array(n)];
  const y = Int8Array.from({ length: n }, (_, i) => (i % 3 ? 1 : -1));
  const start = Uint32Array.from({ length: 3001 }, (_, k) => 31 * k);
  const [point, out] = [numbers(93_000), new Float64Array(93_000)];
  return {
    'dense f64 20,000 × 30': dense(20_000, 30, Float64Array),
    'dense f64 5000 × 123': dense(5000, 123, Float64Array),
    'dense f32 1000 × 784': dense(1000, 784, Float32Array),
    'dense f64 200,000 × 100': dense(200_000, 100, Float64Array),
    projections: ({ kernels: { projectKnapsack, projectCones } }) => ({
      'knapsack, n = 100,000': () => projectKnapsack(a, y, weight, 1, 0, NaN, x, 1),
      '3000 cones of 31': () => projectCones(point, start, out, 1),
    }),
  };
}

function fits(data) {
  const sets = [
    ['a9a', 'a9a', {}],
    ['a9a, gamma = 1, gap 1e-3', 'a9a', { gamma: 1, stop: stop.gap(1e-3) }],
    ['w8a', 'w8a', {}],
    ['wdbc', 'wdbc', {}],
    ['mushrooms', 'mushrooms', {}],
  ];
  return sets.flatMap(([title, name, options]) => {
    const text = data(name);
    if (!text) return [];
    const { labels, ...points } = parseLibsvm(text);
    return [[title, (backend) => LinearSvm.fit(points, labels, { ...options, backend, threads: 1 }).info.relativeGap]];
  });
}

function ellipsoids() {
  const family = (shift) => {
    const centers = { data: numbers(100 * 300).map((value) => value + shift), rows: 100, cols: 300 };
    return { centers, shapes: { ...centers, data: numbers(100 * 300).map((value) => value / 10) } };
  };
  const [first, second] = [family(0), family(0.5)];
  return [
    [
      '100 + 100 ellipsoids, d = 300, widest',
      (backend) => separateEllipsoids(first, second, { goal: 'widest', backend, threads: 1 }).distance.lower,
    ],
  ];
}

async function run({ print, data }) {
  const file = join(__dirname, '../../prebuilds/wasm/fista-classify.wasm');
  if (!existsSync(file) || kernels().name !== 'native') {
    print('Left out: it needs the addon, and WebAssembly (npm run build:wasm).');
    return undefined;
  }
  const columns = ['', 'wasm : TypeScript', '', 'native : wasm', 'wasm ms'];
  const rows = [];
  const measure = async (title, works, min) => {
    const seconds = await interleave(works.map(timed), ROUNDS);
    const [native, wasm, js] = seconds;
    const gain = speed(wasm, js);
    rows.push([
      title,
      show(gain),
      min ? verdict(gain, min) : '',
      show(speed(native, wasm)),
      (1000 * Math.min(...wasm)).toPrecision(3),
    ]);
  };
  for (const [form, make] of Object.entries(kernelTrials())) {
    const all = NAMES.map((name) => make(kernels(name)));
    for (const kernel of Object.keys(all[0])) {
      await measure(form === 'projections' ? kernel : `${kernel} ${form}`, all.map((works) => works[kernel]), kernel === 'X·w' ? 3 : undefined); // prettier-ignore
    }
  }
  for (const [title, fit] of [...fits(data), ...ellipsoids()]) {
    const reached = NAMES.map(fit);
    // Equal work: backends differ by rounding, which may move a fit to the check before or after.
    const apart = Math.max(...reached) / Math.min(...reached);
    await measure(`${title}${apart > 1.5 ? ` (results differ by a factor of ${apart.toFixed(1)})` : ''}`, NAMES.map((name) => () => fit(name)), title.startsWith('a9a') ? 3 : undefined); // prettier-ignore
  }
  print(layout([columns, ...rows]));
  const sizes = ['prebuilds/wasm/fista-classify.wasm', 'dist/browser.mjs'].map((path) => {
    const bytes = readFileSync(join(__dirname, '../..', path));
    const kB = (size) => (size / 1000).toFixed(0);
    return [
      path,
      kB(statSync(join(__dirname, '../..', path)).size),
      kB(gzipSync(bytes, { level: 9 }).length),
      kB(brotliCompressSync(bytes).length),
    ];
  });
  const header = ['', 'kB', 'gzip', 'brotli'];
  print(`\n${layout([header, ...sizes])}`);
  const notes =
    'Ratios of times, median of rounds | best against best, one thread each. Fits end by the same rule; where the gaps that they reach differ by more than half, the row says so.';
  return { tables: [{ title: 'speed', columns, rows, notes }, { title: 'size', columns: header, rows: sizes }] }; // prettier-ignore
}

module.exports = { name: 'wasm', describe: 'WebAssembly against the addon and the TypeScript kernels, and its size', run };
