/**
 * Which rows take part in a fit: those of positive weight (method 1.3). Weights are given by row, or one for all rows; without any, every
 * row takes part. (Plain loops, as rows may be many and a cross-validation runs them for every fit.)
 */
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

/** How many rows of each class take part. (Without a branch on the label, which no processor can predict.) */
export function countByClass(y: Int8Array, weights: RowWeights): [negative: number, positive: number] {
  const taking = countTaking(weights, y.length);
  let positive = 0;
  if (weights === undefined || weights.length === 1) {
    if (taking > 0) for (let i = 0; i < y.length; i++) positive += Number(y[i]! > 0);
  } else {
    for (let i = 0; i < y.length; i++) positive += Number(y[i]! > 0) & Number(weights[i]! > 0);
  }
  return [taking - positive, positive];
}

/** The rows of each class that take part. */
export function membersOf(y: Int8Array, weights: RowWeights): [negative: Uint32Array, positive: Uint32Array] {
  const lists = [new Uint32Array(y.length), new Uint32Array(y.length)] as const;
  const counts: [number, number] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    if (!takesPart(weights, i)) continue;
    const side = y[i]! > 0 ? 1 : 0;
    lists[side][counts[side]++] = i;
  }
  return [lists[0].slice(0, counts[0]), lists[1].slice(0, counts[1])];
}

/** Factors on gamma (method 1.3). */
export interface Weights {
  /** By class, [negative, positive]; 'balanced' depends on the rows that take part. */
  readonly byClass: 'balanced' | readonly [negative: number, positive: number];
  readonly byRow: Float64Array | undefined;
}

/** The product of both factors by row, or one number for all rows; 0 for rows whose `among`, if given, is 0. */
export function rowWeights({ byClass, byRow }: Weights, y: Int8Array, among?: Uint8Array): Float64Array {
  if (!byRow && !among && byClass !== 'balanced' && byClass[0] === 1 && byClass[1] === 1) return Float64Array.of(1);
  const weights = new Float64Array(y.length);
  for (let i = 0; i < y.length; i++) if (takesPart(among, i)) weights[i] = weightOf(byRow, i);
  const [negative, positive] = byClass === 'balanced' ? balanced(countByClass(y, weights)) : byClass;
  for (let i = 0; i < y.length; i++) if (weights[i]! > 0) weights[i]! *= y[i]! > 0 ? positive : negative;
  return weights;
}

/** Factors that give each class half of the total weight. */
function balanced([negative, positive]: readonly [number, number]): readonly [number, number] {
  const half = (negative + positive) / 2;
  return [half / negative, half / positive];
}
