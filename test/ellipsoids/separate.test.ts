import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { EspProblem, Kernels } from '../../lib/backend/interface.js';
import {
  ellipsoidFromCovariance,
  separateEllipsoids,
  separateEllipsoidsAsync,
  type Ellipsoid,
  type Separation,
} from '../../lib/index.js';
import { backends, js, kernelsInC, names, natives } from '../support/backends.js';
import { atDistance, excess, overlapping, packed, violation, type Instance } from '../support/ellipsoids.js';
import { random } from '../support/random.js';
import { expectSame } from '../support/expect.js';
import { place } from '../support/place.js';

vi.mock(import('../../lib/solver/drivers.js'), async (original) => (await import('../support/place.js')).placed(await original()));

const seeds = fc.integer({ min: 1, max: 2 ** 30 });
const small = fc.record({
  seed: seeds,
  d: fc.integer({ min: 1, max: 30 }),
  n: fc.integer({ min: 1, max: 6 }),
  m: fc.integer({ min: 1, max: 6 }),
});

/** Checks every reported number in double-double arithmetic, and that the bracket is in order. */
function expectTrue({ first, second }: Instance, s: Separation): void {
  expect(s.distance.lower).toBeLessThanOrEqual(s.distance.upper);
  if (s.status === 'separated') {
    expect(violation(first, second, s.normal, s.offset)).toBeLessThan(0);
    expect(Math.abs(Math.hypot(...s.normal) - 1)).toBeLessThan(1e-13);
    expect(s.robustness).toBe(s.distance.lower / 2);
    expect(Math.min(...s.slack)).toBeGreaterThan(0);
    expect(excess(first, second, s)).toBeLessThanOrEqual(1e-28 * reach({ first, second }));
    // The reported numbers are also not smaller than rounding explains.
    const rounding = 1e-13 * reach({ first, second });
    expect(s.width).toBeGreaterThanOrEqual(s.distance.lower - rounding);
    const [a, b] = [s.slack.subarray(0, first.length), s.slack.subarray(first.length)];
    expect(Math.min(...a) + Math.min(...b)).toBeGreaterThanOrEqual(s.width - rounding);
    expect(s.slack.length).toBe(first.length + second.length);
  } else if (s.status === 'touching') {
    for (const list of [s.weights.first, s.weights.second]) {
      expect(Math.min(...list)).toBeGreaterThanOrEqual(0);
      expect(Math.abs(list.reduce((a, b) => a + b, 0) - 1)).toBeLessThan(1e-12);
    }
  }
}

/** The magnitude that rounding is relative to. */
function reach({ first, second }: Instance): number {
  return Math.max(
    ...[...first, ...second].flatMap(({ center, shape }) => [
      Math.hypot(...Array.from(center)),
      ...[shape ?? 0].flat().map((x) => (typeof x === 'number' ? Math.abs(x) : Math.hypot(...Array.from(x)))),
    ]),
  );
}

