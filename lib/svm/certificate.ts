/**
 * What an iterate proves (method C1 to C9): the gap without cancellation, the ball around w that follows, the interval of every optimal
 * offset, the distance in alpha, each with its rounding.
 *
 * Problem: bound the distance of an iterate from every optimum of the problem (method 1.1), from above and in floating point.
 * Given:   alpha in its box, w = H'alpha up to rounding, an offset t; the sums over rows, which the backend computes.
 * Wanted:  bounds of the objective, the radius rho of the ball, the distance delta in alpha; and the rows that are certified.
 * Source:  method C1 to C9, with proofs.
 */
import { searchRoot, type Bracket, type Found, type Search } from '../solver/bisection.js';
import type { Step, SvmTasks } from '../backend/tasks.js';

const UNIT = 2 ** -53;
/** For the roundings of a bound's own few operations (method C2). */
const SPARE = 1 + 16 * UNIT;
/** Products below this lose digits to underflow. */
const SMALLEST = 2 ** -1021;

/** What does not change during a run. */
export interface Constants {
  readonly n: number;
  readonly d: number;
  readonly mu: number;
  /** Σ c_i: c_i the weight of row i. */
  readonly weightSum: number;
  /** Σ c_i r_i², max r_i, |m|: r_i the distance of row i from the centre m. */
  readonly radiusSquares: number;
  readonly maxRadius: number;
  readonly centreNorm: number;
  /** The largest number of stored entries in a row. */
  readonly maxEntries: number;
  /** |m| + 2 |shift / scale|: times |w|, the magnitudes that a prediction adds up besides |x̃_i - m||w| (method C8). */
  readonly predictionNorm: number;
}

/** How margins came about that were not all computed from the present w (method 1.13). */
export interface Margins {
  /** The norm of the w that they were computed from, plus the lengths of all steps since. */
  readonly reach: number;
  /** The number of these steps. */
  readonly updates: number;
}

/** An iterate whose w is its own, not H'alpha. */
export interface PrimalIterate {
  /** |w - H'alpha|, as computed */
  readonly gradient: number;
  /** undefined: computed from w */
  readonly margins: Margins | undefined;
}

/** One iterate, measured at offset t. */
export interface Measured {
  t: number;
  /** |w|; or more, where margins were updated and not computed: what their rounding is in proportion to (method 2). */
  wNorm: number;
  /** m·w */
  centreDot: number;
  /** At least P(w, t), and so at least P* (method C9). */
  primal: number;
  /** At most P* (method C9). */
  dual: number;
  /** G of method C2: P(w, t) - P* is at most this. Certificates use it; primal - dual is larger, as P's own rounding counts twice in it. */
  gap: number;
  /** The part of it that is rounding. */
  rounding: number;
  /** |w - w*| <= rho (method C3) */
  rho: number;
  /** Σ c_i (x_i - x*_i)² <= delta², where alpha_i = c_i x_i (method C6) */
  delta: number;
}

/** The part of eta_i, the error of theta_i, that comes with t (method 2). */
const etaOf = (constants: Constants, t: number): number => 2 * (constants.maxEntries + 4) * UNIT * Math.abs(t);

type Sums = SvmTasks['offsets']['answer'];

/**
 * Runs two searches side by side: one sweep of the backend evaluates both offsets, with these shifts of rows, and `read` turns its sums
 * into a value and a slope for each. (Not a generator within a generator: each one made would have a prototype of its own, and cost more
 * than a sweep over a thousand rows.)
 */
function* inPairs(
  low: Search,
  high: Search,
  { offsets }: SvmTasks,
  { rho, wNorm, etaT }: { readonly rho: number; readonly wNorm: number; readonly etaT: number },
  read: (sums: Sums) => [Found, Found],
): Generator<Step, [Bracket, Bracket], void> {
  let a = low.next();
  let b = high.next();
  let atA = NaN;
  let atB = NaN;
  while (!a.done || !b.done) {
    if (!a.done) atA = a.value;
    if (!b.done) atB = b.value;
    yield offsets.ask({ low: atA, high: atB, rho, wNorm, etaT });
    const [foundA, foundB] = read(offsets.answer);
    if (!a.done) a = low.next(foundA);
    if (!b.done) b = high.next(foundB);
  }
  return [a.value, b.value];
}

/** No row is shifted. */
const UNSHIFTED = { rho: 0, wNorm: 0, etaT: 0 };

/** h(t), the slope of the primal in t, and its own slope (method 1.9). */
function slopeOf(positive: number, negative: number, free: number, mu: number): Found {
  return { value: negative - positive, slope: free / mu };
}

