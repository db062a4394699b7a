import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Kernels } from '../../lib/backend/interface.js';
import { backends, js, natives, onEveryBackend } from '../support/backends.js';
import { expectSame } from '../support/expect.js';
import { random } from '../support/random.js';
import { dot, sum, Sums, UNIT } from '../support/reference.js';

interface Problem {
  a: Float64Array;
  y: Int8Array;
  weight: Float64Array;
  gamma: number;
  b: number;
}

interface Projection {
  lambda: number;
  x: Float64Array;
}

/** Σ c_i y_i x_i at its least and at its greatest. */
const reach = ({ y, weight, gamma }: Problem, side: number) =>
  side * sum(weight.map((c, i) => (y[i] === side ? c : 0))) * gamma || 0;
const min = (problem: Problem) => reach(problem, -1);
const max = (problem: Problem) => reach(problem, 1);

function project(kernels: Kernels, { a, y, weight, gamma, b }: Problem, guess = NaN, threads = 1): Projection {
  const x = new Float64Array(a.length);
  return { lambda: kernels.kernels.projectKnapsack(a, y, weight, gamma, b, guess, x, threads), x };
}

/** x(lambda) = clamp(a - lambda y, 0, gamma). */
function at(lambda: number, { a, y, gamma }: Problem): Float64Array {
  const x = new Float64Array(a.length);
  for (let i = 0; i < a.length; i++) x[i] = Math.min(Math.max(a[i]! - lambda * y[i]!, 0), gamma);
  return x;
}

const weighted = ({ weight }: Problem, x: Float64Array) => sum(x.map((v, i) => weight[i]! * v));

function imbalance({ y, weight, b }: Problem, x: Float64Array): number {
  const sums = new Sums(1);
  for (let i = 0; i < x.length; i++) sums.addProduct(0, y[i]! * weight[i]!, x[i]!);
  sums.add(0, -b);
  return sums.value(0);
}

/** The projection by sorting all breakpoints: phi does not increase, and is linear between two neighbours. */
function twin(problem: Problem): Projection {
  const { a, y, weight, gamma, b } = problem;
  if (b > max(problem) || b < min(problem)) return { lambda: NaN, x: new Float64Array(a.length) };
  const points = Float64Array.from([...a.map((v, i) => y[i]! * v), ...a.map((v, i) => y[i]! * (v - gamma))])
    .filter(Number.isFinite)
    .sort();
  if (points.length === 0) return { lambda: 0, x: new Float64Array(0) };
  // The last breakpoint with phi ≥ b; before the first one if there is none.
  let [low, high] = [-1, points.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (imbalance(problem, at(points[middle]!, problem)) >= 0) low = middle;
    else high = middle;
  }
  // The piece between two breakpoints, or beyond the last one: from an end of it along its slope.
  const left = points[low] ?? -Infinity;
  const right = points[low + 1] ?? Infinity;
  const end = Number.isFinite(left) ? left : right;
  const inner = Number.isFinite(left + right)
    ? left / 2 + right / 2
    : end === left
      ? end + 1 + Math.abs(end)
      : end - 1 - Math.abs(end);
  const between = at(inner, problem);
  const inside = sum(weight.filter((_, i) => 0 < between[i]! && between[i]! < gamma));
  const root = end + imbalance(problem, at(end, problem)) / inside;
  const lambda = inside > 0 ? Math.min(Math.max(root, left), right) : end;
  return { lambda, x: at(lambda, problem) };
}

/**
 * The error allowed in Σ c_i y_i x_i = b. phi, summed in double, is off by n + 1 roundings of Σ c_i x_i, and the search ends within twice
 * that. And lambda is a double: changes of phi within four units of it cannot be resolved (a whole tie can move from one bound to the other).
 */
function allowance(problem: Problem, { lambda, x }: Projection): number {
  const unit = 4 * UNIT * Math.abs(lambda);
  const jump = imbalance(problem, at(lambda - unit, problem)) - imbalance(problem, at(lambda + unit, problem));
  const terms = 2 * x.length + 6;
  return terms * UNIT * (weighted(problem, x) + Math.abs(problem.b)) + jump + terms * Number.MIN_VALUE;
}

