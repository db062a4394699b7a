/**
 * The fits of one fold, and their scores on the rows that are held out (method 3.1).
 *
 * Given:  copied data, the options of a fit, weights that are 0 for rows held out.
 * Wanted: for a gamma, the planes, the accuracy and the loss on the rows held out, and how the fits ended.
 */
import type { ResolvedSvmOptions } from '../input/index.js';
import type { WeightRange } from '../input/weights.js';
import { pause, type Lane, type Loop } from '../solver/drivers.js';
import { blockHeight, blocksOf, shiftedBiases, type PlaneTable } from '../svm/model.js';
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

  /** A fit and its score. `start`: where its planes start. */
  fit(gamma: number, start: readonly WarmPlane[] | undefined, began: number, lane: Lane): Loop<Scored> {
    return this.#data.classes ? this.#several(gamma, start, began, lane) : this.#two(gamma, start?.[0], began, lane);
  }

  /** The planes of a fit, which is not scored. */
  *train(gamma: number, began: number, lane: Lane): Loop<PlaneTable> {
    if (this.#data.classes) return (yield* this.#planes(gamma, undefined, began, lane)).table;
    const training = this.#training(gamma, undefined, began, lane);
    try {
      if (this.#data.tasksHere > 0) yield pause(); // its first tasks run on this thread
      const { weights, bias } = yield* training.finish(yield* training.loop());
      return { weights, biases: Float64Array.of(bias) };
    } finally {
      training.release();
    }
  }

  /** The planes' values of the rows held out, a block of rows at a time. `visit` is told the row, and its values. */
  *visit(table: PlaneTable, visit: (row: number, values: Float64Array) => void): Loop<void> {
    const { matrix, threads, rows } = this.#data;
    const biases = shiftedBiases(matrix, table);
    const planes = biases.length;
    const height = blockHeight(rows, planes);
    const room = new Float64Array(height * planes);
    for (const { begin, end } of blocksOf(rows, height)) {
      matrix.decide(table.weights, biases, room.subarray(0, (end - begin) * planes), threads, begin, end);
      for (let i = begin; i < end; i++) {
        if (this.#fold.heldOut(i)) visit(i, room.subarray((i - begin) * planes, (i - begin + 1) * planes));
      }
      yield pause();
    }
  }

  #training(gamma: number, warmStart: WarmPlane | undefined, began: number, { number: lane, busy, signal }: Lane): Training {
    const { weights, weightRange, y } = this.#fold;
    // The pool that helps a fit serves one at a time, so at most `threads` work at any moment.
    const threads = this.#data.threads - busy() + 1;
    const parameters = { gamma, weights, weightRange, y, warmStart, threads, lane, signal, began };
    return new Training(this.#data, this.#options, parameters);
  }

  *#two(gamma: number, warmStart: WarmPlane | undefined, began: number, lane: Lane): Loop<Scored> {
    const training = this.#training(gamma, warmStart, began, lane);
    try {
      if (this.#data.tasksHere > 0) yield pause(); // its first tasks run on this thread
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
    const { table, ...trained } = yield* this.#planes(gamma, start, began, lane);
    return { ...trained, ...(yield* this.#score(table)) };
  }

  *#planes(
    gamma: number,
    start: readonly WarmPlane[] | undefined,
    began: number,
    lane: Lane,
  ): Loop<Pick<Scored, 'planes' | 'status' | 'iterations'> & { readonly table: PlaneTable }> {
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
    return { table, planes, status: worstOf(statuses), iterations };
  }

  /** Accuracy and loss on the rows held out. */
  *#score(table: PlaneTable): Loop<Pick<Scored, 'accuracy' | 'loss'>> {
    const { labels } = this.#data;
    const { sides } = this.#options;
    const classes = labels.length;
    const [right, number] = [labels.map(() => 0), labels.map(() => 0)];
    let loss = 0;
    const votes = sides[0]!.negative === undefined ? undefined : new Votes(sides, classes);
    const winners = new Uint16Array(1);
    yield* this.visit(table, (i, values) => {
      const k = classOf(this.#data, i);
      number[k]!++;
      votes?.winners(values, 1, winners);
      const found = votes ? winners[0] : winner(values, 0, classes);
      if (found === k) right[k]!++;
      let margin = Infinity;
      for (let p = 0; p < sides.length; p++) {
        const { positive, negative } = sides[p]!;
        if (positive === k) margin = Math.min(margin, values[p]!);
        else if (negative === k || negative === undefined) margin = Math.min(margin, -values[p]!);
      }
      loss += Math.max(0, 1 - margin);
    });
    return { accuracy: this.#accuracy(right, number), loss: loss / sumOf(number) };
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0);
