// Several classes: this package against LIBLINEAR and LIBSVM at their accuracy, pairs beside one against the rest, and the prediction by
// many planes beside one plane and OpenBLAS.
'use strict';
const { join } = require('node:path');
const { loadavg } = require('node:os');
const { LinearSvm, backend, stop } = require('../..');
const { kernels } = require('../../dist/backend/load.js');
const { LOSSES, RULES, WITHIN, fastest, fit, points: percent, withPeers } = require('../compare.js');
const { random } = require('../digits.js');
const { denseClasses } = require('../generated.js');
const { Peer, findPeers, writeProblem } = require('../peers/process.js');
const { best, digits, interleave, layout, milliseconds, show, speed, verdict, verdictAtMost } = require('../ratios.js');
const { CLASSES, severalClasses } = require('../sets.js');

const WAYS = ['pairs', 'rest'];
const OUR_RULES = { ...RULES, 'gap 1e-1': stop.gap(0.1) };
const DEFAULT_RULE = 'agreement 99 %';
const POWERS = [-2, -1, 0, 1, 2, 3]; // the values of gamma and of C are our default gamma times 4 to these
const OUR_LIMIT = 5; // seconds for one of our fits: beyond, larger gammas are left out
const SEARCH = 0.2; // seconds: while choosing, those that are faster are timed up to three times
const SOLVERS = [1, 2, 3, 4];
const LIBLINEAR_LIMIT = 5; // seconds: beyond, a solver's larger C are left out; at three times this it is ended
const LIBSVM_LIMIT = 60;
const CACHE = 100; // MB, LIBSVM's default
const LIBLINEAR_SPEED = 3;
const LIBSVM_SPEED = 10;

const PREDICTION = 'prediction'; // by this name --sets asks for it
const PREDICTED = { rows: 200_000, cols: 100 };
const PREDICT_ROUNDS = 15;

const FAIR =
  `Training alone, data in memory and scaled alike beforehand; ours (${backend.simd}, two threads) from the user's typed arrays, our copy included. ` +
  'Ours: pairs or the rest, either loss, gamma our default times 4^-2, 4^-1 … 4^3, agreement 99 %, gap 1e-1, 1e-2 or 1e-3: the fastest of the accuracy wanted. ' +
  `LIBLINEAR: -s 1, 2, 3, 4, -B 1, default -e; LIBSVM: -t 0, ${CACHE} MB; both with C from the same values: the fastest within 0.2 points ` +
  'of its own best. Against LIBSVM both sides also try 1/16, 1/4, 1, 4, 16 and 64, and ours the hinge smoothed over a tenth of its width. Ratios twice: median of the ratios within a round (A B B A) | best against best. Times in ms, the best. ' +
  'In processor time: theirs against ours by one thread, the best of each; other programs hardly change it.';

/** Our default gamma for some data. */
const defaultGamma = ({ points, labels }) =>
  LinearSvm.fit(points, labels, { scale: 'none', multiclass: 'rest', stop: stop.gap(0.5) }).info.gamma;

/** The values of gamma and C, ascending, as { words, value }. */
function valuesFor(train) {
  const usual = defaultGamma(train);
  return POWERS.map((k) => ({ words: k === 0 ? 'default' : `default × 4^${k}`, value: usual * 4 ** k }));
}

/** The losses of ours: a sharp hinge is smoothed over a tenth of the default's width, nearer to LIBSVM's. */
const SHARP = 'sharp hinge';
const optionsOf = ({ way, loss, gamma, rule }) => ({
  multiclass: way,
  ...(loss === SHARP ? { loss: 'hinge', mu: 0.05 / gamma } : { loss }),
  gamma,
  stop: OUR_RULES[rule],
  threads: 2,
});
const total = (list) => list.reduce((sum, x) => sum + x, 0);

/** Times a fit by fitAsync, in seconds. */
async function fitAsync({ points, labels }, options) {
  const from = performance.now();
  await LinearSvm.fitAsync(points, labels, { scale: 'none', ...options });
  return (performance.now() - from) / 1000;
}

