/** Comparison to nine digits, as is promised of metrics. */
import { expect } from 'vitest';

export function expectNear(actual: ArrayLike<number>, expected: readonly number[]): void {
  expect(Array.from(actual).length).toBe(expected.length);
  expected.forEach((value, k) => {
    if (!(Math.abs(actual[k]! - value) <= 1e-9 * Math.max(1, Math.abs(value)))) expect(Array.from(actual)).toEqual(expected);
  });
}
