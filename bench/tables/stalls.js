// How long calls block the event loop: the time until each has returned its promise, and the longest stall until the promise settles, as
// measured by monitorEventLoopDelay, beside that of an idle loop. To add a row, add an entry to CALLS:
//   name   the name in the table
//   make   (folder) => the argument of the call, made once, not measured; may be async. `folder` is removed afterwards
//   call   (argument) => the promise
'use strict';
const { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: wait } = require('node:timers/promises');
const { crossValidate, LinearSvm, readCsv, readLibsvm, stop } = require('../..');
const { kernels } = require('../../dist/backend/load.js');
const { random } = require('../digits.js');

const [ROWS, COLS] = [400_000, 50];
const ROUNDS = 5;
/** The limit on a stall, in milliseconds. */
const ALLOWED = 25;
/** The limits on the time past a limit or abort, and on a fit of ten rows, in milliseconds. */
const [PAST, TINY] = [50, 0.4];

/** Rows of text, each `of(label, values)`, repeated: a parser gains nothing from a repetition after megabytes. */
function write(folder, name, rows, of, header = '') {
  const path = join(folder, name);
  const next = random(1);
  const some = Math.min(rows, 4000);
  const block = Array.from({ length: some }, (_, i) =>
    of(
      i % 2 ? 1 : -1,
      Array.from({ length: COLS }, () => (next() - 0.5).toPrecision(6)),
    ),
  ).join('');
  const file = openSync(path, 'w');
  writeSync(file, header);
  for (let k = 0; k < rows; k += some) writeSync(file, block);
  closeSync(file);
  return path;
}

const libsvm = (label, values) => `${label} ${values.map((value, j) => `${j + 1}:${value}`).join(' ')}\n`;
const csv = (label, values) => `${label},${values.join(',')}\n`;
const HEADER = `label,${Array.from({ length: COLS }, (_, j) => `x${j}`).join(',')}\n`;
const size = `${ROWS.toLocaleString('en-US')} × ${COLS}`;

const CALLS = [
  {
    name: `readLibsvm, a file of ${size}`,
    make: (folder) => write(folder, 'numbers.svm', ROWS, libsvm),
    call: (path) => readLibsvm(path),
  },
  {
    name: 'readLibsvm, the same as bytes in memory',
    make: (folder) => readFileSync(write(folder, 'bytes.svm', ROWS, libsvm)),
    call: (bytes) => readLibsvm(bytes),
  },
  {
    name: 'readLibsvm, the same with string labels',
    make: (folder) => write(folder, 'words.svm', ROWS, (label, values) => libsvm(label > 0 ? 'spam' : 'ham', values)),
    call: (path) => readLibsvm(path, { labels: 'string' }),
  },
  {
    name: 'readLibsvm, the same with the TypeScript kernels',
    make: (folder) => write(folder, 'twin.svm', ROWS, libsvm),
    call: (path) => readLibsvm(path, { backend: 'js' }),
  },
  {
    name: 'readCsv, 8 MB',
    make: (folder) => write(folder, 'small.csv', 16_000, csv, HEADER),
    call: (path) => readCsv(path, { label: 'label' }),
  },
  {
    name: 'readCsv, 8 MB in one line',
    make: (folder) => {
      const path = join(folder, 'line.csv');
      writeFileSync(path, '0.12345,'.repeat(1_000_000) + '1');
      return path;
    },
    call: (path) => readCsv(path, { label: -1, header: false }),
  },
  {
    name: `readCsv, a file of ${size}`,
    make: (folder) => write(folder, 'large.csv', ROWS, csv, HEADER),
    call: (path) => readCsv(path, { label: 'label' }),
  },
];

/** Dense points, with labels that a plane separates except for some. */
function points(rows, cols, Kind = Float64Array) {
  const next = random(2);
  const data = new Kind(rows * cols).map(next);
  const labels = new Float64Array(rows).map((_, i) => (data[i * cols] + data[i * cols + 1] + 0.3 * next() > 1.15 ? 1 : -1));
  return { points: { data, rows, cols }, labels };
}

