import type { Output } from './output.js';

/** What every command is given. */
export interface Context {
  readonly output: Output;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}
