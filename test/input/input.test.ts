/**
 * lib/input in isolation: defaults, limits and suggested names. Other tests check the messages of what it refuses through the public
 * functions.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  boolean,
  integer,
  knownOptions,
  oneOfThese,
  optional,
  positiveNumber,
  resolveBackend,
  resolveLimits,
  resolveThreads,
  sensibleNumber,
  share,
} from '../../lib/input/options.js';
import { nearest } from '../../lib/input/keys.js';
import { checkMemory } from '../../lib/input/capacity.js';
import { resolveCovariance } from '../../lib/input/covariance.js';
import { resolveCrossValidation } from '../../lib/input/resolve-cross-validation.js';
import { resolveDataset } from '../../lib/input/resolve-dataset.js';
import { resolveDecisions, resolveScore } from '../../lib/input/resolve-decisions.js';
import { checkWords, csvError, gone, gzipError, libsvmError, longError } from '../../lib/input/file-errors.js';
import {
  checkChunk,
  checkSource,
  resolveCsvReading,
  resolveLibsvmReading,
  resolveLibsvmWriting,
} from '../../lib/input/file-options.js';
import { resolveFit } from '../../lib/input/resolve-fit.js';
import { resolveLabels } from '../../lib/input/labels.js';
import { viewPoints } from '../../lib/input/points.js';
import { resolveSeparation } from '../../lib/input/resolve-separation.js';
import { resolveSplit } from '../../lib/input/resolve-split.js';
import { checkWeights, rangeOf } from '../../lib/input/weights.js';
import { messageOf, type CodedError, type Term } from '../../lib/errors.js';
import { kernels } from '../../lib/backend/load.js';
import { Dataset } from '../../lib/index.js';
import { stop } from '../../lib/svm/stopping.js';
import { rowWeights, type Weights } from '../../lib/svm/taking-part.js';

const refusal = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

/** The first line of the stack: kind, code and message. */
const whole = (error: unknown): string => (error as Error).stack!.split('\n', 1)[0]!;
const refusalInFull = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return whole(error);
  }
  return 'none';
};

describe('nearest(name, known) and knownOptions(options, names)', () => {
  const known = ['tolerance', 'stop', 'step1', 'classWeights', 'maxIterations'];

  it('nearest suggests the name with the fewest edits, regardless of case', () => {
    expect(nearest('stap', known)).toBe('stop'); // step1 is two edits away
    expect(nearest('stepx', ['stop', 'step1'])).toBe('step1');
    expect(nearest('STOP', known)).toBe('stop');
    expect(nearest('MAXITERATIONS', known)).toBe('maxIterations');
  });

  it('nearest suggests names within two edits, or a third of their letters', () => {
    expect(nearest('gxyl', ['goal'])).toBe('goal');
    expect(nearest('goxyz', ['goal'])).toBeUndefined();
    expect(nearest('xyalx', ['goal'])).toBeUndefined();
    expect(nearest('clxxxeights', ['classWeights'])).toBe('classWeights');
    expect(nearest('xlxxxeightx', ['classWeights'])).toBeUndefined();
    // Never a change of all letters of a short name, or of most of what was given.
    expect(nearest('tol', ['L'])).toBeUndefined();
    expect(nearest('nu', ['mu'])).toBe('mu');
  });

  it('nearest completes a beginning of four letters or more', () => {
    expect(nearest('maxI', known)).toBe('maxIterations');
    expect(nearest('max', known)).toBeUndefined();
    expect(nearest('axIt', known)).toBeUndefined();
  });

  it('nearest suggests nothing for more than 40 letters', () => {
    expect(nearest(`b${'a'.repeat(39)}`, ['a'.repeat(40)])).toBe('a'.repeat(40));
    expect(nearest(`b${'a'.repeat(40)}`, ['a'.repeat(41)])).toBeUndefined();
  });

  it('knownOptions lists all names if none is near, and refuses what is not an object', () => {
    const known = (given: unknown) => knownOptions(given as { stop?: unknown; mu?: unknown }, ['stop', 'mu']);
    expect(refusal(() => known({ colour: 1 }))).toBe('Unknown option "colour"; expected one of stop, mu');
    expect(refusal(() => known({ Mu: 1 }))).toBe('Unknown option "Mu"; did you mean "mu"?');
    expect(known({ mu: 1, stop: undefined })).toEqual({ mu: 1 });
    expect(known(undefined)).toEqual({});
    for (const [given, shown] of [
      [null, 'null'],
      [[], 'an array of length 0'],
      ['a', '"a"'],
    ]) {
      expect(refusal(() => known(given))).toBe(`Expected an object for options but received ${shown as string}`);
    }
  });
});

describe('checks of option values', () => {
  const signal = new AbortController().signal;
  const onProgress = () => undefined;

  it.each<[string, (value: unknown, where: string) => unknown, taken: unknown[], what: string, refused: unknown[]]>([
    ['integer', integer(2, 5), [2, 3, 5], 'an integer from 2 to 5', [1, 6, 2.5, NaN, '3', undefined]],
    ['boolean', boolean, [true, false], 'true or false', [0, 'true', null]],
    ['share', share, [0.5, 1e-300, 1 - 2 ** -53], 'a number between 0 and 1', [0, 1, -0.5, 1.5, NaN, '0.5']],
    ['a choice', oneOfThese('a', 'b', 'c'), ['a', 'b', 'c'], "'a', 'b' or 'c'", ['', 'd', 1, undefined]],
    ['positive', positiveNumber, [5e-324, 1, Number.MAX_VALUE], 'a positive number', [0, -1, Infinity, NaN, '1']],
    ['sensible', sensibleNumber, [1e-100, 1, 1e100], 'a number from 1e-100 to 1e+100', [9e-101, 2e100]],
    ['sensible, so positive', sensibleNumber, [1], 'a positive number', [0, -1, Infinity, '1']],
    ['threads', resolveThreads, [1, 2, 256], 'an integer from 1 to 256', [0, 257, 1.5, '2', null]],
  ])('%s accepts its values and refuses others', (_, check, taken, what, refused) => {
    for (const value of taken) expect(check(value, 'it')).toBe(value);
    for (const value of refused) {
      const message = refusalInFull(() => check(value, 'options.threads'));
      const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
      const kind = typeof value === typeof taken[0] ? 'RangeError' : 'TypeError';
      expect(message).toBe(`${kind} [ERR_OPTION]: Expected ${what} for options.threads but received ${shown}`);
    }
  });

  it('optional(value, name, check) and resolveThreads accept undefined', () => {
    expect(optional(undefined, 'name', boolean)).toBeUndefined();
    expect(optional(false, 'name', boolean)).toBe(false);
    expect(refusal(() => optional(null, 'name', boolean))).toBe('Expected true or false for options.name but received null');
    expect(resolveThreads(undefined)).toBeGreaterThanOrEqual(1);
  });

  it('resolveBackend(name) returns the kernels of the backend', () => {
    expect(resolveBackend(undefined)).toBe(kernels(undefined));
    expect(resolveBackend('auto')).toBe(kernels('auto'));
    expect(resolveBackend('js')).toBe(kernels('js'));
    expect(() => resolveBackend('gpu')).toThrow(RangeError);
    expect(() => resolveBackend(1)).toThrow(TypeError);
  });

  it('resolveLimits(options) returns defaults and checks the limits', () => {
    expect(resolveLimits({})).toEqual({ maxIterations: 10_000, timeLimit: Infinity, signal: undefined, onProgress: undefined });
    const given = { maxIterations: 1e9, timeLimit: 0.5, signal, onProgress };
    expect(resolveLimits(given)).toEqual(given);
    expect(refusal(() => resolveLimits({ maxIterations: 1e9 + 1 }))).toContain('an integer from 1 to 1000000000');
    expect(refusal(() => resolveLimits({ timeLimit: '1' }))).toBe(
      'Expected a positive number for options.timeLimit but received "1"',
    );
  });
});

