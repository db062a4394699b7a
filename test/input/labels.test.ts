import { describe, expect, it } from 'vitest';
import { messageOf } from '../../lib/errors.js';
import { classesOf, encodeTwo, resolveLabels } from '../../lib/input/labels.js';
import { refusal } from '../support/refusal.js';

describe('resolveLabels(list, rows, options) of a Float64Array', () => {
  const signs = (...labels: number[]) => [...resolveLabels(Float64Array.from(labels), labels.length, {}).y];

  it('takes any two numbers', () => {
    expect(signs(5, 5, 2, 5, 2)).toEqual([1, 1, -1, 1, -1]);
    expect(signs(0, -0, 1)).toEqual([-1, -1, 1]);
    expect(signs(Number.MAX_VALUE, 1e308)).toEqual([1, -1]);
    expect(signs(1, 2)).toEqual([-1, 1]);
  });

  it.each([
    [[7, 7, 7], 'every label is 7'],
    [[Infinity, Infinity, 1], 'Expected a finite number for labels[0] but received Infinity'],
    [[1, 1, -Infinity], 'Expected a finite number for labels[2] but received -Infinity'],
    [[NaN, 1], 'Expected a finite number for labels[0] but received NaN'],
    [[1, NaN, 1], 'Expected a finite number for labels[1] but received NaN'],
    [[1, 2, NaN], 'Expected a finite number for labels[2] but received NaN'],
  ])('refuses %j', (labels, message) => {
    expect(refusal(() => signs(...labels))).toContain(message);
  });
});

describe('resolveLabels(list, rows, options) and its errors', () => {
  it.each([[[1, 1], 'Expected two distinct labels<code labels> but every label is 1']])(
    'has terms for the place of %j, which the command line words in its own way',
    (labels, message) => {
      try {
        resolveLabels(labels, labels.length, {});
        expect.fail('nothing was thrown');
      } catch (error) {
        expect(messageOf(error as Error, ({ kind, name }) => `<${kind} ${name}>`)).toBe(message);
      }
    },
  );
});

describe('encodeTwo(list, seen, y)', () => {
  const encode = (...labels: number[]) => {
    const seen: number[] = [];
    const y = new Int8Array(labels.length);
    return { rows: encodeTwo(Float64Array.from(labels), seen, y), seen, y };
  };

  it('encodes two labels, in the order of their first appearance', () => {
    expect(encode(5, 5, 2, 5, 2)).toEqual({ rows: 5, seen: [5, 2], y: Int8Array.of(0, 0, 1, 0, 1) });
    expect(encode(1, 2)).toEqual({ rows: 2, seen: [1, 2], y: Int8Array.of(0, 1) });
  });

  it.each([[[1]], [[1, 1]], [[1, 2, 3]], [[1, NaN]], [[NaN, 1]], [[1, Infinity]], [[-Infinity, 1, 1]]])(
    'leaves %j to the caller',
    (labels) => {
      expect(encode(...labels)).toMatchObject({ rows: 0, seen: [] });
    },
  );
});

describe('classesOf(labels)', () => {
  it('lists the rows of each label', () => {
    expect([...classesOf(['b', 'a', 'b'])]).toEqual([['b', [0, 2]], ['a', [1]]]); // prettier-ignore
  });

  it('refuses labels of several types', () => {
    expect(refusal(() => classesOf([1, '1']))).toBe(
      'TypeError [ERR_LABELS]: Expected a number for labels[1], as in labels[0], but received "1"',
    );
  });
});
