/** Training and separation problems in the module's memory. They perform tasks by their number in ../tasks.ts. */
import { coded } from '../../errors.js';
import { shapeSize } from '../encodings.js';
import type { EspFamily, EspProblem, Interrupt, Matrix, OnEllipsoidDefect, SvmProblem } from '../interface.js';
import { ESP_TASKS, SVM_TASKS, type TaskArgument, type TaskTable } from '../tasks.js';
import { interruptAddress } from './interrupt-handle.js';
import type { WasmMatrix } from './matrix-handle.js';
import { Finalizer, type Address, type Ending, type Module } from './module.js';

/** Lengths of arrays that tasks take: copied before the task, or written by it. */
interface Vector {
  readonly length: number;
  readonly written: boolean;
}

/** Makes the function that has a problem perform a task of a table. */
function performer(table: TaskTable, perform: (module: Module, problem: Address, task: number, vector: Address) => Ending) {
  const numberOf = new Map(Object.keys(table).map((name, k) => [name, k]));
  return (module: Module, problem: Address, name: string, args: readonly TaskArgument[], vector?: Vector): Float64Array => {
    const task = numberOf.get(name);
    if (task === undefined) throw coded(RangeError, 'ERR_BACKEND', `Expected a task's name for name but received ${name}`);
    const run = (at: Address) => {
      for (let k = 0; k < args.length; k++) if (typeof args[k] === 'number') module.numbers[k] = args[k] as number;
      module.ended(perform(module, problem, task, at));
    };
    const list = args.find((value) => typeof value === 'object');
    if (!list) run(0);
    else {
      module.lend((lending) => {
        if (!vector!.written) run(lending.copy(list.subarray(0, vector!.length)));
        else lending.write(list, vector!.length, run);
      });
    }
    return module.numbers;
  };
}

/** What the handle of a problem that is not at work anymore throws. */
function disposed(): Error {
  return coded(Error, 'ERR_DISPOSED', 'Expected a live problem but it was disposed of');
}

/** What a training problem is made of. */
export interface SvmGiven {
  readonly y: Int8Array;
  readonly weight: Float64Array;
  readonly scale: number | Float64Array;
  readonly rows: Uint32Array | undefined;
  readonly window: number;
}

/** `Svm::Scale::given` of native/kernels/svm.h. */
const SCALE_GIVEN = 3;

const finalizer = new Finalizer();
const performSvm = performer(SVM_TASKS, ({ exports }, ...call) => exports.svmPerform(...call));
const performEsp = performer(ESP_TASKS, ({ exports }, ...call) => exports.espPerform(...call));

/** A training problem. */
export class WasmSvm implements Omit<SvmProblem, 'later'> {
  readonly #module: Module;
  #at: Address;
  readonly #rows: number;
  readonly #kept: number;
  readonly #vectors: Readonly<Record<string, Vector>>;

