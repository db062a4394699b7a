/** Pseudorandom vectors and matrices, the same in every run. */
import type { Kernels, Matrix } from '../../lib/backend/interface.js';
import { random } from './random.js';
import type { Entries } from './reference.js';

export type Data = Float64Array | Float32Array;

/** n numbers in [-1, 1), every ninth of them 0. */
export function vector(n: number, seed: number): Float64Array {
  const next = random(seed);
  return Float64Array.from({ length: n }, (_, i) => (i % 9 === 4 ? 0 : 2 * next() - 1));
}

/** n small integers, including 0: sums of their products are exact, so every order of addition gives the same bits. */
export function integers(n: number, seed: number): Float64Array {
  const next = random(seed);
  return Float64Array.from({ length: n }, () => Math.floor(next() * 17) - 8);
}

/** The entries of a matrix, and how to copy them into a backend. */
export interface Source extends Entries {
  copy(kernels: Kernels, threads?: number): Matrix;
}

/** An onDefect callback for data without defects. */
export function unexpectedDefect(defect: unknown): never {
  throw new Error(`The copy reported a defect: ${JSON.stringify(defect)}`);
}

export function dense(data: Data, rows: number, cols: number): Source {
  return {
    rows,
    cols,
    forEach(visit) {
      for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) visit(i, j, data[i * cols + j]!);
    },
    copy: (kernels, threads = 1) => new kernels.Matrix(unexpectedDefect, threads, data, rows, cols),
  };
}

export interface Csr {
  indptr: Uint32Array;
  indices: Uint32Array;
  values: Data | undefined;
  rows: number;
  cols: number;
}

export function sparse({ indptr, indices, values, rows, cols }: Csr): Source {
  return {
    rows,
    cols,
    forEach(visit) {
      for (let i = 0; i < rows; i++) for (let k = indptr[i]!; k < indptr[i + 1]!; k++) visit(i, indices[k]!, values?.[k] ?? 1);
    },
    copy: (kernels, threads = 1) => new kernels.Matrix(unexpectedDefect, threads, indptr, indices, values, rows, cols),
  };
}

/** Rows of 0 to `max` entries in random columns; every seventh row is empty. The last row, unless empty, has an entry in the last column. */
export function csr(rows: number, cols: number, max: number, seed: number): Csr {
  const next = random(seed);
  const indptr = new Uint32Array(rows + 1);
  const indices: number[] = [];
  for (let i = 0; i < rows; i++) {
    const columns = new Set<number>();
    const entries = i % 7 === 3 ? 0 : Math.floor(next() * (Math.min(max, cols) + 1));
    if (i === rows - 1 && entries > 0) columns.add(cols - 1);
    while (columns.size < entries) columns.add(Math.floor(next() * cols));
    for (const j of [...columns].sort((a, b) => a - b)) indices.push(j);
    indptr[i + 1] = indices.length;
  }
  return { indptr, indices: Uint32Array.from(indices), values: undefined, rows, cols };
}
