/** Which rows get their label from every exact optimum, too (method C11). The twin of native/kernels/labels. */
import type { LabelPlanes } from '../interface.js';

const UNIT = 2 ** -53;

export function certifyLabels(
  values: Float64Array,
  products: Float64Array,
  norms: Float64Array,
  planes: LabelPlanes,
  classes: number,
  certain: Uint8Array,
  inTheWay: Uint32Array,
): void {
  const judge = new Judge(planes, classes, inTheWay);
  const [number, centres] = [planes.slope.length, planes.centreSquares.length];
  norms.forEach((norm, i) => {
    const value = values.subarray(i * number, (i + 1) * number);
    certain[i] = Number(judge.judge(value, products.subarray(i * centres, (i + 1) * centres), norm));
  });
}

/** Judges one row at a time. */
class Judge {
  readonly #planes: LabelPlanes;
  readonly #classes: number;
  readonly #inTheWay: Uint32Array;
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  // Of pairs, by class: votes that are certain, votes that are possible, and the model's own.
  readonly #least: Uint32Array;
  readonly #most: Uint32Array;
  readonly #own: Uint32Array;

  constructor(planes: LabelPlanes, classes: number, inTheWay: Uint32Array) {
    this.#planes = planes;
    this.#classes = classes;
    this.#inTheWay = inTheWay;
    this.#low = new Float64Array(planes.slope.length);
    this.#high = new Float64Array(planes.slope.length);
    this.#least = new Uint32Array(classes);
    this.#most = new Uint32Array(classes);
    this.#own = new Uint32Array(classes);
  }

  judge(value: Float64Array, product: Float64Array, norm: number): boolean {
    const { slope, low, high, spare, centreOf, centreSquares, safe, lost, negative } = this.#planes;
    const distance = centreSquares.map((square, k) => {
      const apart = norm - 2 * product[k]! + square;
      // A product that overflows would make a row look near that is far away.
      const near = Number.isFinite(apart) ? Math.max(0, apart) : Infinity;
      return Math.sqrt(near + safe * (norm + square) + lost) * (1 + safe);
    });
    slope.forEach((s, p) => {
      const reach = s * distance[centreOf[p]!]!;
      const round = 8 * UNIT * (Math.abs(value[p]!) + Math.abs(low[p]!) + Math.abs(high[p]!) + reach) + spare[p]!;
      this.#low[p] = s < Infinity ? value[p]! + low[p]! - reach - round : -Infinity;
      this.#high[p] = s < Infinity ? value[p]! + high[p]! + reach + round : Infinity;
    });
    return negative ? this.#pairs(value, negative) : this.#rest(value);
  }

  #rest(value: Float64Array): boolean {
    const best = value.indexOf(value.reduce((a, b) => Math.max(a, b)));
    let certain = true;
    for (let c = 0; c < this.#classes; c++) {
      if (c === best || this.#low[best]! > this.#high[c]!) continue;
      certain = false;
      this.#inTheWay[c]!++;
    }
    if (!certain) this.#inTheWay[best]!++;
    return certain;
  }

  /** A label is certain if it has more votes for sure than any other may have: the sums that break ties add less than one. */
  #pairs(value: Float64Array, negative: Uint32Array): boolean {
    const { positive } = this.#planes;
    const [least, most, own] = [this.#least.fill(0), this.#most.fill(0), this.#own.fill(0)];
    positive.forEach((up, p) => {
      const down = negative[p]!;
      const [above, below] = [this.#low[p]! > 0, this.#high[p]! < 0];
      own[value[p]! > 0 ? up : down]!++;
      least[up]! += Number(above);
      most[up]! += Number(!below);
      least[down]! += Number(below);
      most[down]! += Number(!above);
    });
    const best = own.indexOf(own.reduce((a, b) => Math.max(a, b)));
    const enough = least[best]!;
    if (most.every((possible, c) => c === best || enough > possible)) return true;
    positive.forEach((up, p) => {
      if (this.#low[p]! > 0 || this.#high[p]! < 0) return;
      const down = negative[p]!;
      if (up === best || down === best || most[up]! >= enough || most[down]! >= enough) this.#inTheWay[p]!++;
    });
    return false;
  }
}
