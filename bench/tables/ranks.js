// Training over MPI ranks on one machine, one thread each, against a process of its own: whether the answers agree, how much is sent, and
// how long it takes. FISTA_CLASSIFY_ROWS sets other rows than a million.
'use strict';
const { freemem, availableParallelism } = require('node:os');
const { MPIS, endWithProcess, findMpis, runAlone, runRanks } = require('../mpi.js');
const { interleave, layout, median } = require('../ratios.js');

const ROWS = Number(process.env.FISTA_CLASSIFY_ROWS || 1_000_000);
const ROUNDS = 5;
const RANKS = [1, 2, 4];
const GAMMAS = [1, null];

const SETS = {
  dense: { set: 'dense', cols: 50, bytes: 4 * 50 },
  sparse: { set: 'sparse', cols: 10_000, each: 15, bytes: 4 * 15 },
};

const HEAD = [
  'run',
  'status',
  'relative gap',
  'dual',
  'primal',
  'ranks agree',
  'as without MPI',
  'repeatable',
  'iterations',
  'passes',
  'all-reduces',
  'rounds',
  'bytes sent',
  'per pass',
  'ms',
  'speed',
];

const yes = (met) => ({ value: met ? 'yes' : 'NO', met });

/** All fits of a set, by run and gamma. */
async function fitsOf(shape, runs) {
  const task = { fits: GAMMAS.map((gamma) => ({ ...shape, rows: ROWS, gamma })) };
  const fits = runs.map(() => GAMMAS.map(() => []));
  await interleave(
    runs.map(({ start }, k) => async () => {
      const result = await start(task);
      result.fits.forEach(([fit], g) => fits[k][g].push(fit));
    }),
    ROUNDS,
  );
  return fits;
}

function rowOf({ name, ranks }, fits, reference) {
  const [fit] = fits;
  const ms = median(fits.map((one) => one.ms));
  return [
    name,
    fit.status,
    fit.relativeGap.toExponential(1),
    fit.dual.toPrecision(8),
    fit.primal.toPrecision(8),
    ranks > 1 ? yes(fits.every(({ same }) => same)) : '',
    ranks > 1 ? '' : yes(fits.every(({ bits }) => bits === reference[0].bits)),
    yes(fits.every(({ bits }) => bits === fit.bits)),
    String(fit.iterations),
    fit.passes.toFixed(1),
    String(fit.calls),
    String(fit.rounds),
    fit.bytes.toLocaleString('en'),
    Math.round(fit.bytes / fit.passes).toLocaleString('en'),
    ms.toFixed(0),
    (median(reference.map((one) => one.ms)) / ms).toFixed(2),
  ];
}

async function run({ print, sets }) {
  const cores = availableParallelism();
  const mpis = findMpis(print);
  const runs = [
    { name: 'no MPI, 1 thread', start: (task) => runAlone({ ...task, threads: 1 }) },
    ...(cores > 1 ? [{ name: 'no MPI, 2 threads', start: (task) => runAlone({ ...task, threads: 2 }) }] : []),
    ...mpis.flatMap((mpi) =>
      RANKS.map((ranks) => ({
        name: `${MPIS[mpi].name}, ${ranks} rank${ranks > 1 ? 's' : ''}${ranks > cores ? ' *' : ''}`,
        ranks,
        start: (task) => runRanks(mpi, ranks, { ...task, threads: 1 }),
      })),
    ),
  ];
  if (mpis.length === 0) {
    process.exitCode = 1;
    return undefined;
  }
  print(`${ROWS.toLocaleString('en')} rows, stop.gap(1e-3), one thread a rank, ${cores} cores.`);
  if (RANKS.some((ranks) => ranks > cores)) print('* More ranks than cores: they take turns.');
  endWithProcess();
  const tables = [];
  const results = [];
  for (const [name, { bytes, ...shape }] of Object.entries(SETS)) {
    if (sets && !sets.includes(name)) continue;
    // The generated rows, the package's copy, and as much again for what is not counted.
    if (4 * bytes * ROWS > freemem()) {
      print(
        `\n${name} is left out: it needs ${((4 * bytes * ROWS) / 1e9).toFixed(1)} GB of memory, and ${(freemem() / 1e9).toFixed(1)} are free.`,
      );
      continue;
    }
    const fits = await fitsOf(shape, runs);
    GAMMAS.forEach((gamma, g) => {
      const all = fits.map((byGamma) => byGamma[g]);
      const rows = all.map((list, k) => rowOf(runs[k], list, all[0]));
      const dual = Math.max(...all.flat().map((fit) => fit.dual));
      const primal = Math.min(...all.flat().map((fit) => fit.primal));
      const met = dual <= primal;
      const title = `${name}: ${shape.cols} columns${shape.each ? `, ${shape.each} ones a row` : ', f32'}; gamma ${gamma ?? 'by default'}`;
      const notes = [
        `Largest dual ${dual.toPrecision(10)} <= smallest primal ${primal.toPrecision(10)}, so all intervals have a common point: ${met ? 'true' : 'FALSE'}.`,
        `Methods: ${all[0][0].methods} without MPI; ${all.at(-1)[0].methods} in the last line.`,
        `Median of ${ROUNDS} starts in turns, the slowest rank's time; bytes are rank 0's. Speed is relative to the first line.`,
      ];
      print(`\n${title}\n${layout([HEAD, ...rows])}\n${notes.join('\n')}`);
      tables.push({ title, columns: HEAD, rows, notes });
      results.push({ set: name, gamma, met, runs: runs.map((one, k) => ({ name: one.name, fits: all[k] })) });
      if (!met || rows.flat().some((cell) => cell?.met === false)) process.exitCode = 1;
    });
  }
  return { tables, results };
}

module.exports = {
  name: 'ranks',
  describe: 'training over MPI ranks on this machine, a million rows; takes minutes, so runs only if named',
  onlyNamed: true,
  sets: Object.keys(SETS),
  run,
};
