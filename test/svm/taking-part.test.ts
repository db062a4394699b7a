import { describe, expect, it } from 'vitest';
import { countByClass, countTaking, membersOf, rowWeights, takesPart, weightOf } from '../../lib/svm/taking-part.js';

const y = Int8Array.of(1, -1, -1, 1, -1);
const some = Float64Array.of(2, 0, 1, 0, 5e-324);

describe('taking part', () => {
  it('weightOf(weights, row) is 1 without weights, the common weight, or that of the row', () => {
    expect(weightOf(undefined, 3)).toBe(1);
    expect(weightOf([7], 3)).toBe(7);
    expect(weightOf(some, 2)).toBe(1);
  });

  it('takesPart(weights, row) is true for a positive weight, however small', () => {
    expect([0, 1, 2, 3, 4].map((i) => takesPart(some, i))).toEqual([true, false, true, false, true]);
    expect(takesPart(undefined, 9)).toBe(true);
    expect(takesPart([0], 9)).toBe(false);
  });

  it('countTaking(weights, rows) counts the rows with a positive weight', () => {
    expect(countTaking(some, 5)).toBe(3);
    expect(countTaking(undefined, 5)).toBe(5);
    expect(countTaking([2], 5)).toBe(5);
    expect(countTaking([0], 5)).toBe(0);
  });

  it('countByClass(y, weights) and membersOf(y, weights) count and list them by class', () => {
    expect(countByClass(y, undefined)).toEqual([3, 2]);
    expect(countByClass(y, some)).toEqual([2, 1]);
    expect(countByClass(y, [2])).toEqual([3, 2]);
    expect(countByClass(y, [0])).toEqual([0, 0]);
    expect(membersOf(y, undefined)).toEqual([Uint32Array.of(1, 2, 4), Uint32Array.of(0, 3)]);
    expect(membersOf(y, some)).toEqual([Uint32Array.of(2, 4), Uint32Array.of(0)]);
  });

  it('rowWeights({ byClass, byRow }, y) leaves rows of weight 0 at 0, even a whole class of them', () => {
    const byRow = Float64Array.of(3, 0, 0, 1, 0);
    expect(rowWeights({ byClass: 'balanced', byRow }, y)).toEqual(Float64Array.of(1.5, 0, 0, 0.5, 0));
    expect(rowWeights({ byClass: [1, 1], byRow }, y)).toEqual(byRow);
  });
});
