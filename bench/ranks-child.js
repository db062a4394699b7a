// node bench/ranks-child.js <JSON>: one rank, or the only process, of what bench/tables/ranks.js and bench/tables/network.js measure. Rank 0
// prints a line "RESULT <JSON>". The task:
//   ranks     whether to connect by MPI
//   threads   of each process
//   sums      { numbers: calls } of all-reduces to be timed
//   fits      [{ set: 'dense' | 'sparse', rows, cols, each, gamma, method, repeats }], rows over all ranks; gamma null: the default
//   device    a network device whose bytes are to be counted
'use strict';
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { LinearSvm, stop } = require('../dist/index.js');
const { denseRange, sparseRange } = require('./generated.js');

const task = JSON.parse(process.argv[2]);
const traffic = { exchanges: 0, broadcasts: 0 };

/** The ranks, with a count of what is said besides all-reduces. */
function connect() {
  const { mpi } = require('../dist/mpi/index.js');
  const { register } = require('../dist/mpi/ranks.js');
  const ranks = mpi();
  const counted = (name, method) => (value) => {
    traffic[name]++;
    return ranks[method](value);
  };
  return register({ ...ranks, exchange: counted('exchanges', 'exchange'), fromFirst: counted('broadcasts', 'fromFirst') });
}

const ranks = task.ranks ? connect() : undefined;
const { rank, size } = ranks ?? { rank: 0, size: 1 };

const all = (value) => (ranks ? ranks.exchange(JSON.stringify(value)).map((text) => JSON.parse(text)) : [value]);
const digest = ({ weights, bias }) => createHash('sha256').update(weights).update(Float64Array.of(bias)).digest('hex').slice(0, 12);

/** Bytes that the device has sent, headers included. */
function sentBytes() {
  if (!task.device) return 0;
  const line = readFileSync('/proc/net/dev', 'utf8')
    .split('\n')
    .find((one) => one.trim().startsWith(`${task.device}:`));
  return Number(line.split(':')[1].trim().split(/\s+/)[8]);
}

function counts() {
  const { calls, rounds, bytes } = ranks?.counts() ?? { calls: 0, rounds: 0, bytes: 0 };
  return { calls, rounds, bytes, ...traffic, device: sentBytes() };
}

/** Milliseconds of a call on the slowest rank, after all have come here. */
function timed(work) {
  all(0);
  const begin = performance.now();
  const result = work();
  const milliseconds = performance.now() - begin;
  return { result, ms: Math.max(...all(milliseconds)) };
}

/** Milliseconds of each call of a loop. */
const perCall = (calls, work) =>
  timed(() => {
    for (let k = 0; k < calls; k++) work();
  }).ms / calls;

let made; // the last rows, as fits of the same rows follow each other

function rowsOf({ set, rows, cols, each }) {
  const key = [set, rows, cols, each].join();
  if (made?.key === key) return made;
  made = undefined;
  const [begin, end] = [rank, rank + 1].map((r) => Math.floor((rows * r) / size));
  made = { key, ...(set === 'dense' ? denseRange(begin, end, cols) : sparseRange(begin, end, cols, each)) };
  return made;
}

function fit(wanted) {
  const { points, labels } = rowsOf(wanted);
  const options = {
    stop: stop.gap(1e-3),
    threads: task.threads,
    ...(wanted.gamma !== null && { gamma: wanted.gamma }),
    ...(wanted.method && { method: wanted.method }),
    ...(ranks && { ranks }),
  };
  const before = counts();
  // Before the slowest rank's time is exchanged, which is no part of the fit.
  const { result, ms } = timed(() => {
    const from = counts();
    const model = LinearSvm.fit(points, labels, options);
    const to = counts();
    return { model, spent: Object.fromEntries(Object.keys(to).map((name) => [name, to[name] - from[name]])) };
  });
  const { model, spent } = result;
  const { status, relativeGap, primal, dual, iterations, passes, stages, rows } = model.info;
  const digests = all(digest(model));
  const device = counts().device - before.device; // the last packets may leave late
  return {
    status,
    relativeGap,
    primal,
    dual,
    iterations,
    passes,
    rows,
    methods: stages.map(({ method, iterations: n }) => `${method} ${n}`).join(', '),
    bits: digests[0],
    same: digests.every((one) => one === digests[0]),
    ms,
    ...spent,
    device,
  };
}

function main() {
  const sums = {};
  let others;
  if (ranks && task.sums) {
    for (const [numbers, calls] of Object.entries(task.sums)) {
      const values = new Float64Array(Number(numbers));
      ranks.addUp(values);
      const before = counts();
      const ms = [0, 1, 2].map(() => perCall(calls, () => ranks.addUp(values))).sort((a, b) => a - b)[1];
      const after = counts();
      const done = after.calls - before.calls;
      sums[numbers] = { ms, rounds: (after.rounds - before.rounds) / done, bytes: (after.bytes - before.bytes) / done };
    }
    const one = Float64Array.of(1);
    const calls = task.sums[1] ?? 50;
    const middle = (work) => [0, 1, 2].map(() => perCall(calls, work)).sort((a, b) => a - b)[1];
    others = {
      exchange: middle(() => ranks.exchange('{}')),
      // Rank 0 does not wait for those that it tells; the next all-reduce shows what that takes.
      broadcast: Math.max(
        0,
        middle(() => {
          ranks.fromFirst(0);
          ranks.addUp(one);
        }) - sums[1].ms,
      ),
    };
  }
  const fits = (task.fits ?? []).map((wanted) => Array.from({ length: wanted.repeats ?? 1 }, () => fit(wanted)));
  if (rank === 0) console.log(`RESULT ${JSON.stringify({ library: ranks?.library, size, sums, others, fits })}`);
}

main();
