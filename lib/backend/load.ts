/** Chooses and loads a backend: the C++ addon, the same kernels in WebAssembly, or their TypeScript twins in fallback/. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { coded, printable } from '../errors.js';
import type { BackendInfo, BackendName } from '../types.js';
import { decimal } from './decimal.js';
import * as fallback from './fallback/index.js';
import type { Backend, Kernels } from './interface.js';
import { wasmKernels } from './wasm/index.js';
import { startWorker } from './wasm/node-port.js';
import { webAssembly } from './wasm/webassembly.js';

/** The C++ addon. */
interface Addon extends Kernels {
  /** Chooses the SIMD level, no higher than `level`, of what is made from now on; returns the choice. */
  useSimd(level?: string): string;
}

const ROOT = join(__dirname, '../..');

function environment(name: 'BACKEND' | 'SIMD' | 'THREADS' | 'BINARY'): string | undefined {
  return process.env[`FISTA_CLASSIFY_${name}`] || undefined;
}

const SIMD_LEVELS = ['baseline', 'avx2', 'avx512', 'neon'] as const;

function oneOf<T extends string>(variable: 'BACKEND' | 'SIMD', allowed: readonly T[]): T | undefined {
  const value = environment(variable);
  if (value === undefined || allowed.includes(value as T)) return value as T | undefined;
  const list = `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`;
  throw coded(RangeError, 'ERR_BACKEND', `Expected ${list} for FISTA_CLASSIFY_${variable} but received ${JSON.stringify(value)}`);
}

function defaultThreads(): number {
  const value = environment('THREADS');
  if (value === undefined) return availableParallelism();
  const threads = decimal(value.trim());
  if (Number.isInteger(threads) && threads >= 1 && threads <= 256) return threads;
  throw coded(
    RangeError,
    'ERR_BACKEND',
    `Expected an integer from 1 to 256 for FISTA_CLASSIFY_THREADS but received ${JSON.stringify(value)}`,
  );
}

/**
 * Throws if a file differs from the checksum beside it, which published addons have. The system's loader maps a library without checking
 * it: one that was cut off would end the process by a signal, where an error is wanted.
 */
function checkIntact(file: string): void {
  const list = `${file}.sha256`;
  if (!existsSync(list)) return; // compiled here
  const expected = readFileSync(list, 'latin1').slice(0, 64);
  const found = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (found !== expected) throw new Error(`${file} is damaged: its checksum is not the one in ${list}`);
}

/** The addon in the package, compiled there or prebuilt. */
function findAddon(): string {
  // Required here, as it reads a file of the system when it is loaded, which node --permission may refuse.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- import would load it with this module
  const nodeGypBuild = require('node-gyp-build') as typeof import('node-gyp-build').default;
  return nodeGypBuild.path(ROOT);
}

function loadAddon(): Addon {
  const file = resolve(environment('BINARY') ?? findAddon());
  checkIntact(file);
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an addon can only be required
  const addon = require(file) as Addon;
  if (typeof addon?.useSimd !== 'function' || typeof addon.kernels?.projectKnapsack !== 'function') {
    throw new Error('the file loaded is not the fista-classify addon');
  }
  return addon;
}

export interface Loaded {
  backend: Backend;
  loadError?: Error;
}

/** The native backend, at the SIMD level asked for; throws where it cannot be loaded. */
export function loadNative(simd: string | undefined = oneOf('SIMD', SIMD_LEVELS)): Backend {
  const addon = loadAddon();
  const level = addon.useSimd(simd);
  return { ...addon, name: 'native', simd: level };
}

/** The WebAssembly backend; throws where it cannot be loaded. */
export function loadWasm(): Backend {
  const file = join(ROOT, 'prebuilds/wasm/fista-classify.wasm');
  if (!webAssembly) throw new Error('this runtime has no WebAssembly');
  if (!existsSync(file)) throw new Error(`${file} is missing; "npm run build:wasm" builds it in a clone of the repository`);
  checkIntact(file);
  return { ...wasmKernels(new webAssembly.Module(readFileSync(file)), startWorker), name: 'wasm' };
}

export function loadFallback(): Backend {
  // The twin's Svm takes the twin's Matrix, and never gets another.
  return { ...(fallback as unknown as Kernels), name: 'js', simd: 'none' };
}