describe.each(names)('separateEllipsoids(first, second, { backend: %s })', (backend) => {
  const runs = backend === 'native' ? 2000 : 300;

  it('separates hulls 0.001 to 10 apart with a valid plane, and brackets the distance', { tags: ['slow'] }, () => {
    fc.assert(
      fc.property(small, fc.double({ min: -3, max: 1, noNaN: true }), ({ seed, d, n, m }, exponent) => {
        const gap = 10 ** exponent;
        const instance = atDistance(seed, d, [n, m], gap);
        const s = separateEllipsoids(instance.first, instance.second, { backend, maxIterations: 100_000 });
        expect(s.status).toBe('separated');
        expectTrue(instance, s);
        const rounding = 1e-13 * reach(instance);
        expect(s.distance.lower).toBeLessThanOrEqual(gap + rounding);
        expect(s.distance.upper).toBeGreaterThanOrEqual(gap - rounding);
      }),
      { numRuns: runs },
    );
  });

  it("with goal: 'widest' closes the bracket around the distance to 1e-4", { tags: ['slow'] }, () => {
    fc.assert(
      fc.property(small, fc.double({ min: -1, max: 1, noNaN: true }), ({ seed, d, n, m }, exponent) => {
        const gap = 10 ** exponent;
        const instance = atDistance(seed, d, [n, m], gap);
        const s = separateEllipsoids(instance.first, instance.second, { backend, goal: 'widest', maxIterations: 100_000 });
        expectTrue(instance, s);
        expect(s.status === 'separated' && s.goalReached).toBe(true);
        const rounding = 1e-13 * reach(instance);
        expect(s.distance.lower).toBeLessThanOrEqual(gap + rounding);
        expect(s.distance.upper).toBeGreaterThanOrEqual(gap - rounding);
        expect(s.distance.lower).toBeGreaterThanOrEqual((1 - 1e-4) * s.distance.upper);
      }),
      { numRuns: runs / 4 },
    );
  });

  it("gives 'touching' for families with a common point", { tags: ['slow'] }, () => {
    fc.assert(
      fc.property(small, ({ seed, d, n, m }) => {
        const instance = overlapping(seed, d, [n, m]);
        const s = separateEllipsoids(instance.first, instance.second, { backend, maxIterations: 3000 });
        expect(s.status).toBe('touching');
        expect(s.distance.lower).toBe(0);
        expectTrue(instance, s);
      }),
      { numRuns: runs },
    );
  });

  it('gives no false plane or distance for hulls that touch up to rounding', { tags: ['slow'] }, () => {
    fc.assert(
      fc.property(small, ({ seed, d, n, m }) => {
        const instance = atDistance(seed, d, [n, m], 0);
        const s = separateEllipsoids(instance.first, instance.second, { backend, maxIterations: 3000 });
        expectTrue(instance, s);
        expect(s.distance.lower).toBeLessThanOrEqual(1e-13 * reach(instance));
      }),
      { numRuns: runs / 4 },
    );
  });

  it('separates data far from the origin with a valid plane, in spite of the rounded offset', { tags: ['slow'] }, () => {
    fc.assert(
      fc.property(small, fc.constantFrom(1e4, 1e7, 1e9), ({ seed, d, n, m }, shift) => {
        const instance = atDistance(seed, d, [n, m], 0.1, shift);
        const s = separateEllipsoids(instance.first, instance.second, { backend, maxIterations: 100_000 });
        expect(s.status).toBe('separated');
        expectTrue(instance, s);
      }),
      { numRuns: runs / 4 },
    );
  });

  it('gives the known answer for two balls, two points and two intervals', () => {
    const balls = separateEllipsoids([{ center: [0, 0], shape: 1 }], [{ center: [5, 0], shape: 2 }], { backend, goal: 'widest' });
    expect(balls).toMatchObject({ status: 'separated', goalReached: true, backend });
    if (balls.status !== 'separated') return;
    expect(balls.width).toBeCloseTo(2, 3);
    expect(balls.offset).toBeCloseTo(2, 3);
    expect([...balls.normal].map((x) => Math.round(x * 1e3) / 1e3 + 0)).toEqual([1, 0]);
    expect(balls.robustness).toBeCloseTo(1, 3);
    const points = separateEllipsoids([{ center: [1] }], [{ center: [-1] }], { backend });
    expect(points).toMatchObject({ status: 'separated', normal: Float64Array.of(-1), offset: 0 });
    if (points.status !== 'separated') return;
    for (const [proved, exact] of [
      [points.width, 2],
      [points.robustness, 1],
      [points.slack[0]!, 1],
      [points.slack[1]!, 1],
    ] as const) {
      expect(proved).toBeLessThanOrEqual(exact);
      expect(proved).toBeCloseTo(exact, 13);
    }
    expect(separateEllipsoids([{ center: [1], shape: [2] }], [{ center: [4], shape: [[1]] }], { backend }).status).toBe('touching');
  });

  it("gives 'touching' for one point twice, also in dimension 0", () => {
    for (const center of [[], [3], [0, 1, 2]]) {
      const s = separateEllipsoids([{ center }], [{ center }], { backend });
      expect(s).toMatchObject({
        status: 'touching',
        witness: Float64Array.from(center),
        weights: { first: Float64Array.of(1), second: Float64Array.of(1) },
      });
      expect(s.distance.upper).toBeLessThan(1e-12);
    }
  });

  it('separates data of 1e300, 1e-300 and subnormal size', () => {
    for (const size of [1e300, 1e150, 1e-150, 1e-300, 5e-310]) {
      const s = separateEllipsoids(
        [{ center: [size, 0], shape: size / 4 }],
        [{ center: [-size, size / 3], shape: [size / 8, 0] }],
        { backend },
      );
      expect([size, s.status]).toEqual([size, 'separated']);
      if (s.status === 'separated') expect(s.width / size).toBeCloseTo(1.65, 1);
    }
    expect(separateEllipsoids([{ center: [1, 1e-200] }], [{ center: [1, -1e-200] }], { backend })).toMatchObject({
      status: 'separated',
      normal: Float64Array.of(0, -1),
    });
  });

  it('gives the same result for matrices of centers and shapes, f64 or f32, as for a list', () => {
    const next = random(5);
    const data = (n: number) => Float32Array.from({ length: n * 7 }, next);
    const [c1, s1, c2, s2] = [data(9), data(9), data(4).map((x) => x + 2), data(4)] as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    const list = (c: Float32Array, s: Float32Array): Ellipsoid[] =>
      Array.from({ length: c.length / 7 }, (_, i) => ({ center: c.slice(7 * i, 7 * i + 7), shape: s.slice(7 * i, 7 * i + 7) }));
    const block = (x: Float32Array, Kind: typeof Float64Array | typeof Float32Array) => ({
      data: Kind.from(x),
      rows: x.length / 7,
      cols: 7,
    });
    const { elapsed, ...expected } = separateEllipsoids(list(c1, s1), list(c2, s2), { backend, goal: 'widest' });
    expect(elapsed).toBeGreaterThan(0);
    for (const Kind of [Float64Array, Float32Array]) {
      const found = separateEllipsoids(
        { centers: block(c1, Kind), shapes: block(s1, Kind) },
        { centers: block(c2, Kind), shapes: block(s2, Kind) },
        { backend, goal: 'widest' },
      );
      expect(found).toMatchObject(expected);
    }
  });

  it('leaves its inputs unchanged', () => {
    const instance = atDistance(3, 6, [4, 4], 0.1);
    const before = structuredClone(instance);
    separateEllipsoids(instance.first, instance.second, { backend, goal: 'widest' });
    expect(instance).toEqual(before);
  });

  it("separates with a valid plane under test: 'paper', stepSize: 'paper', restart and goal: 'converged'", () => {
    const instance = atDistance(11, 5, [5, 3], 0.3);
    for (const options of [
      { test: 'paper' },
      { stepSize: 'paper' },
      { stepSize: 'paper', restart: true },
      { test: 'paper', stepSize: 'paper' },
      { goal: 'converged' },
    ] as const) {
      const s = separateEllipsoids(instance.first, instance.second, { backend, ...options });
      expect(s.status).toBe('separated');
      expectTrue(instance, s);
    }
  });

  it('ends at maxIterations and timeLimit with a bracket, or with the separator found so far', () => {
    const close = atDistance(8, 12, [6, 6], 1e-4);
    expect(separateEllipsoids(close.first, close.second, { backend, maxIterations: 3 })).toMatchObject({
      status: 'max-iterations',
      iterations: 3,
      distance: { lower: 0 },
    });
    expect(separateEllipsoids(close.first, close.second, { backend, timeLimit: 1e-9 })).toMatchObject({
      status: 'time-limit',
      iterations: 1,
    });
    const wide = atDistance(8, 12, [6, 6], 1);
    expect(
      separateEllipsoids(wide.first, wide.second, { backend, goal: 'widest', tolerance: 1e-15, maxIterations: 200 }),
    ).toMatchObject({ status: 'separated', goalReached: false, iterations: 200 });
  });

  it('calls onProgress, and throws what it throws or the reason of an aborted signal', async () => {
    const { first, second } = atDistance(8, 12, [6, 6], 1e-2);
    const seen: number[] = [];
    const onProgress = ({ iteration }: { iteration: number }) => void seen.push(iteration);
    const { iterations } = separateEllipsoids(first, second, { backend, goal: 'converged', onProgress });
    expect(seen).toEqual(Array.from({ length: iterations }, (_, k) => k + 1));
    const reason = new Error('enough');
    const throws = () => {
      throw reason;
    };
    expect(() => separateEllipsoids(first, second, { backend, onProgress: throws })).toThrow(reason);
    await expect(separateEllipsoidsAsync(first, second, { backend, onProgress: throws })).rejects.toBe(reason);
    expect(() => separateEllipsoids(first, second, { backend, signal: AbortSignal.abort(reason) })).toThrow(reason);
    const controller = new AbortController();
    const abort = ({ iteration }: { iteration: number }) => iteration === 3 && controller.abort(reason);
    await expect(
      separateEllipsoidsAsync(first, second, { backend, goal: 'converged', signal: controller.signal, onProgress: abort }),
    ).rejects.toBe(reason);
  });
});