/** Expects x in bounds, balanced to rounding, and equal to x(lambda), which makes it the nearest such point because phi is monotone. */
function expectProjection(problem: Problem, { lambda, x }: Projection): void {
  expect(Number.isFinite(lambda)).toBe(true);
  expectSame(x, at(lambda, problem));
  expect(x.some((v) => v < 0 || v > problem.gamma)).toBe(false);
  expect(Math.abs(imbalance(problem, x))).toBeLessThanOrEqual(allowance(problem, { lambda, x }));
}

const distance = (problem: Problem, some: Float64Array, other: Float64Array) =>
  weighted(
    problem,
    some.map((v, i) => Math.abs(v - other[i]!)),
  );

/** Expects equality up to the allowed imbalance of both: every x_i(lambda) is monotone, so the distances add up to a difference of phi. */
function expectNear(problem: Problem, some: Projection, other: Projection): void {
  const rounding = 2 * UNIT * (weighted(problem, some.x) + weighted(problem, other.x));
  const out = Math.max(allowance(problem, other), Math.abs(imbalance(problem, other.x)));
  expect(distance(problem, some.x, other.x)).toBeLessThanOrEqual(allowance(problem, some) + out + rounding);
}

// ---- Random problems

const label = fc.constantFrom(1, -1);
const labels = (n: number) =>
  fc.oneof(
    fc.array(label, { minLength: n, maxLength: n }),
    label.map((y) => Array<number>(n).fill(y)),
  );

/** Replaces numbers so near to 0 that their products would be subnormal. */
const normal = (x: number) => (Math.abs(x) < 1e-150 ? 0 : x);
const ordinary = fc.double({ min: -2, max: 2, noNaN: true }).map(normal);
const whole = fc.integer({ min: -4, max: 4 });
const tied = fc.constantFrom(-1, -0.1, 0, 0.1, 0.25, 1);
const far = fc.integer({ min: -4, max: 4 }).map((k) => 1e8 + k / 3);
const wild = fc
  .tuple(fc.double({ min: -9.99, max: 9.99, noNaN: true }), fc.integer({ min: -150, max: 150 }))
  .map(([m, e]) => normal(m * 10 ** e));

/** a and gamma of one kind, weights over up to twelve decades; b as a share of the reachable interval (its ends included), or a whole number. */
const problems: fc.Arbitrary<Problem> = fc
  .tuple(
    fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 60 })),
    fc.constantFrom(ordinary, whole, tied, far, wild),
  )
  .chain(([n, entry]) => {
    const list = fc.array(entry, { minLength: n, maxLength: n });
    const bound = fc.oneof(entry.map(Math.abs), fc.constantFrom(0, 1, 2, Infinity));
    const weights = fc.oneof(
      fc.constant(Array<number>(n).fill(1)),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: n, maxLength: n }),
      fc.array(
        fc.double({ min: -6, max: 6, noNaN: true }).map((e) => 10 ** e),
        { minLength: n, maxLength: n },
      ),
    );
    const share = fc.oneof(fc.constantFrom(0, 1, 0.5), fc.double({ min: 0, max: 1, noNaN: true }).map(normal), fc.constant(NaN));
    return fc.tuple(list, labels(n), weights, bound, share);
  })
  .map(([a, y, weight, gamma, share]) => {
    const problem = { a: Float64Array.from(a), y: Int8Array.from(y), weight: Float64Array.from(weight), gamma, b: 0 };
    const far = 1 + weighted(problem, problem.a.map(Math.abs)); // without a bound, about as far as a is
    const [low, high] = [Math.max(min(problem), -far), Math.min(max(problem), far)];
    const b = Number.isNaN(share) ? Math.min(Math.max(0, Math.ceil(low)), Math.floor(high)) : low * (1 - share) + high * share;
    return { ...problem, b: Math.min(Math.max(b, low), high) };
  });

const guesses = fc.oneof(
  fc.constantFrom(NaN, 0, 1, -1, 1e-300, 1e300, -1e300, Number.MAX_VALUE, -Number.MAX_VALUE, Infinity, -Infinity),
  ordinary,
  wild,
);

/** A starting guess far from the root, or very near to it. */
const guessed = fc.tuple(problems, guesses, fc.boolean()).map(([problem, guess, near]) => {
  return [problem, near ? twin(problem).lambda * (1 + guess * 1e-9) : guess] as const;
});

