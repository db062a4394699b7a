/**
 * Matches the columns of points with those of a model by name.
 *
 * Problem: points have the model's columns in another order, and perhaps more of them.
 * Given:   a model with names, and the names of the points' columns, which are distinct.
 * Wanted:  the same model with its columns in the order of the points'. Points stay as they are: weights are fewer than numbers.
 */
import { coded } from '../errors.js';
import {
  ambiguousColumnsError,
  extraColumnsError,
  findTwice,
  isSameNames,
  missingColumnsError,
  type KnownNames,
} from '../input/column-names.js';
import type { Label, PredictOptions } from '../types.js';
import type { Model } from './model.js';

interface Alignment<L extends Label = Label> {
  /** The names of the points' columns. */
  readonly names: readonly string[];
  readonly model: Model<L>;
  /** By column of the points, that of the model or -1; undefined if these are the same. */
  readonly from: Int32Array | undefined;
  /** How many of them the model does not have, and the first one. */
  readonly extra: number;
  readonly firstExtra: string | undefined;
}

/** The last one of each model: many small batches with the same columns share it. */
const alignments = new WeakMap<Model, Alignment>();

/** Names that need not be checked again: the model's, and those that it was last aligned with. */
export function knownNames(model: Model): KnownNames {
  return [model.columns, alignments.get(model)?.names];
}

/**
 * The model with its columns in the order of these names, with weights of 0 for columns that it does not have. The model itself if it or
 * the points have no names, or if their order is the same.
 */
export function aligned<L extends Label>(
  model: Model<L>,
  names: readonly string[] | undefined,
  extras: PredictOptions['extraColumns'] = 'refuse',
): Model<L> {
  if (!names || (model.columns && isSameNames(names, model.columns))) return model;
  let alignment = alignments.get(model) as Alignment<L> | undefined;
  if (alignment?.names !== names) alignments.set(model, (alignment = align(model, names)));
  const { extra, firstExtra, from } = alignment;
  if (extra > 0 && extras === 'refuse') throw extraColumnsError(firstExtra!, extra);
  // Each time, as the caller may have written to the weights of the model. A prediction reads all of them anyway.
  if (from) alignment.model.planes.forEach(({ weights }, p) => take(model.planes[p]!.weights, from, weights));
  return alignment.model;
}

function align<L extends Label>(model: Model<L>, names: readonly string[]): Alignment<L> {
  const own = model.columns;
  const same = { names, model, from: undefined, extra: 0, firstExtra: undefined };
  if (!own) return same;
  const places = new Map<string, number>();
  own.forEach((name, j) => places.set(name, j));
  if (places.size < own.length) throw ambiguousColumnsError(own[findTwice(own)!]!);
  const from = new Int32Array(names.length);
  names.forEach((name, k) => (from[k] = places.get(name) ?? -1));
  const extra = from.reduce((count, j) => count + Number(j < 0), 0);
  const missing = own.length - (names.length - extra);
  if (missing > 0) {
    const present = new Set(names);
    throw missingColumnsError(
      own.find((name) => !present.has(name))!,
      missing,
    );
  }
  return { names, model: withColumns(model, from, names), from, extra, firstExtra: names[from.indexOf(-1)] };
}

/** The model with column from[k] in place k, and zeros where that is -1. Its weights are still to be taken over. */
function withColumns<L extends Label>(model: Model<L>, from: Int32Array, columns: readonly string[]): Model<L> {
  const cols = from.length;
  const weights = zeros(model.planes.length, cols);
  const planes = model.planes.map((plane, p) => ({ ...plane, weights: weights.subarray(p * cols, (p + 1) * cols) }));
  // Planes share their centres and scales: each is rearranged once. A column with an inverse scale of 0 adds nothing to a distance.
  const lists = new Map<Float64Array, Float64Array>();
  const rearranged = (list: Float64Array) => {
    if (list.length === 0) return list; // of a plane of which nothing is proved
    const known = lists.get(list) ?? take(list, from, zeros(1, cols));
    lists.set(list, known);
    return known;
  };
  const proofs = model.proofs?.map((proof) => {
    return { ...proof, inverseScale: rearranged(proof.inverseScale), centre: rearranged(proof.centre) };
  });
  return { ...model, planes, table: { ...model.table, weights }, proofs, columns };
}

function take(list: Float64Array, from: Int32Array, out: Float64Array): Float64Array {
  for (let k = 0; k < from.length; k++) {
    const j = from[k]!;
    if (j >= 0) out[k] = list[j]!;
  }
  return out;
}

function zeros(planes: number, cols: number): Float64Array {
  try {
    return new Float64Array(planes * cols);
  } catch (error) {
    const message = `Expected columns × planes that fit in memory for points but received ${cols} × ${planes}`;
    throw coded(RangeError, 'ERR_POINTS', message, error);
  }
}
