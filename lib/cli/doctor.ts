/** fista-classify doctor: shows which backend is in use, and checks its kernels. */
import { backend, kernels } from '../backend/load.js';
import { selfCheck, type KernelCheck } from '../backend/self-check.js';
import { printable } from '../errors.js';
import type { Arguments, Command } from './arguments.js';
import type { Context } from './context.js';
import { count } from './format.js';
import type { BackendName } from '../types.js';
import { version } from '../version.js';

export const doctor: Command = {
  name: 'doctor',
  summary: 'shows which kernels are used, and checks them',
  usage: '[options]',
  examples: [['fista-classify doctor --json', 'backend, versions and a check of every kernel, for a bug report']],
  files: { min: 0, max: 0 },
  options: [],
  notes: [
    'Every native kernel is compared with its TypeScript twin on generated data, for the result and for speed. If the',
    'native addon is not in use, the reason and a remedy are printed. Exit code 0 if all kernels agree, 1 otherwise.',
  ],
};

export async function runDoctor(_args: Arguments, { output }: Context): Promise<number> {
  const compared = backend.name !== 'js';
  const checks = selfCheck(kernels(backend.name), backend.threads); // by name: the reason is printed below, not warned of
  const wrong = checks.filter(({ agrees }) => !agrees);
  const notNative = whyNotNative();
  const system = { version: version(), node: process.version, platform: `${process.platform}-${process.arch}` };
  await output.result(
    {
      backend: backend.name,
      simd: backend.simd,
      threads: backend.threads,
      ...system,
      ...(notNative !== undefined && { notNative }),
      agrees: wrong.length === 0,
      kernels: checks.map(({ kernel, agrees, difference, bound, time }) => {
        return { kernel, agrees, difference, bound, ...(compared && { speedup: speedup(time) }) };
      }),
    },
    [
      ...(output.quiet
        ? []
        : [`fista-classify ${system.version}, Node ${system.node}, ${system.platform}`, `backend  ${BACKENDS[backend.name]()}`]),
      ...(notNative === undefined || output.quiet ? [] : ['', ...printableLines(notNative), '']),
      ...(output.quiet ? wrong.map(line) : kernelLines(checks, compared)),
    ],
  );
  return wrong.length === 0 ? 0 : 1;
}

/** The reason why the native addon is not in use, with a remedy; undefined if it is in use. */
function whyNotNative(): string | undefined {
  try {
    kernels('native');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Escapes control characters: the message may quote a path. */
function printableLines(text: string): string[] {
  return text.split('\n').map(printable);
}

const BACKENDS: Readonly<Record<BackendName, () => string>> = {
  native: () => `native, ${backend.simd}, ${count(backend.threads, 'thread')}`,
  wasm: () => `wasm, WebAssembly with ${backend.simd}, on one thread`,
  js: () => 'js, the TypeScript kernels, on one thread',
};

function kernelLines(checks: readonly KernelCheck[], compared: boolean): string[] {
  if (!compared && checks.every(({ agrees }) => agrees)) {
    return [`kernels  ${checks.length} run; there are no native ones to compare them with`];
  }
  const right = checks.filter(({ agrees }) => agrees).length;
  const width = Math.max(...checks.map(({ kernel }) => kernel.length));
  return [
    `kernels  ${right} of ${checks.length} agree with their TypeScript twins (speed ${backend.name} : TypeScript)`,
    ...checks.map((check) => {
      return check.agrees
        ? `  ${check.kernel.padEnd(width)}  agrees  ${speedup(check.time).toFixed(1).padStart(5)} : 1`
        : line(check);
    }),
  ];
}

function line({ kernel, difference, bound }: KernelCheck): string {
  return `  ${kernel} DISAGREES: differs by ${difference.toExponential(1)}; rounding explains at most ${bound.toExponential(1)}`;
}

function speedup({ backend, twin }: KernelCheck['time']): number {
  return twin / backend;
}
