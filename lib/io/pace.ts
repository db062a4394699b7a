/** Long work on the main thread, in tasks that are short enough for others to have their turns. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds of a task, after which the event loop turns. What a task does in one go comes on top of it. */
const TASK = 5;

export class Pace {
  readonly #signal: AbortSignal | undefined;
  #began = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Whether it is time for the others. */
  get due(): boolean {
    return performance.now() - this.#began > TASK;
  }

  /** Lets the event loop turn; throws the signal's reason if it was aborted by then. */
  async turn(): Promise<void> {
    await setImmediate();
    this.#signal?.throwIfAborted();
    this.#began = performance.now();
  }
}