describe('viewPoints(points)', () => {
  it('names the first bad entry, even at position 0', () => {
    const csr = { indptr: [0, 1], indices: [0], values: [1], rows: 1, cols: 2 };
    const integers = 'Expected an integer from 0 to 4294967295 for';
    expect(refusal(() => viewPoints({ ...csr, indptr: [-1, 1] }))).toBe(`${integers} points.indptr[0] but received -1`);
    expect(refusal(() => viewPoints({ ...csr, indices: [4294967296] }))).toBe(
      `${integers} points.indices[0] but received 4294967296`,
    );
    expect(refusal(() => viewPoints({ ...csr, values: ['x'] }))).toBe(
      'Expected a finite number for points.values[0] but received "x"',
    );
    // An index of 2³² - 1 passes here; the copy finds that there is no such column.
    expect(viewPoints({ ...csr, indices: [4294967295] }).arguments[1]).toEqual(Uint32Array.of(4294967295));
  });
});

describe('resolveDataset(points, options)', () => {
  it('returns a view of the points, the backend and the threads', () => {
    const { view, ...others } = resolveDataset([[1, 2]], { backend: 'js', threads: 2 });
    expect(others).toEqual({ backend: kernels('js'), threads: 2 });
    expect(view).toMatchObject({ rows: 1, cols: 2, entries: 2, sparse: false, arguments: [Float64Array.of(1, 2), 1, 2] });
    expect(refusal(() => resolveDataset(Dataset.from([[1]])))).toMatch(
      /\{ indptr, indices, rows, cols \} for points but received a Dataset$/,
    );
  });
});

describe('resolveDecisions(cols, points, out) and resolveScore(model, points, labels)', () => {
  const model = { cols: 2, labels: ['no', 'yes'] } as const;

  it('resolveDecisions returns a view of out, or a new array, for the values', () => {
    const out = new Float64Array(2);
    const { source, values, threads } = resolveDecisions({ cols: 2 }, [[1, 2], [3, 4]], out); // prettier-ignore
    expect(source).toMatchObject({ rows: 2, cols: 2 });
    expect(values).not.toBe(out);
    expect(values.buffer).toBe(out.buffer);
    expect(threads).toBe(resolveThreads(undefined));
    expect(resolveDecisions({ cols: 2 }, [[1, 2]]).values).toEqual(new Float64Array(1));
    expect(resolveDecisions({ cols: 7 }, []).values).toEqual(new Float64Array(0));
    const dataset = Dataset.from([[1, 2]]);
    expect(resolveDecisions({ cols: 2 }, dataset).source.dataset).toBe(dataset);
  });

  it('resolveScore returns the labels as y, and refuses no rows, unknown labels and points that change', () => {
    expect(resolveScore(model, [[1, 2]], ['yes']).y).toEqual(Int8Array.of(1));
    const data = Float64Array.of(1, 2);
    const labels = {
      length: 1,
      get 0() {
        structuredClone(data.buffer, { transfer: [data.buffer] });
        return 'yes';
      },
    };
    expect(refusal(() => resolveScore(model, { data, rows: 1, cols: 2 }, labels))).toBe(
      'Expected points to stay unchanged during the call but an array of 2 numbers now has 0',
    );
    expect(refusal(() => resolveScore(model, [], []))).toBe('Expected at least one row for points but received none');
    expect(refusal(() => resolveScore(model, [[1, 2]], ['maybe']))).toBe(
      'Expected "no" or "yes" for labels[0] but received "maybe"',
    );
  });
});

describe('resolveLabels(list, rows, options)', () => {
  const of = (list: unknown, options: Parameters<typeof resolveLabels>[2] = {}, rows = (list as { length: number }).length) =>
    resolveLabels(list, rows, options);

  it('gives y of -1 and 1; the larger label is positive unless options.positive is set', () => {
    expect(of([3, 1, 3])).toEqual({ labels: [1, 3], y: Int8Array.of(1, -1, 1) });
    expect(of([1, 3, 3])).toEqual({ labels: [1, 3], y: Int8Array.of(-1, 1, 1) });
    expect(of(['b', 'a'], { positive: 'a' })).toEqual({ labels: ['b', 'a'], y: Int8Array.of(-1, 1) });
    expect(of(['b', 'a'], { positive: 'b' })).toEqual({ labels: ['a', 'b'], y: Int8Array.of(1, -1) });
    expect(of([true, false, false])).toEqual({ labels: [false, true], y: Int8Array.of(1, -1, -1) });
  });

  it('keeps the order of options.known', () => {
    expect(of([1, 1, 2], { known: [2, 1] })).toEqual({ labels: [2, 1], y: Int8Array.of(1, 1, -1) });
    expect(of(Float64Array.of(1, 1, 2), { known: [2, 1] })).toEqual({ labels: [2, 1], y: Int8Array.of(1, 1, -1) });
    expect(of([1, 1], { known: [2, 1] }).y).toEqual(Int8Array.of(1, 1));
  });

  it('gives the same result and errors for a Float64Array and an array', () => {
    const some = fc.array(fc.constantFrom(0, -0, 1, 7, NaN, Infinity), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.oneof(some, fc.array(fc.constantFrom(1, 2), { minLength: 1, maxLength: 9 })), (list) => {
        const outcome = (labels: unknown) => {
          try {
            return of(labels);
          } catch (error) {
            return (error as Error).message;
          }
        };
        expect(outcome(Float64Array.from(list))).toEqual(outcome(list));
      }),
      { numRuns: 300 },
    );
    expect(of(Float64Array.of(5, 5, 2, 5, 2)).y).toEqual(Int8Array.of(1, 1, -1, 1, -1));
    expect(refusal(() => of(Float64Array.of(5, 5)))).toBe('Expected two distinct labels but every label is 5');
    expect(of(Float64Array.of(5, 1, 5, 2))).toEqual({
      labels: [1, 2, 5],
      y: Int8Array.of(-1, 1, -1, -1),
      classes: Uint16Array.of(2, 0, 2, 1),
    });
    expect(refusal(() => of(Float64Array.of(5, NaN)))).toBe('Expected a finite number for labels[1] but received NaN');
    expect(refusal(() => of(Float64Array.of(5, 1, NaN)))).toBe('Expected a finite number for labels[2] but received NaN');
  });
});

/** FISTA alone. */
const FISTA = { ascent: false, newton: false, fista: true };

