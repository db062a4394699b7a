/** Parses command lines by a table of options, and formats the help text of that table. */
import { decimal } from '../backend/decimal.js';
import { coded, plural, show, type CodedError } from '../errors.js';
import { nearest } from '../input/index.js';

export interface Option {
  /** As typed, the short name first. A name that ends in <…> takes the rest of the word as a suffix: -w<label> matches -w1. */
  readonly names: readonly [string, ...string[]];
  /** The value's name in the help; a switch has no value. */
  readonly value?: string;
  readonly help: string;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The arguments, after the names of program and command. */
  readonly usage: string;
  /** Example command lines, each with a description; the most common first. */
  readonly examples: readonly (readonly [string, string])[];
  readonly options: readonly Option[];
  /** Lines of the help below the options. */
  readonly notes: readonly string[];
  readonly files: { readonly min: number; readonly max: number };
}

export const COMMON: readonly Option[] = [
  { names: ['--json'], help: 'print one JSON object instead of text' },
  { names: ['-q', '--quiet'], help: 'print only results: no summary and no progress' },
  { names: ['-h', '--help'], help: 'print this help' },
];

export function usageError(message: string): CodedError {
  return coded(TypeError, 'ERR_USAGE', message);
}

/** A parsed command line: files, and options by their last name without dashes. */
export class Arguments {
  readonly files: string[] = [];
  readonly #values = new Map<string, string | true>();
  /** All values of options that were given several times. */
  readonly #all = new Map<string, string[]>();
  /** The values of options whose names end in <…>, by suffix. */
  readonly suffixed = new Map<string, string>();

  constructor(words: readonly string[], { name, options, files }: Pick<Command, 'name' | 'options' | 'files'>) {
    const all = [...options, ...COMMON];
    let onlyFiles = false; // all words after -- are files
    for (let k = 0; k < words.length; k++) {
      const word = words[k]!;
      if (onlyFiles || word === '-' || !word.startsWith('-')) {
        this.files.push(word);
        continue;
      }
      if (word === '--') {
        onlyFiles = true;
        continue;
      }
      const [given, attached] = word.startsWith('--') ? splitAt(word, '=') : [word, undefined];
      const { option, suffix } = find(all, given) ?? unknown(given, all, name);
      if (option.value === undefined) {
        if (attached !== undefined) throw usageError(`Expected no value for ${given} but received ${show(attached)}`);
        this.#values.set(keyOf(option), true);
        continue;
      }
      const value = attached ?? words[++k];
      if (value === undefined) throw usageError(`Expected ${option.value} after ${given} but received nothing`);
      if (suffix !== undefined) {
        this.suffixed.set(suffix, value);
        continue;
      }
      const key = keyOf(option);
      this.#values.set(key, value);
      this.#all.set(key, [...(this.#all.get(key) ?? []), value]);
    }
    if (!this.has('help')) this.#checkFiles(name, this.has('merge') ? { min: 1, max: Infinity } : files);
  }

  #checkFiles(name: string, { min, max }: Command['files']): void {
    const count = this.files.length;
    if (count >= min && count <= max) return;
    const what = min === max ? plural(min, 'file name') : `${min}${max === Infinity ? ' or more' : ` to ${max}`} file names`;
    throw usageError(`Expected ${what} for ${name} but received ${count} (fista-classify ${name} --help)`);
  }

  /** The options given, but for some, by name in alphabetical order, each with its values as text. */
  settings(except: readonly string[]): [name: string, value: string][] {
    const plain = Array.from(
      this.#values,
      ([name, value]) => [name, value === true ? 'yes' : this.texts(name).join('\n')] as const,
    );
    const suffixed = Array.from(this.suffixed, ([suffix, value]) => [`w${suffix}`, value] as const);
    return [...plain, ...suffixed]
      .filter(([name]) => !except.includes(name))
      .map(([name, value]): [string, string] => [name, value])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    return this.#values.get(name) as string | undefined;
  }

  /** The values of an option that may be given several times. */
  texts(name: string): readonly string[] {
    return this.#all.get(name) ?? [];
  }

  /** A finite number, a number above 0 (`positive`), or an integer from min to max. */
  number(name: string, kind: 'finite' | 'positive' | readonly [min: number, max: number]): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : toNumber(text, flag(name), kind);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined || allowed.includes(text as T)) return text as T | undefined;
    throw usageError(
      `Expected ${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)} for ${flag(name)} but received ${show(text)}`,
    );
  }
}

export function toNumber(text: string, where: string, kind: 'finite' | 'positive' | readonly [min: number, max: number]): number {
  const number = decimal(text.trim());
  const [fine, what] =
    typeof kind === 'string'
      ? [kind === 'finite' || number > 0, `a ${kind} number`]
      : [Number.isInteger(number) && number >= kind[0] && number <= kind[1], `an integer from ${kind[0]} to ${kind[1]}`];
  if (fine && !Number.isNaN(number)) return number;
  throw usageError(`Expected ${what} for ${where} but received ${show(text)}`);
}

function flag(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

function keyOf({ names }: Option): string {
  return names.at(-1)!.replace(/^--?/, '');
}

function splitAt(word: string, mark: string): [string, string | undefined] {
  const at = word.indexOf(mark);
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function find(options: readonly Option[], given: string): { option: Option; suffix?: string } | undefined {
  const option = options.find(({ names }) => names.includes(given));
  if (option) return { option };
  for (const option of options) {
    const stem = /^(-\w)<.*>$/.exec(option.names[0])?.[1];
    if (stem !== undefined && given.startsWith(stem) && given.length > stem.length)
      return { option, suffix: given.slice(stem.length) };
  }
  return undefined;
}

function unknown(given: string, options: readonly Option[], command: string): never {
  const names = options.flatMap((option) => option.names);
  const near = given.startsWith('--')
    ? nearest(
        given,
        names.filter((name) => name.startsWith('--')),
      )
    : undefined;
  const help = `fista-classify ${command} --help`.replace('  ', ' ');
  throw usageError(`Unknown option ${show(given)}; ${near === undefined ? `${help} lists all options` : `did you mean ${near}?`}`);
}

/** The help text of one command. */
export function helpOf(command: Command): string {
  const { name, summary, usage, examples, options, notes } = command;
  return [
    `fista-classify ${name}: ${summary}`,
    '',
    ...examples.flatMap(([line, does]) => [`  ${line}`, `      ${does}`]),
    '',
    `Usage: fista-classify ${name} ${usage}`,
    '',
    'Options:',
    ...table([...options, ...COMMON].map(({ names, value, help }) => [`${names.join(', ')}${value ? ` ${value}` : ''}`, help])),
    ...(notes.length > 0 ? ['', ...notes] : []),
    '',
    EXITS,
    '',
  ].join('\n');
}

export const EXITS = [
  'Exit codes: 0 done; 1 a file could not be read or written, or its content is invalid; 2 wrong usage;',
  '3 ended before the goal: a limit was reached, rounding prevents further progress, or the families do not separate;',
  '130 and 143 interrupted (Ctrl-C, SIGTERM). Files are written whole or not at all; after 2, 130 and 143 none is written.',
].join('\n');

/** Formats two columns. A left cell that is too long has a line of its own. */
export function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(26, Math.max(...rows.map(([left]) => left.length)));
  return rows.flatMap(([left, right]) => {
    const lines = right.split('\n').map((line) => `  ${' '.repeat(width)}  ${line}`);
    if (left.length > width) return [`  ${left}`, ...lines];
    return [`  ${left.padEnd(width)}  ${lines[0]!.trimStart()}`, ...lines.slice(1)];
  });
}
