import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bag } from '../../lib/data/fields/bag.js';
import { UNKNOWN } from '../../lib/data/fields/dictionary.js';
import { EncodedRow } from '../../lib/data/fields/encoded-row.js';
import { Words } from '../../lib/data/fields/terms.js';
import { Vocabulary } from '../../lib/data/fields/vocabulary.js';
import { murmur } from '../../lib/data/murmur.js';
import { Encoder, text as textField } from '../../lib/index.js';

const WORDS = /[\p{L}\p{N}_]{2,}/gu;

function wordsOf(words: Words, text: string): string[] {
  words.read(text);
  const bytes = Buffer.from(words.bytes.buffer);
  return Array.from({ length: words.count }, (_, k) => {
    return bytes.toString('utf8', k === 0 ? 0 : words.ends[k - 1]! + 1, words.ends[k]);
  });
}

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'B', 'Ω', 'Σ', 'İ', '٣', '_', ' ', '.', '\u0301', '😀', '𐐀', '\ud800', 'ß', 'xyz', '日'),
      fc.string({ unit: 'binary' }),
    ),
  ) // prettier-ignore
  .map((parts) => parts.join(''));

describe('Words', () => {
  it('has the words that the expression matches, of one text after the other', () => {
    const [asItIs, lower] = [new Words({ lowercase: false }), new Words({ lowercase: true })];
    fc.assert(
      fc.property(text, (given) => {
        expect(wordsOf(asItIs, given)).toEqual(given.match(WORDS) ?? []);
        expect(wordsOf(lower, given)).toEqual(given.toLowerCase().match(WORDS) ?? []);
      }),
      { numRuns: 2000 },
    );
  });

  it('has all words of a long text, and gives its memory back', () => {
    const words = new Words({ lowercase: true });
    const many = Array.from({ length: 400_000 }, (_, k) => `w${k}`);
    expect(wordsOf(words, many.join(' '))).toEqual(many);
    expect(wordsOf(words, 'Two words')).toEqual(['two', 'words']);
    expect(words.bytes.length).toBeLessThan(2 ** 20);
  });

  it('takes the words of Intl.Segmenter', () => {
    expect(wordsOf(new Words({ lowercase: true, segmenter: 'ja' }), '日本語のテスト。Yes!')).toEqual([
      '日本語',
      'の',
      'テスト',
      'yes',
    ]);
  });
});

/** Words of eight bytes that have one hash: the second block that undoes what the first one did. */
function colliding(count: number): Uint8Array[] {
  const block = (k: number) => Math.imul((Math.imul(k, 0xcc9e2d51) << 15) | (Math.imul(k, 0xcc9e2d51) >>> 17), 0x1b873593);
  const inverse = (odd: number) => {
    let x = odd;
    for (let k = 0; k < 5; k++) x = Math.imul(x, 2 - Math.imul(odd, x));
    return x;
  };
  const [c1, c2] = [inverse(0xcc9e2d51), inverse(0x1b873593)];
  return Array.from({ length: count }, (_, k) => {
    let h = block(k);
    h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
    const wanted = Math.imul(h ^ 12345, c2); // so that h ^ block(second) is always 12345
    const second = Math.imul((wanted << 17) | (wanted >>> 15), c1);
    return new Uint8Array(Int32Array.of(k, second).buffer);
  });
}

