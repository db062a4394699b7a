/** JSON whose long lists are made only when they are reached, so that its text may be longer than the longest string. */

/** A value of JSON. Typed arrays are lists of finite numbers. A function makes its value, a string or a list, when that is reached. */
export type Outline =
  | null
  | boolean
  | number
  | string
  | Float64Array
  | Uint32Array
  | readonly Outline[]
  | (() => string | Iterable<Outline>)
  | OutlineObject;

/** Members that are undefined are left out. */
export interface OutlineObject {
  readonly [name: string]: Outline | undefined;
}

/** Numbers that are written at a time: at most 100 kB of text. */
const BLOCK = 4096;

/** The text of a value, in pieces: short ones, except for long strings. */
export function* textOf(value: Outline): Generator<string> {
  const made = typeof value === 'function' ? value() : value;
  if (typeof made !== 'object' || made === null) {
    yield JSON.stringify(made);
  } else if (made instanceof Float64Array || made instanceof Uint32Array) {
    yield '[';
    for (let begin = 0; begin < made.length; begin += BLOCK) {
      const text = JSON.stringify(Array.from(made.subarray(begin, begin + BLOCK))); // twice as fast as join
      yield `${begin === 0 ? '' : ','}${text.slice(1, -1)}`;
    }
    yield ']';
  } else if (isIterable(made)) {
    let mark = '[';
    for (const item of made) {
      yield mark;
      yield* textOf(item);
      mark = ',';
    }
    yield mark === '[' ? '[]' : ']';
  } else {
    yield '{';
    yield* membersOf(made);
    yield '}';
  }
}

/** The text of an object without its braces. */
export function* membersOf(value: OutlineObject): Generator<string> {
  let mark = '';
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    yield `${mark}${JSON.stringify(name)}:`;
    yield* textOf(item);
    mark = ',';
  }
}

/** The value with everything made: what JSON.parse would make of its text. */
export function plainOf(value: Outline): unknown {
  const made = typeof value === 'function' ? value() : value;
  if (typeof made !== 'object' || made === null) return made;
  if (made instanceof Float64Array || made instanceof Uint32Array) return Array.from(made);
  if (isIterable(made)) return Array.from(made, plainOf);
  const members = Object.entries(made).filter((member): member is [string, Outline] => member[1] !== undefined);
  return Object.fromEntries(members.map(([name, item]) => [name, plainOf(item)]));
}

function isIterable(value: OutlineObject | Iterable<Outline>): value is Iterable<Outline> {
  return Symbol.iterator in value;
}
