/** Data for the tests of LinearSvm. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { DenseMatrix, SparseMatrix } from '../../lib/types.js';
import { normal, random } from './random.js';

export interface Sample {
  rows: number[][];
  labels: number[];
}

/** Two overlapping normal clouds, with alternating labels -1 and 1. */
export function clouds(seed: number, n: number, d: number, distance = 1): Sample {
  const next = random(seed);
  const labels = Array.from({ length: n }, (_, i) => (i % 2 ? 1 : -1));
  const rows = labels.map((y) => Array.from({ length: d }, (_, j) => normal(next) + (j === 0 ? (y * distance) / 2 : 0)));
  return { rows, labels };
}

export function wdbc(): Sample {
  const text = gunzipSync(readFileSync(join(__dirname, '../fixtures/wdbc.libsvm.gz'))).toString();
  const rows: number[][] = [];
  const labels: number[] = [];
  for (const line of text.split('\n').filter(Boolean)) {
    const [label, ...entries] = line.split(' ');
    const row = new Array<number>(30).fill(0);
    for (const entry of entries) {
      const [column, value] = entry.split(':').map(Number);
      row[column! - 1] = value!;
    }
    rows.push(row);
    labels.push(Number(label));
  }
  return { rows, labels };
}

export function dense(rows: readonly number[][], Kind: typeof Float64Array | typeof Float32Array = Float64Array): DenseMatrix {
  return { data: Kind.from(rows.flat()), rows: rows.length, cols: rows[0]!.length };
}

/** The nonzero entries in CSR form. */
export function sparse(rows: readonly number[][], Kind: typeof Float64Array | typeof Float32Array = Float64Array): SparseMatrix {
  const indptr = [0];
  const indices: number[] = [];
  const values: number[] = [];
  for (const row of rows) {
    row.forEach((value, j) => {
      if (value === 0) return;
      indices.push(j);
      values.push(value);
    });
    indptr.push(indices.length);
  }
  return {
    indptr: Uint32Array.from(indptr),
    indices: Uint32Array.from(indices),
    values: Kind.from(values),
    rows: rows.length,
    cols: rows[0]!.length,
  };
}

/** Rows rounded to single precision, which every storage form holds exactly. */
export function rounded(rows: readonly number[][]): number[][] {
  return rows.map((row) => row.map(Math.fround));
}

/** Rows of entries 0 and 1. */
export function binary(seed: number, n: number, d: number): Sample {
  const uniform = random(seed);
  const labels = Array.from({ length: n }, (_, i) => (i % 3 ? 1 : -1));
  const rows = labels.map((y) => Array.from({ length: d }, (_, j) => (uniform() < (j % 4 === 0 ? 0.25 + 0.15 * y : 0.2) ? 1 : 0)));
  return { rows, labels };
}
