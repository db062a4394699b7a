/** Splits data into a training and a test part. */
import { zerosLike } from '../input/intrinsics.js';
import { resolveSplit, type SplitTask } from '../input/resolve-split.js';
import { Table } from '../data/table.js';
import { isRecords, labelsIn } from '../svm/training-records.js';
import type { Label, SparseMatrix, Split, SplitOptions, Splittable } from '../types.js';
import { Random } from './random.js';

/**
 * Splits points and labels into a part to train on and a part to test the model on. Rows keep their order, and arrays their type. The rows
 * of an array of rows are the same objects; everything else is copied. Of records, `labels` may be the name of a field.
 */
export function trainTestSplit<P extends Splittable, A extends ArrayLike<Label> & object>(
  points: P,
  labels: A,
  options?: SplitOptions,
): Split<P, A>;
export function trainTestSplit<R extends object, K extends keyof R & string, P extends readonly R[] | Table<R>>(
  records: P & Iterable<R>,
  label: K,
  options?: SplitOptions,
): Split<P, Extract<R[K], Label>[]>;
export function trainTestSplit<P extends Splittable, A extends ArrayLike<Label>>(
  points: P,
  labels: A | string,
  options?: SplitOptions,
): Split<P, A> {
  const list = typeof labels === 'string' && isRecords(points, true) ? labelsIn(points, labels) : labels;
  const task = resolveSplit(points, list, options);
  const { rows, groups, take, seed, check } = task;
  const random = new Random(seed);
  const test = new Uint8Array(rows);
  groups.forEach((group, k) => {
    for (const i of random.shuffle(group).subarray(0, take[k])) test[i] = 1;
  });
  check(test);
  const part = (side: number) => {
    const list = Uint32Array.from([...test.keys()].filter((i) => test[i] === side));
    return { points: rowsOf(task.points, list) as P, labels: pickFrom(task.labels, list) as unknown as A, rows: list };
  };
  return { train: part(0), test: part(1) };
}

/** These rows of points, in a form of the same kind. */
export function rowsOf(points: SplitTask['points'], list: Uint32Array): SplitTask['points'] {
  if (Array.isArray(points)) return Array.from(list, (i) => (points as readonly unknown[])[i]);
  if (Table.is(points)) return Table.select(points, list);
  if ('data' in points) {
    const { data, cols, columns } = points;
    const copy = zerosLike(data, list.length * cols) as typeof data;
    list.forEach((i, p) => copy.set(data.subarray(i * cols, (i + 1) * cols), p * cols));
    return { data: copy, rows: list.length, cols, ...named(columns) };
  }
  const { indptr, indices, values, cols, columns } = points as SparseMatrix;
  const starts = zerosLike(indptr, list.length + 1);
  list.forEach((i, p) => (starts[p + 1] = starts[p]! + indptr[i + 1]! - indptr[i]!));
  const entries = starts[list.length]!;
  const gather = (from: ArrayLike<number>) => {
    const to = zerosLike(from, entries);
    list.forEach((i, p) => {
      for (let k = indptr[i]!, at = starts[p]!; k < indptr[i + 1]!; k++, at++) to[at] = from[k]!;
    });
    return to;
  };
  return {
    indptr: starts,
    indices: gather(indices),
    ...(values && { values: gather(values) }),
    rows: list.length,
    cols,
    ...named(columns),
  } as SparseMatrix;
}

function named(columns: readonly string[] | undefined): { columns?: readonly string[] } {
  return columns ? { columns: [...columns] } : {};
}

/** A copy of some labels, in a list of the same kind. */
export function pickFrom(labels: ArrayLike<Label>, list: Uint32Array): ArrayLike<Label> {
  const picked = zerosLike(labels, list.length) as Label[];
  list.forEach((i, p) => (picked[p] = labels[i]!));
  return picked;
}
