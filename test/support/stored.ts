/** The points of a test in a file, as Dataset.write lays them out; at once, where a test cannot wait. */
import { writeFileSync } from 'node:fs';
import type { Backend, Matrix, MatrixArguments } from '../../lib/backend/interface.js';
import { beginning, checksum, endOf, layoutOf, type Contents } from '../../lib/io/dataset-format.js';
import { openFile } from '../../lib/io/dataset-reader.js';

/** Writes points in the smallest form that loses nothing, which is that of a Matrix. */
export function storePoints(path: string, points: MatrixArguments): void {
  const sparse = points.length === 5;
  const [rows, cols] = points.slice(-2) as [number, number];
  const entries = sparse ? points[0][rows]! : rows * cols;
  let values = (sparse ? points[2] : points[0])?.slice(0, entries);
  if (sparse && values?.every((value) => value === 1)) values = undefined;
  if (sparse && values?.every((value) => Math.fround(value) === value)) values = Float32Array.from(values);
  const Index = cols < 65536 ? Uint16Array : Uint32Array;
  const contents: Contents = {
    sparse,
    values: !values ? 2 : values instanceof Float32Array ? 1 : 0,
    index: sparse ? (Index.BYTES_PER_ELEMENT as 2 | 4) : 0,
    labels: 0,
    rows,
    cols,
    entries,
    texts: 0,
  };
  const layout = layoutOf(contents);
  const bytes = new Uint8Array(layout.bytes);
  const put = (list: ArrayBufferView, at: number) => bytes.set(new Uint8Array(list.buffer, list.byteOffset, list.byteLength), at);
  put(beginning(), 0);
  if (values) put(values, layout.valuesAt);
  const sum = checksum();
  if (sparse) {
    put(Index.from(points[1].subarray(0, entries)), layout.indexAt);
    const lengths = Uint32Array.from({ length: rows }, (_, i) => points[0][i + 1]! - points[0][i]!);
    put(lengths, layout.lengthsAt);
    sum.update(lengths);
  }
  put(endOf(layout, sum), layout.bytes - 192);
  writeFileSync(path, bytes);
}

/** A matrix of points that stay in a file, and are centred. */
export function storedMatrix(backend: Backend, path: string, points: MatrixArguments, threads: number): Matrix {
  storePoints(path, points);
  const matrix = backend.openPoints!(path, openFile(path).layout);
  matrix.centre(threads);
  return matrix;
}
