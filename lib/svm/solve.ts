/**
 * FISTA on the SVM's dual, as a generator: it decides (momentum, step size, checks, stopping) and yields what is to be computed next.
 * It never knows which backend computes, or whether that happens on this thread. What it starts from is lib/svm/ascent.ts.
 */
import { ascent, CHECK_EVERY, type Looked } from './ascent.js';
import {
  certify,
  exactOffset,
  measure,
  nearOffset,
  type CertifiedCounts,
  type Constants,
  type Hint,
  type Measured,
} from './certificate.js';
import type { SvmCall, SvmProblem, SvmTasks } from '../backend/interface.js';
import { coded, Interrupted } from '../errors.js';
import type { SvmStatus } from '../types.js';

/** The tasks of a loop; `model` is asked for when it has ended. */
export type Calls = { [K in Exclude<keyof SvmTasks, 'model'>]: (...args: Parameters<SvmTasks[K]>) => SvmCall };

export const calls: Calls = Object.fromEntries(
  (
    [
      'begin',
      'warm',
      'ascend',
      'settle',
      'step',
      'look',
      'offsets',
      'gap',
      'certify',
      'forget',
      'shrink',
      'unshrink',
      'power',
      'score',
      'keep',
      'restore',
    ] as const
  ).map((name) => [name, (...args: unknown[]) => [name, ...args]]),
) as unknown as Calls;

export interface LoopSettings {
  readonly L: 'measured' | 'norm' | 'paper';
  readonly shrinking: boolean;
  /** Iterations from check to check; undefined: 5, and in the ascent when one is promising. */
  readonly checkEvery: number | undefined;
  readonly maxIterations: number;
  /** Where to start, in scaled space; asked for once `begin` was performed. */
  readonly warm?: () => { readonly w: Float64Array; readonly t: number };
  /** Whether to start with coordinate ascent. */
  readonly ascent: boolean;
  /**
   * When to claim what is proved: at every check, what one proves holding from then on ('always'); of the model that is returned
   * alone ('end'); or that, and for onlookers at every check ('shown').
   */
  readonly certify: 'always' | 'shown' | 'end';
  /** Whether columns are scaled; if not, an overflow's error says that they could be. */
  readonly scaled: boolean;
  /** Constants that are known before the first task. */
  readonly known: Pick<Constants, 'n' | 'd' | 'mu'>;
  /** Called at every check: says whether, and how, to end. */
  readonly decide: (check: LoopCheck) => SvmStatus | undefined;
  /** Whether the rule that ended the run with this status holds for another check, too. */
  readonly holds: (status: SvmStatus, check: LoopCheck) => boolean;
  /** Whether the time is up: the run then ends with a last check. */
  readonly expired: () => boolean;
  /**
   * Given where tasks may be interrupted when the time is up: every check is then kept, and the last one is what the run ends with. Whether
   * alpha is wanted too, and what is known before there was a check, of w = 0.
   */
  readonly interruptible?: { readonly alpha: boolean; readonly untrained: () => LoopCheck } | undefined;
}

export interface LoopCheck extends CertifiedCounts {
  readonly iteration: number;
  readonly measured: Measured;
  readonly L: number;
}

export interface LoopResult {
  readonly status: SvmStatus;
  readonly check: LoopCheck;
}

/** Rows rest with this much to spare in their margin. */
const SHRINK_MARGIN = 0.05;
/** What a check claims that was not asked to. */
const NOTHING: CertifiedCounts = { agreed: 0, properlyClassified: 0, zero: 0, atBound: 0 };
/** A sum of squares above this has lost nothing to underflow. */
const SQUARABLE = 2 ** -960;
/** The net: no halving of the best gap in this many iterations. */
const PATIENCE = 100;

/**
 * Near convergence the measured curvature is a quotient of small sums, and its last digits are noise. Dropped, they do not make runs
 * drift apart that differ in rounding alone. Beyond the range of 32-bit numbers L stays as it is.
 */
function coarse(L: number): number {
  const rounded = Math.fround(L);
  return Math.abs(rounded - L) <= 1e-6 * L ? rounded : L;
}

/** The momentum of the strongly convex variant. */
function momentum(L: number, mu: number): number {
  const root = Math.sqrt(L / mu);
  return (root - 1) / (root + 1);
}

/** The norm of HH' on the balanced subspace, from below. */
const norm = () => powerNorm(calls.power, 300, 1e-5);

/** A norm from below, by the power method: until a step adds next to nothing, `most` steps at the most. */
export function* powerNorm<Call>(
  power: (first: number) => Call,
  max: number,
  tolerance: number,
): Generator<Call, number, Float64Array> {
  let estimate = (yield power(1))[0]!;
  for (let k = 1; k < max; k++) {
    const next = (yield power(0))[0]!;
    const still = next <= estimate * (1 + tolerance);
    estimate = Math.max(next, estimate);
    if (still && k > 10) break;
  }
  return estimate;
}

