/** This thread's side of the worker: problems there, as they are seen from here. */
import { coded } from '../../errors.js';
import type { EspProblem, SvmProblem } from '../interface.js';
import type { TaskArgument } from '../tasks.js';
import type { WasmInterrupt } from './interrupt-handle.js';
import type { RemoteMatrix, WasmMatrix } from './matrix-handle.js';
import type { EspState, Id, Port, Reply, Request, SvmState } from './messages.js';
import type { EspData, SvmGiven } from './problem-handles.js';
import type { CompiledModule } from './webassembly.js';

/** Starts a worker that serves (serve.ts); throws where that is not permitted. */
export type StartWorker = () => Port;

/** A worker that is ready, started when it is first wanted. */
export class Workers {
  readonly #start: StartWorker;
  readonly #compiled: CompiledModule;
  #client: Promise<WorkerClient | undefined> | undefined;

  constructor(start: StartWorker, compiled: CompiledModule) {
    this.#start = start;
    this.#compiled = compiled;
  }

  /** Undefined where no worker can be started: tasks are then performed on this thread. */
  get client(): Promise<WorkerClient | undefined> {
    return (this.#client ??= this.#begin());
  }

  async #begin(): Promise<WorkerClient | undefined> {
    try {
      return await WorkerClient.start(this.#start(), this.#compiled, () => (this.#client = undefined));
    } catch {
      return undefined;
    }
  }
}

type Answered = Exclude<Reply, { error: unknown }>;

interface Waiting {
  resolve(reply: Answered): void;
  reject(error: unknown): void;
}

/** Objects in a worker. */
export class WorkerClient {
  readonly #port: Port;
  readonly #waiting: Waiting[] = [];
  #last: Id = 0;
  #gone: Error | undefined;

  private constructor(port: Port) {
    this.#port = port;
  }

