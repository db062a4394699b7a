// The problems of the comparisons: { name, about, train, test }. train and test are { points, labels }, scaled as `about` says, with
// labels ±1, or as they are where there are several classes.
'use strict';
const { parseLibsvm, toDense } = require('./data.js');
const { random } = require('./digits.js');
const { denseClasses, sparseClasses } = require('./generated.js');

const isSparse = (points) => 'indptr' in points;

/** The chosen rows, in order. */
function pick({ points, labels }, which) {
  const rows = which.length;
  const chosen = Float64Array.from(which, (i) => labels[i]);
  const { cols } = points;
  if (!isSparse(points)) {
    const data = new points.data.constructor(rows * cols);
    which.forEach((i, k) => data.set(points.data.subarray(i * cols, (i + 1) * cols), k * cols));
    return { points: { data, rows, cols }, labels: chosen };
  }
  const indptr = new Uint32Array(rows + 1);
  which.forEach((i, k) => (indptr[k + 1] = indptr[k] + points.indptr[i + 1] - points.indptr[i]));
  const indices = new Uint32Array(indptr[rows]);
  const values = points.values && new points.values.constructor(indptr[rows]);
  which.forEach((i, k) => {
    indices.set(points.indices.subarray(points.indptr[i], points.indptr[i + 1]), indptr[k]);
    values?.set(points.values.subarray(points.indptr[i], points.indptr[i + 1]), indptr[k]);
  });
  return { points: { indptr, indices, ...(values && { values }), rows, cols }, labels: chosen };
}

/** The numbers below n in an order that depends on the seed. */
function permutation(n, seed) {
  const next = random(seed);
  const order = Uint32Array.from({ length: n }, (_, i) => i);
  for (let k = order.length - 1; k > 0; k--) {
    const other = Math.floor(next() * (k + 1));
    [order[k], order[other]] = [order[other], order[k]];
  }
  return order;
}

/** A fixed split: four fifths for training, one fifth for testing, both in the order of the rows. */
function split(set, seed = 1) {
  const order = permutation(set.points.rows, seed);
  const many = Math.round(0.8 * order.length);
  return { train: pick(set, order.subarray(0, many).sort()), test: pick(set, order.subarray(many).sort()) };
}

/** Standardises columns in place, by the mean and standard deviation of the training rows. There may be no test rows. */
function standardise({ train, test }) {
  const { data, rows, cols } = train.points;
  for (let j = 0; j < cols; j++) {
    let [sum, squares] = [0, 0];
    for (let i = 0; i < rows; i++) sum += data[i * cols + j];
    const mean = sum / rows;
    for (let i = 0; i < rows; i++) squares += (data[i * cols + j] - mean) ** 2;
    const factor = squares > 0 ? 1 / Math.sqrt(squares / rows) : 0;
    for (const { points } of test ? [train, test] : [train]) {
      for (let i = 0; i < points.rows; i++) points.data[i * cols + j] = (points.data[i * cols + j] - mean) * factor;
    }
  }
  return { train, test };
}

/** Divides columns by the largest magnitude in the training rows, in place: zeros stay zeros. */
function divideByMagnitude({ train, test }) {
  const { data, rows, cols } = train.points;
  const most = new Float64Array(cols);
  for (let k = 0; k < rows * cols; k++) most[k % cols] = Math.max(most[k % cols], Math.abs(data[k]));
  for (const { points } of [train, test]) points.data.forEach((x, k) => (points.data[k] = most[k % cols] ? x / most[k % cols] : 0));
  return { train, test };
}

/** Scales rows to length 1, in place. */
function normalise({ train, test }) {
  for (const { points } of [train, test]) {
    for (let i = 0; i < points.rows; i++) {
      const row = points.values.subarray(points.indptr[i], points.indptr[i + 1]);
      const length = Math.hypot(...row);
      if (length > 0) row.forEach((value, k) => (row[k] = value / length));
    }
  }
  return { train, test };
}

/** Removes values if all are 1, and stored zeros. */
function tidy({ indptr, indices, values, rows, cols }) {
  if (values.every((value) => value === 1)) return { indptr, indices, rows, cols };
  const keep = values.reduce((count, value) => count + (value !== 0), 0);
  const out = { indptr: new Uint32Array(rows + 1), indices: new Uint32Array(keep), values: new Float64Array(keep), rows, cols };
  let at = 0;
  for (let i = 0; i < rows; i++) {
    for (let k = indptr[i]; k < indptr[i + 1]; k++) {
      if (values[k] === 0) continue;
      out.indices[at] = indices[k];
      out.values[at++] = values[k];
    }
    out.indptr[i + 1] = at;
  }
  return out;
}

