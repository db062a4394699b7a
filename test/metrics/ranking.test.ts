import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averagePrecisionOf, opposite, rank, rocAucOf, thresholdBelow } from '../../lib/metrics/ranking.js';
import { expectNear } from './near.js';
import { RANKED, THREE_CLASSES } from './sklearn.js';

const ranking = (values: readonly number[], y: readonly number[]) => rank(Float64Array.from(values), Uint8Array.from(y));

/** Few distinct values, so that many are equal. */
const points = fc.array(fc.tuple(fc.constantFrom(-3, -1, -0, 0, 0.1, 0.3, 7), fc.nat({ max: 1 })), { minLength: 1, maxLength: 25 });

describe('rocAucOf and averagePrecisionOf', () => {
  it.each(RANKED)("are scikit-learn's: $name", ({ values, y, auc, averagePrecision }) => {
    const ranked = ranking(values, y);
    expectNear([rocAucOf(ranked)!, averagePrecisionOf(ranked)!], [auc, averagePrecision]);
  });

  it("are scikit-learn's of each class against the rest", () => {
    const { y, values, rocAucs, averagePrecisions } = THREE_CLASSES;
    const ranked = [0, 1, 2].map((k) =>
      ranking(
        values.map((row) => row[k]!),
        y.map((is) => Number(is === k)),
      ),
    );
    expectNear(ranked.map((one) => rocAucOf(one)!), rocAucs); // prettier-ignore
    expectNear(ranked.map((one) => averagePrecisionOf(one)!), averagePrecisions); // prettier-ignore
  });

  it('are what comparing all pairs of points gives', () => {
    fc.assert(
      fc.property(points, (list) => {
        const ranked = ranking(
          list.map(([value]) => value),
          list.map(([, y]) => y),
        );
        const [up, down] = [1, 0].map((side) => list.filter(([, y]) => y === side).map(([value]) => value));
        if (up!.length === 0 || down!.length === 0) {
          expect([rocAucOf(ranked), averagePrecisionOf(ranked)]).toEqual([undefined, undefined]);
          return;
        }
        const wins = up!.flatMap((a) => down!.map((b) => (a > b ? 1 : a === b ? 0.5 : 0))).reduce<number>((a, b) => a + b, 0);
        const from = (side: readonly number[], value: number) => side.filter((other) => other >= value).length;
        const precisions = up!.map((value) => from(up!, value) / (from(up!, value) + from(down!, value)));
        expectNear([rocAucOf(ranked)!], [wins / up!.length / down!.length]);
        expectNear([averagePrecisionOf(ranked)!], [precisions.reduce((a, b) => a + b) / up!.length]);
      }),
    );
  });
});

describe('opposite(ranking)', () => {
  it('is the ranking of the negated values of the other side', () => {
    fc.assert(
      fc.property(points, (list) => {
        const values = list.map(([value]) => value + 0); // without -0
        const y = list.map(([, is]) => is);
        const other = ranking(
          values.map((value) => 0 - value),
          y.map((is) => 1 - is),
        );
        expect(opposite(ranking(values, y))).toEqual({ ...other, values: other.values.map((value) => (value === 0 ? -0 : value)) });
      }),
    );
  });
});

describe('thresholdBelow(ranking, count)', () => {
  it('is exceeded by so many of the largest distinct values, and no others', () => {
    const any = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(
        0,
        -0,
        1,
        1 + 2 ** -52,
        1 + 2 ** -51,
        5e-324,
        -5e-324,
        1e-323,
        Number.MAX_VALUE,
        -Number.MAX_VALUE,
        2 ** 1023,
      ),
    );
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 20 }), (values) => {
        const ranked = ranking(
          values,
          values.map((_, i) => i % 2),
        );
        for (let count = 0; count <= ranked.values.length; count++) {
          const threshold = thresholdBelow(ranked, count);
          expect(ranked.values.filter((value) => value > threshold)).toEqual(ranked.values.subarray(0, count));
        }
      }),
    );
  });

  it('is midway between neighbouring values, or the lower one where nothing is between them', () => {
    const next = 1 + 2 ** -52;
    expect([0, 1, 2].map((count) => thresholdBelow(ranking([1, 4], [0, 1]), count))).toEqual([Infinity, 2.5, -Infinity]);
    expect(thresholdBelow(ranking([1, next], [0, 1]), 1)).toBe(1);
    expect(thresholdBelow(ranking([next, next + 2 ** -52], [0, 1]), 1)).toBe(next);
    expect(thresholdBelow(ranking([2 ** 1023, 1.5 * 2 ** 1023], [0, 1]), 1)).toBe(1.25 * 2 ** 1023);
    expect(thresholdBelow(ranking([0, 5e-324], [0, 1]), 1)).toBe(0);
  });
});