/** What the checks of a run share. */
interface Context {
  readonly settings: LoopSettings;
  readonly constants: Constants;
  hint: Hint;
  /** The last check that was kept. */
  kept: Kept;
}

/** In an object of its own, as a run may be interrupted before there is a context. */
interface Kept {
  end?: { readonly status: SvmStatus | undefined; readonly check: LoopCheck };
}

/**
 * A check, of all rows. `half`: the gap that the net's clock was set for, once it has run out, or Infinity. `paper`: what proof 1 says of
 * |alpha - alpha*|, where it may be used.
 */
function* check(
  context: Context,
  iteration: number,
  L: number,
  late: boolean,
  guess: number,
  worth: number,
  half = Infinity,
  paper?: number,
): Generator<SvmCall, Looked, Float64Array> {
  const { settings, constants } = context;
  const [wSquared, centreDot] = (yield calls.look()) as unknown as [number, number];
  const t = yield* nearOffset(constants, guess, worth, calls);
  const measured = yield* measure(constants, t, wSquared, centreDot, calls);
  // With the paper's L, its own proof alone, as printed; it needs a true bound and every row in the step. Once steps are below
  // the rounding of alpha their length proves nothing, so it never counts for more than the distance that was computed.
  const proof =
    paper === undefined ? { delta: measured.delta, ball: true } : { delta: Math.max(paper, measured.delta), ball: false };
  const claimed = settings.certify !== 'end' ? yield* certify(constants, measured, proof, context.hint, calls) : NOTHING;
  const found: LoopCheck = { iteration, L, measured, ...claimed };
  const decided = settings.decide(found);
  const status =
    decided ??
    (exhausted(measured, half) ? 'precision' : undefined) ??
    (late ? 'time-limit' : iteration >= settings.maxIterations ? 'max-iterations' : undefined);
  if (settings.interruptible) {
    yield calls.keep(Number(settings.interruptible.alpha));
    context.kept.end = { status, check: found };
  }
  if (!status) return { end: undefined, gap: measured.gap, t };
  // The model that is returned: its offset to the last bit, and the certificate of that very model.
  if (settings.certify !== 'always') context.hint = { low: 0, high: 0 }; // onlookers change nothing
  const certified = function* (of: Measured, afresh: boolean): Generator<SvmCall, LoopCheck, Float64Array> {
    return { iteration, L, measured: of, ...(yield* certify(constants, of, proof, context.hint, calls, afresh)) };
  };
  const exact = yield* exactOffset(constants, t, calls);
  let last = yield* certified(yield* measure(constants, exact, wSquared, centreDot, calls), settings.certify === 'shown');
  // What ended the run must hold for what is returned. If it does not, for a last bit or a row, the offset is the one that was judged.
  if (decided && !settings.holds(decided, last)) {
    context.kept.end = { status: undefined, check: last }; // rows are certified by this one now
    last = yield* certified(measured, false);
  }
  return { end: { status, check: last }, gap: last.measured.gap, t: last.measured.t };
}

/**
 * Whether iterations cannot prove more: rounding is most of the gap; or it is most of primal - dual, which has P's own rounding in it, and
 * the gap has not come down to half of what it was when the net's clock was set.
 */
function exhausted({ primal, dual, gap, rounding }: Measured, half: number): boolean {
  return !(rounding <= 0.5 * gap) || (gap > half && primal - dual > 2 * (gap - rounding));
}

export function fistaSvm(
  problem: Pick<SvmProblem, 'accept'>,
  settings: LoopSettings,
): Generator<SvmCall, LoopResult, Float64Array> {
  return settings.interruptible ? interruptible(problem, settings, settings.interruptible) : solve(problem, settings, {});
}

/** A run that ends with the last check it kept where a task is interrupted. */
function* interruptible(
  problem: Pick<SvmProblem, 'accept'>,
  settings: LoopSettings,
  { untrained }: NonNullable<LoopSettings['interruptible']>,
): Generator<SvmCall, LoopResult, Float64Array> {
  const kept: Kept = {};
  try {
    return yield* solve(problem, settings, kept);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    yield calls.restore();
    return { status: kept.end?.status ?? 'time-limit', check: kept.end?.check ?? untrained() };
  }
}

