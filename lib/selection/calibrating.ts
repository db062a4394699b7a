/**
 * Calibrates the planes of a fit on rows that were held out (method 3.2).
 *
 * Problem: values of rows that a plane learnt from are too far apart to learn probabilities from.
 * Given:   points and labels, copied; the options of the fit, and its gamma.
 * Wanted:  by plane, how its values become probabilities, from planes of the same kind that were trained on the other folds.
 */
import { coded, option, words } from '../errors.js';
import { checkFolds } from '../input/fold-options.js';
import { rangeOf, type ResolvedSvmOptions } from '../input/index.js';
import { CALIBRATION_FOLDS } from '../input/resolve-fit.js';
import { pause, sideBySide, type Lane, type Loop } from '../solver/drivers.js';
import { calibrate, type Calibration } from '../svm/calibration.js';
import type { Sides } from '../svm/model.js';
import { classOf, countByClass, membersOf, weightOf, type RowWeights } from '../svm/taking-part.js';
import type { TrainingData } from '../svm/training-data.js';
import type { CalibrationKind, Label } from '../types.js';
import { FoldFits } from './fold-fits.js';
import { deal, rowsOutside, weightsOutside } from './folds.js';
import { inTime } from './in-time.js';
import { Random } from './random.js';

/** How a calibration is made. */
interface How {
  readonly kind: CalibrationKind;
  readonly gamma: number;
}

/** Trains a model a fold, side by side, and calibrates on the rows held out. Throws Interrupted if the time is up. */
export function* calibrating(data: TrainingData<Label>, fit: ResolvedSvmOptions, how: How): Loop<readonly Calibration[]> {
  const fold = yield* deal(
    data,
    fit.weights.byRow,
    CALIBRATION_FOLDS,
    new Random(0),
    pause(() => inTime(data, fit)),
  );
  const held = new HeldOut(data, fit.sides, fold, fit.weights.byRow);
  const loops = Array.from({ length: CALIBRATION_FOLDS }, (_, k) => (lane: Lane): Loop<void> => {
    return holdingOut(data, fit, how.gamma, { fold, k, began: data.began }, held, lane);
  });
  yield sideBySide(loops, data.backend.name === 'native' ? data.threads : 1, fit.signal);
  return yield* held.calibrate(how.kind);
}

/** The same for the rows outside of fold k of a cross-validation, one model after the other. Each has the time of a fit. */
export function* calibratingOutside(
  data: TrainingData<Label>,
  fit: ResolvedSvmOptions,
  { kind, gamma, fold: outer, k: out }: How & { readonly fold: Int32Array; readonly k: number },
  lane: Lane,
): Loop<readonly Calibration[]> {
  const others = rowsOutside(outer, out);
  const where = words`the probabilities for ${option('scoring')}, outside fold ${out}`;
  checkFolds(CALIBRATION_FOLDS, countByClass(data, others), data.labels, where);
  const fold = yield* deal(data, others, CALIBRATION_FOLDS, new Random(0), pause());
  const held = new HeldOut(data, fit.sides, fold, fit.weights.byRow);
  for (let k = 0; k < CALIBRATION_FOLDS; k++) {
    yield* holdingOut(data, fit, gamma, { fold, k, began: undefined }, held, lane);
  }
  return yield* held.calibrate(kind);
}

/** `began`: when the time limit of all fits together began; by default each fit has its own. */
function* holdingOut(
  data: TrainingData<Label>,
  fit: ResolvedSvmOptions,
  gamma: number,
  { fold, k, began }: { readonly fold: Int32Array; readonly k: number; readonly began: number | undefined },
  held: HeldOut,
  lane: Lane,
): Loop<void> {
  const options: ResolvedSvmOptions = { ...fit, warmStart: undefined, keepSets: false, onProgress: undefined };
  if (began !== undefined) inTime({ began }, options);
  const outside = yield* data.outside(rowsOutside(fold, k), rowsOutside(fold), options);
  try {
    const weights = weightsOutside(fold, k, options.weights, outside);
    const weightRange = rangeOf(weights, options.weights);
    const heldOut = (i: number) => fold[i] === k;
    const fits = new FoldFits(outside, options, { weights, weightRange, y: outside.y, heldOut, balanced: false });
    yield pause(); // rows may be many, and the next step reads them all again
    const table = yield* fits.train(gamma, began ?? performance.now(), lane);
    if (began !== undefined) inTime({ began }, options);
    yield* fits.visit(table, (rows, values) => held.put(rows, values));
  } finally {
    data.giveBack(outside);
  }
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

  /** `fold`: by row, -1 for one that takes no part. */
  constructor(data: TrainingData<Label>, sides: readonly Sides[], fold: Int32Array, sampleWeight: RowWeights) {
    this.#data = data;
    this.#sides = sides;
    this.#sampleWeight = sampleWeight;
    this.#members = membersOf(
      data,
      Uint8Array.from(fold, (k) => Number(k >= 0)),
    );
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

  /** Takes the values of rows of one fold, one row after the other. */
  put(rows: Uint32Array, values: Float64Array): void {
    const planes = this.#sides.length;
    this.#equal &&= values.every((value, k) => value === values[k % planes]);
    for (let p = 0; p < planes; p++) {
      const [list, begins] = [this.#values[p]!, this.#members.map((_, c) => this.#beginOf(this.#sides[p]!, c))];
      for (let k = 0; k < rows.length; k++) {
        const begin = begins[classOf(this.#data, rows[k]!)];
        if (begin !== undefined) list[begin + this.#rank[rows[k]!]!] = values[k * planes + p]!;
      }
    }
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
