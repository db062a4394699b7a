/** Reads whole files of text, and JSON. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { coded } from '../errors.js';
import { position } from './position.js';
import { named } from '../platform/files.js';
import { heapLimit } from '../platform/host.js';
import { jsonDefect } from './json-defect.js';
import { isGzip } from './source.js';

type Code = 'ERR_MODEL' | 'ERR_ELLIPSOIDS';

/** The maximum length of a string in V8. */
const MAX_BYTES = 2 ** 29 - 24;
// The bytes of heap that JSON.parse may take for a character, and for a list or object. They are checked beforehand, as V8 ends the
// process when its heap is full.
const HEAP_PER_CHARACTER = 32;
const HEAP_PER_LIST = 256;

/** Reads the text of a file, gzipped or not; or of a stream, if one is given. */
export async function readText(path: string, code: Code, signal?: AbortSignal, given?: Readable): Promise<string> {
  const tooLong = () => coded(RangeError, code, `Expected at most ${MAX_BYTES} bytes of text for ${path} but received more`);
  if (!given && (await stat(path)).size > MAX_BYTES) throw tooLong();
  const chunks: Buffer[] = [];
  let length = 0;
  const stream = given ?? createReadStream(path);
  try {
    for await (const chunk of (signal ? addAbortSignal(signal, stream) : stream) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_BYTES) throw tooLong();
      chunks.push(chunk);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'read') named(error, path);
    throw error;
  }
  const bytes = Buffer.concat(chunks);
  try {
    const plain = isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes;
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong();
    throw coded(SyntaxError, code, `Expected text in UTF-8, gzipped or not, for ${path} but received other bytes`, error);
  }
}

/** Parses JSON. Errors name the file, the line and the column. */
export function parseJSON(text: string, path: string, code: Code): unknown {
  checkHeap(text, path, code);
  try {
    return JSON.parse(text);
  } catch (error) {
    const { at, received } = jsonDefect(error, text);
    if (at === undefined) throw coded(SyntaxError, code, `Expected JSON for ${path} but received ${received.text}`, error);
    const came = at >= text.trimEnd().length ? 'the end: the file was cut' : received.text;
    throw coded(SyntaxError, code, `Expected JSON at ${path}:${position(text, at)} but received ${came}`, error);
  }
}

function checkHeap(text: string, path: string, code: Code): void {
  const heap = heapLimit();
  const check = (count: number, bytes: number, what: string) => {
    const max = Math.floor(heap / bytes);
    if (count <= max) return;
    const remedy = 'NODE_OPTIONS=--max-old-space-size=⟨MB⟩ makes room for more';
    throw coded(RangeError, code, `Expected at most ${max} ${what} of JSON for ${path} but received ${count}; ${remedy}`);
  };
  check(text.length, HEAP_PER_CHARACTER, 'characters');
  let lists = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === 0x5b || sign === 0x7b) lists++;
  }
  check(lists, HEAP_PER_LIST, 'lists and objects');
}
