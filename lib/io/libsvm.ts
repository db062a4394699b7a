/** Points and labels from LIBSVM text. */
import type { Parser } from '../backend/interface.js';
import { checkEntries, checkWords, libsvmError } from '../input/file-errors.js';
import { checkSource, type LibsvmReading, resolveLibsvmReading } from '../input/file-options.js';
import { Pace } from './pace.js';
import { inParts, chunks } from './source.js';
import type { LibsvmData, ReadLibsvmOptions, Source } from '../types.js';

/**
 * Reads LIBSVM text, a line `label index:value …` for each row, plain or gzipped. The text is not kept: memory holds the result and a few
 * buffers. Errors name the file, the line and the column (in bytes).
 */
export async function readLibsvm(source: Source, options: ReadLibsvmOptions & { labels: 'string' }): Promise<LibsvmData<string[]>>;
export async function readLibsvm(
  source: Source,
  options?: ReadLibsvmOptions & { labels?: 'number' },
): Promise<LibsvmData<Float64Array>>;
export async function readLibsvm(source: Source, options?: ReadLibsvmOptions): Promise<LibsvmData>;
export async function readLibsvm(source: Source, options?: ReadLibsvmOptions): Promise<LibsvmData> {
  const name = checkSource(source);
  const reading = resolveLibsvmReading(options);
  const { backend, zeroBased, limit, ignoreExtra, words, signal } = reading;
  const pace = new Pace(signal);
  const parser = new backend.Parser(zeroBased, limit, ignoreExtra, words);
  for await (const part of inParts(chunks(source, name, { ...reading, code: 'ERR_LIBSVM' }), PARSED, pace)) {
    const defect = parser.push(part);
    if (defect) throw libsvmError(defect, name, reading);
  }
  const defect = parser.finish();
  if (defect) throw libsvmError(defect, name, reading);
  return handOver(parser, name, reading, pace);
}

/** The number of bytes parsed at a time: a few milliseconds of work for the TypeScript kernels. */
const PARSED = 1 << 17;
/** The number of entries copied at a time. */
const COPIED = 1 << 18;

async function handOver(parser: Parser, name: string, { cols: asked, words }: LibsvmReading, pace: Pace): Promise<LibsvmData> {
  const { rows, cols, ignored, entries, hasValues, words: bytes } = parser.sizes();
  const all = async <T extends Uint32Array | Float64Array>(out: T, length: number, take: (out: T) => void): Promise<T> => {
    for (let at = 0; at < length; at += COPIED) {
      if (pace.due) await pace.turn();
      take(out.subarray(at, Math.min(at + COPIED, length)) as T);
    }
    return out;
  };
  const indptr = await all(new Uint32Array(rows + 1), rows, (out) => parser.takeStarts(out));
  indptr[rows] = entries;
  const indices = await all(new Uint32Array(entries), entries, (out) => parser.takeIndices(out));
  const values = hasValues && (await all(new Float64Array(entries), entries, (out) => parser.takeValues(out)));
  const labels = words
    ? await takeWords(parser, rows, bytes, name, pace)
    : await all(new Float64Array(rows), rows, (out) => parser.takeLabels(out));
  checkEntries(entries + ignored, labels, name);
  return { points: { indptr, indices, ...(values && { values }), rows, cols: asked ?? cols }, labels, ignored };
}

/** Takes labels that are words from the parser, which ends each with a newline. Equal labels share one string. */
async function takeWords(parser: Parser, rows: number, bytes: number, name: string, pace: Pace): Promise<string[]> {
  checkWords(rows, 0, name, 'ERR_LIBSVM');
  const known = new Map<string, string>();
  const words: string[] = [];
  const buffer = Buffer.alloc(Math.min(bytes, PARSED + 1000)); // a label is at most 1000 bytes
  let held = 0; // bytes of an incomplete word
  while (bytes > 0) {
    if (pace.due) await pace.turn();
    const some = Math.min(bytes, buffer.length - held);
    parser.takeWords(buffer.subarray(held, held + some));
    bytes -= some;
    const text = buffer.subarray(0, held + some);
    let at = 0;
    for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, at)) {
      const word = text.toString('utf8', at, end);
      const same = known.get(word);
      if (same === undefined) checkWords(rows, known.set(word, word).size, name, 'ERR_LIBSVM');
      words.push(same ?? word);
      at = end + 1;
    }
    held = text.length - at;
    buffer.copyWithin(0, at, text.length);
  }
  return words;
}
