/** Chooses and loads a backend in a browser: WebAssembly, or the TypeScript kernels. The twin of load.ts. */
import { coded } from '../errors.js';
import type { BackendInfo, BackendName } from '../types.js';
import * as fallback from './fallback/index.js';
import type { Backend, Kernels } from './interface.js';
import { workerOf } from './wasm/browser-port.js';
import { wasmBytes, workerCode } from './wasm/embedded.js';
import { wasmKernels } from './wasm/index.js';
import { webAssembly, type CompiledModule } from './wasm/webassembly.js';

interface Loaded {
  readonly backend: Backend;
  readonly loadError?: Error;
}

function loadWasm(): Backend {
  if (!webAssembly) throw new Error('this runtime has no WebAssembly');
  if (!wasmBytes) throw new Error('this bundle was made without it');
  return ofModule(new webAssembly.Module(wasmBytes));
}

function ofModule(compiled: CompiledModule): Backend {
  return { ...wasmKernels(compiled, workerOf(workerCode)), name: 'wasm' };
}

function loadFallback(): Backend {
  return { ...(fallback as unknown as Kernels), name: 'js', simd: 'none' };
}

function load(): Loaded {
  try {
    return { backend: loadWasm() };
  } catch (error) {
    const loadError = coded(
      Error,
      'ERR_BACKEND',
      `WebAssembly did not load: ${reasonOf(error)}\nWithout it, the TypeScript kernels give the same answers, more slowly.`,
      error,
    );
    return { backend: loadFallback(), loadError };
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

let loaded: Loaded | undefined;
let twin: Backend | undefined;

/** Compiled when it is first asked for, not when a page loads. */
function chosen(): Loaded {
  return (loaded ??= load());
}

/** The backend in use by default. */
export const backend: BackendInfo = Object.freeze({
  get name() {
    return chosen().backend.name;
  },
  get simd() {
    return chosen().backend.simd;
  },
  threads: 1,
  get loadError() {
    return chosen().loadError;
  },
} as BackendInfo);

/**
 * Computes by a WebAssembly.Module that was compiled elsewhere: the file `fista-classify/fista-classify.wasm` as servers at the edge import it,
 * which do not compile bytes. What was made before keeps its backend.
 */
export function useWasm(compiled: CompiledModule): void {
  let backend: Backend;
  try {
    backend = ofModule(compiled);
  } catch (error) {
    const message = `Expected the WebAssembly.Module of fista-classify.wasm for compiled but received another value: ${reasonOf(error)}`;
    throw coded(TypeError, 'ERR_BACKEND', message, error);
  }
  loaded = { backend };
}

/** The backend an option asks for. */
export function kernels(choice: 'auto' | BackendName = 'auto'): Backend {
  if (choice === 'js') return (twin ??= loadFallback());
  const { backend: found, loadError } = chosen();
  if (choice === 'auto' || choice === found.name) return found;
  if (choice === 'native') throw coded(Error, 'ERR_BACKEND', 'There is no native addon in a browser');
  throw loadError!;
}
