import type { Signal } from '../types.js';

/** What a promise gives, or the reason of a signal that is aborted before. Once it has answered, the signal keeps nothing of it. */
export function unlessAborted<T>(promise: Promise<T>, signal: Signal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason comes out unchanged
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
