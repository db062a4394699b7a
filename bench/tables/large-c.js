// Large C: this package with Newton's method against LIBLINEAR, each to an optimum of its own, and the passes that 'auto' takes beside
// those of its parts. One set at a time is in memory; the generated sets take minutes and gigabytes, and run only if --sets names them.
'use strict';
const { loadavg } = require('node:os');
const { backend, stop } = require('../..');
const { LOSSES, SOLVERS, WITHIN, fastest, fit, points: percent, withPeers } = require('../compare.js');
const { denseNormal, sparseZipf } = require('../generated.js');
const { findPeers } = require('../peers/process.js');
const { best, interleave, layout, milliseconds, show, speed, verdict } = require('../ratios.js');
const { TALL, accuracy, objectives, problem, tall } = require('../sets.js');

const VALUES = [1, 10, 100]; // of C
const GAP = 1e-3;
const NEAR = 0.01; // LIBLINEAR is to come this near to its optimum, as a share of it
const EPS = [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6]; // its -e, one after the other
const EXACT = 1e-7; // its -e for the optimum of the squared hinge
const LIMIT = 10; // seconds for one training by it
const FISTA_LIMIT = 2000; // ms for a fit by FISTA alone

/** The passes to a gap of 1e-3 at C = 10 and 100 that Newton's method was designed for. */
const DESIGNED = {
  a9a: { 10: 24, 100: 21 },
  w8a: { 10: 15, 100: 23 },
  spambase: { 10: 30, 100: 38 },
  svmguide1: { 10: 10, 100: 10 },
  'german.numer_scale': { 10: 15, 100: 16 },
  mushrooms: { 10: 41, 100: 67 },
};
const ALLOWED = 1.5; // times these
const PARTS = 1.3; // times the passes of the better part

const WIDE = { name: 'farm-ads', values: [1, 10], gap: 1e-2 };

const GENERATED = {
  sparse: { about: '1,000,000 × 10,000, CSR of ones, 50 a row by Zipf 1.1', make: () => sparseZipf(1_000_000, 10_000) },
  dense: { about: '1,000,000 × 100, dense f32, standard normal', make: () => denseNormal(1_000_000, 100) },
};
const GENERATED_LIMIT = 60;

const FAIR =
  `Training alone, data in memory and scaled alike for both; ours (${backend.simd}) by two threads from the user's typed arrays, our copy ` +
  `included, to a proved gap of ${GAP} of its objective. LIBLINEAR with -B 1, at the largest -e of 0.1, 0.01, … (in brackets) that ends ` +
  'within 1 % of its optimum, its bias penalised as it does it. Ratios twice: median of the ratios within a round (A B B A) | best against best. ' +
  'Times in ms, the best.';
const SMOOTH = "Our hinge is quadratic over a width of 1/2, -s 3's has a corner; -s 2 is the squared hinge, another loss.";

const ours = (C, loss, more) => ({ loss, gamma: C, stop: stop.gap(GAP), threads: 2, ...more });
const lossOf = (solver) => (solver === 3 ? 'hinge' : 'squared');

/** Both of LIBLINEAR's objectives: half the bias squared is part of them. */
function penalised(set, model, C) {
  const { hinge, squared } = objectives(set, model, C);
  return { hinge: hinge + model.bias ** 2 / 2, squared: squared + model.bias ** 2 / 2 };
}

/** A short form of info.stages: a3 n8 are three epochs of ascent and eight steps of Newton's method, f is FISTA. */
const stagesOf = ({ stages }) => stages.map(({ method, iterations }) => `${method[0]}${iterations}`).join(' ');

/**
 * Bounds of LIBLINEAR's optima: { hinge, squared }, each { least, proved }. least is the least value that any model has, of LIBLINEAR's and
 * of ours with little smoothing; proved is our lower bound, which leaves out the bias.
 */