/** An offset good enough to measure the gap with: its error costs less than `worth` (method 1.9). */
export function* nearOffset(constants: Constants, guess: number, worth: number, tasks: SvmTasks): Generator<Step, number, void> {
  const { mu } = constants;
  const { offsets } = tasks;
  let best = guess;
  let min = Infinity;
  // Half value²/slope is what a Newton step would gain.
  const search = searchRoot(guess, { step: 1, enough: (_bracket, { value, slope }) => value * value <= 2 * slope * worth });
  let next = search.next();
  // Evaluations where h is flat do not count: far from the root nothing tells a better offset from a worse one.
  for (let looks = 0; !next.done && looks < 12;) {
    const t = next.value;
    yield offsets.ask({ low: t, high: t, rho: 0, wNorm: 0, etaT: 0 });
    const { positiveLow, negativeLow, freeLow } = offsets.answer;
    const found = slopeOf(positiveLow, negativeLow, freeLow, mu);
    if (found.slope > 0) looks++;
    if (Math.abs(found.value) < min) {
      min = Math.abs(found.value);
      best = t;
    }
    next = search.next(found);
  }
  return best;
}

/**
 * The offset to the last bit (method 1.9). h is computed with an error of up to (n + 8) u (S⁺ + S⁻); where it is 0 within that error on an
 * interval, the offset is the middle of the interval.
 */
export function* exactOffset(constants: Constants, guess: number, tasks: SvmTasks): Generator<Step, number, void> {
  const eps = (constants.n + 8) * UNIT;
  const [left, right] = yield* inPairs(
    searchRoot(guess, { step: 1 }),
    searchRoot(guess, { step: 1 }),
    tasks,
    UNSHIFTED,
    ({ positiveLow, negativeLow, freeLow, positiveHigh, negativeHigh, freeHigh }) => {
      const a = slopeOf(positiveLow, negativeLow, freeLow, constants.mu);
      const b = slopeOf(positiveHigh, negativeHigh, freeHigh, constants.mu);
      a.value += eps * (positiveLow + negativeLow); // at and above its root, h is not certainly negative
      b.value -= eps * (positiveHigh + negativeHigh); // below its root, h is not certainly positive
      return [a, b];
    },
  );
  const t = left.high / 2 + right.low / 2;
  return Number.isFinite(t) ? t : guess;
}

/** The numbers that users read: primal - P* <= gap and dual <= P* hold for these very doubles (method C9). */
export function objective({ primal, dual }: Pick<Measured, 'primal' | 'dual'>) {
  const gap = primal - dual;
  return { primal, dual, gap, relativeGap: gap / primal };
}

/** Measures the iterate at offset t (method C2, C3, C6, C9). The margins of shrunk rows must be up to date. */
export function* measure(
  constants: Constants,
  t: number,
  wSquared: number,
  centreDot: number,
  tasks: SvmTasks,
  primal?: PrimalIterate,
): Generator<Step, Measured, void> {
  const { n, d, mu, maxRadius, radiusSquares, centreNorm } = constants;
  // A step's margins have errors like those of w, and adding them rounds once more: (nnz + 4 + k) <= (nnz + 4) (1 + k / 4).
  const { reach, updates } = primal?.margins ?? { reach: Math.sqrt(wSquared), updates: 0 };
  const wNorm = reach * (1 + updates / 4);
  const gradient = (primal?.gradient ?? 0) * (1 + (d + 8) * UNIT);
  yield tasks.gap.ask({ t, wNorm, etaT: etaOf(constants, t) });
  const {
    fenchelYoung: fy,
    rounding: fyRounding,
    loss: psi,
    alphaSum,
    balance,
    alphaRadius,
    residualSquared: res2,
    errorSquared: err2,
  } = tasks.gap.answer;
  const grown = 1 + 2 * n * UNIT;
  const e = Math.abs(balance) + (n + 2) * UNIT * alphaSum;
  const byNorm = alphaRadius + centreNorm * alphaSum; // at least sum alpha_i |x̃_i|
  const dw = (n + 6) * UNIT * byNorm;
  // P as computed, and its error (method C9): where theta moves by eta, psi moves by at most |psi'| eta + eta² / (2 mu), and |psi'| is at
  // most alpha + |alpha + psi'|. The sums are of non-negative terms, each computed to a few units.
  const computed = 0.5 * wSquared + psi;
  const byEta = 2 * (constants.maxEntries + 4) * UNIT * wNorm * byNorm + etaOf(constants, t) * alphaSum + fyRounding;
  const error = (1 + 2 * (n + d + 16) * UNIT) * byEta + (n + d + 32) * UNIT * computed + (n + d) * SMALLEST;
  const upper = (computed + error) * (1 + 4 * UNIT);
  const W = Math.abs(t + centreDot) + 4 * d * UNIT * centreNorm * wNorm + 1 + maxRadius * Math.sqrt(2 * upper); // |w*|² <= 2 P (method 2)
  const off = gradient + dw + e * centreNorm;
  // alpha is balanced only up to e, and w is H'alpha only up to dw and the gradient: P - P* <= FY + e |t - t*| + off² / 2 (method C2).
  const square = (gradient * gradient) / 2;
  const rounding = grown * (16 * UNIT * fy + fyRounding) + e * W + (off * off) / 2 - square;
  const gap = (grown * fy + square + rounding) * SPARE;
  const rho = Math.min(Math.sqrt(gap) + off, Math.sqrt(2 * gap)) * SPARE;
  const residual = (Math.sqrt(res2) + Math.sqrt(err2) + off * Math.sqrt(radiusSquares)) / mu + Math.sqrt((W * e) / mu);
  const byGap = Math.sqrt((2 * (gap + off * off)) / mu);
  // P* >= P - gap. 16 units to spare make primal - dual valid as it is rounded; the last bit is for this subtraction.
  const min = computed - (error + gap) * (1 + 16 * UNIT);
  const dual = min - 2 * UNIT * Math.abs(min);
  return { t, wNorm, centreDot, primal: upper, dual, gap, rounding, rho, delta: Math.min(residual, byGap) * grown * SPARE };
}

