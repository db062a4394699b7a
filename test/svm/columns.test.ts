/** Columns that are matched by name. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  Dataset,
  LinearSvm,
  stop,
  type DenseMatrix,
  type Fitted,
  type Label,
  type PredictOptions,
  type SparseMatrix,
  type SvmOptions,
} from '../../lib/index.js';
import { aligned, knownNames } from '../../lib/svm/columns.js';
import { names as backends } from '../support/backends.js';
import { random } from '../support/random.js';
import { refusal } from '../support/refusal.js';
import { dense, sparse, wdbc } from '../support/svm-data.js';

const cancer = wdbc();
const columns = cancer.rows[0]!.map((_, j) => `x${j}`);
const classes = cancer.rows.map((row, i) => (cancer.labels[i] === 1 ? 'ill' : row[0]! > 12 ? 'large' : 'small'));

/** A permutation of 0, …, n - 1. */
function shuffled(n: number, seed: number): number[] {
  const next = random(seed);
  const order = Array.from({ length: n }, (_, j) => j);
  for (let j = n - 1; j > 0; j--) {
    const k = Math.floor(next() * (j + 1));
    [order[j], order[k]] = [order[k]!, order[j]!];
  }
  return order;
}

/** The rows and names with columns in another order; -1 stands for a column that no model has. */
function reordered(rows: readonly number[][], order: readonly number[]) {
  return {
    rows: rows.map((row, i) => order.map((j, k) => (j < 0 ? Math.sin(i + k) * 1e6 : row[j]!))),
    columns: order.map((j, k) => (j < 0 ? `extra ${k}` : columns[j]!)),
  };
}

const forms: [string, (rows: number[][], columns: string[]) => DenseMatrix | SparseMatrix | Dataset][] = [
  ['dense', (rows, columns) => ({ ...dense(rows), columns })],
  ['dense f32', (rows, columns) => ({ ...dense(rows, Float32Array), columns })],
  ['sparse', (rows, columns) => ({ ...sparse(rows), columns })],
  ['a Dataset', (rows, columns) => Dataset.from({ ...dense(rows), columns })],
  ['a sparse Dataset', (rows, columns) => Dataset.from({ ...sparse(rows), columns })],
  ['a Dataset of rows', (rows, columns) => Dataset.from(rows, { columns })],
];

const fit = (labels: ArrayLike<Label>, options: SvmOptions = {}): Fitted<Label> =>
  LinearSvm.fit<Label>(cancer.rows, labels, { columns, stop: stop.gap(1e-3), ...options });

const binary = fit(cancer.labels, { probability: 'sigmoid' });
const models: [string, Fitted<Label>, ArrayLike<Label>][] = [
  ['two classes', binary, cancer.labels],
  ['three classes, pairs', fit(classes, { multiclass: 'pairs', probability: 'sigmoid' }), classes],
  ['three classes, rest', fit(classes, { multiclass: 'rest', probability: 'sigmoid' }), classes],
];

function expectClose(a: Float64Array, b: Float64Array): void {
  expect(a).toHaveLength(b.length);
  a.forEach((value, i) => expect(Math.abs(value - b[i]!)).toBeLessThan(1e-9 * (1 + Math.abs(b[i]!))));
}

