/**
 * The SVM's dual as the loops see it (method 1): the data, two iterates, and the sweeps that a step or a check needs. Every public method
 * that takes and gives named numbers is a task of ../tasks.ts. The twin of native/kernels/svm.
 *
 * Problem: max Σ c_i (x_i - mu/2 x_i²) - 1/2 |H'alpha|², alpha_i = c_i x_i, subject to y·alpha = 0, 0 <= x_i <= gamma (method 1.2),
 *          where H has rows y_i x̃_i, and x̃ = x / scale by column. gamma is Infinity for the squared hinge.
 * Given:   X, centred before; y_i = ±1 and the weight c_i by row; gamma and mu; how columns are scaled.
 * Wanted:  alpha by row, w = H'alpha in scaled space, what is certified of each row, and the model of raw data.
 * Source:  M. Hough and S. A. Vavasis, arXiv:2512.03947; method 1.6 to 1.11 and C1 to C9.
 *
 * A row of weight c_i counts as c_i copies, which share one x_i. So a row's margin, loss, bounds and shrinking do not depend on its weight;
 * only its share of sums does. The distance between two iterates is sqrt(Σ c_i (x_i - x'_i)²).
 *
 * Rows are kept in an order of their own, the active ones first: [0, active) take part in steps, [active, n) are shrunk, at a bound with
 * their x frozen. `row[p]` is the user's row at position p. Rows of weight 0 take no part: they stand behind the others, from n on, and
 * only `score` reads them. q = H w.
 */
import type { Interrupt } from '../interface.js';
import { SVM_TASKS, type Answer, type Given, type TaskArgument } from '../tasks.js';
import { taskEnded } from '../../errors.js';
import { soon } from '../../platform/host.js';
import { CERTIFIED } from '../encodings.js';
import { projectKnapsack } from './knapsack.js';
import type { Matrix } from './matrix.js';
import { NewtonSystem } from './newton-system.js';
import { performer, type Twin } from './perform.js';

const UNIT = 2 ** -53;
/** Products below this lose digits to underflow. */
const SMALLEST = 2 ** -1021;

/** A row that returned so often shrinks no more, so that the set of shrunk rows changes finitely often (method 1.11). */
const MAX_RETURNS = 3;
/** Fewer rows than one in so many are few. */
const FEW = 32;
/** Rows are ordered by so many bits of a hash in an epoch. */
const BUCKET_BITS = 12;
const BUCKETS = 2 ** BUCKET_BITS;
/** A window of an epoch is so many chunks of rows. */
const CHUNKS = 16;

/** Tasks that answer whether or not the problem was interrupted. */
const AT_ONCE: readonly string[] = ['certify', 'forget', 'score', 'keep', 'restore', 'model'];

type Tasks = typeof SVM_TASKS;

/** Rows are measured by column where their distances are so much smaller than their distance from the origin, or known so badly. */
const CLOSE = 1e-6;
const LOOSE = 1e-6;

const performTask = performer(SVM_TASKS);
/** The answer of tasks that have none. */
const DONE = {};

export class Svm implements Twin<Tasks> {
  readonly #X: Matrix;
  readonly #interrupt: Interrupt | undefined;
  readonly #n: number; // rows that take part
  readonly #d: number;
  #gamma = NaN; // Infinity for the squared hinge
  #mu = NaN;
  readonly #scale: number;
  readonly #givenScale: boolean;
  readonly #window: number; // rows
  readonly #weighted: boolean; // not all weights are 1
  readonly #inverseScale: Float64Array; // by column
  readonly #centre: Float64Array; // by column, in scaled space

  // By position.
  readonly #row: Uint32Array;
  readonly #y: Int8Array;
  readonly #weight: Float64Array; // c
  readonly #slack: Float64Array; // 2 (nnz_i + 4) u |x̃_i|: times |w|, a bound of the rounding of x̃_i·w (method 2)
  readonly #radius: Float64Array; // r_i >= |x̃_i - m|
  readonly #certified: Uint8Array;
  readonly #returns: Uint8Array;
  readonly #shrunk: Uint8Array; // 1: sat at a bound, with a margin to spare, when it was last visited
  #x: Float64Array;
  #xPrev: Float64Array;
  #xNext: Float64Array;
  #q: Float64Array;
  #qPrev: Float64Array;
  #qNext: Float64Array;

  // By column, in scaled space.
  #w: Float64Array;
  #wPrev: Float64Array;
  #wNext: Float64Array;
  readonly #wShrunk: Float64Array; // the shrunk rows' share of w
  readonly #wide: Float64Array; // w / scale, as the stored data want it

  #active: number;
  #bShrunk = 0; // the shrunk rows' share of y·alpha
  #ascending = false; // w and y·alpha are updated with alpha, not computed from it
  #balance = 0; // y·alpha during the ascent
  #epoch = 0;
  #lambda = NaN;
  #maxEntries = 0;
  #largest = 0;
  #maxNorm = 0;
  #read = 0;
  #stored = 0;
  #system: NewtonSystem | undefined;
  #xBefore = new Float64Array(0); // where Newton's method began
  #kept: { w: Float64Array; alpha: Float64Array | undefined } | undefined;
  #restored = false;

