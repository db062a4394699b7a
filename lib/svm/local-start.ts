/**
 * Where a fit over several ranks starts (method 6): each rank goes through a few epochs of coordinate ascent on its own rows, without a
 * message, and all planes are averaged once.
 *
 * Problem: min |w|²/2 + K Σ psi over a rank's rows, K the number of ranks: what the whole problem would be if all ranks had rows like these.
 * Given:   what makes the problem of a rank's own rows; the loss of the whole problem.
 * Wanted:  the same w and t on all ranks, near the optimum, and how many entries were read. What is proved later does not depend on it.
 * Source:  Y. Zhang, J. C. Duchi and M. J. Wainwright, JMLR 14, 2013 (averaging once).
 */
import type { SvmProblem } from '../backend/interface.js';
import { svmTasks, type Step } from '../backend/tasks.js';
import type { Communicator } from '../mpi/ranks.js';
import type { Regularization } from './regularization.js';
import type { Start } from './solve.js';
import { weightOf } from './taking-part.js';

/** Epochs of each rank. */
const EPOCHS = 3;
/** As in lib/svm/ascent.ts: the penalty on y·alpha, and by how much a row must clear its margin to be left out. */
const WEIGHT = 0.3;
const DELTA = 0.1;

interface Rows {
  readonly y: Int8Array;
  readonly weights: Float64Array;
  readonly columns: number;
  /** Makes the problem of these rows alone. */
  readonly make: () => SvmProblem;
}

export function* localStart(
  ranks: Communicator,
  { y, weights, columns, make }: Rows,
  { bound, mu }: Regularization,
): Generator<Step, Start & { readonly read: number }, void> {
  let read = 0;
  const sums = new Float64Array(columns + 2); // of w, t and 1, each times the weight of a rank's rows
  if (hasBothClasses(y, weights)) {
    const problem = make();
    try {
      const { begin, regularize, ascend } = svmTasks(problem);
      yield begin.ask({ curvature: false });
      const { weightSum, radiusSquares } = begin.answer;
      yield regularize.ask({ gamma: ranks.size * bound, mu: mu / ranks.size });
      const weight = (WEIGHT * radiusSquares) / weightSum || mu;
      let offset = 0;
      for (let epoch = 1; epoch <= EPOCHS; epoch++) {
        yield ascend.ask({ offset, weight, delta: DELTA, all: true });
        ({ offset } = ascend.answer);
      }
      const w = sums.subarray(0, columns);
      problem.weights(w);
      ({ read } = problem);
      sums.set([ascend.answer.t, 1], columns);
      for (let j = 0; j < sums.length; j++) sums[j]! *= weightSum;
      if (!sums.every(Number.isFinite)) sums.fill(0);
    } finally {
      problem.dispose();
    }
  }
  ranks.addUp(sums);
  const total = sums[columns + 1]! || 1;
  return { w: sums.slice(0, columns).map((sum) => sum / total), t: sums[columns]! / total, read };
}

function hasBothClasses(y: Int8Array, weights: Float64Array): boolean {
  const found = [false, false];
  for (let i = 0; i < y.length && !(found[0] && found[1]); i++) if (weightOf(weights, i) > 0) found[Number(y[i]! > 0)] = true;
  return found[0]! && found[1]!;
}
