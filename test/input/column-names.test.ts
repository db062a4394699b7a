import { describe, expect, it } from 'vitest';
import { agreedNames, distinctNames, findTwice, isSameNames, matrixNames } from '../../lib/input/column-names.js';
import { crossValidate, Dataset, LinearSvm, separateEllipsoids, trainTestSplit, type DenseMatrix } from '../../lib/index.js';
import { refusal } from '../support/refusal.js';

const names = (value: unknown, known?: readonly string[][]) => distinctNames(value, 'names', 'ERR_POINTS', known);

describe('distinctNames(value)', () => {
  it('copies any distinct strings', () => {
    const odd = ['', ' ', '__proto__', 'constructor', 'hasOwnProperty', '\ud800', 'a\nb', 'é', 'e\u0301'];
    expect(names(odd)).toEqual(odd);
    expect(names(odd)).not.toBe(odd);
    expect(names([])).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['a string', 'ab', 'TypeError [ERR_POINTS]: Expected an array of names for names but received "ab"'],
    ['a number', 2, 'TypeError [ERR_POINTS]: Expected an array of names for names but received 2'],
    ['a Set', new Set(['a']), 'TypeError [ERR_POINTS]: Expected an array of names for names but received a Set'],
    ['a number among names', ['a', 7], 'TypeError [ERR_POINTS]: Expected a name for names[1] but received 7'],
    ['an object with toString', [{ toString: () => 'a' }], 'TypeError [ERR_POINTS]: Expected a name for names[0] but received an object'],
    ['a hole', new Array(4e9), 'TypeError [ERR_POINTS]: Expected a name for names[0] but received undefined'],
    ['a name twice', ['b', 'a', 'c', 'a'], 'RangeError [ERR_POINTS]: Expected distinct names for names but received "a" twice, as 1 and 3'],
    ['__proto__ twice', ['__proto__', '__proto__'], 'RangeError [ERR_POINTS]: Expected distinct names for names but received "__proto__" twice, as 0 and 1'],
  ])('refuses %s', (_, value, message) => {
    expect(refusal(() => names(value))).toBe(message);
  }); // prettier-ignore

  it('returns a known list with the same content, whichever array it is given in', () => {
    const [first, second] = [['a', 'b'], ['b', 'a']]; // prettier-ignore
    expect(names(['b', 'a'], [first, second])).toBe(second);
    const changed = ['a', 'b'];
    expect(names(changed, [first])).toBe(first);
    changed[1] = 'c';
    expect(names(changed, [first])).toEqual(['a', 'c']);
    changed[1] = 'a';
    expect(refusal(() => names(changed, [first]))).toContain('received "a" twice');
  });

  it('reads each name once of a list that is not known: an entry may change', () => {
    let reads = 0;
    const list = new Proxy(['a', 'b'], {
      get: (target, key) => (key === '1' ? `b${reads++}` : (Reflect.get(target, key) as unknown)),
    });
    expect(names(list)).toEqual(['a', 'b0']);
  });

  it('takes 200,000 names in time that grows with their number', () => {
    const many = Array.from({ length: 200_000 }, (_, j) => `column ${j}`);
    expect(names(many)).toHaveLength(200_000);
    expect(refusal(() => names([...many, 'column 7']))).toContain('"column 7" twice, as 7 and 200000');
  });
});

