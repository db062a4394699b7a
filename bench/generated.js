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

/** CSR points of ones: `each` different columns per row, drawn by Zipf's law with exponent 1.1. */
function sparseZipf(rows, cols, each = 50, seed = 1) {
  const next = random(seed);
  const gauss = normal(next);
  const w = Float64Array.from({ length: cols }, gauss);
  const total = new Float64Array(cols);
  let sum = 0;
  for (let j = 0; j < cols; j++) total[j] = sum += (j + 1) ** -1.1;
  const column = () => {
    const u = next() * sum;
    let [low, high] = [0, cols - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (total[middle] > u) high = middle;
      else low = middle + 1;
    }
    return low;
  };
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

module.exports = { normal, denseNormal, sparseZipf };
