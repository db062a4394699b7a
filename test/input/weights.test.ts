import { describe, expect, it } from 'vitest';
import { participants } from '../../lib/input/weights.js';
import type { Weights } from '../../lib/svm/taking-part.js';
import { refusal } from '../support/refusal.js';

describe('participants(weights, labels)', () => {
  const count = (weights: Partial<Weights>) =>
    participants(
      { byClass: [1, 1], byRow: undefined, ...weights },
      { labels: ['no', 'yes'], y: Int8Array.of(1, -1, -1), classes: undefined },
    );
  const none = (label: string, option: string) =>
    `RangeError [ERR_OPTION]: Expected a positive weight for some row of class "${label}", by options.${option}, but all of them are 0`;

  it('counts the rows of each class with a positive weight', () => {
    expect(count({})).toEqual([2, 1]);
    expect(count({ byClass: 'balanced', byRow: Float64Array.of(1, 0, 5e-324) })).toEqual([1, 1]);
  });

  it('refuses a class without weight, and names the option that takes it away', () => {
    expect(refusal(() => count({ byRow: Float64Array.of(0, 1, 1) }))).toBe(none('yes', 'sampleWeight'));
    expect(refusal(() => count({ byRow: Float64Array.of(1, 0, 0), byClass: 'balanced' }))).toBe(none('no', 'sampleWeight'));
    expect(refusal(() => count({ byClass: [0, 1] }))).toBe(none('no', 'classWeight'));
    expect(refusal(() => count({ byClass: [1, 0], byRow: Float64Array.of(1, 1, 1) }))).toBe(none('yes', 'classWeight'));
  });
});
