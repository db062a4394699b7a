/** Checks the arguments of Dataset.from. */
import type { Backend } from '../backend/interface.js';
import type { DatasetOptions, OpenDatasetOptions } from '../types.js';
import { agreedNames, matrixNames, optionNames } from './column-names.js';
import { checkPath } from './file-options.js';
import { knownOptions, resolveBackend, resolveThreads } from './options.js';
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
export function resolveOpening(path: unknown, given?: OpenDatasetOptions): Backend {
  const options = knownOptions(given, ['backend'], THREAD_WORDS);
  checkPath(path);
  return resolveBackend(options.backend);
}

/** The names of columns that a file has. */
export function resolveColumns(names: readonly string[] | undefined, cols: number, path: string): readonly string[] | undefined {
  return names && Object.freeze(matrixNames(names, cols, `the columns of ${path}`, 'ERR_DATASET'));
}
