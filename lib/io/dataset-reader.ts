/** Opens a dataset's file: its structure is checked, its entries stay where they are. */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FileLayout, MatrixArguments } from '../backend/interface.js';
import { coded, plural } from '../errors.js';
import { datasetError } from '../input/file-errors.js';
import type { Label } from '../types.js';
import { named } from '../platform/files.js';
import {
  BEGINNING,
  checksum,
  END,
  isChecked,
  LABEL_BYTES,
  layoutOfRows,
  readLayout,
  readTexts,
  VALUE_BYTES,
  type Layout,
} from './dataset-format.js';

/** Bytes read at a time. */
const CHUNK = 1 << 20;
/** Epochs visit so many bytes of rows in random order, and hold twice as many. */
const WINDOW_BYTES = 1 << 26;
/** Of so many chunks of rows is a window (native/kernels/svm_ascent.cc). */
const CHUNKS = 16;

export interface OpenedFile {
  readonly layout: FileLayout;
  /** The names of columns as the file has them, not yet checked. */
  readonly columns: readonly string[] | undefined;
  /** Rows in a window of coordinate ascent (method 1.10). */
  readonly window: number;
  /** Reads the labels; undefined if there are none. */
  readonly labels: () => Float64Array | Label[] | undefined;
  /** Reads all entries. */
  readonly whole: () => MatrixArguments;
}

/** Opens a file, unless it is no regular file: a FIFO would wait for its other end. */
function withFile<T>(path: string, work: (fd: number) => T): T {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

function readInto(fd: number, path: string, at: number, to: Uint8Array): void {
  for (let done = 0; done < to.length;) {
    let got: number;
    try {
      got = readSync(fd, to, done, Math.min(to.length - done, 1 << 30), at + done);
    } catch (error) {
      return named(error, path);
    }
    if (got === 0)
      throw coded(Error, 'ERR_DATASET', `Expected ${path} to stay as long as it was but it could not be read to its end`);
    done += got;
  }
}

/** What tells one state of a file from another. */
function stampOf(stat: { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint }): string {
  return [stat.dev, stat.ino, stat.size, stat.mtimeNs].join();
}

/** Some rows of a file, which follow each other: of so many parts, that of this number. */
export interface FilePart {
  readonly index: number;
  readonly of: number;
}

/** Checks the structure of a file, all but its entries, and says where they are, of all rows or of a part. */
export function openFile(path: string, part: FilePart = { index: 0, of: 1 }): OpenedFile & { readonly unchanged: () => void } {
  const file = resolve(path); // wherever the process goes later
  return withFile(path, (fd) => {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) throw datasetError('a regular file', path, stat.isDirectory() ? 'a directory' : 'a device or a pipe');
    const size = Number(stat.size);
    const read = (at: number, bytes: number) => {
      const to = new Uint8Array(bytes);
      readInto(fd, path, at, to);
      return to;
    };
    const last = read(Math.max(0, size - END), Math.min(size, END));
    const whole = readLayout(read(0, Math.min(size, BEGINNING)), last, size, path);
    const { sparse, rows, labels: kind, texts } = whole;
    const ends = [part.index, part.index + 1].map((k) => Math.floor((rows * k) / part.of)) as [number, number];
    if (rows < part.of) throw datasetError(`at least ${plural(part.of, 'row')}, one for each part,`, path, String(rows));
    const sum = checksum();
    const chunk = new Uint8Array(CHUNK);
    const over = (at: number, bytes: number, see?: (part: Uint8Array) => void) => {
      for (let done = 0; done < bytes; done += CHUNK) {
        const piece = chunk.subarray(0, Math.min(CHUNK, bytes - done));
        readInto(fd, path, at + done, piece);
        sum.update(piece);
        see?.(piece);
      }
    };
    const entriesAt = ends.map((row) => (sparse ? 0 : row * whole.cols)) as [number, number]; // before each end
    const heaviest = new Heaviest(ends[1] - ends[0]);
    let row = 0;
    let all = 0;
    over(whole.lengthsAt, sparse ? 4 * rows : 0, (piece) => {
      for (const length of new Uint32Array(piece.buffer, 0, piece.length / 4)) {
        if (row < ends[0]) entriesAt[0] += length;
        else if (row < ends[1]) heaviest.add(row - ends[0], length);
        if (row++ < ends[1]) entriesAt[1] += length;
        all += length;
      }
    });
    over(whole.labelsAt, rows * LABEL_BYTES[kind]);
    const names = read(whole.textsAt, texts);
    sum.update(names);
    if (!isChecked(last, sum)) throw datasetError('a whole file', path, 'one whose checksum differs: it is damaged');
    if (sparse && all !== whole.entries) throw wrongLengths(path, whole.entries, all);
    const { columns, labels: known } = readTexts(names, path);
    if (kind === 2 && !known) throw datasetError('names of labels', path, 'none');
    const stamp = stampOf(stat);
    const unchanged = () => {
      if (stampOf(statSync(file, { bigint: true })) === stamp) return;
      throw coded(Error, 'ERR_DATASET', `Expected ${path} to stay as it is while in use but it was changed`);
    };
    const again = <T>(work: (fd: number) => T): T =>
      withFile(file, (own) => {
        const result = work(own);
        if (stampOf(fstatSync(own, { bigint: true })) !== stamp) unchanged();
        return result;
      });
    const layout = part.of === 1 ? whole : layoutOfRows(whole, ends, entriesAt);
    const entryBytes = VALUE_BYTES[layout.values] + layout.index;
    return {
      layout,
      columns,
      window: windowOf(layout, entryBytes, sparse ? heaviest : undefined),
      unchanged,
      labels: () => (kind === 0 ? undefined : again((own) => readLabels(own, path, layout, known))),
      whole: () => again((own) => readWhole(own, path, layout)),
    };
  });
}

