/**
 * FISTA on the SVM's dual, in its strongly convex variant (method 1.6): momentum, the step size by measured curvature (method 1.7),
 * shrinking (method 1.11), and a net: where the gap does not halve it becomes the plain method, which converges if L bounds the curvature.
 *
 * Problem: max D(alpha) over Omega (method 1.2).
 * Given:   a problem with a balanced iterate, the settings of the run, where the start ended.
 * Wanted:  the run's result, by a check that a rule or a limit ends; or an iterate for another method to go on from.
 * Source:  A. Beck and M. Teboulle, SIAM J. Imaging Sci. 2 (2009); M. Hough and S. A. Vavasis, arXiv:2512.03947.
 */
import type { SvmProblem } from '../backend/interface.js';
import type { Step } from '../backend/tasks.js';
import { Halving } from '../solver/halving.js';
import { powerNorm } from '../solver/power-norm.js';
import { StepSize } from '../solver/step-size.js';
import { check, type CheckContext } from './check.js';
import { isNear } from './newton.js';
import type { LoopResult } from './solve.js';

/** Iterations from one check to the next, by default. */
const CHECK_EVERY = 5;
/** A row is shrunk if its margin has this much to spare (method 1.11). */
const SHRINK_MARGIN = 0.05;
/** A sum of squares above this lost nothing that matters to underflow. */
const SQUARABLE = 2 ** -960;
/** Another method takes over, or the net is used, if the gap does not halve in so many iterations. */
export const PATIENCE = 100;
const UNIT = 2 ** -53;

/** What FISTA starts from. */
export interface FistaStart {
  readonly iteration: number;
  /** The iterate's offset, where it is known. */
  readonly t: number | undefined;
  /** L of the first step, if the curvature is measured; that step then says what L should be. */
  readonly L: number;
  /** The largest |x̃_i|². */
  readonly maxSquaredNorm: number;
  /** Makes the error to throw if sums overflow. */
  readonly overflow: () => Error;
  /** Whether another method takes over, rather than the net, where the gap does not halve or is small. */
  readonly handsOver: boolean;
  /** In so many iterations. @default PATIENCE */
  readonly patience?: number;
}

/** Where a method ended: the run's result, or an iterate for another to go on from. */
export interface Ended {
  readonly end: LoopResult | undefined;
  readonly iteration: number;
  /** By its last check. */
  readonly t: number;
  readonly gap: number;
  readonly primal: number;
}

/**
 * Near convergence the measured curvature is a quotient of small sums, and its last digits are noise. Without them, runs that differ in
 * rounding alone do not drift apart. Beyond the range of 32-bit numbers L stays as it is.
 */
function coarse(L: number): number {
  const rounded = Math.fround(L);
  return Math.abs(rounded - L) <= 1e-6 * L ? rounded : L;
}

/** beta, the momentum of the strongly convex variant (method 1.6). */
function momentum(L: number, mu: number): number {
  const root = Math.sqrt(L / mu);
  return (root - 1) / (root + 1);
}

export function* fista(
  problem: Pick<SvmProblem, 'accept'>,
  context: CheckContext,
  start: FistaStart,
): Generator<Step, Ended, void> {
  const { settings, constants, tasks } = context;
  const { n, mu, weightSum, radiusSquares } = constants;
  const { maxIterations } = settings;
  const { step, shrink, unshrink, power } = tasks;
  const checkEvery = settings.checkEvery ?? CHECK_EVERY;
  const norm = () => powerNorm(power, 300, 1e-5); // of HH' on the balanced subspace, from below
  const L =
    settings.L === 'paper'
      ? mu + weightSum * start.maxSquaredNorm
      : settings.L === 'norm'
        ? mu + 1.01 * (yield* norm())
        : Math.min(start.L, mu + radiusSquares);
  // cap: a true bound on the balanced subspace (method 1.7)
  const size = new StepSize({ L, cap: mu + radiusSquares, measured: settings.L === 'measured', round: coarse });
  let { shrinking } = settings;
  let { iteration, t } = start;
  if (t !== undefined && shrinking) yield shrink.ask({ low: t, high: t, delta: SHRINK_MARGIN });

  const progress = new Halving(start.patience ?? PATIENCE, iteration);
  for (;;) {
    // ---- A step: y, its projection, and whether L held.
    const beta = momentum(size.L, mu);
    let stepL: number;
    do {
      stepL = size.L;
      yield step.ask({ L: stepL, beta });
      if (!Number.isFinite(step.answer.squared + step.answer.curvature)) throw start.overflow();
    } while (!accepts(size, step.answer, mu, n * UNIT));
    const { squared, lambda } = step.answer;
    problem.accept();
    iteration++;

    const late = settings.expired();
    if (iteration % checkEvery !== 0 && !late && iteration < maxIterations) continue;
    // L lambda estimates t (method 1.8).
    const own = Number.isFinite(lambda) ? stepL * lambda : (t ?? 0);
    const checked = yield* check(context, {
      iteration,
      L: size.L,
      late,
      t: t ?? own,
      worth: 1e-3 * progress.last,
      half: progress.overdue(iteration) ? progress.last / 2 : Infinity,
      paperDelta: settings.L === 'paper' ? ((2 * size.L) / mu) * Math.sqrt(squared) : undefined,
    });
    t = checked.t;
    if (checked.end) return { ...checked, iteration };

    // ---- The net (method 1.7).
    const stalled = progress.stalled(iteration, checked.gap);
    if ((stalled || isNear(checked)) && start.handsOver) return { ...checked, iteration };
    if (stalled && size.measured) {
      yield unshrink.ask();
      size.fix(mu + 1.1 * (yield* norm()));
      shrinking = false;
      progress.restart(iteration, checked.gap);
    }
    // A row must be shrinkable at both offsets, the primal's best and the multiplier of the active rows' own problem, and so between them:
    // one that is shrinkable at one of them alone could keep the other rows from the optimum.
    if (shrinking) yield shrink.ask({ low: Math.min(t, own), high: Math.max(t, own), delta: SHRINK_MARGIN });
  }
}

/** Whether a step may be taken (method 1.7). `unit`: the relative rounding of its sums. */
function accepts(
  size: StepSize,
  { squared, curvature, magnitude }: { squared: number; curvature: number; magnitude: number },
  mu: number,
  unit: number,
): boolean {
  // A sum below its own rounding says nothing. Neither does a quotient whose divisor underflowed.
  if (!size.measured || !(curvature > unit * magnitude)) return true;
  if (!(squared > SQUARABLE)) return size.acceptsUnknown();
  return size.accepts(mu + curvature / squared, (unit * magnitude) / squared);
}
