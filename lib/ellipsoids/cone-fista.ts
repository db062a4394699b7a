/**
 * FISTA on the cone problem of two families of ellipsoids (method 4.2, 4.3), as a generator: it decides (momentum, restarts, step size,
 * tests, origin moves, stopping) and yields what is to be computed next. It never knows which backend computes, or on which thread.
 *
 * Problem: a plane between two families of ellipsoids, the widest slab, or the news that their hulls touch (method 4.1).
 * Given:   a problem with the families, at x = 0; the goal and its tolerance.
 * Wanted:  a normal that is kept by the problem and certified; the bracket on the distance (method C14); the status.
 * Source:  M. Hough and S. A. Vavasis, arXiv:2512.03947; B. O'Donoghue and E. Candès, Found. Comput. Math. 15 (2015), for the restart.
 */
import type { EspProblem } from '../backend/interface.js';
import type { EspTasks, Step } from '../backend/tasks.js';
import { Halving } from '../solver/halving.js';
import { powerNorm } from '../solver/power-norm.js';
import { StepSize } from '../solver/step-size.js';

/** How to look for a plane, and when to stop (method 4.5). */
export interface EspMethod {
  readonly goal: 'any' | 'widest' | 'converged';
  /** For goal 'widest' the relative bracket, for 'converged' the length of a step, for 'any' see `touching`. */
  readonly tolerance: number;
  /** |p - q| over the size at which the hulls count as touching (method C15). */
  readonly touching: number;
  readonly test: 'best' | 'paper';
  readonly L: 'measured' | 'paper';
  readonly restart: boolean;
}

export interface EspSettings extends EspMethod {
  readonly maxIterations: number;
  readonly dimension: number;
  readonly count: number;
  /** Called at every iteration. */
  readonly progress: (state: EspState) => void;
  readonly expired: () => boolean;
  /** Whether the normal kept, with the offset `middle` relative to the origin, provably separates the data as given (method C13). */
  readonly certify: (max: number, min: number, middle: number, error: number) => boolean;
}

export interface EspState {
  readonly iteration: number;
  readonly lower: number;
  readonly upper: number;
  readonly L: number;
}

export interface EspResult extends EspState {
  readonly status: 'separated' | 'touching' | 'max-iterations' | 'time-limit';
  readonly goalReached: boolean;
}

const UNIT = 2 ** -53;
/** In the first iterations, where most separators appear, the test runs at once; later it is part of the next sweep. */
const AT_ONCE = 8;
/** The net is used if neither bracket, residual nor step halves in so many iterations. */
const PATIENCE = 100;
/** The origin moves after so many iterations, then after twice as many, and so on (method 4.4). */
const FIRST_MOVE = 16;

