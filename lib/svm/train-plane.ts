/**
 * The problem of one plane of several: between two classes, or one class against the rest.
 *
 * Given:  points copied once, their classes, which rows take part, and what all planes share.
 * Wanted: the plane, and how its fit went.
 */
import type { SvmProblem } from '../backend/interface.js';
import type { ResolvedSvmOptions } from '../input/index.js';
import type { WeightRange } from '../input/weights.js';
import { countTasksHere, pause, type Lane, type Loop } from '../solver/drivers.js';
import type { Label } from '../types.js';
import type { Sides } from './model.js';
import { classOf, countTaking } from './taking-part.js';
import type { TrainingData } from './training-data.js';
import { Training, type FitParameters, type TrainedPlane } from './training.js';

/** What the planes of a fit share. */
export interface CommonParameters {
  readonly gamma: number;
  /** 1 / scale by column that is kept, from all rows that take part. */
  readonly inverseScale: Float64Array;
  /** The problem by which they were measured, which is that of each plane against the rest but for y. */
  readonly like?: SvmProblem;
  /** By row, or one for all rows. Rows of weight 0 take no part. */
  readonly weights: Float64Array;
  readonly weightRange: WeightRange;
  /** By class, the rows that take part, ascending. */
  readonly members: readonly Uint32Array[];
  readonly began: number;
}

/** Where a plane is to start. */
export type Start = FitParameters['warmStart'];

/** The rows of a plane's problem, ±1 for each, and their weights. */
export interface PlaneRows {
  /** undefined: all. */
  readonly rows: Uint32Array | undefined;
  readonly y: Int8Array;
  readonly weights: Float64Array;
}

/** `members`: by class, the rows that take part, ascending. */
export function rowsOfPlane(
  data: Pick<TrainingData<Label>, 'y' | 'classes'>,
  members: readonly Uint32Array[],
  weights: Float64Array,
  { positive, negative }: Sides,
): PlaneRows {
  if (negative === undefined) {
    const y = new Int8Array(data.y.length);
    for (let i = 0; i < y.length; i++) y[i] = classOf(data, i) === positive ? 1 : -1;
    return { rows: undefined, y, weights };
  }
  const [up, down] = [members[positive]!, members[negative]!];
  const rows = new Uint32Array(up.length + down.length);
  const y = new Int8Array(rows.length);
  for (let a = 0, b = 0, k = 0; k < rows.length; k++) {
    const isUp = b === down.length || (a < up.length && up[a]! < down[b]!);
    rows[k] = isUp ? up[a++]! : down[b++]!;
    y[k] = isUp ? 1 : -1;
  }
  return { rows, y, weights: weights.length === 1 ? weights : Float64Array.from(rows, (i) => weights[i]!) };
}

/** One plane: its problem, solved and released. `out`: where its weights are written. */
export function* trainPlane(
  data: TrainingData<Label>,
  options: ResolvedSvmOptions,
  { gamma, inverseScale, like, weights: all, weightRange, members, began }: CommonParameters,
  side: Sides,
  { number: lane, busy, signal }: Lane,
  warmStart: Start,
  out: Float64Array,
): Loop<TrainedPlane> {
  const { rows, y, weights } = rowsOfPlane(data, members, all, side);
  const { stored, kept } = data.shape;
  const share = countTaking(weights, y.length) / data.rows;
  const tasksHere = countTasksHere(share * (stored + 8 * data.rows) + kept);
  const training = new Training(data, options, {
    gamma,
    inverseScale,
    like: rows ? undefined : like,
    rows,
    weights,
    weightRange,
    y,
    warmStart,
    tasksHere,
    threads: data.threads - busy() + 1, // the pool that helps a fit serves one at a time, so at most `threads` work at any moment
    lane,
    signal,
    began,
  });
  try {
    if (tasksHere > 0) yield pause(); // its first tasks run on this thread
    return yield* training.finish(yield* training.loop(), out);
  } finally {
    training.release();
  }
}
