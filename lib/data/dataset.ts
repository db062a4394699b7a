/// <reference lib="esnext.disposable" preserve="true" />
import type { Backend, Matrix } from '../backend/interface.js';
import { coded } from '../errors.js';
import { resolveDataset } from '../input/resolve-dataset.js';
import { notMade } from '../input/options.js';
import type { DatasetOptions, DenseMatrix, Rows, SparseMatrix } from '../types.js';

interface Data {
  readonly matrix: Matrix;
  readonly backend: Backend;
  /** Whether the columns were centred. */
  readonly shifted: boolean;
  /** Frozen. */
  readonly columns: readonly string[] | undefined;
}

/** Private to this file, so that only this file can construct a Dataset. */
const MADE = Symbol('made');

/**
 * Points prepared once and used many times. They are checked and copied into the most compact lossless form: 16-bit column numbers where
 * they fit, no values if all are 1, f32 kept as f32. The arrays that it was made from may be changed or transferred afterwards.
 */
export class Dataset {
  readonly rows: number;
  readonly cols: number;
  /** The number of stored entries: rows × cols for dense points, the explicit entries for sparse ones. */
  readonly nnz: number;
  /** The memory held, in bytes. */
  readonly bytes: number;
  /** The names of the columns, if the points had them or the option gave them. */
  readonly columns: readonly string[] | undefined;
  #data: Data | undefined;

  private constructor(made: typeof MADE, data: Data) {
    if (made !== MADE) throw notMade('Dataset', 'Dataset.from(points, options)');
    const { rows, cols, stored, bytes } = data.matrix.describe();
    this.#data = data;
    this.rows = rows;
    this.cols = cols;
    this.nnz = stored;
    this.bytes = bytes;
    this.columns = data.columns;
  }

  static from(points: Rows | DenseMatrix | SparseMatrix, options?: DatasetOptions): Dataset {
    const { view, backend, threads, columns } = resolveDataset(points, options);
    const matrix = new backend.Matrix(view.refuse, threads, ...view.arguments);
    const shifted = matrix.centre(threads);
    return new Dataset(MADE, { matrix, backend, shifted, columns: columns && Object.freeze(columns) });
  }

  /** Whether a value is a Dataset made here, which a prototype alone does not prove. @internal */
  static is(value: unknown): value is Dataset {
    return typeof value === 'object' && value !== null && #data in value;
  }

  /** The data, for code of this package that computes with them. @internal */
  static dataOf(dataset: Dataset): Data {
    if (!dataset.#data) throw coded(Error, 'ERR_DISPOSED', 'Expected a live Dataset but it was disposed of');
    return dataset.#data;
  }

  /** Frees the memory at once, without waiting for the garbage collector. Using the dataset afterwards throws. */
  dispose(): void {
    this.#data?.matrix.dispose();
    this.#data = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
