/** fista-classify convert: converts data between LIBSVM text and CSV, and models between JSON and LIBLINEAR's text, and to ONNX. */
import { Dataset } from '../data/dataset.js';
import { coded } from '../errors.js';
import { libsvmLines } from '../io/write-libsvm.js';
import { resolveLibsvmWriting } from '../input/index.js';
import { textFormat } from '../input/resolve-dataset-writing.js';
import { modelLines } from '../io/model-file.js';
import { onnxPieces } from '../io/onnx.js';
import { LinearSvm } from '../svm/linear-svm.js';
import type { DenseMatrix, SparseMatrix, WrittenDataset } from '../types.js';
import { usageError, type Arguments, type Command } from './arguments.js';
import type { Context } from './context.js';
import { count } from './format.js';
import { DATA_OPTIONS, denseRow, isCsv, isStored, readData, sourceOf, textOptions, type Data } from './read-data.js';
import { looksLikeModel, readModel } from './read-model.js';
import { checkWritable, writeBytes, writeFile } from './write-file.js';

const MODEL_FORMATS = ['json', 'liblinear', 'onnx'] as const;
const FORMATS = [...MODEL_FORMATS, 'libsvm', 'csv', 'fds'] as const;
/** The maximum number of columns written as CSV: each takes a name in the header and a cell in every row. */
const MAX_NAMES = 1_000_000;
type Format = (typeof FORMATS)[number];

export const convert: Command = {
  name: 'convert',
  summary: 'rewrites a model or data in another format',
  usage: '[options] in out',
  examples: [
    [
      'fista-classify convert model.json liblinear.model',
      'writes a model for liblinear-predict; models of liblinear-train are converted to JSON likewise',
    ],
    ['fista-classify convert model.json model.onnx', 'writes a model for ONNX runtimes'],
    ['fista-classify convert --label species flowers.csv flowers.svm.gz', 'CSV to LIBSVM text, gzipped'],
    ['fista-classify convert big.svm big.fds', 'data that need not fit in memory, to train on; also from CSV and JSON lines'],
  ],
  files: { min: 2, max: 2 },
  options: [
    {
      names: ['--to'],
      value: 'FORMAT',
      help: `${FORMATS.join(', ')} \n(default: by the name of out if it ends in .json, .onnx, .csv or .fds;\notherwise liblinear for a model, libsvm for data)`,
    },
    { names: ['--cols'], value: 'N', help: 'LIBSVM text: the number of columns (default: as many as the file uses)' },
    { names: ['--f32'], help: '.fds: store numbers in single precision, rounded' },
    { names: ['--json-lines'], help: '.fds: read JSON lines whatever the file name (default: if it ends in .jsonl or .ndjson)' },
    ...DATA_OPTIONS,
  ],
  notes: [
    'The first characters of a file tell a model from data. If out ends in .gz it is compressed.',
    'CSV is written with a header: label, x1, x2, …',
  ],
};

