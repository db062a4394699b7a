// Compares prediction and the two sweeps of an iteration with their bounds: a streaming read of as many bytes by as many threads, made
// in turns by the program of bench/kernels.cc; for CSR, the X·w kernel itself.
'use strict';
const { loadavg } = require('node:os');
const { Dataset, LinearSvm, backend } = require('../..');
const { kernels } = require('../../dist/backend/load.js');
const { resolveDataset } = require('../../dist/input/resolve-dataset.js');
const { buildKernels } = require('../build.js');
const { parseLibsvm } = require('../data.js');
const { random } = require('../digits.js');
const { Peer } = require('../peers/process.js');
const { best, digits, interleave, layout, median, show, speed, verdict } = require('../ratios.js');

const MEGABYTES = 256;
const ROUNDS = 15;
const COPIES = 20; // copies of a9a, larger than the cache: 9 million entries

function timed(work) {
  const from = performance.now();
  work();
  return (performance.now() - from) / 1000;
}

/** Points as a fit holds them. */
function copied(points, threads) {
  const { view, backend } = resolveDataset(points);
  return new backend.Matrix(view.refuse, threads, ...view.arguments);
}

/** Numbers in [-1, 1), more than the cache holds. */
function dense(Type, cols) {
  const rows = Math.floor((MEGABYTES << 20) / Type.BYTES_PER_ELEMENT / cols);
  const next = random(cols);
  const data = new Type(rows * cols);
  for (let i = 0; i < data.length; i++) data[i] = 2 * next() - 1;
  return { data, rows, cols };
}

const model = (cols) => {
  const next = random(1);
  return LinearSvm.fromJSON({
    format: 'fista-classify/linear-svm',
    version: 1,
    labels: [-1, 1],
    bias: 0.5,
    weights: Array.from({ length: cols }, () => next() - 0.5),
  });
};

const FORMS = [
  ['dense f64, d = 100', Float64Array, 100],
  ['dense f64, d = 784', Float64Array, 784],
  ['dense f32, d = 100', Float32Array, 100],
  ['dense f32, d = 784', Float32Array, 784],
];

async function densePrediction(read, threads) {
  const rows = [];
  for (const [name, Type, cols] of FORMS) {
    const points = dense(Type, cols);
    const svm = model(points.cols);
    const out = new Float64Array(points.rows);
    const prepared = Dataset.from(points, { threads });
    const [arrays, dataset, reads] = await interleave(
      [() => timed(() => svm.decision(points, out)), () => timed(() => svm.decision(prepared, out)), () => read(threads)],
      ROUNDS,
    );
    prepared.dispose();
    const [ofArrays, ofDataset] = [arrays, dataset].map((times) => speed(times, reads));
    rows.push([
      name,
      digits((MEGABYTES * 1.048576e6) / best(reads) / 1e9),
      show(ofArrays),
      verdict(ofArrays, 0.85),
      show(ofDataset),
      verdict(ofDataset, 0.85),
    ]);
  }
  return {
    title: `decision() on dense data out of cache (${MEGABYTES} MB), as a share of a streaming read by as many threads`,
    columns: ['', 'read, GB/s', 'typed arrays', '', 'Dataset', ''],
    rows,
    notes: `Median of the ratios within a round | ratio of the best times, ${ROUNDS} rounds, ${threads} threads.`,
  };
}

/** Repeats the rows of CSR points. */
function repeat({ indptr, indices, values, rows, cols }, times) {
  const entries = indices.length;
  const out = { indptr: new Uint32Array(rows * times + 1), indices: new Uint32Array(entries * times), rows: rows * times, cols };
  if (values) out.values = new Float64Array(entries * times);
  for (let k = 0; k < times; k++) {
    for (let i = 0; i < rows; i++) out.indptr[k * rows + i + 1] = k * entries + indptr[i + 1];
    out.indices.set(indices, k * entries);
    if (values) out.values.set(values, k * entries);
  }
  return out;
}

async function sparsePrediction(text, threads) {
  const { indptr, indices, rows, cols } = parseLibsvm(text);
  const ones = { indptr, indices, rows, cols };
  const next = random(2);
  const valued = { ...ones, values: Float64Array.from(indices, () => next() + 0.5) };
  // So many columns that the kernel's copy keeps 32-bit columns: the same arrays.
  const apart = Math.ceil(65_536 / cols);
  const wide = (points) => ({ ...points, indices: points.indices.map((j) => j * apart), cols: cols * apart });
  const cells = [];
  for (const [name, points] of [
    ['a9a, columns apart, no values', wide(ones)],
    ['a9a, columns apart, f64 values', wide(valued)],
    ['a9a, no values', ones],
    ['a9a, f64 values', valued],
    [`a9a ${COPIES} times, no values`, repeat(ones, COPIES)],
    [`a9a ${COPIES} times, f64 values`, repeat(valued, COPIES)],
  ]) {
    const svm = model(points.cols);
    const out = new Float64Array(points.rows);
    const prepared = Dataset.from(points, { threads });
    const matrix = copied(points, threads);
    const again = Math.max(1, Math.round(2e6 / points.indices.length)); // milliseconds, not microseconds
    const many = (work) => () =>
      timed(() => {
        for (let k = 0; k < again; k++) work();
      });
    const [arrays, dataset, kernel] = await interleave(
      [
        many(() => svm.decision(points, out)),
        many(() => svm.decision(prepared, out)),
        many(() => matrix.multiply(svm.weights, out, threads)),
      ],
      ROUNDS,
    );
    const [ofArrays, ofDataset] = [arrays, dataset].map((times) => speed(times, kernel));
    cells.push([
      name,
      ((1e9 * best(kernel)) / again / points.indices.length).toFixed(3),
      show(ofArrays),
      verdict(ofArrays, 0.9),
      show(ofDataset),
      verdict(ofDataset, 0.9),
    ]);
    prepared.dispose();
    matrix.dispose();
  }
  return {
    title: "decision() on CSR, as a share of the X·w kernel's own rate",
    columns: ['', 'kernel, ns per entry', 'typed arrays', '', 'Dataset', ''],
    rows: cells,
    notes: `The kernel works on its own copy: with 2 MB pages where columns are apart, and otherwise with 16-bit columns, which are faster; ${ROUNDS} rounds, ${threads} threads.`,
  };
}

