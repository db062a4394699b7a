// Training on a file four times the memory allowed to the process: rates of sweeps and epochs beside those of a plain read in the same
// process, in turns; the fit against one in memory; LIBLINEAR in the same group; conversion against a copy of the text.
'use strict';
const { spawnSync } = require('node:child_process');
const {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { Dataset } = require('../../dist/index.js');
const { backend } = require('../../dist/backend/load.js');

const GROUPS = '/sys/fs/cgroup/memory';
const LIMIT = 512 << 20;
const BYTES = 4 * LIMIT;
const CHILD = join(__dirname, '..', 'disk-child.js');

/** The mean of the two in the middle, of an even number. */
const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  return (sorted[(list.length - 1) >> 1] + sorted[list.length >> 1]) / 2;
};

function generator(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1;
}

/** Rows of 500 numbers, of two classes that overlap. */
function* denseRows() {
  const [cols, random] = [500, generator(1)];
  const pool = Float32Array.from({ length: 1 << 16 }, random);
  const plane = Float64Array.from({ length: cols }, random);
  for (let i = 0; i < BYTES / 4 / cols; i++) {
    const at = Math.floor(((random() + 1) / 2) * (pool.length - cols));
    const point = pool.slice(at, at + cols);
    point[i % cols] += Math.fround(random());
    const value = point.reduce((sum, x, j) => sum + x * plane[j], 0);
    yield { label: value + 5 * random() > 0 ? 1 : -1, point };
  }
}

/** LIBSVM text, whose .fds has BYTES: rows of about 300 of 60,000 columns, with values of f32. */
function writeText(path) {
  const random = generator(2);
  const uniform = () => (random() + 1) / 2;
  let [block, entries] = ['', 0];
  const plane = Float64Array.from({ length: 60_000 }, random);
  while (block.length < 64 << 20) {
    let [row, column, value] = ['', 0, 0];
    while ((column += 1 + Math.floor(uniform() * 400)) <= 60_000) {
      const x = (1 + Math.floor(uniform() * 255)) / 256;
      value += x * plane[column - 1];
      row += ` ${column}:${x}`;
      entries++;
    }
    block += `${value + 2 * random() > 0 ? 1 : -1}${row}\n`;
  }
  const file = openSync(path, 'w');
  const bytes = Buffer.from(block);
  for (let written = 0; written * 6 < BYTES; written += entries) writeSync(file, bytes);
  closeSync(file);
}

/** Runs a command in a group whose memory, page cache included, is limited. */
function limited(command, args) {
  const group = join(GROUPS, `fista-classify-bench-${process.pid}`);
  mkdirSync(group);
  try {
    writeFileSync(join(group, 'memory.limit_in_bytes'), String(LIMIT));
    dropCaches();
    const { status, signal, stdout, stderr } = spawnSync(
      '/bin/sh',
      ['-c', `echo $$ > ${join(group, 'cgroup.procs')} && exec "$@"`, 'sh', command, ...args],
      { encoding: 'utf8', maxBuffer: 1 << 26 },
    );
    return { status, signal, stdout, stderr, resident: peakOf(group) };
  } finally {
    rmdirSync(group);
  }
}

const peakOf = (group) => Number(readFileSync(join(group, 'memory.max_usage_in_bytes'), 'utf8'));

/** So that the file is on the disk alone: pages that are in memory already would not count in the group. */
function dropCaches() {
  spawnSync('sync');
  writeFileSync('/proc/sys/vm/drop_caches', '3');
}

