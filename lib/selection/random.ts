/**
 * Random numbers from a seed, the same on every machine: xoshiro128** (Blackman and Vigna, 2018), its state filled by splitmix32. For
 * shuffling rows; not for secrets.
 */
export class Random {
  readonly #s: [number, number, number, number];

  /** seed: an integer from 0 to 2^53 - 1. */
  constructor(seed: number) {
    const low = splitmix(seed >>> 0);
    const high = splitmix(Math.floor(seed / 2 ** 32) ^ 0x6a09e667);
    this.#s = [low(), low(), high(), high()];
  }

  /** 32 random bits, as a non-negative integer. */
  next(): number {
    const s = this.#s;
    const result = Math.imul(rotate(Math.imul(s[1], 5), 7), 9) >>> 0;
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 11);
    return result;
  }

  /** An integer from 0 to n - 1, all equally likely; n is at most 2^32. */
  below(n: number): number {
    const max = 2 ** 32 - (2 ** 32 % n); // larger values would make small results more likely
    for (;;) {
      const value = this.next();
      if (value < max) return value % n;
    }
  }

  /** Puts a list in random order, in place (Fisher and Yates). */
  shuffle<T extends { [i: number]: number; readonly length: number }>(list: T): T {
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const held = list[i]!;
      list[i] = list[j]!;
      list[j] = held;
    }
    return list;
  }
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function splitmix(state: number): () => number {
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return z ^ (z >>> 16);
  };
}
