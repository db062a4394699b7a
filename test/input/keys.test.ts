/** Unknown keys and options: refused by every call, with a suggestion where there is one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  calibrationCurve,
  chooseThreshold,
  crossValidate,
  Dataset,
  ellipsoidFromCovariance,
  LinearSvm,
  precisionRecallCurve,
  readCsv,
  readLibsvm,
  rocCurve,
  separateEllipsoids,
  separateEllipsoidsAsync,
  stop,
  trainTestSplit,
  writeLibsvm,
  type Ellipsoids,
} from '../../lib/index.js';
import { node, ROOT } from '../support/child.js';
import { names } from '../support/backends.js';

const rows = [[0, 0], [1, 0], [0, 1], [1, 1]]; // prettier-ignore
const labels = [-1, -1, 1, 1];
const dense = { data: Float64Array.from(rows.flat()), rows: 4, cols: 2 };
const csr = { indptr: [0, 0, 1, 2, 4], indices: [0, 1, 0, 1], rows: 4, cols: 2 };
const model = () => LinearSvm.fit(rows, labels);
const balls = (...list: object[]) => list as unknown as Ellipsoids;
const far = [{ center: [9, 9] }];

/** The kind, code and message of what a call throws, or its result as JSON. */
async function refusal(call: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await call());
  } catch (error) {
    const { name, code, message } = error as Error & { code?: string };
    return `${name} [${code}] ${message}`;
  }
}

const key = (code: string, text: string) => `TypeError [${code}] Unknown key ${text}`;

describe('separateEllipsoids', () => {
  it.each(names)('takes radius as a shape that is a number (%s)', (backend) => {
    const [a, b] = [
      { center: [0, 0], radius: 100 },
      { center: [1, 1], radius: 100 },
    ] as const;
    expect(separateEllipsoids([a], [b], { backend }).status).toBe('touching');
    const by = (word: 'shape' | 'radius') => {
      const first = [{ center: [0, 0], [word]: 1 }, { center: [0, 3] }];
      const result = separateEllipsoids(first, [{ center: [4, 0], [word]: 0.5 }], { backend, goal: 'widest' });
      return { ...result, elapsed: 0 };
    };
    expect(by('radius')).toEqual(by('shape'));
    expect(by('radius').distance.lower).toBeCloseTo(2.5, 2);
  });

  // prettier-ignore
  it.each<[object, string]>([
    [{ center: [0, 0], radii: 1 }, key('ERR_ELLIPSOIDS', '"radii" of first[0]; did you mean "radius"?')],
    [{ centre: [0, 0], shape: 1 }, key('ERR_ELLIPSOIDS', '"centre" of first[0]; did you mean "center"?')],
    [{ center: [0, 0], covariance: 1 }, key('ERR_ELLIPSOIDS', '"covariance" of first[0]; expected one of center, shape, radius')],
    [{ center: [0, 0], shape: 1, radius: 1 }, 'TypeError [ERR_ELLIPSOIDS] Expected one of first[0].shape and first[0].radius but received both'],
    [{ center: [0, 0], radius: -1 }, 'RangeError [ERR_ELLIPSOIDS] Expected a radius of 0 or more for first[0].radius but received -1'],
    [{ center: [0, 0], radius: Infinity }, 'RangeError [ERR_ELLIPSOIDS] Expected a finite number for first[0].radius but received Infinity'],
    [{ center: [0, 0], radius: [1, 1] }, 'TypeError [ERR_ELLIPSOIDS] Expected a number for first[0].radius but received an array of length 2'],
    [[0, 0], 'TypeError [ERR_ELLIPSOIDS] Expected an ellipsoid { center, shape } for first[0] but received an array of length 2'],
  ])('refuses the ellipsoid %j', async (ellipsoid, message) => {
    expect(await refusal(() => separateEllipsoids(balls(ellipsoid), far))).toBe(message);
    expect(await refusal(() => separateEllipsoidsAsync(balls(ellipsoid), far))).toBe(message);
  });

  it('refuses unknown keys of a family in matrices', async () => {
    const centers = { data: new Float64Array(2), rows: 1, cols: 2 };
    const shapes = { data: new Float64Array(2), rows: 1, cols: 2 };
    const of = (family: object) => refusal(() => separateEllipsoids(far, family as Ellipsoids));
    expect(await of({ centers, shapes })).toMatch(/"status":"separated"/);
    expect(await of({ centers, radii: [1] })).toMatch(/^TypeError \[ERR_ELLIPSOIDS\] Unknown key "radii" of second; shapes holds/);
    expect(await of({ centers, shapes, radius: 1 })).toBe(
      key('ERR_ELLIPSOIDS', '"radius" of second; expected one of centers, shapes'),
    );
    expect(await of({ centers: { ...centers, stride: 1 }, shapes })).toBe(
      key('ERR_ELLIPSOIDS', '"stride" of second.centers; expected one of data, rows, cols, columns'),
    );
    expect(await of({ centers })).toMatch(/Expected \{ data, rows, cols \} for second\.shapes but received undefined$/);
  });
});

