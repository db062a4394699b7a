/**
 * Which points get their label from every exact optimum, too (method C11).
 *
 * Problem: the exact planes are not known, but each one's value at a point is known to lie in an interval.
 * Given:   a model with its planes' proofs, and points in a matrix.
 * Wanted:  by point, whether the intervals leave no other label than the model's; and which planes stand in the way.
 * Source:  method C11.
 */
import type { Backend, LabelPlanes, Matrix } from '../backend/interface.js';
import { pause, type Loop } from '../solver/drivers.js';
import { blockHeight, blocksOf, shiftedBiases, type Model, type PlaneProof, type Sides } from './model.js';

const UNIT = 2 ** -53;
/** Products below this lose digits to underflow. */
const SMALLEST = 2 ** -1021;

/** What is found of points. */
export interface CertifiedLabels {
  /** By point, 1 if its label is certain. */
  readonly certain: Uint8Array;
  /** By plane, at how many points whose label is not certain it is one of those that leave it open. */
  readonly inTheWay: ArrayLike<number>;
}

/** Certifies the labels of all rows of a matrix with the model's columns. Pauses between blocks of rows. */
export function* certifyLabels(
  model: Pick<Model, 'labels' | 'table'> & { readonly proofs: readonly PlaneProof[] },
  sides: readonly Sides[],
  matrix: Matrix,
  backend: Backend,
  threads: number,
): Loop<CertifiedLabels> {
  const { table, proofs, labels } = model;
  const { rows } = matrix.describe();
  const certain = new Uint8Array(rows);
  const inTheWay = new Uint32Array(sides.length);
  const known = proofs.find(({ slope }) => slope < Infinity);
  if (!known) return { certain, inTheWay: inTheWay.fill(rows) };
  const biases = shiftedBiases(matrix, table);
  const centres = new Centres(matrix, known.inverseScale, proofs);
  const norms = new Float64Array(rows);
  matrix.norms(centres.factor, norms, threads);
  const [planes, number] = [sides.length, centres.squares.length];
  const proved = labelPlanes(sides, proofs, centres);
  const none = new Float64Array(number);
  const height = blockHeight(rows, planes + number);
  const values = new Float64Array(height * planes);
  const products = new Float64Array(height * number);
  for (const { begin, end } of blocksOf(rows, height)) {
    matrix.decide(table.weights, biases, values, threads, begin, end);
    matrix.decide(centres.weights, none, products, threads, begin, end);
    const these = [norms.subarray(begin, end), proved, labels.length, certain.subarray(begin, end), inTheWay] as const;
    backend.certifyLabels(values, products, ...these, threads);
    yield pause();
  }
  return { certain, inTheWay };
}

function labelPlanes(sides: readonly Sides[], proofs: readonly PlaneProof[], centres: Centres): LabelPlanes {
  const pairs = sides[0]!.negative !== undefined;
  return {
    positive: Uint32Array.from(sides, ({ positive }) => positive),
    negative: pairs ? Uint32Array.from(sides, ({ negative }) => negative!) : undefined,
    centreOf: centres.of,
    slope: Float64Array.from(proofs, ({ slope }) => slope),
    low: Float64Array.from(proofs, ({ low }) => low),
    high: Float64Array.from(proofs, ({ high }) => high),
    spare: Float64Array.from(proofs, ({ norm }) => norm * centres.shiftRounding),
    centreSquares: centres.squares,
    safe: centres.safe,
    lost: centres.lost,
  };
}

/** The centres of planes, each distinct one once, as a matrix wants them whose rows' distances from them are to be found. */
class Centres {
  /** The number of each plane's centre. */
  readonly of: Uint32Array;
  /** 1 / scale by column that the matrix keeps. */
  readonly factor: Float64Array;
  /** Centres as the matrix is stored, times the squared factors. */
  readonly weights: Float64Array;
  /** Their squared norms, in scaled space. */
  readonly squares: Float64Array;
  /** The rounding of |x|² - 2 x·c + |c|²: safe (|x|² + |c|²) + lost. */
  readonly safe: number;
  readonly lost: number;
  /** Times |w|, the rounding that what was subtracted from the columns of this matrix brings to a plane's value. */
  readonly shiftRounding: number;

  constructor(matrix: Matrix, inverseScale: Float64Array, proofs: readonly PlaneProof[]) {
    const { cols, kept } = matrix.describe();
    const used = matrix.used();
    const at = (j: number) => (used ? used[j]! : j);
    const shift = new Float64Array(kept);
    matrix.shift(shift);
    const distinct: Float64Array[] = [];
    const numbers = new Map<Float64Array, number>();
    this.of = Uint32Array.from(proofs, ({ centre }) => {
      if (centre.length === 0) return 0; // nothing is proved, at whatever distance
      let number = numbers.get(centre);
      if (number === undefined) numbers.set(centre, (number = distinct.push(centre) - 1));
      return number;
    });
    this.factor = Float64Array.from({ length: kept }, (_, j) => inverseScale[at(j)]!);
    this.weights = new Float64Array(distinct.length * cols);
    this.squares = new Float64Array(distinct.length);
    const kepts = used && new Set(used);
    distinct.forEach((centre, k) => {
      let squares = 0;
      for (let j = 0; j < kept; j++) {
        const c = (centre[at(j)]! - shift[j]!) * this.factor[j]!;
        this.weights[k * cols + at(j)] = c * this.factor[j]!;
        squares += c * c;
      }
      // Columns that the matrix does not keep are 0 in all its rows.
      if (kepts) for (let j = 0; j < cols; j++) if (!kepts.has(j)) squares += (centre[j]! * inverseScale[j]!) ** 2;
      this.squares[k] = squares;
    });
    // c times a factor may underflow, and is then off by half of the smallest double, however large the entries are that it is for: this
    // times |x|, which is less than 1 + |x|².
    const least = this.factor.reduce((min, f) => (f > 0 ? Math.min(min, f) : min), Infinity);
    const underflow = 2 * Math.sqrt(cols) * (Number.MIN_VALUE / least);
    const safe = 8 * (cols + 8) * UNIT;
    this.safe = safe + underflow;
    this.lost = (cols + 8) * SMALLEST + underflow;
    this.shiftRounding = 2 * safe * Math.sqrt(shift.reduce((sum, s, j) => sum + (s * this.factor[j]!) ** 2, 0));
  }
}
