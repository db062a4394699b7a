/** certifyLabels by its definition (method C11): what is certain a little on one side of a threshold, and not on the other. */
import { describe, expect, it } from 'vitest';
import type { LabelPlanes } from '../../lib/backend/interface.js';
import { backends } from '../support/backends.js';

const UNIT = 2 ** -53;

type Lists = { [name in keyof LabelPlanes]?: name extends 'safe' | 'lost' ? number : readonly number[] };

describe.each(backends)('certifyLabels(values, products, norms, planes, classes), $title', ({ kernels }) => {
  /** Planes whose centre is the origin, and of which everything is proved without any room, but for what is given. */
  const certify = (
    values: readonly number[],
    { positive = [1], negative = [0], slope = [0], safe = 0, lost = 0, ...given }: Lists = {},
    { classes = 2, norms = [1], products = norms.map(() => 0) }: { classes?: number; norms?: number[]; products?: number[] } = {},
  ) => {
    const list = (numbers: readonly number[] | undefined) => Float64Array.from(numbers ?? positive.map(() => 0));
    const certain = new Uint8Array(norms.length);
    const inTheWay = new Uint32Array(positive.length);
    const planes: LabelPlanes = {
      positive: Uint32Array.from(positive),
      negative: negative.length > 0 ? Uint32Array.from(negative) : undefined,
      centreOf: Uint32Array.from(given.centreOf ?? positive.map(() => 0)),
      slope: slope.length === 1 ? new Float64Array(positive.length).fill(slope[0]!) : Float64Array.from(slope),
      low: list(given.low),
      high: list(given.high),
      spare: list(given.spare),
      centreSquares: Float64Array.from(given.centreSquares ?? [0]),
      safe,
      lost,
    };
    const [v, p, n] = [values, products, norms].map((numbers) => Float64Array.from(numbers)) as [Float64Array, Float64Array, Float64Array]; // prettier-ignore
    kernels.certifyLabels(v, p, n, planes, classes, certain, inTheWay, 1);
    return { certain: Array.from(certain), inTheWay: Array.from(inTheWay) };
  };
  const isCertain = (...args: Parameters<typeof certify>) => certify(...args).certain[0] === 1;

  it('takes low and high for the ends of the interval', () => {
    expect(isCertain([1], { low: [-0.999], high: [9] })).toBe(true);
    expect(isCertain([1], { low: [-1.001], high: [9] })).toBe(false);
    expect(isCertain([-1], { low: [-9], high: [0.999] })).toBe(true);
    expect(isCertain([-1], { low: [-9], high: [1.001] })).toBe(false);
  });

  it('makes room for its own rounding: 8 units of all magnitudes', () => {
    // 1 + low - reach is `units` of rounding above 0; the magnitudes add up to 1 + 0.5 + 0.25 + 0.5.
    for (const sign of [1, -1]) {
      const at = (units: number) => {
        const near = -0.5 + units * UNIT;
        const bounds = sign > 0 ? { low: [near], high: [0.25] } : { low: [-0.25], high: [-near] };
        return isCertain([sign], { slope: [0.5], ...bounds });
      };
      expect([at(8), at(16), at(20)]).toEqual([false, false, true]);
    }
  });

  it('makes room for what is spare', () => {
    for (const sign of [1, -1]) {
      expect(isCertain([sign], { spare: [0.999] })).toBe(true);
      expect(isCertain([sign], { spare: [1.001] })).toBe(false);
    }
  });

  it('makes room for slope times the distance from the centre, whose rounding is safe and lost', () => {
    const near = (norm: number, product: number, square: number, safe: number, lost: number) =>
      Math.sqrt(Math.max(0, norm - 2 * product + square) + safe * (norm + square) + lost) * (1 + safe);
    for (const [norm, product, square, safe, lost] of [
      [9, 0, 0, 0, 0],
      [9, 6, 4, 0, 0], // |3 - 2|
      [9, -6, 4, 0, 0],
      [1, 1, 1, 0.25, 0],
      [1, 1.5, 1, 0.25, 0], // a square below 0
      [1, 1, 1, 0, 2],
      [4, 1, 1, 0.5, 3],
    ] as const) {
      const reach = 3 * near(norm, product, square, safe, lost);
      const planes = { slope: [3], centreSquares: [square], safe, lost };
      const row = { norms: [norm], products: [product] };
      for (const sign of [1, -1]) {
        expect(isCertain([sign * reach * (1 + 1e-9) + sign * 1e-9], planes, row)).toBe(true);
        expect(isCertain([sign * reach * (1 - 1e-9) - sign * 1e-9], planes, row)).toBe(false);
      }
    }
  });

  it('takes each plane with its own centre', () => {
    // The row is at the centre of plane 1 and 10 away from that of plane 0.
    const planes = { positive: [1, 2, 2], negative: [0, 0, 1], slope: [1], centreSquares: [100, 0], centreOf: [0, 1, 1] };
    const row = { classes: 3, norms: [0], products: [0, 0] };
    expect(certify([11, 5, 5], planes, row)).toEqual({ certain: [1], inTheWay: [0, 0, 0] });
    expect(certify([9, 5, 5], planes, row).certain).toEqual([1]); // label 2 has both its votes
    expect(certify([9, 5, -5], planes, row)).toEqual({ certain: [0], inTheWay: [1, 0, 0] });
  });

  it('knows nothing where a distance overflows or a slope is infinite', () => {
    expect(isCertain([1e300], { slope: [1e-300] }, { norms: [Infinity] })).toBe(false);
    for (const product of [Infinity, -Infinity, NaN]) {
      expect(isCertain([1e300], { slope: [1e-300] }, { products: [product] })).toBe(false);
    }
    expect(isCertain([1e300], { slope: [Infinity], low: [-Infinity], high: [Infinity] })).toBe(false);
  });

  it('compares planes against the rest with each other', () => {
    const rest = { positive: [0, 1, 2], negative: [], low: [-1, -1, -1], high: [1, 1, 1] };
    const row = { classes: 3 };
    expect(certify([0, 5, 2.9], rest, row)).toEqual({ certain: [1], inTheWay: [0, 0, 0] });
    expect(certify([0, 5, 3.1], rest, row)).toEqual({ certain: [0], inTheWay: [0, 1, 1] });
    expect(certify([4.9, 5, 3.1], rest, row)).toEqual({ certain: [0], inTheWay: [1, 1, 1] });
    expect(certify([5, 5, 1], { ...rest, low: [0, 0, 0], high: [0, 0, 0] }, row).certain).toEqual([0]); // a tie
  });

  it('counts votes of pairs, and the open ones that matter', () => {
    const pairs = { positive: [1, 2, 3, 2, 3, 3], negative: [0, 0, 0, 1, 1, 2], low: new Array<number>(6).fill(-1), high: new Array<number>(6).fill(1) }; // prettier-ignore
    const row = { classes: 4 };
    // Label 3 has three votes. What is between the others does not matter.
    expect(certify([0, 0, 2, 0, 2, 2], pairs, row)).toEqual({ certain: [1], inTheWay: [0, 0, 0, 0, 0, 0] });
    // One of its votes is open: it may be label 2's, which then has three, or two.
    expect(certify([2, 2, 2, 2, 2, 0.5], pairs, row)).toEqual({ certain: [0], inTheWay: [0, 0, 0, 0, 0, 1] });
    // Label 3 has two votes for sure, and so may label 2 have, by the open plane between it and label 1;
    expect(certify([2, 2, 2, 0.5, 2, 0.5], pairs, row)).toEqual({ certain: [0], inTheWay: [0, 0, 0, 1, 0, 1] });
    // but not label 0 or 1, by the open plane between these.
    expect(certify([0, 2, 2, 2, 2, 0.5], pairs, row)).toEqual({ certain: [0], inTheWay: [0, 0, 0, 0, 0, 1] });
    // Votes that are all certain, and equal.
    const three = { positive: [1, 2, 2], negative: [0, 0, 1] };
    expect(certify([5, -5, 5], three, { classes: 3 })).toEqual({ certain: [0], inTheWay: [0, 0, 0] });
  });

  it('adds up over rows', () => {
    const rest = { positive: [0, 1, 2], negative: [], low: [-1, -1, -1], high: [1, 1, 1] };
    const norms = Array.from({ length: 1000 }, () => 1);
    const values = norms.flatMap((_, i) => (i % 3 === 0 ? [9, 0, 0] : i % 3 === 1 ? [0, 0, 1] : [0, 2, 1]));
    expect(certify(values, rest, { classes: 3, norms })).toEqual({
      certain: norms.map((_, i) => Number(i % 3 === 0)),
      inTheWay: [666, 666, 666],
    });
  });
});