describe('keys of points', () => {
  // prettier-ignore
  it.each<[object, string]>([
    [{ indices: [0], vals: [3] }, key('ERR_POINTS', '"vals" of point; did you mean "values"?')],
    [{ indices: [0], values: [3], id: 7 }, key('ERR_POINTS', '"id" of point; expected one of indices, values')],
  ])('predictOne(%j) throws ERR_POINTS', async (point, message) => {
    expect(await refusal(() => model().predictOne(point as never))).toBe(message);
  });

  it('predictOne ignores inherited keys', () => {
    const point = Object.assign(Object.create({ id: 7 }) as object, { indices: [0], values: [3] });
    expect(model().predictOne(point)).toBe(model().predictOne([3, 0]));
  });

  // prettier-ignore
  it.each<[object, string]>([
    [{ ...dense, order: 'F' }, '"order" of points; expected one of data, rows, cols, columns'],
    [{ ...dense, colums: ['a', 'b'] }, '"colums" of points; did you mean "columns"?'],
    [{ ...dense, ncols: 2 }, '"ncols" of points; did you mean "cols"?'],
    [{ ...dense, shape: [4, 2] }, '"shape" of points; give its sizes as rows and cols'],
    [{ ...csr, vals: [1, 2, 3, 4] }, '"vals" of points; did you mean "values"?'],
    [{ ...csr, data: [1, 2, 3, 4] }, '"data" of points; did you mean "values"?'],
    [{ ...csr, indexes: [1] }, '"indexes" of points; did you mean "indices"?'],
  ])('every call refuses %j', async (points, text) => {
    const message = key('ERR_POINTS', text);
    const given = points as typeof dense;
    const { predict } = { predict: model() };
    for (const call of [
      () => LinearSvm.fit(given, labels),
      () => LinearSvm.fitAsync(given, labels),
      () => Dataset.from(given),
      () => predict.predict(given),
      () => predict.decision(given),
      () => predict.score(given, labels),
      () => crossValidate(given, labels),
      () => trainTestSplit(given, labels),
      () => writeLibsvm('nothing', given, labels),
    ]) {
      expect(await refusal(call)).toBe(message);
    }
  });

  it('fit, score and predict accept what readLibsvm, readCsv and trainTestSplit return', async () => {
    const libsvm = await readLibsvm(Buffer.from('1 1:2\n-1 2:1\n1 1:3\n-1 2:2\n'));
    const csv = await readCsv(Buffer.from('x,y\n1,a\n-1,b\n2,a\n-2,b\n'), { label: 'y' });
    expect(LinearSvm.fit(libsvm.points, libsvm.labels).score(libsvm.points, libsvm.labels).accuracy).toBe(1);
    expect(LinearSvm.fit(csv.points, csv.labels).score(csv.points, csv.labels).accuracy).toBe(1);
    for (const { train, test } of [trainTestSplit(csv.points, csv.labels), trainTestSplit(libsvm.points, csv.labels)]) {
      expect(LinearSvm.fit(train.points, train.labels).predict(test.points)).toEqual(test.labels);
    }
    const ball = ellipsoidFromCovariance([0, 0], [1, 1]);
    expect(separateEllipsoids([ball], [{ center: [99, 99] }]).status).toBe('separated');
  });
});

