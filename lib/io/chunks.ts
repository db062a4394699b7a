/** Joins lines into chunks for writing. */
import type { Signal } from '../types.js';

/** Joins lines into chunks of about 64 kB, as a write of each line would be slow. Throws the signal's reason once it is aborted. */
export function* inChunks(lines: Iterable<string>, signal: Signal | undefined): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 1 << 16) continue;
    signal?.throwIfAborted();
    yield text;
    text = '';
  }
  signal?.throwIfAborted();
  yield text;
}
