import type { CopyProblem, Matrix as MatrixInterface, OnProblem } from '../backend.js';
import { coded } from '../errors.js';
import * as dense from './dense.js';
import * as sparse from './sparse.js';

type Data = Float64Array | Float32Array;

function firstNotFinite(values: Data): number {
  for (let k = 0; k < values.length; k++) if (!Number.isFinite(values[k])) return k;
  return -1;
}

function structureProblem(indptr: Uint32Array, indices: Uint32Array, rows: number, cols: number): CopyProblem | undefined {
  if (indptr[0] !== 0) return { problem: 'bad-start', row: 0, at: 0 };
  for (let i = 0; i < rows; i++) {
    if (indptr[i + 1]! < indptr[i]! || indptr[i + 1]! > indices.length) return { problem: 'bad-start', row: i, at: i + 1 };
  }
  for (let i = 0; i < rows; i++) {
    for (let k = indptr[i]!; k < indptr[i + 1]!; k++) {
      if (indices[k]! >= cols) return { problem: 'bad-range', row: i, at: k };
      if (k > indptr[i]! && indices[k]! <= indices[k - 1]!) return { problem: 'bad-order', row: i, at: k };
    }
  }
  return undefined;
}

/** By size rather than class: an array may come from another realm (vm context), with classes of its own. */
function isF32(values: Data): boolean {
  return values.BYTES_PER_ELEMENT === 4;
}

/** The smallest form that loses nothing. */
function compact(values: Data): Data | undefined {
  if (values.every((v) => v === 1)) return undefined;
  if (!isF32(values) && values.every((v) => Math.fround(v) === v)) return Float32Array.from(values);
  return values.slice();
}

/** A data matrix X, copied once. Rows of numbers, or compressed sparse rows. */
export class Matrix implements MatrixInterface {
  #dense: dense.Rows | undefined;
  #sparse: sparse.Rows | undefined;

  constructor(onProblem: OnProblem, _threads: number, ...data: DenseArguments | SparseArguments) {
    if (data.length === 3) {
      const [values, rows, cols] = data;
      const copy = values.slice(0, rows * cols);
      const at = firstNotFinite(copy);
      if (at >= 0) onProblem({ problem: 'not-finite', row: 0, at });
      this.#dense = { data: copy, rows, cols };
    } else {
      const [indptr, indices, values, rows, cols] = data;
      const problem = structureProblem(indptr, indices, rows, cols);
      if (problem) onProblem(problem);
      const stored = indptr[rows]!;
      const copy = values && compact(values.subarray(0, stored));
      const at = copy ? firstNotFinite(copy) : -1;
      if (at >= 0) onProblem({ problem: 'not-finite', row: 0, at });
      const Index = cols < 65536 ? Uint16Array : Uint32Array;
      this.#sparse = {
        start: indptr.slice(0, rows + 1),
        index: Index.from(indices.subarray(0, stored)),
        values: copy,
        rows,
        cols,
      };
    }
  }

  describe() {
    if (this.#dense) {
      const { data, rows, cols } = this.#dense;
      return { rows, cols, stored: data.length, bytes: data.byteLength, form: `dense ${name(data)}` };
    }
    const { start, index, values, rows, cols } = this.#alive();
    return {
      rows,
      cols,
      stored: index.length,
      bytes: start.byteLength + index.byteLength + (values?.byteLength ?? 0),
      form: `sparse ${index instanceof Uint16Array ? 'u16' : 'u32'} ${values ? name(values) : 'ones'}`,
    };
  }

  multiply(w: Float64Array, out: Float64Array): void {
    if (this.#dense) dense.multiply(this.#dense, w, out);
    else sparse.multiply(this.#alive(), w, out);
  }

  multiplyTransposed(u: Float64Array, out: Float64Array): void {
    if (this.#dense) dense.multiplyTransposed(this.#dense, u, out);
    else sparse.multiplyTransposed(this.#alive(), u, out);
  }

  dispose(): void {
    this.#dense = this.#sparse = undefined;
  }

  #alive(): sparse.Rows {
    if (!this.#sparse) throw coded(Error, 'ERR_DISPOSED', 'Expected a live matrix but it was disposed of');
    return this.#sparse;
  }
}

type DenseArguments = [data: Data, rows: number, cols: number];
type SparseArguments = [indptr: Uint32Array, indices: Uint32Array, values: Data | undefined, rows: number, cols: number];

function name(values: Data): string {
  return isF32(values) ? 'f32' : 'f64';
}
