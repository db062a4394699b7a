import type { CopyDefect, Interrupt, Matrix as MatrixInterface, MatrixArguments, OnDefect } from '../interface.js';
import { coded, taskEnded } from '../../errors.js';
import { soon } from '../../platform/host.js';
import * as dense from './dense.js';
import * as sparse from './sparse.js';

type Data = Float64Array | Float32Array;

function firstNotFinite(values: Data): number {
  for (let k = 0; k < values.length; k++) if (!Number.isFinite(values[k])) return k;
  return -1;
}

function structureDefect(indptr: Uint32Array, indices: Uint32Array, rows: number, cols: number): CopyDefect | undefined {
  const start = (row: number, at: number): CopyDefect => {
    return { defect: 'bad-start', row, at, found: indptr[at]!, before: at === 0 ? 0 : indptr[at - 1]! };
  };
  if (indptr[0] !== 0) return start(0, 0);
  for (let i = 0; i < rows; i++) {
    if (indptr[i + 1]! < indptr[i]! || indptr[i + 1]! > indices.length) return start(i, i + 1);
  }
  for (let i = 0; i < rows; i++) {
    for (let k = indptr[i]!; k < indptr[i + 1]!; k++) {
      const found = indices[k]!;
      if (found >= cols) return { defect: 'bad-range', row: i, at: k, found, before: 0 };
      const before = k > indptr[i]! ? indices[k - 1]! : -1;
      if (found <= before) return { defect: 'bad-order', row: i, at: k, found, before };
    }
  }
  return undefined;
}

/** The columns that hold an entry, ascending, if empty ones are dropped: of a million columns or more, and more columns than entries. */
function usedColumns(indices: Uint32Array, cols: number): Uint32Array | undefined {
  return cols >= 2 ** 20 && cols > indices.length ? Uint32Array.from(new Set(indices)).sort() : undefined;
}

function checkFinite(values: Data, onDefect: OnDefect): void {
  const at = firstNotFinite(values);
  if (at >= 0) onDefect({ defect: 'not-finite', row: 0, at, found: values[at]!, before: 0 });
}

/** By size rather than by class: an array may come from another realm (vm context), which has classes of its own. */
function isF32(values: Data): boolean {
  return values.BYTES_PER_ELEMENT === 4;
}

/** The smallest form that loses nothing. */
function compact(values: Data): Data | undefined {
  if (values.every((v) => v === 1)) return undefined;
  if (!isF32(values) && values.every((v) => Math.fround(v) === v)) return Float32Array.from(values);
  return values.slice();
}

export interface ColumnStats {
  readonly sum: Float64Array;
  readonly square: Float64Array;
  readonly max: Float64Array;
  readonly number: Float64Array;
}

const NEVER: OnDefect = () => {
  throw coded(Error, 'ERR_POINTS', 'Expected no defect with an empty matrix');
};

interface Held {
  dense?: dense.Rows;
  sparse?: sparse.Rows;
  /** The columns that are kept, if not all are, and how many there are in all. */
  used?: Uint32Array | undefined;
  width?: number;
  shifted?: { readonly shift: Float64Array; readonly max: Float64Array | undefined };
  centred?: boolean;
}

/** A data matrix X, copied once: dense rows, or compressed sparse ones. */
export class Matrix implements MatrixInterface {
  #held: Held = {};

