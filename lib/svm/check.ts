/**
 * A check (method 1.5): measures the iterate over all rows, certifies rows, asks the stopping rules and, at the end of a run, certifies the
 * model that is returned.
 *
 * Given:  an iterate, a guess of its offset, what the checks of a run share.
 * Wanted: the gap and the offset, for the method to go on with; or the run's result.
 * Source: method C1 to C9 (lib/svm/certificate.ts), method 1.12.
 */
import type { Step, SvmTasks } from '../backend/tasks.js';
import type { SvmStatus } from '../types.js';
import {
  certify,
  exactOffset,
  measure,
  nearOffset,
  type Certified,
  type Constants,
  type Hint,
  type Measured,
  type PrimalIterate,
  UNBOUNDED,
} from './certificate.js';
import type { LoopCheck, LoopResult, LoopSettings } from './solve.js';

/** What a check found: the run's result if it ends here, the gap and the offset. */
export interface Checked {
  readonly end: LoopResult | undefined;
  readonly gap: number;
  /** The part of it that is rounding. */
  readonly rounding: number;
  readonly primal: number;
  readonly t: number;
  readonly wNorm: number;
}

/** What the checks of a run share. */
export interface CheckContext {
  readonly settings: LoopSettings;
  readonly constants: Constants;
  readonly tasks: SvmTasks;
  hint: Hint;
  readonly kept: Kept;
}

/** The last check that was kept. It has an object of its own, as a run may be interrupted before there is a context. */
export interface Kept {
  end?: { readonly status: SvmStatus | undefined; readonly check: LoopCheck };
}

/** What is to be checked. */
export interface Iterate {
  readonly iteration: number;
  readonly L: number;
  /** Whether the time is up. */
  readonly late: boolean;
  /** A guess of its offset, whose error may cost at most `worth` of the gap. */
  readonly t: number;
  /** @default 0 */
  readonly worth?: number;
  /** Whether the method cannot go on. @default false */
  readonly stuck?: boolean;
  /** Half of the gap when it last halved, if that is long ago. @default Infinity: it is not */
  readonly half?: number;
  /** The paper's bound of |alpha - alpha*| (method C7), where it is valid. */
  readonly paperDelta?: number | undefined;
  /** Given if w is not H'alpha; t is then no guess, but the offset that alpha was made with. */
  readonly primal?: PrimalIterate;
}

/** The counts of a check that certifies nothing. */
const NOTHING: Certified = { agreed: 0, properlyClassified: 0, zero: 0, atBound: 0, plane: UNBOUNDED };

export function* check(
  context: CheckContext,
  { iteration, L, late, t: guess, worth = 0, half = Infinity, stuck = false, paperDelta, primal }: Iterate,
): Generator<Step, Checked, void> {
  const { settings, constants, tasks } = context;
  yield tasks.refresh.ask({ all: false });
  const { wSquared, centreDot } = tasks.refresh.answer;
  const t = primal ? guess : yield* nearOffset(constants, guess, worth, tasks);
  const measured = yield* measure(constants, t, wSquared, centreDot, tasks, primal);
  // With the paper's L its own bound alone counts (method C7), which needs a true L and every row in the step. Once steps are shorter than
  // the rounding of alpha their length proves nothing, so the bound is never taken to be smaller than the distance that was computed.
  const proof =
    paperDelta === undefined ? { delta: measured.delta, ball: true } : { delta: Math.max(paperDelta, measured.delta), ball: false };
  const counts = settings.certify !== 'end' ? yield* certify(constants, measured, proof, context.hint, tasks) : NOTHING;
  const found: LoopCheck = { iteration, L, measured, ...counts };
  const decided = settings.decide(found);
  const status =
    decided ??
    (stuck || exhausted(measured, half) ? 'precision' : undefined) ??
    (late ? 'time-limit' : iteration >= settings.maxIterations ? 'max-iterations' : undefined);
  if (settings.interruptible) {
    yield tasks.keep.ask({ alpha: settings.interruptible.alpha });
    context.kept.end = { status, check: found };
  }
  const { gap, rounding, primal: objective, wNorm } = measured;
  if (!status) return { end: undefined, gap, rounding, primal: objective, t, wNorm };
  // The model that is returned has its offset to the last bit, and a certificate of its own.
  if (settings.certify !== 'always') context.hint = { low: 0, high: 0 }; // whether progress is shown must not change the result
  const certified = function* (of: Measured, afresh: boolean): Generator<Step, LoopCheck, void> {
    return { iteration, L, measured: of, ...(yield* certify(constants, of, proof, context.hint, tasks, afresh)) };
  };
  if (primal?.margins) yield tasks.refresh.ask({ all: true });
  const fresh = primal && { ...primal, margins: undefined };
  const exact = yield* exactOffset(constants, t, tasks);
  let last = yield* certified(yield* measure(constants, exact, wSquared, centreDot, tasks, fresh), settings.certify === 'shown');
  // The rule that ended the run must hold for the model that is returned. If a last bit or a row is in the way, keep the offset it judged.
  if (decided && !settings.holds(decided, last)) {
    context.kept.end = { status: undefined, check: last }; // rows are certified by this one now
    last = yield* certified(measured, false);
  }
  return { end: { status, check: last }, gap, rounding, primal: objective, t: last.measured.t, wNorm };
}

/**
 * Whether iterating cannot prove more (method 1.12): rounding is most of the gap; or it is most of primal - dual, which contains P's own
 * rounding, and the gap has not halved for long.
 */
function exhausted({ primal, dual, gap, rounding }: Measured, half: number): boolean {
  return !(rounding <= 0.5 * gap) || (gap > half && primal - dual > 2 * (gap - rounding));
}
