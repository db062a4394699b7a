import type { Output } from './output.js';

/** What every command receives beside its arguments. */
export interface Context {
  readonly output: Output;
  /** Aborted by SIGINT (Ctrl-C) and SIGTERM. */
  readonly signal: AbortSignal;
}
