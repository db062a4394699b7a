/**
 * fista-classify train -v FOLDS --shard K/N: some folds of a cross-validation, as one of many jobs; --merge: the result of all of them.
 *
 * A fold is what a job is made of: with several gammas each of its fits starts where the last one ended, so a job of one gamma would not
 * give the numbers of a single run. Scores are written so that they are read back bit for bit, and the mean of all folds is taken by the
 * function that a single run takes it by.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Dataset } from '../data/dataset.js';
import { Table, valueIn } from '../data/table.js';
import { coded, plural, show, type CodedError } from '../errors.js';
import { METRICS } from '../metrics/scoring.js';
import type { ShardScores } from '../selection/cross-validation.js';
import { resultOf, type FoldScores, type TrialResult } from '../selection/trial.js';
import type { DenseMatrix, Metric, SparseMatrix, SvmStatus } from '../types.js';
import { version } from '../version.js';
import { usageError, type Arguments, type Option } from './arguments.js';
import { count } from './format.js';
import type { Data } from './read-data.js';
import { isRecordData, type RecordData } from './read-records.js';

export const SHARD_OPTIONS: readonly Option[] = [
  {
    names: ['--shard'],
    value: 'K/N',
    help: 'with -v and --json: only the folds of job K of N, from 1; --merge then takes the N results',
  },
  { names: ['--merge'], help: 'the files are results of --shard: print what one run of all folds would' },
];

/** Options that have no influence on scores, or that all jobs need not share. */
const NOT_COMPARED = ['shard', 'merge', 'json', 'quiet', 'threads'];

export interface Shard {
  readonly number: number;
  readonly of: number;
}

/** What --shard asks for. */
export function shardOf(args: Arguments, folds: number | undefined): Shard | undefined {
  const text = args.text('shard');
  if (text === undefined) return undefined;
  const [, number, of] = (/^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []).map(Number);
  if (number === undefined || of === undefined || number < 1 || number > of) {
    throw usageError(`Expected K/N with K from 1 to N, such as 2/5, for --shard but received ${show(text)}`);
  }
  if (folds === undefined) throw usageError('Expected -v FOLDS with --shard but received none');
  if (of > folds) {
    throw usageError(`Expected at most ${plural(folds, 'shard')}, as -v says ${folds} folds, for --shard but received ${of}`);
  }
  if (!args.has('json')) throw usageError('Expected --json with --shard, as --merge reads JSON, but received none');
  if (args.has('C') || args.text('gamma') === 'auto') {
    throw usageError(
      'Expected numbers for --gamma with --shard, such as 0.1,1,10, but received auto: which gammas that tries depends on all folds',
    );
  }
  return { number, of };
}

/** Whether a shard has a fold. */
export function holds({ number, of }: Shard, fold: number): boolean {
  return fold % of === number - 1;
}

/** What --merge needs of a shard. */
interface ShardFile {
  readonly kind: typeof KIND;
  readonly version: string;
  readonly shard: Shard;
  readonly data: { readonly rows: number; readonly sha256: string };
  readonly options: Readonly<Record<string, string>>;
  readonly backend: string;
  readonly simd: string;
  readonly scoring?: Metric;
  readonly folds: number;
  readonly sizes: readonly number[];
  readonly scores: readonly GammaScores[];
  readonly elapsed: number;
}

/** The scores of the shard's folds, in ascending order of the folds. */
interface GammaScores {
  readonly gamma: number;
  readonly accuracy: readonly (number | string)[];
  readonly score: readonly (number | string)[];
  readonly loss: readonly (number | string)[];
  readonly status: readonly SvmStatus[];
}

const KIND = 'fista-classify shard';

/** What is written of a shard. */
export function shardFile(
  args: Arguments,
  data: Data | RecordData,
  shard: Shard,
  scoring: Metric | undefined,
  found: ShardScores,
): object {
  const own = (list: readonly number[]) => list.filter((_, fold) => holds(shard, fold)).map(written);
  const file: ShardFile = {
    kind: KIND,
    version: version(),
    shard,
    data: { rows: data.points.rows, sha256: digestOf(data) },
    options: Object.fromEntries(args.settings(NOT_COMPARED)),
    backend: found.backend,
    simd: found.simd,
    ...(scoring && { scoring }),
    folds: found.folds,
    sizes: found.sizes,
    scores: found.scores.map(({ gamma, accuracy, score, loss, status }) => ({
      gamma,
      accuracy: own(accuracy),
      score: own(score),
      loss: own(loss),
      status: status.filter((_, fold) => holds(shard, fold)),
    })),
    elapsed: found.elapsed,
  };
  return { ...file, checksum: checksumOf(file) };
}

