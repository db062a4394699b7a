/** Code in a process of its own, running the compiled package: for what is decided at load, and for what might crash. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

export const ROOT = join(__dirname, '../..');

/** Milliseconds after which a process is taken to hang: more than any needs on a busy machine, and less than a test may take. */
export const HANG = 480_000;

export type Environment = Partial<Record<`FISTA_CLASSIFY_${'BACKEND' | 'SIMD' | 'THREADS' | 'BINARY' | 'DATA'}`, string>>;

/** This process's environment without our variables, save the binary under test. */
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

/** Runs node with these arguments, to its end. */
export function node(args: string[], extra: Environment = {}): Promise<Exit> {
  return new Promise((done) => {
    const child = execFile(process.execPath, args, { cwd: ROOT, env: environment(extra), timeout: HANG }, (_, stdout, stderr) => {
      done({ code: child.exitCode, signal: child.signalCode, stdout, stderr });
    });
  });
}

/** An error, as it comes out of another process. */
export interface Thrown {
  name: string;
  code?: string;
  message: string;
  stack: string;
}

/**
 * Runs `body`, that of an async function with the package as `fista` and its folder as `ROOT`, and hands over what it returns, or
 * `{ thrown }`. Rejects if the process crashes or ends otherwise than by itself.
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
