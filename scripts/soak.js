// Checks that memory stays bounded over many fits: 10,000 small ones, sync and async, and 200 large ones, some of which fail or are
// aborted. --quick runs a tenth of them. Needs the compiled package (npm run build). Fails if memory grew.
'use strict';
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { LinearSvm, Dataset, separateEllipsoids, backend } = require('..');

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
const MB = 2 ** 20;
const share = process.argv.includes('--quick') ? 0.1 : 1;

let state = 1;
const uniform = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5;

function sample(rows, cols) {
  const data = Float64Array.from({ length: rows * cols }, uniform);
  const labels = Array.from({ length: rows }, (_, i) => (data[i * cols] + 0.3 * uniform() > 0 ? 1 : -1));
  labels[0] = -labels[1];
  return { points: { data, rows, cols }, labels };
}

/** Resident memory, after everything that can be freed was freed. */
async function resident() {
  for (let k = 0; k < 4; k++) {
    gc();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().rss;
}

/** Runs fit(k) `times` times, and prints how much memory grew after the `first` fits, when the engine's own memory has settled. */
async function soak(title, times, first, max, fit) {
  const began = performance.now();
  let before = 0;
  for (let k = 0; k < times; k++) {
    if (k === first) before = await resident();
    await fit(k);
  }
  const growth = ((await resident()) - before) / MB;
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${times} ${title} fits, ${backend.name}: ${growth.toFixed(1)} MB more, at most ${max} allowed; ${seconds.toFixed(1)} s`,
  );
  if (!(growth <= max)) process.exitCode = 1;
}

const small = sample(100, 60);
async function fitSmall(k) {
  const { points, labels } = small;
  if (k % 4 === 0) LinearSvm.fit(points, labels);
  else if (k % 4 === 1) await LinearSvm.fitAsync(points, labels);
  else if (k % 4 === 2)
    LinearSvm.fit(Dataset.from(points), labels).predict(points); // the Dataset is left to the garbage collector
  else if (k % 8 === 3) separateEllipsoids([{ center: [0, k], shape: 0.5 }], [{ center: [3, 1], shape: [1, 0.5] }]);
  else await LinearSvm.fitAsync(points, labels, { signal: AbortSignal.abort('soak') }).catch(expect('soak'));
  if (k % 64 === 0) await new Promise(setImmediate); // lets finalisers run, as in any server
}

const large = sample(16_000, 64);
async function fitLarge(k) {
  const { points, labels } = large;
  const options = { maxIterations: 10 };
  if (k % 3 === 0) LinearSvm.fit(points, labels, options);
  else if (k % 3 === 1) await LinearSvm.fitAsync(points, labels, options);
  else {
    const onProgress = () => {
      throw 'soak';
    };
    await LinearSvm.fitAsync(points, labels, { ...options, onProgress }).catch(expect('soak'));
  }
}

function expect(reason) {
  return (error) => {
    if (error !== reason) throw error;
  };
}

(async () => {
  // A small fit holds at least 50 kB, a large one 8 MB.
  await soak('small', 10_000 * share, 500, 24, fitSmall);
  await soak('large', 200 * share, 20 * share, 80, fitLarge);
})();
