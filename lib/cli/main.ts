/** The command line: runs a command, aborts it on Ctrl-C, and sets the exit code. */
import { setTimeout } from 'node:timers/promises';
import { Arguments, COMMON, EXITS, helpOf, table, usageError, type Command } from './arguments.js';
import { build, runBuild } from './build.js';
import type { Context } from './context.js';
import { convert, runConvert } from './convert.js';
import { doctor, runDoctor } from './doctor.js';
import { explain, runExplain } from './explain-command.js';
import { inspect, runInspect } from './inspect.js';
import { Output } from './output.js';
import { predict, runPredict } from './predict.js';
import { runSeparate, separate } from './separate-command.js';
import { runTrain, train } from './train.js';
import { messageOf, show, type Term } from '../errors.js';
import { nearest } from '../input/index.js';
import { startedRank } from '../mpi/communicator.js';
import { version } from '../version.js';

type Run = (args: Arguments, context: Context) => Promise<number>;

const COMMANDS = new Map<string, readonly [Command, Run]>([
  ['train', [train, runTrain]],
  ['predict', [predict, runPredict]],
  ['explain', [explain, runExplain]],
  ['separate', [separate, runSeparate]],
  ['inspect', [inspect, runInspect]],
  ['convert', [convert, runConvert]],
  ['doctor', [doctor, runDoctor]],
  ['build', [build, runBuild]],
]);

const OPTIONS = new Set([...COMMANDS.values()].flatMap(([{ options }]) => options.flatMap(({ names }) => names)));

/** The abort reason for a signal of the operating system. The exit code is 128 plus the signal's number, as in shells. */
class Interrupted extends Error {
  constructor(
    readonly signal: 'SIGINT' | 'SIGTERM',
    readonly exit: number,
  ) {
    super('Interrupted');
  }
}

/** Runs a command line, given as its words, and sets the process's exit code. */
export async function main(words: readonly string[]): Promise<void> {
  const output = new Output();
  const controller = new AbortController();
  let first = NaN;
  const interrupt = (name: 'SIGINT' | 'SIGTERM', exit: number) => () => {
    // A signal more than a second after the first ends the process at once. One Ctrl-C may arrive twice: from the terminal and from npx.
    if (performance.now() - first > 1000) die(name);
    if (controller.signal.aborted) return;
    first = performance.now();
    controller.abort(new Interrupted(name, exit));
  };
  const ranks = words.includes('--mpi');
  if (ranks) output.rank = startedRank();
  // Ranks wait for each other in calls that no handler interrupts: a signal ends one at once, and mpirun then ends the others.
  if (!ranks) {
    process.on('SIGINT', interrupt('SIGINT', 130));
    process.on('SIGTERM', interrupt('SIGTERM', 143));
  }
  try {
    process.exitCode = await dispatch(words, { output, signal: controller.signal });
  } catch (error) {
    process.exitCode = await report(error, output, controller.signal, words);
  }
  // An input that never ends would keep the process alive.
  if (words.includes('-')) process.stdin.destroy();
  // So would a named pipe that nobody opens at its other end.
  const { reason } = controller.signal as { reason: unknown };
  if (reason instanceof Interrupted) void setTimeout(500, undefined, { ref: false }).then(() => die(reason.signal));
}

/** Ends the process by the signal's default action. `process.exit` would wait for a thread that is opening a pipe. */
function die(signal: 'SIGINT' | 'SIGTERM'): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

async function dispatch(words: readonly string[], context: Context): Promise<number> {
  const { output } = context;
  const [first, ...rest] = words;
  // The help may be asked for alone or before a command; Arguments sees it after a command.
  const asked = first === 'help' || first === '--help' || first === '-h';
  if (asked && !COMMANDS.has(rest[0] ?? '')) {
    await output.write(overview());
    return 0;
  }
  if (first === '--version' || first === '-V') {
    await output.write(`${version()}\n`);
    return 0;
  }
  if (first === undefined) throw usageError('Expected a command but received none (fista-classify --help lists them)');
  const name = asked ? rest[0]! : first;
  const [command, run] = COMMANDS.get(name) ?? unknown(name);
  const args = new Arguments(asked ? ['--help'] : rest, command);
  output.json = args.has('json');
  output.quiet = args.has('quiet');
  if (args.has('help')) {
    await output.write(helpOf(command));
    return 0;
  }
  return run(args, context);
}

