/** Chooses and loads a backend: the C++ addon, or its TypeScript twins in fallback/. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { coded, printable } from '../errors.js';
import type { BackendInfo, BackendName } from '../types.js';
import { decimal } from './decimal.js';
import * as fallback from './fallback/index.js';
import type { Backend, Kernels } from './interface.js';

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

/** Loads the backend that FISTA_CLASSIFY_BACKEND asks for, or native if it loads and TypeScript otherwise. */
export function load(): Loaded {
  const wanted = oneOf('BACKEND', ['auto', 'native', 'js']);
  oneOf('SIMD', SIMD_LEVELS); // a bad value is refused whichever backend runs
  if (wanted === 'js') return { backend: loadFallback() };
  try {
    return { backend: loadNative() };
  } catch (error) {
    const loadError = coded(
      Error,
      'ERR_BACKEND',
      `The native addon did not load: ${error instanceof Error ? error.message.trim() : String(error)}\n` +
        `${remedy(error)}\nWithout it, the TypeScript kernels give the same answers, more slowly; FISTA_CLASSIFY_BACKEND=js asks for them.`,
      error,
    );
    if (wanted === 'native') throw loadError;
    return { backend: loadFallback(), loadError };
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

let twin: Backend | undefined;
let warned = false;

/** Warns, once, that the TypeScript kernels compute where the addon was wanted. */
function warnOfFallback(loadError: Error): void {
  if (warned) return;
  warned = true;
  process.emitWarning('fista-classify computes on its TypeScript kernels, more slowly than it could.', {
    code: 'FISTA_CLASSIFY_NOT_NATIVE',
    detail: loadError.message.split('\n').map(printable).join('\n'), // it may quote a path
  });
}

/** The backend an option asks for. */
export function kernels(choice: 'auto' | BackendName = 'auto'): Backend {
  if (choice === 'js') {
    warned = true; // whoever asks for these kernels knows of them
    return chosen.backend.name === 'js' ? chosen.backend : (twin ??= loadFallback());
  }
  if (choice === 'auto' && chosen.loadError) warnOfFallback(chosen.loadError);
  if (choice === 'auto' || choice === chosen.backend.name) return chosen.backend;
  throw chosen.loadError ?? coded(Error, 'ERR_BACKEND', 'The native addon was switched off by FISTA_CLASSIFY_BACKEND=js');
}
