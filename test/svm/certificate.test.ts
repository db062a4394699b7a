/**
 * The formulas and decisions of the certificate (method C2 to C9) in isolation: each generator asks for sums and is given those of a few
 * rows, or sums in which one rounding term dominates. soundness.test.ts checks the certificates of real problems.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { svmTasks, type Performer, type Step, type SvmTasks, type TaskArgument } from '../../lib/backend/tasks.js';
import { run } from '../../lib/solver/drivers.js';
import {
  certify,
  exactOffset,
  measure,
  nearOffset,
  objective,
  type Constants,
  type Hint,
  type Measured,
  type PrimalIterate,
} from '../../lib/svm/certificate.js';
import { solveSvm } from '../../lib/svm/solve.js';
import { methods } from '../support/methods.js';

const U = 2 ** -53;

const CONSTANTS: Constants = {
  n: 4,
  d: 2,
  mu: 0.5,
  weightSum: 4,
  radiusSquares: 5,
  maxRadius: 2,
  centreNorm: 0,
  maxEntries: 2,
  predictionNorm: 0,
};

/** The name and arguments of a task. */
type Call = [name: string, ...args: TaskArgument[]];

/** Runs a generator to its end; returns its value and the tasks it asked for. */
function drive<R>(loop: (tasks: SvmTasks) => Generator<Step, R, void>, answer: (call: Call) => readonly number[]) {
  const asked: Call[] = [];
  const problem: Performer = {
    perform: (...call) => {
      if (asked.push(call) > 20_000) throw new Error('no end of it');
      if (call.slice(1).some((x) => typeof x !== 'number')) throw new Error(`not numbers: ${call.join(', ')}`);
      return answer(call);
    },
    later: () => Promise.reject(new Error('not here')),
  };
  const value = run(loop(svmTasks(problem)));
  return { value, asked, places: asked.filter(([name]) => name === 'offsets').map((call) => call[1] as number) };
}

/** At offset t: the sums of -psi' over the positive and the negative rows, and the number of rows on the quadratic piece. */
type Slopes = (t: number) => [positive: number, negative: number, quadratic: number];

/** The sums of rows with margin y (s + t). */
const rowsOf =
  (mu: number, gamma: number, rows: readonly (readonly [y: number, s: number])[]): Slopes =>
  (t) => {
    const sums: [number, number, number] = [0, 0, 0];
    for (const [y, s] of rows) {
      const free = (1 - y * (s + t)) / mu;
      sums[y > 0 ? 0 : 1] += Math.min(Math.max(free, 0), gamma);
      if (free > 0 && free < gamma) sums[2]++;
    }
    return sums;
  };

/** Answers the task `offsets` for rows of one radius. */
const offsetsOf =
  (slopes: Slopes, radius = 1) =>
  ([, low, high, rho, , etaT]: Call): readonly number[] => {
    const shift = (rho as number) * radius + (etaT as number);
    return [...slopes((low as number) + shift), ...slopes((high as number) - shift)];
  };

/** h has slope 2 and root 1. (A row on the quadratic piece adds a slope of 1 / mu = 2.) */
const LINE: Slopes = (t) => [10 - t, 8 + t, 1];