/** A result without its time. */
const timeless = ({ elapsed, ...rest }: Separation) => (expect(elapsed).toBeGreaterThan(0), rest);

describe('separateEllipsoidsAsync(first, second)', () => {
  it.each(names)('gives the result of separateEllipsoids, bit for bit: %s', async (backend) => {
    for (const [seed, gap] of [
      [1, 0.1],
      [2, 1e-3],
      [3, 0],
    ] as const) {
      const { first, second } = atDistance(seed, 9, [5, 4], gap);
      const options = { backend, goal: 'widest', maxIterations: 300 } as const;
      const both = await Promise.all([
        separateEllipsoidsAsync(first, second, options),
        separateEllipsoidsAsync(first, second, options),
      ]);
      place.elsewhere = false;
      both.push(await separateEllipsoidsAsync(first, second, options));
      place.elsewhere = true;
      const expected = timeless(separateEllipsoids(first, second, options));
      for (const found of both) expect(timeless(found)).toEqual(expected);
    }
  });

  it('copies the data before it returns', async () => {
    const centers = () => ({ data: Float64Array.of(0, 0, 0, 1), rows: 2, cols: 2 });
    const shapes = () => ({ data: new Float64Array(4).fill(0.1), rows: 2, cols: 2 });
    const second = [{ center: [3, 0], shape: 1 }];
    const first = { centers: centers(), shapes: shapes() };
    const promise = separateEllipsoidsAsync(first, second, { goal: 'widest' });
    structuredClone(first.centers.data, { transfer: [first.centers.data.buffer] });
    first.shapes.data.fill(NaN);
    expect(timeless(await promise)).toEqual(
      timeless(separateEllipsoids({ centers: centers(), shapes: shapes() }, second, { goal: 'widest' })),
    );
  });
});