/** All of our choices with accuracy and best time. */
function searchOurs({ train, test }, values, ways = WAYS, losses = LOSSES) {
  const choices = ways.flatMap((way) =>
    losses.flatMap((loss) =>
      values.flatMap(({ words, value }) => Object.keys(OUR_RULES).map((rule) => ({ way, loss, words, gamma: value, rule }))),
    ),
  );
  const from = performance.now(); // the JIT compiler needs a second or two
  for (const choice of choices) if (performance.now() - from < 2000) fit(train, { ...optionsOf(choice), timeLimit: 2000 });
  const late = new Set();
  return choices.flatMap((choice) => {
    const kind = `${choice.way} ${choice.loss} ${choice.rule}`;
    if (late.has(kind)) return [];
    const times = [];
    let model;
    while (times.length < 3 && total(times) < SEARCH) {
      const result = fit(train, { ...optionsOf(choice), timeLimit: 1000 * OUR_LIMIT });
      times.push(result.seconds);
      model = result.model;
    }
    const { status, iterations, passes } = model.info;
    if (status === 'time-limit') {
      late.add(kind);
      return [];
    }
    const planes = model.planes.length;
    return [
      { ...choice, seconds: best(times), accuracy: model.score(test.points, test.labels).accuracy, planes, iterations, passes },
    ];
  });
}

/** All choices of a peer: a list of kinds, each { words, line(C) }, and the values of C, ascending. Slow kinds leave out their larger C. */
async function searchPeer(peer, kinds, values, limit, most) {
  const found = [];
  const leftOut = [];
  for (const { words, line } of kinds) {
    let slow = false;
    for (const { words: at, value: C } of values) {
      const times = [];
      let answer;
      while (!slow && times.length < 3 && total(times) < SEARCH) {
        answer = await peer.ask(line(C), most);
        if (!answer) break;
        times.push(answer.seconds);
      }
      if (answer) found.push({ words, at, C, line: line(C), seconds: best(times), accuracy: answer.accuracy });
      else leftOut.push(`${words} at C = ${digits(C)}`);
      slow ||= !answer || best(times) > limit;
    }
  }
  return { found, leftOut };
}

const LIBLINEAR_KINDS = SOLVERS.map((solver) => ({ words: `-s ${solver}`, line: (C) => `${solver} ${C} 0` }));
/** LIBSVM's customary values, tried besides ours. */
const LIBSVM_VALUES = [1 / 16, 1 / 4, 1, 4, 16, 64];
const LIBSVM_KINDS = [{ words: '-t 0', line: (C) => `${C} ${CACHE} 0.001` }];
const mostAccurate = (choices) => Math.max(...choices.map((choice) => choice.accuracy));

/**
 * Our choices and those of a peer in turns. Each of `mine` gets its times, by fit and by fitAsync, its processor time by one thread, and the
 * peer's fastest.
 */
async function turns(train, peer, mine, theirs) {
  const ours = mine.filter(({ choice }) => choice);
  for (const each of [...ours, ...theirs]) each.processor = [];
  const kept = (each, { seconds, processor }) => {
    each.processor.push(processor);
    return seconds;
  };
  const trials = [
    ...ours.flatMap((row) => {
      const options = optionsOf(row.choice);
      const one = () => kept(row, fit(train, { ...options, threads: 1 }));
      return [() => fit(train, options).seconds, () => fitAsync(train, options), one];
    }),
    ...theirs.map((choice) => async () => kept(choice, await peer.ask(choice.line))),
  ];
  const round = 4 * total(ours.map(({ choice }) => choice.seconds)) + total(theirs.map(({ seconds }) => seconds));
  const rounds = Math.min(21, Math.max(round > 5 ? 3 : 7, Math.round(6 / round)));
  const times = await interleave(trials, rounds);
  theirs.forEach((choice, k) => (choice.times = times[3 * ours.length + k]));
  const quickest = theirs.reduce((a, b) => (best(a.times) <= best(b.times) ? a : b));
  ours.forEach((row, k) => Object.assign(row, { sync: times[3 * k], async: times[3 * k + 1] }));
  for (const row of mine) Object.assign(row, { quickest, rounds, load: loadavg()[0] });
}