describe('nearOffset(constants, guess, worth)', () => {
  const near = (slopes: Slopes, guess: number, worth: number, constants = CONSTANTS) =>
    drive((tasks) => nearOffset(constants, guess, worth, tasks), offsetsOf(slopes));

  it('keeps a guess from which a Newton step gains at most worth', () => {
    // h(3) = 4 with slope 2: a Newton step gains 4² / (2 · 2) = 4.
    const { value, asked } = near(LINE, 3, 4);
    expect(value).toBe(3);
    expect(asked).toEqual([['offsets', 3, 3, 0, 0, 0]]);
    expect(near(LINE, 3, 3.999).places).toEqual([3, 1]);
    expect(near(LINE, 3, 3.999).value).toBe(1);
    expect(near(LINE, -1, 4).places).toEqual([-1]);
    expect(near(LINE, -1, 3.999).value).toBe(1);
  });

  it('evaluates at most twelve offsets with a slope, and returns the best of them', () => {
    // A misleading slope: every step at best halves the distance to 1, and no offset is ever good enough.
    const crawl: Slopes = (t) => [1, 1 + (t - 1) ** 3, 50 * Math.max((t - 1) ** 2, 1e-3)];
    const { value, places } = near(crawl, 64, 0);
    expect(places).toHaveLength(12);
    const best = places.reduce((a, b) => (Math.abs(b - 1) < Math.abs(a - 1) ? b : a));
    expect(value).toBe(best);
    expect(value).not.toBe(64);
  });

  it('returns the offset where h is nearest to 0, not the last one', () => {
    const { value, places } = near((t) => [t < 2 ? 3 : 0, t < 2 ? 0 : 1, 1e-3], -7, 0);
    expect(places).toHaveLength(12);
    expect(value).toBe(places.find((t) => t >= 2));
    expect(value).not.toBe(places.findLast((t) => t >= 2));
  });

  it('does not count offsets where h is flat', () => {
    const far: Slopes = (t) => (t < 1e6 ? [5, 0, 0] : [1e6 + 5 - t, 0, 0.5]);
    const { value, places } = near(far, 0, 1e-6);
    expect(places.length).toBeGreaterThan(20);
    expect(value).toBeCloseTo(1e6 + 5, 6);
  });

  it('returns the guess if every sum is NaN', () => {
    expect(near(() => [NaN, NaN, NaN], 7, 1).value).toBe(7);
    expect(near(() => [NaN, NaN, NaN], 7, 1).places).toEqual([7]);
  });
});

describe('exactOffset(constants, guess)', () => {
  const exact = (slopes: Slopes, guess: number, constants = CONSTANTS) =>
    drive((tasks) => exactOffset(constants, guess, tasks), offsetsOf(slopes));

  it('is the root to the last bit', () => {
    const rows = rowsOf(0.5, 10, [
      [1, 1 / 3],
      [1, 0.7],
      [-1, 0.1],
      [-1, -0.2],
    ]);
    for (const guess of [-100, 0, 0.3, 1e9]) {
      const { value, asked } = exact(rows, guess);
      // All four rows are on the quadratic piece: the mean of their s is -t.
      expect(Math.abs(value + (1 / 3 + 0.7 + 0.1 - 0.2) / 4)).toBeLessThan(1e-15);
      for (const [, , , rho, wNorm, etaT] of asked) expect([rho, wNorm, etaT]).toEqual([0, 0, 0]);
    }
  });

  it('is the middle of the interval where h is 0 up to rounding', () => {
    // The rounding of h is (8 + 8) u times the sum 2 of both sides: 32 u. The steps beyond 1 and 2 are 20 u away from 0.
    const h = (t: number) => (t < 1 ? -0.5 : t < 2 ? -20 * U : t < 5 ? 20 * U : 0.5);
    const { value } = exact((t) => [1 - h(t) / 2, 1 + h(t) / 2, 0], 0, { ...CONSTANTS, n: 8 });
    expect(value).toBeCloseTo(3, 12);
    // A step 34 u away from 0 is no longer within the rounding.
    const g = (t: number) => (t < 1 ? -0.5 : t < 2 ? -34 * U : t < 5 ? 20 * U : 0.5);
    expect(exact((t) => [1 - g(t) / 2, 1 + g(t) / 2, 0], 0, { ...CONSTANTS, n: 8 }).value).toBeCloseTo(3.5, 12);
  });

  it('allows each of the two sums its own rounding', () => {
    // n u = 1/8: the error of h = 4t - 10 is at most (10 + 2t) / 8, so that 8.75 / 4.25 <= t <= 3.
    const constants = { ...CONSTANTS, n: 2 ** 50 - 8 };
    const { value } = exact((t) => [10 - t, 3 * t, 2], 1, constants);
    expect(value).toBeCloseTo((8.75 / 4.25 + 3) / 2, 12);
  });

  it('returns the guess if h has no root on either side', () => {
    expect(exact(() => [1, 0, 0], 3).value).toBe(3);
    expect(exact(() => [0, 1, 0], 3).value).toBe(3);
  });
});

