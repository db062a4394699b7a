import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Dataset, LinearSvm, precisionRecallCurve, rocCurve, type Label } from '../../lib/index.js';
import { binary, clouds, dense, rounded, sparse, wdbc } from '../support/svm-data.js';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e100, max: 1e100 });

function modelOf<L extends Label>(weights: number[], bias: number, labels: [L, L]): LinearSvm<L> {
  return LinearSvm.fromJSON<L>({ format: 'fista-classify/linear-svm', version: 1, labels, bias, weights });
}

const { rows, labels } = wdbc();
const model = LinearSvm.fit(rows, labels);

describe('model.toJSON() and LinearSvm.fromJSON(json)', () => {
  it('keep every bit of weights, bias and labels through text', () => {
    fc.assert(
      fc.property(
        fc.array(finite, { maxLength: 20 }),
        finite,
        fc.oneof(
          fc.tuple(fc.integer(), fc.integer()),
          fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.double({ noNaN: true, noDefaultInfinity: true })),
          fc.tuple(fc.string(), fc.string()),
          fc.constant([false, true] as [boolean, boolean]),
        ),
        (weights, bias, names) => {
          fc.pre(names[0] !== names[1]);
          const first = modelOf<Label>(weights, bias, names);
          const text = JSON.stringify(first);
          const second = LinearSvm.fromJSON(JSON.parse(text));
          expect(JSON.stringify(second)).toBe(text);
          expect(second.weights).toEqual(Float64Array.from(weights, (w) => w + 0)); // JSON has no -0
          expect(second.bias).toBe(bias + 0);
          expect(second.labels).toEqual(names.map((name) => (name === 0 ? 0 : name)));
        },
      ),
    );
  });

  it('keep the decisions of a fitted model, bit for bit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 2, max: 30 }),
        fc.integer({ min: 0, max: 8 }),
        (seed, n, d) => {
          const sample = clouds(seed, n, d);
          const fitted = LinearSvm.fit(sample.rows, sample.labels, { maxIterations: 7 });
          const again = LinearSvm.fromJSON(JSON.parse(JSON.stringify(fitted)));
          expect(again.decision(sample.rows)).toEqual(fitted.decision(sample.rows));
          expect(again.weights).toEqual(fitted.weights);
          expect(Object.is(again.bias, fitted.bias)).toBe(true);
          expect(again.labels).toEqual(fitted.labels);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('write format, version and checksum, and nothing of the fit', () => {
    expect(Object.keys(model.toJSON())).toEqual(['format', 'version', 'labels', 'bias', 'weights', 'checksum']);
    expect(model.toJSON()).toMatchObject({ format: 'fista-classify/linear-svm', version: 1, labels: [-1, 1] });
    expect(LinearSvm.fromJSON(model.toJSON()).info).toBeUndefined();
  });

  it('share no memory with the model', () => {
    const json = model.toJSON();
    const copy = LinearSvm.fromJSON(json);
    (json.weights as number[])[0] = 77;
    expect(copy.weights[0]).toBe(model.weights[0]);
  });

  it('refuse a model that does not match its checksum', () => {
    const { checksum, ...bare } = model.toJSON();
    const json = { ...bare, checksum };
    expect(checksum).toMatch(/^[0-9a-f]{64}$/);
    expect(LinearSvm.fromJSON(JSON.parse(JSON.stringify(json))).bias).toBe(model.bias);
    const weights = [...(json.weights as number[])];
    for (const change of [
      { bias: 0 },
      { labels: [1, -1] },
      { weights: weights.toReversed() },
      { weights: [...weights, 0] },
      { columns: weights.map((_, j) => `x${j}`) },
      { checksum: 'abc' },
    ]) {
      expect(() => LinearSvm.fromJSON({ ...json, ...change })).toThrow(
        expect.objectContaining({
          code: 'ERR_MODEL',
          message: expect.stringContaining('but received others: the model was edited or damaged') as string,
        }) as Error,
      );
    }
    expect(LinearSvm.fromJSON({ ...bare, bias: 0 }).bias).toBe(0);
  });

  it('write only the nonzero weights if they are few, with the checksum of the full list', () => {
    const weights = new Array<number>(100).fill(0);
    weights[3] = 0.1;
    weights[99] = -2;
    const json = modelOf(weights, 0.5, [0, 1]).toJSON();
    expect(json.weights).toEqual({ length: 100, indices: [3, 99], values: [0.1, -2] });
    expect(LinearSvm.fromJSON({ ...json, weights }).weights).toEqual(Float64Array.from(weights));
    const zero = { ...json, weights: { length: 100, indices: [3, 7, 99], values: [0.1, 0, -2] } };
    expect(LinearSvm.fromJSON(zero).weights).toEqual(Float64Array.from(weights));
  });

  it('write either form of the weights, and read both', () => {
    const chosen = new Set<boolean>();
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, finite), { maxLength: 200, size: 'max' }),
        (weights) => {
          const first = modelOf(weights, 1, [0, 1]);
          const text = JSON.stringify(first);
          chosen.add(Array.isArray(first.toJSON().weights));
          const second = LinearSvm.fromJSON(JSON.parse(text));
          expect(second.weights).toEqual(Float64Array.from(weights, (w) => w + 0));
          expect(JSON.stringify(second)).toBe(text);
        },
      ),
      { numRuns: 300 },
    );
    expect(chosen.size).toBe(2);
  });

  it('write a model of 10^8 columns and two weights in 300 characters', () => {
    const length = 1e8;
    const json = { format: 'fista-classify/linear-svm', version: 1, labels: [0, 1], bias: 1 };
    const wide = LinearSvm.fromJSON({ ...json, weights: { length, indices: [0, length - 1], values: [1, -1] } });
    const text = JSON.stringify(wide);
    expect(text.length).toBeLessThan(300);
    const again = LinearSvm.fromJSON(JSON.parse(text));
    expect([again.weights.length, again.weights[0], again.weights[1], again.weights[length - 1]]).toEqual([length, 1, 0, -1]);
    expect(again.toJSON()).toEqual(wide.toJSON());
    expect(again.predictOne({ indices: [length - 1], values: [2] })).toBe(0);
  });

  it.each<[weights: unknown, message: string]>([
    ['x', 'Expected an array of numbers or { length, indices, values } for json.weights but received "x"'],
    [{}, 'Expected a number for json.weights.length but received undefined'],
    [{ length: 2 ** 28 + 1, indices: [], values: [] }, 'for json.weights.length but received 268435457'],
    [{ length: -1, indices: [], values: [] }, 'for json.weights.length but received -1'],
    [{ length: 1.5, indices: [], values: [] }, 'for json.weights.length but received 1.5'],
    [{ length: 2, indices: 'ab', values: [] }, 'Expected an array of numbers for json.weights.indices but received "ab"'],
    [{ length: 2, indices: [] }, 'Expected an array of numbers for json.weights.values but received undefined'],
    [{ length: 2, indices: [0, 1, 1], values: [] }, 'Expected at most 2 numbers for json.weights.indices but received 3'],
    [{ length: 9, indices: [1], values: [1, 2] }, 'Expected 1 number for json.weights.values, as in json.weights.indices, but'],
    [{ length: 9, indices: [3, 3], values: [1, 2] }, 'an integer from 4 to 8, as indices ascend, for json.weights.indices[1] but'],
    [{ length: 9, indices: [9], values: [1] }, 'an integer from 0 to 8, as indices ascend, for json.weights.indices[0] but'],
    [{ length: 9, indices: [-1], values: [1] }, 'for json.weights.indices[0] but received -1'],
    [{ length: 9, indices: [0.5], values: [1] }, 'for json.weights.indices[0] but received 0.5'],
    [{ length: 9, indices: [null], values: [1] }, 'Expected a finite number for json.weights.indices[0] but received null'],
    [{ length: 9, indices: [1], values: [NaN] }, 'Expected a finite number for json.weights.values[0] but received NaN'],
    [
      { length: 9, indices: new Array(9), values: [] },
      'Expected a finite number for json.weights.indices[0] but received undefined',
    ],
  ])('refuse the weights %j', (weights, message) => {
    const json = { format: 'fista-classify/linear-svm', version: 1, labels: [0, 1], bias: 1, weights };
    expect(() => LinearSvm.fromJSON(json)).toThrow(
      expect.objectContaining({ code: 'ERR_MODEL', message: expect.stringContaining(message) as string }) as Error,
    );
  });

  it('keep the names of columns, and refuse columns that are not names', () => {
    const json = { format: 'fista-classify/linear-svm', version: 1, labels: [0, 1], bias: 1, weights: [1, 2] };
    const named = LinearSvm.fromJSON({ ...json, columns: ['age', 'height'] });
    expect(named.columns).toEqual(['age', 'height']);
    expect(LinearSvm.fromJSON(JSON.parse(JSON.stringify(named))).columns).toEqual(['age', 'height']);
    expect(LinearSvm.fromJSON(json).columns).toBeUndefined();
    for (const [columns, message] of [
      [['age'], 'Expected 2 names, one for each weight, for json.columns but received an array of length 1'],
      ['ab', 'Expected 2 names, one for each weight, for json.columns but received "ab"'],
      [['age', 7], 'Expected a string for json.columns[1] but received 7'],
    ]) {
      expect(() => LinearSvm.fromJSON({ ...json, columns })).toThrow(message);
    }
  });

  it('read each property once', () => {
    const reads = new Map<string, number>();
    const counted = new Proxy(model.toJSON(), {
      get: (json, name) => {
        reads.set(String(name), (reads.get(String(name)) ?? 0) + 1);
        return Reflect.get(json, name) as unknown;
      },
    });
    LinearSvm.fromJSON(counted);
    expect([...reads.values()].every((count) => count === 1)).toBe(true);
    expect(reads.size).toBe(6);
  });

  it('keep the labels "__proto__" and "constructor"', () => {
    const read = LinearSvm.fromJSON(JSON.parse(JSON.stringify(modelOf([1], 0, ['__proto__', 'constructor']))));
    expect(read.predict([[1], [-1]])).toEqual(['constructor', '__proto__']);
  });
});

