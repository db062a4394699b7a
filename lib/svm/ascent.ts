/**
 * How a fit starts: epochs of coordinate ascent on the dual (method 1.10).
 *
 * Problem: max D(alpha) over Omega (method 1.2), with y·alpha = 0 left to a multiplier and a penalty.
 * Given:   the tasks of a problem, whose alpha is 0 or a warm start's; what a check does.
 * Wanted:  the run's result if a check ends it; else an iterate for another method to go on from.
 * Source:  C.-J. Hsieh et al., ICML 2008; S. Shalev-Shwartz and T. Zhang, JMLR 14, 2013.
 *
 * A visit moves one alpha to its own optimum for the price of reading one row, so an epoch does the work of many iterations of FISTA,
 * unless mu is small beside a row's square. The default mu is far from that. Where it is small, epochs stop halving the gap, and another
 * method takes over. What is proved does not depend on how alpha was found.
 */
import type { Step, SvmTasks } from '../backend/tasks.js';
import { Halving } from '../solver/halving.js';
import type { Constants } from './certificate.js';
import type { Checked } from './check.js';
import type { Ended } from './fista.js';
import { isNear } from './newton.js';
import type { LoopSettings } from './solve.js';

/** The penalty on y·alpha, in units of the mean of r_i²: offset and weights then settle about equally fast. */
const WEIGHT = 0.3;
/** Rows that sit at a bound with this much to spare in their margin are left out until the next check. */
const DELTA = 0.1;
/** The first epochs, so many of them, visit all rows. */
const WHOLE = 3;
/** A check is due when the Fenchel–Young terms, as they were met, are down to this share of the primal; then to NEXT times that … */
const PROMISING = 0.07;
const NEXT = 0.5;
/** At most so many epochs pass from one check to the next. */
const SELDOM = 10;
/** Another method takes over if the gap does not halve in so many epochs. */
const PATIENCE = 10;
/** Newton's method takes over after the first WHOLE epochs if this share is left, and what is gained does not grow so many times an epoch. */
const SLOW = 0.45;
const GROWING = 2.6;

export interface AscentProblem {
  readonly settings: Pick<LoopSettings, 'checkEvery' | 'maxIterations' | 'expired' | 'methods'>;
  readonly constants: Constants;
  /** The offset of the model that the fit starts from, and its m·w; undefined if it starts from 0. */
  readonly warm: { readonly t: number; readonly centreDot: number } | undefined;
  /** Whether Newton's method is expected to do well. */
  readonly tall: boolean;
  /** Makes the error to throw if sums overflow. */
  readonly overflow: () => Error;
}

/** Checks the iterate. `t` is a guess of its offset, whose error may cost at most `worth` of the gap (method 1.9). */
export type Check = (iteration: number, late: boolean, t: number, worth: number) => Generator<Step, Checked, void>;

/** Returns the run's result, or where another method is to go on from. */
export function* ascent(
  { settings, constants, warm, tall, overflow }: AscentProblem,
  check: Check,
  { ascend, settle }: SvmTasks,
): Generator<Step, Ended, void> {
  const { checkEvery, maxIterations, methods } = settings;
  const handsOver = methods.newton || methods.fista;
  const weight = (WEIGHT * constants.radiusSquares) / constants.weightSum || constants.mu;
  let offset = warm ? warm.t + warm.centreDot : 0;
  let whole = warm ? 0 : WHOLE;
  let promising = PROMISING;
  let checkedAt = 0;
  let gained = 0; // the share of the primal that was proved at the last epoch
  const progress = new Halving(PATIENCE, 0);
  for (let iteration = 1; ; iteration++) {
    yield ascend.ask({ offset, weight, delta: DELTA, all: iteration <= whole });
    const { fenchelYoung, loss, wSquared, t } = ascend.answer;
    if (!Number.isFinite(fenchelYoung + loss + wSquared)) throw overflow();
    ({ offset } = ascend.answer);
    const late = settings.expired();
    const share = fenchelYoung / (loss + wSquared / 2);
    const slow =
      iteration === WHOLE && methods.newton && (!methods.fista || (tall && share > SLOW && 1 - share < GROWING * gained));
    gained = 1 - share;
    const due = checkEvery === undefined ? share <= promising || iteration - checkedAt >= SELDOM : iteration % checkEvery === 0;
    if (!due && !slow && !late && iteration < maxIterations) continue;
    yield settle.ask({ back: false });
    const checked = yield* check(iteration, late, t, 2e-3 * fenchelYoung);
    checkedAt = iteration;
    const stalled = progress.stalled(iteration, checked.gap) && handsOver;
    if (checked.end || stalled || slow || (methods.newton && isNear(checked))) return { ...checked, iteration };
    whole = 0;
    promising = Math.min(promising, NEXT * share);
  }
}
