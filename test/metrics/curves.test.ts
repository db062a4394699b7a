import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrationCurve, chooseThreshold, precisionRecallCurve, rocCurve, type OperatingPoint } from '../../lib/index.js';
import { refusal } from '../support/refusal.js';
import { expectNear } from './near.js';
import { CALIBRATION, RANKED } from './sklearn.js';

/** The precision and recall of calling all values above a threshold positive, by definition. */
function at(threshold: number, values: readonly number[], y: readonly number[]): OperatingPoint {
  const called = values.map((value) => value > threshold);
  const right = called.filter((is, i) => is && y[i] === 1).length;
  return {
    threshold,
    precision: right / called.filter(Boolean).length,
    recall: right / y.filter((is) => is === 1).length,
  };
}

const points = fc
  .array(fc.tuple(fc.constantFrom(-2, -0.5, -0, 0, 0.25, 1, 3, 8), fc.nat({ max: 1 })), { minLength: 2, maxLength: 16 })
  .map((list) => ({ values: list.map(([value]) => value), y: list.map(([, y]) => y) }))
  .filter(({ y }) => y.includes(0) && y.includes(1));

describe('rocCurve(values, labels)', () => {
  it.each(RANKED)("is scikit-learn's: $name", ({ values, y, auc, fpr, tpr }) => {
    const curve = rocCurve(values, y);
    expectNear(curve.falsePositiveRate, fpr);
    expectNear(curve.truePositiveRate, tpr);
    expectNear([curve.auc], [auc]);
    expect(curve.thresholds.length).toBe(fpr.length);
    expect([curve.thresholds[0], curve.thresholds.at(-1)]).toEqual([Infinity, -Infinity]);
  });

  it('has the rates of calling values above each threshold positive', () => {
    fc.assert(
      fc.property(points, ({ values, y }) => {
        const { thresholds, falsePositiveRate, truePositiveRate } = rocCurve(values, y);
        thresholds.forEach((threshold, k) => {
          const share = (side: number) =>
            values.filter((v, i) => y[i] === side && v > threshold).length / y.filter((is) => is === side).length;
          expect([falsePositiveRate[k], truePositiveRate[k]]).toEqual([share(0), share(1)]);
        });
      }),
    );
  });

  it('takes labels of any type, the larger one positive unless told otherwise', () => {
    const values = [0.5, -1, 2, -0.5];
    const { auc } = rocCurve(values, [0, 0, 1, 1]);
    expect(auc).toBe(0.75);
    expect(rocCurve(values, ['ham', 'ham', 'spam', 'spam']).auc).toBe(auc);
    expect(rocCurve(Float32Array.from(values), [false, false, true, true]).auc).toBe(auc);
    expect(rocCurve(Float64Array.from(values), Int8Array.of(-1, -1, 1, 1), { positive: 1 }).auc).toBe(auc);
    expect(rocCurve(values, [0, 0, 1, 1], { positive: 0 }).auc).toBe(1 - auc);
  });

  it('takes more than two labels if one of them is said to be positive', () => {
    const [values, labels] = [[3, 1, 2, 0], ['b', 'a', 'c', 'a']]; // prettier-ignore
    expect(['a', 'b', 'c'].map((positive) => rocCurve(values, labels, { positive }).auc)).toEqual([0, 1, 2 / 3]);
  });

  it('leaves the arrays as they are', () => {
    const [values, labels] = [Float64Array.of(2, 1, 3), Float64Array.of(1, 0, 1)];
    rocCurve(values, labels);
    precisionRecallCurve(values, labels);
    chooseThreshold(values, labels, { recall: 1 });
    expect([values, labels]).toEqual([Float64Array.of(2, 1, 3), Float64Array.of(1, 0, 1)]);
  });
});

describe('precisionRecallCurve(values, labels)', () => {
  it.each(RANKED)("is scikit-learn's: $name", ({ values, y, averagePrecision, precision, recall }) => {
    const curve = precisionRecallCurve(values, y);
    expectNear(curve.precision, precision);
    expectNear(curve.recall, recall);
    expectNear([curve.averagePrecision], [averagePrecision]);
    expect(curve.thresholds).toEqual(rocCurve(values, y).thresholds);
  });

  it('has the precision and recall of calling values above each threshold positive', () => {
    fc.assert(
      fc.property(points, ({ values, y }) => {
        const { thresholds, precision, recall } = precisionRecallCurve(values, y);
        expect([precision[0], recall[0]]).toEqual([1, 0]);
        for (let k = 1; k < thresholds.length; k++) {
          const threshold = thresholds[k]!;
          expect({ threshold, precision: precision[k], recall: recall[k] }).toEqual(at(threshold, values, y));
        }
      }),
    );
  });
});