describe('resolveFit(points, labels, options)', () => {
  const LABELS = ['no', 'no', 'yes', 'yes'];
  const points = (cols: number, sparse: boolean) =>
    sparse
      ? { indptr: new Uint32Array(5), indices: new Uint32Array(0), rows: 4, cols }
      : { data: new Float64Array(4 * cols), rows: 4, cols };
  /** The resolved options and gamma. */
  const fit = (options: object = {}, cols = 2, sparse = cols > 2) => {
    const { options: resolved, gamma } = resolveFit(points(cols, sparse), LABELS, options);
    return { ...resolved, gamma };
  };

  it('returns points, labels, backend, threads and gamma by row', () => {
    const before = performance.now();
    const rows = [[1, 2], [3, 4], [5, 6]]; // prettier-ignore
    const { source, began, ...others } = resolveFit(rows, ['b', 'a', 'b'], {
      backend: 'js',
      threads: 3,
      gamma: 2,
      sampleWeight: [1, 2, 3],
    });
    expect(began).toBeGreaterThanOrEqual(before);
    expect(others).toMatchObject({
      backend: kernels('js'),
      threads: 3,
      labels: ['a', 'b'],
      y: Int8Array.of(1, -1, 1),
      gamma: 2,
      rowWeights: Float64Array.of(1, 2, 3),
      weightRange: { max: 3, row: 2 },
    });
    expect(source).toMatchObject({ rows: 3, cols: 2, entries: 6, kept: 2, sparse: false });
    expect(source.view!.matrix).toEqual({ data: Float64Array.of(1, 2, 3, 4, 5, 6), rows: 3, cols: 2 });
    const dataset = Dataset.from(rows);
    expect(resolveFit(dataset, [1, 2, 1]).source).toEqual({ rows: 3, cols: 2, entries: 6, kept: 2, sparse: false, dataset });
    expect(resolveFit(points(3, true), LABELS).source).toMatchObject({ entries: 0, kept: 3, sparse: true });
  });

  it("keeps gamma: 'auto', with the weights of rows", () => {
    const many = Array.from({ length: 6 }, (_, i) => [i]);
    const labels = [0, 1, 0, 1, 0, 1];
    const { gamma, rowWeights } = resolveFit(many, labels, { gamma: 'auto', classWeight: { 1: 3 } });
    expect([gamma, rowWeights]).toEqual(['auto', Float64Array.of(1, 3, 1, 3, 1, 3)]);
    expect(resolveFit(many, labels, { gamma: 'auto' }).rowWeights).toEqual(Float64Array.of(1));
    expect(refusal(() => resolveFit(many, labels, { gamma: 'auto', sampleWeight: [1, 1, 1, 0, 1, 1] }))).toBe(
      "Expected at least 3 rows of class 1, one for each fold of gamma: 'auto', but received 2",
    );
  });

  it('fills in the defaults', () => {
    const { rules, ...others } = fit();
    expect(others).toEqual({
      gamma: undefined,
      loss: 'hinge',
      mu: undefined,
      weights: { byClass: [1, 1], byRow: undefined },
      members: [2, 2],
      scale: 'standard',
      sides: [{ positive: 1, negative: 0 }],
      warmStart: undefined,
      keepSets: false,
      solver: {
        stepSize: 'measured',
        shrinking: true,
        methods: { ascent: true, newton: true, fista: true },
        checkEvery: undefined,
      },
      maxIterations: 10_000,
      timeLimit: Infinity,
      signal: undefined,
      onProgress: undefined,
    });
    expect(rules.map(({ name }) => name)).toEqual(['agreement', 'gap']);
    const answers = (agreed: number, relativeGap: number) =>
      rules.map((rule) => rule.start()({ rows: 100, agreed, relativeGap } as never));
    expect(answers(98, 1.1e-4)).toEqual([undefined, undefined]);
    expect(answers(99, 1e-4)).toEqual(['agreement', 'gap']);
  });

  it('keeps the given options', () => {
    const given = { mu: 3, keepSets: true, solver: { shrinking: false, checkEvery: 1_000_000 }, maxIterations: 7 };
    expect(fit(given)).toMatchObject(given);
    for (const ascent of [true, false]) {
      expect(fit({ solver: { ascent } }).solver.methods).toEqual({ ascent, newton: true, fista: true });
    }
    expect(fit({ C: 3 }).gamma).toBe(3);
    expect(fit({ gamma: 3 }).gamma).toBe(3);
    expect(fit({ gamma: 3, C: 3 }).gamma).toBe(3);
    expect(refusal(() => fit({ gamma: 3, C: 4 }))).toContain('but received 3 and 4');
    expect(refusal(() => fit({ gamma: 'auto', C: 4 }))).toContain('but received "auto" and 4');
  });

  it("resolves scale: 'auto' to 'maxabs' for sparse points and 'standard' for dense ones", () => {
    expect(fit({}, 2, true).scale).toBe('maxabs');
    expect(fit({ scale: 'auto' }, 2, true).scale).toBe('maxabs');
    expect(fit({ scale: 'auto' }).scale).toBe('standard');
    for (const scale of ['none', 'standard', 'maxabs']) {
      for (const sparse of [true, false]) expect(fit({ scale }, 2, sparse).scale).toBe(scale);
    }
  });

  it('enables shrinking and ascent by default only with the measured step size', () => {
    const solver = (given: object) => fit({ solver: given }).solver;
    expect(solver({ stepSize: 'norm' })).toMatchObject({ stepSize: 'norm', shrinking: false, methods: FISTA });
    expect(solver({ stepSize: 'paper', ascent: true })).toMatchObject({
      stepSize: 'paper',
      shrinking: false,
      methods: { ...FISTA, ascent: true },
    });
    expect(refusal(() => solver({ stepSize: 'norm', shrinking: true }))).toContain(
      "options.solver.shrinking with stepSize: 'norm'",
    );
    expect(refusal(() => solver({ ascent: 1 }))).toBe('Expected true or false for options.solver.ascent but received 1');
  });

  it('resolves method to the settings of solver, and refuses contradictions', () => {
    const of = (method: string, solver: object = {}) => fit({ method, solver }).solver;
    expect(of('auto')).toEqual(fit().solver);
    expect(of('ascent')).toEqual({ ...fit().solver, methods: { ascent: true, newton: false, fista: false } });
    expect(of('newton')).toEqual({ ...fit().solver, methods: { ascent: false, newton: true, fista: false } });
    expect(of('newton', { ascent: true }).methods).toEqual({ ascent: true, newton: true, fista: false });
    expect(of('fista')).toEqual({ ...fit().solver, methods: FISTA });
    expect(of('fista', { stepSize: 'norm', checkEvery: 7 })).toMatchObject({ stepSize: 'norm', methods: FISTA, checkEvery: 7 });
    expect(of('paper')).toEqual({ stepSize: 'paper', shrinking: false, methods: FISTA, checkEvery: 1 });
    expect(of('paper', { stepSize: 'paper', ascent: false })).toEqual(of('paper'));
    expect(fit({ method: 'paper' }).rules.map(({ name }) => name)).toEqual(['stale']);
    expect(fit({ method: 'paper', stop: stop.gap(1) }).rules.map(({ name }) => name)).toEqual(['gap']);
    expect(fit({ method: 'paper', stop: stop.gap(1), solver: { checkEvery: 5 } }).solver.checkEvery).toBe(5);
    expect(refusal(() => of('ascent', { ascent: false }))).toBe(
      "Expected true for options.solver.ascent with method: 'ascent' but received false",
    );
  });

  it('sets checkEvery to 1 and ascent to false for a rule that sees every iteration', () => {
    const both = [stop.gap(1), stop.stale()];
    expect(fit({ stop: stop.stale() }).solver).toMatchObject({ checkEvery: 1, methods: FISTA, shrinking: true });
    expect(fit({ stop: both }).solver).toMatchObject({ checkEvery: 1, methods: FISTA });
    expect(fit({ stop: both, solver: { checkEvery: 1 } }).solver.checkEvery).toBe(1);
    expect(fit({ stop: stop.gap(1) }).solver).toMatchObject({
      checkEvery: undefined,
      methods: { ...FISTA, ascent: true, newton: true },
    });
    expect(refusal(() => fit({ stop: both, solver: { checkEvery: 2 } }))).toBe(
      'Expected 1 for options.solver.checkEvery with the rule "stale", which sees every iteration, but received 2',
    );
  });

  it('refuses more than 2²⁸ columns', () => {
    expect(fit({}, 2 ** 28).scale).toBe('maxabs');
    expect(refusalInFull(() => fit({}, 2 ** 28 + 1))).toBe(
      "RangeError [ERR_POINTS]: Expected at most 268435456 columns, the limit on a model's weights, for points but received 268435457",
    );
  });

  it('checkMemory(columns) refuses more columns with entries than fit in memory', () => {
    checkMemory(2 ** 20);
    expect(refusalInFull(() => checkMemory(2 ** 45))).toMatch(
      /^RangeError \[ERR_POINTS\]: Expected at most \d+ columns with entries, as many as fit in memory, for points but received 35184372088832$/,
    );
  });

  it('copies warmStart, and refuses what is not a model', () => {
    const weights = Float64Array.of(1, 2);
    const { warmStart } = fit({ warmStart: { weights, bias: -3 } });
    weights[0] = 9;
    expect(warmStart).toEqual([{ weights: Float64Array.of(1, 2), bias: -3 }]);
    for (const given of [
      null,
      1,
      'ab',
      {},
      { weights: null, bias: 1 },
      { weights: 'ab', bias: 1 },
      { weights: {}, bias: 1 },
      { weights },
    ]) {
      expect(() => fit({ warmStart: given })).toThrow(TypeError);
      expect(refusal(() => fit({ warmStart: given }))).toMatch(
        /^Expected a model, with weights and bias, for options\.warmStart but/,
      );
    }
    expect(refusal(() => fit({ warmStart: { weights, bias: NaN } }))).toBe(
      'Expected a finite number for options.warmStart.bias but received NaN',
    );
  });

  it('takes classWeight by label, in a Map or an object', () => {
    const byClass = (classWeight: unknown) => fit({ classWeight }).weights.byClass;
    expect(byClass('balanced')).toBe('balanced');
    expect(byClass({ no: 2 })).toEqual([2, 1]);
    expect(byClass({ yes: 3, no: 0.5 })).toEqual([0.5, 3]);
    expect(byClass(new Map([['yes', 3]]))).toEqual([1, 3]);
    const ofNumbers = (classWeight: unknown) =>
      resolveFit(points(2, false), [0, 0, 1, 1], { classWeight } as never).options.weights.byClass;
    expect(ofNumbers(new Map([[0, 3]]))).toEqual([3, 1]);
    expect(ofNumbers({ 0: 3 })).toEqual([3, 1]);
    expect(refusal(() => ofNumbers(new Map([['0', 3]])))).toContain('a key of options.classWeight');
    expect(refusal(() => byClass(null))).toBe("Expected 'balanced', a Map or an object for options.classWeight but received null");
    expect(() => byClass(null)).toThrow(TypeError);
  });

  it('takes sampleWeight by row, and divides gamma by the number of positive weights', () => {
    const sampleWeight = [0, 2, 1, 0];
    const { gamma, weights } = fit({ sampleWeight, method: 'paper' });
    expect(gamma).toBe(32);
    expect(fit({ method: 'paper' }).gamma).toBe(16);
    expect(fit({ sampleWeight }).gamma).toBeUndefined();
    expect(weights.byRow).toEqual(Float64Array.of(0, 2, 1, 0));
    for (const given of [null, 'abcd', 7, {}]) {
      expect(refusal(() => fit({ sampleWeight: given }))).toMatch(/^Expected an array of numbers for options\.sampleWeight but/);
    }
  });
});

