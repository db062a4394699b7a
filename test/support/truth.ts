/**
 * The exact optimum of small SVM problems (method 1.1), found independently of the package: Newton's method on the smoothed primal in
 * double-double arithmetic (about 31 digits).
 *
 * With t minimised out, P is 1-strongly convex in w, so |w - w*| is at most the norm of the gradient, which bounds the error of the answer.
 */

/** A double-double: the unevaluated sum of two doubles. */
export type Quad = readonly [high: number, low: number];

/** A list of double-doubles. */
export interface Quads {
  readonly h: Float64Array;
  readonly l: Float64Array;
}

const r = new Float64Array(2); // the result of addTo and multiplyTo

function addTo(ah: number, al: number, bh: number, bl: number): void {
  const s = ah + bh;
  const v = s - ah;
  let e = ah - (s - v) + (bh - v);
  const t = al + bl;
  const vt = t - al;
  const f = al - (t - vt) + (bl - vt);
  e += t;
  const high = s + e;
  const low = e - (high - s) + f;
  r[0] = high + low;
  r[1] = low - (r[0] - high);
}

function multiplyTo(ah: number, al: number, bh: number, bl: number): void {
  const p = ah * bh;
  const ca = 134217729 * ah;
  const cb = 134217729 * bh;
  const ahh = ca - (ca - ah);
  const bhh = cb - (cb - bh);
  const ahl = ah - ahh;
  const bhl = bh - bhh;
  const e = ahh * bhh - p + ahh * bhl + ahl * bhh + ahl * bhl + (ah * bl + al * bh);
  r[0] = p + e;
  r[1] = e - (r[0] - p);
}

const taken = (): Quad => [r[0]!, r[1]!];
export const quad = (a: number): Quad => [a, 0];
export function add(a: Quad, b: Quad): Quad {
  addTo(a[0], a[1], b[0], b[1]);
  return taken();
}
export const negate = (a: Quad): Quad => [-a[0], -a[1]];
export const subtract = (a: Quad, b: Quad): Quad => add(a, negate(b));
export function multiply(a: Quad, b: Quad): Quad {
  multiplyTo(a[0], a[1], b[0], b[1]);
  return taken();
}
export function divide(a: Quad, b: Quad): Quad {
  const q1 = a[0] / b[0];
  let rest = subtract(a, multiply(b, quad(q1)));
  const q2 = rest[0] / b[0];
  rest = subtract(rest, multiply(b, quad(q2)));
  return add(add(quad(q1), quad(q2)), quad(rest[0] / b[0]));
}
function root(a: Quad): Quad {
  if (a[0] <= 0) return quad(0);
  const x = Math.sqrt(a[0]);
  const rest = subtract(a, multiply(quad(x), quad(x)));
  return add(quad(x), quad(rest[0] / (2 * x)));
}
const less = (a: Quad, b: Quad): boolean => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
const times = (sign: number, a: Quad): Quad => (sign > 0 ? a : negate(a));

const quads = (n: number): Quads => ({ h: new Float64Array(n), l: new Float64Array(n) });
const at = (v: Quads, i: number): Quad => [v.h[i]!, v.l[i]!];
function put(v: Quads, i: number, a: Quad): void {
  v.h[i] = a[0];
  v.l[i] = a[1];
}

/** a[from ..]·b */
function dot(a: Quads, from: number, b: Quads): Quad {
  let h = 0;
  let l = 0;
  for (let j = 0; j < b.h.length; j++) {
    multiplyTo(a.h[from + j]!, a.l[from + j]!, b.h[j]!, b.l[j]!);
    addTo(h, l, r[0]!, r[1]!);
    h = r[0]!;
    l = r[1]!;
  }
  return [h, l];
}