describe('isSameNames, findTwice, matrixNames and agreedNames', () => {
  it('isSameNames compares arrays by content', () => {
    expect(isSameNames(['a', 'b'], ['a', 'b'])).toBe(true);
    for (const other of [['b', 'a'], ['a'], ['a', 'b', 'c'], 'ab', { 0: 'a', 1: 'b', length: 2 }, undefined]) {
      expect(isSameNames(other, ['a', 'b'])).toBe(false);
    } // prettier-ignore
  });

  it('findTwice returns the index of the first repetition', () => {
    expect(findTwice(['a', 'b', 'b', 'a'])).toBe(2);
    expect(findTwice(['a', 'b'])).toBeUndefined();
  });

  it('matrixNames checks the number of names before it reads them', () => {
    expect(matrixNames(undefined, 2, 'points.columns', 'ERR_POINTS')).toBeUndefined();
    expect(refusal(() => matrixNames([1, 2, 3], 2, 'points.columns', 'ERR_POINTS'))).toBe(
      'RangeError [ERR_POINTS]: Expected 2 names for points.columns, one for each column, but received 3',
    );
  });

  it('matrixNames refuses a list that changes its length', () => {
    let reads = 0;
    const list = new Proxy(['a', 'b', 'c'], {
      get: (target, key) => (key === 'length' ? (reads++ === 0 ? 2 : 3) : (Reflect.get(target, key) as unknown)),
    });
    expect(refusal(() => matrixNames(list, 2, 'points.columns', 'ERR_POINTS'))).toContain('Expected 2 names for points.columns');
  });

  it('agreedNames refuses names that differ from the points’ own', () => {
    expect(agreedNames(undefined, undefined, 2)).toBeUndefined();
    expect(agreedNames(['a'], undefined, 1)).toEqual(['a']);
    expect(agreedNames(['a'], ['a'], 1)).toEqual(['a']);
    expect(agreedNames(undefined, ['a'], NaN)).toEqual(['a']);
    expect(refusal(() => agreedNames(['a', 'b'], ['a', 'c'], 2))).toBe(
      'RangeError [ERR_OPTION]: Expected "b" for options.columns[1], as in points.columns, but received "c"',
    );
    expect(refusal(() => agreedNames(undefined, ['a'], 2))).toBe(
      'RangeError [ERR_OPTION]: Expected 2 names for options.columns, one for each column of points, but received 1',
    );
  });
});

describe('names of the columns of points', () => {
  const points: DenseMatrix = { data: Float64Array.of(0, 1, 1, 0, 2, 3, 3, 2), rows: 4, cols: 2 };
  const csr = { indptr: [0, 1, 2, 3, 4], indices: [0, 1, 0, 1], rows: 4, cols: 2 };
  const labels = [0, 0, 1, 1];
  const model = LinearSvm.fit(points, labels);

  it.each<[string, unknown, string]>([
    ['not an array', 2, 'TypeError [ERR_POINTS]: Expected an array of names for points.columns but received 2'],
    ['a number', ['a', 1], 'TypeError [ERR_POINTS]: Expected a name for points.columns[1] but received 1'],
    ['too few', ['a'], 'RangeError [ERR_POINTS]: Expected 2 names for points.columns, one for each column, but received 1'],
    ['equal', ['a', 'a'], 'RangeError [ERR_POINTS]: Expected distinct names for points.columns but received "a" twice, as 0 and 1'],
  ])('are refused by every call if they are %s', async (_, columns, message) => {
    for (const form of [points, csr]) {
      const given = { ...form, columns } as DenseMatrix;
      for (const call of [
        () => LinearSvm.fit(given, labels),
        () => Dataset.from(given),
        () => trainTestSplit(given, labels),
        () => model.predict(given),
        () => model.decision(given),
        () => model.score(given, labels),
        () => model.certify(given),
      ]) {
        expect(refusal(call)).toBe(message);
      }
      await expect(crossValidate(given, labels)).rejects.toThrow(message.replace(/^.*?: /, ''));
    }
  }); // prettier-ignore

  it('may be undefined', () => {
    expect(LinearSvm.fit({ ...points, columns: undefined }, labels, { columns: undefined }).columns).toBeUndefined();
  });

  it('are checked, and not used, in families of ellipsoids', () => {
    const family = (columns?: readonly string[]) => ({ centers: { ...points, columns }, shapes: { ...points, columns } });
    expect(separateEllipsoids(family(['a', 'b']), [{ center: [99, 99] }]).status).toBe('separated');
    expect(refusal(() => separateEllipsoids(family(['a']), [{ center: [99, 99] }]))).toContain(
      '[ERR_ELLIPSOIDS]: Expected 2 names for first.centers.columns, one for each column, but received 1',
    );
  });

  it('cannot detach the data after these were checked', () => {
    const data = points.data.slice();
    const columns = new Proxy(['a', 'b'], {
      get: (target, key) => {
        if (key === '1' && data.byteLength > 0) structuredClone(data, { transfer: [data.buffer] });
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(refusal(() => model.decision({ data, rows: 4, cols: 2, columns }))).toBe(
      'RangeError [ERR_POINTS]: Expected rows × cols = 8 numbers for points.data but received 0',
    );
  });
});
