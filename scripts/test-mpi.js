// Tests training over ranks with each MPI that is installed: node scripts/test-mpi.js [--quick]. Needs the compiled package (npm run build),
// and mpicc and mpirun under Debian's names. First the addon itself (test-mpi-addon.js), which it builds. --quick: fewer ranks, and 4 kills
// instead of 50.
//
// What must hold: all ranks have the same bits, in every run; one rank has those of a fit without MPI; the interval from dual to primal has a
// point in common with that of a fit on all rows; labels that were certified are those of the optimum. Whatever goes wrong on one rank ends
// all of them with an exit code that is not 0, and an old model stays.
'use strict';
const assert = require('node:assert');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { fista, installed, mpirun, Tally } = require('./mpi.js');
const { fail, root, run } = require('./tools.js');

// ---- What a rank does.

function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Rows with noise, which no plane separates; column 0 is far from 0. */
function makeRows({ rows, cols, classes = 2, seed = 1, density = 1 }) {
  const uniform = generator(seed);
  const planes = Array.from({ length: classes }, () => Array.from({ length: cols }, () => uniform() - 0.5));
  const data = new Float64Array(rows * cols);
  const labels = new Array(rows);
  for (let i = 0; i < rows; i++) {
    const values = planes.map(() => 0.5 * uniform());
    for (let j = 0; j < cols; j++) {
      const x = uniform() < density ? uniform() - 0.3 : 0;
      data[i * cols + j] = j === 0 && density === 1 ? x + 5 : x;
      planes.forEach((plane, c) => (values[c] += x * plane[j]));
    }
    labels[i] = classes === 2 ? Math.sign(values[0] - values[1]) || 1 : values.indexOf(Math.max(...values));
  }
  return { data, labels, rows, cols };
}

/** Rows [begin, end), dense or sparse. */
function part({ data, cols }, { sparse = false, f32 = false }, begin, end) {
  const own = data.slice(begin * cols, end * cols);
  const rows = end - begin;
  const numbers = (list) => (f32 ? Float32Array : Float64Array).from(list);
  if (!sparse) return { data: numbers(own), rows, cols };
  const [indptr, indices, values] = [[0], [], []];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      if (own[i * cols + j] === 0) continue;
      indices.push(j);
      values.push(own[i * cols + j]);
    }
    indptr.push(indices.length);
  }
  return { indptr: Uint32Array.from(indptr), indices: Uint32Array.from(indices), values: numbers(values), rows, cols };
}

const FITS = {
  'dense f64': {},
  'dense f32': { f32: 'all' },
  'dense f32 on rank 0': { f32: 'rank 0' },
  sparse: { density: 0.3, cols: 60 },
  'sparse f32': { f32: 'all', density: 0.3, cols: 60 },
  'sparse f32 on rank 0': { f32: 'rank 0', density: 0.3, cols: 60 },
  ones: { ones: 'all', density: 0.3, cols: 60 },
  'ones on rank 0': { ones: 'rank 0', density: 0.3, cols: 60 },
  'a large gamma': { options: { gamma: 100 } },
  'a small gamma': { options: { gamma: 1e-4 } },
  fista: { options: { method: 'fista', gamma: 0.01 } },
  newton: { options: { method: 'newton' } },
  'the paper': { options: { method: 'paper' }, rows: 300, gap: undefined },
  'the squared hinge': { options: { loss: 'squared-hinge' } },
  'balanced classes': { options: { classWeight: 'balanced' } },
  'weights, some of them 0': { weights: true },
  'no scaling': { options: { scale: 'none' } },
  'more columns than rows': { rows: 80, cols: 200 },
  'a row a rank': { rows: 'size' },
  'one class on rank 0': { sorted: true },
  'pairs of classes': { classes: 4, options: { multiclass: 'pairs' } },
  'classes against the rest': { classes: 5, options: { multiclass: 'rest' } },
};

const digestOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);
const bitsOf = (model) =>
  digestOf(
    Buffer.concat(
      model.planes.flatMap(({ weights, bias }) => [Buffer.from(weights.buffer), Buffer.from(Float64Array.of(bias).buffer)]),
    ),
  );

/** Calls `test` on all ranks; rank 0 prints a line with the errors of all of them. */
async function check(ranks, title, test) {
  let error = '';
  try {
    await test();
  } catch (thrown) {
    error = thrown.message.split('\n').slice(0, 3).join(' ');
  }
  const errors = ranks.exchange(error).flatMap((text, of) => (text === '' ? [] : [`rank ${of}: ${text}`]));
  if (ranks.rank === 0) console.log(errors.length === 0 ? `ok ${title}` : `not ok ${title}: ${errors.join('; ')}`);
}

