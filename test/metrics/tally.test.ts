import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  accuracyOf,
  balancedAccuracyOf,
  classScore,
  macroOf,
  matthewsOf,
  tallyOf,
  weightedOf,
  type Tally,
} from '../../lib/metrics/tally.js';
import { expectNear } from './near.js';
import { PREDICTED } from './sklearn.js';

const numbers = ({ precision, recall, f1 }: { precision: number; recall: number; f1: number }) => [precision, recall, f1];
const byClass = (tally: Tally) => [...tally.actual.keys()].map((k) => classScore(tally, k));

describe('metrics of predicted labels', () => {
  it.each(PREDICTED)("are scikit-learn's: $name", ({ classes, y, predicted, ...expected }) => {
    const tally = tallyOf(classes, y, predicted);
    expectNear([accuracyOf(tally), balancedAccuracyOf(tally)], [expected.accuracy, expected.balancedAccuracy]);
    expectNear(
      byClass(tally).flatMap(numbers),
      expected.precision.flatMap((precision, k) => [precision, expected.recall[k]!, expected.f1[k]!]),
    );
    expect([...tally.actual]).toEqual(expected.support);
    expectNear(numbers(macroOf(tally)), numbers(expected.macro));
    expectNear(numbers(weightedOf(tally)), numbers(expected.weighted));
    expectNear([matthewsOf(tally)], [expected.matthews]);
  });

  const rows = fc.integer({ min: 2, max: 5 }).chain((classes) => {
    const label = fc.nat({ max: classes - 1 });
    return fc.record({ classes: fc.constant(classes), pairs: fc.array(fc.tuple(label, label), { minLength: 1, maxLength: 30 }) });
  });

  it('are what counting row by row gives', () => {
    fc.assert(
      fc.property(rows, ({ classes, pairs }) => {
        const tally = tallyOf(
          classes,
          pairs.map(([y]) => y),
          pairs.map(([, p]) => p),
        );
        const count = (test: (y: number, p: number) => boolean) => pairs.filter(([y, p]) => test(y, p)).length;
        byClass(tally).forEach(({ precision, recall, f1 }, k) => {
          const right = count((y, p) => y === k && p === k);
          expectNear([precision, recall], [right / (count((_, p) => p === k) || 1), right / (count((y) => y === k) || 1)]);
          expectNear([f1], [precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)]);
        });
        expectNear([accuracyOf(tally), weightedOf(tally).recall], Array<number>(2).fill(count((y, p) => y === p) / pairs.length));
      }),
    );
  });

  it("Matthews' correlation is the correlation of the indicators of classes", () => {
    fc.assert(
      fc.property(rows, ({ classes, pairs }) => {
        const covariance = (a: 0 | 1, b: 0 | 1) => {
          let total = 0;
          for (let k = 0; k < classes; k++) {
            const mean = (side: 0 | 1) => pairs.filter((pair) => pair[side] === k).length / pairs.length;
            for (const pair of pairs) total += (Number(pair[a] === k) - mean(a)) * (Number(pair[b] === k) - mean(b));
          }
          return total;
        };
        const scale = Math.sqrt(covariance(0, 0) * covariance(1, 1));
        const tally = tallyOf(
          classes,
          pairs.map(([y]) => y),
          pairs.map(([, p]) => p),
        );
        expectNear([matthewsOf(tally)], [scale < 1e-12 ? 0 : covariance(0, 1) / scale]);
      }),
    );
  });

  it('are 0, not NaN, where there are no rows', () => {
    const tally = tallyOf(2, [], []);
    expect([accuracyOf(tally), balancedAccuracyOf(tally), matthewsOf(tally)]).toEqual([0, 0, 0]);
    expect([macroOf(tally), weightedOf(tally)]).toEqual(Array(2).fill({ precision: 0, recall: 0, f1: 0 }));
  });

  it('are exact where all is right, however many rows there are', () => {
    const many = {
      rows: 4e9,
      actual: Uint32Array.of(1e9, 3e9),
      predicted: Uint32Array.of(1e9, 3e9),
      right: Uint32Array.of(1e9, 3e9),
    };
    expect([accuracyOf(many), balancedAccuracyOf(many), matthewsOf(many)]).toEqual([1, 1, 1]);
  });
});
