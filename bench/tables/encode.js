// Records and texts to numbers beside scikit-learn: whether both make the same columns, time and memory on the same data, predictOne of a
// record, and the accuracy of a fit on raw records beside that on an encoding made by hand.
'use strict';
const { execFileSync } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { Encoder, LinearSvm, text, trainTestSplit } = require('../..');
const { random } = require('../digits.js');
const { difference, readCsr, toCsr } = require('../peers/csr.js');
const { findPython, Peer } = require('../peers/process.js');
const { best, digits, layout, show, speed, verdict } = require('../ratios.js');
const { PLAN, generatedRecords, generatedTexts, writeLines } = require('../records.js');

const ROWS = 1e6;
const BYTES = 1e8;
const ROUNDS = 3;
const SPLITS = 10;
const PER_SECOND = 300_000;
const WITHIN = 0.5; // points of accuracy

const FIELDS = 'age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain capital-loss hours-per-week native-country income'.split(' '); // prettier-ignore

/** The records of the census, with numbers as numbers. */
function adult(bytes) {
  const lines = bytes.toString().split('\n').filter((line) => line.includes(', ')); // prettier-ignore
  return lines.map((line) => {
    const cells = line.replace(/\.$/, '').split(', ');
    return Object.fromEntries(cells.map((cell, k) => [FIELDS[k], /^\d+$/.test(cell) ? Number(cell) : cell]));
  });
}

const messages = (bytes) =>
  bytes.toString().trimEnd().split('\n').map((line) => ({ label: line.split('\t', 1)[0], text: line.slice(line.indexOf('\t') + 1) })); // prettier-ignore

/** Texts of random signs of many scripts, spaces and punctuation among them; no ranges with letters newer than Unicode 14, Python 3.11's. */
function oddTexts(count, next) {
  const ranges = [[32, 127], [32, 127], [0xa0, 0x250], [0x370, 0x530], [0x5d0, 0x700], [0x900, 0xc00], [0x1e00, 0x2200], [0x3040, 0x3100], [0x4e00, 0x9fa5], [0xff10, 0xff5b], [0x10400, 0x10450], [0x1d400, 0x1d7ff], [0x1f600, 0x1f640]]; // prettier-ignore
  const sign = () => {
    const [from, to] = ranges[Math.floor(ranges.length * next())];
    return next() < 0.2 ? ' ' : String.fromCodePoint(from + Math.floor((to - from) * next()));
  };
  return Array.from({ length: count }, () => Array.from({ length: Math.floor(60 * next()) }, sign).join(''));
}

/** scikit-learn's answers to cases of bench/sklearn-encoders.py. */
function ask(python, cases) {
  const input = JSON.stringify({ cases });
  const script = join(__dirname, '..', 'sklearn-encoders.py');
  const { version, cases: answered } = JSON.parse(execFileSync(python, [script], { input, maxBuffer: 2 ** 30 }));
  const matrixOf = ({ columns, indptr, indices, values }) => ({ indptr, indices: Uint32Array.from(indices), values: Float64Array.from(values), rows: indptr.length - 1, cols: columns }); // prettier-ignore
  return { version, matrices: answered.map(({ answer }) => matrixOf(answer)) };
}

