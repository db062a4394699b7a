/**
 * CSV text → cells, as bytes. The text comes in parts that may end anywhere. No string is made of a cell: who takes it knows what it is.
 *
 *   record    = cell { delimiter cell } line-end
 *   cell      = plain | '"' { character | '""' } '"'
 *   line-end  = '\r\n' | '\n' | '\r'
 *
 * A plain cell has no quotes. An empty line is no record. As RFC 4180, but for delimiters of one or more characters of any kind.
 */
import { show, Verbatim } from '../errors.js';
import { csvError, type CsvPlace } from '../input/file-errors.js';

/** What takes the cells. */
export interface CellTaker {
  /** The next cell of the record, without its quotes. The bytes may change after the call. */
  cell(bytes: Buffer, from: number, to: number): void;
  /** Where in the file a cell is; columns count from 0. */
  place(line: number, column: number): CsvPlace;
}

/** The limit on bytes of a record, and so of a line. An unclosed quote, or a file without line ends, would make all of it one record. */
const MAX_BYTES = 1 << 24;

const [NEWLINE, RETURN, QUOTE] = [10, 13, 34];

/** In a cell without quotes, or before the first byte of any; within quotes; after the closing one. */
const [PLAIN, QUOTED, CLOSED] = [0, 1, 2];

/** The length of a separator whose bytes are not all there yet. */
const UNKNOWN = -1;

export class CsvCells {
  readonly #taker: CellTaker;
  readonly #delimiter: Buffer;
  /** By byte, whether a plain cell may end there. */
  readonly #stops = new Uint8Array(256);
  /** The cell under way and the text after it. The text within quotes moves to the left, as doubled quotes become one. */
  #bytes = Buffer.alloc(1 << 17);
  #end = 0;
  #finished = false;
  #state = PLAIN;
  #at = 0; // the next byte to look at
  #from = 0; // the cell's first byte, without a quote
  #to = 0; // the end of the text within quotes, so far
  #record = 0; // the record's first byte, below 0 once it is gone
  #column = 0;
  #line = 1;
  #opened = 1; // the line of the opening quote
  #began = 1; // the first line of the record
  /** The last line of the record read last. */
  line = 1;

  constructor(delimiter: string, taker: CellTaker) {
    this.#taker = taker;
    this.#delimiter = Buffer.from(delimiter);
    for (const byte of [NEWLINE, RETURN, QUOTE, this.#delimiter[0]!]) this.#stops[byte] = 1;
  }

  /** Adds a part of the text, which is copied, once `read` has returned false. */
  push(part: Uint8Array): void {
    this.#checkLength();
    const gone = this.#from;
    const kept = this.#end - gone;
    const old = this.#bytes;
    if (kept + part.length > old.length) this.#bytes = Buffer.alloc(2 * (kept + part.length));
    if (gone > 0 || old !== this.#bytes) old.copy(this.#bytes, 0, gone, this.#end);
    this.#bytes.set(part, kept);
    this.#end = kept + part.length;
    this.#at -= gone;
    this.#from -= gone;
    this.#to -= gone;
    this.#record -= gone;
  }

  /** Ends the text; there may be one more record to read. */
  finish(): void {
    this.push(Buffer.of(NEWLINE)); // after another one it is an empty line
    this.#finished = true;
  }

  /** Hands over cells up to the end of a record; false if the text ends before. */
  read(): boolean {
    while (this.#pass()) {
      const byte = this.#bytes[this.#at]!;
      const endsLine = byte === NEWLINE || byte === RETURN;
      const length = endsLine ? this.#lineEnd() : this.#delimiterLength();
      if (length === UNKNOWN) return false;
      if (length === 0) {
        if (this.#state === CLOSED) throw this.#textAfterQuote();
        this.#at++;
        continue;
      }
      const empty = endsLine && this.#column === 0 && this.#state === PLAIN && this.#at === this.#from;
      if (!empty) this.#taker.cell(this.#bytes, this.#from, this.#state === PLAIN ? this.#at : this.#to);
      if (endsLine) this.#checkLength();
      this.#state = PLAIN;
      this.#at += length;
      this.#from = this.#at;
      this.#column++;
      if (endsLine && this.#endLine(empty)) return true;
    }
    if (this.#finished && this.#state === QUOTED) {
      throw csvError('a closing quote', this.#taker.place(this.#opened, this.#column), new Verbatim('the end of the text'));
    }
    return false;
  }

  /** Goes to the byte that may end the cell; false if the text ends before. */
  #pass(): boolean {
    if (this.#state === PLAIN) {
      const [bytes, stops, end] = [this.#bytes, this.#stops, this.#end];
      let at = this.#at;
      while (at < end && stops[bytes[at]!] === 0) at++;
      this.#at = at;
      if (at < end && bytes[at] === QUOTE) this.#open();
    }
    if (this.#state === QUOTED) this.#passQuoted();
    return this.#state !== QUOTED && this.#at < this.#end;
  }

  #open(): void {
    if (this.#at > this.#from) {
      const text = this.#bytes.toString('utf8', this.#from, this.#at + 1);
      throw csvError('quotes around the whole cell', this.#taker.place(this.#line, this.#column), text);
    }
    this.#state = QUOTED;
    this.#opened = this.#line;
    this.#from = this.#to = ++this.#at;
  }

  /** Goes behind the closing quote, or to the end of the text, or to a byte before it that means nothing without the next one. */
  #passQuoted(): void {
    const [bytes, end] = [this.#bytes, this.#end];
    let [at, to] = [this.#at, this.#to];
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE || byte === RETURN) {
        if (at + 1 === end) break;
        if (byte === QUOTE && bytes[++at] !== QUOTE) {
          this.#state = CLOSED;
          break;
        }
      }
      if (byte === NEWLINE || (byte === RETURN && bytes[at + 1] !== NEWLINE)) this.#line++;
      bytes[to++] = byte;
    }
    this.#at = at;
    this.#to = to;
  }

  #lineEnd(): number {
    if (this.#bytes[this.#at] === NEWLINE) return 1;
    if (this.#at + 1 === this.#end) return UNKNOWN;
    return this.#bytes[this.#at + 1] === NEWLINE ? 2 : 1;
  }

  /** The length of the delimiter here, 0 if there is none. */
  #delimiterLength(): number {
    const [delimiter, bytes, at] = [this.#delimiter, this.#bytes, this.#at];
    for (let k = 0; k < delimiter.length; k++) {
      if (at + k === this.#end) return UNKNOWN;
      if (bytes[at + k] !== delimiter[k]) return 0;
    }
    return delimiter.length;
  }

  /** Whether a record ends with the line. */
  #endLine(empty: boolean): boolean {
    if (!empty) this.line = this.#line;
    this.#began = ++this.#line;
    this.#record = this.#at;
    this.#column = 0;
    return !empty;
  }

  #checkLength(): void {
    if (this.#at - this.#record <= MAX_BYTES) return;
    const what = this.#began === this.#line ? 'line' : 'record';
    const { file } = this.#taker.place(this.#began, 0);
    throw csvError(`a ${what} of at most ${MAX_BYTES} bytes`, { file, line: this.#began }, new Verbatim('more'));
  }

  #textAfterQuote(): Error {
    const text = show(this.#bytes.toString('utf8', this.#from, this.#to));
    const what = `a delimiter or the end of the line after ${text} in quotes`;
    return csvError(what, this.#taker.place(this.#line, this.#column), new Verbatim('more'));
  }
}
