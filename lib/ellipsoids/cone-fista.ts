/**
 * FISTA on the cone problem of two families of ellipsoids, as a generator: it decides (momentum, restarts, step size, tests, origin
 * moves, stopping) and yields what is to be computed next. It never knows which backend computes, or on which thread.
 */
import type { EspCall, EspProblem, EspTasks } from '../backend/interface.js';
import { powerNorm } from '../svm/solve.js';

type Calls = { [K in keyof EspTasks]: (...args: Parameters<EspTasks[K]>) => EspCall };

const calls: Calls = Object.fromEntries(
  (['begin', 'sweep', 'test', 'verify', 'move', 'power'] as const).map((name) => [name, (...args: unknown[]) => [name, ...args]]),
) as unknown as Calls;

/** How to look for a plane, and when to be content. */
export interface EspMethod {
  readonly goal: 'any' | 'widest' | 'converged';
  /** Of the goal: relative bracket, or |y - proj|. */
  readonly tolerance: number;
  /** |p - q|, scaled, at which the hulls count as touching. */
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
  /** Whether the normal kept, with the offset `middle` beyond the origin, provably separates the data as they were given. */
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
/** In the first iterations, where most separators appear, the test runs at once; later it rides along with the next sweep. */
const AT_ONCE = 8;
/** The net: no halving of bracket, residual or step in this many iterations. */
const PATIENCE = 100;
/** The origin moves after this many iterations, then twice as many, and so on. */
const FIRST_MOVE = 16;

/** |A|², from below. */
const norm = () => powerNorm(calls.power, 1000, 1e-7);

export function* fistaEsp(
  problem: Pick<EspProblem, 'accept' | 'keep'>,
  settings: EspSettings,
): Generator<EspCall, EspResult, Float64Array> {
  const { goal, tolerance, maxIterations, dimension: d, count } = settings;
  const asPrinted = settings.test === 'paper' && settings.L === 'paper';
  let [c0, size, reach, cap] = (yield calls.begin(asPrinted ? 0 : 1)) as unknown as [number, number, number, number];
  let measured = settings.L === 'measured';
  let headRoom = 1; // of L over the norm, once it is taken
  let L = measured ? Math.min(1.5 * c0, cap) : yield* norm();

  let [lower, upper] = [0, Infinity];
  let iteration = 0; // of the iterate
  let foundAt = 0; // the iterate whose normal is kept; 0: none
  let middle = 0; // where the paper's test puts the plane of the normal kept
  let tested = 0; // the last iterate that was tested
  let theta = 1;
  let nextMove = FIRST_MOVE;
  let [s, t, w] = [1, 1, 0]; // the iterate's residual
  let mark = { at: 0, bracket: Infinity, residual: Infinity, step: Infinity };

  /** The error of n.(z - origin), and of |A'n|, along a unit n: for one side of the slab. */
  const error = () => 2 * (2 * d + 8) * UNIT * reach;

  /** Judges the ranges along the normal tested for the iterate, [hi, lo, hi, lo], and keeps it if it is the best so far. */
  function judge(r: Float64Array): void {
    tested = iteration;
    const [hi1, lo1, hi2, lo2] = r.subarray(10) as unknown as [number, number, number, number];
    const opposite = !(hi1 < lo2);
    const width = opposite ? lo1 - hi2 : lo2 - hi1; // NaN where w is 0
    const bound = (width - 2 * error()) * (1 - (d + 8) * UNIT);
    if (!(bound > lower)) return;
    const m = ((t - s) / (2 * w)) * size * (opposite ? -1 : 1);
    const asThePaper = opposite ? -lo1 < m && m < -hi2 : hi1 < m && m < lo2;
    if (settings.test === 'paper' && goal === 'any' && !asThePaper) return;
    lower = bound;
    foundAt = iteration;
    middle = m;
    problem.keep(opposite);
  }

  /** Verifies the normal kept on the data themselves; what cannot be certified is dropped. */
  function* separated(goalReached: boolean): Generator<EspCall, EspResult | undefined, Float64Array> {
    const [max, min] = (yield calls.verify()) as unknown as [number, number];
    const between = settings.test === 'paper' && max < middle && middle < min ? middle : max + (min - max) / 2;
    if (settings.certify(max, min, between, error())) {
      return { status: 'separated', iteration: goal === 'any' ? foundAt : iteration, lower, upper, L, goalReached };
    }
    foundAt = 0;
    return undefined;
  }

  const bracketClosed = () => lower >= (1 - tolerance) * upper;

  for (;;) {
    // ---- A step, and whether L held.
    const thetaNext = (1 + Math.sqrt(1 + 4 * theta * theta)) / 2;
    const beta = (theta - 1) / thetaNext;
    const testing = tested < iteration;
    let r: Float64Array;
    for (;;) {
      r = yield calls.sweep(L, beta, testing && tested < iteration ? 1 : 0);
      if (testing && tested < iteration) {
        judge(r);
        if (foundAt > 0 && goal === 'any') {
          const result = yield* separated(true);
          if (result) return result;
          r = yield calls.sweep(L, beta, 0);
        }
      }
      const [squared, image, , sum1, sum2] = r as unknown as [number, number, number, number, number];
      if (!measured) break;
      // The objective is quadratic: the descent inequality is exactly c <= L. An image below its own rounding says nothing.
      const noise = 64 * UNIT * (1 + sum1 + sum2);
      if (!(Math.sqrt(image) > 4 * noise)) break;
      const c = image / squared;
      if (c > L * (1 + 1e-6) + (2 * Math.sqrt(image) * noise) / squared && L < cap) {
        L = Math.min(1.5 * c, cap);
        continue;
      }
      L = Math.max(c, 0.9 * L);
      break;
    }
    const [squared, , turn, sum1, sum2, residual, apart] = r as unknown as number[] as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    [s, t, w] = r.subarray(7, 10) as unknown as [number, number, number];
    problem.accept();
    iteration++;
    theta = settings.restart && turn > 0 ? 1 : thetaNext;
    // The points are of the hulls up to the rounding of their sums.
    if (sum1 > 0 && sum2 > 0) upper = Math.min(upper, apart * (1 + 8 * d * UNIT) + 8 * (count + d + 16) * UNIT * reach);

    // ---- Tests.
    const close = foundAt === 0 && upper <= settings.touching * size;
    const still = goal === 'converged' && Math.sqrt(squared) <= tolerance;
    const late = settings.expired();
    const last = late || iteration >= maxIterations;
    if (iteration <= AT_ONCE || close || still || last) judge(yield calls.test());
    settings.progress({ iteration, lower, upper, L });
    if (foundAt > 0) {
      const reached = goal === 'any' || (goal === 'widest' ? bracketClosed() : still);
      if (reached || last) {
        const result = yield* separated(reached);
        if (result) return result;
      }
    } else if (close) return { status: 'touching', iteration, lower, upper, L, goalReached: false };
    if (last) return { status: late ? 'time-limit' : 'max-iterations', iteration, lower, upper, L, goalReached: false };

    // ---- The net: the plain method, whose convergence is proved.
    const now = { at: iteration, bracket: upper - lower, residual: Math.sqrt(residual), step: Math.sqrt(squared) };
    if (now.bracket <= mark.bracket / 2 || now.residual <= mark.residual / 2 || now.step <= mark.step / 2) mark = now;
    else if (iteration - mark.at >= PATIENCE && measured) {
      headRoom = 1.1;
      L = headRoom * (yield* norm());
      measured = false;
      mark = now;
    }

    // ---- Towards s = t, where the limit is the widest slab.
    if (iteration === nextMove) {
      nextMove *= 2;
      if (!asPrinted && goal === 'widest') {
        if (tested < iteration) judge(yield calls.test());
        [c0, size, reach, cap] = (yield calls.move()) as unknown as [number, number, number, number];
        theta = 1;
        if (!measured) L = headRoom * (yield* norm());
      }
    }
  }
}