async function optima(set, peer, C, limit) {
  const found = { hinge: { least: Infinity, proved: 0 }, squared: { least: Infinity, proved: 0 } };
  const consider = (model) => {
    const values = penalised(set, model, C);
    for (const [loss, value] of Object.entries(values)) found[loss].least = Math.min(found[loss].least, value);
  };
  const theirs = await peer.train(`2 ${C} ${EXACT}`, 3 * limit);
  if (theirs) consider(theirs);
  const tight = { stop: stop.gap(1e-4), timeLimit: 1000 * limit };
  const squared = fit(set, ours(C, 'squared-hinge', tight)).model;
  let hinge;
  for (const width of [0.5, 0.1, 0.02]) {
    const start = hinge && { weights: hinge.weights, bias: hinge.bias };
    hinge = fit(set, ours(C, 'hinge', { ...tight, mu: width / C, ...(start && { warmStart: start }) })).model;
    consider(hinge);
    found.hinge.proved = Math.max(found.hinge.proved, hinge.info.dual); // the smoothed hinge is below the hinge
  }
  consider(squared);
  found.squared.proved = squared.info.dual;
  return found;
}

/** LIBLINEAR's -s `solver` at the largest -e that comes near enough: { solver, eps, seconds, excess, reached }; undefined if all are late. */
async function tighten(set, peer, solver, C, optimum, limit) {
  let last;
  for (const eps of EPS) {
    const model = await peer.train(`${solver} ${C} ${eps}`, limit);
    if (!model) break;
    const excess = penalised(set, model, C)[lossOf(solver)] / optimum.least - 1;
    const same = last && excess === last.excess; // its limit of iterations ends it: a smaller -e changes nothing
    last = { solver, eps, seconds: model.seconds, excess, reached: excess <= NEAR };
    optimum.least = Math.min(optimum.least, optimum.least * (1 + excess));
    if (last.reached || same) break;
  }
  return last;
}

/** Passes to the gap by 'auto' and by its parts, both losses: [{ loss, info, newton, fista }]; undefined: not within its limits. */
function passesOf(set, C) {
  return LOSSES.map((loss) => {
    const passes = (more) => {
      const { info } = fit(set, ours(C, loss, more)).model;
      return info.status === 'gap' ? info.passes : undefined;
    };
    return {
      loss,
      info: fit(set, ours(C, loss)).model.info,
      newton: passes({ method: 'newton', solver: { ascent: true }, timeLimit: 5000 }),
      fista: passes({ method: 'fista', timeLimit: FISTA_LIMIT }),
    };
  });
}

/** One set at one C: what each side takes to come near to its optimum, then all of them in turns. */
async function compare(set, peer, C) {
  const passes = passesOf(set, C);
  const bounds = await optima(set, peer, C, LIMIT);
  const theirs = [];
  for (const solver of SOLVERS) theirs.push(await tighten(set, peer, solver, C, bounds[lossOf(solver)], LIMIT));
  const there = theirs.filter(Boolean);
  for (let k = 0; k < 3; k++) for (const loss of LOSSES) fit(set, ours(C, loss)); // warms up the JIT compiler
  const trials = [
    ...LOSSES.map((loss) => () => fit(set, ours(C, loss)).seconds),
    ...there.map(
      ({ solver, eps }) =>
        async () =>
          (await peer.train(`${solver} ${C} ${eps}`)).seconds,
    ),
  ];
  const round = there.reduce((sum, { seconds }) => sum + seconds, 0.02);
  const rounds = Math.min(41, Math.max(3, Math.round(4 / round)));
  const [hinge, squared, ...times] = await interleave(trials, rounds);
  there.forEach((choice, k) => (choice.times = times[k]));
  const [smooth, square] = LOSSES.map((loss) => fit(set, ours(C, loss)).model);
  const excess = {
    hinge: penalised(set, smooth, C).hinge / bounds.hinge.least - 1,
    squared: penalised(set, square, C).squared / bounds.squared.least - 1,
  };
  return { name: set.name, C, passes, bounds, theirs, hinge, squared, excess, rounds, load: loadavg()[0] };
}

