/**
 * The continuous quadratic knapsack (method 1.8): projection onto { Σ c_i y_i x_i = b, 0 ≤ x_i ≤ gamma } in the norm that weighs entries by
 * c_i. The twin of native/kernels/knapsack.
 *
 * Problem: min Σ c_i (x_i - a_i)² subject to Σ c_i y_i x_i = b, 0 ≤ x_i ≤ gamma, y_i = ±1.
 * Given:   a, y, the weights c_i > 0, gamma (which may be Infinity), b; a guess for lambda, or NaN.
 * Wanted:  x, and lambda; or NaN if b is out of reach.
 * Source:  P. Brucker, An O(n) algorithm for quadratic knapsack problems, Oper. Res. Lett. 3 (1984) 163–166.
 *
 * x_i = clamp(a_i - lambda y_i, 0, gamma), where phi(lambda) = Σ c_i y_i x_i(lambda), non-increasing and piecewise linear, equals b.
 */

const UNIT = 2 ** -53;

interface Items {
  readonly a: Float64Array;
  readonly y: Int8Array;
  readonly weight: Float64Array; // c
  readonly gamma: number;
}

/** phi(low) ≥ b ≥ phi(high): the root lies between. */
interface Bracket {
  low: number;
  high: number;
}

/** Sums over settled rows: of constant terms, and of c_i (centre - lambda) for linear ones, which is linear - slope lambda. */
interface Settled {
  fixed: number;
  magnitude: number; // the sum of the constant terms' magnitudes
  linear: number;
  slope: number;
}

// The term of row i is c_i clamp(centre - lambda, low, high): constant for lambda below centre - high and above centre - low.
const centre = ({ a, y }: Items, i: number) => y[i]! * a[i]!;
const lowest = ({ y, gamma }: Items, i: number) => (y[i]! < 0 ? -gamma : 0);
const highest = ({ y, gamma }: Items, i: number) => (y[i]! > 0 ? gamma : 0);
const term = (items: Items, i: number, lambda: number) =>
  Math.min(Math.max(centre(items, i) - lambda, lowest(items, i)), highest(items, i));

/** phi, its slope's magnitude, and the sum of its terms' magnitudes. */
function phi(items: Items, lambda: number): { value: number; inside: number; magnitude: number } {
  let value = 0;
  let inside = 0;
  let magnitude = 0;
  for (let i = 0; i < items.a.length; i++) {
    const low = lowest(items, i);
    const high = highest(items, i);
    const free = centre(items, i) - lambda;
    const z = items.weight[i]! * Math.min(Math.max(free, low), high);
    value += z;
    magnitude += Math.abs(z);
    if (low < free && free < high) inside += items.weight[i]!;
  }
  return { value, inside, magnitude };
}

const holds = ({ low, high }: Bracket, lambda: number) => low < lambda && lambda < high;

/** Adds row i to the settled ones if it has no breakpoint strictly inside the bracket. Whether it did. */
function settle(items: Items, i: number, bracket: Bracket, sums: Settled): boolean {
  const weight = items.weight[i]!;
  const middle = centre(items, i);
  const low = lowest(items, i);
  const high = highest(items, i);
  if (holds(bracket, middle - high) || holds(bracket, middle - low)) return false;
  if (middle - low <= bracket.low) {
    sums.fixed += weight * low;
    sums.magnitude -= weight * low;
  } else if (middle - high >= bracket.high) {
    sums.fixed += weight * high;
    sums.magnitude += weight * high;
  } else {
    sums.linear += weight * middle;
    sums.slope += weight;
  }
  return true;
}