async function fits() {
  const { crossValidate, LinearSvm, stop } = require('..');
  const { mpi } = require('../dist/mpi/index.js');
  const ranks = mpi();
  const { rank, size } = ranks;
  /** Uneven shares, but a row at least. */
  const begin = (rows, k) => (k === size ? rows : k + Math.floor((rows - size) * (k / size) ** 1.3));
  for (const [name, { f32, ones, options = {}, weights = false, sorted = false, gap = 1e-5, ...shape }] of Object.entries(FITS)) {
    await check(ranks, name, async () => {
      const rows = shape.rows === 'size' ? Math.max(2, size) : (shape.rows ?? 3000);
      const all = makeRows({ cols: 12, ...shape, rows });
      if (shape.rows === 'size') all.labels = all.labels.map((_, i) => (i % 2 ? 1 : -1));
      if (sorted) {
        const order = [...all.labels.keys()].sort((a, b) => all.labels[a] - all.labels[b]);
        const { data, cols } = all;
        all.data = Float64Array.from(order.flatMap((i) => [...data.subarray(i * cols, (i + 1) * cols)]));
        all.labels = order.map((i) => all.labels[i]);
      }
      const [from, to] = [begin(rows, rank), begin(rows, rank + 1)];
      const changed = (kind) => (kind === 'all' ? rows : kind === 'rank 0' ? begin(rows, 1) : 0) * all.cols;
      all.data = all.data.map((x, k) => (k < changed(ones) ? Math.sign(Math.abs(x)) : k < changed(f32) ? Math.fround(x) : x));
      const sparse = shape.density !== undefined;
      const mine = part(all, { sparse, f32: f32 === 'all' || (f32 === 'rank 0' && rank === 0) }, from, to);
      const uniform = generator(5);
      const byRow = weights ? Float64Array.from({ length: rows }, () => Math.floor(3 * uniform())) : undefined;
      const common = { ...options, ...(gap && { stop: stop.gap(gap) }) };
      const asked = { ...common, ranks, ...(byRow && { sampleWeight: byRow.slice(from, to) }) };
      const fit = () => LinearSvm.fit(mine, all.labels.slice(from, to), asked);
      const model = fit();
      assert.equal(new Set(ranks.exchange(bitsOf(model))).size, 1, 'other bits on other ranks');
      assert.equal(bitsOf(fit()), bitsOf(model), 'other bits in another run');
      const later = await LinearSvm.fitAsync(mine, all.labels.slice(from, to), asked);
      assert.equal(bitsOf(later), bitsOf(model), 'other bits by fitAsync');
      if (rank > 0) return;
      const points = size === 1 ? mine : part(all, { sparse, f32: f32 === 'all' }, 0, rows);
      const alone = LinearSvm.fit(points, all.labels, { ...common, ...(byRow && { sampleWeight: byRow }) });
      if (size === 1) assert.equal(bitsOf(alone), bitsOf(model), 'one rank has other bits than no MPI');
      const planes = (fitted) => fitted.info.planes ?? [fitted.info];
      planes(model).forEach((info, k) => {
        const other = planes(alone)[k];
        assert.equal(info.rows, other.rows);
        assert.ok(
          Math.max(info.dual, other.dual) <= Math.min(info.primal, other.primal),
          `plane ${k}: [${info.dual}, ${info.primal}] and [${other.dual}, ${other.primal}]`,
        );
        if (gap) assert.ok(info.relativeGap <= gap, `gap ${info.relativeGap}, ${info.status}`);
      });
      // What was proved is true of a model much nearer to the optimum.
      const near = LinearSvm.fit(points, all.labels, {
        ...options,
        ...(options.method === 'paper' && { method: 'auto', gamma: model.info.gamma, mu: model.info.mu }),
        ...(byRow && { sampleWeight: byRow }),
        stop: stop.gap(1e-12),
      });
      const certified = model.certify(points);
      const optimal = near.predict(points);
      const proved = near.certify(points);
      let [counted, wrong] = [0, 0];
      const labels = model.predict(points);
      labels.forEach((label, i) => {
        if (!certified[i] || !proved[i]) return;
        counted++;
        if (label !== optimal[i]) wrong++;
      });
      assert.equal(wrong, 0, `${wrong} of ${counted} certified labels are not the optimum's`);
    });
  }
  await check(ranks, 'cross-validation', async () => {
    const all = makeRows({ rows: 1200, cols: 10, classes: 3 });
    const [from, to] = [begin(1200, rank), begin(1200, rank + 1)];
    const asked = { folds: 4, gammas: [0.01, 1], ranks };
    const tried = await crossValidate(part(all, {}, from, to), all.labels.slice(from, to), asked);
    const table = JSON.stringify(tried.table.map(({ gamma, mean, accuracy }) => [gamma, mean, accuracy]));
    assert.equal(new Set(ranks.exchange(table)).size, 1, 'another table on other ranks');
    assert.equal(tried.fold.length, to - from);
    const alone = await crossValidate(part(all, {}, 0, 1200), all.labels, { ...asked, ranks: undefined });
    if (size === 1) assert.deepEqual(tried.table, alone.table);
    // Rows are dealt to other folds: the means are those of other samples.
    tried.table.forEach(({ mean }, k) =>
      assert.ok(Math.abs(mean - alone.table[k].mean) < 0.05, `${mean} and ${alone.table[k].mean}`),
    );
  });
  await check(ranks, 'cross-validation where a rank has few rows of a class', async () => {
    // Two rows of class 1, on the first and the last rank: each fold holds one of them out, and learns from the other.
    const rows = Array.from({ length: 29 }, (_, i) => [i % 7, rank]);
    const few = rank === 0 || rank === size - 1 ? [[50, size > 1 ? rank : 3]] : [];
    if (size === 1) few.push([50, 4]);
    const labels = [...rows.map(() => 0), ...few.map(() => 1)];
    const { table, fold } = await crossValidate([...rows, ...few], labels, { ranks, folds: 2, gammas: [1] });
    const held = ranks.exchange([...fold.slice(29)].join('')).join('');
    assert.deepEqual([...held].sort(), ['0', '1']);
    assert.ok(table[0].mean > 0.9, `${table[0].mean}`);
    // As many folds as all ranks together have rows for, though each may have fewer.
    const tiny = rank === 0 ? 40 : 2;
    const points = Array.from({ length: tiny }, (_, i) => [i % 2, i]);
    const many = await crossValidate(points, points.map(([x]) => x), { ranks, folds: 10, gammas: [1] }); // prettier-ignore
    assert.equal(many.folds, 10);
  });
  await check(ranks, 'a callback of rank 0 alone, and one that throws', async () => {
    const all = makeRows({ rows: 900, cols: 8 });
    const points = part(all, {}, begin(900, rank), begin(900, rank + 1));
    const labels = all.labels.slice(begin(900, rank), begin(900, rank + 1));
    const asked = { ranks, gamma: 10, stop: stop.gap(1e-6) };
    for (const who of [0, size - 1]) {
      const model = LinearSvm.fit(points, labels, { ...asked, ...(rank === who && { onProgress: () => undefined }) });
      assert.equal(new Set(ranks.exchange(bitsOf(model))).size, 1);
    }
    const boom = () => {
      throw new Error('boom');
    };
    const failed = rank === 0 ? /boom/ : { code: 'ERR_MPI' };
    assert.throws(() => LinearSvm.fit(points, labels, { ...asked, onProgress: boom }), failed);
    for (const onProgress of [boom, rank === 0 ? boom : undefined])
      await assert.rejects(
        crossValidate(points, labels, { ranks, folds: 3, gammas: [1], ...(onProgress && { onProgress }) }),
        failed,
      );
    assert.equal(new Set(ranks.exchange(bitsOf(LinearSvm.fit(points, labels, asked)))).size, 1);
  });
  await check(ranks, 'one call at a time', async () => {
    const all = makeRows({ rows: 900, cols: 8 });
    const points = part(all, {}, begin(900, rank), begin(900, rank + 1));
    const labels = all.labels.slice(begin(900, rank), begin(900, rank + 1));
    const first = LinearSvm.fitAsync(points, labels, { ranks });
    const second = { code: 'ERR_MPI', message: /^Expected one call with these ranks at a time/ };
    await assert.rejects(LinearSvm.fitAsync(points, labels, { ranks }), second);
    await assert.rejects(crossValidate(points, labels, { ranks }), second);
    assert.throws(() => LinearSvm.fit(points, labels, { ranks }), second);
    assert.equal(bitsOf(await first), bitsOf(LinearSvm.fit(points, labels, { ranks })));
  });
  await check(ranks, 'a time limit of many planes', async () => {
    const all = makeRows({ rows: 1500, cols: 10, classes: 20 });
    const points = part(all, {}, begin(1500, rank), begin(1500, rank + 1));
    const labels = all.labels.slice(begin(1500, rank), begin(1500, rank + 1));
    const model = LinearSvm.fit(points, labels, { ranks, multiclass: 'pairs', timeLimit: 1e-3 });
    assert.equal(model.info.status, 'time-limit');
    assert.ok(model.info.planes.some(({ iterations }) => iterations === 0), 'all planes were trained'); // prettier-ignore
    assert.equal(new Set(ranks.exchange(bitsOf(model))).size, 1);
  });
  await check(ranks, 'time limit, signal and callback of rank 0', async () => {
    const all = makeRows({ rows: 4000, cols: 30 });
    const points = part(all, {}, begin(4000, rank), begin(4000, rank + 1));
    const labels = all.labels.slice(begin(4000, rank), begin(4000, rank + 1));
    const limited = LinearSvm.fit(points, labels, { ranks, gamma: 1e5, stop: stop.gap(1e-15), maxIterations: 1e9, timeLimit: 50 });
    assert.ok(['time-limit', 'precision'].includes(limited.info.status), limited.info.status);
    assert.equal(new Set(ranks.exchange(bitsOf(limited))).size, 1);
    const seen = [];
    LinearSvm.fit(points, labels, { ranks, onProgress: ({ iteration }) => seen.push(iteration) });
    assert.equal(seen.length > 0, rank === 0);
    const controller = new AbortController();
    const aborting = {
      ranks,
      gamma: 10,
      stop: stop.gap(1e-14),
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    };
    await assert.rejects(LinearSvm.fitAsync(points, labels, aborting), rank === 0 ? /enough/ : { code: 'ERR_MPI' });
  });
  ranks.finish();
}

