/** Numbers: missing ones become the median, with a column that says so; all are standardised. */
import { decimal } from '../../backend/decimal.js';
import type { NumberField } from '../../types.js';
import { NumberList } from '../number-list.js';
import type { EncodedRow } from './encoded-row.js';
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

/** Numbers by row, NaN where one is missing. */
export class NumberCollector implements Collector {
  readonly values = new NumberList(Float64Array);
  readonly #isMissing: IsMissing;

  constructor(isMissing: IsMissing) {
    this.#isMissing = isMissing;
  }

  push(value: unknown, place: Place): void {
    const isNumber = typeof value === 'number' && value - value === 0 && !this.#isMissing.numbers;
    this.values.push(isNumber ? value : this.#other(value, place));
  }

  #other(value: unknown, place: Place): number {
    if (value === undefined || value === null || Number.isNaN(value) || this.#isMissing(value)) return NaN;
    if (Number.isFinite(value)) return value as number;
    if (typeof value === 'string') {
      const number = decimal(value.trim());
      if (!Number.isNaN(number)) return number;
    }
    if (typeof value === 'bigint' && Number.isFinite(Number(value))) return Number(value);
    throw fieldError('a finite number', place, value, hintFor(value));
  }

  clear(): void {
    this.values.clear();
  }
}

function hintFor(value: unknown): string {
  if (typeof value === 'string') return `; if it stands for a missing number, name it in the option missing of Encoder.fit`;
  return typeof value === 'boolean' ? `; plan the field as 'boolean'` : '';
}

/** What is learnt of a list of numbers. */
export interface Standard {
  readonly median: number;
  /** Of the numbers with the median in place of missing ones. */
  readonly mean: number;
  readonly scale: number;
  readonly gaps: boolean;
}

/** Median, mean and standard deviation, by weight. A number that is missing is NaN. */
export function standardOf(numbers: Float64Array, weights: LearningWeights): Standard {
  let [missing, present, least, most] = [0, 0, Infinity, -Infinity];
  for (let i = 0; i < numbers.length; i++) {
    const [x, w] = [numbers[i]!, weightAt(weights, i)];
    if (w === 0) continue;
    if (Number.isNaN(x)) missing += w;
    else {
      present += w;
      least = Math.min(least, x);
      most = Math.max(most, x);
    }
  }
  const gaps = missing > 0;
  if (present === 0) return { median: 0, mean: 0, scale: 0, gaps };
  const median = medianOf(numbers, weights, present);
  const half = most / 2 - least / 2;
  if (half === 0) return { median, mean: least, scale: 0, gaps };
  // As shares of the way from the least to the most, in halves: nothing overflows, and a large common part costs no digits.
  const shareOf = (x: number) => ((Number.isNaN(x) ? median : x) / 2 - least / 2) / half;
  const total = present + missing;
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) if (weightAt(weights, i) > 0) sum += shareOf(numbers[i]!) * weightAt(weights, i);
  const mean = sum / total;
  let squares = 0;
  for (let i = 0; i < numbers.length; i++)
    if (weightAt(weights, i) > 0) squares += (shareOf(numbers[i]!) - mean) ** 2 * weightAt(weights, i);
  const scale = Math.sqrt(squares / total) * 2 * half;
  return { median, mean: least + mean * half + mean * half, scale: Number.isFinite(1 / scale) ? scale : 0, gaps };
}

/** The median of numbers by weight; between two numbers that halve the weight, their mean. */
function medianOf(numbers: Float64Array, weights: LearningWeights, total: number): number {
  const rows = new Uint32Array(numbers.length);
  const sorted = new Float64Array(numbers.length);
  let taking = 0;
  for (let i = 0; i < numbers.length; i++) {
    if (weightAt(weights, i) === 0 || Number.isNaN(numbers[i])) continue;
    sorted[taking] = numbers[i]!;
    rows[taking++] = i;
  }
  const order = rows.subarray(0, taking);
  const weight = weightAt(weights, order[0]!);
  if (!weights || order.every((row) => weights[row] === weight)) {
    sorted.subarray(0, taking).sort();
    return taking % 2 === 1 ? sorted[taking >> 1]! : sorted[taking / 2 - 1]! / 2 + sorted[taking / 2]! / 2;
  }
  order.sort((i, k) => numbers[i]! - numbers[k]!);
  let below = 0;
  for (let k = 0; k < taking; k++) {
    below += weights[order[k]!]!;
    if (below > total / 2) return numbers[order[k]!]!;
    if (below === total / 2 && k + 1 < taking) return numbers[order[k]!]! / 2 + numbers[order[k + 1]!]! / 2;
  }
  return numbers[order.at(-1)!]!;
}

/** Writes a number in its standardised form; a constant one as 0. */
export function writeStandard({ median, mean, scale }: Standard, x: number, column: number, to: EncodedRow): void {
  const given = Number.isNaN(x) ? median : x;
  const away = (given - mean) / scale;
  const value = scale === 0 ? 0 : Number.isFinite(away) ? away : given / scale - mean / scale; // a difference may overflow
  // A number far beyond those of training stays finite, so that the decision value, which overflows, is what is refused.
  if (value !== 0) to.add(column, Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE));
}

export class NumberEncoding implements Encoding {
  readonly width: number;
  readonly ones = false;
  readonly distinct = undefined;

  constructor(
    readonly plan: NumberField,
    readonly standard: Standard,
    readonly isMissing: IsMissing,
  ) {
    this.width = standard.gaps ? 2 : 1;
  }

  static learn(plan: NumberField, { values }: NumberCollector, weights: LearningWeights, isMissing: IsMissing): NumberEncoding {
    return new NumberEncoding(plan, standardOf(values.toArray(), weights), isMissing);
  }

  get gaps(): boolean {
    return this.standard.gaps;
  }

  columnName(field: string, column: number): string {
    return column === 0 ? field : `${field} (missing)`;
  }

  fresh(): BoundEncoding {
    return bind(this, new NumberCollector(this.isMissing));
  }

  writer({ values }: NumberCollector): Writer {
    const { standard, gaps } = this;
    return (row, first, to) => {
      const x = values.at(row);
      writeStandard(standard, x, first, to);
      if (gaps && Number.isNaN(x)) to.add(first + 1, 1);
    };
  }

  entries({ values }: NumberCollector): number {
    return values.length * this.width;
  }

  outline(): OutlineObject {
    const { median, mean, scale, gaps } = this.standard;
    return { median, mean, scale, gaps };
  }
}
