/**
 * Separation of two families of ellipsoids { c + A z : |z| <= 1 } as FISTA's loop sees it (method 4): the data, two iterates, and the
 * sweeps that a step or a test needs. Every public method that takes and gives named numbers is a task of ../tasks.ts. The twin of
 * native/kernels/esp.
 *
 * Problem: min 1/2 |Ax - b|², b = (1, 1, 0), x = a second-order cone block (lambda_i, p_i), |p_i| <= lambda_i, for each ellipsoid, where
 *            Ax        = ( sum lambda_i, sum mu_i, sum (lambda_i c_i + A_i p_i) - sum (mu_i d_i - B_i q_i) )
 *            A'(s,t,w) = blocks ( s + c_i·w, A_i'w ) and ( t - d_i·w, B_i'w )
 * Given:   centres and shapes of both families.
 * Wanted:  the normal that was kept, the supports along it; or the weights and sums that make nearly a common point of the hulls.
 * Source:  M. Hough and S. A. Vavasis, arXiv:2512.03947; method 4.2.
 *
 * Data stay as the user gave them. The problem solved has (c - origin) / size and A / size in their place, so that the largest norm is 1;
 * both are applied on the fly. Answers are in the user's units, positions along a normal relative to the origin.
 */
import type { OnEllipsoidDefect } from '../interface.js';
import { ESP_TASKS, type Answer, type Given, type TaskArgument } from '../tasks.js';
import { soon } from '../../platform/host.js';
import { performer, type Twin } from './perform.js';
import { KIND, shapeSize } from '../encodings.js';
import { projectCone } from './cones.js';

type Tasks = typeof ESP_TASKS;

const performTask = performer(ESP_TASKS);

/** What is answered of an iterate's residual v = b - Ax; see `sweep`. */
type Residual = Pick<Answer<Tasks['sweep']>, 'residual' | 'apart' | 's' | 't' | 'w'>;

/** The max and the min of n·(z - origin) over each family, for a unit normal n (method C12). NaN if there is no normal. */
type Ranges = { -readonly [N in keyof Answer<Tasks['test']>]: number };

const NOT_TESTED: Ranges = { high1: NaN, low1: NaN, high2: NaN, low2: NaN };

export class Esp implements Twin<Tasks> {
  /** What the data were multiplied by when they were copied: a power of two, 1 unless they are huge or tiny. */
  readonly unit: number;
  readonly #d: number;
  readonly #n: number;
  readonly #first: number; // ellipsoids of the first family, which come first
  readonly #c: Float64Array;
  readonly #kind: Uint8Array;
  readonly #shape: Float64Array;
  readonly #at: Float64Array; // where each shape begins
  readonly #pAt: Float64Array; // where each p begins; a point has none
  readonly #norm: Float64Array; // |A_i|, from above
  readonly #frobenius: Float64Array;

  readonly #origin: Float64Array;
  #inverse = 1; // 1 / size
  // Two iterates and a candidate: blocks, residual v = (s, t, w), and the sums of lambda (c - origin) ± A p by family.
  #l: Float64Array[];
  #p: Float64Array[];
  #v: Float64Array[];
  #sums: Float64Array[];
  #tested: Float64Array; // unit normal of the last test
  #best: Float64Array; // the one kept
  readonly #support: Float64Array; // by ellipsoid, for the normal kept
  readonly #power: Float64Array;
  readonly #wide: Float64Array;
  readonly #block: Float64Array;

