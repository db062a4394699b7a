/** The fields of an encoder as lines of text. */
import type { Encoder } from '../data/encoder.js';
import { show } from '../errors.js';
import { count } from './format.js';

/** More fields than this are not listed: nobody reads them, and --json has all. */
const MAX_LINES = 100;

/** What each field is and how many columns it makes, and which fields are ignored. Nothing without an encoder. */
export function fieldLines(encoder: Encoder | undefined): string[] {
  if (!encoder) return [];
  const shown = encoder.fields.slice(0, MAX_LINES);
  const names = shown.map(({ name }) => plain(name));
  const width = Math.max(...names.map(({ length }) => length));
  const more = encoder.fields.length - shown.length;
  const ignored = ignoredFields(encoder);
  const some = ignored.slice(0, 10).map(plain).join(', ') + (ignored.length > 10 ? ` and ${ignored.length - 10} more` : '');
  return [
    `${count(encoder.fields.length, 'field')} ${encoder.fields.length === 1 ? 'makes' : 'make'} ${count(encoder.cols, 'column')}:`,
    ...shown.map(({ kind, columns, distinct }, k) => {
      const seen = distinct === undefined ? '' : `, ${count(distinct)} distinct`;
      return `  ${names[k]!.padEnd(width)}  ${kind.padEnd(10)}  ${count(columns, 'column')}${seen}`;
    }),
    ...(more > 0 ? [`  … and ${count(more, 'field')} more; --json prints all of them`] : []),
    ...(ignored.length > 0 ? [`ignored: ${some}`] : []),
  ];
}

export function ignoredFields({ plan }: Encoder): string[] {
  return Object.entries(plan).flatMap(([name, { kind }]) => (kind === 'ignore' ? [name] : []));
}

/** Escapes control characters: a terminal would obey those of a hostile file. */
export function plain(text: string): string {
  return show(text).slice(1, -1);
}
