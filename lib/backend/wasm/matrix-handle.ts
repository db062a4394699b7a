/** Matrices in the module's memory, and what planes say of points. */
import { coded, outOfMemory, taskEnded } from '../../errors.js';
import type { CopyDefect, Interrupt, LabelPlanes, Matrix, MatrixArguments, OnDefect } from '../interface.js';
import { interruptAddress } from './interrupt-handle.js';
import { Finalizer, type Address, type Module } from './module.js';

/** The kinds of values and of indices, by their numbers in native/kernels/table.h. */
const VALUES = ['f64', 'f32', 'ones'] as const;
const INDICES = ['u16', 'u32'] as const;

/** By CopyResult::Kind of native/kernels/matrix.h. */
const COPIED = ['ok', 'out-of-memory', 'interrupted', 'not-finite', 'bad-start', 'bad-range', 'bad-order'] as const;

/** What was found while copying, as native/wasm/matrix_module.cc answers it. */
function copyDefect({ numbers }: Module): CopyDefect | undefined {
  const [kind, row, at, found, before] = numbers as unknown as [number, number, number, number, number];
  const defect = COPIED[kind]!;
  if (defect === 'ok') return undefined;
  if (defect === 'interrupted') throw taskEnded();
  if (defect === 'out-of-memory') throw outOfMemory();
  return { defect, row, at, found, before };
}

type Sparse = Extract<MatrixArguments, { length: 5 }>;

function isSparse(data: readonly unknown[]): data is Sparse {
  return data.length > 4;
}

function sizesOf(data: MatrixArguments): { readonly rows: number; readonly cols: number } {
  const [rows, cols] = isSparse(data) ? [data[3], data[4]] : [data[1], data[2]];
  return { rows, cols };
}

/** Points in the module's memory. They are given up by matrixAdopt or pointsDelete. */
function copyIn(module: Module, data: MatrixArguments): Address {
  const { exports } = module;
  const { rows, cols } = sizesOf(data);
  const values = isSparse(data) ? data[2] : data[0];
  const kind = VALUES.indexOf(!values ? 'ones' : values.BYTES_PER_ELEMENT === 4 ? 'f32' : 'f64');
  const entries = isSparse(data) ? data[1].length : rows * cols;
  if (!(8 * (entries + rows) < 2 ** 32 && cols < 2 ** 32)) throw outOfMemory();
  const points = module.made(exports.pointsNew(isSparse(data), kind, entries, rows, cols));
  exports.pointsArrays(points);
  const [valuesAt, indptrAt, indexAt] = module.numbers as unknown as [Address, Address, Address];
  if (values) {
    const Kind = values.BYTES_PER_ELEMENT === 4 ? Float32Array : Float64Array;
    module.view<Float64Array | Float32Array>(Kind, valuesAt, entries).set(values.subarray(0, entries));
  }
  if (isSparse(data)) {
    module.view(Uint32Array, indptrAt, rows + 1).set(data[0].subarray(0, rows + 1));
    module.view(Uint32Array, indexAt, entries).set(data[1]);
  }
  return points;
}

/** What a matrix is but for its arrays, and these: for a copy in another module. */
export interface MatrixImage {
  readonly state: Uint8Array<ArrayBuffer>;
  readonly arrays: readonly Uint8Array<ArrayBuffer>[];
}

/** What all handles of a matrix share. */
interface Shared {
  handles: number;
  /** The copy in a worker, if there is one. */
  remote?: RemoteMatrix;
}

/** A copy of a matrix in a worker. */
export interface RemoteMatrix {
  free(): void;
}

/** As many arrays as native/kernels/matrix.h has. */
const ARRAYS = 8;

const finalizer = new Finalizer();

function release({ exports }: Module, at: Address, shared: Shared): void {
  exports.matrixDelete(at);
  if (--shared.handles === 0) shared.remote?.free();
}

const NEVER: OnDefect = () => {
  throw coded(Error, 'ERR_POINTS', 'Expected no defect of a matrix that is being shared');
};

/** A matrix. */
export class WasmMatrix implements Matrix {
  readonly #module: Module;
  #at: Address = 0;
  #shared: Shared = { handles: 0 };

