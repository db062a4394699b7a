/** Runs code in a separate process on the compiled package: for what is decided at load time, and for what might crash. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(__dirname, '../..');

/** Milliseconds after which a process counts as hung: more than any needs on a busy machine, less than the timeout of a test. */
export const HANG = 480_000;

export type Environment = Partial<Record<`FISTA_CLASSIFY_${'BACKEND' | 'SIMD' | 'THREADS' | 'BINARY' | 'DATA'}`, string>>;

/** The environment of this process without the package's variables, except the binary under test. */
function environment(extra: Environment): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of ['BACKEND', 'SIMD', 'THREADS']) delete env[`FISTA_CLASSIFY_${name}`];
  return { ...env, ...extra };
}

interface Exit {
  code: number | string | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Runs node with these arguments and waits for its exit. */
export function node(args: string[], extra: Environment = {}): Promise<Exit> {
  return new Promise((done) => {
    const child = execFile(process.execPath, args, { cwd: ROOT, env: environment(extra), timeout: HANG }, (_, stdout, stderr) => {
      done({ code: child.exitCode, signal: child.signalCode, stdout, stderr });
    });
  });
}

/** An error thrown in another process, as JSON. */
export interface Thrown {
  name: string;
  code?: string;
  message: string;
  stack: string;
}

/**
 * Runs `body` as the body of an async function, with the package as `fista` and its folder as `ROOT`. Resolves with what it returns,
 * or with `{ thrown }`. Rejects if the process crashes, is killed or exits with a code other than 0.
 */
export async function run(body: string, extra: Environment = {}, flags: string[] = []): Promise<unknown> {
  const code = `
    const ROOT = ${JSON.stringify(ROOT)};
    const describe = (e) => ({ name: e.name, code: e.code, message: e.message, stack: e.stack });
    (async () => { const fista = require(ROOT); ${body} })()
      .then((value) => ({ value }), (error) => ({ thrown: describe(error) }))
      .then((result) => process.stdout.write('\\n' + JSON.stringify(result)));`;
  const { code: exit, signal, stdout, stderr } = await node([...flags, '-e', code], extra);
  if (exit !== 0) throw new Error(`The process ended with ${signal ?? exit}: ${stdout}\n${stderr}`);
  const result = JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as { value?: unknown; thrown?: Thrown };
  return 'thrown' in result ? result : result.value;
}
