/** Texts as bags of words: counted by a vocabulary that is learnt, or by the hashes of words. */
import type { TextPlan } from '../../input/resolve-plan.js';
import { murmur } from '../murmur.js';
import { NumberList } from '../number-list.js';
import { chosenTexts, Dictionary, UNKNOWN } from './dictionary.js';
import {
  bind,
  fieldError,
  weightAt,
  type BoundEncoding,
  type Collector,
  type Encoding,
  type LearningWeights,
  type OutlineObject,
  type Place,
  type Writer,
} from './field.js';
import { eachTerm, splitterFor, type Splitter } from './terms.js';

/** A longer text is refused: its words are held all at once. */
const MAX_LENGTH = 2 ** 25;

/** The column of a hash. -2^31, whose magnitude is not a 32-bit number, is treated as in scikit-learn. */
export function hashedColumn(hash: number, columns: number): number {
  return hash === -2147483648 ? (2147483647 - (columns - 1)) % columns : Math.abs(hash) % columns;
}

/** By row, the distinct terms and how often each occurs. Of hashed terms the columns, and counts with signs. */
export class TextCollector implements Collector {
  readonly begins = new NumberList(Uint32Array);
  readonly terms = new NumberList(Uint32Array);
  readonly counts = new NumberList(Int32Array);
  readonly #split: Splitter;
  /** By term, the text in which it was last seen, and its entry there. */
  #seen = new Uint32Array(1024);
  #entry = new Uint32Array(1024);
  #text = 0;

  /** `dictionary`: undefined for hashed terms. */
  constructor(
    readonly plan: TextPlan,
    readonly dictionary: Dictionary | undefined,
  ) {
    this.#split = splitterFor(plan);
  }

  push(value: unknown, place: Place): void {
    const text = typeof value === 'string' ? value : otherText(value, place);
    if (text.length > MAX_LENGTH)
      throw fieldError(`a text of at most ${MAX_LENGTH} characters`, place, text, `, ${text.length} characters`);
    const words = this.#split(text);
    this.begins.push(this.terms.length);
    if (++this.#text === 0xffffffff) this.#forget();
    const { hash } = this.plan;
    eachTerm(words, this.plan.words, hash === undefined ? this.#count : this.#countHashed);
  }

  readonly #count = (term: string): void => {
    const code = this.dictionary!.code(term);
    if (code !== UNKNOWN) this.#add(code, 1);
  };

  readonly #countHashed = (term: string): void => {
    const hash = murmur(term);
    this.#add(hashedColumn(hash, this.plan.hash!), hash >= 0 ? 1 : -1);
  };

  #add(term: number, by: number): void {
    if (term >= this.#seen.length) this.#grow(term);
    if (this.#seen[term] === this.#text) {
      const entry = this.#entry[term]!;
      this.counts.set(entry, this.counts.at(entry) + by);
      return;
    }
    this.#seen[term] = this.#text;
    this.#entry[term] = this.terms.length;
    this.terms.push(term);
    this.counts.push(by);
  }

  #grow(term: number): void {
    const longer = (list: Uint32Array) => {
      const copy = new Uint32Array(Math.max(2 * list.length, term + 1));
      copy.set(list);
      return copy;
    };
    this.#seen = longer(this.#seen);
    this.#entry = longer(this.#entry);
  }

  #forget(): void {
    this.#seen.fill(0);
    this.#text = 1;
  }

  end(row: number): number {
    return row + 1 < this.begins.length ? this.begins.at(row + 1) : this.terms.length;
  }

  clear(): void {
    this.begins.clear();
    this.terms.clear();
    this.counts.clear();
  }
}

/** A missing text is an empty one, and a file may have numbers in a column of texts. */
function otherText(value: unknown, place: Place): string {
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  throw fieldError('a string', place, value);
}

/** What is learnt of texts. */
export interface TextKnowledge {
  /** The terms that have columns, sorted; undefined for hashed terms. */
  readonly vocabulary: readonly string[] | undefined;
  /** How many texts there were, by weight, and how many of them have the term of a column: for tf-idf. */
  readonly texts: number;
  readonly counts: Float64Array | undefined;
}

export class TextEncoding implements Encoding {
  readonly width: number;
  readonly ones: boolean;
  readonly gaps = true;
  readonly #idf: Float64Array | undefined;
  #dictionary: Dictionary | undefined;

