/** fista-classify build: compiles the native addon, or the one for MPI, from the sources in the package. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, constants, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { coded, show, type CodedError } from '../errors.js';
import { writeAtomically } from '../io/atomic.js';
import { UCX } from '../mpi/communicator.js';
import { usageError, type Arguments, type Command } from './arguments.js';
import type { Context } from './context.js';
import { version } from '../version.js';
import { findNodeGyp, headersOfNode, type Tool } from './node-gyp.js';

export const build: Command = {
  name: 'build',
  summary: 'compiles the native addon, where none that is in the package loads',
  usage: '[options]',
  examples: [
    ['fista-classify build', 'compiles the addon, checks its kernels, and puts it where the package looks for it'],
    ['fista-classify build --out addon.node', 'the same to a file, for FISTA_CLASSIFY_BINARY=addon.node'],
    ['fista-classify build --mpi', 'compiles the addon that connects the processes of mpirun'],
  ],
  files: { min: 0, max: 0 },
  options: [
    { names: ['--out'], value: 'FILE', help: 'write the addon to FILE, not into the package' },
    { names: ['--nodedir'], value: 'FOLDER', help: "take Node's headers from FOLDER/include/node, not from the network" },
    { names: ['--mpi'], help: 'compile the addon for MPI instead, with what mpicc says' },
    { names: ['--output'], value: 'FOLDER', help: 'with --mpi: write it to FOLDER, not to build-mpi in the package' },
  ],
  notes: [
    'Needs a C++17 compiler, make and Python 3 (on Windows Visual Studio and Python 3). node-gyp is the one on PATH,',
    "npm's own, or downloaded by npx. Node's headers are those installed with it, or downloaded by node-gyp.",
    '--mpi takes the MPI of FISTA_CLASSIFY_MPICC, or of the first of mpicc, mpicc.openmpi and mpicc.mpich on PATH. mpirun',
    'must be of the same MPI.',
  ],
};

const ROOT = join(__dirname, '../..');
const windows = process.platform === 'win32';

function buildError(message: string, cause?: unknown): CodedError {
  return coded(Error, 'ERR_BUILD', message, cause);
}

export async function runBuild(args: Arguments, context: Context): Promise<number> {
  if (args.has('mpi')) return buildForMpi(args, context);
  if (args.has('output')) throw usageError('Expected --mpi with --output but received none; --out FILE is for the addon itself');
  const { output, signal } = context;
  const out = args.text('out');
  const target = out === undefined ? join(ROOT, 'build', 'Release', 'fista_classify.node') : resolve(out);
  const elsewhere = 'Use --out FILE, and set FISTA_CLASSIFY_BINARY to that file where the package is used';
  if (out === undefined) await prepareFolder(dirname(target), elsewhere);
  return inStage(args, context, async (stage, compile) => {
    const { addon, nodeGyp } = await compile(stage, 'fista_classify.node');
    const { simd, kernels } = await check(addon, signal);
    await writeAtomically(target, [await readFile(addon)]);
    await output.result({ addon: target, simd, kernels, nodeGyp }, [
      `wrote ${target}`,
      `native, ${simd}: ${kernels} kernels agree with their TypeScript twins`,
      ...(out === undefined ? [] : [`FISTA_CLASSIFY_BINARY=${target} makes the package load it`]),
    ]);
  });
}

/** Compiles the addon that connects processes by MPI, and records beside it which MPI that is. */
async function buildForMpi(args: Arguments, context: Context): Promise<number> {
  const { output, signal } = context;
  if (args.has('out')) throw usageError('Expected --output FOLDER with --mpi but received --out');
  const chosen = args.text('output');
  const folder = chosen === undefined ? join(ROOT, 'build-mpi') : resolve(chosen);
  const flags = mpiFlags();
  await prepareFolder(
    folder,
    'Use --output FOLDER, and set FISTA_CLASSIFY_MPI_BINARY to the addon in it where the package is used',
  );
  return inStage(args, context, async (stage, compile) => {
    const sources = join(stage, 'native', 'mpi');
    await writeFile(join(sources, 'mpi.gypi'), JSON.stringify({ variables: flags.variables }));
    const { addon, nodeGyp } = await compile(sources, 'fista_classify_mpi.node');
    const mpi = await mpiOf(addon, signal);
    const target = join(folder, 'fista_classify_mpi.node');
    const record = { mpi, mpicc: flags.mpicc, node: process.version, version: version() };
    await writeAtomically(target, [await readFile(addon)]);
    await writeAtomically(join(folder, 'mpi.json'), [`${JSON.stringify(record, null, 2)}\n`]);
    await output.result({ addon: target, ...record, nodeGyp }, [
      `wrote ${target}`,
      `built with ${mpi}, by ${flags.mpicc}`,
      ...(chosen === undefined ? [] : [`FISTA_CLASSIFY_MPI_BINARY=${target} makes the package load it`]),
    ]);
  });
}

