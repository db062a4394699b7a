/** The two facts of normal laws that ellipsoids are made from: quantiles of chi-square, and a factor of the covariance. */

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
 * Lower triangular F with F F' = S, for S symmetric positive semidefinite up to rounding. A pivot that is 0 up to rounding leaves a
 * column of zeros: the law is flat in that direction.
 */
export function cholesky(S: readonly Float64Array[]): { factor: Float64Array[] } | NotCovariance {
  const d = S.length;
  const rounding = 8 * (d + 1) * UNIT;
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < i; j++) {
      const [a, b] = [S[i]![j]!, S[j]![i]!];
      if (Math.abs(a - b) > 1e-12 * Math.max(Math.abs(a), Math.abs(b))) return { row: i, col: j, value: a, expected: b };
    }
  }
  const factor = Array.from({ length: d }, () => new Float64Array(d));
  for (let j = 0; j < d; j++) {
    let pivot = S[j]![j]!;
    for (let k = 0; k < j; k++) pivot -= factor[j]![k]! ** 2;
    const noise = rounding * Math.abs(S[j]![j]!);
    if (pivot < -noise || S[j]![j]! < 0) return { row: j, col: j, value: pivot };
    const flat = pivot <= noise;
    const root = flat ? 0 : Math.sqrt(pivot);
    factor[j]![j] = root;
    for (let i = j + 1; i < d; i++) {
      let left = S[i]![j]!;
      for (let k = 0; k < j; k++) left -= factor[i]![k]! * factor[j]![k]!;
      // |s_ij|² <= s_ii s_jj of what is left
      const bound = 2 * Math.sqrt(noise) * Math.sqrt(Math.abs(S[i]![i]!));
      if (flat && Math.abs(left) > bound) return { row: i, col: j, value: left, bound };
      factor[i]![j] = flat ? 0 : left / root;
    }
  }
  return { factor };
}

/** x with P(chi-square of d degrees <= x) = p, for d >= 1 and 0 < p < 1, to nearly the last digit. */
export function chiSquareQuantile(d: number, p: number): number {
  const a = d / 2;
  // Of the two tails the smaller one is solved for: it has all its digits.
  const upper = p > 0.5;
  const target = upper ? 1 - p : p;
  // excess: above 0 when x is too large; both tails are monotone.
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
