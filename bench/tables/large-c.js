// Large C: this package with Newton's method against LIBLINEAR, each to an optimum of its own, and the passes that 'auto' takes beside
// those of its parts. One set at a time is in memory; the generated sets take minutes and gigabytes, and run only if --sets names them.
'use strict';
const { loadavg } = require('node:os');
const { backend, stop } = require('../..');
const { LOSSES, SOLVERS, WITHIN, fastest, fit, points: percent, withPeers } = require('../compare.js');
const { denseNormal, sparseZipf } = require('../generated.js');
const { findPeers } = require('../peers/process.js');
const { best, digits, interleave, layout, median, milliseconds, show, speed, verdict } = require('../ratios.js');
const { TALL, accuracy, objectives, problem, tall } = require('../sets.js');

const VALUES = [1, 10, 100]; // of C
const GAP = 1e-3;
const NEAR = 0.01; // LIBLINEAR is to come this near to its optimum, as a share of it
const EPS = [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6]; // its -e, one after the other
const EXACT = 1e-7; // its -e for the optimum of the squared hinge
const LIMIT = 10; // seconds for one training by it
const QUICK = 0.3; // seconds: slower ones are timed in three rounds only
const PASSES_LIMIT = 2000; // ms for a fit whose passes are counted
const WIDTHS = [0.1, 0.01]; // mu·gamma of our hinge where LIBLINEAR's optimum is looked for
const NEWTON = { method: 'newton', solver: { ascent: true } };

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
  'Times in ms, the best; those over 0.3 s in three rounds. In processor time: theirs against ours by one thread, the best of each.';
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
    for (const [loss, value] of Object.entries(penalised(set, model, C))) found[loss].least = Math.min(found[loss].least, value);
  };
  const theirs = await peer.train(`2 ${C} ${EXACT}`, limit);
  if (theirs) consider(theirs);
  const tight = { ...NEWTON, stop: stop.gap(1e-4), timeLimit: 1000 * limit };
  const squared = fit(set, ours(C, 'squared-hinge', tight)).model;
  consider(squared);
  found.squared.proved = squared.info.dual;
  for (const width of WIDTHS) {
    const { model } = fit(set, ours(C, 'hinge', { ...tight, mu: width / C }));
    consider(model);
    found.hinge.proved = Math.max(found.hinge.proved, model.info.dual); // the smoothed hinge is below the hinge
  }
  return found;
}

/** LIBLINEAR's -s `solver` at the largest -e that comes near enough, or else at its smallest; undefined if even the largest is late. */
async function tighten(set, peer, solver, C, optimum, limit) {
  let last;
  for (const eps of EPS) {
    const model = await peer.train(`${solver} ${C} ${eps}`, limit);
    if (!model) break;
    const value = penalised(set, model, C)[lossOf(solver)];
    const same = value === last?.value; // its limit of iterations ends it: a smaller -e changes nothing
    last = { solver, eps, seconds: model.seconds, value };
    optimum.least = Math.min(optimum.least, value);
    if (value <= (1 + NEAR) * optimum.least || same) break;
  }
  return last;
}

/** Passes to the gap by 'auto' and by its parts: [{ loss, width, info, newton, fista }]; undefined: not within its limits. */
function passesOf(set, C) {
  const kinds = [...LOSSES.map((loss) => ({ loss })), { loss: 'hinge', width: 0.1 }];
  return kinds.map(({ loss, width }) => {
    const smoothing = width && { mu: width / C };
    const run = (more) => fit(set, ours(C, loss, { ...smoothing, timeLimit: PASSES_LIMIT, ...more })).model.info;
    const passes = ({ status, passes: taken }) => (status === 'gap' ? taken : undefined);
    return { loss, width, info: run({}), newton: passes(run(NEWTON)), fista: passes(run({ method: 'fista' })) };
  });
}

/** One set at one C: what each side takes to come near to its optimum, then all of them in turns, those that take long fewer times. */
async function compare(set, peer, C) {
  const passes = passesOf(set, C);
  const bounds = await optima(set, peer, C, LIMIT);
  const theirs = [];
  for (const solver of SOLVERS) theirs.push(await tighten(set, peer, solver, C, bounds[lossOf(solver)], LIMIT));
  const there = theirs.filter(Boolean);
  for (const choice of there) {
    choice.excess = choice.value / bounds[lossOf(choice.solver)].least - 1;
    choice.reached = choice.excess <= NEAR;
    choice.processor = [];
  }
  for (let k = 0; k < 3; k++) for (const loss of LOSSES) fit(set, ours(C, loss)); // warms up the JIT compiler
  const processor = LOSSES.map(() => []); // by one thread: it depends little on other programs
  const two = LOSSES.map((loss) => () => fit(set, ours(C, loss)).seconds);
  const one = LOSSES.map((loss, k) => () => {
    const { seconds, processor: used } = fit(set, ours(C, loss, { threads: 1 }));
    processor[k].push(used);
    return seconds;
  });
  const their = (choice) => async () => {
    const { seconds, processor: used } = await peer.train(`${choice.solver} ${C} ${choice.eps}`);
    choice.processor.push(used);
    return seconds;
  };
  const quick = there.filter(({ seconds }) => seconds <= QUICK);
  const round = quick.reduce((sum, { seconds }) => sum + seconds, 0.02);
  const rounds = Math.min(41, Math.max(7, Math.round(4 / round)));
  const turns = async (choices, own, count) => {
    const [hinge, squared, ...rest] = await interleave([...two, ...own, ...choices.map(their)], count);
    choices.forEach((choice, k) => Object.assign(choice, { times: rest[own.length + k], beside: [hinge, squared] }));
    return [hinge, squared];
  };
  const mine = await turns(quick, one, rounds);
  const slow = there.filter(({ seconds }) => seconds > QUICK);
  if (slow.length > 0) await turns(slow, [], 3);
  const excess = LOSSES.map((loss, k) => {
    const name = ['hinge', 'squared'][k];
    return penalised(set, fit(set, ours(C, loss)).model, C)[name] / bounds[name].least - 1;
  });
  return { name: set.name, C, passes, bounds, theirs, mine, processor, excess, rounds, load: loadavg()[0] };
}