function* solve(
  problem: Pick<SvmProblem, 'accept'>,
  settings: LoopSettings,
  kept: Kept,
): Generator<SvmCall, LoopResult, Float64Array> {
  const { known, maxIterations } = settings;
  const { mu, n } = known;
  const checkEvery = settings.checkEvery ?? CHECK_EVERY;

  const [c0, radiusSquares, maxRadius, centreNorm, maxEntries, maxNorm, shiftNorm, largest] = (yield calls.begin(
    Number(settings.L === 'measured' && !settings.ascent),
  )) as unknown as Numbers8;
  const constants: Constants = {
    n,
    d: known.d,
    mu,
    radiusSquares,
    maxRadius,
    centreNorm,
    maxEntries,
    predictionNorm: centreNorm + 2 * shiftNorm,
  };
  const overflow = () => tooLarge(largest, settings.scaled);
  if (!Number.isFinite(c0 + radiusSquares + maxNorm + centreNorm + shiftNorm)) throw overflow();
  const cap = mu + radiusSquares; // a true bound on the balanced subspace
  const rowL = mu + radiusSquares / n; // along one row, on average
  let { L: stepRule, shrinking } = settings;
  let L =
    stepRule === 'paper' ? mu + n * maxNorm : stepRule === 'norm' ? mu + 1.01 * (yield* norm()) : Math.min(mu + 1.5 * c0, cap);
  let t: number | undefined;
  let iteration = 0;
  const context: Context = { settings, constants, hint: { low: 0, high: 0 }, kept };

  if (settings.warm) {
    const warm = settings.warm();
    t = warm.t;
    yield calls.warm(warm.w, t);
  }
  if (settings.ascent) {
    const warm = t === undefined ? undefined : { t, centreDot: (yield calls.look())[1]! };
    const started = yield* ascent(
      { settings, constants, warm, overflow },
      (at, late, guess, worth) => check(context, at, rowL, late, guess, worth),
      calls,
    );
    if (started.end) return started.end;
    ({ iteration, t } = started);
    if (stepRule === 'measured') L = rowL; // the first step will say what it should be
  }
  if (t !== undefined && shrinking) yield calls.shrink(t, t, SHRINK_MARGIN);

  let best = Infinity; // the gap when the net's clock was last set
  let bestAt = iteration;
  for (;;) {
    // ---- A step: y, its projection, and whether L held.
    const beta = momentum(L, mu);
    let lambda = NaN;
    let length = 0;
    let stepL = L;
    for (;;) {
      const [squared, curvature, magnitude, root] = (yield calls.step(L, beta)) as unknown as Numbers4;
      if (!Number.isFinite(squared + curvature)) throw overflow();
      lambda = root;
      stepL = L;
      length = Math.sqrt(squared);
      // D is quadratic: the descent inequality is exactly c <= L. A sum below its own rounding says nothing.
      const c = mu + curvature / squared;
      const noise = (n * 2 ** -53 * magnitude) / squared;
      if (stepRule !== 'measured' || !(curvature > n * 2 ** -53 * magnitude)) break;
      if (!(squared > SQUARABLE)) {
        // Nor does a quotient by what underflowed: the bound that holds for certain.
        if (L >= cap) break;
        L = cap;
        continue;
      }
      if (c > L * (1 + 1e-6) + noise && L < cap) {
        L = Math.min(coarse(1.5 * c), cap);
        continue;
      }
      L = coarse(Math.max(c, 0.9 * L));
      break;
    }
    problem.accept();
    iteration++;

    const late = settings.expired();
    if (iteration % checkEvery !== 0 && !late && iteration < maxIterations) continue;
    // L lambda estimates t.
    const own = Number.isFinite(lambda) ? stepL * lambda : (t ?? 0);
    const paper = stepRule === 'paper' ? ((2 * L) / mu) * length : undefined;
    const half = iteration - bestAt >= PATIENCE ? best / 2 : Infinity;
    const looked: Looked = yield* check(context, iteration, L, late, t ?? own, 1e-3 * best, half, paper);
    if (looked.end) return looked.end;
    t = looked.t;

    // ---- The net: the plain method, whose convergence is proved.
    if (looked.gap <= best / 2) {
      best = looked.gap;
      bestAt = iteration;
    } else if (iteration - bestAt >= PATIENCE && stepRule === 'measured') {
      yield calls.unshrink();
      L = mu + 1.1 * (yield* norm());
      stepRule = 'norm';
      shrinking = false;
      best = looked.gap;
      bestAt = iteration;
    }
    // At both offsets, the primal's best and the multiplier of the active rows' own problem, and so at those between: where they
    // differ, a row that is idle at one alone keeps the other rows from their optimum.
    if (shrinking) yield calls.shrink(Math.min(t, own), Math.max(t, own), SHRINK_MARGIN);
  }
}

/** Squares and sums of the points are beyond the range of numbers: nothing could be computed, let alone proved. */
function tooLarge(column: number, scaled: boolean): Error {
  const stepRule = scaled ? '' : `, or scale 'standard' or 'maxabs',`;
  const message = `Expected smaller numbers for column ${column} of points${stepRule} but sums of their products overflow`;
  return coded(RangeError, 'ERR_POINTS', message);
}

type Numbers8 = [...Numbers4, ...Numbers4];
type Numbers4 = [number, number, number, number];
