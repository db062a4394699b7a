// Probabilities and metrics: the log loss on rows held out beside LIBSVM's (svm-train -b 1), what probabilities cost beside the fits of their
// folds, and how near metrics and sigmoids come to scikit-learn's on the same numbers.
'use strict';
const { execFileSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { LinearSvm, trainTestSplit, writeLibsvm } = require('../..');
const { fitSigmoid } = require('../../dist/svm/calibration.js');
const { read } = require('../sets.js');
const { findPython } = require('../peers/process.js');
const { best, digits } = require('../ratios.js');

/** Their columns are alike already: all are trained without scaling. */
const SETS = [
  'heart_scale',
  'australian_scale',
  'german.numer_scale',
  'a1a',
  'a9a',
  'svmguide1',
  'satimage',
  'optdigits',
  'pendigits',
];
const SEVERAL = ['satimage', 'optdigits', 'pendigits'];
const ROUNDS = 7;
const WITHIN = 1.02; // of LIBSVM's log loss
const COST = 1.1; // of the folds' fits
const METRICS = 1e-9;
const SIGMOIDS = 1e-6;

const has = (tool) => {
  try {
    execFileSync('which', [tool], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const logLoss = (labels, names, p) =>
  labels.reduce((sum, label, i) => sum - Math.log(Math.max(p[i * names.length + names.indexOf(label)], 2 ** -52)), 0) /
  labels.length;

/** The log loss of LIBSVM's model of the same C. Its folds are random, from a fixed seed. */
async function libsvm({ train, test }, C) {
  const folder = mkdtempSync(join(tmpdir(), 'fista-libsvm-'));
  const [data, held, model, out] = ['data', 'held', 'model', 'out'].map((name) => join(folder, name));
  try {
    await writeLibsvm(data, train.points, train.labels);
    await writeLibsvm(held, test.points, test.labels);
    execFileSync('svm-train', ['-q', '-t', '0', '-c', String(C), '-b', '1', data, model], { stdio: 'ignore' });
    execFileSync('svm-predict', ['-b', '1', held, model, out], { stdio: 'ignore' });
    const [head, ...lines] = readFileSync(out, 'utf8').trim().split('\n');
    return logLoss(test.labels, head.split(' ').slice(1).map(Number), lines.flatMap((line) => line.split(' ').slice(1).map(Number))); // prettier-ignore
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const processor = (work) => {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
};

/** Milliseconds of processor time, by one thread: a fit, five fits on four fifths of the rows each, and a fit with probabilities. */
function cost({ points, labels }, options) {
  const one = { ...options, threads: 1 };
  const folds = Array.from({ length: 5 }, (_, k) => Float64Array.from(labels, (_, i) => Number(i % 5 !== k)));
  const works = {
    fit: () => LinearSvm.fit(points, labels, one),
    folds: () => folds.forEach((sampleWeight) => LinearSvm.fit(points, labels, { ...one, sampleWeight })),
    all: () => LinearSvm.fit(points, labels, { ...one, probability: 'sigmoid' }),
  };
  const times = { fit: [], folds: [], all: [] };
  for (let round = 0; round < ROUNDS; round++) for (const [name, work] of Object.entries(works)) times[name].push(processor(work));
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, best(list)]));
}

/** Minus the logarithm of a sigmoid's likelihood, with Platt's targets. */
function lossOf({ a, b }, values, labels) {
  const positive = labels.reduce((sum, label) => sum + label, 0);
  const targets = [1 / (labels.length - positive + 2), (positive + 1) / (positive + 2)];
  return values.reduce((sum, value, i) => {
    const f = a * value + b;
    return sum + Math.max(-f, 0) + Math.log1p(Math.exp(-Math.abs(f))) + targets[labels[i]] * f;
  }, 0);
}

/** The largest differences of metrics, and of a sigmoid of two classes, from scikit-learn's. */
function sklearn(python, model, { points, labels }) {
  const number = (label) => model.labels.indexOf(label);
  const values = model.decision(points);
  const given = {
    classes: model.labels.length,
    labels: Array.from(labels, number),
    predicted: model.predict(points).map(number),
    values: Array.from(values),
    probabilities: Array.from(model.probability(points)),
  };
  const script = join(__dirname, '..', 'sklearn-metrics.py');
  const { version, sigmoid, ...theirs } = JSON.parse(execFileSync(python, [script], { input: JSON.stringify(given), maxBuffer: 2 ** 30 })); // prettier-ignore
  const score = model.score(points, labels);
  const ours = { ...score, f1Macro: score.macro.f1, f1Weighted: score.weighted.f1 };
  const metrics = Math.max(...Object.entries(theirs).map(([name, value]) => Math.abs(ours[name] - value)));
  const fitted = sigmoid && fitSigmoid({ values, positive: Uint8Array.from(given.labels), weights: new Float64Array(values.length).fill(1) }); // prettier-ignore
  const apart = sigmoid && Math.max(Math.abs(fitted.a - sigmoid.a), Math.abs(fitted.b - sigmoid.b));
  const likelier = sigmoid && lossOf(fitted, values, given.labels) < sigmoid.loss * (1 - 1e-9);
  return { version, metrics, sigmoid: apart, likelier };
}

async function run({ print, data, sets = SETS }) {
  const python = findPython('sklearn');
  const peer = has('svm-train') && has('svm-predict');
  if (!python) print('Left out: scikit-learn: apt-get install python3-sklearn, or name a Python that has it by PYTHON.');
  if (!peer) print('Left out: LIBSVM: apt-get install libsvm-tools.');
  const rows = [];
  let version;
  for (const name of sets) {
    const set = read(data, name, { classes: SEVERAL.includes(name) });
    if (!set) continue;
    const parts = trainTestSplit(set.points, set.labels, { seed: 1 });
    const { train, test } = parts;
    const options = { scale: 'none', multiclass: 'pairs' };
    const { gamma } = LinearSvm.fit(train.points, train.labels, options).info;
    const fit = (probability) => LinearSvm.fit(train.points, train.labels, { ...options, gamma, probability });
    const model = fit('sigmoid');
    const ours = model.score(test.points, test.labels).logLoss;
    const isotonic = fit('isotonic').score(test.points, test.labels).logLoss;
    const theirs = peer ? await libsvm(parts, gamma) : undefined;
    const times = cost(train, { ...options, gamma });
    const ratio = (times.all - times.fit) / times.folds;
    const near = python ? sklearn(python, model, test) : undefined;
    version = near?.version;
    rows.push({ name, classes: model.labels.length, rows: train.points.rows, gamma, ours, isotonic, libsvm: theirs, times, ratio, near }); // prettier-ignore
    const against = theirs === undefined ? '' : `, LIBSVM ${theirs.toFixed(4)}`;
    const apart = near ? `; scikit-learn's metrics within ${near.metrics.toExponential(0)}${near.sigmoid === undefined ? '' : `, sigmoid within ${near.sigmoid.toExponential(0)}${near.likelier ? ' (ours is likelier)' : ''}`}` : ''; // prettier-ignore
    print(`${name.padEnd(20)} log loss ${ours.toFixed(4)}, isotonic ${isotonic.toFixed(4)}${against}; cost ${digits(ratio)} times the folds' fits${apart}`); // prettier-ignore
  }
  if (rows.length === 0) return undefined;
  return {
    versions: { ...(version && { 'scikit-learn': version }) },
    sets: rows,
    tables: [
      {
        columns: ['data', 'classes', 'rows', 'log loss', 'isotonic', 'LIBSVM', 'ours / LIBSVM', "cost / folds' fits", 'metrics off by', 'sigmoid off by'], // prettier-ignore
        rows: rows.map(({ name, classes, rows: count, ours, isotonic, libsvm: theirs, ratio, near }) => [
          name,
          classes,
          count,
          ours.toFixed(4),
          isotonic.toFixed(4),
          theirs?.toFixed(4) ?? '',
          theirs === undefined ? '' : { value: digits(ours / theirs), met: ours <= WITHIN * theirs },
          { value: digits(ratio), met: ratio <= COST },
          near ? { value: near.metrics.toExponential(0), met: near.metrics <= METRICS } : '',
          near?.sigmoid === undefined
            ? ''
            : {
                value: `${near.sigmoid.toExponential(0)}${near.likelier ? ', ours is likelier' : ''}`,
                met: near.sigmoid <= SIGMOIDS || near.likelier,
              },
        ]),
        notes:
          'Log loss on a quarter of the rows, held out; gamma is our default, and LIBSVM has the same C. Cost: processor time of a fit with ' +
          'probabilities less that of one without, over five fits on four fifths of the rows, one thread, best of seven.',
      },
    ],
  };
}

module.exports = { name: 'probability', describe: 'probabilities and metrics beside LIBSVM and scikit-learn', sets: SETS, run };