const epsWords = (eps) => (eps < 1e-3 ? eps.toExponential() : eps);
const theirCell = (choice) =>
  choice
    ? `${milliseconds(best(choice.times))} (${epsWords(choice.eps)}${choice.reached ? '' : `, ${(100 * choice.excess).toFixed(0)} % off`})`
    : `over ${1000 * LIMIT}`;

/**
 * The ratio of one of LIBLINEAR's solvers to our loss number k, whether it is large enough, and the ratio in processor time, by one thread.
 * A solver that does not come near would take longer than it did.
 */
function against({ processor }, k, choice, min) {
  if (!choice) return ['', { value: `≥ ${min} met: it is late`, met: true }, ''];
  const ratio = speed(choice.beside[k], choice.times);
  const judged = verdict(ratio, min);
  return [
    `${choice.reached ? '' : '> '}${show(ratio)}`,
    choice.reached || judged.met ? judged : 'not reached by it',
    `${digits(best(choice.processor) / best(processor[k]))} (${milliseconds(best(processor[k]))} ms)`,
  ];
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
  'against -s 3',
  '',
  '-s 2, ms (-e)',
  'against -s 2',
  '',
  'in processor time',
];
function hingeCells(row) {
  const { name, C, passes, theirs, mine } = row;
  const { info } = passes[0];
  const [, s2, s3] = theirs;
  return [
    name,
    C,
    milliseconds(best(mine[0])),
    info.passes.toFixed(1),
    stagesOf(info),
    theirCell(s3),
    ...against(row, 0, s3, 3).slice(0, 2),
    theirCell(s2),
    ...against(row, 0, s2, 1),
  ];
}

const SQUARED_HEAD = [
  '',
  'C',
  'ours, ms',
  'passes',
  'stages',
  '-s 1, ms (-e)',
  '-s 2, ms (-e)',
  'against the faster',
  '',
  'in processor time',
];
function squaredCells(row) {
  const { name, C, passes, theirs, mine } = row;
  const { info } = passes[1];
  return [
    name,
    C,
    milliseconds(best(mine[1])),
    info.passes.toFixed(1),
    stagesOf(info),
    theirCell(theirs[0]),
    theirCell(theirs[1]),
    ...against(row, 1, faster(theirs), wanted(name)),
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
  return passes.map(({ loss, width, info, newton, fista }) => {
    const designed = loss === 'hinge' && !width ? DESIGNED[name][C] : undefined;
    const part = Math.min(newton ?? Infinity, fista ?? Infinity);
    const taken = info.status === 'gap' ? info.passes : Infinity;
    const late = `not within ${PASSES_LIMIT / 1000} s`;
    return [
      name,
      C,
      width ? `${loss}, mu = ${width} / gamma` : loss,
      taken < Infinity ? taken.toFixed(1) : late,
      stagesOf(info),
      designed ? atMost(taken, ALLOWED * designed) : '',
      newton?.toFixed(1) ?? late,
      fista?.toFixed(1) ?? late,
      part < Infinity ? atMost(taken, PARTS * part) : '',
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
    ...cells(hinge, excess[0]),
    ...cells(squared, excess[1]),
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
    const { least } = bounds[lossOf(solver)];
    const choice = await tighten(set, peer, solver, 1, bounds[lossOf(solver)], GENERATED_LIMIT);
    if (choice) choice.excess = choice.value / least - 1;
    theirs.push(choice);
    print(
      `${set.name}, -s ${solver}: ${choice ? `${choice.seconds.toFixed(1)} s, -e ${choice.eps}, ${share(choice.excess)} off` : 'late'}`,
    );
  }
  const near = theirs.filter((choice) => choice?.excess <= NEAR).sort((a, b) => a.seconds - b.seconds);
  const rows = [];
  for (const loss of LOSSES) {
    const { info } = fit(set, ours(1, loss)).model;
    const cores = []; // that two threads had: fewer than two if other programs run, or if one thread works alone
    const trials = [2, 1].map((threads) => () => {
      const { seconds, processor } = fit(set, ours(1, loss, { threads }));
      if (threads === 2) cores.push(processor / seconds);
      return seconds;
    });
    if (near.length > 0) trials.push(async () => (await peer.train(`${near[0].solver} 1 ${near[0].eps}`)).seconds);
    const [two, one, times] = await interleave(trials, 3);
    rows.push({ name: set.name, loss, info, two, one, times, cores: median(cores), quickest: near[0], theirs, bounds });
    print(`${set.name}, ${loss}: ${best(two).toFixed(2)} s, load ${loadavg()[0].toFixed(2)}`);
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
  'cores',
  '1 thread',
  'two threads against one',
  '',
  "LIBLINEAR's fastest",
  'ms',
  'times as fast',
  '',
];
function generatedCells({ name, loss, info, two, one, times, cores, quickest }) {
  const threads = speed(two, one);
  const ratio = times && speed(two, times);
  return [
    name,
    loss,
    milliseconds(best(two)),
    info.passes.toFixed(1),
    stagesOf(info),
    info.relativeGap.toExponential(1),
    digits(cores),
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
