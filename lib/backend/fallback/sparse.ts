/** CSR X·w and Xᵀ·u, for all rows or for rows in a list. Without values every stored entry is 1. */

export interface Rows {
  readonly start: Uint32Array;
  readonly index: Uint16Array | Uint32Array;
  readonly values: Float64Array | Float32Array | undefined;
  readonly rows: number;
  readonly cols: number;
}

/** out = X·w */
export function multiply({ start, index, values, rows }: Rows, w: Float64Array, out: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    const end = start[i + 1]!;
    let s = 0;
    if (values) for (let k = start[i]!; k < end; k++) s += values[k]! * w[index[k]!]!;
    else for (let k = start[i]!; k < end; k++) s += w[index[k]!]!;
    out[i] = s;
  }
}

/** out = Xᵀ·u; rows with u_i = 0 are not read */
export function multiplyTransposed({ start, index, values, rows, cols }: Rows, u: Float64Array, out: Float64Array): void {
  out.fill(0, 0, cols);
  for (let i = 0; i < rows; i++) {
    const c = u[i]!;
    if (c === 0) continue;
    const end = start[i + 1]!;
    if (values) for (let k = start[i]!; k < end; k++) out[index[k]!]! += c * values[k]!;
    else for (let k = start[i]!; k < end; k++) out[index[k]!]! += c;
  }
}

/** x_i·w */
export function dotRow({ start, index, values }: Rows, i: number, w: Float64Array): number {
  let s = 0;
  for (let k = start[i]!; k < start[i + 1]!; k++) s += (values ? values[k]! : 1) * w[index[k]!]!;
  return s;
}

/** out_j += c factor_j² x_ij, in an order in which neither factor_j² nor c factor_j overflows */
export function addRow({ start, index, values }: Rows, i: number, c: number, factor: Float64Array, out: Float64Array): void {
  for (let k = start[i]!; k < start[i + 1]!; k++) {
    const f = factor[index[k]!]!;
    out[index[k]!]! += c * (f * (f * (values ? values[k]! : 1)));
  }
}

/** out[p] = x_row[p]·w for p in [begin, end); returns the number of entries read. */
export function multiplyRows(
  { start, index, values }: Rows,
  row: Uint32Array,
  begin: number,
  end: number,
  w: Float64Array,
  out: Float64Array,
): number {
  let read = 0;
  for (let p = begin; p < end; p++) {
    const i = row[p]!;
    const last = start[i + 1]!;
    let s = 0;
    if (values) for (let k = start[i]!; k < last; k++) s += values[k]! * w[index[k]!]!;
    else for (let k = start[i]!; k < last; k++) s += w[index[k]!]!;
    out[p] = s;
    read += last - start[i]!;
  }
  return read;
}

/** out = Σ u[p] x_row[p] over p in [begin, end); rows with u[p] = 0 are not read. Returns the number of entries read. */
export function combineRows(
  { start, index, values, cols }: Rows,
  row: Uint32Array,
  begin: number,
  end: number,
  u: Float64Array,
  out: Float64Array,
): number {
  out.fill(0, 0, cols);
  let read = 0;
  for (let p = begin; p < end; p++) {
    const c = u[p]!;
    if (c === 0) continue;
    const i = row[p]!;
    const last = start[i + 1]!;
    if (values) for (let k = start[i]!; k < last; k++) out[index[k]!]! += c * values[k]!;
    else for (let k = start[i]!; k < last; k++) out[index[k]!]! += c;
    read += last - start[i]!;
  }
  return read;
}