describe('rowWeights(weights, y, taking) and gammaByRow(gamma, weights, labels)', () => {
  const y = Int8Array.of(1, -1, -1, -1, 1, -1);
  const of = (weights: Partial<Weights>, taking?: Uint8Array) => [
    ...rowWeights({ byClass: [1, 1], byRow: undefined, ...weights }, { labels: [-1, 1], y, classes: undefined }, taking),
  ];

  it('rowWeights is a single number if all rows weigh the same', () => {
    expect(of({})).toEqual([1]);
    expect(of({ byClass: [1, 2] })).toEqual([2, 1, 1, 1, 2, 1]);
    expect(of({ byClass: [2, 1] })).toEqual([1, 2, 2, 2, 1, 2]);
    expect(of({ byRow: new Float64Array(6).fill(1) })).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('rowWeights multiplies the weights of row and class, 0 for rows that do not take part', () => {
    const byRow = Float64Array.of(1, 0, 2, 3, 4, 5);
    expect(of({ byClass: [10, 100], byRow })).toEqual([100, 0, 20, 30, 400, 50]);
    const even = Uint8Array.of(1, 0, 1, 0, 1, 0);
    expect(of({ byClass: [10, 100], byRow }, even)).toEqual([100, 0, 20, 0, 400, 0]);
    expect(of({}, even)).toEqual([1, 0, 1, 0, 1, 0]);
  });

  it("rowWeights with byClass: 'balanced' gives both classes the same total", () => {
    expect(of({ byClass: 'balanced' })).toEqual([1.5, 0.75, 0.75, 0.75, 1.5, 0.75]);
    const byRow = Float64Array.of(1, 0, 0, 2, 0, 0); // one row of each class
    expect(of({ byClass: 'balanced', byRow })).toEqual([1, 0, 0, 2, 0, 0]);
    expect(of({ byClass: 'balanced' }, Uint8Array.of(1, 1, 1, 0, 0, 0))).toEqual([1.5, 0.75, 0.75, 0, 0, 0]);
  });

  it('checkWeights and rangeOf refuse gamma times a weight above 1e100 and a product of weights below 1e-100', () => {
    const check = (gamma: number, weights: number[], byRow?: Float64Array) => {
      const range = rangeOf(Float64Array.from(weights), { byRow });
      checkWeights(gamma, range);
      return range;
    };
    expect(check(2, [1])).toMatchObject({ max: 1, row: 0 });
    expect(check(2, [1, 0, 0, 0, 0, 3])).toMatchObject({ max: 3, row: 5 });
    expect(check(1e100, [1, 0, 1e-100])).toMatchObject({ max: 1, row: 0 });
    expect(check(1e-12, [1e100, 1]).max).toBe(1e100);
    expect(check(1e99, [10, 1, 1, 1, 1, 1]).max).toBe(10);
    expect(refusal(() => check(1e99, [1, 1, 1, 20, 1, 1]))).toBe(
      'Expected at most 1e+100 for gamma times the weights of row 3, by options.classWeight, but received 2e+100',
    );
    expect(refusal(() => check(1, [1e60, 1e-160], new Float64Array(2)))).toBe(
      'Expected 0 or a number from 1e-100 to 1e+100 for the product of the weights of row 1, by options.sampleWeight, but received 1e-160',
    );
    expect(refusal(() => check(1, [1, 1e160], new Float64Array(2)))).toBe(
      'Expected at most 1e+100 for gamma times the weights of row 1, by options.sampleWeight, but received 1e+160',
    );
  });

  it('are 0 or in a range whose products can be computed with', () => {
    const weight = 'Expected 0 or a number from 1e-100 to 1e+100 for';
    const points = [[1], [2], [3]];
    const fit = (options: object) => resolveFit(points, [1, 2, 1], options);
    expect(fit({ sampleWeight: [1e-100, 1e100, 0] }).weightRange).toMatchObject({ max: 1e100, row: 1 });
    expect(refusal(() => fit({ sampleWeight: [1e-300, 1e300, 1] }))).toBe(`${weight} options.sampleWeight[0] but received 1e-300`);
    expect(refusal(() => fit({ sampleWeight: [1, 1e300, 1] }))).toBe(`${weight} options.sampleWeight[1] but received 1e+300`);
    expect(refusal(() => fit({ classWeight: { 1: -1 } }))).toBe(`${weight} options.classWeight["1"] but received -1`);
    for (const value of [NaN, Infinity, 5e-324]) expect(refusal(() => fit({ sampleWeight: [1, 1, value] }))).toContain(weight);
    expect(() => fit({ sampleWeight: [1, 1, '1'] })).toThrow(TypeError);
    expect(refusal(() => fit({ sampleWeight: [1e-60, 1, 1], classWeight: { 1: 1e-60 } }))).toBe(
      `${weight} the product of the weights of row 0, by options.sampleWeight, but received 1e-120`,
    );
  });
});

describe('resolveSeparation(first, second, options) and resolveCovariance(mean, covariance, options)', () => {
  const limits = { maxIterations: 10_000, timeLimit: Infinity, signal: undefined, onProgress: undefined };
  const point = [{ center: [1, 2] }];
  const resolveEspOptions = (options?: object) => resolveSeparation(point, point, options).options;

  it('resolveSeparation returns families, backend, threads and options', () => {
    const ball = [{ center: [3, 4], radius: 5 }];
    const input = resolveSeparation(point, ball, { backend: 'js', threads: 2 });
    expect(input).toMatchObject({ backend: kernels('js'), threads: 2, options: { goal: 'any' } });
    expect(input.first).toMatchObject({ cols: 2, centers: Float64Array.of(1, 2), shapes: new Float64Array(0) });
    expect(input.second).toMatchObject({ cols: 2, centers: Float64Array.of(3, 4), shapes: Float64Array.of(5) });
    expect(refusal(() => input.refuse(1, 1, 0))).toBe('Expected a finite number for second[0].radius but received 5');
  });

  it('resolveSeparation fills in the defaults of each goal', () => {
    const any = { goal: 'any', tolerance: 1e-6, touching: 1e-6, test: 'best', stepSize: 'measured', restart: true, ...limits };
    expect(resolveEspOptions({})).toEqual(any);
    expect(resolveEspOptions({ goal: 'any' })).toEqual(any);
    expect(resolveEspOptions({ goal: 'widest' })).toEqual({ ...any, goal: 'widest', tolerance: 1e-4 });
    expect(resolveEspOptions({ goal: 'converged' })).toEqual({ ...any, goal: 'converged' });
  });

  it('resolveSeparation keeps the given options', () => {
    expect(resolveEspOptions({ tolerance: 0.1 })).toMatchObject({ tolerance: 0.1, touching: 0.1 });
    expect(resolveEspOptions({ goal: 'widest', tolerance: 0.1 })).toMatchObject({ tolerance: 0.1, touching: 1e-6 });
    expect(resolveEspOptions({ stepSize: 'paper' })).toMatchObject({ stepSize: 'paper', restart: false });
    expect(resolveEspOptions({ stepSize: 'paper', restart: true, test: 'paper' })).toMatchObject({ restart: true, test: 'paper' });
    expect(resolveEspOptions({ stepSize: 'measured', restart: false, test: 'best' })).toMatchObject({
      restart: false,
      test: 'best',
    });
  });

  it('resolveSeparation lists the known options', () => {
    expect(refusal(() => resolveEspOptions({ colour: 1 }))).toBe(
      'Unknown option "colour"; expected one of goal, tolerance, test, stepSize, restart, maxIterations, timeLimit, signal, onProgress, threads, backend',
    );
    expect(refusal(() => resolveEspOptions({ L: 'paper' }))).toBe('Unknown option "L"; did you mean "stepSize"?');
    for (const [name, what] of [
      ['test', "'best' or 'paper'"],
      ['stepSize', "'measured' or 'paper'"],
    ] as const) {
      expect(refusal(() => resolveEspOptions({ [name]: 'x' }))).toBe(`Expected ${what} for options.${name} but received "x"`);
    }
  });

  it('resolveCovariance takes variances or a matrix, and defaults to a confidence of 0.95', () => {
    expect(resolveCovariance([1, 2], [4, 9], undefined)).toEqual({
      center: Float64Array.of(1, 2),
      deviations: Float64Array.of(2, 3),
      confidence: 0.95,
    });
    expect(resolveCovariance([], [], { confidence: 0.5 })).toEqual({
      center: new Float64Array(0),
      deviations: new Float64Array(0),
      confidence: 0.5,
    });
    const whole = resolveCovariance(Float32Array.of(1, 2), [[4, 0], [0, 9]], {}); // prettier-ignore
    expect(whole).toMatchObject({ center: Float64Array.of(1, 2), confidence: 0.95 });
    expect(whole.factor!.map((row) => [...row])).toEqual([[2, 0], [0, 3]]); // prettier-ignore
    expect(whole).not.toHaveProperty('deviations');
  });
});

describe('resolveLibsvmReading(options), resolveCsvReading(options) and checkSource(source)', () => {
  it('fill in the defaults', () => {
    const { backend, ...others } = resolveLibsvmReading();
    expect(backend).toBe(kernels(undefined));
    expect(others).toEqual({
      cols: undefined,
      limit: 2 ** 31,
      zeroBased: false,
      words: false,
      ignoreExtra: false,
      maxBytes: Infinity,
      signal: undefined,
    });
    expect(resolveCsvReading({ label: 'y' })).toEqual({
      label: 'y',
      header: true,
      delimiter: ',',
      labels: 'auto',
      maxBytes: Infinity,
      signal: undefined,
    });
  });

  it('keep the given options, and refuse values out of range', () => {
    const { signal } = new AbortController();
    const reading = { cols: 3, zeroBased: true, labels: 'string', extra: 'ignore', maxBytes: 0, signal } as const;
    expect(resolveLibsvmReading(reading)).toMatchObject({
      cols: 3,
      limit: 3,
      zeroBased: true,
      words: true,
      ignoreExtra: true,
      maxBytes: 0,
      signal,
    });
    expect(resolveLibsvmReading({ cols: 0, labels: 'number', extra: 'error', zeroBased: false })).toMatchObject({
      cols: 0,
      limit: 0,
      zeroBased: false,
      words: false,
      ignoreExtra: false,
    });
    expect(resolveLibsvmReading({ cols: 2 ** 31 }).limit).toBe(2 ** 31);
    expect(refusal(() => resolveLibsvmReading({ cols: 2 ** 31 + 1 }))).toContain('an integer from 0 to 2147483648');
    expect(resolveCsvReading({ label: -1, header: false, delimiter: ';', labels: 'string', maxBytes: 7, signal })).toEqual({
      label: -1,
      header: false,
      delimiter: ';',
      labels: 'string',
      maxBytes: 7,
      signal,
    });
    expect(resolveLibsvmReading({ maxBytes: Infinity }).maxBytes).toBe(Infinity);
    expect(refusal(() => resolveLibsvmReading({ maxBytes: -1 }))).toBe(
      'Expected an integer from 0 to 9007199254740991 for options.maxBytes but received -1',
    );
    expect(refusal(() => resolveCsvReading({ label: 1, maxBytes: 0.5 }))).toContain('for options.maxBytes but received 0.5');
    expect(resolveCsvReading({ label: null, labels: 'number' })).toMatchObject({ label: null, labels: 'number' });
  });

  it('list the known options', () => {
    expect(refusal(() => resolveLibsvmReading({ colour: 1 } as object))).toBe(
      'Unknown option "colour"; expected one of cols, zeroBased, labels, extra, maxBytes, signal, backend',
    );
    expect(refusal(() => resolveCsvReading({ colour: 1 } as never))).toBe(
      'Unknown option "colour"; expected one of as, label, header, columns, delimiter, labels, maxBytes, signal',
    );
  });

  it('checkSource(source) returns its path, or "input", and refuses other sources', () => {
    const stream = (path?: unknown) => ({ path, async *[Symbol.asyncIterator]() {} });
    expect(checkSource('a/b')).toBe('a/b');
    expect(checkSource(new Uint8Array(1))).toBe('input');
    expect(checkSource(stream('a/c'))).toBe('a/c');
    expect(checkSource(stream(7))).toBe('input');
    expect(checkSource(stream())).toBe('input');
    for (const given of [undefined, null, 7, {}, { [Symbol.asyncIterator]: 1 }]) {
      expect(refusal(() => checkSource(given))).toMatch(/^Expected a path, a stream or a Uint8Array for source but received/);
    }
  });
});

describe('resolveCrossValidation(points, labels, options)', () => {
  const y = Int8Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 1 : -1));
  const points = { data: new Float64Array(24), rows: 12, cols: 2 };
  const task = (options: object = {}) => resolveCrossValidation(points, y, options);

  it('fills in the defaults', () => {
    const { options: fit, gammas, folds, seed, balanced, onProgress, ...training } = task();
    expect({ folds, seed, balanced, onProgress }).toEqual({ folds: 5, seed: 0, balanced: false, onProgress: undefined });
    expect(training).toMatchObject({ labels: [-1, 1], y, backend: kernels(undefined), source: { rows: 12, cols: 2 } });
    expect(gammas).toBeUndefined();
    expect(fit.rules.map((rule) => rule.start()({ rows: 100, agreed: 99, relativeGap: 1e-3 } as never))).toEqual([
      'agreement',
      'gap',
    ]);
    expect(fit.rules[1]!.start()({ relativeGap: 1.1e-3 } as never)).toBeUndefined();
  });

  it('keeps the given options', () => {
    const onProgress = () => undefined;
    const sampleWeight = y.map((_, i) => (i < 2 ? 0 : 1));
    const given = { folds: 2, seed: 7, accuracy: 'balanced', onProgress, gammas: [3, 1, 2], maxIterations: 5, scale: 'none' };
    expect(task(given)).toMatchObject({ folds: 2, seed: 7, balanced: true, onProgress, gammas: [1, 2, 3] });
    expect(task(given).options).toMatchObject({ maxIterations: 5, scale: 'none' });
    expect(task({ accuracy: 'plain' }).balanced).toBe(false);
    expect(task({ sampleWeight }).options.members).toEqual([5, 5]);
    expect(task({ gammas: 'default', loss: 'squared-hinge' })).toMatchObject({
      gammas: 'default',
      options: { loss: 'squared-hinge' },
    });
    expect(task({ stop: stop.gap(1) }).options.rules).toHaveLength(1);
    expect(task({ folds: Float64Array.from(y, (_, i) => (i < 6 ? 0 : 1)) }).folds).toEqual(
      Int32Array.from(y, (_, i) => (i < 6 ? 0 : 1)),
    );
  });

  it('lists the known options, as resolveSplit does', () => {
    expect(refusal(() => resolveCrossValidation([[1]], [1], { colour: 1 } as object))).toBe(
      'Unknown option "colour"; expected one of folds, gammas, seed, accuracy, probability, scoring, positive, multiclass, classWeight, sampleWeight, loss, scale, stop, encoder, ranks, maxIterations, timeLimit, signal, onProgress, threads, backend',
    );
    expect(refusal(() => resolveSplit([[1], [2]], [1, 2], { colour: 1 } as object))).toBe(
      'Unknown option "colour"; expected one of testShare, testSize, seed, stratify',
    );
  });
});

