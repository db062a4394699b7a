/** Options: their names and the kinds of values they take. */
import { backend, kernels, type Backend } from '../backend.js';
import { coded, rangeError, show, typeError } from '../errors.js';

/** Refuses option names that are not known, with a suggestion where one is near. */
export function checkOptionNames(options: unknown, known: readonly string[]): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw typeError('ERR_OPTION', 'an object', 'options', options);
  }
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    throw coded(
      TypeError,
      'ERR_OPTION',
      `Unknown option ${show(name)}${near === undefined ? `; known are ${known.join(', ')}` : `; did you mean ${show(near)}?`}`,
    );
  }
}

/** The known name that shares a beginning, or is few edits away. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((k) => ({ k, d: distance(name.toLowerCase(), k.toLowerCase()) }))
    .sort((a, b) => a.d - b.d)
    .find(({ k, d }) => d <= Math.max(2, k.length / 3) || (name.length >= 4 && k.startsWith(name)));
  return near?.k;
}

/** Levenshtein's distance. Names longer than any option are not worth comparing. */
function distance(a: string, b: string): number {
  if (a.length > 40) return Infinity;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length]!;
}

export function resolveThreads(threads: unknown): number {
  return optional(threads, 'threads', integer(1, 256)) ?? backend.threads;
}

export function resolveBackend(choice: unknown): Backend {
  return kernels(optional(choice, 'backend', oneOfThese('auto', 'native', 'js')));
}

/** Beyond it a number or its inverse overflows when squared. */
export const HUGE = 1e100;

export function abortSignal(value: unknown, where: string): AbortSignal {
  if (!(value instanceof AbortSignal)) throw typeError('ERR_OPTION', 'an AbortSignal', where, value);
  return value;
}

function callback<T>(value: unknown, where: string): (argument: T) => void {
  if (typeof value !== 'function') throw typeError('ERR_OPTION', 'a function', where, value);
  return value as (argument: T) => void;
}

export function optional<T>(value: unknown, name: string, check: (value: unknown, where: string) => T): T | undefined {
  return value === undefined ? undefined : check(value, `options.${name}`);
}

export function positiveNumber(value: unknown, where: string): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', 'a positive number', where, value);
  if (!(value > 0 && value < Infinity)) throw rangeError('ERR_OPTION', 'a positive number', where, value);
  return value;
}

/** A positive number that can be squared and inverted. */
export function sensibleNumber(value: unknown, where: string): number {
  const number = positiveNumber(value, where);
  if (number < 1 / HUGE || number > HUGE) throw rangeError('ERR_OPTION', `a number from ${1 / HUGE} to ${HUGE}`, where, value);
  return number;
}

export function boolean(value: unknown, where: string): boolean {
  if (typeof value !== 'boolean') throw typeError('ERR_OPTION', 'true or false', where, value);
  return value;
}

export function integer(least: number, most: number) {
  return (value: unknown, where: string): number => {
    const what = `an integer from ${least} to ${most}`;
    if (typeof value !== 'number') throw typeError('ERR_OPTION', what, where, value);
    if (!Number.isInteger(value) || value < least || value > most) throw rangeError('ERR_OPTION', what, where, value);
    return value;
  };
}

export function oneOfThese<T extends string>(...allowed: T[]) {
  return (value: unknown, where: string): T => {
    if (allowed.includes(value as T)) return value as T;
    const names = allowed.map((a) => `'${a}'`);
    const what = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    throw (typeof value === 'string' ? rangeError : typeError)('ERR_OPTION', what, where, value);
  };
}

/** Strictly between 0 and 1. */
export function share(value: unknown, where: string): number {
  if (typeof value !== 'number') throw typeError('ERR_OPTION', 'a number between 0 and 1', where, value);
  if (!(value > 0 && value < 1)) throw rangeError('ERR_OPTION', 'a number between 0 and 1', where, value);
  return value;
}

/** How long a loop may go on, who may end it and who hears of it. */
export interface Limits<Progress> {
  readonly maxIterations: number;
  readonly timeLimit: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** What every run takes: the limits' names, and who computes. */
export const RUN_OPTIONS = ['maxIterations', 'timeLimit', 'signal', 'onProgress', 'threads', 'backend'] as const;

export function resolveLimits<Progress>(options: { [name in keyof Limits<Progress>]?: unknown }): Limits<Progress> {
  return {
    maxIterations: optional(options.maxIterations, 'maxIterations', integer(1, 1e9)) ?? 10_000,
    timeLimit: optional(options.timeLimit, 'timeLimit', positiveNumber) ?? Infinity,
    signal: optional(options.signal, 'signal', abortSignal),
    onProgress: optional(options.onProgress, 'onProgress', callback<Progress>),
  };
}