/** Lines on how far encoded columns are apart, and the largest difference. */
function agreement(python, print, sms, census) {
  const odd = oddTexts(20_000, random(1));
  const words = [...generatedTexts(1e6)];
  const texts = { 'random signs': odd, 'generated texts': words, ...(sms && { 'SMS messages': sms.map((one) => one.text) }) };
  const ways = [
    ['TfidfVectorizer', {}, {}],
    ['TfidfVectorizer', { ngram_range: [1, 2], min_df: 2 }, { words: [1, 2], minCount: 2 }],
    ['CountVectorizer', { binary: true }, { values: 'binary', unit: false }],
    ['HashingVectorizer', { n_features: 2 ** 18, ngram_range: [1, 2] }, { hash: 2 ** 18, values: 'counts', words: [1, 2] }],
    ['HashingVectorizer', { n_features: 1021, norm: null }, { hash: 1021, values: 'counts', unit: false }],
  ];
  const cases = Object.entries(texts).flatMap(([name, fit]) => ways.map(([make, options, plan]) => ({ name, make, options, fit, plan: text(plan) }))); // prettier-ignore
  if (census) {
    for (const field of FIELDS.slice(0, -1)) {
      const fit = census.map((record) => record[field]);
      if (typeof fit[0] === 'number') cases.push({ name: field, make: 'Numbers', options: {}, fit, plan: 'number' });
      else {
        const options = { min_frequency: 20, handle_unknown: 'infrequent_if_exist' };
        cases.push({ name: field, make: 'OneHotEncoder', options, fit, plan: { kind: 'category', minCount: 20 } });
      }
    }
  }
  const { version, matrices } = ask(python, cases.map(({ make, options, fit }) => ({ make, options, fit }))); // prettier-ignore
  const apart = cases.map(({ fit, plan }, k) => {
    const { points } = Encoder.fitEncode(fit.map((v) => ({ v })), { v: plan }); // prettier-ignore
    return difference(toCsr(points), matrices[k]);
  });
  const wrong = cases.filter((_, k) => typeof apart[k] === 'string');
  for (const one of wrong)
    print(`NOT THE SAME: ${one.make} ${JSON.stringify(one.options)} of ${one.name}: ${apart[cases.indexOf(one)]}`);
  const largest = Math.max(...apart.filter((one) => typeof one === 'number'));
  print(`${cases.length - wrong.length} of ${cases.length} encodings have scikit-learn ${version}'s columns; values within ${largest.toExponential(1)}.`); // prettier-ignore
  return { version, cases: cases.length, same: cases.length - wrong.length, largest };
}

const megabytes = (bytes) => Math.round(bytes / 1e6);

/** A peak below the matrix itself is no measurement: memory that was resident before, but free, was used again. */
const peakOf = ({ peak, bytes }) => (peak >= bytes ? megabytes(peak) : 'unknown');

/** Time and memory of both on the same lines. */
async function measured(python, folder, name, values, ways, print) {
  const file = join(folder, 'lines');
  const count = writeLines(file, values);
  const commands = {
    ours: [process.execPath, '--expose-gc', '--max-old-space-size=8192', join(__dirname, '..', 'peers', 'encode.js')],
    theirs: [python, join(__dirname, '..', 'peers', 'encode.py')],
  };
  const rows = [];
  const peers = {};
  for (const [side, command] of Object.entries(commands)) peers[side] = await Peer.start(command, file, join(folder, side));
  for (const way of ways) {
    const answers = { ours: [], theirs: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const order = round % 2 ? ['theirs', 'ours'] : ['ours', 'theirs'];
      for (const side of order) answers[side].push(await peers[side].ask(round === 0 ? `${way} write` : way));
    }
    const apart = difference(...Object.keys(commands).map((side) => readCsr(join(folder, side))));
    const times = (side, what) => answers[side].map((answer) => answer[what]);
    const [wall, cpu] = ['seconds', 'cpu'].map((what) => speed(times('ours', what), times('theirs', what)));
    const [first] = answers.ours;
    // Only the first answer of a process: later ones reuse memory that was not given back.
    const peak = way === ways[0] ? ['ours', 'theirs'].map((side) => peakOf(answers[side][0])) : [null, null];
    rows.push({ name, way, count, columns: first.cols, entries: first.entries, bytes: megabytes(first.bytes), ours: best(times('ours', 'seconds')), theirs: best(times('theirs', 'seconds')), wall, cpu, peak, apart }); // prettier-ignore
    print(`${name}, ${way}: ${count} rows, ${first.cols} columns, ${first.entries} entries; best ${digits(rows.at(-1).ours)} s, scikit-learn ${digits(rows.at(-1).theirs)} s; ${show(wall)} times as fast, by processor time ${show(cpu)}; apart by ${apart}`); // prettier-ignore
  }
  for (const peer of Object.values(peers)) await peer.stop();
  return rows;
}