/** Labels as ±1; the larger label is positive. */
function signs(labels) {
  const max = labels.reduce((a, b) => Math.max(a, b));
  return labels.map((label) => (label === max ? 1 : -1));
}

/** A whole file as { points, labels }, or undefined after printing what is missing. */
function read(data, name, { cols = 0, dense = false, classes = false } = {}) {
  const text = data(name);
  if (text === undefined) return undefined;
  const { labels, ...points } = parseLibsvm(text, cols);
  return { points: dense ? toDense(points) : tidy(points), labels: classes ? labels : signs(labels) };
}

/** Loads training and test rows from two files, or splits one file. `sorted`: its rows are sorted by class, and are shuffled first. */
function load(data, name, { official, sorted = false, ...options }) {
  const found = read(data, name, options);
  if (found === undefined) return undefined;
  const whole = sorted ? pick(found, permutation(found.points.rows, 2)) : found;
  if (!official) return split(whole);
  const test = read(data, official, options);
  return test && { train: whole, test };
}

/** Converts CSR points to dense f32. */
function dense32(points) {
  const { data, rows, cols } = toDense({ ...points, values: points.values ?? new Float64Array(points.indices.length).fill(1) });
  return { data: Float32Array.from(data), rows, cols };
}

function mnist(data) {
  const halves = ['train', 'test'].map((half) => {
    const images = data(`mnist01-${half}-images-idx3-ubyte`);
    const labels = data(`mnist01-${half}-labels-idx1-ubyte`);
    if (!images || !labels) return undefined;
    const pixels = images.subarray(16);
    const rows = labels.length - 8;
    const indptr = new Uint32Array(rows + 1);
    const [indices, values] = [[], []];
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < 784; j++) {
        if (pixels[i * 784 + j] === 0) continue;
        indices.push(j);
        values.push(pixels[i * 784 + j] / 255);
      }
      indptr[i + 1] = indices.length;
    }
    const points = { indptr, indices: Uint32Array.from(indices), values: Float32Array.from(values), rows, cols: 784 };
    return { points, labels: Float64Array.from(labels.subarray(8), (label) => (label === 1 ? 1 : -1)) };
  });
  return halves[0] && halves[1] && { train: halves[0], test: halves[1] };
}

const SPLIT = 'seeded 80/20 split';
const OFFICIAL = 'official test set';

const SMALL = [
  ['a9a', `as it is (0/1), ${OFFICIAL}`, (data) => load(data, 'a9a', { cols: 123, official: 'a9a.t' })],
  ['w8a', `as it is (0/1), ${SPLIT}`, (data) => load(data, 'w8a', { cols: 300 })],
  ['mushrooms', `as it is (0/1), ${SPLIT}`, (data) => load(data, 'mushrooms', { cols: 112 })],
  ['spambase', `standardised, ${SPLIT}`, (data) => then(load(data, 'spambase', { dense: true }), standardise)],
  ['farm-ads', `rows of length 1, ${SPLIT}`, (data) => then(load(data, 'farm-ads', { cols: 54877 }), valued)],
  [
    'rt_polarity',
    `rows of length 1, shuffled, ${SPLIT}`,
    (data) => then(load(data, 'rt_polarity', { cols: 10341, sorted: true }), valued),
  ],
  ['sms_spam', `as it is (tf-idf, rows of length 1), ${SPLIT}`, (data) => load(data, 'sms_spam', { cols: 8713 })],
  ['mnist01', `/255, ${OFFICIAL}`, mnist],
  [
    'svmguide1',
    `standardised, ${OFFICIAL}`,
    (data) => then(load(data, 'svmguide1', { dense: true, official: 'svmguide1.t' }), standardise),
  ],
];

function then(set, change) {
  return set && change(set);
}

/** Adds values, and scales rows to length 1. */
function valued({ train, test }) {
  for (const set of [train, test]) {
    set.points = { ...set.points, values: set.points.values ?? new Float64Array(set.points.indices.length).fill(1) };
  }
  return normalise({ train, test });
}

/** A problem by name, or undefined after printing what is missing. */
function problem(data, name) {
  const [, about, make] = SMALL.find(([known]) => known === name);
  const set = make(data);
  return set && { name, about, ...set };
}

