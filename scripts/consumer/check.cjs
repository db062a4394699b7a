// Run where fista-classify is installed: node check.cjs <native|wasm|js> [<simd level>]. Fails unless that backend is in use and correct.
'use strict';
const assert = require('node:assert/strict');
const { dirname, join } = require('node:path');
const { backend, Dataset } = require('fista-classify');

const [name, simd] = process.argv.slice(2);
assert.equal(backend.name, name, backend.loadError?.message);
if (simd) assert.equal(backend.simd, simd);
assert.equal(Dataset.from([[1, 2], [3, 4], [5, 6]]).rows, 3); // prettier-ignore

// Compares the kernels with their TypeScript twins, at the instruction set in use and at the baseline.
const { loadNative, loadWasm, loadFallback } = require(join(dirname(require.resolve('fista-classify')), 'backend', 'load.js'));
const threads = 2;
const [rows, cols] = [203, 61];

let seed = 1;
const random = () => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff - 0.5;
const randoms = (length) => Float64Array.from({ length }, random);

const data = randoms(rows * cols);
const indptr = Uint32Array.from({ length: rows + 1 }, (_, i) => 4 * i);
const indices = Uint32Array.from({ length: 4 * rows }, (_, k) => (k % 4) * 15 + (k % 11));
const values = Float32Array.from(randoms(indices.length));
const w = randoms(cols);
const u = randoms(rows);
const weight = randoms(rows).map((r) => r + 0.6);
const y = Int8Array.from(u, (r) => (r > 0 ? 1 : -1));
const start = Uint32Array.from({ length: rows + 1 }, (_, i) => i * cols);

/** The results of a backend's kernels on the same numbers, by name. */
function results(of) {
  const matrices = {
    dense: new of.Matrix(assert.fail, threads, data, rows, cols),
    'dense f32': new of.Matrix(assert.fail, threads, Float32Array.from(data), rows, cols),
    sparse: new of.Matrix(assert.fail, threads, indptr, indices, values, rows, cols),
    'sparse ones': new of.Matrix(assert.fail, threads, indptr, indices, undefined, rows, cols),
  };
  const pieces = {};
  for (const [form, matrix] of Object.entries(matrices)) {
    matrix.multiply(w, (pieces[`${form} X·w`] = new Float64Array(rows)), threads);
    matrix.multiplyTransposed(u, (pieces[`${form} Xᵀ·u`] = new Float64Array(cols)), threads);
  }
  of.kernels.projectKnapsack(u, y, weight, 0.7, 0.25, NaN, (pieces.knapsack = new Float64Array(rows)), threads);
  of.kernels.projectCones(data, start, (pieces.cones = new Float64Array(data.length)), threads);
  return pieces;
}

function compare(other, expected) {
  for (const [piece, values] of Object.entries(results(other))) {
    values.forEach((value, i) => {
      const error = Math.abs(value - expected[piece][i]);
      assert.ok(error <= 1e-13 * (1 + Math.abs(value)), `${piece}[${i}] at ${other.simd}: ${value}, twin ${expected[piece][i]}`);
    });
  }
}

if (name === 'native') {
  const expected = results(loadFallback());
  // One level at a time: a level applies to objects created after it is set.
  for (const level of [backend.simd, 'baseline']) compare(loadNative(level), expected);
  console.log(`    require: native, ${backend.simd} and baseline agree with the TypeScript kernels`);
} else if (name === 'wasm') {
  compare(loadWasm(), results(loadFallback()));
  console.log(`    require: wasm, ${backend.simd} agrees with the TypeScript kernels`);
} else {
  console.log('    require: js');
}