describe('Esp of the backends', () => {
  const make = (kernels: Kernels, { first, second }: Instance, threads = 1): EspProblem => {
    const [a, b] = [packed(first), packed(second)];
    const cols = first[0]!.center.length;
    const never = () => {
      throw new Error('not finite');
    };
    return new kernels.Esp(never, threads, cols, a.centers, a.kinds, a.shapes, b.centers, b.kinds, b.shapes);
  };

  it.each(backends)('applyA and applyAT are adjoint for every kind of shape: $title', ({ kernels }) => {
    fc.assert(
      fc.property(small, ({ seed, d, n, m }) => {
        const instance = atDistance(seed, d, [n, m], 0.5);
        const problem = make(kernels, instance);
        problem.perform('begin', 1);
        const next = random(seed + 1);
        const size = d * [...instance.first, ...instance.second].filter(({ shape }) => shape !== undefined && shape !== 0).length;
        const vector = (length: number) => Float64Array.from({ length }, () => 2 * next() - 1);
        const [l, p, v] = [vector(n + m), vector(size), vector(d + 2)];
        const [ax, atl, atp] = [new Float64Array(d + 2), new Float64Array(n + m), new Float64Array(size)];
        problem.applyA(l, p, ax);
        problem.applyAT(v, atl, atp);
        const dot = (a: Float64Array, b: Float64Array) => a.reduce((s, x, k) => s + x * b[k]!, 0);
        expect(Math.abs(dot(ax, v) - dot(l, atl) - dot(p, atp))).toBeLessThan(1e-13 * (size + n + m + d));
      }),
      { numRuns: 200 },
    );
  });

  it.each(kernelsInC.map((native) => ({ title: native.simd, native })))(
    'answers every task as the TypeScript kernels do: $title',
    { tags: ['slow'] },
    ({ native }) => {
      fc.assert(
        fc.property(small, ({ seed, d, n, m }) => {
          const instance = atDistance(seed, d, [n, m], 0.2);
          const problems = [make(js, instance), make(native, instance)];
          const tasks = [
            ['begin', 1],
            ['sweep', 8, 0, 0],
            'accept',
            ['test'],
            ['sweep', 6, 0.3, 1],
            'accept',
            ['sweep', 6, 0.5, 1],
            'accept',
            ['test'],
            'keep',
            ['verify'],
            ['move'],
            ['sweep', 9, 0, 0],
            'accept',
            ['test'],
            ['power', 1],
            ['power', 0],
          ] as const;
          const checked: Record<string, number[]> = {
            begin: [0, 1, 2, 3],
            sweep: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            test: [0, 1, 2, 3],
            verify: [0, 1],
            move: [1, 2, 3],
            power: [0],
          };
          for (const task of tasks) {
            if (task === 'accept') problems.forEach((problem) => problem.accept());
            else if (task === 'keep') problems.forEach((problem) => problem.keep(true));
            else {
              const [a, b] = problems.map((problem) =>
                Float64Array.from(problem.perform(...(task as readonly [string, ...number[]]))),
              ) as [Float64Array, Float64Array];
              for (const k of [...checked[task[0]]!, ...(task[0] === 'sweep' && task[3] ? [10, 11, 12, 13] : [])]) {
                if (!(Math.abs(a[k]! - b[k]!) <= 1e-10 * (1 + Math.abs(a[k]!))))
                  expect.fail(`${task[0]}[${k}]: ${a[k]} and ${b[k]}`);
              }
            }
          }
          for (const what of ['normal', 'origin', 'supports', 'weights', 'sums'] as const) {
            const length = { normal: d, origin: d, supports: n + m, weights: n + m, sums: 2 * d }[what];
            const [a, b] = problems.map((problem) => {
              const out = new Float64Array(length);
              problem[what](out);
              return out;
            }) as [Float64Array, Float64Array];
            a.forEach((x, k) => expect(Math.abs(x - b[k]!)).toBeLessThan(1e-10 * (1 + Math.abs(x))));
          }
        }),
        { numRuns: 200 },
      );
    },
  );

  it.skipIf(natives.length === 0)('gives the same bits for 1, 2, 3 and 7 threads', { tags: ['slow'] }, () => {
    const next = random(9);
    const [n, d] = [400, 300];
    const block = (shift: number) => ({ data: Float64Array.from({ length: n * d }, () => next() + shift), rows: n, cols: d });
    const half = (x: { data: Float64Array; rows: number; cols: number }) => ({ ...x, data: x.data.map((y) => y / 4) });
    const first = { centers: block(0), shapes: half(block(0)) };
    const second = { centers: block(0.4), shapes: half(block(0)) };
    const on = (threads: number) =>
      separateEllipsoids(first, second, { backend: 'native', threads, goal: 'widest', maxIterations: 40 });
    const expected = on(1);
    for (const threads of [2, 3, 7]) {
      const found = on(threads);
      expect(timeless(found)).toEqual(timeless(expected));
      if (found.status === 'separated' && expected.status === 'separated') expectSame(found.normal, expected.normal);
    }
    expect(expected.status).toBe('separated');
  });

  it.each(backends)('refuses an unknown task, and every task after dispose(): $title', ({ title, kernels }) => {
    if (title === 'js') return;
    const problem = make(kernels, atDistance(1, 2, [1, 1], 1));
    expect(() => problem.perform('fly')).toThrow("Expected a task's name for name but received fly");
    problem.dispose();
    expect(() => problem.perform('test')).toThrow('Expected a live problem but it was disposed of');
  });
});

