import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Kernels } from '../../lib/backend/interface.js';
import { backends, js, natives } from '../support/backends.js';
import { expectSame } from '../support/expect.js';
import { vector } from '../support/points.js';
import { random } from '../support/random.js';
import { dot, UNIT } from '../support/reference.js';

interface Blocks {
  x: Float64Array;
  start: Uint32Array;
}

function project(kernels: Kernels, { x, start }: Blocks, threads = 1): Float64Array {
  const out = new Float64Array(x.length).fill(NaN);
  kernels.kernels.projectCones(x, start, out, threads);
  return out;
}

/** Calls visit with the same block of every array, block by block. */
function eachBlock(start: Uint32Array, arrays: Float64Array[], visit: (...blocks: Float64Array[]) => void): void {
  for (let k = 0; k + 1 < start.length; k++) visit(...arrays.map((a) => a.subarray(start[k], start[k + 1])));
}

/** |p|, without overflow or underflow. */
const norm = (p: Float64Array) => Math.hypot(...p);

/** A bound on the relative error of |p|: each of the n terms is squared and added, and the root halves the error. */
const normError = (block: Float64Array) => (block.length + 4) * UNIT;

/** The projection by its three cases: inside the cone, inside the polar cone, elsewhere. */
function twin({ x, start }: Blocks): Float64Array {
  const out = new Float64Array(x.length);
  eachBlock(start, [x, out], (block, result) => {
    const l = block[0]!;
    const p = block.subarray(1);
    const size = norm(p);
    if (size <= l) result.set(block);
    else if (size > -l) {
      const share = l / size / 2 + 0.5;
      result.set([share * size, ...p.map((v) => v * share)]);
    }
  });
  return out;
}

/** Expects each block within `units` roundings of its own size: where l is near -|p|, both computations cancel digits. */
function expectNear(start: Uint32Array, actual: Float64Array, expected: Float64Array, x: Float64Array, units = 4): void {
  eachBlock(start, [actual, expected, x], (some, other, block) => {
    const size = Math.max(...block.map(Math.abs)) || 1;
    const off = norm(some.map((v, i) => v / size - other[i]! / size));
    expect(off).toBeLessThanOrEqual(units * Math.sqrt(block.length) * normError(block));
  });
}

const blocksOf = (sizes: number[], entry: (i: number) => number): Blocks => {
  const start = Uint32Array.from([0, ...sizes]).map(
    (
      (total) => (n) =>
        (total += n)
    )(0),
  );
  return { x: Float64Array.from({ length: start.at(-1)! }, (_, i) => entry(i)), start };
};

// ---- Random blocks

/** No number so near to 0 that its square or product is subnormal. */
const upTo = (max: number) => fc.double({ min: -max, max: max, noNaN: true }).map((v) => (Math.abs(v) < 1e-290 ? 0 : v));
const ordinary = upTo(2);
const whole = fc.integer({ min: -3, max: 3 });
const wild = fc.tuple(upTo(9.99), fc.integer({ min: -270, max: 290 })).map(([m, e]) => (Math.abs(m) < 1e-9 ? 0 : m * 10 ** e));
const huge = upTo(9e200);
const tiny = upTo(9e-200);

const sizes = fc.array(fc.oneof(fc.constantFrom(1, 2, 3), fc.integer({ min: 1, max: 40 })), { maxLength: 6 });
const blocks = fc.tuple(sizes, fc.constantFrom(ordinary, whole, wild, huge, tiny)).chain(([list, entry]) => {
  const n = list.reduce((s, k) => s + k, 0);
  return fc
    .tuple(
      fc.array(entry, { minLength: n, maxLength: n }),
      fc.array(fc.constantFrom(NaN, 1, -1, 0.5, -0.5, 0, 1 - 1e-12), { minLength: 6, maxLength: 6 }),
    )
    .map(([values, ratios]) => {
      const result = blocksOf(list, (i) => values[i]!);
      // Some blocks on the boundary of the cone or of its polar, or near it.
      let k = 0;
      eachBlock(result.start, [result.x], (block) => {
        const ratio = ratios[k++]!;
        const size = norm(block.subarray(1));
        if (!Number.isNaN(ratio) && size < 1e300) block[0] = ratio * size;
      });
      return result;
    });
});