/** The comparisons of one set: [{ against, wanted, choice, quickest, sync, async }], and everything that was searched. */
async function compare(set, commands, print) {
  const { train, test } = set;
  const values = valuesFor(train);
  const ours = searchOurs(set, values);
  const row = { set, values, ours, rows: [], versions: {}, peers: {} };
  const against = async (start, name, kinds, values, [limit, most], wishes) => {
    const peer = await start(name);
    row.versions[name] = String(peer.version);
    const { found, leftOut } = await searchPeer(peer, kinds, values, limit, most);
    if (leftOut.length > 0) print(`Left out for their time on ${set.name}: ${name} ${leftOut.join(', ')}`);
    row.peers[name] = { found, leftOut };
    if (found.length === 0) return;
    const top = mostAccurate(found);
    const there = kinds
      .map(({ words }) =>
        fastest(
          found.filter((choice) => choice.words === words),
          top - WITHIN,
        ),
      )
      .filter(Boolean);
    const quick = Math.min(...there.map(({ seconds }) => seconds));
    const theirs = there.filter(({ seconds }) => seconds <= 3 * quick);
    const mine = wishes(top).map((wish) => ({ against: name, ...wish, choice: fastest(wish.from, wish.wanted) }));
    await turns(train, peer, mine, theirs);
    for (const { from, ...rest } of mine) row.rows.push({ ...rest, tried: from.length });
  };
  await withPeers(train, async (start, folder) => {
    const file = join(folder, 'test');
    writeProblem(file, test);
    const named = (name) => start([...commands[name], '--test', file]);
    await against(named, 'liblinear', LIBLINEAR_KINDS, values, [LIBLINEAR_LIMIT, 3 * LIBLINEAR_LIMIT], (top) => [
      { about: 'within 0.2 points', wanted: top - WITHIN, from: ours, min: LIBLINEAR_SPEED },
      { about: 'its best', wanted: top, from: ours, min: LIBLINEAR_SPEED },
    ]);
    if (!commands.libsvm) return;
    const more = [...values, ...LIBSVM_VALUES.map((value) => ({ words: digits(value), value }))];
    const ascending = more.toSorted((a, b) => a.value - b.value);
    // The same values for both, as LIBSVM's best is chosen from more of them.
    const others = ascending.filter((one) => !values.includes(one));
    const pairs = [
      ...ours.filter(({ way }) => way === 'pairs'),
      ...searchOurs(set, others, ['pairs']),
      ...searchOurs(set, ascending, ['pairs'], [SHARP]),
    ];
    await against(named, 'libsvm', LIBSVM_KINDS, ascending, [LIBSVM_LIMIT / 3, LIBSVM_LIMIT], (top) => [
      { about: 'within 0.2 points, pairs', wanted: top - WITHIN, from: pairs, min: LIBSVM_SPEED },
    ]);
  });
  row.auto = defaults(set);
  return row;
}

/** A fit with all defaults. */
function defaults({ train, test }) {
  const from = performance.now();
  const model = LinearSvm.fit(train.points, train.labels);
  const seconds = (performance.now() - from) / 1000;
  return {
    way: model.planes[0].negative === undefined ? 'rest' : 'pairs',
    seconds,
    accuracy: model.score(test.points, test.labels).accuracy,
    agreed: model.info.shares.agreed,
  };
}

const sizeOf = ({ train }) => `${train.points.rows} × ${train.points.cols}, ${new Set(train.labels).size}`;
const choiceWords = ({ way, loss, words, rule }) => `${way}, ${loss === 'squared-hinge' ? 'squared' : loss}, ${words}, ${rule}`;

const HEAD = [
  '',
  'rows × columns, classes',
  'against',
  'accuracy wanted',
  'ours: planes, loss, gamma, rule',
  'accuracy',
  'passes',
  'ms, fit',
  'fitAsync',
  'theirs',
  'accuracy',
  'ms',
  'fit against it',
  '',
  'fitAsync against it',
  'in processor time',
];
function cells(set, { against, about, wanted, choice, quickest, sync, async, processor, min }) {
  const head = [set.name, sizeOf(set), `${against}, ${about}`, percent(wanted)];
  const theirs = [`${quickest.words}, C = ${digits(quickest.C)}`, percent(quickest.accuracy), milliseconds(best(quickest.times))];
  if (!choice) return [...head, 'none reaches it', '', '', '', '', ...theirs, '', { value: 'accuracy MISSED', met: false }, '', ''];
  const ratio = speed(sync, quickest.times);
  return [
    ...head,
    choiceWords(choice),
    percent(choice.accuracy),
    choice.passes.toFixed(1),
    milliseconds(best(sync)),
    milliseconds(best(async)),
    ...theirs,
    show(ratio),
    verdict(ratio, min),
    show(speed(async, quickest.times)),
    `${digits(best(quickest.processor) / best(processor))} (${milliseconds(best(processor))} ms)`,
  ];
}

