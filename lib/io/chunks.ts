/** Text in chunks that are worth writing. */
import type { Signal } from '../types.js';

/** Lines in chunks of some 64 kB, which are worth writing, until the signal is aborted. */
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
