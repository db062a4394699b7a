import { describe, expect, it } from 'vitest';
import { StepSize } from '../../lib/solver/step-size.js';

const at = (L: number, cap = 100, options = {}) => new StepSize({ L, cap, measured: true, ...options });

describe('StepSize', () => {
  it('accepts(c, noise) takes a step that L bounds, and lets L fall by a tenth at most', () => {
    const size = at(10);
    expect(size.accepts(9.5, 0)).toBe(true);
    expect(size.L).toBe(9.5);
    expect(size.accepts(1, 0)).toBe(true);
    expect(size.L).toBeCloseTo(8.55, 12);
  });

  it('accepts(c, noise) refuses a step of a larger curvature, and raises L to half as much again', () => {
    const size = at(10);
    expect(size.accepts(12, 0)).toBe(false);
    expect(size.L).toBe(18);
    expect(size.accepts(12, 0)).toBe(true);
  });

  it('accepts(c, noise) does not mind what is within the noise, or a millionth', () => {
    expect(at(10).accepts(10.5, 1)).toBe(true);
    expect(at(10).accepts(10 * (1 + 9e-7), 0)).toBe(true);
    expect(at(10).accepts(10 * (1 + 2e-6), 0)).toBe(false);
  });

  it('never goes beyond the cap, where it accepts every step', () => {
    const size = at(90);
    expect(size.accepts(95, 0)).toBe(false);
    expect(size.L).toBe(100);
    expect(size.accepts(1e9, 0)).toBe(true);
  });

  it('acceptsUnknown() asks for the cap first', () => {
    const size = at(10);
    expect(size.acceptsUnknown()).toBe(false);
    expect(size.L).toBe(100);
    expect(size.acceptsUnknown()).toBe(true);
  });

  it('rounds every new L as it is told to', () => {
    const size = at(10, 100, { round: Math.ceil });
    size.accepts(11.1, 0);
    expect(size.L).toBe(17);
    size.accepts(2, 0);
    expect(size.L).toBe(16);
  });

  it('fix(L) ends the measuring', () => {
    const size = at(10);
    expect(size.measured).toBe(true);
    size.fix(42);
    expect([size.measured, size.L]).toEqual([false, 42]);
  });
});
