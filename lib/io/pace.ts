/** Divides long work on the main thread into short tasks, between which the event loop turns. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds after which a task is due to end. The step that is under way then is finished first. */
const TASK = 5;

export class Pace {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether the event loop should turn. */
  get due(): boolean {
    return performance.now() - this.#began > TASK;
  }

  /** Lets the event loop turn, then throws the signal's reason if it is aborted. */
  async turn(): Promise<void> {
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#began = performance.now();
  }
}
