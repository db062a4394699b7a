// node bench/disk-child.js file.fds threads: what bench/tables/disk.js measures in a group of limited memory, as a line of JSON.
'use strict';
const { closeSync, openSync, readSync, statSync } = require('node:fs');
const { createHash } = require('node:crypto');
const { Dataset, LinearSvm } = require('../dist/index.js');
const { kernels } = require('../dist/backend/load.js');

const [path, threadsText, where] = process.argv.slice(2);
const threads = Number(threadsText);
const { size } = statSync(path);

const seconds = (work) => {
  const begin = performance.now();
  work();
  return (performance.now() - begin) / 1000;
};

/** The file from its beginning to its end, by a plain loop. */
function readPlain() {
  const buffer = Buffer.allocUnsafeSlow(1 << 20);
  const file = openSync(path, 'r');
  const time = seconds(() => {
    for (let at = 0, got; (got = readSync(file, buffer, 0, buffer.length, at)) > 0; at += got);
  });
  closeSync(file);
  return time;
}

async function main() {
  let dataset = Dataset.open(path);
  const { labels } = dataset;
  const { window } = Dataset.dataOf(dataset);
  const result = { plain: [], multiply: [], transposed: [], epoch: [] };
  if (where === 'memory') {
    const { openFile } = require('../dist/io/dataset-reader.js');
    const [first, ...rest] = openFile(path).whole();
    const points =
      rest.length === 2
        ? { data: first, rows: rest[0], cols: rest[1] }
        : { indptr: first, indices: rest[0], values: rest[1], rows: rest[2], cols: rest[3] };
    dataset = Dataset.from(points);
  }
  const matrix = Dataset.dataOf(dataset).matrix.share();
  if (where !== 'memory') matrix.centre(threads);
  const w = new Float64Array(dataset.cols).fill(1e-3);
  const [out, sums] = [new Float64Array(dataset.rows), new Float64Array(dataset.cols)];
  const { Svm } = kernels();
  const y = Int8Array.from(labels, (label) => (label > 0 ? 1 : -1));
  const problem = new Svm(matrix, y, Float64Array.of(1), 0, threads, 0, undefined, undefined, undefined, window);
  problem.perform('begin', 0);
  problem.perform('regularize', 0.01, 50);
  // In turns, as the machine may be shared.
  for (let round = 0; round < 4; round++) {
    if (where !== 'memory') result.plain.push(readPlain());
    result.multiply.push(seconds(() => matrix.multiply(w, out, threads)));
    if (where !== 'memory') result.plain.push(readPlain());
    result.transposed.push(seconds(() => matrix.multiplyTransposed(out, sums, threads)));
    if (where !== 'memory') result.plain.push(readPlain());
    result.epoch.push(seconds(() => problem.perform('ascend', 0, 10, 0.1, 1)));
  }
  problem.dispose();
  const { info, weights, bias } = await LinearSvm.fitAsync(dataset, labels, { threads, solver: { window } });
  const bits = createHash('sha256').update(weights).update(Float64Array.of(bias)).digest('hex').slice(0, 12);
  const { status, iterations, passes, elapsed, relativeGap, stages } = info;
  const fit = { status, iterations, passes, seconds: elapsed / 1000, relativeGap, stages };
  console.log(JSON.stringify({ size, rows: dataset.rows, cols: dataset.cols, nnz: dataset.nnz, window, ...result, fit, bits }));
}

void main();
