/** Texts as bags of words: counted by a vocabulary that is learnt, or by the hashes of words. */
import type { TextPlan } from '../../input/resolve-plan.js';
import { entriesOf } from '../../io/model-checksum.js';
import { ICU_VERSION } from '../../platform/host.js';
import { murmur } from '../murmur.js';
import { NumberList } from '../number-list.js';
import { Bag } from './bag.js';
import { chosenCodes, UNKNOWN } from './dictionary.js';
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
import { Words } from './terms.js';
import { Vocabulary } from './vocabulary.js';

/** A longer text is refused: its words are held all at once. */
const MAX_LENGTH = 2 ** 25;

/** The column of a hash. -2^31, whose magnitude is not a 32-bit number, is treated as in scikit-learn. */
export function hashedColumn(hash: number, columns: number): number {
  return hash === -2147483648 ? (2147483647 - (columns - 1)) % columns : Math.abs(hash) % columns;
}

/** Stands for a count that does not fit into a byte. */
const LARGE = -128;

/** Counts, nearly all of which are small: a byte for each. */
class CountList {
  readonly #small = new NumberList(Int8Array);
  readonly #large = new Map<number, number>();

  push(count: number): void {
    const isSmall = count > LARGE && count < 128;
    if (!isSmall) this.#large.set(this.#small.length, count);
    this.#small.push(isSmall ? count : LARGE);
  }

  at(k: number): number {
    const count = this.#small.at(k);
    return count === LARGE ? this.#large.get(k)! : count;
  }

  clear(): void {
    this.#small.clear();
    this.#large.clear();
  }
}

/** By row, the distinct terms and how often each occurs. Of hashed terms the columns, and counts with signs. */
export class TextCollector implements Collector {
  readonly begins = new NumberList(Uint32Array);
  readonly terms = new NumberList(Uint32Array);
  readonly counts = new CountList();
  readonly #words: Words;
  readonly #bag = new Bag();

  /** `vocabulary`: undefined for hashed terms. */
  constructor(
    readonly plan: TextPlan,
    readonly vocabulary: Vocabulary | undefined,
  ) {
    this.#words = new Words(plan);
  }

  push(value: unknown, place: Place): void {
    const text = typeof value === 'string' ? value : otherText(value, place);
    if (text.length > MAX_LENGTH)
      throw fieldError(`a text of at most ${MAX_LENGTH} characters`, place, text, `, ${text.length} characters`);
    this.#words.read(text);
    this.#bag.empty();
    this.#fill();
    const bag = this.#bag;
    this.begins.push(this.terms.length);
    for (let k = 0; k < bag.size; k++) {
      this.terms.push(bag.terms[k]!);
      this.counts.push(bag.counts[k]!);
    }
  }