function unknown(name: string): never {
  const near = nearest(name, [...COMMANDS.keys()]);
  const hint = near === undefined ? 'fista-classify --help lists all commands' : `did you mean ${near}?`;
  throw usageError(`Unknown ${name.startsWith('-') ? 'option' : 'command'} ${show(name)}; ${hint}`);
}

/** An error that all ranks have is printed by rank 0, which then ends the others. They wait for that, so many milliseconds. */
const PATIENCE = 400;

/** Prints an error and returns the exit code. */
async function report(error: unknown, output: Output, signal: AbortSignal, words: readonly string[]): Promise<number> {
  const { reason } = signal as { reason: unknown };
  // An error other than the abort is reported as it is, such as that of a page which could not be written after the model.
  const aborted = error === reason || (error as Error | undefined)?.name === 'AbortError';
  const interrupted = reason instanceof Interrupted && aborted ? reason : undefined;
  const code = interrupted ? 'ERR_INTERRUPTED' : codeOf(error);
  const message = interrupted ? 'Interrupted: nothing was written' : describe(error, code);
  output.clear();
  const { rank } = output;
  if (rank > 0) {
    await setTimeout(PATIENCE);
    if (code !== 'ERR_USAGE') output.rank = 0;
  }
  // --json applies even if the command line could not be parsed.
  if ((output.json || words.includes('--json')) && !output.closed) {
    output.json = true;
    await output.result({ error: { code, message } }, []);
  } else {
    output.warn(`${rank > 0 ? `rank ${rank}: ` : ''}${message} [${code}]`);
  }
  return interrupted?.exit ?? (code === 'ERR_USAGE' || code === 'ERR_OPTION' ? 2 : 1);
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : 'ERR_INTERNAL';
}

/** An error's message, in terms of the command line. */
function describe(error: unknown, code: string): string {
  const { message, path, syscall } = error as NodeJS.ErrnoException;
  if (typeof syscall === 'string' && path !== undefined) {
    // ENOENT: no such file or directory, open 'x'
    const what = message.replace(/^\w+: /, '').replace(/, \w+( '.*)?$/s, '');
    const verbs = new Map([['stat', 'open'], ['access', 'write to'], ['fsync', 'write'], ['rename', 'write']]); // prettier-ignore
    return `Cannot ${verbs.get(syscall) ?? syscall} ${path}: ${what}`;
  }
  if (code === 'ERR_INTERNAL') return `This is a bug in fista-classify: ${error instanceof Error ? error.stack : show(error)}`;
  return messageOf(error as Error, nameOf);
}

/** Options of the library whose flags are not their names with dashes. */
const FLAGS = new Map([['classWeight', '-w<label>'], ['folds', '-v'], ['ranks', '--mpi']]); // prettier-ignore

/** Remarks on functions of the library, reworded for the command line. */
const FUNCTIONS = new Map([['readLibsvm', 'which is read unless the file name or --csv says CSV']]);

function nameOf({ kind, name, value, text }: Term): string {
  if (kind === 'code') return FUNCTIONS.get(name) ?? '';
  const dashed = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const flag = FLAGS.get(name) ?? (OPTIONS.has(dashed) ? dashed : undefined);
  if (flag === undefined) return text;
  return kind === 'option' ? flag : `use ${flag}${typeof value === 'string' ? ` ${value}` : ''}`;
}

function overview(): string {
  return [
    'fista-classify: linear SVMs and the separation of ellipsoids, with proofs',
    '',
    '  fista-classify train data.svm model.json',
    '  fista-classify predict test.svm model.json out.txt',
    '',
    'Usage: fista-classify COMMAND [options] files',
    '',
    'Commands:',
    ...table([...COMMANDS.values()].map(([{ name, summary }]) => [name, summary])),
    '',
    'Options of every command:',
    ...table([...COMMON.map(({ names, help }) => [names.join(', '), help] as const), ['--version', 'print the version']]),
    '',
    'fista-classify COMMAND --help shows examples and all options.',
    '',
    EXITS,
    '',
  ].join('\n');
}
