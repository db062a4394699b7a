/** Random ellipsoids whose distance is known by construction, and checks of a separation in double-double arithmetic. */
import type { EspFamily } from '../../lib/backend/interface.js';
import type { Ellipsoid, Separation } from '../../lib/types.js';
import { random } from './random.js';

/** A double-double: the unevaluated sum high + low. */
type Twice = readonly [high: number, low: number];

function sum(a: Twice, b: Twice): Twice {
  const high = a[0] + b[0];
  const part = high - a[0];
  const low = a[0] - (high - part) + (b[0] - part) + a[1] + b[1];
  return [high + low, low - (high + low - high)];
}

function product(a: Twice, b: Twice): Twice {
  const high = a[0] * b[0];
  const [ca, cb] = [134217729 * a[0], 134217729 * b[0]];
  const [a1, b1] = [ca - (ca - a[0]), cb - (cb - b[0])];
  const [a2, b2] = [a[0] - a1, b[0] - b1];
  const low = a2 * b2 - (high - a1 * b1 - a2 * b1 - a1 * b2) + a[0] * b[1] + a[1] * b[0];
  return [high + low, low - (high + low - high)];
}

function root(a: Twice): Twice {
  if (a[0] <= 0) return [0, 0];
  const r = Math.sqrt(a[0]);
  const off = sum(a, product([-r, 0], [r, 0]));
  return sum([r, 0], [off[0] / (2 * r), 0]);
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): Twice => {
  let s: Twice = [0, 0];
  for (let j = 0; j < a.length; j++) s = sum(s, product([a[j]!, 0], [b[j]!, 0]));
  return s;
};

/** |A'n| */
function halfWidth(shape: Ellipsoid['shape'], n: Float64Array): Twice {
  let squares: Twice = [0, 0];
  const add = (x: Twice) => (squares = sum(squares, product(x, x)));
  if (typeof shape === 'number' || shape === undefined) n.forEach((x) => add(product([shape ?? 0, 0], [x, 0])));
  else if (typeof shape[0] === 'number') n.forEach((x, j) => add(product([shape[j] as number, 0], [x, 0])));
  else
    for (let j = 0; j < n.length; j++)
      add(
        dot(
          (shape as ArrayLike<number>[]).map((row) => row[j]!),
          n,
        ),
      );
  return root(squares);
}

/** The larger of max n·z - offset over first and offset - min n·z over second: negative if the plane separates them. */
export function violation(first: readonly Ellipsoid[], second: readonly Ellipsoid[], n: Float64Array, offset: number): number {
  let max = -Infinity;
  for (const [family, sign] of [
    [first, 1],
    [second, -1],
  ] as const) {
    for (const { center, shape } of family) {
      const middle = sum(dot(center, n), [-offset, 0]);
      const [beyond] = sum([sign * middle[0], sign * middle[1]], halfWidth(shape, n));
      max = Math.max(max, beyond);
    }
  }
  return max;
}

/**
 * The most by which a reported number exceeds its exact value: the width of the slab, which also bounds the distance of the hulls from
 * below, and the distance of each ellipsoid from the plane. At most 0, up to the rounding of double-double arithmetic.
 */
export function excess(
  first: readonly Ellipsoid[],
  second: readonly Ellipsoid[],
  { normal, offset, width, slack, distance }: Extract<Separation, { status: 'separated' }>,
): number {
  const length = root(dot(normal, normal));
  const less = (a: number, b: Twice) => sum(product([a, 0], length), [-b[0], -b[1]])[0]; // a |n| - b
  const apart = [first, second].map((family, k) =>
    family.map(({ center, shape }) => {
      const middle = sum(dot(center, normal), [-offset, 0]);
      const half = halfWidth(shape, normal);
      return k === 0 ? sum([-middle[0], -middle[1]], [-half[0], -half[1]]) : sum(middle, [-half[0], -half[1]]);
    }),
  ) as [Twice[], Twice[]];
  const nearest = apart.map((list) => list.reduce((a, b) => (sum(a, [-b[0], -b[1]])[0] <= 0 ? a : b))) as [Twice, Twice];
  return Math.max(
    less(Math.max(width, distance.lower), sum(nearest[0], nearest[1])),
    ...apart.flat().map((a, i) => less(slack[i]!, a)),
  );
}

export interface Instance {
  readonly first: Ellipsoid[];
  readonly second: Ellipsoid[];
}

