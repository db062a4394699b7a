/** Checks options: their names, and the kinds of values they take. */
import { backend, kernels } from '../backend/load.js';
import type { Backend } from '../backend/interface.js';
import { coded, option, rangeError, typeError, words, type Words } from '../errors.js';
import { isObject, isRevoked } from './intrinsics.js';
import type { Signal } from '../types.js';
import { checkNames, type ForeignWords } from './keys.js';

/**
 * Copies the options, reading each once, so that a getter cannot return one value to the check and another to the use. Unknown names are
 * refused, with a suggestion where there is one.
 */
export function knownOptions<T extends object>(
  given: T | undefined,
  known: readonly (keyof T & string)[],
  foreign?: ForeignWords,
  /** The option that holds these options, if one does. */
  of?: string,
): T {
  const options = {} as T;
  if (given === undefined) return options;
  if (!isObject(given) || Array.isArray(given)) {
    throw of === undefined
      ? typeError('ERR_OPTION', 'an object', 'options', given)
      : typeError('ERR_OPTION', `an object with ${known.join(', ')}`, words`${option(of)}`, given);
  }
  checkNames(given, known, { code: 'ERR_OPTION', what: 'option', of, words: foreign });
  for (const name of known) {
    const value = given[name];
    if (value !== undefined) options[name] = value;
  }
  return options;
}

/** The error of `new` for a class whose objects are made by a function. */
export function notMade(name: string, call: string): Error {
  return coded(TypeError, 'ERR_USAGE', `Expected ${call} but received new ${name}(…)`);
}

export function resolveThreads(threads: unknown): number {
  return optional(threads, 'threads', integer(1, 256)) ?? backend.threads;
}

export function resolveBackend(choice: unknown): Backend {
  return kernels(optional(choice, 'backend', oneOfThese('auto', 'native', 'wasm', 'js')));
}

/** A bound on numbers and their inverses that keeps squares, and products of a few of them, from overflowing. */
export const HUGE = 1e100;

export function abortSignal(value: unknown, where: Words): Signal {
  if (!isObject(value) || !(value instanceof AbortSignal)) throw typeError('ERR_OPTION', 'an AbortSignal', where, value);
  return value;
}

function callback<T>(value: unknown, where: Words): (argument: T) => void {
  if (typeof value !== 'function' || isRevoked(value)) throw typeError('ERR_OPTION', 'a function', where, value);
  return value as (argument: T) => void;
}

export function optional<T>(value: unknown, name: string, check: (value: unknown, where: Words) => T): T | undefined {
  return value === undefined ? undefined : check(value, words`${option(name)}`);
}

export function positiveNumber(value: unknown, where: Words): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', 'a positive number', where, value);
  if (!(value > 0 && value < Infinity)) throw rangeError('ERR_OPTION', 'a positive number', where, value);
  return value;
}

/** A positive number that can be squared and inverted. */
export function sensibleNumber(value: unknown, where: Words): number {
  const number = positiveNumber(value, where);
  if (number < 1 / HUGE || number > HUGE) throw rangeError('ERR_OPTION', `a number from ${1 / HUGE} to ${HUGE}`, where, value);
  return number;
}

export function boolean(value: unknown, where: Words): boolean {
  if (typeof value !== 'boolean') throw typeError('ERR_OPTION', 'true or false', where, value);
  return value;
}

export function integer(min: number, max: number) {
  return (value: unknown, where: Words): number => {
    const what = `an integer from ${min} to ${max}`;
    if (typeof value !== 'number') throw typeError('ERR_OPTION', what, where, value);
    if (!Number.isInteger(value) || value < min || value > max) throw rangeError('ERR_OPTION', what, where, value);
    return value;
  };
}

export const SEED = integer(0, Number.MAX_SAFE_INTEGER);

export function oneOfThese<T extends string>(...allowed: T[]) {
  return (value: unknown, where: Words): T => {
    if (allowed.includes(value as T)) return value as T;
    const names = allowed.map((a) => `'${a}'`);
    const what = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    throw (typeof value === 'string' ? rangeError : typeError)('ERR_OPTION', what, where, value);
  };
}

/** A number strictly between 0 and 1. */
export function share(value: unknown, where: Words): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', 'a number between 0 and 1', where, value);
  if (!(value > 0 && value < 1)) throw rangeError('ERR_OPTION', 'a number between 0 and 1', where, value);
  return value;
}

/** The limits of a run, the signal that ends it, and the callback that follows it. */
export interface Limits<Progress> {
  readonly maxIterations: number;
  readonly timeLimit: number;
  readonly signal: Signal | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** The options of every run: its limits, threads and backend. */
export const RUN_OPTIONS = ['maxIterations', 'timeLimit', 'signal', 'onProgress', 'threads', 'backend'] as const;

export function resolveLimits<Progress>(options: { [name in keyof Limits<Progress>]?: unknown }): Limits<Progress> {
  return {
    maxIterations: optional(options.maxIterations, 'maxIterations', integer(1, 1e9)) ?? 10_000,
    timeLimit: optional(options.timeLimit, 'timeLimit', positiveNumber) ?? Infinity,
    signal: optional(options.signal, 'signal', abortSignal),
    onProgress: optional(options.onProgress, 'onProgress', callback<Progress>),
  };
}
