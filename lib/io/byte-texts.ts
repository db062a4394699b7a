/** Texts kept as bytes: no string is made of one until it is asked for. */
import { heapError, type FileCode } from '../input/file-errors.js';
import { heapLimit } from '../platform/host.js';

/** Bytes are held in blocks, so that growing copies nothing. A longer text has a block of its own. */
const BLOCK = 1 << 16;
const FIRST = 64;

/** What a string takes besides its characters: its header and its place in a dictionary. */
const STRING = 32;

/** Refuses strings that take so many bytes: they will be on V8's heap, and V8 ends the process when that is full. */
export function checkStrings(bytes: number, file: string, code: FileCode): void {
  const max = Math.floor(heapLimit() / 2);
  if (bytes > max) throw heapError(file, code, max);
}

export class ByteTexts {
  size = 0;
  /** Of all texts together. */
  bytes = 0;
  readonly #blocks: Buffer[] = [];
  #used = 0; // of the last block
  // By text: its block, its first byte there, and its length.
  #block = new Uint32Array(FIRST);
  #begin = new Uint32Array(FIRST);
  #length = new Uint32Array(FIRST);

  /** Adds a text, and returns its number. */
  add(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from;
    let block = this.#blocks.at(-1);
    if (!block || block.length - this.#used < length) {
      // The first block is small, as most columns have few distinct texts.
      block = Buffer.allocUnsafeSlow(Math.max(length, this.#blocks.length === 0 ? 4 * FIRST : BLOCK));
      this.#blocks.push(block);
      this.#used = 0;
    }
    if (this.size === this.#block.length) {
      this.#block = doubled(this.#block);
      this.#begin = doubled(this.#begin);
      this.#length = doubled(this.#length);
    }
    this.#block[this.size] = this.#blocks.length - 1;
    this.#begin[this.size] = this.#used;
    this.#length[this.size] = length;
    for (let at = from, to = this.#used; at < from + length; at++) block[to++] = bytes[at]!;
    this.#used += length;
    this.bytes += length;
    return this.size++;
  }

  /** The bytes of memory that they would take as strings, about. */
  get heap(): number {
    return this.bytes + STRING * this.size;
  }

  is(number: number, bytes: Uint8Array, from: number, to: number): boolean {
    const length = this.#length[number]!;
    if (length !== to - from) return false;
    const [own, begin] = [this.#blocks[this.#block[number]!]!, this.#begin[number]!];
    for (let k = 0; k < length; k++) if (own[begin + k] !== bytes[from + k]) return false;
    return true;
  }

  text(number: number): string {
    const begin = this.#begin[number]!;
    return this.#blocks[this.#block[number]!]!.toString('utf8', begin, begin + this.#length[number]!);
  }

  /** Hands a text to `take`. */
  give<T>(number: number, take: (bytes: Buffer, from: number, to: number) => T): T {
    const begin = this.#begin[number]!;
    return take(this.#blocks[this.#block[number]!]!, begin, begin + this.#length[number]!);
  }
}

function doubled(list: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * list.length);
  longer.set(list);
  return longer;
}

/** Where hashes begin: not known to who writes a file, so that no file can be made of texts that all have one hash. */
const SEED = Math.floor(Math.random() * 2 ** 32) | 0;
const PRIME = 0x01000193;

/** Distinct texts, numbered in the order in which they are first seen. */
export class ByteDictionary {
  readonly texts = new ByteTexts();
  /** By place, the number of a text plus 1; 0 if it is free. At most half of the places are taken. */
  #places = new Uint32Array(FIRST);
  #hashes = new Int32Array(FIRST / 2);

  /** The number of a text, which is new if it was not seen before. */
  code(bytes: Uint8Array, from: number, to: number): number {
    // FNV-1a, mixed at the end as only the low bits choose a place.
    let hash = SEED;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash ^= hash >>> 13;
    const { texts } = this;
    const mask = this.#places.length - 1;
    let place = hash & mask;
    for (let number = this.#places[place]!; number > 0; number = this.#places[place]!) {
      if (this.#hashes[number - 1] === hash && texts.is(number - 1, bytes, from, to)) return number - 1;
      place = (place + 1) & mask;
    }
    const code = texts.add(bytes, from, to);
    this.#places[place] = code + 1;
    this.#hashes[code] = hash;
    if (texts.size === this.#hashes.length) this.#grow();
    return code;
  }

  #grow(): void {
    const hashes = new Int32Array(2 * this.#hashes.length);
    hashes.set(this.#hashes);
    const places = new Uint32Array(2 * this.#places.length);
    const mask = places.length - 1;
    for (let code = 0; code < this.texts.size; code++) {
      let place = hashes[code]! & mask;
      while (places[place]! > 0) place = (place + 1) & mask;
      places[place] = code + 1;
    }
    this.#hashes = hashes;
    this.#places = places;
  }
}
