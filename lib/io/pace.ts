/** Divides long work on the main thread into short tasks, and lets the event loop turn between them. */
import { soon } from '../platform/host.js';
import type { Signal } from '../types.js';

/** The milliseconds after which a task should end. The step under way is finished first. */
const TASK = 5;
/** The number of small steps between two looks at the clock. */
const STEPS = 1 << 13;

export class Pace {
  readonly #signal: Signal | undefined;
  #began = performance.now();

  constructor(signal?: Signal) {
    this.#signal = signal;
  }

  /** Whether the event loop should turn. */
  get due(): boolean {
    return performance.now() - this.#began > TASK;
  }

  /** Lets the event loop turn, then throws the signal's reason if the signal is aborted. */
  async turn(): Promise<void> {
    await new Promise<void>(soon);
    this.#signal?.throwIfAborted();
    this.#began = performance.now();
  }

  /** Calls step(0), … step(count - 1), each of which is short, and lets the event loop turn in between. */
  async each(count: number, step: (k: number) => void): Promise<void> {
    for (let begin = 0; begin < count; begin += STEPS) {
      if (this.due) await this.turn();
      for (let k = begin; k < Math.min(begin + STEPS, count); k++) step(k);
    }
  }
}
