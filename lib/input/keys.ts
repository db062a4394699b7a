/** Checks the property names of the user's objects. Unknown names are refused, as they would have no effect. */
import { coded, option, show, words, type ErrorCode } from '../errors.js';

/** Words of other packages, each with its name here or with advice. Keys are in lower case, without underscores. */
export type ForeignWords = Readonly<Record<string, string | ((value: unknown) => string)>>;

interface Owner {
  readonly code: ErrorCode;
  /** Stands before the name in a message: 'option', 'key'. */
  readonly what: string;
  /** Stands after it. */
  readonly of?: string | undefined;
  readonly words?: ForeignWords | undefined;
}

/** Refuses unknown names, with a suggestion where there is one. */
export function checkNames(given: object, known: readonly string[], owner: Owner): void {
  for (const name of Object.keys(given)) if (!known.includes(name)) throw unknownName(given, name, known, owner);
}

/** Refuses unknown keys of points and ellipsoids. */
export function checkKeys(given: object, known: readonly string[], code: ErrorCode, of: string, words: ForeignWords = {}): void {
  checkNames(given, known, { code, what: 'key', of, words });
}

function unknownName(given: object, name: string, known: readonly string[], { code, what, of, words: foreign = {} }: Owner): Error {
  const word = name.toLowerCase().replaceAll('_', '');
  const meant = Object.hasOwn(foreign, word) ? foreign[word] : undefined;
  const advice = typeof meant === 'function' ? meant((given as Record<string, unknown>)[name]) : meant;
  const near = advice !== undefined && known.includes(advice) ? advice : nearest(name, known);
  const hint =
    advice?.includes(' ') === true // a sentence, not a name
      ? advice
      : near === undefined
        ? `expected one of ${known.join(', ')}`
        : `did you mean ${show(near)}?`;
  const named = what === 'option' ? option(name, show(name)) : show(name);
  return coded(TypeError, code, words`Unknown ${what} ${named}${of === undefined ? '' : ` of ${of}`}; ${hint}`);
}

/** The known name that begins with this one, or is a few edits away. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((k) => ({ k, d: distance(name.toLowerCase(), k.toLowerCase()) }))
    .sort((a, b) => a.d - b.d)
    .find(({ k, d }) => {
      const few = Math.min(Math.max(2, k.length / 3), Math.max(k.length, name.length) / 2); // never all of a short name
      return d <= few || (name.length >= 4 && k.startsWith(name));
    });
  return near?.k;
}

/** The Levenshtein distance. Names longer than any option are not compared. */
function distance(a: string, b: string): number {
  if (a.length > 40) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}
