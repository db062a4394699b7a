import { describe, expect, it } from 'vitest';
import type { Labels } from '../../lib/input/labels.js';
import { classOf, countByClass, countTaking, membersOf, rowWeights, takesPart, weightOf } from '../../lib/svm/taking-part.js';

const y = Int8Array.of(1, -1, -1, 1, -1);
const two: Labels = { labels: [-1, 1], y, classes: undefined };
const three: Labels = { labels: ['a', 'b', 'c'], y: Int8Array.of(-1, 1, 1, -1, -1), classes: Uint16Array.of(2, 0, 0, 1, 2) };
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

  it('countByClass(labels, weights) and membersOf(labels, weights) count and list them by class', () => {
    expect(countByClass(two, undefined)).toEqual([3, 2]);
    expect(countByClass(two, some)).toEqual([2, 1]);
    expect(countByClass(two, [2])).toEqual([3, 2]);
    expect(countByClass(two, [0])).toEqual([0, 0]);
    expect(membersOf(two, undefined)).toEqual([Uint32Array.of(1, 2, 4), Uint32Array.of(0, 3)]);
    expect(membersOf(two, some)).toEqual([Uint32Array.of(2, 4), Uint32Array.of(0)]);
    expect(countByClass(three, undefined)).toEqual([2, 1, 2]);
    expect(countByClass(three, some)).toEqual([1, 0, 2]);
    expect(membersOf(three, some)).toEqual([Uint32Array.of(2), new Uint32Array(0), Uint32Array.of(0, 4)]);
  });

  it('classOf(labels, row) is the number of its label', () => {
    expect([0, 1, 2, 3, 4].map((i) => classOf(two, i))).toEqual([1, 0, 0, 1, 0]);
    expect([0, 1, 2, 3, 4].map((i) => classOf(three, i))).toEqual([2, 0, 0, 1, 2]);
  });

  it('rowWeights({ byClass, byRow }, labels) leaves rows of weight 0 at 0, even a whole class of them', () => {
    const byRow = Float64Array.of(3, 0, 0, 1, 0);
    expect(rowWeights({ byClass: 'balanced', byRow }, two)).toEqual(Float64Array.of(1.5, 0, 0, 0.5, 0));
    expect(rowWeights({ byClass: [1, 1], byRow }, two)).toEqual(byRow);
    expect(rowWeights({ byClass: 'balanced', byRow: undefined }, three)).toEqual(
      Float64Array.of(5 / 6, 5 / 6, 5 / 6, 5 / 3, 5 / 6),
    );
    expect(rowWeights({ byClass: [1, 2, 3], byRow }, three)).toEqual(Float64Array.of(9, 0, 0, 2, 0));
  });
});