  /** `onGone`: the worker has failed, and with it everything in it. */
  static start(port: Port, compiled: CompiledModule, onGone: () => void): Promise<WorkerClient> {
    return new Promise((resolve, reject) => {
      const client = new WorkerClient(port);
      let ready = false;
      port.listen(
        (message) => {
          if (ready) return client.#answered(message as Reply);
          ready = true;
          port.wait(false);
          resolve(client);
        },
        (error) => {
          reject(client.#fail(error));
          if (ready) onGone(); // one that could not be started is not tried again
        },
      );
      port.wait(true);
      port.post(compiled);
    });
  }

  #answered(reply: Reply): void {
    const waiting = this.#waiting.shift();
    if (!waiting) return; // it has failed, and this was on its way
    if (this.#waiting.length === 0) this.#port.wait(false);
    if ('error' in reply) waiting.reject(Object.assign(new Error(reply.error.message), { code: reply.error.code }));
    else waiting.resolve(reply);
  }

  #fail(cause: unknown): Error {
    const error = (this.#gone = coded(Error, 'ERR_BACKEND', 'The worker that computes has ended', cause));
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    this.#port.wait(false);
    this.#port.end();
    return error;
  }

  post(request: Request, transfer?: readonly ArrayBuffer[]): void {
    if (!this.#gone) this.#port.post(request, transfer);
  }

  /** A number for an object that is about to be made. */
  next(): Id {
    return ++this.#last;
  }

  perform(id: Id, name: string, args: readonly TaskArgument[]): Promise<Answered> {
    if (this.#gone) return Promise.reject(this.#gone);
    this.#port.wait(true);
    this.#port.post({ id, perform: name, args } satisfies Request);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** The number of a matrix's copy in the worker. */
  matrix(matrix: WasmMatrix): Id {
    const copy = matrix.remote((image) => {
      const id = this.next();
      this.post(
        { make: 'matrix', id, image },
        image.arrays.map(({ buffer }) => buffer),
      );
      return new MatrixCopy(this, id);
    });
    if (copy instanceof MatrixCopy && copy.client === this) return copy.id;
    matrix.dropRemote(); // in a worker that has ended
    return this.matrix(matrix);
  }
}

class MatrixCopy implements RemoteMatrix {
  constructor(
    readonly client: WorkerClient,
    readonly id: Id,
  ) {}

  free(): void {
    this.client.post({ free: this.id });
  }
}

/** Throws: nobody asks for it before the task that brings it. */
function unknown(what: string): never {
  throw coded(Error, 'ERR_BACKEND', `Expected a task that tells the ${what}, but none was performed`);
}

/** A training problem in a worker. */
export class RemoteSvm implements Omit<SvmProblem, 'perform'> {
  readonly client: WorkerClient;
  readonly id: Id;
  readonly #interrupt: Id | undefined;
  #state: SvmState = { read: 0, stored: 0 };

  constructor(
    client: WorkerClient,
    matrix: WasmMatrix,
    given: SvmGiven,
    interrupt: WasmInterrupt | undefined,
    like: RemoteSvm | undefined,
  ) {
    this.client = client;
    this.id = client.next();
    this.#interrupt = interrupt && copyOf(client, interrupt);
    client.post({ make: 'svm', id: this.id, matrix: client.matrix(matrix), given, interrupt: this.#interrupt, like: like?.id });
  }

  async later(name: string, ...args: TaskArgument[]): Promise<Float64Array> {
    const { answer, state } = (await this.client.perform(this.id, name, args)) as { answer: Float64Array; state: SvmState };
    this.#state = { ...this.#state, ...state };
    if (state.written) (args[0] as Float64Array).set(state.written);
    return answer;
  }

  accept(): void {
    this.client.post({ accept: this.id });
  }

  get read(): number {
    return this.#state.read;
  }

  get stored(): number {
    return this.#state.stored;
  }

  weights(out: Float64Array): void {
    out.set((this.#state.result ?? unknown('weights')).weights);
  }

  columns(inverseScale: Float64Array, shift: Float64Array): void {
    const { columns = unknown('columns') } = this.#state;
    inverseScale.set(columns.inverseScale);
    shift.set(columns.shift);
  }

  centre(out: Float64Array): void {
    out.set((this.#state.columns ?? unknown('centre')).centre);
  }

  alpha(out: Float64Array): void {
    out.set((this.#state.result ?? unknown('duals')).alpha);
  }

  certified(out: Uint8Array): void {
    out.set((this.#state.result ?? unknown('certificates')).certified);
  }

  dispose(): void {
    this.client.post({ free: this.id });
    if (this.#interrupt !== undefined) this.client.post({ free: this.#interrupt });
  }
}

/** An interrupt in the worker that is set when this one is. */
function copyOf(client: WorkerClient, interrupt: WasmInterrupt): Id {
  const id = client.next();
  client.post({ make: 'interrupt', id, milliseconds: interrupt.milliseconds });
  if (interrupt.isSet) client.post({ set: id });
  interrupt.onSet(() => client.post({ set: id }));
  return id;
}

/** A separation problem in a worker. */
export class RemoteEsp implements Omit<EspProblem, 'perform' | 'applyA' | 'applyAT'> {
  readonly #client: WorkerClient;
  readonly #id: Id;
  #state: EspState;

  constructor(client: WorkerClient, data: EspData, unit: number) {
    this.#client = client;
    this.#id = client.next();
    this.#state = { unit };
    client.post({ make: 'esp', id: this.#id, data });
  }

  async later(name: string, ...args: TaskArgument[]): Promise<Float64Array> {
    const { answer, state } = (await this.#client.perform(this.#id, name, args)) as { answer: Float64Array; state: EspState };
    this.#state = { ...this.#state, ...state };
    return answer;
  }

  accept(): void {
    this.#client.post({ accept: this.#id });
  }

  keep(opposite: boolean): void {
    this.#client.post({ keep: this.#id, opposite });
  }

  get unit(): number {
    return this.#state.unit;
  }

  #list(name: keyof NonNullable<EspState['lists']>, out: Float64Array): void {
    out.set((this.#state.lists ?? unknown(name))[name]);
  }

  normal(out: Float64Array): void {
    this.#list('normal', out);
  }

  origin(out: Float64Array): void {
    this.#list('origin', out);
  }

  supports(out: Float64Array): void {
    this.#list('supports', out);
  }

  weights(out: Float64Array): void {
    this.#list('weights', out);
  }

  sums(out: Float64Array): void {
    this.#list('sums', out);
  }

  dispose(): void {
    this.#client.post({ free: this.#id });
  }
}