/** JSON has no other numbers than finite ones, and no -0. */
function written(value: number): number | string {
  return Number.isFinite(value) && !Object.is(value, -0) ? value : Object.is(value, -0) ? '-0' : String(value);
}

function checksumOf(file: object): string {
  return createHash('sha256').update(JSON.stringify(file)).digest('hex');
}

/** For JSON.stringify: numbers and values that JSON does not have. */
function exact(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'number' ? written(value) : value;
}

/** The bytes of a file, some at a time. */
function addFile(path: string, add: (bytes: Uint8Array) => void): void {
  const file = openSync(path, 'r');
  try {
    const buffer = new Uint8Array(1 << 20);
    for (let read; (read = readSync(file, buffer)) > 0;) add(buffer.subarray(0, read));
  } finally {
    closeSync(file);
  }
}

/** A digest of points and labels as they were read, whatever text they are from; of a dataset's file, that of its bytes. */
function digestOf(data: Data | RecordData): string {
  const hash = createHash('sha256');
  const add = (list: ArrayBufferView) => hash.update(new Uint8Array(list.buffer, list.byteOffset, list.byteLength));
  const addText = (text: string) => hash.update(`${text.length}:${text}`);
  const { labels } = data;
  if (isRecordData(data)) {
    const { points } = data;
    for (const name of points.fields) {
      const column = Table.columnOf(points, name)!;
      addText(name);
      for (let row = 0; row < points.rows; row++) {
        const value = valueIn(column, row);
        addText(`${typeof value} ${typeof value === 'string' ? value : JSON.stringify(value, exact)}`);
      }
    }
  } else if (data.points instanceof Dataset) {
    addText('stored');
    addFile(data.points.path!, (bytes) => hash.update(bytes));
  } else {
    const { points } = data as Data<DenseMatrix | SparseMatrix>;
    addText(`${points.rows} ${points.cols} ${'data' in points ? 'dense' : points.values ? 'sparse' : 'ones'}`);
    for (const list of 'data' in points ? [points.data] : [points.indptr, points.indices, points.values]) {
      if (list !== undefined) add(list instanceof Float32Array || ArrayBuffer.isView(list) ? list : Float64Array.from(list));
    }
  }
  if (labels instanceof Float64Array) add(labels);
  else for (const label of labels) addText(`${typeof label} ${label}`);
  return hash.digest('hex');
}

/** All folds of a cross-validation. */
export interface Merged extends TrialResult {
  readonly folds: number;
  readonly sizes: readonly number[];
  readonly scoring: Metric | undefined;
  /** Of all jobs together. */
  readonly elapsed: number;
}

/** Puts the shards of one cross-validation together. */
export async function mergeShards(paths: readonly string[], folds: number | undefined, signal: AbortSignal): Promise<Merged> {
  const shards: { path: string; file: ShardFile }[] = [];
  for (const path of paths) shards.push({ path, file: await readShard(path, signal) });
  const [first, ...others] = shards as [(typeof shards)[0], ...typeof shards];
  for (const other of others) compare(first, other);
  const { of } = first.file.shard;
  if (folds !== undefined && folds !== first.file.folds) {
    throw usageError(`Expected ${first.file.folds} folds, as the shards say, for -v but received ${folds}`);
  }
  const byNumber = new Map<number, (typeof shards)[0]>();
  for (const each of shards) {
    const { number } = each.file.shard;
    const twin = byNumber.get(number);
    if (twin)
      throw shardError(`Expected each shard once but received shard ${number} of ${of} in ${twin.path} and in ${each.path}`);
    byNumber.set(number, each);
  }
  const missing = Array.from({ length: of }, (_, k) => k + 1).filter((number) => !byNumber.has(number));
  if (missing.length > 0) {
    const some = missing.slice(0, 10).join(', ') + (missing.length > 10 ? ', …' : '');
    throw shardError(
      `Expected all of ${plural(of, 'shard')} but received ${shards.length}: missing ${missing.length === 1 ? 'is' : 'are'} ${some}`,
    );
  }
  const { file } = first;
  const all = Array.from({ length: file.folds }, (_, fold) => fold);
  const gather = <T>(list: (scores: GammaScores) => readonly T[], g: number): T[] =>
    all.map((fold) => list(byNumber.get((fold % of) + 1)!.file.scores[g]!)[Math.floor(fold / of)]!);
  const columns = file.scores.map(({ gamma }, g): FoldScores => ({
    gamma,
    accuracy: gather((scores) => scores.accuracy, g).map(Number),
    score: gather((scores) => scores.score, g).map(Number),
    loss: gather((scores) => scores.loss, g).map(Number),
    status: gather((scores) => scores.status, g),
  }));
  return {
    ...resultOf(columns, (file.scoring && METRICS[file.scoring].isLoss) ?? false),
    folds: file.folds,
    sizes: file.sizes,
    scoring: file.scoring,
    elapsed: shards.reduce((sum, { file }) => sum + file.elapsed, 0),
  };
}

