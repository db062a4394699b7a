/** The sweeps of one FISTA iteration on the SVM's dual, at y = x + beta (x - xPrev) with q(y) = q + beta (q - qPrev). */

/** a = y + (1 - q(y) - mu y) / L */
export function svmForward(
  x: Float64Array,
  xPrev: Float64Array,
  q: Float64Array,
  qPrev: Float64Array,
  beta: number,
  mu: number,
  L: number,
  a: Float64Array,
): void {
  for (let i = 0; i < x.length; i++) {
    const y = x[i]! + beta * (x[i]! - xPrev[i]!);
    const qy = q[i]! + beta * (q[i]! - qPrev[i]!);
    a[i] = y + (1 - qy - mu * y) * (1 / L);
  }
}

/** For s = xNext - y: out = [ |s|², s·(qNext - q(y)), Σ |s_i (qNext - q(y))_i| ] */
export function svmStep(
  x: Float64Array,
  xPrev: Float64Array,
  q: Float64Array,
  qPrev: Float64Array,
  beta: number,
  xNext: Float64Array,
  qNext: Float64Array,
  out: Float64Array,
): void {
  let squared = 0;
  let curvature = 0;
  let magnitude = 0;
  for (let i = 0; i < x.length; i++) {
    const s = xNext[i]! - (x[i]! + beta * (x[i]! - xPrev[i]!));
    const rise = qNext[i]! - (q[i]! + beta * (q[i]! - qPrev[i]!));
    squared += s * s;
    curvature += s * rise;
    magnitude += Math.abs(s * rise);
  }
  out[0] = squared;
  out[1] = curvature;
  out[2] = magnitude;
}
