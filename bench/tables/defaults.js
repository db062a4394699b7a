// What is lost by not choosing gamma: the test accuracy with the defaults, with gamma: 'auto' and of scikit-learn's defaults beside the best
// of a grid, and what the choice costs in time.
'use strict';
const { loadavg } = require('node:os');
const { trainTestSplit } = require('../..');
const { fit, points, withPeers } = require('../compare.js');
const { toDense } = require('../data.js');
const { findPeers } = require('../peers/process.js');
const { best, interleave, layout, milliseconds, show, speed, verdictAtMost } = require('../ratios.js');
const { accuracy, problem, read } = require('../sets.js');

// Sets with an official test set name it. Of raw files the dense form is measured too: dense and sparse points are scaled differently.
const SETS = {
  a1a: {},
  a9a: { official: 'a9a.t' },
  australian: { raw: true },
  australian_scale: {},
  'farm-ads': {},
  'german.numer_scale': {},
  heart_scale: {},
  leukemia: {},
  mnist01: { make: (data) => problem(data, 'mnist01') },
  mushrooms: {},
  rt_polarity: {},
  sms_spam: {},
  spambase: { raw: true },
  svmguide1: { official: 'svmguide1.t', raw: true },
  w1a: {},
  w8a: {},
  wdbc: { raw: true },
};
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const TEST_SHARE = 0.2;
const EXPONENTS = [-4, -3, -2, -1, 0, 1, 2, 3];
const FACTOR = 4;

// What is wanted.
const MEAN = { default: 0.5, auto: 0.3 }; // shortfall in points, over all rows of the table
const WORST = 2; // points, of sets of more than MANY rows
const MANY = 1000;
const RATIO = 10; // of the time of 'auto' to that of the default, where that is above LONG seconds
const LONG = 0.05;

// The options beside the grid's, by column. scale: 'auto' is the default; fit, of the other tables, has another one.
const WAYS = {
  default: () => ({}),
  auto: () => ({ gamma: 'auto' }),
  '64/n': (rows) => ({ gamma: 64 / rows }),
  'squared hinge': () => ({ loss: 'squared-hinge' }),
};
const SKLEARN = 'LinearSVC';
const SKLEARN_LIMIT = 1000; // its default max_iter
const COMPARED = [...Object.keys(WAYS), SKLEARN];
const train = (part, options) => fit(part, { scale: 'auto', ...options });

/** The splits of a set, each { train, test }, or undefined after printing what is missing. */
function splitsOf(data, name) {
  const { official, make } = SETS[name];
  const given = make?.(data);
  if (make) return given && [given];
  const whole = read(data, name);
  if (!whole) return undefined;
  if (!official) return SEEDS.map((seed) => trainTestSplit(whole.points, whole.labels, { testShare: TEST_SHARE, seed }));
  const test = read(data, official, { cols: whole.points.cols });
  return test && [{ train: whole, test }];
}

const dense = ({ train: a, test: b }) => {
  const [first, second] = [a, b].map(({ points: sparse, labels }) => ({ points: toDense(sparse), labels }));
  return { train: first, test: second };
};

const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;

/** Fits one split in every way: accuracies by way and by exponent, the exponent that 'auto' chose, and the ways that ended at a limit. */
function fitAll({ train: part, test }) {
  const scores = {};
  const infos = {};
  for (const [way, options] of Object.entries(WAYS)) {
    const { model } = train(part, options(part.points.rows));
    scores[way] = accuracy(test, model);
    infos[way] = model.info;
  }
  const { gamma } = infos.default;
  const grid = EXPONENTS.map((k) => (k === 0 ? scores.default : accuracy(test, train(part, { gamma: gamma * FACTOR ** k }).model)));
  const chosen = Math.round(Math.log(infos.auto.gamma / gamma) / Math.log(FACTOR));
  const unfinished = Object.keys(WAYS).filter((way) => infos[way].status === 'max-iterations');
  return { gamma, scores, grid, chosen, validation: infos.auto.validation.table, unfinished };
}

/** The seconds of the default, of 'auto' and of `theirs` in turns; and of ours those of the processor, which depend little on other programs. */
async function timesOf({ train: part }, theirs) {
  const processor = { default: [], auto: [] };
  const trial = (way) => () => {
    const { seconds, processor: used } = train(part, WAYS[way]());
    processor[way].push(used);
    return seconds;
  };
  const once = ['default', 'auto'].reduce((sum, way) => sum + train(part, WAYS[way]()).seconds, 0);
  const rounds = Math.min(21, Math.max(once > 5 ? 1 : 5, Math.round(3 / once)));
  const trials = [trial('default'), trial('auto'), ...(theirs ? [async () => (await theirs()).seconds] : [])];
  const [one, auto, other] = await interleave(trials, rounds);
  return { rounds, default: one, auto, [SKLEARN]: other, processor, load: loadavg()[0] };
}

