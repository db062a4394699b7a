/** What is asked of the runtime: here of browsers, and of servers that offer what browsers do. The twin of host.ts. */
import { Sha256 } from './sha256.js';
import type { Hash } from './host.js';

export type { Hash } from './host.js';

const waiting: (() => void)[] = [];
// A timer would wait for 4 ms once timers are nested.
const channel = typeof MessageChannel === 'function' ? new MessageChannel() : undefined;
const port = channel?.port1 as (EventTarget & { start(): void; ref?(): void; unref?(): void }) | undefined;
port?.addEventListener('message', () => {
  const callback = waiting.shift()!;
  if (waiting.length === 0) port.unref?.(); // in Node.js, where an open port would keep the process alive
  callback();
});
port?.start(); // as addEventListener does not
port?.unref?.();

export function soon(callback: () => void): void {
  if (!channel) return void setTimeout(callback, 0);
  waiting.push(callback);
  port!.ref?.();
  channel.port2.postMessage(undefined);
}

export function sha256(): Hash {
  return new Sha256();
}

/** Pages are not told. Memory that is not there fails where it is asked for. */
export function availableMemory(): number {
  return Infinity;
}

export function heapLimit(): number {
  const { memory } = performance as { memory?: { jsHeapSizeLimit: number } }; // in Chromium
  return memory?.jsHeapSizeLimit ?? 2 ** 31;
}

/** V8's; other engines have larger ones. */
export const MAX_STRING_LENGTH: number = 2 ** 29 - 24;

export const ICU_VERSION: string | undefined = undefined;
