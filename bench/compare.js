// Compares this package with LIBLINEAR on one problem, each with the fastest of the parameters that classify the test set well enough.
//   C and gamma   64/n, 256/n, 1024/n, 4096/n, 1 and our default gamma; with 100,000 rows or more also 16384/n
//   well enough   test accuracy within 0.2 points of LIBLINEAR's best
//   ours          either loss; stop.agreement(0.99), stop.gap(1e-2) or stop.gap(1e-3); scale: 'none', as the data are scaled for both
'use strict';
const { mkdtempSync, rmSync } = require('node:fs');
const { loadavg, tmpdir } = require('node:os');
const { join } = require('node:path');
const { LinearSvm, stop } = require('..');
const { Peer, writeProblem } = require('./peers/process.js');
const { accuracy } = require('./sets.js');
const { best, interleave, milliseconds, show, speed, verdict } = require('./ratios.js');

const WITHIN = 0.002;
const SOLVERS = [1, 2, 3];
const LOSSES = ['hinge', 'squared-hinge'];
const RULES = { 'agreement 99 %': stop.agreement(0.99), 'gap 1e-2': stop.gap(1e-2), 'gap 1e-3': stop.gap(1e-3) };

/** The values of C and gamma, as [words, value]. For many rows 4096/n is far from 1, so there is one more in between. */
function grid({ points, labels }) {
  const n = points.rows;
  const usual = LinearSvm.fit(points, labels, { scale: 'none', stop: stop.gap(0.5) }).info.gamma;
  return [
    ...[64, 256, 1024, 4096, ...(n >= 1e5 ? [16_384] : [])].map((K) => [`${K}/n`, K / n]),
    ['1', 1],
    [`default (${usual.toPrecision(2)})`, usual],
  ];
}

/** Times one fit, from the user's typed arrays to the model: in seconds of wall-clock time, and of processor time of all threads. */
function fit({ points, labels }, options) {
  const processor = process.cpuUsage();
  const from = performance.now();
  const model = LinearSvm.fit(points, labels, { scale: 'none', ...options });
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(processor);
  return { seconds, processor: (user + system) / 1e6, model };
}

/** The options of one of our choices. */
const optionsOf = ({ loss, gamma, rule }) => ({ loss, gamma, stop: RULES[rule] });

/** Whether to time a choice once more: `runs` times, short ones for a 20th of a second, long ones once. */
function again(times, runs, limit) {
  const spent = times.reduce((sum, seconds) => sum + seconds, 0);
  return times.length < runs ? spent < limit / 10 : runs > 1 && spent < 0.05;
}

/** All of our choices, with the accuracy and the best time of `runs`. forms: { words: points }. */
function searchOurs(problem, forms, gammas, { runs = 3, limit = 30, threads = 2 } = {}) {
  const { labels } = problem.train;
  const choices = Object.keys(forms).flatMap((form) =>
    LOSSES.flatMap((loss) =>
      gammas.flatMap(([gammaName, gamma]) => Object.keys(RULES).map((rule) => ({ form, loss, gammaName, gamma, rule }))),
    ),
  );
  const found = [];
  for (const choice of choices) {
    const data = { points: forms[choice.form], labels };
    const times = [];
    let model;
    while (again(times, runs, limit)) {
      const result = fit(data, { ...optionsOf(choice), threads, timeLimit: 1000 * limit });
      times.push(result.seconds);
      model = result.model;
    }
    const { status, iterations, passes, relativeGap } = model.info;
    if (status === 'time-limit') continue;
    const reached = accuracy(problem.test, model);
    found.push({ ...choice, seconds: best(times), accuracy: reached, status, iterations, passes, relativeGap });
  }
  return found;
}

/** All choices of LIBLINEAR. Once a solver takes more than `limit` seconds its larger C are left out; at three times that it is killed. */
async function searchLiblinear(problem, peer, values, { runs = 3, limit = 60, say } = {}) {
  const found = [];
  const leftOut = [];
  let slow; // the solver whose larger C are left out
  for (const solver of SOLVERS) {
    for (const [CName, C] of values.toSorted((a, b) => a[1] - b[1])) {
      if (slow === solver) {
        leftOut.push(`-s ${solver} at C = ${CName}`);
        continue;
      }
      const times = [];
      let model;
      while (again(times, runs, limit)) {
        model = await peer.train(`${solver} ${C} 0`, 3 * limit);
        if (!model) break;
        times.push(model.seconds);
      }
      if (!model || best(times) > limit) slow = solver;
      if (!model) {
        leftOut.push(`-s ${solver} at C = ${CName} (over ${3 * limit} s)`);
        continue;
      }
      found.push({ solver, CName, C, seconds: best(times), accuracy: accuracy(problem.test, model) });
      say?.(`LIBLINEAR -s ${solver}, C = ${CName}: ${points(found.at(-1).accuracy)}, ${milliseconds(best(times))} ms`);
    }
  }
  return { found, leftOut };
}

/** The fastest of the choices that reach an accuracy. */
function fastest(choices, min) {
  return choices.filter((choice) => choice.accuracy >= min).sort((a, b) => a.seconds - b.seconds)[0];
}

/** Calls use(start, folder), where start(command) starts a solver with the problem in its memory; removes the folder afterwards. */
async function withPeers(train, use) {
  const folder = mkdtempSync(join(tmpdir(), 'fista-classify-'));
  const peers = [];
  try {
    const file = join(folder, 'problem');
    writeProblem(file, train);
    return await use(async (command) => {
      const peer = await Peer.start(command, file, join(folder, `weights-${peers.length}`));
      peers.push(peer);
      return peer;
    }, folder);
  } finally {
    for (const peer of peers) await peer.stop();
    rmSync(folder, { recursive: true });
  }
}

