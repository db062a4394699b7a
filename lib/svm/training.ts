/** One fit, from checked input to a model: what LinearSvm and cross-validation share. */
import type { SvmProblem } from '../backend/interface.js';
import { svmTasks, type Step, type SvmTasks } from '../backend/tasks.js';
import { onAbort } from '../solver/drivers.js';
import { objective } from './certificate.js';
import { CERTIFIED } from '../backend/encodings.js';
import { solveSvm, type LoopCheck, type LoopResult } from './solve.js';
import type { ResolvedSvmOptions } from '../input/index.js';
import type { WeightRange } from '../input/weights.js';
import type { Model } from './model.js';
import { firstOf, stillHolds } from './stopping.js';
import { defaultGamma, regularization, type Regularization } from './regularization.js';
import { countTaking, weightOf } from './taking-part.js';
import type { Label, SvmInfo, SvmAlgorithm, SvmProgress } from '../types.js';
import { type TrainingData, interruptOf } from './training-data.js';

/** What a training needs of its data. */
export type Trainable<L extends Label> = Pick<
  TrainingData<L>,
  'matrix' | 'tasksHere' | 'backend' | 'threads' | 'rows' | 'cols' | 'labels' | 'y'
>;

/** What differs between fits on the same data. */
export interface FitParameters {
  /** undefined: the default. */
  readonly gamma: number | undefined;
  /** By row, or one for all; rows of weight 0 take no part. */
  readonly weights: Float64Array;
  readonly weightRange: WeightRange;
  /** @default the data's */
  readonly y?: Int8Array;
  readonly warmStart?: { readonly weights: ArrayLike<number>; readonly bias: number } | undefined;
  /** @default the data's */
  readonly threads?: number;
  readonly lane?: number;
  /** When it is aborted, the task under way is interrupted. */
  readonly signal: AbortSignal | undefined;
  /** When the time limit began. */
  readonly began: number;
  readonly validation?: SvmInfo['validation'];
}

const SCALES = { none: 0, standard: 1, maxabs: 2 } as const;

/** The result of a run: the model, and how the fit went. */
export interface FitResult<L extends Label> {
  readonly model: Model<L>;
  readonly info: SvmInfo;
}

export class Training<L extends Label> {
  readonly problem: SvmProblem;
  readonly tasks: SvmTasks;
  readonly #data: Trainable<L>;
  readonly #options: ResolvedSvmOptions;
  readonly #parameters: FitParameters;
  readonly #rows: number; // that take part
  readonly #untrained: () => LoopCheck;
  readonly #deaf: () => void;
  #regularization: Regularization | undefined;
  readonly #stages: { readonly method: SvmAlgorithm; readonly iteration: number; readonly read: number }[] = [];

  constructor(data: Trainable<L>, options: ResolvedSvmOptions, parameters: FitParameters) {
    const { weights, y = data.y, threads = data.threads, lane = 0 } = parameters;
    this.#data = data;
    this.#options = options;
    this.#parameters = parameters;
    this.#rows = countTaking(weights, data.rows);
    this.#untrained = () => untrained(y, weights, this.#regularization);
    const interrupt = interruptOf(data.backend, options, parameters.began);
    this.problem = new data.backend.Svm(data.matrix, y, weights, SCALES[options.scale], threads, lane, interrupt);
    this.#deaf = onAbort(parameters.signal, () => interrupt?.set());
    this.tasks = svmTasks(this.problem, data.tasksHere);
  }

