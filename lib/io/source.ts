/** Reads a file, stream or array in chunks of bytes; gzip is decompressed. */
import { gone, gzipError, longError, type FileCode } from '../input/file-errors.js';
import { unlessAborted } from '../input/abort.js';
import { checkChunk, isIterated } from '../input/file-options.js';
import { isOf, isShared, plainView } from '../input/intrinsics.js';
import { lengthOf } from '../input/lists.js';
import type { Pace } from './pace.js';
import { fromFile, gunzip } from '../platform/files.js';
import { soon } from '../platform/host.js';
import type { Signal, Source, WebStream } from '../types.js';

/** The size of a chunk in bytes. */
const CHUNK = 1 << 20;

export type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

interface Reading {
  readonly code: FileCode;
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The chunks of a source, without a byte order mark and of at most maxBytes in total. A chunk is valid until the next is asked for. When
 * the signal is aborted, its reason is thrown at once; errors of a stream come out unchanged.
 */
export async function* chunks(source: Source, name: string, { code, maxBytes, signal }: Reading): Chunks {
  let length = 0;
  for await (const chunk of all(source, name, code, signal)) {
    length += chunk.length;
    if (length > maxBytes) throw longError(name, code, maxBytes);
    yield chunk;
  }
}

/** All bytes of a source. */
export async function allBytes(source: Source, name: string, reading: Reading): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks(source, name, reading)) {
    parts.push(Uint8Array.from(chunk)); // copied, as a chunk is valid until the next
    length += chunk.length;
  }
  const all = new Uint8Array(length);
  for (let at = 0; parts.length > 0;) {
    const part = parts.shift()!;
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Divides chunks into parts of at most `size` bytes, and lets the event loop turn in between. */
export async function* inParts(all: Chunks, size: number, pace: Pace): Chunks {
  for await (const chunk of all) {
    const { length } = chunk;
    for (let at = 0; at < length; at += size) {
      if (pace.due) await pace.turn();
      if (chunk.length !== length) throw gone(); // the owner may have transferred the buffer meanwhile
      yield chunk.subarray(at, at + size);
    }
  }
}

async function* all(source: Source, name: string, code: Reading['code'], signal: AbortSignal | undefined): Chunks {
  const raw =
    typeof source === 'string' ? fromFile(source, CHUNK) : isOf(source, 'Uint8Array') ? fromBytes(source) : fromStream(source);
  const { beginning, rest } = await begin(abortable(raw, signal));
  if (isGzip(beginning)) {
    const plain = gunzip(join(beginning, rest), CHUNK / 4, (error) => gzipError(name, code, error));
    const { beginning: first, rest: others } = await begin(abortable(plain, signal));
    yield* join(withoutMark(first), others);
  } else {
    yield* join(withoutMark(beginning), rest);
  }
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Reads at least three bytes, if the source has that many: enough to recognise gzip and a byte order mark. */
async function begin(all: Chunks): Promise<{ beginning: Uint8Array; rest: Chunks }> {
  let beginning: Uint8Array = new Uint8Array(0);
  while (beginning.length < 3) {
    const { done, value } = await all.next();
    if (done) break;
    // A chunk that is too short is copied, as it is valid only until the next is asked for.
    beginning = beginning.length === 0 && value.length >= 3 ? value : Buffer.concat([beginning, value]);
  }
  return { beginning, rest: all };
}

/** Removes the byte order mark of UTF-8. */
function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

async function* join(first: Uint8Array, rest: Chunks): Chunks {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(); // in case the reader stops after the first chunk
  }
}

async function* fromBytes(source: Uint8Array): Chunks {
  const bytes = plainView(source);
  const { length } = bytes;
  for (let at = 0; at < length; at += CHUNK) {
    if (bytes.length !== length || lengthOf(source) !== length) throw gone();
    yield unshared(bytes.subarray(at, at + CHUNK));
    await new Promise<void>(soon); // the event loop turns, and may abort the signal
  }
}

async function* fromStream(stream: AsyncIterable<unknown> | WebStream): Chunks {
  for await (const chunk of isIterated(stream) ? stream : fromReader(stream)) yield unshared(checkChunk(chunk));
}

/** What a stream of the web gives, as iterating over it would. */
async function* fromReader(stream: WebStream): AsyncGenerator<unknown, void, undefined> {
  const reader = stream.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    ended = true;
  } finally {
    if (!ended) await reader.cancel().catch(() => undefined);
  }
}

/** Copies shared memory: a parser checks bounds once, and must not see bytes that another thread changes. */
function unshared(chunk: Uint8Array): Uint8Array {
  return isShared(chunk) ? Buffer.from(chunk) : chunk;
}

/** Passes items on, and throws the signal's reason as soon as the signal is aborted. */
export async function* abortable<T>(all: AsyncIterable<T>, signal: Signal | undefined): AsyncGenerator<T, void, undefined> {
  if (!signal) {
    yield* all;
    return;
  }
  const iterator: AsyncIterator<T, unknown> = all[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await unlessAborted(iterator.next(), signal);
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited, as the source may never answer.
    if (!ended) void iterator.return?.().catch(() => undefined);
  }
}
