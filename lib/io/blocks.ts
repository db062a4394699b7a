/** Lists of numbers that grow block by block, so that growing copies nothing. */
import type { Pace } from './pace.js';

type Numbers = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** The number of entries in a block. */
const BLOCK = 1 << 17;

export class Blocks<T extends Numbers> {
  readonly #View: new (length: number) => T;
  #blocks: T[] = [];
  /** The number of entries used in the last block. */
  #used = BLOCK;
  length = 0;

  constructor(View: new (length: number) => T) {
    this.#View = View;
  }

  /** Throws V8's RangeError if memory runs out. */
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

  /** Moves all entries to `all`, which has this length, in steps. Each block is released once it is copied. */
  async take(all: T, pace: Pace): Promise<void> {
    this.#blocks.reverse();
    for (let at = 0; at < all.length; at += BLOCK) {
      if (pace.due) await pace.turn();
      all.set(this.#blocks.pop()!.subarray(0, all.length - at), at);
    }
  }
}
