/** Points and labels to LIBSVM text. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { resolveLibsvmWriting, type LibsvmWriting } from '../input/index.js';
import type { DenseMatrix, Rows, SparseMatrix, Target, WriteLibsvmOptions } from '../types.js';
import { writeAtomically } from './atomic.js';
import { inChunks } from './chunks.js';

/**
 * Writes LIBSVM text: indices from 1, and every stored value (of dense rows, the nonzero ones) with enough digits to read it back exactly.
 * A path is written atomically; a stream is ended.
 */
export async function writeLibsvm(
  target: Target,
  points: Rows | DenseMatrix | SparseMatrix,
  labels: ArrayLike<number | string>,
  options?: WriteLibsvmOptions,
): Promise<void> {
  const writing = resolveLibsvmWriting(target, points, labels, options);
  const text = inChunks(libsvmLines(writing), writing.signal);
  if (typeof target === 'string') return writeAtomically(target, text);
  await pipeline(Readable.from(text), target as unknown as NodeJS.WritableStream, writing.signal ? { signal: writing.signal } : {});
}

/** The lines of LIBSVM text, one for each row. */
export function* libsvmLines({ points, labels }: LibsvmWriting): Generator<string> {
  for (let i = 0; i < labels.length; i++) {
    let line = String(labels[i]);
    for (const [column, value] of entries(points, i)) line += ` ${column + 1}:${Object.is(value, -0) ? '-0' : value}`;
    yield `${line}\n`;
  }
}

function* entries(points: DenseMatrix | SparseMatrix, i: number): Generator<[column: number, value: number]> {
  if ('indptr' in points) {
    for (let k = points.indptr[i]!; k < points.indptr[i + 1]!; k++) yield [points.indices[k]!, points.values?.[k] ?? 1];
    return;
  }
  const row = points.data.subarray(i * points.cols, (i + 1) * points.cols);
  for (let j = 0; j < row.length; j++) if (!Object.is(row[j], 0)) yield [j, row[j]!];
}
