/**
 * The layout of a dataset's file (.fds), and the check of what one says of itself.
 *
 * A beginning of 64 bytes: magic, version, byte order. Then sections, each on a multiple of 64 bytes: of sparse rows their column indices (16
 * or 32 bits), values (f64, f32, or none if all are 1) and lengths (32 bits); of dense rows their values; labels by row (f64, or 32-bit
 * numbers of words); names as JSON. Last an end of 192 bytes: kinds, counts, where each section begins, a checksum of all but entries, and
 * the magic again. All numbers in the byte order of the machine, which is little-endian wherever this package runs.
 *
 * It ends with what other formats begin with, so that a file is written in one go, and one that was cut has no end.
 */
import { createHash, type Hash } from 'node:crypto';
import type { FileLayout } from '../backend/interface.js';
import { show } from '../errors.js';
import { datasetError } from '../input/file-errors.js';

export const BEGINNING = 64;
export const END = 192;
const CHECKED = 96; // bytes of the end before its checksum
const ALIGNMENT = 64;
const VERSION = 1;
const MAGIC = Uint8Array.of(0x89, 0x46, 0x44, 0x53, 13, 10, 0x1a, 10); // \x89FDS, as PNG does: it shows what a transfer as text changes
const ORDER = 0x01020304;
const OTHER_ORDER = 0x04030201;
/** Rows and columns are numbered with 32 bits, one of which is left for the end. */
const MAX_COUNT = 4294967294;
const MAX_BYTES = Number.MAX_SAFE_INTEGER;
/** Names are one string of JSON. */
const MAX_TEXTS = 2 ** 29 - 24;

export const VALUE_BYTES = [8, 4, 0] as const;
export const LABEL_BYTES = [0, 8, 4] as const;

/** What a file holds. */
export interface Contents {
  readonly sparse: boolean;
  /** 0 f64, 1 f32, 2 ones. */
  readonly values: 0 | 1 | 2;
  /** The bytes of a column index; 0 for dense rows. */
  readonly index: 0 | 2 | 4;
  /** 0 none, 1 numbers, 2 words. */
  readonly labels: 0 | 1 | 2;
  readonly rows: number;
  readonly cols: number;
  readonly entries: number;
  /** The bytes of names. */
  readonly texts: number;
}

export interface Layout extends Contents, Omit<FileLayout, keyof Contents> {
  readonly labelsAt: number;
  readonly textsAt: number;
  /** Of the file. */
  readonly bytes: number;
}

/** Where each section of such a file is. */
export function layoutOf(contents: Contents): Layout {
  const { sparse, values, index, labels, rows, entries, texts } = contents;
  let at = BEGINNING;
  const section = (bytes: number) => {
    const begin = at;
    at = aligned(at + bytes);
    return begin;
  };
  const indexAt = section(entries * index);
  const valuesAt = section(entries * VALUE_BYTES[values]);
  const lengthsAt = section(sparse ? 4 * rows : 0);
  const labelsAt = section(rows * LABEL_BYTES[labels]);
  const textsAt = section(texts);
  return { ...contents, indexAt, valuesAt, lengthsAt, labelsAt, textsAt, bytes: at + END };
}

/** Where the rows from one number to another are, with the entries from one number to another. */
export function layoutOfRows(
  layout: Layout,
  [begin, end]: readonly [number, number],
  [first, last]: readonly [number, number],
): Layout {
  return {
    ...layout,
    rows: end - begin,
    entries: last - first,
    indexAt: layout.indexAt + first * layout.index,
    valuesAt: layout.valuesAt + first * VALUE_BYTES[layout.values],
    lengthsAt: layout.lengthsAt + 4 * begin,
    labelsAt: layout.labelsAt + begin * LABEL_BYTES[layout.labels],
  };
}

export function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

export function beginning(): Uint8Array {
  const bytes = new Uint8Array(BEGINNING);
  bytes.set(MAGIC);
  bytes.set(new Uint8Array(Uint32Array.of(VERSION, ORDER).buffer), 8);
  return bytes;
}

/** The checksum, to be updated with the sections of lengths, labels and names. */
export function checksum(): Hash {
  return createHash('sha256').update(beginning());
}

/** The end of a file, without its checksum: as it is checked, and as it is written. */
export function endOf(layout: Layout, sum?: Hash): Uint8Array {
  const { sparse, values, index, labels, rows, cols, entries, valuesAt, indexAt, lengthsAt, labelsAt, textsAt, texts, bytes } =
    layout;
  const end = new Uint8Array(END);
  end.set(new Uint8Array(Uint32Array.of(Number(sparse), values, index, labels).buffer));
  const counts = [rows, cols, entries, valuesAt, indexAt, lengthsAt, labelsAt, textsAt, texts, bytes];
  end.set(new Uint8Array(BigUint64Array.from(counts, BigInt).buffer), 16);
  if (sum) end.set(sum.update(end.subarray(0, CHECKED)).digest(), CHECKED);
  end.set(MAGIC, END - MAGIC.length);
  return end;
}

