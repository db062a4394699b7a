/** Ellipsoid separation: what users call. */
import type { EspProblem } from '../backend/interface.js';
import { espTasks } from '../backend/tasks.js';
import { differenceTwice, dotTwice } from './double-double.js';
import { countTasksHere, pause, run, runAsync, type Loop } from '../solver/drivers.js';
import { chiSquareQuantile } from './gaussian.js';
import { resolveCovariance, resolveSeparation, type ResolvedEspOptions, type SeparationInput } from '../input/index.js';
import { fistaEsp, type EspResult } from './cone-fista.js';
import type { BackendName, Ellipsoids, EspOptions, Separation } from '../types.js';

const UNIT = 2 ** -53;

/** a / b for a power of two b. Exact, except where the quotient is subnormal: there it is rounded down, or up if `way` is 1. */
function divided(a: number, b: number, way: 1 | -1 = -1): number {
  const quotient = a / b;
  return way * (a - quotient * b) > 0 ? quotient + way * Number.MIN_VALUE : quotient;
}

/**
 * Looks for a plane with every ellipsoid of the first family below it and every one of the second above it. Ends as 'separated', which is
 * verified on the data as given, or as 'touching', with a point that both convex hulls come near.
 */
export function separateEllipsoids(first: Ellipsoids, second: Ellipsoids, options?: EspOptions): Separation {
  const input = resolveSeparation(first, second, options);
  return run(separating(input), input.options.signal);
}

/**
 * The same off the main thread; small separations, the beginning of others, and the TypeScript kernels take turns with the event loop
 * instead. Gives the same result, bit for bit.
 */
export async function separateEllipsoidsAsync(first: Ellipsoids, second: Ellipsoids, options?: EspOptions): Promise<Separation> {
  const input = resolveSeparation(first, second, options);
  return runAsync(separating(input), input.options.signal);
}

function* separating(input: SeparationInput): Loop<Separation> {
  const task = new Separating(input);
  try {
    if (task.tasksHere > 0) yield pause();
    return task.finish(yield* task.loop());
  } finally {
    task.problem.dispose();
  }
}

/**
 * The ellipsoid around the mean that holds a share `confidence` (0.95 by default) of a normal law. Its shape is sqrt(chi-square quantile)
 * times a factor of the covariance, which is given as rows or, for independent entries, as variances.
 */
export function ellipsoidFromCovariance(
  mean: ArrayLike<number>,
  covariance: ArrayLike<number> | readonly ArrayLike<number>[],
  options?: { confidence?: number },
): { center: Float64Array; shape: Float64Array | Float64Array[] } {
  const { center, deviations, factor, confidence } = resolveCovariance(mean, covariance, options);
  const radius = center.length === 0 ? 0 : Math.sqrt(chiSquareQuantile(center.length, confidence));
  const scaled = (row: Float64Array) => row.map((value) => value * radius);
  return { center, shape: factor ? factor.map(scaled) : scaled(deviations!) };
}

interface Plane {
  readonly normal: Float64Array;
  readonly offset: number;
  readonly width: number;
  readonly slack: Float64Array;
}

/** One separation, from checked input to the result. */
class Separating {
  readonly fit: ResolvedEspOptions;
  readonly problem: EspProblem;
  /** How many tasks of an asynchronous separation are performed on the main thread. */
  readonly tasksHere: number;
  readonly #backend: BackendName;
  readonly #counts: [number, number];
  readonly #cols: number;
  readonly #began: number;
  #plane: Plane | undefined; // the plane that was certified last

  /** Copies the families, checking their numbers on the way. The user's arrays are not kept. */
  constructor({ began, options, backend, threads, first, second, refuse }: SeparationInput) {
    this.#began = began;
    this.fit = options;
    this.#backend = backend.name;
    this.#counts = [first.kinds.length, second.kinds.length];
    this.#cols = first.cols;
    const families = [first, second];
    this.tasksHere = countTasksHere(families.reduce((size, { centers, shapes }) => size + centers.length + shapes.length, 0));
    this.problem = new backend.Esp(
      refuse,
      threads,
      first.cols,
      first.centers,
      first.kinds,
      first.shapes,
      second.centers,
      second.kinds,
      second.shapes,
    );
  }

