/** Weights in 32 bits: their shortest text, and what their rounding does to what was proved of a plane. */
import { UNBOUNDED, type PlaneBounds } from '../svm/certificate.js';
import type { PlaneProof } from '../svm/model.js';

/** Every 32-bit number is the nearest one to its first nine digits. */
const MAX_DIGITS = 9;
/** Powers of ten up to 10^22, which are exact. */
const POWERS = Float64Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));

/** The number of fewest digits that `Math.fround` rounds to this one, itself a 32-bit number. */
export function shortest(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  // All numbers of fewer than six digits are among those of six.
  for (let digits = 6; digits <= MAX_DIGITS; digits++) {
    const power = digits - 1 - exponent;
    const scale = POWERS[Math.abs(power)];
    if (scale === undefined) break;
    // An integer of so few digits divided by, or times, an exact power of ten is the double that the decimal number reads as.
    const short = power >= 0 ? Math.round(value * scale) / scale : Math.round(value / scale) * scale;
    if (Math.fround(short) === value) return short;
  }
  return shortestByText(value);
}

/** The same for any size, slowly. Numbers that underflow have fewer than six digits to tell them apart. */
function shortestByText(value: number): number {
  for (let digits = 1; digits < MAX_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(MAX_DIGITS));
}

const UNIT = 2 ** -53;
/** For the roundings of a few operations. */
const SPARE = 1 + 16 * UNIT;

/**
 * What is proved of the exact plane relative to the plane of the rounded weights.
 *
 * Problem: the value at x changes by e·x, where e is the difference of the weights. With m the centre, and D the difference in scaled
 *          space, that is e·m + D·(x̃ - m̃).
 * Given:   bounds for `weights`, and the centre and scale that they refer to.
 * Wanted:  bounds for the rounded weights: e·m moves `low` or `high` outwards, |D| is added to `slope` and `norm`. The bounds have room for
 *          the rounding of a prediction, which grows with |w| at most; so that room grows by no more than |D| / |w| of all of the bounds.
 *          Neither end moves inwards: the rounded plane's own value must lie between them too (method C11).
 */
export function boundsOfRounded(proof: PlaneProof, weights: Float64Array): PlaneBounds {
  const { slope, low, high, norm, inverseScale, centre } = proof;
  const d = weights.length;
  let largest = 0;
  let shift = 0;
  let magnitude = 0;
  const differences = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    const e = Math.fround(weights[j]!) - weights[j]!; // exact
    if (e === 0) continue;
    // Not 0, where the quotient underflows. Where the scale is unknown it is infinite, and nothing is proved.
    const D = Math.max(Math.abs(e / inverseScale[j]!), Number.MIN_VALUE);
    differences[j] = D;
    largest = Math.max(largest, D);
    shift += e * centre[j]!;
    magnitude += Math.abs(e * centre[j]!);
  }
  if (largest === 0) return { slope, low, high, norm };
  let squares = 0;
  for (const D of differences) squares += (D / largest) ** 2;
  const room = 1 + 2 * (d + 8) * UNIT;
  const distance = largest * Math.sqrt(squares) * room + d * Number.MIN_VALUE;
  const growth = distance / norm;
  const spare = (high - low) * growth * SPARE + 2 * (d + 8) * UNIT * magnitude * room + d * Number.MIN_VALUE;
  const rounding = 8 * UNIT * (Math.abs(low) + Math.abs(high) + Math.abs(shift) + spare);
  const bounds = {
    slope: (slope + distance) * (1 + growth) * SPARE,
    low: low - Math.max(shift, 0) - spare - rounding,
    high: high - Math.min(shift, 0) + spare + rounding,
    norm: (norm + distance) * SPARE,
  };
  return Object.values(bounds).every(Number.isFinite) ? bounds : UNBOUNDED;
}
