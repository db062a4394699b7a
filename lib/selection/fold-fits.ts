/**
 * The fits of one fold, and their scores on the rows that are held out (method 3).
 *
 * Given:  copied data, the options of a fit, weights that are 0 for rows held out.
 * Wanted: for a gamma, the planes, the accuracy and the loss on the rows held out, and how the fits ended.
 */
import type { ResolvedSvmOptions } from '../input/index.js';
import type { WeightRange } from '../input/weights.js';
import { pause, type Lane, type Loop } from '../solver/drivers.js';
import { blockHeight, blocksOf, shiftedBiases } from '../svm/model.js';
import { worstOf } from '../svm/plane-infos.js';
import { classOf, membersOf } from '../svm/taking-part.js';
import { trainPlane, type CommonParameters } from '../svm/train-plane.js';
import type { TrainingData } from '../svm/training-data.js';
import { measureRows, Training } from '../svm/training.js';
import { Votes, winner } from '../svm/votes.js';
import type { Label, SvmStatus, WarmPlane } from '../types.js';

/** What a fit came to. */
export interface Scored {
  readonly planes: readonly WarmPlane[];
  readonly accuracy: number;
  /** The mean of max(0, 1 - margin) on the rows held out; of several planes, the smallest margin of those that a row's class is part of. */
  readonly loss: number;
  readonly status: SvmStatus;
  readonly iterations: number;
}

export interface Fold {
  readonly weights: Float64Array;
  readonly weightRange: WeightRange;
  /** ±1 by row, 0 for a row of weight 0 that is not scored either. */
  readonly y: Int8Array;
  readonly heldOut: (row: number) => boolean;
  /** Whether the accuracy is the mean over the classes. */
  readonly balanced: boolean;
}

export class FoldFits {
  readonly #data: TrainingData<Label>;
  readonly #options: ResolvedSvmOptions;
  readonly #fold: Fold;
  // Of several classes.
  #inverseScale: Float64Array | undefined;
  #members: readonly Uint32Array[] | undefined;

  constructor(data: TrainingData<Label>, options: ResolvedSvmOptions, fold: Fold) {
    this.#data = data;
    this.#options = options;
    this.#fold = fold;
  }

  fit(gamma: number, start: readonly WarmPlane[] | undefined, began: number, lane: Lane): Loop<Scored> {
    return this.#data.classes ? this.#several(gamma, start, began, lane) : this.#two(gamma, start?.[0], began, lane);
  }

  *#two(gamma: number, warmStart: WarmPlane | undefined, began: number, { number: lane, busy, signal }: Lane): Loop<Scored> {
    const { threads, tasksHere } = this.#data;
    const { weights, weightRange, y } = this.#fold;
    const training = new Training(this.#data, this.#options, {
      gamma,
      weights,
      weightRange,
      y,
      warmStart,
      threads: threads - busy() + 1, // the pool that helps a fit serves one at a time, so at most `threads` work at any moment
      lane,
      signal,
      began,
    });
    try {
      if (tasksHere > 0) yield pause(); // its first tasks run on this thread
      const { score } = training.tasks;
      const end = yield* training.loop();
      yield score.ask({ t: end.check.measured.t });
      const { positiveRight, positive, negativeRight, negative, hinge } = score.answer;
      const plane = yield* training.finish(end);
      return {
        planes: [plane],
        accuracy: this.#accuracy([negativeRight, positiveRight], [negative, positive]),
        loss: hinge / (positive + negative),
        status: end.status,
        iterations: end.check.iteration,
      };
    } finally {
      training.release();
    }
  }

  /** From how many rows of each class are right, and how many there are. */
  #accuracy(right: readonly number[], number: readonly number[]): number {
    if (!this.#fold.balanced) return sumOf(right) / sumOf(number);
    const shares = right.flatMap((count, k) => (number[k]! > 0 ? [count / number[k]!] : []));
    return sumOf(shares) / shares.length;
  }

  *#several(gamma: number, start: readonly WarmPlane[] | undefined, began: number, lane: Lane): Loop<Scored> {
    const { weights, weightRange } = this.#fold;
    const { sides } = this.#options;
    const { cols } = this.#data;
    const unlimited = { ...this.#options, timeLimit: Infinity }; // the limit is one of each fit; this is a pass over some of the rows
    this.#inverseScale ??= (yield* measureRows(this.#data, unlimited, { weights, weightRange, began })).inverseScale;
    this.#members ??= membersOf(this.#data, weights);
    const common: CommonParameters = {
      gamma,
      inverseScale: this.#inverseScale,
      weights,
      weightRange,
      members: this.#members,
      began,
    };
    const table = { weights: new Float64Array(sides.length * cols), biases: new Float64Array(sides.length) };
    const planes: WarmPlane[] = [];
    const statuses: SvmStatus[] = [];
    let iterations = 0;
    for (const [p, side] of sides.entries()) {
      const out = table.weights.subarray(p * cols, (p + 1) * cols);
      const { bias, info } = yield* trainPlane(this.#data, this.#options, common, side, lane, start?.[p], out);
      table.biases[p] = bias;
      planes.push({ weights: out, bias });
      statuses.push(info.status);
      iterations += info.iterations;
    }
    return { planes, ...(yield* this.#score(table)), status: worstOf(statuses), iterations };
  }

  /** Accuracy and loss on the rows held out, a block of rows at a time. */
  *#score(table: { readonly weights: Float64Array; readonly biases: Float64Array }): Loop<Pick<Scored, 'accuracy' | 'loss'>> {
    const { matrix, threads, rows, labels } = this.#data;
    const { sides } = this.#options;
    const { heldOut } = this.#fold;
    const classes = labels.length;
    const biases = shiftedBiases(matrix, table);
    const [right, number] = [labels.map(() => 0), labels.map(() => 0)];
    let loss = 0;
    const height = blockHeight(rows, sides.length + classes);
    const values = new Float64Array(height * sides.length);
    const votes = sides[0]!.negative === undefined ? undefined : new Votes(sides, classes);
    const winners = new Uint16Array(height);
    for (const { begin, end } of blocksOf(rows, height)) {
      matrix.decide(table.weights, biases, values.subarray(0, (end - begin) * sides.length), threads, begin, end);
      votes?.winners(values, end - begin, winners);
      for (let i = begin; i < end; i++) {
        if (!heldOut(i)) continue;
        const k = classOf(this.#data, i);
        number[k]!++;
        const found = votes ? winners[i - begin] : winner(values, (i - begin) * classes, classes);
        if (found === k) right[k]!++;
        let margin = Infinity;
        for (let p = 0; p < sides.length; p++) {
          const { positive, negative } = sides[p]!;
          const value = values[(i - begin) * sides.length + p]!;
          if (positive === k) margin = Math.min(margin, value);
          else if (negative === k || negative === undefined) margin = Math.min(margin, -value);
        }
        loss += Math.max(0, 1 - margin);
      }
      yield pause();
    }
    return { accuracy: this.#accuracy(right, number), loss: loss / sumOf(number) };
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0);
