// Tests the addon for MPI with each MPI that is installed: node scripts/test-mpi-addon.js [--quick | --time]. Needs the compiled package (npm run
// build), and mpicc and mpirun under Debian's names, mpicc.openmpi and so on. There are more ranks than cores: that is slow, and tests that
// waiting ranks let others run. --time measures all-reduces instead, of two ranks.
'use strict';
const assert = require('node:assert');
const { createHash } = require('node:crypto');
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { Worker } = require('node:worker_threads');
const { addonOf, alive, build, fista, installed, MPIS, mpirun, Tally } = require('./mpi.js');
const { fail, root } = require('./tools.js');
const { connect, startedByMpirun } = require('../dist/mpi/communicator.js');

// What a rank does.

/** Numbers of very different size, so that another order of additions gives other bits; the same on every rank. */
function vectorOf(rank, n) {
  let state = (rank + 1) * 0x9e3779b9 + n;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return Float64Array.from({ length: n }, () => (uniform() - 0.5) * 2 ** Math.floor(40 * uniform()));
}

/** The tree of additions, one after the other. */
function byTree(size, n, operation, vector = vectorOf) {
  let sums = Array.from({ length: size }, (_, rank) => vector(rank, n));
  const both = (a, b) => a.map((value, k) => operation(value, b[k]));
  const group = 2 ** Math.floor(Math.log2(size));
  sums = sums.slice(0, group).map((sum, rank) => (rank + group < size ? both(sum, sums[rank + group]) : sum));
  for (let distance = 1; distance < group; distance *= 2) sums = sums.map((sum, rank) => both(sum, sums[rank ^ distance]));
  return sums[0];
}

const bytesOf = (values) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);
const hash = (values) => createHash('sha256').update(bytesOf(values)).digest('hex');

