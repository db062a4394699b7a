/** The points of a call, in the user's arrays or in a Dataset. */
import { Dataset } from '../data/dataset.js';
import { viewPoints, type View } from './points.js';

interface Sizes {
  readonly rows: number;
  readonly cols: number;
  /** The number of stored entries. */
  readonly entries: number;
  /** The number of columns that tasks read. */
  readonly kept: number;
  readonly sparse: boolean;
}

/** With a view of the arrays, whose entries are not checked yet, or with the Dataset. */
export type PointSource = Sizes &
  ({ readonly view: View; readonly dataset?: undefined } | { readonly dataset: Dataset; readonly view?: undefined });

/** `wanted` has the minimum number of rows, and what takes one point. */
export function pointSource(points: unknown, wanted: { min?: 0 | 1; forOne?: string } = {}): PointSource {
  if (Dataset.is(points)) {
    const { rows, cols, kept, stored, sparse } = Dataset.dataOf(points).matrix.describe();
    return { rows, cols, entries: stored, kept, sparse, dataset: points };
  }
  const view = viewPoints(points, wanted);
  const { rows, cols, entries, sparse } = view;
  return { rows, cols, entries, kept: cols, sparse, view };
}
