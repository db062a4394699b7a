/** Public types. */

/** Dense, row-major. */
export interface DenseMatrix {
  readonly data: Float64Array | Float32Array;
  readonly rows: number;
  readonly cols: number;
}

/** Compressed sparse rows; column indices are 0-based and ascend within a row. Without `values` every stored entry is 1. */
export interface SparseMatrix {
  readonly indptr: Int32Array | Uint32Array | readonly number[];
  readonly indices: Int32Array | Uint32Array | readonly number[];
  readonly values?: Float64Array | Float32Array | readonly number[];
  readonly rows: number;
  readonly cols: number;
}

/** Rows of numbers. */
export type Rows = readonly ArrayLike<number>[];

export type BackendName = 'native' | 'js';

/** What computes, and how it was chosen. */
export interface BackendInfo {
  /** `'native'`: the C++ addon; `'js'`: the TypeScript kernels. */
  readonly name: BackendName;
  /** The instruction set in use: `'avx512'`, `'avx2'`, `'neon'`, `'baseline'`, or `'none'` with the TypeScript kernels. */
  readonly simd: string;
  /** Threads used where no option says otherwise. */
  readonly threads: number;
  /** Why the native addon is not in use, if it was tried. */
  readonly loadError?: Error;
}

export interface DatasetOptions {
  /** @default 'auto' */
  backend?: 'auto' | BackendName;
  /** Threads that copy and compute. @default os.availableParallelism() */
  threads?: number;
}
