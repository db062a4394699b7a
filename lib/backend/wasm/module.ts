/** The WebAssembly module (native/wasm) in memory: its functions, and the way of arrays into it and out of it. */
import { outOfMemory, taskEnded } from '../../errors.js';
import { webAssembly, type CompiledModule } from './webassembly.js';

/** An address in the module's memory, or of a handle there; 0: none. */
export type Address = number;

/** What native/wasm/*.cc exports. Answers of several numbers are in `numbers`. */
export interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  numbers(): Address;
  take(bytes: number): Address;
  giveBack(at: Address): void;
  simd(): Address;
  interruptNew(milliseconds: number): Address;
  interruptSet(interrupt: Address): void;
  interruptIsSet(interrupt: Address): number;
  interruptDelete(interrupt: Address): void;
  pointsNew(sparse: boolean, values: number, entries: number, rows: number, cols: number): Address;
  pointsArrays(points: Address): void;
  pointsDelete(points: Address): void;
  matrixAdopt(points: Address, interrupt: Address): Address;
  matrixShare(matrix: Address): Address;
  matrixDelete(matrix: Address): void;
  matrixDescribe(matrix: Address): void;
  matrixArrays(matrix: Address): void;
  matrixState(matrix: Address, out: Address): void;
  matrixStateSize(): number;
  matrixLike(state: Address, bytes: Address): Address;
  matrixMultiply(matrix: Address, w: Address, out: Address): void;
  matrixMultiplyTransposed(matrix: Address, u: Address, out: Address): Ending;
  matrixDecide(matrix: Address, weights: Address, biases: Address, planes: number, begin: number, end: number, out: Address): void;
  matrixNorms(matrix: Address, factor: Address, out: Address): void;
  matrixCentre(matrix: Address, interrupt: Address): Ending;
  decidePoints(points: Address, weights: Address, biases: Address, planes: number, out: Address): void;
  certifyLabels(lists: Address): Ending;
  svmNew(matrix: Address, given: Address, interrupt: Address): Address;
  svmDelete(svm: Address): void;
  svmPerform(svm: Address, task: number, vector: Address): Ending;
  svmAccept(svm: Address): void;
  svmRead(svm: Address): number;
  svmStored(svm: Address): number;
  svmWeights(svm: Address, out: Address): void;
  svmColumns(svm: Address, inverseScale: Address, shift: Address): void;
  svmCentre(svm: Address, out: Address): void;
  svmAlpha(svm: Address, out: Address): void;
  svmCertified(svm: Address, out: Address): void;
  espNew(cols: number, families: Address): Address;
  espDelete(esp: Address): void;
  espPerform(esp: Address, task: number, vector: Address): Ending;
  espAccept(esp: Address): void;
  espKeep(esp: Address, opposite: boolean): void;
  espUnit(esp: Address): number;
  espNormal(esp: Address, out: Address): void;
  espOrigin(esp: Address, out: Address): void;
  espSupports(esp: Address, out: Address): void;
  espWeights(esp: Address, out: Address): void;
  espSums(esp: Address, out: Address): void;
  espApplyA(esp: Address, l: Address, p: Address, out: Address): void;
  espApplyAT(esp: Address, v: Address, l: Address, p: Address): void;
  projectKnapsack(a: Address, y: Address, weight: Address, n: number, x: Address): Ending;
  projectCones(x: Address, start: Address, blocks: number, out: Address): void;
  parserNew(zeroBased: boolean, limit: number, ignoreExtra: boolean, words: boolean): Address;
  parserDelete(parser: Address): void;
  parserPush(parser: Address, text: Address, length: number): void;
  parserFinish(parser: Address): void;
  parserDefect(parser: Address): void;
  parserSizes(parser: Address): void;
  parserTake(parser: Address, list: number, out: Address, n: number): void;
}

/** How a call ended, as in native/wasm/module.h. */
const ENDING = { done: 0, outOfMemory: 1, interrupted: 2 } as const;
export type Ending = (typeof ENDING)[keyof typeof ENDING];

export type Numbers = Float64Array | Float32Array | Uint32Array | Uint8Array | Int8Array;
type View<T extends Numbers> = new (buffer: ArrayBuffer, byteOffset: number, length: number) => T;

/** By name, as an array may be of a subclass, such as Buffer, or come from another realm. */
const VIEWS = { Float64Array, Float32Array, Uint32Array, Uint8Array, Int8Array };