  loop(): ReturnType<typeof fistaEsp> {
    const { fit } = this;
    return fistaEsp(this.problem, espTasks(this.problem, this.tasksHere), {
      ...fit,
      L: fit.stepSize,
      dimension: this.#cols,
      count: this.#counts[0] + this.#counts[1],
      progress: ({ iteration, lower, upper, L }) =>
        fit.onProgress?.({ iteration, elapsed: this.#elapsed(), distance: this.#distance(lower, upper), L }),
      expired: () => this.#elapsed() >= fit.timeLimit,
      certify: (max, min, middle, error) => this.#certify(max, min, middle, error),
    });
  }

  finish(result: EspResult): Separation {
    const { status, iteration: iterations } = result;
    const distance = this.#distance(result.lower, result.upper);
    const common = { distance, iterations, elapsed: this.#elapsed(), backend: this.#backend };
    if (status === 'separated') {
      return { status, ...this.#plane!, robustness: divided(distance.lower, 2), goalReached: result.goalReached, ...common };
    }
    return status === 'touching' ? { status, ...this.#witness(), ...common } : { status, ...common };
  }

  #elapsed(): number {
    return performance.now() - this.#began;
  }

  #distance(lower: number, upper: number): { lower: number; upper: number } {
    const { unit } = this.problem;
    return { lower: divided(lower, unit), upper: divided(upper, unit, 1) };
  }

  #vector(fill: (out: Float64Array) => void, length = this.#cols): Float64Array {
    const out = new Float64Array(length);
    fill(out);
    return out;
  }

  /**
   * Whether normal·z < offset on the first family and > offset on the second, for the very numbers that are returned (method C13). max, min
   * and the supports are of n·(z - origin), each with an error of at most `error`, so the offset is compared with n·origin in twice the
   * precision. Width and slacks are what is left after all errors, and the normal's length, are counted against them.
   */
  #certify(max: number, min: number, middle: number, error: number): boolean {
    const { problem } = this;
    const { unit } = problem;
    const normal = this.#vector((out) => problem.normal(out));
    const { high, low, magnitude } = dotTwice(
      normal,
      this.#vector((out) => problem.origin(out)),
    );
    // The offset as it is returned: where the unit is not 1, it may have few digits.
    const given = (high + (low + middle)) / unit;
    const offset = given * unit;
    const difference = differenceTwice(offset, high);
    const delta = difference.high + (difference.low - low); // offset - n.origin
    const spare = error + 4 * UNIT * Math.abs(delta) + 8 * (this.#cols + 2) * UNIT * UNIT * magnitude;
    const length = 1 - (this.#cols + 12) * UNIT; // at most 1 / |n|, with the rounding of the products below
    const lower = (distance: number) => divided(distance * length, unit);
    const slack = this.#vector((out) => problem.supports(out), this.#counts[0] + this.#counts[1]).map((support, i) =>
      lower((i < this.#counts[0] ? delta - support : support - delta) - spare),
    );
    if (!slack.every((distance) => distance > 0)) return false;
    this.#plane = { normal, offset: given, width: lower(min - max - 2 * error), slack };
    return true;
  }

  /** The middle of the two hulls' points, and the weights that make them (method C15). */
  #witness(): { witness: Float64Array; weights: { first: Float64Array; second: Float64Array } } {
    const { problem } = this;
    const [n, d] = [this.#counts[0], this.#cols];
    const weights = this.#vector((out) => problem.weights(out), n + this.#counts[1]);
    const total = (list: Float64Array) => list.reduce((a, b) => a + b, 0);
    const [a, b] = [total(weights.subarray(0, n)), total(weights.subarray(n))];
    const sums = this.#vector((out) => problem.sums(out), 2 * d);
    const witness = this.#vector((out) => problem.origin(out)).map(
      (o, j) => (o + (sums[j]! / a + sums[d + j]! / b) / 2) / problem.unit,
    );
    return { witness, weights: { first: weights.slice(0, n).map((w) => w / a), second: weights.slice(n).map((w) => w / b) } };
  }
}
