/**
 * What an iterate proves. The gap without cancellation, the ball around w it gives, the interval of every optimal offset, the distance
 * in alpha: all with their rounding. The sums come from the backend; here is what follows from them.
 */
import { searchRoot, type Bracket, type Found, type Search } from '../solver/bisection.js';
import type { Step, SvmTasks } from '../backend/tasks.js';

const UNIT = 2 ** -53;
/** Below it products lose digits. */
const SMALLEST = 2 ** -1021;

/** What does not change during a run. */
export interface Constants {
  readonly n: number;
  readonly d: number;
  readonly mu: number;
  /** Σ r_i², max r_i, |m|: r_i the distance of row i from the centre m. */
  readonly radiusSquares: number;
  readonly maxRadius: number;
  readonly centreNorm: number;
  /** Most stored entries in a row. */
  readonly maxEntries: number;
  /** |m| + 2 |shift / scale|: times |w|, what a prediction adds up besides |x̃_i - m||w|. */
  readonly predictionNorm: number;
}

/** One iterate, measured at offset t. */
export interface Measured {
  t: number;
  wNorm: number;
  /** m·w */
  centreDot: number;
  /** No less than P(w, t), and so than P*. */
  primal: number;
  /** No more than P*. */
  dual: number;
  /** P(w, t) - P* is at most this: what certificates are made of. It is less than primal - dual, where P's own rounding counts twice. */
  gap: number;
  /** The rounding's part of it. */
  rounding: number;
  /** |w - w*| <= rho */
  rho: number;
  /** |alpha - alpha*| <= delta (proof 2) */
  delta: number;
}

/** The error of theta_i that comes with t. */
const etaOf = (constants: Constants, t: number): number => 2 * (constants.maxEntries + 4) * UNIT * Math.abs(t);

type Sums = SvmTasks['offsets']['answer'];

/**
 * Two searches side by side: the backend looks at two offsets in one sweep, with these shifts of rows, and `read` says what its
 * sums mean for each. (No generator within a generator: each one made would have a prototype of its own, and cost more than a sweep over a
 * thousand rows.)
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

/** Rows as they are. */
const UNSHIFTED = { rho: 0, wNorm: 0, etaT: 0 };

/** h(t), the slope of the primal in t, and its own slope. */
function slopeOf(positive: number, negative: number, free: number, mu: number): Found {
  return { value: negative - positive, slope: free / mu };
}

/** An offset good enough to measure the gap with: what is left of its error costs less than `worth`. */
export function* nearOffset(constants: Constants, guess: number, worth: number, tasks: SvmTasks): Generator<Step, number, void> {
  const { mu } = constants;
  const { offsets } = tasks;
  let best = guess;
  let min = Infinity;
  // Half value²/slope is what a Newton step would gain.
  const search = searchRoot(guess, { step: 1, enough: (_bracket, { value, slope }) => value * value <= 2 * slope * worth });
  let next = search.next();
  // Looks at places where h is flat do not count: far from the root nothing tells a better offset from a worse one.
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
 * The offset to the last bit. h is computed with an error of up to (n + 8) u (S⁺ + S⁻): where it is 0 within that on an interval, the
 * middle of the interval.
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
      a.value += eps * (positiveLow + negativeLow); // from here on h is not surely negative
      b.value -= eps * (positiveHigh + negativeHigh); // up to here it is not surely positive
      return [a, b];
    },
  );
  const t = left.high / 2 + right.low / 2;
  return Number.isFinite(t) ? t : guess;
}

/** The numbers that users read: primal - P* <= gap and dual <= P* hold for these very doubles (see `measure`). */
export function objective({ primal, dual }: Pick<Measured, 'primal' | 'dual'>) {
  const gap = primal - dual;
  return { primal, dual, gap, relativeGap: gap / primal };
}

