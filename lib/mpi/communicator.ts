/** Connects the processes that mpirun started, by the addon of native/mpi. */
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { coded, show, type CodedError } from '../errors.js';
import type { Communicator, Traffic } from './ranks.js';

/** The exports of native/mpi/mpi.cc. */
interface Addon {
  /** The MPI that it was compiled with. */
  readonly built: string;
  start(): { rank: number; size: number; library: string; running: string };
  seam(): unknown;
  exchange(text: string): string[];
  fromFirst(value: number): number;
  addUp(values: Float64Array): void;
  findMax(values: Float64Array): void;
  counts(): Traffic;
  abort(code: number): never;
  abortAtExit(code: number): void;
  finish(code: number): void;
}

const ROOT = join(__dirname, '../..');
const BUILD = 'Run "npx fista-classify build --mpi"';
const INSTALL =
  'which needs an MPI with its headers: on Debian, "apt install libopenmpi-dev openmpi-bin" or "apt install libmpich-dev mpich"';

/**
 * UCX, which MPIs may be built on, reads these when it is loaded. It would watch all memory, and to test that it takes back the end of the
 * heap, which another thread of Node may have got meanwhile (openucx/ucx#3831); and it would handle SIGSEGV, as WebAssembly needs to.
 */
export const UCX = { UCX_MEM_EVENTS: 'no', UCX_ERROR_SIGNALS: '' } as const;

function mpiError(message: string, cause?: unknown): CodedError {
  return coded(Error, 'ERR_MPI', message, cause);
}

/** Whether an MPI's mpirun, or a job manager in its place, started this process. */
export function startedByMpirun(): boolean {
  return ['OMPI_COMM_WORLD_SIZE', 'PMI_SIZE', 'PMIX_RANK', 'PMI_RANK'].some((name) => Boolean(process.env[name]));
}

/** The rank that mpirun gave this process, as far as the environment says; 0 else. */
export function startedRank(): number {
  const { OMPI_COMM_WORLD_RANK, PMI_RANK, PMIX_RANK } = process.env;
  return Number(OMPI_COMM_WORLD_RANK || PMI_RANK || PMIX_RANK || 0) || 0;
}

let communicator: Communicator | undefined;

/** Connects this process with the others of the MPI program; later calls return the same object. */
export function connect(): Communicator {
  communicator ??= start(load());
  return communicator;
}

function load(): Addon {
  if (!isMainThread) throw mpiError('Expected the main thread for MPI but received a worker thread');
  const named = process.env.FISTA_CLASSIFY_MPI_BINARY || undefined;
  const file = resolve(named ?? join(ROOT, 'build-mpi', 'fista_classify_mpi.node'));
  if (!existsSync(file)) {
    throw mpiError(
      named === undefined
        ? `The addon for MPI has not been built. ${BUILD}, ${INSTALL}`
        : `Expected the addon for MPI for FISTA_CLASSIFY_MPI_BINARY but received ${show(named)}, which does not exist`,
    );
  }
  for (const [name, value] of Object.entries(UCX)) process.env[name] ??= value;
  const loaded: { exports: Partial<Addon> } = { exports: {} };
  try {
    // RTLD_GLOBAL: Open MPI loads components that look for its symbols among the global ones.
    process.dlopen(loaded, file, constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL);
  } catch (error) {
    const mpi = recordOf(file);
    const built = mpi === undefined ? '' : ` It was built with ${mpi}: install that again, or build anew.`;
    throw mpiError(`The addon for MPI did not load: ${(error as Error).message.trim()}.${built} ${BUILD}, ${INSTALL}`, error);
  }
  if (typeof loaded.exports.built !== 'string' || typeof loaded.exports.start !== 'function') {
    throw mpiError(`Expected the addon for MPI but received ${file}, which is another`);
  }
  return loaded.exports as Addon;
}

/** Which MPI an addon was built with, by the record beside it. */
function recordOf(file: string): string | undefined {
  try {
    const { mpi } = JSON.parse(readFileSync(join(dirname(file), 'mpi.json'), 'utf8')) as { mpi?: unknown };
    return typeof mpi === 'string' ? mpi : undefined;
  } catch {
    return undefined; // only for a message
  }
}

function start(addon: Addon): Communicator {
  let started: ReturnType<Addon['start']>;
  try {
    started = addon.start();
  } catch (error) {
    throw mpiError(`${(error as Error).message}. ${BUILD} to build it for the MPI in use`, error);
  }
  const { rank, size, running } = started;
  checkLauncher(addon, size);
  process.once('exit', (code) => {
    // A rank that ends with an error ends the others too: they would wait for it forever.
    if (code === 0 || size === 1) addon.finish(code);
    else addon.abortAtExit(code);
  });
  return Object.freeze({
    rank,
    size,
    library: running,
    seam: addon.seam(),
    exchange: (text: string) => addon.exchange(text),
    fromFirst: (value: number) => addon.fromFirst(value),
    addUp: (values: Float64Array) => addon.addUp(values),
    findMax: (values: Float64Array) => addon.findMax(values),
    counts: () => addon.counts(),
    abort: (code: number) => addon.abort(code),
    finish: () => addon.finish(0),
  });
}

/** Throws where mpirun is of another MPI than the addon: each process would then be the only rank of a program of its own. */
function checkLauncher(addon: Addon, size: number): void {
  const { OMPI_COMM_WORLD_SIZE: open, PMI_SIZE: pmi } = process.env;
  const wanted = Number(open || pmi || 1);
  if (size !== 1 || !(wanted > 1)) return;
  addon.finish(1);
  const launcher = open ? "Open MPI's mpirun" : addon.built.startsWith('MPICH') ? 'a launcher of another MPI' : "MPICH's mpirun";
  throw mpiError(
    `Expected an addon for the MPI of mpirun but received one built with ${addon.built}: ${launcher} started ${wanted} processes, ` +
      `and they do not find each other. Use the mpirun of ${addon.built}, or run "npx fista-classify build --mpi" with ` +
      'FISTA_CLASSIFY_MPICC set to the mpicc of the mpirun in use',
  );
}