  constructor(
    module: Module,
    onDefect: OnDefect,
    _threads: number,
    ...data: MatrixArguments | [...MatrixArguments, Interrupt | undefined] | []
  ) {
    this.#module = module;
    if (data.length === 0) return; // for `share` and `of`
    const { length } = data;
    const interrupt = length === 4 || length === 6 ? (data[length - 1] as Interrupt | undefined) : undefined;
    const at = module.exports.matrixAdopt(
      copyIn(module, data.slice(0, length > 4 ? 5 : 3) as MatrixArguments),
      interruptAddress(interrupt),
    );
    const defect = copyDefect(module);
    if (defect) onDefect(defect);
    this.#hold(module.made(at));
  }

  #hold(at: Address): void {
    this.#at = at;
    const shared = this.#shared;
    const module = this.#module;
    shared.handles++;
    finalizer.watch(this, () => release(module, at, shared));
  }

  /** The copy in a worker; `make` makes one if there is none. */
  remote(make: (image: MatrixImage) => RemoteMatrix): RemoteMatrix {
    return (this.#shared.remote ??= make(this.image()));
  }

  /** Forgets the copy, which has ended with its worker. */
  dropRemote(): void {
    delete this.#shared.remote;
  }

  get address(): Address {
    if (this.#at === 0) throw coded(Error, 'ERR_DISPOSED', 'Expected a live matrix but it was disposed of');
    return this.#at;
  }

  #describe() {
    this.#module.exports.matrixDescribe(this.address);
    const [rows, cols, kept, stored, bytes, sparse, values, index, used, shift] = this.#module.numbers as unknown as number[] & {
      length: 10;
    };
    return { rows, cols, kept, stored, bytes, sparse: sparse !== 0, values, index, used, shift } as Record<
      'rows' | 'cols' | 'kept' | 'stored' | 'bytes' | 'values' | 'index' | 'used' | 'shift',
      number
    > & { sparse: boolean };
  }

  describe() {
    const { rows, cols, kept, stored, bytes, sparse, values, index } = this.#describe();
    const form = sparse ? `sparse ${INDICES[index]} ${VALUES[values]}` : `dense ${VALUES[values]}`;
    return { rows, cols, kept, stored, bytes, sparse, form };
  }

  used(): Uint32Array | undefined {
    const { used, kept } = this.#describe();
    return used === 0 ? undefined : this.#module.view(Uint32Array, used, kept).slice();
  }

  multiply(w: Float64Array, out: Float64Array): void {
    const { rows, kept } = this.#describe();
    const used = this.used();
    this.#module.lend((lending) => {
      const padded = lending.room(8 * (kept + 1));
      const view = this.#module.view(Float64Array, padded, kept + 1);
      if (used) used.forEach((column, j) => (view[j] = w[column]!));
      else view.set(w.subarray(0, kept));
      view[kept] = 0;
      lending.write(out, rows, (at) => this.#module.exports.matrixMultiply(this.address, padded, at));
    });
  }

  decide(weights: Float64Array, biases: Float64Array, out: Float64Array, _threads?: number, begin = 0, end?: number): number {
    const { rows, cols } = this.#describe();
    const last = end ?? rows;
    const planes = biases.length;
    return this.#module.lend((lending) => {
      const [w, b] = [lending.copy(weights.subarray(0, planes * cols)), lending.copy(biases)];
      lending.write(out, (last - begin) * planes, (at) =>
        this.#module.exports.matrixDecide(this.address, w, b, planes, begin, last, at),
      );
      copyDefect(this.#module);
      return this.#module.numbers[5]!;
    });
  }

  norms(factor: Float64Array, out: Float64Array): void {
    const { rows } = this.#describe();
    this.#module.lend((lending) => {
      const f = lending.copy(factor);
      lending.write(out, rows, (at) => this.#module.exports.matrixNorms(this.address, f, at));
    });
  }

  multiplyTransposed(u: Float64Array, out: Float64Array): void {
    const { rows, cols, kept } = this.#describe();
    const used = this.used();
    const sums = used ? new Float64Array(kept) : out;
    this.#module.lend((lending) => {
      const from = lending.copy(u.subarray(0, rows));
      lending.write(sums, kept, (at) => this.#module.ended(this.#module.exports.matrixMultiplyTransposed(this.address, from, at)));
    });
    if (!used) return;
    out.fill(0, 0, cols);
    used.forEach((column, j) => (out[column] = sums[j]!));
  }

  centre(_threads?: number, interrupt?: Interrupt): boolean {
    try {
      this.#module.ended(this.#module.exports.matrixCentre(this.address, interruptAddress(interrupt)));
    } catch (error) {
      this.dispose();
      throw error;
    }
    return this.#describe().shift !== 0;
  }

  shift(out: Float64Array): void {
    const { shift, kept } = this.#describe();
    if (shift === 0) out.fill(0);
    else out.set(this.#module.view(Float64Array, shift, kept));
  }

  share(): WasmMatrix {
    const handle = new WasmMatrix(this.#module, NEVER, 1);
    handle.#shared = this.#shared;
    handle.#hold(this.#module.made(this.#module.exports.matrixShare(this.address)));
    return handle;
  }

  dispose(): void {
    if (this.#at === 0) return;
    finalizer.forget(this);
    release(this.#module, this.#at, this.#shared);
    this.#at = 0;
  }

  image(): MatrixImage {
    const size = this.#module.exports.matrixStateSize();
    const state = new Uint8Array(size);
    this.#module.lend((lending) => lending.write(state, size, (at) => this.#module.exports.matrixState(this.address, at)));
    this.#module.exports.matrixArrays(this.address);
    const numbers = this.#module.numbers.slice(0, 2 * ARRAYS);
    const arrays = Array.from({ length: ARRAYS }, (_, k) =>
      this.#module.view(Uint8Array, numbers[2 * k]!, numbers[2 * k + 1]!).slice(),
    );
    return { state, arrays };
  }

  static of(module: Module, { state, arrays }: MatrixImage): WasmMatrix {
    const at = module.lend((lending) => {
      const sizes = Uint32Array.from(arrays, ({ byteLength }) => byteLength);
      const given = lending.copy(state);
      return module.made(module.exports.matrixLike(given, lending.copy(sizes)));
    });
    module.exports.matrixArrays(at);
    arrays.forEach((bytes, k) => module.view(Uint8Array, module.numbers[2 * k]!, bytes.length).set(bytes));
    const handle = new WasmMatrix(module, NEVER, 1);
    handle.#hold(at);
    return handle;
  }
}

/** The decisions of planes about points; written to out when all are known to be finite. */
export function decidePoints(
  module: Module,
  onDefect: OnDefect,
  weights: Float64Array,
  biases: Float64Array,
  out: Float64Array,
  data: MatrixArguments,
): number {
  const { exports } = module;
  const { rows, cols } = sizesOf(data);
  const planes = biases.length;
  const points = copyIn(module, data);
  try {
    return module.lend((lending) => {
      const [w, b] = [lending.copy(weights.subarray(0, planes * cols)), lending.copy(biases)];
      const at = lending.room(8 * rows * planes);
      exports.decidePoints(points, w, b, planes, at);
      const defect = copyDefect(module);
      if (defect) onDefect(defect);
      const bad = module.numbers[5]!;
      if (bad === rows) out.set(module.view(Float64Array, at, rows * planes));
      return bad;
    });
  } finally {
    exports.pointsDelete(points);
  }
}

/** Certifies the labels of rows (Kernels.certifyLabels in ../interface.ts). */
export function certifyLabels(
  module: Module,
  values: Float64Array,
  products: Float64Array,
  norms: Float64Array,
  planes: LabelPlanes,
  classes: number,
  certain: Uint8Array,
  inTheWay: Uint32Array,
): void {
  const [rows, count, centres] = [norms.length, inTheWay.length, planes.centreSquares.length];
  module.lend((lending) => {
    const certainAt = lending.room(rows);
    const inTheWayAt = lending.copy(inTheWay);
    const lists = lending.copy(
      Uint32Array.of(
        count,
        centres,
        classes,
        lending.copy(planes.positive),
        lending.copy(planes.negative),
        lending.copy(planes.centreOf),
        lending.copy(planes.slope),
        lending.copy(planes.low),
        lending.copy(planes.high),
        lending.copy(planes.spare),
        lending.copy(planes.centreSquares),
        rows,
        lending.copy(values.subarray(0, rows * count)),
        lending.copy(products.subarray(0, rows * centres)),
        lending.copy(norms),
        certainAt,
        inTheWayAt,
      ),
    );
    module.numbers[0] = planes.safe;
    module.numbers[1] = planes.lost;
    module.ended(module.exports.certifyLabels(lists));
    certain.set(module.view(Uint8Array, certainAt, rows));
    inTheWay.set(module.view(Uint32Array, inTheWayAt, count));
  });
}