describe('resolveCrossValidation(points, labels, { folds })', () => {
  const labels = ['yes', 'yes', 'yes', 'no', 'no', 'no'];
  const points = labels.map((_, i) => [i]);
  const task = (folds: unknown, options: object = {}) => resolveCrossValidation(points, labels, { folds, ...options } as object);

  it('keeps the fold of each row', () => {
    expect(task([0, 1, 1, 0, 1, 1]).folds).toEqual(Int32Array.of(0, 1, 1, 0, 1, 1));
    expect(task([0, 1, 2, 2, 1, 0]).folds).toEqual(Int32Array.of(0, 1, 2, 2, 1, 0));
  });

  it('ignores the folds of rows of weight 0', () => {
    expect(task([5, 0, 1, 0, 1, 0], { sampleWeight: [0, 1, 1, 1, 1, 1] }).folds).toEqual(Int32Array.of(-1, 0, 1, 0, 1, 0));
    expect(refusal(() => task([5, 0, 1, 0, 1, 0]))).toBe('Expected a row in every fold of options.folds but fold 2 of 6 has none');
    const emptied = { sampleWeight: [1, 1, 0, 1, 1, 1] }; // row 2 does not count
    expect(task([0, 1, 1, 0, 1, 1], emptied).folds).toHaveLength(6);
    expect(refusal(() => task([0, 0, 1, 0, 1, 1], emptied))).toBe(
      'Expected rows of class "yes" outside every fold of options.folds but all of them are in fold 0',
    );
  });

  it('refuses a fold that holds all rows of a class', () => {
    const all = (label: string, k: number) =>
      `Expected rows of class ${label} outside every fold of options.folds but all of them are in fold ${k}`;
    expect(refusal(() => task([0, 0, 0, 0, 1, 1]))).toBe(all('"yes"', 0));
    expect(refusal(() => task([0, 1, 1, 1, 1, 1]))).toBe(all('"no"', 1));
    expect(refusal(() => task([0, 0, 0, 0, 0, 0]))).toBe(all('"no"', 0));
  });

  it('refuses folds that are not integers, one for each row', () => {
    for (const given of [null, 'aaaaaa', true, {}]) {
      expect(refusal(() => task(given))).toMatch(/^Expected an integer, or an array with the fold of each row, for options\.folds/);
    }
    expect(refusal(() => task([0, 1, 0, 1, 0, 6]))).toBe('Expected an integer from 0 to 5 for options.folds[5] but received 6');
  });

  it('refuses more folds than a class has rows', () => {
    expect(task(3).folds).toBe(3);
    expect(refusal(() => task(4))).toBe(
      'Expected at least 4 rows of class "no", one for each fold of options.folds, but received 3',
    );
    expect(refusal(() => task(3, { sampleWeight: [1, 1, 0, 1, 1, 1] }))).toBe(
      'Expected at least 3 rows of class "yes", one for each fold of options.folds, but received 2',
    );
  });
});