  constructor(
    onDefect: OnDefect,
    _threads: number,
    ...data: MatrixArguments | [...MatrixArguments, interrupt: Interrupt | undefined]
  ) {
    if (data.length <= 4) {
      const [values, rows, cols, interrupt] = data as [Data, number, number, Interrupt?];
      if (interrupt?.isSet) throw taskEnded();
      const copy = values.slice(0, rows * cols);
      checkFinite(copy, onDefect);
      this.#held.dense = { data: copy, rows, cols };
    } else {
      const [indptr, indices, values, rows, cols, interrupt] = data as [
        ...Extract<MatrixArguments, { length: 5 }>,
        interrupt?: Interrupt,
      ];
      if (interrupt?.isSet) throw taskEnded();
      const defect = structureDefect(indptr, indices, rows, cols);
      if (defect) onDefect(defect);
      const stored = indptr[rows]!;
      const copy = values && compact(values.subarray(0, stored));
      if (copy) checkFinite(copy, onDefect);
      const columns = indices.subarray(0, stored);
      const used = usedColumns(columns, cols);
      const kept = used ? used.length : cols;
      const number = used && new Map(Array.from(used, (column, j) => [column, j]));
      const Index = kept < 65536 ? Uint16Array : Uint32Array;
      this.#held = {
        sparse: {
          start: indptr.slice(0, rows + 1),
          index: Index.from(number ? columns.map((column) => number.get(column)!) : columns),
          values: copy,
          rows,
          cols: kept,
        },
        used,
        width: cols,
      };
    }
  }

  describe() {
    if (this.#held.dense) {
      const { data, rows, cols } = this.#held.dense;
      return { rows, cols, kept: cols, stored: data.length, bytes: data.byteLength, sparse: false, form: `dense ${name(data)}` };
    }
    const { start, index, values, rows, cols } = this.#alive();
    return {
      rows,
      cols: this.#held.width!,
      kept: cols,
      stored: index.length,
      bytes: start.byteLength + index.byteLength + (values?.byteLength ?? 0),
      sparse: true,
      form: `sparse ${index instanceof Uint16Array ? 'u16' : 'u32'} ${values ? name(values) : 'ones'}`,
    };
  }

  used(): Uint32Array | undefined {
    return this.#held.used?.slice();
  }

  multiply(w: Float64Array, out: Float64Array): void {
    if (this.#held.dense) dense.multiply(this.#held.dense, w, out);
    else sparse.multiply(this.#alive(), this.#held.used ? Float64Array.from(this.#held.used, (j) => w[j]!) : w, out);
  }

  decide(
    weights: Float64Array,
    biases: Float64Array,
    out: Float64Array,
    _threads?: number,
    begin = 0,
    end = this.describe().rows,
  ): number {
    const { cols } = this.describe();
    const k = biases.length;
    const { used } = this.#held;
    const from = weights.buffer === out.buffer ? weights.slice(0, k * cols) : weights; // out may be the weights' memory
    for (let p = 0; p < k; p++) {
      const w = used ? Float64Array.from(used, (j) => from[p * cols + j]!) : from.subarray(p * cols, (p + 1) * cols);
      const bias = biases[p]!;
      for (let i = begin; i < end; i++) out[(i - begin) * k + p] = this.dotRow(i, w) + bias;
    }
    const bad = firstNotFinite(out.subarray(0, (end - begin) * k));
    return bad < 0 ? end : begin + Math.floor(bad / k);
  }

  /** out_i = Σ_j (factor_j x_ij)² */
  norms(factor: Float64Array, out: Float64Array): void {
    this.rowNorms(
      factor,
      Uint32Array.from({ length: this.describe().rows }, (_, i) => i),
      out,
    );
  }

  multiplyTransposed(u: Float64Array, out: Float64Array): void {
    const { used, width } = this.#held;
    if (this.#held.dense) dense.multiplyTransposed(this.#held.dense, u, out);
    else if (!used) sparse.multiplyTransposed(this.#alive(), u, out);
    else {
      const kept = new Float64Array(used.length);
      sparse.multiplyTransposed(this.#alive(), u, kept);
      out.fill(0, 0, width);
      used.forEach((column, j) => (out[column] = kept[j]!));
    }
  }

  /** out[p] = x_row[p]·w for p in [begin, end); returns the number of entries read. */
  multiplyRows(row: Uint32Array, begin: number, end: number, w: Float64Array, out: Float64Array): number {
    if (this.#held.dense) return dense.multiplyRows(this.#held.dense, row, begin, end, w, out);
    return sparse.multiplyRows(this.#alive(), row, begin, end, w, out);
  }

  /** out = Σ u[p] x_row[p] over p in [begin, end); rows with u[p] = 0 are not read. Returns the number of entries read. */
  combineRows(row: Uint32Array, begin: number, end: number, u: Float64Array, out: Float64Array): number {
    if (this.#held.dense) return dense.combineRows(this.#held.dense, row, begin, end, u, out);
    return sparse.combineRows(this.#alive(), row, begin, end, u, out);
  }

  /** x_i·w */
  dotRow(i: number, w: Float64Array): number {
    return this.#held.dense ? dense.dotRow(this.#held.dense, i, w) : sparse.dotRow(this.#alive(), i, w);
  }

  /** out_j += c factor_j² x_ij */
  addRow(i: number, c: number, factor: Float64Array, out: Float64Array): void {
    if (this.#held.dense) dense.addRow(this.#held.dense, i, c, factor, out);
    else sparse.addRow(this.#alive(), i, c, factor, out);
  }

  /** out[p] = Σ_j (factor_j x_ij)² for i = row[p] */
  rowNorms(factor: Float64Array, row: Uint32Array, out: Float64Array): void {
    const { kept: cols } = this.describe();
    row.forEach((i, p) => {
      let s = 0;
      if (this.#held.dense) for (let j = 0; j < cols; j++) s += (factor[j]! * this.#held.dense.data[i * cols + j]!) ** 2;
      else {
        const { start, index, values } = this.#alive();
        for (let k = start[i]!; k < start[i + 1]!; k++) s += (factor[index[k]!]! * (values ? values[k]! : 1)) ** 2;
      }
      out[p] = s;
    });
  }

  /** Stored entries of row i. */
  entries(i: number): number {
    if (this.#held.dense) return this.#held.dense.cols;
    const { start } = this.#alive();
    return start[i + 1]! - start[i]!;
  }

  /**
   * By column, over the stored entries of some rows, each counted as often as its weight by position says: the sum of x - centre_j, the sum
   * of its squares, the number of entries; and max |x| (before anything was subtracted).
   */
  columnStats(centre: Float64Array, row: Uint32Array, weight?: Float64Array): ColumnStats {
    const cols = centre.length;
    const stats: ColumnStats = {
      sum: new Float64Array(cols),
      square: new Float64Array(cols),
      max: new Float64Array(cols),
      number: new Float64Array(cols),
    };
    const { sum, square, max, number } = stats;
    const shift = this.#held.shifted?.shift;
    const add = (j: number, x: number, c: number) => {
      const v = x - centre[j]!;
      sum[j]! += c * v;
      square[j]! += c * v * v;
      max[j] = Math.max(max[j]!, Math.abs(shift ? x + shift[j]! : x));
      number[j]! += c;
    };
    row.forEach((i, p) => {
      const c = weight ? weight[p]! : 1;
      if (this.#held.dense) {
        const { data } = this.#held.dense;
        for (let j = 0; j < cols; j++) add(j, data[i * cols + j]!, c);
      } else {
        const { start, index, values } = this.#alive();
        for (let k = start[i]!; k < start[i + 1]!; k++) add(index[k]!, values ? values[k]! : 1, c);
      }
    });
    return stats;
  }

  /**
   * Subtracts a number from each column for good (method 1.4): a mean of 1e8 would cost x·w all its digits. From dense f64 columns it
   * subtracts the mean. From others, if they have no 0 and their entries have one sign and lie within a factor of 2, a number between them:
   * such differences are exact, in f32 too. Data already centred stay as they are. Returns whether anything was subtracted.
   */
  centre(): boolean {
    if (!this.#held.centred) {
      this.#held.centred = true;
      if (this.#held.dense && !isF32(this.#held.dense.data)) this.#subtractMeans(this.#held.dense);
      else this.#subtractExactly();
    }
    return this.#held.shifted !== undefined;
  }

  #subtractMeans({ data, rows, cols }: dense.Rows): void {
    const { sum, max } = this.columnStats(
      new Float64Array(cols),
      Uint32Array.from({ length: rows }, (_, i) => i),
    );
    // A sum that overflows leaves its column where it is.
    const shift = sum.map((s) => (Number.isFinite(s / rows) ? s / rows : 0));
    for (let k = 0, j = 0; k < data.length; k++, j = j + 1 === cols ? 0 : j + 1) data[k]! -= shift[j]!;
    this.#held.shifted = { shift, max };
  }

  #subtractExactly(): void {
    const { rows, kept: cols } = this.describe();
    const { dense, sparse } = this.#held;
    const values = dense ? dense.data : sparse?.values;
    if (!values || rows === 0) return;
    const begin = (i: number) => (dense ? i * cols : sparse!.start[i]!);
    const column = (i: number, k: number) => (dense ? k - i * cols : sparse!.index[k]!);
    // The columns that qualify by the rows seen so far. Few data have any: the search ends when none is left.
    let found = Array.from({ length: begin(1) }, (_, k) => ({ j: column(0, k), low: values[k]!, high: values[k]! }));
    for (let i = 0; i < rows && found.length > 0; i++) {
      let k = begin(i);
      found = found.filter((at) => {
        while (k < begin(i + 1) && column(i, k) < at.j) k++;
        if (k === begin(i + 1) || column(i, k) !== at.j) return false;
        at.low = Math.min(at.low, values[k]!);
        at.high = Math.max(at.high, values[k]!);
        return at.low > 0 ? at.high / 2 <= at.low : at.high < 0 && at.low / 2 >= at.high;
      });
    }
    if (found.length === 0) return;
    const shift = new Float64Array(cols);
    const rounded = isF32(values) ? Math.fround : (value: number) => value;
    for (const { j, low, high } of found) shift[j] = Math.min(Math.max(rounded(low / 2 + high / 2), low), high);
    for (let i = 0; i < rows; i++) for (let k = begin(i); k < begin(i + 1); k++) values[k]! -= shift[column(i, k)]!;
    this.#held.shifted = { shift, max: undefined };
  }

  /** What was subtracted from each column. */
  shift(out: Float64Array): void {
    if (this.#held.shifted) out.set(this.#held.shifted.shift);
    else out.fill(0);
  }

  /** What was subtracted, if anything; and, if these are the means, max |x| by column before that. */
  get shifted(): { readonly shift: Float64Array; readonly max: Float64Array | undefined } | undefined {
    return this.#held.shifted;
  }

  /** Another handle of the same data, which outlives this one. */
  share(): Matrix {
    const handle = new Matrix(NEVER, 1, new Float64Array(0), 0, 0);
    handle.#held = this.#held;
    return handle;
  }

  dispose(): void {
    this.#held = {};
  }

  #alive(): sparse.Rows {
    if (!this.#held.sparse) throw coded(Error, 'ERR_DISPOSED', 'Expected a live matrix but it was disposed of');
    return this.#held.sparse;
  }
}

/** A centred matrix, or what is wrong with the data, later; the data are copied at once. */
export async function copyPoints(
  threads: number,
  interrupt: Interrupt | undefined,
  ...data: MatrixArguments
): Promise<Matrix | CopyDefect> {
  const copies = data.map((list) => (typeof list === 'object' ? list.slice() : list)) as MatrixArguments;
  await new Promise<void>(soon);
  if (interrupt?.isSet) throw taskEnded();
  const defects: CopyDefect[] = [];
  const note = (defect: CopyDefect): never => {
    defects.push(defect);
    throw taskEnded();
  };
  try {
    const matrix = new Matrix(note, threads, ...copies);
    matrix.centre();
    return matrix;
  } catch (error) {
    if (defects[0]) return defects[0];
    throw error;
  }
}

/** The decisions of planes about points; written to out when all are known to be finite. */
export function decidePoints(
  onDefect: OnDefect,
  threads: number,
  weights: Float64Array,
  biases: Float64Array,
  out: Float64Array,
  ...data: MatrixArguments
): number {
  const matrix = new Matrix(onDefect, threads, ...data);
  const { rows } = matrix.describe();
  const values = new Float64Array(rows * biases.length);
  const bad = matrix.decide(weights, biases, values);
  if (bad === rows) out.set(values);
  return bad;
}

function name(values: Data): string {
  return isF32(values) ? 'f32' : 'f64';
}