  constructor(module: Module, matrix: Matrix, { y, weight, scale, rows, window }: SvmGiven, interrupt?: Interrupt, like?: WasmSvm) {
    const { exports } = module;
    this.#module = module;
    const { rows: all, kept, cols } = matrix.describe();
    this.#rows = all;
    this.#kept = kept;
    this.#vectors = { warm: { length: kept, written: false }, model: { length: cols, written: true } };
    const at = (this.#at = module.lend((lending) => {
      const given = lending.copy(
        Uint32Array.of(
          lending.copy(y),
          lending.copy(weight),
          weight.length > 1 ? 1 : 0,
          typeof scale === 'number' ? scale : SCALE_GIVEN,
          typeof scale === 'number' ? 0 : lending.copy(scale),
          lending.copy(rows),
          rows ? rows.length : all,
          like ? like.#alive : 0,
          window,
        ),
      );
      return module.made(exports.svmNew((matrix as WasmMatrix).address, given, interruptAddress(interrupt)));
    }));
    finalizer.watch(this, () => exports.svmDelete(at));
  }

  get #alive(): Address {
    if (this.#at === 0) throw disposed();
    return this.#at;
  }

  get shape(): { readonly rows: number; readonly kept: number } {
    return { rows: this.#rows, kept: this.#kept };
  }

  perform(name: string, ...args: TaskArgument[]): Float64Array {
    return performSvm(this.#module, this.#alive, name, args, this.#vectors[name]);
  }

  accept(): void {
    this.#module.exports.svmAccept(this.#alive);
  }

  get read(): number {
    return this.#module.exports.svmRead(this.#alive);
  }

  get stored(): number {
    return this.#module.exports.svmStored(this.#alive);
  }

  weights(out: Float64Array): void {
    this.#module.lend((lending) => lending.write(out, this.#kept, (at) => this.#module.exports.svmWeights(this.#alive, at)));
  }

  columns(inverseScale: Float64Array, shift: Float64Array): void {
    this.#module.lend((lending) => {
      const second = lending.room(8 * this.#kept);
      lending.write(inverseScale, this.#kept, (at) => this.#module.exports.svmColumns(this.#alive, at, second));
      shift.set(this.#module.view(Float64Array, second, this.#kept));
    });
  }

  centre(out: Float64Array): void {
    this.#module.lend((lending) => lending.write(out, this.#kept, (at) => this.#module.exports.svmCentre(this.#alive, at)));
  }

  alpha(out: Float64Array): void {
    this.#module.lend((lending) => lending.write(out, this.#rows, (at) => this.#module.exports.svmAlpha(this.#alive, at)));
  }

  certified(out: Uint8Array): void {
    this.#module.lend((lending) => lending.write(out, this.#rows, (at) => this.#module.exports.svmCertified(this.#alive, at)));
  }

  dispose(): void {
    if (this.#at === 0) return;
    finalizer.forget(this);
    this.#module.exports.svmDelete(this.#at);
    this.#at = 0;
  }
}

/** By Esp::Copied::Kind of native/kernels/esp.h. */
const COPIED = { ok: 0, outOfMemory: 1 } as const;

export type EspData = readonly [cols: number, first: EspFamily, second: EspFamily];

/** A separation problem. */
export class WasmEsp implements Omit<EspProblem, 'later'> {
  readonly #module: Module;
  #at: Address = 0;
  readonly #cols: number;
  #count = 0;
  #pSize = 0;

  constructor(module: Module, onDefect: OnEllipsoidDefect, [cols, ...families]: EspData) {
    const { exports } = module;
    this.#module = module;
    this.#cols = cols;
    const at = module.lend((lending) => {
      const lists = families.flatMap(({ centers, kinds, shapes }) => {
        const entries = kinds.reduce((sum, kind) => sum + shapeSize(kind, cols), 0);
        const doubles = (list: Float64Array | Float32Array, length: number) =>
          lending.copy(list.BYTES_PER_ELEMENT === 4 ? Float64Array.from(list.subarray(0, length)) : list.subarray(0, length));
        return [kinds.length, lending.copy(kinds), doubles(centers, kinds.length * cols), entries, doubles(shapes, entries)];
      });
      return exports.espNew(cols, lending.copy(Uint32Array.from(lists)));
    });
    const [copied, family, part, place, count, pSize] = module.numbers as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    if (copied !== COPIED.ok && copied !== COPIED.outOfMemory) onDefect(family, part, place);
    this.#at = module.made(at);
    this.#count = count;
    this.#pSize = pSize;
    finalizer.watch(this, () => exports.espDelete(at));
  }

  get #alive(): Address {
    if (this.#at === 0) throw disposed();
    return this.#at;
  }

  get shape(): { readonly cols: number; readonly count: number } {
    return { cols: this.#cols, count: this.#count };
  }

  perform(name: string, ...args: TaskArgument[]): Float64Array {
    return performEsp(this.#module, this.#alive, name, args);
  }

  accept(): void {
    this.#module.exports.espAccept(this.#alive);
  }

  keep(opposite: boolean): void {
    this.#module.exports.espKeep(this.#alive, opposite);
  }

  get unit(): number {
    return this.#module.exports.espUnit(this.#alive);
  }

  #write(out: Float64Array, length: number, call: (esp: Address, at: Address) => void): void {
    this.#module.lend((lending) => lending.write(out, length, (at) => call(this.#alive, at)));
  }

  normal(out: Float64Array): void {
    this.#write(out, this.#cols, (esp, at) => this.#module.exports.espNormal(esp, at));
  }

  origin(out: Float64Array): void {
    this.#write(out, this.#cols, (esp, at) => this.#module.exports.espOrigin(esp, at));
  }

  supports(out: Float64Array): void {
    this.#write(out, this.#count, (esp, at) => this.#module.exports.espSupports(esp, at));
  }

  weights(out: Float64Array): void {
    this.#write(out, this.#count, (esp, at) => this.#module.exports.espWeights(esp, at));
  }

  sums(out: Float64Array): void {
    this.#write(out, 2 * this.#cols, (esp, at) => this.#module.exports.espSums(esp, at));
  }

  applyA(l: Float64Array, p: Float64Array, out: Float64Array): void {
    this.#module.lend((lending) => {
      const [from, more] = [lending.copy(l), lending.copy(p)];
      lending.write(out, this.#cols + 2, (at) => this.#module.exports.espApplyA(this.#alive, from, more, at));
    });
  }

  applyAT(v: Float64Array, l: Float64Array, p: Float64Array): void {
    this.#module.lend((lending) => {
      const from = lending.copy(v);
      const second = lending.room(8 * this.#pSize);
      lending.write(l, this.#count, (at) => this.#module.exports.espApplyAT(this.#alive, from, at, second));
      p.set(this.#module.view(Float64Array, second, this.#pSize));
    });
  }

  dispose(): void {
    if (this.#at === 0) return;
    finalizer.forget(this);
    this.#module.exports.espDelete(this.#at);
    this.#at = 0;
  }
}
