/** Numbers for texts, in the order in which they are first seen. */

/** Codes that stand for no text. */
export const MISSING = -1;
export const UNKNOWN = -2;

/** V8's Map holds 2^24 entries; a dictionary stops below that, and texts that are new from then on are unknown. */
const MAX_TEXTS = 2 ** 24 - 1;

export class Dictionary {
  readonly texts: string[] = [];
  readonly #codes = new Map<string, number>();
  #max: number;

  constructor(max = MAX_TEXTS) {
    this.#max = Math.min(max, MAX_TEXTS);
  }

  /** A dictionary of these texts, distinct, and no others. */
  static of(texts: readonly string[]): Dictionary {
    const dictionary = new Dictionary();
    for (const text of texts) dictionary.code(text);
    dictionary.#max = 0;
    return dictionary;
  }

  get size(): number {
    return this.texts.length;
  }

  /** Whether texts may be missing because there were too many. */
  get full(): boolean {
    return this.#max > 0 && this.size >= this.#max;
  }

  /** The code of a text, or UNKNOWN. */
  code(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    if (this.size >= this.#max) return UNKNOWN;
    const code = this.texts.length;
    this.#codes.set(text, code);
    this.texts.push(text);
    return code;
  }
}

/** Compares texts by code points, as Python does. By code units, JavaScript's order, is the same without surrogates. */
export function byCodePoints(a: string, b: string): number {
  const { length } = a.length < b.length ? a : b;
  let k = 0;
  while (k < length && a.charCodeAt(k) === b.charCodeAt(k)) k++;
  if (k === length) return a.length - b.length;
  // Surrogates, which are code points above all others, come before U+E000 as code units.
  return lifted(a.charCodeAt(k)) - lifted(b.charCodeAt(k));
}

const lifted = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** How codes are chosen that get columns. */
export interface Choice {
  readonly minCount: number;
  readonly maxFeatures: number;
  /** The order of the texts of two codes. */
  readonly compare: (a: number, b: number) => number;
  /** Which of equally frequent texts are taken, in that order. */
  readonly ties: 'first' | 'last';
}

/**
 * The codes that get columns, in the order of their texts: of those seen often enough the most frequent. `counts` and `frequency` are by code:
 * how many rows have a text, and how often it occurs.
 */
export function chosenCodes(
  counts: Float64Array,
  frequency: Float64Array,
  { minCount, maxFeatures, compare, ties }: Choice,
): Uint32Array {
  let used = 0;
  const codes = new Uint32Array(counts.length);
  for (let code = 0; code < counts.length; code++) if (counts[code]! > 0 && counts[code]! >= minCount) codes[used++] = code;
  if (used <= maxFeatures) return codes.slice(0, used).sort(compare);
  const order = ties === 'first' ? 1 : -1;
  codes.subarray(0, used).sort((a, b) => frequency[b]! - frequency[a]! || order * compare(a, b));
  return codes.slice(0, maxFeatures).sort(compare);
}
