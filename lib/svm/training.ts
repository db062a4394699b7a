/** One fit, from checked input to a model: what LinearSvm and cross-validation share. */
import type { SvmProblem } from '../backend/interface.js';
import { svmTasks, type Step, type SvmTasks } from '../backend/tasks.js';
import { onAbort, type Loop } from '../solver/drivers.js';
import { objective, UNBOUNDED, type PlaneBounds } from './certificate.js';
import { CERTIFIED } from '../backend/encodings.js';
import { solveSvm, type LoopCheck, type LoopResult, type Start } from './solve.js';
import type { ResolvedSvmOptions } from '../input/index.js';
import type { WeightRange } from '../input/weights.js';
import type { PlaneProof } from './model.js';
import { firstOf, stillHolds } from './stopping.js';
import { defaultGamma, regularization, type Regularization } from './regularization.js';
import { countTaking, weightOf } from './taking-part.js';
import type { Label, SvmInfo, SvmAlgorithm, SvmProgress } from '../types.js';
import { type TrainingData, interruptOf } from './training-data.js';
import { localStart } from './local-start.js';
import { Decisions } from './rank-decisions.js';
import type { Communicator } from '../mpi/ranks.js';

/** What a training needs of its data. */
export type Trainable = Pick<
  TrainingData<Label>,
  'matrix' | 'shape' | 'window' | 'tasksHere' | 'backend' | 'threads' | 'rows' | 'cols' | 'y' | 'ranks' | 'total'
>;

/** What differs between fits on the same data. */
export interface FitParameters {
  /** undefined: the default. */
  readonly gamma: number | undefined;
  /** The rows that `weights` and `y` are about, ascending; others take no part. @default all */
  readonly rows?: Uint32Array | undefined;
  /** By row, or one for all; rows of weight 0 take no part. */
  readonly weights: Float64Array;
  readonly weightRange: WeightRange;
  /** @default the data's */
  readonly y?: Int8Array;
  /** 1 / scale by column that is kept. @default by the rows that take part, as the options say */
  readonly inverseScale?: Float64Array | undefined;
  /** A problem with the same rows, weights and scale that has only been measured. */
  readonly like?: SvmProblem | undefined;
  readonly warmStart?: { readonly weights: ArrayLike<number>; readonly bias: number } | undefined;
  /** @default the data's */
  readonly threads?: number;
  readonly lane?: number;
  /** How many tasks of an asynchronous fit are performed on the main thread. @default the data's */
  readonly tasksHere?: number;
  /** When it is aborted, the task under way is interrupted. */
  readonly signal: AbortSignal | undefined;
  /** When the time limit began. */
  readonly began: number;
  readonly validation?: SvmInfo['validation'];
}

const SCALES = { none: 0, standard: 1, maxabs: 2 } as const;

/** The result of a run: a plane, what is proved of it, and how the fit went. */
export interface TrainedPlane {
  readonly weights: Float64Array;
  readonly bias: number;
  readonly proof: PlaneProof;
  readonly info: SvmInfo;
}

export class Training {
  readonly problem: SvmProblem;
  readonly tasks: SvmTasks;
  readonly #data: Trainable;
  readonly #options: ResolvedSvmOptions;
  readonly #parameters: FitParameters;
  readonly #rows: number; // that take part
  readonly #untrained: () => LoopCheck;
  readonly #deaf: () => void;
  readonly #window: number | undefined;
  #regularization: Regularization | undefined;
  readonly #stages: { readonly method: SvmAlgorithm; readonly iteration: number; readonly read: number }[] = [];
  /** Entries read before the loop, by the start of a rank. */
  #readBefore = 0;