describe('keys of options', () => {
  const odd = { colour: 1 };
  const calls: [string, () => unknown][] = [
    ['LinearSvm.fit', () => LinearSvm.fit(rows, labels, odd as object)],
    ['LinearSvm.fitAsync', () => LinearSvm.fitAsync(rows, labels, odd as object)],
    ['crossValidate', () => crossValidate(rows, labels, odd as object)],
    ['trainTestSplit', () => trainTestSplit(rows, labels, odd as object)],
    ['Dataset.from', () => Dataset.from(rows, odd as object)],
    ['rocCurve', () => rocCurve([1, 2], [0, 1], odd as object)],
    ['precisionRecallCurve', () => precisionRecallCurve([1, 2], [0, 1], odd as object)],
    ['calibrationCurve', () => calibrationCurve([0, 1], [0, 1], odd as object)],
    ['chooseThreshold', () => chooseThreshold([1, 2], [0, 1], { recall: 1, ...odd })],
    ['separateEllipsoids', () => separateEllipsoids(far, far, odd as object)],
    ['separateEllipsoidsAsync', () => separateEllipsoidsAsync(far, far, odd as object)],
    ['ellipsoidFromCovariance', () => ellipsoidFromCovariance([0], [1], odd as object)],
    ['readLibsvm', () => readLibsvm('nothing', odd as object)],
    ['writeLibsvm', () => writeLibsvm('nothing', rows, labels, odd as object)],
    ['readCsv', () => readCsv('nothing', { label: 0, ...odd })],
    ['stop.stale', () => stop.stale(odd as object)],
  ];
  it.each(calls)('%s refuses an unknown option', async (_, call) => {
    expect(await refusal(call)).toMatch(/^TypeError \[ERR_OPTION\] Unknown option "colour"( of stop\.stale)?; expected one of \w+/);
  });

  it('LinearSvm.fit reads each option once', () => {
    const asked: string[] = [];
    const options = new Proxy(
      { gamma: 1, stop: stop.gap(1e-3) },
      { get: (target, name) => (asked.push(String(name)), Reflect.get(target, name) as unknown) },
    );
    expect(LinearSvm.fit(rows, labels, options).info.gamma).toBe(1);
    expect(asked).toContain('gamma');
    expect(new Set(asked).size).toBe(asked.length);
    // A getter whose value changes after the check.
    let count = 0;
    const turning = { get gamma() { return count++ === 0 ? 1 : NaN; } }; // prettier-ignore
    expect(LinearSvm.fit(rows, labels, turning).info.gamma).toBe(1);
  });

  it('LinearSvm.fit takes inherited options', () => {
    expect(LinearSvm.fit(rows, labels, Object.create({ gamma: 3 }) as object).info.gamma).toBe(3);
  });

  const meant = (name: string) => `did you mean "${name}"?`;
  // prettier-ignore
  const FOREIGN: [string, unknown, string][] = [
    ['tol', 1e-3, 'use stop: stop.gap(0.001), the relative gap to stop at'],
    ['tol', 'small', 'use stop: stop.gap(1e-3), the relative gap to stop at'],
    ['eps', 0.01, 'use stop: stop.gap(0.01), the relative gap to stop at'],
    ['epsilon', 0.1, 'use stop: stop.gap(0.1), the relative gap to stop at'],
    ['max_iter', 1000, meant('maxIterations')],
    ['maxIter', 1000, meant('maxIterations')],
    ['n_jobs', -1, meant('threads')],
    ['verbose', true, 'onProgress is called with the state of a run'],
    ['kernel', 'rbf', 'models here are linear: there is no kernel'],
    ['penalty', 'l2', "only L2-regularised losses are trained, 'hinge' or 'squared-hinge' (option loss): leave it out"],
    ['dual', true, 'the dual is always solved: leave it out'],
    ['fit_intercept', true, 'a bias is always trained, and is not regularised: leave it out'],
    ['bias', 1, 'a bias is always trained, and is not regularised: leave it out'],
    ['random_state', 0, 'a fit always gives the same model: leave it out'],
    ['class_weight', 'balanced', meant('classWeight')],
    ['sample_weight', [], meant('sampleWeight')],
    ['warm_start', true, meant('warmStart')],
    ['cost', 1, meant('C')],
    ['c', 1, meant('C')],
    ['nu', 0.5, "set gamma (C is the same), the weight of a row's loss"],
    ['multi_class', 'ovr', meant('multiclass')],
    ['decision_function_shape', 'ovo', "use multiclass: 'pairs' (a plane a pair of classes) or 'rest' (one a class)"],
    ['time_limit', 1, meant('timeLimit')],
    ['constructor', 1, 'expected one of gamma, C, loss, mu, classWeight, sampleWeight, scale, positive, multiclass, probability, columns, encoder, warmStart, keepSets, stop, method, solver, ranks, maxIterations, timeLimit, signal, onProgress, threads, backend'],
  ];
  it.each(FOREIGN)('LinearSvm.fit refuses %s: %j and suggests what to use', async (name, value, hint) => {
    expect(await refusal(() => LinearSvm.fit(rows, labels, { [name]: value }))).toBe(
      `TypeError [ERR_OPTION] Unknown option "${name}"; ${hint}`,
    );
  });

  // prettier-ignore
  it.each<[string, (options: object) => unknown, object, string]>([
    ['crossValidate', (o) => crossValidate(rows, labels, o), { cv: 5 }, 'folds'],
    ['crossValidate', (o) => crossValidate(rows, labels, o), { random_state: 0 }, 'seed'],
    ['crossValidate', (o) => crossValidate(rows, labels, o), { Cs: [1] }, 'gammas'],
    ['rocCurve', (o) => rocCurve([1, 2], [0, 1], o), { pos_label: 1 }, 'positive'],
    ['calibrationCurve', (o) => calibrationCurve([0, 1], [0, 1], o), { n_bins: 1 }, 'bins'],
    ['trainTestSplit', (o) => trainTestSplit(rows, labels, o), { test_size: 0.25 }, 'testShare'],
    ['trainTestSplit', (o) => trainTestSplit(rows, labels, o), { test_size: 2 }, 'testSize'],
    ['trainTestSplit', (o) => trainTestSplit(rows, labels, o), { random_state: 0 }, 'seed'],
    ['separateEllipsoids', (o) => separateEllipsoids(far, far, o), { tol: 1e-3 }, 'tolerance'],
    ['separateEllipsoids', (o) => separateEllipsoids(far, far, o), { max_iter: 1 }, 'maxIterations'],
    ['ellipsoidFromCovariance', (o) => ellipsoidFromCovariance([0], [1], o), { level: 0.9 }, 'confidence'],
    ['readLibsvm', (o) => readLibsvm('nothing', o), { n_features: 3 }, 'cols'],
    ['readLibsvm', (o) => readLibsvm('nothing', o), { zero_based: true }, 'zeroBased'],
    ['readCsv', (o) => readCsv('nothing', o as never), { sep: ';' }, 'delimiter'],
    ['readCsv', (o) => readCsv('nothing', o as never), { target: 'y' }, 'label'],
    ['Dataset.from', (o) => Dataset.from(rows, o), { n_jobs: 1 }, 'threads'],
    ['stop.stale', (o) => stop.stale(o), { deltamin: 1 }, 'deltaMin'],
  ])('%s refuses the option of another library and suggests its own: %#', async (_, call, options, name) => {
    expect(await refusal(() => call(options))).toMatch(new RegExp(`^TypeError \\[ERR_OPTION\\] Unknown option .*; did you mean "${name}"\\?$`));
  });

  it('Dataset.from suggests no option that it does not have', async () => {
    expect(await refusal(() => Dataset.from(rows, { max_iter: 5 } as object))).toBe(
      'TypeError [ERR_OPTION] Unknown option "max_iter"; expected one of backend, threads, columns',
    );
  });

  it('LinearSvm.fit and stop.stale refuse options that are not an object', async () => {
    for (const none of [null, 5, 'C=1', []]) {
      expect(await refusal(() => LinearSvm.fit(rows, labels, none as object))).toMatch(
        /\[ERR_OPTION\] Expected an object for options/,
      );
    }
    expect(await refusal(() => stop.stale(null as never))).toBe(
      'TypeError [ERR_OPTION] Expected an object for the options of stop.stale but received null',
    );
  });
});

describe('fista-classify separate', () => {
  let folder = '';
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'fista-keys-'))));
  afterAll(() => rmSync(folder, { recursive: true }));
  const separate = async (content: object) => {
    const path = join(folder, 'e.json');
    writeFileSync(path, JSON.stringify(content));
    const { code, stdout, stderr } = await node([join(ROOT, 'bin', 'fista-classify.js'), 'separate', path]);
    return { code, stdout, stderr: stderr.replace(path, 'e.json') };
  };

  it('reads radii from JSON, and refuses unknown keys', async () => {
    const of = (radius: number) => ({ first: [{ center: [0, 0], radius }], second: [{ center: [1, 1], radius }] });
    expect((await separate(of(0.1))).stdout).toMatch(/^separated\n/);
    expect((await separate(of(100))).stdout).toMatch(/^touching\n/);
    expect(await separate({ ...of(1), goal: 'widest' })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'fista-classify: Unknown key "goal" of e.json; expected one of first, second [ERR_ELLIPSOIDS]\n',
    });
  });
});
