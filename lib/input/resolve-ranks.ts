/** Checks that ranks may train together: the option `ranks`, and what must be the same on all of them (method 6). */
import type { Backend } from '../backend/interface.js';
import { coded, option, plural, show, typeError, words, type Words } from '../errors.js';
import { checkSame, isCommunicator, share, type Communicator } from '../mpi/ranks.js';
import { sha256 } from '../platform/host.js';
import type { Label, Signal } from '../types.js';
import { version } from '../version.js';
import { isObject } from './intrinsics.js';
import { distinctLabels, inOrder, type ClassLabels } from './labels.js';
import type { PointSource } from './point-source.js';

const RANKS = option('ranks');

/** The ranks that train together; undefined if there are none, or one. */
export function resolveRanks(given: unknown): Communicator | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given) || !isCommunicator(given))
    throw typeError('ERR_OPTION', "what mpi() of 'fista-classify/mpi' returns", words`${RANKS}`, given);
  return given.size > 1 ? given : undefined;
}

/** Who decides for all ranks, and about what: rank 0 alone looks at the clock and at its signal, and calls back. */
export interface RankLimits {
  readonly ranks: Communicator;
  readonly timeLimit: number;
  readonly signal: Signal | undefined;
  /** Whether rank 0 is to be asked in between checks. */
  readonly polled: boolean;
}

interface Facts {
  readonly version: string;
  readonly kernels: string;
  readonly points: string;
  readonly file: string;
  readonly columns: string;
  readonly options: Readonly<Record<string, string>>;
  readonly labels: readonly Label[];
}

/** Refuses what several ranks cannot do. */
export function checkForRanks(options: { readonly [name: string]: unknown }, source: PointSource, records: unknown): void {
  const refuse = (what: string, where: Words | string, received: string) =>
    coded(RangeError, 'ERR_OPTION', words`Expected ${what} for ${where} with ${RANKS} but received ${received}`);
  if (records) throw refuse('points', 'records', 'records: encode them first, with one Encoder for all ranks');
  if (source.dataset && source.dataset.path === undefined)
    throw refuse('arrays, or a Dataset of a file,', 'points', 'a Dataset in memory, whose columns are centred by its own rows');
  if (options.gamma === 'auto') throw refuse('a number', words`${option('gamma')}`, "'auto'");
  if (options.probability !== undefined) throw refuse('nothing', words`${option('probability')}`, show(options.probability));
  if (options.method === 'ascent')
    throw refuse("'auto', 'newton' or 'fista'", words`${option('method')}`, "'ascent': rows of different ranks would move at once");
  if (source.sparse && source.cols >= 2 ** 20 && source.cols > source.entries)
    throw refuse('fewer columns than entries, or fewer than 2^20,', 'points of each rank', plural(source.cols, 'column'));
}

/** The labels of all ranks together, if these agree on everything else that they must. */
export function meet(
  ranks: Communicator,
  options: { readonly [name: string]: unknown },
  { backend, source, labels }: { readonly backend: Backend; readonly source: PointSource; readonly labels: unknown },
): ClassLabels {
  const { cols, sparse, columns, dataset } = source;
  const all = share<Facts>(ranks, {
    version: version(),
    kernels: `${backend.name} kernels at the level ${backend.simd} (FISTA_CLASSIFY_SIMD sets a lower one)`,
    points: `${sparse ? 'sparse' : 'dense'} points ${dataset ? 'in a file' : 'in arrays'} of ${plural(cols, 'column')}`,
    file: dataset?.path ?? '',
    columns: columns ? brief(columns) : 'none',
    options: textsOf(options),
    labels: distinctLabels(labels, source.rows),
  });
  const files = all.map(({ file }) => file);
  const agree = (what: string, pick: (facts: Facts) => string) => checkSame(what, all.map(pick), files);
  agree('version of fista-classify', (one) => one.version);
  agree('kernels', (one) => one.kernels);
  if (backend.name !== 'native')
    throw coded(RangeError, 'ERR_OPTION', words`Expected the native backend with ${RANKS} but received ${show(backend.name)}`);
  agree('kind of points', (one) => one.points);
  agree('names of columns', (one) => one.columns);
  for (const name of new Set(all.flatMap((one) => Object.keys(one.options)))) {
    agree(`option ${name}`, (one) => one.options[name] ?? 'none');
  }
  agree('type of labels', (one) => `${typeof one.labels[0]}s`);
  const together = [...new Set(all.flatMap((one) => one.labels))];
  if (together.length < 2) {
    const message = `Expected two distinct labels on all ranks together but every label is ${show(together[0])}`;
    throw coded(RangeError, 'ERR_LABELS', message);
  }
  return inOrder(together);
}

/** Options that belong to a rank alone. */
const OWN = new Set(['ranks', 'sampleWeight', 'threads', 'signal', 'onProgress', 'columns']);

/** The options that ranks must have in common. */
function textsOf(options: { readonly [name: string]: unknown }): Record<string, string> {
  const shared = Object.entries(options).filter(([name, value]) => !OWN.has(name) && value !== undefined);
  return Object.fromEntries(shared.map(([name, value]) => [name, brief(value)]));
}

/** A value as text, or the checksum of a long one. Of functions only their names are known. */
function brief(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === 'function') return `function ${inner.name}`;
      if (typeof inner === 'bigint' || typeof inner === 'symbol') return String(inner);
      if (inner instanceof Map) return [...(inner as Map<unknown, unknown>)];
      return ArrayBuffer.isView(inner) ? Array.from(inner as Float64Array) : inner;
    });
  } catch {
    return show(value); // what is wrong with it is said when it is resolved
  }
  return text.length <= 80
    ? text
    : `one of ${plural(text.length, 'character')} with the checksum ${sha256().update(text).digest('hex').slice(0, 12)}`;
}
