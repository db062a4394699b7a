/** Files in the wrong format: what tells LIBSVM text from CSV, and where the limits of a guess are. */
import { describe, expect, it } from 'vitest';
import { messageOf } from '../../lib/errors.js';
import { readLibsvm } from '../../lib/index.js';
import { checkCsv } from '../../lib/input/file-errors.js';
import { resolveCsvReading } from '../../lib/input/file-options.js';
import { refusal } from '../support/refusal.js';

describe('readLibsvm(source) of CSV', () => {
  const read = (text: string, labels: 'string' | 'number') => readLibsvm(Buffer.from(text), { labels });

  it.each(['age,h\n1,100\n', 'age;h\n1;100\n'])('refuses %j, whose every line would be a label', async (text) => {
    await expect(read(text, 'string')).rejects.toMatchObject({
      name: 'SyntaxError',
      code: 'ERR_LIBSVM',
      message: `Expected index:value in some row of input but received ${JSON.stringify(text.slice(0, 5))} and the like; this looks like CSV (readCsv, --csv)`,
    });
  });

  it('suggests readCsv where a label should be a number', async () => {
    await expect(read('1,100\n', 'number')).rejects.toMatchObject({
      code: 'ERR_LIBSVM',
      message: 'Expected a finite number, the label, at input:1:1 but received "1,100"; this looks like CSV (readCsv, --csv)',
    });
  });

  it.each<[text: string, labels: 'string' | 'number', expected: unknown[]]>([
    ['spam\nham\n', 'string', ['spam', 'ham']],
    ['a,b 1:1\nc 1:2\n', 'string', ['a,b', 'c']],
    ['1\n2\n', 'number', [1, 2]],
  ])('takes %j, which may be LIBSVM text', async (text, labels, expected) => {
    expect([...(await read(text, labels)).labels]).toEqual(expected);
  });
});

describe('checkCsv(cells, reading, place)', () => {
  const check = (cells: readonly string[], delimiter = ',') =>
    refusal(() => checkCsv(cells, resolveCsvReading({ label: 0, delimiter }), { file: 'a.csv', line: 1 }));
  const LIBSVM = /^SyntaxError \[ERR_CSV\]: .*; this is LIBSVM text, which readLibsvm reads$/;

  it.each([
    '1 1:2',
    '-1 1:2',
    '1 12:2',
    '1 1:25',
    '1 1:2 2:3 3:4',
    '  1 1:2',
    '1 1:2  ',
    '1  1:2',
    'spam 1:1 2:3',
    'spam  1:1 2:3',
    'spam 12:1 13:3',
    'spam 1:25 2:3',
  ])('refuses %j', (row) => {
    expect(check([row])).toMatch(LIBSVM);
  });

  it.each(['some words 1 1:2', '1 1:2 and more', '1 1:2x', 'spam 1:1', '1', '1 1', '1:2'])('takes %j', (row) => {
    expect(check([row])).toBe('none');
  });

  it('looks at the first 100 cells', () => {
    const entries = Array.from({ length: 99 }, (_, j) => `${j + 1}:1`);
    expect(check(['1', ...entries, 'x'], ' ')).toMatch(LIBSVM);
    expect(check(['1', ...entries.slice(1), 'x'], ' ')).toBe('none');
  });

  it('looks at the first 10,000 characters, without the entry that is cut there', () => {
    expect(check([`1${' 12345:1'.repeat(1250)} no entry`])).toMatch(LIBSVM);
    expect(check([`1${' 12:1'.repeat(1999)} abc`])).toBe('none'); // 10,000 characters
    expect(check([`1${' 12:1'.repeat(1999)} abcd`])).toMatch(LIBSVM); // 10,001
  });

  it('names readLibsvm by a term, which the command line words in its own way', () => {
    try {
      checkCsv(['1 1:2'], resolveCsvReading({ label: 0 }), { file: 'a.csv', line: 1 });
      expect.fail('nothing was thrown');
    } catch (error) {
      expect(messageOf(error as Error, ({ kind, name }) => `<${kind} ${name}>`)).toBe(
        'Expected comma-separated values at a.csv:1 but received "1 1:2"; this is LIBSVM text, <code readLibsvm>',
      );
    }
  });
});