describe('Vocabulary', () => {
  it('numbers terms in the order in which they come', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (terms) => {
        const vocabulary = new Vocabulary();
        const seen = new Map<string, number>();
        for (const term of terms) {
          if (!seen.has(term)) seen.set(term, seen.size);
          const bytes = Buffer.from(`..${term}.`);
          expect(vocabulary.code(bytes, 2, bytes.length - 1)).toBe(seen.get(term));
        }
        expect(Array.from(seen.values(), (code) => vocabulary.text(code))).toEqual([...seen.keys()]);
      }),
    );
  });

  it('of given terms knows no others', () => {
    const vocabulary = Vocabulary.of(['b', 'a', 'é']);
    const codes = ['a', 'b', 'c', 'é', ''].map((term) => vocabulary.code(Buffer.from(term), 0, Buffer.byteLength(term)));
    expect(codes).toEqual([1, 0, UNKNOWN, 2, UNKNOWN]);
  });

  it('keeps terms apart that have the same hash, before and after it grows', () => {
    const terms = colliding(1000);
    expect(new Set(terms.map((term) => murmur(term, 0, 8))).size).toBe(1);
    const vocabulary = new Vocabulary();
    const codes = terms.map((term) => vocabulary.code(term, 0, 8));
    expect(codes).toEqual([...terms.keys()]);
    expect(terms.map((term) => vocabulary.code(term, 0, 8))).toEqual(codes);
  });

  it('compares terms by code points', () => {
    const terms = ['ab', 'a', 'b', '\uffee', '\u{10400}', 'é', ''];
    const vocabulary = Vocabulary.of(terms);
    const sorted = [...terms.keys()].sort((a, b) => vocabulary.compare(a, b)).map((code) => terms[code]);
    expect(sorted).toEqual(['', 'a', 'ab', 'b', 'é', '\uffee', '\u{10400}']);
  });
});

describe('Bag', () => {
  it('counts terms as a Map does, text after text', () => {
    const bag = new Bag();
    fc.assert(
      fc.property(fc.array(fc.nat(5000), { maxLength: 5000, size: 'max' }), (terms) => {
        const counts = new Map<number, number>();
        bag.empty();
        for (const term of terms) {
          bag.add(term, term % 3 === 0 ? -1 : 1);
          counts.set(term, (counts.get(term) ?? 0) + (term % 3 === 0 ? -1 : 1));
        }
        expect([...bag.terms.subarray(0, bag.size)]).toEqual([...counts.keys()]);
        expect([...bag.counts.subarray(0, bag.size)]).toEqual([...counts.values()]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('EncodedRow', () => {
  it('sorts the entries from one on, and adds them up by weight', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(10_000), { maxLength: 500, size: 'max' }), fc.nat(5), (columns, begin) => {
        const row = new EncodedRow();
        columns.forEach((column) => row.add(column, column / 2));
        row.scaleFrom(begin, 2);
        row.sortFrom(begin);
        const sorted = [...columns.slice(0, begin), ...columns.slice(begin).sort((a, b) => a - b)];
        expect([...row.columns.subarray(0, row.count)]).toEqual(sorted);
        expect([...row.values.subarray(0, row.count)]).toEqual(sorted.map((column, k) => (k < begin ? column / 2 : column)));
        expect(row.dot(new Float64Array(10_001).fill(1))).toBe(row.values.subarray(0, row.count).reduce((sum, x) => sum + x, 0));
      }),
    );
  });
});

describe('a text field', () => {
  it('counts words that occur often, and hashed ones below 0', () => {
    const records = [{ v: 'ab '.repeat(1000) }, { v: 'ab cd' }, { v: 'cd '.repeat(127) }, { v: 'cd '.repeat(128) }];
    const plan = { values: 'counts', unit: false } as const;
    const { points } = Encoder.fitEncode(records, { v: textField(plan) });
    expect(points).toMatchObject({ data: Float64Array.of(1000, 0, 1, 1, 0, 127, 0, 128) });
    const hashed = Encoder.fitEncode(records, { v: textField({ ...plan, hash: 2 }) });
    const [ab, cd] = ['ab', 'cd'].map((word) => murmur(Buffer.from(word), 0, 2));
    const row = (a: number, c: number) => {
      const values = [0, 0];
      values[Math.abs(ab!) % 2]! += a * Math.sign(ab!);
      values[Math.abs(cd!) % 2]! += c * Math.sign(cd!);
      return values;
    };
    const wanted = [row(1000, 0), row(1, 1), row(0, 127), row(0, 128)].flat();
    const dense = 'data' in hashed.points ? [...hashed.points.data] : [];
    if (dense.length > 0) expect(dense).toEqual(wanted);
    else expect([...(hashed.points as { values: Float64Array }).values]).toEqual(wanted.filter((x) => x !== 0));
  });
});