/** Records a second of predictOne, by the clock and by processor time: the median of five seconds. */
function predictOnes() {
  const records = [...generatedRecords(5000)];
  const model = LinearSvm.fit(records, records.map(({ age, active }) => (age > 45) === active), { encoder: PLAN }); // prettier-ignore
  const rates = [];
  for (let round = 0; round < 7; round++) {
    const [began, used] = [performance.now(), process.cpuUsage()];
    let count = 0;
    while (performance.now() - began < 1000) for (const record of records) count += Number(model.predictOne(record) !== undefined);
    const { user, system } = process.cpuUsage(used);
    rates.push([count / ((performance.now() - began) / 1000), count / ((user + system) / 1e6)]);
  }
  return [0, 1].map((k) => rates.slice(2).map((rate) => rate[k]).sort((a, b) => a - b)[2]); // prettier-ignore
}

/** Columns side by side. */
function joined(matrices) {
  const { rows } = matrices[0];
  const [indptr, indices, values] = [new Uint32Array(rows + 1), [], []];
  for (let i = 0; i < rows; i++) {
    let first = 0;
    for (const one of matrices) {
      for (let k = one.indptr[i]; k < one.indptr[i + 1]; k++) {
        indices.push(first + one.indices[k]);
        values.push(one.values[k]);
      }
      first += one.cols;
    }
    indptr[i + 1] = indices.length;
  }
  const cols = matrices.reduce((sum, one) => sum + one.cols, 0);
  return { indptr, indices: Uint32Array.from(indices), values: Float64Array.from(values), rows, cols };
}

function rowsOf({ indptr, indices, values, cols }, from, to) {
  const [begin, end] = [indptr[from], indptr[to]];
  return { indptr: Uint32Array.from(indptr.slice(from, to + 1), (at) => at - begin), indices: indices.slice(begin, end), values: values.slice(begin, end), rows: to - from, cols }; // prettier-ignore
}

/** Test accuracy of fit(records, label), and of a fit on scikit-learn's encoding of the same rows, in percent: the better of two scalings. */
function accuracy(python, train, test, label, fields) {
  const all = [...train, ...test];
  const cases = fields.map(([field, make]) => {
    const options = make === 'OneHotEncoder' ? { handle_unknown: 'ignore' } : {};
    return { make, options, fit: train.map((record) => record[field]), transform: all.map((record) => record[field]) };
  });
  const points = joined(ask(python, cases).matrices);
  const labels = all.map((record) => record[label]);
  const byHand = ['none', 'auto'].map((scale) => {
    const model = LinearSvm.fit(rowsOf(points, 0, train.length), labels.slice(0, train.length), { scale });
    return 100 * model.score(rowsOf(points, train.length, all.length), labels.slice(train.length)).accuracy;
  });
  return { ours: 100 * LinearSvm.fit(train, label).score(test, label).accuracy, byHand: Math.max(...byHand) };
}

function accuracies(python, sms, census, censusTest) {
  const rows = [];
  if (sms) {
    const each = Array.from({ length: SPLITS }, (_, seed) => {
      const { train, test } = split(sms, seed + 1);
      return accuracy(python, train, test, 'label', [['text', 'TfidfVectorizer']]);
    });
    const mean = (what) => each.reduce((sum, one) => sum + one[what], 0) / SPLITS;
    rows.push({ name: `SMS messages, ${SPLITS} splits`, ours: mean('ours'), byHand: mean('byHand') });
  }
  if (census && censusTest) {
    const fields = FIELDS.slice(0, -1).map((field) => [field, typeof census[0][field] === 'number' ? 'Numbers' : 'OneHotEncoder']);
    rows.push({ name: 'census, its test set', ...accuracy(python, census, censusTest, 'income', fields) });
  }
  return rows;
}

/** A quarter of the records to test on, by a seed. */
function split(records, seed) {
  const numbers = { data: Float64Array.from(records.keys()), rows: records.length, cols: 1 };
  const { train, test } = trainTestSplit(numbers, records.map(({ label }) => label), { seed }); // prettier-ignore
  const chosen = ({ points }) => Array.from(points.data, (k) => records[k]);
  return { train: chosen(train), test: chosen(test) };
}

