// Compiled, not run, where fista-classify is installed, with the export condition `browser` and the types of the web.
import { backend, LinearSvm, readCsv, useWasm, type Fitted } from 'fista-classify';

declare const module: WebAssembly.Module;
declare const blob: Blob;
useWasm(module);
const name: 'native' | 'wasm' | 'js' = backend.name;
const model: Promise<Fitted<number>> = LinearSvm.fitAsync([[1], [2]], [0, 1]);
const table = readCsv(blob.stream(), { as: 'records' });
// @ts-expect-error There are no files in a browser.
import('fista-classify').then(({ loadModel }) => loadModel);
export { name, model, table };
