/// <reference lib="esnext.disposable" preserve="true" />
import type { Backend, Matrix } from '../backend/interface.js';
import { coded } from '../errors.js';
import { resolveDataset } from '../input/resolve-dataset.js';
import { notMade } from '../input/options.js';
import type { DatasetOptions, DenseMatrix, Rows, SparseMatrix } from '../types.js';

interface Data {
  readonly matrix: Matrix;
  readonly backend: Backend;
  /** Whether something was subtracted from columns. */
  readonly shifted: boolean;
}

/** Known to this file alone, so that nobody else can make one. */
const MADE = Symbol('made');

/**
 * Points prepared once and used many times: checked, and copied into the most compact form that loses nothing (16-bit column
 * numbers where they fit, no values when all are 1, f32 kept f32). The arrays it was made from may be changed or transferred
 * afterwards.
 */
export class Dataset {
  readonly rows: number;
  readonly cols: number;
  /** Stored entries: rows × cols of dense points, the explicit entries of sparse ones. */
  readonly nnz: number;
  /** Memory held. */
  readonly bytes: number;
  #data: Data | undefined;

  private constructor(made: typeof MADE, matrix: Matrix, backend: Backend, shifted: boolean) {
    if (made !== MADE) throw notMade('Dataset', 'Dataset.from(points, options)');
    const { rows, cols, stored, bytes } = matrix.describe();
    this.#data = { matrix, backend, shifted };
    this.rows = rows;
    this.cols = cols;
    this.nnz = stored;
    this.bytes = bytes;
  }

  static from(points: Rows | DenseMatrix | SparseMatrix, options?: DatasetOptions): Dataset {
    const { view, backend, threads } = resolveDataset(points, options);
    const matrix = new backend.Matrix(view.refuse, threads, ...view.arguments);
    return new Dataset(MADE, matrix, backend, matrix.centre(threads));
  }

  /** Whether it is one, and not only says so. @internal */
  static is(value: unknown): value is Dataset {
    return typeof value === 'object' && value !== null && #data in value;
  }

  /** The data, for the parts of this package that compute with them. @internal */
  static dataOf(dataset: Dataset): Data {
    if (!dataset.#data) throw coded(Error, 'ERR_DISPOSED', 'Expected a live Dataset but it was disposed of');
    return dataset.#data;
  }

  /** Frees the memory now rather than when the garbage collector comes by. Using the dataset afterwards throws. */
  dispose(): void {
    this.#data?.matrix.dispose();
    this.#data = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
