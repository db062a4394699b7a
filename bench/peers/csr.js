// A matrix in a file: 4 signed 64-bit numbers (0, rows, columns, entries), where rows begin (64-bit), column numbers (32-bit), values (f64).
'use strict';
const { closeSync, openSync, readSync, writeSync } = require('node:fs');

const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Points as sparse rows, dense ones without their zeros. */
function toCsr(points) {
  if (points.indptr) return { ...points, values: points.values ?? new Float64Array(points.indices.length).fill(1) };
  const { data, rows, cols } = points;
  const indptr = new Uint32Array(rows + 1);
  const [indices, values] = [[], []];
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      if (data[i * cols + j] === 0) continue;
      indices.push(j);
      values.push(data[i * cols + j]);
    }
    indptr[i + 1] = indices.length;
  }
  return { indptr, indices: Uint32Array.from(indices), values: Float64Array.from(values), rows, cols };
}

function writeCsr(file, points) {
  const { indptr, indices, values, rows, cols } = toCsr(points);
  const out = openSync(file, 'w');
  const write = (array) => {
    const bytes = bytesOf(array);
    for (let at = 0; at < bytes.length;) at += writeSync(out, bytes, at, Math.min(bytes.length - at, 2 ** 30));
  };
  write(BigInt64Array.from([0, rows, cols, indices.length], BigInt));
  write(BigInt64Array.from(indptr, BigInt));
  write(indices);
  write(values);
  closeSync(out);
}

function readCsr(file) {
  const from = openSync(file, 'r');
  const take = (array) => {
    const bytes = bytesOf(array);
    for (let at = 0; at < bytes.length;) at += readSync(from, bytes, at, Math.min(bytes.length - at, 2 ** 30));
    return array;
  };
  const [, rows, cols, entries] = Array.from(take(new BigInt64Array(4)), Number);
  const indptr = Float64Array.from(take(new BigInt64Array(rows + 1)), Number);
  const matrix = { indptr, indices: take(new Uint32Array(entries)), values: take(new Float64Array(entries)), rows, cols };
  closeSync(from);
  return matrix;
}

/** The largest difference of two matrices of as many columns and entries in the same places; or what is not the same, in words. */
function difference(a, b) {
  for (const name of ['rows', 'cols']) if (a[name] !== b[name]) return `${name}: ${a[name]} and ${b[name]}`;
  for (let i = 0; i <= a.rows; i++) if (a.indptr[i] !== b.indptr[i]) return `row ${i - 1} has other entries`;
  let largest = 0;
  for (let k = 0; k < a.indices.length; k++) {
    if (a.indices[k] !== b.indices[k]) return `entry ${k}: column ${a.indices[k]} and ${b.indices[k]}`;
    largest = Math.max(largest, Math.abs(a.values[k] - b.values[k]));
  }
  return largest;
}

module.exports = { difference, readCsr, toCsr, writeCsr };
