/** Families of ellipsoids, and what a separation is asked to do. */
import type { Backend, EspFamily, EspProblem } from '../backend/interface.js';
import { coded, rangeError, typeError, Verbatim } from '../errors.js';
import { KIND } from '../backend/encodings.js';
import { cholesky } from '../ellipsoids/gaussian.js';
import { isArray, isObject, isTypedArray, lengthOf } from './intrinsics.js';
import type { EspMethod } from '../ellipsoids/cone-fista.js';
import type { DenseMatrix, Ellipsoid, Ellipsoids, EspOptions, EspProgress } from '../types.js';
import { checkKeys } from './keys.js';
import { boolean, knownOptions, oneOfThese, optional, resolveLimits, RUN_OPTIONS, share, type Limits } from './options.js';
import { denseMatrix } from './points.js';
import { ESP_WORDS, LAW_WORDS } from './words.js';

/** Everything but the families, backend and threads. */
export type ResolvedEspOptions = EspMethod & Limits<EspProgress>;

const ESP_OPTIONS = ['goal', 'tolerance', 'test', 'L', 'restart', ...RUN_OPTIONS] as const satisfies readonly (keyof EspOptions)[];

export function resolveEspOptions(given: EspOptions): ResolvedEspOptions {
  const options = knownOptions(given, ESP_OPTIONS, ESP_WORDS);
  const goal = optional(options.goal, 'goal', oneOfThese('any', 'widest', 'converged')) ?? 'any';
  const tolerance = optional(options.tolerance, 'tolerance', share) ?? (goal === 'widest' ? 1e-4 : 1e-6);
  const L = optional(options.L, 'L', oneOfThese('measured', 'paper')) ?? 'measured';
  return {
    goal,
    tolerance,
    touching: goal === 'any' ? tolerance : 1e-6,
    test: optional(options.test, 'test', oneOfThese('best', 'paper')) ?? 'best',
    L,
    restart: optional(options.restart, 'restart', boolean) ?? L === 'measured',
    ...resolveLimits<EspProgress>(options),
  };
}

/** A family and how to name its entries. */
interface Family extends EspFamily, Wanted {
  readonly value: (part: number, at: number) => { where: string; value: unknown };
}

/** Copies two families into a backend's problem, checking them on the way. The user's arrays are not kept. */
export function copyEllipsoids(
  first: unknown,
  second: unknown,
  backend: Backend,
  threads: number,
): { problem: EspProblem; counts: [number, number]; cols: number } {
  const a = family(first, 'first');
  const b = family(second, 'second', a);
  const problem = new backend.Esp(
    (which, part, at) => {
      const { where, value } = (which === 0 ? a : b).value(part, at);
      throw rangeError('ERR_ELLIPSOIDS', 'a finite number', where, value);
    },
    threads,
    a.cols,
    a.centers,
    a.kinds,
    a.shapes,
    b.centers,
    b.kinds,
    b.shapes,
  );
  return { problem, counts: [a.kinds.length, b.kinds.length], cols: a.cols };
}

/** The number of columns, and where it comes from. */
interface Wanted {
  readonly cols: number;
  readonly as: string;
}

function family(given: unknown, name: string, wanted?: Wanted): Family {
  if (isArray(given)) return listedFamily(given, name, wanted);
  if (isObject(given) && 'centers' in given) return blockFamily(given as Block, name, wanted);
  throw typeError('ERR_ELLIPSOIDS', 'an array of ellipsoids or { centers, shapes }', name, given);
}

type Block = Exclude<Ellipsoids, readonly Ellipsoid[]>;
const BLOCK_KEYS = ['centers', 'shapes'] as const satisfies readonly (keyof Block)[];
const BLOCK_WORDS = { radii: 'shapes holds a diagonal for each centre: its radius, as often as there are columns' };