async function run({ print }) {
  if (backend.name !== 'native' || !existsSync(join(GROUPS, 'memory.limit_in_bytes')) || process.getuid?.() !== 0) {
    print('Left out: this needs the native addon, control groups of version 1, and root.');
    return undefined;
  }
  const folder = mkdtempSync(join(process.env.FISTA_CLASSIFY_DISK ?? tmpdir(), 'fista-classify-disk-'));
  const results = {};
  const gb = (bytes, seconds) => (bytes / 1e9 / seconds).toFixed(2);
  try {
    const convert = async () => {
      const [text, copy, fds] = ['text.svm', 'copy.svm', 'sparse.fds'].map((name) => join(folder, name));
      writeText(text);
      const bytes = statSync(text).size;
      const times = { copy: [], convert: [] };
      for (let k = 0; k < 2; k++) {
        dropCaches();
        let begin = performance.now();
        spawnSync('/bin/sh', ['-c', 'cp "$0" "$1" && sync "$1"', text, copy]);
        times.copy.push((performance.now() - begin) / 1000);
        rmSync(copy);
        dropCaches();
        begin = performance.now();
        await Dataset.write(fds, text);
        times.convert.push((performance.now() - begin) / 1000);
      }
      const [copied, converted] = [Math.min(...times.copy), Math.min(...times.convert)];
      print(
        `conversion: ${(bytes / 1e9).toFixed(2)} GB of text to ${(statSync(fds).size / 1e9).toFixed(2)} GB in ${converted.toFixed(1)} s, ` +
          `${gb(bytes, converted)} GB/s; a copy of the text takes ${copied.toFixed(1)} s, ${gb(bytes, copied)} GB/s`,
      );
      results.conversion = { bytes, fds: statSync(fds).size, ...times };
      return { text, fds };
    };
    const { text, fds: sparse } = await convert();
    const dense = join(folder, 'dense.fds');
    await Dataset.write(dense, denseRows());
    for (const [name, path] of Object.entries({ 'dense f32': dense, 'sparse u16 f32': sparse })) {
      const { stdout, stderr, signal, resident } = limited(process.execPath, [CHILD, path, '2']);
      if (!stdout) throw new Error(`${name}: ${signal} ${stderr}`);
      const on = JSON.parse(stdout);
      const memory = spawnSync(process.execPath, [CHILD, path, '2', 'memory'], { encoding: 'utf8', maxBuffer: 1 << 26 });
      if (!memory.stdout) throw new Error(memory.stderr);
      const inside = JSON.parse(memory.stdout);
      const plain = median(on.plain);
      print(
        `\n${name}: ${on.rows} rows, ${on.cols} columns, ${(on.size / 2 ** 20).toFixed(0)} MiB in a group of ${LIMIT >> 20} MiB; window ${on.window} rows`,
      );
      print('                          GB/s   of the plain read, in turns (min … max)   in memory, GB/s');
      print(`  plain read          ${gb(on.size, plain).padStart(8)}`);
      const line = (what, list, before, there) => {
        const ratios = list.map((time, k) => before[k] / time);
        const range = `${Math.min(...ratios).toFixed(2)} … ${Math.max(...ratios).toFixed(2)}`;
        print(
          `  ${what.padEnd(18)} ${gb(on.size, median(list)).padStart(9)}   ${median(ratios).toFixed(2).padStart(6)} (${range})`.padEnd(
            70,
          ) + gb(on.size, median(there)).padStart(10),
        );
      };
      const before = (k) => on.plain.filter((_, i) => i % 3 === k);
      line('X w', on.multiply, before(0), inside.multiply);
      line("X'u", on.transposed, before(1), inside.transposed);
      line('epoch of ascent', on.epoch, before(2), inside.epoch);
      print(
        `  fit: ${on.fit.status} after ${on.fit.iterations} iterations, ${on.fit.passes.toFixed(1)} passes, relative gap ${on.fit.relativeGap.toExponential(1)}: ` +
          `${on.fit.seconds.toFixed(1)} s; in memory ${inside.fit.seconds.toFixed(1)} s, ${on.bits === inside.bits ? 'the same bits' : 'OTHER BITS'}`,
      );
      print(`  peak memory of the group, page cache included: ${(resident / 2 ** 20).toFixed(0)} MiB`);
      results[name] = { file: on, memory: inside, resident };
    }
    const program = ['liblinear-train', 'train'].find((one) => spawnSync('which', [one]).status === 0);
    if (program) {
      const { status, signal } = limited(program, ['-s', '3', text, join(folder, 'model')]);
      print(
        `\nLIBLINEAR (${program} -s 3) in the same group, on the text of the sparse rows: ${signal ? `killed by ${signal}` : `ended with ${status}`}`,
      );
      results.liblinear = { status, signal };
    } else {
      print('\nLIBLINEAR is not installed (Debian: liblinear-tools).');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return results;
}

module.exports = { name: 'disk', describe: 'training on a file four times the memory allowed', onlyNamed: true, run };
