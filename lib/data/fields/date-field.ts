/** Dates: their year or time as numbers, month, weekday and hour as categories, all in UTC. */
import { Verbatim } from '../../errors.js';
import type { DateField, DatePart } from '../../types.js';
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
import { standardOf, writeStandard, type Standard } from './number-field.js';

/** Milliseconds since 1970 by row, NaN where a date is missing. */
export class DateCollector implements Collector {
  readonly times = new NumberList(Float64Array);
  readonly #isMissing: IsMissing;

  constructor(isMissing: IsMissing) {
    this.#isMissing = isMissing;
  }

  push(value: unknown, place: Place): void {
    this.times.push(this.#time(value, place));
  }

  #time(value: unknown, place: Place): number {
    if (value === undefined || value === null || Number.isNaN(value) || this.#isMissing(value)) return NaN;
    const time =
      value instanceof Date ? value.getTime() : typeof value === 'string' ? timeOf(value) : typeof value === 'number' ? value : NaN;
    if (Math.abs(time) <= MAX_TIME) return time;
    const received = value instanceof Date ? new Verbatim('an invalid Date') : value;
    throw fieldError('a Date, an ISO date or milliseconds since 1970', place, received);
  }

  clear(): void {
    this.times.clear();
  }
}

/** The largest time that a Date has. */
const MAX_TIME = 8.64e15;

/** A date, or a date and a time, as ISO 8601 writes them. A time without a zone is taken as UTC, as a date is. */
const ISO = /^(\d{4}|[-+]\d{6})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[-+]\d{2}:?\d{2})?)?$/;

/** Milliseconds since 1970; NaN for what is no date. */
export function timeOf(text: string): number {
  const match = ISO.exec(text);
  if (!match) return NaN;
  const [, year, month, day, given] = match;
  if (!(Number(day) <= (daysIn(Number(month), Number(year)) ?? 0))) return NaN;
  const zone = given === undefined && text.includes(':') ? 'Z' : '';
  return Date.parse(text.replace(' ', 'T') + zone);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The days of a month from 1 to 12; undefined for another. */
function daysIn(month: number, year: number): number | undefined {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : DAYS[month - 1];
}

const DAY = 86_400_000;

/** Parts that are numbers, and parts that are one of so many categories. */
const NUMBERS: Partial<Record<DatePart, (date: Date) => number>> = {
  time: (date) => date.getTime() / DAY,
  year: (date) => date.getUTCFullYear(),
};
const CATEGORIES: Partial<Record<DatePart, { of: (date: Date) => number; names: readonly string[] }>> = {
  month: { of: (date) => date.getUTCMonth(), names: numbered(1, 12) },
  weekday: {
    of: (date) => date.getUTCDay(),
    names: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  },
  hour: { of: (date) => date.getUTCHours(), names: numbered(0, 24) },
};

function numbered(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, k) => String(from + k));
}

export class DateEncoding implements Encoding {
  readonly width: number;
  readonly ones = false;
  readonly distinct = undefined;
  readonly #names: readonly string[];

  /** `standards`: of the parts that are numbers, in the plan's order. */
  constructor(
    readonly plan: DateField & { readonly parts: readonly DatePart[] },
    readonly standards: readonly Standard[],
    readonly gaps: boolean,
    readonly isMissing: IsMissing,
  ) {
    const names = plan.parts.flatMap((part) =>
      (CATEGORIES[part]?.names ?? ['']).map((name) => (name === '' ? part : `${part}=${name}`)),
    );
    this.#names = gaps ? [...names, '(missing)'] : names;
    this.width = this.#names.length;
  }

  static learn(plan: DateField, { times }: DateCollector, weights: LearningWeights, isMissing: IsMissing): DateEncoding {
    const all = times.toArray();
    const gaps = all.some((time, row) => Number.isNaN(time) && weightAt(weights, row) > 0);
    const parts = plan.parts ?? defaultParts(times, weights);
    const date = new Date(0);
    const standards = parts.flatMap((part) => {
      const of = NUMBERS[part];
      if (!of) return [];
      const numbers = all.map((time) => {
        date.setTime(time);
        return of(date);
      });
      return [standardOf(numbers, weights)];
    });
    return new DateEncoding({ ...plan, parts }, standards, gaps, isMissing);
  }

  columnName(field: string, column: number): string {
    const name = this.#names[column]!;
    return name.startsWith('(') ? `${field} ${name}` : `${field}.${name}`;
  }

  fresh(): BoundEncoding {
    return bind(this, new DateCollector(this.isMissing));
  }

  writer({ times }: DateCollector): Writer {
    const date = new Date(0);
    const { gaps, width } = this;
    return (row, first, to) => {
      date.setTime(times.at(row));
      this.#write(date, first, to);
      if (gaps && Number.isNaN(date.getTime())) to.add(first + width - 1, 1);
    };
  }

  #write(date: Date, first: number, to: EncodedRow): void {
    let [column, number] = [first, 0];
    for (const part of this.plan.parts) {
      const categories = CATEGORIES[part];
      if (!categories) {
        writeStandard(this.standards[number++]!, NUMBERS[part]!(date), column++, to);
        continue;
      }
      const k = categories.of(date);
      if (!Number.isNaN(k)) to.add(column + k, 1);
      column += categories.names.length;
    }
  }

  entries({ times }: DateCollector): number {
    return times.length * (this.plan.parts.length + Number(this.gaps));
  }

  outline(): OutlineObject {
    return { standards: this.standards.map(({ median, mean, scale, gaps }) => ({ median, mean, scale, gaps })), gaps: this.gaps };
  }
}

/** Year, month and weekday; and the hour, if times are not all at midnight. */
function defaultParts(times: NumberList<Float64Array>, weights: LearningWeights): DatePart[] {
  for (let row = 0; row < times.length; row++) {
    const time = times.at(row);
    if (time % DAY !== 0 && !Number.isNaN(time) && weightAt(weights, row) > 0) return ['year', 'month', 'weekday', 'hour'];
  }
  return ['year', 'month', 'weekday'];
}

/** How many of the parts are numbers. @internal */
export function countNumbers(parts: readonly DatePart[]): number {
  return parts.filter((part) => NUMBERS[part]).length;
}
