/** Runs graphs of ONNX, and reads their bytes. */
import { env, InferenceSession, Tensor } from 'onnxruntime-web';
import type { Label } from '../../lib/types.js';

env.wasm.numThreads = 1; // others would outlive the tests
env.logLevel = 'error';

export interface OnnxAnswer {
  readonly label: readonly Label[];
  /** The type and lengths of each output, by name. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly decision: Float64Array;
  readonly probabilities: Float64Array | undefined;
}

/** What onnxruntime answers for points, given row by row. */
export async function runOnnx(
  bytes: Uint8Array,
  rows: readonly (readonly number[])[],
  cols = rows[0]!.length,
): Promise<OnnxAnswer> {
  const session = await InferenceSession.create(bytes, { executionProviders: ['wasm'] });
  try {
    const points = new Tensor('float64', Float64Array.from(rows.flat()), [rows.length, cols]);
    const { label, decision, probabilities, ...more } = await session.run({ points });
    if (Object.keys(more).length > 0) throw new Error(`other outputs: ${Object.keys(more).join()}`);
    const kindOf = ({ type, dims }: Tensor) => `${type}[${dims.join()}]`;
    return {
      label: Array.from(label!.data as ArrayLike<unknown>, (value) => labelOf(value, label!.type)),
      kinds: {
        label: kindOf(label!),
        decision: kindOf(decision!),
        ...(probabilities && { probabilities: kindOf(probabilities) }),
      },
      decision: decision!.data as Float64Array,
      probabilities: probabilities?.data as Float64Array | undefined,
    };
  } finally {
    await session.release();
  }
}

function labelOf(value: unknown, type: string): Label {
  if (type === 'bool') return value === 1;
  return typeof value === 'bigint' ? Number(value) : (value as Label);
}

/** A message's fields by number: numbers and bytes, in their order. */
export type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/** Reads a message in the wire format of Protocol Buffers. */
export function readMessage(bytes: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const list = fields.get(key >> 3) ?? [];
    fields.set(key >> 3, list);
    if ((key & 7) === 0) {
      list.push(varint());
    } else if ((key & 7) === 2) {
      const end = Number(varint()) + at;
      if (end > bytes.length) throw new Error(`a field ends at ${end}, after the message`);
      list.push(bytes.subarray(at, end));
      at = end;
    } else {
      throw new Error(`a field of type ${key & 7}`);
    }
  }
  return fields;
}

export function messagesIn(fields: Fields, field: number): Fields[] {
  return (fields.get(field) ?? []).map((bytes) => readMessage(bytes as Buffer));
}

export function textIn(fields: Fields, field: number): string {
  return (fields.get(field)![0] as Buffer).toString();
}
