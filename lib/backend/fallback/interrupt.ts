import type { Interrupt as InterruptInterface } from '../interface.js';

/** Ends tasks early. This backend looks at it between tasks, not within one. */
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
