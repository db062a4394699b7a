import { describe, expect, it } from 'vitest';
import { knownOptions } from '../../lib/input/options.js';

describe('knownOptions(given, known)', () => {
  it('leaves out options that are undefined, and inherited names that are not known', () => {
    const given = Object.assign(Object.create({ colour: 1 }) as object, { mu: 1, stop: undefined });
    expect(Object.entries(knownOptions(given as { mu?: unknown; stop?: unknown }, ['stop', 'mu']))).toEqual([['mu', 1]]);
  });
});