describe('measure(constants, t, wSquared, centreDot)', () => {
  /** The bounds of docs/method.md, term by term (method 2, C2, C3, C6, C9). */
  function bounds(
    constants: Constants,
    t: number,
    wSquared: number,
    centreDot: number,
    sums: readonly number[],
    iterate: PrimalIterate | undefined,
  ) {
    const { n, d, mu, radiusSquares, maxRadius, centreNorm: m, maxEntries } = constants;
    const [fy = 0, fyRounding = 0, psi = 0, alphas = 0, balance = 0, alphaRadii = 0, res2 = 0, err2 = 0] = sums;
    const w = wNormOf(wSquared, iterate);
    const gradient = (iterate?.gradient ?? 0) * (1 + (d + 8) * U);
    const P = wSquared / 2 + psi;
    const imbalance = Math.abs(balance) + (n + 2) * U * alphas;
    const dw = (n + 6) * U * (alphaRadii + m * alphas); // |x_i| <= r_i + |m|
    const off = gradient + dw + imbalance * m;
    const grown = 1 + 2 * n * U;
    // A bound on the rounding of P: of the margins, of the sums, and of subnormal terms.
    const alphaEtas = 2 * (maxEntries + 4) * U * (w * (alphaRadii + m * alphas) + Math.abs(t) * alphas);
    const error = (grown + 2 * (d + 16) * U) * (alphaEtas + fyRounding) + (n + d + 32) * U * P + (n + d) * 2 ** -1021;
    const W = Math.abs(t + centreDot) + 4 * d * U * m * w + 1 + maxRadius * Math.sqrt(2 * (P + error));
    const G = grown * (fy * (1 + 16 * U) + fyRounding) + imbalance * W + off ** 2 / 2;
    const byResidual = (Math.sqrt(res2) + Math.sqrt(err2) + Math.sqrt(radiusSquares) * off) / mu + Math.sqrt((W * imbalance) / mu);
    const byGap = Math.sqrt((2 * (G + off ** 2)) / mu);
    return {
      primal: P + error,
      dual: P - error - G,
      gap: G,
      rounding: G - grown * fy - gradient ** 2 / 2,
      rho: Math.min(Math.sqrt(G) + off, Math.sqrt(2 * G)),
      delta: grown * Math.min(byResidual, byGap),
    };
  }

  /** The norm that margins' rounding is in proportion to: of w, or of w and k steps. */
  function wNormOf(wSquared: number, iterate: PrimalIterate | undefined): number {
    const { reach, updates } = iterate?.margins ?? { reach: Math.sqrt(wSquared), updates: 0 };
    return reach * (1 + updates / 4);
  }

  /** 0 or of any magnitude, so that each term dominates in some runs. */
  const any = fc.oneof(
    { weight: 1, arbitrary: fc.constant(0) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.integer({ min: -50, max: 10 }), fc.double({ min: 1, max: 2, noNaN: true }))
        .map(([e, f]) => f * 2 ** e),
    },
  );
  const positive = any.map((x) => x || 1);
  const signed = fc.tuple(any, fc.constantFrom(-1, 1)).map(([x, s]) => x * s);
  const count = fc.oneof(
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 40, max: 52 }).map((e) => 2 ** e),
  );

  it('returns the bounds of the method, whichever term dominates', () => {
    const constantsOf = fc.record({
      n: count,
      d: count,
      mu: positive,
      weightSum: fc.constant(NaN), // no business of it
      radiusSquares: any,
      maxRadius: any,
      centreNorm: any,
      maxEntries: count,
      predictionNorm: fc.constant(NaN), // not used here
    });
    const margins = fc.record({ reach: positive, updates: fc.integer({ min: 0, max: 16 }) });
    const primalIterate = fc.option(fc.record({ gradient: any, margins: fc.option(margins, { nil: undefined }) }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(
        constantsOf,
        signed,
        any,
        signed,
        fc.tuple(any, any, any, any, signed, any, any, any),
        primalIterate,
        (constants, t, wSquared, centreDot, sums, iterate) => {
          const wNorm = wNormOf(wSquared, iterate);
          const { value, asked } = drive(
            (tasks) => measure(constants, t, wSquared, centreDot, tasks, iterate),
            () => sums,
          );
          const etaT = 2 * (constants.maxEntries + 4) * U * Math.abs(t);
          expect(asked).toEqual([['gap', t, wNorm, etaT]]);
          expect(value).toMatchObject({ t, centreDot, wNorm });
          const { dual, rounding, ...positive } = bounds(constants, t, wSquared, centreDot, sums, iterate);
          expect(Math.abs(value.rounding - rounding)).toBeLessThanOrEqual(1e-13 * positive.gap);
          for (const [name, expected] of Object.entries(positive)) {
            const got = value[name as keyof Measured];
            if (!(Math.abs(got - expected) <= 1e-13 * expected)) expect.fail(`${name} is ${got}, not ${expected}`);
          }
          if (!(Math.abs(value.dual - dual) <= 1e-13 * (positive.primal + positive.gap))) {
            expect.fail(`dual is ${value.dual}, not ${dual}`);
          }
        },
      ),
      { numRuns: 3000, seed: 1 },
    );
  });

  it('rounds outwards: dual is not above its exact bound, nor are gap, rho and delta below, nor primal by more than its last bit', () => {
    /** A double, none of which is tiny here, times 2 ** 400. */
    const exact = (x: number) => BigInt(x * 2 ** 400);
    const ONE = 2n ** 53n; // units of rounding
    const size = fc
      .tuple(fc.integer({ min: -60, max: 10 }), fc.double({ min: 1, max: 2, noNaN: true }))
      .map(([e, f]) => f * 2 ** e);
    const few = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(few, few, size, size, size, size, (n, d, wSquared, fy, fyRounding, psi) => {
        const { primal, dual, gap, rho, delta } = drive(
          (tasks) => measure({ ...CONSTANTS, n, d }, 0, wSquared, 0, tasks),
          () => [fy, fyRounding, psi, 0, 0, 0, 2 ** 100, 0], // a large residual: delta is by the gap
        ).value;
        const P = exact(0.5 * wSquared + psi);
        // (1 + 2 (n + d + 16) u) of the margins' rounding, and (n + d + 32) u of P (method C9).
        const error = exact(fyRounding) * (ONE + 2n * BigInt(n + d + 16)) + P * BigInt(n + d + 32);
        expect(exact(primal) * (ONE + 1n) >= P * ONE + error).toBe(true);
        expect(exact(dual) * ONE <= (P - exact(gap)) * ONE - error).toBe(true);
        const grown = ONE + 2n * BigInt(n);
        expect(exact(gap) * ONE ** 2n >= grown * ((ONE + 16n) * exact(fy) + ONE * exact(fyRounding))).toBe(true);
        expect(exact(rho) ** 2n >= exact(gap) * exact(1)).toBe(true);
        expect(exact(delta) ** 2n * ONE ** 2n >= 4n * exact(gap) * exact(1) * grown ** 2n).toBe(true); // 2 / mu = 4
      }),
      { numRuns: 1000, seed: 1 },
    );
  });

  it('bounds the distance in alpha by the residual or by the gap, whichever is smaller', () => {
    const constants = { ...CONSTANTS, n: 1, mu: 2 };
    const at = (fy: number, res2: number) =>
      drive(
        (tasks) => measure(constants, 0, 1, 0, tasks),
        () => [fy, 0, 1, 0, 0, 0, res2, 0],
      ).value.delta;
    expect(at(4, 1e6)).toBeCloseTo(2, 12); // sqrt(2 · 4 / 2)
    expect(at(4, 1)).toBeCloseTo(0.5, 12); // 1 / 2
  });
});