describe('resolveSplit(points, labels, options)', () => {
  /** The numbers of test rows for classes of these sizes. */
  const take = (sizes: readonly number[], options: object) => {
    const labels = sizes.flatMap((n, k) => new Array<number>(n).fill(k));
    return resolveSplit(
      labels.map((k) => [k]),
      labels,
      options,
    ).take;
  };

  it('takes rows of each class in proportion, the rest by largest remainder', () => {
    expect(take([75, 15], {})).toEqual([19, 4]); // of 19.2 and 3.8
    expect(take([15, 75], {})).toEqual([4, 19]);
    expect(take([10, 10, 10], { testSize: 10 })).toEqual([4, 3, 3]);
    expect(take([10, 10, 10], { testSize: 11 })).toEqual([4, 4, 3]);
    expect(take([40, 40, 20], { testShare: 0.5 })).toEqual([20, 20, 10]);
  });

  it('leaves at least one row of each class on either side', () => {
    expect(take([96, 2, 2], { testSize: 3 })).toEqual([1, 1, 1]);
    expect(take([96, 2, 2], { testSize: 4 })).toEqual([2, 1, 1]);
    expect(take([2, 2, 96], { testSize: 97 })).toEqual([1, 1, 95]);
    expect(take([30, 3, 2], { testSize: 5 })).toEqual([3, 1, 1]); // of 4.3, 0.4 and 0.3
    expect(take([30, 3, 2], { testShare: 0.001 })).toEqual([1, 1, 1]);
    expect(take([30, 3, 2], { testShare: 0.999 })).toEqual([29, 2, 1]);
    expect(take([2, 2], { testSize: 2 })).toEqual([1, 1]);
    expect(refusal(() => take([3, 3], { testSize: 5 }))).toContain('for the training part but received 1');
    expect(refusal(() => take([3, 3], { testSize: 1 }))).toContain('for the test part but received 1');
  });

  it('refuses bad options, labels and points with a code', () => {
    const rows = [[1], [2], [3]];
    const dense = { data: new Float64Array(5), rows: 3, cols: 2 };
    for (const [call, message] of [
      [() => resolveSplit(rows, [1, 1, 2], { stratify: 1 } as object), 'TypeError [ERR_OPTION]: Expected true or false for options.stratify but received 1'],
      [() => resolveSplit(rows, [1, 1, 2], { stratify: false, seed: '1' } as object), 'TypeError [ERR_OPTION]: Expected an integer from 0 to 9007199254740991 for options.seed but received "1"'],
      [() => resolveSplit(rows, [1, 2, 2]), 'RangeError [ERR_LABELS]: Expected at least 2 rows of class 1, for either side, but received 1'],
      [() => resolveSplit(rows, [1, 1, 2]), 'RangeError [ERR_LABELS]: Expected at least 2 rows of class 2, for either side, but received 1'],
      [() => resolveSplit(dense, [1, 1, 2]), 'RangeError [ERR_POINTS]: Expected rows × cols = 6 numbers for points.data but received 5'],
      [() => resolveSplit({ ...dense, data: [1] }, [1, 1, 2]), 'TypeError [ERR_POINTS]: Expected a Float64Array or Float32Array for points.data but received an array of length 1'],
    ] as const) {
      expect(refusalInFull(call)).toBe(message);
    } // prettier-ignore
  });

  it('makes one group with stratify: false', () => {
    const labels = ['b', 'a', 'b', 'a'];
    const rows = [[1], [2], [3], [4]];
    expect(resolveSplit(rows, labels)).toMatchObject({
      points: rows,
      labels,
      rows: 4,
      groups: [Uint32Array.of(0, 2), Uint32Array.of(1, 3)],
      take: [1, 1],
      seed: 0,
    });
    expect(resolveSplit(rows, labels, { stratify: false, seed: 3 })).toMatchObject({
      groups: [Uint32Array.of(0, 1, 2, 3)],
      take: [1],
      seed: 3,
    });
    expect(resolveSplit(rows, labels, { stratify: false, testShare: 0.99 }).take).toEqual([3]);
    expect(resolveSplit(rows, labels, { stratify: false, testShare: 0.01 }).take).toEqual([1]);
    expect(resolveSplit(rows, ['a', 'a', 'a', 'b'], { stratify: false, testSize: 3 }).take).toEqual([3]);
  });

  it('refuses a split with stratify: false that leaves a class on one side only', () => {
    const { check } = resolveSplit([[1], [2], [3], [4]], [true, false, true, false], { stratify: false });
    expect(refusal(() => check(Uint8Array.of(1, 1, 0, 0)))).toBe('none');
    for (const [test, label] of [
      [[1, 1, 1, 0], 'true'],
      [[0, 1, 0, 0], 'true'],
      [[1, 1, 0, 1], 'false'],
      [[1, 0, 0, 0], 'false'],
    ] as const) {
      expect(refusal(() => check(Uint8Array.from(test)))).toBe(
        `Expected rows of class ${label} on both sides of the split but all of them are on one; set stratify: true`,
      );
    }
  });

  it('accepts rows, dense and sparse points, and refuses others', () => {
    const labels = [0, 1, 0, 1];
    const form = (points: unknown, given: unknown = labels) => {
      const { points: taken } = resolveSplit(points, given, { testSize: 2 });
      expect(taken).toEqual(points);
      return Array.isArray(taken) ? 'rows' : 'data' in taken ? 'dense' : 'sparse';
    };
    const dense = { data: new Float32Array(8), rows: 4, cols: 2 };
    const csr = { indptr: [0, 1, 1, 2, 3], indices: Int32Array.of(0, 1, 0), rows: 4, cols: 2 };
    expect(form([[1], [1], [1], [1]])).toBe('rows');
    expect(form(dense)).toBe('dense');
    expect(form({ data: new Float64Array(0), rows: 4, cols: 0 })).toBe('dense');
    expect(form(csr)).toBe('sparse');
    expect(form({ ...csr, values: Float32Array.of(1, 2, 3) })).toBe('sparse');
    expect(form({ ...csr, indptr: Uint32Array.from(csr.indptr), values: undefined })).toBe('sparse');
    for (const [points, message] of [
      [null, /^Expected rows of numbers, .* for points, to be split, but received null$/],
      [7, /^Expected rows of numbers, .* for points, to be split, but received 7$/],
      [{ ...dense, rows: 0 }, /^Expected an integer from 1 to 4294967294 for points\.rows but received 0$/],
      [{ ...dense, cols: -1 }, /^Expected an integer from 0 to 4294967294 for points\.cols but received -1$/],
      [{ ...dense, data: [1] }, /^Expected a Float64Array or Float32Array for points\.data but received an array of length 1$/],
      [{ ...csr, rows: 0 }, /^Expected an integer from 1 to 4294967294 for points\.rows but received 0$/],
      [{ ...csr, indptr: 'abcde' }, /^Expected an array of numbers for points\.indptr but received "abcde"$/],
      [{ ...csr, indices: new DataView(new ArrayBuffer(3)) }, /^Expected an array of numbers for points\.indices but/],
      [{ ...csr, values: 7 }, /^Expected an array of numbers for points\.values but received 7$/],
      [{ ...csr, indptr: [0, 1, 1, 2, 4] }, /^Expected an offset from 2 to 3 for points\.indptr\[4\] but received 4$/],
      [{ ...csr, indptr: [0, 1, 1.5, 2, 3] }, /^Expected an offset from 1 to 3 for points\.indptr\[2\] but received 1.5$/],
      [{ ...csr, indptr: [0, 2, 1, 2, 3] }, /^Expected an offset from 2 to 3 for points\.indptr\[2\] but received 1$/],
      [{ ...csr, indptr: [1, 1, 1, 2, 3] }, /^Expected 0 for points\.indptr\[0\] but received 1$/],
    ] as const) {
      expect(refusal(() => form(points))).toMatch(message);
    }
    for (const given of [null, 'abcd', {}]) {
      expect(refusal(() => form(dense, given))).toMatch(/^Expected an array of labels for labels but received/);
    }
  });

  it('resolveCrossValidation sorts gammas, and refuses one given twice', () => {
    const gammas = (given: unknown) =>
      resolveCrossValidation([[1], [2], [3], [4]], [1, 0, 1, 0], { gammas: given, folds: 2 } as object).gammas;
    expect(gammas(Float64Array.of(100, 9, 20))).toEqual([9, 20, 100]);
    expect(refusal(() => gammas([3, 1, 3]))).toBe('Expected distinct numbers for options.gammas but received 3 twice');
    expect(refusal(() => gammas('12'))).toBe('Expected an array of numbers or \'default\' for options.gammas but received "12"');
    expect(refusal(() => gammas([1, '2']))).toBe('Expected a positive number for options.gammas[1] but received "2"');
  });
});

