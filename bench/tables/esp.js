// Ellipsoid separation: the paper's tables on MNIST (zeros against ones), larger families, the two-dimensional experiment, and time.
'use strict';
const { separateEllipsoids } = require('../..');
const { ellipses, instances, loadDigits, spread } = require('../digits.js');
const { plainLoop } = require('../plain.js');
const { scs } = require('../scs.js');

const PAPER = { test: 'paper', stepSize: 'paper' };
const DRAWS = 20;

// The numbers of ellipsoids, then the expected median iterations of the paper's method and of the default. With the paper's method,
// balanced draws scatter.
const FIRST = [
  [1, 1, 1, 1],
  [5, 5, 1, 1],
  [10, 10, 1, 1],
  [25, 25, 2, 1],
  [50, 50, 2, 1],
  [75, 75, 2, 1],
  [100, 100, 10, 1],
  [125, 125, 2, 1],
  [5, 25, 5, 1],
  [25, 5, 6, 1],
  [10, 100, 9, 1],
  [100, 10, 10, 1],
  [1, 125, 23, 1],
  [125, 1, 34, 1],
];

const text = ({ min, median, max }) => `${min} / ${median} / ${max}`;

function count(cases, options) {
  return spread(cases.map(([a, b]) => separateEllipsoids(a, b, options).iterations));
}

/** Milliseconds per iteration: the median over one run. */
function iterationTime([a, b], options) {
  const times = [];
  let last;
  separateEllipsoids(a, b, {
    goal: 'converged',
    tolerance: 1e-15,
    maxIterations: 40,
    ...options,
    onProgress: () => {
      const now = performance.now();
      if (last !== undefined) times.push(now - last);
      last = now;
    },
  });
  return spread(times.slice(8)).median;
}

function time(work, rounds = 15) {
  return spread(
    Array.from({ length: rounds }, () => {
      const from = performance.now();
      work();
      return performance.now() - from;
    }),
  ).median;
}

