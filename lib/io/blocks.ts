/** Lists of numbers that grow block by block, so that growing copies nothing. */
import type { Pace } from './pace.js';

type Numbers = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** The number of entries in a block, a power of two. */
const BITS = 17;
const BLOCK = 1 << BITS;

export class Blocks<T extends Numbers> {
  readonly #View: new (length: number) => T;
  #blocks: T[] = [];
  /** Of the entries added last: the block of the first one, and its place there. */
  #block = 0;
  #offset = 0;
  #end = 0; // of the last entry, from the beginning of #block
  length = 0;

  constructor(View: new (length: number) => T) {
    this.#View = View;
  }

  /** Adds `count` entries of 0, fewer than 2^31. Throws V8's RangeError if memory runs out. */
  grow(count: number): void {
    this.#block += this.#end >> BITS;
    this.#offset = this.#end & (BLOCK - 1);
    this.#end = this.#offset + count;
    while ((this.#blocks.length - this.#block) * BLOCK < this.#end) this.#blocks.push(new this.#View(BLOCK));
    this.length += count;
  }

  /** Sets entry k of those that were added last. */
  set(k: number, value: number): void {
    const at = this.#offset + k;
    this.#blocks[this.#block + (at >> BITS)]![at & (BLOCK - 1)] = value;
  }

  /** Moves all entries to `all`, an array of this length, block by block. Each block is released once it is copied. */
  async take(all: T, pace: Pace): Promise<void> {
    this.#blocks.reverse();
    for (let at = 0; at < all.length; at += BLOCK) {
      if (pace.due) await pace.turn();
      all.set(this.#blocks.pop()!.subarray(0, all.length - at), at);
    }
  }
}
