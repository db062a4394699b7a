// Training by two ranks on two hosts whose messages take a known time, against what it should take: the computation's half, the messages'
// latency and their bytes. The hosts are network namespaces of this machine (bench/namespaces.js). FISTA_CLASSIFY_DELAYS sets the delays
// of a message in ms (0,0.3,1,3), FISTA_CLASSIFY_ROWS the rows (200000).
'use strict';
const { readFileSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { MPIS, endWithProcess, findMpis, runAlone, runOverNetwork, runRanks } = require('../mpi.js');
const { makeHosts, missing } = require('../namespaces.js');
const { layout, median } = require('../ratios.js');

const ROWS = Number(process.env.FISTA_CLASSIFY_ROWS || 200_000);
const DELAYS = (process.env.FISTA_CLASSIFY_DELAYS || '0,0.3,1,3').split(',').map(Number);
const GIGABIT = 125e6; // bytes per second
const ROUNDS = 3;
const REPEATS = 2; // fits in each start

const SETS = [
  { name: 'dense, 50 columns, gamma 1', set: 'dense', cols: 50, gamma: 1 },
  { name: 'dense, 50 columns, default', set: 'dense', cols: 50, gamma: null },
  { name: 'sparse, 10,000 columns, gamma 1', set: 'sparse', cols: 10_000, each: 15, gamma: 1 },
  { name: 'sparse, 10,000 columns, default', set: 'sparse', cols: 10_000, each: 15, gamma: null },
  { name: 'sparse, 100,000 columns, default', set: 'sparse', cols: 100_000, each: 15, gamma: null },
];

/** Lengths of all-reduces that are timed, and how often: those of the fits, and one that is long enough for the bandwidth. */
const SUMS = { 1: 100, 50: 100, 10_000: 20, 100_000: 5, 1_000_000: 2 };

const ONE = DELAYS.includes(1) ? 1 : DELAYS.at(-1);
const LINKS = [
  ...DELAYS.map((delay) => ({ name: `${delay} ms`, delay, rate: 0 })),
  // MPIs ask before they send a long message, which takes two more messages or four: not if they are told to.
  { name: `${ONE} ms, unasked`, delay: ONE, rate: 0, unasked: true },
  { name: `${ONE} ms, 1 Gbit/s`, delay: ONE, rate: GIGABIT },
];

const LINK_HEAD = [
  'link',
  'ping, ms',
  ...Object.keys(SUMS).map((n) => `sum of ${Number(n).toLocaleString('en')}`),
  'MB/s',
  'exchange',
  'broadcast',
];
const FIT_HEAD = [
  'fit',
  'link',
  'passes',
  'rounds',
  'MB sent',
  'on the wire',
  'compute',
  '+ latency',
  '+ bytes',
  '= model, ms',
  'measured, ms',
  'ratio',
  'model by length',
  'ratio',
];

/** The times of a link, in ms: medians over the starts. */
function linkOf(starts) {
  const of = (pick) => median(starts.map(pick));
  const sums = Object.fromEntries(Object.keys(SUMS).map((n) => [n, of(({ sums: all }) => all[n].ms)]));
  const most = Object.keys(SUMS).at(-1);
  const rate = (8 * Number(most)) / (sums[most] - sums[1]); // bytes per ms
  return { sums, rate, exchange: of(({ others }) => others.exchange), broadcast: of(({ others }) => others.broadcast) };
}

/** What a fit should take, in ms. */
function modelOf(fit, cols, alone, link) {
  // The same method on all rows by one thread; another number of passes takes another time.
  const compute = (alone.ms * fit.passes) / alone.passes / 2;
  const said = fit.exchanges * link.exchange + fit.broadcasts * link.broadcast;
  const latency = fit.rounds * link.sums[1] + said;
  const bytes = fit.bytes / link.rate;
  // By length: most bytes are in messages of a number a column; those take what such a sum takes, the others what one number takes.
  const long = Math.min(fit.rounds, Math.round(fit.bytes / (8 * cols)));
  const byLength = compute + said + long * link.sums[cols] + (fit.rounds - long) * link.sums[1];
  return { compute, latency, bytes, sum: compute + latency + bytes, byLength };
}

/** One fit for all: what is the same in each, and the median time. */
function summary(fits) {
  return { ...fits[0], ms: median(fits.map(({ ms }) => ms)), device: Math.min(...fits.map(({ device }) => device)) };
}

const small = (ms) => (ms < 10 ? ms.toFixed(ms < 1 ? 3 : 2) : ms.toFixed(0));

async function run({ print }) {
  const lacking = missing();
  const mpis = lacking.length > 0 ? [] : findMpis(print);
  if (mpis.length === 0) {
    print(`This table needs ${lacking.join(', ') || 'an MPI: Debian has mpich and openmpi-bin'}.`);
    process.exitCode = 1;
    return undefined;
  }
  endWithProcess();
  const hosts = await makeHosts();
  try {
    return await measure(hosts, mpis, print);
  } finally {
    hosts.remove();
  }
}

async function measure(hosts, mpis, print) {
  const congestion = readFileSync('/proc/sys/net/ipv4/tcp_congestion_control', 'utf8').trim();
  print(
    `${ROWS.toLocaleString('en')} rows, stop.gap(1e-3); two ranks on two hosts, one thread each; ${availableParallelism()} cores for both ranks and the relay between them; TCP by ${congestion}.`,
  );
  const fits = SETS.map((shape) => ({ ...shape, rows: ROWS, repeats: REPEATS }));
  const pings = new Map();
  const alone = SETS.map(() => []);
  // By MPI: the starts in memory, and by link.
  const starts = Object.fromEntries(mpis.map((mpi) => [mpi, { memory: [], links: LINKS.map(() => []) }]));
  for (let round = 0; round < ROUNDS; round++) {
    // Newton's method, as ranks use it.
    const here = await runAlone({ threads: 1, fits: fits.map((one) => ({ ...one, method: 'newton' })) });
    here.fits.forEach((list, k) => alone[k].push(...list));
    for (const mpi of mpis) {
      starts[mpi].memory.push(await runRanks(mpi, 2, { threads: 1, sums: SUMS, fits }));
      for (const [k, link] of LINKS.entries()) {
        await hosts.set(link.delay, link.rate);
        if (!pings.has(link)) pings.set(link, hosts.ping());
        starts[mpi].links[k].push(await runOverNetwork(mpi, hosts, { threads: 1, sums: SUMS, fits }, link.unasked));
      }
    }
  }
  const tables = [];
  const results = [];
  for (const mpi of mpis) {
    const { memory, links } = starts[mpi];
    const runs = [
      { name: 'shared memory', list: memory },
      ...LINKS.map((link, k) => ({ ...link, ping: pings.get(link), list: links[k] })),
    ].map((one) => ({ ...one, link: linkOf(one.list) }));
    const linkRows = runs.map(({ name, ping, link }) => [
      name,
      ping === undefined ? '' : small(ping),
      ...Object.values(link.sums).map(small),
      ((link.rate * 1000) / 1e6).toFixed(0),
      small(link.exchange),
      small(link.broadcast),
    ]);
    const linkTitle = `${MPIS[mpi].name}: what messages take, ms`;
    const linkNotes =
      'A delay is of one message; ping shows it there and back. Sums are all-reduces of so many numbers. MB/s: of the longest sum, both ways at once. Exchange: a text of each rank; broadcast: a number of rank 0. Unasked: with the settings of bench/mpi.js that send long messages without asking first.';
    print(`\n${linkTitle}\n${layout([LINK_HEAD, ...linkRows])}\n${linkNotes}`);
    tables.push({ title: linkTitle, columns: LINK_HEAD, rows: linkRows, notes: linkNotes });

    const all = runs.flatMap(({ list }) => list);
    const hung = all.filter((start) => start.hung).length;
    let wire = true;
    const fitRows = SETS.flatMap(({ name, cols }, k) =>
      runs.map((one) => {
        const fit = summary(one.list.flatMap((start) => start.fits[k]));
        const model = modelOf(fit, cols, summary(alone[k]), one.link);
        const through = one.ping === undefined || fit.device >= fit.bytes;
        wire &&= through;
        results.push({ mpi, fit: name, link: one.name, ping: one.ping, times: one.link, model, ...fit });
        return [
          name,
          one.name,
          fit.passes.toFixed(1),
          String(fit.rounds),
          (fit.bytes / 1e6).toFixed(2),
          one.ping === undefined ? '' : { value: (fit.device / 1e6).toFixed(2), met: through },
          model.compute.toFixed(0),
          model.latency.toFixed(0),
          model.bytes.toFixed(0),
          model.sum.toFixed(0),
          fit.ms.toFixed(0),
          (fit.ms / model.sum).toFixed(2),
          model.byLength.toFixed(0),
          (fit.ms / model.byLength).toFixed(2),
        ];
      }),
    );
    const title = `${MPIS[mpi].name}: fits`;
    const notes = [
      `The bytes of all-reduces went over the wire: ${wire ? 'true' : 'FALSE'}.`,
      "Compute: Newton's method on all rows by one thread without MPI, per pass, times the passes here, halved. Latency: rounds times the sum of 1, and exchanges and broadcasts. By length: rounds of a number a column take what such a sum takes instead.",
      ...(hung > 0 ? [`${hung} of ${all.length} starts hung in MPI_Finalize, after their results, and were ended.`] : []),
      `Medians of ${ROUNDS * REPEATS} fits in ${ROUNDS} starts, the slowest rank's time.`,
    ];
    print(`\n${title}\n${layout([FIT_HEAD, ...fitRows])}\n${notes.join('\n')}`);
    tables.push({ title, columns: FIT_HEAD, rows: fitRows, notes });
    if (!wire) process.exitCode = 1;
  }
  return { tables, results };
}

module.exports = {
  name: 'network',
  describe: 'training by two ranks over a network with a delay; needs root and takes minutes, so runs only if named',
  onlyNamed: true,
  run,
};
