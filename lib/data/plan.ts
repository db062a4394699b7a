/** Kinds of fields with options, for plans. */
import type { CategoryField, DateField, TextField } from '../types.js';

type Options<F> = Omit<F, 'kind'>;

/** One value of several, with a column for each. */
export function category(options: Options<CategoryField> = {}): CategoryField {
  return { ...options, kind: 'category' };
}

/** A list of values, each with its column. */
export function categories(options: Options<CategoryField> = {}): CategoryField {
  return { ...options, kind: 'categories' };
}

/** A date, as the parts of it that are asked for. */
export function date(options: Options<DateField> = {}): DateField {
  return { ...options, kind: 'date' };
}

/** A text, as a bag of words. */
export function text(options: Options<TextField> = {}): TextField {
  return { ...options, kind: 'text' };
}
