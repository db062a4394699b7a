/** Several datasets' files as one, in memory. */
import type { MatrixArguments } from '../backend/interface.js';
import { show } from '../errors.js';
import { datasetError } from '../input/file-errors.js';
import type { DenseMatrix, Label, SparseMatrix } from '../types.js';
import { openFile } from './dataset-reader.js';

interface Joined {
  readonly points: DenseMatrix | SparseMatrix;
  readonly labels: Float64Array | Label[];
  readonly columns: readonly string[] | undefined;
}

/** Reads files of the same kind, width and column names, one after the other. */
export function readParts(paths: readonly string[]): Joined {
  const files = paths.map((path) => openFile(path));
  const [first] = files;
  const { sparse, cols } = first!.layout;
  files.forEach(({ layout, columns }, k) => {
    const refuse = (what: string, received: string) => datasetError(`${what}, as ${paths[0]} has,`, paths[k]!, received);
    if (layout.sparse !== sparse) throw refuse(sparse ? 'sparse rows' : 'dense rows', sparse ? 'dense ones' : 'sparse ones');
    if (layout.cols !== cols) throw refuse(`${cols} columns`, String(layout.cols));
    const [wanted, received] = [first!.columns, columns].map((names) => (names ? show(names) : 'none'));
    if (wanted !== received) throw refuse(`the columns ${wanted}`, received!);
  });
  const rows = files.reduce((sum, { layout }) => sum + layout.rows, 0);
  const entries = files.reduce((sum, { layout }) => sum + layout.entries, 0);
  if (entries >= 2 ** 32)
    throw datasetError('fewer than 4294967296 numbers in all files of a rank', paths.join(', '), String(entries));
  const kind = Math.min(...files.map(({ layout }) => layout.values)); // the most precise one
  const values = kind === 0 ? new Float64Array(entries) : kind === 1 ? new Float32Array(entries) : undefined;
  const indices = new Uint32Array(sparse ? entries : 0);
  const indptr = new Uint32Array(sparse ? rows + 1 : 0);
  let [row, entry] = [0, 0];
  for (const { layout, whole } of files) {
    const given: MatrixArguments = whole();
    if (given.length === 3) {
      values!.set(given[0], entry);
    } else {
      const [starts, own, numbers] = given;
      indices.set(own, entry);
      for (let i = 1; i <= layout.rows; i++) indptr[row + i] = entry + starts[i]!;
      if (numbers) values!.set(numbers, entry);
      else values?.fill(1, entry, entry + layout.entries);
    }
    row += layout.rows;
    entry += layout.entries;
  }
  const points = sparse ? { indptr, indices, ...(values && { values }), rows, cols } : { data: values!, rows, cols };
  return { points, labels: joinedLabels(files.map(({ labels }, k) => labels() ?? noLabels(paths[k]!))), columns: first!.columns };
}

function noLabels(path: string): never {
  throw datasetError('labels', path, 'none');
}

function joinedLabels(lists: readonly (Float64Array | Label[])[]): Float64Array | Label[] {
  if (!lists.every((list) => ArrayBuffer.isView(list))) return lists.flatMap((list) => Array.from<Label>(list));
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
