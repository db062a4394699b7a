// Seeded generators of data.
'use strict';
const { random } = require('./digits.js');

/** A generator of standard normal numbers from uniform ones (polar method). */
function normal(next) {
  let spare;
  return () => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    for (;;) {
      const u = 2 * next() - 1;
      const v = 2 * next() - 1;
      const s = u * u + v * v;
      if (s >= 1 || s === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(s)) / s);
      spare = v * factor;
      return u * factor;
    }
  };
}

/** y = sign(score + noise), 5 % flipped. The noise is normal, with half the standard deviation of the scores. */
function noisyLabels(scores, next, gauss) {
  let [sum, squares] = [0, 0];
  for (const s of scores) {
    sum += s;
    squares += s * s;
  }
  const mean = sum / scores.length;
  const deviation = Math.sqrt(squares / scores.length - mean * mean);
  return scores.map((s) => (s + 0.5 * deviation * gauss() > 0 ? 1 : -1) * (next() < 0.05 ? -1 : 1));
}

/** Dense f32 points with standard normal entries. */
function denseNormal(rows, cols, seed = 1) {
  const next = random(seed);
  const gauss = normal(next);
  const w = Float64Array.from({ length: cols }, gauss);
  const data = new Float32Array(rows * cols);
  const scores = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let s = 0;
    for (let j = 0; j < cols; j++) s += w[j] * (data[i * cols + j] = gauss());
    scores[i] = s;
  }
  return { points: { data, rows, cols }, labels: noisyLabels(scores, next, gauss) };
}

/** A generator of columns by Zipf's law with exponent 1.1. */
function zipf(cols, next) {
  const total = new Float64Array(cols);
  let sum = 0;
  for (let j = 0; j < cols; j++) total[j] = sum += (j + 1) ** -1.1;
  return () => {
    const u = next() * sum;
    let [low, high] = [0, cols - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (total[middle] > u) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/** CSR points of ones: `each` different columns per row, drawn by Zipf's law with exponent 1.1. */
function sparseZipf(rows, cols, each = 50, seed = 1) {
  const next = random(seed);
  const gauss = normal(next);
  const w = Float64Array.from({ length: cols }, gauss);
  const column = zipf(cols, next);
  const indptr = Uint32Array.from({ length: rows + 1 }, (_, i) => i * each);
  const indices = new Uint32Array(rows * each);
  const scores = new Float64Array(rows);
  const taken = new Int32Array(cols).fill(-1);
  for (let i = 0; i < rows; i++) {
    const row = indices.subarray(i * each, (i + 1) * each);
    for (let k = 0; k < each;) {
      const j = column();
      if (taken[j] === i) continue;
      taken[j] = i;
      row[k++] = j;
    }
    row.sort();
    let s = 0;
    for (const j of row) s += w[j];
    scores[i] = s;
  }
  return { points: { indptr, indices, rows, cols }, labels: noisyLabels(scores, next, gauss) };
}

/** Dense f64 points of several classes, 0 and up: normal clouds, two a class, so that no planes separate them all. */
function denseClasses(rows, cols, classes, seed = 1) {
  const next = random(seed);
  const gauss = normal(next);
  const centres = Float64Array.from({ length: 2 * classes * cols }, () => (4 / Math.sqrt(cols)) * gauss());
  const data = new Float64Array(rows * cols);
  const labels = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const cloud = Math.floor(2 * classes * next());
    labels[i] = cloud % classes;
    for (let j = 0; j < cols; j++) data[i * cols + j] = centres[cloud * cols + j] + gauss();
  }
  return { points: { data, rows, cols }, labels };
}

/** CSR points of several classes: `each` columns drawn by Zipf's law, a fifth of them from an order of the columns that is the class's. */
function sparseClasses(rows, cols, classes, each, seed = 1) {
  const next = random(seed);
  const column = zipf(cols, next);
  const labels = Float64Array.from({ length: rows }, () => Math.floor(classes * next()));
  const [indices, values] = [[], []];
  const indptr = new Uint32Array(rows + 1);
  labels.forEach((label, i) => {
    const counts = new Map();
    for (let k = 0; k < each; k++) {
      const own = next() < 0.2 ? Math.floor(((label + 1) * cols) / (classes + 1)) : 0;
      const j = (column() + own) % cols;
      counts.set(j, (counts.get(j) ?? 0) + 1);
    }
    for (const [j, count] of [...counts].sort((a, b) => a[0] - b[0])) {
      indices.push(j);
      values.push(count);
    }
    indptr[i + 1] = indices.length;
  });
  return { points: { indptr, indices: Uint32Array.from(indices), values: Float64Array.from(values), rows, cols }, labels };
}

/** A generator of numbers for one row: rows have their own, so that any range of rows can be made without those before it. */
const ofRow = (i) => random(Math.imul(i + 1, 0x9e3779b1));

/** y = sign(score + noise), 5 % flipped, for scores of a known standard deviation. */
function noisyLabel(score, deviation, next, gauss) {
  return (score + 0.5 * deviation * gauss() > 0 ? 1 : -1) * (next() < 0.05 ? -1 : 1);
}

/** Rows begin to end of dense f32 points, uniform between -1 and 1: the same rows whatever the range. */
function denseRange(begin, end, cols) {
  const w = Float64Array.from({ length: cols }, normal(random(1)));
  const deviation = Math.sqrt(w.reduce((sum, x) => sum + x * x, 0) / 3);
  const rows = end - begin;
  const data = new Float32Array(rows * cols);
  const labels = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const next = ofRow(begin + i);
    let score = 0;
    for (let j = 0; j < cols; j++) score += w[j] * (data[i * cols + j] = 2 * next() - 1);
    labels[i] = noisyLabel(score, deviation, next, normal(next));
  }
  return { points: { data, rows, cols }, labels };
}

/** Rows begin to end of CSR points of ones, as of sparseZipf: the same rows whatever the range. */
function sparseRange(begin, end, cols, each) {
  const w = Float64Array.from({ length: cols }, normal(random(1)));
  const deviation = Math.sqrt(each); // about
  let next;
  const column = zipf(cols, () => next());
  const rows = end - begin;
  const indptr = Uint32Array.from({ length: rows + 1 }, (_, i) => i * each);
  const indices = new Uint32Array(rows * each);
  const labels = new Float64Array(rows);
  const taken = new Int32Array(cols).fill(-1);
  for (let i = 0; i < rows; i++) {
    next = ofRow(begin + i);
    const row = indices.subarray(i * each, (i + 1) * each);
    let score = 0;
    for (let k = 0; k < each;) {
      const j = column();
      if (taken[j] === i) continue;
      taken[j] = i;
      row[k++] = j;
      score += w[j];
    }
    row.sort();
    labels[i] = noisyLabel(score, deviation, next, normal(next));
  }
  return { points: { indptr, indices, rows, cols }, labels };
}

module.exports = { normal, denseRange, sparseRange, denseNormal, sparseZipf, denseClasses, sparseClasses };
