/** Checks that ranks may train together: the option `ranks`, and what must be the same on all of them (method 6). */
import type { Backend } from '../backend/interface.js';
import { coded, option, plural, show, typeError, words } from '../errors.js';
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
  readonly options: string;
  readonly points: string;
  readonly columns: string;
  readonly labels: readonly Label[];
  readonly type: string;
}

/** Refuses what several ranks cannot do. */
export function checkForRanks(options: { readonly [name: string]: unknown }, source: PointSource, records: unknown): void {
  const refuse = (what: string, where: string, received: string) =>
    coded(RangeError, 'ERR_OPTION', words`Expected ${what} for ${where} with ${RANKS} but received ${received}`);
  if (records) throw refuse('points', 'records', 'records: encode them first, with one Encoder for all ranks');
  if (source.dataset && source.dataset.path === undefined)
    throw refuse('arrays, or a Dataset of a file,', 'points', 'a Dataset in memory, whose columns are centred by its own rows');
  if (options.gamma === 'auto') throw refuse('a number', 'gamma', "'auto'");
  if (options.probability !== undefined) throw refuse('nothing', 'probability', show(options.probability));
  if (options.method === 'ascent')
    throw refuse("'auto', 'newton' or 'fista'", 'method', "'ascent': rows of different ranks would move at once");
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
  const found = distinctLabels(labels, source.rows);
  const facts: Facts = {
    version: version(),
    kernels: `${backend.name} kernels at the level ${backend.simd} (FISTA_CLASSIFY_SIMD sets a lower one)`,
    options: digest(options),
    points: `${sparse ? 'sparse' : 'dense'} points ${dataset ? 'in a file' : 'in arrays'} of ${plural(cols, 'column')}`,
    columns: columns ? digest(columns) : 'none',
    labels: found,
    type: typeof found[0],
  };
  const all = share(ranks, facts);
  const each = (pick: (facts: Facts) => string) => all.map(pick);
  checkSame(
    'version of fista-classify',
    each((one) => one.version),
  );
  checkSame(
    'kernels',
    each((one) => one.kernels),
  );
  if (backend.name !== 'native')
    throw coded(RangeError, 'ERR_OPTION', words`Expected the native backend with ${RANKS} but received ${show(backend.name)}`);
  checkSame(
    'kind of points',
    each((one) => one.points),
  );
  checkSame(
    'names of columns (their checksums follow)',
    each((one) => one.columns),
  );
  checkSame(
    'options (their checksums follow)',
    each((one) => one.options),
  );
  checkSame(
    'type of labels',
    each((one) => `${one.type}s`),
  );
  const together = [...new Set(all.flatMap((one) => one.labels))];
  if (together.length < 2)
    throw coded(
      RangeError,
      'ERR_LABELS',
      `Expected two distinct labels on all ranks together but every label is ${show(together[0])}`,
    );
  return inOrder(together);
}

/** Options that belong to a rank alone. */
const OWN = new Set(['ranks', 'sampleWeight', 'threads', 'signal', 'onProgress', 'columns']);

/** A checksum of everything that ranks must have in common. */
function digest(value: object): string {
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (OWN.has(key) || typeof inner === 'function') return undefined;
    if (inner instanceof Map) return [...(inner as Map<unknown, unknown>)];
    return ArrayBuffer.isView(inner) ? Array.from(inner as Float64Array) : inner;
  });
  return sha256().update(text).digest('hex').slice(0, 12);
}
