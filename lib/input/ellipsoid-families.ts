/** Checks families of ellipsoids, and views them as flat arrays. */
import type { EspFamily } from '../backend/interface.js';
import { coded, rangeError, typeError, Verbatim } from '../errors.js';
import { KIND } from '../backend/encodings.js';
import type { DenseMatrix, Ellipsoid, Ellipsoids } from '../types.js';
import { isArray, isObject } from './intrinsics.js';
import { checkKeys } from './keys.js';
import { checkedLength, isList } from './lists.js';
import { denseMatrix } from './points.js';

/** A family as flat arrays. `value` names an entry of the user's by its place in them, for messages. */
export interface Family extends EspFamily, Wanted {
  readonly value: (part: number, at: number) => { where: string; value: unknown };
}

/** The number of columns, and the name of the array that it comes from. */
interface Wanted {
  readonly cols: number;
  readonly as: string;
}

/** Views a family, which must have the wanted number of columns. Whether its numbers are finite is checked when they are copied. */
export function viewFamily(given: unknown, name: string, wanted?: Wanted): Family {
  if (isArray(given)) return listedFamily(given, name, wanted);
  if (isObject(given) && 'centers' in given) return blockFamily(given as Block, name, wanted);
  throw typeError('ERR_ELLIPSOIDS', 'an array of ellipsoids or { centers, shapes }', name, given);
}

type Block = Exclude<Ellipsoids, readonly Ellipsoid[]>;
const BLOCK_KEYS = ['centers', 'shapes'] as const satisfies readonly (keyof Block)[];
const BLOCK_WORDS = { radii: 'shapes holds a diagonal for each centre: repeat its radius for every column' };

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
  const words: ('shape' | 'radius')[] = []; // the key that gave each shape
  const as = wanted?.as ?? `${name}[0].center`;
  let cols = wanted?.cols ?? -1;
  for (let i = 0; i < count; i++) {
    const { center, shape, word } = parts(list[i], `${name}[${i}]`);
    const length = checkedLength(center, 'ERR_ELLIPSOIDS', NUMBERS, `${name}[${i}].center`);
    if (cols < 0) cols = length;
    if (length !== cols) throw rangeError('ERR_ELLIPSOIDS', `${cols} numbers, as in ${as},`, `${name}[${i}].center`, length);
    appendNumbers(center as ArrayLike<number>, cols, `${name}[${i}].center`, centers);
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

/** An ellipsoid's center and shape, and the key that gave the shape: a ball may give a radius instead. */
function parts(ellipsoid: unknown, where: string): { center: unknown; shape: unknown; word: 'shape' | 'radius' } {
  if (!isObject(ellipsoid) || isList(ellipsoid)) {
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

/** What messages expect where a list is missing. */
export const NUMBERS = 'an array of numbers';

/** Appends the numbers of a list, finite or not; anything else is refused. */
export function appendNumbers(list: ArrayLike<number>, length: number, where: string, to: number[]): void {
  for (let j = 0; j < length; j++) {
    const value: unknown = list[j];
    if (typeof value !== 'number') throw typeError('ERR_ELLIPSOIDS', 'a finite number', `${where}[${j}]`, value);
    to.push(value);
  }
}

/** Appends a shape's entries, and returns its kind. */
function readShape(shape: unknown, cols: number, where: string, to: number[]): number {
  if (shape === undefined || shape === 0) return KIND.point;
  if (typeof shape === 'number') {
    if (shape < 0) throw rangeError('ERR_ELLIPSOIDS', 'a radius of 0 or more', where, shape);
    to.push(shape);
    return KIND.ball;
  }
  const length = checkedLength(shape, 'ERR_ELLIPSOIDS', 'a radius, a diagonal or rows of a matrix', where);
  if (cols === 0 && length === 0) return KIND.point;
  const list = shape as ArrayLike<unknown>;
  const first = list[0];
  const full = typeof first === 'object';
  if (length !== cols) throw rangeError('ERR_ELLIPSOIDS', full ? `${cols} rows` : `${cols} numbers`, where, length);
  if (!full) {
    appendNumbers(list as ArrayLike<number>, cols, where, to);
    return KIND.diagonal;
  }
  for (let r = 0; r < cols; r++) {
    const row = r === 0 ? first : list[r];
    const width = checkedLength(row, 'ERR_ELLIPSOIDS', NUMBERS, `${where}[${r}]`);
    if (width !== cols) throw rangeError('ERR_ELLIPSOIDS', `${cols} numbers`, `${where}[${r}]`, width);
    appendNumbers(row as ArrayLike<number>, cols, `${where}[${r}]`, to);
  }
  return KIND.full;
}
