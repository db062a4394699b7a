/**
 * Writes a dataset's file (dataset-format.ts), atomically, and with memory for a few buffers whatever its size.
 *
 * Numbers of entries, the width of indices and the kind of values are known at the end alone, and sections follow each other. So each section
 * is spilled to a file of its own, without a name, beside the target; they are then copied one after the other. Indices begin with 16 bits,
 * values with none. What no longer fits is widened: that part of the spill is rewritten, at most once for indices and twice for values, and
 * in nearly all data within the first block. Dense rows are all one section, but for labels, and are written directly.
 */
import { randomBytes } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { show } from '../errors.js';
import { datasetError } from '../input/file-errors.js';
import type { DatasetWriting } from '../input/resolve-dataset-writing.js';
import type { WrittenDataset } from '../types.js';
import { targetOf, writeAtomically } from './atomic.js';
import { blocksFrom, type Block, type Blocks, type Ending } from './dataset-blocks.js';
import { aligned, beginning, checksum, endOf, LABEL_BYTES, layoutOf, VALUE_BYTES, type Contents } from './dataset-format.js';
import { named } from '../platform/files.js';

/** The bytes read and written at a time. */
const CHUNK = 1 << 20;

type Numbers = Float64Array | Float32Array | Uint32Array | Uint16Array;

/** A temporary file without a name, or with one that is removed when it is closed. */
class Spill {
  readonly #path: string;
  #file: FileHandle | undefined;
  #name: string | undefined;
  #buffer = Buffer.allocUnsafe(CHUNK);
  #used = 0;
  length = 0; // bytes

  constructor(path: string) {
    this.#path = path;
  }

