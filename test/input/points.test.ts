import { describe, expect, it } from 'vitest';
import { checkUnchanged, viewPoints } from '../../lib/input/points.js';
import { refusal } from '../support/refusal.js';

const data = Float64Array.of(1, 2);
const dense = { data, rows: 1, cols: 2 };
const csr = { indptr: [0, 1], indices: [0], rows: 1, cols: 2 };

describe('viewPoints(points)', () => {
  it.each([
    ['shape', 'give its sizes as rows and cols'],
    ['width', 'did you mean "cols"?'],
    ['height', 'did you mean "rows"?'],
    ['ncols', 'did you mean "cols"?'],
    ['nrows', 'did you mean "rows"?'],
  ])('says what to write for %s', (key, text) => {
    for (const points of [dense, csr]) {
      expect(refusal(() => viewPoints({ ...points, [key]: 1 }))).toBe(
        `TypeError [ERR_POINTS]: Unknown key "${key}" of points; ${text}`,
      );
    }
  });

  it('calls the data of a sparse matrix values', () => {
    expect(refusal(() => viewPoints({ ...csr, data: [1] }))).toBe(
      'TypeError [ERR_POINTS]: Unknown key "data" of points; did you mean "values"?',
    );
  });

  it.each([
    ['0', '"0"'],
    [0n, '0n'],
    [null, 'null'],
    [true, 'true'],
  ])('refuses %s as an index, which would become 0', (given, shown) => {
    expect(refusal(() => viewPoints({ ...csr, indices: [given] }))).toBe(
      `RangeError [ERR_POINTS]: Expected an integer from 0 to 4294967295 for points.indices[0] but received ${shown}`,
    );
  });

  it('of no rows does not know the number of columns', () => {
    expect(viewPoints([], { min: 0 })).toMatchObject({ rows: 0, cols: NaN, arguments: [new Float64Array(0), 0, NaN] });
  });
});

describe('checkUnchanged(view)', () => {
  it('refuses arrays that were detached since', () => {
    const view = viewPoints({ ...dense, data: data.slice() });
    expect(refusal(() => checkUnchanged(view))).toBe('none');
    const { buffer } = view.arguments[0] as Float64Array<ArrayBuffer>;
    structuredClone(buffer, { transfer: [buffer] });
    expect(refusal(() => checkUnchanged(view))).toBe(
      'RangeError [ERR_POINTS]: Expected points to stay unchanged during the call but an array of 2 numbers now has 0',
    );
  });
});
