/**
 * Numbers for terms, in the order in which they are first seen.
 *
 * A table of hashes whose keys are bytes: looking a term up makes no string, which is what most of the time would go to. What is left of it
 * are reads from memory that is not in the caches: two a term, one of its place and one of its entry.
 */
import { murmur } from '../murmur.js';
import { UNKNOWN } from './dictionary.js';

/** Terms that are new beyond this number, or beyond so many words of 32 bits that hold them, are unknown. */
const MAX_TERMS = 2 ** 24 - 1;
const MAX_WORDS = 2 ** 30 - 2;

/** So many places are tried for a term. Texts made for the purpose may have many terms of one hash; these go to a Map, whose hash has a seed. */
const MAX_TRIES = 64;

/** An entry: the number of the term, its hash, its length, and its bytes. */
const [CODE, HASH, LENGTH, BYTES] = [0, 1, 2, 3];

const utf8 = new TextEncoder();

export class Vocabulary {
  size = 0;
  /** The entries, one after the other, as words of 32 bits and as bytes; where each begins, and where the next one will. */
  #words = new Int32Array(1024);
  #bytes = Buffer.from(this.#words.buffer);
  #entries = new Uint32Array(256);
  #next = 0;
  /** By place, a hash and where its entry begins plus 1, or 0. At least twice as many places as terms, a power of two. */
  #places = new Int32Array(2 * 512);
  readonly #crowded = new Map<string, number>();
  #closed = false;

  /** A vocabulary of these terms and no others. */
  static of(terms: readonly string[]): Vocabulary {
    const vocabulary = new Vocabulary();
    for (const term of terms) {
      const bytes = utf8.encode(term);
      vocabulary.#add(bytes, 0, bytes.length, murmur(bytes, 0, bytes.length));
    }
    vocabulary.#closed = true;
    return vocabulary;
  }

  /** The number of a term, or UNKNOWN. */
  code(bytes: Uint8Array, begin: number, end: number): number {
    const hash = murmur(bytes, begin, end);
    const places = this.#places;
    const mask = places.length / 2 - 1;
    for (let k = 0, place = hash & mask; k < MAX_TRIES; k++, place = (place + k) & mask) {
      const found = places[2 * place + 1]!;
      if (found === 0) break;
      if (places[2 * place] === hash && this.#is(found - 1, bytes, begin, end)) return this.#words[found - 1 + CODE]!;
    }
    if (this.#crowded.size > 0) {
      const crowded = this.#crowded.get(keyOf(bytes, begin, end));
      if (crowded !== undefined) return crowded;
    }
    const isFull = this.size === MAX_TERMS || this.#next + wordsFor(end - begin) > MAX_WORDS;
    return this.#closed || isFull ? UNKNOWN : this.#add(bytes, begin, end, hash);
  }

  /** By term of this vocabulary, its number in another, or UNKNOWN. */
  codesIn(other: Vocabulary): Int32Array {
    const codes = new Int32Array(this.size);
    for (let code = 0; code < codes.length; code++) codes[code] = other.code(this.#bytes, ...this.#range(code));
    return codes;
  }

  text(code: number): string {
    return this.#bytes.toString('utf8', ...this.#range(code));
  }

  /** The order of two terms by their bytes, which is that of their code points. */
  compare(a: number, b: number): number {
    const [first, second] = [this.#entries[a]!, this.#entries[b]!];
    const [length, other] = [this.#words[first + LENGTH]!, this.#words[second + LENGTH]!];
    const bytes = this.#bytes;
    let [at, to] = [4 * (first + BYTES), 4 * (second + BYTES)];
    for (const end = at + Math.min(length, other); at < end; at++, to++) {
      const apart = bytes[at]! - bytes[to]!;
      if (apart !== 0) return apart;
    }
    return length - other;
  }

  /** Where the bytes of a term begin and end. */
  #range(code: number): [begin: number, end: number] {
    const entry = this.#entries[code]!;
    const begin = 4 * (entry + BYTES);
    return [begin, begin + this.#words[entry + LENGTH]!];
  }

  #is(entry: number, bytes: Uint8Array, begin: number, end: number): boolean {
    if (this.#words[entry + LENGTH] !== end - begin) return false;
    const own = this.#bytes;
    let at = 4 * (entry + BYTES);
    for (let k = begin; k < end; k++) if (own[at++] !== bytes[k]) return false;
    return true;
  }

  #add(bytes: Uint8Array, begin: number, end: number, hash: number): number {
    const [code, entry] = [this.size++, this.#next];
    this.#next += wordsFor(end - begin);
    if (this.#next > this.#words.length) this.#lengthen();
    this.#words[entry + CODE] = code;
    this.#words[entry + HASH] = hash;
    this.#words[entry + LENGTH] = end - begin;
    let at = 4 * (entry + BYTES);
    for (let k = begin; k < end; k++) this.#bytes[at++] = bytes[k]!;
    if (code === this.#entries.length) this.#grow();
    this.#entries[code] = entry;
    this.#place(code);
    return code;
  }

  #place(code: number): void {
    const places = this.#places;
    const entry = this.#entries[code]!;
    const hash = this.#words[entry + HASH]!;
    const mask = places.length / 2 - 1;
    for (let k = 0, place = hash & mask; k < MAX_TRIES; k++, place = (place + k) & mask) {
      if (places[2 * place + 1] !== 0) continue;
      places[2 * place] = hash;
      places[2 * place + 1] = entry + 1;
      return;
    }
    const key = keyOf(this.#bytes, ...this.#range(code));
    if (!this.#crowded.has(key)) this.#crowded.set(key, code);
  }

  #lengthen(): void {
    const longer = new Int32Array(Math.min(MAX_WORDS, Math.max(2 * this.#words.length, this.#next)));
    longer.set(this.#words);
    this.#words = longer;
    this.#bytes = Buffer.from(longer.buffer);
  }

  #grow(): void {
    const { length } = this.#entries;
    const entries = new Uint32Array(2 * length);
    entries.set(this.#entries);
    this.#entries = entries;
    this.#places = new Int32Array(8 * length);
    this.#crowded.clear();
    for (let code = 0; code < length; code++) this.#place(code);
  }
}

/** The length of an entry in words of 32 bits. */
function wordsFor(bytes: number): number {
  return BYTES + ((bytes + 3) >> 2);
}

/** A string for bytes, one character each. */
function keyOf(bytes: Uint8Array, begin: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', begin, end);
}
