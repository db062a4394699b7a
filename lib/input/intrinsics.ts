/**
 * What the user's objects really are, by the getters of %TypedArray%.prototype. An own property or a subclass may hide a typed array's
 * `buffer` or `length`, and a proxy may have been revoked; only these getters tell the truth about the memory.
 */

type Getter<T> = (this: unknown) => T;

function getter<T>(name: string | symbol): Getter<T> {
  const prototype = Object.getPrototypeOf(Uint8Array.prototype) as object; // %TypedArray%.prototype
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with an explicit `this`
  return Object.getOwnPropertyDescriptor(prototype, name)!.get as Getter<T>;
}

const tag = getter<string | undefined>(Symbol.toStringTag);
const buffer = getter<ArrayBufferLike>('buffer');
const byteOffset = getter<number>('byteOffset');
const length = getter<number>('length');

export type TypedArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

interface Kind {
  new (length: number): TypedArray;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): TypedArray;
}

const { Float16Array } = globalThis as { Float16Array?: Kind }; // in newer engines only

const KINDS = new Map<string, Kind>(
  [
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
    ...(Float16Array ? [Float16Array] : []),
  ].map((Kind) => [(Kind as { name: string }).name, Kind]),
);

function kindOf(value: unknown): Kind | undefined {
  return KINDS.get(tag.call(value) ?? '');
}

/** Whether it is a typed array, of any realm (vm context). */
export function isTypedArray(value: unknown): value is TypedArray {
  return tag.call(value) !== undefined;
}

/** The number of entries in its memory. */
export function typedLength(view: TypedArray): number {
  return length.call(view);
}

/** A new view of the same memory and kind, without properties or a class of the user's. It is empty if the memory is detached. */
export function plainView<T extends TypedArray>(view: T): T {
  const Kind = kindOf(view)!;
  const count = length.call(view);
  return (count === 0 ? new Kind(0) : new Kind(buffer.call(view), byteOffset.call(view), count)) as T;
}

/** Zeros, in a typed array of the same kind as `list`, or in a plain array if `list` is not typed. */
export function zerosLike(list: ArrayLike<unknown>, count: number): { [at: number]: number } {
  const Kind = kindOf(list);
  return Kind ? (new Kind(count) as Float64Array) : new Array<number>(count).fill(0);
}

/** Whether it is a typed array of one of these kinds, of any realm. */
export function isOf<K extends keyof Kinds>(value: unknown, ...kinds: readonly K[]): value is Kinds[K] {
  return (kinds as readonly unknown[]).includes(tag.call(value));
}

interface Kinds {
  Float64Array: Float64Array;
  Float32Array: Float32Array;
  Int32Array: Int32Array;
  Uint32Array: Uint32Array;
  Uint8Array: Uint8Array;
}

const sharedLength = sizeGetter(globalThis.SharedArrayBuffer?.prototype, 'byteLength'); // pages may have none
const mapSize = sizeGetter(Map.prototype, 'size');

function sizeGetter(prototype: object | undefined, name: string): Getter<number> | undefined {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with an explicit `this`
  return prototype && (Object.getOwnPropertyDescriptor(prototype, name)!.get as Getter<number>);
}

/** Whether a getter accepts the object, as it does those of its class alone, of any realm. */
function accepts(size: Getter<number> | undefined, value: unknown): boolean {
  try {
    return size?.call(value) !== undefined;
  } catch {
    return false;
  }
}

/** Whether other threads can write to the array's memory. */
export function isShared(view: TypedArray): boolean {
  return accepts(sharedLength, buffer.call(view));
}

export function isMap(value: unknown): value is Map<unknown, unknown> {
  return accepts(mapSize, value);
}

/** A view of the same memory as unsigned integers. */
export function unsigned(view: Int32Array | Uint32Array): Uint32Array {
  const count = length.call(view);
  return count === 0 ? new Uint32Array(0) : new Uint32Array(buffer.call(view), byteOffset.call(view), count);
}

/** Whether it is a revoked proxy: `Array.isArray` throws for nothing else. */
export function isRevoked(value: unknown): boolean {
  try {
    Array.isArray(value);
    return false;
  } catch {
    return true;
  }
}

/** Whether it is an object whose properties can be read. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isRevoked(value);
}

export function isArray(value: unknown): value is unknown[] {
  return isObject(value) && Array.isArray(value);
}
