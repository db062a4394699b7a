import { describe, expect, it } from 'vitest';
import { LinearSvm } from '../../lib/index.js';
import { lengthOf } from '../../lib/input/lists.js';
import { refusal } from '../support/refusal.js';

describe('lengthOf(value)', () => {
  it('is the length of any list', () => {
    expect([[1, 2], [], Float64Array.of(1), { length: 3 }].map(lengthOf)).toEqual([2, 0, 1, 3]);
  });

  it("is a typed array's own, whatever its property says", () => {
    expect(lengthOf(Object.defineProperty(new Float64Array(2), 'length', { value: 4 }))).toBe(2);
  });

  it.each([{ length: -1 }, { length: 2.5 }, { length: '3' }, { length: NaN }, {}, 'ab', null, undefined, 5])(
    'is NaN for %j, which is no list',
    (value) => {
      expect(lengthOf(value)).toBeNaN();
    },
  );
});

describe('model.predictOne({ indices, values })', () => {
  it('refuses text for a list, though it has a length', () => {
    const model = LinearSvm.fit([[0, 0], [1, 1]], [0, 1]); // prettier-ignore
    expect(refusal(() => model.predictOne({ indices: 'ab' } as never))).toBe(
      'TypeError [ERR_POINTS]: Expected an array of numbers for point.indices but received "ab"',
    );
    expect(refusal(() => model.predictOne({ indices: [0], values: 'a' } as never))).toBe(
      'TypeError [ERR_POINTS]: Expected an array of numbers for point.values but received "a"',
    );
  });
});