/** Rows in a window: about WINDOW_BYTES of them, and at most twice as many where the longest rows are together. */
function windowOf({ rows, entries }: Layout, entryBytes: number, heaviest: Heaviest | undefined): number {
  const least = Math.min(rows, 64);
  let window = Math.min(rows, Math.max(least, Math.floor(WINDOW_BYTES / Math.max((entries * entryBytes) / rows, 1))));
  while (window > least && (heaviest?.entries(window) ?? 0) * entryBytes > 2 * WINDOW_BYTES)
    window = Math.max(least, Math.floor(window / 2));
  return window;
}

/** The entries of groups of rows that follow each other, for a bound on those of a window. */
class Heaviest {
  readonly #group: number;
  readonly #sums: Float64Array;

  constructor(rows: number) {
    this.#group = Math.ceil(rows / 2 ** 16);
    this.#sums = new Float64Array(Math.ceil(rows / this.#group));
  }

  add(row: number, entries: number): void {
    this.#sums[Math.floor(row / this.#group)]! += entries;
  }

  /** At most so many entries are in a window, whichever chunks it is of. */
  entries(window: number): number {
    const size = Math.ceil(window / CHUNKS / this.#group); // groups in a chunk, the last of which may reach into the next
    const chunks: number[] = [];
    for (let k = 0; k < this.#sums.length; k += size) chunks.push(this.#sums.subarray(k, k + size + 1).reduce((a, b) => a + b, 0));
    return chunks
      .sort((a, b) => b - a)
      .slice(0, CHUNKS)
      .reduce((a, b) => a + b, 0);
  }
}

function readLabels(fd: number, path: string, { rows, labels, labelsAt }: Layout, known: readonly Label[] | undefined) {
  if (labels === 1) {
    const numbers = new Float64Array(rows);
    readInto(fd, path, labelsAt, new Uint8Array(numbers.buffer));
    return numbers;
  }
  const codes = new Uint32Array(rows);
  readInto(fd, path, labelsAt, new Uint8Array(codes.buffer));
  return Array.from(codes, (code) => {
    if (code >= known!.length) throw datasetError(`numbers of labels below ${known!.length}`, path, String(code));
    return known![code]!;
  });
}

function wrongLengths(path: string, entries: number, total: number): Error {
  return datasetError(`lengths of rows that add up to ${entries}`, path, String(total));
}

/** All entries, as a backend without files takes them. */
function readWhole(fd: number, path: string, layout: Layout): MatrixArguments {
  const { sparse, values, index, rows, cols, entries } = layout;
  const bytesOf = <T extends ArrayBufferView>(list: T, at: number): T => {
    readInto(fd, path, at, new Uint8Array(list.buffer, list.byteOffset, list.byteLength));
    return list;
  };
  const numbers =
    values === 2 ? undefined : bytesOf(values === 0 ? new Float64Array(entries) : new Float32Array(entries), layout.valuesAt);
  if (!sparse) return [numbers!, rows, cols];
  const indptr = new Uint32Array(rows + 1);
  const lengths = bytesOf(new Uint32Array(rows), layout.lengthsAt);
  let total = 0;
  for (let i = 0; i < rows; i++) indptr[i + 1] = total += lengths[i]!;
  if (total !== entries) throw wrongLengths(path, entries, total);
  const indices =
    index === 2
      ? Uint32Array.from(bytesOf(new Uint16Array(entries), layout.indexAt))
      : bytesOf(new Uint32Array(entries), layout.indexAt);
  return [indptr, indices, numbers, rows, cols];
}
