/** LinearSvm: what users train and predict with. */
import type { Matrix, SvmProblem } from './backend.js';
import { Dataset } from './dataset.js';
import { FACT } from './facts.js';
import { fistaSvm, run, runAsync, type LoopCheck, type LoopResult } from './fista.js';
import { checkSvmOptions, copyPoints, resolveBackend, resolveFit, resolveLabels, resolveThreads, type Fit } from './input/index.js';
import { readLiblinear, writeLiblinear } from './liblinear.js';
import { decisionOf, decisions, labelOf, readJSON, writeJSON, type Model } from './model.js';
import { firstOf } from './stopping.js';
import type { BackendName, Label, Point, Points, SvmInfo, SvmJSON, SvmOptions, SvmProgress } from './types.js';

/** A model that was trained here: it knows how that went. */
export type Fitted<L extends Label> = LinearSvm<L> & { readonly info: SvmInfo };

/** A linear classifier: decision(x) = weights·x + bias; positive above 0. Made by `fit`; there is no unfitted one. */
export class LinearSvm<L extends Label = Label> implements Model<L> {
  readonly weights: Float64Array;
  readonly bias: number;
  /** The label on the negative side and the one on the positive side. */
  readonly labels: readonly [negative: L, positive: L];
  /** How the fit went, and what it proved; undefined for a model that was read from elsewhere. */
  readonly info: SvmInfo | undefined;

  private constructor({ weights, bias, labels }: Model<L>, info?: SvmInfo) {
    this.weights = weights;
    this.bias = bias;
    this.labels = labels;
    this.info = info;
  }

  /** Trains on this thread. */
  static fit<L extends Label>(points: Points, labels: ArrayLike<L>, options?: SvmOptions<L>): Fitted<L> {
    const training = new Training<L>(points, labels, options);
    try {
      const { model, info } = training.finish(run(training.loop(), training.problem, training.fit.signal));
      return new LinearSvm(model, info) as Fitted<L>;
    } finally {
      training.release();
    }
  }

  /** Trains off the main thread (with the TypeScript kernels: in turns with it). Gives the same model as `fit`, bit for bit. */
  static async fitAsync<L extends Label>(points: Points, labels: ArrayLike<L>, options?: SvmOptions<L>): Promise<Fitted<L>> {
    const training = new Training<L>(points, labels, options);
    try {
      const { model, info } = training.finish(await runAsync(training.loop(), training.problem, training.fit.signal));
      return new LinearSvm(model, info) as Fitted<L>;
    } finally {
      training.release();
    }
  }

  /** A model from what `toJSON` gave. */
  static fromJSON(json: unknown): LinearSvm {
    return new LinearSvm(readJSON(json));
  }

  /** A model from the text of one that liblinear-train made, or `toLiblinear`: any of its linear classifiers of two classes. */
  static fromLiblinear(text: string): LinearSvm<number> {
    return new LinearSvm(readLiblinear(text));
  }

  /** The labels of points. */
  predict(points: Points): L[] {
    return Array.from(this.decision(points), (value) => labelOf(this, value));
  }

  /** The label of one point. */
  predictOne(point: Point): L {
    return labelOf(this, decisionOf(this, point));
  }

  /** weights·x + bias for points; into `out` if given. */
  decision(points: Points, out?: Float64Array): Float64Array {
    return decisions(this, points, out);
  }

  /** How well the model does on labelled points. `confusion[i][j]`: points of label i that were predicted as label j. */
  score(points: Points, labels: ArrayLike<L>): { accuracy: number; confusion: [[number, number], [number, number]] } {
    const values = this.decision(points);
    const { y } = resolveLabels(labels, values.length, { known: this.labels });
    const confusion: [[number, number], [number, number]] = [
      [0, 0],
      [0, 0],
    ];
    values.forEach((value, i) => confusion[y[i]! > 0 ? 1 : 0][value > 0 ? 1 : 0]++);
    return { accuracy: (confusion[0][0] + confusion[1][1]) / values.length, confusion };
  }