function checkSums() {
  const ranks = connect();
  const { rank, size } = ranks;

  /** Rank 0 prints a line with the errors of all ranks. */
  const check = (title, test) => {
    let error = '';
    try {
      test();
    } catch (thrown) {
      error = thrown.message.split('\n')[0];
    }
    const errors = ranks.exchange(error).flatMap((text, of) => (text === '' ? [] : [`rank ${of}: ${text}`]));
    if (rank === 0) console.log(errors.length === 0 ? `ok ${title}` : `not ok ${title}: ${errors.join('; ')}`);
  };

  const reduced = (values, way) => {
    ranks[way](values);
    const hashes = ranks.exchange(hash(values));
    assert.deepEqual(new Set(hashes).size, 1, `${way}: other bits on other ranks`);
    return values;
  };

  check('startedByMpirun()', () => assert.equal(startedByMpirun(), true));
  check('connect() returns one object', () => assert.equal(connect(), ranks));
  check('library names the MPI', () => assert.match(ranks.library, /^(Open MPI|MPICH) \d+\.\d+/));

  // 2,200,001 numbers are sent in parts.
  for (const n of [0, 1, 7, 2047, 2048, 2049, 100_001, 2_200_001]) {
    check(`addUp of ${n} has the bits of the tree`, () => {
      const sum = reduced(vectorOf(rank, n), 'addUp');
      const expected = rank === 0 ? byTree(size, n, (a, b) => a + b) : sum; // the ranks agree
      assert.ok(bytesOf(sum).equals(bytesOf(expected)), 'other bits than the tree');
    });
    check(`findMax of ${n}`, () => {
      const max = reduced(vectorOf(rank, n), 'findMax');
      if (rank === 0) assert.ok(bytesOf(max).equals(bytesOf(byTree(size, n, Math.max))), 'another maximum');
    });
  }
  check('addUp of a long vector has the bits of its parts, added up each', () => {
    const long = vectorOf(rank, 30_001);
    const parts = long.slice();
    ranks.addUp(long);
    for (let k = 0; k < parts.length; k += 1000) ranks.addUp(parts.subarray(k, k + 1000));
    assert.ok(bytesOf(long).equals(bytesOf(parts)), 'the long way differs from the short way');
  });
  if (size > 2) {
    check('another order of additions would give other bits', () => {
      const all = Array.from({ length: size }, (_, of) => vectorOf(of, 2047));
      const inOrder = all.reduce((sum, values) => sum.map((value, k) => value + values[k]));
      assert.ok(!bytesOf(inOrder).equals(bytesOf(byTree(size, 2047, (a, b) => a + b))), 'the test cannot fail');
    });
  }
  check('addUp twice gives the same bits', () => {
    assert.equal(hash(reduced(vectorOf(rank, 5000), 'addUp')), hash(reduced(vectorOf(rank, 5000), 'addUp')));
  });
  for (const n of [7, 5000]) {
    check(`NaN, infinities and zeros of ${n} have the same bits everywhere`, () => {
      const last = size - 1;
      // NaNs of different bits on different ranks.
      const nan = new Float64Array(new BigUint64Array([0x7ff8000000000000n + BigInt(rank), 0xfff8000000000000n]).buffer);
      const special = (of) => {
        const values = new Float64Array(n);
        values[0] = of === last ? NaN : 5; // NaN on one rank
        values[1] = of === 0 ? Infinity : 1;
        values[2] = of === 0 ? Infinity : of === last ? -Infinity : 0;
        values[3] = of === last ? 0 : -0;
        values[4] = -0;
        return values;
      };
      const mine = special(rank);
      mine.set(nan, n - 2);
      const sum = reduced(size > 1 ? mine.slice() : special(rank), 'addUp');
      assert.deepEqual([...sum.subarray(0, 5)].slice(0, 2), [NaN, Infinity]);
      assert.ok(size === 1 || Number.isNaN(sum[2]), 'Infinity - Infinity');
      assert.ok(Object.is(sum[3], 0), 'sum of zeros');
      assert.ok(Object.is(sum[4], -0), 'sum of -0');
      const max = reduced(mine.slice(), 'findMax');
      assert.ok(Number.isNaN(max[0]) && Number.isNaN(max[n - 1]) && Number.isNaN(max[n - 2]), 'NaN wins');
      assert.equal(max[1], Infinity);
      assert.ok(Object.is(max[3], 0) && Object.is(max[4], -0), 'maximum of zeros');
    });
  }
  check('one rank leaves values as they are', () => {
    if (size > 1) return;
    const values = new Float64Array(new BigUint64Array([0xfff8000000000123n, 0x8000000000000000n]).buffer);
    const before = hash(values);
    ranks.addUp(values);
    ranks.findMax(values);
    assert.equal(hash(values), before);
  });
  const texts = {
    empty: () => '',
    'empty but for one': (of) => (of === size - 1 ? 'x' : ''),
    long: (of) => `${of}`.repeat(1_000_000 + of),
    unicode: (of) => `${'é'.repeat(of)}日本語🙂\0${of}`,
  };
  for (const [name, text] of Object.entries(texts)) {
    check(`exchange of texts: ${name}`, () => {
      const expected = Array.from({ length: size }, (_, of) => text(of));
      assert.ok(JSON.stringify(ranks.exchange(text(rank))) === JSON.stringify(expected), 'other texts');
    });
  }
  for (const value of [0.1, -0, Infinity, NaN]) {
    check(`fromFirst(${Object.is(value, -0) ? '-0' : value})`, () => {
      assert.ok(Object.is(ranks.fromFirst(rank === 0 ? value : 17), value), 'another value');
    });
  }
  check('counts() counts calls, rounds and bytes', () => {
    const sent = (n) => {
      const before = ranks.counts();
      ranks.addUp(new Float64Array(n));
      const after = ranks.counts();
      return ['calls', 'rounds', 'bytes'].map((name) => after[name] - before[name]);
    };
    const group = 2 ** Math.floor(Math.log2(size));
    const steps = Math.log2(group);
    const short = sent(100);
    const long = sent(4096);
    const partner = rank < size - group; // has another rank's values to add
    const round = (steps, numbers, n) => {
      if (rank >= group) return [1, 2, 8 * n];
      return [1, steps + (partner ? 2 : 0), 8 * (numbers + (partner ? n : 0))];
    };
    assert.deepEqual(short, round(steps, 100 * steps, 100));
    const halves = group >= 4;
    assert.deepEqual(long, round(halves ? 2 * steps : steps, halves ? 2 * 4096 * (1 - 1 / group) : 4096 * steps, 4096));
  });
  check('arguments are checked', () => {
    assert.throws(() => ranks.addUp(new Float32Array(3)), /Expected a Float64Array for values/);
    assert.throws(() => ranks.exchange(3), /Expected a string for text/);
    assert.throws(() => ranks.fromFirst('3'), /Expected a number for value/);
  });
  ranks.finish();
  ranks.finish();
  assert.throws(() => ranks.addUp(new Float64Array(1)), { code: 'ERR_MPI' });
}