async function run({ print, data }) {
  const python = findPython('sklearn') && findPython('pandas');
  if (!python) {
    print('Left out: scikit-learn: apt-get install python3-sklearn python3-pandas, or name a Python that has them by PYTHON.');
    return undefined;
  }
  const [sms, census, censusTest] = ['SMSSpamCollection.tsv', 'adult.csv', 'adult.test.csv'].map((name) => data(name));
  const [sent, people, others] = [sms && messages(sms), census && adult(census), censusTest && adult(censusTest)];
  const same = agreement(python, print, sent, people);
  const folder = mkdtempSync(join(tmpdir(), 'fista-encode-'));
  const rows = [];
  try {
    rows.push(...(await measured(python, folder, 'records', generatedRecords(ROWS), ['records', 'transform'], print)));
    rows.push(...(await measured(python, folder, 'texts', generatedTexts(BYTES), ['tfidf', 'transform', 'hash'], print)));
    if (sent) rows.push(...(await measured(python, folder, 'SMS', repeated(sent, BYTES), ['tfidf', 'hash'], print)));
  } finally {
    rmSync(folder, { recursive: true });
  }
  const [clock, processor] = predictOnes();
  print(`predictOne(record) of ten fields: ${Math.round(clock)} a second, ${Math.round(processor)} a second of processor time`);
  const scores = accuracies(python, sent, people, others);
  for (const { name, ours, byHand } of scores) print(`${name}: fit(records) ${ours.toFixed(2)} %, by hand ${byHand.toFixed(2)} %`);
  const columns = ['data', 'what', 'rows', 'columns', 'matrix, MB', 'peak, MB', 'theirs', 'seconds', 'theirs', 'times as fast', 'wanted', 'by processor time', 'wanted', 'apart by']; // prettier-ignore
  const table = rows.map(({ name, way, count, columns: cols, bytes, peak, ours, theirs, wall, cpu, apart }) => [name, way, count, cols, bytes, peak[0], peak[1], digits(ours), digits(theirs), show(wall), way === 'tfidf' ? verdict(wall, 2) : '', show(cpu), way === 'tfidf' ? verdict(cpu, 2) : '', typeof apart === 'string' ? apart : apart.toExponential(0)]); // prettier-ignore
  print(`\n${layout([columns, ...table])}`);
  return {
    versions: { 'scikit-learn': same.version },
    same,
    measured: rows,
    predictOne: { clock, processor },
    scores,
    tables: [
      {
        columns,
        rows: table,
        notes: `Both in processes of their own, with the data in memory, taking turns, ${ROUNDS} rounds: the median of ratios within a round | the ratio of the best. Peak: resident memory at its highest, less that before, of the first answer. All entries are compared.`, // prettier-ignore
      },
      {
        title: 'predictOne(record), ten fields',
        columns: ['a second', 'a second of processor time'],
        rows: [[Math.round(clock), { value: Math.round(processor), met: processor >= PER_SECOND }]],
      },
      {
        title: 'Test accuracy in percent',
        columns: ['data', 'fit(records)', 'by hand'],
        rows: scores.map(({ name, ours, byHand }) => [name, { value: ours.toFixed(2), met: ours >= byHand - WITHIN }, byHand.toFixed(2)]), // prettier-ignore
        notes: "By hand: scikit-learn's TfidfVectorizer, or OneHotEncoder and StandardScaler, and LinearSvm on the matrix, with and without scaling its columns, whichever is better.", // prettier-ignore
      },
    ],
  };
}

/** Messages over and over, until they have so many bytes. */
function* repeated(sent, bytes) {
  for (let written = 0; written < bytes;)
    for (const one of sent) {
      written += Buffer.byteLength(one.text);
      yield one.text;
    }
}

module.exports = { name: 'encode', describe: 'records and texts to numbers, beside scikit-learn', onlyNamed: true, run };