/** Brucker's search among index[0 … m), which includes every row with a breakpoint strictly inside the bracket. */
function search(
  items: Items,
  index: Uint32Array,
  m: number,
  work: Float64Array,
  bracket: Bracket,
  sums: Settled,
  b: number,
  unit: number, // the relative rounding of sums
): number {
  for (let before = Infinity; ; before = m) {
    let kept = 0;
    for (let k = 0; k < m; k++) {
      const i = index[k]!;
      if (settle(items, i, bracket, sums)) continue;
      // One of the row's breakpoints; alternating where both are inside, so that neither kind is neglected.
      const leaves = centre(items, i) - highest(items, i);
      const arrives = centre(items, i) - lowest(items, i);
      work[kept] = holds(bracket, leaves) && (!holds(bracket, arrives) || i & 1) ? leaves : arrives;
      index[kept++] = i;
    }
    if (kept === 0) break;
    m = kept;
    // A sampled median is good enough while it drops an eighth of the rows; the exact one bounds the number of rounds.
    const exact = m <= 32 || m > before - before / 8;
    const sample = exact
      ? work.subarray(0, m)
      : Float64Array.from({ length: 31 }, (_, k) => work[Math.floor(((2 * k + 1) * m) / 62)]!);
    const pivot = sample.sort()[sample.length >> 1]!;
    let value = sums.fixed + (sums.linear - sums.slope * pivot);
    for (let k = 0; k < m; k++) {
      const i = index[k]!;
      value += items.weight[i]! * term(items, i, pivot);
    }
    if (value > b) bracket.low = pivot;
    else if (value < b) bracket.high = pivot;
    else return pivot; // equal; or the sums overflowed to NaN, and going on is useless
  }
  // One linear piece is left.
  const { low, high } = bracket;
  if (sums.slope > 0) return Math.min(Math.max((sums.fixed + sums.linear - b) / sums.slope, low), high);
  // It is flat and not at b: phi jumps past b at one of its ends, where the two breakpoints of a row were rounded into one.
  const slack = unit * (sums.magnitude + Math.abs(b));
  if (sums.fixed > b + slack && Number.isFinite(high)) return high;
  if (sums.fixed < b - slack && Number.isFinite(low)) return low;
  // It is flat and at b: the projection is the same everywhere but at its ends, where a row may be half way if gamma is within rounding of
  // a_i. So take its middle or, if only one end is finite, a little past that end.
  const middle = low / 2 + high / 2;
  if (Number.isFinite(middle)) return middle;
  const end = middle < 0 ? high : low;
  const past = Math.abs(end) * 2 ** -51;
  return Number.isFinite(end) ? (middle < 0 ? end - past : end + past) : 0;
}

/** The root of the knapsack of a sample of the rows, with b in proportion: the guess when none is given. */
function sampleRoot(items: Items, b: number, index: Uint32Array, work: Float64Array): number {
  const n = items.a.length;
  const m = Math.min(n, 512);
  for (let k = 0; k < m; k++) {
    // One row at random of each stratum, so that a pattern in the order of rows (sorted, alternating) does not bias the sample.
    const stratum = Math.floor((n * k) / m);
    const width = Math.floor((n * (k + 1)) / m) - stratum;
    index[k] = stratum + (Math.floor((k * 2654435761) / 128) % width);
  }
  return search(
    items,
    index,
    m,
    work,
    { low: -Infinity, high: Infinity },
    { fixed: 0, magnitude: 0, linear: 0, slope: 0 },
    (b * m) / n,
    0,
  );
}

/**
 * The double whose phi is nearest to b. The running sums of the search cancel; where gamma is hardly more than the rounding of a_i, the
 * search may miss pieces as narrow as their error. From such a lambda this goes towards the root in steps that double until phi is past b,
 * and then bisects.
 */