describe('LinearSvm.fit(points, labels)', () => {
  it.each(forms)('keeps the names of points, %s', async (_, form) => {
    const points = form(cancer.rows, columns);
    expect(LinearSvm.fit(points, cancer.labels).columns).toEqual(columns);
    expect((await LinearSvm.fitAsync(points, cancer.labels)).columns).toEqual(columns);
    expect(LinearSvm.fit(points, cancer.labels, { columns }).columns).toEqual(columns);
  });

  it('keeps the names of the option, of any number of classes, also when the time is up', () => {
    for (const [, model] of models) expect(model.columns).toEqual(columns);
    expect(fit(cancer.labels, { timeLimit: 1e-9 }).columns).toEqual(columns);
    expect(LinearSvm.fit(cancer.rows, cancer.labels).columns).toBeUndefined();
  });

  it('refuses names that are not those of the points, or not one a column', () => {
    const points = { ...dense(cancer.rows), columns };
    const other = columns.with(4, 'y');
    expect(refusal(() => LinearSvm.fit(points, cancer.labels, { columns: other }))).toBe(
      'RangeError [ERR_OPTION]: Expected "x4" for options.columns[4], as in points.columns, but received "y"',
    );
    using dataset = Dataset.from(points);
    expect(refusal(() => LinearSvm.fit(dataset, cancer.labels, { columns: other }))).toContain('"x4" for options.columns[4]');
    expect(refusal(() => LinearSvm.fit(cancer.rows, cancer.labels, { columns: ['a'] }))).toBe(
      'RangeError [ERR_OPTION]: Expected 30 names for options.columns, one for each column of points, but received 1',
    );
    expect(refusal(() => LinearSvm.fit(cancer.rows, cancer.labels, { columns: columns.with(4, 'x2') }))).toBe(
      'RangeError [ERR_OPTION]: Expected distinct names for options.columns but received "x2" twice, as 2 and 4',
    );
  });

  it('has names of its own, which nobody can change', () => {
    const own = [...columns];
    const model = LinearSvm.fit(cancer.rows, cancer.labels, { columns: own });
    own[0] = 'other';
    expect(model.columns![0]).toBe('x0');
    expect(() => ((model.columns as string[])[0] = 'other')).toThrow(TypeError);
    expect(model.predict(cancer.rows, { columns })).toEqual(model.predict(cancer.rows));
  });

  it('writes names to JSON, and starts from a model with other names', () => {
    const copy = LinearSvm.fromJSON(JSON.parse(JSON.stringify(binary)));
    expect(copy.columns).toEqual(columns);
    expect(copy.predict(cancer.rows, { columns })).toEqual(binary.predict(cancer.rows));
    expect(fit(cancer.labels, { columns: columns.map((name) => `${name}'`), warmStart: binary }).columns![0]).toBe("x0'");
  });

  it('Dataset.from keeps names, after dispose too', () => {
    const dataset = Dataset.from(cancer.rows, { columns });
    dataset.dispose();
    expect(dataset.columns).toEqual(columns);
    expect(Dataset.from(cancer.rows).columns).toBeUndefined();
    expect(refusal(() => Dataset.from({ ...dense(cancer.rows), columns }, { columns: columns.toReversed() }))).toContain(
      '[ERR_OPTION]: Expected "x0" for options.columns[0], as in points.columns, but received "x29"',
    );
  });
});

describe.each(models)('predictions on named points, %s', (_, model, labels) => {
  const expected = {
    labels: model.predict(cancer.rows),
    decision: model.decision(cancer.rows),
    probability: model.probability(cancer.rows),
    certain: model.certify(cancer.rows),
    score: model.score(cancer.rows, labels),
  };

  it('certifies something, so that the following shows something', () => {
    expect(expected.certain.filter(Boolean).length).toBeGreaterThan(300);
  });

  const expectSame = (points: DenseMatrix | SparseMatrix | Dataset | number[][], options?: PredictOptions) => {
    expect(model.predict(points, options)).toEqual(expected.labels);
    expectClose(model.decision(points, options), expected.decision);
    expectClose(model.probability(points, options), expected.probability);
    expect(model.certify(points, options)).toEqual(expected.certain);
    const { confusion, rocAuc, logLoss } = model.score(points, labels, options);
    expect(confusion).toEqual(expected.score.confusion);
    expect(rocAuc).toBeCloseTo(expected.score.rocAuc!, 6);
    expect(logLoss).toBeCloseTo(expected.score.logLoss!, 9);
  };

  it.each(forms.filter(([name]) => name !== 'dense f32'))('find columns in any order, %s', (_, form) => {
    for (const seed of [1, 2, 3]) {
      const { rows, columns } = reordered(cancer.rows, shuffled(30, seed));
      expectSame(form(rows, columns));
    }
    expectSame(form(cancer.rows, columns));
  });

  it('find columns of rows by the option', () => {
    const { rows, columns } = reordered(cancer.rows, shuffled(30, 4));
    expectSame(rows, { columns });
    expectSame(dense(rows), { columns });
    expectSame({ ...dense(rows), columns }, { columns });
    using dataset = Dataset.from(rows);
    expectSame(dataset, { columns });
  });

  it.each(forms.filter(([name]) => name !== 'dense f32'))('leave out extra columns if asked to, %s', (_, form) => {
    const order = shuffled(33, 5).map((j) => (j < 30 ? j : -1));
    const { rows, columns } = reordered(cancer.rows, order);
    const points = form(rows, columns);
    expectSame(points, { extraColumns: 'ignore' });
    const first = columns[order.indexOf(-1)];
    const message = `Expected only columns of the model for points but received "${first}" and 2 more; set extraColumns: 'ignore' to leave them out`;
    for (const options of [undefined, {}, { extraColumns: 'refuse' as const }]) {
      for (const call of [
        () => model.predict(points, options),
        () => model.decision(points, options),
        () => model.probability(points, options),
        () => model.certify(points, options),
        () => model.score(points, labels, options),
      ]) {
        expect(refusal(call)).toBe(`RangeError [ERR_POINTS]: ${message}`);
      }
    }
    expectSame(points, { extraColumns: 'ignore' });
  });

  it('go by position if the points or the model have no names', () => {
    const other = columns.map((name) => `${name}'`);
    const bare = LinearSvm.fromJSON({ ...(model.toJSON() as object), columns: undefined, checksum: undefined });
    expect(bare.predict({ ...dense(cancer.rows), columns: other })).toEqual(expected.labels);
    expect(bare.predict(cancer.rows, { columns: other, extraColumns: 'ignore' })).toEqual(expected.labels);
    expect(refusal(() => bare.predict([[1, 2]], { columns: ['a', 'b'], extraColumns: 'ignore' }))).toBe(
      'RangeError [ERR_POINTS]: Expected 30 columns for points, one for each weight of the model, but received 2',
    );
    expect(refusal(() => model.predict([[1, 2]], { extraColumns: 'ignore' }))).toBe(
      'RangeError [ERR_POINTS]: Expected 30 columns for points, one for each weight of the model, but received 2',
    );
  });
});