const WHAT = "a dataset's file (.fds)";

/** Reads the beginning and the end of a file of so many bytes, and believes nothing that does not add up. */
export function readLayout(first: Uint8Array, last: Uint8Array, size: number, name: string): Layout {
  const refuse = (received: string, what = WHAT) => datasetError(what, name, received);
  if (MAGIC.some((byte, k) => first[k] !== byte)) {
    if (size === 0) throw refuse('an empty one');
    throw refuse(first[0] === MAGIC[0] && first[1] === MAGIC[1] ? 'one that was changed in transfer, as text' : 'something else');
  }
  const cut = () => refuse('one without its end: it was cut, or is still being written', `a whole ${WHAT.slice(2)}`);
  if (first.length < BEGINNING) throw cut();
  const [version, order] = new Uint32Array(first.slice(8, 16).buffer) as unknown as [number, number];
  if (order === OTHER_ORDER) throw refuse('one written on a machine of the other byte order');
  if (order !== ORDER) throw refuse('one whose beginning is damaged');
  if (version !== VERSION) throw refuse(`version ${version}`, `${WHAT} of version ${VERSION}`);
  if (size < BEGINNING + END || MAGIC.some((byte, k) => last[END - MAGIC.length + k] !== byte)) throw cut();
  if (first.subarray(16).some(Boolean) || last.subarray(CHECKED + 32, END - MAGIC.length).some(Boolean))
    throw refuse('one that has more in it than this version knows of');
  const [sparse, values, index, labels] = new Uint32Array(last.slice(0, 16).buffer) as unknown as [number, number, number, number];
  const counts = Array.from(new BigUint64Array(last.slice(16, CHECKED).buffer));
  const [rows, cols, entries, valuesAt, indexAt, lengthsAt, labelsAt, textsAt, texts, bytes] = counts.map(Number) as Counts;
  const count = (what: string, value: number, max: number) => {
    if (!(value <= max)) throw refuse(`one that claims ${value} ${what}`);
  };
  if (rows === 0) throw refuse('none', `at least one row`);
  count('rows', rows, MAX_COUNT);
  count('columns', cols, MAX_COUNT);
  count('entries', entries, MAX_BYTES / 16);
  count('bytes of names', texts, Math.min(size, MAX_TEXTS));
  const known = sparse <= 1 && values <= (sparse ? 2 : 1) && labels <= 2 && (sparse ? index === 2 || index === 4 : index === 0);
  if (!known || (index === 2 && cols > 65535)) throw refuse('one of an unknown kind of rows');
  if (!sparse && entries !== rows * cols) throw refuse(`one that claims ${rows} × ${cols} numbers and has ${entries}`);
  const contents = { sparse: sparse === 1, values, index, labels, rows, cols, entries, texts } as Contents;
  const layout = layoutOf(contents);
  const said = { valuesAt, indexAt, lengthsAt, labelsAt, textsAt, bytes };
  for (const [name, at] of Object.entries(said)) {
    if (layout[name as keyof typeof said] !== at) throw refuse('one whose sections are not where its counts put them');
  }
  if (bytes !== size) throw refuse(`${size} bytes`, `${bytes} bytes`);
  return layout;
}

type Counts = [number, number, number, number, number, number, number, number, number, number];

/** Whether the checksum of a file's end is that of what was read. */
export function isChecked(last: Uint8Array, sum: Hash): boolean {
  return sum
    .update(last.subarray(0, CHECKED))
    .digest()
    .equals(last.subarray(CHECKED, CHECKED + 32));
}

/** Column names and the words of labels, as they are in a file. */
export interface Texts {
  readonly columns?: readonly string[];
  readonly labels?: readonly (string | boolean | number)[];
}

export function readTexts(bytes: Uint8Array, name: string): Texts {
  if (bytes.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    throw datasetError('names in JSON', name, show(Buffer.from(bytes.subarray(0, 40)).toString()), error);
  }
  const list = (found: unknown, kinds: readonly string[]) => Array.isArray(found) && found.every((v) => kinds.includes(typeof v));
  const { columns, labels } = (value ?? {}) as Texts;
  if (columns !== undefined && !list(columns, ['string'])) throw datasetError('a list of column names', name, show(columns));
  if (labels !== undefined && !list(labels, ['string', 'boolean', 'number']))
    throw datasetError('a list of labels', name, show(labels));
  return { ...(columns && { columns }), ...(labels && { labels }) };
}
