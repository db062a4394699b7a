/** Errors with codes. Their messages share one grammar: Expected ⟨what⟩ for ⟨where⟩ but received ⟨what came⟩. */
import { isRevoked } from './input/intrinsics.js';

export type ErrorCode =
  | 'ERR_POINTS'
  | 'ERR_RECORDS'
  | 'ERR_ELLIPSOIDS'
  | 'ERR_LABELS'
  | 'ERR_OPTION'
  | 'ERR_MODEL'
  | 'ERR_SOURCE'
  | 'ERR_LIBSVM'
  | 'ERR_CSV'
  | 'ERR_JSON'
  | 'ERR_PARQUET'
  | 'ERR_ARROW'
  | 'ERR_DATASET'
  | 'ERR_BACKEND'
  | 'ERR_BUILD'
  | 'ERR_MPI'
  | 'ERR_SHARD'
  | 'ERR_DISPOSED'
  | 'ERR_MEMORY'
  | 'ERR_USAGE';

type ErrorKind = new (message: string, options?: ErrorOptions) => Error;

export interface CodedError extends Error {
  code: ErrorCode;
  /** The name of the option that the error is about, if any. */
  option?: string;
  /** The option that would help, with its value. */
  hint?: { readonly option: string; readonly value: unknown };
}

/** Part of a message that reads differently on the command line. */
export interface Term {
  /** An option's name, advice to set an option, or a remark for callers of the library. */
  readonly kind: 'option' | 'setting' | 'code';
  /** The name of the option, or of the function. */
  readonly name: string;
  /** The advised value, for a setting. */
  readonly value?: unknown;
  /** The text in messages of the library. */
  readonly text: string;
}

/** The term `options.name`. */
export function option(name: string, text = `options.${name}`): Term {
  return { kind: 'option', name, text };
}

/** The term `set name: value`. */
export function setting(name: string, value: string | boolean): Term {
  return { kind: 'setting', name, value, text: `set ${name}: ${typeof value === 'string' ? `'${value}'` : value}` };
}

/** A message that keeps its terms apart from its text. */
export class Wording {
  constructor(readonly pieces: readonly (string | Term)[]) {}

  /** The text, with each term worded by `named`. */
  text(named: (term: Term) => string = ({ text }) => text): string {
    return this.pieces.map((piece) => (typeof piece === 'string' ? piece : named(piece))).join('');
  }
}

export type Words = string | Wording;

/** A template tag whose values may be terms, or wordings that contain terms. */
export function words(strings: TemplateStringsArray, ...values: readonly (Words | Term | number)[]): Wording {
  const pieces: (string | Term)[] = [strings[0]!];
  values.forEach((value, k) => {
    if (value instanceof Wording) pieces.push(...value.pieces);
    else pieces.push(typeof value === 'number' ? String(value) : value);
    pieces.push(strings[k + 1]!);
  });
  return new Wording(pieces);
}

/** The wordings of errors whose messages contain terms. */
const wordings = new WeakMap<object, Wording>();

/** The message of an error, with each of its terms worded by `named`. */
export function messageOf(error: Error, named: (term: Term) => string): string {
  const wording = wordings.get(error);
  // Code that rethrows an error may have changed its message.
  return wording && wording.text() === error.message ? wording.text(named) : String(error.message);
}

/** An error with a code, which its stack shows as Node's errors do: `RangeError [ERR_POINTS]: …`. */
export function coded(Kind: ErrorKind, code: ErrorCode, message: Words, cause?: unknown): CodedError {
  const text = typeof message === 'string' ? message : message.text();
  const error = (cause === undefined ? new Kind(text) : new Kind(text, { cause })) as CodedError;
  error.code = code;
  if (typeof message !== 'string') {
    wordings.set(error, message);
    for (const piece of message.pieces) {
      if (typeof piece === 'string') continue;
      if (piece.kind === 'option') error.option ??= piece.name;
      if (piece.kind === 'setting') error.hint ??= { option: piece.name, value: piece.value };
    }
  }
  const { name } = error;
  error.name = `${name} [${code}]`;
  void error.stack; // V8 writes the name into the stack when the stack is first read
  Object.defineProperty(error, 'name', { value: name, enumerable: false, writable: true, configurable: true });
  return error;
}

/** The error for a wrong value of the right kind. */
export function rangeError(code: ErrorCode, what: Words, where: Words, received: unknown): CodedError {
  return coded(RangeError, code, words`Expected ${what} for ${where} but received ${show(received)}`);
}

/** The error for a value of the wrong kind. */
export function typeError(code: ErrorCode, what: Words, where: Words, received: unknown): CodedError {
  return coded(TypeError, code, words`Expected ${what} for ${where} but received ${show(received)}`);
}

/** A backend's task was interrupted. Users never see this error, and cannot create one. */
export class Interrupted extends Error {}

/** The code of interrupted tasks; the same as in native/arguments.h. */
const TASK_ENDED = 'TASK_ENDED';

/** The error of a task that was interrupted. */
export function taskEnded(): Error {
  return Object.assign(new Error('Interrupted'), { code: TASK_ENDED });
}

/** The error of a backend that finds no memory; the addon's is the same. */
export function outOfMemory(): Error {
  return coded(Error, 'ERR_MEMORY', 'Out of memory');
}

/** Turns a backend's error of an interrupted task into Interrupted; other errors are returned unchanged. */
export function interruptedOr(error: unknown): unknown {
  return error instanceof Error && (error as Partial<Record<'code', unknown>>).code === TASK_ENDED ? new Interrupted() : error;
}

/** Text that a message shows unquoted, where `show` would quote a string. */
export class Verbatim {
  constructor(readonly text: string) {}
}

/** Describes any value in a few words. */
export function show(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return printable(JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value));
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint':
      return `${value}n`;
    case 'function':
      return isRevoked(value) ? 'a revoked proxy' : 'a function';
    case 'object':
      return value === null ? 'null' : showObject(value);
    default:
      return String(value);
  }
}

/** Escapes characters that control a terminal or change the direction of text, as texts may come from files. */
export function printable(text: string): string {
  const escape = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escape);
}

function showObject(value: object): string {
  try {
    if (isRevoked(value)) return 'a revoked proxy';
    if (value instanceof Verbatim) return value.text;
    if (Array.isArray(value)) return `an array of length ${value.length}`;
    const name: unknown = value.constructor?.name;
    if (typeof name !== 'string' || name === '' || name.length > 40 || value.constructor === Object) return 'an object';
    if (ArrayBuffer.isView(value)) return `${name}(${'length' in value ? String(value.length) : value.byteLength})`;
    return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`;
  } catch {
    return 'an object'; // a proxy or a getter threw
  }
}

/** A count with a noun: 1 number, 2 numbers. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
