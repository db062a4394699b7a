/**
 * Projection onto second-order cones { (l, p) : |p| ≤ l }, of one block and of a product of them (method 4.3). The twin of
 * native/kernels/cones.
 *
 * Problem: min (l' - l)² + |p' - p|² subject to |p'| ≤ l'.
 * Given:   l, p, and |p|²; or many blocks (l, p) one after the other.
 * Wanted:  the new l, and the factor by which p is multiplied; or the projected blocks.
 * Source:  N. Parikh and S. Boyd, Proximal algorithms, Found. Trends Optim. 1 (2014) 127–239, section 6.3.2.
 */

/** The nearest point of the cone to (l, p) is (l, share p), with this l. */
export interface ConeProjection {
  readonly l: number;
  readonly share: number;
}

/** Projects one block (l, p), p = x[begin … end), given squares = |p|². Safe where the squares overflow or underflow. */
export function projectCone(l: number, x: Float64Array, begin: number, end: number, squares: number): ConeProjection {
  // Squares lost to underflow are below 1e-307 each: even a million of them are nothing beside 1e-280.
  if (!(squares > 1e-280 && squares < 1e300)) return projectScaledCone(l, x, begin, end);
  const norm = Math.sqrt(squares);
  if (norm <= l) return { l, share: 1 }; // inside the cone the block stays
  if (norm <= -l) return { l: 0, share: 0 }; // in the polar cone it becomes 0
  const share = (l / norm + 1) / 2;
  return { l: Math.max(share * norm, l), share }; // between them it becomes (share |p|, share p)
}

/** For a block whose |p|² is 0, overflows or underflows: divided by its largest entry, p can be squared and summed. */
function projectScaledCone(l: number, x: Float64Array, begin: number, end: number): ConeProjection {
  let unit = 0;
  for (let i = begin; i < end; i++) unit = Math.max(unit, Math.abs(x[i]!));
  if (unit === 0) return { l: Math.max(l, 0), share: 1 };
  let squares = 0;
  for (let i = begin; i < end; i++) squares += (x[i]! / unit) ** 2;
  const norm = Math.sqrt(squares);
  const share = norm > 0 ? Math.min(Math.max((l / unit / norm + 1) / 2, 0), 1) : 1;
  return { l: Math.max(share * norm * unit, l), share };
}

/** Block k is (l, p) = x[start[k] … start[k+1]). out may be x. */
export function projectCones(x: Float64Array, start: Uint32Array, out: Float64Array): void {
  for (let k = 0; k + 1 < start.length; k++) {
    const begin = start[k]!;
    const end = start[k + 1]!;
    let squares = 0;
    for (let i = begin + 1; i < end; i++) squares += x[i]! * x[i]!;
    const { l, share } = projectCone(x[begin]!, x, begin + 1, end, squares);
    out[begin] = l;
    for (let i = begin + 1; i < end; i++) out[i] = share * x[i]!;
  }
}