export async function runConvert(args: Arguments, context: Context): Promise<number> {
  const { output, signal } = context;
  const [from, to] = args.files as [string, string];
  const asked = args.oneOf('to', FORMATS);
  await checkWritable(to, output, from);
  if (isStored(from))
    throw usageError(`Expected a text for ${to} but received ${from}: rows in a .fds file are for training and predicting`);
  const model = asked ? isModelFormat(asked) : !isCsv(from, args) && !isJsonLines(from, args) && (await looksLikeModel(from)); // JSON lines begin as a model does
  const format = asked ?? formatByName(to) ?? (model ? 'liblinear' : 'libsvm');
  if (model !== isModelFormat(format)) {
    const fits = model ? 'json, liblinear or onnx for a model' : 'libsvm, csv or fds for data';
    throw usageError(`Expected ${fits} but received ${format} (${from} to ${to})`);
  }
  if (isModelFormat(format)) {
    const { model, training } = await readModel(from, signal);
    const parts = LinearSvm.modelOf(model);
    if (model.encoder && format !== 'json') {
      output.warn(`${from} takes records, but ${to} will take the ${count(model.encoder.cols)} columns that are made of them`);
    }
    if (format === 'onnx') await writeBytes(to, onnxPieces(parts), output, signal);
    else await writeFile(to, modelLines({ ...parts, info: model.info }, format, { training }), output, signal);
    const weights = model.planes.reduce((sum, plane) => sum + plane.weights.length, 0);
    await summarise(`${count(weights, 'weight')}`, { from, to, format, weights });
    return 0;
  }
  const cols = args.number('cols', [0, 2 ** 31]);
  if (format === 'fds') {
    const { rows, cols: width, bytes } = await writeStored(from, to, args, signal);
    await summarise(`${count(rows, 'row')}, ${count(width, 'column')}, ${count(bytes, 'byte')}`, {
      from,
      to,
      format,
      rows,
      columns: width,
      bytes,
    });
    return 0;
  }
  if (args.has('f32') || args.has('json-lines'))
    throw usageError(`Expected a .fds file with --f32 or --json-lines but received ${to}`);
  const data = await readData(from, args, { cols, labelled: true, signal, output });
  const { rows, cols: width } = data.points;
  if (format === 'csv' && width > MAX_NAMES) {
    throw coded(RangeError, 'ERR_CSV', `Expected at most ${MAX_NAMES} columns for ${to} but ${from} has ${width}`);
  }
  const lines = format === 'csv' ? csvLines(data) : libsvmLines(resolveLibsvmWriting(to, data.points, data.labels));
  await writeFile(to, lines, output, signal);
  await summarise(`${count(rows, 'row')}, ${count(width, 'column')}`, { from, to, format, rows, columns: width });
  return 0;

  async function summarise(what: string, json: object): Promise<void> {
    if (to === '-') return;
    await output.result(json, output.quiet ? [] : [`wrote ${to} (${format}): ${what}`]);
  }
}

/** Streams a text to a dataset's file. */
function writeStored(from: string, to: string, args: Arguments, signal: AbortSignal): Promise<WrittenDataset> {
  if (to === '-') throw usageError('Expected a path for a .fds file but received -');
  if (/\.gz$/i.test(to))
    throw usageError(`Expected a name without .gz for a .fds file, which is not compressed, but received ${to}`);
  const cols = args.number('cols', [0, 2 ** 31]);
  const { delimiter, maxBytes } = textOptions(args);
  const labels = args.oneOf('labels', ['number', 'string']);
  const header = !args.has('no-header');
  const label = args.text('label') ?? (header ? 'label' : '0');
  const format = isCsv(from, args) ? 'csv' : isJsonLines(from, args) ? 'jsonl' : 'libsvm';
  return Dataset.write(to, sourceOf(from), {
    format,
    ...(args.has('f32') && { values: 'f32' }),
    ...(cols !== undefined && { cols }),
    ...(labels && { labels }),
    ...(delimiter !== undefined && { delimiter }),
    zeroBased: args.has('zero-based'),
    label: format !== 'jsonl' && /^-?\d+$/.test(label) ? Number(label) : label,
    header,
    maxBytes,
    signal,
  });
}

function isJsonLines(from: string, args: Arguments): boolean {
  return args.has('json-lines') || textFormat(from) === 'jsonl';
}

function isModelFormat(format: Format): format is (typeof MODEL_FORMATS)[number] {
  return (MODEL_FORMATS as readonly Format[]).includes(format);
}

function formatByName(path: string): Format | undefined {
  const ending = /\.(?:(json|onnx|csv)(?:\.gz)?|(fds))$/i
    .exec(path)
    ?.slice(1)
    .find((name) => name !== undefined);
  return ending?.toLowerCase() as Format | undefined;
}

function* csvLines({ points, labels, columns }: Data<DenseMatrix | SparseMatrix>): Generator<string> {
  const names = columns ?? Array.from({ length: points.cols }, (_, j) => `x${j + 1}`);
  yield `${['label', ...names].map(cell).join(',')}\n`;
  for (let i = 0; i < points.rows; i++) yield `${cell(String(labels[i]))},${denseRow(points, i).join(',')}\n`;
}

function cell(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