export function* fistaEsp(
  problem: Pick<EspProblem, 'accept' | 'keep'>,
  { begin, sweep, test, verify, move, power }: EspTasks,
  settings: EspSettings,
): Generator<Step, EspResult, void> {
  const { goal, tolerance, maxIterations, dimension: d, count } = settings;
  const asPrinted = settings.test === 'paper' && settings.L === 'paper';
  const norm = () => powerNorm(power, 1000, 1e-7); // |A|², from below
  yield begin.ask({ centred: !asPrinted });
  let { size, reach } = begin.answer;
  const { curvature, cap } = begin.answer;
  const measured = settings.L === 'measured';
  const stepSize = new StepSize({ L: measured ? Math.min(1.5 * curvature, cap) : yield* norm(), cap, measured });
  let headRoom = 1; // of L over the norm, once it is taken

  let [lower, upper] = [0, Infinity];
  let iteration = 0; // the number of the iterate
  let foundAt = 0; // the iterate whose normal is kept; 0: none
  let middle = 0; // where the paper's test puts the plane of the normal kept
  let tested = 0; // the last iterate that was tested
  let theta = 1;
  let nextMove = FIRST_MOVE;
  let [s, t, w] = [1, 1, 0]; // the iterate's residual
  const progress = new Halving(PATIENCE, 0);

  /** The error of a support, (c - origin)·n ± |A'n|, along a unit n: of one side of the slab (method C12). */
  const error = () => 2 * (2 * d + 8) * UNIT * reach;

  /** Judges the ranges along the normal that was tested (method C12), and keeps the normal if it is the best so far. */
  function judge({ high1, low1, high2, low2 }: EspTasks['test']['answer']): void {
    tested = iteration;
    const opposite = !(high1 < low2);
    const width = opposite ? low1 - high2 : low2 - high1; // NaN where w is 0
    const bound = (width - 2 * error()) * (1 - (d + 8) * UNIT);
    if (!(bound > lower)) return;
    const m = ((t - s) / (2 * w)) * size * (opposite ? -1 : 1);
    const asThePaper = opposite ? -low1 < m && m < -high2 : high1 < m && m < low2;
    if (settings.test === 'paper' && goal === 'any' && !asThePaper) return;
    lower = bound;
    foundAt = iteration;
    middle = m;
    problem.keep(opposite);
  }

  /** Verifies the normal kept on the data as given (method C13). One that cannot be certified is dropped. */
  function* separated(goalReached: boolean): Generator<Step, EspResult | undefined, void> {
    yield verify.ask();
    const { max, min } = verify.answer;
    const between = settings.test === 'paper' && max < middle && middle < min ? middle : max + (min - max) / 2;
    if (settings.certify(max, min, between, error())) {
      return { status: 'separated', iteration: goal === 'any' ? foundAt : iteration, goalReached, ...state() };
    }
    foundAt = 0;
    return undefined;
  }

  const state = () => ({ lower, upper, L: stepSize.L });
  const bracketClosed = () => lower >= (1 - tolerance) * upper;

  for (;;) {
    // ---- A step, and whether L held.
    const thetaNext = (1 + Math.sqrt(1 + 4 * theta * theta)) / 2;
    const beta = (theta - 1) / thetaNext;
    do {
      const testing = tested < iteration;
      yield sweep.ask({ L: stepSize.L, beta, testing });
      if (!testing) continue;
      judge(sweep.answer);
      if (foundAt > 0 && goal === 'any') {
        const result = yield* separated(true);
        if (result) return result;
      }
    } while (!accepts(stepSize, sweep.answer));
    const { squared, turn, sum1, sum2, residual, apart } = sweep.answer;
    ({ s, t, w } = sweep.answer);
    problem.accept();
    iteration++;
    theta = settings.restart && turn > 0 ? 1 : thetaNext;
    // Both points are of the hulls up to the rounding of their sums (method C14).
    if (sum1 > 0 && sum2 > 0) upper = Math.min(upper, apart * (1 + 8 * d * UNIT) + 8 * (count + d + 16) * UNIT * reach);

    // ---- Tests.
    const close = foundAt === 0 && upper <= settings.touching * size;
    const still = goal === 'converged' && Math.sqrt(squared) <= tolerance;
    const late = settings.expired();
    const last = late || iteration >= maxIterations;
    if (iteration <= AT_ONCE || close || still || last) {
      yield test.ask();
      judge(test.answer);
    }
    settings.progress({ iteration, ...state() });
    if (foundAt > 0) {
      const reached = goal === 'any' || (goal === 'widest' ? bracketClosed() : still);
      if (reached || last) {
        const result = yield* separated(reached);
        if (result) return result;
      }
    } else if (close) return { status: 'touching', iteration, goalReached: false, ...state() };
    if (last) return { status: late ? 'time-limit' : 'max-iterations', iteration, goalReached: false, ...state() };

    // ---- The net: the plain method, which converges if L bounds the curvature (method 4.3).
    const measures = [upper - lower, Math.sqrt(residual), Math.sqrt(squared)];
    if (progress.stalled(iteration, ...measures) && stepSize.measured) {
      headRoom = 1.1;
      stepSize.fix(headRoom * (yield* norm()));
      progress.restart(iteration, ...measures);
    }

    // ---- Towards s = t, where the limit is the widest slab (method 4.4).
    if (iteration === nextMove) {
      nextMove *= 2;
      if (!asPrinted && goal === 'widest') {
        if (tested < iteration) {
          yield test.ask();
          judge(test.answer);
        }
        yield move.ask();
        ({ size, reach, cap: stepSize.cap } = move.answer);
        theta = 1;
        if (!stepSize.measured) stepSize.fix(headRoom * (yield* norm()));
      }
    }
  }
}

/** Whether a step may be taken (method 1.7, 4.3). An image below its own rounding says nothing. */
function accepts(stepSize: StepSize, { squared, image, sum1, sum2 }: EspTasks['sweep']['answer']): boolean {
  if (!stepSize.measured) return true;
  const noise = 64 * UNIT * (1 + sum1 + sum2);
  if (!(Math.sqrt(image) > 4 * noise)) return true;
  return stepSize.accepts(image / squared, (2 * Math.sqrt(image) * noise) / squared);
}