  loop(): Generator<Step, LoopResult, void> {
    const options = this.#options;
    const { warmStart, gamma, weightRange, began } = this.#parameters;
    const { loss, mu } = options;
    const { stepSize, shrinking, checkEvery, methods } = options.solver;
    const rules = [...options.rules]; // the caller may change the list meanwhile
    const rule = firstOf(rules);
    return solveSvm(this.problem, this.tasks, {
      L: stepSize,
      shrinking,
      checkEvery,
      maxIterations: options.maxIterations,
      ...(warmStart && { warm: () => this.#scaled(warmStart) }),
      methods,
      began: (method, iteration) => this.#stages.push({ method, iteration, read: this.problem.read }),
      scaled: options.scale !== 'none',
      certify: options.rules.some(({ proofs = true }) => proofs) ? 'always' : options.onProgress ? 'shown' : 'end',
      known: { n: this.#rows, d: this.#data.matrix.describe().kept },
      regularize: (spread, weightSum) =>
        (this.#regularization = regularization({ gamma, mu, loss, weights: weightRange }, spread, weightSum)),
      decide: (check) => {
        const progress = this.#progress(check);
        options.onProgress?.(progress);
        return rule(progress);
      },
      wantedGap: Math.max(0, ...rules.map(({ relativeGap = 0 }) => relativeGap)),
      holds: (status, check) => stillHolds(rules, status, this.#progress(check)),
      expired: () => performance.now() - began >= options.timeLimit,
      interruptible: options.timeLimit < Infinity ? { alpha: options.keepSets, untrained: this.#untrained } : undefined,
    });
  }

  /** The default gamma of the rows that take part. Nothing is solved. */
  *defaultGamma(): Generator<Step, number, void> {
    const { begin } = this.tasks;
    yield begin.ask({ curvature: false });
    return defaultGamma(begin.answer.spread, begin.answer.weightSum, this.#parameters.weightRange);
  }

  /** The model that the loop ended with, and how the fit went. */
  *finish({ status, check }: LoopResult): Generator<Step, FitResult<L>, void> {
    const weights = new Float64Array(this.#data.cols); // not touched, and so without memory, where no column is kept
    yield this.tasks.model.ask({ weights, t: check.measured.t });
    const options = this.#options;
    const { validation } = this.#parameters;
    const { gamma, mu } = this.#regularization ?? UNKNOWN;
    const passes = this.#passes(this.problem.read);
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
    return { model: { weights, bias: this.tasks.model.answer.bias, labels: this.#data.labels }, info };
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
    const { matrix } = this.#data;
    const { kept } = matrix.describe();
    const used = matrix.used();
    const inverseScale = new Float64Array(kept);
    const shift = new Float64Array(kept);
    this.problem.columns(inverseScale, shift);
    const weight = (j: number) => weights[used ? used[j]! : j]!;
    let t = bias;
    shift.forEach((s, j) => (t += s * weight(j)));
    const tame = (value: number) => Math.min(Math.max(value || 0, -1e100), 1e100);
    return { w: inverseScale.map((inverse, j) => tame(weight(j) / inverse)), t: tame(t) };
  }

  #progress(check: LoopCheck): SvmProgress {
    const passes = this.#passes(this.problem.read);
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

/** Where the time was up before the data, on which gamma depends, were measured. */
const UNKNOWN: Regularization = { gamma: NaN, bound: NaN, mu: NaN };

/**
 * What is known of w = 0 without looking at the points (method C10): P(0, t), or that it is finite if not even gamma is known, and that the
 * optimum is at least D(0) = 0. The offset takes the side of the class whose rows weigh more.
 */
function untrained(y: Int8Array, weights: Float64Array, { bound, mu } = UNKNOWN): LoopCheck {
  const sums = [0, 0]; // by class
  let rows = 0;
  for (let i = 0; i < y.length; i++) {
    const weight = weightOf(weights, i);
    if (!(weight > 0)) continue;
    rows++;
    sums[y[i]! > 0 ? 1 : 0]! += weight;
  }
  const t = sums[1]! >= sums[0]! ? 1 : -1;
  const wrong = bound * mu >= 2 ? 2 / mu : bound * (2 - (mu * bound) / 2); // the loss at margin -1
  const primal = Number.isNaN(bound) ? Number.MAX_VALUE : Math.min(sums[0]!, sums[1]!) * wrong * (1 + (rows + 8) * 2 ** -53);
  return {
    iteration: 0,
    L: mu,
    measured: { t, wNorm: 0, centreDot: 0, primal, dual: 0, gap: primal, rounding: 0, rho: Infinity, delta: Infinity },
    agreed: 0,
    properlyClassified: 0,
    zero: 0,
    atBound: 0,
  };
}

/** The result of a run whose time was up before the points were copied: nothing is known of them, and all weights are 0. */
export function unfitted<L extends Label>(
  { labels, y, rows, cols, backend, threads, began }: TrainingData<L>,
  options: ResolvedSvmOptions,
  { gamma, weights, weightRange }: Pick<FitParameters, 'gamma' | 'weights' | 'weightRange'>,
): FitResult<L> {
  const { loss, mu } = options;
  const known = gamma === undefined ? UNKNOWN : regularization({ gamma, mu, loss, weights: weightRange }, NaN, NaN);
  const check = untrained(y, weights, known);
  const none = new Uint32Array(0);
  return {
    model: { weights: new Float64Array(cols), bias: check.measured.t, labels },
    info: {
      status: 'time-limit',
      ...storyOf(check, countTaking(weights, rows), performance.now() - began, 0),
      ...(options.keepSets && {
        alpha: new Float64Array(rows),
        sets: { agreed: none, properlyClassified: none, zero: none, atBound: none },
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