describe('errors of lib/input', () => {
  const thrown = (call: () => unknown): CodedError => {
    try {
      call();
    } catch (error) {
      return error as CodedError;
    }
    throw new Error('nothing was thrown');
  };
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));
  const defect = (defect: string, text: string) =>
    libsvmError({ defect, line: 1, column: 1, text: bytes(text), last: 0 } as never, 'a', resolveLibsvmReading()) as CodedError;

  it('have the option that they are about as error.option', () => {
    expect(thrown(() => resolveThreads(0)).option).toBe('threads');
    expect(thrown(() => resolveCsvReading({ label: {} as never })).option).toBe('label');
    expect(thrown(() => resolveFit([[1], [2]], [1, 2], { classWeight: { 3: 1 } })).option).toBe('classWeight');
    expect(thrown(() => resolveFit([[1], [2]], [1, 2], { gama: 1 } as object)).option).toBe('gama');
    expect(thrown(() => resolveFit([[1], [2]], [1, 2], { classWeight: { 2: 0 } })).option).toBe('classWeight');
    expect(thrown(() => resolveFit([[1], [2]], [1, 2], { sampleWeight: [1, 0] })).option).toBe('sampleWeight');
    const huge = 1e300; // times gamma
    expect(thrown(() => resolveFit([[1], [2]], [1, 2], { classWeight: { 2: huge } })).option).toBe('classWeight');
    expect(thrown(() => resolveFit([[1], [2]], [1, 2], { sampleWeight: [1, huge] })).option).toBe('sampleWeight');
    expect(thrown(() => resolveFit([[1], [2]], [1, 2], { gamma: 1e-99, sampleWeight: [1, 5e-324] })).option).toBe('sampleWeight');
    expect(thrown(() => resolveFit([[1], [2]], [1])).option).toBeUndefined();
    expect((longError('a', 'ERR_CSV', 9) as CodedError).option).toBe('maxBytes');
  });

  it('have the option that would help as error.hint', () => {
    expect(defect('label', 'x').hint).toEqual({ option: 'labels', value: 'string' });
    expect(defect('zero', '0:1').hint).toEqual({ option: 'zeroBased', value: true });
    expect(defect('entry', 'x').hint).toBeUndefined();
  });

  it('messageOf(error, wording) words options, settings and code as the caller wants', () => {
    const named = ({ kind, name, value }: Term) => `<${kind} ${name}${value === undefined ? '' : ` ${value as string}`}>`;
    const weight = thrown(() => resolveFit([[1], [2]], [1, 2], { sampleWeight: [1, -1] }));
    expect(messageOf(weight, named)).toBe(
      'Expected 0 or a number from 1e-100 to 1e+100 for <option sampleWeight>[1] but received -1',
    );
    expect(messageOf(defect('zero', '0:1'), named)).toMatch(/; for a file that counts from 0 <setting zeroBased true>$/);
    const one = thrown(() => resolveLabels([1, 1], 2, {}));
    expect(messageOf(one, named)).toBe('Expected two distinct labels<code labels> but every label is 1');
    expect(messageOf(new Error('as it is'), named)).toBe('as it is');
    one.message = `a file: ${one.message}`;
    expect(messageOf(one, named)).toBe(one.message);
  });
});

