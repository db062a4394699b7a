/**
 * Roots of non-decreasing functions, by bisection with Newton steps that stay inside the bracket (method 1.9).
 *
 * Problem: the smallest t with value(t) ≥ 0, for a non-decreasing function of one number.
 * Given:   a guess, and the function's value and slope wherever the search asks for them.
 * Wanted:  a bracket of the root: two neighbouring doubles, or what the caller says is enough.
 *
 * A search is a generator: it yields the place to evaluate next and receives what was found there, so it does not know who computes.
 */

/** Value and slope (0 where unknown) at the place asked for. */
export interface Found {
  value: number;
  slope: number;
}

/** value(low) < 0 ≤ value(high); an end not yet found is infinite. */
export interface Bracket {
  low: number;
  high: number;
}

export type Search = Generator<number, Bracket, Found>;

const scratch = new Float64Array(1);
const bits = new BigInt64Array(scratch.buffer);

/** The next double above x. */
export function nextUp(x: number): number {
  if (x === 0) return Number.MIN_VALUE;
  scratch[0] = x;
  bits[0]! += x > 0 ? 1n : -1n;
  return scratch[0];
}

export interface SearchOptions {
  /** The first step outwards, where there is no slope to follow. */
  step: number;
  /** A place whose value is known to be below 0. @default none */
  low?: number;
  /** Whether the bracket is good enough after the latest evaluation. @default never: until its ends are neighbouring doubles */
  enough?: (bracket: Bracket, found: Found, t: number) => boolean;
  /** Goes beyond Newton's point by this share of its distance from the guess: for searches that want one end, not both. @default 0 */
  lean?: number;
}

/** Enough to go out to the largest double and to halve the range of all doubles down to one, with Newton steps in between. */
const MAX_EVALUATIONS = 8400;
/** At most so many Newton steps in a row that do not halve the bracket: on a piece with a misleading slope they crawl. */
const MAX_CREDIT = 4;

/**
 * The first halvings are of the bracket's length. A root of the bracket's own size needs no more, where halving the number of doubles in
 * between would go through every power of two down to 0 and up again.
 */
const PLAIN_HALVINGS = 8;

/** Narrows the bracket around the smallest t with value(t) ≥ 0. */
export function* searchRoot(guess: number, { step, low: known = -Infinity, enough, lean = 0 }: SearchOptions): Search {
  const bracket: Bracket = { low: known, high: Infinity };
  let t = guess;
  let reach = step;
  let credit = MAX_CREDIT;
  let halvings = 0;
  let followed = false; // whether the last step was Newton's
  let width = Infinity; // of the bracket, when last halved
  let margin = 1; // rounding units to go beyond Newton's point, so that the root is enclosed from both sides
  for (let looks = 0; looks < MAX_EVALUATIONS; looks++) {
    const found = yield t;
    if (Number.isNaN(found.value)) return { low: -Infinity, high: Infinity };
    if (found.value < 0) bracket.low = t;
    else bracket.high = t;
    const { low, high } = bracket;
    if (enough?.(bracket, found, t) || nextUp(low) >= high) return bracket;
    const newton = t - found.value / found.slope;
    const unit = 2 ** -52 * Math.max(Math.abs(t), Number.MIN_VALUE);
    const previous = t;
    if (Math.abs(newton - t) <= 4 * unit * margin) {
      t = found.value < 0 ? t + margin * unit : t - margin * unit;
      margin *= 4;
    } else {
      t = newton + lean * Math.abs(newton - guess);
    }
    if (high - low <= width / 2 && high - low < Infinity) {
      if (followed) credit = MAX_CREDIT;
      width = high - low;
    }
    followed = credit > 0 && low < t && t < high;
    if (followed) {
      credit--;
      continue;
    }
    credit = Math.min(credit + 1, MAX_CREDIT);
    if (low === -Infinity || high === Infinity) {
      // Nothing to follow yet: go further and further out, to the largest double.
      if (!(Math.abs(previous) < Number.MAX_VALUE)) return bracket;
      t = found.value < 0 ? previous + reach : previous - reach;
      t = Math.min(Math.max(t, -Number.MAX_VALUE), Number.MAX_VALUE);
      reach *= 2;
    } else {
      t = ++halvings > PLAIN_HALVINGS ? middle(low, high) : low / 2 + high / 2;
    }
  }
  return bracket;
}

/** A double's place in the order of all doubles. */
function place(x: number): bigint {
  scratch[0] = x;
  return bits[0]! < 0n ? -(bits[0]! & 0x7fffffffffffffffn) : bits[0]!;
}

/** Halfway between two doubles that are not neighbours, counted in doubles: at most 64 such steps end at neighbours. */
function middle(low: number, high: number): number {
  const at = (place(low) + place(high)) >> 1n;
  scratch[0] = 0;
  bits[0] = at < 0n ? -at : at;
  return at < 0n ? -scratch[0] : scratch[0];
}