  async write(list: Numbers): Promise<void> {
    const bytes = Buffer.from(list.buffer, list.byteOffset, list.byteLength);
    this.length += bytes.length;
    for (let at = 0; at < bytes.length;) {
      const some = bytes.copy(this.#buffer, this.#used, at);
      this.#used += some;
      at += some;
      if (this.#used === CHUNK) await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    if (!this.#file) {
      this.#name = `${await targetOf(this.#path)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
      this.#file = await open(this.#name, 'wx+');
      // Without a name nothing is left behind, whatever ends the process. Where an open file keeps its name, close() removes it.
      await unlink(this.#name).then(
        () => (this.#name = undefined),
        () => undefined,
      );
    }
    for (let at = 0; at < this.#used;) {
      const { bytesWritten } = await this.#file
        .write(this.#buffer, at, this.#used - at)
        .catch((error: unknown) => named(error, this.#path));
      at += bytesWritten;
    }
    this.#used = 0;
  }

  /** All that was written, chunk by chunk. A chunk is valid until the next, and nothing may be written meanwhile. */
  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    const buffer = this.#file && Buffer.allocUnsafe(CHUNK);
    const stored = this.length - this.#used;
    for (let at = 0; at < stored; at += CHUNK) {
      const wanted = Math.min(CHUNK, stored - at); // in full, so that no number is divided
      for (let done = 0; done < wanted;) {
        const { bytesRead } = await this.#file!.read(buffer!, done, wanted - done, at + done);
        if (bytesRead === 0) throw datasetError('room beside it', this.#path, 'a temporary file that was cut');
        done += bytesRead;
      }
      yield buffer!.subarray(0, wanted);
    }
    yield this.#buffer.subarray(0, this.#used);
  }

  async close(): Promise<void> {
    await this.#file?.close();
    if (this.#name !== undefined) await unlink(this.#name).catch(() => undefined);
    [this.#file, this.#name] = [undefined, undefined];
  }
}

type Form = new (list: ArrayLike<number> | ArrayBuffer) => Numbers;

/** A spill of numbers in the narrowest of some forms that holds them all. */
class NumberSpill {
  readonly #path: string;
  readonly #forms: readonly Form[];
  #spill: Spill;
  #form: number;

  /** `forms`: from narrow to wide. */
  constructor(path: string, forms: readonly Form[], form = 0) {
    this.#path = path;
    this.#forms = forms;
    this.#form = form;
    this.#spill = new Spill(path);
  }

  get form(): number {
    return this.#form;
  }

  async write(list: ArrayLike<number>, needed: number): Promise<void> {
    if (needed > this.#form) await this.widen(needed);
    const Form = this.#forms[this.#form]!;
    await this.#spill.write(list instanceof Form ? list : new Form(list));
  }

  async widen(to: number): Promise<void> {
    const [from, Old, Form] = [this.#spill, this.#forms[this.#form]!, this.#forms[to]!];
    this.#spill = new Spill(this.#path);
    this.#form = to;
    try {
      for await (const chunk of from.read()) {
        await this.#spill.write(new Form(new Old(Uint8Array.from(chunk).buffer)));
      }
    } finally {
      await from.close();
    }
  }

  read(): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#spill.read();
  }

  close(): Promise<void> {
    return this.#spill.close();
  }
}

/** The index of the narrowest kind of values: 2 ones, 1 f32, 0 f64. */
function kindOf(values: Float64Array | undefined): 0 | 1 | 2 {
  if (!values) return 2;
  let [ones, floats] = [true, true];
  for (let k = 0; k < values.length && floats; k++) {
    const value = values[k]!;
    ones &&= value === 1;
    floats = Math.fround(value) === value;
  }
  return ones && floats ? 2 : floats ? 1 : 0;
}

class DatasetWriter {
  readonly #path: string;
  readonly #index: NumberSpill;
  readonly #lengths: Spill;
  readonly #labels: Spill;
  #values: NumberSpill | undefined; // undefined: all are 1 so far
  #labelled: 0 | 1 | 2 = 0;
  #rows = 0;
  #entries = 0;
  #cols = 0;

  constructor(path: string) {
    this.#path = path;
    this.#index = new NumberSpill(path, [Uint16Array, Uint32Array]);
    [this.#lengths, this.#labels] = [new Spill(path), new Spill(path)];
  }

  async close(): Promise<void> {
    for (const spill of [this.#index, this.#lengths, this.#labels, this.#values]) await spill?.close();
  }

  async #addLabels({ labels, rows }: Block): Promise<void> {
    const kind = labels === undefined ? 0 : labels instanceof Float64Array ? 1 : 2;
    if (this.#rows > 0 && kind !== this.#labelled) throw datasetError('a label for every row or for none', this.#path, 'some');
    this.#labelled = kind;
    this.#rows += rows;
    if (labels) await this.#labels.write(labels);
  }

  async #addSparse(block: Block): Promise<void> {
    await this.#addLabels(block);
    const { lengths, indices, values } = block.sparse!;
    await this.#lengths.write(lengths);
    let max = -1;
    for (let at = 0, i = 0; i < lengths.length; i++) {
      at += lengths[i]!;
      if (lengths[i]! > 0) max = Math.max(max, indices[at - 1]!); // they ascend in a row
    }
    this.#cols = Math.max(this.#cols, max + 1);
    await this.#index.write(indices, max < 65535 ? 0 : 1);
    const kind = kindOf(values);
    if (kind < 2 && !this.#values) {
      this.#values = new NumberSpill(this.#path, [Float32Array, Float64Array], 1 - kind);
      const ones = new Float32Array(1 << 16).fill(1);
      for (let left = this.#entries; left > 0; left -= ones.length) await this.#values.write(ones.subarray(0, left), 0);
    }
    this.#entries += indices.length;
    if (this.#values) await this.#values.write(values ?? new Float32Array(indices.length).fill(1), kind === 0 ? 1 : 0);
  }

  /** The bytes of the file, as they become known. */
  async *chunks(blocks: Blocks, writing: DatasetWriting): AsyncGenerator<Uint8Array, WrittenDataset, undefined> {
    yield beginning();
    let next = await blocks.next();
    let form: 0 | 1 | undefined; // of dense rows
    while (next.done !== true) {
      const { dense } = next.value;
      if (dense) {
        form = dense instanceof Float32Array ? 1 : 0;
        await this.#addLabels(next.value);
        this.#entries += dense.length;
        yield new Uint8Array(dense.buffer, dense.byteOffset, dense.byteLength);
      } else {
        await this.#addSparse(next.value);
      }
      next = await blocks.next();
    }
    const ending: Ending = next.value;
    const sparse = form === undefined;
    const cols = Math.max(this.#cols, ending.cols ?? 0);
    if (!sparse && cols !== (writing.cols ?? cols)) throw datasetError(`${writing.cols} columns`, writing.name, String(cols));
    const columns = ending.columns ?? writing.columns;
    const other = writing.columns?.findIndex((name, j) => name !== columns![j]) ?? -1;
    if (other >= 0)
      throw datasetError(
        `${show(writing.columns![other])} for column ${other}, as in options.columns,`,
        writing.name,
        show(columns![other]),
      );
    if (columns && columns.length !== cols) throw datasetError(`${cols} names of columns`, this.#path, String(columns.length));
    if (sparse && cols > 65535 && this.#index.form === 0) await this.#index.widen(1);
    // Labels that are all numbers are stored as such.
    const words = this.#labelled === 2 ? ending.labels! : undefined;
    const numbers = words?.every((label) => typeof label === 'number') ? Float64Array.from(words) : undefined;
    const texts = Buffer.from(
      columns || (words && !numbers) ? JSON.stringify({ columns, ...(words && !numbers && { labels: words }) }) : '',
    );
    const contents: Contents = {
      sparse,
      values: form ?? (!this.#values ? 2 : this.#values.form === 0 ? 1 : 0),
      index: sparse ? (this.#index.form === 0 ? 2 : 4) : 0,
      labels: numbers ? 1 : this.#labelled,
      rows: this.#rows,
      cols,
      entries: this.#entries,
      texts: texts.length,
    };
    const layout = layoutOf(contents);
    const sum = checksum();
    // Each section ends on a boundary.
    const padding = (bytes: number) => new Uint8Array(aligned(bytes) - bytes);
    const width = VALUE_BYTES[layout.values];
    if (sparse) {
      yield* this.#index.read();
      yield padding(this.#entries * layout.index);
      if (this.#values) yield* this.#values.read();
    }
    yield padding(this.#entries * width);
    if (sparse) {
      yield* summed(this.#lengths.read());
      yield padding(4 * this.#rows);
    }
    yield* summed(numbers ? numbered(this.#labels.read(), numbers) : this.#labels.read());
    yield padding(this.#rows * LABEL_BYTES[layout.labels]);
    sum.update(texts);
    yield texts;
    yield padding(texts.length);
    yield endOf(layout, sum);
    return { rows: layout.rows, cols, nnz: layout.entries, bytes: layout.bytes };

    async function* summed(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        sum.update(chunk);
        yield chunk;
      }
    }
  }
}

/** The labels that numbers stand for. */
async function* numbered(chunks: AsyncGenerator<Uint8Array>, labels: Float64Array): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    const codes = new Uint32Array(Uint8Array.from(chunk).buffer);
    yield new Uint8Array(Float64Array.from(codes, (code) => labels[code]!).buffer);
  }
}

/** Writes the rows of a source. */
export async function writeDataset(path: string, writing: DatasetWriting): Promise<WrittenDataset> {
  const writer = new DatasetWriter(path);
  const blocks = blocksFrom(writing);
  let written: WrittenDataset | undefined;
  const chunks = async function* () {
    const all = writer.chunks(blocks, writing);
    try {
      for (;;) {
        const { done, value } = await all.next();
        if (done === true) return void (written = value);
        writing.signal?.throwIfAborted();
        yield value;
      }
    } finally {
      await blocks.return({});
    }
  };
  try {
    await writeAtomically(path, chunks());
  } catch (error) {
    // The target may have failed before anything was asked of the source. Not awaited, as the source may never answer.
    void writing.close?.().catch(() => undefined);
    throw error;
  } finally {
    await writer.close();
  }
  return written!;
}
