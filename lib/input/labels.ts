/** Checks labels: one for each row, all of one type. */
import { coded, option, plural, rangeError, show, typeError, words, type Term } from '../errors.js';
import type { Label } from '../types.js';
import { isOf } from './intrinsics.js';
import { listOf } from './lists.js';

/** Two labels or more, ascending; of two, the positive one is the second. */
export type ClassLabels<L extends Label = Label> = readonly [L, L, ...L[]];

/** The class of each row. */
export interface ClassCodes {
  /** ±1 by row. Of three classes or more: 1 for the first one, -1 for all others. */
  readonly y: Int8Array;
  /** Of three classes or more, the number of each row's label. */
  readonly classes: Uint16Array | undefined;
}

export interface Labels<L extends Label = Label> extends ClassCodes {
  readonly labels: ClassLabels<L>;
}

/** At most so many labels. */
export const MAX_CLASSES = 2 ** 16;

/** Where the labels are: the command line names their file. */
const PLACE: Term = { kind: 'code', name: 'labels', text: '' };

/** Checks that there is a label, of any kind, for each row of points, or whatever else there is one for. */
export function labelList<T>(labels: unknown, rows: number, each = 'row of points'): ArrayLike<T> {
  const list = listOf<T>(labels, 'ERR_LABELS', 'an array of labels', 'labels');
  if (list.length !== rows) {
    const what = `${plural(rows, 'label')}, one for each ${each},`;
    throw coded(RangeError, 'ERR_LABELS', `Expected ${what} but received ${list.length}`);
  }
  return list;
}

/** The type of the first label, which all others must have. */
function typeOf(first: unknown): string {
  const type = typeof first;
  if (type === 'number' || type === 'string' || type === 'boolean') return type;
  throw typeError('ERR_LABELS', 'a number, string or boolean', 'labels[0]', first);
}

function checkLabel(label: unknown, i: number, type: string, as: string): void {
  if (typeof label !== type) throw typeError('ERR_LABELS', `a ${type}`, `labels[${i}], ${as},`, label);
  if (type === 'number' && !Number.isFinite(label)) throw rangeError('ERR_LABELS', 'a finite number', `labels[${i}]`, label);
}

/** Resolves labels to classes. The labels are `known` beforehand, or those found in the list. */
export function resolveLabels(
  list: unknown,
  rows: number,
  { positive, known, each }: { positive?: unknown; known?: ClassLabels; each?: string },
): Labels {
  const given = labelList<Label>(list, rows, each);
  if (known && known.length > 2) {
    checkPositive(positive, known);
    return { labels: known, ...manyClasses(given, known) };
  }
  const seen: Label[] = known ? [...known] : [];
  const type = known ? typeof known[0] : typeOf(given[0]);
  const y = new Int8Array(rows);
  const begun = !known && isOf(given, 'Float64Array') ? encodeTwo(given, seen, y) : 0;
  for (let i = begun; i < rows; i++) {
    const label = given[i]!;
    let k = label === seen[0] ? 0 : label === seen[1] && seen.length === 2 ? 1 : -1;
    if (k < 0) {
      checkLabel(label, i, type, known ? `as the model's labels` : 'as in labels[0]');
      if (known) throw rangeError('ERR_LABELS', `${show(known[0])} or ${show(known[1])}`, `labels[${i}]`, label);
      if (seen.length === 2) return severalClasses(given, positive);
      k = seen.push(label) - 1;
    }
    y[i] = k;
  }
  if (seen.length < 2) {
    throw coded(RangeError, 'ERR_LABELS', words`Expected two distinct labels${PLACE} but every label is ${show(seen[0])}`);
  }
  let [negative, larger] = seen as [Label, Label];
  if (!known && negative > larger) [negative, larger] = [larger, negative];
  if (positive !== undefined && positive !== larger) {
    if (positive !== negative) {
      throw rangeError('ERR_OPTION', `${show(negative)} or ${show(larger)}`, words`${option('positive')}, as in labels,`, positive);
    }
    [negative, larger] = [larger, negative];
  }
  const sign = seen.indexOf(larger) === 1 ? 1 : -1;
  for (let i = 0; i < rows; i++) y[i] = sign * (2 * y[i]! - 1);
  return { labels: [negative, larger], y, classes: undefined };
}

