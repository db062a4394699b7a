/**
 * A field of a CSV file: numbers as long as every cell is one or empty, strings from the first other cell on.
 *
 * Strings are kept once, as bytes, with a code a row. Should a field turn out to be strings after all, the text of each earlier number must be
 * known: it is kept for numbers that are not written as JavaScript writes them, such as 1.50.
 */
import { decimal, decimalIn } from '../backend/decimal.js';
import { NumberList } from '../data/number-list.js';
import { codesOf, type TableColumn } from '../data/table.js';
import { ByteDictionary, ByteTexts } from './byte-texts.js';
import type { Pace } from './pace.js';

/** The code of an empty cell. */
const MISSING = -1;
/** Texts that stand for a missing number. */
const GAPS = ['NA', 'N/A', 'NaN'].map((text) => Buffer.from(text));

const [TAB, RETURN, SPACE, PLUS, MINUS, POINT, ZERO, NINE] = [9, 13, 32, 43, 45, 46, 48, 57];
/** Decimals of so many digits are the shortest that give their double. */
const EXACT_DIGITS = 15;

export class CsvField {
  /** The rows before the first string, NaN where there is no number. */
  readonly #numbers = new NumberList(Float64Array);
  /** The rows whose text is not that of their number, and the texts. */
  readonly #oddRows = new NumberList(Uint32Array);
  readonly #oddTexts = new ByteTexts();
  /** The rows from the first string on. */
  readonly #codes = new NumberList(Int32Array);
  readonly #dictionary = new ByteDictionary();
  #strings: boolean;

  constructor(
    readonly name: string,
    strings: boolean,
  ) {
    this.#strings = strings;
  }

  /** The bytes of memory that its distinct strings will take, about. */
  get heap(): number {
    return this.#strings ? this.#dictionary.texts.heap : 0;
  }

  /** Adds the cell of the next row. */
  push(bytes: Buffer, begin: number, end: number): void {
    let [from, to] = [begin, end];
    while (from < to && isBlank(bytes[from]!)) from++;
    while (from < to && isBlank(bytes[to - 1]!)) to--;
    if (this.#strings) {
      this.#codes.push(from === to ? MISSING : this.#dictionary.code(bytes, from, to));
      return;
    }
    if (from === to) {
      this.#numbers.push(NaN);
      return;
    }
    const number = isCode(bytes, from, to) ? NaN : numberIn(bytes, from, to);
    if (Number.isNaN(number) && !isGap(bytes, from, to)) {
      this.#strings = true;
      this.#codes.push(this.#dictionary.code(bytes, from, to));
      return;
    }
    if (!isText(number, bytes, from, to)) {
      this.#oddRows.push(this.#numbers.length);
      this.#oddTexts.add(bytes, from, to);
    }
    this.#numbers.push(number);
  }

  async finish(pace: Pace): Promise<TableColumn> {
    const numbers = this.#numbers.length;
    if (!this.#strings) {
      const values = new Float64Array(numbers);
      await this.#take(this.#numbers, values, 0, pace);
      return { values };
    }
    await this.#recode(pace);
    const { texts } = this.#dictionary;
    const codes = codesOf(numbers + this.#codes.length, texts.size);
    await this.#take(this.#earlier, codes, 0, pace);
    await this.#take(this.#codes, codes, numbers, pace);
    const dictionary: string[] = [];
    await pace.each(texts.size, (k) => dictionary.push(texts.text(k)));
    return { codes, dictionary };
  }

  /** The codes of the rows before the first string. */
  readonly #earlier = new NumberList(Int32Array);

  async #recode(pace: Pace): Promise<void> {
    let odd = 0;
    const code = this.#dictionary.code.bind(this.#dictionary);
    await pace.each(this.#numbers.length, (row) => {
      const number = this.#numbers.at(row);
      if (odd < this.#oddRows.length && this.#oddRows.at(odd) === row) this.#earlier.push(this.#oddTexts.give(odd++, code));
      else if (Number.isNaN(number)) this.#earlier.push(MISSING);
      else {
        const text = Buffer.from(String(number));
        this.#earlier.push(code(text, 0, text.length));
      }
    });
  }

  async #take(
    list: NumberList<Float64Array> | NumberList<Int32Array>,
    all: Float64Array | Int8Array | Int16Array | Int32Array,
    begin: number,
    pace: Pace,
  ): Promise<void> {
    let at = begin;
    for (const block of list.blocks()) {
      if (pace.due) await pace.turn();
      all.set(block, at);
      at += block.length;
    }
  }
}

function isBlank(byte: number): boolean {
  return byte === SPACE || (byte >= TAB && byte <= RETURN);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Whether a text is a number with a leading 0, such as 02139: a code, which is no quantity. */
function isCode(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from] === MINUS || bytes[from] === PLUS ? from + 1 : from;
  return first + 1 < to && bytes[first] === ZERO && isDigit(bytes[first + 1]!);
}

function isGap(bytes: Buffer, from: number, to: number): boolean {
  return GAPS.some((gap) => gap.length === to - from && gap.compare(bytes, from, to) === 0);
}

/** The number that a text is, with blanks of any kind around it; NaN if it is none. */
function numberIn(bytes: Buffer, from: number, to: number): number {
  const number = decimalIn(bytes, from, to);
  return Number.isNaN(number) ? decimal(bytes.toString('utf8', from, to).trim()) : number;
}

/** Whether String(number) is the text. */
function isText(number: number, bytes: Buffer, from: number, to: number): boolean {
  if (Number.isNaN(number) || Object.is(number, -0)) return false;
  let at = bytes[from] === MINUS ? from + 1 : from;
  const first = at;
  while (at < to && isDigit(bytes[at]!)) at++;
  const whole = at - first;
  if (whole === 0) return false;
  let digits = whole;
  if (at < to && bytes[at] === POINT) {
    const begin = ++at;
    while (at < to && isDigit(bytes[at]!)) at++;
    digits += at - begin;
    if (at === begin || bytes[at - 1] === ZERO) return false;
  }
  if (at < to) return false;
  const magnitude = Math.abs(number);
  if (digits <= EXACT_DIGITS && (magnitude >= 1e-6 || magnitude === 0)) return true;
  return String(number) === bytes.toString('latin1', from, to);
}
