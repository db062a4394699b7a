/**
 * MurmurHash3_x86_32 of bytes, with seed 0, as a signed number.
 * Source: A. Appleby, MurmurHash3 (public domain); scikit-learn's HashingVectorizer takes the same.
 */
export function murmur(data: Uint8Array, begin: number, end: number): number {
  let h = 0;
  const whole = begin + ((end - begin) & ~3);
  for (let at = begin; at < whole; at += 4) {
    h ^= mixed(data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24));
    h = (h << 13) | (h >>> 19);
    h = (Math.imul(h, 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  if (end - whole === 3) rest ^= data[whole + 2]! << 16;
  if (end - whole >= 2) rest ^= data[whole + 1]! << 8;
  if (end - whole >= 1) h ^= mixed(rest ^ data[whole]!);
  h ^= end - begin;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function mixed(k: number): number {
  const product = Math.imul(k, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}
