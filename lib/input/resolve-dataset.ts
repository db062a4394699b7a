/** Checks the arguments of Dataset.from. */
import type { Backend } from '../backend/interface.js';
import type { DatasetOptions } from '../types.js';
import { knownOptions, resolveBackend, resolveThreads } from './options.js';
import { viewPoints, type View } from './points.js';
import { THREAD_WORDS } from './words.js';

const DATASET_OPTIONS = ['backend', 'threads'] as const satisfies readonly (keyof DatasetOptions)[];

export interface DatasetInput {
  readonly view: View;
  readonly backend: Backend;
  readonly threads: number;
}

export function resolveDataset(points: unknown, given?: DatasetOptions): DatasetInput {
  const options = knownOptions(given, DATASET_OPTIONS, THREAD_WORDS);
  const backend = resolveBackend(options.backend);
  const threads = resolveThreads(options.threads);
  return { view: viewPoints(points, { orDataset: false }), backend, threads };
}