  constructor(data: Trainable, options: ResolvedSvmOptions, parameters: FitParameters) {
    const { rows, weights, y = data.y, inverseScale, threads = data.threads, lane = 0, like } = parameters;
    this.#data = data;
    this.#options = options;
    this.#parameters = parameters;
    [this.#rows] = data.total([countTaking(weights, rows?.length ?? data.rows)]) as [number];
    this.#untrained = () => untrained(data, y, weights, this.#regularization);
    const interrupt = interruptOf(data.backend, options, parameters.began); // undefined over ranks, as options has no limits then
    this.problem = new data.backend.Svm(
      data.matrix,
      y,
      weights,
      inverseScale && options.scale !== 'none' ? inverseScale : SCALES[options.scale], // products with 1 would be computed
      threads,
      lane,
      interrupt,
      rows,
      like,
      (this.#window = options.solver.window ?? data.window),
      data.ranks?.seam,
    );
    this.#deaf = onAbort(parameters.signal, () => interrupt?.set());
    this.tasks = svmTasks(this.problem, parameters.tasksHere ?? data.tasksHere);
  }

  loop(): Generator<Step, LoopResult, void> {
    const options = this.#options;
    const { warmStart, gamma, weightRange, began } = this.#parameters;
    const { loss, mu } = options;
    const { stepSize, checkEvery } = options.solver;
    const { ranks } = this.#data;
    // Rows of different ranks cannot move one after the other, so ascent is local: a start (method 6).
    const methods = ranks ? { ...options.solver.methods, ascent: false } : options.solver.methods;
    const local = ranks && options.solver.methods.ascent && !warmStart;
    const decisions = new Decisions(options.rankLimits, began);
    const shrinking = options.solver.shrinking && this.#window === undefined; // rows in a file stay in order
    const rules = [...options.rules]; // the caller may change the list meanwhile
    const rule = firstOf(rules);
    return solveSvm(this.problem, this.tasks, {
      L: stepSize,
      shrinking,
      checkEvery,
      maxIterations: options.maxIterations,
      ...(warmStart && {
        warm: function* (this: Training) {
          return this.#scaled(warmStart);
        }.bind(this),
      }),
      ...(local && { warm: () => this.#localStart(ranks) }),
      methods,
      began: (method, iteration) => this.#stages.push({ method, iteration, read: this.problem.read }),
      scaled: options.scale !== 'none',
      certify: options.rules.some(({ proofs = true }) => proofs) ? 'always' : options.onProgress ? 'shown' : 'end',
      known: { n: this.#rows, d: this.#data.shape.kept },
      regularize: (spread, weightSum) =>
        (this.#regularization = regularization({ gamma, mu, loss, weights: weightRange }, spread, weightSum)),
      decide: (check) =>
        decisions.status(() => {
          const progress = this.#progress(check);
          options.onProgress?.(progress);
          return rule(progress);
        }),
      wantedGap: Math.max(0, ...rules.map(({ relativeGap = 0 }) => relativeGap)),
      holds: (status, check) => decisions.yes(() => stillHolds(rules, status, this.#progress(check))),
      expired: () => decisions.expired(options.timeLimit),
      interruptible: options.timeLimit < Infinity ? { alpha: options.keepSets, untrained: this.#untrained } : undefined,
    });
  }

  /** A start by each rank on its own rows. */
  *#localStart(ranks: Communicator): Generator<Step, Start, void> {
    const data = this.#data;
    const { rows, weights, y = data.y, threads = data.threads, lane = 0 } = this.#parameters;
    const { inverseScale } = this.#columns();
    const make = () =>
      new data.backend.Svm(data.matrix, y, weights, inverseScale, threads, lane, undefined, rows, undefined, this.#window);
    const start = yield* localStart(ranks, { y, weights, columns: inverseScale.length, make }, this.#regularization!);
    this.#readBefore = start.read;
    return start;
  }

  /** What depends on the rows that take part alone: the default gamma, and the columns' scales. Nothing is solved. */
  *measure(): Generator<Step, { readonly gamma: number; readonly inverseScale: Float64Array }, void> {
    const { begin } = this.tasks;
    yield begin.ask({ curvature: false });
    const { spread, weightSum } = begin.answer;
    return { gamma: defaultGamma(spread, weightSum, this.#parameters.weightRange), inverseScale: this.#columns().inverseScale };
  }

  /** The plane that the loop ended with, written to `weights`, and how the fit went. */
  *finish(
    { status, check }: LoopResult,
    weights: Float64Array = new Float64Array(this.#data.cols), // not touched, and so without memory, where no column is kept
  ): Generator<Step, TrainedPlane, void> {
    yield this.tasks.model.ask({ weights, t: check.measured.t });
    const options = this.#options;
    const { validation } = this.#parameters;
    const { gamma, mu } = this.#regularization ?? UNKNOWN;
    const passes = this.#passes(this.#readBefore + this.problem.read);
    const stages = this.#stages.map(({ method, iteration, read }, k) => {
      const next = this.#stages[k + 1] ?? { iteration: check.iteration, read: this.problem.read };
      return { method, iterations: next.iteration - iteration, passes: this.#passes(next.read - read) };
    });
    const info: SvmInfo = {
      status,
      ...storyOf(check, this.#rows, performance.now() - this.#parameters.began, passes),
      ...(options.keepSets && this.#sets()),
      method: stages.at(-1)?.method ?? firstAlgorithm(options.solver),
      stages,
      loss: options.loss,
      gamma,
      mu,
      scale: options.scale,
      backend: this.#data.backend.name,
      threads: this.#data.threads,
      ...(validation && { validation }),
    };
    return { weights, bias: this.tasks.model.answer.bias, proof: this.#proof(check), info };
  }

  /** What is proved of the plane, in the units of the points. */
  #proof({ plane }: LoopCheck): PlaneProof {
    const { matrix, cols } = this.#data;
    if (plane === UNBOUNDED) return { ...plane, inverseScale: new Float64Array(0), centre: new Float64Array(0) };
    const { inverseScale: own, shift } = this.#columns();
    // The planes of a fit share one. Without scaling each problem finds its own empty columns, of which others may have entries.
    const { inverseScale = own } = this.#parameters;
    const centre = new Float64Array(inverseScale.length);
    this.problem.centre(centre);
    let [centreSquared, shiftSquared, least, largest] = [0, 0, Infinity, 0];
    for (let j = 0; j < centre.length; j++) {
      centreSquared += centre[j]! ** 2;
      shiftSquared += (shift[j]! * inverseScale[j]!) ** 2;
      if (inverseScale[j] === 0) continue; // the column was empty, and the centre is 0
      least = Math.min(least, inverseScale[j]!);
      largest = Math.max(largest, inverseScale[j]!);
      centre[j] = shift[j]! + centre[j]! / inverseScale[j]!;
    }
    const root = Math.sqrt(centre.length);
    const bounds = widened(plane, {
      away: Math.sqrt(centreSquared) + 2 * Math.sqrt(shiftSquared),
      coarse: root / least,
      fine: root * largest,
    });
    const used = matrix.used();
    if (!used) return { ...bounds, inverseScale, centre };
    const wide = (list: Float64Array) => {
      const all = new Float64Array(cols);
      used.forEach((column, j) => (all[column] = list[j]!));
      return all;
    };
    return { ...bounds, inverseScale: wide(inverseScale), centre: wide(centre) };
  }

  #columns(): { readonly inverseScale: Float64Array; readonly shift: Float64Array } {
    const { kept } = this.#data.shape;
    const columns = { inverseScale: new Float64Array(kept), shift: new Float64Array(kept) };
    this.problem.columns(columns.inverseScale, columns.shift);
    return columns;
  }

  /** How often all entries were read, there and back. */
  #passes(read: number): number {
    return read / (2 * this.problem.stored || 1);
  }

  release(): void {
    this.#deaf();
    this.problem.dispose();
  }

  /** Another model's weights, in the units of this problem (method 1.4). Absurd ones make a poor start, but must not overflow. */
  #scaled({ weights, bias }: { weights: ArrayLike<number>; bias: number }): { w: Float64Array; t: number } {
    const used = this.#data.matrix.used();
    const { inverseScale, shift } = this.#columns();
    const weight = (j: number) => weights[used ? used[j]! : j]!;
    let t = bias;
    shift.forEach((s, j) => (t += s * weight(j)));
    const tame = (value: number) => Math.min(Math.max(value || 0, -1e100), 1e100);
    return { w: inverseScale.map((inverse, j) => (inverse > 0 ? tame(weight(j) / inverse) : 0)), t: tame(t) };
  }

  #progress(check: LoopCheck): SvmProgress {
    const passes = this.#passes(this.#readBefore + this.problem.read);
    const { iterations: iteration, ...story } = storyOf(check, this.#rows, performance.now() - this.#parameters.began, passes);
    return { iteration, ...story };
  }

  #sets(): Required<Pick<SvmInfo, 'sets' | 'alpha'>> {
    const certified = new Uint8Array(this.#data.rows);
    const alpha = new Float64Array(this.#data.rows);
    this.problem.certified(certified);
    this.problem.alpha(alpha);
    const having = (bit: number) => {
      const list = new Uint32Array(certified.length);
      let number = 0;
      for (let i = 0; i < certified.length; i++) if (certified[i]! & bit) list[number++] = i;
      return list.slice(0, number);
    };
    return {
      alpha,
      sets: {
        agreed: having(CERTIFIED.agreed),
        properlyClassified: having(CERTIFIED.proper),
        zero: having(CERTIFIED.zero),
        atBound: having(CERTIFIED.atBound),
      },
    };
  }
}

/** What the bounds of a plane are widened by. */
interface Widening {
  /** |m| + 2 |shift / scale| */
  readonly away: number;
  /** √d times the largest scale, */
  readonly coarse: number;
  /** and √d divided by the smallest. */
  readonly fine: number;
}

/**
 * Bounds of a plane, in the units of the points (method C11). The centre is rounded when it is written in these: by 4u of `away` at most or,
 * where it is subnormal, by half of the smallest double, however small its scale is. And a weight of the model that underflows is off by as
 * much, however large the entries are that it is for. @internal
 */
export function widened({ slope, low, high, norm }: PlaneBounds, { away, coarse, fine }: Widening): PlaneBounds {
  const underflow = 2 * Number.MIN_VALUE * coarse;
  const room = (4 * 2 ** -53 * slope + underflow) * away + Number.MIN_VALUE * fine * slope;
  return { slope: slope + underflow, low: low - room, high: high + room, norm };
}

/** What all rows that take part have in common: the default gamma, and 1 / scale by column. */
export interface MeasuredRows {
  readonly gamma: number;
  readonly inverseScale: Float64Array;
  /** The problem that was measured, for others to be `like` it. */
  readonly like: SvmProblem;
}

/** Measures all rows that take part. `began`: when the time limit did. */
export function measureRows(
  data: Trainable,
  options: ResolvedSvmOptions,
  rows: Pick<FitParameters, 'weights' | 'weightRange' | 'began'>,
): Loop<Omit<MeasuredRows, 'like'>> {
  return withMeasuredRows(data, options, rows, function* ({ gamma, inverseScale }) {
    return { gamma, inverseScale };
  });
}

/** Measures all rows that take part, for `use`. */
export function* withMeasuredRows<R>(
  data: Trainable,
  options: ResolvedSvmOptions,
  rows: Pick<FitParameters, 'weights' | 'weightRange' | 'began'>,
  use: (measured: MeasuredRows) => Loop<R>,
): Loop<R> {
  const training = new Training(data, options, { ...rows, gamma: undefined, signal: options.signal });
  try {
    return yield* use({ ...(yield* training.measure()), like: training.problem });
  } finally {
    training.release();
  }
}

/** Where the time was up before the data, on which gamma depends, were measured. */
const UNKNOWN: Regularization = { gamma: NaN, bound: NaN, mu: NaN };

/**
 * What is known of w = 0 without looking at the points (method C10): P(0, t), or that it is finite if not even gamma is known, and that the
 * optimum is at least D(0) = 0. The offset takes the side of the class whose rows weigh more.
 */
function untrained(data: Pick<Trainable, 'total'>, y: Int8Array, weights: Float64Array, { bound, mu } = UNKNOWN): LoopCheck {
  const here = [0, 0, 0]; // the weights of both classes, and the rows
  for (let i = 0; i < y.length; i++) {
    const weight = weightOf(weights, i);
    if (!(weight > 0)) continue;
    here[2]!++;
    here[y[i]! > 0 ? 1 : 0]! += weight;
  }
  const [negative, positive, rows] = data.total(here) as [number, number, number];
  const t = positive >= negative ? 1 : -1;
  const wrong = bound * mu >= 2 ? 2 / mu : bound * (2 - (mu * bound) / 2); // the loss at margin -1
  const primal = Number.isNaN(bound) ? Number.MAX_VALUE : Math.min(negative, positive) * wrong * (1 + (rows + 8) * 2 ** -53);
  return {
    iteration: 0,
    L: mu,
    measured: { t, wNorm: 0, centreDot: 0, primal, dual: 0, gap: primal, rounding: 0, rho: Infinity, delta: Infinity },
    agreed: 0,
    properlyClassified: 0,
    zero: 0,
    atBound: 0,
    plane: UNBOUNDED,
  };
}

/** The result of a run whose time was up before the points were copied: nothing is known of them, and all weights are 0. */
export function unfitted(
  data: Pick<TrainingData<Label>, 'y' | 'rows' | 'cols' | 'backend' | 'threads' | 'began' | 'total'>,
  options: ResolvedSvmOptions,
  { gamma, weights, weightRange }: Pick<FitParameters, 'gamma' | 'weights' | 'weightRange'>,
): TrainedPlane {
  const { y, rows, cols, backend, threads, began } = data;
  const { loss, mu } = options;
  const known = gamma === undefined ? UNKNOWN : regularization({ gamma, mu, loss, weights: weightRange }, NaN, NaN);
  const check = untrained(data, y, weights, known);
  const [none, nobody] = [new Float64Array(0), new Uint32Array(0)];
  return {
    weights: new Float64Array(cols),
    bias: check.measured.t,
    proof: { ...UNBOUNDED, inverseScale: none, centre: none },
    info: {
      status: 'time-limit',
      ...storyOf(check, data.total([countTaking(weights, rows)])[0]!, performance.now() - began, 0),
      ...(options.keepSets && {
        alpha: new Float64Array(rows),
        sets: { agreed: nobody, properlyClassified: nobody, zero: nobody, atBound: nobody },
      }),
      method: firstAlgorithm(options.solver),
      stages: [],
      loss,
      gamma: known.gamma,
      mu: known.mu,
      scale: options.scale,
      backend: backend.name,
      threads,
    },
  };
}

function firstAlgorithm({ methods }: ResolvedSvmOptions['solver']): SvmAlgorithm {
  return methods.ascent ? 'ascent' : methods.fista ? 'fista' : 'newton';
}

/** The numbers of a check under their public names. */
function storyOf(
  { iteration, measured, agreed, properlyClassified, zero, atBound, L }: LoopCheck,
  rows: number,
  elapsed: number,
  passes: number,
): Omit<SvmProgress, 'iteration'> & { iterations: number } {
  return {
    iterations: iteration,
    elapsed,
    passes,
    ...objective(measured),
    rows,
    agreed,
    properlyClassified,
    zero,
    atBound,
    shares: {
      agreed: agreed / rows,
      properlyClassified: properlyClassified / rows,
      zero: zero / rows,
      atBound: atBound / rows,
    },
    L,
  };
}
