/** Folds of a cross-validation. */
import type { Random } from './random.js';

/** The rows of the negative class and those of the positive one, of those that take part: above 0 in `taking`. */
export function membersOf(y: Int8Array, taking: ArrayLike<number> | undefined): [Uint32Array, Uint32Array] {
  const lists = [new Uint32Array(y.length), new Uint32Array(y.length)] as const;
  const counts: [number, number] = [0, 0];
  for (let i = 0; i < y.length; i++) {
    if (taking && !(taking[i]! > 0)) continue;
    const side = y[i]! > 0 ? 1 : 0;
    lists[side][counts[side]++] = i;
  }
  return [lists[0].slice(0, counts[0]), lists[1].slice(0, counts[1])];
}

/**
 * By row, its fold, or -1. Each class is shuffled and dealt out in turn; the second goes on where the first ended. In steps that are short
 * even where rows are many.
 */
export function* deal(
  y: Int8Array,
  taking: ArrayLike<number> | undefined,
  folds: number,
  random: Random,
): Generator<void, Int32Array, void> {
  const fold = new Int32Array(y.length).fill(-1);
  let next = 0;
  for (const members of membersOf(y, taking)) {
    yield;
    random.shuffle(members);
    yield;
    for (let p = 0; p < members.length; p++) {
      fold[members[p]!] = next;
      next = next + 1 === folds ? 0 : next + 1;
    }
  }
  return fold;
}
