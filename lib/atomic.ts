/** Files that are whole or not there. */
import { randomBytes } from 'node:crypto';
import { open, realpath, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { named } from './source.js';

type Chunks = Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/**
 * Writes a file so that its path holds, at any moment, either what it held before or all of the chunks: they go to a temporary
 * file beside it, which takes its place when everything is on the disk. If something fails, the chunks' own errors included, the
 * temporary file is removed and the error comes out unchanged. What is no regular file (a terminal, a pipe) is written to as it is.
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
  // The file a link points to is replaced, not the link; its mode stays.
  const target = there ? await realpath(path) : path;
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx', there?.mode);
  try {
    try {
      // The process's mask has taken bits away from the mode of a new file.
      if (there && (await file.stat()).mode !== there.mode) await file.chmod(there.mode);
      await writeAll(file, path, chunks);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(missing);
    throw error;
  }
  await syncFolder(dirname(target));
}

async function writeAll(file: FileHandle, path: string, chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) await file.writeFile(chunk).catch((error: unknown) => named(error, path));
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The new name is on the disk once the folder is; not every system can be asked for that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
