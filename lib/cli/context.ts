import type { Output } from './output.js';

/** Passed to every command, beside its arguments. */
export interface Context {
  readonly output: Output;
  /** Aborted by SIGINT (Ctrl-C) and SIGTERM. */
  readonly signal: AbortSignal;
}
