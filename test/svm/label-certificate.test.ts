/** What certificates of labels are made of (method C11), piece by piece. label-soundness.test.ts holds the whole against exact optima. */
import { describe, expect, it } from 'vitest';
import { Dataset, LinearSvm, stop, type SparseMatrix, type StopRule } from '../../lib/index.js';
import { writeJSON } from '../../lib/io/model-json.js';
import { widened } from '../../lib/svm/training.js';
import { planesOf } from '../io/models.js';
import { names } from '../support/backends.js';
import { normal, random } from '../support/random.js';
import { sparse } from '../support/svm-data.js';

describe('widened(bounds, by)', () => {
  const bounds = { slope: 2 ** -30, low: 0, high: 0, norm: 7 };

  it('makes room for the rounding of the centre', () => {
    const room = 4 * 2 ** -53 * 2 ** -30 * 5;
    expect(widened(bounds, { away: 5, coarse: 0, fine: 0 })).toEqual({ slope: 2 ** -30, low: -room, high: room, norm: 7 });
  });

  it('makes room for a centre that is subnormal', () => {
    const room = 2 ** -1074 * 2 ** 1020 * 2 ** -30;
    expect(widened(bounds, { away: 0, coarse: 0, fine: 2 ** 1020 })).toEqual({ slope: 2 ** -30, low: -room, high: room, norm: 7 });
  });

  it('makes room for weights that underflow', () => {
    const off = 2 ** -1073 * 2 ** 1020;
    const { slope, low, high } = widened(bounds, { away: 2 ** 40, coarse: 2 ** 1020, fine: 0 });
    expect(slope).toBe(2 ** -30 + off);
    expect([-low, high]).toEqual([2 ** 40 * (2 ** -81 + off), 2 ** 40 * (2 ** -81 + off)]);
  });

  it('widens what it is given', () => {
    const wide = widened({ slope: 1, low: -2, high: 3, norm: 0 }, { away: 2 ** 51, coarse: 0, fine: 0 });
    expect([wide.low, wide.high]).toEqual([-3, 4]);
  });
});

describe.each(names)('certify(points), %s backend', (backend) => {
  it('makes room for the rounding of what is subtracted from the columns of the points: 16 (d + 8) u |w| |shift / scale|', () => {
    // The value at 1e8 + x is x. Nothing but rounding is to be made room for: 16 * 9 u * 0.5 * 2e8 = 1.6e-6.
    const proof = { slope: 0, low: 0, high: 0, norm: 0.5, inverseScale: Float64Array.of(2), centre: Float64Array.of(0) };
    const model = planesOf([0, 1], 'pairs', [{ weights: [1], bias: -1e8 }], { proofs: [proof] });
    const read = LinearSvm.fromJSON<number>(writeJSON(model, { proofs: true }));
    const off = [1.5e-6, -1.5e-6, 1.7e-6, -1.7e-6];
    const points = off.map((x) => [1e8 + x]);
    expect(read.certify(Dataset.from(points, { backend }))).toEqual([false, false, true, true]);
    // Nothing is subtracted from columns that have entries of both signs and are stored as 32-bit numbers.
    const small = LinearSvm.fromJSON<number>(
      writeJSON(planesOf([0, 1], 'pairs', [{ weights: [1], bias: 0 }], { proofs: [proof] }), { proofs: true }),
    );
    const data = Float32Array.of(1e8, -1e8, 1e-6, -1e-6);
    expect(small.certify(Dataset.from({ data, rows: 4, cols: 1 }, { backend }))).toEqual([true, true, true, true]);
  });

  it('counts the columns of the centre that the points have no entries in, of a model of a million columns', () => {
    const place = [3, 70_000, 2 ** 20 - 1];
    const csr = (rows: readonly number[][], wide: boolean): SparseMatrix => {
      const kept = rows.map((row) => row.flatMap((value, j) => (value === 0 ? [] : [{ value, j: wide ? place[j]! : j }])));
      const indptr = [0];
      for (const row of kept) indptr.push(indptr.at(-1)! + row.length);
      const entries = kept.flat();
      return {
        indptr: Uint32Array.from(indptr),
        indices: Uint32Array.from(entries, ({ j }) => j),
        values: Float64Array.from(entries, ({ value }) => value),
        rows: rows.length,
        cols: wide ? 2 ** 20 : 3,
      };
    };
    const next = random(5);
    const uniform = () => next() - 0.5;
    const labels = Array.from({ length: 200 }, (_, i) => i % 3);
    const rows = labels.map((c) => [2 * c + 2 * uniform() + 1, 2 * c * c + 2 * uniform() + 5, 1e3 + c + uniform()]);
    const lists = [
      Array.from({ length: 300 }, () => [6 * uniform() + 3, 0, 1e3 + 3 * uniform()]),
      Array.from({ length: 300 }, () => [6 * uniform() + 3, 6 * uniform() + 6, 1e3 + 3 * uniform()]),
      Array.from({ length: 300 }, () => [60 * uniform(), 0, 0]),
    ];
    for (const multiclass of ['pairs', 'rest'] as const) {
      const options = { multiclass, stop: stop.gap(1e-2), backend };
      const narrow = LinearSvm.fit(csr(rows, false), labels, options);
      const wide = LinearSvm.fit(csr(rows, true), labels, options);
      const found = lists.map((list) => {
        const certain = narrow.certify(Dataset.from(csr(list, false), { backend }));
        expect(wide.certify(Dataset.from(csr(list, true), { backend }))).toEqual(certain);
        return certain.filter(Boolean).length;
      });
      for (const count of found) expect(count).toSatisfy((number: number) => number > 20 && number < 299);
    }
  });
});

