import type { Interrupt as InterruptInterface } from '../interface.js';

/** Ends tasks early. Here they look at it from one sweep over the data to the next. */
export class Interrupt implements InterruptInterface {
  readonly #end: number;
  #set = false;

  constructor(milliseconds: number) {
    this.#end = performance.now() + milliseconds;
  }

  set(): void {
    this.#set = true;
  }

  get isSet(): boolean {
    return this.#set || performance.now() >= this.#end;
  }
}