describe.each(backends)('projectKnapsack, $title', ({ kernels }) => {
  it('projectKnapsack(a) balances equal rows where rounding puts lambda next to the wrong linear piece', () => {
    const n = 700;
    const x = new Float64Array(n);
    const b = -2.0463630789890885e-12;
    const a = new Float64Array(n).fill(0.99999999999999667);
    kernels.kernels.projectKnapsack(a, new Int8Array(n).fill(-1), new Float64Array(n).fill(1), 1.125, b, NaN, x, 1);
    expect(Math.abs(x.reduce((sum, value) => sum - value, -b))).toBeLessThan(n * 2 ** -53);
  });

  it('projectKnapsack(a) comes as near to b as doubles allow where gamma is a few units in the last place of a', () => {
    // y_i a_i and the weight of 19 rows, repeated with a slightly larger a each time.
    const near = 1e16 + 4;
    const positive = [[1e16 - 4, 1], [1e16 - 4, 4.875], [1e16, 1], [-2.5e299, 1]] as const; // prettier-ignore
    const negative = [...Array<[number, number]>(12).fill([near, 1]), [1e16, 1], [1e16, 1], [near, 4.875]] as const; // prettier-ignore
    const y: number[] = [];
    const a: number[] = [];
    const weight: number[] = [];
    for (let repeat = 0; repeat < 33; repeat++) {
      const further = 1 + Math.max(0, repeat - 1) * 2 ** -30;
      for (const [c, factor] of positive) [y[y.length], a[a.length], weight[weight.length]] = [1, c * further, factor];
      for (const [c, factor] of negative) [y[y.length], a[a.length], weight[weight.length]] = [-1, -c * further, factor];
    }
    const problem = { a: Float64Array.from(a), y: Int8Array.from(y), weight: Float64Array.from(weight), gamma: 1, b: 0 };
    const { lambda, x } = project(kernels, problem);
    // Doubles are 2 apart here, and the sum is not 0 at any: no neighbour comes nearer.
    const off = Math.abs(imbalance(problem, x));
    expect(off).toBeGreaterThan(0);
    for (const k of [-2, -1, 1, 2]) expect(Math.abs(imbalance(problem, at(lambda + 2 * k, problem)))).toBeGreaterThanOrEqual(off);
  });

  it('projectKnapsack(a) is in bounds, balanced, and equal to the projection by sorting, from any starting guess', () => {
    fc.assert(
      fc.property(guessed, ([problem, guess]) => {
        const projection = project(kernels, problem, guess);
        expectProjection(problem, projection);
        expectNear(problem, projection, twin(problem));
      }),
      { numRuns: 600 },
    );
  });

  it('projectKnapsack(a) is the nearest point: Σ c_i (a - Pa)_i (z - Pa)_i ≤ 0 for feasible z', () => {
    fc.assert(
      fc.property(problems, fc.infiniteStream(ordinary), (problem, stream) => {
        if (problem.a.some((v) => Math.abs(v) > 1e100)) return; // squares would overflow
        const { lambda, x } = project(kernels, problem);
        const scale = Number.isFinite(problem.gamma) ? Math.max(1, problem.gamma) : 1;
        const other = { ...problem, a: problem.a.map(() => stream.next().value! * scale) };
        const z = twin(other);
        const away = problem.a.map((v, i) => v - x[i]!);
        const along = z.x.map((v, i) => problem.weight[i]! * (v - x[i]!));
        // z and Pa are balanced only to rounding, and an imbalance counts lambda times.
        const price = Math.abs(lambda) * (allowance(problem, { lambda, x }) + Math.abs(imbalance(problem, z.x)));
        const rounding =
          4 *
          UNIT *
          sum(away.map((v, i) => Math.abs(v) * problem.weight[i]! * (Math.abs(x[i]!) + z.x[i]!) + Math.abs(along[i]! * x[i]!)));
        const underflow = 16e6 * (x.length + 1) * Number.MIN_VALUE; // times the largest weight
        expect(dot(away, along)).toBeLessThanOrEqual(price + rounding + underflow);
      }),
      { numRuns: 300 },
    );
  });

  it('projectKnapsack(Pa) is Pa', () => {
    fc.assert(
      fc.property(guessed, ([problem, guess]) => {
        const once = project(kernels, problem).x;
        const again = { ...problem, a: once };
        const twice = project(kernels, again, guess);
        expectProjection(again, twice);
        expect(distance(problem, twice.x, once)).toBeLessThanOrEqual(
          allowance(again, twice) + Math.abs(imbalance(problem, once)) + 4 * UNIT * weighted(problem, once),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('projectKnapsack(a) leaves a feasible a as it is', () => {
    const row = fc.record({ y: label, weight: fc.integer({ min: 1, max: 9 }), a: fc.integer({ min: 0, max: 9 }) });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 50 }), fc.constantFrom(9, 10, Infinity), (rows, gamma) => {
        const weight = Float64Array.from(rows, (r) => r.weight);
        const a = Float64Array.from(rows, (r) => r.a);
        const y = Int8Array.from(rows, (r) => r.y);
        const problem = { a, y, weight, gamma, b: sum(a.map((v, i) => y[i]! * weight[i]! * v)) };
        const warm = project(kernels, problem, 0);
        expect(warm.lambda).toBe(0);
        expectSame(warm.x, a);
        expectNear(problem, project(kernels, problem), warm);
      }),
      { numRuns: 300 },
    );
  });

  it('projectKnapsack(a) gives the same bits in place, and leaves its arguments unchanged out of place', () => {
    fc.assert(
      fc.property(guessed, ([problem, guess]) => {
        const { a, y, weight, gamma, b } = problem;
        const before = { a: a.slice(), y: y.slice(), weight: weight.slice() };
        const { lambda, x } = project(kernels, problem, guess);
        expectSame(a, before.a);
        expect(kernels.kernels.projectKnapsack(a, y, weight, gamma, b, guess, a, 1)).toBe(lambda);
        expectSame(a, x);
        expectSame(y, before.y);
        expectSame(weight, before.weight);
      }),
      { numRuns: 300 },
    );
  });

  it('projectKnapsack(s a) is s projectKnapsack(a), to the bit for powers of two', () => {
    fc.assert(
      fc.property(fc.integer({ min: -480, max: 480 }), problems, fc.constantFrom(NaN, 0, 0.3, -2), (exponent, problem, guess) => {
        const { a, gamma, b } = problem; // scaling must keep all of their digits
        const lossy = (v: number) => v !== 0 && (Math.abs(v) > 1e9 || Math.abs(v) < 1e-9);
        if ([...a, b].some(lossy) || (lossy(gamma) && gamma < Infinity)) return;
        const s = 2 ** exponent;
        const larger = { ...problem, a: a.map((v) => v * s), gamma: gamma * s, b: b * s };
        const { lambda, x } = project(kernels, problem, guess);
        // All weights times a power of two: the same point.
        const heavier = { ...problem, weight: problem.weight.map((c) => c * 16), b: 16 * b };
        const same = project(kernels, heavier, guess);
        expect(same.lambda).toBe(lambda);
        expectSame(same.x, x);
        const scaled = project(kernels, larger, guess * s);
        expect(scaled.lambda).toBe(lambda * s);
        expectSame(
          scaled.x,
          x.map((v) => v * s),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('projectKnapsack(a) returns NaN for a b that no x in bounds attains', () => {
    fc.assert(
      fc.property(problems, fc.double({ min: 1e-9, max: 1e9, noNaN: true }), guesses, (problem, share, guess) => {
        const [low, high] = [min(problem), max(problem)];
        const beyond = share * (Number.isFinite(high - low) ? high - low || 1 : 1);
        if (Number.isFinite(high)) expect(project(kernels, { ...problem, b: high + beyond }, guess).lambda).toBeNaN();
        if (Number.isFinite(low)) expect(project(kernels, { ...problem, b: low - beyond }, guess).lambda).toBeNaN();
      }),
      { numRuns: 300 },
    );
    const problem = { a: Float64Array.of(1), y: Int8Array.of(1), weight: Float64Array.of(2), gamma: 1, b: 0 };
    for (const b of [NaN, Infinity, -Infinity]) expect(project(kernels, { ...problem, b }).lambda).toBeNaN();
  });

  it('projectKnapsack(a) takes a b that rounding put past the end of the reachable interval as that end', () => {
    const n = 1000;
    const gamma = 0.1;
    const weight = Float64Array.from({ length: n }, (_, i) => 1 + (i % 7) / 3);
    const y = Int8Array.from(weight, (_, i) => (i % 3 ? 1 : -1));
    const problem = { a: new Float64Array(n).fill(0.05), y, weight, gamma, b: 0 };
    for (const b of [max(problem) * (1 + n * UNIT), min(problem) * (1 + n * UNIT)]) {
      const { x } = project(kernels, { ...problem, b });
      expectSame(
        x,
        Float64Array.from(weight, (_, i) => (y[i]! * b > 0 ? gamma : 0)),
      );
    }
  });

  it('projectKnapsack(a) balances one free row among many that tie at a bound', () => {
    const n = 1000;
    const [y, weight, gamma] = [new Int8Array(n).fill(1), new Float64Array(n).fill(1), 1];
    const a = Float64Array.of(0.3, ...new Float64Array(n - 1)); // one free row; the others move as soon as lambda < 0
    for (const share of [1e-15, 5e-14, 1e-13, 1e-9]) {
      for (const b of [0.3 * (1 + share), 0.3 * (1 - share)]) {
        const problem = { a, y, weight, gamma, b };
        for (const guess of [0, NaN, 0.1]) expectProjection(problem, project(kernels, problem, guess));
      }
    }
  });

  it('projectKnapsack(a) takes a row of weight k as k copies of it', () => {
    fc.assert(
      fc.property(problems, (problem) => {
        if (problem.weight.some((c) => !Number.isInteger(c))) return;
        const copies = (list: Iterable<number>) => [...list].flatMap((v, i) => Array<number>(problem.weight[i]!).fill(v));
        const a = Float64Array.from(copies(problem.a));
        const y = Int8Array.from(copies(problem.y));
        const whole = { ...problem, a, y, weight: new Float64Array(a.length).fill(1) };
        const { lambda, x } = project(kernels, problem);
        expectNear(whole, { lambda, x: Float64Array.from(copies(x)) }, project(kernels, whole));
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, number[], number[], number[] | 1, number, number, number[]]>([
    ['nothing', [], [], 1, 1, 0, []],
    ['one row at b', [3], [1], 1, 5, 2, [2]],
    ['one row of the other class', [3], [-1], 1, 5, -2, [2]],
    ['a pair', [1, 0], [1, -1], 1, 2, 0, [0.5, 0.5]],
    ['a pair of weights 1 and 3', [1, 0], [1, -1], [1, 3], 2, 0, [0.75, 0.25]],
    ['a pair at its bound', [3, 0], [1, -1], 1, 1, 0, [1, 1]],
    ['a pair of which one is at its bound', [3, 0], [1, -1], [1, 2], 1, 0, [1, 0.5]],
    ['a pair without bounds', [5, -1], [1, -1], 1, Infinity, 0, [2, 2]],
    ['labels of one side, without bounds', [-5, -7], [1, 1], 1, Infinity, 4, [3, 1]],
    ['labels of one side, without bounds, weights 2 and 1', [-5, -7], [-1, -1], [2, 1], Infinity, -7, [3, 1]],
    ['labels of one side and b = 0', [3, -1, 7], [1, 1, 1], 1, 4, 0, [0, 0, 0]],
    ['labels of one side and b at the top', [3, -1, 7], [1, 1, 1], [1, 2, 1], 4, 16, [4, 4, 4]],
    ['labels of the other side and b at the bottom', [3, -1, 7], [-1, -1, -1], 1, 4, -12, [4, 4, 4]],
    ['bounds of 0', [3, -1], [1, -1], 1, 0, 0, [0, 0]],
    ['a flat piece', [9, 9, -9, -9], [1, -1, 1, -1], 1, 1, 0, [1, 1, 0, 0]],
    ['ties', [1, 1, 1, 1], [1, 1, 1, 1], 1, 1, 2, [0.5, 0.5, 0.5, 0.5]],
    ['1e150', [1e150, -1e150], [1, 1], 1, 1e150, 1e150, [1e150, 0]],
  ])('projectKnapsack(a) gives the known projection of %s', (_, a, y, weights, gamma, b, x) => {
    const weight = weights === 1 ? new Float64Array(a.length).fill(1) : Float64Array.from(weights);
    const problem = { a: Float64Array.from(a), y: Int8Array.from(y), weight, gamma, b };
    for (const guess of [NaN, 0, 3, -3, 1e300]) {
      const projection = project(kernels, problem, guess);
      expectProjection(problem, projection);
      projection.x.forEach((v, i) => expect(v).toBeCloseTo(x[i]!, 12));
    }
  });
});

// ---- Long problems: orders that make the median of a sample, or of the remaining breakpoints, a poor pivot

const N = 2003;
const PATTERNS: Record<string, (i: number, next: () => number) => number> = {
  random: (_, next) => next() * 2 - 1,
  ascending: (i) => i / N,
  descending: (i) => -i / N,
  'alternating ends': (i) => (i % 2 ? i : -i),
  'organ pipe': (i) => Math.min(i, N - i),
  'all equal': () => 0.3,
  'two values': (_, next) => (next() < 0.5 ? 0.25 : 0.75),
  'ten values': (_, next) => Math.floor(next() * 10) / 10,
  'halving towards 0': (i) => 2 ** (-i % 900),
  doubling: (i) => 2 ** (i % 400),
  'large where a sample looks': (i) => ((i * 62) % N < 124 ? 1e6 + i : i / N),
  'far from 0': (_, next) => 1e8 + next(),
  'in blocks': (i) => Math.floor(i / 97) % 5,
};

function long(pattern: string, n: number, bounds: string, share: number): Problem {
  const next = random(n + pattern.length);
  const a = Float64Array.from({ length: n }, (_, i) => PATTERNS[pattern]!(i, next));
  const y = Int8Array.from({ length: n }, () => (next() < 0.4 ? 1 : -1));
  const spread = Math.max(...a.subarray(0, 100).map(Math.abs));
  const [gamma, factor] = {
    equal: [0.5, () => 1],
    wide: [spread / 2, next],
    'over decades': [1, () => 10 ** (12 * next() - 6)],
    unbounded: [Infinity, () => 10 ** (12 * next() - 6)],
  }[bounds] as [number, () => number];
  const weight = Float64Array.from({ length: n }, factor);
  const problem = { a, y, weight, gamma, b: 0 };
  const [low, high] = gamma < Infinity ? [min(problem), max(problem)] : [-1e6, 1e6];
  return { ...problem, b: Number.isNaN(share) ? 0 : low * (1 - share) + high * share };
}

describe('projectKnapsack of thousands of rows', () => {
  it.each(Object.keys(PATTERNS))('projectKnapsack(a) equals the projection by sorting: %s', (pattern) => {
    for (const bounds of ['equal', 'wide', 'over decades', 'unbounded']) {
      for (const share of [NaN, 0.001, 0.7]) {
        const problem = long(pattern, N, bounds, share);
        const slow = twin(problem);
        onEveryBackend((kernels) => {
          for (const guess of [NaN, slow.lambda + 0.01, 1e12]) {
            const projection = project(kernels, problem, guess);
            expectProjection(problem, projection);
            expectNear(problem, projection, slow);
          }
        });
      }
    }
  });

  it.each(Object.keys(PATTERNS))('projectKnapsack(a) takes no quadratic time: %s', (pattern) => {
    const problem = long(pattern, 100_000, 'wide', NaN);
    onEveryBackend((kernels) => {
      const start = process.cpuUsage();
      const { lambda } = project(kernels, problem, 1e300);
      expect(Number.isFinite(lambda)).toBe(true);
      // CPU time of this process, whatever else runs: milliseconds are usual; comparing all pairs of rows would take many seconds.
      const { user } = process.cpuUsage(start);
      expect(user).toBeLessThan(3e6);
    });
  });

  it('projectKnapsack(a) gives the same bits for 1, 2, 3 and 7 threads, and again on repetition', () => {
    for (const pattern of ['random', 'far from 0', 'ten values']) {
      const problem = long(pattern, 150_000, 'over decades', NaN);
      onEveryBackend((kernels) => {
        for (const guess of [NaN, 0]) {
          const one = project(kernels, problem, guess, 1);
          for (const threads of [2, 3, 7, 1, 2]) {
            const { lambda, x } = project(kernels, problem, guess, threads);
            expect(lambda).toBe(one.lambda);
            expectSame(x, one.x);
          }
        }
      });
    }
  });

  const [baseline, ...better] = natives;
  it.skipIf(!baseline)('projectKnapsack(a) agrees at the baseline with js, and at every SIMD level with the baseline', () => {
    for (const pattern of Object.keys(PATTERNS)) {
      const problem = long(pattern, 100_000, 'wide', 0.4);
      const plain = project(baseline!, problem);
      expectProjection(problem, plain);
      expectNear(problem, plain, project(js, problem));
      for (const level of better) expectNear(problem, project(level, problem), plain);
    }
  });
});
