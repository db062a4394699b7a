/** Points and labels, copied once. */
import type { Backend, Interrupt, Matrix } from '../backend/interface.js';
import { Dataset } from '../data/dataset.js';
import { interruptedOr } from '../errors.js';
import { together, totals, type Communicator } from '../mpi/ranks.js';
import { checkMemory } from '../input/capacity.js';
import type { ResolvedSvmOptions, TrainingInput } from '../input/resolve-fit.js';
import type { ClassLabels, Labels } from '../input/labels.js';
import { checkUnchanged, type View } from '../input/points.js';
import type { Step } from '../backend/tasks.js';
import { pointSource } from '../input/point-source.js';
import { countTasksHere, onAbort, type Loop } from '../solver/drivers.js';
import type { Label } from '../types.js';

/** How long a run may take, and who may end it. */
export type Ending = Pick<ResolvedSvmOptions, 'timeLimit' | 'signal'>;

/** Milliseconds after the time limit in which a run may still finish its task; then the task is interrupted. */
const GRACE = 5;

/** The interrupt of a run that began then; undefined if nothing can end it. */
export function interruptOf(backend: Backend, { timeLimit, signal }: Ending, began: number): Interrupt | undefined {
  if (timeLimit === Infinity && !signal) return undefined;
  return new backend.Interrupt(timeLimit + GRACE - (performance.now() - began));
}

/** Points and labels, copied once, for any number of fits. The entries are checked as they are copied. */
export class TrainingData<L extends Label> implements Labels<L> {
  readonly backend: Backend;
  readonly threads: number;
  readonly rows: number;
  readonly cols: number;
  readonly labels: ClassLabels<L>;
  readonly y: Int8Array;
  readonly classes: Uint16Array | undefined;
  readonly began: number;
  /** The ranks that each have some of the rows; undefined: all rows are here. */
  readonly ranks: Communicator | undefined;
  /** How many tasks of an asynchronous fit are performed on the main thread. */
  readonly tasksHere: number;
  readonly #input: TrainingInput<L>;
  readonly #view: View | undefined;
  /** Whether rows are in a file, and not centred yet. */
  readonly #inFile: boolean = false;
  /** Rows in a window of coordinate ascent; undefined: all are one. */
  readonly window: number | undefined;
  #matrix: Matrix | undefined;
  #shape: ReturnType<Matrix['describe']> | undefined;

  constructor(input: TrainingInput<L>) {
    const { began, backend, threads, source, labels, y, classes, ranks } = input;
    this.#input = input;
    this.ranks = ranks;
    const { rows, cols, entries, kept, view, dataset, window } = source;
    this.window = window;
    this.began = began;
    this.threads = threads;
    this.rows = rows;
    this.cols = cols;
    this.labels = labels;
    this.y = y;
    this.classes = classes;
    this.tasksHere = countTasksHere(entries + 8 * rows + kept);
    this.#view = view;
    if (dataset) {
      const data = Dataset.dataOf(dataset); // a label's getter may have disposed of it
      this.backend = data.backend;
      this.#inFile = data.inFile === true;
      this.#matrix = data.matrix.share(); // it may be disposed of during the fit, too
    } else {
      this.backend = backend;
    }
  }

  get matrix(): Matrix {
    return this.#matrix!;
  }

  /** What the matrix says of itself, asked for once: every plane of several classes wants to know. */
  get shape(): ReturnType<Matrix['describe']> {
    return (this.#shape ??= this.matrix.describe());
  }

  /** Copies the points. The user may change them once this has begun. Fails (Interrupted) if the time is up before all are copied. */
  copying(ending: Ending): Step {
    const view = this.#view;
    const keep = (matrix: Matrix): undefined => {
      this.#matrix = matrix;
      checkMemory(matrix.describe().kept);
    };
    const copy = () => keep(view ? this.#copied(view, ending) : this.#inFile ? this.#centred(ending) : this.matrix);
    const later = view ? () => this.#copiedLater(view, ending) : this.#inFile ? () => this.#centredLater(ending) : undefined;
    // Ranks centre their columns together, on this thread.
    return { perform: copy, later: () => (this.tasksHere > 0 || !later || this.ranks ? copy() : later().then(keep)) };
  }

  /** The centred rows of a file. */
  #centred({ timeLimit, signal }: Ending): Matrix {
    signal?.throwIfAborted();
    try {
      const interrupt = interruptOf(this.backend, { timeLimit, signal: undefined }, this.began);
      this.matrix.centre(this.threads, interrupt, this.ranks?.seam);
      return this.matrix;
    } catch (error) {
      throw interruptedOr(error);
    }
  }

  #centredLater(ending: Ending): Promise<Matrix> {
    const raw = this.matrix;
    return this.#interruptible(ending, async (interrupt) => {
      const matrix = await this.backend.centrePoints!(raw, this.threads, interrupt);
      raw.dispose();
      return matrix;
    });
  }

  #copied(view: View, { timeLimit, signal }: Ending): Matrix {
    signal?.throwIfAborted();
    checkUnchanged(view);
    const interrupt = interruptOf(this.backend, { timeLimit, signal: undefined }, this.began);
    try {
      const matrix = together(
        this.ranks,
        () => new this.backend.Matrix(view.refuse, this.threads, ...([...view.arguments, interrupt] as const)),
      );
      this.#matrix = matrix; // if centring fails it is released with the rest
      matrix.centre(this.threads, interrupt, this.ranks?.seam);
      return matrix;
    } catch (error) {
      throw interruptedOr(error);
    }
  }

  #copiedLater(view: View, ending: Ending): Promise<Matrix> {
    return this.#interruptible(ending, async (interrupt) => {
      checkUnchanged(view);
      const copied = await this.backend.copyPoints(this.threads, interrupt, ...view.arguments);
      return 'defect' in copied ? view.refuse(copied) : copied;
    });
  }

  /** Work on another thread that the time limit or the signal may end. */
  async #interruptible(ending: Ending, work: (interrupt: Interrupt | undefined) => Promise<Matrix>): Promise<Matrix> {
    const { signal } = ending;
    const interrupt = interruptOf(this.backend, ending, this.began);
    const deaf = onAbort(signal, () => interrupt?.set());
    try {
      signal?.throwIfAborted();
      return await work(interrupt);
    } catch (error) {
      signal?.throwIfAborted(); // which interrupted it
      throw interruptedOr(error);
    } finally {
      deaf();
    }
  }

  /** The sums over all ranks. */
  total(values: readonly number[]): number[] {
    return totals(this.ranks, values);
  }

  /** Whether the points were made of records, by what was learnt from all of them. */
  get encoded(): boolean {
    return this.#input.records !== undefined;
  }

  /**
   * The same rows for a fit on `others`, tested on the rest of `among`: records are encoded anew, by what is learnt from `others` alone; points
   * stay what they are. To be given back.
   */
  *outside(others: Uint8Array, among: Uint8Array, ending: Ending): Loop<TrainingData<L>> {
    const { records } = this.#input;
    if (!records) return this;
    const source = pointSource(yield* records.encoded(others, among));
    const data = new TrainingData({ ...this.#input, source, records: undefined });
    yield data.copying(ending);
    return data;
  }

  /** Releases what `outside` gave. */
  giveBack(data: TrainingData<L>): void {
    if (data !== this) data.release();
  }

  release(): void {
    this.#matrix?.dispose();
  }
}