/** out += factor a[from ..] */
function addMultiple(out: Quads, factor: Quad, a: Quads, from: number): void {
  for (let j = 0; j < out.h.length; j++) {
    multiplyTo(factor[0], factor[1], a.h[from + j]!, a.l[from + j]!);
    addTo(out.h[j]!, out.l[j]!, r[0]!, r[1]!);
    out.h[j] = r[0]!;
    out.l[j] = r[1]!;
  }
}

const norm = (a: Quads): number => root(dot(a, 0, a))[0];

/** The training problem: row i, column j is (value(i, j) - shift[j]) * factor[j], evaluated to 31 digits. */
export interface Data {
  readonly rows: number;
  readonly cols: number;
  readonly value: (i: number, j: number) => number;
  readonly shift: Float64Array;
  readonly factor: Float64Array;
  readonly y: ArrayLike<number>;
  /** Factors on the rows' losses; rows of weight 0 take no part. */
  readonly weight: Float64Array;
  /** Infinity: the squared hinge, max(0, 1 - theta)² / (2 mu). */
  readonly gamma: number;
  readonly mu: number;
}

export interface Truth {
  /** Whether the answer is accurate enough to compare with. */
  readonly sure: boolean;
  /** A bound on |w - w*|. */
  readonly error: number;
  readonly wNorm: number;
  /** w*, in scaled space, rounded to doubles. */
  readonly w: Float64Array;
  /** Whether the optimal offset is unique or the optimal offsets form an interval, whose ends are then both optimal. */
  readonly offsets: 'one' | 'interval' | 'unsure';
  readonly alpha: Float64Array;
  /** P*, known to within optimumError. */
  readonly optimum: Quad;
  readonly optimumError: number;
  readonly primal: number;
  /** theta* of each row at the first and at the last optimal offset, and a bound on its error. */
  readonly theta: readonly [first: Quads, last: Quads];
  readonly thetaError: Float64Array;
  /** The lower kink, below which alpha* is at its bound; undefined if there is none. The upper one is 1. */
  readonly kink: Quad | undefined;
  /** The position of the model (w, t) relative to the optimum. */
  readonly judge: (w: Float64Array, t: number) => Position;
  /** The optimal decision values of a point, in the units of `value`. */
  readonly decide: (point: ArrayLike<number>) => Decision;
}

/** Decision values at the first and at the last optimal offset, each known to within `error`. */
export interface Decision {
  readonly first: Quad;
  readonly last: Quad;
  readonly error: number;
}

/** A model relative to the optimum. */
export interface Position {
  readonly distance: number; // |w - w*|
  readonly excess: number; // P(w, t) - P*
  readonly primal: number;
  readonly theta: Quads;
}

