/** SHA-256 (FIPS 180-4) without asynchronous calls, for runtimes whose own is asynchronous alone. */

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes, and of the cube roots of the first 64. */
function roots(count: number, power: number): Uint32Array {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
  return Uint32Array.from(primes, (p) => fraction(p, power));
}

/** The first 32 bits of the fractional part of n^(1/power), by integers: floating-point powers differ between engines. */
function fraction(n: number, power: number): number {
  const scaled = BigInt(n) << BigInt(32 * power); // the root is that of n, times 2^32
  let [low, high] = [0n, 1n << 40n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(power) <= scaled) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}

const BLOCK = 64;
const K = roots(64, 3);
const START = roots(8, 2);

const rotated = (x: number, by: number) => (x >>> by) | (x << (32 - by));

export class Sha256 {
  readonly #state = START.slice();
  readonly #words = new Uint32Array(64);
  readonly #block = new Uint8Array(BLOCK);
  #used = 0; // bytes of the block
  #length = 0; // bytes in all

  update(data: string | Uint8Array): this {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    this.#length += bytes.length;
    for (let at = 0; at < bytes.length;) {
      const some = bytes.subarray(at, at + BLOCK - this.#used);
      this.#block.set(some, this.#used);
      this.#used += some.length;
      at += some.length;
      if (this.#used < BLOCK) break;
      this.#compress();
      this.#used = 0;
    }
    return this;
  }

  /** The digest in hexadecimal digits. */
  digest(): string {
    const bits = 8 * this.#length;
    const padding = new Uint8Array(((BLOCK + 55 - this.#used) % BLOCK) + 9);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  #compress(): void {
    const w = this.#words;
    const view = new DataView(this.#block.buffer);
    for (let t = 0; t < 16; t++) w[t] = view.getUint32(4 * t);
    for (let t = 16; t < 64; t++) {
      const [early, late] = [w[t - 15]!, w[t - 2]!];
      const s0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
      const s1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
      w[t] = w[t - 16]! + s0 + w[t - 7]! + s1;
    }
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as [number, number, number, number, number, number, number, number];
    for (let t = 0; t < 64; t++) {
      const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      const first = (h + s1 + ((e & f) ^ (~e & g)) + K[t]! + w[t]!) | 0;
      const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, k) => (this.#state[k]! += value));
  }
}
