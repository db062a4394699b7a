/** A column of a Table made of values that come one after the other: numbers, strings, or anything. */
import { NumberList } from '../data/number-list.js';
import { codesOf, type TableColumn } from '../data/table.js';

/** The code of a missing string. */
const MISSING = -1;
/** V8's Map holds 2^24 entries. More distinct strings than this are kept as they are. */
const MAX_DISTINCT = 1 << 23;
/** What a string takes besides its characters: its header, and its places in a Map and a list. */
const STRING = 64;

/** What all values so far are. */
type Kind = 'missing' | 'numbers' | 'strings' | 'any';

export class ColumnOfValues {
  length = 0;
  /** The bytes of memory that its strings take, about. */
  heap = 0;
  #kind: Kind = 'missing';
  #numbers: NumberList<Float64Array> | undefined;
  #codes: NumberList<Int32Array> | undefined;
  readonly #known = new Map<string, number>();
  #values: unknown[] = [];

  /** Adds missing values up to this length. */
  pad(length: number): void {
    while (this.length < length) this.push(undefined);
  }

  push(value: unknown): void {
    const missing = value === undefined || value === null;
    if (!missing) {
      const kind = typeof value === 'number' ? 'numbers' : typeof value === 'string' ? 'strings' : 'any';
      if (kind !== this.#kind) this.#become(this.#kind === 'missing' ? kind : 'any');
    }
    this.length++;
    if (this.#kind === 'numbers') this.#numbers!.push(missing ? NaN : (value as number));
    else if (this.#kind === 'strings') this.#pushString(value as string | null | undefined);
    else if (this.#kind === 'any') this.#values.push(value);
  }

  #pushString(text: string | null | undefined): void {
    if (text === undefined || text === null) {
      this.#codes!.push(MISSING);
      return;
    }
    let code = this.#known.get(text);
    if (code === undefined) {
      code = this.#known.size;
      this.#known.set(text, code);
      this.heap += STRING + text.length;
    }
    this.#codes!.push(code);
    if (code === MAX_DISTINCT) this.#become('any');
  }

  /** Changes the kind, and the form of the values so far with it. */
  #become(kind: Kind): void {
    if (kind === this.#kind) return;
    const { length } = this;
    if (kind === 'numbers') {
      this.#numbers = new NumberList(Float64Array);
      for (let row = 0; row < length; row++) this.#numbers.push(NaN);
    } else if (kind === 'strings') {
      this.#codes = new NumberList(Int32Array);
      for (let row = 0; row < length; row++) this.#codes.push(MISSING);
    } else {
      this.#values = this.#asValues();
      this.#numbers = this.#codes = undefined;
      this.#known.clear();
    }
    this.#kind = kind;
  }

  #asValues(): unknown[] {
    const [numbers, codes, texts] = [this.#numbers, this.#codes, [...this.#known.keys()]];
    const values: unknown[] = [];
    const { length } = numbers ?? codes ?? this;
    for (let row = 0; row < length; row++) {
      const number = numbers ? numbers.at(row) : NaN;
      values.push(codes ? texts[codes.at(row)] : Number.isNaN(number) ? undefined : number);
    }
    return values;
  }

  finish(): TableColumn {
    const { length } = this;
    if (this.#kind === 'any') return { values: this.#values };
    if (this.#kind === 'strings') {
      const dictionary = [...this.#known.keys()];
      return { codes: filled(codesOf(length, dictionary.length), this.#codes!), dictionary };
    }
    return { values: this.#numbers ? filled(new Float64Array(length), this.#numbers) : new Float64Array(length).fill(NaN) };
  }
}

function filled<T extends Float64Array | Int8Array | Int16Array | Int32Array>(
  all: T,
  list: NumberList<Float64Array> | NumberList<Int32Array>,
): T {
  let at = 0;
  for (const block of list.blocks()) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}
