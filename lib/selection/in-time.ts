/** The time limit and the signal of a call, asked between its steps. */
import { Interrupted } from '../errors.js';
import type { ResolvedSvmOptions } from '../input/index.js';
import type { TrainingData } from '../svm/training-data.js';
import type { Label } from '../types.js';

/** Throws if the time of all fits is up, or if they are aborted: nothing can be chosen then, nor trained afterwards. */
export function inTime({ began }: Pick<TrainingData<Label>, 'began'>, { timeLimit, signal }: ResolvedSvmOptions): void {
  signal?.throwIfAborted();
  if (performance.now() - began >= timeLimit) throw new Interrupted();
}