describe.each(backends)('certify(points) with columns in another order, %s backend', (backend) => {
  it('certifies the same points, of planes with centres of their own too', () => {
    const model = fit(classes, { multiclass: 'pairs', backend });
    const copy = LinearSvm.fromJSON(JSON.parse(JSON.stringify(model.toJSON({ proofs: true }))));
    const { rows, columns } = reordered(cancer.rows, shuffled(32, 7).map((j) => (j < 30 ? j : -1))); // prettier-ignore
    using dataset = Dataset.from(rows, { columns, backend });
    for (const one of [model, copy]) {
      expect(one.certify(dataset, { extraColumns: 'ignore' })).toEqual(model.certify(cancer.rows));
    }
  });
});

describe('what is refused', () => {
  const model = LinearSvm.fit([[0, 0, 1], [1, 0, 0], [3, 3, 1], [4, 2, 0]], [0, 0, 1, 1], { columns: ['a', 'b', 'c'] }); // prettier-ignore

  it('missing columns, with the name of the first and their number', () => {
    expect(refusal(() => model.predict([[1, 2]], { columns: ['c', 'a'] }))).toBe(
      'RangeError [ERR_POINTS]: Expected the column "b" of the model for points but received none of that name',
    );
    expect(refusal(() => model.decision([[1, 2]], { columns: ['x', 'b'] }))).toBe(
      'RangeError [ERR_POINTS]: Expected the column "a" and 1 more of the model for points but received none of these names',
    );
    // Ignoring extra ones does not make up for missing ones.
    expect(refusal(() => model.decision([[1, 2, 3]], { columns: ['x', 'b', 'c'], extraColumns: 'ignore' }))).toContain(
      'Expected the column "a" of the model',
    );
  });

  it('one extra column, with a hint', () => {
    let error: unknown;
    try {
      model.predict([[1, 2, 3, 4]], { columns: ['a', 'b', 'c', '__proto__'] });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({
      code: 'ERR_POINTS',
      message: `Expected only columns of the model for points but received "__proto__"; set extraColumns: 'ignore' to leave it out`,
      hint: { option: 'extraColumns', value: 'ignore' },
    });
  });

  it.each<[string, () => unknown, string]>([
    ['an unknown option', () => model.predict([[1, 2, 3]], { out: new Float64Array(1) } as object), 'TypeError [ERR_OPTION]: Unknown option "out"; expected one of columns, extraColumns'],
    ['a foreign name', () => model.certify([[1, 2, 3]], { feature_names: [] } as object), 'TypeError [ERR_OPTION]: Unknown option "feature_names"; did you mean "columns"?'],
    ['another name, of decision', () => model.decision([[1, 2, 3]], { extra: 'ignore' } as object), 'TypeError [ERR_OPTION]: Unknown option "extra"; did you mean "extraColumns"?'],
    ['another word', () => model.predict([[1, 2, 3]], { extraColumns: 'drop' as never }), `RangeError [ERR_OPTION]: Expected 'refuse' or 'ignore' for options.extraColumns but received "drop"`],
    ['an array as options', () => model.predict([[1, 2, 3]], ['a', 'b', 'c'] as never), 'TypeError [ERR_OPTION]: Expected an object for options but received an array of length 3'],
    ['out of the wrong kind', () => model.decision([[1, 2, 3]], { out: new Float32Array(1) as never }), 'TypeError [ERR_OPTION]: Expected a Float64Array for out but received Float32Array(1)'],
    ['out of the wrong length', () => model.decision([[1, 2, 3]], { out: new Float64Array(2) }), 'RangeError [ERR_OPTION]: Expected 1 number for out, one for each row of points, but received 2'],
    ['names that are not one a column', () => model.predict([[1, 2, 3]], { columns: ['a', 'b'] }), 'RangeError [ERR_OPTION]: Expected 3 names for options.columns, one for each column of points, but received 2'],
    ['a name twice', () => model.predict([[1, 2, 3]], { columns: ['a', 'b', 'a'] }), 'RangeError [ERR_OPTION]: Expected distinct names for options.columns but received "a" twice, as 0 and 2'],
  ])('%s', (_, call, message) => {
    expect(refusal(call)).toBe(message);
  }); // prettier-ignore

  it('names of a model that has one twice, unless they are in its order', () => {
    const json = { ...(model.toJSON() as object), columns: ['a', 'b', 'a'], checksum: undefined };
    const twice = LinearSvm.fromJSON(json);
    const row = { data: Float64Array.of(1, 2, 3), rows: 1, cols: 3 };
    expect(refusal(() => twice.predict({ ...row, columns: ['a', 'b', 'c'] }))).toBe(
      'RangeError [ERR_MODEL]: Expected distinct names for model.columns, to match them with those of points, but received "a" twice',
    );
    expect(twice.predict(row)).toEqual(model.predict(row));
    expect(twice.predict({ ...row, columns: ['a', 'b', 'a'] })).toEqual(model.predict(row));
  });

  it('points without rows, whose names are wrong', () => {
    expect(model.predict([], { columns: ['c', 'b', 'a'] })).toEqual([]);
    expect(refusal(() => model.predict([], { columns: ['c'] }))).toContain('Expected the column "a" and 1 more of the model');
    expect(model.certify({ data: new Float64Array(0), rows: 0, cols: 3, columns: ['c', 'b', 'a'] })).toEqual([]);
  });
});

describe('decision(points, options) and probability(points, options)', () => {
  it('write to out, given as such or among the options', () => {
    const { rows, columns } = reordered(cancer.rows, shuffled(30, 8));
    const [decision, probability] = [binary.decision(cancer.rows), binary.probability(cancer.rows)];
    const out = new Float64Array(cancer.rows.length);
    expect(binary.decision(cancer.rows, out)).toBe(out);
    expect(out).toEqual(decision);
    out.fill(NaN);
    expect(binary.decision(rows, { out, columns })).toBe(out);
    expectClose(out, decision);
    expect(binary.decision(cancer.rows, { out: undefined })).toEqual(decision);
    const both = new Float64Array(2 * rows.length);
    expect(binary.probability(rows, { out: both, columns })).toBe(both);
    expectClose(both, probability);
    expect(binary.probability(cancer.rows, both)).toBe(both);
    expect(both).toEqual(probability);
  });

  it('leave out as it was if columns do not match', () => {
    const out = Float64Array.of(7);
    expect(() => binary.decision([[1]], { out, columns: ['x1'] })).toThrow('Expected the column "x0" and 28 more');
    expect(out[0]).toBe(7);
  });
});

describe('aligned(model, names)', () => {
  const model = LinearSvm.modelOf(binary);
  const order = shuffled(30, 9);
  const names = order.map((j) => columns[j]!);

  it('is the model itself if names are the same, or absent', () => {
    expect(aligned(model, undefined)).toBe(model);
    expect(aligned(model, model.columns)).toBe(model);
    expect(aligned(model, [...columns])).toBe(model);
  });

  it('moves weights, centres and scales, and shares what planes share', () => {
    const rest = LinearSvm.modelOf(models[2]![1]);
    const moved = aligned(rest, [...names, 'more'], 'ignore');
    const expected = (list: Float64Array) => Float64Array.of(...order.map((j) => list[j]!), 0);
    moved.planes.forEach((plane, p) => {
      expect(plane.weights).toEqual(expected(rest.planes[p]!.weights));
      expect(plane.weights).toEqual(moved.table.weights.subarray(31 * p, 31 * (p + 1)));
      expect(plane).toMatchObject({ bias: rest.planes[p]!.bias, positive: rest.planes[p]!.positive });
      expect(moved.proofs![p]!.centre).toEqual(expected(rest.proofs![p]!.centre));
      expect(moved.proofs![p]!.inverseScale).toBe(moved.proofs![0]!.inverseScale);
    });
    expect(moved.proofs![0]!.inverseScale).toEqual(expected(rest.proofs![0]!.inverseScale));
  });

  it('keeps the last one: the same names give the same model again', () => {
    const first = aligned(model, names);
    expect(knownNames(model)).toEqual([model.columns, names]);
    expect(aligned(model, names)).toBe(first);
    expect(aligned(model, columns)).toBe(model);
    expect(aligned(model, names)).toBe(first);
    const other = [...names].reverse();
    expect(aligned(model, other)).not.toBe(first);
    expect(aligned(model, other)).toBe(aligned(model, other));
  });

  it('sees names that were changed in place since', () => {
    const changing = ['a', 'b', 'c'];
    const svm = LinearSvm.fit([[0, 0, 1], [1, 0, 0], [3, 3, 1], [4, 2, 0]], [0, 0, 1, 1], { columns: ['c', 'b', 'a'] }); // prettier-ignore
    const points = { data: Float64Array.of(1, 20, 300), rows: 1, cols: 3, columns: changing };
    const at = (a: number, b: number, c: number) => svm.decision([[c, b, a]])[0];
    expect(svm.decision(points)[0]).toBeCloseTo(at(1, 20, 300)!, 9);
    [changing[0], changing[1]] = ['b', 'a'];
    expect(svm.decision(points)[0]).toBeCloseTo(at(20, 1, 300)!, 9);
    changing[0] = 'c';
    expect(refusal(() => svm.decision(points))).toContain('received "c" twice, as 0 and 2');
  });

  it('sees weights that were written since', () => {
    const svm = LinearSvm.fit([[0, 0], [1, 0], [3, 3], [4, 2]], [0, 0, 1, 1], { columns: ['a', 'b'] }); // prettier-ignore
    const before = svm.decision([[5, 7]], { columns: ['b', 'a'] })[0]!;
    svm.weights[1]! += 1;
    expect(svm.decision([[5, 7]], { columns: ['b', 'a'] })[0]).toBeCloseTo(before + 5, 9);
  });

  it('gives the decisions of any order and of any names', () => {
    const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', '', 'a'), fc.string());
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), fc.nat(), (list, seed) => {
        const weights = list.map((_, j) => 2 ** j);
        const svm = LinearSvm.fromJSON({ format: 'fista-classify/linear-svm', version: 1, labels: [0, 1], bias: 0.5, weights, columns: list });
        const order = shuffled(list.length, seed);
        const row = order.map((j) => 3 ** j);
        const expected = weights.reduce((sum, weight, j) => sum + weight * 3 ** j, 0.5);
        const columns = order.map((j) => list[j]!);
        expect(svm.decision([row], { columns })[0]).toBe(expected);
        const extra = { columns: [...columns, `${list.join('')}!`], extraColumns: 'ignore' as const };
        expect(svm.decision([[...row, 1e300]], extra)[0]).toBe(expected);
      }),
      { seed: 5, numRuns: 200 },
    ); // prettier-ignore
  });

  it('takes 200,000 columns in time that grows with their number', () => {
    const cols = 200_000;
    const many = Array.from({ length: cols }, (_, j) => `column ${j}`);
    const weights = { length: cols, indices: [0, 7], values: [2, 3] };
    const svm = LinearSvm.fromJSON({
      format: 'fista-classify/linear-svm',
      version: 1,
      labels: [0, 1],
      bias: 0,
      weights,
      columns: many,
    });
    const points = { indptr: [0, 2], indices: [cols - 8, cols - 1], values: [1, 10], rows: 1, cols, columns: many.toReversed() };
    for (let k = 0; k < 3; k++) expect(svm.decision(points)[0]).toBe(23);
    expect(refusal(() => svm.decision({ ...points, columns: many.with(3, 'x') }))).toContain('the column "column 3" of the model');
  });
});
