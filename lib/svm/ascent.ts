/**
 * How a fit starts: epochs of coordinate ascent on the dual. A visit moves one alpha to its own optimum, for the price of that row, so an
 * epoch does what takes FISTA many iterations, as long as mu is not small beside a row's square: the default mu is far from it. Where it
 * is, epochs no longer halve the gap, and FISTA takes over. What is proved does not depend on how alpha was found.
 */
import type { Step, SvmTasks } from '../backend/tasks.js';
import { Halving } from '../solver/halving.js';
import type { Constants } from './certificate.js';
import type { Checked } from './check.js';
import type { LoopResult, LoopSettings } from './solve.js';

/** The penalty on y·alpha, in mean squares of a row: offset and weights then settle about equally fast. */
const WEIGHT = 0.3;
/** Rows that sit at a bound with this much to spare in their margin are left out, until the next check. */
const DELTA = 0.1;
/** Epochs that visit all rows, at the beginning. */
const WHOLE = 3;
/** A check may be worth its price when the rows' own terms, as they were met, are down to this share of the primal; then to half of it … */
const PROMISING = 0.07;
const NEXT = 0.5;
/** Epochs from check to check, at most. */
const SELDOM = 10;
/** The gap is to halve in so many epochs. */
const PATIENCE = 10;

export interface AscentProblem {
  readonly settings: Pick<LoopSettings, 'checkEvery' | 'maxIterations' | 'expired' | 'handOver'>;
  readonly constants: Constants;
  /** The offset of the start's model, and m·w of it; or undefined: all of it is 0. */
  readonly warm: { readonly t: number; readonly centreDot: number } | undefined;
  /** What to throw if sums overflow. */
  readonly overflow: () => Error;
}

/** Checks the iterate; `t` is about its offset, which is to be known well enough not to cost more than `worth` of the gap. */
export type Check = (iteration: number, late: boolean, t: number, worth: number) => Generator<Step, Checked, void>;

/** Ends with the run's result, or with what FISTA is to go on from. */
export function* ascent(
  { settings, constants, warm, overflow }: AscentProblem,
  check: Check,
  { ascend, settle }: SvmTasks,
): Generator<Step, { end: LoopResult | undefined; iteration: number; t: number }, void> {
  const { checkEvery, maxIterations } = settings;
  const weight = (WEIGHT * constants.radiusSquares) / constants.n || constants.mu;
  let offset = warm ? warm.t + warm.centreDot : 0;
  let whole = warm ? 0 : WHOLE;
  let promising = PROMISING;
  let checkedAt = 0;
  const progress = new Halving(PATIENCE, 0);
  for (let iteration = 1; ; iteration++) {
    yield ascend.ask({ offset, weight, delta: DELTA, all: iteration <= whole });
    const { fenchelYoung, loss, wSquared, t } = ascend.answer;
    if (!Number.isFinite(fenchelYoung + loss + wSquared)) throw overflow();
    ({ offset } = ascend.answer);
    const late = settings.expired();
    const share = fenchelYoung / (loss + wSquared / 2);
    const due = checkEvery === undefined ? share <= promising || iteration - checkedAt >= SELDOM : iteration % checkEvery === 0;
    if (!due && !late && iteration < maxIterations) continue;
    yield settle.ask();
    const checked = yield* check(iteration, late, t, 2e-3 * fenchelYoung);
    checkedAt = iteration;
    const stalled = progress.stalled(iteration, checked.gap) && settings.handOver !== false;
    if (checked.end || stalled) return { end: checked.end, iteration, t: checked.t };
    whole = 0;
    promising = Math.min(promising, NEXT * share);
  }
}
