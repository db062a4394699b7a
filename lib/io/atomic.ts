/** Atomic writes: a file is written whole or not at all. */
import { randomBytes } from 'node:crypto';
import { lstat, open, readdir, readlink, realpath, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { named } from '../platform/files.js';

type Chunks = Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/**
 * Writes a file so that its path holds, at any moment, either its earlier content or all of the chunks. The chunks go to a temporary file
 * beside it, which replaces it once everything is on the disk. On failure the temporary file is removed, and errors that the chunks throw
 * come out unchanged. A killed process leaves the temporary file behind; the next process to write the same path removes it. A terminal, a
 * pipe or another special file is written directly.
 */
export async function writeAtomically(path: string, chunks: Chunks): Promise<void> {
  const there = await stat(path).catch(missing);
  if (there && !there.isFile()) {
    const file = await open(path, 'w');
    try {
      await writeAll(file, path, chunks);
    } finally {
      await file.close();
    }
    return;
  }
  const target = await targetOf(path);
  await sweep(target);
  const temporary = `${target}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  // Errors name the file that the caller knows, not the temporary one.
  const renamed = (error: unknown): never => {
    const { path: known, message } = error as NodeJS.ErrnoException;
    if (known !== temporary) return named(error, path);
    throw Object.assign(error as Error, { path, message: message.replace(temporary, path) });
  };
  const file = await open(temporary, 'wx', there?.mode).catch(renamed);
  let beat: NodeJS.Timeout | undefined;
  try {
    try {
      // The umask may have cleared bits of the new file's mode.
      if (there && (await file.stat()).mode !== there.mode) await file.chmod(there.mode).catch(renamed);
      beat = setInterval(() => void touch(file), MINUTE / 4).unref();
      await writeAll(file, path, chunks);
      await file.sync().catch(renamed);
    } finally {
      clearInterval(beat);
      await file.close();
    }
    await rename(temporary, target).catch(renamed);
  } catch (error) {
    await unlink(temporary).catch(missing);
    throw error;
  }
  await syncFolder(dirname(target));
}

/** Follows symbolic links to the file to write, which need not exist; the links themselves are kept. */
export async function targetOf(path: string): Promise<string> {
  const entry = await lstat(path).catch(() => undefined); // errors are reported when the file is opened
  if (!entry?.isSymbolicLink()) return path;
  // The link's folder may itself be reached through links, and its target may begin with "..".
  return targetOf(resolve(await realpath(dirname(path)), await readlink(path)));
}

/** Whether two paths lead to the same file, which need not exist. */
export async function sameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(targetOf));
  const folder = (path: string) => realpath(dirname(path)).catch(() => resolve(dirname(path)));
  return basename(first!) === basename(second!) && (await folder(first!)) === (await folder(second!));
}

async function writeAll(file: FileHandle, path: string, chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) await file.writeFile(chunk).catch((error: unknown) => named(error, path));
}

/** Shows that a file is being written, though nothing may be ready for it: see `sweep`. */
async function touch(file: FileHandle): Promise<void> {
  const now = new Date();
  await file.utimes(now, now).catch(() => undefined);
}

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/**
 * Removes the temporary files for `target` that killed processes left behind: those unmodified for a minute, as their process may run on
 * another machine, or for a day if a process with that id runs here, as the id may have been reused. Failures are ignored.
 */
async function sweep(target: string): Promise<void> {
  const [folder, start] = [dirname(target), `${basename(target)}.`];
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = name.startsWith(start) && /^(\d{1,10})-[0-9a-f]{8}\.tmp$/.exec(name.slice(start.length))?.[1];
    if (!owner) continue;
    const left = join(folder, name);
    const entry = await lstat(left).catch(() => undefined);
    const quiet = isAlive(Number(owner)) ? DAY : MINUTE;
    if (entry?.isFile() && Date.now() - entry.mtimeMs > quiet) await unlink(left).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Flushes a folder, and with it the new name of a file. Not every system supports this. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