function blockFamily(given: Block, name: string, wanted?: Wanted): Family {
  checkKeys(given, BLOCK_KEYS, 'ERR_ELLIPSOIDS', name, BLOCK_WORDS);
  const centers = block(given.centers, `${name}.centers`);
  const shapes = block(given.shapes, `${name}.shapes`);
  if (wanted && centers.cols !== wanted.cols) {
    throw rangeError('ERR_ELLIPSOIDS', `${wanted.cols} columns, as in ${wanted.as},`, `${name}.centers.cols`, centers.cols);
  }
  for (const side of ['rows', 'cols'] as const) {
    if (shapes[side] !== centers[side]) {
      throw rangeError('ERR_ELLIPSOIDS', `${centers[side]}, as in ${name}.centers,`, `${name}.shapes.${side}`, shapes[side]);
    }
  }
  const { cols } = centers;
  return {
    cols,
    as: `${name}.centers`,
    centers: centers.data,
    kinds: new Uint8Array(centers.rows).fill(KIND.diagonal),
    shapes: shapes.data,
    value: (part, at) => {
      const data = part === 0 ? centers.data : shapes.data;
      return { where: `${name}.${part === 0 ? 'centers' : 'shapes'}.data[${at}]`, value: data[at] };
    },
  };
}

function block(given: unknown, where: string): DenseMatrix {
  if (!isObject(given)) throw typeError('ERR_ELLIPSOIDS', '{ data, rows, cols }', where, given);
  return denseMatrix(given as DenseMatrix, where, 1, 'ERR_ELLIPSOIDS');
}

const KEYS = ['center', 'shape', 'radius'] as const satisfies readonly (keyof Ellipsoid)[];

function listedFamily(list: readonly unknown[], name: string, wanted?: Wanted): Family {
  const { length: count } = list;
  if (count === 0) throw rangeError('ERR_ELLIPSOIDS', 'at least one ellipsoid', name, new Verbatim('none'));
  const centers: number[] = [];
  const shapes: number[] = [];
  const kinds: number[] = [];
  const starts: number[] = []; // where each shape begins
  const words: ('shape' | 'radius')[] = []; // what each is called
  const as = wanted?.as ?? `${name}[0].center`;
  let cols = wanted?.cols ?? -1;
  for (let i = 0; i < count; i++) {
    const { center, shape, word } = parts(list[i], `${name}[${i}]`);
    const length = checkedLength(center, `${name}[${i}].center`);
    if (cols < 0) cols = length;
    if (length !== cols) throw rangeError('ERR_ELLIPSOIDS', `${cols} numbers, as in ${as},`, `${name}[${i}].center`, length);
    numbers(center as ArrayLike<number>, cols, `${name}[${i}].center`, centers);
    starts.push(shapes.length);
    words.push(word);
    kinds.push(readShape(shape, cols, `${name}[${i}].${word}`, shapes));
  }
  return {
    cols,
    as,
    centers: Float64Array.from(centers),
    kinds: Uint8Array.from(kinds),
    shapes: Float64Array.from(shapes),
    value: (part, at) => {
      if (part === 0) return { where: `${name}[${Math.floor(at / cols) || 0}].center[${at % cols || 0}]`, value: centers[at] };
      const i = starts.findLastIndex((start) => start <= at);
      const k = at - starts[i]!;
      const inside = kinds[i] === KIND.ball ? '' : kinds[i] === KIND.diagonal ? `[${k}]` : `[${Math.floor(k / cols)}][${k % cols}]`;
      return { where: `${name}[${i}].${words[i]}${inside}`, value: shapes[at] };
    },
  };
}

/** An ellipsoid's center and shape, and what the shape is called: a ball may give its radius instead. */
function parts(ellipsoid: unknown, where: string): { center: unknown; shape: unknown; word: 'shape' | 'radius' } {
  if (!isObject(ellipsoid) || Array.isArray(ellipsoid) || isTypedArray(ellipsoid)) {
    throw typeError('ERR_ELLIPSOIDS', 'an ellipsoid { center, shape }', where, ellipsoid);
  }
  checkKeys(ellipsoid, KEYS, 'ERR_ELLIPSOIDS', where);
  const { center, shape, radius } = ellipsoid as Ellipsoid;
  if (radius === undefined) return { center, shape, word: 'shape' };
  if (shape !== undefined) {
    throw coded(TypeError, 'ERR_ELLIPSOIDS', `Expected one of ${where}.shape and ${where}.radius but received both`);
  }
  if (typeof radius !== 'number') throw typeError('ERR_ELLIPSOIDS', 'a number', `${where}.radius`, radius);
  return { center, shape: radius, word: 'radius' };
}

function checkedLength(list: unknown, where: string): number {
  const length = lengthOf(list);
  if (Number.isNaN(length)) throw typeError('ERR_ELLIPSOIDS', 'an array of numbers', where, list);
  return length;
}