describe('objective({ primal, dual })', () => {
  it('adds the gap, and its ratio to primal', () => {
    expect(objective({ primal: 8, dual: 6 })).toEqual({ primal: 8, dual: 6, gap: 2, relativeGap: 0.25 });
  });
});

describe('certify(constants, measured, proof, hint)', () => {
  const MEASURED: Measured = { t: 1, wNorm: 3, centreDot: 0, primal: 1, dual: 0, gap: 1, rounding: 0, rho: 0.25, delta: 0.1 };
  const PROOF = { delta: 0.125, ball: true };

  function certified(
    slopes: Slopes,
    given: { constants?: Partial<Constants>; measured?: Partial<Measured>; hint?: Hint; ball?: boolean; afresh?: boolean } = {},
  ) {
    const constants = { ...CONSTANTS, ...given.constants };
    const measured = { ...MEASURED, ...given.measured };
    const hint = given.hint ?? { low: 0, high: 0 };
    const answer = offsetsOf(slopes);
    const { value, asked, places } = drive(
      (tasks) => certify(constants, measured, { ...PROOF, ball: given.ball ?? true }, hint, tasks, given.afresh),
      (call) => (call[0] === 'offsets' ? answer(call) : [4, 3, 2, 1]),
    );
    const last = asked.at(-1) as [string, ...number[]];
    return { value, asked, places, hint, last, low: last[1]!, high: last[2]! };
  }

  it('encloses the first and the last root of the shifted sums, with a small margin', () => {
    // Shifted by rho times a radius of 1, the roots of LINE are 0.75 and 1.25. Newton finds them in one step; the margin is 2 %.
    const { low, high, places, asked } = certified(LINE);
    expect(low).toBeCloseTo(0.75 - 0.02 * 0.25, 9);
    expect(high).toBeCloseTo(1.25 + 0.02 * 0.25, 9);
    expect(places).toHaveLength(2);
    const etaT = 2 * 6 * U;
    expect(asked[0]).toEqual(['offsets', 1, 1, 0.25, 3, etaT]);
  });

  it('passes the rounding of decisions to the task certify, and returns its counts', () => {
    const constants = { d: 100, predictionNorm: 7 };
    const { last, value } = certified(LINE, { constants, measured: { t: -5 } });
    const [name, low, high, rho, wNorm, etaT, delta, ball, t, guardR, guard] = last;
    expect(name).toBe('certify');
    expect(low! < 0.75 && high! > 1.25).toBe(true);
    expect([rho, wNorm, delta, ball, t]).toEqual([0.25, 3, 0.125, 1, -5]);
    expect(etaT).toBeCloseTo(2 * 6 * U * 5, 25);
    expect(guardR! / U).toBeCloseTo(4 * 108 * 3, 9);
    expect(guard! / U).toBeCloseTo(4 * 108 * (7 * 3 + 5), 9);
    expect(value).toMatchObject({ agreed: 4, properlyClassified: 3, zero: 2, atBound: 1 });
    expect(certified(LINE, { ball: false }).last[7]).toBe(0);
  });

  it('bounds the exact plane at any point, with twice the rounding of a decision, and its own value among them', () => {
    const constants = { d: 100, predictionNorm: 7 };
    const spare = (t: number, low: number, high: number) =>
      8 * 108 * U * (7 * 3 + Math.abs(t)) + 8 * U * (Math.abs(t) + Math.abs(low) + Math.abs(high));
    const { value, low, high } = certified(LINE, { constants });
    const { plane } = value;
    expect(plane.norm).toBe(3);
    expect((plane.slope - 0.25) / U).toBeCloseTo(8 * 108 * 3 + 16 * 0.25, -1);
    expect((low - 1 - plane.low) / U).toBeCloseTo(spare(1, low, high) / U, 0);
    expect((plane.high - (high - 1)) / U).toBeCloseTo(spare(1, low, high) / U, 0);
    // An offset outside the interval of the optimal ones: the plane's own value is still within the bounds.
    const above = certified(LINE, { constants, measured: { t: -5 } });
    expect(above.low).toBeGreaterThan(-5);
    expect(above.value.plane.low).toBeCloseTo(-spare(-5, above.low, above.high), 20);
    const below = certified(LINE, { constants, measured: { t: 9 } });
    expect(below.high).toBeLessThan(9);
    expect(below.value.plane.high).toBeCloseTo(spare(9, below.low, below.high), 20);
  });

  it('forgets what was certified before if afresh, at the last moment', () => {
    const names = (given: { afresh?: boolean } = {}) => certified(LINE, given).asked.map(([name]) => name);
    expect(names()).toEqual(['offsets', 'offsets', 'certify']);
    expect(names({ afresh: true })).toEqual(['offsets', 'offsets', 'forget', 'certify']);
  });

  it('goes to the far ends where the roots form an interval', () => {
    // h is 0 from -2 to 4; shifted, from -2.25 to 3.75 and from -1.75 to 4.25.
    const flat: Slopes = (t) => [t < -2 ? -1 - t : 1, t > 4 ? t - 3 : 1, t < -2 || t > 4 ? 0.5 : 0];
    const { low, high } = certified(flat);
    expect(low).toBeLessThan(-2.25);
    expect(low).toBeGreaterThan(-2.25 - 0.06 * 3.25);
    expect(high).toBeGreaterThan(4.25);
    expect(high).toBeLessThan(4.25 + 0.06 * 3.25);
  });

  it('moves both ends outwards by the rounding of the sums', () => {
    // eps = 1/8. S- (1 + eps) >= S+ (1 - eps): 1.125 · 3t = 0.875 (10 - t) at 8.75 / 4.25; with the signs exchanged at 11.25 / 3.75.
    const { low, high } = certified((t) => [10 - t, 3 * t, 4], {
      constants: { n: 2 ** 50 - 8, mu: 1 },
      measured: { t: 2.5, rho: 0.01 },
    });
    const [first, last] = [8.75 / 4.25 - 0.01, 3 + 0.01];
    expect(low).toBeLessThan(first);
    expect(low).toBeGreaterThan(first - 0.06 * (2.5 - first));
    expect(high).toBeGreaterThan(last);
    expect(high).toBeLessThan(last + 0.06 * (last - 2.5));
  });

  it('takes (n + 8) u as the rounding of a sum over n rows', () => {
    // With 8 rows the rounding of h is 16 u of each sum 1: |h| is within it from 1 to 2, and beyond it elsewhere.
    const slopes: Slopes = (t) => [1, 1 + (t < 1 ? -40 : t < 2 ? 28 : 40) * U, 0];
    const { high } = certified(slopes, { constants: { n: 8 }, measured: { rho: 1e-9 } });
    expect(high).toBeGreaterThanOrEqual(2);
    expect(certified(slopes, { constants: { n: 4 }, measured: { rho: 1e-9 } }).high).toBeLessThan(2);
    const below: Slopes = (t) => [1 + (t < 0 ? 40 : t < 1 ? 28 : -40) * U, 1, 0];
    expect(certified(below, { constants: { n: 8 }, measured: { rho: 1e-9 } }).low).toBeLessThanOrEqual(0);
    expect(certified(below, { constants: { n: 4 }, measured: { rho: 1e-9 } }).low).toBeGreaterThan(0.5);
  });

  it('starts from the ends that the hint kept, in units of rho', () => {
    const hint = { low: 0, high: 0 };
    const wide: Slopes = (t) => [t < -3 ? -2 - t : 1, t > 5 ? t - 4 : 1, t < -3 || t > 5 ? 0.5 : 0];
    const before = certified(wide, { hint });
    expect(hint.low).toBeCloseTo((before.low - 1) / 0.25, 9);
    expect(hint.high).toBeCloseTo((before.high - 1) / 0.25, 9);
    const again = certified(wide, { hint, measured: { t: 1.25 } });
    expect(again.asked[0]!.slice(1, 3)).toEqual([
      1.25 + 0.25 * ((before.low - 1) / 0.25),
      1.25 + 0.25 * ((before.high - 1) / 0.25),
    ]);
    expect(again.places.length).toBeLessThan(before.places.length);
  });

  it('steps outwards by the shift of the largest radius where h is flat', () => {
    const flat: Slopes = (t) => [t < -2 ? 2 : 1, t > 4 ? 2 : 1, 0];
    const { asked } = certified(flat, { constants: { maxRadius: 3 } });
    expect(asked[1]!.slice(1, 3)).toEqual([expect.closeTo(1 - 0.75, 12), expect.closeTo(1 + 0.75, 12)]);
    // By 1 if that shift is 0.
    const still = certified(flat, { constants: { maxRadius: 0 }, measured: { t: 0 } });
    expect(still.asked[1]!.slice(1, 3)).toEqual([-1, 1]);
  });

  it('ends strictly outside the roots, even if it starts on them or just inside', () => {
    // From just inside of 0.75 and 1.25.
    const { low, high } = certified(LINE, { hint: { low: -0.9999, high: 0.9999 } });
    expect(low < 0.75 && low > 0.7).toBe(true);
    expect(high > 1.25 && high < 1.3).toBe(true);
    // From the roots themselves, where the sums are equal.
    const onIt = certified(LINE, { measured: { t: 0 }, hint: { low: 3, high: 5 } });
    expect(onIt.low < 0.75 && onIt.low > 0.7).toBe(true);
    expect(onIt.high > 1.25 && onIt.high < 1.3).toBe(true);
  });

  it('certifies with infinite ends if the sums are NaN, and encloses the offset if rho is 0', () => {
    const hint = { low: -1, high: 1 };
    const { low, high } = certified(() => [NaN, NaN, NaN], { hint });
    expect([low, high]).toEqual([-Infinity, Infinity]);
    const point = certified(LINE, { measured: { rho: 0 }, hint: { low: 0, high: 0 } });
    expect(point.low <= 1 && point.high >= 1).toBe(true);
  });
});