/** Everything about one row of the table. */
async function measure(name, splits, sklearn) {
  const runs = [];
  let times;
  let version;
  for (const split of splits) {
    const run = fitAll(split);
    if (sklearn) {
      await withPeers(split.train, async (start) => {
        const peer = await start(sklearn);
        const ask = () => peer.train('ScaledLinearSVC');
        const model = await ask();
        version = peer.version;
        run.scores[SKLEARN] = accuracy(split.test, model);
        if (model.iterations >= SKLEARN_LIMIT) run.unfinished.push(SKLEARN);
        times ??= await timesOf(split, ask);
      });
    } else times ??= await timesOf(split);
    runs.push(run);
  }
  const grid = EXPONENTS.map((_, k) => mean(runs.map((run) => run.grid[k])));
  const top = Math.max(...grid);
  const at = grid.indexOf(top);
  const scores = {};
  const short = {};
  for (const way of COMPARED) {
    if (!(way in runs[0].scores)) continue;
    scores[way] = mean(runs.map((run) => run.scores[way]));
    short[way] = 100 * (top - scores[way]);
  }
  const { points: first } = splits[0].train;
  const rows = first.rows + splits[0].test.points.rows;
  const error = Object.fromEntries(
    ['default', 'auto'].map((way) => [way, errorOf(runs.map((run) => 100 * (run.grid[at] - run.scores[way])))]),
  );
  return {
    name,
    rows,
    cols: first.cols,
    splits: splits.length,
    best: top,
    exponent: EXPONENTS[at],
    scores,
    short,
    error,
    grid,
    times,
    version,
    runs,
  };
}

/**
 * The standard error of a mean of differences over splits of the same rows, which overlap: C. Nadeau and Y. Bengio, Inference for the
 * generalization error (2003).
 */
function errorOf(differences) {
  const n = differences.length;
  if (n === 1) return undefined;
  const middle = mean(differences);
  const variance = differences.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (n - 1);
  return Math.sqrt((1 / n + TEST_SHARE / (1 - TEST_SHARE)) * variance);
}

/** A shortfall, with a verdict where there is one. */
function shortCell({ rows, short, error }, way) {
  if (!(way in short)) return '';
  const value = `${short[way].toFixed(2)}${error[way] === undefined ? '' : ` ± ${error[way].toFixed(2)}`}`;
  if (!(way in MEAN) || rows <= MANY) return value;
  const met = short[way] <= WORST;
  return { value: met ? value : `${value} MISSED`, met };
}

const ACCURACY_HEAD = ['', 'rows × columns', 'splits', 'best, at 4^k', ...COMPARED];
function accuracyCells({ name, rows, cols, splits, best: top, exponent, scores }) {
  return [
    name,
    `${rows} × ${cols}`,
    splits === 1 ? 'official' : splits,
    `${points(top)}, ${exponent}`,
    ...COMPARED.map((way) => (way in scores ? points(scores[way]) : '')),
  ];
}

const TIME_HEAD = [
  '',
  'default, ms',
  "'auto', ms",
  "'auto' / default",
  '',
  'the same in processor time',
  `${SKLEARN}, ms`,
  `${SKLEARN} / default`,
  'rounds, load',
];
function timeCells({ name, times }) {
  const theirs = times[SKLEARN];
  const ratio = speed(times.default, times.auto);
  return [
    name,
    milliseconds(best(times.default)),
    milliseconds(best(times.auto)),
    show(ratio),
    best(times.default) > LONG ? verdictAtMost(ratio, RATIO) : '',
    show(speed(times.processor.default, times.processor.auto)),
    theirs ? milliseconds(best(theirs)) : '',
    theirs ? show(speed(times.default, theirs)) : '',
    `${times.rounds}, ${times.load.toFixed(1)}`,
  ];
}

/** By way, the mean shortfall over all rows and the worst one. */
function summary(rows) {
  return COMPARED.filter((way) => rows.some(({ short }) => way in short)).map((way) => {
    const all = rows.filter(({ short }) => way in short).sort((a, b) => b.short[way] - a.short[way]);
    const large = all.find((row) => row.rows > MANY);
    return { way, mean: mean(all.map(({ short }) => short[way])), worst: all[0], large };
  });
}
const SUMMARY_HEAD = ['', 'mean shortfall', '', 'worst', `worst of more than ${MANY} rows`, ''];
function summaryCells({ way, mean: middle, worst, large }) {
  const cell = (met, wanted) => ({ value: `≤ ${wanted} ${met ? 'met' : 'MISSED'}`, met });
  const words = (row) => (row ? `${row.short[way].toFixed(2)} (${row.name})` : '');
  return [
    way,
    middle.toFixed(2),
    way in MEAN ? cell(middle <= MEAN[way], MEAN[way]) : '',
    words(worst),
    words(large),
    way in MEAN && large ? cell(large.short[way] <= WORST, WORST) : '',
  ];
}