/** A shape of any kind, including flat ones. */
function anyShape(d: number, next: () => number): NonNullable<Ellipsoid['shape']> {
  const number = () => (next() < 0.2 ? 0 : 2 * next() - 1);
  const kind = Math.floor(4 * next());
  if (kind === 0) return 0;
  if (kind === 1) return next();
  if (kind === 2) return Float64Array.from({ length: d }, number);
  const flat = next() < 0.3; // of rank 1
  const [u, v] = [0, 1].map(() => Float64Array.from({ length: d }, number)) as [Float64Array, Float64Array];
  return Array.from({ length: d }, (_, r) => Float64Array.from({ length: d }, (_, j) => (flat ? u[r]! * v[j]! : number())));
}

/** A w, or A'w if transposed, in double arithmetic. */
function times(shape: NonNullable<Ellipsoid['shape']>, w: Float64Array, transposed: boolean): Float64Array {
  if (typeof shape === 'number') return w.map((x) => shape * x);
  if (typeof shape[0] === 'number') return w.map((x, j) => (shape as ArrayLike<number>)[j]! * x);
  const rows = shape as ArrayLike<number>[];
  return w.map((_, i) => {
    let s = 0;
    for (let j = 0; j < w.length; j++) s += (transposed ? rows[j]![i]! : rows[i]![j]!) * w[j]!;
    return s;
  });
}

/**
 * Two families whose hulls are `gap` apart, up to rounding. Along a random direction g, the first lies below 0 with one ellipsoid that
 * reaches the point 0, and the second lies beyond `gap` with one that reaches gap·g. All centres are then moved by a common shift.
 */
export function atDistance(seed: number, d: number, counts: [number, number], gap: number, shift = 0): Instance {
  const next = random(seed);
  let g = Float64Array.from({ length: d }, () => 2 * next() - 1);
  const norm = Math.hypot(...g);
  g = g.map((x) => x / norm);
  const common = Float64Array.from({ length: d }, () => shift * (1 + next()));
  const [first, second] = counts.map((count, family) => {
    const sign = family === 0 ? -1 : 1;
    return Array.from({ length: count }, (_, i): Ellipsoid => {
      const shape = anyShape(d, next);
      const at = times(shape, g, true);
      const half = Math.hypot(...at);
      // The point nearest to the other family is center - sign A A'g / |A'g|.
      const reach = half > 0 ? times(shape, at, false).map((x) => x / half) : new Float64Array(d);
      const back = i === 0 ? 0 : next(); // the others are further from the gap
      const aside = Float64Array.from({ length: d }, () => (i === 0 ? 0 : 2 * next() - 1));
      const along = aside.reduce((s, x, j) => s + x * g[j]!, 0);
      const start = family === 0 ? 0 : gap;
      const center = g.map((x, j) => (start + sign * back) * x + sign * reach[j]! + aside[j]! - along * x + common[j]!);
      return next() < 0.5 && shape === 0 ? { center } : { center, shape };
    });
  }) as [Ellipsoid[], Ellipsoid[]];
  return { first, second };
}

/** Two families with a common interior point: one ellipsoid of each has the same centre, or the families are equal. */
export function overlapping(seed: number, d: number, counts: [number, number]): Instance {
  const next = random(seed);
  const centre = () => Float64Array.from({ length: d }, () => 2 * next() - 1);
  const any = (count: number) => Array.from({ length: count }, (): Ellipsoid => ({ center: centre(), shape: anyShape(d, next) }));
  const first = any(counts[0]);
  if (next() < 0.3) return { first, second: first.map((e) => ({ ...e })) }; // identical
  const core = centre();
  first[0] = { center: core, shape: 0.1 + next() };
  const second = any(counts[1]);
  second[0] = next() < 0.5 ? { center: core, shape: anyShape(d, next) } : { center: core, shape: 0.05 }; // nested
  return { first, second };
}

/** A family in the form that the backends take. */
export function packed(family: readonly Ellipsoid[]): EspFamily {
  const centers = family.flatMap(({ center }) => Array.from(center));
  const shapes: number[] = [];
  const kinds = family.map(({ shape }) => {
    if (shape === undefined || shape === 0) return 0;
    if (typeof shape === 'number') return shapes.push(shape) && 1;
    if (typeof shape[0] === 'number') return (shapes.push(...Array.from(shape as ArrayLike<number>)), 2);
    for (const row of shape as ArrayLike<number>[]) shapes.push(...Array.from(row));
    return 3;
  });
  return { centers: Float64Array.from(centers), kinds: Uint8Array.from(kinds), shapes: Float64Array.from(shapes) };
}
