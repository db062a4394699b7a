/** Points and labels, checked and copied once. */
import type { Backend, Interrupt, Matrix } from '../backend/interface.js';
import { Dataset } from '../data/dataset.js';
import { interruptedOr } from '../errors.js';
import { resolveThreads, resolveBackend } from '../input/options.js';
import { type View, viewPoints, checkUnchanged } from '../input/points.js';
import { type ResolvedSvmOptions, type Labels, resolveLabels } from '../input/svm-options.js';
import { onAbort } from '../solver/drivers.js';
import type { Label, Points } from '../types.js';

/** How long a run may be going on, and who may end it. */
export type Ending = Pick<ResolvedSvmOptions, 'timeLimit' | 'signal'>;

/** Milliseconds after the time limit in which a run may still finish what it is at; then its tasks are ended. */
const GRACE = 5;

/** What ends the tasks of a run that began then; undefined if nothing does. */
export function interruptOf(backend: Backend, { timeLimit, signal }: Ending, began: number): Interrupt | undefined {
  if (timeLimit === Infinity && !signal) return undefined;
  return new backend.Interrupt(timeLimit + GRACE - (performance.now() - began));
}

/** Of so many entries, rows and columns, tasks take less time here than on their way to another thread and back. */
const FEW_ENTRIES = 2 ** 14;

/** Points and labels, checked and copied once, for any number of fits. The entries are looked at when they are copied. */
export class TrainingData<L extends Label> implements Labels {
  readonly backend: Backend;
  readonly threads: number;
  readonly rows: number;
  readonly cols: number;
  readonly sparse: boolean;
  readonly labels: readonly [negative: L, positive: L];
  readonly y: Int8Array;
  readonly began = performance.now();
  /** Whether the copy of the points is its own, rather than a Dataset's. */
  readonly ownsMatrix: boolean;
  /** Whether tasks are too short to be handed to another thread. */
  readonly short: boolean;
  readonly #view: View | undefined;
  #matrix: Matrix | undefined;

  constructor(points: Points, labels: ArrayLike<L>, options: { positive?: L; threads?: number; backend?: string }) {
    this.threads = resolveThreads(options.threads);
    const wanted = resolveBackend(options.backend);
    this.ownsMatrix = !Dataset.is(points);
    let entries: number;
    let columns: number; // that tasks look at
    if (Dataset.is(points)) {
      const { matrix, backend } = Dataset.dataOf(points);
      const { rows, cols, kept, stored, sparse } = matrix.describe();
      this.backend = backend;
      this.rows = rows;
      this.cols = cols;
      this.sparse = sparse;
      this.#matrix = matrix.share(); // the Dataset may be disposed of meanwhile
      entries = stored;
      columns = kept;
    } else {
      this.backend = wanted;
      this.#view = viewPoints(points);
      ({ rows: this.rows, cols: this.cols, entries } = this.#view);
      this.sparse = this.#view.arguments.length === 5;
      columns = this.cols;
    }
    this.short = entries + 8 * this.rows + columns <= FEW_ENTRIES;
    try {
      const resolved = resolveLabels(labels, this.rows, { positive: options.positive });
      this.labels = resolved.labels as readonly [L, L];
      this.y = resolved.y;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  get matrix(): Matrix {
    return this.#matrix!;
  }

  /** Fails (Interrupted) if the time is up before all are copied. */
  copy(ending: Ending): void {
    const view = this.#view;
    if (!view) return;
    ending.signal?.throwIfAborted();
    checkUnchanged(view);
    const interrupt = interruptOf(this.backend, { ...ending, signal: undefined }, this.began);
    try {
      this.#matrix = new this.backend.Matrix(view.refuse, this.threads, ...([...view.arguments, interrupt] as const));
    } catch (error) {
      throw interruptedOr(error);
    }
  }

  /** The same, off the main thread: when this returns its promise, the points may be changed. */
  async copyLater(ending: Ending): Promise<void> {
    const view = this.#view;
    if (!view) return;
    if (this.short) return this.copy(ending);
    const { signal } = ending;
    const interrupt = interruptOf(this.backend, ending, this.began);
    const deaf = onAbort(signal, () => interrupt?.set());
    try {
      signal?.throwIfAborted();
      checkUnchanged(view);
      const copied = await this.backend.copyPoints(this.threads, interrupt, ...view.arguments);
      if ('defect' in copied) return view.refuse(copied);
      this.#matrix = copied;
    } catch (error) {
      signal?.throwIfAborted(); // which interrupted it
      throw interruptedOr(error);
    } finally {
      deaf();
    }
  }

  release(): void {
    this.#matrix?.dispose();
  }
}
