// Compares this package with LIBLINEAR on large generated data, and measures how time grows with the rows. It takes gigabytes and many
// minutes, so it runs only if it is named. One set at a time is in memory.
'use strict';
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { LIBLINEAR_HEAD, compareWithLiblinear, fit, liblinearCells, optionsOf, withPeers } = require('../compare.js');
const { denseNormal, sparseZipf } = require('../generated.js');
const { findPeers } = require('../peers/process.js');
const { best, digits, interleave, layout } = require('../ratios.js');
const { standardise } = require('../sets.js');
const { swarm } = require('../swarm.js');

const ROWS = [100_000, 300_000, 1_000_000];
const TEST = 100_000;
const LIMIT = 20; // seconds for a training by LIBLINEAR, beyond which its larger C are left out

/** Rows from .. to, without copying large arrays. */
function part({ points, labels }, from, to) {
  const { cols } = points;
  const rows = to - from;
  const some = { labels: labels.subarray(from, to) };
  if (points.data) return { points: { data: points.data.subarray(from * cols, to * cols), rows, cols }, ...some };
  const first = points.indptr[from];
  const indptr = points.indptr.subarray(from, to + 1).map((at) => at - first);
  return { points: { indptr, indices: points.indices.subarray(first, points.indptr[to]), rows, cols }, ...some };
}

/** Splits by runs: snapshots of one run are alike, and must not be on both sides. */
function swarmProblem() {
  const { runs, ...whole } = swarm();
  const cut = runs[Math.floor(0.8 * runs.length)];
  return standardise({ train: part(whole, 0, cut), test: part(whole, cut, whole.points.rows) });
}

const SETS = {
  swarm: {
    min: 5,
    form: 'dense f32',
    about: 'simulated swarm, standardised; the last fifth of the runs is the test set',
    make: swarmProblem,
  },
  dense: {
    min: 3,
    form: 'dense f32',
    about: `x standard normal, 100 columns; y = sign(w·x + normal noise of half the scores' deviation), 5 % flipped; ${TEST} more rows for testing`,
    whole: () => denseNormal(ROWS.at(-1) + TEST, 100),
  },
  sparse: {
    min: 3,
    form: 'CSR of ones',
    about: `10,000 columns, 50 ones per row by Zipf 1.1; labels as before; ${TEST} more rows for testing`,
    whole: () => sparseZipf(ROWS.at(-1) + TEST, 10_000),
  },
};

/** Frees the memory of earlier fits: several of them do not fit in memory together. */
function collect() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** Seconds for 100,000, 300,000 and 1,000,000 rows, ours and the solver's, with the parameters (in 1/n) chosen for the last. */
async function growth(whole, row, command) {
  const { mine, quickest } = row;
  const per = (name, n, value) => (name.endsWith('/n') ? parseInt(name, 10) / n : value);
  const lines = [];
  for (const rows of ROWS) {
    const train = part(whole, 0, rows);
    const options = { ...optionsOf(mine), gamma: per(mine.gammaName, rows, mine.gamma), threads: 2 };
    const C = per(quickest.CName, rows, quickest.C);
    await withPeers(train, async (start) => {
      const peer = await start(command);
      const trials = [() => fit(train, options).seconds, async () => (await peer.train(`${quickest.solver} ${C} 0`)).seconds];
      const [ours, theirs] = await interleave(trials, 3);
      lines.push({ rows, ours, theirs });
    });
    collect();
  }
  return lines;
}

async function run({ print, sets }) {
  const { liblinear } = findPeers(print, ['liblinear']);
  if (!liblinear) return undefined;
  const results = [];
  const tables = [];
  const plots = [];
  for (const [name, { min, form, about, make, whole }] of Object.entries(SETS)) {
    if (sets && !sets.includes(name)) continue;
    const all = whole?.();
    const set = make ? make() : { train: part(all, 0, ROWS.at(-1)), test: part(all, ROWS.at(-1), ROWS.at(-1) + TEST) };
    const row = await withPeers(set.train, async (start) => {
      const peer = await start(liblinear);
      const named = { name, about, ...set };
      return {
        set,
        ...(await compareWithLiblinear(named, { [form]: set.train.points }, peer, print, {
          limit: LIMIT,
          runs: 1,
          say: print,
          min: make ? 7 : 3,
        })),
      };
    });
    const cells = liblinearCells(row, min);
    print(`\n${name}: ${about}; ${row.rounds} rounds, load ${row.load?.toFixed(2)}`);
    print(layout(LIBLINEAR_HEAD.map((head, c) => [head, cells[c] ?? ''])));
    tables.push({
      title: `${name}: LIBLINEAR at equal test accuracy`,
      columns: LIBLINEAR_HEAD,
      rows: [cells],
      notes: [
        about,
        `Training alone; choices as in the table peers and 16384/n, each tried once; larger C of a solver are left out once it needs ${LIMIT} s.`,
      ],
    });
    results.push({ ...row, set: undefined, size: [set.train.points.rows, set.train.points.cols] });
    if (!all || !row.mine) continue;
    const lines = await growth(all, row, liblinear);
    const from = best(lines[0].ours) / lines[0].rows;
    const grown = lines.map(({ rows, ours, theirs }) => {
      const ratio = best(ours) / rows / from;
      return [
        rows.toLocaleString('en'),
        best(ours).toPrecision(3),
        best(theirs).toPrecision(3),
        digits(best(theirs) / best(ours)),
        { value: `${digits(ratio)} ${ratio <= 1.25 ? 'linear' : 'MORE than linear'}`, met: ratio <= 1.25 },
      ];
    });
    tables.push({
      title: `${name}: time against rows`,
      columns: ['rows', 'ours, s', `-s ${row.quickest.solver}, s`, 'times as fast', 'ours per row, relative to 100,000 rows'],
      rows: grown,
      notes: `gamma = ${row.mine.gammaName}, ${row.mine.rule}; C = ${row.quickest.CName}; best of three rounds.`,
    });
    print(`\n${tables.at(-1).title} (${tables.at(-1).notes})\n${layout([tables.at(-1).columns, ...grown])}`);
    plots.push({
      kind: 'line',
      title: `${name}: seconds against rows`,
      x: 'rows',
      y: 'seconds',
      log: 'xy',
      series: [
        { name: 'ours, two threads', points: lines.map(({ rows, ours }) => [rows, best(ours)]) },
        { name: `LIBLINEAR -s ${row.quickest.solver}`, points: lines.map(({ rows, theirs }) => [rows, best(theirs)]) },
      ],
    });
    collect();
  }
  return { tables, plots, results };
}

module.exports = {
  name: 'large',
  describe: 'LIBLINEAR on a swarm and on a million generated rows; takes minutes and gigabytes, so runs only if named',
  onlyNamed: true,
  sets: Object.keys(SETS),
  run,
};