  /**
   * y by row, 0 for one that is not scored either; weight by row, or one for all rows. scale: 0 none, 1 standard, 2 maxabs, or 1 / scale by
   * column. `listed`: the rows that y and weight are about, all by default. `window`: the rows of a window of epochs, 0 for all. The data must have been centred before (Matrix.centre).
   */
  constructor(
    X: Matrix,
    y: Int8Array,
    weight: Float64Array,
    scale: number | Float64Array,
    _threads?: number,
    _lane?: number,
    interrupt?: Interrupt,
    listed?: Uint32Array,
    _like?: unknown,
    window = 0,
  ) {
    const weightOf = (k: number) => (weight.length === 1 ? weight[0]! : weight[k]!);
    const places = Uint32Array.from(y.keys());
    const taking = places.filter((k) => weightOf(k) !== 0);
    const n = (this.#n = taking.length);
    this.#window = window > 0 && window < X.describe().rows ? window : Infinity;
    const d = (this.#d = X.describe().kept);
    this.#X = X.share(); // its owner may dispose of it meanwhile
    this.#interrupt = interrupt;
    this.#scale = typeof scale === 'number' ? scale : 0;
    this.#givenScale = typeof scale !== 'number';
    const others = places.filter((k) => weightOf(k) === 0 && y[k] !== 0);
    this.#row = new Uint32Array(n + others.length);
    this.#row.set(taking);
    this.#row.set(others, n);
    this.#y = Int8Array.from(this.#row, (k) => y[k]!);
    if (listed) this.#row.forEach((k, p) => (this.#row[p] = listed[k]!));
    this.#weight = Float64Array.from(taking, weightOf);
    this.#weighted = this.#weight.some((c) => c !== 1);
    this.#certified = new Uint8Array(n);
    this.#returns = new Uint8Array(n);
    this.#shrunk = new Uint8Array(n);
    [this.#slack, this.#radius, this.#x, this.#xPrev, this.#xNext, this.#q, this.#qPrev, this.#qNext] = Array.from(
      { length: 8 },
      () => new Float64Array(n),
    ) as Tuple8;
    [this.#w, this.#wPrev, this.#wNext, this.#wShrunk, this.#wide] = Array.from({ length: 5 }, () => new Float64Array(d)) as Tuple5;
    this.#inverseScale = typeof scale === 'number' ? new Float64Array(d).fill(1) : scale.slice();
    this.#centre = new Float64Array(d);
    this.#active = n;
  }

  /** Stored entries read by X·w and Xᵀ·u so far. */
  get read(): number {
    return this.#read;
  }

  /** Stored entries of the rows that take part. */
  get stored(): number {
    return this.#stored;
  }

  /** Fails if the problem was interrupted. Only what `keep` kept and what is certified of rows is valid then. */
  perform(name: string, ...args: TaskArgument[]): Float64Array {
    const answer = performTask(this, name, args);
    if (this.#interrupt?.isSet && !AT_ONCE.includes(name)) throw taskEnded();
    return answer;
  }

  /** Lets the event loop run first. */
  async later(name: string, ...args: TaskArgument[]): Promise<Float64Array> {
    await new Promise<void>(soon);
    return this.perform(name, ...args);
  }

  dispose(): void {}

  /**
   * The scales, and the centre m of x̃ = stored / scale (method 1.4). Any centre is valid; 0 serves for data that are centred up to
   * rounding. A column that is 0 in all rows that take part has 1 / scale = 0: it is no part of the problem.
   */
  #measureColumns(): void {
    const X = this.#X;
    const n = this.#weightSum();
    const inverse = (size: number) => (size > 0 && Number.isFinite(1 / size) ? 1 / size : 1);
    const zero = new Float64Array(this.#d);
    const taking = this.#row.subarray(0, this.#n);
    const maxBefore = X.shifted?.max; // by column, if every column is centred
    if (maxBefore && !this.#weighted && n === X.describe().rows) {
      if (this.#scale === 1) {
        const { sum, square } = X.columnStats(zero, taking);
        const sums = (j: number) => ({ count: n, weight: n, sum: sum[j]!, square: square[j]! });
        this.#inverseScale.set(maxBefore.map((max, j) => inverse(standard(sums(j), max))));
      }
      if (this.#scale === 2) this.#inverseScale.set(maxBefore.map(inverse));
      this.#dropEmpty(maxBefore);
      this.#largest = largestOf(maxBefore, this.#inverseScale);
      return;
    }
    const { sum, max } = X.columnStats(zero, taking, this.#weight);
    const mean = sum.map((s) => s / n);
    if (this.#scale === 2) this.#inverseScale.set(max.map(inverse));
    if (this.#scale === 1) {
      const sums = this.#about(mean);
      this.#inverseScale.set(max.map((largest, j) => inverse(standard(sums(j), largest))));
    }
    this.#dropEmpty(max);
    this.#centre.set(mean.map((m, j) => m * this.#inverseScale[j]!));
    this.#largest = largestOf(max, this.#inverseScale);
  }

  /** `max`: the largest |x| by column. From a column with a shift something was subtracted, and it no longer shows whether that was 0. */
  #dropEmpty(max: Float64Array): void {
    const shift = this.#X.shifted?.shift;
    if (!this.#givenScale) max.forEach((size, j) => size === 0 && !shift?.[j] && (this.#inverseScale[j] = 0));
  }

  /** In stored units, where a column without a scale is 0. */
  #unscaled(value: number, j: number): number {
    return this.#inverseScale[j] === 0 ? 0 : value / this.#inverseScale[j]!;
  }

  /** By column, sums over the rows that take part, about this mean of the stored numbers. */
  #about(mean: Float64Array): (j: number) => Sums {
    const { sum, square, number } = this.#X.columnStats(mean, this.#row.subarray(0, this.#n), this.#weight);
    const weight = this.#weightSum();
    return (j) => {
      const [absent, m] = [weight - number[j]!, mean[j]!];
      return { count: this.#n, weight, sum: sum[j]! - absent * m, square: square[j]! + absent * m ** 2 };
    };
  }

  /** Σ c_i |x̃_i - m|² by column: the mean is subtracted before anything is squared. */
  #spreadByColumn(): number {
    const sums = this.#about(this.#centre.map((m, j) => this.#unscaled(m, j)));
    // In this order: the square of 1 / scale may overflow, where there is no deviation too.
    return this.#inverseScale.reduce((total, inverse, j) => total + deviations(sums(j)) * inverse * inverse, 0);
  }

  #weightSum(): number {
    return this.#weight.reduce((sum, c) => sum + c, 0);
  }

  /** Upper bounds of r_i and of the rounding of x̃_i·w (method 1.4, 2). Returns Σ c_i |x̃_i - m|² as computed, which is no upper bound. */
  #measureRows(): number {
    let spread = 0;
    const m = this.#centre;
    const m2 = squares(m);
    const norms = new Float64Array(this.#n);
    this.#X.rowNorms(this.#inverseScale, this.#row.subarray(0, this.#n), norms);
    this.#widen(m);
    this.#X.multiplyRows(this.#row, 0, this.#n, this.#wide, this.#radius);
    for (let i = 0; i < this.#n; i++) {
      const entries = this.#X.entries(this.#row[i]!);
      this.#stored += entries;
      this.#maxEntries = Math.max(this.#maxEntries, entries);
      this.#maxNorm = Math.max(this.#maxNorm, norms[i]!);
      const lost = entries * SMALLEST; // squares and products that underflowed
      const norm = Math.sqrt(norms[i]! + lost) * (1 + (entries + 4) * UNIT);
      this.#slack[i] = 2 * (entries + 4) * UNIT * norm;
      const safe = 4 * (this.#d + 5) * UNIT * (norm + Math.sqrt(m2)) ** 2;
      const apart = Math.max(0, norm * norm - 2 * this.#radius[i]! + m2);
      spread += this.#weight[i]! * apart;
      this.#radius[i] = Math.sqrt(apart + safe + lost);
    }
    return spread;
  }

  /** wide = w / scale */
  #widen(w: Float64Array): void {
    for (let j = 0; j < this.#d; j++) this.#wide[j] = w[j]! * this.#inverseScale[j]!;
  }

  /** q over positions [begin, end) */
  #margins(w: Float64Array, begin: number, end: number, q: Float64Array): void {
    this.#widen(w);
    this.#read += this.#X.multiplyRows(this.#row, begin, end, this.#wide, q);
    for (let p = begin; p < end; p++) q[p]! *= this.#y[p]!;
  }

  /** out = H'alpha over positions [begin, end), in scaled space, alpha = c x; xNext or x serve as x. */
  #combine(x: Float64Array, begin: number, end: number, out: Float64Array): void {
    const u = this.#qNext; // free at this point
    for (let p = begin; p < end; p++) u[p] = this.#y[p]! * (this.#weight[p]! * x[p]!);
    this.#read += this.#X.combineRows(this.#row, begin, end, u, out);
    for (let j = 0; j < this.#d; j++) out[j]! *= this.#inverseScale[j]!;
  }

  /**
   * Scales and measures the data. Answers the curvature of D, without mu, along the difference of the class means, if asked for (method
   * 1.7); Σ c_i; Σ c_i |x̃_i - m|², and its upper bound Σ c_i r_i²; max r; |m|; the largest number of entries in a row; max |x̃_i|²;
   * |shift / scale|; the column of the largest |x| / scale.
   */
  begin({ curvature }: Given<Tasks['begin']>): Answer<Tasks['begin']> {
    this.#measureColumns();
    const spread = this.#measureRows();
    const weightSum = this.#weightSum();
    const radiusSquares = this.#radius.reduce((sum, r, p) => sum + this.#weight[p]! * r * r, 0);
    const centreNorm = Math.sqrt(squares(this.#centre));
    const shiftNorm = Math.sqrt(squares((this.#X.shifted?.shift ?? new Float64Array(0)).map((s, j) => s * this.#inverseScale[j]!)));
    // By row, rounding may show where rows are much nearer to each other than to the origin.
    const near = spread <= CLOSE * CLOSE * weightSum * (centreNorm + shiftNorm) ** 2;
    return {
      curvature: curvature ? this.#classCurvature() : 0,
      weightSum,
      spread: near || radiusSquares - spread > LOOSE * spread ? this.#spreadByColumn() : spread,
      radiusSquares,
      maxRadius: this.#radius.reduce((a, b) => Math.max(a, b), 0),
      centreNorm,
      maxEntries: this.#maxEntries,
      maxSquaredNorm: this.#maxNorm,
      shiftNorm,
      largestColumn: this.#X.used()?.[this.#largest] ?? this.#largest,
    };
  }

  #classCurvature(): number {
    const counts = { 1: 0, [-1]: 0 } as Record<number, number>;
    for (let p = 0; p < this.#n; p++) counts[this.#y[p]!]! += this.#weight[p]!;
    for (let p = 0; p < this.#n; p++) this.#xNext[p] = 1 / counts[this.#y[p]!]!;
    this.#combine(this.#xNext, 0, this.#n, this.#wNext);
    return squares(this.#wNext) / (1 / counts[1]! + 1 / counts[-1]!);
  }

  /** Sets the loss: gamma (Infinity for the squared hinge) and mu. Comes after `begin` and before all other tasks. */
  regularize({ gamma, mu }: Given<Tasks['regularize']>): Answer<Tasks['regularize']> {
    this.#gamma = gamma;
    this.#mu = mu;
    return DONE;
  }

  /** Starts from a given model (weights in scaled space); if `dual`, from x = -psi'(theta) of it, made balanced (method 1.5). */
  warm({ w, t, dual }: Given<Tasks['warm']>): Answer<Tasks['warm']> {
    this.#margins(w, 0, this.#n, this.#q);
    if (!dual) {
      this.#w.set(w);
      return DONE;
    }
    for (let p = 0; p < this.#n; p++) {
      const theta = this.#q[p]! + this.#y[p]! * t;
      this.#x[p] = clamp((1 - theta) / this.#mu, 0, this.#gamma);
    }
    return this.#restart();
  }

  #isFree(p: number): boolean {
    return this.#x[p]! > 0 && this.#x[p]! < this.#gamma;
  }

  /** The positions of free rows, whose x is strictly between its bounds. */
  #free(): Uint32Array {
    return Uint32Array.from(this.#x.keys()).filter((p) => this.#isFree(p));
  }

  /** Balances x by moving free rows, if these suffice. The others stay: rows at 0 need not be read later. */
  #balanceFree(): boolean {
    const [x, weight] = [this.#x, this.#weight];
    const free = this.#free();
    let rest = 0;
    for (let p = 0; p < this.#n; p++) if (!this.#isFree(p)) rest += this.#y[p]! * (weight[p]! * x[p]!);
    const moved = Float64Array.from(free, (p) => x[p]!);
    const y = Int8Array.from(free, (p) => this.#y[p]!);
    const weights = Float64Array.from(free, (p) => weight[p]!);
    if (free.length === 0 || Number.isNaN(projectKnapsack(moved, y, weights, this.#gamma, -rest, 0, moved))) return false;
    free.forEach((p, k) => (x[p] = moved[k]!));
    return true;
  }

  #balanceAll(): void {
    if (this.#balanceFree()) return;
    projectKnapsack(this.#x, this.#y.subarray(0, this.#n), this.#weight, this.#gamma, 0, 0, this.#x);
  }

  /** Balances x, and makes w, q and both iterates from it. */
  #restart(): Answer<Tasks['settle']> {
    this.#balanceAll();
    this.#combine(this.#x, 0, this.#n, this.#w);
    this.#margins(this.#w, 0, this.#n, this.#q);
    this.#xPrev.set(this.#x);
    this.#qPrev.set(this.#q);
    this.#wPrev.set(this.#w);
    return DONE;
  }

  /**
   * An epoch of coordinate ascent on the dual (method 1.10), before FISTA's first step. Rows are visited in an order that is new every
   * time, and x_i moves to the maximum along its coordinate. y·alpha = 0 is left to a multiplier, `offset`, and a penalty of weight / 2
   * (y·alpha)²: a row's decision value is (x̃_i - m)·(w - y·alpha m) + offset + weight y·alpha, where w = Σ y alpha x̃ and m is the centre.
   * It visits all rows, or those that did not sit at a bound with delta to spare at their last visit or, after `settle`, at their present
   * margin. Answers the Fenchel–Young terms and the losses of the rows as they were met, |w|², the next multiplier, and the offset t that
   * it stands for.
   */
  ascend({ offset, weight, delta, all }: Given<Tasks['ascend']>): Answer<Tasks['ascend']> {
    const [x, q, w, gamma, mu, m2] = [this.#x, this.#q, this.#w, this.#gamma, this.#mu, squares(this.#centre)];
    let along = dot(this.#centre, w);
    if (!this.#ascending) {
      const t = offset - along;
      if (!all) for (let p = 0; p < this.#n; p++) this.#shrunk[p] = Number(this.#shrinkable(p, q[p]! + this.#y[p]! * t, delta));
      this.#ascending = true;
      this.#balance = 0;
    }
    const wide = this.#wide;
    this.#widen(w);
    let [fy, psi, balance] = [0, 0, this.#balance];
    for (const p of this.#shuffled(all)) {
      const [i, y, c, old] = [this.#row[p]!, this.#y[p]!, this.#weight[p]!, x[p]!];
      const entries = this.#X.entries(i);
      const norm = this.#slack[p]! / (2 * (entries + 4) * UNIT);
      const r2 = this.#radius[p]! * this.#radius[p]!;
      const alongRow = m2 > 0 ? 0.5 * (norm * norm + m2 - r2) : 0; // x̃_i·m
      const s = this.#X.dotRow(i, wide) - along - balance * (alongRow - m2) + (offset + weight * balance);
      const below = 1 - y * s;
      x[p] = clamp(old + (below - mu * old) / (mu + c * (r2 + weight)), 0, gamma);
      const slope = clamp(below / mu, 0, gamma);
      const loss = slope * (below - (mu / 2) * slope);
      psi += c * loss;
      fy += c * (loss + old * ((mu / 2) * old - below));
      this.#shrunk[p] = Number(this.#shrinkable(p, y * s, delta));
      this.#read += entries;
      const u = y * (c * (x[p] - old));
      if (u === 0) continue;
      this.#X.addRow(i, u, this.#inverseScale, wide);
      this.#read += entries;
      balance += u;
      along += u * alongRow;
    }
    this.#balance = balance;
    for (let j = 0; j < this.#d; j++) w[j] = this.#unscaled(wide[j]!, j);
    const next = offset + weight * balance;
    return { fenchelYoung: fy, loss: psi, wSquared: squares(w), offset: next, t: next - along + balance * m2 };
  }

  /** Whether a row sits at a bound with delta to spare, at margin theta. */
  #shrinkable(p: number, theta: number, delta: number): boolean {
    const [x, gamma] = [this.#x[p]!, this.#gamma];
    return x === 0 ? theta > 1 + delta : x === gamma && theta < 1 - this.#mu * gamma - delta;
  }

  /**
   * The positions to visit, window by window, and within a window in an order that is new in every epoch. The place of a position does not
   * depend on which others take part.
   */
  #shuffled(all: boolean): Uint32Array {
    const start = new Uint32Array(BUCKETS + 1);
    const key = Math.imul(++this.#epoch, 0x9e3779b9);
    const bucket = (p: number) => scattered(p ^ key) >>> (32 - BUCKET_BITS);
    for (let p = 0; p < this.#n; p++) if (all || !this.#shrunk[p]) start[bucket(p) + 1]!++;
    for (let b = 0; b < BUCKETS; b++) start[b + 1]! += start[b]!;
    const order = new Uint32Array(start[BUCKETS]!);
    for (let p = 0; p < this.#n; p++) if (all || !this.#shrunk[p]) order[start[bucket(p)]!++] = p;
    if (this.#window === Infinity) return order;
    // A window is CHUNKS chunks of rows, from anywhere and others in every epoch: rows of windows that stay the same would keep their share
    // of y·alpha nearly as it is.
    const height = Math.ceil(this.#window / CHUNKS);
    const chunks = Array.from({ length: Math.ceil(this.#X.describe().rows / height) }, (_, c) => c);
    const hash = chunks.map((c) => scattered(c ^ key) >>> 0);
    const window = new Uint32Array(chunks.length);
    chunks.sort((a, b) => hash[a]! - hash[b]! || a - b).forEach((c, k) => (window[c] = Math.floor(k / CHUNKS)));
    const windowOf = (p: number) => window[Math.floor(this.#row[p]! / height)]!;
    return Uint32Array.from(Array.from(order).sort((a, b) => windowOf(a) - windowOf(b))); // which keeps the order of equal ones
  }

  /**
   * Pauses the ascent, or ends Newton's method: balances alpha, computes w and q from it, and makes both iterates the same. `back`: with the
   * alpha that Newton's method began at.
   */
  settle({ back }: Given<Tasks['settle']>): Answer<Tasks['settle']> {
    this.#ascending = false;
    if (back) this.#x.set(this.#xBefore);
    return this.#restart();
  }

  /**
   * One step from y = x + beta (x - xPrev): the candidate x⁺ = proj(y + grad D(y) / L), its w and q (method 1.6).
   * With s = x⁺ - y it answers Σ c_i s_i², the curvature Σ c_i s_i (q⁺ - q(y))_i, the sum of its terms' magnitudes, and the projection's
   * lambda.
   */
  step({ L, beta }: Given<Tasks['step']>): Answer<Tasks['step']> {
    const [x, xPrev, q, qPrev, xNext] = [this.#x, this.#xPrev, this.#q, this.#qPrev, this.#xNext];
    const mu = this.#mu;
    const active = this.#active;
    for (let p = 0; p < active; p++) {
      const y = x[p]! + beta * (x[p]! - xPrev[p]!);
      const qy = q[p]! + beta * (q[p]! - qPrev[p]!);
      xNext[p] = y + (1 - qy - mu * y) / L;
    }
    const a = xNext.subarray(0, active);
    const lambda = projectKnapsack(
      a,
      this.#y.subarray(0, active),
      this.#weight.subarray(0, active),
      this.#gamma,
      -this.#bShrunk,
      this.#lambda,
      a,
    );
    if (!Number.isNaN(lambda)) this.#lambda = lambda;
    else {
      // Rounding put the shrunk rows' share out of reach. Take the nearest end, as certificates need every x in its box.
      for (let p = 0; p < active; p++) a[p] = this.#y[p]! < 0 === this.#bShrunk > 0 ? this.#gamma : 0;
    }
    this.#combine(xNext, 0, active, this.#wNext);
    for (let j = 0; j < this.#d; j++) this.#wNext[j]! += this.#wShrunk[j]!;
    this.#margins(this.#wNext, 0, active, this.#qNext);

    let [squared, curvature, magnitude] = [0, 0, 0];
    for (let p = 0; p < active; p++) {
      const s = xNext[p]! - (x[p]! + beta * (x[p]! - xPrev[p]!));
      const rise = this.#qNext[p]! - (q[p]! + beta * (q[p]! - qPrev[p]!));
      const c = this.#weight[p]!;
      squared += c * s * s;
      curvature += c * s * rise;
      magnitude += Math.abs(c * s * rise);
    }
    return { squared, curvature, magnitude, lambda };
  }

  /** The candidate becomes the iterate. (The x of shrunk rows is in all three buffers; `refresh` computes their q.) */
  accept(): void {
    [this.#xPrev, this.#x, this.#xNext] = [this.#x, this.#xNext, this.#xPrev];
    [this.#qPrev, this.#q, this.#qNext] = [this.#q, this.#qNext, this.#qPrev];
    [this.#wPrev, this.#w, this.#wNext] = [this.#w, this.#wNext, this.#wPrev];
  }

  /** Computes q of the shrunk rows, or of all. Answers |w|² and m·w. */
  refresh({ all }: Given<Tasks['refresh']>): Answer<Tasks['refresh']> {
    const from = all ? 0 : this.#active;
    if (from < this.#n) this.#margins(this.#w, from, this.#n, this.#q);
    return { wSquared: squares(this.#w), centreDot: dot(this.#centre, this.#w) };
  }

  /**
   * S⁺ and S⁻, the sums of -c psi' over the positive and over the negative rows, and the weight of the free rows, on the quadratic piece,
   * twice: at offset `low` with every decision value raised by its shift, and at `high` with every one lowered (method 1.9, C4). shift_i =
   * rho r_i + eta_i, eta_i = slack_i wNorm + etaT; with rho = wNorm = etaT = 0 there is no shift.
   */
  offsets({ low, high, rho, wNorm, etaT }: Given<Tasks['offsets']>): Answer<Tasks['offsets']> {
    const at = { positive: 0, negative: 0, free: 0 };
    const beyond = { positive: 0, negative: 0, free: 0 };
    for (let p = 0; p < this.#n; p++) {
      const [y, q, c, gamma] = [this.#y[p]!, this.#q[p]!, this.#weight[p]!, this.#gamma];
      const shift = rho * this.#radius[p]! + this.#slack[p]! * wNorm + etaT;
      for (const sums of [at, beyond]) {
        const theta = q + y * (sums === at ? low + shift : high - shift);
        const free = (1 - theta) / this.#mu;
        sums[y > 0 ? 'positive' : 'negative'] += c * clamp(free, 0, gamma);
        if (free > 0 && free < gamma) sums.free += c;
      }
    }
    return {
      positiveLow: at.positive,
      negativeLow: at.negative,
      freeLow: at.free,
      positiveHigh: beyond.positive,
      negativeHigh: beyond.negative,
      freeHigh: beyond.free,
    };
  }

  /**
   * The sums that certificates are made of, at offset t, each term times c_i: of FY (method C1) and its rounding (method C2), psi, x, y x,
   * x r, res² and err² (method C6). eta_i = slack_i wNorm + etaT is the error of theta_i.
   */
  gap({ t, wNorm, etaT }: Given<Tasks['gap']>): Answer<Tasks['gap']> {
    let [fenchelYoung, rounding, loss, alphaSum, balance, alphaRadius, residualSquared, errorSquared] = [0, 0, 0, 0, 0, 0, 0, 0];
    const mu = this.#mu;
    for (let p = 0; p < this.#n; p++) {
      const [y, c, x, gamma] = [this.#y[p]!, this.#weight[p]!, this.#x[p]!, this.#gamma];
      const theta = this.#q[p]! + y * t;
      const eta = this.#slack[p]! * wNorm + etaT;
      const free = (1 - theta) / mu;
      const slope = clamp(free, 0, gamma); // -psi'
      // The Fenchel–Young term: a product of non-negative factors on each piece. A negative from rounding counts as 0.
      let fy: number;
      let psi: number;
      if (free <= 0) {
        fy = x * (theta - 1 + (mu * x) / 2);
        psi = 0;
      } else if (free < gamma) {
        fy = (mu / 2) * (x - free) ** 2;
        psi = (1 - theta) ** 2 / (2 * mu);
      } else {
        fy = (gamma - x) * (1 - theta - (mu * (gamma + x)) / 2);
        psi = gamma * (1 - theta) - (mu * gamma * gamma) / 2;
      }
      fenchelYoung += c * Math.max(fy, 0);
      const err = eta + 4 * UNIT * (1 + Math.abs(theta) + mu * x);
      rounding += c * (Math.abs(x - slope) * err + (err * err) / (2 * mu));
      loss += c * psi;
      alphaSum += c * x;
      balance += y * (c * x);
      alphaRadius += c * x * this.#radius[p]!;
      let res = 1 - theta - mu * x;
      if (x === 0) res = Math.max(res, 0);
      if (x === gamma) res = Math.min(res, 0);
      residualSquared += c * res * res;
      errorSquared += c * err * err;
    }
    return { fenchelYoung, rounding, loss, alphaSum, balance, alphaRadius, residualSquared, errorSquared };
  }

  /**
   * Certifies rows: by the interval [s_i - shift_i + low, s_i + shift_i + high] that holds every optimal decision value (method C5; shift
   * as in `offsets`), and by Σ c_i (x_i - x*_i)² <= delta² (method C6). Without `ball` the interval does not certify a row as properly
   * classified. With the squared hinge, where x has no upper bound, a row is properly classified if theta* > 0, and none is at its bound.
   * Answers the numbers of certified rows. A row is agreed if its own decision value s_i + t is on the certified side by more than its
   * rounding, guardR r_i + guard (method C8).
   */
  certify(given: Given<Tasks['certify']>): Answer<Tasks['certify']> {
    const { low, high, rho, wNorm, etaT, delta, ball, t, guardR, guard } = given;
    let [agreed, properlyClassified, zero, atBound] = [0, 0, 0, 0];
    const [mu, gamma] = [this.#mu, this.#gamma];
    const bounded = Number.isFinite(gamma);
    const round = 4 * UNIT * (1 + mu * gamma);
    const proper = bounded ? 1 - mu * gamma + round : 0;
    const bound = bounded ? 1 - mu * gamma - round : -Infinity;
    for (let p = 0; p < this.#n; p++) {
      const [y, q] = [this.#y[p]!, this.#q[p]!];
      const s = y * q;
      const shift = rho * this.#radius[p]! + this.#slack[p]! * wNorm + etaT;
      const outward = 8 * UNIT * (Math.abs(s) + shift + Math.abs(low) + Math.abs(high));
      const lo = s - shift + low - outward;
      const hi = s + shift + high + outward;
      const min = y > 0 ? lo : -hi; // of theta*
      const max = y > 0 ? hi : -lo;
      const away = Math.sqrt(this.#weight[p]!) * (gamma - this.#x[p]!); // from its bound
      let certified = this.#certified[p]!;
      if ((ball && min > proper) || (bounded && away > delta)) certified |= CERTIFIED.proper;
      if (min > 1) certified |= CERTIFIED.zero;
      if (max < bound) certified |= CERTIFIED.atBound;
      if (lo > 0) certified |= CERTIFIED.positive;
      if (hi < 0) certified |= CERTIFIED.negative;
      const margin = guardR * this.#radius[p]! + guard;
      certified &= ~CERTIFIED.agreed;
      if ((certified & CERTIFIED.positive && s + t > margin) || (certified & CERTIFIED.negative && s + t < -margin))
        certified |= CERTIFIED.agreed;
      this.#certified[p] = certified;
      if (certified & CERTIFIED.agreed) agreed++;
      if (certified & CERTIFIED.proper) properlyClassified++;
      if (certified & CERTIFIED.zero) zero++;
      if (certified & CERTIFIED.atBound) atBound++;
    }
    return { agreed, properlyClassified, zero, atBound };
  }

  /** What was certified so far no longer counts. */
  forget(): Answer<Tasks['forget']> {
    this.#certified.fill(0);
    return DONE;
  }

  /**
   * Shrinks rows that sit at a bound, in both iterates, with `delta` to spare at all offsets from low to high, and takes back those that no
   * longer do (method 1.11). Answers the number of active rows.
   */
  shrink({ low, high, delta }: Given<Tasks['shrink']>): Answer<Tasks['shrink']> {
    const shrinkable = (p: number): boolean => {
      const [q, x, gamma, up] = [this.#q[p]!, this.#x[p]!, this.#gamma, this.#y[p]! > 0];
      const min = q + (up ? low : -high); // of theta
      const max = q + (up ? high : -low);
      return x === 0 ? min > 1 + delta : x === gamma && max < 1 - this.#mu * gamma - delta;
    };
    // Rows that return: the pair (x, xPrev), with q of both, is then an exact state of FISTA on the whole problem.
    const before = this.#active;
    let changed = false;
    for (let p = before; p < this.#n; p++) {
      if (shrinkable(p)) continue;
      changed ||= this.#x[p] !== 0;
      this.#returns[p]!++;
      this.#swap(p, this.#active++);
    }
    if (this.#active > before) this.#margins(this.#wPrev, before, this.#active, this.#qPrev);
    // Rows that shrink move behind the others, which keep their order. If they are few they swap places with the last ones, which is
    // cheaper.
    const shrinks = (p: number) => this.#returns[p]! < MAX_RETURNS && this.#x[p] === this.#xPrev[p] && shrinkable(p);
    const order = this.#order(this.#active, shrinks);
    const active = this.#active - order.shrunk;
    if (order.shrunk * FEW >= this.#active) this.#reorder(order.positions);
    else for (let k = order.shrunk - 1; k >= 0; k--) this.#swap(order.positions[active + k]!, active + k);
    for (let p = active; p < this.#active; p++) changed ||= this.#x[p] !== 0;
    this.#active = active;
    if (changed) {
      this.#combine(this.#x, this.#active, this.#n, this.#wShrunk);
      this.#bShrunk = 0;
      for (let p = this.#active; p < this.#n; p++) this.#bShrunk += this.#y[p]! * (this.#weight[p]! * this.#x[p]!);
    }
    for (let p = this.#active; p < this.#n; p++) this.#xPrev[p] = this.#xNext[p] = this.#x[p]!;
    return { active: this.#active };
  }

  /** Makes all rows active, until `shrink` is performed again. */
  unshrink(): Answer<Tasks['unshrink']> {
    if (this.#active < this.#n) {
      this.#margins(this.#wPrev, this.#active, this.#n, this.#qPrev);
      this.#active = this.#n;
      this.#wShrunk.fill(0);
      this.#bShrunk = 0;
    }
    return { active: this.#active };
  }

  /**
   * The gradient of the primal in w at the best offset t (method 1.13): x = -psi'(theta), made balanced, and g = w - H'alpha. All rows must
   * be active. `first`: Newton's method begins here. Answers |g|².
   */
  gradient({ t, first }: Given<Tasks['gradient']>): Answer<Tasks['gradient']> {
    if (first) this.#xBefore = this.#x.slice();
    for (let p = 0; p < this.#n; p++) {
      this.#x[p] = clamp((1 - (this.#q[p]! + this.#y[p]! * t)) / this.#mu, 0, this.#gamma);
    }
    this.#balanceAll();
    this.#combine(this.#x, 0, this.#n, this.#wNext);
    let squared = 0;
    for (let j = 0; j < this.#d; j++) squared += (this.#w[j]! - this.#wNext[j]!) ** 2;
    return { squared };
  }

  /** Starts the solution of Newton's system at the gradient. Answers the squared norm of its residual (method 1.13). */
  linearize(): Answer<Tasks['linearize']> {
    const free = this.#free();
    this.#system = new NewtonSystem(this.#X, this.#inverseScale, this.#mu, {
      rows: Uint32Array.from(free, (p) => this.#row[p]!),
      weight: Float64Array.from(free, (p) => this.#weight[p]!),
    });
    this.#read += this.#system.read;
    return { residual: this.#system.start(this.#wNext.map((value, j) => value - this.#w[j]!)) };
  }

  /** One iteration of conjugate gradients. Answers the same. */
  conjugate(): Answer<Tasks['conjugate']> {
    const system = this.#system!;
    const before = system.read;
    const residual = system.iterate();
    this.#read += system.read - before;
    return { residual };
  }

  /**
   * The direction (p, tau) that was found: tau is the best change of the offset for p, while the free rows stay what they are. Its margins
   * are kept in qPrev. Answers tau, g·p and |p|².
   */
  direction(): Answer<Tasks['direction']> {
    const { p: direction } = this.#system!;
    this.#margins(direction, 0, this.#n, this.#qPrev);
    let [sum, weight] = [0, 0];
    for (const p of this.#free()) {
      sum += this.#weight[p]! * this.#y[p]! * this.#qPrev[p]!;
      weight += this.#weight[p]!;
    }
    const along = direction.reduce((total, p, j) => total + (this.#w[j]! - this.#wNext[j]!) * p, 0);
    return { tau: weight > 0 ? -sum / weight : 0, along, squared: squares(direction) };
  }

  /**
   * What the rows add to the slope of the primal from the beginning of the direction to `length` along it, Σ c (x + psi') s, where s_i is
   * what the direction adds to theta_i; and the slope of that, Σ c psi'' s². A row whose psi' does not change adds nothing, not even
   * rounding.
   */
  slope({ t, tau, length }: Given<Tasks['slope']>): Answer<Tasks['slope']> {
    let [slope, curvature] = [0, 0];
    for (let p = 0; p < this.#n; p++) {
      const y = this.#y[p]!;
      const s = this.#qPrev[p]! + y * tau;
      const free = (1 - (this.#q[p]! + y * t + length * s)) / this.#mu;
      slope += this.#weight[p]! * (this.#x[p]! - clamp(free, 0, this.#gamma)) * s;
      if (free > 0 && free < this.#gamma) curvature += (this.#weight[p]! * s * s) / this.#mu;
    }
    return { slope, curvature };
  }

  /** Moves w along the direction; the margins follow without a pass. */
  move({ length }: Given<Tasks['move']>): Answer<Tasks['move']> {
    const { p: direction } = this.#system!;
    for (let j = 0; j < this.#d; j++) this.#w[j]! += length * direction[j]!;
    for (let p = 0; p < this.#n; p++) this.#q[p]! += length * this.#qPrev[p]!;
    return DONE;
  }

  /** One power iteration for |HH'| on the balanced subspace, all rows active; `first` starts anew. Answers an estimate from below. */
  power({ first }: Given<Tasks['power']>): Answer<Tasks['power']> {
    const z = this.#xNext;
    if (first) for (let p = 0, state = 1; p < this.#n; p++) z[p] = (state = (state * 16807) % 2147483647) / 2147483647 - 0.5;
    let along = 0;
    for (let p = 0; p < this.#n; p++) along += this.#y[p]! * (this.#weight[p]! * z[p]!);
    const sum = this.#weightSum();
    for (let p = 0; p < this.#n; p++) z[p]! -= (this.#y[p]! * along) / sum;
    const square = z.reduce((total, value, p) => total + this.#weight[p]! * value * value, 0);
    const length = Math.sqrt(square) || 1; // it is 0 if the balanced subspace, or X on it, is 0
    for (let p = 0; p < this.#n; p++) z[p]! /= length;
    this.#combine(z, 0, this.#n, this.#wNext);
    const estimate = squares(this.#wNext);
    this.#margins(this.#wNext, 0, this.#n, this.#qNext);
    z.set(this.#qNext);
    return { estimate };
  }

  /**
   * Scores the model, at offset t, on the rows that take no part: of each class, how many it gets right, and how many there are; and the
   * sum of max(0, 1 - margin). It is not part of the solve, so what it reads is not counted.
   */
  score({ t }: Given<Tasks['score']>): Answer<Tasks['score']> {
    let [positiveRight, positive, negativeRight, negative, hinge] = [0, 0, 0, 0, 0];
    const values = new Float64Array(this.#row.length);
    this.#widen(this.#w);
    this.#X.multiplyRows(this.#row, this.#n, values.length, this.#wide, values);
    for (let p = this.#n; p < values.length; p++) {
      const value = values[p]! + t;
      hinge += Math.max(1 - this.#y[p]! * value, 0);
      if (this.#y[p]! > 0) {
        positive++;
        if (value > 0) positiveRight++;
      } else {
        negative++;
        if (value <= 0) negativeRight++;
      }
    }
    return { positiveRight, positive, negativeRight, negative, hinge };
  }

  /** Keeps w of the iterate that was checked, and alpha if asked for, in case a later task is interrupted. */
  keep({ alpha }: Given<Tasks['keep']>): Answer<Tasks['keep']> {
    this.#kept = { w: this.#w.slice(), alpha: undefined };
    if (alpha) this.alpha((this.#kept.alpha = new Float64Array(this.#X.describe().rows)));
    return DONE;
  }

  /** Goes back to the iterate that was kept: w and alpha are its own from now on. They are 0 if none was kept. */
  restore(): Answer<Tasks['restore']> {
    this.#w.fill(0);
    if (this.#kept) this.#w.set(this.#kept.w);
    this.#restored = true;
    return DONE;
  }

  /**
   * Writes the weights of raw data, by column as given (method 1.4); those of columns that are not kept stay as they are. Answers the bias.
   */
  model({ weights, t }: Given<Tasks['model']>): Answer<Tasks['model']> {
    const used = this.#X.used();
    const shift = this.#X.shifted?.shift;
    for (let j = 0; j < this.#d; j++) {
      const weight = this.#w[j]! * this.#inverseScale[j]! + 0; // + 0: no -0, which JSON does not keep
      weights[used ? used[j]! : j] = weight;
      if (shift) t -= shift[j]! * weight;
    }
    return { bias: t + 0 };
  }

  weights(out: Float64Array): void {
    out.set(this.#w);
  }

  /** m, by column, in scaled space. */
  centre(out: Float64Array): void {
    out.set(this.#centre);
  }

  /** By column, 1 / scale and what was subtracted before scaling. */
  columns(inverseScale: Float64Array, shift: Float64Array): void {
    inverseScale.set(this.#inverseScale);
    this.#X.shift(shift);
  }

  /** alpha by the user's row. */
  alpha(out: Float64Array): void {
    out.fill(0);
    if (!this.#restored) for (let p = 0; p < this.#n; p++) out[this.#row[p]!] = this.#weight[p]! * this.#x[p]!;
    else if (this.#kept?.alpha) out.set(this.#kept.alpha);
  }

  /** CERTIFIED bits by the user's row. */
  certified(out: Uint8Array): void {
    out.fill(0);
    for (let p = 0; p < this.#n; p++) out[this.#row[p]!] = this.#certified[p]!;
  }

  /** The positions [0, end), those that pass the test behind those that do not, both in their old order. */
  #order(end: number, test: (p: number) => boolean): { positions: Uint32Array; shrunk: number } {
    const passes = Array.from({ length: end }, (_, p) => test(p));
    const positions = new Uint32Array(end);
    let k = 0;
    for (let p = 0; p < end; p++) if (!passes[p]) positions[k++] = p;
    const shrunk = end - k;
    for (let p = 0; p < end; p++) if (passes[p]) positions[k++] = p;
    return { positions, shrunk };
  }

  get #byPosition() {
    return [
      this.#row,
      this.#y,
      this.#weight,
      this.#slack,
      this.#radius,
      this.#certified,
      this.#returns,
      this.#x,
      this.#xPrev,
      this.#q,
      this.#qPrev,
    ];
  }

  #reorder(positions: Uint32Array): void {
    for (const list of this.#byPosition) {
      const old = list.slice(0, positions.length);
      for (let p = 0; p < positions.length; p++) list[p] = old[positions[p]!]!;
    }
  }

  #swap(a: number, b: number): void {
    if (a === b) return;
    for (const list of this.#byPosition) {
      const held = list[a]!;
      list[a] = list[b]!;
      list[b] = held;
    }
  }
}

/** Sums over the numbers of a column: of their weights, of differences to about the mean, and of the squares of these, both weighted. */
interface Sums {
  readonly count: number;
  readonly weight: number;
  readonly sum: number;
  readonly square: number;
}

/** The weighted sum of squared differences from the mean; 0 if the numbers are all the same, so that it is nothing but rounding. */
function deviations({ count, weight, sum, square }: Sums): number {
  const found = square - (sum * sum) / weight;
  return found > 4 * count * UNIT * square ? found : 0;
}

/** The standard deviation. It is the largest |x| instead if that is 0, or if the numbers are too large or too small to be squared. */
function standard(sums: Sums, max: number): number {
  if (max > 1e120 || max < 1e-120) return max;
  return Math.sqrt(deviations(sums) / sums.weight) || max;
}

type Tuple5 = [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
type Tuple8 = [...Tuple5, Float64Array, Float64Array, Float64Array];

/** A hash, whose leading bits are its best. */
function scattered(value: number): number {
  const h = Math.imul(value, 0x85ebca6b);
  return Math.imul(h ^ (h >>> 15), 0xc2b2ae35);
}

/** The index of the largest product. */
function largestOf(max: Float64Array, inverse: Float64Array): number {
  let at = 0;
  for (let j = 1; j < max.length; j++) if (max[j]! * inverse[j]! > max[at]! * inverse[at]!) at = j;
  return at;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

function squares(v: Float64Array): number {
  return dot(v, v);
}

function dot(a: Float64Array, b: Float64Array): number {
  let s = 0;
  for (let i = 0; i < a.length; i++) s += a[i]! * b[i]!;
  return s;
}
