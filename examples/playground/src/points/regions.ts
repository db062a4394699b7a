/**
 * Where in the plane a model gives which label, exactly. Of two classes: the sides of the plane. Against the rest, a class has the points
 * where its value is the largest. Of pairs, the planes cut the box into cells in which votes are constant; among equal votes the largest
 * sum of the class's values decides (method 1.14). All of these are convex polygons.
 */
import {
  between,
  chord,
  clip,
  crossings,
  middle,
  minus,
  negated,
  valueAt,
  type Affine,
  type Polygon,
  type Position,
} from '../geometry.js';

/** What is needed of a model of points in the plane. */
export interface PlaneModel {
  readonly labels: readonly number[];
  readonly planes: readonly {
    readonly positive: number;
    readonly negative?: number;
    readonly weights: Float64Array;
    readonly bias: number;
  }[];
}

export interface Region {
  readonly label: number;
  readonly polygon: Polygon;
}

/** The value of a plane: weights·x + bias. */
export const affine = ({ weights, bias }: PlaneModel['planes'][number]): Affine => [weights[0]!, weights[1]!, bias];

export function regionsOf(model: PlaneModel, box: Polygon): Region[] {
  const { labels, planes } = model;
  const values = planes.map(affine);
  const found: Region[] = [];
  const add = (label: number, polygon: Polygon) => {
    if (polygon.length) found.push({ label, polygon });
  };
  if (labels.length === 2) {
    add(labels[0]!, clip(box, negated(values[0]!)));
    add(labels[1]!, clip(box, values[0]!));
  } else if (planes[0]!.negative === undefined) {
    largest(labels, values, box).forEach(({ label, polygon }) => add(label, polygon));
  } else {
    const sums = sumsOf(model);
    for (const cell of cellsOf(values, box)) {
      const tied = mostVotes(model, cell);
      const parts = largest(
        tied,
        tied.map((label) => sums.get(label)!),
        cell,
      );
      parts.forEach(({ label, polygon }) => add(label, polygon));
    }
  }
  return found;
}

/** The label of a point, by the rules above. */
function labelAt(model: PlaneModel, sums: ReadonlyMap<number, Affine>, at: Position): number {
  const { labels, planes } = model;
  const isRest = planes[0]!.negative === undefined;
  const among = isRest ? labels : mostVotes(model, [at]);
  const value = (label: number) => valueAt(isRest ? affine(planes[labels.indexOf(label)]!) : sums.get(label)!, at);
  return among.reduce((best, label) => (value(label) > value(best) ? label : best));
}

/** Of three classes or more, the pieces of lines at which the label changes. */
export function bordersOf(model: PlaneModel, box: Polygon): (readonly [Position, Position])[] {
  const { labels, planes } = model;
  const isRest = planes[0]!.negative === undefined;
  const sums = sumsOf(model);
  const values = isRest ? planes.map(affine) : labels.map((label) => sums.get(label)!);
  const ties = values.flatMap((f, i) => values.slice(i + 1).map((g) => minus(f, g)));
  const lines = isRest ? ties : [...planes.map(affine), ...ties];
  const size = Math.hypot(box[2]![0] - box[0]![0], box[2]![1] - box[0]![1]);
  return lines.flatMap((f) => {
    const ends = chord(box, f);
    const length = Math.hypot(f[0], f[1]);
    if (!ends || !(length > 0)) return [];
    const [dx, dy] = [(f[0] / length) * 1e-6 * size, (f[1] / length) * 1e-6 * size];
    const at = crossings(
      ends,
      lines.filter((other) => other !== f),
    );
    return at.slice(1).flatMap((end, k) => {
      const [x, y] = between(ends, (at[k]! + end) / 2);
      const differ = labelAt(model, sums, [x + dx, y + dy]) !== labelAt(model, sums, [x - dx, y - dy]);
      return differ ? [[between(ends, at[k]!), between(ends, end)] as const] : [];
    });
  });
}

/** Where in a polygon which of some functions is the largest. */
function largest(labels: readonly number[], values: readonly Affine[], polygon: Polygon): Region[] {
  return labels.map((label, i) => {
    const others = values.filter((_, j) => j !== i);
    return { label, polygon: others.reduce((part, other) => clip(part, minus(values[i]!, other)), polygon) };
  });
}

/** Cuts a polygon along all planes. */
function cellsOf(values: readonly Affine[], box: Polygon): Polygon[] {
  return values.reduce<Polygon[]>(
    (cells, f) => cells.flatMap((cell) => [clip(cell, f), clip(cell, negated(f))].filter((part) => part.length)),
    [box],
  );
}

/** The labels with the most votes in a cell. */
function mostVotes({ labels, planes }: PlaneModel, cell: Polygon): number[] {
  const votes = new Map(labels.map((label) => [label, 0]));
  const inside = middle(cell);
  for (const plane of planes) {
    const label = valueAt(affine(plane), inside) > 0 ? plane.positive : plane.negative!;
    votes.set(label, votes.get(label)! + 1);
  }
  const most = Math.max(...votes.values());
  return labels.filter((label) => votes.get(label) === most);
}

/** By label, the values of its planes added up, each with the sign of its side. */
function sumsOf({ labels, planes }: PlaneModel): Map<number, Affine> {
  return new Map(
    labels.map((label) => {
      const sum = planes.reduce<Affine>(
        (all, plane) =>
          plane.positive === label
            ? minus(all, negated(affine(plane)))
            : plane.negative === label
              ? minus(all, affine(plane))
              : all,
        [0, 0, 0],
      );
      return [label, sum];
    }),
  );
}