/** All ranks add up without end; one of them is lost. */
function loseRank(how) {
  const ranks = connect();
  process.on('SIGTERM', () => undefined); // which the command line handles too, and cannot while a rank waits
  const pids = ranks.exchange(String(process.pid));
  if (ranks.rank === 0) console.log(`pids ${pids.join(' ')}`);
  const values = new Float64Array(5000);
  for (let k = 0; ; k++) {
    ranks.addUp(values);
    if (k < 200 || ranks.rank !== 1) continue;
    if (how === 'killed') process.kill(process.pid, 'SIGKILL');
    if (how === 'exit') process.exit(7);
    throw new Error('thrown by rank 1');
  }
}

function inWorker() {
  const file = require.resolve('../dist/mpi/communicator.js');
  const worker = new Worker(`require(${JSON.stringify(file)}).connect()`, { eval: true });
  worker.on('error', ({ code, message }) => console.log(code, message));
}

function measure() {
  const ranks = connect();
  for (const n of [1, 100, 10_000, 100_000]) {
    const values = new Float64Array(n);
    const times = [];
    for (let batch = 0; batch < 15; batch++) {
      const calls = n > 1000 ? 200 : 2000;
      ranks.fromFirst(0);
      const start = process.hrtime.bigint();
      for (let k = 0; k < calls; k++) ranks.addUp(values);
      times.push(Number(process.hrtime.bigint() - start) / 1000 / calls);
    }
    times.sort((a, b) => a - b);
    if (ranks.rank === 0) console.log(`${n} numbers: ${times[7].toFixed(1)} µs (fastest ${times[0].toFixed(1)})`);
  }
}

// What starts the ranks.

const tally = new Tally();
const say = (title, error) => tally.say(title, error);
const ranksOf = (mpi, ranks, words, env) => mpirun(mpi, ranks, [__filename, ...words], { env });

