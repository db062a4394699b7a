/**
 * Calibrates the planes of a fit on rows that were held out (method 3.2).
 *
 * Problem: values of rows that a plane learnt from are too far apart to learn probabilities from.
 * Given:   points and labels, copied; the options of the fit, and its gamma.
 * Wanted:  by plane, how its values become probabilities, from planes of the same kind that were trained on the other folds.
 */
import { coded } from '../errors.js';
import { rangeOf, type ResolvedSvmOptions } from '../input/index.js';
import { CALIBRATION_FOLDS } from '../input/resolve-fit.js';
import { pause, sideBySide, type Lane, type Loop } from '../solver/drivers.js';
import { calibrate, type Calibration } from '../svm/calibration.js';
import type { Sides } from '../svm/model.js';
import { classOf, membersOf, weightOf, type RowWeights } from '../svm/taking-part.js';
import type { TrainingData } from '../svm/training-data.js';
import type { CalibrationKind, Label } from '../types.js';
import { FoldFits } from './fold-fits.js';
import { deal, weightsOutside } from './folds.js';
import { Random } from './random.js';
import { inTime } from './trial.js';

/** Trains a model a fold, side by side, and calibrates on the rows held out. Throws Interrupted if the time is up. */
export function* calibrating(
  data: TrainingData<Label>,
  fit: ResolvedSvmOptions,
  kind: CalibrationKind,
  gamma: number,
): Loop<readonly Calibration[]> {
  const options: ResolvedSvmOptions = { ...fit, warmStart: undefined, keepSets: false, onProgress: undefined };
  const breather = pause(() => inTime(data, fit));
  const fold = yield* deal(data, fit.weights.byRow, CALIBRATION_FOLDS, new Random(0), breather);
  const held = new HeldOut(data, fit.sides, fit.weights.byRow);
  const loops = Array.from({ length: CALIBRATION_FOLDS }, (_, k) => (lane: Lane): Loop<void> => {
    return holdingOut(data, options, fold, k, gamma, held, lane);
  });
  yield sideBySide(loops, data.backend.name === 'native' ? data.threads : 1, fit.signal);
  return yield* held.calibrate(kind);
}

function* holdingOut(
  data: TrainingData<Label>,
  options: ResolvedSvmOptions,
  fold: Int32Array,
  k: number,
  gamma: number,
  held: HeldOut,
  lane: Lane,
): Loop<void> {
  inTime(data, options);
  const weights = weightsOutside(fold, k, options.weights, data);
  const weightRange = rangeOf(weights, options.weights);
  const fits = new FoldFits(data, options, {
    weights,
    weightRange,
    y: data.y,
    heldOut: (i) => fold[i] === k,
    balanced: false,
  });
  yield pause(); // rows may be many, and the next step reads them all again
  const table = yield* fits.train(gamma, data.began, lane);
  inTime(data, options);
  let first: Float64Array | undefined;
  yield* fits.visit(table, (i, values) => {
    first ??= values.slice();
    held.put(i, values, first);
  });
}

/** The values of planes at rows that were held out: by plane, those of the rows that it is about, class by class. */
class HeldOut {
  readonly #data: TrainingData<Label>;
  readonly #sides: readonly Sides[];
  readonly #sampleWeight: RowWeights;
  readonly #members: readonly Uint32Array[];
  /** By row, its number among those of its class. */
  readonly #rank: Uint32Array;
  /** Against the rest: by class, where its rows begin. */
  readonly #begin: Uint32Array;
  readonly #values: readonly Float64Array[];
  /** Whether the values of all rows of a fold are the same. */
  #equal = true;

  constructor(data: TrainingData<Label>, sides: readonly Sides[], sampleWeight: RowWeights) {
    this.#data = data;
    this.#sides = sides;
    this.#sampleWeight = sampleWeight;
    this.#members = membersOf(data, sampleWeight);
    this.#rank = new Uint32Array(data.rows);
    this.#begin = new Uint32Array(this.#members.length);
    let total = 0;
    this.#members.forEach((rows, c) => {
      this.#begin[c] = total;
      total += rows.length;
      for (let k = 0; k < rows.length; k++) this.#rank[rows[k]!] = k;
    });
    const count = (c: number) => this.#members[c]!.length;
    this.#values = sides.map(
      ({ positive, negative }) => new Float64Array(negative === undefined ? total : count(negative) + count(positive)),
    );
  }

  /** `first`: the values of the fold's first row. */
  put(row: number, values: Float64Array, first: Float64Array): void {
    this.#equal &&= values.every((value, p) => value === first[p]);
    const c = classOf(this.#data, row);
    this.#sides.forEach((side, p) => {
      const begin = this.#beginOf(side, c);
      if (begin !== undefined) this.#values[p]![begin + this.#rank[row]!] = values[p]!;
    });
  }

  /** Where the rows of a class begin among those of a plane; undefined: the plane is not about them. */
  #beginOf({ positive, negative }: Sides, c: number): number | undefined {
    if (negative === undefined) return this.#begin[c];
    return c === negative ? 0 : c === positive ? this.#members[negative]!.length : undefined;
  }

  *calibrate(kind: CalibrationKind): Loop<readonly Calibration[]> {
    if (this.#equal) {
      const message = `Expected points that tell the classes apart for probability: '${kind}'`;
      throw coded(RangeError, 'ERR_POINTS', `${message} but the decision values of all rows held out are equal`);
    }
    const calibrations: Calibration[] = [];
    for (const [p, side] of this.#sides.entries()) {
      const values = this.#values[p]!;
      const [positive, weights] = [new Uint8Array(values.length), new Float64Array(values.length)];
      this.#members.forEach((rows, c) => {
        const begin = this.#beginOf(side, c);
        if (begin === undefined) return;
        if (c === side.positive) positive.fill(1, begin, begin + rows.length);
        for (let k = 0; k < rows.length; k++) weights[begin + k] = weightOf(this.#sampleWeight, rows[k]!);
      });
      calibrations.push(calibrate(kind, { values, positive, weights }));
      yield pause();
    }
    return calibrations;
  }
}
