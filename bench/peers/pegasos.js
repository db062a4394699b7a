// Pegasos (Shalev-Shwartz, Singer, Srebro 2007), as a Node user would write it: one row a step, the projection onto the ball, a bias
// that is a column of ones. lambda = 1 / (C n). Typed arrays; w is kept as a multiple of v, so that a step costs a row's entries.
'use strict';
const { random } = require('../digits.js');

function pegasos({ points, labels }, { C, epochs, seed = 1 }) {
  const { rows, cols } = points;
  const next = random(seed);
  const lambda = 1 / (C * rows);
  const v = new Float64Array(cols + 1);
  let [scale, squares] = [1, 0]; // w = scale v, |w|^2 = squares
  const { indptr, indices, values, data } = points;
  for (let t = 1; t <= epochs * rows; t++) {
    const i = Math.floor(next() * rows);
    const y = labels[i];
    let [dot, length] = [v[cols], 1];
    if (indptr) {
      for (let k = indptr[i]; k < indptr[i + 1]; k++) {
        const x = values ? values[k] : 1;
        dot += v[indices[k]] * x;
        length += x * x;
      }
    } else {
      for (let j = 0, at = i * cols; j < cols; j++, at++) {
        dot += v[j] * data[at];
        length += data[at] * data[at];
      }
    }
    dot *= scale;
    const shrink = 1 - 1 / t;
    if (shrink > 0) {
      scale *= shrink;
      squares *= shrink * shrink;
    } else {
      v.fill(0);
      [scale, squares] = [1, 0];
    }
    if (y * dot < 1) {
      const step = y / (lambda * t);
      const change = step / scale;
      if (indptr) for (let k = indptr[i]; k < indptr[i + 1]; k++) v[indices[k]] += change * (values ? values[k] : 1);
      else for (let j = 0, at = i * cols; j < cols; j++, at++) v[j] += change * data[at];
      v[cols] += change;
      squares += 2 * step * shrink * dot + step * step * length;
    }
    const over = Math.sqrt(lambda * squares);
    if (over > 1) {
      scale /= over;
      squares = 1 / lambda;
    }
    if (scale < 1e-9) {
      for (let j = 0; j <= cols; j++) v[j] *= scale;
      scale = 1;
    }
  }
  return { weights: v.subarray(0, cols).map((value) => value * scale), bias: v[cols] * scale };
}

module.exports = { pegasos };
