/**
 * Whether probabilities are borne out.
 *
 * Given:  a probability for each point, and whether it is positive.
 * Wanted: by bin of probabilities, their mean, and the share of the points in it that are positive.
 * Source: scikit-learn's calibration_curve. (It rounds quantiles: of 13 points in 3 bins it puts the fifth, which is the first
 *         quantile, into the bin above. Here it is on the edge, and so in the bin below.)
 */
import { resolveCalibration } from '../input/resolve-curve.js';
import type { CalibrationCurve, CalibrationOptions, Label } from '../types.js';

/** Compares probabilities with how often they came true, bin by bin. Empty bins are left out. */
export function calibrationCurve(
  probabilities: ArrayLike<number>,
  labels: ArrayLike<Label>,
  options?: CalibrationOptions,
): CalibrationCurve {
  const { values, positive, bins, strategy } = resolveCalibration(probabilities, labels, options);
  const edges = strategy === 'uniform' ? uniformEdges(bins) : quantiles(values, bins);
  const sums = new Float64Array(bins);
  const hits = new Uint32Array(bins);
  const counts = new Uint32Array(bins);
  values.forEach((p, i) => {
    const bin = countBelow(edges, p);
    sums[bin]! += p;
    hits[bin]! += positive[i]!;
    counts[bin]!++;
  });
  const filled = Uint32Array.from(counts.keys()).filter((bin) => counts[bin]! > 0);
  return {
    predicted: Float64Array.from(filled, (bin) => sums[bin]! / counts[bin]!),
    observed: Float64Array.from(filled, (bin) => hits[bin]! / counts[bin]!),
    counts: Uint32Array.from(filled, (bin) => counts[bin]!),
  };
}

/** The edges between bins of equal width. A probability on an edge is in the bin below it. */
function uniformEdges(bins: number): Float64Array {
  return Float64Array.from({ length: bins - 1 }, (_, k) => (k + 1) / bins);
}

/** The edges between bins of about as many points each: quantiles, interpolated between neighbouring values. */
function quantiles(values: Float64Array, bins: number): Float64Array {
  const ascending = values.slice().sort();
  return Float64Array.from({ length: bins - 1 }, (_, k) => {
    const at = ((values.length - 1) * (k + 1)) / bins;
    const below = ascending[Math.floor(at)]!;
    return below + (at % 1) * (ascending[Math.ceil(at)]! - below);
  });
}

/** How many of the ascending numbers are below this one. */
function countBelow(edges: Float64Array, value: number): number {
  let [begin, end] = [0, edges.length];
  while (begin < end) {
    const middle = (begin + end) >>> 1;
    if (edges[middle]! < value) begin = middle + 1;
    else end = middle;
  }
  return begin;
}
