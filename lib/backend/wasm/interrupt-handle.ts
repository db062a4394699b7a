import type { Interrupt } from '../interface.js';
import { Finalizer, type Address, type Module } from './module.js';

const addresses = new WeakMap<Interrupt, Address>();

/** The address of an interrupt of the same module; 0 of none. */
export function interruptAddress(interrupt: Interrupt | undefined): Address {
  return interrupt ? addresses.get(interrupt)! : 0;
}

const finalizer = new Finalizer();

/** Ends tasks early: by the clock within one, and when it is set between them, as nothing runs beside a task in one thread. */
export class WasmInterrupt implements Interrupt {
  readonly #module: Module;
  readonly #at: Address;
  readonly #end: number;
  readonly #heard = new Set<() => void>();

  constructor(module: Module, milliseconds: number) {
    const { exports } = module;
    const at = module.made(exports.interruptNew(milliseconds));
    this.#module = module;
    this.#at = at;
    this.#end = performance.now() + milliseconds;
    addresses.set(this, at);
    finalizer.watch(this, () => exports.interruptDelete(at));
  }

  set(): void {
    this.#module.exports.interruptSet(this.#at);
    this.#heard.forEach((call) => call());
  }

  get isSet(): boolean {
    return this.#module.exports.interruptIsSet(this.#at) !== 0;
  }

  /** The time that is left. */
  get milliseconds(): number {
    return this.#end - performance.now();
  }

  /** Calls back when it is set: a copy of it in a worker follows. */
  onSet(call: () => void): void {
    this.#heard.add(call);
  }
}
