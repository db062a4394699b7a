/** Sums in twice the precision, as pairs high + low. Source: T. J. Dekker, Numer. Math. 18 (1971) 224–242. */

/** a·b as high + low; entries of at most 1e140 in magnitude. */
export function dotTwice(a: Float64Array, b: Float64Array): { high: number; low: number; magnitude: number } {
  let [high, low, magnitude] = [0, 0, 0];
  for (let j = 0; j < a.length; j++) {
    const [x, y] = [a[j]!, b[j]!];
    // Veltkamp's split: halves so short that their products are exact.
    const cx = 134217729 * x;
    const cy = 134217729 * y;
    const x1 = cx - (cx - x);
    const y1 = cy - (cy - y);
    const product = x * y;
    const sum = high + product;
    const part = sum - high;
    low += (x - x1) * (y - y1) - (product - x1 * y1 - (x - x1) * y1 - x1 * (y - y1)) + (high - (sum - part) + (product - part));
    high = sum;
    magnitude += Math.abs(product);
  }
  return { high, low, magnitude };
}

/** a - b as high + low, exactly. */
export function differenceTwice(a: number, b: number): { high: number; low: number } {
  const high = a - b;
  const part = high - a;
  return { high, low: a - (high - part) + (-b - part) };
}
