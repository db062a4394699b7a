/** Lists of numbers that grow block by block: nothing is copied until all is there. */
import type { Pace } from './pace.js';

type Numbers = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** Entries of a block. */
const BLOCK = 1 << 17;

export class Blocks<T extends Numbers> {
  readonly #View: new (length: number) => T;
  #blocks: T[] = [];
  /** Of the last block. */
  #used = BLOCK;
  length = 0;

  constructor(View: new (length: number) => T) {
    this.#View = View;
  }

  /** Throws a RangeError of V8's where there is no memory. */
  append(values: T): void {
    for (let at = 0; at < values.length;) {
      if (this.#used === BLOCK) {
        this.#blocks.push(new this.#View(BLOCK));
        this.#used = 0;
      }
      const some = Math.min(values.length - at, BLOCK - this.#used);
      this.#blocks.at(-1)!.set(values.subarray(at, at + some), this.#used);
      at += some;
      this.#used += some;
      this.length += some;
    }
  }

  /** Copies all to `all`, of this length, in steps; each block is dropped once it is copied. */
  async take(all: T, pace: Pace): Promise<void> {
    this.#blocks.reverse();
    for (let at = 0; at < all.length; at += BLOCK) {
      if (pace.due) await pace.turn();
      all.set(this.#blocks.pop()!.subarray(0, all.length - at), at);
    }
  }
}