async function main({ timing = false, quick = false }) {
  const found = installed();
  if (found.length === 0) fail('Found no mpirun.openmpi and no mpirun.mpich');
  for (const mpi of found) {
    const built = build(mpi);
    say(`${mpi}: build --mpi`, built.startsWith(MPIS[mpi].name) ? '' : built);
  }
  if (timing) {
    for (const mpi of found) console.log(`${MPIS[mpi].name}, 2 ranks\n${(await ranksOf(mpi, 2, ['time'])).stdout}`);
    return;
  }
  for (const mpi of found) {
    for (const ranks of quick ? [1, 3, 4] : [1, 2, 3, 4, 5, 7]) {
      const { status, stdout, stderr, seconds } = await ranksOf(mpi, ranks, ['sums']);
      const lines = stdout.split('\n').filter((line) => /^(not )?ok /.test(line));
      for (const line of lines) {
        const [, not, title, error] = /^(not )?ok ([^]*?)(?:: (rank [^]*))?$/.exec(line);
        say(`${mpi}, ${ranks} ranks: ${title}`, not ? error : '');
      }
      const wrong = status !== 0 || lines.length < 30;
      say(
        `${mpi}, ${ranks} ranks: all end, in ${seconds.toFixed(1)} s`,
        wrong ? `exit ${status}, ${lines.length} cases: ${stderr}` : '',
      );
    }
    for (const how of ['killed', 'thrown', 'exit']) {
      const { status, signal, stdout, stderr, seconds } = await ranksOf(mpi, 4, [how]);
      const pids = /^pids (.*)$/m.exec(stdout)?.[1].split(' ').map(Number) ?? [];
      let left = pids;
      for (let waited = 0; left.length > 0 && waited < 50; waited++) {
        await new Promise((done) => setTimeout(done, 200));
        left = pids.filter(alive);
      }
      const well = pids.length === 4 && left.length === 0 && status !== 0 && signal === null && seconds < 20;
      const told = how !== 'thrown' || stderr.includes('thrown by rank 1');
      const title = `${mpi}: a rank that is lost (${how}) ends all, in ${seconds.toFixed(1)} s with exit code ${status}`;
      say(title, well && told ? '' : `${signal} ${left.length} of ${pids.length} left: ${stderr}`);
    }
    const { stdout } = await ranksOf(mpi, 1, ['worker']);
    say(`${mpi}: a worker thread is refused`, /ERR_MPI Expected the main thread/.test(stdout) ? '' : stdout);
  }
  if (found.length === 2) {
    for (const [runs, built] of [found, found.toReversed()]) {
      const { status, stderr, seconds } = await ranksOf(runs, 2, ['alone'], { FISTA_CLASSIFY_MPI_BINARY: addonOf(built) });
      const well =
        status !== 0 && stderr.includes('[ERR_MPI]') && stderr.includes(MPIS[built].name) && stderr.includes(MPIS[runs].name);
      say(
        `mpirun.${runs} with an addon for ${built} is refused, in ${seconds.toFixed(1)} s`,
        well ? '' : `exit ${status}: ${stderr}`,
      );
    }
  }
  const missing = spawnSync(process.execPath, [__filename, 'alone'], {
    encoding: 'utf8',
    env: { ...process.env, FISTA_CLASSIFY_MPI_BINARY: join(root, 'nothing.node') },
  });
  say('an addon that is missing', /ERR_MPI.*nothing\.node/.test(missing.stderr) ? '' : missing.stderr);
  const other = spawnSync(process.execPath, [__filename, 'alone'], {
    encoding: 'utf8',
    env: { ...process.env, FISTA_CLASSIFY_MPI_BINARY: __filename },
  });
  say('a file that is no addon', /ERR_MPI.*did not load/.test(other.stderr) ? '' : other.stderr);
  const without = fista(['build', '--mpi'], { PATH: '/nowhere' });
  say('build --mpi without mpicc', /Found no mpicc.*libopenmpi-dev.*\[ERR_BUILD\]/.test(without.stderr) ? '' : without.stderr);
  const named = fista(['build', '--mpi'], { FISTA_CLASSIFY_MPICC: '/nowhere/mpicc' });
  say(
    'build --mpi with an mpicc that is missing',
    /Found no "\/nowhere\/mpicc".*\[ERR_BUILD\]/.test(named.stderr) ? '' : named.stderr,
  );
  const stranger = fista(['build', '--mpi'], { FISTA_CLASSIFY_MPICC: 'false' });
  say(
    'build --mpi with another program',
    /Expected an mpicc that.*"false".*\[ERR_BUILD\]/.test(stranger.stderr) ? '' : stranger.stderr,
  );
  tally.end();
}

const [mode] = process.argv.slice(2);
const MODES = {
  sums: checkSums,
  time: measure,
  killed: loseRank,
  thrown: loseRank,
  exit: loseRank,
  alone: connect,
  worker: inWorker,
};
if (mode in MODES) MODES[mode](mode);
else void main({ timing: mode === '--time', quick: mode === '--quick' });