/**
 * Searches the choices of both sides, then runs the chosen ones in turns. Returns the choices and the seconds of the rounds: `two` and
 * `one` (our threads), and `times` of each of `theirs`. Without `mine`, none of our choices reached the accuracy.
 */
async function compareWithLiblinear(set, forms, peer, print, { limit, runs, say, min = 7 } = {}) {
  const values = grid(set.train);
  const { found, leftOut } = await searchLiblinear(set, peer, values, { limit, runs, say });
  if (leftOut.length > 0) print(`Left out for their time on ${set.name}: ${leftOut.join(', ')}`);
  const wanted = Math.max(...found.map((choice) => choice.accuracy)) - WITHIN;
  if (set.train.points.rows < 1e5) searchOurs(set, forms, values, { runs: 1 }); // warms up the JIT compiler
  const ours = searchOurs(set, forms, values, { runs });
  const mine = fastest(ours, wanted);
  const theirs = SOLVERS.map((solver) =>
    fastest(
      found.filter((choice) => choice.solver === solver),
      wanted,
    ),
  );
  const row = { name: set.name, about: set.about, grid: values, wanted, ours, liblinear: found, mine, theirs };
  if (!mine) return row;
  const data = { points: forms[mine.form], labels: set.train.labels };
  const options = optionsOf(mine);
  const there = theirs.filter(Boolean);
  // Processor time depends little on other programs; for one thread it is the time on a quiet machine.
  const processor = { one: [], theirs: there.map(() => []) };
  const kept = (list, { seconds, processor: used }) => {
    list.push(used);
    return seconds;
  };
  const trials = [
    () => fit(data, { ...options, threads: 2 }).seconds,
    () => kept(processor.one, fit(data, { ...options, threads: 1 })),
    ...there.map(
      ({ solver, C }, k) =>
        async () =>
          kept(processor.theirs[k], await peer.train(`${solver} ${C} 0`)),
    ),
  ];
  const round = mine.seconds * 3 + there.reduce((sum, choice) => sum + choice.seconds, 0);
  const rounds = Math.min(41, Math.max(min, Math.round(8 / round)));
  const [two, one, ...times] = await interleave(trials, rounds);
  there.forEach((choice, k) => Object.assign(choice, { times: times[k], processor: processor.theirs[k] }));
  const quickest = there.reduce((a, b) => (best(a.times) <= best(b.times) ? a : b));
  return { ...row, rounds, two, one, processor: processor.one, quickest, load: loadavg()[0] };
}

const points = (share) => (100 * share).toFixed(2);
const choiceWords = ({ loss, gammaName, rule, accuracy: reached }) =>
  `${loss === 'hinge' ? 'hinge' : 'squared'}, ${gammaName}, ${rule}, ${points(reached)}`;

/** The cells of a comparison. `minSpeed` is the required ratio to the fastest solver, if there is one. */
function liblinearCells(row, minSpeed) {
  const { train } = row.set;
  const size = `${train.points.rows} × ${train.points.cols}`;
  if (!row.mine) {
    const nearest = row.ours.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
    const cells = Array.from(LIBLINEAR_HEAD, () => '');
    cells.splice(0, 4, row.name, size, points(row.wanted), `does not reach it: ${choiceWords(nearest)}`);
    cells[LIBLINEAR_HEAD.indexOf('against the fastest') + 1] = { value: 'accuracy MISSED', met: false };
    return cells;
  }
  const { mine, two, one, theirs, quickest } = row;
  const dual = theirs[SOLVERS.indexOf(3)];
  const against3 = dual && speed(two, dual.times);
  const against = speed(two, quickest.times);
  return [
    row.name,
    size,
    points(row.wanted),
    `${mine.form}, ${choiceWords(mine)}`,
    `${mine.iterations}, ${mine.passes.toFixed(1)}`,
    milliseconds(best(two)),
    milliseconds(best(one)),
    ...theirs.map((choice) =>
      choice ? `${choice.CName} ${points(choice.accuracy)} ${milliseconds(best(choice.times))}` : 'not reached',
    ),
    against3 ? show(against3) : '-',
    against3 ? verdict(against3, 1) : 'not reached by it',
    `${show(against)} (-s ${quickest.solver})`,
    minSpeed ? verdict(against, minSpeed) : '',
    show(speed(one, quickest.times)),
    `${show(speed(row.processor, quickest.processor))} (${milliseconds(best(row.processor))} ms)`,
  ];
}
const LIBLINEAR_HEAD = [
  '',
  'rows × columns',
  'accuracy wanted',
  'ours: form, loss, gamma, rule, accuracy',
  'iterations, passes',
  'ms, 2 threads',
  '1 thread',
  ...SOLVERS.map((solver) => `-s ${solver}: C, accuracy, ms`),
  'speed against -s 3',
  '',
  'against the fastest',
  '',
  '1 thread, against the fastest',
  'the same in processor time',
];

module.exports = {
  WITHIN,
  SOLVERS,
  LOSSES,
  RULES,
  LIBLINEAR_HEAD,
  choiceWords,
  fit,
  optionsOf,
  fastest,
  withPeers,
  compareWithLiblinear,
  liblinearCells,
  points,
};
