/** What the bundle for browsers brings along; scripts/bundle.js fills it in. */

/** The bytes of the WebAssembly module; undefined in a bundle that was made without it. */
export const wasmBytes = undefined as Uint8Array | undefined;

/** The code of browser-worker.ts. */
export const workerCode = '';
