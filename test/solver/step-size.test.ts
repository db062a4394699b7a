import { describe, expect, it } from 'vitest';
import { StepSize } from '../../lib/solver/step-size.js';

const at = (L: number, cap = 100, options = {}) => new StepSize({ L, cap, measured: true, ...options });

describe('StepSize', () => {
  it('accepts(c, noise) accepts a curvature of at most L, and lowers L by at most a tenth', () => {
    const size = at(10);
    expect(size.accepts(9.5, 0)).toBe(true);
    expect(size.L).toBe(9.5);
    expect(size.accepts(1, 0)).toBe(true);
    expect(size.L).toBeCloseTo(8.55, 12);
  });

  it('accepts(c, noise) rejects a larger curvature, and raises L to 1.5 times that', () => {
    const size = at(10);
    expect(size.accepts(12, 0)).toBe(false);
    expect(size.L).toBe(18);
    expect(size.accepts(12, 0)).toBe(true);
  });

  it('accepts(c, noise) tolerates an excess within the noise, or of a millionth', () => {
    expect(at(10).accepts(10.5, 1)).toBe(true);
    expect(at(10).accepts(10 * (1 + 9e-7), 0)).toBe(true);
    expect(at(10).accepts(10 * (1 + 2e-6), 0)).toBe(false);
  });

  it('accepts(c, noise) never raises L beyond the cap, and accepts every step there', () => {
    const size = at(90);
    expect(size.accepts(95, 0)).toBe(false);
    expect(size.L).toBe(100);
    expect(size.accepts(1e9, 0)).toBe(true);
  });

  it('acceptsUnknown() raises L to the cap, and accepts a step only there', () => {
    const size = at(10);
    expect(size.acceptsUnknown()).toBe(false);
    expect(size.L).toBe(100);
    expect(size.acceptsUnknown()).toBe(true);
  });

  it('accepts(c, noise) rounds every new L with options.round', () => {
    const size = at(10, 100, { round: Math.ceil });
    size.accepts(11.1, 0);
    expect(size.L).toBe(17);
    size.accepts(2, 0);
    expect(size.L).toBe(16);
  });

  it('fix(L) sets L and ends the measuring', () => {
    const size = at(10);
    expect(size.measured).toBe(true);
    size.fix(42);
    expect([size.measured, size.L]).toEqual([false, 42]);
  });
});
