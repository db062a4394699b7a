/** The few functions of Node's Buffer that this package uses, for runtimes without it. The bundle for browsers has them as `Buffer`. */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true }); // a mark in the middle is a character, as Node.js has it
const encoder = new TextEncoder();

/** So many characters are made at a time: each is an argument. */
const ARGUMENTS = 1 << 12;

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += ARGUMENTS) text += String.fromCharCode(...bytes.subarray(at, at + ARGUMENTS));
  return text;
}

class Bytes extends Uint8Array {
  override toString(encoding: 'utf8' | 'latin1' = 'utf8', begin = 0, end = this.length): string {
    const part = new Uint8Array(this.buffer, this.byteOffset, this.length).subarray(begin, end);
    return encoding === 'latin1' ? latin1(part) : decoder.decode(part);
  }

  /** Copies bytes to another list, as far as there is room. */
  copy(to: Uint8Array, at = 0, begin = 0, end = this.length): number {
    const part = this.subarray(begin, Math.min(end, begin + to.length - at));
    to.set(part, at);
    return part.length;
  }

  equals(other: Uint8Array): boolean {
    return this.compare(other) === 0;
  }

  /** -1, 0 or 1, as these bytes come before those, are the same, or come after them. */
  compare(other: Uint8Array, begin = 0, end = other.length): number {
    const length = Math.min(this.length, end - begin);
    for (let k = 0; k < length; k++) if (this[k] !== other[begin + k]) return this[k]! < other[begin + k]! ? -1 : 1;
    return Math.sign(this.length - (end - begin));
  }
}

const alloc = (length: number) => new Bytes(length);

export const Buffer = {
  alloc,
  allocUnsafeSlow: alloc,
  of: (...bytes: number[]) => Buffer.from(bytes),
  byteLength: (text: string) => encoder.encode(text).length,

  /** A copy of text in UTF-8 or of bytes; or a view of memory. */
  from(data: string | ArrayLike<number> | ArrayBuffer, begin = 0, length?: number): Bytes {
    if (typeof data === 'string') return new Bytes(encoder.encode(data));
    if ('length' in data) return new Bytes(data);
    return new Bytes(data, begin, length); // of any realm
  },

  concat(parts: readonly Uint8Array[]): Bytes {
    const all = new Bytes(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  },
};