const one = { threads: 1 };
CALLS.push(
  {
    name: `fitAsync, ${size}, threads: 1`,
    make: () => points(ROWS, COLS),
    call: ({ points, labels }) => LinearSvm.fitAsync(points, labels, one),
  },
  {
    name: 'fitAsync, the same in f32',
    make: () => points(ROWS, COLS, Float32Array),
    call: ({ points, labels }) => LinearSvm.fitAsync(points, labels, one),
  },
  {
    name: 'fitAsync, the same with keepSets',
    make: () => points(ROWS, COLS),
    call: ({ points, labels }) => LinearSvm.fitAsync(points, labels, { ...one, keepSets: true }),
  },
  {
    name: "fitAsync, the same with gamma: 'auto'",
    make: () => points(ROWS, COLS),
    call: ({ points, labels }) => LinearSvm.fitAsync(points, labels, { ...one, gamma: 'auto' }),
  },
  {
    name: 'crossValidate, the same, 3 folds, 2 gammas',
    make: () => points(ROWS, COLS),
    call: ({ points, labels }) => crossValidate(points, labels, { ...one, folds: 3, gammas: [64 / ROWS, 256 / ROWS] }),
  },
);

/** Sparse points: entries of 1 in every row, spread over all columns. */
function wide(rows, entries, cols) {
  const next = random(3);
  const indptr = new Uint32Array(rows + 1).map((_, i) => i * entries);
  const indices = new Uint32Array(rows * entries).map((_, k) => Math.floor(((k % entries) + next()) * (cols / entries)));
  return { points: { indptr, indices, rows, cols }, labels: new Float64Array(rows).map((_, i) => i % 2) };
}

/** Data whose fits do not end before a limit. */
const LIMITS = [
  { name: '1,000,000 × 100', make: () => points(1e6, 100) },
  { name: '20,000,000 columns, all with entries', make: () => wide(2000, 20_000, 2e7) },
];

async function overrun({ points, labels }) {
  const endless = { stop: stop.gap(1e-15), maxIterations: 1e9 };
  const over = { sync: [], async: [], abort: [] };
  for (let k = 0; k < ROUNDS; k++) {
    const timeLimit = 100 + 150 * k;
    let began = performance.now();
    LinearSvm.fit(points, labels, { ...endless, timeLimit });
    over.sync.push(performance.now() - began - timeLimit);
    began = performance.now();
    await LinearSvm.fitAsync(points, labels, { ...endless, timeLimit });
    over.async.push(performance.now() - began - timeLimit);
    const controller = new AbortController();
    let aborted = 0;
    setTimeout(() => {
      aborted = performance.now();
      controller.abort();
    }, timeLimit);
    await LinearSvm.fitAsync(points, labels, { ...endless, signal: controller.signal }).catch(() => undefined);
    over.abort.push(performance.now() - aborted);
  }
  return Object.fromEntries(Object.entries(over).map(([name, list]) => [name, Math.max(...list)]));
}