describe("solveSvm(problem, tasks, settings) and 'precision'", () => {
  /** A run with Fenchel–Young terms fy(iteration) on data 1e8 away from 0, where rounding limits the primal to about 2e-7. */
  const end = (fy: (iteration: number) => number) => {
    let iteration = 0;
    const answers: Record<string, () => readonly number[]> = {
      begin: () => [0, 2, 1, 1, 1, 1e8, 1, 1, 0, 0],
      regularize: () => [],
      step: () => [1e-3, 0, 0, 0],
      refresh: () => [1, 0],
      offsets: () => [1, 1, 1, 1, 1, 1],
      gap: () => [fy(iteration), 0, 1, 1, 0, 0, 0, 0],
      certify: () => [0, 0, 0, 0],
    };
    const settings: Parameters<typeof solveSvm>[2] = {
      L: 'paper',
      shrinking: false,
      ...methods('fista'),
      scaled: true,
      certify: 'end',
      checkEvery: 5,
      maxIterations: 1000,
      known: { n: 2, d: 1 },
      regularize: () => ({ gamma: 0.5, bound: 0.5, mu: 1 }),
      decide: () => undefined,
      holds: () => true,
      expired: () => false,
    };
    const { value } = drive(
      (tasks) => solveSvm({ accept: () => iteration++ }, tasks, settings),
      ([name]) => answers[name]!(),
    );
    const { primal, dual, gap, rounding } = value.check.measured;
    return { status: value.status, iteration: value.check.iteration, primal, dual, gap, rounding };
  };

  it('ends once rounding is most of primal - dual and the gap no longer halves', () => {
    const { status, iteration, primal, dual, gap, rounding } = end(() => 1e-9);
    expect([status, iteration]).toEqual(['precision', 105]);
    expect(rounding).toBeLessThan(0.5 * gap);
    expect(primal - dual).toBeGreaterThan(100 * gap);
  });

  it('goes on while the gap halves, or is most of primal - dual', () => {
    expect(end((k) => Math.max(1e-7 * 2 ** (-k / 90), 1e-10))).toMatchObject({ status: 'precision', iteration: 960 }); // 100 after the last halving
    expect(end(() => 1e-3)).toMatchObject({ status: 'max-iterations', iteration: 1000 });
  });

  it('ends at once if rounding is most of the gap', () => {
    expect(end((k) => 1e-3 * 2 ** -k)).toMatchObject({ status: 'precision' });
    expect(end((k) => 1e-3 * 2 ** -k).iteration).toBeLessThan(60);
  });
});
