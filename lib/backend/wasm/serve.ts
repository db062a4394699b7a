/** The worker's side: holds problems in a module of its own, and performs their tasks. */
import { coded } from '../../errors.js';
import { WasmInterrupt } from './interrupt-handle.js';
import { WasmMatrix } from './matrix-handle.js';
import type { EspState, Id, Port, Reply, Request, SvmState } from './messages.js';
import { Module } from './module.js';
import { WasmEsp, WasmSvm } from './problem-handles.js';
import type { CompiledModule } from './webassembly.js';

type Send = Pick<Port, 'post'>;
type Held = WasmMatrix | WasmInterrupt | WasmSvm | WasmEsp;

/** Answers requests. The first message is the compiled module. */
export function serve(port: Send): (message: unknown) => void {
  let answer: ((request: Request) => void) | undefined;
  return (message) => {
    if (answer) return answer(message as Request);
    answer = server(port, new Module(message as CompiledModule));
    port.post({ ready: true });
  };
}

function server(port: Send, module: Module): (request: Request) => void {
  /** What could not be made fails when it is asked to perform a task. */
  class Failure {
    constructor(readonly error: unknown) {}
  }
  const held = new Map<Id, Held | Failure>();
  const get = <T>(id: Id | undefined): T | undefined => {
    const found = id === undefined ? undefined : held.get(id);
    if (found instanceof Failure) throw found.error;
    return found as T | undefined;
  };

  const make = (request: Extract<Request, { make: string }>): Held => {
    switch (request.make) {
      case 'matrix':
        return WasmMatrix.of(module, request.image);
      case 'interrupt':
        return new WasmInterrupt(module, request.milliseconds);
      case 'svm':
        return new WasmSvm(
          module,
          get<WasmMatrix>(request.matrix)!,
          request.given,
          get<WasmInterrupt>(request.interrupt),
          get<WasmSvm>(request.like),
        );
      case 'esp':
        return new WasmEsp(module, neverDefective, request.data);
    }
  };

  const perform = ({ id, perform: name, args }: Extract<Request, { perform: string }>): void => {
    let reply: Reply;
    const transfer: ArrayBuffer[] = [];
    try {
      const problem = get<WasmSvm | WasmEsp>(id)!;
      const answer = problem.perform(name, ...args).slice(0, 16);
      const state = problem instanceof WasmSvm ? svmState(problem, name, args) : espState(problem, name);
      for (const list of listsIn(state)) transfer.push(list.buffer);
      reply = { answer, state };
    } catch (error) {
      const { message, code } = error as Error & { code?: unknown };
      reply = { error: { message, code } };
    }
    port.post(reply, transfer);
  };

  const svmState = (problem: WasmSvm, name: string, args: readonly unknown[]): SvmState => {
    const { read, stored, shape } = problem;
    const state = { read, stored };
    if (name === 'begin') {
      const [inverseScale, shift, centre] = three(shape.kept);
      problem.columns(inverseScale, shift);
      problem.centre(centre);
      return { ...state, columns: { inverseScale, shift, centre } };
    }
    if (name === 'model') {
      const [weights, alpha, certified] = [new Float64Array(shape.kept), new Float64Array(shape.rows), new Uint8Array(shape.rows)];
      problem.weights(weights);
      problem.alpha(alpha);
      problem.certified(certified);
      return { ...state, result: { weights, alpha, certified }, written: args[0] as Float64Array };
    }
    return state;
  };

  const espState = (problem: WasmEsp, name: string): EspState => {
    const { unit, shape } = problem;
    if (name !== 'test' && name !== 'verify') return { unit };
    const { cols, count } = shape;
    const [normal, origin] = three(cols);
    const [supports, weights] = three(count);
    const sums = new Float64Array(2 * cols);
    problem.normal(normal);
    problem.origin(origin);
    problem.supports(supports);
    problem.weights(weights);
    problem.sums(sums);
    return { unit, lists: { normal, origin, supports, weights, sums } };
  };

  return (request) => {
    if ('make' in request) {
      try {
        held.set(request.id, make(request));
      } catch (error) {
        held.set(request.id, new Failure(error));
      }
    } else if ('perform' in request) {
      perform(request);
    } else if ('accept' in request) {
      get<WasmSvm>(request.accept)!.accept();
    } else if ('keep' in request) {
      get<WasmEsp>(request.keep)!.keep(request.opposite);
    } else if ('set' in request) {
      get<WasmInterrupt>(request.set)?.set();
    } else {
      const freed = held.get(request.free);
      held.delete(request.free);
      if (freed && 'dispose' in freed) freed.dispose();
    }
  };
}

/** Lists in the order of their names, each with memory of its own. */
function listsIn(state: SvmState | EspState): (Float64Array<ArrayBuffer> | Uint8Array<ArrayBuffer>)[] {
  const objects = Object.values(state).filter((value) => typeof value === 'object') as object[];
  return objects.flatMap((value) =>
    ArrayBuffer.isView(value) ? [value] : (Object.values(value) as object[]),
  ) as Float64Array<ArrayBuffer>[];
}

function three(length: number): [Float64Array, Float64Array, Float64Array] {
  return [new Float64Array(length), new Float64Array(length), new Float64Array(length)];
}

/** This thread's problem has checked the same numbers. */
function neverDefective(): never {
  throw coded(Error, 'ERR_BACKEND', 'Expected numbers that were checked');
}