  constructor(
    onDefect: OnEllipsoidDefect,
    _threads: number,
    d: number,
    centers1: Data,
    kinds1: Uint8Array,
    shapes1: Data,
    centers2: Data,
    kinds2: Uint8Array,
    shapes2: Data,
  ) {
    this.#d = d;
    this.#first = kinds1.length;
    const n = (this.#n = kinds1.length + kinds2.length);
    [centers1, shapes1, centers2, shapes2].forEach((list, k) => {
      const at = list.findIndex((value) => !Number.isFinite(value));
      if (at >= 0) onDefect(k >> 1, k & 1, at);
    });
    this.#kind = join(Uint8Array, kinds1, kinds2);
    this.#c = join(Float64Array, centers1, centers2);
    this.#shape = join(Float64Array, shapes1, shapes2);
    this.unit = unitOf(Math.max(maxAbs(this.#c), maxAbs(this.#shape)));
    if (this.unit !== 1) for (const list of [this.#c, this.#shape]) list.forEach((value, k) => (list[k] = value * this.unit));
    this.#at = new Float64Array(n + 1);
    this.#pAt = new Float64Array(n + 1);
    this.#norm = new Float64Array(n);
    this.#frobenius = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      this.#at[i + 1] = this.#at[i]! + shapeSize(this.#kind[i]!, d);
      this.#pAt[i + 1] = this.#pAt[i]! + (this.#kind[i] === KIND.point ? 0 : d);
      this.#measureShape(i);
    }
    const three = (size: number) => Array.from({ length: 3 }, () => new Float64Array(size));
    this.#origin = new Float64Array(d);
    this.#l = three(n);
    this.#p = three(this.#pAt[n]!);
    this.#v = three(d + 2);
    this.#sums = three(2 * d);
    for (const v of this.#v) v.fill(1, 0, 2); // x = 0
    [this.#tested, this.#best, this.#wide] = three(d) as [Float64Array, Float64Array, Float64Array];
    this.#block = new Float64Array(d);
    this.#support = new Float64Array(n);
    this.#power = new Float64Array(d + 2);
  }

  perform(name: string, ...args: TaskArgument[]): Float64Array {
    return performTask(this, name, args);
  }

  /** Lets the event loop run first. */
  async later(name: string, ...args: TaskArgument[]): Promise<Float64Array> {
    await new Promise<void>(soon);
    return this.perform(name, ...args);
  }

  dispose(): void {}

  /** |A| (of a full matrix, the smaller of two upper bounds) and |A|_F; upper bounds where squares overflow or underflow. */
  #measureShape(i: number): void {
    const d = this.#d;
    const a = this.#shape.subarray(this.#at[i], this.#at[i + 1]);
    const max = maxAbs(a);
    if (this.#kind[i] === KIND.ball) {
      this.#norm[i] = Math.abs(a[0]!);
      this.#frobenius[i] = Math.abs(a[0]!) * Math.sqrt(d);
      return;
    }
    const frobenius = (this.#frobenius[i] = plain(max) ? Math.sqrt(squares(a)) : max * Math.sqrt(a.length));
    this.#norm[i] = this.#kind[i] === KIND.full ? Math.min(frobenius, mixedNorm(a, d)) : max;
  }

  /** out = A_i'w */
  #transposed(i: number, w: Float64Array, out: Float64Array): void {
    const d = this.#d;
    const at = this.#at[i]!;
    const a = this.#shape;
    const kind = this.#kind[i];
    if (kind === KIND.full) {
      out.fill(0);
      for (let r = 0; r < d; r++) for (let j = 0; j < d; j++) out[j]! += a[at + r * d + j]! * w[r]!;
    } else {
      const step = kind === KIND.diagonal ? 1 : 0;
      for (let j = 0; j < d; j++) out[j] = a[at + step * j]! * w[j]!;
    }
  }

  /** sum += lambda (c_i - origin) + sign A_i p, from entry `to` on. */
  #add(i: number, lambda: number, sign: number, p: Float64Array, pAt: number, sum: Float64Array, to: number): void {
    const d = this.#d;
    const at = this.#at[i]!;
    const a = this.#shape;
    const kind = this.#kind[i];
    for (let j = 0; j < d; j++) sum[to + j]! += lambda * (this.#c[i * d + j]! - this.#origin[j]!);
    if (kind === KIND.full) {
      for (let r = 0; r < d; r++) {
        let dot = 0;
        for (let j = 0; j < d; j++) dot += a[at + r * d + j]! * p[pAt + j]!;
        sum[to + r]! += sign * dot;
      }
    } else if (kind !== KIND.point) {
      const step = kind === KIND.diagonal ? 1 : 0;
      for (let j = 0; j < d; j++) sum[to + j]! += sign * a[at + step * j]! * p[pAt + j]!;
    }
  }

  /** (c_i - origin)·w */
  #along(i: number, w: Float64Array): number {
    let dot = 0;
    for (let j = 0; j < this.#d; j++) dot += (this.#c[i * this.#d + j]! - this.#origin[j]!) * w[j]!;
    return dot;
  }

  /** |A_i'w| */
  #halfWidth(i: number, w: Float64Array): number {
    if (this.#kind[i] === KIND.point) return 0;
    this.#transposed(i, w, this.#block);
    return Math.sqrt(squares(this.#block));
  }

  /**
   * Sets the origin (the middle of the two means of centres, or 0) and the size. Answers the curvature along A'b, the size, an upper bound
   * of |c_i| + |A_i|_F (the reach), and one of |A|² (the cap); method 4.2, 4.3.
   */
  begin({ centred }: Given<Tasks['begin']>): Answer<Tasks['begin']> {
    const d = this.#d;
    if (centred) {
      for (let j = 0; j < d; j++) {
        // Sums are of differences to the very first centre, so that a common offset does not cost digits.
        let [a, b] = [0, 0];
        for (let i = 0; i < this.#n; i++) {
          const c = this.#c[i * d + j]! - this.#c[j]!;
          if (i < this.#first) a += c;
          else b += c;
        }
        this.#origin[j] = this.#c[j]! + (a / this.#first + b / (this.#n - this.#first)) / 2;
      }
    }
    return this.#measure();
  }

  /** Sets the size for this origin, and makes the answer of `begin`. */
  #measure(): Answer<Tasks['begin']> {
    const [d, n, first] = [this.#d, this.#n, this.#first];
    let [size, reach] = [0, 0];
    const difference = new Float64Array(d);
    for (let i = 0; i < n; i++) {
      let [square, max] = [0, 0];
      for (let j = 0; j < d; j++) {
        const c = this.#c[i * d + j]! - this.#origin[j]!;
        square += c * c;
        max = Math.max(max, Math.abs(c));
        difference[j]! += i < first ? c : -c;
      }
      // An upper bound instead where squares could overflow or underflow.
      const norm = max === 0 ? 0 : plain(max) ? Math.sqrt(square) : max * Math.sqrt(d);
      size = Math.max(size, norm, this.#norm[i]!);
      reach = Math.max(reach, norm + this.#frobenius[i]!);
    }
    if (size === 0) size = 1;
    this.#inverse = 1 / size;
    return {
      curvature: (first ** 2 + (n - first) ** 2 + squares(difference.map((x) => x * this.#inverse))) / n,
      size,
      reach: reach * (1 + (d + 8) * 2 ** -53),
      cap: n * (1 + (reach / size) ** 2),
    };
  }

  /**
   * The candidate x⁺ = proj(y + A'v(y) / L) from y = x + beta (x - xPrev), and its residual v⁺ (method 4.3). With s = x⁺ - y it answers
   * |s|² (squared), |As|² (image), (y - x⁺)·(x⁺ - x) (turn), the sums of lambda⁺ and of mu⁺, |v⁺|² (residual), the distance of the two
   * hulls' points that x⁺ makes (apart), and s, t and |w| of v⁺; with `testing` also the ranges along x's own w, as `test` does.
   */
  sweep({ L, beta, testing }: Given<Tasks['sweep']>): Answer<Tasks['sweep']> {
    const [d, n, first] = [this.#d, this.#n, this.#first];
    const [l, lPrev, lNext] = this.#l as Three;
    const [p, pPrev, pNext] = this.#p as Three;
    const [v, vPrev, vNext] = this.#v as Three;
    const sum = this.#sums[2]!.fill(0);
    const vy = v.map((value, k) => value + beta * (value - vPrev[k]!));
    const wide = this.#wide;
    for (let j = 0; j < d; j++) wide[j] = vy[2 + j]! * this.#inverse;
    let [squared, turn, image] = [0, 0, 0];
    const lambda: [number, number] = [0, 0]; // sums by family
    const ranges = testing && this.#aim(v) ? { high1: -Infinity, low1: Infinity, high2: -Infinity, low2: Infinity } : undefined;
    const block = this.#block;
    for (let i = 0; i < n; i++) {
      const sign = i < first ? 1 : -1;
      const yl = l[i]! + beta * (l[i]! - lPrev[i]!);
      const zl = yl + (vy[i < first ? 0 : 1]! + sign * this.#along(i, wide)) / L;
      const at = this.#pAt[i]!;
      const round = this.#kind[i] !== KIND.point;
      let square = 0;
      if (round) {
        this.#transposed(i, wide, block);
        for (let j = 0; j < d; j++) {
          const k = at + j;
          const z = (pNext[k] = p[k]! + beta * (p[k]! - pPrev[k]!) + block[j]! / L);
          square += z * z;
        }
      }
      const { l: xl, share } = projectCone(zl, pNext, at, round ? at + d : at, square);
      lNext[i] = xl;
      squared += (xl - yl) ** 2;
      turn += (yl - xl) * (xl - l[i]!);
      lambda[i < first ? 0 : 1] += xl;
      if (round) {
        for (let j = 0; j < d; j++) {
          const k = at + j;
          const y = p[k]! + beta * (p[k]! - pPrev[k]!);
          const x = (pNext[k]! *= share);
          squared += (x - y) ** 2;
          turn += (y - x) * (x - p[k]!);
        }
      }
      this.#add(i, xl, sign, pNext, at, sum, i < first ? 0 : d);
      if (ranges) this.#widen(ranges, i);
    }
    const [sum1, sum2] = lambda;
    const residual = this.#residual(sum, lambda, vNext);
    for (let k = 0; k < d + 2; k++) image += (vy[k]! - vNext[k]!) ** 2;
    return { squared, image, turn, sum1, sum2, ...residual, ...(ranges ?? NOT_TESTED) };
  }

  /** v = b - Ax, from the sums by family of lambda (c - origin) ± A p and of lambda; and what is answered of it. */
  #residual(sum: Float64Array, [sum1, sum2]: readonly [number, number], v: Float64Array): Residual {
    const d = this.#d;
    v[0] = 1 - sum1;
    v[1] = 1 - sum2;
    let [apart, w] = [0, 0];
    for (let j = 0; j < d; j++) {
      v[2 + j] = (sum[d + j]! - sum[j]!) * this.#inverse;
      w += v[2 + j]! ** 2;
      apart += ((sum[j]! / sum1 - sum[d + j]! / sum2) * this.#inverse) ** 2;
    }
    return {
      residual: v[0] ** 2 + v[1] ** 2 + w,
      apart: Math.sqrt(apart) / this.#inverse,
      s: v[0],
      t: v[1],
      w: Math.sqrt(w),
    };
  }

  /** Makes the unit normal along a residual's w the one to test; false if w is 0. */
  #aim(v: Float64Array): boolean {
    let max = 0;
    for (let j = 0; j < this.#d; j++) max = Math.max(max, Math.abs(v[2 + j]!));
    if (!(max > 0)) return false;
    const scaled = this.#tested;
    for (let j = 0; j < this.#d; j++) scaled[j] = v[2 + j]! / max;
    const norm = Math.sqrt(squares(scaled));
    for (let j = 0; j < this.#d; j++) scaled[j]! /= norm;
    return true;
  }

  /** Widens the range of ellipsoid i's family, along the tested normal, by this ellipsoid. */
  #widen(ranges: Ranges, i: number): void {
    const middle = this.#along(i, this.#tested);
    const half = this.#halfWidth(i, this.#tested);
    if (i < this.#first) {
      ranges.high1 = Math.max(ranges.high1, middle + half);
      ranges.low1 = Math.min(ranges.low1, middle - half);
    } else {
      ranges.high2 = Math.max(ranges.high2, middle + half);
      ranges.low2 = Math.min(ranges.low2, middle - half);
    }
  }

  /** The ranges of n·(z - origin) over both families, n the unit normal of the iterate's w (method C12). */
  test(): Answer<Tasks['test']> {
    if (!this.#aim(this.#v[0]!)) return NOT_TESTED;
    const ranges = { high1: -Infinity, low1: Infinity, high2: -Infinity, low2: Infinity };
    for (let i = 0; i < this.#n; i++) this.#widen(ranges, i);
    return ranges;
  }

  /**
   * By ellipsoid, the support along the normal kept: the max for the first family, the min for the second. Answers max and min of these.
   */
  verify(): Answer<Tasks['verify']> {
    let [max, min] = [-Infinity, Infinity];
    for (let i = 0; i < this.#n; i++) {
      const middle = this.#along(i, this.#best);
      const half = this.#halfWidth(i, this.#best);
      const support = (this.#support[i] = i < this.#first ? middle + half : middle - half);
      if (i < this.#first) max = Math.max(max, support);
      else min = Math.min(min, support);
    }
    return { max, min };
  }

  /**
   * Moves the origin to the middle of the two hulls' points and sets the size anew (method 4.4). x stays, its residual is computed afresh,
   * and both iterates become x. Answers as `begin`.
   */
  move(): Answer<Tasks['move']> {
    const [d, n, first] = [this.#d, this.#n, this.#first];
    let [a, b] = [0, 0];
    for (let i = 0; i < n; i++) {
      if (i < first) a += this.#l[0]![i]!;
      else b += this.#l[0]![i]!;
    }
    const sum = this.#sums[0]!;
    if (a > 0 && b > 0) for (let j = 0; j < d; j++) this.#origin[j]! += (sum[j]! / a + sum[d + j]! / b) / 2;
    const answer = this.#measure();
    sum.fill(0);
    for (let i = 0; i < n; i++) {
      this.#add(i, this.#l[0]![i]!, i < first ? 1 : -1, this.#p[0]!, this.#pAt[i]!, sum, i < first ? 0 : d);
    }
    this.#residual(sum, [a, b], this.#v[0]!);
    for (const list of [this.#l, this.#p, this.#v]) list[1]!.set(list[0]!);
    return answer;
  }

  /** One power iteration on AA' for |A|²; `first` starts anew. Answers an estimate from below. */
  power({ first }: Given<Tasks['power']>): Answer<Tasks['power']> {
    const [d, n] = [this.#d, this.#n];
    const v = this.#power;
    if (first) for (let k = 0, state = 1; k < d + 2; k++) v[k] = (state = (state * 16807) % 2147483647) / 2147483647 - 0.5;
    const norm = Math.sqrt(squares(v));
    for (let k = 0; k < d + 2; k++) v[k]! /= norm;
    const [wide, block] = [this.#wide, this.#block];
    for (let j = 0; j < d; j++) wide[j] = v[2 + j]! * this.#inverse;
    const sum = this.#sums[2]!.fill(0);
    let [a, b] = [0, 0];
    for (let i = 0; i < n; i++) {
      const sign = i < this.#first ? 1 : -1;
      const l = v[i < this.#first ? 0 : 1]! + sign * this.#along(i, wide);
      if (i < this.#first) a += l;
      else b += l;
      if (this.#kind[i] !== KIND.point) this.#transposed(i, wide, block);
      this.#add(i, l, sign, block, 0, sum, i < this.#first ? 0 : d);
    }
    v[0] = a;
    v[1] = b;
    for (let j = 0; j < d; j++) v[2 + j] = (sum[j]! - sum[d + j]!) * this.#inverse;
    return { estimate: Math.sqrt(squares(v)) };
  }

  /** The candidate becomes the iterate. */
  accept(): void {
    for (const list of [this.#l, this.#p, this.#v, this.#sums]) list.unshift(list.pop()!);
  }

  /** Keeps the normal that was tested last, or its opposite. */
  keep(opposite: boolean): void {
    [this.#tested, this.#best] = [this.#best, this.#tested];
    if (opposite) for (let j = 0; j < this.#d; j++) this.#best[j] = -this.#best[j]!;
  }

  /** The normal kept. */
  normal(out: Float64Array): void {
    out.set(this.#best);
  }

  origin(out: Float64Array): void {
    out.set(this.#origin);
  }

  /** What `verify` found, by ellipsoid. */
  supports(out: Float64Array): void {
    out.set(this.#support);
  }

  /** lambda by ellipsoid of the first family, then mu of the second. */
  weights(out: Float64Array): void {
    out.set(this.#l[0]!);
  }

  /** The sums of lambda (c - origin) + A p over the first family, and of mu (d - origin) - B q over the second. */
  sums(out: Float64Array): void {
    out.set(this.#sums[0]!);
  }

  /** out = Ax: l by ellipsoid, p of d entries for each that is not a point. */
  applyA(l: Float64Array, p: Float64Array, out: Float64Array): void {
    const d = this.#d;
    const sum = new Float64Array(2 * d);
    out[0] = out[1] = 0;
    for (let i = 0; i < this.#n; i++) {
      const family = i < this.#first ? 0 : 1;
      out[family]! += l[i]!;
      this.#add(i, l[i]!, 1 - 2 * family, p, this.#pAt[i]!, sum, family * d);
    }
    for (let j = 0; j < d; j++) out[2 + j] = (sum[j]! - sum[d + j]!) * this.#inverse;
  }

  /** l, p = A'v */
  applyAT(v: Float64Array, l: Float64Array, p: Float64Array): void {
    const w = v.slice(2).map((value) => value * this.#inverse);
    for (let i = 0; i < this.#n; i++) {
      const family = i < this.#first ? 0 : 1;
      l[i] = v[family]! + (1 - 2 * family) * this.#along(i, w);
      if (this.#kind[i] === KIND.point) continue;
      this.#transposed(i, w, this.#block);
      p.set(this.#block, this.#pAt[i]);
    }
  }
}

type Data = Float64Array | Float32Array;
type Three = [Float64Array, Float64Array, Float64Array];

function join<A extends Float64Array | Uint8Array>(Kind: new (n: number) => A, a: ArrayLike<number>, b: ArrayLike<number>): A {
  const all = new Kind(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}

function squares(v: Float64Array): number {
  let s = 0;
  for (let i = 0; i < v.length; i++) s += v[i]! * v[i]!;
  return s;
}

function plain(max: number): boolean {
  return max > 1e-120 && max < 1e120;
}

function maxAbs(list: Float64Array): number {
  let max = 0;
  for (let k = 0; k < list.length; k++) max = Math.max(max, Math.abs(list[k]!));
  return max;
}

/** 1, or the power of two that brings a huge or tiny number near 1, so that it can be squared and subtracted. */
function unitOf(max: number): number {
  if (max === 0 || (max > 1e-100 && max < 1e100)) return 1;
  return 2 ** Math.min(Math.max(-Math.floor(Math.log2(max)), -1000), 1000);
}

/** sqrt(|A|_1 |A|_inf) >= |A|_2 */
function mixedNorm(a: Float64Array, d: number): number {
  const [rows, cols] = [new Float64Array(d), new Float64Array(d)];
  for (let r = 0; r < d; r++) {
    for (let j = 0; j < d; j++) {
      rows[r]! += Math.abs(a[r * d + j]!);
      cols[j]! += Math.abs(a[r * d + j]!);
    }
  }
  return Math.sqrt(maxAbs(rows)) * Math.sqrt(maxAbs(cols));
}
