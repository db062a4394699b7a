/** A column of a Table made of strings that come as bytes or as numbers of a dictionary: no string is made of a row. */
import { NumberList } from '../data/number-list.js';
import { codesOf, type TableColumn } from '../data/table.js';
import { type FileCode } from '../input/file-errors.js';
import { ByteDictionary, checkStrings } from './byte-texts.js';
import type { Pace } from './pace.js';

/** The code of a missing string. */
const MISSING = -1;

export class ColumnOfBytes {
  readonly #file: string;
  readonly #errors: FileCode;
  readonly #codes = new NumberList(Int32Array);
  readonly #dictionary = new ByteDictionary();

  /** `file` and `errors` are for errors: the name of the file and their code. */
  constructor(file: string, errors: FileCode) {
    this.#file = file;
    this.#errors = errors;
  }

  get length(): number {
    return this.#codes.length;
  }

  /** The code of a string. */
  code(bytes: Uint8Array, from = 0, to = bytes.length): number {
    return this.#dictionary.code(bytes, from, to);
  }

  /** Adds a row by its code; undefined: missing. */
  push(code: number | undefined): void {
    this.#codes.push(code ?? MISSING);
  }

  async finish(pace: Pace): Promise<TableColumn> {
    const { texts } = this.#dictionary;
    checkStrings(texts.heap, this.#file, this.#errors);
    const codes = codesOf(this.length, texts.size);
    let at = 0;
    for (const block of this.#codes.blocks()) {
      if (pace.due) await pace.turn();
      codes.set(block, at);
      at += block.length;
    }
    const dictionary: string[] = [];
    await pace.each(texts.size, (k) => dictionary.push(texts.text(k)));
    return { codes, dictionary };
  }
}