  toJSON(): SvmJSON {
    return writeJSON(this);
  }

  /** The text of a model that liblinear-predict reads. Labels must be integers. */
  toLiblinear(): string {
    return writeLiblinear(this);
  }
}

const SCALES = { none: 0, standard: 1, maxabs: 2 } as const;

/** One fit, from checked input to the model. */
class Training<L extends Label> {
  readonly fit: Omit<Fit, 'gammas'>;
  readonly problem: SvmProblem;
  readonly #backend: BackendName;
  readonly #threads: number;
  readonly #labels: readonly [L, L];
  readonly #rows: number;
  readonly #cols: number;
  readonly #stored: number;
  readonly #own: Matrix | undefined; // the copy, unless a Dataset holds it
  readonly #began = performance.now();

  constructor(points: Points, labels: ArrayLike<L>, options: SvmOptions<L> = {}) {
    checkSvmOptions(options);
    const threads = (this.#threads = resolveThreads(options.threads));
    const wanted = resolveBackend(options.backend);
    const { matrix, backend } =
      points instanceof Dataset ? Dataset.dataOf(points) : { matrix: copyPoints(points, wanted, threads), backend: wanted };
    this.#backend = backend.name;
    if (!(points instanceof Dataset)) this.#own = matrix;
    try {
      const { rows, cols, stored, form } = matrix.describe();
      const resolved = resolveLabels(labels, rows, { positive: options.positive });
      const { gammas, ...fit } = resolveFit(options, rows, cols, form.startsWith('sparse'), resolved);
      this.fit = fit;
      this.#rows = rows;
      this.#cols = cols;
      this.#stored = stored;
      this.#labels = resolved.labels as readonly [L, L];
      this.problem = new backend.Svm(matrix, resolved.y, gammas, fit.mu, SCALES[fit.scale], threads);
    } catch (error) {
      this.#own?.dispose();
      throw error;
    }
  }

  loop(): ReturnType<typeof fistaSvm> {
    const { fit } = this;
    const { warmStart } = fit;
    const rule = firstOf(fit.rules);
    return fistaSvm(this.problem, {
      L: fit.L,
      resting: fit.resting,
      checkEvery: fit.checkEvery,
      maxIterations: fit.maxIterations,
      ...(warmStart && { warm: () => this.#scaled(warmStart) }),
      known: { n: this.#rows, d: this.#cols, mu: fit.mu },
      decide: (check) => {
        const progress = this.#progress(check);
        fit.onProgress?.(progress);
        return rule(progress);
      },
      expired: () => performance.now() - this.#began >= fit.timeLimit,
    });
  }

  /** The model that the loop ended with, and its story. */
  finish({ status, check }: LoopResult): { model: Model<L>; info: SvmInfo } {
    const { fit, problem } = this;
    const { inverseScale, shift } = this.#columns();
    const w = new Float64Array(this.#cols);
    problem.weights(w);
    const weights = w.map((value, j) => value * inverseScale[j]! + 0); // + 0: no -0, which JSON does not keep
    let bias = check.measured.t;
    shift.forEach((s, j) => (bias -= s * weights[j]!));
    const { iteration: iterations, ...progress } = this.#progress(check);
    const info: SvmInfo = {
      status,
      iterations,
      ...progress,
      ...(fit.keepSets && this.#sets()),
      gamma: fit.gamma,
      mu: fit.mu,
      scale: fit.scale,
      backend: this.#backend,
      threads: this.#threads,
    };
    return { model: { weights, bias: bias + 0, labels: this.#labels }, info };
  }

  release(): void {
    this.problem.dispose();
    this.#own?.dispose();
  }

  #columns(): { inverseScale: Float64Array; shift: Float64Array } {
    const inverseScale = new Float64Array(this.#cols);
    const shift = new Float64Array(this.#cols);
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
      elapsed: performance.now() - this.#began,
      passes: this.problem.read / (2 * this.#stored || 1),
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
    const facts = new Uint8Array(this.#rows);
    const alpha = new Float64Array(this.#rows);
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
