import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextUp, searchRoot, type Bracket, type Found } from '../../lib/solver/bisection.js';

type Fn = (t: number) => Found;

/** Runs a search; returns its bracket and the number of evaluations. */
function solve(f: Fn, guess: number, options: Parameters<typeof searchRoot>[1] = { step: 1 }): Bracket & { evaluations: number } {
  const search = searchRoot(guess, options);
  let evaluations = 0;
  let next = search.next();
  while (!next.done) {
    if (++evaluations > 10_000) throw new Error('no end of it');
    next = search.next(f(next.value));
  }
  return { ...next.value, evaluations };
}

/** A monotone piecewise linear function whose slope grows by `slope` at each knot. */
function pieces(knots: readonly number[], slope: number, level: number): Fn {
  return (t) => {
    let value = -level;
    let inside = 0;
    for (const knot of knots) {
      value += Math.min(Math.max((t - knot) * slope, 0), 1);
      if (t > knot && (t - knot) * slope < 1) inside += slope;
    }
    return { value, slope: inside };
  };
}

describe('nextUp(x)', () => {
  it('is the smallest double above x', () => {
    expect(nextUp(1)).toBe(1 + Number.EPSILON);
    expect(nextUp(-1)).toBe(-1 + Number.EPSILON / 2);
    expect(nextUp(0)).toBe(Number.MIN_VALUE);
    expect(nextUp(-0)).toBe(Number.MIN_VALUE);
    expect(nextUp(-Number.MIN_VALUE)).toBe(-0);
    expect(nextUp(Number.MAX_VALUE)).toBe(Infinity);
    expect(nextUp(-Infinity)).toBe(-Number.MAX_VALUE);
  });

  it('has no double between it and x', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
        const up = nextUp(x);
        const middle = x / 2 + up / 2;
        return up > x && (middle <= x || middle >= up);
      }),
    );
  });
});

