import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sidesOf } from '../../lib/svm/model.js';
import { Votes, winner } from '../../lib/svm/votes.js';

describe('Votes', () => {
  it('winners(values) are the argmax of decide(values), the first one of equal ones', () => {
    const value = fc.oneof(fc.constantFrom(0, -0, 1, -1, 1e308, -1e308), fc.double({ min: -9, max: 9, noNaN: true }));
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 7 }), fc.array(value, { minLength: 63, maxLength: 63 }), (classes, list) => {
        const sides = sidesOf(classes, 'pairs');
        const rows = Math.floor(list.length / sides.length);
        const values = Float64Array.from(list);
        const [decided, winners] = [new Float64Array(rows * classes), new Uint16Array(rows)];
        const votes = new Votes(sides, classes);
        votes.decide(values, rows, decided);
        votes.winners(values, rows, winners);
        for (let i = 0; i < rows; i++) {
          expect(winners[i]).toBe(winner(decided, i * classes, classes));
          const own = decided.subarray(i * classes, (i + 1) * classes);
          // All votes are counted, and what is added to them is less than a third.
          expect(own.reduce((sum, v) => sum + Math.round(v), 0)).toBe(sides.length);
          expect(own.every((v) => Math.abs(v - Math.round(v)) <= 1 / 3 + 1e-12)).toBe(true);
        }
      }),
      { seed: 5 },
    );
  });

  it('decides among equal votes by the sum of values', () => {
    // Each of three classes beats another.
    const values = Float64Array.of(1, -1, 3); // 1 beats 0, 0 beats 2, 2 beats 1 by far
    const out = new Uint16Array(1);
    new Votes(sidesOf(3, 'pairs'), 3).winners(values, 1, out);
    expect(out[0]).toBe(2);
  });

  it('squashes sums whose triple overflows to a third, as the largest ones', () => {
    const out = new Float64Array(3);
    for (const size of [1e100, 6.1e307, 1.7e308]) {
      new Votes(sidesOf(3, 'pairs'), 3).decide(Float64Array.of(size, 0, 0), 1, out); // 1 beats 0; 0 and 1 beat 2
      expect(out).toEqual(Float64Array.of(1 - 1 / 3, 2 + 1 / 3, 0));
    }
  });
});