describe('separateEllipsoids and separateEllipsoidsAsync with bad input', () => {
  const good = [{ center: [0, 0], shape: 1 }];
  const far = [{ center: [9, 0], shape: 1 }];
  const dense = (rows: number, cols: number, fill = 0) => ({ data: new Float64Array(rows * cols).fill(fill), rows, cols });
  const bad: [unknown, unknown, unknown, string, string][] = [
    [1, far, {}, 'TypeError', 'Expected an array of ellipsoids or { centers, shapes } for first but received 1'],
    [good, [], {}, 'RangeError', 'Expected at least one ellipsoid for second but received none'],
    [good, [{ center: [1, 2, 3] }], {}, 'RangeError', 'Expected 2 numbers, as in first[0].center, for second[0].center but received 3'],
    [[...good, { center: [1] }], far, {}, 'RangeError', 'Expected 2 numbers, as in first[0].center, for first[1].center but received 1'],
    [good, [null], {}, 'TypeError', 'Expected an ellipsoid { center, shape } for second[0] but received null'],
    [good, [{ center: 'ab' }], {}, 'TypeError', 'Expected an array of numbers for second[0].center but received "ab"'],
    [good, [{ center: [1, '2'] }], {}, 'TypeError', 'Expected a finite number for second[0].center[1] but received "2"'],
    [good, [{ center: [1, NaN] }], {}, 'RangeError', 'Expected a finite number for second[0].center[1] but received NaN'],
    [good, [...far, { center: [1, 1], shape: Infinity }], {}, 'RangeError', 'Expected a finite number for second[1].shape but received Infinity'],
    [good, [...far, { center: [1, 1], shape: [1, -Infinity] }], {}, 'RangeError', 'Expected a finite number for second[1].shape[1] but received -Infinity'],
    [[{ center: [1, 1], shape: [[1, 0], [NaN, 1]] }], far, {}, 'RangeError', 'Expected a finite number for first[0].shape[1][0] but received NaN'],
    [good, [{ center: [1, 1], shape: -1 }], {}, 'RangeError', 'Expected a radius of 0 or more for second[0].shape but received -1'],
    [good, [{ center: [1, 1], shape: 'x' }], {}, 'TypeError', 'Expected a radius, a diagonal or rows of a matrix for second[0].shape but received "x"'],
    [good, [{ center: [1, 1], shape: [1, 2, 3] }], {}, 'RangeError', 'Expected 2 numbers for second[0].shape but received 3'],
    [good, [{ center: [1, 1], shape: [[1, 2]] }], {}, 'RangeError', 'Expected 2 rows for second[0].shape but received 1'],
    [good, [{ center: [1, 1], shape: [[1, 2], [3]] }], {}, 'RangeError', 'Expected 2 numbers for second[0].shape[1] but received 1'],
    [{ centers: dense(2, 3), shapes: dense(2, 3) }, far, {}, 'RangeError', 'Expected 3 numbers, as in first.centers, for second[0].center but received 2'],
    [good, { centers: dense(2, 3), shapes: dense(2, 3) }, {}, 'RangeError', 'Expected 2 columns, as in first[0].center, for second.centers.cols but received 3'],
    [good, { centers: dense(2, 2), shapes: dense(3, 2) }, {}, 'RangeError', 'Expected 2, as in second.centers, for second.shapes.rows but received 3'],
    [good, { centers: dense(2, 2), shapes: 1 }, {}, 'TypeError', 'Expected { data, rows, cols } for second.shapes but received 1'],
    [good, { centers: { ...dense(2, 2), rows: 0 }, shapes: dense(2, 2) }, {}, 'RangeError', 'Expected an integer from 1 to 4294967294 for second.centers.rows but received 0'],
    [good, { centers: { ...dense(2, 2), data: [1] }, shapes: dense(2, 2) }, {}, 'TypeError', 'Expected a Float64Array or Float32Array for second.centers.data but received an array of length 1'],
    [good, { centers: { ...dense(2, 2), rows: 3 }, shapes: dense(2, 2) }, {}, 'RangeError', 'Expected rows × cols = 6 numbers for second.centers.data but received 4'],
    [good, { centers: dense(2, 2), shapes: dense(2, 2, NaN) }, {}, 'RangeError', 'Expected a finite number for second.shapes.data[0] but received NaN'],
    [null, far, {}, 'TypeError', 'Expected an array of ellipsoids or { centers, shapes } for first but received null'],
    [good, { centers: dense(2, 2) }, {}, 'TypeError', 'Expected { data, rows, cols } for second.shapes but received undefined'],
    [good, { centers: null, shapes: dense(2, 2) }, {}, 'TypeError', 'Expected { data, rows, cols } for second.centers but received null'],
    [good, { centers: { ...dense(2, 2), cols: -1 }, shapes: dense(2, 2) }, {}, 'RangeError', 'Expected an integer from 0 to 4294967294 for second.centers.cols but received -1'],
    [good, { centers: dense(2, 2, NaN), shapes: dense(2, 2) }, {}, 'RangeError', 'Expected a finite number for second.centers.data[0] but received NaN'],
    [good, [7], {}, 'TypeError', 'Expected an ellipsoid { center, shape } for second[0] but received 7'],
    [[{ center: [] }, { center: [1] }], far, {}, 'RangeError', 'Expected 0 numbers, as in first[0].center, for first[1].center but received 1'],
    [good, [{ center: null }], {}, 'TypeError', 'Expected an array of numbers for second[0].center but received null'],
    [good, [{ center: { length: -1 } }], {}, 'TypeError', 'Expected an array of numbers for second[0].center but received an object'],
    [good, [...far, { center: [1, NaN] }], {}, 'RangeError', 'Expected a finite number for second[1].center[1] but received NaN'],
    [good, [{ center: [1, 1], shape: [1, NaN] }, ...far], {}, 'RangeError', 'Expected a finite number for second[0].shape[1] but received NaN'],
    [good, [{ center: [1, 1], shape: null }], {}, 'TypeError', 'Expected a radius, a diagonal or rows of a matrix for second[0].shape but received null'],
    [good, [{ center: [1, 1], shape: [] }], {}, 'RangeError', 'Expected 2 numbers for second[0].shape but received 0'],
    [[{ center: [], shape: [1] }], far, {}, 'RangeError', 'Expected 0 numbers for first[0].shape but received 1'],
    [good, [{ center: [1, 1], shape: [[1, 2], 7] }], {}, 'TypeError', 'Expected an array of numbers for second[0].shape[1] but received 7'],
    [good, [{ center: [1, 1], shape: [[1, 2], [3, 'x']] }], {}, 'TypeError', 'Expected a finite number for second[0].shape[1][1] but received "x"'],
    [good, far, { goals: 'any' }, 'TypeError', 'Unknown option "goals"; did you mean "goal"?'],
    [good, far, { goal: 'best' }, 'RangeError', "Expected 'any', 'widest' or 'converged' for options.goal but received \"best\""],
    [good, far, { tolerance: 0 }, 'RangeError', 'Expected a number between 0 and 1 for options.tolerance but received 0'],
    [good, far, { tolerance: '1' }, 'TypeError', 'Expected a number between 0 and 1 for options.tolerance but received "1"'],
    [good, far, { maxIterations: 0 }, 'RangeError', 'Expected an integer from 1 to 1000000000 for options.maxIterations but received 0'],
    [good, far, { timeLimit: -1 }, 'RangeError', 'Expected a positive number for options.timeLimit but received -1'],
    [good, far, { restart: 1 }, 'TypeError', 'Expected true or false for options.restart but received 1'],
    [good, far, { signal: {} }, 'TypeError', 'Expected an AbortSignal for options.signal but received an object'],
    [good, far, { threads: 0 }, 'RangeError', 'Expected an integer from 1 to 256 for options.threads but received 0'],
  ]; // prettier-ignore

  it.each(names)('throw the listed error: %s', async (backend) => {
    for (const [first, second, options, name, message] of bad) {
      const call = () => separateEllipsoids(first as [], second as [], { backend, ...(options as object) });
      expect(call).toThrow(
        expect.objectContaining({ name, message, code: expect.stringMatching(/^ERR_(ELLIPSOIDS|OPTION)$/) as string }),
      );
      await expect(separateEllipsoidsAsync(first as [], second as [], { backend, ...(options as object) })).rejects.toThrow(
        message,
      );
    }
  });
});

