// Compares this package with LIBLINEAR, LIBSVM, scikit-learn, Pegasos and libsvm-js on real data, at equal test accuracy: see
// bench/compare.js.
'use strict';
const { backend } = require('../..');
const {
  LIBLINEAR_HEAD,
  LOSSES,
  RULES,
  WITHIN,
  choiceWords,
  compareWithLiblinear,
  fastest,
  fit,
  liblinearCells,
  optionsOf,
  points,
  withPeers,
} = require('../compare.js');
const { pegasos } = require('../peers/pegasos.js');
const { findPeers } = require('../peers/process.js');
const { best, digits, interleave, layout, median, milliseconds, show, speed, verdict } = require('../ratios.js');
const { SMALL, accuracy, dense32, isSparse, objectives, problem } = require('../sets.js');

/** The required speed relative to the fastest LIBLINEAR solver. */
const required = ({ name }) => (['a9a', 'w8a', 'mushrooms', 'mnist01'].includes(name) ? 1.5 : 1);
const LIBSVM_SECONDS = 1200;
const EPOCHS = [1, 5, 20, 100];
// libsvm-js takes rows of numbers, and minutes: only sets for which that is bearable.
const LIBSVM_JS = ['mushrooms', 'spambase', 'svmguide1'];

const FAIR =
  `Training alone, data in memory; ours (${backend.simd}) from the user's typed arrays, our copy included; LIBLINEAR with -B 1 and its default eps. ` +
  'C and gamma from 64/n, 256/n, 1024/n, 4096/n, 1 and our default gamma, our loss from two and our rule from three: the fastest whose ' +
  "test accuracy is within 0.2 points of LIBLINEAR's best. Ratios twice: median of the ratios within a round (A B B A) | best against best. Times in ms, the best.";

/** The forms of the data that we try: their own and, for pixels, also the dense one. */
function formsOf({ name, train }) {
  if (name === 'mnist01') return { 'CSR f32': train.points, 'dense f32': dense32(train.points) };
  if (!isSparse(train.points)) return { [train.points.data instanceof Float32Array ? 'dense f32' : 'dense f64']: train.points };
  return { [train.points.values ? 'CSR f64' : 'CSR of ones']: train.points };
}

const transpose = (rows) => rows[0].map((_, c) => rows.map((row) => row[c] ?? ''));
// The columns with verdicts only.
const short = (cells) => [0, 4, 5, 6, 10, 11, 12, 13, 14, 15].map((c) => cells[c]);
const SHORT_HEAD = short(LIBLINEAR_HEAD);

/** The other solvers on one set, at the same accuracy: [{ name, choice, times, ours }]. */
async function others(row, found, start) {
  const { set, wanted, mine, forms } = row;
  const list = [];
  const cap = Math.max(2, 300 * mine.seconds); // the limit on one training, in seconds
  const add = (name, words, seconds, model, again) =>
    list.push({ name, words, seconds, accuracy: accuracy(set.test, model), again });
  if (found.sklearn) {
    const peer = await start(found.sklearn);
    row.versions.sklearn = peer.version;
    for (const name of ['LinearSVC', 'SGDClassifier']) {
      for (const [CName, C] of row.grid) {
        const model = await peer.train(`${name} ${C}`);
        add(`sklearn ${name}`, `C = ${CName}`, model.seconds, model, async () => (await peer.train(`${name} ${C}`)).seconds);
      }
    }
  }
  for (const [CName, C] of row.grid) {
    for (const epochs of EPOCHS) {
      const timed = () => {
        const from = performance.now();
        const model = pegasos(set.train, { C, epochs });
        return { model, seconds: (performance.now() - from) / 1000 };
      };
      const { model, seconds } = timed();
      add('Pegasos (ours)', `C = ${CName}, ${epochs} epochs`, seconds, model, () => timed().seconds);
      if (seconds > cap) break;
    }
  }
  if (found['libsvm-js'] && LIBSVM_JS.includes(set.name)) {
    const peer = await start(found['libsvm-js']);
    row.versions['libsvm-js'] = peer.version;
    for (const [CName, C] of row.grid) {
      const model = await peer.train(`${C}`, 60);
      if (!model) break;
      add('libsvm-js', `C = ${CName}`, model.seconds, model, async () => (await peer.train(`${C}`, 60)).seconds);
    }
  }
  const data = { points: forms[mine.form], labels: set.train.labels };
  const options = { ...optionsOf(mine), threads: 2 };
  const results = [];
  for (const name of new Set(list.map((choice) => choice.name))) {
    const all = list.filter((choice) => choice.name === name);
    const choice = fastest(all, wanted);
    if (!choice) {
      const nearest = all.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
      results.push({ name, nearest: { words: nearest.words, accuracy: nearest.accuracy, seconds: nearest.seconds } });
      continue;
    }
    const rounds = Math.min(11, Math.max(3, Math.round(3 / choice.seconds)));
    const [ours, times] = await interleave([() => fit(data, options).seconds, choice.again], rounds);
    results.push({ name, choice: { words: choice.words, accuracy: choice.accuracy }, ours, times });
  }
  return results;
}