/** What to do about an addon that does not load. */
function remedy(error: unknown): string {
  const { code, name } = (error ?? {}) as Partial<Record<'code' | 'name', unknown>>;
  if (code === 'ERR_DLOPEN_DISABLED' || code === 'ERR_ACCESS_DENIED' || name === 'NotCapable') {
    return 'To use it, permit it: node by --allow-addons and --allow-fs-read=*, and without --no-addons; deno by --allow-ffi.';
  }
  return environment('BINARY') === undefined
    ? 'To build it from source, install a C++17 compiler, make and Python 3, and run "npx fista-classify build".'
    : 'To use it, set FISTA_CLASSIFY_BINARY to the path of a built addon, or unset it for the one in the package.';
}

/** Why the addon did not load and, where it was tried, WebAssembly. */
function notNative(native: unknown, wasm?: { readonly error: unknown }): Error {
  const lines = [`The native addon did not load: ${reasonOf(native)}`, remedy(native)];
  if (wasm) lines.push(`WebAssembly did not load either: ${reasonOf(wasm.error)}`);
  lines.push(
    wasm
      ? 'Without them, the TypeScript kernels give the same answers, more slowly; FISTA_CLASSIFY_BACKEND=js asks for them.'
      : 'Without it, WebAssembly gives the same answers, more slowly; FISTA_CLASSIFY_BACKEND=wasm asks for it.',
  );
  return coded(Error, 'ERR_BACKEND', lines.join('\n'), native);
}

function notWasm(error: unknown): Error {
  return coded(Error, 'ERR_BACKEND', `WebAssembly did not load: ${reasonOf(error)}`, error);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.trim() : String(error);
}

/** Loads the backend that FISTA_CLASSIFY_BACKEND asks for, or the first of native, WebAssembly and TypeScript that loads. */
export function load(): Loaded {
  const wanted = oneOf('BACKEND', ['auto', 'native', 'wasm', 'js']);
  oneOf('SIMD', SIMD_LEVELS); // a bad value is refused whichever backend runs
  if (wanted === 'js') return { backend: loadFallback() };
  if (wanted === 'wasm') return { backend: required(loadWasm, notWasm) };
  try {
    return { backend: loadNative() };
  } catch (native) {
    if (wanted === 'native') throw notNative(native);
    try {
      return { backend: loadWasm(), loadError: notNative(native) };
    } catch (error) {
      return { backend: loadFallback(), loadError: notNative(native, { error }) };
    }
  }
}

function required(loading: () => Backend, worded: (error: unknown) => Error): Backend {
  try {
    return loading();
  } catch (error) {
    throw worded(error);
  }
}

const chosen = load();

/** The backend in use by default. */
export const backend: BackendInfo = Object.freeze({
  name: chosen.backend.name,
  simd: chosen.backend.simd,
  threads: defaultThreads(),
  ...(chosen.loadError && { loadError: chosen.loadError }),
});

/** Backends that were asked for by name beside the one in use. */
const others = new Map<BackendName, Backend>();
let warned = false;

/** Warns, once, that other kernels compute where the addon was wanted. */
function warnOfFallback(loadError: Error): void {
  if (warned) return;
  warned = true;
  const instead = chosen.backend.name === 'wasm' ? 'in WebAssembly' : 'on its TypeScript kernels';
  process.emitWarning(`fista-classify computes ${instead}, more slowly than it could.`, {
    code: 'FISTA_CLASSIFY_NOT_NATIVE',
    detail: loadError.message.split('\n').map(printable).join('\n'), // it may quote a path
  });
}

/** The backend an option asks for. */
export function kernels(choice: 'auto' | BackendName = 'auto'): Backend {
  if (choice === 'auto' && chosen.loadError) warnOfFallback(chosen.loadError);
  if (choice === 'js' || choice === 'wasm') warned = true; // whoever asks for these kernels knows of them
  if (choice === 'auto' || choice === chosen.backend.name) return chosen.backend;
  if (choice === 'native') {
    const { name } = chosen.backend;
    throw chosen.loadError ?? coded(Error, 'ERR_BACKEND', `The native addon was switched off by FISTA_CLASSIFY_BACKEND=${name}`);
  }
  let other = others.get(choice);
  if (!other) others.set(choice, (other = choice === 'js' ? loadFallback() : required(loadWasm, notWasm)));
  return other;
}
