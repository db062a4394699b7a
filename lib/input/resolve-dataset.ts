/** Checks the arguments of Dataset.from. */
import type { Backend } from '../backend/interface.js';
import { typeError, words } from '../errors.js';
import type { FilePart } from '../io/dataset-reader.js';
import type { DatasetOptions, OpenDatasetOptions } from '../types.js';
import { agreedNames, matrixNames, optionNames } from './column-names.js';
import { checkPath } from './file-options.js';
import { integer, knownOptions, optional, resolveBackend, resolveThreads } from './options.js';
import { isObject } from './intrinsics.js';
import { viewPoints, type View } from './points.js';
import { THREAD_WORDS } from './words.js';

const DATASET_OPTIONS = ['backend', 'threads', 'columns'] as const satisfies readonly (keyof DatasetOptions)[];

export interface DatasetInput {
  readonly view: View;
  readonly backend: Backend;
  readonly threads: number;
  /** The names of the columns, if they are known. */
  readonly columns: readonly string[] | undefined;
}

export function resolveDataset(points: unknown, given?: DatasetOptions): DatasetInput {
  const options = knownOptions(given, DATASET_OPTIONS, THREAD_WORDS);
  const backend = resolveBackend(options.backend);
  const threads = resolveThreads(options.threads);
  const names = optionNames(options.columns);
  const view = viewPoints(points, { orDataset: false });
  return { view, backend, threads, columns: agreedNames(view.columns, names, view.cols) };
}

/** Checks the arguments of Dataset.open. */
export function resolveOpening(
  path: unknown,
  given?: OpenDatasetOptions,
): { readonly backend: Backend; readonly part: FilePart | undefined } {
  const options = knownOptions(given, ['part', 'backend'], THREAD_WORDS);
  checkPath(path);
  const part = optional(options.part, 'part', (value, where) => {
    if (!isObject(value)) throw typeError('ERR_OPTION', '{ index, of }', where, value);
    const { index, of } = value as Partial<FilePart>;
    const parts = integer(1, 2 ** 31)(of, words`${where}.of`);
    return { index: integer(0, parts - 1)(index, words`${where}.index`), of: parts };
  });
  return { backend: resolveBackend(options.backend), part };
}

/** The names of columns that a file has. */
export function resolveColumns(names: readonly string[] | undefined, cols: number, path: string): readonly string[] | undefined {
  return names && Object.freeze(matrixNames(names, cols, `the columns of ${path}`, 'ERR_DATASET'));
}
