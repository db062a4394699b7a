import { describe, expect, it } from 'vitest';
import { foldsByRow } from '../../lib/input/fold-options.js';
import { refusal } from '../support/refusal.js';

describe('foldsByRow(given, labels, weights)', () => {
  it.each([
    ['1', '"1"'],
    [1n, '1n'],
    [true, 'true'],
    [null, 'null'],
  ])('refuses the fold %s', (given, shown) => {
    const labels = { labels: [-1, 1], y: Int8Array.of(-1, 1, -1, 1), classes: undefined } as const;
    expect(refusal(() => foldsByRow([0, given, 1, 0], labels, undefined))).toBe(
      `TypeError [ERR_OPTION]: Expected an integer from 0 to 3 for options.folds[1] but received ${shown}`,
    );
  });
});
