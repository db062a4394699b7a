/** Problems that are on this thread or in a worker. */
import { soon } from '../../platform/host.js';
import type { EspFamily, EspProblem, Interrupt, Matrix, OnEllipsoidDefect, SvmProblem } from '../interface.js';
import type { TaskArgument } from '../tasks.js';
import type { WasmInterrupt } from './interrupt-handle.js';
import type { WasmMatrix } from './matrix-handle.js';
import type { Module } from './module.js';
import { WasmEsp, WasmSvm, type EspData, type SvmGiven } from './problem-handles.js';
import { RemoteEsp, RemoteSvm, type Workers } from './worker-client.js';

/** Where problems can be: in this thread's module, and, if there are any, in workers. */
export interface Home {
  readonly module: Module;
  readonly workers: Workers | undefined;
}

/**
 * A problem is on this thread if its first task is performed here, and in the worker if its first task is to be performed later. There it
 * stays.
 */
export class PlacedSvm implements SvmProblem {
  readonly #home: Home;
  readonly #given: {
    readonly matrix: WasmMatrix;
    readonly given: SvmGiven;
    readonly interrupt: WasmInterrupt | undefined;
    readonly like: PlacedSvm | undefined;
  };
  #local: WasmSvm | undefined;
  #remote: RemoteSvm | undefined;

  constructor(
    home: Home,
    matrix: Matrix,
    y: Int8Array,
    weight: Float64Array,
    scale: number | Float64Array,
    _threads: number,
    _lane?: number,
    interrupt?: Interrupt,
    rows?: Uint32Array,
    like?: SvmProblem,
    window = 0,
  ) {
    this.#home = home;
    this.#given = {
      matrix: (matrix as WasmMatrix).share(), // its owner may dispose of it meanwhile
      given: {
        y: y.slice(),
        weight: weight.slice(),
        scale: typeof scale === 'number' ? scale : scale.slice(),
        rows: rows?.slice(),
        window,
      },
      interrupt: interrupt as WasmInterrupt | undefined,
      like: like as PlacedSvm | undefined,
    };
  }

  get #here(): WasmSvm {
    if (!this.#local) {
      const { matrix, given, interrupt, like } = this.#given;
      this.#local = new WasmSvm(this.#home.module, matrix, given, interrupt, like && like.#local);
    }
    return this.#local;
  }

  get #placed(): Omit<SvmProblem, 'perform' | 'later'> {
    return this.#remote ?? this.#here;
  }

  perform(name: string, ...args: TaskArgument[]): Float64Array {
    return this.#here.perform(name, ...args);
  }

  async later(name: string, ...args: TaskArgument[]): Promise<Float64Array> {
    if (!this.#local && !this.#remote) {
      const client = await this.#home.workers?.client;
      if (client) {
        const { matrix, given, interrupt, like } = this.#given;
        const measured = like && like.#remote;
        const other = measured?.client === client ? measured : undefined;
        this.#remote = new RemoteSvm(client, matrix, given, interrupt, other);
      }
    }
    if (this.#remote) return this.#remote.later(name, ...args);
    await new Promise<void>(soon);
    return this.perform(name, ...args);
  }

  accept(): void {
    this.#placed.accept();
  }

  get read(): number {
    return this.#placed.read;
  }

  get stored(): number {
    return this.#placed.stored;
  }

  weights(out: Float64Array): void {
    this.#placed.weights(out);
  }

  columns(inverseScale: Float64Array, shift: Float64Array): void {
    this.#placed.columns(inverseScale, shift);
  }

  centre(out: Float64Array): void {
    this.#placed.centre(out);
  }

  alpha(out: Float64Array): void {
    this.#placed.alpha(out);
  }

  certified(out: Uint8Array): void {
    this.#placed.certified(out);
  }

  dispose(): void {
    this.#remote?.dispose();
    this.#local?.dispose();
    this.#given.matrix.dispose();
  }
}

/** The same of a separation problem. */
export class PlacedEsp implements EspProblem {
  readonly #home: Home;
  readonly #data: EspData;
  /** It checks the numbers, and has its place here until a task is to be performed in the worker. */
  readonly #local: WasmEsp;
  #isHere = false;
  #remote: RemoteEsp | undefined;

  constructor(
    home: Home,
    onDefect: OnEllipsoidDefect,
    _threads: number,
    cols: number,
    ...[centers1, kinds1, shapes1, centers2, kinds2, shapes2]: [
      EspFamily['centers'],
      EspFamily['kinds'],
      EspFamily['shapes'],
      EspFamily['centers'],
      EspFamily['kinds'],
      EspFamily['shapes'],
    ]
  ) {
    const family = (centers: EspFamily['centers'], kinds: EspFamily['kinds'], shapes: EspFamily['shapes']) => {
      return { centers: centers.slice(), kinds: kinds.slice(), shapes: shapes.slice() };
    };
    this.#home = home;
    this.#data = [cols, family(centers1, kinds1, shapes1), family(centers2, kinds2, shapes2)];
    this.#local = new WasmEsp(home.module, onDefect, this.#data);
  }

  get #placed(): Omit<EspProblem, 'perform' | 'later' | 'applyA' | 'applyAT'> {
    return this.#remote ?? this.#local;
  }

  perform(name: string, ...args: TaskArgument[]): Float64Array {
    this.#isHere = true;
    return this.#local.perform(name, ...args);
  }

  async later(name: string, ...args: TaskArgument[]): Promise<Float64Array> {
    if (!this.#isHere && !this.#remote) {
      const client = await this.#home.workers?.client;
      if (client) {
        this.#remote = new RemoteEsp(client, this.#data, this.#local.unit);
        this.#local.dispose();
      }
    }
    if (this.#remote) return this.#remote.later(name, ...args);
    await new Promise<void>(soon);
    return this.perform(name, ...args);
  }

  accept(): void {
    this.#placed.accept();
  }

  keep(opposite: boolean): void {
    this.#placed.keep(opposite);
  }

  get unit(): number {
    return this.#placed.unit;
  }

  normal(out: Float64Array): void {
    this.#placed.normal(out);
  }

  origin(out: Float64Array): void {
    this.#placed.origin(out);
  }

  supports(out: Float64Array): void {
    this.#placed.supports(out);
  }

  weights(out: Float64Array): void {
    this.#placed.weights(out);
  }

  sums(out: Float64Array): void {
    this.#placed.sums(out);
  }

  applyA(l: Float64Array, p: Float64Array, out: Float64Array): void {
    this.#local.applyA(l, p, out);
  }

  applyAT(v: Float64Array, l: Float64Array, p: Float64Array): void {
    this.#local.applyAT(v, l, p);
  }

  dispose(): void {
    this.#remote?.dispose();
    this.#local.dispose();
  }
}
