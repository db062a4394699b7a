// The cost of one call from JavaScript, native against TypeScript, on small data. It includes the crossing into C++.
'use strict';
const Benchmark = require('benchmark');
const { kernels, loadFallback } = require('../../dist/backend/load.js');

const numbers = (n, seed = 1) =>
  Float64Array.from({ length: n }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 31 - 1;
  });

/** The calls to measure, for one backend, on one thread. */
function calls(backend) {
  const make = (rows, cols) => new backend.Matrix(() => {}, 1, numbers(rows * cols), rows, cols);
  const multiply = (rows, cols) => {
    const [X, w, q] = [make(rows, cols), numbers(cols), new Float64Array(rows)];
    return () => X.multiply(w, q, 1);
  };
  const n = 1000;
  const [a, weight, x] = [numbers(n), new Float64Array(n).fill(1), new Float64Array(n)];
  const y = Int8Array.from({ length: n }, (_, i) => (i % 3 ? 1 : -1));
  const lambda = backend.kernels.projectKnapsack(a, y, weight, 1, 0, NaN, x, 1) + 1e-3;
  const start = Uint32Array.from({ length: 101 }, (_, k) => 31 * k);
  const [point, out] = [numbers(3100), new Float64Array(3100)];
  return {
    'Matrix.multiply 10 × 10': multiply(10, 10),
    'Matrix.multiply 100 × 30': multiply(100, 30),
    'Matrix.multiply 1000 × 100': multiply(1000, 100),
    'projectKnapsack n = 1000, cold': () => backend.kernels.projectKnapsack(a, y, weight, 1, 0, NaN, x, 1),
    'projectKnapsack n = 1000, warm': () => backend.kernels.projectKnapsack(a, y, weight, 1, 0, lambda, x, 1),
    'projectCones 100 of 31': () => backend.kernels.projectCones(point, start, out, 1),
  };
}

/** Microseconds per call, and benchmark's relative margin of error in percent. */
function time(work) {
  const { stats } = new Benchmark(work, { maxTime: 0.5 }).run();
  return { micros: stats.mean * 1e6, margin: stats.rme };
}

function run({ print }) {
  const native = kernels();
  if (native.name !== 'native') {
    print('Left out: the native addon is not in use.');
    return undefined;
  }
  const [ours, twin] = [calls(native), calls(loadFallback())];
  const results = {};
  print(`${`native: ${native.simd}, one thread`.padEnd(34)} native µs   TypeScript µs   times as fast`);
  for (const name of Object.keys(ours)) {
    const [a, b] = [time(ours[name]), time(twin[name])];
    results[name] = { native: a, js: b };
    const show = ({ micros, margin }) => `${micros.toFixed(2)} ±${margin.toFixed(0)}%`;
    print(`${name.padEnd(32)} ${show(a).padStart(11)} ${show(b).padStart(15)} ${(b.micros / a.micros).toFixed(1).padStart(15)}`);
  }
  return { simd: native.simd, calls: results };
}

module.exports = { name: 'calls', describe: 'one call from JavaScript, native against TypeScript', run };