/** Three classes or more, their labels ascending. */
function severalClasses(given: ArrayLike<Label>, positive: unknown): Labels {
  const labels = inOrder(distinctLabels(given, given.length));
  checkPositive(positive, labels);
  return { labels, ...manyClasses(given, labels) };
}

/** Labels in ascending order. */
export function inOrder(labels: readonly Label[]): ClassLabels {
  return [...labels].sort((a, b) => (a < b ? -1 : 1)) as [Label, Label, ...Label[]];
}

/** No one of three labels or more is the positive one. */
function checkPositive(positive: unknown, labels: ClassLabels): void {
  if (positive === undefined) return;
  const what = words`${option('positive')}, as there are ${labels.length} distinct labels,`;
  throw rangeError('ERR_OPTION', 'nothing', what, positive);
}

/** The number of each row's label. */
function manyClasses(given: ArrayLike<Label>, labels: ClassLabels): ClassCodes {
  const numbers = new Map<Label, number>(labels.map((label, k) => [label, k]));
  const classes = new Uint16Array(given.length);
  const y = new Int8Array(given.length);
  for (let i = 0; i < given.length; i++) {
    const k = numbers.get(given[i]!);
    if (k === undefined) {
      checkLabel(given[i], i, typeof labels[0], `as the model's labels`);
      throw rangeError('ERR_LABELS', oneOfLabels(labels), `labels[${i}]`, given[i]);
    }
    classes[i] = k;
    y[i] = k === 0 ? 1 : -1;
  }
  return { y, classes };
}

/** For messages: "a", "b" or "c"; of many, the first three and the last. */
export function oneOfLabels(labels: readonly Label[]): string {
  const shown = labels.length > 6 ? [...labels.slice(0, 3).map(show), '…'] : labels.slice(0, -1).map(show);
  return `${shown.join(', ')} or ${show(labels.at(-1))}`;
}

/**
 * Sets y to 0 for the first label and to 1 for the second, adds both to `seen` and returns the number of rows. Returns 0 and leaves all of it
 * to the caller if there are not two labels, or a number is not finite. (A loop over a list of known type is ten times as fast, and twice
 * that without branches on labels, which no processor can predict.)
 */
export function encodeTwo(list: Float64Array, seen: Label[], y: Int8Array): number {
  const first = list[0]!;
  let i = 1;
  while (list[i] === first) i++;
  const second = list[i]!;
  let known = 0;
  for (let k = 0; k < list.length; k++) {
    const is = Number(list[k] === second);
    y[k] = is;
    known += is + Number(list[k] === first);
  }
  if (known < list.length || !Number.isFinite(first + second)) return 0;
  seen.push(first, second);
  return known;
}

/** The labels in a list, each once. */
export function distinctLabels(list: unknown, rows: number): readonly Label[] {
  const given = labelList<Label>(list, rows);
  const type = typeOf(given[0]);
  const found = new Set<Label>();
  for (let i = 0; i < rows; i++) {
    const label = given[i]!;
    if (found.has(label)) continue;
    checkLabel(label, i, type, 'as in labels[0]');
    if (found.size === MAX_CLASSES) throw tooManyLabels(label);
    found.add(label);
  }
  return [...found];
}

function tooManyLabels(label: Label): Error {
  const what = words`Expected at most ${MAX_CLASSES} distinct labels${PLACE} but received ${show(label)} besides so many`;
  return coded(RangeError, 'ERR_LABELS', what);
}

/** The rows of each label, in the order of the labels' first appearance. */
export function classesOf(labels: ArrayLike<Label>): Map<Label, number[]> {
  const classes = new Map<Label, number[]>();
  const type = typeOf(labels[0]);
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i]!;
    checkLabel(label, i, type, 'as in labels[0]');
    const list = classes.get(label);
    if (list) list.push(i);
    else classes.set(label, [i]);
  }
  return classes;
}
