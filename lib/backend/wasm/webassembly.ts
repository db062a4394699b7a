/** The part of the WebAssembly API that is used here, which runtimes share and TypeScript declares for browsers alone. */

/** A WebAssembly.Module: compiled code, which can be posted to workers. */
export type CompiledModule = object;

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => CompiledModule;
  readonly Instance: new (
    module: CompiledModule,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}

/** Undefined where the runtime has none, as under node --jitless. */
export const webAssembly = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
