import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesInChunks } from '../../lib/io/chunks.js';

describe('bytesInChunks(pieces)', () => {
  it('joins short pieces and divides long ones, and keeps every byte', () => {
    const piece = fc
      .tuple(fc.constantFrom(0, 1, 5, 65_535, 65_536, 65_537, 200_000), fc.nat(255))
      .map(([length, first]) => Uint8Array.from({ length }, (_, k) => first + 7 * k));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const chunks = Array.from(bytesInChunks(pieces, undefined), (chunk) => Uint8Array.from(chunk));
        expect(Buffer.concat(chunks).equals(Buffer.concat(pieces))).toBe(true);
        expect(chunks.slice(0, -1).every(({ length }) => length === 65_536)).toBe(true);
        expect(chunks.at(-1)!.length).toBeLessThan(65_536);
      }),
      { seed: 3, numRuns: 50 },
    );
  });

  it('throws the reason of a signal between chunks', () => {
    const [aborter, reason] = [new AbortController(), new Error('enough')];
    const chunks = bytesInChunks([new Uint8Array(200_000)], aborter.signal);
    expect(chunks.next().done).toBe(false);
    aborter.abort(reason);
    expect(() => chunks.next()).toThrow(reason);
  });
});