describe('model.decision(points)', () => {
  it('is weights·x + bias', () => {
    const values = modelOf([2, -3], 0.5, [0, 1]).decision([
      [1, 1],
      [0, 0],
      [2, 0.25],
    ]);
    expect([...values]).toEqual([-0.5, 0.5, 3.75]);
  });

  it('writes into out, and returns it', () => {
    const out = new Float64Array(rows.length);
    expect(model.decision(rows, out)).toBe(out);
    expect(out).toEqual(model.decision(rows));
    const part = new Float64Array(rows.length + 2).fill(9);
    model.decision(rows, part.subarray(1, rows.length + 1));
    expect([part[0], part.at(-1)]).toEqual([9, 9]);
    expect(part.subarray(1, -1)).toEqual(out);
  });

  it('is the same for every form of the points, up to rounding', () => {
    const exact = rounded(rows);
    const expected = model.decision(exact);
    const size = rows.map((row) => row.reduce((s, x, j) => s + Math.abs(x * model.weights[j]!), Math.abs(model.bias)));
    const forms = [dense(exact), dense(exact, Float32Array), sparse(exact), sparse(exact, Float32Array)];
    for (const form of [...forms, ...forms.map((f) => Dataset.from(f)), ...forms.map((f) => Dataset.from(f, { backend: 'js' }))]) {
      const values = model.decision(form);
      expect(values.length).toBe(rows.length);
      // A Dataset of dense f64 is centred, and rounds differently.
      values.forEach((value, i) => expect(Math.abs(value - expected[i]!)).toBeLessThanOrEqual(1e-14 * size[i]!));
    }
  });

  it('takes sparse points without values as ones', () => {
    const sample = binary(3, 50, 12);
    const fitted = LinearSvm.fit(sample.rows, sample.labels);
    const { indptr, indices, rows, cols } = sparse(sample.rows);
    const ones = { indptr, indices, rows, cols };
    expect(fitted.decision(ones)).toEqual(fitted.decision(sparse(sample.rows)));
    fitted.decision(ones).forEach((value, i) => expect(value).toBeCloseTo(fitted.decision([sample.rows[i]!])[0]!, 12));
  });

  it('is the bias for points without columns or entries', () => {
    expect([...modelOf([], 0.75, [0, 1]).decision([[], []])]).toEqual([0.75, 0.75]);
    expect([...modelOf([4], 0.75, [0, 1]).decision({ indptr: [0, 0], indices: [], rows: 1, cols: 1 })]).toEqual([0.75]);
  });
});

