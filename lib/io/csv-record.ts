/** A record of CSV that is kept, as bytes: what the cells of the first one are is known only when it has ended. */
import { Blocks } from './blocks.js';
import type { Pace } from './pace.js';

export class CsvRecord {
  #bytes = Buffer.alloc(1 << 12);
  #end = 0;
  #ends: Uint32Array<ArrayBuffer> = new Uint32Array(0);
  readonly #growing = new Blocks(Uint32Array);

  /** The number of cells. */
  get width(): number {
    return this.#growing.length;
  }

  add(bytes: Buffer, from: number, to: number): void {
    const old = this.#bytes;
    if (this.#end + to - from > old.length) {
      this.#bytes = Buffer.alloc(2 * (this.#end + to - from));
      old.copy(this.#bytes, 0, 0, this.#end);
    }
    const own = this.#bytes;
    let end = this.#end;
    for (let at = from; at < to; at++) own[end++] = bytes[at]!; // most are a few bytes, for which copy() takes longer
    this.#end = end;
    this.#growing.grow(1);
    this.#growing.set(0, this.#end);
  }

  /** Ends the record, whose cells can be used from now on. */
  async finish(pace: Pace): Promise<void> {
    this.#ends = new Uint32Array(this.width);
    await this.#growing.take(this.#ends, pace);
  }

  /** The text of cell j. */
  text(j: number): string {
    return this.#bytes.toString('utf8', this.#begin(j), this.#ends[j]);
  }

  /** The text of the first cells, more than errors show. */
  beginning(): string[] {
    return Array.from({ length: Math.min(this.width, 100) }, (_, j) => this.text(j));
  }

  /** Hands cell j to `take`. */
  give(j: number, take: (bytes: Buffer, from: number, to: number) => void): void {
    take(this.#bytes, this.#begin(j), this.#ends[j]!);
  }

  #begin(j: number): number {
    return j === 0 ? 0 : this.#ends[j - 1]!;
  }
}
