/** Folds of a cross-validation. */
import type { Step } from '../backend/tasks.js';
import type { Labels } from '../input/labels.js';
import { share, type Communicator } from '../mpi/ranks.js';
import type { Loop } from '../solver/drivers.js';
import { membersOf, rowWeights, type RowWeights, type Weights } from '../svm/taking-part.js';
import type { Random } from './random.js';

/**
 * The fold of each row, or -1. Each class is shuffled and dealt to the folds in turn; the next class goes on where one ended. Ranks deal as if
 * their rows were dealt one rank after the other, class by class, so that every fold has its share of every class.
 * Pauses now and then, so that the event loop is not blocked for long even if rows are many.
 */
export function* deal(
  training: Labels,
  weights: RowWeights,
  folds: number,
  random: Random,
  breather: Step,
  ranks?: Communicator,
): Loop<Int32Array> {
  const fold = new Int32Array(training.y.length).fill(-1);
  const classes = membersOf(training, weights);
  const before =
    ranks &&
    dealtBefore(
      ranks,
      Array.from(classes, ({ length }) => length),
    );
  let next = 0;
  for (const [k, members] of classes.entries()) {
    if (before) next = before[k]! % folds;
    yield breather;
    random.shuffle(members);
    yield breather;
    for (let p = 0; p < members.length; p++) {
      fold[members[p]!] = next;
      next = next + 1 === folds ? 0 : next + 1;
    }
  }
  return fold;
}

/** By class, how many rows are dealt before the first that is here. `counts`: those that are here. */
function dealtBefore(ranks: Communicator, counts: readonly number[]): number[] {
  const byRank = share(ranks, counts);
  let all = 0;
  return counts.map((_, k) => {
    const first = all + byRank.slice(0, ranks.rank).reduce((sum, one) => sum + one[k]!, 0);
    all += byRank.reduce((sum, one) => sum + one[k]!, 0);
    return first;
  });
}

/** Weights by row, 0 for rows in fold k and for those in none. */
export function weightsOutside(
  fold: Int32Array,
  k: number,
  weights: Weights,
  training: Labels,
  total?: Parameters<typeof rowWeights>[3],
): Float64Array {
  return rowWeights(weights, training, rowsOutside(fold, k), total);
}

/** Which rows are in a fold other than k; without k, in any. */
export function rowsOutside(fold: Int32Array, k = -1): Uint8Array {
  const others = new Uint8Array(fold.length);
  for (let i = 0; i < others.length; i++) others[i] = Number(fold[i]! >= 0 && fold[i] !== k);
  return others;
}
