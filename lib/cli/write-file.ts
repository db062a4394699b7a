/** Writes the files that a command line names; `-` is stdout. */
import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createGzip } from 'node:zlib';
import { targetOf, writeAtomically } from '../io/atomic.js';
import { bytesInChunks, inChunks } from '../io/chunks.js';
import { pipe } from '../io/pipe.js';
import { usageError } from './arguments.js';
import type { Output } from './output.js';

/** Checks, before hours of work, that a path can be written and that it is none of the input files `read`. */
export async function checkWritable(path: string, output: Output, ...read: readonly string[]): Promise<void> {
  if (path === '-') {
    if (output.lost) throw failure('EBADF', 'Expected an open stdout, to which - writes, but it is closed');
    return;
  }
  const there = await stat(path).catch(ignoreMissing);
  if (there?.isDirectory()) throw failure('EISDIR', `Expected a file for the output but ${path} is a folder`);
  if (there && !there.isFile()) return; // a terminal, a pipe
  for (const other of there ? read.filter((name) => name !== '-') : []) {
    const { dev, ino } = await stat(other);
    if (dev !== there!.dev || ino !== there!.ino) continue;
    throw usageError(`Expected a file other than the input ${other} for the output but received ${path}`);
  }
  if (there) await (await open(path, 'r+')).close();
  // The temporary file will be created in the folder of the file that it replaces.
  const folder = dirname(await targetOf(path));
  const entry = await stat(folder).catch(ignoreMissing);
  if (!entry?.isDirectory()) throw failure('ENOENT', `Expected a folder for ${path} but there is no ${folder}`);
  await access(folder, constants.W_OK);
}

/** Writes a file whole or not at all; `-` is stdout. A path that ends in .gz is compressed. */
export function writeFile(path: string, lines: Iterable<string>, output: Output, signal?: AbortSignal): Promise<void> {
  return writeChunks(path, inChunks(lines, signal), output);
}

/** Writes bytes, as `writeFile` writes lines. */
export function writeBytes(path: string, pieces: Iterable<Uint8Array>, output: Output, signal?: AbortSignal): Promise<void> {
  return writeChunks(path, bytesInChunks(pieces, signal), output);
}

async function writeChunks(path: string, chunks: Iterable<string | Uint8Array>, output: Output): Promise<void> {
  if (path === '-') {
    for (const chunk of chunks) {
      if (output.closed) return;
      await output.write(chunk);
    }
  } else if (path.endsWith('.gz')) {
    await writeAtomically(path, pipe<Uint8Array>(chunks, createGzip()));
  } else {
    await writeAtomically(path, chunks);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
