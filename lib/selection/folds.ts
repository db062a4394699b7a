/** Folds of a cross-validation. */
import type { Step } from '../backend/tasks.js';
import type { Loop } from '../solver/drivers.js';
import { membersOf, type RowWeights } from '../svm/taking-part.js';
import type { Random } from './random.js';

/**
 * By row, its fold, or -1. Each class is shuffled and dealt out in turn; the second goes on where the first ended. With pauses, so that no
 * part takes long even where rows are many.
 */
export function* deal(y: Int8Array, weights: RowWeights, folds: number, random: Random, breather: Step): Loop<Int32Array> {
  const fold = new Int32Array(y.length).fill(-1);
  let next = 0;
  for (const members of membersOf(y, weights)) {
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
