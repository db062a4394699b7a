/**
 * The backends that kernel tests run over: TypeScript, WebAssembly where it was built, and the addon at every SIMD level of this CPU.
 * FISTA_CLASSIFY_BACKEND=js, or an addon that does not load, leaves the native half out (test/setup.ts says so, once);
 * with FISTA_CLASSIFY_BACKEND=native an addon that does not load makes lib/backend/load.ts throw instead, and every test file fails.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { backend, loadFallback, loadNative, loadWasm } from '../../lib/backend/load.js';
import { type Backend, type EspProblem, type Kernels, type Matrix, type SvmProblem } from '../../lib/backend/interface.js';
import type { BackendName } from '../../lib/types.js';
import { ROOT } from './child.js';

interface Addon extends Backend {
  useSimd(level?: string): string;
}

/** The addon at one SIMD level. useSimd(level) holds for the whole environment until its next call, so it is called before each use. */
function atLevel(addon: Addon, level: string): Backend {
  const here = () => {
    addon.useSimd(level);
    return addon;
  };
  return {
    name: 'native',
    simd: level,
    // A handle keeps the level it was created with.
    Matrix: new Proxy(addon.Matrix, { construct: (_, args) => Reflect.construct(here().Matrix, args) as Matrix }),
    Svm: new Proxy(addon.Svm, { construct: (_, args) => Reflect.construct(here().Svm, args) as SvmProblem }),
    Esp: new Proxy(addon.Esp, { construct: (_, args) => Reflect.construct(here().Esp, args) as EspProblem }),
    Parser: addon.Parser,
    Interrupt: addon.Interrupt,
    copyPoints: (threads, interrupt, ...data) => here().copyPoints(threads, interrupt, ...data),
    decidePoints: (onDefect, threads, weights, biases, out, ...data) =>
      here().decidePoints(onDefect, threads, weights, biases, out, ...data),
    certifyLabels: (...args) => here().certifyLabels(...args),
    kernels: {
      projectKnapsack: (...args) => here().kernels.projectKnapsack(...args),
      projectCones: (...args) => here().kernels.projectCones(...args),
    },
  };
}

function everyLevel(): Backend[] {
  if (backend.name !== 'native') return [];
  const addon = loadNative() as Addon;
  return ['baseline', 'avx2', 'avx512', 'neon'].filter((l) => addon.useSimd(l) === l).map((l) => atLevel(addon, l));
}

export const js = loadFallback();

/** The addon at each SIMD level, lowest first; empty where the addon is left out. */
export const natives = everyLevel();

/** WebAssembly; undefined where it was not built. FISTA_CLASSIFY_REQUIRE_WASM makes that an error. */
export const wasm =
  existsSync(join(ROOT, 'prebuilds/wasm/fista-classify.wasm')) || process.env.FISTA_CLASSIFY_REQUIRE_WASM ? loadWasm() : undefined;

/** The same where its tests are run: not beside a sanitizer, which does not see into it. */
const tested = process.env.FISTA_CLASSIFY_LEAVE_OUT_WASM ? undefined : wasm;

/** The values of options.backend that this machine supports, and that are tested. */
export const names: readonly BackendName[] = [
  ...(natives.length > 0 ? (['native'] as const) : []),
  ...(tested ? (['wasm'] as const) : []),
  'js',
];

/** Those of them that compute by native/kernels, and are compared with the TypeScript kernels. */
export const compiled = names.filter((name) => name !== 'js');

/** The kernels of native/kernels: in WebAssembly, and of the addon at each SIMD level. */
export const kernelsInC: readonly Backend[] = [...(tested ? [tested] : []), ...natives];

/** Every backend, with a name for test titles. */
export const backends: { title: string; kernels: Kernels }[] = [
  { title: 'js', kernels: js },
  ...(tested ? [{ title: `wasm ${tested.simd}`, kernels: tested }] : []),
  ...natives.map((native) => ({ title: `native ${native.simd}`, kernels: native })),
];

/** Runs one check on every backend, for checks whose reference is too expensive to compute once per backend. A failure names the backend. */
export function onEveryBackend(check: (kernels: Kernels) => void): void {
  for (const { title, kernels } of backends) {
    try {
      check(kernels);
    } catch (error) {
      (error as Error).message = `${title}: ${(error as Error).message}`;
      throw error;
    }
  }
}
