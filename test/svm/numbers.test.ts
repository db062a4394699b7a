/** Data at the limits of doubles: every fit ends with finite numbers and a true status, or names the column that is too large. */
import { describe, expect, it } from 'vitest';
import { LinearSvm, stop, type Points, type SvmOptions } from '../../lib/index.js';
import { names } from '../support/backends.js';
import { random } from '../support/random.js';
import { clouds, dense, sparse, type Sample } from '../support/svm-data.js';

const MAX_ITERATIONS = 200;
const SCALES = ['none', 'standard', 'maxabs'] as const;

/** Below this, sums of a few squares are finite. */
const SQUARABLE = 1e150;

const times = ({ rows, labels }: Sample, factor: (j: number, i: number) => number): Sample => ({
  rows: rows.map((row, i) => row.map((value, j) => value * factor(j, i))),
  labels,
});

const plain = clouds(21, 24, 3);
const uniform = random(5);

const CASES: [title: string, sample: Sample][] = [
  ...[1e-300, 1e-200, 1e-160, 1e-150, 1e-100, 1e-30, 1e30, 1e100, 1e140, 1e155, 1e160, 1e200, 1e300].map(
    (size): [string, Sample] => [`values around ${size}`, times(plain, () => size)],
  ),
  ...[1e-306, 1e-308, 1e-310, 1e-315, 5e-324].map((size): [string, Sample] => [
    `values around ${size}, at the lower end`,
    times(plain, () => size),
  ]),
  ['columns of 1e-300, 1 and 1e140', times(plain, (j) => [1e-300, 1, 1e140][j]!)],
  ['columns of 1, 1e300 and 1e-300', times(plain, (j) => [1, 1e300, 1e-300][j]!)],
  ['columns of 5e-324, 1 and 1e-310', times(plain, (j) => [5e-324, 1, 1e-310][j]!)],
  ['rows from 1e-300 to 1e300', times(plain, (_, i) => 10 ** (-300 + (600 * i) / 23))],
  ['rows from 1e-140 to 1e140', times(plain, (_, i) => 10 ** (-140 + (280 * i) / 23))],
  ['one huge value among small ones', times(plain, (j, i) => (i === 7 && j === 1 ? 1e290 : 1e-3))],
  ['a huge constant column', { ...plain, rows: plain.rows.map((row) => [...row, 1e300]) }],
  ['a huge column that varies in its last digits', { ...plain, rows: plain.rows.map((row, i) => [...row, 1e15 + (i % 3)]) }],
  ['constant columns beside others', { ...plain, rows: plain.rows.map(([x]) => [7, x!, 0, -0.1]) }],
  ['constant columns alone', { ...plain, rows: plain.rows.map(() => [0.1, 1e8, -3]) }],
  ['zeros of both signs', { ...plain, rows: plain.rows.map((_, i) => [i % 3 ? 0 : -0, -0]) }],
  ['-0 among values', { ...plain, rows: plain.rows.map((row, i) => row.map((x, j) => ((i + j) % 3 ? x : -0))) }],
  ['identical points in both classes', { ...plain, rows: plain.rows.map(() => [1, 2, 3]) }],
  ['pairs of identical points, one in each class', { ...plain, rows: plain.rows.map((_, i) => plain.rows[i >> 1]!) }],
  ['two rows', { rows: [[1, 2], [3, -1]], labels: [1, -1] }], // prettier-ignore
  ['two equal rows', { rows: [[1, 2], [1, 2]], labels: [1, -1] }], // prettier-ignore
  ['two rows that differ in the last bit', { rows: [[1], [1 + 2 ** -52]], labels: [1, -1] }], // prettier-ignore
  ['two rows of 1e300 and -1e300', { rows: [[1e300], [-1e300]], labels: [1, -1] }], // prettier-ignore
  ['one column', clouds(22, 40, 1)],
  ['one class of a single row', { rows: plain.rows, labels: plain.labels.map((_, i) => (i === 5 ? 1 : -1)) }],
  ['one class of a single row, far away', { rows: plain.rows.map((row, i) => (i === 5 ? row.map(() => 1e12) : row)), labels: plain.labels.map((_, i) => (i === 5 ? 1 : -1)) }], // prettier-ignore
  ['10 rows of 50,000 columns', { rows: Array.from({ length: 10 }, () => Array.from({ length: 50_000 }, () => (uniform() < 0.9 ? 0 : uniform() - 0.5))), labels: plain.labels.slice(0, 10) }], // prettier-ignore
];

/** The forms that can store a sample. */
function formsOf({ rows }: Sample): [string, Points][] {
  const forms: [string, Points][] = [
    ['rows', rows],
    ['dense', dense(rows)],
    ['sparse', sparse(rows)],
  ];
  if (rows.every((row) => row.every((x) => Math.abs(x) < 3e38))) {
    forms.push(['dense f32', dense(rows, Float32Array)], ['sparse f32', sparse(rows, Float32Array)]);
  }
  return forms;
}

const largest = ({ rows }: Sample) => Math.max(...rows.map((row) => row.reduce((max, x) => Math.max(max, Math.abs(x)), 0)));