describe.each(backends)('projectCones, $title', ({ kernels }) => {
  it('projectCones(x) is in the cones and equals the projection by cases', () => {
    fc.assert(
      fc.property(blocks, ({ x, start }) => {
        const out = project(kernels, { x, start });
        eachBlock(start, [out], (block) => {
          expect(norm(block.subarray(1))).toBeLessThanOrEqual(
            block[0]! * (1 + 2 * normError(block)) + block.length * Number.MIN_VALUE,
          );
        });
        expectNear(start, out, twin({ x, start }), x);
      }),
      { numRuns: 1000 },
    );
  });

  it('projectCones(Px) is Px, and blocks inside their cones keep their bits', () => {
    fc.assert(
      fc.property(blocks, ({ x, start }) => {
        const once = project(kernels, { x, start });
        expectNear(start, project(kernels, { x: once, start }), once, once);
        const inside = x.slice();
        eachBlock(start, [inside], (block) => (block[0] = Math.min(norm(block.subarray(1)) * 1.001, Number.MAX_VALUE)));
        expectSame(project(kernels, { x: inside, start }), inside);
      }),
      { numRuns: 500 },
    );
  });

  it('x = projectCones(x) - projectCones(-x), the two orthogonal (Moreau)', () => {
    // The polar of a second-order cone is its negative: P_polar(x) = -P(-x).
    fc.assert(
      fc.property(blocks, ({ x, start }) => {
        const above = project(kernels, { x, start });
        const below = project(kernels, { x: x.map((v) => -v), start });
        expectNear(
          start,
          above.map((v, i) => v - below[i]!),
          x,
          x,
        );
        eachBlock(start, [above, below, x], (some, other, block) => {
          const size = Math.max(...block.map(Math.abs)) || 1;
          const product = dot(
            some.map((v) => v / size),
            other.map((v) => v / size),
          );
          expect(Math.abs(product)).toBeLessThanOrEqual(8 * block.length * normError(block));
        });
      }),
      { numRuns: 500 },
    );
  });

  it('projectCones(x) is the nearest point: ⟨x - Px, z - Px⟩ ≤ 0 for z in the cones', () => {
    fc.assert(
      fc.property(blocks, fc.infiniteStream(ordinary), ({ x, start }, stream) => {
        const out = project(kernels, { x, start });
        eachBlock(start, [x, out], (block, near) => {
          const size = Math.max(...block.map(Math.abs)) || 1;
          const z = block.map(() => stream.next().value as number);
          z[0] = norm(z.subarray(1)) * (1 + Math.abs(z[0]!)) * (1 + normError(block));
          const away = block.map((v, i) => v / size - near[i]! / size);
          const along = z.map((v, i) => v - near[i]! / size);
          expect(dot(away, along)).toBeLessThanOrEqual(
            8 * normError(block) * norm(block.map((v) => v / size)) * (norm(z) + Math.sqrt(block.length)),
          );
        });
      }),
      { numRuns: 500 },
    );
  });

  it('projectCones(x) gives the same bits in place, and leaves x unchanged out of place', () => {
    fc.assert(
      fc.property(blocks, ({ x, start }) => {
        const before = x.slice();
        const out = project(kernels, { x, start });
        expectSame(x, before);
        kernels.kernels.projectCones(x, start, x, 1);
        expectSame(x, out);
      }),
      { numRuns: 300 },
    );
  });

  it('projectCones(s x) is s projectCones(x)', () => {
    const sizes = [1, 2, 3, 9, 10, 17, 40];
    const { x, start } = blocksOf(sizes, (i) => vector(82, 3)[i]!);
    const out = project(kernels, { x, start });
    for (const s of [1e200, 1e-200, 2 ** 1000, 2 ** -1000]) {
      const scaled = x.map((v) => v * s);
      expectNear(
        start,
        project(kernels, { x: scaled, start }),
        out.map((v) => v * s),
        scaled,
      );
    }
  });

  it.each<[string, number[], number[]]>([
    ['a single positive number', [2], [2]],
    ['a single negative number', [-2], [0]],
    ['0', [0], [0]],
    ['a point on the cone', [5, 3, 4], [5, 3, 4]],
    ['a point on the polar cone', [-5, 3, -4], [0, 0, 0]],
    ['a point inside the polar cone', [-7, 3, 4], [0, 0, 0]],
    ['a point outside both cones', [0, 3, 4], [2.5, 1.5, 2]],
    ['a pair', [1, 3], [2, 2]],
    ['a point on the positive axis', [1, 0, 0], [1, 0, 0]],
    ['a point on the negative axis', [-1, 0, 0], [0, 0, 0]],
    ['entries of 1e200', [0, 3e200, 4e200], [2.5e200, 1.5e200, 2e200]],
    ['entries of 1e-200', [0, 3e-200, 4e-200], [2.5e-200, 1.5e-200, 2e-200]],
    ['1e200 beside 1e-200', [1e200, 1e-200, -1e-200], [1e200, 1e-200, -1e-200]],
    ['1e-200 before 1e200', [1e-200, 1e200, 0], [5e199, 5e199, 0]],
    ['-1e200 before 1e-200', [-1e200, 1e-200], [0, 0]],
    [
      'the largest numbers',
      [0, Number.MAX_VALUE, Number.MAX_VALUE],
      [Number.MAX_VALUE / Math.SQRT2, Number.MAX_VALUE / 2, Number.MAX_VALUE / 2],
    ],
    ['the smallest numbers', [0, 4 * Number.MIN_VALUE], [2 * Number.MIN_VALUE, 2 * Number.MIN_VALUE]],
    ['ten numbers of 1e160', [0, ...Array<number>(9).fill(1e160)], [1.5e160, ...Array<number>(9).fill(0.5e160)]],
    ['ten numbers of 1e-160', [0, ...Array<number>(9).fill(1e-160)], [1.5e-160, ...Array<number>(9).fill(0.5e-160)]],
  ])('projectCones(x) gives the known projection of %s', (_, x, expected) => {
    const out = project(kernels, { x: Float64Array.from(x), start: Uint32Array.of(0, x.length) });
    out.forEach((v, i) => expect(Math.abs(v - expected[i]!)).toBeLessThanOrEqual(Math.abs(expected[i]!) * 8 * UNIT));
  });

  it('projectCones(x) writes nothing without blocks, and nothing outside of them', () => {
    expect(project(kernels, { x: new Float64Array(0), start: Uint32Array.of(0) })).toEqual(new Float64Array(0));
    const out = Float64Array.of(7, 7, 7, 7, 7);
    kernels.kernels.projectCones(Float64Array.of(9, 0, 3, 4, 9), Uint32Array.of(1, 4), out, 1);
    expect(out).toEqual(Float64Array.of(7, 2.5, 1.5, 2, 7));
  });

  it('projectCones(x) gives the same correct bits for 1, 2, 3 and 7 threads, and again on repetition', () => {
    for (const mixed of [true, false]) {
      const next = random(5);
      const large = blocksOf(
        Array.from({ length: 9_000 }, (_, k) => (mixed ? (k % 1000 === 7 ? 3_000 : 1 + Math.floor(next() * 30)) : 11)),
        () => next() * 2 - 1,
      );
      const one = project(kernels, large);
      expectNear(large.start, one, twin(large), large.x);
      for (const threads of [2, 3, 7, 1, 2]) expectSame(project(kernels, large, threads), one);
    }
  });
});

describe.skipIf(natives.length === 0)('projectCones, native', () => {
  const [baseline, ...better] = natives;
  it('projectCones(x) agrees at the baseline with js, and at every SIMD level with the baseline', () => {
    const large = blocksOf(
      Array.from({ length: 300 }, (_, k) => k + 1),
      (i) => Math.sin(i * i) * 10 ** (i % 5),
    );
    const plain = project(baseline!, large, 2);
    expectNear(large.start, plain, project(js, large), large.x);
    for (const level of better) expectNear(large.start, project(level, large, 2), plain, large.x);
  });
});