/** Compiles what binding.gyp in a folder says, and returns the path of the addon. */
type Compile = (folder: string, name: string) => Promise<{ addon: string; nodeGyp: string }>;

/** Calls back with a temporary folder that has the sources. */
async function inStage(
  args: Arguments,
  { output, signal }: Context,
  build: (stage: string, compile: Compile) => Promise<void>,
): Promise<number> {
  const tool = findNodeGyp();
  if (!tool) {
    throw buildError('Found no node-gyp: it is not on PATH, and there is no npm to bring it. Install npm, or node-gyp');
  }
  output.say(`compiling with ${tool.origin}`);
  const stage = await mkdtemp(join(tmpdir(), 'fista-classify-'));
  try {
    await copySources(stage);
    const nodedir = args.text('nodedir') ?? process.env.npm_config_nodedir ?? headersOfNode();
    await build(stage, async (folder, name) => {
      await compile(tool, folder, nodedir, output.quiet, signal);
      const addon = join(folder, 'build', 'Release', name);
      if (!existsSync(addon)) throw buildError(`${tool.origin} ended without an error, and without the addon`);
      return { addon, nodeGyp: tool.origin };
    });
    return 0;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Creates the folder of the addon. A folder that cannot be written to is found before anything is compiled. */
async function prepareFolder(folder: string, elsewhere: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    const reason = (error as Error).message.replace(/^\w+: |, \w+ '.*$/gs, '');
    throw buildError(`Cannot write to ${folder}: ${reason}. ${elsewhere}`, error);
  }
}

/**
 * Copies what the build reads to a folder of its own: make supports no spaces in paths, and the package may have some in its own. The
 * package that is published has binding.gyp among the sources, as package managers run node-gyp for one beside package.json.
 */
async function copySources(stage: string): Promise<void> {
  if (!windows && /\s/.test(stage)) {
    throw buildError(
      `Expected a temporary folder without spaces, which make does not support, but received ${show(stage)}; set TMPDIR`,
    );
  }
  const native = join(ROOT, 'native');
  const packed = join(native, 'binding.gyp');
  await cp(native, join(stage, 'native'), { recursive: true });
  await cp(existsSync(packed) ? packed : join(ROOT, 'binding.gyp'), join(stage, 'binding.gyp'));
  const headers = dirname(require.resolve('node-addon-api/package.json'));
  await cp(headers, join(stage, 'node_modules', 'node-addon-api'), { recursive: true });
}

/** Runs node-gyp. What it prints goes to stderr, as stdout is for the result. */
async function compile(
  tool: Tool,
  folder: string,
  nodedir: string | undefined,
  quiet: boolean,
  signal: AbortSignal,
): Promise<void> {
  const headers = nodedir === undefined ? [] : [`--nodedir=${resolve(nodedir)}`];
  const options = ['--jobs', String(availableParallelism()), ...headers, ...(quiet ? ['--loglevel=error'] : [])];
  const words = [tool.command, ...tool.args, 'rebuild', ...options];
  // Windows runs .cmd files by a shell, which needs quotes around spaces.
  const [command, ...rest] = windows ? words.map((word) => `"${word}"`) : words;
  const ended = await new Promise<string>((done, fail) => {
    const child = spawn(command!, rest, { cwd: folder, shell: windows, signal, stdio: ['ignore', quiet ? 'ignore' : 2, 2] });
    child.on('error', fail);
    child.on('close', (code, killed) => done(code === 0 ? '' : killed === null ? `exit code ${code}` : killed));
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw buildError(`Cannot run ${tool.origin}: ${(error as Error).message}`, error);
  });
  if (ended !== '') {
    throw buildError(
      `node-gyp ended with ${ended}, for the reason above. It needs a C++17 compiler, make and Python 3, ` +
        "and Node's headers: from the network, or from --nodedir FOLDER",
    );
  }
}

/** Compares the kernels of the new addon with their twins, by doctor in another process: a bad addon must not replace a good one. */
async function check(addon: string, signal: AbortSignal): Promise<{ simd: string; kernels: number }> {
  const words = [join(ROOT, 'bin', 'fista-classify.js'), 'doctor', '--json'];
  const env = { ...process.env, FISTA_CLASSIFY_BACKEND: 'native', FISTA_CLASSIFY_BINARY: addon };
  const said = await new Promise<string>((done, fail) => {
    const child = spawn(process.execPath, words, { env, signal, stdio: ['ignore', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', fail);
    child.on('close', () => done(Buffer.concat(chunks).toString()));
  });
  const { error, agrees, simd, kernels } = JSON.parse(said || '{}') as {
    error?: { message: string };
    agrees?: boolean;
    simd?: string;
    kernels?: readonly unknown[];
  };
  if (agrees !== true) throw buildError(`The addon was compiled, and does not work: ${error?.message ?? 'its kernels are wrong'}`);
  return { simd: simd!, kernels: kernels!.length };
}

/** What to install for MPI. */
const MPI_PACKAGES = 'on Debian, "apt install libopenmpi-dev openmpi-bin" or "apt install libmpich-dev mpich"';

interface MpiFlags {
  /** As it was called. */
  readonly mpicc: string;
  /** For native/mpi/binding.gyp. */
  readonly variables: Readonly<Record<'mpi_compile_flags' | 'mpi_link_flags' | 'mpi_libraries', readonly string[]>>;
}

/** Asks mpicc how to compile and link. */
function mpiFlags(): MpiFlags {
  const named = process.env.FISTA_CLASSIFY_MPICC || undefined;
  for (const mpicc of named === undefined ? ['mpicc', 'mpicc.openmpi', 'mpicc.mpich'] : [named]) {
    // Open MPI's words, then MPICH's, which print the whole command. A wrapper that does not know them hands them to its compiler.
    const told = ask(mpicc, '--showme:compile', '--showme:link') ?? ask(mpicc, '-compile-info', '-link-info');
    if (told === 'missing') continue;
    if (told === undefined) {
      throw buildError(
        `Expected an mpicc that answers --showme:compile, as Open MPI's does, or -compile-info, as MPICH's does, but received ${show(mpicc)}`,
      );
    }
    const [compiling, linking] = told.map((line) => {
      const words = line.split(/\s+/).filter((word) => word !== '');
      const first = words.findIndex((word) => word.startsWith('-')); // before it, the name of the compiler
      return first < 0 ? [] : words.slice(first);
    }) as [string[], string[]];
    return {
      mpicc,
      variables: {
        mpi_compile_flags: compiling.filter((word) => !/^-(l|L|Wl,)/.test(word)),
        mpi_link_flags: linking.filter((word) => !/^-[lID]/.test(word)),
        mpi_libraries: linking.filter((word) => word.startsWith('-l')),
      },
    };
  }
  throw buildError(
    named === undefined
      ? `Found no mpicc on PATH. Install an MPI with its headers: ${MPI_PACKAGES}; or set FISTA_CLASSIFY_MPICC to the path of its mpicc`
      : `Found no ${show(named)}, which FISTA_CLASSIFY_MPICC names. Install an MPI with its headers: ${MPI_PACKAGES}`,
  );
}

/** What a program prints for each of some words; undefined where it fails. */
function ask(program: string, ...words: readonly string[]): string[] | 'missing' | undefined {
  const answers: string[] = [];
  for (const word of words) {
    const { status, stdout, error } = spawnSync(program, [word], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return 'missing';
    if (status !== 0) return undefined;
    answers.push(stdout);
  }
  return answers;
}

/** Loads the new addon in another process, and returns which MPI it was compiled with: one that does not load must not replace another. */
async function mpiOf(addon: string, signal: AbortSignal): Promise<string> {
  const script =
    'const { RTLD_NOW, RTLD_GLOBAL } = require("node:os").constants.dlopen; const loaded = { exports: {} };' +
    'process.dlopen(loaded, process.argv[1], RTLD_NOW | RTLD_GLOBAL); loaded.exports.built';
  const { status, said } = await new Promise<{ status: number | null; said: string }>((done, fail) => {
    const child = spawn(process.execPath, ['-p', script, addon], {
      env: { ...UCX, ...process.env },
      signal,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', fail);
    child.on('close', (status) => done({ status, said: Buffer.concat(chunks).toString().trim() }));
  });
  if (status !== 0 || said === '') throw buildError('The addon for MPI was compiled, and does not load, for the reason above');
  return said;
}
