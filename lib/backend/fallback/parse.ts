/**
 * LIBSVM text → compressed sparse rows. The text comes in chunks that may end anywhere, and is not kept: memory holds what was
 * read, and one token.
 *
 *   row    = label { blank index ':' value } [ '#' comment ]
 *
 * Blanks are space, tab and carriage return; a line of blanks or a comment alone is not a row. Positions count bytes, from 1.
 */
import type { ParsedSizes, ParseDefect } from '../interface.js';
import { decimalIn } from '../decimal.js';

/** A token is never longer; what is longer is no number, and no label. */
const LONGEST = 1000;
/** Shown of a token at most. */
const SHOWN = 200;
const HIGHEST_INDEX = 2147483647;
/** Rows and entries are counted with 32 bits. */
const MAX_COUNT = 4294967294;

const [TAB, NEWLINE, RETURN, SPACE, HASH, ZERO, COLON] = [9, 10, 13, 32, 35, 48, 58];

const endsToken = (byte: number) => byte === SPACE || byte === NEWLINE || byte === TAB || byte === RETURN || byte === HASH;
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte <= 57;

export class Parser {
  readonly #first: number;
  readonly #limit: number;
  readonly #ignoreExtra: boolean;
  readonly #words: List<Uint8Array> | undefined;
  readonly #labels = new List(Float64Array);
  readonly #starts = new List(Uint32Array);
  readonly #indices = new List(Uint32Array);
  #values: List<Float64Array> | undefined; // from the first on that is not 1
  #ones = 0; // values before those
  #rows = 0;
  #cols = 0;
  #ignored = 0;
  #inRow = false;
  #inComment = false;
  #last = -1; // the column before, in this row
  #line = 1;
  #lineStart = 0;
  #offset = 0; // of the chunk's first byte in the text
  readonly #carry = Buffer.alloc(LONGEST);
  #carried = 0;
  #carriedFrom = 0;
  #defect: ParseDefect | undefined;

  constructor(zeroBased: boolean, limit: number, ignoreExtra: boolean, words: boolean) {
    this.#first = zeroBased ? 0 : 1;
    this.#limit = limit;
    this.#ignoreExtra = ignoreExtra;
    this.#words = words ? new List(Uint8Array) : undefined;
  }