/** Appends numbers of the right kind; whether they are finite is seen when they are copied. */
function numbers(list: ArrayLike<number>, length: number, where: string, to: number[]): void {
  for (let j = 0; j < length; j++) {
    const value: unknown = list[j];
    if (typeof value !== 'number') throw typeError('ERR_ELLIPSOIDS', 'a finite number', `${where}[${j}]`, value);
    to.push(value);
  }
}

/** Appends a shape's entries; its kind. */
function readShape(shape: unknown, cols: number, where: string, to: number[]): number {
  if (shape === undefined || shape === 0) return KIND.point;
  if (typeof shape === 'number') {
    if (shape < 0) throw rangeError('ERR_ELLIPSOIDS', 'a radius of 0 or more', where, shape);
    to.push(shape);
    return KIND.ball;
  }
  const length = lengthOf(shape);
  if (Number.isNaN(length)) throw typeError('ERR_ELLIPSOIDS', 'a radius, a diagonal or rows of a matrix', where, shape);
  if (cols === 0 && length === 0) return KIND.point;
  const list = shape as ArrayLike<unknown>;
  const first = list[0];
  const full = typeof first === 'object';
  if (length !== cols) throw rangeError('ERR_ELLIPSOIDS', full ? `${cols} rows` : `${cols} numbers`, where, length);
  if (!full) {
    numbers(list as ArrayLike<number>, cols, where, to);
    return KIND.diagonal;
  }
  for (let r = 0; r < cols; r++) {
    const row = r === 0 ? first : list[r];
    const width = checkedLength(row, `${where}[${r}]`);
    if (width !== cols) throw rangeError('ERR_ELLIPSOIDS', `${cols} numbers`, `${where}[${r}]`, width);
    numbers(row as ArrayLike<number>, cols, `${where}[${r}]`, to);
  }
  return KIND.full;
}

/** A mean, the factor of its covariance (a diagonal of deviations, or rows), and the confidence. */
export function resolveCovariance(
  mean: unknown,
  covariance: unknown,
  options: { confidence?: number } | undefined,
): { center: Float64Array; deviations?: Float64Array; factor?: Float64Array[]; confidence: number } {
  const { confidence: asked } = knownOptions(options, ['confidence'], LAW_WORDS);
  const confidence = optional(asked, 'confidence', share) ?? 0.95;
  const finite = (list: unknown, length: number | undefined, where: string): Float64Array => {
    const found = checkedLength(list, where);
    if (length !== undefined && found !== length) {
      throw rangeError('ERR_ELLIPSOIDS', `${length} numbers, as in mean,`, where, found);
    }
    const all: number[] = [];
    numbers(list as ArrayLike<number>, found, where, all);
    const bad = all.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) throw rangeError('ERR_ELLIPSOIDS', 'a finite number', `${where}[${bad}]`, all[bad]);
    return Float64Array.from(all);
  };
  const center = finite(mean, undefined, 'mean');
  const d = center.length;
  const length = checkedLength(covariance, 'covariance');
  if (length !== d) throw rangeError('ERR_ELLIPSOIDS', `${d} variances or rows, as in mean,`, 'covariance', length);
  const rows = Array.from({ length: d }, (_, r) => (covariance as ArrayLike<unknown>)[r]);
  if (typeof rows[0] !== 'object') {
    const variances = finite(rows, d, 'covariance');
    const bad = variances.findIndex((value) => value < 0);
    if (bad >= 0) throw rangeError('ERR_ELLIPSOIDS', 'a variance of 0 or more', `covariance[${bad}]`, variances[bad]);
    return { center, deviations: variances.map(Math.sqrt), confidence };
  }
  const matrix = Array.from({ length: d }, (_, r) => finite(rows[r], d, `covariance[${r}]`));
  const outcome = cholesky(matrix);
  if ('factor' in outcome) return { center, factor: outcome.factor, confidence };
  const { row, col, value, expected } = outcome;
  if (row === col) {
    const what = 'a positive semidefinite matrix, whose pivots are 0 or more,';
    throw rangeError('ERR_ELLIPSOIDS', what, 'covariance', new Verbatim(`pivot ${value} at [${row}][${row}]`));
  }
  const what =
    expected === undefined
      ? `at most ${outcome.bound} in magnitude, as in every positive semidefinite matrix,`
      : `${expected}, as in covariance[${col}][${row}],`;
  throw rangeError(
    'ERR_ELLIPSOIDS',
    what,
    expected === undefined ? `what is left of covariance[${row}][${col}]` : `covariance[${row}][${col}]`,
    value,
  );
}
