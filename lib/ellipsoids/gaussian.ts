/** What the ellipsoid of a normal law is made from (method 4.1): a quantile of chi-square, and a factor of the covariance. */

const UNIT = 2 ** -53;

/** What is wrong with a matrix: not symmetric (with what was expected), a negative pivot, or too large beside a pivot of 0. */
export interface NotCovariance {
  readonly row: number;
  readonly col: number;
  readonly value: number;
  readonly expected?: number;
  readonly bound?: number;
}

/**
 * F with F F' = S, for S symmetric positive semidefinite up to rounding: Cholesky's factorisation of the correlations, the largest pivot
 * first. Pivots that are 0 up to rounding leave columns of zeros: the law is flat in that many directions.
 */
export function cholesky(S: readonly Float64Array[]): { factor: Float64Array[] } | NotCovariance {
  const d = S.length;
  const noise = 64 * (d + 1) * UNIT;
  const deviation = S.map((row, i) => Math.sqrt(Math.max(row[i]!, 0)));
  for (let i = 0; i < d; i++) {
    if (S[i]![i]! < 0) return { row: i, col: i, value: S[i]![i]! };
    for (let j = 0; j < i; j++) {
      const [a, b] = [S[i]![j]!, S[j]![i]!];
      if (Math.abs(a - b) > 1e-12 * Math.max(Math.abs(a), Math.abs(b))) return { row: i, col: j, value: a, expected: b };
      if (a !== 0 && deviation[i]! * deviation[j]! === 0) return { row: i, col: j, value: a, bound: 0 };
    }
  }
  const inverse = deviation.map((x) => (x > 0 ? 1 / x : 0));
  const left = S.map((row, i) => row.map((x, j) => x * inverse[i]! * inverse[j]!)); // the correlations, minus what is factored
  const factor = S.map(() => new Float64Array(d));
  const open = new Set(S.keys());
  for (let k = 0; k < d; k++) {
    const [pivot] = [...open].sort((i, j) => left[j]![j]! - left[i]![i]!);
    if (!(left[pivot!]![pivot!]! > noise)) break;
    const root = Math.sqrt(left[pivot!]![pivot!]!);
    open.delete(pivot!);
    factor[pivot!]![k] = root * deviation[pivot!]!;
    for (const i of open) factor[i]![k] = (left[i]![pivot!]! / root) * deviation[i]!;
    for (const i of open) for (const j of open) left[i]![j]! -= (left[i]![pivot!]! / root) * (left[j]![pivot!]! / root);
  }
  // What is left is 0 up to rounding, or S is not a covariance.
  for (const i of open) {
    if (left[i]![i]! < -noise) return { row: i, col: i, value: left[i]![i]! * S[i]![i]! };
    for (const j of open) {
      const size = deviation[i]! * deviation[j]!;
      if (j < i && Math.abs(left[i]![j]!) > 2 * noise)
        return { row: i, col: j, value: left[i]![j]! * size, bound: 2 * noise * size };
    }
  }
  return { factor };
}

/** x with P(chi-square of d degrees <= x) = p, for d >= 1 and 0 < p < 1, to nearly the last digit. */
export function chiSquareQuantile(d: number, p: number): number {
  const a = d / 2;
  // The smaller of the two tails is solved for, as it has all its digits.
  const upper = p > 0.5;
  const target = upper ? 1 - p : p;
  // Positive when x is too large; both tails are monotone.
  const excess = (x: number) => (upper ? target - gammaTail(a, x, true) : gammaTail(a, x, false) - target);
  let [low, high] = [0, a + 1];
  while (excess(high) < 0) [low, high] = [high, 2 * high];
  let x = low + (high - low) / 2;
  for (let k = 0; k < 200; k++) {
    const e = excess(x);
    if (e === 0) break;
    if (e > 0) high = x;
    else low = x;
    // Newton; the density of Gamma(a) is (a / x) x^a e^-x / Gamma(a + 1).
    let next = x - e / ((a / x) * peak(a, x));
    if (!(next > low && next < high)) next = low > 0 ? low + (high - low) / 2 : high / 16;
    if (Math.abs(next - x) <= 2 * UNIT * x) return 2 * next;
    x = next;
  }
  return 2 * x;
}

/** The regularised incomplete gamma function: P(a, x), or Q(a, x) = 1 - P(a, x). */
function gammaTail(a: number, x: number, upper: boolean): number {
  if (x <= 0) return upper ? 1 : 0;
  if (x < a + 1) {
    // P = x^a e^-x / Gamma(a + 1) (1 + x / (a + 1) + x² / ((a + 1)(a + 2)) + …)
    let [sum, term] = [1, 1];
    for (let k = 1; term > sum * UNIT * 0.01; k++) sum += term *= x / (a + k);
    const lower = peak(a, x) * sum;
    return upper ? 1 - lower : lower;
  }
  // Q = x^a e^-x / Gamma(a) / (x + 1 - a - 1 (1 - a) / (x + 3 - a - …)), by Lentz's method.
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let h = d;
  for (let k = 1; k < 100_000; k++) {
    const an = -k * (k - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (Math.abs(d * c - 1) < UNIT) break;
  }
  const tail = peak(a, x) * a * h;
  return upper ? tail : 1 - tail;
}

/** x^a e^-x / Gamma(a + 1) for 2a a positive integer, without the cancellation of large exponents. */
function peak(a: number, x: number): number {
  if (a < 16) {
    // Gamma(a + 1) by its recurrence, from 1 or sqrt(pi) / 2.
    let gamma = Number.isInteger(a) ? 1 : Math.sqrt(Math.PI);
    for (let k = a; k > 0; k--) gamma *= k;
    return (x ** a * Math.exp(-x)) / gamma;
  }
  // Stirling: Gamma(a + 1) = sqrt(2 pi a) (a / e)^a e^r(a), so that the exponent is a - x + a log(x / a), of terms of like size.
  const r = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / a ** 2) / a ** 2) / a ** 2) / a ** 2) / a;
  return Math.exp(-deviance(a, x) - r) / Math.sqrt(2 * Math.PI * a);
}

/** x - a - a log(x / a), by its series where x is near a. */
function deviance(a: number, x: number): number {
  const t = (x - a) / (x + a);
  if (Math.abs(t) > 0.1) return x - a - a * Math.log(x / a);
  // log(x / a) = 2 (t + t³/3 + …) and x - a = t (x + a) = 2 a t / (1 - t)
  let sum = (x - a) * t;
  let power = 2 * a * t;
  for (let k = 3; k < 60; k += 2) {
    power *= t * t;
    const next = sum - power / k;
    if (next === sum) break;
    sum = next;
  }
  return sum;
}
