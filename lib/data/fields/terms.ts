/** The words of a text. */

/** Splits a text into words. */
export type Splitter = (text: string) => readonly string[];

/** Two or more letters, digits or underscores in a row: what scikit-learn's vectorizers take as words. */
const WORDS = /[\p{L}\p{N}_]{2,}/gu;
const NONE: readonly string[] = [];

const byExpression: Splitter = (text) => text.match(WORDS) ?? NONE;

/** By the rules of a language. They change with the version of ICU. */
function bySegmenter(locale: string): Splitter {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  return (text) => {
    const words: string[] = [];
    for (const { segment, isWordLike } of segmenter.segment(text)) if (isWordLike) words.push(segment);
    return words;
  };
}

export function splitterFor({
  lowercase,
  segmenter,
}: {
  readonly lowercase: boolean;
  readonly segmenter?: string | undefined;
}): Splitter {
  const split = segmenter === undefined ? byExpression : bySegmenter(segmenter);
  return lowercase ? (text) => split(text.toLowerCase()) : split;
}

/** Visits all runs of `from` to `to` words, joined by spaces. */
export function eachTerm(words: readonly string[], [from, to]: readonly [number, number], visit: (term: string) => void): void {
  const count = words.length;
  if (from === 1) for (let k = 0; k < count; k++) visit(words[k]!);
  if (to === 1) return;
  for (let k = 0; k + 1 < count; k++) {
    let term = words[k]!;
    for (let n = 2; n <= to && k + n <= count; n++) {
      term += ` ${words[k + n - 1]!}`;
      if (n >= from) visit(term);
    }
  }
}
