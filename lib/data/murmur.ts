/**
 * MurmurHash3_x86_32 of the UTF-8 bytes of a text, with seed 0, as a signed number.
 * Source: A. Appleby, MurmurHash3 (public domain); scikit-learn's HashingVectorizer takes the same.
 */
const encoder = new TextEncoder();
let bytes = new Uint8Array(256);

/** A lone surrogate counts as U+FFFD, as in every encoder of UTF-8. */
export function murmur(text: string): number {
  const { length } = text;
  if (3 * length > bytes.length) bytes = new Uint8Array(6 * length);
  let count = 0;
  while (count < length) {
    const code = text.charCodeAt(count);
    if (code > 127) break;
    bytes[count++] = code;
  }
  if (count < length) count = encoder.encodeInto(text, bytes).written;
  return hash(bytes, count);
}

function hash(data: Uint8Array, length: number): number {
  let h = 0;
  const whole = length & ~3;
  for (let at = 0; at < whole; at += 4) {
    h ^= mixed(data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24));
    h = (h << 13) | (h >>> 19);
    h = (Math.imul(h, 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  if (length - whole === 3) rest ^= data[whole + 2]! << 16;
  if (length - whole >= 2) rest ^= data[whole + 1]! << 8;
  if (length - whole >= 1) h ^= mixed(rest ^ data[whole]!);
  h ^= length;
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
