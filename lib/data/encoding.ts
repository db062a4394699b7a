/** Writes the values of fields as a matrix. */
import { coded } from '../errors.js';
import { pause, type Loop } from '../solver/drivers.js';
import type { DenseMatrix, SparseMatrix } from '../types.js';
import type { BoundEncoding, Encoding, Sink } from './fields/field.js';

/** A field, what was learnt of it, and the first of its columns. */
export interface EncodedField {
  readonly name: string;
  readonly encoding: Encoding;
  readonly first: number;
}

/** Rows between two pauses. */
const TURN = 512;

/** The bytes of a number, of a column number and of a row's beginning. */
const [NUMBER, INDEX] = [8, 4];

class DenseSink implements Sink {
  row = 0;

  constructor(
    readonly data: Float64Array,
    readonly cols: number,
  ) {}

  add(column: number, value: number): void {
    this.data[this.row * this.cols + column] = value;
  }
}

class SparseSink implements Sink {
  used = 0;

  constructor(
    readonly indices: Uint32Array,
    readonly values: Float64Array | undefined,
  ) {}

  add(column: number, value: number): void {
    this.indices[this.used] = column;
    if (this.values) this.values[this.used] = value;
    this.used++;
  }
}

/**
 * The rows as a matrix, dense or of sparse rows, whichever is smaller; without values if all of them are 1. Rows whose `among`, if given, is 0
 * are left empty.
 */
export function* encoding(
  fields: readonly EncodedField[],
  bound: readonly BoundEncoding[],
  rows: number,
  among?: ArrayLike<number>,
): Loop<DenseMatrix | SparseMatrix> {
  const cols = fields.reduce((sum, { encoding }) => sum + encoding.width, 0);
  const entries = bound.reduce((sum, one) => sum + one.entries(), 0);
  const ones = fields.every(({ encoding }) => encoding.ones);
  const isDense = NUMBER * rows * cols <= (ones ? INDEX : NUMBER + INDEX) * entries + INDEX * rows;
  const writers = bound.map((one, k) => [one.writer(), fields[k]!.first] as const);
  if (isDense) {
    const sink = new DenseSink(allocate(Float64Array, rows * cols), cols);
    for (let row = 0; row < rows; row++) {
      if (row % TURN === 0) yield pause();
      sink.row = row;
      if (!among || among[row]! > 0) for (const [write, first] of writers) write(row, first, sink);
    }
    return { data: sink.data, rows, cols };
  }
  const indptr = allocate(Uint32Array, rows + 1);
  const sink = new SparseSink(allocate(Uint32Array, entries), ones ? undefined : allocate(Float64Array, entries));
  for (let row = 0; row < rows; row++) {
    if (row % TURN === 0) yield pause();
    if (!among || among[row]! > 0) for (const [write, first] of writers) write(row, first, sink);
    indptr[row + 1] = sink.used;
  }
  // Memory that was reserved for entries that do not exist was never written, and so takes none.
  const values = sink.values?.subarray(0, sink.used);
  return { indptr, indices: sink.indices.subarray(0, sink.used), ...(values && { values }), rows, cols };
}

function allocate<T extends Float64Array | Uint32Array>(List: new (length: number) => T, length: number): T {
  try {
    return new List(length);
  } catch (error) {
    const message = `Expected records whose numbers fit in memory but received ${length} of them`;
    throw coded(RangeError, 'ERR_RECORDS', message, error);
  }
}