describe.each(names)('what is proved of the planes of several classes, %s backend', (backend) => {
  it('has one scale, whichever columns are 0 in the rows of some plane', () => {
    // Of pairs, the first plane's rows are 0 in column 1, but others are not; all are 0 in column 2.
    const next = random(3);
    const labels = Array.from({ length: 60 }, (_, i) => i % 3);
    const rows = labels.map((c) => [3 * c + normal(next), c === 2 ? 1 + normal(next) : 0, 0]);
    for (const points of [rows, sparse(rows), sparse(rows, Float32Array)]) {
      for (const multiclass of ['pairs', 'rest'] as const) {
        for (const scale of ['none', 'standard', 'maxabs'] as const) {
          const model = LinearSvm.fit(points, labels, { backend, multiclass, scale, stop: stop.gap(1e-6) });
          const [first, ...others] = LinearSvm.modelOf(model).proofs!.map(({ inverseScale }) => Array.from(inverseScale));
          expect(first!.map((inverse) => inverse > 0)).toEqual([true, true, false]);
          for (const other of others) expect(other).toEqual(first);
        }
      }
    }
  });
});

describe.each(names)('LinearSvm.fit(points, labels, { stop: stop.agreement(share) }) of several classes, %s backend', (backend) => {
  it('trains further only the planes that leave labels open', () => {
    // Classes 0 and 1 overlap, and so do 1 and 2; class 3 is far away.
    const next = random(12);
    const labels = Array.from({ length: 320 }, (_, i) => (i < 300 ? i % 3 : 3));
    const centres = [[0, 0], [3, 0], [6, 0], [0, 60]]; // prettier-ignore
    const points = labels.map((c) => centres[c]!.map((x) => x + normal(next)));
    const options = { backend, multiclass: 'pairs', gamma: 1, scale: 'none' } as const;
    // A rule that cannot be asked about all planes together ends each of them by itself.
    const alone: StopRule = {
      name: 'agreement',
      everyIteration: false,
      start: () => (check) => (check.agreed >= 0.9 * check.rows ? 'agreement' : undefined),
    };
    const first = LinearSvm.fit(points, labels, { ...options, stop: alone }).info;
    const { status, shares, planes } = LinearSvm.fit(points, labels, { ...options, stop: stop.agreement(0.9) }).info;
    expect(first.shares.agreed).toBeLessThan(0.9); // the planes are not good enough yet
    expect([status, shares.agreed >= 0.9]).toEqual(['agreement', true]);
    const more = planes!.map(({ positive, iterations }, p) => ({ positive, by: iterations - first.planes![p]!.iterations }));
    expect(more.filter(({ positive }) => positive === 3).map(({ by }) => by)).toEqual([0, 0, 0]);
    expect(Math.max(...more.map(({ by }) => by))).toBeGreaterThan(0);
  });
});