/** What one rank has wrong, all ranks refuse; and they can go on afterwards. */
async function refusals() {
  const { crossValidate, Dataset, LinearSvm } = require('..');
  const { mpi } = require('../dist/mpi/index.js');
  const ranks = mpi();
  const last = ranks.rank === ranks.size - 1;
  const all = makeRows({ rows: 100, cols: 5, seed: ranks.rank });
  const dense = part(all, {}, 0, 100);
  const odd = (value, other) => (last ? value : other);
  const CASES = [
    [
      'another gamma',
      () => [dense, all.labels, { gamma: odd(2, 1) }],
      /same option gamma on all ranks but received 1 on rank 0 and 2 on rank/,
    ],
    ['a gamma on one rank', () => [dense, all.labels, odd({ gamma: 2 }, {})], /same option gamma on all ranks but received none/],
    ['another rule', () => [dense, all.labels, { scale: odd('none', 'maxabs') }], /same option scale/],
    [
      'another width',
      () => [odd(part(makeRows({ rows: 100, cols: 6 }), {}, 0, 100), dense), all.labels],
      /same kind of points.*5 columns.*6 columns/,
    ],
    ['another kind', () => [part(all, { sparse: last }, 0, 100), all.labels], /same kind of points.*dense.*sparse/],
    [
      'other names',
      () => [dense, all.labels, { columns: odd(['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'e', 'd']) }],
      /same names of columns/,
    ],
    ['labels of another type', () => [dense, odd(all.labels.map(String), all.labels)], /same type of labels/],
    ['one label', () => [dense, all.labels.map(() => 1)], /two distinct labels on all ranks together/, 'ERR_LABELS'],
    [
      'a NaN on one rank',
      () => [
        {
          ...dense,
          data: odd(
            dense.data.map((x, k) => (k === 7 ? NaN : x)),
            dense.data,
          ),
        },
        all.labels,
      ],
      odd(/finite/, /Rank \d of \d failed: .*finite/),
      odd('ERR_POINTS', 'ERR_MPI'),
    ],
    [
      'no rows on one rank',
      () => [odd({ data: new Float64Array(0), rows: 0, cols: 5 }, dense), odd([], all.labels)],
      odd(/from 1 to \d+ for points.rows/, /Rank \d of \d failed: .*points.rows/),
      odd('ERR_POINTS', 'ERR_MPI'),
    ],
    [
      'fewer labels',
      () => [dense, odd(all.labels.slice(1), all.labels)],
      odd(/100/, /Rank \d of \d failed/),
      odd('ERR_LABELS', 'ERR_MPI'),
    ],
    ["gamma 'auto'", () => [dense, all.labels, { gamma: 'auto' }], /number for options.gamma with options.ranks/, 'ERR_OPTION'],
    [
      'probabilities',
      () => [dense, all.labels, { probability: 'sigmoid' }],
      /nothing for options.probability with options.ranks/,
      'ERR_OPTION',
    ],
    [
      'coordinate ascent alone',
      () => [dense, all.labels, { method: 'ascent' }],
      /for options.method with options.ranks/,
      'ERR_OPTION',
    ],
    ['the TypeScript kernels', () => [dense, all.labels, { backend: 'js' }], /native backend with options.ranks/, 'ERR_OPTION'],
    ['a Dataset in memory', () => [Dataset.from(dense), all.labels], /a Dataset of a file/, 'ERR_OPTION'],
    [
      'records',
      () => [
        [{ a: 1 }, { a: 2 }, { a: 2 }],
        [1, 2, 1],
      ],
      /points for records/,
      'ERR_OPTION',
    ],
  ];
  for (const [name, make, message, code = 'ERR_MPI'] of CASES) {
    await check(ranks, `refuses ${name}`, async () => {
      const [points, labels, options] = make();
      assert.throws(
        () => LinearSvm.fit(points, labels, { ...options, ranks }),
        (error) => {
          assert.match(error.message, message);
          assert.equal(error.code, code);
          return true;
        },
      );
    });
  }
  await check(ranks, 'refuses folds by row, and scores of rows', async () => {
    await assert.rejects(crossValidate(dense, all.labels, { ranks, folds: all.labels.map((_, i) => i % 3) }), {
      code: 'ERR_OPTION',
    });
    await assert.rejects(crossValidate(dense, all.labels, { ranks, scoring: 'rocAuc' }), { code: 'ERR_OPTION' });
  });
  await check(ranks, 'refuses what is not mpi()', async () => {
    assert.throws(
      () => LinearSvm.fit(dense, all.labels, { ranks: { rank: 0, size: 2, library: '' } }),
      /what mpi\(\) of 'fista-classify\/mpi' returns for options.ranks/,
    );
  });
  await check(ranks, 'trains after all of this', async () => {
    const model = LinearSvm.fit(dense, all.labels, { ranks });
    assert.equal(new Set(ranks.exchange(bitsOf(model))).size, 1);
  });
  ranks.finish();
}

/** Rank 1 is another package: another version, or other instructions. */
function strangers(how, folder) {
  const { startedRank } = require('../dist/mpi/communicator.js');
  const other = startedRank() === 1;
  if (other && how === 'kernels') process.env.FISTA_CLASSIFY_SIMD = 'baseline';
  const package_ = other && how === 'version' ? folder : root;
  const { LinearSvm } = require(package_);
  const { mpi } = require(join(package_, 'dist', 'mpi'));
  LinearSvm.fit([[1], [2]], [0, 1], { ranks: mpi() });
}

/** Rank 0 works for longer than MPI may take to end, when the others have nothing more to do. */
function late() {
  const { mpi } = require('../dist/mpi/index.js');
  if (mpi().rank > 0) return;
  setTimeout(() => console.log('written'), 12_000);
}

/** Rank 1 leaves, though the others train. */
function early() {
  const { LinearSvm } = require('..');
  const { mpi } = require('../dist/mpi/index.js');
  const ranks = mpi();
  if (ranks.rank !== 1) LinearSvm.fit([[1], [2]], [0, 1], { ranks });
}

// ---- What starts the ranks.

const tally = new Tally();

/** Says of each line of rank 0 whether it passed. */
async function collect(mpi, ranks, mode, least) {
  const { status, stdout, stderr, seconds } = await mpirun(mpi, ranks, [__filename, mode]);
  const lines = stdout.split('\n').filter((line) => /^(not )?ok /.test(line));
  for (const line of lines) {
    const [, not, title, error] = /^(not )?ok ([^]*?)(?:: (rank [^]*))?$/.exec(line);
    tally.say(`${mpi}, ${ranks} ranks: ${title}`, not ? error : '');
  }
  const wrong = status !== 0 || lines.length < least;
  tally.say(
    `${mpi}, ${ranks} ranks: all end, in ${seconds.toFixed(1)} s`,
    wrong ? `exit ${status}, ${lines.length} cases: ${stderr}` : '',
  );
}

const command = join(root, 'bin', 'fista-classify.js');

/** The processes whose command line has these words, without mpirun itself. */
function processes(...words) {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const line = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return line[0] === process.execPath && words.every((word) => line.includes(word));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Writes files of datasets, and returns their folder. */
function writeFiles(folder) {
  const { Dataset } = require('..');
  const rowsOf = (all, begin, end) =>
    Array.from({ length: end - begin }, (_, k) => ({
      point: all.data.slice((begin + k) * all.cols, (begin + k + 1) * all.cols),
      label: all.labels[begin + k],
    }));
  const sparse = ({ point, label }) => ({
    point: { indices: [...point.keys()].filter((j) => point[j] !== 0), values: point.filter((x) => x !== 0) },
    label,
  });
  const all = makeRows({ rows: 4000, cols: 20, seed: 3 });
  const large = makeRows({ rows: 60_000, cols: 40, seed: 4 });
  const wide = makeRows({ rows: 100, cols: 21, seed: 3 });
  const write = (name, rows, options) => Dataset.write(join(folder, name), rows, options);
  return Promise.all([
    write('all.fds', rowsOf(all, 0, 4000)),
    write('large.fds', rowsOf(large, 0, 60_000)),
    write('tiny.fds', rowsOf(all, 0, 2)),
    ...[0, 1, 2, 3, 4].map((k) => write(`part-${k}.fds`, rowsOf(all, 800 * k, 800 * (k + 1)))),
    ...[0, 1, 2].map((k) => write(`sparse-${k}.fds`, rowsOf(all, 800 * k, 800 * (k + 1)).map(sparse), { cols: 20 })),
    ...[0, 2].map((k) => write(`gap-${k}.fds`, rowsOf(all, 800 * k, 800 * (k + 1)))),
    write('width-0.fds', rowsOf(all, 0, 100)),
    write('width-1.fds', rowsOf(wide, 0, 100)),
    write('kind-0.fds', rowsOf(all, 0, 100)),
    write('kind-1.fds', rowsOf(all, 0, 100).map(sparse), { cols: 20 }),
    write(
      'unlabelled.fds',
      rowsOf(all, 0, 100).map(({ point }) => point),
    ),
  ]);
}

/** The command line: what it prints and writes, and what it refuses. */
async function commands(mpi, folder) {
  const train = (ranks, ...words) => mpirun(mpi, ranks, [command, 'train', '--mpi', ...words], { cwd: folder });
  const model = join(folder, 'model.json');
  const expect = async (title, ranks, words, { status = 0, stdout = /^/, stderr = /^/, written = false, once }) => {
    fs.rmSync(model, { force: true });
    const ran = await train(ranks, ...words);
    const text = `exit ${ran.status}: ${ran.stdout}${ran.stderr}`;
    const right =
      (status === 'error' ? ran.status > 0 : ran.status === status) && stdout.test(ran.stdout) && stderr.test(ran.stderr);
    const lines = once ? ran.stderr.split('\n').filter((line) => once.test(line)).length : 1;
    tally.say(`${mpi}, ${ranks} ranks: ${title}`, right && lines === 1 && written === fs.existsSync(model) ? '' : text);
    return ran;
  };
  const done = /training accuracy .* of 4,000 rows[^]*wrote model.json/;
  await expect('train one file', 3, ['all.fds', 'model.json'], {
    stdout: done,
    written: true,
    once: /all.fds: 4,000 rows, 20 columns \(3 ranks/,
  });
  const once = fs.readFileSync(model, 'utf8').replace(/"elapsed":[^,}]*/, '');
  await expect('train one file again', 3, ['all.fds', 'model.json'], { stdout: done, written: true });
  tally.say(
    `${mpi}: the model is the same in every run`,
    once === fs.readFileSync(model, 'utf8').replace(/"elapsed":[^,}]*/, '') ? '' : 'it differs',
  );
  tally.say(
    `${mpi}: predict takes the model`,
    fista(['predict', join(folder, 'all.fds'), model, join(folder, 'out.txt')]).status === 0 ? '' : 'it does not',
  );
  await expect('train more files than ranks', 2, ['part-*.fds', 'model.json'], { stdout: done, written: true });
  await expect('train fewer files than ranks', 4, ['sparse-*.fds', 'model.json'], { stdout: /of 2,400 rows/, written: true });
  await expect('train a file a rank', 5, ['part-*.fds', 'model.json'], { stdout: done, written: true });
  await expect('cross-validate', 2, ['-v', '3', '-c', '0.01,1', 'all.fds'], {
    stdout: /gamma 0.01: accuracy[^]*Cross Validation Accuracy = 88.975%/,
  });
  await expect('end at a limit with exit code 3', 2, ['--max-iterations', '1', '-e', '1e-12', 'all.fds', 'model.json'], {
    status: 3,
    stdout: /limit of iterations/,
    written: true,
  });
  const REFUSED = [
    ['a missing part', 2, ['gap-*.fds', 'model.json'], /gap-2.fds follows gap-0.fds \[ERR_MPI\]/],
    ['no part at all', 2, ['none-*.fds', 'model.json'], /match "none-\*.fds" but there are none \[ERR_MPI\]/],
    ['a missing file', 2, ['none.fds', 'model.json'], /Cannot open none.fds: no such file or directory \[ENOENT\]/],
    [
      'parts of different width',
      2,
      ['width-*.fds', 'model.json'],
      /20 columns \(width-0.fds\) on rank 0 and .*21 columns \(width-1.fds\) on rank 1 \[ERR_MPI\]/,
    ],
    [
      'parts of different width on one rank',
      1,
      ['width-*.fds', 'model.json'],
      /20 columns, as width-0.fds has, for width-1.fds but received 21 \[ERR_DATASET\]/,
    ],
    ['parts of different kind', 2, ['kind-*.fds', 'model.json'], /dense points.*sparse points.* \[ERR_MPI\]/],
    [
      'more ranks than rows',
      3,
      ['tiny.fds', 'model.json'],
      /at least 3 rows, one for each part, for tiny.fds but received 2 \[ERR_DATASET\]/,
    ],
    ['no labels', 2, ['unlabelled.fds', 'model.json'], /labels in unlabelled.fds but it has none \[ERR_LABELS\]/],
    ['a text', 2, ['data.svm', 'model.json'], /\.fds files, which "fista-classify convert" writes, .* "data.svm" \[ERR_USAGE\]/],
    ['an option that it does not have', 2, ['--colour', 'all.fds', 'model.json'], /Unknown option "--colour"/],
    ['gamma auto', 2, ['--gamma', 'auto', 'all.fds', 'model.json'], /number for --gamma with --mpi/],
    ['a report', 2, ['--report', 'page.html', 'all.fds', 'model.json'], /one of --mpi and --report/],
    ['a folder that is missing', 2, ['all.fds', 'nowhere/model.json'], /there is no nowhere/],
  ];
  for (const [title, ranks, words, stderr] of REFUSED)
    await expect(`refuse ${title}`, ranks, words, { status: 'error', stderr, once: stderr });
}

/** Ends a training in some way: all ranks end, mpirun tells of it, and the old model stays. */
async function endings(mpi, folder, kills, seed) {
  const uniform = generator(seed);
  const model = join(folder, 'old.json');
  const words = ['train', '--mpi', '-q', '--gamma', '1000', '-e', '1e-13', 'large.fds', 'old.json'];
  const ranks = 3;
  const ran = await mpirun(mpi, ranks, [command, ...words], { cwd: folder });
  const whole = ran.seconds;
  const complete = fs.existsSync(model) ? fs.readFileSync(model, 'utf8') : '';
  const modelOf = (text) => JSON.stringify(JSON.parse(text).planes);
  tally.say(`${mpi}: a training to be ended, of ${whole.toFixed(1)} s`, complete === '' ? ran.stderr : '');
  const old = JSON.stringify({ ...JSON.parse(complete), old: true });
  let [early, late, worst] = [0, 0, 0];
  for (let k = 0; k < kills; k++) {
    const how = k % 10 === 9 || k === kills - 1 ? 'SIGINT of mpirun' : 'SIGKILL of a rank';
    fs.writeFileSync(model, old);
    const after = 1000 * whole * uniform();
    const victim = Math.floor(ranks * uniform());
    let sent = NaN;
    const started = async (child) => {
      await sleep(after);
      const pids = processes(command, 'large.fds');
      if (child.exitCode !== null) return;
      sent = Date.now();
      if (how.startsWith('SIGINT')) child.kill('SIGINT');
      else if (pids.length > 0) process.kill(pids[victim % pids.length], 'SIGKILL');
      else sent = NaN;
    };
    const { status, signal, stderr } = await mpirun(mpi, ranks, [command, ...words], { cwd: folder, started });
    const took = (Date.now() - sent) / 1000;
    let left = processes(command, 'large.fds');
    for (let waited = 0; left.length > 0 && waited < 25; waited++) {
      await sleep(200);
      left = processes(command, 'large.fds');
    }
    const text = fs.readFileSync(model, 'utf8');
    const state = text === old ? 'old' : modelOf(text) === modelOf(complete) ? 'new' : 'neither';
    const ended = Number.isNaN(sent) || (status === 0 && state === 'new'); // the kill came too late
    if (ended) late++;
    else early++;
    if (!ended) worst = Math.max(worst, took);
    const right = left.length === 0 && state !== 'neither' && (ended || ((status !== 0 || signal !== null) && took < 15));
    if (!right)
      tally.say(
        `${mpi}: ${how} after ${after.toFixed(0)} ms`,
        `exit ${status} ${signal} after ${took} s, ${left.length} left, model ${state}: ${stderr}`,
      );
  }
  tally.say(
    `${mpi}: ${early} of ${kills} trainings ended early, all ranks at the latest after ${worst.toFixed(1)} s; the old model stayed, or the new one was complete`,
    early > 0 ? '' : `${late} came too late`,
  );
}

async function main(quick) {
  const found = installed();
  if (found.length === 0) fail('Found no mpirun.openmpi and no mpirun.mpich');
  run(process.execPath, [join(__dirname, 'test-mpi-addon.js'), ...(quick ? ['--quick'] : [])]);
  const folder = fs.mkdtempSync(join(tmpdir(), 'fista-mpi-'));
  try {
    await writeFiles(folder);
    const twin = join(folder, 'package');
    for (const name of ['dist', 'build', 'prebuilds', 'node_modules']) {
      fs.mkdirSync(twin, { recursive: true });
      if (name === 'dist') fs.cpSync(join(root, name), join(twin, name), { recursive: true });
      else if (fs.existsSync(join(root, name))) fs.symlinkSync(join(root, name), join(twin, name));
    }
    const described = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'));
    fs.writeFileSync(join(twin, 'package.json'), JSON.stringify({ ...described, version: '9.9.9' }));
    for (const mpi of found) {
      for (const ranks of quick ? [1, 3] : [1, 2, 3, 4, 5]) await collect(mpi, ranks, 'fits', Object.keys(FITS).length + 6);
      for (const ranks of quick ? [2] : [2, 4]) await collect(mpi, ranks, 'refusals', 20);
      for (const [how, message] of [
        [
          'version',
          new RegExp(`same version of fista-classify on all ranks but received ${described.version} on rank 0 and 9.9.9 on rank 1`),
        ],
        [
          'kernels',
          /same kernels on all ranks but received native kernels at the level \w+ .* on rank 0 and native kernels at the level baseline/,
        ],
      ]) {
        const { status, stderr } = await mpirun(mpi, 2, [__filename, 'strangers', how, twin]);
        tally.say(
          `${mpi}: ranks with another ${how} refuse`,
          status !== 0 && message.test(stderr) ? '' : `exit ${status}: ${stderr}`,
        );
      }
      const worked = await mpirun(mpi, 3, [__filename, 'late']);
      tally.say(
        `${mpi}: ranks that are done wait for one that is not`,
        worked.status === 0 && /^written$/m.test(worked.stdout) ? '' : `exit ${worked.status}: ${worked.stderr}`,
      );
      const left = await mpirun(mpi, 3, [__filename, 'early']);
      tally.say(
        `${mpi}: a rank that leaves early ends all, in ${left.seconds.toFixed(1)} s`,
        left.status !== 0 && left.seconds < 60 && /rank 1 has ended, and rank \d waits for it/.test(left.stderr)
          ? ''
          : `exit ${left.status}: ${left.stderr}`,
      );
      await commands(mpi, folder);
      await endings(mpi, folder, quick ? 4 : 50, 11);
    }
    const { status, stderr } = fista(['train', '--mpi', join(folder, 'all.fds'), join(folder, 'model.json')], {
      OMPI_COMM_WORLD_SIZE: '',
      PMI_SIZE: '',
      PMI_RANK: '',
      PMIX_RANK: '',
    });
    tally.say(
      '--mpi without mpirun is refused',
      status === 1 && /Expected mpirun to start fista-classify with --mpi/.test(stderr) ? '' : stderr,
    );
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  tally.end();
}

const [mode, ...words] = process.argv.slice(2);
const MODES = { fits, refusals, strangers, late, early };
if (mode in MODES) void MODES[mode](...words);
else void main(mode === '--quick');