/** Expects that all numbers of a fit are finite and that they meet its status. */
function expectSound(points: Points, labels: number[], options: SvmOptions<number>): LinearSvm<number> {
  const model = LinearSvm.fit(points, labels, { maxIterations: MAX_ITERATIONS, ...options });
  const { info } = model;
  for (const weight of model.weights) if (!Number.isFinite(weight)) expect.fail(`a weight is ${weight}`);
  for (const name of ['primal', 'dual', 'gap', 'relativeGap', 'passes', 'elapsed', 'L', 'gamma', 'mu'] as const) {
    if (!Number.isFinite(info[name])) expect.fail(`info.${name} is ${info[name]}`);
  }
  expect(model.bias).toSatisfy(Number.isFinite);
  expect(info.gap).toBeGreaterThanOrEqual(0);
  expect(info.iterations).toBeLessThanOrEqual(MAX_ITERATIONS);
  for (const name of ['agreed', 'properlyClassified', 'zero', 'atBound'] as const) {
    expect(info[name]).toBeLessThanOrEqual(info.rows);
  }
  if (info.status === 'agreement') expect(info.shares.agreed).toBeGreaterThanOrEqual(0.99);
  else if (info.status === 'gap') expect(info.relativeGap).toBeLessThanOrEqual(1e-4);
  else if (info.status === 'max-iterations') expect(info.iterations).toBe(MAX_ITERATIONS);
  else expect(info.status).toBe('precision'); // rounding limits the gap
  return model;
}

describe.each(names)('LinearSvm.fit(points, labels) at the limits of doubles, %s', (backend) => {
  it.each(CASES)('ends with finite numbers and a true status: %s', (_, sample) => {
    for (const [form, points] of formsOf(sample)) {
      for (const scale of SCALES) {
        const attempt = () => expectSound(points, sample.labels, { backend, scale });
        try {
          if (scale === 'none' && largest(sample) > SQUARABLE) {
            expect(attempt).toThrow(/^Expected smaller numbers for column \d of points, or scale 'standard' or 'maxabs', but /);
          } else {
            for (const value of attempt().decision(points)) expect(value).toSatisfy(Number.isFinite);
          }
        } catch (error) {
          (error as Error).message = `${form}, scale ${scale}: ${(error as Error).message}`;
          throw error;
        }
      }
    }
  });

  it.each([1e-12, 1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9, 1e12])('ends with finite numbers and a true status: gamma %d', (gamma) => {
    const overlapping = clouds(23, 30, 2, 0.5);
    const apart = clouds(24, 30, 2, 12);
    const lonely = { rows: plain.rows, labels: plain.labels.map((_, i) => (i === 5 ? 1 : -1)) };
    const huge = times(plain, () => 1e300);
    const tiny = times(plain, () => 1e-300);
    for (const sample of [overlapping, apart, lonely, huge, tiny]) {
      for (const [, points] of formsOf(sample)) {
        for (const scale of sample === huge ? SCALES.slice(1) : SCALES) {
          expectSound(points, sample.labels, { backend, scale, gamma });
          expectSound(points, sample.labels, { backend, scale, gamma, mu: 1e-6 });
        }
      }
    }
  });

  it('fits equal rows of 1e-301 with a large gamma: u / scale may overflow, where u / scale² times the entry does not', () => {
    for (const columns of [4, 40]) {
      const row = Array.from({ length: columns }, (_, j) => (j === 0 ? 0.1 : (j % 7) * 1.3e-302));
      const rows = Array.from({ length: 18 }, () => row);
      const labels = rows.map((_, i) => (i % 2 ? 1 : -1));
      const sampleWeight = rows.map((_, i) => 10 ** ((i % 5) - 3));
      for (const [, points] of formsOf({ rows, labels }).slice(0, 3)) {
        for (const scale of SCALES.slice(1)) expectSound(points, labels, { backend, scale, gamma: 1e6, sampleWeight });
      }
    }
  });

  it('has the same default gamma beside a constant column of 1e-200', () => {
    const rows = plain.rows.map((row) => row.map((x) => 1e9 + x));
    const gammaOf = (points: number[][]) => LinearSvm.fit(sparse(points), plain.labels, { backend, scale: 'maxabs' }).info.gamma;
    expect(gammaOf(rows.map((row) => [...row, 1e-200]))).toBe(gammaOf(rows));
  });

  it('throws and names the column whose squares overflow', () => {
    for (const column of [0, 1, 2]) {
      const sample = times(plain, (j) => (j === column ? 1e200 : 1e100));
      for (const [, points] of formsOf(sample)) {
        expect(() => LinearSvm.fit(points, sample.labels, { backend, scale: 'none' })).toThrow(
          expect.objectContaining({
            name: 'RangeError',
            code: 'ERR_POINTS',
            message: `Expected smaller numbers for column ${column} of points, or scale 'standard' or 'maxabs', but sums of their products overflow`,
          }),
        );
      }
    }
  });

  it('keeps timeLimit on data over 280 decades', () => {
    const sample = times(plain, (_, i) => 10 ** (-140 + (280 * i) / 23));
    const { info } = LinearSvm.fit(sample.rows, sample.labels, { backend, stop: stop.gap(0), timeLimit: 1e-9, gamma: 1e12 });
    expect(info.status).toBe('time-limit');
    expect(info.iterations).toBeLessThanOrEqual(1);
  });
});
