/** What runs in a browser's worker. */
import { serve } from './serve.js';

interface Scope {
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  onmessage: (event: { readonly data: unknown }) => void;
}

const scope = globalThis as unknown as Scope;
const answer = serve({ post: (message, transfer = []) => scope.postMessage(message, transfer) });
scope.onmessage = ({ data }) => answer(data);