  push(given: Uint8Array): ParseDefect | undefined {
    if (this.#defect) return this.#defect;
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.length); // the same bytes, which it can turn into text
    const n = chunk.length;
    let p = 0;
    if (this.#carried > 0) {
      while (p < n && !endsToken(chunk[p]!)) p++;
      if (!this.#keep(chunk, 0, p)) return this.#defect;
      if (p === n) {
        this.#offset += n;
        return undefined;
      }
      const length = this.#carried;
      this.#carried = 0;
      if (!this.#token(this.#carry, 0, length, this.#carriedFrom)) return this.#defect;
    }
    while (p < n) {
      if (this.#inComment) {
        p = chunk.indexOf(NEWLINE, p);
        if (p < 0) break;
        this.#inComment = false;
      }
      const byte = chunk[p]!;
      if (byte === NEWLINE) {
        if (!this.#endRow()) return this.#defect;
        this.#line++;
        this.#lineStart = this.#offset + ++p;
      } else if (byte === HASH) {
        this.#inComment = true;
      } else if (endsToken(byte)) {
        p++;
      } else {
        const from = p;
        while (p < n && !endsToken(chunk[p]!)) p++;
        if (p === n) {
          this.#carriedFrom = this.#offset + from;
          if (!this.#keep(chunk, from, n)) return this.#defect;
        } else if (!this.#token(chunk, from, p, this.#offset + from)) {
          return this.#defect;
        }
      }
    }
    this.#offset += n;
    return undefined;
  }

  finish(): ParseDefect | undefined {
    if (this.#defect) return this.#defect;
    const length = this.#carried;
    this.#carried = 0;
    if (length > 0 && !this.#token(this.#carry, 0, length, this.#carriedFrom)) return this.#defect;
    if (this.#endRow() && this.#rows === 0) this.#refuse('empty', this.#carry, 0, 0, this.#offset);
    return this.#defect;
  }

  sizes(): ParsedSizes {
    return {
      rows: this.#rows,
      cols: this.#cols,
      ignored: this.#ignored,
      entries: this.#indices.length,
      hasValues: this.#values !== undefined,
      words: this.#words?.length ?? 0,
    };
  }

  takeStarts(out: Uint32Array): void {
    this.#starts.take(out);
  }

  takeIndices(out: Uint32Array): void {
    this.#indices.take(out);
  }

  takeValues(out: Float64Array): void {
    const ones = Math.min(out.length, this.#ones);
    out.fill(1, 0, ones);
    this.#ones -= ones;
    this.#values!.take(out.subarray(ones));
  }

  takeLabels(out: Float64Array): void {
    this.#labels.take(out);
  }

  takeWords(out: Uint8Array): void {
    this.#words!.take(out);
  }

  /** The end of the chunk is within a token, from its start or since. */
  #keep(chunk: Buffer, from: number, to: number): boolean {
    const length = this.#carried + to - from;
    this.#carry.set(chunk.subarray(from, Math.min(to, from + LONGEST - this.#carried)), this.#carried);
    this.#carried = Math.min(length, LONGEST);
    return length <= LONGEST || this.#refuse('long', this.#carry, 0, LONGEST, this.#carriedFrom);
  }

  #token(bytes: Buffer, from: number, to: number, at: number): boolean {
    if (to - from > LONGEST) return this.#refuse('long', bytes, from, to, at);
    return this.#inRow ? this.#entry(bytes, from, to, at) : this.#label(bytes, from, to, at);
  }

  #label(bytes: Buffer, from: number, to: number, at: number): boolean {
    if (this.#rows === MAX_COUNT) return this.#refuse('rows', bytes, from, to, at);
    if (this.#words) {
      if (!isWord(bytes, from, to)) return this.#refuse('word', bytes, from, to, at);
      for (let p = from; p < to; p++) this.#words.push(bytes[p]!);
      this.#words.push(NEWLINE);
    } else {
      const label = decimalIn(bytes, from, to);
      if (Number.isNaN(label)) return this.#refuse('label', bytes, from, to, at);
      this.#labels.push(label);
    }
    this.#starts.push(this.#indices.length);
    this.#inRow = true;
    this.#last = -1;
    return true;
  }

  #entry(bytes: Buffer, from: number, to: number, at: number): boolean {
    let p = from;
    let index = 0;
    for (; p < to && isDigit(bytes[p]); p++) index = Math.min(10 * index + bytes[p]! - ZERO, HIGHEST_INDEX + 1);
    if (p === from || p >= to - 1 || bytes[p] !== COLON) {
      const query = to - from >= 4 && bytes.toString('latin1', from, from + 4) === 'qid:';
      return this.#refuse(query ? 'qid' : 'entry', bytes, from, to, at);
    }
    const value = decimalIn(bytes, p + 1, to);
    if (Number.isNaN(value)) return this.#refuse('value', bytes, from, to, at);
    if (index > HIGHEST_INDEX) return this.#refuse('range', bytes, from, to, at);
    const column = index - this.#first;
    if (column < 0) return this.#refuse('zero', bytes, from, to, at);
    if (column <= this.#last) return this.#refuse('order', bytes, from, to, at);
    if (column >= this.#limit) {
      if (!this.#ignoreExtra) return this.#refuse('extra', bytes, from, to, at);
      this.#ignored++;
      this.#last = column;
      return true;
    }
    const before = this.#indices.length;
    if (before === MAX_COUNT) return this.#refuse('entries', bytes, from, to, at);
    this.#last = column;
    if (column >= this.#cols) this.#cols = column + 1;
    this.#indices.push(column);
    if (value !== 1 && !this.#values) {
      this.#values = new List(Float64Array);
      this.#ones = before;
    }
    this.#values?.push(value);
    return true;
  }

  #endRow(): boolean {
    if (this.#inRow) this.#rows++;
    this.#inRow = false;
    return true;
  }

  #refuse(defect: ParseDefect['defect'], bytes: Buffer, from: number, to: number, at: number): false {
    this.#defect = {
      defect,
      line: this.#line,
      column: at - this.#lineStart + 1,
      text: Uint8Array.from(bytes.subarray(from, Math.min(to, from + SHOWN))),
      last: this.#last + this.#first,
    };
    return false;
  }
}

/** UTF-8 without control characters and colons: a row that begins with index:value has lost its label. */
function isWord(bytes: Uint8Array, from: number, to: number): boolean {
  for (let p = from; p < to;) {
    const byte = bytes[p++]!;
    if (byte < 0x80) {
      if (byte < SPACE || byte === COLON || byte === 0x7f) return false;
      continue;
    }
    const more = byte >= 0xc2 && byte < 0xe0 ? 1 : byte >= 0xe0 && byte < 0xf0 ? 2 : byte >= 0xf0 && byte < 0xf5 ? 3 : 0;
    if (more === 0 || p + more > to) return false;
    const second = bytes[p]!;
    // The shortest encoding, no surrogates, nothing beyond U+10FFFF.
    if (byte === 0xe0 && second < 0xa0) return false;
    if (byte === 0xed && second >= 0xa0) return false;
    if (byte === 0xf0 && second < 0x90) return false;
    if (byte === 0xf4 && second >= 0x90) return false;
    for (let k = 0; k < more; k++) if ((bytes[p++]! & 0xc0) !== 0x80) return false;
  }
  return true;
}

type Numbers = Uint8Array | Uint32Array | Float64Array;

/** A list that grows block by block. Nothing is copied until it is taken, in steps; each block is dropped once it was copied. */
class List<T extends Numbers> {
  static readonly BLOCK = 1 << 16;
  readonly #View: new (length: number) => T;
  #blocks: (T | undefined)[] = [];
  #block: T | undefined;
  #used = List.BLOCK;
  #first = 0; // blocks that were taken
  #taken = 0; // entries of the first that was not
  length = 0;

  constructor(View: new (length: number) => T) {
    this.#View = View;
  }

  push(value: number): void {
    if (this.#used === List.BLOCK) {
      this.#block = new this.#View(List.BLOCK);
      this.#blocks.push(this.#block);
      this.#used = 0;
    }
    this.#block![this.#used++] = value;
    this.length++;
  }

  /** Moves the first out.length entries to `out`. */
  take(out: Numbers): void {
    for (let at = 0; at < out.length;) {
      const from = this.#blocks[this.#first]!;
      const some = Math.min(out.length - at, List.BLOCK - this.#taken);
      out.set(from.subarray(this.#taken, this.#taken + some), at);
      at += some;
      this.#taken += some;
      this.length -= some;
      if (this.#taken < List.BLOCK) continue;
      this.#blocks[this.#first++] = undefined;
      this.#taken = 0;
    }
  }
}
