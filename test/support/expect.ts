/** Comparisons of long arrays, many times faster than those of vitest. */
import { expect } from 'vitest';
import type { Sums } from './reference.js';

type View = Float64Array | Float32Array | Uint32Array | Int8Array;

/** Expects the same bits. */
export function expectSame(actual: View, expected: View): void {
  if (Buffer.compare(bytes(actual), bytes(expected)) !== 0) expect(actual).toEqual(expected);
}

function bytes({ buffer, byteOffset, byteLength }: View): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Expects each entry within `slack` times the rounding error of a plain sum. */
export function expectSums(actual: Float64Array, sums: Sums, slack = 1): void {
  expect(actual.length).toBe(sums.length);
  for (let i = 0; i < sums.length; i++) {
    const off = Math.abs(actual[i]! - sums.value(i));
    if (!(off <= slack * sums.error(i))) expect.fail(`entry ${i}: ${actual[i]} is off by ${off}, ${sums.error(i)} allowed`);
  }
}
