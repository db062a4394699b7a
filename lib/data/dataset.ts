/// <reference lib="esnext.disposable" preserve="true" />
import type { Backend, Matrix, OnDefect } from '../backend/interface.js';
import { coded } from '../errors.js';
import { availableMemory } from '../platform/host.js';
import { resolveDatasetWriting } from '../input/resolve-dataset-writing.js';
import { resolveColumns, resolveDataset, resolveOpening } from '../input/resolve-dataset.js';
import { notMade } from '../input/options.js';
import { datasetError } from '../input/file-errors.js';
import { openFile, type OpenedFile } from '../io/dataset-reader.js';
import { writeDataset } from '../io/dataset-writer.js';
import type {
  DatasetOptions,
  DatasetSource,
  DenseMatrix,
  Label,
  OpenDatasetOptions,
  Rows,
  SparseMatrix,
  WriteDatasetOptions,
  WrittenDataset,
} from '../types.js';

interface Data {
  readonly matrix: Matrix;
  readonly backend: Backend;
  /** Whether the columns were centred. */
  readonly shifted: boolean;
  /** Frozen. */
  readonly columns: readonly string[] | undefined;
  /** Of a file: the rows in a window of coordinate ascent (method 1.10). */
  readonly window?: number | undefined;
  /** Whether rows stay in a file, and are centred by who trains on them. */
  readonly inFile?: boolean;
}

/** Private to this file, so that only this file can construct a Dataset. */
const MADE = Symbol('made');

/**
 * Points prepared once and used many times. They are checked and copied into the most compact lossless form: 16-bit column numbers where
 * they fit, no values if all are 1, f32 kept as f32. The arrays that it was made from may be changed or transferred afterwards.
 */
export class Dataset {
  readonly rows: number;
  readonly cols: number;
  /** The number of stored entries: rows × cols for dense points, the explicit entries for sparse ones. */
  readonly nnz: number;
  /** The memory held, in bytes. Rows that stay in a file are not part of it. */
  readonly bytes: number;
  /** The names of the columns, if the points had them or the option gave them. */
  readonly columns: readonly string[] | undefined;
  /** The file that the rows are in. */
  readonly path: string | undefined;
  #data: Data | undefined;
  readonly #file: OpenedFile | undefined;
  #labels: Float64Array | Label[] | undefined;

  private constructor(made: typeof MADE, data: Data, path?: string, file?: OpenedFile) {
    if (made !== MADE) throw notMade('Dataset', 'Dataset.from(points, options)');
    this.path = path;
    this.#file = file;
    const { rows, cols, stored, bytes } = data.matrix.describe();
    this.#data = data;
    this.rows = rows;
    this.cols = cols;
    this.nnz = stored;
    this.bytes = bytes;
    this.columns = data.columns;
  }

  static from(points: Rows | DenseMatrix | SparseMatrix, options?: DatasetOptions): Dataset {
    const { view, backend, threads, columns } = resolveDataset(points, options);
    const matrix = new backend.Matrix(view.refuse, threads, ...view.arguments);
    const shifted = matrix.centre(threads);
    return new Dataset(MADE, { matrix, backend, shifted, columns: columns && Object.freeze(columns) });
  }

  /**
   * Rows in a file that `Dataset.write` wrote, or `fista-classify convert`. They stay there, and are read in order by whoever needs them, a
   * few megabytes at a time, so that there may be more of them than fit in memory. The file must stay as it is meanwhile. (The TypeScript
   * kernels read it to memory.)
   */
  static open(path: string, options?: OpenDatasetOptions): Dataset {
    const { backend, part } = resolveOpening(path, options);
    const file = openFile(path, part);
    const { layout, window } = file;
    const columns = resolveColumns(file.columns, layout.cols, path);
    // Where empty columns are dropped, entries take less memory than weights.
    const inFile = backend.openPoints !== undefined && !(layout.cols >= 2 ** 20 && layout.cols > layout.entries);
    if (inFile) {
      const matrix = backend.openPoints!(path, layout);
      file.unchanged();
      return new Dataset(MADE, { matrix, backend, shifted: false, columns, window, inFile }, path, file);
    }
    checkFits(path, layout);
    const matrix = new backend.Matrix(refuseIn(path), 1, ...file.whole());
    return new Dataset(MADE, { matrix, backend, shifted: matrix.centre(1), columns, window }, path, file);
  }

  /**
   * Writes rows to a file for `Dataset.open`: LIBSVM text, CSV or JSON lines, plain or gzipped, or rows one by one. The file is written whole or
   * not at all, and memory holds a few buffers, however many rows there are.
   */
  static async write(path: string, source: DatasetSource, options?: WriteDatasetOptions): Promise<WrittenDataset> {
    return writeDataset(path, await resolveDatasetWriting(path, source, options));
  }

  /** The labels in the file, by row; undefined if there are none. They are read when first asked for. */
  get labels(): Float64Array | Label[] | undefined {
    return (this.#labels ??= this.#file?.labels());
  }

  /** Whether a value is a Dataset made here, which a prototype alone does not prove. @internal */
  static is(value: unknown): value is Dataset {
    return typeof value === 'object' && value !== null && #data in value;
  }

  /** The data, for code of this package that computes with them. @internal */
  static dataOf(dataset: Dataset): Data {
    if (!dataset.#data) throw coded(Error, 'ERR_DISPOSED', 'Expected a live Dataset but it was disposed of');
    return dataset.#data;
  }

  /** Frees the memory at once, without waiting for the garbage collector. Using the dataset afterwards throws. */
  dispose(): void {
    this.#data?.matrix.dispose();
    this.#data = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Refuses a file that has to be read to memory and does not fit: the system would end the process. */
function checkFits(path: string, { rows, entries, index, values }: OpenedFile['layout']): void {
  const bytes = entries * ([8, 4, 0][values]! + 2 * index) + 16 * rows;
  const room = Math.min(availableMemory() / 2, 2 ** 32);
  if (bytes <= room && entries < 2 ** 32) return;
  const what = `at most ${Math.floor(room / 2 ** 20)} MB, as this backend reads files to memory (the native one does not),`;
  throw datasetError(what, path, `${Math.ceil(bytes / 2 ** 20)} MB`);
}

/** Words what is wrong with the entries of a file, as the native backend does. */
function refuseIn(path: string): OnDefect {
  return ({ defect, row, found, before }) => {
    const where = defect === 'not-finite' ? path : `row ${row} of ${path}`;
    const what = defect === 'not-finite' ? 'finite numbers' : defect === 'bad-order' ? 'ascending columns' : 'columns that it has';
    throw datasetError(what, where, defect === 'bad-order' ? `${found} after ${before}` : String(found));
  };
}