describe('model.predict(points) and model.predictOne(point)', () => {
  it('predict and decision of no points are empty', () => {
    const model = modelOf([1, 2], 0.75, ['a', 'b']);
    const nothing = { rows: 0, cols: 2 };
    const sparse = { indptr: [0], indices: [], ...nothing };
    for (const points of [[], { data: new Float64Array(0), ...nothing }, { data: new Float32Array(0), ...nothing }, sparse]) {
      expect(model.predict(points)).toEqual([]);
      expect(model.decision(points)).toEqual(new Float64Array(0));
      const out = new Float64Array(0);
      expect(model.decision(points, out)).toBe(out);
    }
    const shared = new Float64Array(new SharedArrayBuffer(0));
    expect(model.predict({ data: shared, ...nothing })).toEqual([]);
  });

  it('predictOne names a bad value at any position, even with a weight of 0', () => {
    const nine = modelOf([0, 1, -1, 0, 2, 0, 1, 0, 0], 0, [-1, 1]);
    for (const bad of [NaN, Infinity, -Infinity, '1', 1n, undefined]) {
      for (let at = 0; at < 9; at++) {
        const point: unknown[] = new Array(9).fill(1);
        point[at] = bad;
        const indices = [...point.keys()];
        const named = (where: string) =>
          new RegExp(`^Expected a finite number for ${where.replace(/[[\]]/g, '\\$&')} but received`);
        expect(() => nine.predictOne(point as number[])).toThrow(named(`point[${at}]`));
        expect(() => nine.predictOne({ indices, values: point as number[] })).toThrow(named(`point.values[${at}]`));
      }
    }
  });

  it('agree with the sign of decision, a tie being negative', () => {
    const tie = modelOf([1], -1, ['no', 'yes']);
    expect(tie.predict([[0], [1], [2]])).toEqual(['no', 'no', 'yes']);
    expect([[0], [1], [2]].map((point) => tie.predictOne(point))).toEqual(['no', 'no', 'yes']);
    expect(tie.predictOne({ indices: [0] })).toBe('no');
    expect(tie.predictOne([1 + Number.EPSILON])).toBe('yes');
  });

  it('agree on every row of wdbc, dense and sparse', () => {
    const values = model.decision(rows);
    const { indptr, indices, values: entries } = sparse(rows);
    const predicted = model.predict(rows);
    rows.forEach((row, i) => {
      expect(predicted[i]).toBe(values[i]! > 0 ? 1 : -1);
      const point = {
        indices: (indices as Uint32Array).subarray(indptr[i], indptr[i + 1]),
        values: (entries as Float64Array).subarray(indptr[i], indptr[i + 1]),
      };
      // The order of summation differs, but no row is close enough to the boundary for that to matter.
      expect(Math.abs(values[i]!)).toBeGreaterThan(1e-9);
      expect(model.predictOne(row)).toBe(predicted[i]);
      expect(model.predictOne(Float64Array.from(row))).toBe(predicted[i]);
      expect(model.predictOne(point)).toBe(predicted[i]);
    });
  });

  it('predictOne takes a sparse point without values as ones', () => {
    const signs = modelOf([1, 2, -4], 0.5, ['-', '+']);
    expect(signs.predictOne({ indices: [0, 1] })).toBe('+');
    expect(signs.predictOne({ indices: [1, 2] })).toBe('-');
    expect(signs.predictOne({ indices: Uint32Array.of(2), values: Float32Array.of(0.1) })).toBe('+');
    expect(signs.predictOne({ indices: [] })).toBe('+');
  });

  it('agree with the exact decision of integers', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: -1000, max: 1000 }),
        fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 20, maxLength: 20 }),
        (weights, bias, values) => {
          const point = values.slice(0, weights.length);
          const whole = modelOf(weights, bias, [0, 1]);
          const decision = point.reduce((s, x, j) => s + x * weights[j]!, bias);
          expect(whole.decision([point])[0]).toBe(decision);
          expect(whole.predict([point])).toEqual([decision > 0 ? 1 : 0]);
          expect(whole.predictOne(point)).toBe(decision > 0 ? 1 : 0);
          const indices = [...point.keys()].filter((j) => point[j] !== 0);
          expect(whole.predictOne({ indices, values: indices.map((j) => point[j]!) })).toBe(decision > 0 ? 1 : 0);
        },
      ),
    );
  });

  it('predict leaves the points unchanged', () => {
    const form = sparse(rows);
    const copy = structuredClone(form);
    model.predict(form);
    expect(form).toEqual(copy);
  });
});

