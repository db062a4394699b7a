/** Models made of numbers, without a fit. */
import fc from 'fast-check';
import type { ClassLabels } from '../../lib/input/labels.js';
import { isPairs, modelOf, sidesOf, type Model, type PlaneProof } from '../../lib/svm/model.js';
import { Votes, winner } from '../../lib/svm/votes.js';
import type { Label } from '../../lib/types.js';
import { normal, random } from '../support/random.js';

export type Way = 'pairs' | 'rest';

/** A model of these planes. */
export function planesOf<L extends Label>(
  labels: readonly L[],
  way: Way,
  planes: readonly { readonly weights: readonly number[]; readonly bias: number }[],
  more: Pick<Model<L>, 'proofs' | 'columns'> = { proofs: undefined },
): Model<L> {
  const weights = Float64Array.from(planes.flatMap((plane) => plane.weights));
  const biases = Float64Array.from(planes, ({ bias }) => bias);
  return modelOf(labels as unknown as ClassLabels<L>, sidesOf(labels.length, way), { weights, biases }, more);
}

/** A model of normally distributed weights, some of them 0. */
export function randomModel(labels: readonly number[], way: Way, cols: number, seed = 1, zeros = 0): Model<number> {
  const uniform = random(seed);
  const planes = sidesOf(labels.length, way).map(() => ({
    weights: Array.from({ length: cols }, () => (uniform() < zeros ? 0 : normal(uniform))),
    bias: normal(uniform),
  }));
  return planesOf(labels, way, planes);
}

/** The planes' values at a point. */
export function valuesOf({ planes }: Model, point: readonly number[]): Float64Array {
  return Float64Array.from(planes, ({ weights, bias }) => weights.reduce((sum, w, j) => sum + w * point[j]!, 0) + bias);
}

/** The label of a point. */
export function labelOf<L extends Label>(model: Model<L>, point: readonly number[]): L {
  const { labels } = model;
  const values = valuesOf(model, point);
  if (labels.length === 2) return labels[values[0]! > 0 ? 1 : 0];
  if (!isPairs(model)) return labels[winner(values, 0, labels.length)]!;
  const classes = new Float64Array(labels.length);
  new Votes(sidesOf(labels.length, 'pairs'), labels.length).decide(values, 1, classes);
  return labels[winner(classes, 0, labels.length)]!;
}

/** The votes of a point, by class. */
export function votesOf(model: Model, point: readonly number[]): number[] {
  const votes = model.labels.map(() => 0);
  const values = valuesOf(model, point);
  sidesOf(votes.length, 'pairs').forEach(({ positive, negative }, p) => votes[values[p]! > 0 ? positive : negative!]!++);
  return votes;
}

export const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const few = (length: number, number = finite) =>
  fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, number), { minLength: length, maxLength: length });

const labelLists: fc.Arbitrary<readonly Label[]> = fc.oneof(
  fc.uniqueArray(finite, { minLength: 2, maxLength: 6, comparator: (a, b) => a === b }),
  fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 6 }),
  fc.constantFrom([false, true], [true, false]),
);

interface Kind {
  /** Numbers of weights. */
  readonly weight?: fc.Arbitrary<number>;
  readonly proofs?: boolean;
}

/** Any model: two classes or more, pairs or not, with names or without, with proofs or without. */
export function anyModel({ weight = finite, proofs = true }: Kind = {}): fc.Arbitrary<Model> {
  const way = fc.constantFrom('pairs' as const, 'rest' as const);
  return fc.tuple(labelLists, way, fc.oneof(fc.nat(5), fc.nat(120)), fc.boolean()).chain(([given, way, cols, shared]) => {
    const labels = given.length === 2 ? given : given.toSorted((a, b) => (a < b ? -1 : 1));
    const count = sidesOf(labels.length, way).length;
    const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: count, maxLength: count });
    const inverse = fc.double({ min: 1e-100, max: 1e100, noNaN: true });
    return fc
      .record({
        planes: list(fc.record({ weights: few(cols, weight), bias: finite })),
        columns: fc.option(fc.array(fc.string(), { minLength: cols, maxLength: cols }), { nil: undefined }),
        inverseScale: few(cols, inverse),
        centres: list(few(cols)),
        bounds: list(fc.record({ slope: positive, ends: fc.tuple(finite, finite), norm: positive, known: fc.nat(3) })),
        proved: proofs ? fc.boolean() : fc.constant(false),
      })
      .map(({ planes, columns, inverseScale, centres, bounds, proved }) => {
        const scale = Float64Array.from(inverseScale);
        const own = bounds.map(({ slope, ends, norm, known }, p): PlaneProof => {
          const [low, high] = [-Math.abs(ends[0]), Math.abs(ends[1])];
          const centre = Float64Array.from(centres[shared ? 0 : p]!, (x) => x + 0);
          if (known > 0) return { slope, low, high, norm, inverseScale: scale, centre };
          return unproved;
        });
        return planesOf(labels, way, planes, { proofs: proved ? own : undefined, columns });
      });
  });
}

const positive = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });

/** What is known of a plane of which nothing is proved. */
export const unproved: PlaneProof = {
  slope: Infinity,
  low: -Infinity,
  high: Infinity,
  norm: 0,
  inverseScale: new Float64Array(0),
  centre: new Float64Array(0),
};