/** Pairs beside the rest with the default gamma and rule, the best of each, and which of them 'auto' takes. */
const RULE_HEAD = [
  '',
  'rows × columns, classes',
  ...LOSSES.flatMap((loss) => WAYS.map((way) => `${way}, ${loss}`)),
  "'auto' takes",
  '',
  'all defaults',
  'ms',
  'certain labels',
  ...WAYS.map((way) => `best of ${way}`),
  "LIBLINEAR's best",
  "LIBSVM's best",
];
function ruleCells({ set, ours, auto, peers }) {
  const usual = (way, loss) =>
    ours.find((c) => c.way === way && c.loss === loss && c.words === 'default' && c.rule === DEFAULT_RULE);
  const cell = (choice) => (choice ? `${percent(choice.accuracy)} (${milliseconds(choice.seconds)} ms)` : `over ${OUR_LIMIT} s`);
  // Where one of them is too slow with the default, the best that each reaches at all.
  const byWay = WAYS.map((way) => usual(way, 'hinge')?.accuracy);
  const [pairs, rest] = byWay.includes(undefined)
    ? WAYS.map((way) => mostAccurate([{ accuracy: 0 }, ...ours.filter((choice) => choice.way === way)]))
    : byWay;
  const met = (auto.way === 'pairs' ? pairs : rest) >= Math.max(pairs, rest) - WITHIN;
  const top = (list) => (list?.length > 0 ? percent(mostAccurate(list)) : '-');
  return [
    set.name,
    sizeOf(set),
    ...LOSSES.flatMap((loss) => WAYS.map((way) => cell(usual(way, loss)))),
    auto.way,
    { value: met ? 'the better' : 'the WORSE', met },
    percent(auto.accuracy),
    milliseconds(auto.seconds),
    percent(auto.agreed),
    ...WAYS.map((way) => top(ours.filter((choice) => choice.way === way))),
    top(peers.liblinear?.found),
    top(peers.libsvm?.found),
  ];
}

/** Times a call, in seconds of wall-clock time and of processor time of all threads. */
function timed(work) {
  const processor = process.cpuUsage();
  const from = performance.now();
  work();
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(processor);
  return { seconds, processor: (user + system) / 1e6 };
}

/**
 * Decision values of dense points out of cache by 1, 10 and 45 planes: the kernel, OpenBLAS, and a model's predict. By two threads, and in
 * processor time by one, which other programs hardly change.
 */