/** Where the ends of the offset's bracket were found at the last check, in units of rho from t: the next check looks there first. */
export interface Hint {
  low: number;
  high: number;
}

/**
 * What is proved of the exact plane at any point (method C11): its value is within `low` and `high` of this plane's, give or take `slope`
 * times the point's distance from the centre, in scaled space. Room for the rounding of both is included. low < 0 < high: what is between
 * has this plane's own value in it, too, whichever way it is computed.
 */
export interface PlaneBounds {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
  /** |w|, in scaled space. */
  readonly norm: number;
}

/** Nothing is proved. */
export const UNBOUNDED: PlaneBounds = { slope: Infinity, low: -Infinity, high: Infinity, norm: 0 };

/** How many rows are certified, by what is proved of them (method 1.2, C8). */
export interface CertifiedCounts {
  agreed: number;
  properlyClassified: number;
  zero: number;
  atBound: number;
}

/** What a check certifies: of rows, and of any point. */
export interface Certified extends CertifiedCounts {
  readonly plane: PlaneBounds;
}

/**
 * Encloses every optimal offset, plus m·(w* - w), which cancels (method C4), and certifies what follows for each row (method C5, C8). A row
 * is certified as properly classified by its distance from the optimal x (method C6) and, if `ball`, by the interval of its decision value.
 * `afresh`: what was certified before does not count.
 */
export function* certify(
  constants: Constants,
  measured: Measured,
  { delta, ball }: { delta: number; ball: boolean },
  hint: Hint,
  tasks: SvmTasks,
  afresh = false,
): Generator<Step, Certified, void> {
  const { n, mu } = constants;
  const { t, rho, wNorm } = measured;
  const etaT = etaOf(constants, t);
  const eps = (n + 8) * UNIT;
  // Ends that lie outside are valid too. One is near enough if, by Newton's estimate, its root is within a twentieth of its distance from
  // t.
  const near = ({ value, slope }: Found, at: number) => Math.abs(value) <= 0.05 * slope * Math.abs(at - t);
  const step = rho * constants.maxRadius + etaT || 1;
  const fromBelow = searchRoot(t + hint.low * rho, { step, lean: -0.02, enough: (_, f, at) => f.value < 0 && near(f, at) });
  const fromAbove = searchRoot(t + hint.high * rho, { step, lean: 0.02, enough: (_, f, at) => f.value > 0 && near(f, at) });
  const [first, last] = yield* inPairs(fromBelow, fromAbove, tasks, { rho, wNorm, etaT }, (sums) => [
    { value: sums.negativeLow * (1 + eps) - sums.positiveLow * (1 - eps), slope: sums.freeLow / mu },
    // This search is for the last root: where the value is 0, it may lie further up.
    { value: sums.negativeHigh * (1 - eps) - sums.positiveHigh * (1 + eps) || -Number.MIN_VALUE, slope: sums.freeHigh / mu },
  ]);
  // first.low is certainly below the first root, and last.high above the last one.
  hint.low = (first.low - t) / rho || 0;
  hint.high = (last.high - t) / rho || 0;
  const guardR = 4 * (constants.d + 8) * UNIT * wNorm;
  const guard = 4 * (constants.d + 8) * UNIT * (constants.predictionNorm * wNorm + Math.abs(t));
  if (afresh) yield tasks.forget.ask(); // not earlier: a run that is interrupted ends with what was certified
  yield tasks.certify.ask({ low: first.low, high: last.high, rho, wNorm, etaT, delta, ball, t, guardR, guard });
  const { agreed, properlyClassified, zero, atBound } = tasks.certify.answer;
  // Twice the guard: the value may be computed in another way than the label (method C11).
  const spare = 2 * guard + 8 * UNIT * (Math.abs(t) + Math.abs(first.low) + Math.abs(last.high));
  const plane = {
    slope: (rho + 2 * guardR) * SPARE,
    low: Math.min(first.low - t, 0) - spare,
    high: Math.max(last.high - t, 0) + spare,
    norm: wNorm,
  };
  return { agreed, properlyClassified, zero, atBound, plane };
}