describe('ellipsoidFromCovariance(mean, covariance, { confidence })', () => {
  // x with P(chi-square <= x) = p, computed with 40 digits.
  it.each([
    [1, 0.01, 0.00015708785790970197],
    [1, 0.95, 3.8414588206941245],
    [3, 0.01, 0.11483180189911704],
    [3, 0.95, 7.814727903251178],
    [10, 0.95, 18.307038053275143],
    [33, 0.01, 17.073513672329394],
    [100, 0.95, 124.34211340400408],
    [784, 0.95, 850.2499353918498],
    [5000, 0.01, 4770.3104709622885],
  ])('uses the chi-square quantile of %d degrees of freedom at %d', (d, confidence, quantile) => {
    const { center, shape } = ellipsoidFromCovariance(new Float64Array(d), new Float64Array(d).fill(1), { confidence });
    expect(center.length).toBe(d);
    for (const radius of shape as Float64Array) expect(Math.abs(radius ** 2 / quantile - 1)).toBeLessThan(3e-15);
  });

  it("gives a shape A with A A' = quantile times covariance; the confidence defaults to 0.95", () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 12 }), fc.boolean(), (seed, d, flat) => {
        const next = random(seed);
        const rank = flat ? Math.max(1, d >> 1) : d + 2;
        const G = Array.from({ length: d }, () => Array.from({ length: rank }, () => 2 * next() - 1));
        const S = G.map((a) => G.map((b) => a.reduce((s, x, k) => s + x * b[k]!, 0)));
        const shape = ellipsoidFromCovariance(G.map(next), S).shape as Float64Array[];
        const one = ellipsoidFromCovariance(new Float64Array(d), new Float64Array(d).fill(1)).shape[0] as number;
        for (let i = 0; i < d; i++) {
          for (let j = 0; j < d; j++) {
            const product = shape[i]!.reduce((s, x, k) => s + x * shape[j]![k]!, 0) / one ** 2;
            expect(Math.abs(product - S[i]![j]!)).toBeLessThan(flat ? 1e-6 : 1e-12);
          }
        }
      }),
    );
  });

  it('accepts directions without variance', () => {
    const { shape } = ellipsoidFromCovariance([0, 0], [[4, 2], [2, 1]], { confidence: 0.5 }); // prettier-ignore
    const r = Math.sqrt(-2 * Math.log(0.5));
    expect((shape as Float64Array[]).map((row) => [...row].map((x) => x / r))).toEqual([[expect.closeTo(2, 14), 0], [expect.closeTo(1, 14), 0]]); // prettier-ignore
    expect(ellipsoidFromCovariance([1, 2], [0, 1]).shape[0]).toBe(0);
    expect(ellipsoidFromCovariance([1, 2], [[0, 0], [0, 0]]).shape).toEqual([new Float64Array(2), new Float64Array(2)]); // prettier-ignore
  });

  it.each([
    [TypeError, 'x', [1], {}, 'Expected an array of numbers for mean but received "x"'],
    [RangeError, [NaN], [1], {}, 'Expected a finite number for mean[0] but received NaN'],
    [RangeError, [0, 0], [1], {}, 'Expected 2 variances or rows, as in mean, for covariance but received 1'],
    [TypeError, [0, 0], 7, {}, 'Expected an array of numbers for covariance but received 7'],
    [RangeError, [0, 0], [1, NaN], {}, 'Expected a finite number for covariance[1] but received NaN'],
    [RangeError, [0, 0], [1, -2], {}, 'Expected a variance of 0 or more for covariance[1] but received -2'],
    [RangeError, [0, 0], [-1, 2], {}, 'Expected a variance of 0 or more for covariance[0] but received -1'],
    [RangeError, [0, 0], [[1, 0], [0]], {}, 'Expected 2 numbers, as in mean, for covariance[1] but received 1'],
    [RangeError, [0, 0], [[1, 0.5], [0.25, 1]], {}, 'Expected 0.5, as in covariance[0][1], for covariance[1][0] but received 0.25'],
    [RangeError, [0, 0], [[1, 2], [2, 1]], {}, 'Expected a positive semidefinite matrix, whose pivots are 0 or more, for covariance but received pivot -3 at [1][1]'],
    [RangeError, [0], [1], { confidence: 1 }, 'Expected a number between 0 and 1 for options.confidence but received 1'],
    [TypeError, [0], [1], { level: 0.9 }, 'Unknown option "level"; did you mean "confidence"?'],
  ])('throws %o for mean %j, covariance %j, options %j', (Kind, mean, covariance, options, message) => {
    const call = () => ellipsoidFromCovariance(mean as number[], covariance as number[], options as { confidence?: number });
    const code = message.includes('option') ? 'ERR_OPTION' : 'ERR_ELLIPSOIDS';
    expect(call).toThrow(expect.objectContaining({ message, code }));
    expect(call).toThrow(Kind);
  }); // prettier-ignore

  it('names an entry beside a pivot of 0 that makes the matrix indefinite', () => {
    expect(() => ellipsoidFromCovariance([0, 0], [[0, 1], [1, 1]])).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^Expected at most 0 .* for the remainder of covariance\[1\]\[0\] but received 1$/) as string,
        code: 'ERR_ELLIPSOIDS',
      }),
    ); // prettier-ignore
  });
});