async function run({ print, data }) {
  const results = { first: [], converged: [], widest: [], large: [], plane: [], time: {} };
  const test = loadDigits(data, 'test');
  const train = loadDigits(data, 'train');
  if (test && train) {
    print(`Iterations to the first separator, min / median / max of ${DRAWS} seeded draws (test images)`);
    print("zeros/ones     paper's method       expected   default          expected");
    for (const [n, m, paper, best] of FIRST) {
      const cases = instances(test, n, m, DRAWS);
      const row = { zeros: n, ones: m, paper: count(cases, PAPER), default: count(cases, {}) };
      results.first.push(row);
      print(
        `${`${n}/${m}`.padEnd(14)} ${text(row.paper).padEnd(20)} ${String(paper).padEnd(10)} ${text(row.default).padEnd(16)} ${best}`,
      );
    }

    print('\nTo |y - proj| <= 1e-6 and to a bracket of 1e-4, per class (train images)');
    for (const [n, draws, allowed] of [
      [1, DRAWS, undefined],
      [25, DRAWS, 210],
      [125, 5, 280],
    ]) {
      const cases = instances(train, n, n, draws);
      const converged = count(cases, { goal: 'converged' });
      const widest = count(cases, { goal: 'widest' });
      const paper = count(cases.slice(0, 2), { ...PAPER, goal: 'converged' });
      results.converged.push({ n, converged, widest, paper });
      print(
        `${String(n).padEnd(5)} converged ${text(converged)}${allowed ? ` (median allowed: ${allowed})` : ''}   ` +
          `paper's method ${text(paper)}   widest ${text(widest)}`,
      );
    }

    print("\nLarger families, per class, 3 draws (train images): default, and the paper's L with the best offset and no restart");
    for (const n of [500, 1000, 5000]) {
      const cases = instances(train, n, n, n === 5000 ? 1 : 3);
      const row = { n, default: count(cases, {}), paperL: n === 5000 ? undefined : count(cases, { stepSize: 'paper' }) };
      results.large.push(row);
      print(`${String(n).padEnd(5)} ${text(row.default)}${row.paperL ? `   stepSize: 'paper' ${text(row.paperL)}` : ''}`);
    }

    print('\nTime');
    const one = instances(test, 125, 125, DRAWS).find(([a, b]) => separateEllipsoids(a, b).iterations === 1);
    const iteration = spread(Array.from({ length: 9 }, () => iterationTime(one, {}))).median;
    const whole = time(() => separateEllipsoids(...one));
    const plain = plainLoop(125, 125, 784);
    results.time = {
      iteration,
      whole,
      wholeInIterations: whole / iteration,
      plain,
      plainOverIteration: plain && plain / iteration,
    };
    print(
      `N = 125 per class: ${iteration.toFixed(3)} ms per iteration; from typed arrays to a proved separator ${whole.toFixed(3)} ms, the time of ${(whole / iteration).toFixed(1)} iterations (at most 8 allowed)`,
    );
    if (plain)
      print(
        `a plain loop, one thread, -O3: ${plain.toFixed(3)} ms per iteration, ${(plain / iteration).toFixed(1)} times ours (at least 2.5 wanted)`,
      );
    results.time.perEntry = [25, 125, 500, 1000, 5000].map((n) => {
      const ms = iterationTime(instances(train, n, n, 1)[0], {});
      return { n, nanoseconds: (ms * 1e6) / (2 * n * 784) };
    });
    const cost = results.time.perEntry.map(({ nanoseconds }) => nanoseconds);
    print(
      `ns per iteration, divided by N d: ${results.time.perEntry.map(({ n, nanoseconds }) => `${n}: ${nanoseconds.toFixed(2)}`).join('   ')}   ratio ${(Math.max(...cost) / Math.min(...cost)).toFixed(1)} (2.5 allowed)`,
    );
  }

  const solve = test && (await scs());
  if (solve) {
    print(
      '\nscs-solver (SCS in WebAssembly, default settings, at most 60 s) on the widest slab; set-up of its matrices not counted',
    );
    results.peers = [25, 100, 500].map((n) => {
      const [a, b] = instances(test, n, n, 1)[0];
      const peer = solve(a, b, 60);
      const any = time(() => separateEllipsoids(a, b), 5);
      const widest = separateEllipsoids(a, b, { goal: 'widest' });
      const slab = time(() => separateEllipsoids(a, b, { goal: 'widest' }), 3);
      print(
        `${String(n).padEnd(5)} scs ${peer.ms.toFixed(0)} ms, width ${peer.width.toFixed(4)} (${peer.status})   ` +
          `first separator ${any.toFixed(2)} ms, ${(peer.ms / any).toFixed(0)} times as fast (20 wanted)   ` +
          `widest ${slab.toFixed(1)} ms, width ${widest.width.toFixed(4)}, ${(peer.ms / slab).toFixed(1)} times as fast`,
      );
      return { n, scs: peer, any, widest: slab, width: widest.width };
    });
  } else print('\nLeft out: scs-solver is not installed');

  print(
    '\nTwo ellipses, centres (-d, 0) and (d, 0): the first d that is separated within 100 iterations, and iterations from there on',
  );
  for (const seed of [1, 2, 3]) {
    const at = ellipses(seed);
    const steps = Array.from({ length: 100 }, (_, k) => (k + 1) / 100);
    const runs = steps.map((d) => ({ d, ...separateEllipsoids(...at(d), { ...PAPER, maxIterations: 100 }) }));
    const found = runs.filter(({ status }) => status === 'separated');
    results.plane.push({ seed, first: found[0]?.d, iterations: found.map(({ d, iterations }) => [d, iterations]) });
    print(
      `seed ${seed}: first d = ${found[0]?.d}; ${found
        .filter((_, k) => k % 10 === 0)
        .map(({ d, iterations }) => `${d}: ${iterations}`)
        .join('  ')}`,
    );
  }
  return results;
}

module.exports = { name: 'esp', describe: "ellipsoid separation: the paper's tables on MNIST, larger families, time", run };