const theirCell = (choice) =>
  choice
    ? `${milliseconds(best(choice.times))} (${choice.eps}${choice.reached ? '' : `, ${(100 * choice.excess).toFixed(0)} % off`})`
    : `over ${1000 * LIMIT}`;

/** The ratio to one of LIBLINEAR's solvers, and whether it is large enough. One that does not come near would take longer than it did. */
function against(times, choice, min) {
  if (!choice) return ['', { value: `≥ ${min} met: it is late`, met: true }];
  const ratio = speed(times, choice.times);
  const words = `${choice.reached ? '' : '> '}${show(ratio)}`;
  const judged = verdict(ratio, min);
  return [words, choice.reached || judged.met ? judged : 'not reached by it'];
}

/** The faster of -s 1 and -s 2, of those that come near. */
function faster(theirs) {
  const two = theirs.filter((choice) => choice && choice.solver !== 3);
  const near = two.filter(({ reached }) => reached);
  return (near.length > 0 ? near : two).reduce((a, b) => (!a || best(b.times) < best(a.times) ? b : a), undefined);
}

/** How many times as fast as that our squared hinge is to be. */
const wanted = (name) => (['a9a', 'w8a'].includes(name) ? 2 : 1);

const HINGE_HEAD = [
  '',
  'C',
  'ours, ms',
  'passes',
  'stages',
  '-s 3, ms (-e)',
  'speed against -s 3',
  '',
  '-s 2, ms (-e)',
  'against -s 2',
  '',
];
function hingeCells({ name, C, passes, theirs, hinge }) {
  const { info } = passes[0];
  const [, s2, s3] = theirs;
  return [
    name,
    C,
    milliseconds(best(hinge)),
    info.passes.toFixed(1),
    stagesOf(info),
    theirCell(s3),
    ...against(hinge, s3, 3),
    theirCell(s2),
    ...against(hinge, s2, 1),
  ];
}

const SQUARED_HEAD = ['', 'C', 'ours, ms', 'passes', 'stages', '-s 1, ms (-e)', '-s 2, ms (-e)', 'speed against the faster', ''];
function squaredCells({ name, C, passes, theirs, squared }) {
  const { info } = passes[1];
  const choice = faster(theirs);
  return [
    name,
    C,
    milliseconds(best(squared)),
    info.passes.toFixed(1),
    stagesOf(info),
    theirCell(theirs[0]),
    theirCell(theirs[1]),
    ...against(squared, choice, wanted(name)),
  ];
}

/** Whether a number of passes is small enough. */
function atMost(passes, most) {
  const met = passes <= most;
  return { value: `≤ ${most.toFixed(1)} ${met ? 'met' : 'MISSED'}`, met };
}

const PASSES_HEAD = [
  '',
  'C',
  'loss',
  "'auto'",
  'stages',
  `≤ ${ALLOWED} times those designed for`,
  "'newton' after ascent",
  "'fista'",
  `≤ ${PARTS} times the better`,
];
function passesCells({ name, C, passes }) {
  return passes.map(({ loss, info, newton, fista }) => {
    const designed = loss === 'hinge' ? DESIGNED[name][C] : undefined;
    const part = Math.min(newton ?? Infinity, fista ?? Infinity);
    return [
      name,
      C,
      loss,
      info.passes.toFixed(1),
      stagesOf(info),
      designed ? atMost(info.passes, ALLOWED * designed) : '',
      newton?.toFixed(1) ?? 'not within 5 s',
      fista?.toFixed(1) ?? `not within ${FISTA_LIMIT / 1000} s`,
      part < Infinity ? atMost(info.passes, PARTS * part) : '',
    ];
  });
}

