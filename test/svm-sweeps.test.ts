import { describe, expect, it } from 'vitest';
import { backends, natives, js } from './backends.js';
import { expectSame } from './expect.js';
import { integers, vector } from './points.js';
import { sum, UNIT } from './reference.js';

// Every remainder of every vector width, and longer.
const LENGTHS = [...Array.from({ length: 34 }, (_, n) => n), 63, 64, 65, 1000, 10_007];

const state = (n: number, make = vector) => ({
  x: make(n, 1),
  xPrev: make(n, 2),
  q: make(n, 3),
  qPrev: make(n, 4),
  xNext: make(n, 5),
  qNext: make(n, 6),
});

describe.each(backends)('svm sweeps, $title', ({ kernels }) => {
  it('svmForward(x, …) is y + (1 - q(y) - mu y) / L at y = x + beta (x - xPrev)', () => {
    for (const n of LENGTHS) {
      const { x, xPrev, q, qPrev } = state(n);
      const [beta, mu, L] = [0.7, 0.3, 2.5];
      const a = new Float64Array(n + 3).fill(9);
      kernels.svmForward(x, xPrev, q, qPrev, beta, mu, L, a);
      expectSame(a.subarray(n), Float64Array.of(9, 9, 9));
      for (let i = 0; i < n; i++) {
        const y = x[i]! + beta * (x[i]! - xPrev[i]!);
        const qy = q[i]! + beta * (q[i]! - qPrev[i]!);
        // Entries up to 1 in magnitude: y and q(y) are below 3, and about a dozen roundings make a.
        expect(Math.abs(a[i]! - (y + (1 - qy - mu * y) / L))).toBeLessThanOrEqual(12 * 3 * UNIT);
      }
    }
  });

  it('svmForward(x, …) is exact on integers', () => {
    const { x, xPrev, q, qPrev } = state(41, integers);
    const a = new Float64Array(41);
    kernels.svmForward(x, xPrev, q, qPrev, 2, 3, 0.5, a);
    for (let i = 0; i < 41; i++) {
      const y = x[i]! + 2 * (x[i]! - xPrev[i]!);
      expect(a[i]! + 0).toBe(y + (1 - (q[i]! + 2 * (q[i]! - qPrev[i]!)) - 3 * y) * 2 + 0);
    }
  });

  it('svmForward(x, …) may write over any of its arrays', () => {
    for (const name of ['x', 'xPrev', 'q', 'qPrev'] as const) {
      const s = state(37);
      const a = new Float64Array(37);
      kernels.svmForward(s.x, s.xPrev, s.q, s.qPrev, 0.5, 0.1, 3, a);
      kernels.svmForward(s.x, s.xPrev, s.q, s.qPrev, 0.5, 0.1, 3, s[name]);
      expectSame(s[name], a);
    }
  });

  it('svmStep(x, …) is |s|², s·(qNext - q(y)) and Σ |s_i (qNext - q(y))_i| for s = xNext - y', () => {
    for (const n of LENGTHS) {
      const { x, xPrev, q, qPrev, xNext, qNext } = state(n);
      const beta = 0.7;
      const out = new Float64Array(4).fill(9);
      kernels.svmStep(x, xPrev, q, qPrev, beta, xNext, qNext, out);
      const s = x.map((v, i) => xNext[i]! - (v + beta * (v - xPrev[i]!)));
      const rise = q.map((v, i) => qNext[i]! - (v + beta * (v - qPrev[i]!)));
      const products = s.map((v, i) => v * rise[i]!);
      // s and rise are below 4, with a few roundings each; then n additions of terms up to 16.
      const allowed = (n + 12) * UNIT * 16 * n;
      expect(Math.abs(out[0]! - sum(s.map((v) => v * v)))).toBeLessThanOrEqual(allowed);
      expect(Math.abs(out[1]! - sum(products))).toBeLessThanOrEqual(allowed);
      expect(Math.abs(out[2]! - sum(products.map(Math.abs)))).toBeLessThanOrEqual(allowed);
      expect(out[3]).toBe(9);
    }
  });

  it('svmStep(x, …) is exact on integers', () => {
    for (const n of [1, 8, 31, 100]) {
      const { x, xPrev, q, qPrev, xNext, qNext } = state(n, integers);
      const out = new Float64Array(3);
      kernels.svmStep(x, xPrev, q, qPrev, 2, xNext, qNext, out);
      const s = x.map((v, i) => xNext[i]! - (v + 2 * (v - xPrev[i]!)));
      const products = q.map((v, i) => s[i]! * (qNext[i]! - (v + 2 * (v - qPrev[i]!))));
      expect([...out].map((v) => v + 0)).toEqual(
        [sum(s.map((v) => v * v)), sum(products), sum(products.map(Math.abs))].map((v) => v + 0),
      );
    }
  });

  it('svmForward(x, …) and svmStep(x, …) leave what they read alone and repeat to the bit', () => {
    const run = () => {
      const s = state(10_007);
      const [a, out] = [new Float64Array(10_007), new Float64Array(3)];
      kernels.svmForward(s.x, s.xPrev, s.q, s.qPrev, 0.9, 0.2, 7, a);
      kernels.svmStep(s.x, s.xPrev, s.q, s.qPrev, 0.9, s.xNext, s.qNext, out);
      for (const [k, array] of Object.values(s).entries()) expectSame(array, vector(10_007, k + 1));
      return [a, out] as const;
    };
    const [first, second] = [run(), run()];
    expectSame(second[0], first[0]);
    expectSame(second[1], first[1]);
  });
});

describe.skipIf(natives.length === 0)('svm sweeps, native', () => {
  it('every SIMD level agrees with js', () => {
    const { x, xPrev, q, qPrev, xNext, qNext } = state(5_001);
    const run = (kernels: typeof js) => {
      const [a, out] = [new Float64Array(5_001), new Float64Array(3)];
      kernels.svmForward(x, xPrev, q, qPrev, 0.9, 0.2, 7, a);
      kernels.svmStep(x, xPrev, q, qPrev, 0.9, xNext, qNext, out);
      return { a, out };
    };
    const twin = run(js);
    for (const level of natives) {
      const { a, out } = run(level);
      expect(Math.max(...a.map((v, i) => Math.abs(v - twin.a[i]!)))).toBeLessThanOrEqual(2 * 12 * 3 * UNIT);
      // Twice the error of a sum of 5001 terms whose magnitudes add up to out[0] and out[2].
      const allowed = [twin.out[0]!, twin.out[2]!, twin.out[2]!].map((magnitude) => 2 * 5_013 * UNIT * magnitude);
      out.forEach((v, k) => expect(Math.abs(v - twin.out[k]!)).toBeLessThanOrEqual(allowed[k]!));
    }
  });
});