/** LIBSVM with its defaults against the fastest of our choices that is as accurate. */
async function libsvmOn(row, found, start) {
  const peer = await start(found.libsvm);
  const model = await peer.train('1 100 0.001', LIBSVM_SECONDS);
  if (!model) return { late: true };
  const reached = accuracy(row.set.test, model);
  const mine = fastest(row.ours, reached - WITHIN);
  const times = [];
  const data = { points: row.forms[mine.form], labels: row.set.train.labels };
  for (let k = 0; k < 21; k++) times.push(fit(data, { ...optionsOf(mine), threads: 2 }).seconds);
  return {
    version: peer.version,
    seconds: model.seconds,
    vectors: model.vectors,
    accuracy: reached,
    objective: objectives(row.set.train, model, 1).hinge,
    mine,
    times,
    ratio: { median: model.seconds / median(times), best: model.seconds / best(times) },
  };
}

/**
 * Compares values of the same function, 1/2 |w|^2 + C sum max(0, 1 - margin)^2: our squared hinge. LIBLINEAR's -s 1 and -s 2 minimise it
 * plus half the bias squared.
 */
async function sameFunction(row, peer) {
  const { set, forms, mine } = row;
  const data = { points: forms[mine.form], labels: set.train.labels };
  const lines = [];
  for (const [CName, C] of row.grid.filter(([name]) => ['64/n', '1024/n'].includes(name))) {
    const { model, seconds } = fit(data, { loss: 'squared-hinge', gamma: C, stop: RULES['gap 1e-3'], threads: 2 });
    const line = { CName, ours: objectives(set.train, model, C).squared, gap: model.info.relativeGap, seconds };
    for (const solver of [1, 2]) {
      const theirs = await peer.train(`${solver} ${C} 0`);
      line[`s${solver}`] = { objective: objectives(set.train, theirs, C).squared, seconds: theirs.seconds };
    }
    lines.push(line);
  }
  return lines;
}

