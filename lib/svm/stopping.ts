/**
 * Stopping rules (method 1.12).
 *
 * Given:  the numbers of a check.
 * Wanted: the status to end the run with, or undefined to go on.
 * Source: stop.stale is that of M. Hough and S. A. Vavasis, arXiv:2512.03947, section 4.2.
 */
import { rangeError, typeError } from '../errors.js';
import { checkNames } from '../input/keys.js';
import { isObject } from '../input/intrinsics.js';
import type { StopRule, SvmCheck } from '../types.js';

/** Refuses numbers with which a rule could never hold: the run would go on to its last iteration. */
function within(value: unknown, min: number, max: number, where: string): void {
  const what = max === Infinity ? `a number of ${min} or more` : `a number from ${min} to ${max}`;
  if (typeof value !== 'number') throw typeError('ERR_OPTION', what, where, value);
  if (!(value >= min && value <= max)) throw rangeError('ERR_OPTION', what, where, value);
}

/**
 * The paper's delta_min and its limit of the counter `stale`: the share of properly classified rows must grow by more than deltaMin to
 * count as progress, and the run ends at the iteration number `patience` without progress.
 */
export interface StaleOptions {
  /** @default 1e-4 */
  deltaMin?: number;
  /** @default 2 */
  patience?: number;
}

export const stop = Object.freeze({
  /** Ends a run when this share of the rows provably gets the label that every exact optimum gives them (method C8). */
  agreement(share: number): StopRule {
    within(share, 0, 1, 'the share of stop.agreement');
    const holds = (check: SvmCheck) => check.agreed >= share * check.rows;
    return {
      name: 'agreement',
      everyIteration: false,
      proofs: true,
      start: () => (check) => (holds(check) ? 'agreement' : undefined),
      holds,
    };
  },

  /** Ends a run when the relative gap, (primal - dual) / primal, is at most this (method C9). */
  gap(relative: number): StopRule {
    within(relative, 0, Infinity, 'the relative gap of stop.gap');
    const holds = (check: SvmCheck) => check.relativeGap <= relative;
    return {
      name: 'gap',
      everyIteration: false,
      proofs: false,
      relativeGap: relative,
      start: () => (check) => (holds(check) ? 'gap' : undefined),
      holds,
    };
  },

  /**
   * The paper's rule: ends a run when the share of rows certified as properly classified has not grown by more than deltaMin for `patience`
   * iterations. These are counted from the first such row on: before it the share is 0, and every run would end at once.
   */
  stale(options: StaleOptions = {}): StopRule {
    if (!isObject(options)) throw typeError('ERR_OPTION', 'an object', 'the options of stop.stale', options);
    checkNames(options, ['deltaMin', 'patience'], { code: 'ERR_OPTION', what: 'option', of: 'stop.stale' });
    const { deltaMin = 1e-4, patience = 2 } = options;
    within(deltaMin, 0, 1, 'deltaMin of stop.stale');
    within(patience, 1, Infinity, 'patience of stop.stale');
    return {
      name: 'stale',
      everyIteration: true,
      proofs: true,
      start: () => {
        let best = 0;
        let stale = 0;
        return ({ properlyClassified, rows }: SvmCheck) => {
          const share = properlyClassified / rows;
          if (share === 0) return undefined;
          if (share > best + deltaMin) {
            best = share;
            stale = 0;
            return undefined;
          }
          return ++stale >= patience ? 'stale' : undefined;
        };
      },
      holds: () => true, // it is about the run, not about one check's numbers
    };
  },
});

/** The rules of one run as one function: the first that answers decides. */
export function firstOf(rules: readonly StopRule[]): (check: SvmCheck) => ReturnType<ReturnType<StopRule['start']>> {
  const running = rules.map((rule) => rule.start());
  return (check) => {
    let status: ReturnType<(typeof running)[number]>;
    for (const rule of running) status ??= rule(check);
    return status;
  };
}

/** Whether a rule that ended a run with this status holds for the check of the returned model as well. */
export function stillHolds(rules: readonly StopRule[], status: string, check: SvmCheck): boolean {
  return rules.some((rule) => rule.name === status && rule.holds?.(check) === true);
}