export function solve(data: Data): Truth {
  const { rows: n, cols: d, y, weight, gamma, mu } = data;
  // Centred by c, the column means of the scaled rows rounded to doubles.
  const x = quads(n * d);
  const c = quads(d);
  for (let j = 0; j < d; j++) {
    let sum = quad(0);
    for (let i = 0; i < n; i++) {
      const value = multiply(subtract(quad(data.value(i, j)), quad(data.shift[j]!)), quad(data.factor[j]!));
      put(x, i * d + j, value);
      sum = add(sum, value);
    }
    const mean = quad(sum[0] / n);
    put(c, j, mean);
    for (let i = 0; i < n; i++) put(x, i * d + j, subtract(at(x, i * d + j), mean));
  }
  const bounded = Number.isFinite(gamma);
  const muGamma = bounded ? multiply(quad(mu), quad(gamma)) : quad(Infinity);
  const kink = bounded ? subtract(quad(1), muGamma) : undefined;
  const taking = Array.from({ length: n }, (_, i) => i).filter((i) => weight[i]! > 0);
  const weighed = (i: number, a: Quad): Quad => multiply(quad(weight[i]!), a);
  const margin = (i: number, s: Quad, t: Quad): Quad => times(y[i]!, add(s, t));

  /** mu alpha at margin theta: the weight times clamp(1 - theta, 0, mu gamma) */
  const slope = (i: number, theta: Quad): Quad => {
    const free = subtract(quad(1), theta);
    if (free[0] <= 0) return quad(0);
    return weighed(i, less(free, muGamma) ? free : muGamma);
  };
  const psi = (i: number, theta: Quad): Quad => {
    const below = subtract(quad(1), theta);
    if (below[0] <= 0) return quad(0);
    if (less(below, muGamma)) return weighed(i, divide(multiply(below, below), quad(2 * mu)));
    return weighed(i, multiply(quad(gamma), subtract(below, multiply(quad(0.5), muGamma))));
  };

  /** All t that minimise P(w, ·): the first and the last root of H = mu dP/dt. */
  function bestOffsets(s: Quads): { first: Quad; last: Quad; offsets: Truth['offsets'] } {
    const breaks: Quad[] = [];
    let [far, total] = [0, 0];
    for (const i of taking) {
      breaks.push(subtract(quad(y[i]!), at(s, i)));
      if (kink) breaks.push(subtract(times(y[i]!, kink), at(s, i)));
      far = Math.max(far, Math.abs(s.h[i]!));
      total += weight[i]!;
    }
    // No term of H is larger at a breakpoint.
    const exact = 1e-30 * total * Math.min(muGamma[0], 2 + 2 * far);
    breaks.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const H = (t: Quad): number => {
      let sum = quad(0);
      for (const i of taking) sum = add(sum, times(-y[i]!, slope(i, margin(i, at(s, i), t))));
      return sum[0];
    };
    const search = (test: (h: number) => boolean): number => {
      let low = -1; // fails
      let high = breaks.length; // passes
      while (high - low > 1) {
        const m = (low + high) >> 1;
        if (test(H(breaks[m]!))) high = m;
        else low = m;
      }
      return high;
    };
    // Far from the optimum rounding may hide the root, and any t is good enough there.
    const a = Math.min(
      Math.max(
        search((h) => h >= -exact),
        1,
      ),
      breaks.length - 1,
    );
    const b = Math.max(
      search((h) => h > exact), // the first break past the root
      a + 1,
    );
    const atA = H(breaks[a]!);
    if (atA > exact) {
      // The root lies inside the segment before a, where H is linear.
      const middle = multiply(quad(0.5), add(breaks[a - 1]!, breaks[a]!));
      let k = quad(0);
      for (const i of taking) {
        const free = subtract(quad(1), margin(i, at(s, i), middle));
        if (free[0] > 0 && less(free, muGamma)) k = add(k, quad(weight[i]!));
      }
      // H again, in double-double: the difference from 0 matters.
      let sum = quad(0);
      for (const i of taking) sum = add(sum, times(-y[i]!, slope(i, margin(i, at(s, i), breaks[a]!))));
      const t = subtract(breaks[a]!, divide(sum, k));
      return { first: t, last: t, offsets: atA < 1e6 * exact ? 'unsure' : 'one' };
    }
    return { first: breaks[a]!, last: breaks[b - 1]!, offsets: b - 1 > a && less(breaks[a]!, breaks[b - 1]!) ? 'interval' : 'one' };
  }

  interface State {
    w: Quads;
    s: Quads;
    found: ReturnType<typeof bestOffsets>;
    t: Quad;
    gradient: Quads;
    size: number;
    primal: Quad;
    scale: number;
  }
  function stateAt(w: Quads): State {
    const s = quads(n);
    for (let i = 0; i < n; i++) put(s, i, dot(x, i * d, w));
    const found = bestOffsets(s);
    const t = multiply(quad(0.5), add(found.first, found.last));
    const gradient: Quads = { h: w.h.slice(), l: w.l.slice() };
    let primal = multiply(quad(0.5), dot(w, 0, w));
    let scale = norm(w);
    for (const i of taking) {
      const theta = margin(i, at(s, i), t);
      const alpha = divide(slope(i, theta), quad(mu));
      if (alpha[0] !== 0) addMultiple(gradient, times(-y[i]!, alpha), x, i * d);
      primal = add(primal, psi(i, theta));
      scale += alpha[0] * radius[i]!;
    }
    return { w, s, found, t, gradient, size: norm(gradient), primal, scale };
  }
  const radius = Float64Array.from({ length: n }, (_, i) =>
    Math.sqrt(dot(x, i * d, { h: x.h.subarray(i * d, i * d + d), l: x.l.subarray(i * d, i * d + d) })[0]),
  );

  let state = stateAt(quads(d));
  for (let k = 0; k < 300 && state.size > 1e-29 * state.scale; k++) {
    const direction = newton(state);
    let along = 0;
    for (let j = 0; j < d; j++) along += direction.h[j]! * state.gradient.h[j]!;
    let next: State | undefined;
    // The first step moves no row by more than 1000 times the scale of the margins and kinks.
    let reach = 0;
    let room = 1;
    for (let i = 0; i < n; i++) {
      reach = Math.max(reach, Math.abs(dot(x, i * d, direction)[0]));
      room = Math.max(room, Math.abs(state.s.h[i]!), bounded ? muGamma[0] : 0);
    }
    for (let step = Math.min(1, (1e3 * room) / reach), tries = 0; tries < 60; step /= 2, tries++) {
      const w: Quads = { h: state.w.h.slice(), l: state.w.l.slice() };
      addMultiple(w, quad(step), direction, 0);
      const there = stateAt(w);
      // Near the optimum P no longer distinguishes two points; the gradient does.
      const near = state.size <= 1e-10 * state.scale && there.size <= 0.5 * state.size;
      if (near || subtract(there.primal, state.primal)[0] <= 1e-4 * step * along) {
        next = there;
        break;
      }
    }
    if (!next) break;
    state = next;
  }

  /** Newton's direction for the function of w alone: (I + weighted scatter of the quadratic rows / mu) p = -gradient, by Cholesky. */
  function newton({ s, t, gradient }: State): Quads {
    const inside = taking.filter((i) => {
      const free = subtract(quad(1), margin(i, at(s, i), t));
      return free[0] > 0 && less(free, muGamma);
    });
    const mean = quads(d);
    let total = quad(0);
    for (const i of inside) {
      addMultiple(mean, quad(weight[i]!), x, i * d);
      total = add(total, quad(weight[i]!));
    }
    if (inside.length > 0) for (let j = 0; j < d; j++) put(mean, j, divide(at(mean, j), total));
    const A = quads(d * d);
    const row = quads(d);
    for (const i of inside) {
      for (let j = 0; j < d; j++) put(row, j, subtract(at(x, i * d + j), at(mean, j)));
      for (let j = 0; j < d; j++) {
        const out = { h: A.h.subarray(j * d, j * d + j + 1), l: A.l.subarray(j * d, j * d + j + 1) };
        addMultiple(out, weighed(i, at(row, j)), row, 0);
      }
    }
    for (let k = 0; k < d * d; k++) put(A, k, divide(at(A, k), quad(mu)));
    for (let j = 0; j < d; j++) put(A, j * d + j, add(at(A, j * d + j), quad(1)));
    const part = (i: number, k: number): Quads => ({ h: A.h.subarray(i * d, i * d + k), l: A.l.subarray(i * d, i * d + k) });
    const p = quads(d);
    for (let i = 0; i < d; i++) {
      for (let j = 0; j <= i; j++) {
        const rest = subtract(at(A, i * d + j), dot(A, i * d, part(j, j)));
        put(A, i * d + j, i === j ? root(rest) : divide(rest, at(A, j * d + j)));
      }
      put(p, i, divide(subtract(negate(at(gradient, i)), dot(p, 0, part(i, i))), at(A, i * d + i)));
    }
    for (let i = d - 1; i >= 0; i--) {
      put(p, i, divide(at(p, i), at(A, i * d + i)));
      for (let j = 0; j < i; j++) put(p, j, subtract(at(p, j), multiply(at(A, i * d + j), at(p, i))));
    }
    return p;
  }

  const { w, s, found, size, scale } = state;
  const error = 2 * size + 1e-29 * scale;
  const max = Math.max(...radius);
  const theta = [quads(n), quads(n)] as const;
  const thetaError = new Float64Array(n);
  const alpha = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    put(theta[0], i, margin(i, at(s, i), found.first));
    put(theta[1], i, margin(i, at(s, i), found.last));
    thetaError[i] =
      error * (radius[i]! + max) + 1e-28 * (1 + Math.abs(s.h[i]!) + Math.abs(found.first[0]) + Math.abs(found.last[0]));
    alpha[i] = slope(i, at(theta[0], i))[0] / mu;
  }
  const wNorm = norm(w);
  // P(w) - P* <= |gradient|² / 2; the remaining terms bound the rounding of margins that are sums of large numbers.
  let optimumError = error * error + 1e-28 * state.primal[0];
  for (const i of taking) {
    const size = radius[i]! + norm(c);
    const steepest = weight[i]! * Math.min(gamma, (2 + Math.abs(theta[0].h[i]!) + Math.abs(theta[1].h[i]!)) / mu);
    optimumError += 1e-28 * steepest * (1 + Math.abs(theta[0].h[i]!) + Math.abs(theta[1].h[i]!) + size * wNorm);
  }
  const judge = (model: Float64Array, offset: number): Position => {
    const v: Quads = { h: model, l: new Float64Array(d) };
    const t = add(quad(offset), dot(c, 0, v));
    const off: Quads = { h: model.slice(), l: new Float64Array(d) };
    addMultiple(off, quad(-1), w, 0);
    const distance = norm(off);
    // P(w, t) - P* as a sum of non-negative terms: the linear terms cancel at the optimum.
    let excess = multiply(quad(0.5), dot(off, 0, off));
    let primal = multiply(quad(0.5), dot(v, 0, v));
    const margins = quads(n);
    for (let i = 0; i < n; i++) {
      const value = margin(i, dot(x, i * d, v), t);
      put(margins, i, value);
      const best = at(theta[0], i);
      primal = add(primal, psi(i, value));
      const rise = subtract(psi(i, value), psi(i, best));
      const line = divide(multiply(slope(i, best), subtract(value, best)), quad(mu));
      const over = add(rise, line);
      if (over[0] > 0) excess = add(excess, over);
    }
    return { distance, excess: excess[0], primal: primal[0], theta: margins };
  };
  const decide = (point: ArrayLike<number>): Decision => {
    const off = quads(d);
    for (let j = 0; j < d; j++) {
      const value = multiply(subtract(quad(point[j]!), quad(data.shift[j]!)), quad(data.factor[j]!));
      put(off, j, subtract(value, at(c, j)));
    }
    const s = dot(off, 0, w);
    const far = norm(off);
    const size = far + norm(c);
    return {
      first: add(s, found.first),
      last: add(s, found.last),
      error: error * (far + max) + 1e-28 * (1 + size * wNorm + Math.abs(found.first[0]) + Math.abs(found.last[0])),
    };
  };
  return {
    sure: Math.max(...thetaError) <= 1e-17,
    error,
    wNorm,
    w: w.h,
    offsets: found.offsets,
    alpha,
    optimum: state.primal,
    optimumError,
    primal: state.primal[0],
    theta,
    thetaError,
    kink,
    judge,
    decide,
  };
}

/** The sign of a - b, or 0 where |a - b| is at most error. */
export function compare(a: Quad, b: Quad, error: number): number {
  const difference = subtract(a, b)[0];
  return Math.abs(difference) <= error ? 0 : Math.sign(difference);
}
