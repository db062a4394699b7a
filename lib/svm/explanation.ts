/**
 * Why a record is classified as it is.
 *
 * Given:  a model with an encoder, and the entries of a record.
 * Wanted: by field, what it adds to the decision value, compared with the mean training row: the sum over its columns of
 *         weight × (entry - mean).
 */
import { Encoder } from '../data/encoder.js';
import type { EncodedRow } from '../data/fields/encoded-row.js';
import type { Explanation, FieldShare, Label } from '../types.js';
import type { Model } from './model.js';

/** The entries of one record. */
export class Entries {
  readonly columns: readonly number[];
  readonly values: readonly number[];

  constructor({ columns, values, count }: EncodedRow) {
    this.columns = Array.from(columns.subarray(0, count));
    this.values = Array.from(values.subarray(0, count));
  }

  /** A plane's value. */
  dot(weights: Float64Array, bias: number): number {
    let s = 0;
    for (let k = 0; k < this.columns.length; k++) s += weights[this.columns[k]!]! * this.values[k]!;
    return s + bias;
  }
}

/** A model with what its explanations need. */
export type ExplainableModel<L extends Label> = Model<L> & { readonly encoder: Encoder; readonly means: Float64Array };

/** A plane between two labels. */
interface Between<L extends Label> {
  readonly label: L;
  readonly positive: L;
  readonly negative: L;
  /** The weight of a column. */
  readonly weight: (column: number) => number;
  readonly bias: number;
}

/** `ranked`: the numbers of the labels, the predicted one first. */
export function explain<L extends Label>(model: ExplainableModel<L>, entries: Entries, ranked: readonly number[]): Explanation<L> {
  const { encoder, means } = model;
  const { label, positive, negative, weight, bias } = between(model, ranked);
  const byColumn = new Map(entries.columns.map((column, k) => [column, entries.values[k]!]));
  let base = bias;
  const fields = Encoder.fieldsOf(encoder).map(({ name, encoding, first }): FieldShare => {
    let share = 0;
    const columns: { name: string; value: number; share: number }[] = [];
    for (let j = first; j < first + encoding.width; j++) {
      const [w, mean, value] = [weight(j), means[j]!, byColumn.get(j)];
      base += w * mean;
      if (value === undefined) share -= w * mean;
      else {
        const one = w * (value - mean);
        share += one;
        columns.push({ name: encoding.columnName(name, j - first), value, share: one });
      }
    }
    return { name, share, columns: columns.sort(byShare) };
  });
  const value = fields.reduce((sum, { share }) => sum + share, base);
  return { label, positive, negative, value, base, fields: fields.sort(byShare) };
}

function byShare(a: { readonly share: number }, b: { readonly share: number }): number {
  return Math.abs(b.share) - Math.abs(a.share);
}

/** Of two labels, their plane; of more, the one between the predicted label and the runner-up, or the difference of theirs. */
function between<L extends Label>({ labels, planes }: Model<L>, [first, second]: readonly number[]): Between<L> {
  const label = labels[first!]!;
  const [positive, negative]: readonly L[] = planes.length === 1 ? [labels[1], labels[0]] : [label, labels[second!]!];
  const planeOf = (one: L, other: L) =>
    planes.find((plane) => plane.positive === one && (plane.negative === undefined || plane.negative === other));
  const [own, other] = [planeOf(positive!, negative!), planeOf(negative!, positive!)];
  const weight = (j: number) => (own ? own.weights[j]! : 0) - (other ? other.weights[j]! : 0);
  return { label, positive: positive!, negative: negative!, weight, bias: (own?.bias ?? 0) - (other?.bias ?? 0) };
}
