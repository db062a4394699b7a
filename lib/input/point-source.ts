/** The points of a call, in the user's arrays or in a Dataset. */
import { Dataset } from '../data/dataset.js';
import { agreedNames, isSameNames, optionNames, type KnownNames } from './column-names.js';
import { viewPoints, type View } from './points.js';

interface Sizes {
  readonly rows: number;
  readonly cols: number;
  /** The number of stored entries. */
  readonly entries: number;
  /** The number of columns that tasks read. */
  readonly kept: number;
  readonly sparse: boolean;
  /** The names of the columns, if they are known: the list in `known` that is the same, or a copy that nobody else can change. */
  readonly columns: readonly string[] | undefined;
  /** Rows in a window of coordinate ascent, of points in a file. */
  readonly window: number | undefined;
}

interface Wanted {
  /** The minimum number of rows. @default 1 */
  readonly min?: 0 | 1;
  /** The method that takes one point. */
  readonly forOne?: string;
  /** The option that names columns, unchecked. */
  readonly columns?: unknown;
  /** Names that need not be checked again. */
  readonly known?: KnownNames;
  /** The number of columns of rows with indices. */
  readonly cols?: number;
}

/** With a view of the arrays, whose entries are not checked yet, or with the Dataset. */
export type PointSource = Sizes &
  ({ readonly view: View; readonly dataset?: undefined } | { readonly dataset: Dataset; readonly view?: undefined });

export function pointSource(points: unknown, { columns: given, known = [], ...wanted }: Wanted = {}): PointSource {
  const option = optionNames(given, known); // before the points, as its getters may detach their buffers
  if (Dataset.is(points)) {
    const { matrix, columns: own, window } = Dataset.dataOf(points);
    const { rows, cols, kept, stored, sparse } = matrix.describe();
    const names = agreedNames(own, option, cols);
    const columns = names && (known.find((list) => list !== undefined && isSameNames(names, list)) ?? names);
    return { rows, cols, entries: stored, kept, sparse, columns, window, dataset: points };
  }
  const view = viewPoints(points, { ...wanted, known });
  const { rows, cols, entries, sparse } = view;
  const columns = agreedNames(view.columns, option, cols);
  return { rows, cols, entries, kept: cols, sparse, columns, window: undefined, view };
}