describe('model.score(points, labels)', () => {
  it('returns accuracy, confusion, and metrics by class and of all', () => {
    const line = modelOf([1], 0, ['no', 'yes']);
    const points = [[-2], [-1], [1], [2], [3]];
    const { classes, ...all } = line.score(points, ['no', 'yes', 'no', 'yes', 'yes']);
    expect(all).toEqual({
      accuracy: 3 / 5,
      balancedAccuracy: (1 / 2 + 2 / 3) / 2,
      confusion: [
        [1, 1],
        [1, 2],
      ],
      macro: { precision: (1 / 2 + 2 / 3) / 2, recall: (1 / 2 + 2 / 3) / 2, f1: (1 / 2 + 2 / 3) / 2 },
      weighted: { precision: 3 / 5, recall: 3 / 5, f1: 3 / 5 },
      matthews: 1 / 6,
      rocAuc: 5 / 6,
      averagePrecision: expect.closeTo((1 + 1 + 3 / 4) / 3, 14) as number,
    });
    const averagePrecision = expect.closeTo((1 + 2 / 3) / 2, 14) as number;
    expect(classes[0]).toEqual({
      label: 'no',
      precision: 1 / 2,
      recall: 1 / 2,
      f1: 1 / 2,
      support: 2,
      rocAuc: 5 / 6,
      averagePrecision,
    });
    expect(classes[1]).toMatchObject({ label: 'yes', support: 3, rocAuc: all.rocAuc, averagePrecision: all.averagePrecision });
  });

  it('takes labels of one class only: there is no ROC curve then', () => {
    const score = modelOf([1], 0, [0, 1]).score([[1], [2]], [1, 1]);
    expect(score).toMatchObject({ accuracy: 1, balancedAccuracy: 1, matthews: 0, rocAuc: undefined, averagePrecision: undefined });
    expect(score.confusion).toEqual([[0, 0], [0, 2]]); // prettier-ignore
    expect(score.classes.map(({ rocAuc }) => rocAuc)).toEqual([undefined, undefined]);
  });

  it('agrees with predict and the curves on wdbc', () => {
    const { accuracy, confusion, classes, rocAuc, averagePrecision } = model.score(rows, labels);
    const predicted = model.predict(rows);
    expect(accuracy).toBe(labels.filter((label, i) => label === predicted[i]).length / labels.length);
    expect(confusion.flat().reduce((a, b) => a + b)).toBe(569);
    expect(confusion[0][0] + confusion[0][1]).toBe(357);
    expect(accuracy).toBeGreaterThan(0.98);
    expect(model.score(Dataset.from(rows), labels)).toMatchObject({ accuracy, confusion });
    const values = model.decision(rows);
    expect(rocAuc).toBe(rocCurve(values, labels).auc);
    expect(averagePrecision).toBe(precisionRecallCurve(values, labels).averagePrecision);
    const negative = precisionRecallCurve(values.map((value) => -value), labels, { positive: model.labels[0] }); // prettier-ignore
    expect(classes[0]!.averagePrecision).toBe(negative.averagePrecision);
  });
});
