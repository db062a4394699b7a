/** A worker of a browser, made of code in the bundle: no file is fetched. */
import { coded } from '../../errors.js';
import type { Port } from './messages.js';
import type { StartWorker } from './worker-client.js';

/** The part of a browser's Worker that is used here. */
interface BrowserWorker {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  terminate(): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: { readonly message?: string; preventDefault(): void }) => void) | null;
  onmessageerror: (() => void) | null;
}

interface Browser {
  readonly Worker?: new (url: string) => BrowserWorker;
  readonly Blob: new (parts: readonly string[], options: { type: string }) => object;
  readonly URL: { createObjectURL(blob: object): string; revokeObjectURL(url: string): void };
}

/** Throws, as the runtime does, where a page may have no such worker. */
export function workerOf(code: string): StartWorker {
  return (): Port => {
    const { Worker, Blob, URL } = globalThis as unknown as Browser;
    if (!Worker) throw coded(Error, 'ERR_BACKEND', 'This runtime has no Worker');
    const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
    const worker = new Worker(url);
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      listen: (onMessage, onError) => {
        worker.onmessage = ({ data }) => {
          URL.revokeObjectURL(url);
          onMessage(data);
        };
        worker.onerror = (event) => {
          event.preventDefault(); // it is not the page's own
          onError(new Error(event.message ?? 'it could not be started'));
        };
        worker.onmessageerror = () => onError(new Error('a message could not be read'));
      },
      end: () => worker.terminate(),
      wait: () => undefined, // a page does not end
    };
  };
}
