/**
 * Which rows take part in a fit: those of positive weight (method 1.3). Weights are given by row, or one for all rows; without any, every
 * row takes part. (Plain loops, as rows may be many and a cross-validation runs them for every fit.)
 */
import type { ClassCodes, Labels } from '../input/labels.js';

export type RowWeights = ArrayLike<number> | undefined;

export function weightOf(weights: RowWeights, row: number): number {
  return weights === undefined ? 1 : weights.length === 1 ? weights[0]! : weights[row]!;
}

export function takesPart(weights: RowWeights, row: number): boolean {
  return weightOf(weights, row) > 0;
}

/** How many of these rows take part. */
export function countTaking(weights: RowWeights, rows: number): number {
  if (weights === undefined || weights.length === 1) return takesPart(weights, 0) ? rows : 0;
  let count = 0;
  for (let i = 0; i < rows; i++) if (weights[i]! > 0) count++;
  return count;
}

/** How many rows of each class take part. (Of two classes without a branch on the label, which no processor can predict.) */
export function countByClass({ labels, y, classes }: Labels, weights: RowWeights): number[] {
  if (classes) {
    const counts = labels.map(() => 0);
    for (let i = 0; i < classes.length; i++) if (takesPart(weights, i)) counts[classes[i]!]!++;
    return counts;
  }
  const taking = countTaking(weights, y.length);
  let positive = 0;
  if (weights === undefined || weights.length === 1) {
    if (taking > 0) for (let i = 0; i < y.length; i++) positive += Number(y[i]! > 0);
  } else {
    for (let i = 0; i < y.length; i++) positive += Number(y[i]! > 0) & Number(weights[i]! > 0);
  }
  return [taking - positive, positive];
}

/** The class of a row: of two, 1 is the positive one. */
export function classOf({ y, classes }: ClassCodes, row: number): number {
  return classes ? classes[row]! : y[row]! > 0 ? 1 : 0;
}

/** The class of each row. */
export function classNumbers({ y, classes }: ClassCodes): Uint16Array {
  return classes ?? new Uint16Array(y.length).map((_, row) => Number(y[row]! > 0));
}

/** The rows of each class that take part. */
export function membersOf(training: Labels, weights: RowWeights): Uint32Array[] {
  const lists = countByClass(training, weights).map((count) => new Uint32Array(count));
  const found = new Uint32Array(lists.length);
  for (let i = 0; i < training.y.length; i++) {
    if (!takesPart(weights, i)) continue;
    const k = classOf(training, i);
    lists[k]![found[k]!++] = i;
  }
  return lists;
}

/** Factors on gamma (method 1.3). */
export interface Weights {
  /** By class; 'balanced' depends on the rows that take part. */
  readonly byClass: 'balanced' | readonly number[];
  readonly byRow: Float64Array | undefined;
}

/**
 * The product of both factors by row, or one number for all rows; 0 for rows whose `among`, if given, is 0. `total`: the numbers of rows by
 * class, from those that are here.
 */
export function rowWeights(
  { byClass, byRow }: Weights,
  training: Labels,
  among?: Uint8Array,
  total: (counts: readonly number[]) => readonly number[] = (counts) => counts,
): Float64Array {
  if (!byRow && !among && byClass !== 'balanced' && byClass.every((factor) => factor === 1)) return Float64Array.of(1);
  const rows = training.y.length;
  const weights = new Float64Array(rows);
  for (let i = 0; i < rows; i++) if (takesPart(among, i)) weights[i] = weightOf(byRow, i);
  const factors = byClass === 'balanced' ? balanced(total(countByClass(training, weights))) : byClass;
  for (let i = 0; i < rows; i++) if (weights[i]! > 0) weights[i]! *= factors[classOf(training, i)]!;
  return weights;
}

/** Factors that give each class the same share of the total weight. */
function balanced(counts: readonly number[]): number[] {
  const share = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.map((count) => share / count);
}
