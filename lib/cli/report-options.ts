/** What --report writes. */
import { basename } from 'node:path';
import { sameFile } from '../io/atomic.js';
import { reportPage } from '../report/write-report.js';
import type { LinearSvm } from '../svm/linear-svm.js';
import type { SvmProgress } from '../types.js';
import { usageError, type Arguments } from './arguments.js';
import { isCsv, type Data } from './read-data.js';

/** Refuses a page that would replace what else is written, such as "the model's". */
export async function checkPage(page: string | undefined, path: string, whose: string): Promise<void> {
  if (page === undefined) return;
  if (page !== path && (path === '-' || page === '-' || !(await sameFile(page, path)))) return;
  throw usageError(`Expected a file other than ${whose}, ${path}, for --report but received ${page}`);
}

interface About {
  /** The name of the data's file. */
  readonly data: string;
  readonly file: Data;
  readonly args: Arguments;
}

/** The page on a model and the rows that it was trained on. */
export function trainingPage(model: LinearSvm, { data, file, args }: About, history: readonly SvmProgress[]): string {
  const { points, labels, columns } = file;
  const options = { title: titleOf(data), rows: 'training rows', points, labels, history, ...(columns && { columns }) };
  return reportPage(model, options, firstColumn(data, args));
}

function titleOf(data: string): string {
  return data === '-' ? 'stdin' : basename(data);
}

/** The number of the first column in the file. */
function firstColumn(data: string, args: Arguments): 0 | 1 {
  return isCsv(data, args) || args.has('zero-based') ? 0 : 1;
}
