/** How many columns a model, and the memory, can hold. */
import { freemem } from 'node:os';
import { rangeError } from '../errors.js';

/** A model has a weight for every column. No data this package can hold need more; a file that claims more is not a model. */
export const MAX_COLUMNS = 2 ** 28;

export function checkColumns(cols: number): void {
  if (cols > MAX_COLUMNS)
    throw rangeError('ERR_POINTS', `at most ${MAX_COLUMNS} columns, as many as a model has weights,`, 'points', cols);
}

/** Bytes that a fit needs for every column that holds an entry, at the least: weights, scales, what is measured of columns, and the sums of each thread. */
const BYTES_A_COLUMN = 128;

/** Entries of a few bytes each must not make the system end the process for want of memory. `kept`: columns that hold one. */
export function checkMemory(kept: number): void {
  if (kept < 2 ** 20) return; // asking the system takes longer than many a fit
  const max = Math.floor(availableMemory() / BYTES_A_COLUMN);
  if (kept > max)
    throw rangeError('ERR_POINTS', `at most ${max} columns that hold an entry, for which there is memory,`, 'points', kept);
}

/** What a process can still have before the system, or its control group, ends it. */
function availableMemory(): number {
  const { availableMemory } = process as { availableMemory?: () => number }; // since Node 20.13
  return availableMemory?.() ?? Math.min(freemem(), process.constrainedMemory() || Infinity);
}
