/** Numbers that are added one at a time, held in blocks, so that adding copies little and many of them waste no memory. */
type Numbers = Float64Array | Uint32Array | Int32Array | Int8Array;

/** The number of entries in a block, a power of two. The first block begins small: most lists do. */
const BITS = 16;
const BLOCK = 1 << BITS;
const FIRST = 64;

export class NumberList<T extends Numbers> {
  length = 0;
  readonly #View: new (length: number) => T;
  readonly #blocks: T[];
  /** The block that grows, and the place in it of the next number. */
  #last: T;
  #next = 0;

  constructor(View: new (length: number) => T) {
    this.#View = View;
    this.#last = new View(FIRST);
    this.#blocks = [this.#last];
  }

  push(value: number): void {
    if (this.#next === this.#last.length) this.#grow();
    this.#last[this.#next++] = value;
    this.length++;
  }

  at(k: number): number {
    return this.#blocks[k >>> BITS]![k & (BLOCK - 1)]!;
  }

  set(k: number, value: number): void {
    this.#blocks[k >>> BITS]![k & (BLOCK - 1)] = value;
  }

  /** The numbers, a block at a time. */
  *blocks(): Generator<T> {
    for (const block of this.#blocks) yield (block === this.#last ? block.subarray(0, this.#next) : block) as T;
  }

  /** All numbers in one array. */
  toArray(): T {
    const all = new this.#View(this.length);
    this.#blocks.forEach((block, k) => all.set(block.subarray(0, this.length - k * BLOCK), k * BLOCK));
    return all;
  }

  /** Leaves no number, and keeps the first block. */
  clear(): void {
    this.length = 0;
    this.#next = 0;
    if (this.#blocks.length === 1) return;
    this.#blocks.length = 1;
    this.#last = this.#blocks[0]!;
  }

  #grow(): void {
    const { length } = this.#last;
    this.#next = 0;
    if (length === BLOCK) {
      this.#blocks.push((this.#last = new this.#View(BLOCK)));
      return;
    }
    const longer = new this.#View(Math.min(BLOCK, 4 * length));
    longer.set(this.#last);
    this.#next = length;
    this.#blocks[0] = this.#last = longer;
  }
}
