/** Errors all speak one grammar: Expected ⟨what⟩ for ⟨where⟩ but received ⟨what came⟩. */
import { isRevoked } from './input/intrinsics.js';

export type ErrorCode =
  | 'ERR_POINTS'
  | 'ERR_ELLIPSOIDS'
  | 'ERR_LABELS'
  | 'ERR_OPTION'
  | 'ERR_MODEL'
  | 'ERR_SOURCE'
  | 'ERR_LIBSVM'
  | 'ERR_CSV'
  | 'ERR_BACKEND'
  | 'ERR_DISPOSED'
  | 'ERR_USAGE';

type ErrorKind = new (message: string, options?: ErrorOptions) => Error;

export interface CodedError extends Error {
  code: ErrorCode;
  /** The option that it is about, if it is about one. */
  option?: string;
  /** The option that would help, and its value. */
  hint?: { readonly option: string; readonly value: unknown };
}

/** Something in a message that has another name on the command line. */
export interface Term {
  /** An option; advice to set one; or what only those need who write code. */
  readonly kind: 'option' | 'setting' | 'code';
  /** The option's name, or that of the function. */
  readonly name: string;
  /** Of a setting. */
  readonly value?: unknown;
  /** What the library says. */
  readonly text: string;
}

/** options.name */
export function option(name: string, text = `options.${name}`): Term {
  return { kind: 'option', name, text };
}

/** set name: value */
export function setting(name: string, value: string | boolean): Term {
  return { kind: 'setting', name, value, text: `set ${name}: ${typeof value === 'string' ? `'${value}'` : value}` };
}

/** The words of a message, with its terms as data. */
export class Wording {
  constructor(readonly pieces: readonly (string | Term)[]) {}

  /** With each term as `named` has it. */
  text(named: (term: Term) => string = ({ text }) => text): string {
    return this.pieces.map((piece) => (typeof piece === 'string' ? piece : named(piece))).join('');
  }
}

export type Words = string | Wording;

/** A template whose values may be terms, or words that have some. */
export function words(strings: TemplateStringsArray, ...values: readonly (Words | Term | number)[]): Wording {
  const pieces: (string | Term)[] = [strings[0]!];
  values.forEach((value, k) => {
    if (value instanceof Wording) pieces.push(...value.pieces);
    else pieces.push(typeof value === 'number' ? String(value) : value);
    pieces.push(strings[k + 1]!);
  });
  return new Wording(pieces);
}

/** The words of errors that have terms. */
const wordings = new WeakMap<object, Wording>();

/** The message of an error, with each of its terms as `named` has it. */
export function messageOf(error: Error, named: (term: Term) => string): string {
  const wording = wordings.get(error);
  // Who passes an error on may have said more.
  return wording && wording.text() === error.message ? wording.text(named) : String(error.message);
}

/** An error with a code, which shows in the stack the way Node's own do: `RangeError [ERR_POINTS]: …`. */
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
  void error.stack; // V8 writes the name into the stack when it is first read
  Object.defineProperty(error, 'name', { value: name, enumerable: false, writable: true, configurable: true });
  return error;
}

/** The wrong value of the right kind. */
export function rangeError(code: ErrorCode, what: Words, where: Words, received: unknown): CodedError {
  return coded(RangeError, code, words`Expected ${what} for ${where} but received ${show(received)}`);
}

/** The wrong kind of thing. */
export function typeError(code: ErrorCode, what: Words, where: Words, received: unknown): CodedError {
  return coded(TypeError, code, words`Expected ${what} for ${where} but received ${show(received)}`);
}

/** A backend's task was ended before it was done. Users never see it, and cannot make one. */
export class Interrupted extends Error {}

/** As native/arguments.h has it. */
const TASK_ENDED = 'TASK_ENDED';

/** What a task fails with that was ended. */
export function taskEnded(): Error {
  return Object.assign(new Error('Interrupted'), { code: TASK_ENDED });
}

/** The error that a backend threw, or that it was interrupted. */
export function interruptedOr(error: unknown): unknown {
  return error instanceof Error && (error as Partial<Record<'code', unknown>>).code === TASK_ENDED ? new Interrupted() : error;
}

/** Text that stands in a message as it is, where `show` would quote a string. */
export class Verbatim {
  constructor(readonly text: string) {}
}

/** A value in a few words, however large or odd it is. */
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

/** With escapes for the characters that a terminal obeys, or that turn the direction of text: they come from files. */
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
    return 'an object'; // a proxy, or a getter, that throws
  }
}

/** 1 number, 2 numbers */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
