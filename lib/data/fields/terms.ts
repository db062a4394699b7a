/**
 * The words of a text.
 *
 * A word is two or more letters, digits or underscores in a row, /[\p{L}\p{N}_]{2,}/u: what scikit-learn's vectorizers take as one. Python's \w
 * and lower() agree with it for every code point of Python's Unicode; Node.js may know newer ones.
 */

const SPACE = 32;
const WORD = /[\p{L}\p{N}_]/u;

/** By byte below 128, what is written for it: itself, or its lower case; 0 for a byte that is no part of a word. */
function asciiTable(lowercase: boolean): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, byte) => {
    const sign = String.fromCharCode(byte);
    return WORD.test(sign) ? (lowercase ? sign.toLowerCase() : sign).charCodeAt(0) : 0;
  });
}

const [AS_IT_IS, LOWER] = [asciiTable(false), asciiTable(true)];

/** By code point, whether it is part of a word: 0 as long as nobody has asked. Made when a text first has one above 127. */
let asked: Uint8Array | undefined;
const [NO, YES] = [1, 2];

function isWordPart(point: number): boolean {
  asked ??= new Uint8Array(0x110000);
  return (asked[point] ||= WORD.test(String.fromCodePoint(point)) ? YES : NO) === YES;
}

const utf8 = new TextEncoder();

/** Longer arrays are kept only as long as texts need them. */
const KEPT = 2 ** 20;

/** The words of one text after the other. A term is a run of words, and so a run of bytes. */
export class Words {
  /** In UTF-8, with a space between two words. */
  bytes = new Uint8Array(1024);
  /** Where each word ends. */
  ends = new Uint32Array(128);
  count = 0;
  readonly #table: Uint8Array;
  readonly #lowercase: boolean;
  readonly #segmenter: Intl.Segmenter | undefined;

  /** With a segmenter, by the rules of a language. They change with the version of ICU. */
  constructor({ lowercase, segmenter }: { readonly lowercase: boolean; readonly segmenter?: string | undefined }) {
    this.#lowercase = lowercase;
    this.#table = lowercase ? LOWER : AS_IT_IS;
    this.#segmenter = segmenter === undefined ? undefined : new Intl.Segmenter(segmenter, { granularity: 'word' });
  }

  /** Takes another text. A lone surrogate counts as U+FFFD, as in every encoder of UTF-8. */
  read(text: string): void {
    this.count = 0;
    if (this.#segmenter) this.#segment(this.#segmenter, this.#lowercase ? text.toLowerCase() : text);
    else this.#scan(this.#encode(text));
  }

  /** Writes a text as bytes, in lower case where it is not ASCII: the scan does that for ASCII. Returns how many there are. */
  #encode(text: string): number {
    this.#reserve(text.length);
    const { written } = utf8.encodeInto(text, this.bytes);
    if (written === text.length || !this.#lowercase) return written;
    const lower = text.toLowerCase();
    this.#reserve(lower.length);
    return utf8.encodeInto(lower, this.bytes).written;
  }

  /** Room for a text of so many UTF-16 units, and a byte after it. */
  #reserve(length: number): void {
    const needed = 3 * length + 1;
    if (needed > this.bytes.length || (this.bytes.length > KEPT && needed <= KEPT))
      this.bytes = new Uint8Array(Math.max(1024, needed));
    if (this.ends.length > KEPT) this.ends = new Uint32Array(128);
  }

  /** Moves words to the front of the bytes. What is written never overtakes what is read: a word is followed by at least one other byte. */
  #scan(length: number): void {
    const { bytes } = this;
    const table = this.#table;
    bytes[length] = 0; // ends the last word
    let [out, begin, signs] = [0, 0, 0];
    for (let at = 0; at <= length;) {
      const byte = bytes[at]!;
      if (byte < 128) {
        const sign = table[byte]!;
        at++;
        if (sign !== 0) {
          bytes[out++] = sign;
          signs++;
          continue;
        }
      } else {
        const size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        if (isWordPart(pointAt(bytes, at, size))) {
          bytes.copyWithin(out, at, at + size);
          at += size;
          out += size;
          signs++;
          continue;
        }
        at += size;
      }
      if (signs >= 2) {
        this.#end(out);
        bytes[out++] = SPACE;
        begin = out;
      } else out = begin;
      signs = 0;
    }
  }

  #segment(segmenter: Intl.Segmenter, text: string): void {
    this.#reserve(2 * text.length); // a space after each word
    let out = 0;
    for (const { segment, isWordLike } of segmenter.segment(text)) {
      if (!isWordLike) continue;
      out += utf8.encodeInto(segment, this.bytes.subarray(out)).written;
      this.#end(out);
      this.bytes[out++] = SPACE;
    }
  }

  #end(at: number): void {
    if (this.count === this.ends.length) {
      const longer = new Uint32Array(2 * this.count);
      longer.set(this.ends);
      this.ends = longer;
    }
    this.ends[this.count++] = at;
  }
}

/** The code point of `size` bytes of UTF-8. */
function pointAt(bytes: Uint8Array, at: number, size: number): number {
  const [a, b] = [bytes[at]!, bytes[at + 1]! & 63];
  if (size === 2) return ((a & 31) << 6) | b;
  const c = bytes[at + 2]! & 63;
  if (size === 3) return ((a & 15) << 12) | (b << 6) | c;
  return ((a & 7) << 18) | (b << 12) | (c << 6) | (bytes[at + 3]! & 63);
}
