import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Dataset, LinearSvm, stop, type SvmJSON } from '../../lib/index.js';
import { names } from '../support/backends.js';

type Row = [call: string, run: () => unknown, Kind: new () => Error, code: string, message: string];

const rows = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
];
const labels = [-1, -1, 1, 1];
const spam = ['ham', 'ham', 'spam', 'spam'];
let model: LinearSvm;
let json: SvmJSON;
let before: string;

// Inside a hook: mutation testing attributes code that runs outside of tests to every test.
beforeEach(() => {
  if (before !== undefined) return;
  model = LinearSvm.fit(rows, labels);
  json = JSON.parse(JSON.stringify(model)) as SvmJSON;
  delete (json as { checksum?: string }).checksum; // so that changed copies pass the checksum
  before = JSON.stringify([rows, labels, spam, json, model]);
});

const fit = (points: unknown, given: unknown = labels, options?: unknown) =>
  LinearSvm.fit(points as never, given as never, options as never);
const option = (options: unknown) => fit(rows, labels, options);
const csr = (change: object) => fit({ indptr: [0, 1, 2, 3, 4], indices: [0, 1, 0, 1], rows: 4, cols: 2, ...change });
const read = (change: object) => LinearSvm.fromJSON({ ...json, ...change });
const one = (point: unknown) => model.predictOne(point as never);

const POINTS = 'rows of numbers, { data, rows, cols }, { indptr, indices, rows, cols } or a Dataset';

