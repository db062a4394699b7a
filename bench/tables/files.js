// Reading files: readLibsvm against the reader of LIBLINEAR's `train` (reimplemented in bench/liblinear-reader.c), from the page cache
// to arrays in memory, in turns.
'use strict';
const { execFileSync } = require('node:child_process');
const { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { gzipSync } = require('node:zlib');
const { readLibsvm } = require('../../dist/index.js');
const { kernels } = require('../../dist/backend/load.js');

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** Builds the reader and returns its path, or undefined without a C compiler. */
function buildReader() {
  const folder = join(__dirname, '..', '..', 'build-bench');
  const program = join(folder, 'liblinear-reader');
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync(process.env.CC || 'gcc', ['-O3', join(__dirname, '..', 'liblinear-reader.c'), '-o', program], {
      stdio: 'inherit',
    });
    return program;
  } catch {
    return undefined;
  }
}

/** Rows with about 100 of 50,000 columns. Values have `digits` significant digits or, with 0, as many as needed. */
function generate(digits, bytes) {
  let seed = 1;
  const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  let text = '';
  while (text.length < bytes) {
    let row = random() < 0.5 ? '-1' : '+1';
    let column = 0;
    while ((column += 1 + Math.floor(random() * 1000)) <= 50_000) {
      const value = (random() + random() / 2 ** 32) * 10 ** Math.floor(random() * 4 - 2);
      row += ` ${column}:${digits ? Number(value.toPrecision(digits)) : value}`;
    }
    text += `${row}\n`;
  }
  return Buffer.from(text);
}

/** Writes the block repeatedly, up to the size: a reader gains nothing from a repetition after megabytes. */
function writeRepeated(path, block, bytes) {
  const file = openSync(path, 'w');
  for (let written = 0; written < bytes; written += block.length) writeSync(file, block);
  closeSync(file);
}

async function timed(work) {
  const begin = performance.now();
  const result = await work();
  return { time: performance.now() - begin, result };
}

async function compare(reader, path, rounds) {
  const ours = [];
  const theirs = [];
  const twin = [];
  let facts;
  for (let k = 0; k < rounds; k++) {
    const [time, rows, entries, sum] = execFileSync(reader, [path], { encoding: 'utf8' }).split(' ').map(Number);
    theirs.push(time);
    const { time: mine, result } = await timed(() => readLibsvm(path, { backend: 'native' }));
    ours.push(mine);
    if (k % 3 === 0) twin.push((await timed(() => readLibsvm(path, { backend: 'js' }))).time);
    const { points } = result;
    const total = points.values ? points.values.reduce((a, v) => a + v, 0) : points.indices.length;
    if (points.rows !== rows || points.indices.length !== entries || total !== sum)
      throw new Error(`${path}: the readers disagree`);
    facts = { rows, entries };
  }
  const ratios = theirs.map((time, k) => time / ours[k]);
  return {
    ...facts,
    ours: median(ours),
    theirs: median(theirs),
    twin: median(twin),
    ratio: median(ratios),
    min: Math.min(...ratios),
  };
}

async function run({ print, data }) {
  if (kernels().name !== 'native') {
    print('Left out: the native addon is not in use.');
    return undefined;
  }
  const reader = buildReader();
  if (reader === undefined) {
    print('Left out: there is no C compiler for the reader to compare with.');
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
  const results = {};
  print('file                                MB    ours ms   MB/s   LIBLINEAR ms   times as fast (min)     TypeScript ms');
  try {
    const line = async (name, path, bytes, rounds) => {
      const r = await compare(reader, path, rounds);
      results[name] = { bytes, ...r };
      print(
        `${name.padEnd(32)} ${(bytes / 1e6).toFixed(1).padStart(6)} ${r.ours.toFixed(1).padStart(9)} ${(bytes / 1e3 / r.ours).toFixed(0).padStart(6)} ` +
          `${r.theirs.toFixed(1).padStart(13)} ${`${r.ratio.toFixed(2)} (${r.min.toFixed(2)})`.padStart(19)} ${r.twin.toFixed(0).padStart(15)}`,
      );
    };
    const a9a = data('a9a');
    if (a9a) {
      const path = join(folder, 'a9a');
      writeFileSync(path, a9a);
      await line('a9a', path, a9a.length, 31);
      const zipped = join(folder, 'a9a.gz');
      writeFileSync(zipped, gzipSync(a9a));
      const times = [];
      for (let k = 0; k < 11; k++) times.push((await timed(() => readLibsvm(zipped))).time);
      results['a9a.gz'] = { ours: median(times) };
      print(`${'a9a, gzip (ours only)'.padEnd(39)} ${median(times).toFixed(1).padStart(9)}`);
    }
    const max = 200e6;
    for (const [name, digits] of [
      ['generated, 6 digits', 6],
      ['generated, all digits', 0],
    ]) {
      const path = join(folder, 'generated');
      const block = generate(digits, 4e6);
      writeRepeated(path, block, max);
      await line(name, path, Math.ceil(max / block.length) * block.length, 5);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  print(
    '\nMedians of rounds in turns, from a file in the page cache to arrays; LIBLINEAR: bench/liblinear-reader.c, its two passes.',
  );
  return { files: results };
}

module.exports = { name: 'files', describe: "readLibsvm against LIBLINEAR's reader", run };