async function run({ print, data, sets }) {
  const found = findPeers(print, ['liblinear', 'libsvm', 'sklearn', 'libsvm-js']);
  if (!found.liblinear) {
    print('Left out: there is no LIBLINEAR, whose accuracy every comparison uses.');
    return undefined;
  }
  print(FAIR);
  const rows = [];
  for (const name of SMALL.filter((each) => !sets || sets.includes(each))) {
    const set = problem(data, name);
    if (!set) continue;
    const forms = formsOf({ name, train: set.train });
    await withPeers(set.train, async (start) => {
      const peer = await start(found.liblinear);
      const row = { set, forms, versions: { liblinear: peer.version }, ...(await compareWithLiblinear(set, forms, peer, print)) };
      if (row.mine) row.function = await sameFunction(row, peer);
      rows.push(row);
      print(
        `\n${name}: ${set.about}; ${row.rounds} rounds, load ${row.load?.toFixed(2)}\n${layout(transpose([LIBLINEAR_HEAD, liblinearCells(row, required(row))]))}`,
      );
    });
  }
  if (rows.length === 0) return undefined;
  print(`\n${layout([SHORT_HEAD, ...rows.map((row) => short(liblinearCells(row, required(row))))])}`);

  for (const row of rows)
    if (row.mine) await withPeers(row.set.train, async (start) => (row.others = await others(row, found, start)));
  const tables = [
    {
      title: 'LIBLINEAR at equal test accuracy',
      columns: LIBLINEAR_HEAD,
      rows: rows.map((row) => liblinearCells(row, required(row))),
      notes: [
        FAIR,
        ...rows.map(({ name, set, rounds, load }) => `${name}: ${set.about}; ${rounds} rounds, load ${load?.toFixed(2)}`),
      ],
    },
    {
      title: 'Our losses, each by itself: its fastest choice of that accuracy, and its most accurate one',
      columns: ['', '', 'wanted', 'gamma, rule, accuracy', 'passes', 'ms', 'the most accurate', 'passes', 'ms'],
      rows: rows.flatMap((row) => LOSSES.map((loss) => lossCells(row, loss))),
      notes: 'Two threads, as timed while choosing: the best of a few.',
    },
    {
      title: 'The other solvers at the same accuracy: how many times as fast we are, with two threads',
      columns: ['', '', 'at', 'ms', 'times as fast'],
      rows: rows.flatMap((row) => (row.others ?? []).map((other) => otherCells(row.name, other))),
      notes: `scikit-learn at its defaults except C, alpha = 1/(C n); Pegasos with ${EPOCHS.join(', ')} epochs; libsvm-js on ${LIBSVM_JS.join(', ')} only.`,
    },
    {
      title:
        'The same function, 1/2 |w|² + C Σ max(0, 1 - margin)²: its value relative to ours (1: equal), which is proved up to the gap',
      columns: ['', 'C', 'ours', '-s 1', '-s 2'],
      rows: rows.flatMap((row) => (row.function ?? []).map((line) => functionCells(row.name, line))),
      notes:
        "Ours with loss: 'squared-hinge', gamma = C and gap 1e-3; LIBLINEAR at its default eps, with half the bias squared in its objective.",
    },
  ];
  for (const { title, columns, rows: cells } of tables.slice(1)) print(`\n${title}\n${layout([columns, ...cells])}`);

  const a9a = rows.find(({ name, mine }) => name === 'a9a' && mine);
  const libsvm = a9a && found.libsvm && (await withPeers(a9a.set.train, (start) => libsvmOn(a9a, found, start)));
  if (libsvm?.late) print(`\nLIBSVM on a9a did not finish within ${LIBSVM_SECONDS} s.`);
  else if (libsvm) {
    const { mine, times, ratio } = libsvm;
    tables.push({
      title: 'LIBSVM -t 0 on a9a, C = 1, 100 MB of cache, once',
      columns: ['seconds', 'accuracy', 'ours: loss, gamma, rule, accuracy', 'ms', 'times as fast', ''],
      rows: [
        [
          digits(libsvm.seconds),
          points(libsvm.accuracy),
          choiceWords(mine),
          milliseconds(best(times)),
          show(ratio),
          verdict(ratio, 1000),
        ],
      ],
    });
    print(`\n${tables.at(-1).title}\n${layout([tables.at(-1).columns, ...tables.at(-1).rows])}`);
  }
  const versions = Object.assign(
    { ...(libsvm?.version && { libsvm: String(libsvm.version) }) },
    ...rows.map((row) => row.versions),
  );
  const raw = rows.map(({ set, forms, ...row }) => ({
    ...row,
    size: [set.train.points.rows, set.train.points.cols],
    forms: Object.keys(forms),
  }));
  return { versions, tables, plots: [bars(rows)], rows: raw, libsvm };
}

function lossCells({ name, wanted, ours }, loss) {
  const choices = ours.filter((choice) => choice.loss === loss).sort((a, b) => b.accuracy - a.accuracy || a.seconds - b.seconds);
  const words = (choice) => [
    `${choice.gammaName}, ${choice.rule}, ${points(choice.accuracy)}`,
    choice.passes.toFixed(1),
    milliseconds(choice.seconds),
  ];
  const quick = fastest(choices, wanted);
  return [name, loss, points(wanted), ...(quick ? words(quick) : ['does not reach it', '', '']), ...words(choices[0])];
}

function otherCells(set, { name, choice, nearest, ours, times }) {
  if (choice)
    return [set, name, `${choice.words}, ${points(choice.accuracy)}`, milliseconds(best(times)), show(speed(ours, times))];
  return [set, name, `does not reach it: ${nearest.words}, ${points(nearest.accuracy)}`, milliseconds(nearest.seconds), ''];
}

function functionCells(set, { CName, ours, gap, seconds, s1, s2 }) {
  return [
    set,
    CName,
    `${ours.toPrecision(7)} (gap ${gap.toExponential(1)}, ${milliseconds(seconds)} ms)`,
    ...[s1, s2].map((s) => `${(s.objective / ours).toFixed(5)} (${milliseconds(s.seconds)} ms)`),
  ];
}

const bars = (rows) => ({
  kind: 'bar',
  title: 'Times as fast as the fastest LIBLINEAR solver, two threads (median of the ratios within a round)',
  bars: rows.filter((row) => row.two).map(({ name, two, quickest }) => ({ name, value: speed(two, quickest.times).median })),
});

module.exports = {
  name: 'peers',
  describe: 'LIBLINEAR, LIBSVM, scikit-learn, Pegasos and libsvm-js at equal test accuracy',
  sets: SMALL,
  run,
};
