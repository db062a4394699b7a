/** The parser of LIBSVM text in the module's memory. */
import { outOfMemory } from '../../errors.js';
import type { ParseDefect, ParsedSizes, Parser } from '../interface.js';
import { Finalizer, type Address, type Module, type Numbers } from './module.js';

/** By ParseDefect::Kind of native/kernels/parse.h, the first two of which are none and out_of_memory. */
const DEFECTS = [
  'label',
  'word',
  'entry',
  'qid',
  'value',
  'range',
  'zero',
  'order',
  'extra',
  'long',
  'rows',
  'entries',
  'empty',
] as const satisfies ParseDefect['defect'][];

/** The lists that are taken, by their numbers in native/wasm/other_module.cc. */
const LIST = { starts: 0, indices: 1, values: 2, labels: 3, words: 4 } as const;

const finalizer = new Finalizer();

export class WasmParser implements Parser {
  readonly #module: Module;
  readonly #at: Address;

  constructor(module: Module, zeroBased: boolean, limit: number, ignoreExtra: boolean, words: boolean) {
    const { exports } = module;
    const at = module.made(exports.parserNew(zeroBased, limit, ignoreExtra, words));
    this.#module = module;
    this.#at = at;
    finalizer.watch(this, () => exports.parserDelete(at));
  }

  push(chunk: Uint8Array): ParseDefect | undefined {
    this.#module.lend((lending) => this.#module.exports.parserPush(this.#at, lending.copy(chunk.subarray()), chunk.length));
    return this.#defect();
  }

  finish(): ParseDefect | undefined {
    this.#module.exports.parserFinish(this.#at);
    return this.#defect();
  }

  #defect(): ParseDefect | undefined {
    this.#module.exports.parserDefect(this.#at);
    const [kind, line, column, last, text, length] = this.#module.numbers as unknown as [
      number,
      number,
      number,
      number,
      Address,
      number,
    ];
    if (kind === 0) return undefined;
    if (kind === 1) throw outOfMemory();
    return { defect: DEFECTS[kind - 2]!, line, column, text: this.#module.view(Uint8Array, text, length).slice(), last };
  }

  sizes(): ParsedSizes {
    this.#module.exports.parserSizes(this.#at);
    const [rows, cols, ignored, entries, hasValues, words] = this.#module.numbers as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    return { rows, cols, ignored, entries, hasValues: hasValues !== 0, words };
  }

  #take(list: number, out: Numbers): void {
    this.#module.lend((lending) =>
      lending.write(out, out.length, (at) => this.#module.exports.parserTake(this.#at, list, at, out.length)),
    );
  }

  takeStarts(out: Uint32Array): void {
    this.#take(LIST.starts, out);
  }

  takeIndices(out: Uint32Array): void {
    this.#take(LIST.indices, out);
  }

  takeValues(out: Float64Array): void {
    this.#take(LIST.values, out);
  }

  takeLabels(out: Float64Array): void {
    this.#take(LIST.labels, out);
  }

  takeWords(out: Uint8Array): void {
    this.#take(LIST.words, out);
  }
}
