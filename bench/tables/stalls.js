// How long calls hold the event loop: the time until each has returned its promise, and the longest stall until that settles, as
// monitorEventLoopDelay sees it, beside the same of a loop with nothing to do. A row more is an entry more in CALLS:
//   name   what the table calls it
//   make   (folder) => what the call is given, made once, not measured; may be async. `folder` is gone afterwards
//   call   (given) => the promise
'use strict';
const { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: wait } = require('node:timers/promises');
const { readCsv, readLibsvm } = require('../..');
const { kernels } = require('../../dist/backend.js');
const { random } = require('../digits.js');

const [ROWS, COLS] = [400_000, 50];
const ROUNDS = 5;
/** Milliseconds that no task may take. */
const ALLOWED = 25;

/** Rows of text, `of(label, values)` each, again and again: a parser learns nothing from a repetition after megabytes. */
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
    name: 'readLibsvm, the same with words for labels',
    make: (folder) => write(folder, 'words.svm', ROWS, (label, values) => libsvm(label > 0 ? 'spam' : 'ham', values)),
    call: (path) => readLibsvm(path, { labels: 'string' }),
  },
  {
    name: 'readLibsvm, the same by the TypeScript kernels',
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

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Milliseconds: until the promise is there, the longest stall, and until it settles. */
async function measure(call) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await wait(20); // its timer runs
  delay.reset();
  const began = performance.now();
  const promise = call();
  const returned = performance.now() - began;
  await promise;
  const settled = performance.now() - began;
  await wait(5); // the timer sees what came last
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
  const notes = [
    `Medians of ${ROUNDS} runs, ${kernels().name} kernels unless named, files in the page cache. returned: milliseconds until the call has ` +
      `returned its promise; stall: the longest time between two turns of a 1 ms timer until that is settled (at most ${ALLOWED}).`,
  ];
  print(`\n${notes[0]}`);
  const mark = (ms) => ({ value: ms.toFixed(1), met: ms <= ALLOWED });
  const rows = results.map(({ name, returned, stall, settled }) => [name, mark(returned), mark(stall), settled.toFixed(0)]);
  return { calls: results, tables: [{ columns: ['call', 'returned ms', 'stall ms', 'settled ms'], rows, notes }] };
}

module.exports = { name: 'stalls', describe: 'how long calls hold the event loop', run };