// One line for each call.
// prettier-ignore
const TABLE: Record<string, Row[]> = {
  'LinearSvm.fit refuses points:': [
    ['undefined', () => fit(undefined), TypeError, 'ERR_POINTS', `Expected ${POINTS} for points but received undefined`],
    ['null', () => fit(null), TypeError, 'ERR_POINTS', `Expected ${POINTS} for points but received null`],
    ['a string', () => fit('1,2,3'), TypeError, 'ERR_POINTS', `Expected ${POINTS} for points but received "1,2,3"`],
    ['a flat typed array', () => fit(new Float64Array(4)), TypeError, 'ERR_POINTS', `Expected ${POINTS} for points but received Float64Array(4)`],
    ['another object', () => fit({ x: 1 }), TypeError, 'ERR_POINTS', `Expected ${POINTS} for points but received an object`],
    ['no rows', () => fit([], []), RangeError, 'ERR_POINTS', 'Expected at least one row for points but received none'],
    ['null for a row', () => fit([[1], null]), TypeError, 'ERR_POINTS', 'Expected a row of numbers for points[1] but received null'],
    ['a number for a row', () => fit([1, 2]), TypeError, 'ERR_POINTS', 'Expected a row of numbers for points[0] but received 1'],
    ['a string for a row', () => fit(['12']), TypeError, 'ERR_POINTS', 'Expected a row of numbers for points[0] but received "12"'],
    ['a row of huge length', () => fit([{ length: 1e15 }]), RangeError, 'ERR_POINTS', 'Expected numbers that fit in memory for points but received 1 × 1000000000000000'],
    ['a row of negative length', () => fit([{ length: -1 }]), TypeError, 'ERR_POINTS', 'Expected a row of numbers for points[0] but received an object'],
    ['ragged rows', () => fit([[1, 2], [1, 2], [1]]), RangeError, 'ERR_POINTS', 'Expected 2 numbers for points[2], as in points[0], but received 1'],
    ['rows longer than the first', () => fit([[1], [1, 2]]), RangeError, 'ERR_POINTS', 'Expected 1 number for points[1], as in points[0], but received 2'],
    ['NaN', () => fit([[1, 2], [3, NaN]], [1, 2]), RangeError, 'ERR_POINTS', 'Expected a finite number for points[1][1] but received NaN'],
    ['infinity', () => fit([[1, 2], [-Infinity, 3]], [1, 2]), RangeError, 'ERR_POINTS', 'Expected a finite number for points[1][0] but received -Infinity'],
    ['a string for a number', () => fit([[1, '2']]), TypeError, 'ERR_POINTS', 'Expected a finite number for points[0][1] but received "2"'],
    ['a hole', () => fit([[1, 2], Array(2)]), TypeError, 'ERR_POINTS', 'Expected a finite number for points[1][0] but received undefined'],
    ['a bigint', () => fit([[1n]]), TypeError, 'ERR_POINTS', 'Expected a finite number for points[0][0] but received 1n'],
    ['numbers whose squares overflow', () => fit([[1e200], [-1e200]], [1, -1], { scale: 'none' }), RangeError, 'ERR_POINTS', "Expected smaller numbers for column 0 of points, or scale 'standard' or 'maxabs', but sums of their products overflow"],
  ],
  'LinearSvm.fit refuses dense points:': [
    ['data as an array', () => fit({ data: [1, 2], rows: 2, cols: 1 }), TypeError, 'ERR_POINTS', 'Expected a Float64Array or Float32Array for points.data but received an array of length 2'],
    ['data as integers', () => fit({ data: new Int32Array(2), rows: 2, cols: 1 }), TypeError, 'ERR_POINTS', 'Expected a Float64Array or Float32Array for points.data but received Int32Array(2)'],
    ['too few numbers', () => fit({ data: new Float64Array(5), rows: 2, cols: 3 }), RangeError, 'ERR_POINTS', 'Expected rows × cols = 6 numbers for points.data but received 5'],
    ['no rows', () => fit({ data: new Float64Array(0), rows: 0, cols: 3 }), RangeError, 'ERR_POINTS', 'Expected an integer from 1 to 4294967294 for points.rows but received 0'],
    ['rows as a string', () => fit({ data: new Float64Array(2), rows: '2', cols: 1 }), TypeError, 'ERR_POINTS', 'Expected an integer from 1 to 4294967294 for points.rows but received "2"'],
    ['half a column', () => fit({ data: new Float64Array(2), rows: 2, cols: 0.5 }), RangeError, 'ERR_POINTS', 'Expected an integer from 0 to 4294967294 for points.cols but received 0.5'],
    ['huge sizes', () => fit({ data: new Float64Array(2), rows: 4e9, cols: 4e9 }), RangeError, 'ERR_POINTS', 'Expected rows × cols = 16000000000000000000 numbers for points.data but received 2'],
    ['NaN', () => fit({ data: Float64Array.of(1, 2, 3, NaN), rows: 2, cols: 2 }, [1, 2]), RangeError, 'ERR_POINTS', 'Expected a finite number for points.data[3] (row 1, column 1) but received NaN'],
    ['infinity in f32', () => fit({ data: Float32Array.of(1, 1e39), rows: 2, cols: 1 }, [1, 2]), RangeError, 'ERR_POINTS', 'Expected a finite number for points.data[1] (row 1, column 0) but received Infinity'],
  ],
  'LinearSvm.fit refuses sparse points:': [
    ['indptr of floats', () => csr({ indptr: new Float64Array(5) }), TypeError, 'ERR_POINTS', 'Expected an Int32Array, Uint32Array or array of integers for points.indptr but received Float64Array(5)'],
    ['no indices', () => csr({ indices: undefined }), TypeError, 'ERR_POINTS', 'Expected an Int32Array, Uint32Array or array of integers for points.indices but received undefined'],
    ['indptr of the wrong length', () => csr({ indptr: [0, 1, 2, 3] }), RangeError, 'ERR_POINTS', 'Expected rows + 1 = 5 offsets for points.indptr but received 4'],
    ['indptr that does not begin at 0', () => csr({ indptr: [1, 1, 2, 3, 4] }), RangeError, 'ERR_POINTS', 'Expected 0 for points.indptr[0] but received 1'],
    ['indptr that goes back', () => csr({ indptr: [0, 2, 1, 3, 4] }), RangeError, 'ERR_POINTS', 'Expected an offset from 2 to 4 for points.indptr[2] but received 1'],
    ['indptr beyond the entries', () => csr({ indptr: [0, 1, 2, 3, 5] }), RangeError, 'ERR_POINTS', 'Expected an offset from 3 to 4 for points.indptr[4] but received 5'],
    ['a negative offset', () => csr({ indptr: Int32Array.of(0, 1, -2, 3, 4) }), RangeError, 'ERR_POINTS', 'Expected an offset from 1 to 4 for points.indptr[2] but received -2'],
    ['an offset that is not an integer', () => csr({ indptr: [0, 1.5, 2, 3, 4] }), RangeError, 'ERR_POINTS', 'Expected an integer from 0 to 4294967295 for points.indptr[1] but received 1.5'],
    ['a column out of range', () => csr({ indices: [0, 1, 0, 2] }), RangeError, 'ERR_POINTS', 'Expected a column from 0 to 1 for points.indices[3] (row 3) but received 2'],
    ['a negative column', () => csr({ indices: Int32Array.of(0, -1, 0, 1) }), RangeError, 'ERR_POINTS', 'Expected a column from 0 to 1 for points.indices[1] (row 1) but received -1'],
    ['entries without columns', () => csr({ cols: 0 }), RangeError, 'ERR_POINTS', 'Expected no column, as points.cols is 0, for points.indices[0] (row 0) but received 0'],
    ['unsorted columns', () => csr({ indptr: [0, 2, 2, 3, 4], indices: [1, 0, 0, 1] }), RangeError, 'ERR_POINTS', 'Expected ascending column indices in row 0 but received 0 after 1'],
    ['a column twice', () => csr({ indptr: [0, 1, 2, 2, 4], indices: [0, 1, 1, 1] }), RangeError, 'ERR_POINTS', 'Expected ascending column indices in row 3 but received 1 after 1'],
    ['too few values', () => csr({ values: new Float64Array(3) }), RangeError, 'ERR_POINTS', 'Expected 4 numbers for points.values, as in points.indices, but received 3'],
    ['values of another kind', () => csr({ values: new Int8Array(4) }), TypeError, 'ERR_POINTS', 'Expected a Float64Array, Float32Array or array of numbers for points.values but received Int8Array(4)'],
    ['a string for a value', () => csr({ values: [1, 2, '3', 4] }), TypeError, 'ERR_POINTS', 'Expected a finite number for points.values[2] but received "3"'],
    ['an infinite value', () => csr({ values: [1, 2, Infinity, 4] }), RangeError, 'ERR_POINTS', 'Expected a finite number for points.values[2] but received Infinity'],
    ['a NaN in f32', () => csr({ values: Float32Array.of(1, NaN, 3, 4) }), RangeError, 'ERR_POINTS', 'Expected a finite number for points.values[1] but received NaN'],
  ],
  'LinearSvm.fit refuses labels:': [
    ['null', () => fit(rows, null), TypeError, 'ERR_LABELS', 'Expected an array of labels for labels but received null'],
    ['a string', () => fit(rows, 'abab'), TypeError, 'ERR_LABELS', 'Expected an array of labels for labels but received "abab"'],
    ['too few', () => fit(rows, [1, -1, 1]), RangeError, 'ERR_LABELS', 'Expected 4 labels, one for each row of points, but received 3'],
    ['one class', () => fit(rows, ['spam', 'spam', 'spam', 'spam']), RangeError, 'ERR_LABELS', 'Expected two distinct labels but every label is "spam"'],
    ['mixed types', () => fit(rows, [1, 2, '2', 1]), TypeError, 'ERR_LABELS', 'Expected a number for labels[2], as in labels[0], but received "2"'],
    ['booleans among strings', () => fit(rows, ['a', true, 'b', 'a']), TypeError, 'ERR_LABELS', 'Expected a string for labels[1], as in labels[0], but received true'],
    ['a hole', () => fit(rows, [1, , 2, 1]), TypeError, 'ERR_LABELS', 'Expected a number for labels[1], as in labels[0], but received undefined'],  
    ['objects', () => fit(rows, [{}, {}, {}, {}]), TypeError, 'ERR_LABELS', 'Expected a number, string or boolean for labels[0] but received an object'],
    ['bigints', () => fit(rows, new BigInt64Array(4)), TypeError, 'ERR_LABELS', 'Expected a number, string or boolean for labels[0] but received 0n'],
    ['NaN', () => fit(rows, [1, 2, NaN, 1]), RangeError, 'ERR_LABELS', 'Expected a finite number for labels[2] but received NaN'],
    ['infinity', () => fit(rows, [1, Infinity, 1, 1]), RangeError, 'ERR_LABELS', 'Expected a finite number for labels[1] but received Infinity'],
  ],
  'LinearSvm.fit refuses options:': [
    ['options: null', () => option(null), TypeError, 'ERR_OPTION', 'Expected an object for options but received null'],
    ['options: []', () => option([]), TypeError, 'ERR_OPTION', 'Expected an object for options but received an array of length 0'],
    ['a misspelled name', () => option({ maxIter: 5 }), TypeError, 'ERR_OPTION', 'Unknown option "maxIter"; did you mean "maxIterations"?'],
    ['a name in another case', () => option({ c: 5 }), TypeError, 'ERR_OPTION', 'Unknown option "c"; did you mean "C"?'],
    ['a letter left out', () => option({ gama: 5 }), TypeError, 'ERR_OPTION', 'Unknown option "gama"; did you mean "gamma"?'],
    ['a name unlike any other', () => option({ colour: 'red' }), TypeError, 'ERR_OPTION', 'Unknown option "colour"; expected one of gamma, C, loss, mu, classWeight, sampleWeight, scale, positive, multiclass, probability, columns, encoder, warmStart, keepSets, stop, method, solver, ranks, maxIterations, timeLimit, signal, onProgress, threads, backend'],
    ['gamma: 0', () => option({ gamma: 0 }), RangeError, 'ERR_OPTION', 'Expected a positive number for options.gamma but received 0'],
    ['gamma: -1', () => option({ gamma: -1 }), RangeError, 'ERR_OPTION', 'Expected a positive number for options.gamma but received -1'],
    ['gamma: NaN', () => option({ gamma: NaN }), RangeError, 'ERR_OPTION', 'Expected a positive number for options.gamma but received NaN'],
    ['gamma: "1"', () => option({ gamma: '1' }), TypeError, 'ERR_OPTION', "Expected a positive number or 'auto' for options.gamma but received \"1\""],
    ['gamma: "auto" and a C', () => option({ gamma: 'auto', C: 2 }), RangeError, 'ERR_OPTION', 'Expected one number for options.gamma and its other name C but received "auto" and 2'],
    ['gamma: "auto" on few rows', () => option({ gamma: 'auto' }), RangeError, 'ERR_LABELS', "Expected at least 3 rows of class -1, one for each fold of gamma: 'auto', but received 2"],
    ['gamma: 1e-320', () => option({ gamma: 1e-320 }), RangeError, 'ERR_OPTION', 'Expected a number from 1e-100 to 1e+100 for options.gamma but received 1e-320'],
    ['C: Infinity', () => option({ C: Infinity }), RangeError, 'ERR_OPTION', 'Expected a positive number for options.C but received Infinity'],
    ['gamma and another C', () => option({ gamma: 1, C: 2 }), RangeError, 'ERR_OPTION', 'Expected one number for options.gamma and its other name C but received 1 and 2'],
    ['mu: 0', () => option({ mu: 0 }), RangeError, 'ERR_OPTION', 'Expected a positive number for options.mu but received 0'],
    ['classWeight: "even"', () => option({ classWeight: 'even' }), RangeError, 'ERR_OPTION', `Expected 'balanced', a Map or an object for options.classWeight but received "even"`],
    ['classWeight: 2', () => option({ classWeight: 2 }), TypeError, 'ERR_OPTION', `Expected 'balanced', a Map or an object for options.classWeight but received 2`],
    ['classWeight of an unknown class', () => option({ classWeight: { 1: 2, 3: 1 } }), RangeError, 'ERR_OPTION', 'Expected -1 or 1 for a key of options.classWeight, as in labels, but received "3"'],
    ['classWeight of a key of another type', () => option({ classWeight: new Map([['1', 2]]) }), RangeError, 'ERR_OPTION', 'Expected -1 or 1 for a key of options.classWeight, as in labels, but received "1"'],
    ['a negative classWeight', () => fit(rows, spam, { classWeight: { spam: -1 } }), RangeError, 'ERR_OPTION', 'Expected 0 or a number from 1e-100 to 1e+100 for options.classWeight["spam"] but received -1'],
    ['a classWeight of 0', () => fit(rows, spam, { classWeight: { spam: 0 } }), RangeError, 'ERR_OPTION', 'Expected a positive weight for some row of class "spam", by options.classWeight, but all of them are 0'],
    ['sampleWeight: 1', () => option({ sampleWeight: 1 }), TypeError, 'ERR_OPTION', 'Expected an array of numbers for options.sampleWeight but received 1'],
    ['too few sampleWeights', () => option({ sampleWeight: [1, 2] }), RangeError, 'ERR_OPTION', 'Expected 4 numbers for options.sampleWeight, one for each row of points, but received 2'],
    ['a negative sampleWeight', () => option({ sampleWeight: [1, 1, -1, 1] }), RangeError, 'ERR_OPTION', 'Expected 0 or a number from 1e-100 to 1e+100 for options.sampleWeight[2] but received -1'],
    ['an infinite sampleWeight', () => option({ sampleWeight: [1, Infinity, 1, 1] }), RangeError, 'ERR_OPTION', 'Expected 0 or a number from 1e-100 to 1e+100 for options.sampleWeight[1] but received Infinity'],
    ['a sampleWeight of NaN', () => option({ sampleWeight: [NaN, 1, 1, 1] }), RangeError, 'ERR_OPTION', 'Expected 0 or a number from 1e-100 to 1e+100 for options.sampleWeight[0] but received NaN'],
    ['a string for a sampleWeight', () => option({ sampleWeight: ['1', 1, 1, 1] }), TypeError, 'ERR_OPTION', 'Expected 0 or a number from 1e-100 to 1e+100 for options.sampleWeight[0] but received "1"'],
    ['a class whose weights are all 0', () => option({ sampleWeight: [0, -0, 1, 1] }), RangeError, 'ERR_OPTION', 'Expected a positive weight for some row of class -1, by options.sampleWeight, but all of them are 0'],
    ['a weight that underflows', () => option({ sampleWeight: [1, 1e-300, 1, 1] }), RangeError, 'ERR_OPTION', 'Expected 0 or a number from 1e-100 to 1e+100 for options.sampleWeight[1] but received 1e-300'],
    ['weights that are too much for a gamma', () => option({ gamma: 1e50, sampleWeight: [1, 1e60, 1, 1] }), RangeError, 'ERR_OPTION', 'Expected at most 1e+100 for gamma times the weights of row 1, by options.sampleWeight, but received 1e+110'],
    ['another loss', () => option({ loss: 'squared_hinge' }), RangeError, 'ERR_OPTION', "Expected 'hinge' or 'squared-hinge' for options.loss but received \"squared_hinge\""],
    ['mu with the squared hinge', () => option({ loss: 'squared-hinge', mu: 1 }), RangeError, 'ERR_OPTION', "Expected nothing for options.mu with loss: 'squared-hinge', whose smoothing follows C, but received 1"],
    ["method 'paper' with the squared hinge", () => option({ loss: 'squared-hinge', method: 'paper' }), RangeError, 'ERR_OPTION', "Expected 'auto', 'ascent', 'newton' or 'fista' for options.method with loss: 'squared-hinge' but received \"paper\""],
    ["the rule 'stale' with the squared hinge", () => option({ loss: 'squared-hinge', stop: [stop.gap(1e-3), stop.stale()] }), RangeError, 'ERR_OPTION', "Expected a rule of the gap or of agreement for options.stop with loss: 'squared-hinge' but received \"stale\""],
    ['weights that overflow', () => option({ sampleWeight: [1, 1e300, 1, 1] }), RangeError, 'ERR_OPTION', 'Expected 0 or a number from 1e-100 to 1e+100 for options.sampleWeight[1] but received 1e+300'],
    ['scale: "minmax"', () => option({ scale: 'minmax' }), RangeError, 'ERR_OPTION', `Expected 'auto', 'none', 'standard' or 'maxabs' for options.scale but received "minmax"`],
    ['scale: true', () => option({ scale: true }), TypeError, 'ERR_OPTION', `Expected 'auto', 'none', 'standard' or 'maxabs' for options.scale but received true`],
    ['positive of an unknown class', () => option({ positive: 2 }), RangeError, 'ERR_OPTION', 'Expected -1 or 1 for options.positive, as in labels, but received 2'],
    ['positive of another type', () => option({ positive: '1' }), RangeError, 'ERR_OPTION', 'Expected -1 or 1 for options.positive, as in labels, but received "1"'],
    ['warmStart: null', () => option({ warmStart: null }), TypeError, 'ERR_OPTION', 'Expected a model, with weights and bias, for options.warmStart but received null'],
    ['warmStart: {}', () => option({ warmStart: {} }), TypeError, 'ERR_OPTION', 'Expected a model, with weights and bias, for options.warmStart but received an object'],
    ['warmStart of other data', () => option({ warmStart: { weights: [1], bias: 0 } }), RangeError, 'ERR_OPTION', 'Expected 2 numbers for options.warmStart.weights, one for each column of points, but received 1'],
    ['warmStart with NaN', () => option({ warmStart: { weights: [1, NaN], bias: 0 } }), RangeError, 'ERR_OPTION', 'Expected a finite number for options.warmStart.weights[1] but received NaN'],
    ['warmStart with infinity', () => option({ warmStart: { weights: [1, 2], bias: -Infinity } }), RangeError, 'ERR_OPTION', 'Expected a finite number for options.warmStart.bias but received -Infinity'],
    ['keepSets: 1', () => option({ keepSets: 1 }), TypeError, 'ERR_OPTION', 'Expected true or false for options.keepSets but received 1'],
    ['method: "simplex"', () => option({ method: 'simplex' }), RangeError, 'ERR_OPTION', `Expected 'auto', 'ascent', 'newton', 'fista' or 'paper' for options.method but received "simplex"`],
    ['solver: "liblinear"', () => option({ solver: 'liblinear' }), TypeError, 'ERR_OPTION', 'Expected an object with stepSize, shrinking, ascent, checkEvery, window for options.solver but received "liblinear"'],
    ['solver with an unknown name', () => option({ solver: { L: 'norm' } }), TypeError, 'ERR_OPTION', 'Unknown option "L" of solver; did you mean "stepSize"?'],
    ['solver against its method', () => option({ method: 'fista', solver: { ascent: true } }), RangeError, 'ERR_OPTION', "Expected false for options.solver.ascent with method: 'fista' but received true"],
    ['another stepSize with method: "paper"', () => option({ method: 'paper', solver: { stepSize: 'norm' } }), RangeError, 'ERR_OPTION', `Expected 'paper' for options.solver.stepSize with method: 'paper' but received "norm"`],
    ['checkEvery: 5 with method: "paper"', () => option({ method: 'paper', solver: { checkEvery: 5 } }), RangeError, 'ERR_OPTION', 'Expected 1 for options.solver.checkEvery with the rule "stale", which sees every iteration, but received 5'],
    ['L outside of solver', () => option({ L: 'norm' }), TypeError, 'ERR_OPTION', 'Unknown option "L"; use solver: { stepSize }'],
    ['shrinking outside of solver', () => option({ shrinking: true }), TypeError, 'ERR_OPTION', 'Unknown option "shrinking"; use solver: { shrinking }'],
    ['ascent outside of solver', () => option({ ascent: true }), TypeError, 'ERR_OPTION', 'Unknown option "ascent"; use solver: { ascent }'],
    ['checkEvery outside of solver', () => option({ checkEvery: 1 }), TypeError, 'ERR_OPTION', 'Unknown option "checkEvery"; use solver: { checkEvery }'],
    ['stepSize: "fixed"', () => option({ solver: { stepSize: 'fixed' } }), RangeError, 'ERR_OPTION', `Expected 'measured', 'norm' or 'paper' for options.solver.stepSize but received "fixed"`],
    ['stepSize: 1', () => option({ solver: { stepSize: 1 } }), TypeError, 'ERR_OPTION', `Expected 'measured', 'norm' or 'paper' for options.solver.stepSize but received 1`],
    ['shrinking: "yes"', () => option({ solver: { shrinking: 'yes' } }), TypeError, 'ERR_OPTION', 'Expected true or false for options.solver.shrinking but received "yes"'],
    ['shrinking with stepSize: "norm"', () => option({ solver: { stepSize: 'norm', shrinking: true } }), RangeError, 'ERR_OPTION', `Expected false for options.solver.shrinking with stepSize: 'norm', which needs every row in every step, but received true`],
    ['checkEvery: 0', () => option({ solver: { checkEvery: 0 } }), RangeError, 'ERR_OPTION', 'Expected an integer from 1 to 1000000 for options.solver.checkEvery but received 0'],
    ['checkEvery: 5 with stop.stale', () => option({ solver: { checkEvery: 5 }, stop: stop.stale() }), RangeError, 'ERR_OPTION', 'Expected 1 for options.solver.checkEvery with the rule "stale", which sees every iteration, but received 5'],
    ['stop: "gap"', () => option({ stop: 'gap' }), TypeError, 'ERR_OPTION', 'Expected a rule such as stop.gap(1e-3) for options.stop but received "gap"'],
    ['a rule with a relativeGap of NaN', () => option({ stop: { ...stop.gap(0.1), relativeGap: NaN } }), RangeError, 'ERR_OPTION', 'Expected a number of 0 or more for options.stop.relativeGap but received NaN'],
    ['a rule with a relativeGap of "1"', () => option({ stop: [{ ...stop.gap(0.1), relativeGap: '1' as never }] }), RangeError, 'ERR_OPTION', 'Expected a number of 0 or more for options.stop[0].relativeGap but received "1"'],
    ['stop: [gap, null]', () => option({ stop: [stop.gap(0.1), null] }), TypeError, 'ERR_OPTION', 'Expected a rule such as stop.gap(1e-3) for options.stop[1] but received null'],
    ['stop: stop.gap', () => option({ stop: stop.gap }), TypeError, 'ERR_OPTION', 'Expected a rule such as stop.gap(1e-3) for options.stop but received a function'],
    ['stop: []', () => option({ stop: [] }), RangeError, 'ERR_OPTION', 'Expected at least one rule for options.stop but received none'],
    ['maxIterations: 0', () => option({ maxIterations: 0 }), RangeError, 'ERR_OPTION', 'Expected an integer from 1 to 1000000000 for options.maxIterations but received 0'],
    ['maxIterations: 1.5', () => option({ maxIterations: 1.5 }), RangeError, 'ERR_OPTION', 'Expected an integer from 1 to 1000000000 for options.maxIterations but received 1.5'],
    ['maxIterations: "10"', () => option({ maxIterations: '10' }), TypeError, 'ERR_OPTION', 'Expected an integer from 1 to 1000000000 for options.maxIterations but received "10"'],
    ['timeLimit: 0', () => option({ timeLimit: 0 }), RangeError, 'ERR_OPTION', 'Expected a positive number for options.timeLimit but received 0'],
    ['signal: a controller', () => option({ signal: new AbortController() }), TypeError, 'ERR_OPTION', 'Expected an AbortSignal for options.signal but received an AbortController'],
    ['onProgress: true', () => option({ onProgress: true }), TypeError, 'ERR_OPTION', 'Expected a function for options.onProgress but received true'],
    ['threads: 0', () => option({ threads: 0 }), RangeError, 'ERR_OPTION', 'Expected an integer from 1 to 256 for options.threads but received 0'],
    ['backend: "gpu"', () => option({ backend: 'gpu' }), RangeError, 'ERR_OPTION', `Expected 'auto', 'native', 'wasm' or 'js' for options.backend but received "gpu"`],
  ],
  'model.predict, decision and score refuse': [
    ['another number of columns', () => model.predict([[1, 2, 3]]), RangeError, 'ERR_POINTS', 'Expected 2 columns for points, one for each weight of the model, but received 3'],
    ['another number of columns of a Dataset', () => model.decision(Dataset.from([[1]])), RangeError, 'ERR_POINTS', 'Expected 2 columns for points, one for each weight of the model, but received 1'],
    ['one point', () => model.predict([1, 2] as never), TypeError, 'ERR_POINTS', 'Expected a row of numbers for points[0] but received 1; predictOne takes one point'],
    ['a word as a row', () => model.predict(['x'] as never), TypeError, 'ERR_POINTS', 'Expected a row of numbers for points[0] but received "x"'],
    ['NaN', () => model.predict([[1, NaN]]), RangeError, 'ERR_POINTS', 'Expected a finite number for points[0][1] but received NaN'],
    ['undefined for points', () => model.predict(undefined as never), TypeError, 'ERR_POINTS', `Expected ${POINTS} for points but received undefined`],
    ['values that overflow', () => LinearSvm.fromJSON({ ...json, weights: [1e300, 1e300] }).predict([[0, 0], [1e10, 1]]), RangeError, 'ERR_POINTS', 'Expected smaller numbers for row 1 but its decision value overflows'],
    ['out as an array', () => model.decision(rows, [] as never), TypeError, 'ERR_OPTION', 'Expected a Float64Array for out but received an array of length 0'],
    ['out of another length', () => model.decision(rows, new Float64Array(3)), RangeError, 'ERR_OPTION', 'Expected 4 numbers for out, one for each row of points, but received 3'],
    ['no rows of another number of columns', () => model.decision({ data: new Float64Array(0), rows: 0, cols: 3 }), RangeError, 'ERR_POINTS', 'Expected 2 columns for points, one for each weight of the model, but received 3'],
    ['no rows with an out of length 1', () => model.decision([], new Float64Array(1)), RangeError, 'ERR_OPTION', 'Expected 0 numbers for out, one for each row of points, but received 1'],
    ['score of no rows', () => model.score([], []), RangeError, 'ERR_POINTS', 'Expected at least one row for points but received none'],
    ['score of no rows, dense', () => model.score({ data: new Float64Array(0), rows: 0, cols: 2 }, []), RangeError, 'ERR_POINTS', 'Expected at least one row for points but received none'],
    ['score with an unknown label', () => model.score(rows, [1, 1, 2, -1]), RangeError, 'ERR_LABELS', 'Expected -1 or 1 for labels[2] but received 2'],
    ['score with labels of another type', () => model.score(rows, ['1', '1', '1', '1'] as never), TypeError, 'ERR_LABELS', `Expected a number for labels[0], as the model's labels, but received "1"`],
    ['score with too many labels', () => model.score(rows, [1, 1, 1, 1, 1]), RangeError, 'ERR_LABELS', 'Expected 4 labels, one for each row of points, but received 5'],
  ],
  'model.predictOne refuses': [
    ['undefined', () => one(undefined), TypeError, 'ERR_POINTS', 'Expected an array of numbers or { indices, values } for point but received undefined'],
    ['a string', () => one('ab'), TypeError, 'ERR_POINTS', 'Expected an array of numbers or { indices, values } for point but received "ab"'],
    ['an object', () => one({}), TypeError, 'ERR_POINTS', 'Expected an array of numbers for point but received an object'],
    ['a list of rows', () => one([[1, 2]]), TypeError, 'ERR_POINTS', 'Expected the numbers of one point but received rows: an array of length 2 for point[0]; predict takes many points'],
    ['a list of as many rows as columns', () => one(rows.slice(2)), TypeError, 'ERR_POINTS', 'Expected the numbers of one point but received rows: an array of length 2 for point[0]; predict takes many points'],
    ['null for a number', () => one([null, 1]), TypeError, 'ERR_POINTS', 'Expected a finite number for point[0] but received null'],
    ['too few numbers', () => one([1]), RangeError, 'ERR_POINTS', 'Expected 2 numbers for point, one for each weight of the model, but received 1'],
    ['too many numbers', () => one([1, 2, 3]), RangeError, 'ERR_POINTS', 'Expected 2 numbers for point, one for each weight of the model, but received 3'],
    ['NaN', () => one([1, NaN]), RangeError, 'ERR_POINTS', 'Expected a finite number for point[1] but received NaN'],
    ['a string for a number', () => one(['1', 2]), TypeError, 'ERR_POINTS', 'Expected a finite number for point[0] but received "1"'],
    ['indices: 5', () => one({ indices: 5 }), TypeError, 'ERR_POINTS', 'Expected an array of numbers for point.indices but received 5'],
    ['a column out of range', () => one({ indices: [2] }), RangeError, 'ERR_POINTS', 'Expected a column from 0 to 1 for point.indices[0] but received 2'],
    ['a column that is not an integer', () => one({ indices: [0.5] }), RangeError, 'ERR_POINTS', 'Expected a column from 0 to 1 for point.indices[0] but received 0.5'],
    ['columns out of order', () => one({ indices: [1, 0] }), RangeError, 'ERR_POINTS', 'Expected ascending column indices in the point but received 0 after 1'],
    ['a column twice', () => one({ indices: [1, 1] }), RangeError, 'ERR_POINTS', 'Expected ascending column indices in the point but received 1 after 1'],
    ['too few values', () => one({ indices: [0, 1], values: [1] }), RangeError, 'ERR_POINTS', 'Expected 2 numbers for point.values, as in point.indices, but received 1'],
    ['values: null', () => one({ indices: [0], values: null }), TypeError, 'ERR_POINTS', 'Expected an array of numbers for point.values but received null'],
    ['an infinite value', () => one({ indices: [0], values: [Infinity] }), RangeError, 'ERR_POINTS', 'Expected a finite number for point.values[0] but received Infinity'],
    ['a value that overflows', () => LinearSvm.fromJSON({ ...json, weights: [1e300, 0] }).predictOne([1e300, 1]), RangeError, 'ERR_POINTS', 'Expected smaller numbers for the point but its decision value overflows'],
  ],
  'LinearSvm.fromJSON refuses': [
    ['undefined', () => LinearSvm.fromJSON(undefined), TypeError, 'ERR_MODEL', 'Expected an object for json but received undefined'],
    ['text', () => LinearSvm.fromJSON(JSON.stringify(json)), TypeError, 'ERR_MODEL', `Expected an object for json but received "{\\"format\\":\\"fista-classify/linear-svm\\",\\"v…"`],
    ['an array', () => LinearSvm.fromJSON([json]), TypeError, 'ERR_MODEL', 'Expected an object for json but received an array of length 1'],
    ['{}', () => LinearSvm.fromJSON({}), RangeError, 'ERR_MODEL', 'Expected "fista-classify/linear-svm" for json.format but received undefined'],
    ['another format', () => read({ format: 'onnx' }), RangeError, 'ERR_MODEL', 'Expected "fista-classify/linear-svm" for json.format but received "onnx"'],
    ['a newer version', () => read({ version: 3 }), RangeError, 'ERR_MODEL', 'Expected version 1 or 2 for json.version but received 3 (written by a newer fista-classify)'],
    ['another version', () => read({ version: '1' }), RangeError, 'ERR_MODEL', 'Expected version 1 or 2 for json.version but received "1"'],
    ['no labels', () => read({ labels: undefined }), TypeError, 'ERR_MODEL', 'Expected two labels for json.labels but received undefined'],
    ['three labels', () => read({ labels: [1, 2, 3] }), TypeError, 'ERR_MODEL', 'Expected two labels for json.labels but received an array of length 3'],
    ['labels of mixed types', () => read({ labels: [1, '2'] }), RangeError, 'ERR_MODEL', 'Expected a number other than 1 for json.labels[1] but received "2"'],
    ['the same label twice', () => read({ labels: ['a', 'a'] }), RangeError, 'ERR_MODEL', 'Expected a string other than "a" for json.labels[1] but received "a"'],
    ['a label that is an object', () => read({ labels: [{}, 1] }), TypeError, 'ERR_MODEL', 'Expected a number, string or boolean for json.labels[0] but received an object'],
    ['a label of null, which JSON makes of NaN', () => read({ labels: [0, null] }), TypeError, 'ERR_MODEL', 'Expected a number, string or boolean for json.labels[1] but received null'],
    ['a label of NaN', () => read({ labels: [0, NaN] }), RangeError, 'ERR_MODEL', 'Expected a finite number for json.labels[1] but received NaN'],
    ['a bias of "NaN"', () => read({ bias: 'NaN' }), TypeError, 'ERR_MODEL', 'Expected a finite number for json.bias but received "NaN"'],
    ['a bias of NaN', () => read({ bias: NaN }), RangeError, 'ERR_MODEL', 'Expected a finite number for json.bias but received NaN'],
    ['weights as an object', () => read({ weights: { length: 1e9 } }), RangeError, 'ERR_MODEL', 'Expected an integer from 0 to 268435456 for json.weights.length but received 1000000000'],
    ['weights as text', () => read({ weights: 'AAAA' }), TypeError, 'ERR_MODEL', 'Expected an array of numbers or { length, indices, values } for json.weights but received "AAAA"'],
    ['weights of a huge length', () => read({ weights: new Array(2 ** 32 - 1) }), RangeError, 'ERR_MODEL', 'Expected at most 268435456 numbers for json.weights but received 4294967295'],
    ['weights without entries', () => read({ weights: new Array(2 ** 28) }), TypeError, 'ERR_MODEL', 'Expected a finite number for json.weights[0] but received undefined'],
    ['a weight of "NaN"', () => read({ weights: [1, 'NaN'] }), TypeError, 'ERR_MODEL', 'Expected a finite number for json.weights[1] but received "NaN"'],
    ['a weight of null', () => read({ weights: [null] }), TypeError, 'ERR_MODEL', 'Expected a finite number for json.weights[0] but received null'],
    ['a weight that is infinite', () => LinearSvm.fromJSON(JSON.parse(JSON.stringify(json).replace(/"weights":\[/, '"weights":[1e999,'))), RangeError, 'ERR_MODEL', 'Expected a finite number for json.weights[0] but received Infinity'],
    ['weights in nested arrays', () => read({ weights: [[[[1]]]] }), TypeError, 'ERR_MODEL', 'Expected a finite number for json.weights[0] but received an array of length 1'],
    ['a model that only inherits its properties', () => LinearSvm.fromJSON(Object.create(json)), RangeError, 'ERR_MODEL', 'Expected "fista-classify/linear-svm" for json.format but received undefined'],
    ['a __proto__ key', () => LinearSvm.fromJSON(JSON.parse(`{ "__proto__": ${JSON.stringify(json)} }`)), RangeError, 'ERR_MODEL', 'Expected "fista-classify/linear-svm" for json.format but received undefined'],
  ],
  'a constructor throws:': [
    ['new LinearSvm({ C: 1 })', () => new (LinearSvm as unknown as new (options: object) => LinearSvm)({ C: 1 }), TypeError, 'ERR_USAGE', 'Expected LinearSvm.fit(points, labels, options) but received new LinearSvm(…)'],
    ['new LinearSvm()', () => new (LinearSvm as unknown as new () => LinearSvm)(), TypeError, 'ERR_USAGE', 'Expected LinearSvm.fit(points, labels, options) but received new LinearSvm(…)'],
    ['new LinearSvm(model)', () => new (LinearSvm as unknown as new (model: object) => LinearSvm)(model), TypeError, 'ERR_USAGE', 'Expected LinearSvm.fit(points, labels, options) but received new LinearSvm(…)'],
    ['new Dataset(points)', () => new (Dataset as unknown as new (points: object) => Dataset)(rows), TypeError, 'ERR_USAGE', 'Expected Dataset.from(points, options) but received new Dataset(…)'],
    ['new Dataset()', () => new (Dataset as unknown as new () => Dataset)(), TypeError, 'ERR_USAGE', 'Expected Dataset.from(points, options) but received new Dataset(…)'],
  ],
  'model.toLiblinear refuses': [
    ['labels that are strings', () => LinearSvm.fit(rows, spam).toLiblinear(), RangeError, 'ERR_LABELS', 'Expected an integer for every label, as LIBLINEAR has no others, but received "ham"'],
    ['labels that are fractions', () => LinearSvm.fit(rows, [1, 1, 0.5, 0.5]).toLiblinear(), RangeError, 'ERR_LABELS', 'Expected an integer for every label, as LIBLINEAR has no others, but received 0.5'],
    ['labels that are booleans', () => LinearSvm.fit(rows, [true, false, true, false]).toLiblinear(), RangeError, 'ERR_LABELS', 'Expected an integer for every label, as LIBLINEAR has no others, but received false'],
    ['labels beyond 32 bits', () => LinearSvm.fit(rows, [1, 1, 3e9, 3e9]).toLiblinear(), RangeError, 'ERR_LABELS', 'Expected an integer for every label, as LIBLINEAR has no others, but received 3000000000'],
  ],
  'a disposed Dataset is refused by': [
    ['fit', () => fit(disposed()), Error, 'ERR_DISPOSED', 'Expected a live Dataset but it was disposed of'],
    ['predict', () => model.predict(disposed()), Error, 'ERR_DISPOSED', 'Expected a live Dataset but it was disposed of'],
  ],
};

function disposed(): Dataset {
  const data = Dataset.from(rows);
  data.dispose();
  return data;
}

for (const [where, table] of Object.entries(TABLE)) {
  describe(where, () => {
    it.each(table)('%s', (_call, run, Kind, code, message) => {
      let thrown: unknown;
      try {
        run();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(Kind);
      expect(thrown).toMatchObject({ message, code });
      expect((thrown as Error).constructor).toBe(Kind);
      expect((thrown as Error).stack).toContain(`${Kind.name} [${code}]: `);
      // error.option is the option that the message names.
      const [, named, unknown] = /options\.(solver\.\w+|\w+)|^Unknown option "(\w+)"/.exec(message) ?? [];
      expect((thrown as { option?: string }).option).toBe(named ?? unknown);
    });
  });
}

describe('bad input', () => {
  it('leaves points, labels, JSON and model unchanged', () => {
    expect(JSON.stringify([rows, labels, spam, json, model])).toBe(before);
  });

  it('makes LinearSvm.fitAsync reject with the error that LinearSvm.fit throws', async () => {
    for (const [points, given, options] of [
      [null, labels, {}],
      [rows, [1], {}],
      [rows, labels, { gamma: 0 }],
      [rows, labels, { gama: 1 }],
      [[[1e200], [-1e200]], [1, -1], { scale: 'none' }],
    ] as never[][]) {
      const error = thrownBy(() => fit(points, given, options));
      const promise = LinearSvm.fitAsync(points!, given!, options);
      await expect(promise).rejects.toThrow(
        expect.objectContaining({ message: error.message, code: (error as { code?: string }).code }),
      );
    }
  });

  it('makes LinearSvm.fit throw the same message on both backends', () => {
    for (const points of [
      [
        [1, NaN],
        [2, 3],
      ],
      { data: Float32Array.of(1, NaN), rows: 2, cols: 1 },
      { indptr: [0, 1, 3], indices: [0, 1, 1], rows: 2, cols: 2 },
      { indptr: [0, 1, 2], indices: [0, 2], rows: 2, cols: 2 },
      { indptr: [0, 3, 2], indices: [0, 1], rows: 2, cols: 2 },
      { indptr: [0, 1, 2], indices: [0, 1], values: [1, -Infinity], rows: 2, cols: 2 },
    ]) {
      const messages = names.map((backend) => thrownBy(() => fit(points, [1, 2], { backend })).message);
      expect(new Set(messages).size).toBe(1);
    }
  });

  it('makes LinearSvm.fit and model.decision throw before onProgress is called or out is written', () => {
    let called = 0;
    const out = new Float64Array(1).fill(7);
    expect(() => option({ onProgress: () => called++, maxIterations: 0 })).toThrow();
    expect(() =>
      model.decision(
        [
          [1, 2],
          [1, NaN],
        ],
        out,
      ),
    ).toThrow();
    expect(() => model.decision([[1, NaN]], out)).toThrow();
    expect(called).toBe(0);
    expect(out[0]).toBe(7);
  });
});

describe('LinearSvm.fromJSON(json) with a __proto__ key', () => {
  it('reads own properties only, and pollutes no prototype', () => {
    const polluted = JSON.parse(JSON.stringify(json).replace('{', '{"__proto__":{"polluted":true,"bias":5},')) as object;
    expect(Object.hasOwn(polluted, '__proto__')).toBe(true);
    const read = LinearSvm.fromJSON(polluted);
    expect(read.bias).toBe(json.bias);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect((read as unknown as { polluted?: boolean }).polluted).toBeUndefined();
  });
  afterAll(() => expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false));
});

function thrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