async function run({ print, data, sets }) {
  const { sklearn } = findPeers(print, ['sklearn']);
  const rows = [];
  for (const name of Object.keys(SETS).filter((each) => !sets || sets.includes(each))) {
    const splits = splitsOf(data, name);
    if (!splits) continue;
    const forms = { [name]: splits, ...(SETS[name].raw && { [`${name}, dense`]: splits.map(dense) }) };
    for (const [words, list] of Object.entries(forms)) {
      const row = await measure(words, list, sklearn);
      rows.push(row);
      const chosen = row.runs.map((each) => each.chosen).join(' ');
      print(
        `${words.padEnd(19)} 4^${EXPONENTS[0]} to 4^${EXPONENTS.at(-1)}: ${row.grid.map(points).join(' ')} · 'auto' at 4^k, k = ${chosen}`,
      );
    }
  }
  if (rows.length === 0) return undefined;
  const tables = [
    {
      title: 'Test accuracy',
      columns: ACCURACY_HEAD,
      rows: rows.map(accuracyCells),
      notes: [
        `Best: the best mean test accuracy over gamma = 4^k times the default, k = ${EXPONENTS[0]} to ${EXPONENTS.at(-1)}, chosen on the test rows themselves. 'auto' does not see them, and may go beyond this grid.`,
        `Official test sets; else means over ${SEEDS.length} seeded stratified splits, ${100 * TEST_SHARE} % of the rows to test.`,
        'Sparse as in the file, and raw files as dense points too; scaled as the package does by default: sparse columns by their largest magnitude, dense ones to unit deviation.',
        `${SKLEARN}: scikit-learn's, with its defaults (squared hinge, C = 1, dual), behind MaxAbsScaler (sparse) or StandardScaler (dense).`,
        ...unfinished(rows),
      ],
    },
    {
      title: 'How far it is below the best, in points',
      columns: ['', ...COMPARED],
      rows: rows.map((row) => [row.name, ...COMPARED.map((way) => shortCell(row, way))]),
      notes: `±: the standard error of the difference over the splits (Nadeau and Bengio), which does not count that the best is a maximum. Wanted: of sets of more than ${MANY} rows none short by more than ${WORST}.`,
    },
    {
      title: "Time of a fit with the defaults and with gamma: 'auto'",
      columns: TIME_HEAD,
      rows: rows.map(timeCells),
      notes: [
        `On the training rows of the first split, in turns; ratios: median within a round | best against best. ${SKLEARN} with its scaler; it uses one thread.`,
        ratioWanted(rows),
      ],
    },
    {
      title: `Shortfall over the ${rows.length} rows`,
      columns: SUMMARY_HEAD,
      rows: summary(rows).map(summaryCells),
      notes: 'In points; of a mean over fewer sets than there are, the verdict says less.',
    },
  ];
  for (const { title, columns, rows: cells } of tables) print(`\n${title}\n${layout([columns, ...cells])}`);
  print(['', ratioWanted(rows), ...unfinished(rows)].join('\n'));
  const bars = summary(rows).map(({ way, mean: value }) => ({ name: way, value }));
  const plots = [{ kind: 'bar', title: 'Mean shortfall from the best test accuracy, in points', bars }];
  const versions = { ...(rows[0].version && { sklearn: rows[0].version }) };
  return { versions, tables, plots, rows };
}

/** A sentence about the ratio of times, which also says where nothing was judged. */
function ratioWanted(rows) {
  const judged = rows.filter(({ times }) => best(times.default) > LONG).length;
  const wanted = `Wanted of 'auto' / default: at most ${RATIO}, where the default takes more than ${1000 * LONG} ms`;
  return judged > 0 ? `${wanted}.` : `${wanted}: no fit here does, so there is no verdict.`;
}

/** Sentences about fits that ended at a limit. */
function unfinished(rows) {
  const sentences = COMPARED.map((way) => {
    const some = rows
      .map(({ name, runs }) => [name, runs.filter((each) => each.unfinished.includes(way)).length, runs.length])
      .filter(([, count]) => count > 0)
      .map(([name, count, all]) => `${name} (${count} of ${all})`);
    return some.length > 0 ? `Fits that ended at the limit of iterations, ${way}: ${some.join(', ')}.` : '';
  });
  return sentences.filter(Boolean);
}

module.exports = {
  name: 'defaults',
  describe: "test accuracy and time without options and with gamma: 'auto', beside the best gamma",
  sets: Object.keys(SETS),
  run,
};