/** Milliseconds per fit of ten rows: one after another, and 300 at once. */
async function tiny() {
  const { points: ten, labels } = points(10, 3);
  const each = async (count, run) => {
    const began = performance.now();
    await run();
    return (performance.now() - began) / count;
  };
  const times = { sync: [], async: [], atOnce: [] };
  for (let k = 0; k < 3 + ROUNDS; k++) {
    const sync = await each(100, () => {
      for (let i = 0; i < 100; i++) LinearSvm.fit(ten, labels);
    });
    const later = await each(100, async () => {
      for (let i = 0; i < 100; i++) await LinearSvm.fitAsync(ten, labels);
    });
    const atOnce = await each(300, () => Promise.all(Array.from({ length: 300 }, () => LinearSvm.fitAsync(ten, labels))));
    if (k < 3) continue; // warm-up
    times.sync.push(sync);
    times.async.push(later);
    times.atOnce.push(atOnce);
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Milliseconds until the promise is returned, of the longest stall, and until the promise settles. */
async function measure(call) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await wait(20); // until the monitor's timer runs
  delay.reset();
  const began = performance.now();
  const promise = call();
  const returned = performance.now() - began;
  await promise;
  const settled = performance.now() - began;
  await wait(5); // so that the timer sees the last stall
  delay.disable();
  return { returned, stall: delay.max / 1e6, settled };
}

async function measured(call) {
  const rounds = [];
  for (let k = 0; k < ROUNDS; k++) rounds.push(await measure(call));
  const middle = (name) => median(rounds.map((round) => round[name]));
  return { returned: middle('returned'), stall: middle('stall'), settled: middle('settled') };
}

async function run({ print }) {
  const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
  const results = [];
  const line = (name, r) => {
    results.push({ name, ...r });
    const cells = [r.returned, r.stall, r.settled].map((ms, k) => ms.toFixed(k < 2 ? 1 : 0).padStart(k < 2 ? 14 : 12));
    print(`${name.padEnd(48)}${cells.join('')}`);
  };
  print(`${'call'.padEnd(48)}   returned ms      stall ms  settled ms`);
  try {
    line('a loop with nothing to do', await measured(() => wait(1000)));
    for (const { name, make, call } of CALLS) {
      const given = await make(folder);
      line(name, await measured(() => call(given)));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  print(`\n${'past a limit, at worst'.padEnd(48)}      fit ms   fitAsync ms      abort ms`);
  const limits = [];
  for (const { name, make } of LIMITS) {
    const r = await overrun(make());
    limits.push({ name, ...r });
    print(`${name.padEnd(48)}${[r.sync, r.async, r.abort].map((ms) => ms.toFixed(1).padStart(14)).join('')}`);
  }
  const short = await tiny();
  print(
    `\na fit of 10 rows: fit ${short.sync.toFixed(3)} ms, fitAsync ${short.async.toFixed(3)} ms, 300 at once ${short.atOnce.toFixed(3)} ms each`,
  );
  const notes = [
    `Medians of ${ROUNDS} runs, ${kernels().name} kernels unless named, files in the page cache. returned: milliseconds until the call has ` +
      `returned its promise; stall: the longest time between two ticks of a 1 ms timer until the promise settles (at most ${ALLOWED}).`,
  ];
  print(`\n${notes[0]}`);
  const mark = (ms) => ({ value: ms.toFixed(1), met: ms <= ALLOWED });
  const rows = results.map(({ name, returned, stall, settled }) => [name, mark(returned), mark(stall), settled.toFixed(0)]);
  const past = (ms) => ({ value: ms.toFixed(1), met: ms <= PAST });
  return {
    calls: results,
    limits,
    tiny: short,
    tables: [
      { columns: ['call', 'returned ms', 'stall ms', 'settled ms'], rows, notes },
      {
        columns: ['fits that do not end', 'fit ms', 'fitAsync ms', 'abort ms'],
        rows: limits.map((r) => [r.name, past(r.sync), past(r.async), past(r.abort)]),
        notes: [`Milliseconds past a time limit or an abort of 100 to 700 ms, the worst of ${ROUNDS} (at most ${PAST}).`],
      },
      {
        columns: ['a fit of 10 rows', 'ms each'],
        rows: [
          ['fit', short.sync.toFixed(3)],
          ['fitAsync, one after another', short.async.toFixed(3)],
          ['fitAsync, 300 at once', { value: short.atOnce.toFixed(3), met: short.atOnce <= TINY }],
        ],
        notes: [`At most ${TINY} ms each, 300 at once.`],
      },
    ],
  };
}

module.exports = { name: 'stalls', describe: 'how long calls block the event loop', run };
