import { describe, expect, it } from 'vitest';
import { checkPath, resolveCsvReading } from '../../lib/input/file-options.js';
import { refusal } from '../support/refusal.js';

describe('checkPath(path)', () => {
  it('takes text alone', () => {
    expect(refusal(() => checkPath('a.json'))).toBe('none');
    expect(refusal(() => checkPath(5))).toBe('TypeError [ERR_SOURCE]: Expected a path for path but received 5');
    expect(refusal(() => checkPath(undefined))).toBe('TypeError [ERR_SOURCE]: Expected a path for path but received undefined');
  });
});

describe('resolveCsvReading(options)', () => {
  it.each<[object, string]>([
    [{ columns: 'a' }, 'TypeError [ERR_OPTION]: Expected an array of names for options.columns but received "a"'],
    [{ columns: ['a', 7] }, 'TypeError [ERR_OPTION]: Expected a name for options.columns[1] but received 7'],
    [
      { columns: ['a'], header: false },
      'RangeError [ERR_OPTION]: Expected nothing for options.columns, as there is no header, but received an array of length 1',
    ],
  ])('refuses %j', (options, message) => {
    expect(refusal(() => resolveCsvReading({ label: 0, ...options }))).toBe(message);
  });
});