/** Measures the iterate at offset t. Shrunk rows were brought up to date before. */
export function* measure(
  constants: Constants,
  t: number,
  wSquared: number,
  centreDot: number,
  tasks: SvmTasks,
): Generator<Step, Measured, void> {
  const { n, d, mu, maxRadius, radiusSquares, centreNorm } = constants;
  const wNorm = Math.sqrt(wSquared);
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
  const e = Math.abs(balance) + n * UNIT * alphaSum;
  const byNorm = alphaRadius + centreNorm * alphaSum; // >= sum alpha_i |x̃_i|
  const dw = (n + 4) * UNIT * byNorm;
  // P as it is computed, and its error: psi moves by at most |psi'| eta + eta² / (2 mu) where theta moves by eta, |psi'| is at most
  // alpha + |alpha + psi'|; the sums are of non-negative terms, each of them computed to a few units.
  const computed = 0.5 * wSquared + psi;
  const byEta = 2 * (constants.maxEntries + 4) * UNIT * wNorm * byNorm + etaOf(constants, t) * alphaSum + fyRounding;
  const error = (1 + 2 * (n + d + 16) * UNIT) * byEta + (n + d + 32) * UNIT * computed + (n + d) * SMALLEST;
  const primal = (computed + error) * (1 + 4 * UNIT);
  const W = Math.abs(t + centreDot) + 4 * d * UNIT * centreNorm * wNorm + 1 + maxRadius * Math.sqrt(2 * primal); // |w*|² <= 2 P
  const off = dw + e * centreNorm;
  // alpha is balanced only up to e, and w is H'alpha only up to dw: P - P* <= FY + e |t - t*| + off² / 2.
  const rounding = grown * (16 * UNIT * fy + fyRounding) + e * W + (off * off) / 2;
  const gap = grown * fy + rounding;
  const rho = Math.sqrt(gap) + off;
  const residual = (Math.sqrt(res2) + Math.sqrt(err2) + off * Math.sqrt(radiusSquares)) / mu + Math.sqrt((W * e) / mu);
  const byGap = Math.sqrt((2 * (gap + off * off)) / mu);
  // P* >= P - gap. With 16 units to spare, so that primal - dual holds as it is rounded, and a last bit for this subtraction.
  const min = computed - (error + gap) * (1 + 16 * UNIT);
  const dual = min - 2 * UNIT * Math.abs(min);
  return { t, wNorm, centreDot, primal, dual, gap, rounding, rho, delta: Math.min(residual, byGap) * grown };
}

/** Where the ends of the offset's bracket were found last, in units of rho from t: where to look first next time. */
export interface Hint {
  low: number;
  high: number;
}

/** How many rows a check certifies, by what is proved of them. */
export interface CertifiedCounts {
  agreed: number;
  properlyClassified: number;
  zero: number;
  atBound: number;
}

/**
 * Encloses every optimal offset (plus m·(w* - w), which cancels) and certifies what follows for each row. Properly classified are the
 * rows proved so by |alpha - alpha*| <= delta and, if `ball`, by the interval of their decision value. `afresh`: what was certified before
 * does not count.
 */
export function* certify(
  constants: Constants,
  measured: Measured,
  { delta, ball }: { delta: number; ball: boolean },
  hint: Hint,
  tasks: SvmTasks,
  afresh = false,
): Generator<Step, CertifiedCounts, void> {
  const { n, mu } = constants;
  const { t, rho, wNorm } = measured;
  const etaT = etaOf(constants, t);
  const eps = (n + 8) * UNIT;
  // Outer ends will do: those within a twentieth of their distance from t, by Newton's estimate.
  const near = ({ value, slope }: Found, at: number) => Math.abs(value) <= 0.05 * slope * Math.abs(at - t);
  const step = rho * constants.maxRadius + etaT || 1;
  const fromBelow = searchRoot(t + hint.low * rho, { step, lean: -0.02, enough: (_, f, at) => f.value < 0 && near(f, at) });
  const fromAbove = searchRoot(t + hint.high * rho, { step, lean: 0.02, enough: (_, f, at) => f.value > 0 && near(f, at) });
  const [first, last] = yield* inPairs(fromBelow, fromAbove, tasks, { rho, wNorm, etaT }, (sums) => [
    { value: sums.negativeLow * (1 + eps) - sums.positiveLow * (1 - eps), slope: sums.freeLow / mu },
    // The last root: where the value is 0 it may still lie further up.
    { value: sums.negativeHigh * (1 - eps) - sums.positiveHigh * (1 + eps) || -Number.MIN_VALUE, slope: sums.freeHigh / mu },
  ]);
  // first.low is surely below the first root, last.high beyond the last.
  hint.low = (first.low - t) / rho || 0;
  hint.high = (last.high - t) / rho || 0;
  const guardR = 4 * (constants.d + 8) * UNIT * wNorm;
  const guard = 4 * (constants.d + 8) * UNIT * (constants.predictionNorm * wNorm + Math.abs(t));
  if (afresh) yield tasks.forget.ask(); // not before: a run that is interrupted ends with what was certified
  yield tasks.certify.ask({ low: first.low, high: last.high, rho, wNorm, etaT, delta, ball, t, guardR, guard });
  const { agreed, properlyClassified, zero, atBound } = tasks.certify.answer;
  return { agreed, properlyClassified, zero, atBound };
}
