/** What --report writes, in train and predict. */
import { basename } from 'node:path';
import { coded } from '../errors.js';
import { sameFile } from '../io/atomic.js';
import { reportPage } from '../report/write-report.js';
import { pickFrom } from '../selection/split.js';
import type { LinearSvm } from '../svm/linear-svm.js';
import type { Label, SvmProgress } from '../types.js';
import { usageError, type Arguments } from './arguments.js';
import { isCsv, type Data } from './read-data.js';
import { isRecordData, selectRows, type RecordData } from './read-records.js';

/** Refuses a page that would replace what else is written, such as "the model's". */
export async function checkPage(page: string | undefined, path: string, whose: string): Promise<void> {
  if (page === undefined) return;
  if (page !== path && (path === '-' || page === '-' || !(await sameFile(page, path)))) return;
  throw usageError(`Expected a file other than ${whose}, ${path}, for --report but received ${page}`);
}

interface About {
  /** The name of the data's file. */
  readonly data: string;
  readonly file: Data | RecordData;
  readonly args: Arguments;
}

/** The page on a model and the rows that it was trained on. */
export function trainingPage(
  model: LinearSvm<Label, object>,
  { data, file, args }: About,
  history: readonly SvmProgress[],
): string {
  const { points, labels } = file;
  const columns = columnsOf(file);
  const options = { title: titleOf(data), rows: 'training rows', points, labels, history, ...(columns && { columns }) };
  return reportPage(model, options, firstColumn(data, args));
}

/** The page on a model and the rows of a file that have one of its labels. */
export function predictionPage(model: LinearSvm<Label, object>, { data, file, args }: About): string {
  const { points, labels } = file;
  const columns = columnsOf(file);
  const known = new Set<Label>(model.labels);
  const list = Uint32Array.from(labels.keys()).filter((i) => known.has(labels[i]!));
  if (list.length === 0) {
    throw coded(RangeError, 'ERR_LABELS', `Expected rows with labels of the model in ${data} for --report but there are none`);
  }
  const title = titleOf(data);
  const all = list.length === labels.length;
  const given = all ? { points, labels } : { points: selectRows(points, list), labels: pickFrom(labels, list) };
  const rows = `rows of ${title}${all ? '' : ' with a label of the model'}`;
  return reportPage(model, { title, rows, ...given, ...(columns && { columns }) }, firstColumn(data, args));
}

/** The names of a file's columns; those of records are the encoder's. */
function columnsOf(file: Data | RecordData): readonly string[] | undefined {
  return isRecordData(file) ? undefined : file.columns;
}

function titleOf(data: string): string {
  return data === '-' ? 'stdin' : basename(data);
}

/** The number of the first column in the file. */
function firstColumn(data: string, args: Arguments): 0 | 1 {
  return isCsv(data, args) || args.has('zero-based') ? 0 : 1;
}
