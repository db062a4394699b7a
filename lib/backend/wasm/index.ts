/**
 * The WebAssembly backend: native/kernels in a module with 128-bit SIMD. Synchronous tasks are performed on this thread, those of
 * asynchronous fits in a worker, by a module of its own.
 */
import { taskEnded } from '../../errors.js';
import { soon } from '../../platform/host.js';
import type { CopyDefect, Interrupt, Kernels, Matrix, MatrixArguments, OnDefect } from '../interface.js';
import { WasmInterrupt } from './interrupt-handle.js';
import { certifyLabels, decidePoints, WasmMatrix } from './matrix-handle.js';
import { Module } from './module.js';
import { WasmParser } from './parse-handle.js';
import { PlacedEsp, PlacedSvm, type Home } from './placed-problems.js';
import { projections } from './projection-handles.js';
import type { CompiledModule } from './webassembly.js';
import { Workers, type StartWorker } from './worker-client.js';

/** The kernels of a compiled module. Throws where the runtime does not permit it. Without `startWorker`, everything runs on this thread. */
export function wasmKernels(compiled: CompiledModule, startWorker?: StartWorker): Kernels & { readonly simd: string } {
  const module = new Module(compiled);
  const home: Home = { module, workers: startWorker && new Workers(startWorker, compiled) };

  async function copyPoints(
    threads: number,
    interrupt: Interrupt | undefined,
    ...data: MatrixArguments
  ): Promise<Matrix | CopyDefect> {
    const defects: CopyDefect[] = [];
    const note = (defect: CopyDefect): never => {
      defects.push(defect);
      throw taskEnded();
    };
    try {
      const matrix = new WasmMatrix(module, note, threads, ...([...data, interrupt] as const));
      await new Promise<void>(soon);
      matrix.centre(threads, interrupt);
      return matrix;
    } catch (error) {
      if (defects[0]) return defects[0];
      throw error;
    }
  }

  return {
    simd: module.text(module.exports.simd()),
    Interrupt: class extends WasmInterrupt {
      constructor(milliseconds: number) {
        super(module, milliseconds);
      }
    },
    Matrix: class extends WasmMatrix {
      constructor(onDefect: OnDefect, threads: number, ...data: MatrixArguments | [...MatrixArguments, Interrupt | undefined]) {
        super(module, onDefect, threads, ...data);
      }
    },
    copyPoints,
    decidePoints: (onDefect, _threads, weights, biases, out, ...data) => decidePoints(module, onDefect, weights, biases, out, data),
    certifyLabels: (values, products, norms, planes, classes, certain, inTheWay) =>
      certifyLabels(module, values, products, norms, planes, classes, certain, inTheWay),
    Svm: class extends PlacedSvm {
      constructor(
        ...[matrix, y, weight, scale, threads, lane, interrupt, rows, like, window]: ConstructorParameters<Kernels['Svm']>
      ) {
        super(home, matrix, y, weight, scale, threads, lane, interrupt, rows, like, window); // ranks were refused at the door
      }
    },
    Esp: class extends PlacedEsp {
      constructor(...given: ConstructorParameters<Kernels['Esp']>) {
        super(home, ...given);
      }
    },
    Parser: class extends WasmParser {
      constructor(...given: ConstructorParameters<Kernels['Parser']>) {
        super(module, ...given);
      }
    },
    kernels: projections(module),
  };
}