  constructor(
    readonly plan: TextPlan,
    readonly knowledge: TextKnowledge,
    readonly distinct: number | undefined,
  ) {
    this.width = knowledge.vocabulary?.length ?? plan.hash!;
    this.ones = plan.values === 'binary' && !plan.unit;
    this.#idf = knowledge.counts?.map((count) => Math.log((1 + knowledge.texts) / (1 + count)) + 1);
  }

  static collector(plan: TextPlan): TextCollector {
    return new TextCollector(plan, plan.hash === undefined ? new Dictionary() : undefined);
  }

  static learn(plan: TextPlan, collector: TextCollector, weights: LearningWeights): TextEncoding {
    const { begins, terms, counts, dictionary } = collector;
    const size = dictionary?.size ?? plan.hash!;
    // By term: how many texts have it, and how often it occurs.
    const [having, frequency] = [new Float64Array(size), new Float64Array(dictionary ? size : 0)];
    let texts = 0;
    for (let row = 0; row < begins.length; row++) {
      const w = weightAt(weights, row);
      if (w === 0) continue;
      texts += w;
      for (let k = begins.at(row); k < collector.end(row); k++) {
        const [term, count] = [terms.at(k), counts.at(k)];
        if (count !== 0) having[term]! += w; // hashed terms may cancel each other
        if (dictionary) frequency[term]! += w * count;
      }
    }
    const weighted = plan.values === 'tf-idf';
    if (!dictionary) {
      return new TextEncoding(plan, { vocabulary: undefined, texts, counts: weighted ? having : undefined }, undefined);
    }
    const vocabulary = chosenTexts(dictionary, having, frequency, plan.minCount!, plan.maxFeatures!);
    const byColumn = weighted ? Float64Array.from(vocabulary, (term) => having[dictionary.code(term)]!) : undefined;
    const distinct = having.reduce((sum, count) => sum + Number(count > 0), 0);
    return new TextEncoding(plan, { vocabulary, texts, counts: byColumn }, distinct);
  }

  columnName(field: string, column: number): string {
    const { vocabulary } = this.knowledge;
    return vocabulary ? `${field}: ${vocabulary[column]}` : `${field} #${column}`;
  }

  /** Of no vocabulary, which hashed terms do not have. */
  get #known(): Dictionary | undefined {
    const { vocabulary } = this.knowledge;
    return vocabulary && (this.#dictionary ??= Dictionary.of(vocabulary));
  }

  fresh(): BoundEncoding {
    return bind(this, new TextCollector(this.plan, this.#known));
  }

  writer(collector: TextCollector): Writer {
    const columnOf = this.#columnsOf(collector);
    const { begins, terms, counts } = collector;
    const { values, unit } = this.plan;
    const idf = this.#idf;
    const byColumn = new Float64Array(this.width);
    let columns = new Uint32Array(64);
    return (row, first, sink) => {
      const [begin, end] = [begins.at(row), collector.end(row)];
      if (end - begin > columns.length) columns = new Uint32Array(2 * (end - begin));
      let [used, squares] = [0, 0];
      for (let k = begin; k < end; k++) {
        const term = terms.at(k);
        const column = columnOf ? columnOf[term]! : term;
        const count = counts.at(k);
        if (column < 0 || count === 0) continue;
        const value = values === 'binary' ? 1 : idf ? count * idf[column]! : count;
        squares += value * value;
        byColumn[column] = value;
        columns[used++] = column;
      }
      const factor = unit && squares > 0 ? 1 / Math.sqrt(squares) : 1;
      const sorted = columns.subarray(0, used).sort();
      for (let k = 0; k < used; k++) sink.add(first + sorted[k]!, byColumn[sorted[k]!]! * factor);
    };
  }

  /** By term of a collector, its column or -1; undefined: terms are columns. */
  #columnsOf({ dictionary }: TextCollector): Int32Array | undefined {
    const known = this.#known;
    if (!known || dictionary === known) return undefined;
    return Int32Array.from(dictionary!.texts, (term) => {
      const column = known.code(term);
      return column === UNKNOWN ? -1 : column;
    });
  }

  entries({ terms }: TextCollector): number {
    return terms.length;
  }

  outline(): OutlineObject {
    const { vocabulary, texts, counts } = this.knowledge;
    const { distinct, plan } = this;
    const icu = plan.segmenter === undefined ? undefined : process.versions.icu;
    return { vocabulary, texts, counts: counts && (vocabulary ? counts : sparse(counts)), distinct, icu };
  }
}

function sparse(counts: Float64Array): OutlineObject {
  const indices = Uint32Array.from([...counts.keys()].filter((k) => counts[k] !== 0));
  return { indices, values: Float64Array.from(indices, (k) => counts[k]!) };
}