/** Seconds of processor time: the work of one thread, whatever else runs. */
function processor(work) {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1e6;
}

async function onePoint() {
  const rows = [];
  const kinds = [
    ['Float64Array', (row) => Float64Array.from(row)],
    ['Float32Array', (row) => Float32Array.from(row)],
    ['array', (row) => [...row]],
    ['indices and values', (row) => ({ indices: Uint32Array.from(row, (_, j) => j), values: Float64Array.from(row) })],
  ];
  for (const [kind, make] of kinds) {
    for (const cols of [30, 123, 784]) {
      // One kind at a time: in a user's program, too, the code usually sees only one kind of row.
      const svm = model(cols);
      const next = random(3);
      const points = Array.from({ length: 200 }, () => make(Array.from({ length: cols }, () => 2 * next() - 1)));
      const calls = Math.max(1, Math.round(4e6 / cols / points.length));
      const [times] = await interleave(
        [
          () =>
            processor(() => {
              for (let k = 0; k < calls; k++) for (const point of points) svm.predictOne(point);
            }),
        ],
        ROUNDS,
      );
      const values = calls * points.length * cols;
      const rate = { median: values / median(times) / 1e6, best: values / best(times) / 1e6 };
      rows.push([`${kind}, d = ${cols}`, show(rate), kind === 'indices and values' ? '' : verdict(rate, 200)]);
    }
  }
  return {
    title: 'predictOne, millions of values (rows × columns) per second',
    columns: ['', 'median | best', ''],
    rows,
    notes:
      'One thread, in processor time. All kinds run in one process, so the later ones run code that has been optimised for the earlier ones.',
  };
}

/** X·w and Xᵀ·u, and the steps of the loop without shrinking and checks: the rate at which they read, against a streaming read. */
async function sweeps(read, threads) {
  const rows = [];
  for (const [name, Type, cols] of FORMS) {
    const points = dense(Type, cols);
    const next = random(4);
    const y = Int8Array.from({ length: points.rows }, () => (next() < 0.5 ? 1 : -1));
    const matrix = copied(points, threads);
    matrix.centre(threads);
    const mu = points.rows / 128;
    const problem = new (kernels().Svm)(matrix, y, Float64Array.of(1), 0, threads);
    const [c0] = problem.perform('begin', 1);
    problem.perform('regularize', 64 / points.rows, mu);
    const L = mu + 1.5 * c0;
    const beta = (Math.sqrt(L / mu) - 1) / (Math.sqrt(L / mu) + 1);
    const step = () => {
      problem.perform('step', L, beta);
      problem.accept();
    };
    for (let k = 0; k < 3; k++) step();
    const entries = problem.read;
    const w = new Float64Array(cols).fill(1);
    const q = new Float64Array(points.rows).fill(1);
    const both = () => {
      matrix.multiply(w, q, threads);
      matrix.multiplyTransposed(q, w, threads);
    };
    const [steps, pair, reads] = await interleave(
      [() => timed(step), () => timed(both), async () => (await read(threads)) + (await read(threads))],
      ROUNDS,
    );
    const ofPair = speed(pair, reads);
    const bytes = ((problem.read - entries) / ROUNDS) * Type.BYTES_PER_ELEMENT;
    // Rows with alpha = 0 are skipped, so the streaming read is limited to the bytes that were read.
    const share = bytes / (2 * MEGABYTES * 1048576);
    const ratio = speed(
      steps,
      reads.map((t) => t * share),
    );
    rows.push([
      name,
      digits((2 * MEGABYTES * 1.048576e6) / best(reads) / 1e9),
      show(ofPair),
      verdict(ofPair, 0.8),
      show(ratio),
      share.toFixed(2),
    ]);
    problem.dispose();
    matrix.dispose();
  }
  return {
    title: `An iteration's two sweeps on ${MEGABYTES} MB, as a share of a streaming read of the same bytes`,
    columns: ['', 'read, GB/s', 'both sweeps', '', 'the whole iteration', 'share of two sweeps read'],
    rows,
    notes: `The whole iteration includes the projection and the other sweeps over rows, without shrinking; rows with alpha = 0 are not read. ${ROUNDS} rounds, ${threads} threads.`,
  };
}

async function run({ print, data }) {
  if (process.platform === 'win32') {
    print('Left out: the reading program needs a POSIX system.');
    return undefined;
  }
  const threads = Math.min(2, backend.threads);
  const reader = await Peer.start([buildKernels(), backend.simd], 'stream', String(MEGABYTES));
  const read = async (count) => (await reader.ask(count)).seconds;
  const tables = [];
  const add = (table) => {
    tables.push(table);
    print(`\n${table.title}; load ${loadavg()[0].toFixed(2)}\n${layout([table.columns, ...table.rows])}\n${table.notes}`);
  };
  add(await onePoint());
  add(await densePrediction(read, threads));
  const text = data('a9a');
  if (text) add(await sparsePrediction(text, threads));
  add(await sweeps(read, threads));
  await reader.stop();
  return { tables };
}

module.exports = {
  name: 'predict',
  describe: 'prediction and the sweeps of an iteration against bandwidth and the kernel alone',
  run,
};
