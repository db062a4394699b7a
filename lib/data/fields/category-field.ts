/** Categories: a column for each value; rare values share one, and so do values that are missing. Of a list of values all count. */
import type { CategoryField } from '../../types.js';
import { NumberList } from '../number-list.js';
import { byCodePoints, chosenCodes, Dictionary, MISSING, UNKNOWN } from './dictionary.js';
import {
  bind,
  fieldError,
  weightAt,
  type BoundEncoding,
  type Collector,
  type Encoding,
  type IsMissing,
  type LearningWeights,
  type OutlineObject,
  type Place,
  type Writer,
} from './field.js';

/** The plan of categories, completed. */
export type CategoryPlan = Required<CategoryField>;

/** A longer text is no category. */
const MAX_LENGTH = 2 ** 16;
/** A longer list is no list of categories. */
const MAX_ITEMS = 2 ** 20;
/** So many distinct values are told apart while they are collected; later ones count as rare. */
const MAX_DISTINCT = 2 ** 20;

/** The text of a category. Numbers and booleans are told by their texts. */
function categoryText(value: unknown, place: Place, what: string): string {
  const text = typeof value === 'string' ? value : otherText(value, place, what);
  if (text.length <= MAX_LENGTH) return text;
  throw fieldError(`a category of at most ${MAX_LENGTH} characters`, place, text, `, ${text.length} characters`);
}

function otherText(value: unknown, place: Place, what: string): string {
  if (typeof value === 'boolean' || typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value)))
    return String(value);
  throw fieldError(what, place, value);
}

/** One value a row, as a code. */
export class CategoryCollector implements Collector {
  readonly codes = new NumberList(Int32Array);

  constructor(
    readonly dictionary: Dictionary,
    readonly isMissing: IsMissing,
    readonly kind: CategoryField['kind'],
  ) {}

  push(value: unknown, place: Place): void {
    this.codes.push(this.code(value, place));
  }

  /** The code of a value. */
  code(value: unknown, place: Place): number {
    if (value === undefined || value === null || Number.isNaN(value) || this.isMissing(value)) return MISSING;
    if (this.kind === 'boolean' && typeof value !== 'boolean' && value !== 'true' && value !== 'false') {
      throw fieldError('true or false', place, value);
    }
    return this.dictionary.code(categoryText(value, place, 'a string, number or boolean'));
  }

  clear(): void {
    this.codes.clear();
  }
}

/** Any number of distinct values a row, as codes. */
export class ListCollector implements Collector {
  /** By row, where its codes begin. */
  readonly begins = new NumberList(Uint32Array);
  readonly codes = new NumberList(Int32Array);
  readonly #row = new Set<number>();

  constructor(
    readonly dictionary: Dictionary,
    readonly isMissing: IsMissing,
  ) {}

  push(value: unknown, place: Place): void {
    this.#row.clear();
    if (value !== undefined && value !== null && !Number.isNaN(value) && !this.isMissing(value)) {
      if (!Array.isArray(value) && !(value instanceof Set)) throw fieldError('an array of strings', place, value);
      if ((value instanceof Set ? value.size : value.length) > MAX_ITEMS)
        throw fieldError(`at most ${MAX_ITEMS} values`, place, value);
      // By index: an array may have an iterator of its own, which need not end.
      const items: readonly unknown[] = Array.isArray(value) ? value : Array.from(Set.prototype.values.call(value));
      for (let k = 0; k < items.length; k++) {
        const item = items[k];
        if (item === undefined || item === null || Number.isNaN(item) || this.isMissing(item)) continue;
        this.#row.add(this.dictionary.code(categoryText(item, place, 'an array of strings')));
      }
    }
    this.begins.push(this.codes.length);
    for (const code of this.#row) this.codes.push(code);
  }

  end(row: number): number {
    return row + 1 < this.begins.length ? this.begins.at(row + 1) : this.codes.length;
  }

  clear(): void {
    this.begins.clear();
    this.codes.clear();
  }
}

/** A column for each of these values, then one for missing values and one for all others, if there were any. */
interface Known {
  readonly values: readonly string[];
  readonly missing: boolean;
  readonly other: boolean;
}

abstract class Categories<C extends Collector & { readonly dictionary: Dictionary }> {
  readonly width: number;
  readonly ones = true;
  #dictionary: Dictionary | undefined;

  constructor(
    readonly plan: CategoryPlan,
    readonly known: Known,
    readonly distinct: number | undefined,
    readonly isMissing: IsMissing,
  ) {
    this.width = known.values.length + Number(known.missing) + Number(known.other);
  }

  get gaps(): boolean {
    return this.known.missing;
  }

