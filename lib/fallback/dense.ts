/** Dense row-major X·w and Xᵀ·u; sums in double whatever the storage. */

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
