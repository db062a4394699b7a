/** The progress line of a fit, with an estimate of the time left. */
import type { SvmProgress } from '../types.js';
import { count, duration, percent, short } from './format.js';

interface Mark {
  readonly elapsed: number;
  readonly logGap: number;
}

/** The maximum number of marks, enough to estimate a rate. When it is reached, every other mark is dropped. */
const MAX_MARKS = 64;

/**
 * Estimates the time left, in milliseconds, from the rate at which the logarithm of the gap decreases. There is no estimate while the rate
 * of the later half of the marks is less than half or more than twice that of the earlier half.
 */
export class TimeLeft {
  readonly #goal: number;
  readonly #limit: number;
  #marks: Mark[] = [];
  #last: Mark | undefined;
  #every = 1;
  #seen = 0;

  /** `goal` is the relative gap that ends the fit, or NaN; `limit` its time limit in milliseconds, or Infinity. */
  constructor(goal: number, limit: number) {
    this.#goal = Math.log(goal);
    this.#limit = limit;
  }

  see({ elapsed, relativeGap }: Pick<SvmProgress, 'elapsed' | 'relativeGap'>): void {
    if (!(relativeGap > 0)) return;
    this.#last = { elapsed, logGap: Math.log(relativeGap) };
    if (this.#seen++ % this.#every !== 0) return;
    this.#marks.push(this.#last);
    if (this.#marks.length < MAX_MARKS) return;
    this.#marks = this.#marks.filter((_, k) => k % 2 === 1);
    this.#every *= 2;
  }

  /** The estimate; undefined in the first second, and while the rate is not steady. */
  tell(): number | undefined {
    const last = this.#last;
    if (!last || last.elapsed < 1000 || this.#marks.length < 12) return undefined;
    // The first quarter is left out: the rate differs at the start.
    const settled = this.#marks.slice(this.#marks.length >> 2);
    const half = settled.length >> 1;
    const [early, late] = [slope(settled.slice(0, half)), slope(settled.slice(half))];
    const byLimit = this.#limit - last.elapsed;
    const steady = late < 0 && early < 0 && late / early > 0.5 && late / early < 2;
    const byGap = steady ? Math.max(0, (this.#goal - last.logGap) / late) : NaN;
    if (byGap < byLimit) return byGap;
    return byLimit < Infinity && steady ? Math.max(0, byLimit) : undefined;
  }
}

/** The slope of the least-squares line. */
function slope(marks: readonly Mark[]): number {
  const n = marks.length;
  const x = marks.reduce((sum, mark) => sum + mark.elapsed, 0) / n;
  const y = marks.reduce((sum, mark) => sum + mark.logGap, 0) / n;
  const xy = marks.reduce((sum, mark) => sum + (mark.elapsed - x) * (mark.logGap - y), 0);
  const xx = marks.reduce((sum, mark) => sum + (mark.elapsed - x) ** 2, 0);
  return xy / xx;
}

export function progressLine({ iteration, relativeGap, shares, elapsed, plane }: SvmProgress, left: number | undefined): string {
  const parts = [
    ...(plane ? [`plane ${count(plane.done + 1)} of ${count(plane.total)}`] : []),
    `iteration ${count(iteration)}`,
    `gap ${short(relativeGap)}`,
    `label settled for ${percent(shares.agreed)} of rows`,
    duration(elapsed),
  ];
  // An upper bound: a rule other than the gap may end the fit sooner.
  if (left !== undefined) parts.push(`at most ${duration(left)} left`);
  return parts.join(' · ');
}