describe('searchRoot(guess, …)', () => {
  /** Expects value(low) < 0 <= value(high) for two neighbouring doubles. */
  function expectLastBit(f: Fn, { low, high }: Bracket): void {
    expect(f(low).value).toBeLessThan(0);
    expect(f(high).value).toBeGreaterThanOrEqual(0);
    expect(nextUp(low) === high).toBe(true);
  }

  it('narrows a bracket across 0 to 0.5 in at most 12 evaluations', () => {
    // A misleading slope: the Newton step from -13 leads beyond 0, where the function is flat.
    const f = (t: number): Found => ({
      value: t < -13 ? -4.5 : t < -7 ? -4.5 + (t + 13) / 5 : 8,
      slope: t < -13 || t >= -7 ? 0 : 0.2,
    });
    const { evaluations } = solve(f, -13, { step: 1, enough: ({ low, high }) => high - low < 0.5 });
    expect(evaluations).toBeLessThanOrEqual(12);
  });

  it('finds the root of a line to the last bit in fewer than 64 evaluations', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        (root, slope, guess) => {
          const f: Fn = (t) => ({ value: (t - root) * slope, slope });
          const found = solve(f, guess);
          expectLastBit(f, found);
          // Near 0 only halving makes progress, through all the subnormal numbers.
          expect(found.evaluations).toBeLessThan(Math.abs(found.high) > 1e-6 ? 64 : 2300);
        },
      ),
    );
  });

  it('finds the root of piecewise linear functions, flat pieces included, to the last bit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 40 }),
        fc.constantFrom(1e-3, 0.5, 1, 7, 1e6),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        fc.double({ min: -1000, max: 1000, noNaN: true }),
        (knots, slope, share, guess) => {
          const f = pieces(knots, slope, share * knots.length);
          const found = solve(f, guess);
          expectLastBit(f, found);
          expect(found.evaluations).toBeLessThan(300);
        },
      ),
    );
  });

  it('finds the first t of a flat piece at 0', () => {
    const f: Fn = (t) => ({ value: t < 2 ? t - 2 : t < 5 ? 0 : t - 5, slope: t < 2 || t > 5 ? 1 : 0 });
    for (const guess of [-10, 2, 3, 5, 100]) expect(solve(f, guess).high).toBe(2);
  });

  it('finds a jump, whatever slope is reported there', () => {
    for (const slope of [0, Infinity, NaN, -1]) {
      const f: Fn = (t) => ({ value: t < Math.PI ? -1 : 1, slope });
      expect(solve(f, 0).high).toBe(Math.PI);
    }
  });

  it('finds the root in spite of wrong slopes', () => {
    for (const slope of [1e-300, 1e-9, 1e9, 1e300]) {
      const f: Fn = (t) => ({ value: t - 0.3, slope });
      const found = solve(f, 50);
      expect(found.high).toBe(0.3);
    }
  });

  it('finds huge and subnormal roots in at most 8400 evaluations', () => {
    for (const root of [Number.MIN_VALUE, -Number.MIN_VALUE, 1e-310, -1e-310, 1e-200, 1e200, -1e300, Number.MAX_VALUE, 0]) {
      for (const guess of [0, 1, -1e150, root]) {
        for (const slope of [0, 1]) {
          const f: Fn = (t) => ({ value: t < root ? -1 : 1, slope });
          const found = solve(f, guess);
          expect(found.high).toBe(root);
          expect(found.evaluations).toBeLessThanOrEqual(8400);
        }
      }
    }
  });

  it('ends with an infinite bracket if there is no root', () => {
    const below = solve(() => ({ value: -1, slope: 0 }), 0);
    expect(below).toMatchObject({ low: Number.MAX_VALUE, high: Infinity });
    const above = solve(() => ({ value: 1, slope: 0 }), 0);
    expect(above).toMatchObject({ low: -Infinity, high: -Number.MAX_VALUE });
  });

  it('ends after at most 8400 evaluations for arbitrary values and slopes', () => {
    const junk = fc.oneof(
      fc.double(),
      fc.constantFrom(0, -0, NaN, Infinity, -Infinity, Number.MIN_VALUE, -Number.MIN_VALUE, Number.MAX_VALUE),
    );
    fc.assert(
      fc.property(
        junk,
        fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
        fc.array(junk, { minLength: 2, maxLength: 7 }),
        (guess, step, said) => {
          let k = 0;
          const f: Fn = () => ({ value: said[k++ % said.length]!, slope: said[k++ % said.length]! });
          expect(solve(f, guess, { step }).evaluations).toBeLessThanOrEqual(8400);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('ends as soon as enough(bracket, found, t) is true', () => {
    const f: Fn = (t) => ({ value: t - 3, slope: 0 });
    const places: number[] = [];
    const found = solve(f, 0, {
      step: 1,
      enough: ({ low, high }, { value }, t) => {
        expect(value).toBe(t - 3);
        places.push(t);
        return high - low < 0.5;
      },
    });
    expect(found.high - found.low).toBeLessThan(0.5);
    expect(found.low).toBeLessThan(3);
    expect(found.high).toBeGreaterThanOrEqual(3);
    expect(found.evaluations).toBe(places.length);
    expect(places[0]).toBe(0);
  });

  it('never looks at or below a place that is known to be low', () => {
    // Newton's step from 1 leads to -7, and outward steps would go on from there.
    const f: Fn = (t) => ({ value: t < 0.25 ? t - 0.25 : 8, slope: 1 });
    const places: number[] = [];
    const search = searchRoot(1, { step: 1, low: 0 });
    let next = search.next();
    for (; !next.done; next = search.next(f(next.value))) places.push(next.value);
    expect(Math.min(...places)).toBeGreaterThan(0);
    expectLastBit(f, next.value);
  });

  it('steps beyond the root by the share lean of the distance from the guess', () => {
    const f: Fn = (t) => ({ value: t - 3, slope: 1 });
    const upwards = solve(f, 1, { step: 1, lean: 0.1, enough: ({ high }) => high < Infinity });
    expect(upwards.evaluations).toBe(2);
    expect(upwards.high).toBeCloseTo(3.2, 12);
    const downwards = solve(f, 5, { step: 1, lean: -0.1, enough: ({ low }) => low > -Infinity });
    expect(downwards.evaluations).toBe(2);
    expect(downwards.low).toBeCloseTo(2.8, 12);
  });

  it('gives an infinite bracket if a value is NaN', () => {
    expect(solve(() => ({ value: NaN, slope: 1 }), 0)).toEqual({ low: -Infinity, high: Infinity, evaluations: 1 });
    const f: Fn = (t) => ({ value: Math.abs(t) < 2 ? NaN : t, slope: 0 });
    expect(solve(f, 5)).toMatchObject({ low: -Infinity, high: Infinity });
    expect(solve(f, -5)).toMatchObject({ low: -Infinity, high: Infinity });
  });

  it('gives an infinite bracket at once for a guess that is not finite', () => {
    expect(solve(() => ({ value: 1, slope: 0 }), Infinity)).toEqual({ low: -Infinity, high: Infinity, evaluations: 1 });
    expect(solve(() => ({ value: -1, slope: 0 }), -Infinity)).toEqual({ low: -Infinity, high: Infinity, evaluations: 1 });
    expect(solve(() => ({ value: -1, slope: 0 }), NaN).evaluations).toBe(1);
  });

  it('ends after 8400 evaluations without progress', () => {
    expect(solve(() => ({ value: -1, slope: 0 }), 5, { step: 0 })).toEqual({ low: 5, high: Infinity, evaluations: 8400 });
  });

  // Each evaluation is a sweep over all rows. The limits are the measured numbers: more evaluations would make fits slower.
  describe('takes no more evaluations than measured', () => {
    const line =
      (root: number, slope: number, told = slope): Fn =>
      (t) => ({ value: (t - root) * slope, slope: told });
    const jump =
      (root: number): Fn =>
      (t) => ({ value: t < root ? -1 : 1, slope: 0 });
    const shelf: Fn = (t) => ({ value: t < 2 ? t - 2 : t < 5 ? 0 : t - 5, slope: t < 2 || t > 5 ? 1 : 0 });
    const cube: Fn = (t) => ({ value: (t - 1) * (t - 1) * (t - 1), slope: 3 * (t - 1) * (t - 1) });
    const curve: Fn = (t) => ({
      value: (t - 1) / (1 + Math.abs(t - 1)),
      slope: 1 / ((1 + Math.abs(t - 1)) * (1 + Math.abs(t - 1))),
    });

    it.each<[what: string, f: Fn, byGuess: Record<number, number>]>([
      ['a line', line(Math.PI, 0.7), { 0: 4, 50: 5, '-10000': 5 }],
      ['a line with a negative root', line(-Math.E, 0.7), { 0: 3, 50: 4, '-10000': 4 }],
      ['a line with a root near 0', line(1e-3 / 7, 0.7), { 0: 3, 50: 4, '-10000': 4 }],
      ['a jump', jump(Math.PI), { 0: 57, 1: 55 }],
      ['a jump far up', jump(100), { 0: 60, 1: 60 }],
      ['a jump far down', jump(-100), { 0: 60, 1: 60 }],
      ['a jump near 0', jump(1e-5), { 0: 72, 1: 72 }],
      ['a shelf at 0', shelf, { '-10': 58, 2: 54, 3: 56, 5: 58, 100: 59 }],
      ['slopes a little too flat', line(0.3, 1, 1e-2), { 50: 70 }],
      ['slopes much too flat', line(0.3, 1, 1e-9), { 50: 71 }],
      ['slopes a little too steep', line(0.3, 1, 10), { 50: 118 }],
      ['slopes too steep', line(0.3, 1, 1e3), { 50: 124 }],
      ['slopes much too steep', line(0.3, 1, 1e9), { 50: 108 }],
      ['no slopes', line(0.3, 1, NaN), { 50: 66 }],
      ['a root where Newton converges slowly', cube, { '-10': 101, 0.001: 94, 3: 99, 100000: 146 }],
      ['a curve', curve, { '-10': 16, 0.001: 12, 3: 7, 100000: 37 }],
    ])('for %s', (_, f, byGuess) => {
      for (const [guess, evaluations] of Object.entries(byGuess)) {
        const found = solve(f, Number(guess));
        expectLastBit(f, found);
        expect(found.evaluations, guess).toBeLessThanOrEqual(evaluations);
      }
    });

    it('for a jump, whatever the first step', () => {
      for (const [step, evaluations] of [
        [1e-4, 78],
        [1, 63],
        [1e4, 58],
      ] as const) {
        expect(solve(jump(1000), 0, { step }).evaluations, String(step)).toBeLessThanOrEqual(evaluations);
      }
    });
  });
});
