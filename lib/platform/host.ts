/**
 * What is asked of the runtime: here of Node.js, and alike of bun and deno. The bundle for browsers has host-browser.ts in its place, as of
 * every module with such a neighbour (scripts/bundle.js).
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:buffer';
import { freemem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** Calls back when the event loop has had a turn. */
export function soon(callback: () => void): void {
  setImmediate(callback);
}

/** A hash of texts, in UTF-8, and bytes. */
export interface Hash {
  update(data: string | Uint8Array): this;
  digest(encoding: 'hex'): string;
}

export function sha256(): Hash {
  return createHash('sha256');
}

/** The bytes that the process can still allocate before the system, or its control group, ends it. */
export function availableMemory(): number {
  const { availableMemory } = process as { availableMemory?: () => number }; // since Node 20.13
  return availableMemory?.() ?? Math.min(freemem(), process.constrainedMemory() || Infinity);
}

/** The bytes that objects and strings may take. */
export function heapLimit(): number {
  return getHeapStatistics().heap_size_limit;
}

/** The limit on characters of a string. */
export const MAX_STRING_LENGTH: number = constants.MAX_STRING_LENGTH;

/** The version of ICU, which finds the words of a text (Intl.Segmenter), if it is known. */
export const ICU_VERSION: string | undefined = process.versions.icu;