describe('chooseThreshold(values, labels, options)', () => {
  it('keeps the precision asked for and has the largest recall, or the other way round', () => {
    const share = fc.oneof(fc.constantFrom(0, 0.5, 2 / 3, 0.9, 1), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(points, share, ({ values, y }, least) => {
        const candidates = [-Infinity, ...values]
          .map((threshold) => at(threshold, values, y))
          .filter(({ precision }) => precision >= 0);
        for (const wanted of ['precision', 'recall'] as const) {
          const other = wanted === 'precision' ? 'recall' : 'precision';
          const good = candidates.filter((point) => point[wanted] >= least);
          const most = Math.max(...good.map((point) => point[other]));
          const best = good.filter((point) => point[other] === most);
          const chosen = chooseThreshold(values, y, wanted === 'precision' ? { precision: least } : { recall: least });
          if (!chosen) {
            expect(good).toEqual([]);
            continue;
          }
          expect(chosen).toEqual(at(chosen.threshold, values, y));
          expect(chosen[other]).toBe(most);
          expect(chosen[wanted]).toBe(Math.max(...best.map((point) => point[wanted])));
        }
      }),
    );
  });

  it('is undefined where no threshold reaches the precision', () => {
    expect(chooseThreshold([3, 2, 1], [0, 1, 0], { precision: 0.6 })).toBeUndefined();
    expect(chooseThreshold([3, 2, 1], [0, 1, 0], { precision: 0.5 })).toEqual({ threshold: 1.5, precision: 0.5, recall: 1 });
  });

  it('calls all points positive where nothing else reaches the recall', () => {
    const { threshold, recall } = chooseThreshold([3, 2, 1], [0, 0, 1], { recall: 0.1 })!;
    expect([threshold, recall]).toEqual([-Infinity, 1]);
    expect(chooseThreshold([1, 1, 1], ['a', 'b', 'b'], { recall: 0.5, positive: 'a' })).toEqual({
      threshold: -Infinity,
      precision: 1 / 3,
      recall: 1,
    });
  });
});

describe('calibrationCurve(probabilities, labels)', () => {
  it.each(CALIBRATION)("is scikit-learn's: $bins bins, $strategy", ({ y, p, bins, strategy, predicted, observed }) => {
    const curve = calibrationCurve(p, y, { bins, strategy });
    expectNear(curve.predicted, predicted);
    expectNear(curve.observed, observed);
    expect(curve.counts.reduce((a, b) => a + b)).toBe(y.length);
    if (bins === 10 && strategy === 'uniform') expect(calibrationCurve(p, y)).toEqual(curve);
  });

  it('counts by bin, those on an edge in the bin below it, and leaves out empty bins', () => {
    const p = fc.oneof(fc.nat({ max: 8 }).map((k) => k / 8), fc.double({ min: 0, max: 1, noNaN: true })); // prettier-ignore
    const list = fc.array(fc.tuple(p, fc.boolean()), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(list, fc.constantFrom(1, 2, 4, 5, 8), (pairs, bins) => {
        fc.pre(pairs.some(([, is]) => is) && pairs.some(([, is]) => !is));
        const { predicted, observed, counts } = calibrationCurve(
          pairs.map(([p]) => p),
          pairs.map(([, is]) => is),
          { bins },
        );
        const all = Array.from({ length: bins }, (_, k) => pairs.filter(([p]) => (p > k / bins || k === 0) && p <= (k + 1) / bins));
        const filled = all.filter((bin) => bin.length > 0);
        expect([...counts]).toEqual(filled.map((bin) => bin.length));
        expectNear(observed, filled.map((bin) => bin.filter(([, is]) => is).length / bin.length)); // prettier-ignore
        expectNear(predicted, filled.map((bin) => bin.reduce((sum, [p]) => sum + p, 0) / bin.length)); // prettier-ignore
      }),
    );
  });

  it("puts about as many points into each bin with strategy: 'quantile', all of one value into one", () => {
    const p = Array.from({ length: 100 }, (_, i) => (i / 100) ** 3);
    const labels = p.map((_, i) => i % 3 === 0);
    expect([...calibrationCurve(p, labels, { bins: 4, strategy: 'quantile' }).counts]).toEqual([25, 25, 25, 25]);
    expect([...calibrationCurve([0.2, 0.2, 0.2, 0.7], [0, 1, 0, 1], { bins: 3, strategy: 'quantile' }).counts]).toEqual([3, 1]);
  });
});