async function prediction(command, print) {
  const { rows, cols } = PREDICTED;
  const next = random(1);
  const points = { data: Float64Array.from({ length: rows * cols }, () => next() - 0.5), rows, cols };
  const refuse = () => {
    throw new Error('the points are finite');
  };
  const kernel = (planes, threads) => {
    const weights = Float64Array.from({ length: planes * cols }, () => next() - 0.5);
    const out = new Float64Array(rows * planes);
    const biases = new Float64Array(planes);
    return () => timed(() => kernels().decidePoints(refuse, threads, weights, biases, out, points.data, rows, cols));
  };
  const ten = denseClasses(1000, cols, 10);
  const two = { ...ten, labels: ten.labels.map((label) => label % 2) };
  const model = ({ points: few, labels }, multiclass = 'auto') => {
    const svm = LinearSvm.fit(few, labels, { stop: stop.gap(0.1), multiclass });
    return () => timed(() => svm.predict(points));
  };
  const gemm = command && (await Peer.start(command, String(rows), String(cols)));
  const product = (planes, threads) => () => gemm.ask(`${planes} ${threads}`);
  const counts = [1, 10, 45];
  const wall = async (trial) => (await trial()).seconds;
  const processor = async (trial) => (await trial()).processor;
  const trials = {
    ...Object.fromEntries(counts.map((planes) => [`kernel ${planes}`, [wall, kernel(planes, 2)]])),
    ...Object.fromEntries(counts.map((planes) => [`kernel ${planes}, processor`, [processor, kernel(planes, 1)]])),
    'predict 1': [wall, model(two)],
    'predict 10': [wall, model(ten, 'rest')],
    'predict 45': [wall, model(ten, 'pairs')],
    ...(gemm && { 'dgemm 45': [wall, product(45, 2)], 'dgemm 45, processor': [processor, product(45, 1)] }),
  };
  const list = Object.values(trials).map(
    ([measure, trial]) =>
      () =>
        measure(trial),
  );
  for (const trial of list) await trial(); // pages and threads are made before the clock starts
  const all = await interleave(list, PREDICT_ROUNDS);
  await gemm?.stop();
  const times = Object.fromEntries(Object.keys(trials).map((name, k) => [name, all[k]]));
  const longer = (name, than, max) => {
    const ratio = speed(times[than], times[name]);
    return [name, milliseconds(best(times[name])), `${show(ratio)} times as long as ${than}`, max ? verdictAtMost(ratio, max) : ''];
  };
  const share = (name, than, min) => {
    const ratio = speed(times[name], times[than]);
    const words = `${show(ratio)} of the speed of ${than} (${milliseconds(best(times[than]))} ms)`;
    return [name, milliseconds(best(times[name])), words, verdict(ratio, min)];
  };
  const table = {
    title: `${rows} × ${cols} dense f64 points, out of cache, by 1, 10 and 45 planes`,
    columns: ['planes', 'ms', '', ''],
    rows: [
      ...['', ', processor'].flatMap((how) => [
        [`kernel 1${how}`, milliseconds(best(times[`kernel 1${how}`])), '', ''],
        longer(`kernel 10${how}`, `kernel 1${how}`, 2),
        longer(`kernel 45${how}`, `kernel 1${how}`),
        ...(gemm ? [share(`kernel 45${how}`, `dgemm 45${how}`, 0.6)] : []),
      ]),
      ['predict 1', milliseconds(best(times['predict 1'])), '', ''],
      longer('predict 10', 'predict 1', 2),
      longer('predict 45', 'predict 1'),
    ],
    notes:
      `Two threads; processor: the processor time of one. Median of the ratios within a round | ratio of the best times, ${PREDICT_ROUNDS} rounds. ` +
      'predict is of ten classes, against the rest or by pairs, and of two; it also chooses the labels, and makes the list of them.',
  };
  print(`\n${table.title}; load ${loadavg()[0].toFixed(2)}\n${layout([table.columns, ...table.rows])}\n${table.notes}`);
  return { table, version: gemm?.version, times };
}

async function run({ print, data, sets }) {
  const commands = findPeers(print, ['liblinear', 'libsvm', 'openblas']);
  if (!commands.liblinear) return undefined;
  print(FAIR);
  const asked = (name) => !sets || sets.includes(name);
  const found = [];
  for (const name of CLASSES.filter(asked)) {
    const set = severalClasses(data, name);
    const row = await compare(set, commands, print);
    found.push(row);
    print(
      `\n${set.name}: ${set.about}; default gamma ${row.values.find(({ words }) => words === 'default').value.toPrecision(3)}, load ${loadavg()[0].toFixed(2)}\n` +
        layout([HEAD, ...row.rows.map((each) => cells(set, each))]),
    );
  }
  const all = [
    {
      title: 'At the accuracy of LIBLINEAR and LIBSVM',
      columns: HEAD,
      rows: found.flatMap(({ set, rows }) => rows.map((row) => cells(set, row))),
      notes: [FAIR, ...found.map(({ set, rows }) => `${set.name}: ${set.about}; ${rows.map((r) => r.rounds).join(', ')} rounds`)],
    },
    {
      title: "Pairs or the rest: test accuracy with the default gamma and rule, and which of them 'auto' takes",
      columns: RULE_HEAD,
      rows: found.map(ruleCells),
      notes: `The better: within 0.2 points of it, by the hinge. 'all defaults' has our own scaling too.`,
    },
  ];
  const tables = found.length > 0 ? all : [];
  if (tables.length > 0) print(`\n${all[1].title}\n${layout([RULE_HEAD, ...all[1].rows])}`);
  const predicted = asked(PREDICTION) && (await prediction(commands.openblas, print));
  if (predicted) tables.push(predicted.table);
  const versions = Object.assign({}, ...found.map((row) => row.versions), predicted?.version && { openblas: predicted.version });
  const raw = found.map(({ set, ...row }) => ({ name: set.name, about: set.about, size: sizeOf(set), ...row }));
  return { versions, tables, sets: raw, prediction: predicted ? predicted.times : undefined };
}

module.exports = {
  name: 'classes',
  describe: 'several classes: LIBLINEAR and LIBSVM at their accuracy, pairs or the rest, prediction by many planes and OpenBLAS',
  sets: [...CLASSES, PREDICTION],
  run,
};