/** MNIST's ten digits, dense. */
function digits(data) {
  const halves = ['train', 't10k'].map((half) => {
    const images = data(`${half}-images-idx3-ubyte`);
    const labels = images && data(`${half}-labels-idx1-ubyte`);
    if (!labels) return undefined;
    const points = { data: Float64Array.from(images.subarray(16), (pixel) => pixel / 255), rows: labels.length - 8, cols: 784 };
    return { points, labels: Float64Array.from(labels.subarray(8)) };
  });
  return halves[0] && halves[1] && { train: halves[0], test: halves[1] };
}

const MAGNITUDE = 'columns divided by their largest magnitude';
const severalDense = (name, official) => (data) =>
  then(load(data, name, { dense: true, classes: true, official }), divideByMagnitude);

// Sets of several classes: [name, how they are scaled, how they are loaded, what stands in for them where they are not there].
const CLASSES = [
  ['letter', `${MAGNITUDE}, ${SPLIT}`, severalDense('letter'), () => denseClasses(20_000, 16, 26)],
  ['pendigits', `${MAGNITUDE}, ${OFFICIAL}`, severalDense('pendigits', 'pendigits.t'), () => denseClasses(10_992, 16, 10)],
  ['satimage', `${MAGNITUDE}, ${OFFICIAL}`, severalDense('satimage', 'satimage.t'), () => denseClasses(6435, 36, 6)],
  ['optdigits', `${MAGNITUDE}, ${OFFICIAL}`, severalDense('optdigits', 'optdigits.t'), () => denseClasses(5620, 64, 10)],
  [
    'news20',
    `rows of length 1, ${SPLIT}`,
    (data) => then(load(data, 'news20', { cols: 62_061, classes: true }), normalise),
    () => sparseClasses(15_935, 62_061, 20, 120),
  ],
  ['mnist', `/255, ${OFFICIAL}`, digits, () => denseClasses(5000, 784, 10)],
];

/** A problem of several classes by name; generated data of its shape, scaled alike, if there is none. */
function severalClasses(data, name) {
  const [, about, make, standIn] = CLASSES.find(([known]) => known === name);
  const set = make(data);
  if (set) return { name, about, ...set };
  const generated = split(standIn());
  const scaled = isSparse(generated.train.points) ? normalise(generated) : divideByMagnitude(generated);
  return { name: `${name} (generated)`, about: `generated in place of ${name}, scaled, ${SPLIT}`, ...scaled };
}

// Tall sets, whole: [name, how they are scaled, options of read].
const TALL = [
  ['a9a', 'as it is (0/1)', { cols: 123 }],
  ['w8a', 'as it is (0/1)', { cols: 300 }],
  ['spambase', 'standardised', { dense: true }],
  ['svmguide1', 'standardised', { dense: true }],
  ['german.numer_scale', 'as it is', {}],
  ['mushrooms', 'as it is (0/1)', { cols: 112 }],
];

/** A tall set by name, all rows of it: { name, about, points, labels }; or undefined after printing what is missing. */
function tall(data, name) {
  const [, about, options] = TALL.find(([known]) => known === name);
  const train = read(data, name, options);
  if (train && options.dense) standardise({ train });
  return train && { name, about, ...train };
}

/** weights·x + bias for each row. */
function decisions(points, weights, bias) {
  const values = new Float64Array(points.rows);
  for (let i = 0; i < points.rows; i++) {
    let s = bias;
    if (isSparse(points)) {
      for (let k = points.indptr[i]; k < points.indptr[i + 1]; k++)
        s += weights[points.indices[k]] * (points.values ? points.values[k] : 1);
    } else for (let j = 0; j < points.cols; j++) s += weights[j] * points.data[i * points.cols + j];
    values[i] = s;
  }
  return values;
}

function accuracy({ points, labels }, { weights, bias }) {
  const values = decisions(points, weights, bias);
  return values.reduce((count, value, i) => count + (value > 0 === labels[i] > 0), 0) / points.rows;
}

/** 1/2 |w|^2 + C sum loss(1 - margin) for both losses: { hinge, squared }. */
function objectives({ points, labels }, { weights, bias }, C) {
  const values = decisions(points, weights, bias);
  let [hinge, squared] = [0, 0];
  values.forEach((value, i) => {
    const short = Math.max(0, 1 - labels[i] * value);
    hinge += short;
    squared += short * short;
  });
  const half = weights.reduce((sum, w) => sum + w * w, 0) / 2;
  return { hinge: half + C * hinge, squared: half + C * squared };
}

module.exports = {
  SMALL: SMALL.map(([name]) => name),
  TALL: TALL.map(([name]) => name),
  CLASSES: CLASSES.map(([name]) => name),
  problem,
  severalClasses,
  read,
  tall,
  standardise,
  dense32,
  isSparse,
  decisions,
  accuracy,
  objectives,
};
