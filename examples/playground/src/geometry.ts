/** Convex polygons of the plane, cut by lines. */

export type Position = readonly [x: number, y: number];
export type Polygon = readonly Position[];
/** a x + b y + c */
export type Affine = readonly [a: number, b: number, c: number];

export const valueAt = ([a, b, c]: Affine, [x, y]: Position) => a * x + b * y + c;

export const minus = (f: Affine, g: Affine): Affine => [f[0] - g[0], f[1] - g[1], f[2] - g[2]];

export const negated = (f: Affine): Affine => [-f[0], -f[1], -f[2]];

/** The part of a convex polygon where f ≥ 0. */
export function clip(polygon: Polygon, f: Affine): Polygon {
  const part: Position[] = [];
  polygon.forEach((here, k) => {
    const next = polygon[(k + 1) % polygon.length]!;
    const [u, v] = [valueAt(f, here), valueAt(f, next)];
    if (u >= 0) part.push(here);
    if ((u > 0 && v < 0) || (u < 0 && v > 0)) {
      const t = u / (u - v);
      part.push([here[0] + t * (next[0] - here[0]), here[1] + t * (next[1] - here[1])]);
    }
  });
  return part.length < 3 ? [] : part;
}

/** The ends of the line f = 0 inside a convex polygon. */
export function chord(polygon: Polygon, f: Affine): readonly [Position, Position] | undefined {
  const ends: Position[] = [];
  polygon.forEach((here, k) => {
    const next = polygon[(k + 1) % polygon.length]!;
    const [u, v] = [valueAt(f, here), valueAt(f, next)];
    if (u >= 0 === v >= 0) return;
    const t = u / (u - v);
    ends.push([here[0] + t * (next[0] - here[0]), here[1] + t * (next[1] - here[1])]);
  });
  return ends[0] && ends[1] ? [ends[0], ends[1]] : undefined;
}

/** Where along a chord, from 0 to 1, the lines cross it, ascending, with both ends. */
export function crossings([from, to]: readonly [Position, Position], lines: readonly Affine[]): number[] {
  const found = [0, 1];
  for (const f of lines) {
    const [u, v] = [valueAt(f, from), valueAt(f, to)];
    const t = u / (u - v);
    if (t > 0 && t < 1) found.push(t);
  }
  return found.sort((s, t) => s - t);
}

export const between = ([from, to]: readonly [Position, Position], t: number): Position => [
  from[0] + t * (to[0] - from[0]),
  from[1] + t * (to[1] - from[1]),
];

/** The mean of the corners, which is inside. */
export function middle(polygon: Polygon): Position {
  const sum = polygon.reduce<Position>(
    ([x, y], corner) => [x + corner[0] / polygon.length, y + corner[1] / polygon.length],
    [0, 0],
  );
  return sum;
}

/** The convex hull of points, counter-clockwise. Source: A. M. Andrew's monotone chain, Information Processing Letters 9 (1979). */
export function hull(points: readonly Position[]): Polygon {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  const turn = (o: Position, p: Position, q: Position) => (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
  const half = (list: readonly Position[]) => {
    const chain: Position[] = [];
    for (const point of list) {
      while (chain.length > 1 && turn(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
