/**
 * How a fit starts: epochs of coordinate ascent on the dual. A visit moves one alpha to its own optimum, for the price of that row, so an
 * epoch does what takes FISTA many iterations, as long as mu is not small beside a row's square: the default mu is far from it. Where it
 * is, epochs no longer halve the gap, and FISTA takes over. What is proved does not depend on how alpha was found.
 */
import type { SvmCall } from '../backend/interface.js';
import type { Constants } from './certificate.js';
import type { Calls, LoopResult, LoopSettings } from './solve.js';

/** The penalty on y·alpha, in mean squares of a row: offset and weights then settle about equally fast. */
const WEIGHT = 0.3;
/** Rows that sit at a bound with this much to spare in their margin are left out, until the next check. */
const DELTA = 0.1;
/** Epochs that visit all rows, at the beginning. */
const WHOLE = 3;
/** A check may be worth its price when the rows' own terms, as they were met, are down to this share of the primal; then to half of it … */
const PROMISING = 0.07;
const NEXT = 0.5;
/** Iterations from check to check, where nothing else was asked for; and epochs, at most. */
export const CHECK_EVERY = 5;
const SELDOM = 10;
/** The gap is to halve in so many epochs. */
const PATIENCE = 10;

export interface AscentProblem {
  readonly settings: Pick<LoopSettings, 'checkEvery' | 'maxIterations' | 'expired'>;
  readonly constants: Constants;
  /** The offset of the start's model, and m·w of it; or undefined: all of it is 0. */
  readonly warm: { readonly t: number; readonly centreDot: number } | undefined;
  /** What to throw if sums overflow. */
  readonly overflow: () => Error;
}

/** What a check found: how the run ends, if it does, the gap and the offset. */
export interface Looked {
  readonly end: LoopResult | undefined;
  readonly gap: number;
  readonly t: number;
}

/** Looks at the iterate; `t` is about its offset, which is to be known well enough not to cost more than `worth` of the gap. */
export type Look = (iteration: number, late: boolean, t: number, worth: number) => Generator<SvmCall, Looked, Float64Array>;

/** Ends with the run's result, or with what FISTA is to go on from. */
export function* ascent(
  { settings, constants, warm, overflow }: AscentProblem,
  look: Look,
  calls: Calls,
): Generator<SvmCall, { end: LoopResult | undefined; iteration: number; t: number }, Float64Array> {
  const { checkEvery, maxIterations } = settings;
  const weight = (WEIGHT * constants.radiusSquares) / constants.n || constants.mu;
  let offset = warm ? warm.t + warm.centreDot : 0;
  let whole = warm ? 0 : WHOLE;
  let promising = PROMISING;
  let best = Infinity; // the gap when it last had halved
  let bestAt = 0;
  let checkedAt = 0;
  for (let iteration = 1; ; iteration++) {
    const [fy, psi, wSquared, next, t] = (yield calls.ascend(
      offset,
      weight,
      DELTA,
      Number(iteration <= whole),
    )) as unknown as Numbers5;
    if (!Number.isFinite(fy + psi + wSquared)) throw overflow();
    offset = next;
    const late = settings.expired();
    const share = fy / (psi + wSquared / 2);
    const due = checkEvery === undefined ? share <= promising || iteration - checkedAt >= SELDOM : iteration % checkEvery === 0;
    if (!due && !late && iteration < maxIterations) continue;
    yield calls.settle();
    const looked = yield* look(iteration, late, t, 2e-3 * fy);
    checkedAt = iteration;
    if (looked.end) return { end: looked.end, iteration, t: looked.t };
    if (looked.gap <= best / 2) {
      best = looked.gap;
      bestAt = iteration;
    } else if (iteration - bestAt >= PATIENCE) {
      return { end: undefined, iteration, t: looked.t };
    }
    whole = 0;
    promising = Math.min(promising, NEXT * share);
  }
}

type Numbers5 = [number, number, number, number, number];
