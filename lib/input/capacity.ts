/** Limits on the number of columns: what a model may have, and what fits in memory. */
import { option, rangeError, words } from '../errors.js';
import { availableMemory } from '../platform/host.js';

/** The maximum number of columns, each of which has a weight in the model. No data that fits this package needs more. */
export const MAX_COLUMNS = 2 ** 28;

export function checkColumns(cols: number): void {
  if (cols > MAX_COLUMNS)
    throw rangeError('ERR_POINTS', `at most ${MAX_COLUMNS} columns, the limit on a model's weights,`, 'points', cols);
}

/** The least memory, in bytes, that a fit takes per column with entries: weights, scales, column statistics and each thread's sums. */
const BYTES_PER_COLUMN = 128;

/** Refuses data whose fit would exhaust the memory: the system would end the process. `kept` counts the columns with entries. */
export function checkMemory(kept: number): void {
  if (kept < 2 ** 20) return; // asking the system takes longer than many fits
  const max = Math.floor(availableMemory() / BYTES_PER_COLUMN);
  if (kept > max) throw rangeError('ERR_POINTS', `at most ${max} columns with entries, as many as fit in memory,`, 'points', kept);
}

/** At most so many planes: more would take longer to list than to train. */
const MAX_PLANES = 2 ** 20;

/** Refuses more planes than there is memory for their weights. */
export function checkPlanes(classes: number, planes: number, cols: number): void {
  const way = words`${option('multiclass')}, with ${classes} labels and ${cols} columns,`;
  if (planes > MAX_PLANES) throw rangeError('ERR_OPTION', `at most ${MAX_PLANES} planes`, way, planes);
  const bytes = 8 * planes * cols;
  if (bytes < 2 ** 28) return; // asking the system takes longer than many fits
  const max = Math.floor(availableMemory() / 8 / Math.max(cols, 1));
  if (planes > max) throw rangeError('ERR_OPTION', `at most ${max} planes, as many as fit in memory,`, way, planes);
}
