/** Files and gzip, by Node.js. The bundle for browsers has files-browser.ts in its place. */
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { pipe } from '../io/pipe.js';

type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

/** Reads ahead: while one buffer is in use, the next is filled. */
export async function* fromFile(path: string, chunk: number): Chunks {
  const file = await open(path, 'r');
  let ahead: Promise<{ bytesRead: number; buffer: Uint8Array }> | undefined;
  try {
    const buffers = [Buffer.allocUnsafeSlow(chunk), Buffer.allocUnsafeSlow(chunk)] as const;
    ahead = file.read(buffers[0], 0, chunk);
    for (let k = 1; ; k++) {
      const { bytesRead, buffer } = await ahead.catch((error: unknown) => named(error, path));
      ahead = undefined;
      if (bytesRead === 0) return;
      ahead = file.read(buffers[k % 2]!, 0, chunk);
      ahead.catch(() => undefined); // the error is reported when the buffer is awaited
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await ahead?.catch(() => undefined);
    await file.close();
  }
}

/** Adds the path to an error of reading or writing, such as EISDIR or ENOSPC. Node adds it only when opening a file fails. */
export function named(error: unknown, path: string): never {
  const { path: known, message } = error as NodeJS.ErrnoException;
  if (known === undefined) throw Object.assign(error as Error, { path, message: `${message} '${path}'` });
  throw error;
}

/** Decompresses. Errors of `compressed` come out unchanged; those of its contents go through `reword`. */
export function gunzip(compressed: Chunks, chunk: number, reword: (error: Error) => unknown): Chunks {
  return pipe<Uint8Array>(compressed, createGunzip({ chunkSize: chunk }), reword);
}