const BOUNDS_HEAD = [
  '',
  'C',
  ...['hinge', 'squared'].flatMap((loss) => [`${loss}: least value`, 'above our lower bound', 'our model']),
  ...SOLVERS.map((s) => `-s ${s}`),
];
const share = (x) => `${(100 * x).toFixed(2)} %`;
function boundsCells({ name, C, bounds, excess, theirs }) {
  const { hinge, squared } = bounds;
  const cells = ({ least, proved }, own) => [least.toPrecision(6), share(least / proved - 1), share(own)];
  return [
    name,
    C,
    ...cells(hinge, excess.hinge),
    ...cells(squared, excess.squared),
    ...theirs.map((choice) => (choice ? share(choice.excess) : '')),
  ];
}

/** farm-ads: ours with either loss, beside LIBLINEAR's fastest at C = 1 of those within 0.2 points of its best. */
async function wide(set, peer) {
  const choices = [];
  for (const solver of SOLVERS) {
    const model = await peer.train(`${solver} 1 0`, LIMIT);
    if (model) choices.push({ solver, seconds: model.seconds, accuracy: accuracy(set.test, model) });
  }
  const quickest = fastest(choices, Math.max(...choices.map((choice) => choice.accuracy)) - WITHIN);
  const rows = [];
  for (const C of WIDE.values) {
    for (const loss of LOSSES) {
      const options = ours(C, loss, { stop: stop.gap(WIDE.gap) });
      const { model } = fit(set.train, options);
      const trials = [() => fit(set.train, options).seconds, async () => (await peer.train(`${quickest.solver} 1 0`)).seconds];
      const [mine, times] = await interleave(trials, 21);
      rows.push({ C, loss, info: model.info, accuracy: accuracy(set.test, model), mine, times, quickest, choices });
    }
  }
  return rows;
}

const WIDE_HEAD = [
  '',
  'C',
  'loss',
  'ours, ms',
  'passes',
  'stages',
  'accuracy',
  "LIBLINEAR's fastest at C = 1",
  'accuracy',
  'ms',
  'times as fast',
];
const wideCells = ({ C, loss, info, accuracy: reached, mine, times, quickest }) => [
  WIDE.name,
  C,
  loss,
  milliseconds(best(mine)),
  info.passes.toFixed(1),
  stagesOf(info),
  percent(reached),
  `-s ${quickest.solver}`,
  percent(quickest.accuracy),
  milliseconds(best(times)),
  show(speed(mine, times)),
];

/** A generated set at gamma = C = 1: both losses by two threads and one, beside LIBLINEAR's fastest. */
async function generated(set, peer, print) {
  const bounds = await optima(set, peer, 1, GENERATED_LIMIT);
  const theirs = [];
  for (const solver of SOLVERS) {
    const choice = await tighten(set, peer, solver, 1, bounds[lossOf(solver)], GENERATED_LIMIT);
    theirs.push(choice);
    print(
      `${set.name}, -s ${solver}: ${choice ? `${choice.seconds.toFixed(1)} s, -e ${choice.eps}, ${share(choice.excess)} off` : 'late'}`,
    );
  }
  const near = theirs.filter((choice) => choice?.reached).sort((a, b) => a.seconds - b.seconds);
  const rows = [];
  for (const loss of LOSSES) {
    const { info } = fit(set, ours(1, loss)).model;
    const trials = [2, 1].map((threads) => () => fit(set, ours(1, loss, { threads })).seconds);
    if (near.length > 0) trials.push(async () => (await peer.train(`${near[0].solver} 1 ${near[0].eps}`)).seconds);
    const [two, one, times] = await interleave(trials, 3);
    rows.push({ name: set.name, loss, info, two, one, times, quickest: near[0], theirs, bounds, load: loadavg()[0] });
  }
  return rows;
}

