/**
 * FISTA on the SVM's dual, in its strongly convex variant: momentum, the step size by measured curvature, shrinking, and the net that makes
 * it the plain method, whose convergence is proved, where the gap does not halve.
 */
import type { SvmProblem } from '../backend/interface.js';
import type { Step } from '../backend/tasks.js';
import { Halving } from '../solver/halving.js';
import { powerNorm } from '../solver/power-norm.js';
import { StepSize } from '../solver/step-size.js';
import { check, type CheckContext } from './check.js';
import type { LoopResult } from './solve.js';

/** Iterations from check to check, where nothing else was asked for. */
const CHECK_EVERY = 5;
/** Rows are shrunk with this much to spare in their margin. */
const SHRINK_MARGIN = 0.05;
/** A sum of squares above this has lost nothing to underflow. */
const SQUARABLE = 2 ** -960;
/** The gap is to halve in so many iterations. */
const PATIENCE = 100;
const UNIT = 2 ** -53;

/** What FISTA starts from. */
export interface FistaStart {
  readonly iteration: number;
  /** The iterate's offset, where it is known. */
  readonly t: number | undefined;
  /** L of the first step, where it is measured; the first step says what it should be. */
  readonly L: number;
  /** The largest |x̃_i|². */
  readonly maxSquaredNorm: number;
  /** What to throw if sums overflow. */
  readonly overflow: () => Error;
}

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

export function* fista(
  problem: Pick<SvmProblem, 'accept'>,
  context: CheckContext,
  start: FistaStart,
): Generator<Step, LoopResult, void> {
  const { settings, constants, tasks } = context;
  const { n, mu, radiusSquares } = constants;
  const { maxIterations } = settings;
  const { step, shrink, unshrink, power } = tasks;
  const checkEvery = settings.checkEvery ?? CHECK_EVERY;
  const norm = () => powerNorm(power, 300, 1e-5); // of HH' on the balanced subspace, from below
  const L =
    settings.L === 'paper'
      ? mu + n * start.maxSquaredNorm
      : settings.L === 'norm'
        ? mu + 1.01 * (yield* norm())
        : Math.min(start.L, mu + radiusSquares);
  // cap: a true bound on the balanced subspace
  const size = new StepSize({ L, cap: mu + radiusSquares, measured: settings.L === 'measured', round: coarse });
  let { shrinking } = settings;
  let { iteration, t } = start;
  if (t !== undefined && shrinking) yield shrink.ask({ low: t, high: t, delta: SHRINK_MARGIN });

  const progress = new Halving(PATIENCE, iteration);
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
    // L lambda estimates t.
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
    if (checked.end) return checked.end;
    t = checked.t;

    // ---- The net.
    if (progress.stalled(iteration, checked.gap) && size.measured) {
      yield unshrink.ask();
      size.fix(mu + 1.1 * (yield* norm()));
      shrinking = false;
      progress.restart(iteration, checked.gap);
    }
    // At both offsets, the primal's best and the multiplier of the active rows' own problem, and so at those between: where they
    // differ, a row that is shrinkable at one alone keeps the other rows from their optimum.
    if (shrinking) yield shrink.ask({ low: Math.min(t, own), high: Math.max(t, own), delta: SHRINK_MARGIN });
  }
}

/** Whether a step may be taken. `unit`: the relative rounding of its sums. */
function accepts(
  size: StepSize,
  { squared, curvature, magnitude }: { squared: number; curvature: number; magnitude: number },
  mu: number,
  unit: number,
): boolean {
  // A sum below its own rounding says nothing; nor does a quotient by what underflowed.
  if (!size.measured || !(curvature > unit * magnitude)) return true;
  if (!(squared > SQUARABLE)) return size.acceptsUnknown();
  return size.accepts(mu + curvature / squared, (unit * magnitude) / squared);
}