describe('errors of readers and writers', () => {
  const reading = resolveLibsvmReading({ cols: 4 });
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));
  const about = (defect: string, text: string, given: object = {}, last = 3) =>
    whole(libsvmError({ defect, line: 2, column: 5, text: bytes(text), last } as never, 'a.txt', { ...reading, ...given }));

  it.each([
    ['label', 'x', `a finite number, the label, at a.txt:2:5 but received "x"; for labels that are words set labels: 'string'`],
    ['label', '12:1', 'a finite number, the label, at a.txt:2:5 but received "12:1"'],
    [
      'label',
      'x1:1',
      `a finite number, the label, at a.txt:2:5 but received "x1:1"; for labels that are words set labels: 'string'`,
    ],
    [
      'label',
      '1x:1',
      `a finite number, the label, at a.txt:2:5 but received "1x:1"; for labels that are words set labels: 'string'`,
    ],
    ['word', 'a:b', 'a label in UTF-8 without ":" at a.txt:2:5 but received "a:b"'],
    ['entry', 'a', 'index:value at a.txt:2:5 but received "a"'],
    ['qid', 'qid:1', 'index:value at a.txt:2:5 but received "qid:1"; query ids, for ranking, are not supported'],
    ['value', '1:x', 'index:value with a finite number at a.txt:2:5 but received "1:x"'],
    ['range', '9e9:1', 'an index of at most 2147483647 at a.txt:2:5 but received "9e9:1"'],
    ['zero', '0:1', 'an index from 1 at a.txt:2:5 but received "0:1"; for a file that counts from 0 set zeroBased: true'],
    ['order', '3:1', 'each index once in a row at a.txt:2:5 but received "3:1"'],
    ['order', '2:1', 'an index above 3, as indices ascend in a row, at a.txt:2:5 but received "2:1"'],
    ['extra', '5:1', 'an index of at most 4, as options.cols is 4, at a.txt:2:5 but received "5:1"'],
    ['long', '111', 'a label or index:value of at most 1000 bytes at a.txt:2:5 but received "111"'],
    ['rows', '1', 'at most 4294967294 rows at a.txt:2:5 but received "1"'],
    ['entries', '1', 'at most 4294967294 entries at a.txt:2:5 but received "1"'],
    ['empty', '', 'at least one row at a.txt:2:5 but received none'],
  ])('libsvmError of defect %s at "%s" has the listed message', (defect, text, message) => {
    expect(about(defect, text)).toBe(`SyntaxError [ERR_LIBSVM]: Expected ${message}`);
  });

  it('libsvmError counts indices from 0 with zeroBased: true', () => {
    expect(about('extra', '4:1', { zeroBased: true })).toContain('an index of at most 3, as options.cols is 4,');
  });

  it('longError and checkWords name the limits of text and of words as labels', () => {
    expect(whole(longError('a.txt', 'ERR_CSV', 9))).toBe(
      'RangeError [ERR_CSV]: Expected at most 9 bytes of text for a.txt, as options.maxBytes says, but received more',
    );
    expect(refusalInFull(() => checkWords(2 ** 26, 2 ** 20, 'a.txt', 'ERR_CSV'))).toBe('none');
    expect(refusalInFull(() => checkWords(2 ** 26, 2 ** 20 + 1, 'a.txt', 'ERR_CSV'))).toBe(
      'RangeError [ERR_CSV]: Expected at most 1048576 distinct labels for a.txt but received more',
    );
    expect(refusalInFull(() => checkWords(2 ** 26 + 1, 2, 'a.txt', 'ERR_LIBSVM'))).toBe(
      'RangeError [ERR_LIBSVM]: Expected at most 67108864 rows with string labels for a.txt but received 67108865',
    );
  });

  it('gzipError tells a truncated file from a damaged one', () => {
    const cause = new Error('unexpected end of file');
    expect(whole(gzipError('a.gz', 'ERR_CSV', cause))).toBe(
      'SyntaxError [ERR_CSV]: Expected a whole gzip file for a.gz but received a file that ends in the middle',
    );
    expect(gzipError('a.gz', 'ERR_CSV', cause).cause).toBe(cause);
    expect(whole(gzipError('a.gz', 'ERR_LIBSVM', new Error('incorrect header check')))).toBe(
      'SyntaxError [ERR_LIBSVM]: Expected a whole gzip file for a.gz but received something else (incorrect header check)',
    );
  });

  it('checkChunk, checkSource and gone refuse bad chunks, sources and detached buffers', () => {
    expect(checkChunk('ä')).toEqual(Buffer.from('ä'));
    const chunk = new Uint8Array(2);
    expect(checkChunk(chunk).buffer).toBe(chunk.buffer);
    expect(refusalInFull(() => checkChunk(5))).toBe(
      'TypeError [ERR_SOURCE]: Expected bytes or text for a chunk of the stream but received 5',
    );
    expect(refusalInFull(() => checkSource(5))).toBe(
      'TypeError [ERR_SOURCE]: Expected a path, a stream or a Uint8Array for source but received 5',
    );
    expect(whole(gone())).toBe(
      'TypeError [ERR_SOURCE]: Expected bytes that stay where they are for source but received a buffer that was detached or resized',
    );
  });

  it('csvError names the line, the column and its name', () => {
    const cause = new Error('x');
    const error = csvError('a number', { file: 'a.csv', line: 3 }, 'x', cause);
    expect(whole(error)).toBe('SyntaxError [ERR_CSV]: Expected a number at a.csv:3 but received "x"');
    expect(error.cause).toBe(cause);
    expect(csvError('a number', { file: 'a.csv', line: 3, column: 2 }, 'x').message).toBe(
      'Expected a number at a.csv:3:2 but received "x"',
    );
    expect(csvError('a number', { file: 'a.csv', line: 3, column: 2, name: 'age' }, 'x').message).toBe(
      'Expected a number at a.csv:3:2 (column "age") but received "x"',
    );
  });

  it('resolveCsvReading refuses bad options', () => {
    const column = `[ERR_OPTION]: Expected a column's`;
    for (const [options, message] of [
      [undefined, 'TypeError [ERR_OPTION]: Expected an object with the label column for options but received undefined'],
      [{}, `TypeError ${column} name or number for options.label but received undefined`],
      [{ label: 1.5 }, `TypeError ${column} name or number for options.label but received 1.5`],
      [{ label: 'y', header: false }, `RangeError ${column} number for options.label, as there is no header, but received "y"`],
      [{ label: 1, delimiter: 7 }, 'TypeError [ERR_OPTION]: Expected a character for options.delimiter but received 7'],
      ...['', '"', '\r', 'a\nb'].map((delimiter) => [
        { label: 1, delimiter },
        `RangeError [ERR_OPTION]: Expected a character that is no quote or line end for options.delimiter but received ${JSON.stringify(delimiter)}`,
      ]),
      [{ label: 1, header: 1 }, 'TypeError [ERR_OPTION]: Expected true or false for options.header but received 1'],
      [{ label: 1, signal: 1 }, 'TypeError [ERR_OPTION]: Expected an AbortSignal for options.signal but received 1'],
      [
        { label: 1, labels: 'x' },
        `RangeError [ERR_OPTION]: Expected 'auto', 'number' or 'string' for options.labels but received "x"`,
      ],
    ] as const) {
      expect(refusalInFull(() => resolveCsvReading(options as never))).toBe(message);
    }
    expect(resolveCsvReading({ label: 0, header: false })).toMatchObject({ label: 0, header: false });
  });

  it('resolveLibsvmWriting refuses bad points, labels, targets and options', () => {
    const write = (points: unknown, labels: unknown, target: unknown = 'a', options?: unknown) =>
      resolveLibsvmWriting(target, points, labels, options as never);
    const labels = ['a', 7];
    const points = [[1], [2]];
    const copied = { data: Float64Array.of(1, 2), rows: 2, cols: 1 };
    expect(write(points, labels)).toEqual({ points: copied, labels, signal: undefined });
    const { signal } = new AbortController();
    expect(write(points, labels, { write: () => true }, { signal }).signal).toBe(signal);
    for (const label of ['!', '~', 'ä', 'x'.repeat(1000), 'é'.repeat(500)]) expect(write([[1]], [label]).labels).toEqual([label]);
    for (const label of ['', 'a b', 'a:b', '#', 'a\n', '\0', ' a', 'a\x7f', '\ud800', 'x'.repeat(1001), 'é'.repeat(501)]) {
      expect(refusalInFull(() => write([[1]], [label]))).toMatch(
        /^RangeError \[ERR_LABELS\]: Expected a word of at most 1000 bytes without blanks, ":" and "#" for labels\[0\] but received "/,
      );
    }
    for (const [given, message] of [
      [
        [
          [1, 2],
          [NaN, 1],
        ],
        'RangeError [ERR_LABELS]: Expected a finite number for labels[0] but received NaN',
      ],
      [
        [
          [1, 2],
          [1, true],
        ],
        'TypeError [ERR_LABELS]: Expected a number or string for labels[1] but received true',
      ],
      [[[1, 2], [1]], 'RangeError [ERR_LABELS]: Expected 2 labels, one for each row of points, but received 1'],
      [[[1, 2], null], 'TypeError [ERR_LABELS]: Expected an array of labels for labels but received null'],
      [[[1, 2], 'ab'], 'TypeError [ERR_LABELS]: Expected an array of labels for labels but received "ab"'],
      [[[1, 2], undefined], 'TypeError [ERR_LABELS]: Expected an array of labels for labels but received undefined'],
      [[[1, 2], {}], 'TypeError [ERR_LABELS]: Expected an array of labels for labels but received an object'],
      [[[1, 2], [1, 2], 5], 'TypeError [ERR_SOURCE]: Expected a path or a Writable for target but received 5'],
      [[[1, 2], [1, 2], null], 'TypeError [ERR_SOURCE]: Expected a path or a Writable for target but received null'],
      [[[1, 2], [1, 2], { write: 1 }], 'TypeError [ERR_SOURCE]: Expected a path or a Writable for target but received an object'],
      [[[1, 2], [1, 2], 'a', { sign: 1 }], 'TypeError [ERR_OPTION]: Unknown option "sign"; did you mean "signal"?'],
      [[[1, 2], [1, 2], 'a', { signal: 1 }], 'TypeError [ERR_OPTION]: Expected an AbortSignal for options.signal but received 1'],
    ] as const) {
      const [values, ...others] = given as unknown as [number[], ...[unknown, unknown, unknown]];
      expect(
        refusalInFull(() =>
          write(
            values.map((x) => [x]),
            ...others,
          ),
        ),
      ).toBe(message);
    }
  });
});