const GENERATED_HEAD = [
  '',
  'loss',
  'ours, ms',
  'passes',
  'stages',
  'gap',
  '1 thread',
  'two threads against one',
  '',
  "LIBLINEAR's fastest",
  'ms',
  'times as fast',
  '',
];
function generatedCells({ name, loss, info, two, one, times, quickest }) {
  const threads = speed(two, one);
  const ratio = times && speed(two, times);
  return [
    name,
    loss,
    milliseconds(best(two)),
    info.passes.toFixed(1),
    stagesOf(info),
    info.relativeGap.toExponential(1),
    milliseconds(best(one)),
    show(threads),
    verdict(threads, 1.5),
    quickest ? `-s ${quickest.solver} -e ${quickest.eps}` : `none within ${GENERATED_LIMIT} s`,
    times ? milliseconds(best(times)) : '',
    ratio ? show(ratio) : '',
    ratio ? verdict(ratio, 2) : { value: '≥ 2 met: it is late', met: best(two) < GENERATED_LIMIT / 2 },
  ];
}

async function run({ print, data, sets }) {
  const { liblinear } = findPeers(print, ['liblinear']);
  if (!liblinear) return undefined;
  print(`${FAIR} ${SMOOTH}`);
  const versions = {};
  const use = (train, work) =>
    withPeers(train, async (start) => {
      const peer = await start(liblinear);
      versions.liblinear = String(peer.version);
      return work(peer);
    });
  const asked = (name) => !sets || sets.includes(name);
  const results = { tall: [], wide: [], generated: [] };
  for (const name of TALL.filter(asked)) {
    const set = tall(data, name);
    if (!set) continue;
    await use(set, async (peer) => {
      for (const C of VALUES) {
        const row = await compare(set, peer, C);
        results.tall.push(row);
        print(`${name}, C = ${C}: ${row.rounds} rounds, load ${row.load.toFixed(2)}`);
      }
    });
  }
  const far = asked(WIDE.name) && problem(data, WIDE.name);
  if (far) results.wide = await use(far.train, (peer) => wide(far, peer));
  for (const [name, { make }] of Object.entries(GENERATED)) {
    if (!sets?.includes(name)) continue;
    const set = { name, ...make() };
    results.generated.push(...(await use(set, (peer) => generated(set, peer, print))));
  }

  const all = [
    { title: 'Hinge', columns: HINGE_HEAD, rows: results.tall.map(hingeCells), notes: [FAIR, SMOOTH] },
    {
      title: 'Squared hinge: the same function as -s 1 and -s 2, but for their bias',
      columns: SQUARED_HEAD,
      rows: results.tall.map(squaredCells),
      notes: FAIR,
    },
    {
      title: `Passes to a gap of ${GAP}: 'auto' and its parts`,
      columns: PASSES_HEAD,
      rows: results.tall.flatMap(passesCells),
      notes:
        "'newton' with solver: { ascent: true }, three epochs first; nothing forbids Newton's method alone, so FISTA by itself is the other part.",
    },
    {
      title: "LIBLINEAR's optima: the least value found, how far that is from what we prove, and how far above it the models are",
      columns: BOUNDS_HEAD,
      rows: results.tall.map(boundsCells),
      notes: 'The bound leaves out half the bias squared, which LIBLINEAR adds. Our hinge minimises the smoothed one.',
    },
    {
      title: `Wide: farm-ads to a gap of ${WIDE.gap}`,
      columns: WIDE_HEAD,
      rows: results.wide.map(wideCells),
      notes: 'Rows of length 1, seeded 80/20 split; two threads.',
    },
    {
      title: 'Generated, gamma = C = 1',
      columns: GENERATED_HEAD,
      rows: results.generated.map(generatedCells),
      notes: Object.entries(GENERATED).map(([name, { about }]) => `${name}: ${about}`),
    },
  ];
  const tables = all.filter(({ rows }) => rows.length > 0);
  for (const { title, columns, rows } of tables) print(`\n${title}\n${layout([columns, ...rows])}`);
  return tables.length > 0 ? { versions, tables, ...results } : undefined;
}

module.exports = {
  name: 'large-c',
  describe: "LIBLINEAR at large C, and the passes of 'auto'; --sets sparse,dense: on a million generated rows",
  sets: [...TALL, WIDE.name, ...Object.keys(GENERATED)],
  run,
};
