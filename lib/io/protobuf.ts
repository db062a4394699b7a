/**
 * Writes messages in the wire format of Protocol Buffers, as far as ONNX needs it: a field is a key, number * 8 + type, and then a varint
 * (type 0), or a length and so many bytes (type 2). https://protobuf.dev/programming-guides/encoding
 */
import { LITTLE_ENDIAN } from '../backend/encodings.js';

/** A message in pieces. Bytes are kept where they are, not copied, so that a message is no larger than what it refers to. */
export class Message {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  get pieces(): readonly Uint8Array[] {
    return this.#pieces;
  }

  /** Adds an int64, an int32 or an enum. */
  int(field: number, value: number): this {
    return this.#add(varint(8 * field), varint(value));
  }

  string(field: number, text: string): this {
    return this.bytes(field, [Buffer.from(text)]);
  }

  message(field: number, message: Message): this {
    return this.bytes(field, message.#pieces, message.#length);
  }

  bytes(field: number, pieces: readonly Uint8Array[], length = pieces.reduce((sum, piece) => sum + piece.length, 0)): this {
    this.#add(varint(8 * field + 2), varint(length));
    for (const piece of pieces) this.#add(piece);
    return this;
  }

  #add(...pieces: readonly Uint8Array[]): this {
    for (const piece of pieces) {
      this.#pieces.push(piece);
      this.#length += piece.length;
    }
    return this;
  }
}

/** Seven bits a byte, the lowest first; the highest bit of a byte says that another follows. Negative numbers are those of 64 bits. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

/** The bytes of numbers, the lowest of each first: the numbers' own memory where the processor keeps them so. */
export function littleEndian(list: Float64Array | BigInt64Array): Uint8Array {
  const bytes = new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
  return LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap64();
}