function nearest(items: Items, b: number, lambda: number, excess: number): number {
  const towards = excess > 0 ? 1 : -1;
  let [near, far, beyond] = [lambda, lambda, excess];
  for (let step = Math.abs(lambda) * 2 ** -52; beyond * towards > 0; step *= 2) {
    near = far;
    excess = beyond;
    far = lambda + towards * step;
    if (far === near || !Number.isFinite(far)) return near; // lambda is 0, or b is only just within reach
    beyond = phi(items, far).value - b;
  }
  for (let middle = near / 2 + far / 2; middle !== near && middle !== far; middle = near / 2 + far / 2) {
    const there = phi(items, middle).value - b;
    if (there * towards > 0) [near, excess] = [middle, there];
    else [far, beyond] = [middle, there];
  }
  return Math.abs(beyond) < Math.abs(excess) ? far : near;
}

/** Returns lambda, or NaN if b is out of reach; x is then undefined. x may be a, `guess` may be NaN. */
export function projectKnapsack(
  a: Float64Array,
  y: Int8Array,
  weight: Float64Array,
  gamma: number,
  b: number,
  guess: number,
  x: Float64Array,
): number {
  if (!Number.isFinite(b)) return NaN;
  const items = { a, y, weight, gamma };
  const n = a.length;
  const index = new Uint32Array(n);
  const work = new Float64Array(n);
  let lambda = Number.isFinite(guess) ? guess : n > 0 ? sampleRoot(items, b, index, work) : 0;
  const bracket: Bracket = { low: -Infinity, high: Infinity };
  let at = { value: 0, inside: 0, magnitude: 0 };
  let settled = false;
  let piece = 0; // the slope of the linear piece that the search ended on

  // Newton steps on all of phi, until the root is on the current piece; after four, medians do the rest.
  for (let probe = 0; probe < 4; probe++) {
    at = phi(items, lambda);
    const excess = at.value - b;
    if (!Number.isFinite(excess)) break; // sums overflow, which says nothing of the root
    settled = Math.abs(excess) <= 0.5 * n * UNIT * (at.magnitude + Math.abs(b));
    if (settled) break;
    if (excess > 0) bracket.low = lambda;
    else bracket.high = lambda;
    const next = lambda + excess / at.inside;
    if (at.inside === 0 || !holds(bracket, next)) break;
    lambda = next;
  }

  if (!settled) {
    const sums = { fixed: 0, magnitude: 0, linear: 0, slope: 0 };
    let m = 0;
    let min = 0;
    let max = 0;
    for (let i = 0; i < n; i++) {
      min += weight[i]! * lowest(items, i);
      max += weight[i]! * highest(items, i);
      if (!settle(items, i, bracket, sums)) index[m++] = i;
    }
    const finite = (end: number) => (Number.isFinite(end) ? end : 0);
    const slack = 2 * n * UNIT * (finite(max) - finite(min) + Math.abs(b));
    if (!(b <= max + slack && b >= min - slack)) return NaN;
    lambda = search(items, index, m, work, bracket, sums, b, n * UNIT);
    at = phi(items, lambda);
    piece = sums.slope;
  }
  // One more Newton step: "settled" is as loose as the rounding of n terms, and the running sums of the search cancel. Beyond a breakpoint
  // more rows may move than are inside now, so unless a quarter of all rows is inside, the step is taken only if it brings phi nearer to b.
  // Rounding may have left lambda just off the piece, with no row inside; the piece's own slope then leads back.
  const inside = at.inside || piece;
  let excess = at.value - b;
  if (inside > 0) {
    const next = lambda + excess / inside;
    if (settled && 4 * at.inside >= weight.reduce((sum, c) => sum + c, 0)) lambda = next;
    else if (next !== lambda && Number.isFinite(next)) {
      const there = phi(items, next);
      if (Math.abs(there.value - b) < Math.abs(excess)) {
        lambda = next;
        at = there;
        excess = at.value - b;
      }
    }
  }
  if (!settled && Math.abs(excess) > 2 * n * UNIT * (at.magnitude + Math.abs(b))) lambda = nearest(items, b, lambda, excess);
  for (let i = 0; i < n; i++) {
    x[i] = Math.abs(term(items, i, lambda));
  }
  return lambda;
}
