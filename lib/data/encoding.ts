/** Writes the values of fields as a matrix. */
import { coded } from '../errors.js';
import { pause, type Loop } from '../solver/drivers.js';
import type { DenseMatrix, SparseMatrix } from '../types.js';
import { EncodedRow } from './fields/encoded-row.js';
import type { BoundEncoding, Encoding } from './fields/field.js';

/** A field, what was learnt of it, and the first of its columns. */
export interface EncodedField {
  readonly name: string;
  readonly encoding: Encoding;
  readonly first: number;
  /** Whether a record without the field is refused. */
  readonly required: boolean;
}

/** Rows between two pauses. */
const TURN = 512;

/** The bytes of a number, of a column number and of a row's beginning. */
const [NUMBER, INDEX] = [8, 4];

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
  const entry = new EncodedRow();
  const write = (row: number) => {
    entry.clear();
    if (!among || among[row]! > 0) for (const [add, first] of writers) add(row, first, entry);
  };
  if (isDense) {
    const data = allocate(Float64Array, rows * cols);
    for (let row = 0; row < rows; row++) {
      if (row % TURN === 0) yield pause();
      write(row);
      for (let k = 0; k < entry.count; k++) data[row * cols + entry.columns[k]!] = entry.values[k]!;
    }
    return { data, rows, cols };
  }
  const indptr = allocate(Uint32Array, rows + 1);
  const indices = allocate(Uint32Array, entries);
  const values = ones ? undefined : allocate(Float64Array, entries);
  let used = 0;
  for (let row = 0; row < rows; row++) {
    if (row % TURN === 0) yield pause();
    write(row);
    for (let k = 0; k < entry.count; k++) indices[used + k] = entry.columns[k]!;
    if (values) for (let k = 0; k < entry.count; k++) values[used + k] = entry.values[k]!;
    indptr[row + 1] = used += entry.count;
  }
  // Memory that was reserved for entries that do not exist was never written, and so takes none.
  return { indptr, indices: indices.subarray(0, used), ...(values && { values: values.subarray(0, used) }), rows, cols };
}

function allocate<T extends Float64Array | Uint32Array>(List: new (length: number) => T, length: number): T {
  try {
    return new List(length);
  } catch (error) {
    const message = `Expected records whose numbers fit in memory but received ${length} of them`;
    throw coded(RangeError, 'ERR_RECORDS', message, error);
  }
}
