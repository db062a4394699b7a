import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitIsotonic, fitSigmoid, probabilityAt, type HeldOutValues } from '../../lib/svm/calibration.js';

const held = (values: ArrayLike<number>, positive: ArrayLike<number>, weights?: ArrayLike<number>): HeldOutValues => ({
  values: Float64Array.from(values),
  positive: Uint8Array.from(positive),
  weights: weights ? Float64Array.from(weights) : new Float64Array(values.length).fill(1),
});

// Values and labels that scikit-learn was given too, and what its 1.2.1 (Debian's python3-sklearn) made of them: _SigmoidCalibration, which
// CalibratedClassifierCV(method='sigmoid') fits, and IsotonicRegression(y_min=0, y_max=1, out_of_bounds='clip').
const rows = Array.from({ length: 200 }, (_, i) => i);
const values = rows.map((i) => (((37 * i) % 101) - 50) / 20);
const positive = rows.map((i) => Number(values[i]! + (((53 * i) % 89) - 44) / 15 > 0.2));
const weights = rows.map((i) => 1 + (i % 3));
const at = [-9, -2, -1.02, -0.5, 0, 0.33, 1, 1.77, 9];

describe('fitSigmoid(held)', () => {
  it('is that of scikit-learn', () => {
    const { a, b } = fitSigmoid(held(values, positive));
    expect(Math.abs(a - -0.8823263095317194)).toBeLessThan(1e-6);
    expect(Math.abs(b - 0.22421309201179104)).toBeLessThan(1e-6);
    const weighted = fitSigmoid(held(values, positive, weights));
    expect(Math.abs(weighted.a - -0.8837644941616248)).toBeLessThan(1e-6);
    expect(Math.abs(weighted.b - 0.2391143407148084)).toBeLessThan(1e-6);
  });

  it('takes a row of weight 3 as three rows, and leaves out one of weight 0', () => {
    const copies = rows.flatMap((i) => Array.from({ length: weights[i]! }, () => i));
    const one = fitSigmoid(held([...values, 1e9], [...positive, 0], [...weights, 0]));
    const other = fitSigmoid(
      held(
        copies.map((i) => values[i]!),
        copies.map((i) => positive[i]!),
      ),
    );
    expect(one.a).toBeCloseTo(other.a, 10);
    expect(one.b).toBeCloseTo(other.b, 10);
  });

  it('is where both derivatives of the likelihood are 0, of values of any size', () => {
    const row = fc.record({ value: fc.double({ min: -1, max: 1, noNaN: true }), positive: fc.nat(1) });
    fc.assert(
      fc.property(fc.array(row, { minLength: 2, maxLength: 60 }), fc.integer({ min: -200, max: 200 }), (list, power) => {
        const unit = 10 ** power;
        const scaled = list.map(({ value }) => value * unit);
        const { a, b } = fitSigmoid(
          held(
            scaled,
            list.map((one) => one.positive),
          ),
        );
        const ups = list.reduce((sum, one) => sum + one.positive, 0);
        const targets = [1 / (list.length - ups + 2), (ups + 1) / (ups + 2)];
        let [slopeA, slopeB] = [0, 0];
        list.forEach((one, i) => {
          const off = targets[one.positive]! - probabilityAt({ kind: 'sigmoid', a, b }, scaled[i]!);
          slopeA += off * one.value;
          slopeB += off;
        });
        expect(Math.abs(slopeA) + Math.abs(slopeB)).toBeLessThan(1e-6 * list.length);
      }),
    );
  });

  it('is the share of positive rows, nearly, where all values are equal', () => {
    const { a, b } = fitSigmoid(held(new Float64Array(10).fill(-7), [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]));
    expect(a).toBe(0);
    expect(probabilityAt({ kind: 'sigmoid', a, b }, 5)).toBeCloseTo((3 * (4 / 5) + 7 / 9) / 10, 10);
  });

  it('stays finite where a value separates the sides', () => {
    const { a, b } = fitSigmoid(held([-1e300, -2e300, 1e300, 3e300], [0, 0, 1, 1]));
    expect([a, b].every(Number.isFinite)).toBe(true);
    expect(probabilityAt({ kind: 'sigmoid', a, b }, 3e300)).toBeGreaterThan(0.6);
  });
});

describe('fitIsotonic(held)', () => {
  it('is that of scikit-learn', () => {
    const plain = fitIsotonic(held(values, positive));
    const expected = [0, 0.13636363636363635, 0.2222222222222222, 0.2727272727272727, 0.4375, 0.4375, 0.7096774193548387, 0.8636363636363636, 0.9]; // prettier-ignore
    at.forEach((value, k) => expect(probabilityAt(plain, value)).toBeCloseTo(expected[k]!, 12));
    const weighted = fitIsotonic(held(values, positive, weights));
    const others = [0, 0.13846153846153847, 0.21621621621621623, 0.2727272727272727, 0.4090909090909091, 0.41025641025641024, 0.7142857142857143, 0.8666666666666667, 0.8780487804878049]; // prettier-ignore
    at.forEach((value, k) => expect(probabilityAt(weighted, value)).toBeCloseTo(others[k]!, 12));
  });

  it('is the largest mean from some row before to any row after, with equal values together, ascending, without repeats', () => {
    const row = fc.record({ value: fc.integer({ min: -5, max: 5 }), positive: fc.nat(1), weight: fc.nat(3) });
    const lists = fc.array(row, { minLength: 1, maxLength: 30 }).filter((list) => list.some(({ weight }) => weight > 0));
    fc.assert(
      fc.property(lists, (list) => {
        const line = fitIsotonic(
          held(
            list.map(({ value }) => value),
            list.map((one) => one.positive),
            list.map(({ weight }) => weight),
          ),
        );
        const distinct = [...new Set(list.flatMap(({ value, weight }) => (weight > 0 ? [value] : [])))].sort((a, b) => a - b);
        const mean = (from: number, to: number) => {
          const inside = list.filter(({ value }) => value >= distinct[from]! && value <= distinct[to]!);
          const total = inside.reduce((sum, { weight }) => sum + weight, 0);
          return inside.reduce((sum, one) => sum + one.weight * one.positive, 0) / total;
        };
        distinct.forEach((value, k) => {
          const before = distinct.slice(0, k + 1).map((_, j) => {
            return Math.min(...distinct.slice(k).map((_, l) => mean(j, k + l)));
          });
          expect(probabilityAt(line, value)).toBeCloseTo(Math.max(...before), 12);
        });
        line.values.forEach((value, k) => expect(k === 0 || value > line.values[k - 1]!).toBe(true));
        line.probabilities.forEach((p, k) => expect(k === 0 || p >= line.probabilities[k - 1]!).toBe(true));
      }),
    );
  });

  it('is linear in between, and constant outside, of values of any size', () => {
    const line = fitIsotonic(held([-1.7e308, 1.7e308], [0, 1]));
    expect([-Infinity, -1.7e308, 0, 0.85e308, 1.7e308, Infinity].map((value) => probabilityAt(line, value))).toEqual([
      0,
      0,
      0.5,
      expect.closeTo(0.75, 12),
      1,
      1,
    ]);
  });
});