describe('wrong arguments', () => {
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy as never;
  };
  const odd = (options: object) => options as never;
  // prettier-ignore
  const cases: [() => unknown, string][] = [
    [() => rocCurve([], []), 'RangeError [ERR_POINTS]: Expected at least one number for values but received none'],
    [() => rocCurve(undefined as never, []), 'TypeError [ERR_POINTS]: Expected an array of numbers for values but received undefined'],
    [() => rocCurve(revoked(), []), 'TypeError [ERR_POINTS]: Expected an array of numbers for values but received a revoked proxy'],
    [() => rocCurve([1, NaN], [0, 1]), 'RangeError [ERR_POINTS]: Expected a finite number for values[1] but received NaN'],
    [() => rocCurve(Float64Array.of(1, -Infinity), [0, 1]), 'RangeError [ERR_POINTS]: Expected a finite number for values[1] but received -Infinity'],
    [() => rocCurve(['1', 2] as never, [0, 1]), 'TypeError [ERR_POINTS]: Expected a finite number for values[0] but received "1"'],
    [() => rocCurve({ length: 2 ** 40 }, [0, 1]), 'TypeError [ERR_POINTS]: Expected a finite number for values[0] but received undefined'],
    [() => rocCurve([1, 2], [0, 1, 1]), 'RangeError [ERR_LABELS]: Expected 2 labels, one for each value, but received 3'],
    [() => calibrationCurve([1], [0, 1]), 'RangeError [ERR_LABELS]: Expected 1 label, one for each probability, but received 2'],
    [() => rocCurve([1, 2], 'no'), 'TypeError [ERR_LABELS]: Expected an array of labels for labels but received "no"'],
    [() => rocCurve([1, 2], [0, '1'] as never), 'TypeError [ERR_LABELS]: Expected a number for labels[1], as in labels[0], but received "1"'],
    [() => rocCurve([1, 2], [0, NaN]), 'RangeError [ERR_LABELS]: Expected a finite number for labels[1] but received NaN'],
    [() => rocCurve([1, 2], [1, 1]), 'RangeError [ERR_LABELS]: Expected two distinct labels but every label is 1'],
    [() => precisionRecallCurve([1], ['a'], { positive: 'a' }), 'RangeError [ERR_LABELS]: Expected two distinct labels but every label is "a"'],
    [() => rocCurve([1, 2, 3], [1, 2, 3]), 'RangeError [ERR_LABELS]: Expected two distinct labels, or one of them for options.positive, but received 3 distinct labels'],
    [() => rocCurve([1, 2, 3], [1, 2, 3], { positive: 4 }), 'RangeError [ERR_OPTION]: Expected 1, 2 or 3 for options.positive, as in labels, but received 4'],
    [() => rocCurve([1, 2], ['a', 'b'], { positive: 1 }), 'RangeError [ERR_OPTION]: Expected "a" or "b" for options.positive, as in labels, but received 1'],
    [() => rocCurve([1, 2], [0, 1], odd({ pos_label: 1 })), 'TypeError [ERR_OPTION]: Unknown option "pos_label"; did you mean "positive"?'],
    [() => rocCurve([1, 2], [0, 1], odd([])), 'TypeError [ERR_OPTION]: Expected an object for options but received an array of length 0'],
    [() => calibrationCurve([0, 1.5], [0, 1]), 'RangeError [ERR_POINTS]: Expected a number from 0 to 1 for probabilities[1] but received 1.5'],
    [() => calibrationCurve(Float64Array.of(NaN, 1), [0, 1]), 'RangeError [ERR_POINTS]: Expected a number from 0 to 1 for probabilities[0] but received NaN'],
    [() => calibrationCurve([0, 1], [0, 1], { bins: 0 }), 'RangeError [ERR_OPTION]: Expected an integer from 1 to 65536 for options.bins but received 0'],
    [() => calibrationCurve([0, 1], [0, 1], odd({ n_bins: 5 })), 'TypeError [ERR_OPTION]: Unknown option "n_bins"; did you mean "bins"?'],
    [() => calibrationCurve([0, 1], [0, 1], odd({ strategy: 'equal' })), `RangeError [ERR_OPTION]: Expected 'uniform' or 'quantile' for options.strategy but received "equal"`],
    [() => chooseThreshold([0, 1], [0, 1], undefined as never), 'TypeError [ERR_OPTION]: Expected one of options.precision and options.recall but received neither'],
    [() => chooseThreshold([0, 1], [0, 1], odd({ precision: 1, recall: 0.5 })), 'RangeError [ERR_OPTION]: Expected one of options.precision and options.recall but received both: 1 and 0.5'],
    [() => chooseThreshold([0, 1], [0, 1], { precision: 1.01 }), 'RangeError [ERR_OPTION]: Expected a number from 0 to 1 for options.precision but received 1.01'],
    [() => chooseThreshold([0, 1], [0, 1], odd({ recall: '1' })), 'TypeError [ERR_OPTION]: Expected a number from 0 to 1 for options.recall but received "1"'],
  ];
  it.each(cases)('%s', (call, message) => {
    expect(refusal(call)).toBe(message);
  });
});
