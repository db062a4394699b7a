/** Reads the models that a command line names, and tells them from data; `-` is stdin. */
import { open } from 'node:fs/promises';
import { constants as zlib, gunzipSync } from 'node:zlib';
import { readModelFile, type ModelFile } from '../io/model-file.js';
import { isGzip } from '../io/source.js';

/**
 * Tells by its first characters whether a file holds a model: no row or comment of LIBSVM text begins like one. A pipe or another special
 * file cannot be read twice, and is taken for data.
 */
export async function looksLikeModel(path: string): Promise<boolean> {
  if (path === '-') return false;
  const file = await open(path, 'r');
  try {
    if (!(await file.stat()).isFile()) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const plain = isGzip(bytes) ? gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH }) : bytes;
    return /^\ufeff?\s*(\{|solver_type\s)/.test(plain.toString());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) return false; // the error is reported when the whole file is read
    throw error;
  } finally {
    await file.close();
  }
}

export function readModel(path: string, signal: AbortSignal): Promise<ModelFile> {
  return readModelFile(path, signal, path === '-' ? process.stdin : undefined);
}