  protected get dictionary(): Dictionary {
    return (this.#dictionary ??= Dictionary.of(this.known.values));
  }

  columnName(field: string, column: number): string {
    const { values, missing } = this.known;
    if (column < values.length) return `${field}=${values[column]}`;
    return `${field} (${missing && column === values.length ? 'missing' : 'other'})`;
  }

  /** The column of a missing value or of a rare one; -1: none. */
  protected get missingColumn(): number {
    return this.known.missing ? this.known.values.length : -1;
  }
  protected get otherColumn(): number {
    return this.known.other ? this.width - 1 : -1;
  }

  /** By code of the collector, the column of its value. */
  protected columnsOf({ dictionary }: C): Int32Array {
    if (dictionary === this.dictionary) return Int32Array.from(this.known.values, (_, column) => column);
    const { otherColumn } = this;
    return Int32Array.from(dictionary.texts, (text) => {
      const column = this.dictionary.code(text);
      return column === UNKNOWN ? otherColumn : column;
    });
  }

  outline(): OutlineObject {
    const { values, missing, other } = this.known;
    return { values, missing, other, distinct: this.distinct };
  }
}

/** Learns which values get columns, from the codes of rows. */
function learnt(
  plan: CategoryPlan,
  dictionary: Dictionary,
  rows: number,
  weights: LearningWeights,
  codesOf: (row: number, visit: (code: number) => void) => void,
): { known: Known; distinct: number } {
  // By code: how many rows have it, where one of weight 3 counts as three, but none as less than one; and their weight.
  const counts = new Float64Array(dictionary.size);
  const frequency = weights ? new Float64Array(dictionary.size) : counts;
  let [missing, other] = [false, false];
  for (let row = 0; row < rows; row++) {
    const w = weightAt(weights, row);
    if (w === 0) continue;
    codesOf(row, (code) => {
      if (code === MISSING) missing = true;
      else if (code === UNKNOWN) other = true;
      else {
        counts[code]! += Math.max(w, 1);
        if (weights) frequency[code]! += w;
      }
    });
  }
  const { texts } = dictionary;
  const compare = (a: number, b: number) => byCodePoints(texts[a]!, texts[b]!);
  // Of equally frequent values scikit-learn's OneHotEncoder keeps the last ones.
  const chosen = chosenCodes(counts, frequency, { ...plan, compare, ties: 'last' });
  const values = Array.from(chosen, (code) => texts[code]!);
  const distinct = counts.reduce((sum, count) => sum + Number(count > 0), 0);
  return { known: { values, missing, other: other || distinct > values.length }, distinct };
}

export class CategoryEncoding extends Categories<CategoryCollector> implements Encoding {
  static collector(plan: CategoryPlan, isMissing: IsMissing): CategoryCollector {
    return new CategoryCollector(new Dictionary(MAX_DISTINCT), isMissing, plan.kind);
  }

  static learn(plan: CategoryPlan, collector: CategoryCollector, weights: LearningWeights): CategoryEncoding {
    const { codes, dictionary, isMissing } = collector;
    const { known, distinct } = learnt(plan, dictionary, codes.length, weights, (row, visit) => visit(codes.at(row)));
    return new CategoryEncoding(plan, known, distinct, isMissing);
  }

  fresh(): BoundEncoding {
    return bind(this, new CategoryCollector(this.dictionary, this.isMissing, this.plan.kind));
  }

  writer(collector: CategoryCollector): Writer {
    const columns = this.columnsOf(collector);
    const { codes } = collector;
    const { missingColumn, otherColumn } = this;
    return (row, first, to) => {
      const code = codes.at(row);
      const column = code >= 0 ? columns[code]! : code === MISSING ? missingColumn : otherColumn;
      if (column >= 0) to.add(first + column, 1);
    };
  }

  entries({ codes }: CategoryCollector): number {
    return codes.length;
  }
}

export class ListEncoding extends Categories<ListCollector> implements Encoding {
  static collector(isMissing: IsMissing): ListCollector {
    return new ListCollector(new Dictionary(MAX_DISTINCT), isMissing);
  }

  static learn(plan: CategoryPlan, collector: ListCollector, weights: LearningWeights): ListEncoding {
    const { begins, codes, dictionary, isMissing } = collector;
    const { known, distinct } = learnt(plan, dictionary, begins.length, weights, (row, visit) => {
      for (let k = begins.at(row); k < collector.end(row); k++) visit(codes.at(k));
    });
    return new ListEncoding(plan, known, distinct, isMissing);
  }

  fresh(): BoundEncoding {
    return bind(this, new ListCollector(this.dictionary, this.isMissing));
  }

  writer(collector: ListCollector): Writer {
    const columns = this.columnsOf(collector);
    const { begins, codes } = collector;
    const { otherColumn } = this;
    return (row, first, to) => {
      const begin = to.count;
      let others = false;
      const end = collector.end(row);
      for (let k = begins.at(row); k < end; k++) {
        const code = codes.at(k);
        const column = code >= 0 ? columns[code]! : otherColumn;
        if (column === otherColumn) others = true;
        else to.add(first + column, 1);
      }
      to.sortFrom(begin);
      if (others && otherColumn >= 0) to.add(first + otherColumn, 1); // the last column, once
    };
  }

  entries({ codes }: ListCollector): number {
    return codes.length;
  }
}
