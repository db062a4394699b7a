/** Dense row-major X·w and Xᵀ·u, for all rows or for rows in a list; sums are in double whatever the storage. */

export interface Rows {
  readonly data: Float64Array | Float32Array;
  readonly rows: number;
  readonly cols: number;
}

/** out = X·w */
export function multiply({ data, rows, cols }: Rows, w: Float64Array, out: Float64Array): void {
  for (let i = 0, k = 0; i < rows; i++) {
    let s = 0;
    for (let j = 0; j < cols; j++, k++) s += data[k]! * w[j]!;
    out[i] = s;
  }
}

/** out = Xᵀ·u; rows with u_i = 0 are not read */
export function multiplyTransposed({ data, rows, cols }: Rows, u: Float64Array, out: Float64Array): void {
  out.fill(0, 0, cols);
  for (let i = 0; i < rows; i++) {
    const c = u[i]!;
    if (c === 0) continue;
    for (let j = 0, k = i * cols; j < cols; j++, k++) out[j]! += c * data[k]!;
  }
}

/** x_i·w */
export function dotRow({ data, cols }: Rows, i: number, w: Float64Array): number {
  let s = 0;
  for (let j = 0, k = i * cols; j < cols; j++, k++) s += data[k]! * w[j]!;
  return s;
}

/** out_j += c factor_j² x_ij, in an order in which neither factor_j² nor c factor_j overflows */
export function addRow({ data, cols }: Rows, i: number, c: number, factor: Float64Array, out: Float64Array): void {
  for (let j = 0, k = i * cols; j < cols; j++, k++) out[j]! += c * (factor[j]! * (factor[j]! * data[k]!));
}

/** out[p] = x_row[p]·w for p in [begin, end); returns the number of entries read. */
export function multiplyRows(
  { data, cols }: Rows,
  row: Uint32Array,
  begin: number,
  end: number,
  w: Float64Array,
  out: Float64Array,
): number {
  for (let p = begin; p < end; p++) {
    let s = 0;
    for (let j = 0, k = row[p]! * cols; j < cols; j++, k++) s += data[k]! * w[j]!;
    out[p] = s;
  }
  return (end - begin) * cols;
}

/** out = Σ u[p] x_row[p] over p in [begin, end); rows with u[p] = 0 are not read. Returns the number of entries read. */
export function combineRows(
  { data, cols }: Rows,
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
    read += cols;
    for (let j = 0, k = row[p]! * cols; j < cols; j++, k++) out[j]! += c * data[k]!;
  }
  return read;
}
