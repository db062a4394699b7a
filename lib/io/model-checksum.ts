/** The checksums of models in JSON, and their nonzero weights, by which they are the same for both forms of weights. */
import { sha256, type Hash } from '../platform/host.js';
import type { Calibration } from '../svm/calibration.js';
import type { PlaneBounds } from '../svm/certificate.js';
import type { Label, Multiclass } from '../types.js';
import { LITTLE_ENDIAN } from '../backend/encodings.js';
import { inChunks } from './chunks.js';
import { textOf, type OutlineObject } from './json-text.js';

/** The nonzero weights: possibly a handful among millions. */
export interface Entries {
  readonly length: number;
  readonly indices: Uint32Array;
  readonly values: Float64Array;
}

const BLOCK = 4096;
const ZEROS = new Uint8Array(8 * BLOCK);

/** Finds the nonzero weights. Blocks of zeros are skipped at the speed of memory, and not copied. */
export function entriesOf(weights: Float64Array): Entries {
  const { length } = weights;
  let [indices, values] = [new Uint32Array(64), new Float64Array(64)];
  let used = 0;
  for (let begin = 0; begin < length; begin += BLOCK) {
    const block = weights.subarray(begin, begin + BLOCK);
    const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
    if (bytes.compare(ZEROS, 0, bytes.length) === 0) continue;
    if (used + block.length > indices.length) [indices, values] = [longer(indices), longer(values)];
    for (let j = 0; j < block.length; j++) {
      if (block[j] === 0) continue;
      indices[used] = begin + j;
      values[used++] = block[j]!;
    }
  }
  return { length, indices: indices.subarray(0, used), values: values.subarray(0, used) };
}

function longer<T extends Uint32Array | Float64Array>(list: T): T {
  const copy = new (list.constructor as new (length: number) => T)(2 * list.length + BLOCK);
  copy.set(list);
  return copy;
}

/** The SHA-256 of everything that predictions of version 1 depend on. It is the same for both forms of weights. */
export function checksumOfOne(
  labels: readonly Label[],
  bias: number,
  columns: readonly string[] | undefined,
  { length, indices, values }: Entries,
): string {
  const hash = sha256().update(JSON.stringify(columns ? [labels, bias, length, columns] : [labels, bias, length]));
  for (const list of [indices, values]) updateBy(hash, list);
  return hash.digest('hex');
}

/**
 * The SHA-256 of everything that predictions and proofs of version 2 depend on, taken in the order of the file. It is the same for both
 * forms of weights. Every list is preceded by its length, so that no two models are hashed alike.
 */
export class Checksum {
  readonly #hash = sha256();

  constructor(head: {
    readonly labels: readonly Label[];
    readonly multiclass: Multiclass | undefined;
    readonly columns: readonly string[] | undefined;
    readonly cols: number;
  }) {
    const { labels, multiclass = null, columns = null, cols } = head;
    for (const chunk of inChunks(textOf([labels, multiclass, cols, columns]), undefined)) this.#hash.update(chunk);
  }

  plane(bias: number, weights: Entries): void {
    this.#numbers(bias);
    this.#entries(weights);
  }

  /** What the proofs of all planes have in common. */
  columns(inverseScale: Entries, centre: Entries | undefined): void {
    this.#entries(inverseScale);
    this.#optional(centre);
  }

  /** What is proved of a plane, if anything, and its own centre, if it has one. */
  bounds(bounds: PlaneBounds | undefined, centre: Entries | undefined): void {
    this.#numbers(bounds ? 1 : 0);
    if (bounds) this.#numbers(bounds.slope, bounds.low, bounds.high, bounds.norm);
    this.#optional(centre);
  }

  /** How a plane's values become probabilities. */
  calibration(calibration: Calibration): void {
    this.#hash.update(calibration.kind);
    if (calibration.kind === 'sigmoid') {
      this.#numbers(calibration.a, calibration.b);
    } else {
      this.#numbers(calibration.values.length);
      for (const list of [calibration.values, calibration.probabilities]) this.#list(list);
    }
  }

  /** What makes points of records. Its text is that of the file, and so is the same for what was read from it. */
  records(encoder: OutlineObject, means: Entries): void {
    for (const chunk of inChunks(textOf(encoder), undefined)) this.#hash.update(chunk);
    this.#entries(means);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  #optional(list: Entries | undefined): void {
    this.#numbers(list ? 1 : 0);
    if (list) this.#entries(list);
  }

  #entries({ indices, values }: Entries): void {
    this.#numbers(indices.length);
    for (const list of [indices, values]) updateBy(this.#hash, list);
  }

  #numbers(...numbers: number[]): void {
    this.#list(numbers);
  }

  #list(numbers: ArrayLike<number>): void {
    const kept = Float64Array.from(numbers, (number) => number + 0); // no -0, which JSON does not keep
    updateBy(this.#hash, kept);
  }
}

function bytesOf(list: Uint32Array | Float64Array): Buffer {
  return Buffer.from(list.buffer, list.byteOffset, list.byteLength);
}

/** Numbers that a hash takes at a time: it takes no more than 2 GB. */
const HASHED = 2 ** 20;

/** Updates a hash by numbers, whose lowest bytes come first. */
function updateBy(hash: Hash, list: Uint32Array | Float64Array): void {
  for (let begin = 0; begin < list.length; begin += HASHED) {
    const bytes = bytesOf(list.subarray(begin, begin + HASHED));
    if (LITTLE_ENDIAN) hash.update(bytes);
    else hash.update(list instanceof Uint32Array ? Buffer.from(bytes).swap32() : Buffer.from(bytes).swap64());
  }
}

/** Whether all bits are the same. */
export function isSame(one: Float64Array, other: Float64Array): boolean {
  return one === other || bytesOf(one).equals(bytesOf(other));
}
