/** Projection onto a product of second-order cones { (l, p) : |p| ≤ l }. */

/** |p| = scaled · unit, where neither the squares nor the norm overflow or underflow. */
function norm(x: Float64Array, begin: number, end: number): { scaled: number; unit: number } {
  let squares = 0;
  for (let i = begin; i < end; i++) squares += x[i]! * x[i]!;
  if (squares > 1e-280 && squares < 1e300) return { scaled: Math.sqrt(squares), unit: 1 };
  let unit = 0;
  for (let i = begin; i < end; i++) unit = Math.max(unit, Math.abs(x[i]!));
  if (unit === 0) return { scaled: 0, unit: 1 };
  squares = 0;
  for (let i = begin; i < end; i++) squares += (x[i]! / unit) ** 2;
  return { scaled: Math.sqrt(squares), unit };
}

/** Block k is (l, p) = x[start[k] … start[k+1]). out may be x. */
export function projectCones(x: Float64Array, start: Uint32Array, out: Float64Array): void {
  for (let k = 0; k + 1 < start.length; k++) {
    const begin = start[k]!;
    const end = start[k + 1]!;
    const { scaled, unit } = norm(x, begin + 1, end);
    const l = x[begin]!;
    // 1 inside the cone, 0 below the polar cone, between them the answer is (share |p|, share p).
    const share = scaled > 0 ? Math.min(Math.max((l / unit / scaled + 1) / 2, 0), 1) : 1;
    out[begin] = Math.max(share * scaled * unit, l);
    for (let i = begin + 1; i < end; i++) out[i] = share * x[i]!;
  }
}