function viewOf<T extends Numbers>(list: T): View<T> {
  return VIEWS[list[Symbol.toStringTag]] as unknown as View<T>;
}

/** More bytes than a 32-bit memory holds. */
const LIMIT = 2 ** 32 - 2 ** 16;

/** As many numbers as native/wasm/module.h has room for. */
const NUMBERS = 32;

export class Module {
  readonly exports: Exports;
  readonly #numbers: Address;
  #view: Float64Array;

  /** Throws where the runtime does not permit WebAssembly. */
  constructor(compiled: CompiledModule) {
    const instance = new webAssembly!.Instance(compiled, {
      host: { decimal: (at: Address, length: number) => Number(this.text(at, length)), outOfMemory: noMemory },
      wasi_snapshot_preview1: { clock_time_get: (_clock: number, _precision: bigint, out: Address) => this.#writeTime(out) },
    });
    this.exports = instance.exports as unknown as Exports;
    this.exports._initialize();
    this.#numbers = this.exports.numbers();
    this.#view = this.view(Float64Array, this.#numbers, NUMBERS);
  }

  /** The numbers that calls take and answer, valid until the next call that may take memory. */
  get numbers(): Float64Array {
    // Memory that grows is another buffer.
    if (this.#view.length === 0) this.#view = this.view(Float64Array, this.#numbers, NUMBERS);
    return this.#view;
  }

  /** The memory at an address, valid until memory is taken. */
  view<T extends Numbers>(Kind: View<T>, at: Address, length: number): T {
    return new Kind(this.exports.memory.buffer, at, length);
  }

  /** ASCII text: of a length, or up to a 0. */
  text(at: Address, length?: number): string {
    const bytes = new Uint8Array(this.exports.memory.buffer, at >>> 0, length ?? 32);
    const end = length ?? bytes.indexOf(0);
    return String.fromCharCode(...bytes.subarray(0, end));
  }

  /** Takes memory. Throws if there is none. */
  take(bytes: number): Address {
    const at = bytes < LIMIT ? this.exports.take(bytes) : 0;
    return at === 0 ? noMemory() : at >>> 0;
  }

  /** The address of a handle that a call has made. Throws if it found no memory. */
  made(at: Address): Address {
    return at === 0 ? noMemory() : at >>> 0;
  }

  /** Throws unless a call was done. */
  ended(ending: Ending): void {
    if (ending === ENDING.outOfMemory) noMemory();
    if (ending === ENDING.interrupted) throw taskEnded();
  }

  /** Lends arrays to the calls that `use` makes, and takes their memory back. */
  lend<R>(use: (lending: Lending) => R): R {
    const lending = new Lending(this);
    try {
      return use(lending);
    } finally {
      lending.end();
    }
  }

  #writeTime(out: Address): number {
    new DataView(this.exports.memory.buffer).setBigUint64(out >>> 0, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  }
}

function noMemory(): never {
  throw outOfMemory();
}

/** Arrays that the module reads and writes during a call. */
export class Lending {
  readonly #module: Module;
  readonly #taken: Address[] = [];

  constructor(module: Module) {
    this.#module = module;
  }

  /** The address of a copy; 0 of nothing. */
  copy(list: Numbers | undefined): Address {
    if (!list) return 0;
    const at = this.room(list.byteLength);
    this.#module.view<Numbers>(viewOf(list), at, list.length).set(list);
    return at;
  }

  /** The address of so many bytes. */
  room(bytes: number): Address {
    const at = this.#module.take(bytes);
    this.#taken.push(at);
    return at;
  }

  end(): void {
    for (const at of this.#taken) this.#module.exports.giveBack(at);
  }

  /** Has a call write up to `length` numbers to `out`. What it does not write, as it was interrupted, stays. */
  write<T extends Numbers>(out: T, length: number, call: (at: Address) => void): void {
    const at = this.copy(out.subarray(0, length));
    call(at);
    out.set(this.#module.view(viewOf(out), at, length));
  }
}

/** Frees what a handle holds once the handle is garbage, unless it was freed before. */
export class Finalizer {
  readonly #registry = new FinalizationRegistry<() => void>((free) => free());

  /** `free` must not refer to the handle. */
  watch(handle: object, free: () => void): void {
    this.#registry.register(handle, free, handle);
  }

  forget(handle: object): void {
    this.#registry.unregister(handle);
  }
}