  /** Counts the terms: all runs of as many words as the plan wants. First the single words, then the runs from each word on. */
  #fill(): void {
    const { ends, count } = this.#words;
    const [from, to] = this.plan.words;
    if (from === 1) for (let k = 0, begin = 0; k < count; begin = ends[k++]! + 1) this.#count(begin, ends[k]!);
    if (to === 1) return;
    for (let k = 0, begin = 0; k + 1 < count; begin = ends[k++]! + 1) {
      const last = Math.min(k + to, count) - 1;
      for (let m = k + Math.max(from, 2) - 1; m <= last; m++) this.#count(begin, ends[m]!);
    }
  }

  #count(begin: number, end: number): void {
    const { bytes } = this.#words;
    if (this.vocabulary) {
      const code = this.vocabulary.code(bytes, begin, end);
      if (code !== UNKNOWN) this.#bag.add(code, 1);
      return;
    }
    const hash = murmur(bytes, begin, end);
    this.#bag.add(hashedColumn(hash, this.plan.hash!), hash >= 0 ? 1 : -1);
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
  readonly gaps = false; // a missing text is an empty one
  /** By column of a vocabulary. Of hashed terms it is computed when it is needed: a file may claim any number of columns. */
  readonly #idf: Float64Array | undefined;
  #vocabulary: Vocabulary | undefined;
  /** Of the vocabulary that it was learnt from, as long as that is in use: by term, its column or UNKNOWN. */
  readonly #columns = new WeakMap<Vocabulary, Int32Array>();

  constructor(
    readonly plan: TextPlan,
    readonly knowledge: TextKnowledge,
    readonly distinct: number | undefined,
  ) {
    this.width = knowledge.vocabulary?.length ?? plan.hash!;
    this.ones = plan.values === 'binary' && !plan.unit;
    if (knowledge.vocabulary) this.#idf = knowledge.counts?.map((count) => idfOf(count, knowledge));
  }

  static collector(plan: TextPlan): TextCollector {
    return new TextCollector(plan, plan.hash === undefined ? new Vocabulary() : undefined);
  }

  static learn(plan: TextPlan, collector: TextCollector, weights: LearningWeights): TextEncoding {
    const { begins, terms, counts, vocabulary: found } = collector;
    const weighted = plan.values === 'tf-idf';
    const size = found?.size ?? (weighted ? plan.hash! : 0);
    // By term: the weight of the texts that have it; their number, where one of weight 3 counts as three, but none as less than one; and how
    // often it occurs, if there may be too many.
    const having = new Float64Array(size);
    const counted = found && weights ? new Float64Array(size) : having;
    const frequency = found && size > plan.maxFeatures! ? new Float64Array(size) : undefined;
    let texts = 0;
    for (let row = 0; row < begins.length; row++) {
      const w = weightAt(weights, row);
      if (w === 0) continue;
      texts += w;
      if (size === 0) continue;
      const end = collector.end(row);
      for (let k = begins.at(row); k < end; k++) {
        const [term, count] = [terms.at(k), counts.at(k)];
        if (count !== 0) having[term]! += w; // hashed terms may cancel each other
        if (counted !== having) counted[term]! += Math.max(w, 1);
        if (frequency) frequency[term]! += w * count;
      }
    }
    if (!found) {
      return new TextEncoding(plan, { vocabulary: undefined, texts, counts: weighted ? having : undefined }, undefined);
    }
    const { minCount, maxFeatures } = plan as Required<TextPlan>;
    // Which of equally frequent terms scikit-learn takes depends on how numpy sorts.
    const chosen = chosenCodes(counted, frequency ?? having, {
      minCount,
      maxFeatures,
      compare: (a, b) => found.compare(a, b),
      ties: 'first',
    });
    const vocabulary = Array.from(chosen, (code) => found.text(code));
    const byColumn = weighted ? Float64Array.from(chosen, (code) => having[code]!) : undefined;
    const distinct = having.reduce((sum, count) => sum + Number(count > 0), 0);
    const encoding = new TextEncoding(plan, { vocabulary, texts, counts: byColumn }, distinct);
    const columns = new Int32Array(size).fill(UNKNOWN);
    chosen.forEach((code, column) => (columns[code] = column));
    encoding.#columns.set(found, columns);
    return encoding;
  }

  columnName(field: string, column: number): string {
    const { vocabulary } = this.knowledge;
    return vocabulary ? `${field}: ${vocabulary[column]}` : `${field} #${column}`;
  }

  /** None for hashed terms. */
  get #known(): Vocabulary | undefined {
    const { vocabulary } = this.knowledge;
    return vocabulary && (this.#vocabulary ??= Vocabulary.of(vocabulary));
  }

  fresh(): BoundEncoding {
    return bind(this, new TextCollector(this.plan, this.#known));
  }

  writer(collector: TextCollector): Writer {
    const columnOf = this.#columnsOf(collector);
    const { begins, terms, counts } = collector;
    const { values, unit } = this.plan;
    const idf = this.#idfOf(columnOf);
    const { knowledge } = this;
    const hashed = knowledge.vocabulary ? undefined : knowledge.counts;
    return (row, first, to) => {
      const begin = to.count;
      let squares = 0;
      const end = collector.end(row);
      for (let k = begins.at(row); k < end; k++) {
        const term = terms.at(k);
        const column = columnOf ? columnOf[term]! : term;
        const count = counts.at(k);
        if (column < 0 || count === 0) continue;
        const factor = idf ? idf[term]! : hashed ? idfOf(hashed[term]!, knowledge) : 1;
        const value = values === 'binary' ? 1 : count * factor;
        squares += value * value;
        to.add(first + column, value);
      }
      if (unit && squares > 0) to.scaleFrom(begin, 1 / Math.sqrt(squares));
      to.sortFrom(begin);
    };
  }

  /** By term of a collector, its column, or less than 0; undefined: terms are columns. */
  #columnsOf({ vocabulary }: TextCollector): Int32Array | undefined {
    if (!vocabulary || vocabulary === this.#vocabulary) return undefined;
    return this.#columns.get(vocabulary) ?? vocabulary.codesIn(this.#known!);
  }

  /** By term of a collector: those that are frequent come early there, and share lines of the caches. */
  #idfOf(columnOf: Int32Array | undefined): Float64Array | undefined {
    const idf = this.#idf;
    return idf && columnOf ? Float64Array.from(columnOf, (column) => idf[column] ?? 0) : idf;
  }

  entries({ terms }: TextCollector): number {
    return terms.length;
  }

  outline(): OutlineObject {
    const { vocabulary, texts, counts } = this.knowledge;
    const { distinct, plan } = this;
    const icu = plan.segmenter === undefined ? undefined : ICU_VERSION;
    return { vocabulary, texts, counts: counts && (vocabulary ? counts : sparse(counts)), distinct, icu };
  }
}

/** How much a term weighs that so many texts have. */
function idfOf(count: number, { texts }: TextKnowledge): number {
  return Math.log((1 + texts) / (1 + count)) + 1;
}

function sparse(counts: Float64Array): OutlineObject {
  const { indices, values } = entriesOf(counts);
  return { indices, values };
}
