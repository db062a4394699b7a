/** fista-classify build: compiles the native addon from the sources in the package. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, constants, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { coded, show, type CodedError } from '../errors.js';
import { writeAtomically } from '../io/atomic.js';
import type { Arguments, Command } from './arguments.js';
import type { Context } from './context.js';
import { findNodeGyp, headersOfNode, type Tool } from './node-gyp.js';

export const build: Command = {
  name: 'build',
  summary: 'compiles the native addon, where none that is in the package loads',
  usage: '[options]',
  examples: [
    ['fista-classify build', 'compiles the addon, checks its kernels, and puts it where the package looks for it'],
    ['fista-classify build --out addon.node', 'the same to a file, for FISTA_CLASSIFY_BINARY=addon.node'],
  ],
  files: { min: 0, max: 0 },
  options: [
    { names: ['--out'], value: 'FILE', help: 'write the addon to FILE, not into the package' },
    { names: ['--nodedir'], value: 'FOLDER', help: "take Node's headers from FOLDER/include/node, not from the network" },
  ],
  notes: [
    'Needs a C++17 compiler, make and Python 3 (on Windows Visual Studio and Python 3). node-gyp is the one on PATH,',
    "npm's own, or downloaded by npx. Node's headers are those installed with it, or downloaded by node-gyp.",
  ],
};

const ROOT = join(__dirname, '../..');
const windows = process.platform === 'win32';

function buildError(message: string, cause?: unknown): CodedError {
  return coded(Error, 'ERR_BUILD', message, cause);
}

export async function runBuild(args: Arguments, { output, signal }: Context): Promise<number> {
  const out = args.text('out');
  const target = out === undefined ? join(ROOT, 'build', 'Release', 'fista_classify.node') : resolve(out);
  if (out === undefined) await prepareFolder(dirname(target));
  const tool = findNodeGyp();
  if (!tool) {
    throw buildError('Found no node-gyp: it is not on PATH, and there is no npm to bring it. Install npm, or node-gyp');
  }
  output.say(`compiling with ${tool.origin}`);
  const stage = await mkdtemp(join(tmpdir(), 'fista-classify-'));
  try {
    await copySources(stage);
    const nodedir = args.text('nodedir') ?? process.env.npm_config_nodedir ?? headersOfNode();
    await compile(tool, stage, nodedir, output.quiet, signal);
    const addon = join(stage, 'build', 'Release', 'fista_classify.node');
    if (!existsSync(addon)) throw buildError(`${tool.origin} ended without an error, and without the addon`);
    const { simd, kernels } = await check(addon, signal);
    await writeAtomically(target, [await readFile(addon)]);
    await output.result({ addon: target, simd, kernels, nodeGyp: tool.origin }, [
      `wrote ${target}`,
      `native, ${simd}: ${kernels} kernels agree with their TypeScript twins`,
      ...(out === undefined ? [] : [`FISTA_CLASSIFY_BINARY=${target} makes the package load it`]),
    ]);
    return 0;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** Creates the folder of the addon. A folder that cannot be written to is found before anything is compiled. */
async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    const reason = (error as Error).message.replace(/^\w+: |, \w+ '.*$/gs, '');
    throw buildError(
      `Cannot write to ${folder}: ${reason}. Use --out FILE, and set FISTA_CLASSIFY_BINARY to that file where the package is used`,
      error,
    );
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
async function compile(tool: Tool, stage: string, nodedir: string | undefined, quiet: boolean, signal: AbortSignal): Promise<void> {
  const headers = nodedir === undefined ? [] : [`--nodedir=${resolve(nodedir)}`];
  const options = ['--jobs', String(availableParallelism()), ...headers, ...(quiet ? ['--loglevel=error'] : [])];
  const words = [tool.command, ...tool.args, 'rebuild', ...options];
  // Windows runs .cmd files by a shell, which needs quotes around spaces.
  const [command, ...rest] = windows ? words.map((word) => `"${word}"`) : words;
  const ended = await new Promise<string>((done, fail) => {
    const child = spawn(command!, rest, { cwd: stage, shell: windows, signal, stdio: ['ignore', quiet ? 'ignore' : 2, 2] });
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
