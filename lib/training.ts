/** One fit, from checked input to a model: what LinearSvm and cross-validation have in common. */
import type { Backend, Matrix, SvmProblem } from './backend.js';
import { Dataset } from './dataset.js';
import { FACT } from './facts.js';
import { fistaSvm, type LoopCheck, type LoopResult } from './fista.js';
import { checkWeights, copyPoints, resolveBackend, resolveLabels, resolveThreads, type Fit, type Labels } from './input/index.js';
import type { Model } from './model.js';
import { firstOf } from './stopping.js';
import type { Label, Points, SvmInfo, SvmProgress } from './types.js';

/** Points and labels, checked and copied once, for any number of fits. */
export class Prepared<L extends Label> implements Labels {
  readonly matrix: Matrix;
  readonly backend: Backend;
  readonly threads: number;
  readonly rows: number;
  readonly cols: number;
  readonly sparse: boolean;
  readonly labels: readonly [negative: L, positive: L];
  readonly y: Int8Array;
  readonly began = performance.now();
  /** Whether the copy of the points is its own, rather than a Dataset's. */
  readonly own: boolean;

  constructor(points: Points, labels: ArrayLike<L>, options: { positive?: L; threads?: number; backend?: string }) {
    this.threads = resolveThreads(options.threads);
    const wanted = resolveBackend(options.backend);
    this.own = !(points instanceof Dataset);
    if (points instanceof Dataset) {
      const { matrix, backend } = Dataset.dataOf(points);
      this.matrix = matrix.share(); // the Dataset may be disposed of meanwhile
      this.backend = backend;
    } else {
      this.matrix = copyPoints(points, wanted, this.threads);
      this.backend = wanted;
    }
    try {
      const { rows, cols, form } = this.matrix.describe();
      const resolved = resolveLabels(labels, rows, { positive: options.positive });
      this.rows = rows;
      this.cols = cols;
      this.sparse = form.startsWith('sparse');
      this.labels = resolved.labels as readonly [L, L];
      this.y = resolved.y;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  release(): void {
    this.matrix.dispose();
  }
}

/** What a training needs of them. */
export type Trainable<L extends Label> = Pick<Prepared<L>, 'matrix' | 'backend' | 'threads' | 'rows' | 'cols' | 'labels' | 'y'>;

/** What tells one fit from another on the same data. */
export interface Particulars {
  readonly gamma: number;
  readonly mu: number;
  /** Factors on gamma by row, or one for all; rows of 0 take no part. */
  readonly weights: Float64Array;
  /** @default the data's */
  readonly y?: Int8Array;
  readonly warmStart?: { readonly weights: ArrayLike<number>; readonly bias: number } | undefined;
  /** @default the data's */
  readonly threads?: number;
  readonly lane?: number;
  /** Since when time counts. */
  readonly began: number;
  readonly validation?: SvmInfo['validation'];
}

const SCALES = { none: 0, standard: 1, maxabs: 2 } as const;

export class Training<L extends Label> {
  readonly problem: SvmProblem;
  readonly #data: Trainable<L>;
  readonly #fit: Fit;
  readonly #own: Particulars;
  readonly #rows: number; // that take part

  constructor(data: Trainable<L>, fit: Fit, own: Particulars) {
    const { y = data.y, threads = data.threads, lane = 0 } = own;
    const gammas = checkWeights(own.gamma, own.weights, data.labels, y);
    this.#data = data;
    this.#fit = fit;
    this.#own = own;
    this.#rows = gammas.length === 1 ? data.rows : countPositive(gammas);
    this.problem = new data.backend.Svm(data.matrix, y, gammas, own.mu, SCALES[fit.scale], threads, lane);
  }

  loop(): ReturnType<typeof fistaSvm> {
    const fit = this.#fit;
    const { warmStart, mu, began } = this.#own;
    const rule = firstOf(fit.rules);
    return fistaSvm(this.problem, {
      L: fit.L,
      resting: fit.resting,
      checkEvery: fit.checkEvery,
      maxIterations: fit.maxIterations,
      ...(warmStart && { warm: () => this.#scaled(warmStart) }),
      ascent: fit.ascent,
      scaled: fit.scale !== 'none',
      claims: fit.rules.some(({ proofs = true }) => proofs) ? 'always' : fit.onProgress ? 'shown' : 'end',
      known: { n: this.#rows, d: this.#data.cols, mu },
      decide: (check) => {
        const progress = this.#progress(check);
        fit.onProgress?.(progress);
        return rule(progress);
      },
      expired: () => performance.now() - began >= fit.timeLimit,
    });
  }

  /** The model that the loop ended with, and its story. */
  finish(end: LoopResult): { model: Model<L>; info: SvmInfo } {
    const { status, check } = end;
    const fit = this.#fit;
    const { gamma, mu, validation } = this.#own;
    const { iteration: iterations, ...progress } = this.#progress(check);
    const info: SvmInfo = {
      status,
      iterations,
      ...progress,
      ...(fit.keepSets && this.#sets()),
      gamma,
      mu,
      scale: fit.scale,
      backend: this.#data.backend.name,
      threads: this.#data.threads,
      ...(validation && { validation }),
    };
    return { model: this.model(end), info };
  }

  model({ check }: LoopResult): Model<L> {
    const { inverseScale, shift } = this.#columns();
    const w = new Float64Array(this.#data.cols);
    this.problem.weights(w);
    const weights = w.map((value, j) => value * inverseScale[j]! + 0); // + 0: no -0, which JSON does not keep
    let bias = check.measured.t;
    shift.forEach((s, j) => (bias -= s * weights[j]!));
    return { weights, bias: bias + 0, labels: this.#data.labels };
  }

  release(): void {
    this.problem.dispose();
  }

  #columns(): { inverseScale: Float64Array; shift: Float64Array } {
    const inverseScale = new Float64Array(this.#data.cols);
    const shift = new Float64Array(this.#data.cols);
    this.problem.columns(inverseScale, shift);
    return { inverseScale, shift };
  }

  /** Another model's weights, in the units of this problem. Absurd ones make a poor start, but must not overflow. */
  #scaled({ weights, bias }: { weights: ArrayLike<number>; bias: number }): { w: Float64Array; t: number } {
    const { inverseScale, shift } = this.#columns();
    let t = bias;
    shift.forEach((s, j) => (t += s * weights[j]!));
    const tame = (value: number) => Math.min(Math.max(value || 0, -1e100), 1e100);
    return { w: inverseScale.map((inverse, j) => tame(weights[j]! / inverse)), t: tame(t) };
  }

  #progress(check: LoopCheck): SvmProgress {
    const { primal, gap } = check.measured;
    const { iteration, agreed, properlyClassified, zero, atBound, L } = check;
    const rows = this.#rows;
    return {
      iteration,
      elapsed: performance.now() - this.#own.began,
      passes: this.problem.read / (2 * this.problem.stored || 1),
      primal,
      dual: primal - gap,
      gap,
      relativeGap: primal > 0 ? gap / primal : gap,
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

  #sets(): Required<Pick<SvmInfo, 'sets' | 'alpha'>> {
    const facts = new Uint8Array(this.#data.rows);
    const alpha = new Float64Array(this.#data.rows);
    this.problem.facts(facts);
    this.problem.alpha(alpha);
    const having = (bit: number) => Uint32Array.from([...facts.keys()].filter((i) => facts[i]! & bit));
    return {
      alpha,
      sets: {
        agreed: having(FACT.agreed),
        properlyClassified: having(FACT.proper),
        zero: having(FACT.zero),
        atBound: having(FACT.atBound),
      },
    };
  }
}

/** (A loop, as rows may be many.) */
export function countPositive(list: Float64Array): number {
  let count = 0;
  for (let i = 0; i < list.length; i++) if (list[i]! > 0) count++;
  return count;
}
