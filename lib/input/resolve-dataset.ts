/** Checks the arguments of Dataset.from. */
import type { Backend } from '../backend/interface.js';
import type { DatasetOptions } from '../types.js';
import { agreedNames, optionNames } from './column-names.js';
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
