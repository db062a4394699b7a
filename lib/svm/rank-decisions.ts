/** Who decides: this process or, where several ranks run the same loop, rank 0 for all of them (method 6). */
import type { RankLimits } from '../input/resolve-ranks.js';
import { fromFirst } from '../mpi/ranks.js';
import type { SvmStatus } from '../types.js';

const STATUSES: readonly (SvmStatus | undefined)[] = [
  undefined,
  'agreement',
  'gap',
  'stale',
  'precision',
  'max-iterations',
  'time-limit',
];

/** `began`: when the time limit began. */
export class Decisions {
  readonly #limits: RankLimits | undefined;
  readonly #began: number;

  constructor(limits: RankLimits | undefined, began: number) {
    this.#limits = limits;
    this.#began = began;
  }

  status(decide: () => SvmStatus | undefined): SvmStatus | undefined {
    const limits = this.#limits;
    return limits ? STATUSES[fromFirst(limits.ranks, () => STATUSES.indexOf(decide()))] : decide();
  }

  yes(decide: () => boolean): boolean {
    const limits = this.#limits;
    return limits ? fromFirst(limits.ranks, () => Number(decide())) > 0 : decide();
  }

  /** Whether the time is up. Over several ranks this also ends the run if rank 0's signal was aborted. */
  expired(timeLimit: number): boolean {
    const limits = this.#limits;
    if (!limits) return performance.now() - this.#began >= timeLimit;
    if (!limits.polled) return false;
    return this.yes(() => {
      limits.signal?.throwIfAborted();
      return performance.now() - this.#began >= limits.timeLimit;
    });
  }
}
