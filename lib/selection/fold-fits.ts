/**
 * The fits of one fold, and their scores on the rows that are held out (method 3.1).
 *
 * Given:  copied data, the options of a fit, weights that are 0 for rows held out.
 * Wanted: for a gamma, the planes, the accuracy, the score and the loss on the rows held out, and how the fits ended.
 */
import type { ResolvedSvmOptions } from '../input/index.js';
import type { WeightRange } from '../input/weights.js';
import type { FoldPredictions, Scorer } from '../metrics/scoring.js';
import { accuracyOf, balancedAccuracyOf, tallyOf, type Tally } from '../metrics/tally.js';
import { pause, type Lane, type Loop } from '../solver/drivers.js';
import { blockHeight, blocksOf, shiftedBiases, type PlaneTable } from '../svm/model.js';
import type { Calibration } from '../svm/calibration.js';
import { worstOf } from '../svm/plane-infos.js';
import { Probabilities } from '../svm/probability.js';
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
  /** What the scorer gives; without one, the accuracy. */
  readonly score: number;
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
  /** Undefined: the score is the accuracy. */
  readonly scorer?: Scorer | undefined;
}

export class FoldFits {
  readonly #data: TrainingData<Label>;
  readonly #options: ResolvedSvmOptions;
  readonly #fold: Fold;
  #calibration: readonly Calibration[] | undefined;
  /** How many rows are held out. */
  #number: number | undefined;
  // Of several classes.
  #inverseScale: Float64Array | undefined;
  #members: readonly Uint32Array[] | undefined;

  constructor(data: TrainingData<Label>, options: ResolvedSvmOptions, fold: Fold) {
    this.#data = data;
    this.#options = options;
    this.#fold = fold;
  }

  /** A fit and its score. `start`: where its planes start. `calibration`: of its planes, for probabilities. */
  fit(
    gamma: number,
    start: readonly WarmPlane[] | undefined,
    began: number,
    lane: Lane,
    calibration?: readonly Calibration[],
  ): Loop<Scored> {
    this.#calibration = calibration;
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

  /** The planes' values of the rows held out, a block of rows at a time. `visit` is told the rows, and their values one after the other. */
  *visit(table: PlaneTable, visit: (rows: Uint32Array, values: Float64Array) => void): Loop<void> {
    const { matrix, shape, threads, rows } = this.#data;
    const biases = shiftedBiases(matrix, table);
    const planes = biases.length;
    const height = blockHeight(rows, planes + Math.ceil(shape.stored / rows)); // of long rows fewer, as this thread waits
    const room = new Float64Array(height * planes);
    const held = new Uint32Array(height);
    for (const { begin, end } of blocksOf(rows, height)) {
      matrix.decide(table.weights, biases, room.subarray(0, (end - begin) * planes), threads, begin, end);
      let count = 0;
      for (let i = begin; i < end; i++) {
        if (!this.#fold.heldOut(i)) continue;
        for (let p = 0; p < planes; p++) room[count * planes + p] = room[(i - begin) * planes + p]!;
        held[count++] = i;
      }
      visit(held.subarray(0, count), room.subarray(0, count * planes));
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
      const tally: Tally = {
        rows: positive + negative,
        actual: Uint32Array.of(negative, positive),
        predicted: Uint32Array.of(negativeRight + positive - positiveRight, positiveRight + negative - negativeRight),
        right: Uint32Array.of(negativeRight, positiveRight),
      };
      const plane = yield* training.finish(end);
      const table = { weights: plane.weights, biases: Float64Array.of(plane.bias) };
      const { rows } = this.#fold.scorer?.byRow ? yield* this.#predict(table) : {};
      return {
        planes: [plane],
        ...this.#scores({ tally, rows }),
        loss: hinge / (positive + negative),
        status: end.status,
        iterations: end.check.iteration,
      };
    } finally {
      training.release();
    }
  }

  #scores({ tally, rows }: Pick<FoldPredictions, 'tally' | 'rows'>): Pick<Scored, 'accuracy' | 'score'> {
    const { balanced, scorer } = this.#fold;
    const accuracy = balanced ? balancedAccuracyOf(tally) : accuracyOf(tally);
    return { accuracy, score: scorer ? scorer.of({ labels: this.#data.labels, tally, rows }) : accuracy };
  }

  *#several(gamma: number, start: readonly WarmPlane[] | undefined, began: number, lane: Lane): Loop<Scored> {
    const { table, ...trained } = yield* this.#planes(gamma, start, began, lane);
    const { loss, ...predictions } = yield* this.#predict(table);
    return { ...trained, ...this.#scores(predictions), loss };
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

  /** Counts and loss of the rows held out, and their decision values, if the scorer needs them. */
  *#predict(table: PlaneTable): Loop<Pick<FoldPredictions, 'tally' | 'rows'> & Pick<Scored, 'loss'>> {
    const { labels } = this.#data;
    const { sides } = this.#options;
    const classes = labels.length;
    const number = (this.#number ??= this.#countHeldOut());
    const [actual, predicted] = [new Uint16Array(number), new Uint16Array(number)];
    const width = classes === 2 ? 1 : classes;
    const kept = this.#fold.scorer?.byRow ? new Float64Array(number * width) : undefined;
    const probabilities = kept && this.#calibration && new Float64Array(number * classes);
    const probability = probabilities && new Probabilities(sides, this.#calibration!, classes);
    const votes = sides[0]!.negative === undefined ? undefined : new Votes(sides, classes);
    let [first, loss] = [0, 0];
    yield* this.visit(table, (rows, values) => {
      const end = first + rows.length;
      const found = predicted.subarray(first, end);
      votes?.winners(values, rows.length, found);
      if (votes && classes > 2) {
        if (kept) votes.decide(values, rows.length, kept.subarray(first * width, end * width));
      } else {
        kept?.set(values, first * width);
      }
      probability?.write(values, rows.length, probabilities!.subarray(first * classes, end * classes));
      for (let k = 0; k < rows.length; k++) {
        const is = (actual[first + k] = classOf(this.#data, rows[k]!));
        if (!votes) found[k] = winner(values, k * classes, classes);
        loss += Math.max(0, 1 - this.#margin(values, k, is));
      }
      first = end;
    });
    const [all, sum] = this.#data.total([number, loss]) as [number, number];
    const here = tallyOf(classes, actual, predicted);
    const total = (counts: Uint32Array) => Uint32Array.from(this.#data.total([...counts]));
    const tally = this.#data.ranks
      ? { rows: all, actual: total(here.actual), predicted: total(here.predicted), right: total(here.right) }
      : here;
    return { tally, rows: kept && { labels, actual, predicted, values: kept, probabilities }, loss: sum / all };
  }

  /** The smallest margin of the planes that a row's class is part of. `values` are those of rows, of which it is number k. */
  #margin(values: Float64Array, k: number, is: number): number {
    const { sides } = this.#options;
    let margin = Infinity;
    for (let p = 0; p < sides.length; p++) {
      const { positive, negative } = sides[p]!;
      const value = values[k * sides.length + p]!;
      if (positive === is) margin = Math.min(margin, value);
      else if (negative === is || negative === undefined) margin = Math.min(margin, -value);
    }
    return margin;
  }

  #countHeldOut(): number {
    let count = 0;
    for (let i = 0; i < this.#data.rows; i++) if (this.#fold.heldOut(i)) count++;
    return count;
  }
}
