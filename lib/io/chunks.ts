/** Joins lines, or pieces of bytes, into chunks for writing. */
import type { Signal } from '../types.js';

const CHUNK = 1 << 16;

/** Joins lines into chunks of about 64 kB, as a write of each line would be slow. Throws the signal's reason once it is aborted. */
export function* inChunks(lines: Iterable<string>, signal: Signal | undefined): Generator<string> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < CHUNK) continue;
    signal?.throwIfAborted();
    yield text;
    text = '';
  }
  signal?.throwIfAborted();
  yield text;
}

/** Joins pieces into chunks of 64 kB, and divides those that are longer. A chunk is valid until the next. Throws as `inChunks` does. */
export function* bytesInChunks(pieces: Iterable<Uint8Array>, signal: Signal | undefined): Generator<Uint8Array> {
  const chunk = new Uint8Array(CHUNK);
  let used = 0;
  for (const piece of pieces) {
    for (let begin = 0; begin < piece.length;) {
      const part = piece.subarray(begin, begin + CHUNK - used);
      chunk.set(part, used);
      begin += part.length;
      used += part.length;
      if (used < CHUNK) continue;
      signal?.throwIfAborted();
      yield chunk;
      used = 0;
    }
  }
  signal?.throwIfAborted();
  yield chunk.subarray(0, used);
}