/** Reads a shard. Only a file that this version has written passes its checksum, so its fields need no checks of their own. */
async function readShard(path: string, signal: AbortSignal): Promise<ShardFile> {
  const text = await readFile(path, { encoding: 'utf8', signal });
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    const what = text.trim() === '' ? 'an empty file' : 'text that is not JSON, or that is cut off';
    throw shardError(`Expected a result of --shard in ${path} but received ${what}`, error);
  }
  const object = (typeof found === 'object' && found !== null ? found : {}) as Record<string, unknown>;
  const { error } = object as { error?: { message?: unknown } };
  if (error) {
    const message = typeof error.message === 'string' ? error.message : show(error.message);
    throw shardError(`Expected a result of --shard in ${path} but that job had failed: ${message}`);
  }
  if (object.kind !== KIND) throw shardError(`Expected a result of --shard in ${path} but received other JSON`);
  const { checksum, ...file } = object;
  if (object.version !== version()) {
    throw shardError(
      `Expected a shard of this version, ${version()}, in ${path} but received one of ${show(object.version)}; merge with the version that made them`,
    );
  }
  if (checksum !== checksumOf(file)) {
    throw shardError(`Expected a shard as it was written in ${path} but it was changed: its checksum differs`);
  }
  return file as unknown as ShardFile;
}

type Read = { readonly path: string; readonly file: ShardFile };

/** Refuses shards of different runs. */
function compare(first: Read, other: Read): void {
  const [a, b] = [first.file, other.file];
  const differ = (what: string, mine: string | number, yours: string | number): CodedError =>
    shardError(`Expected shards of one run but ${first.path} has ${what} ${mine}, and ${other.path} ${yours}`);
  const text = (value: string | undefined) => (value === undefined ? 'none' : show(value));
  if (a.shard.of !== b.shard.of) throw differ('a number of shards of', a.shard.of, b.shard.of);
  if (a.folds !== b.folds) throw differ('a number of folds of', a.folds, b.folds);
  for (const name of new Set([...Object.keys(a.options), ...Object.keys(b.options)])) {
    const [mine, yours] = [a.options[name], b.options[name]];
    if (mine !== yours) throw differ(`the option ${name.length === 1 ? '-' : '--'}${name}`, text(mine), text(yours));
  }
  if (a.data.rows !== b.data.rows) throw differ('data of', count(a.data.rows, 'row'), count(b.data.rows, 'row'));
  if (a.data.sha256 !== b.data.sha256) throw differ('data with the digest', a.data.sha256.slice(0, 12), b.data.sha256.slice(0, 12));
  const [mine, yours] = [`${a.backend} (${a.simd})`, `${b.backend} (${b.simd})`];
  if (mine !== yours) {
    throw shardError(
      `Expected shards of one kind of instructions but ${first.path} has ${mine}, and ${other.path} ${yours}: sums differ in their last bits; set FISTA_CLASSIFY_SIMD or --backend to what all machines have`,
    );
  }
}

function shardError(message: string, cause?: unknown): CodedError {
  return coded(RangeError, 'ERR_SHARD', message, cause);
}
