/**
 * What is said between this thread and the worker that performs tasks of asynchronous fits. The first message is the compiled module, and the
 * first one back says that the worker is ready.
 */
import type { TaskArgument } from '../tasks.js';
import type { MatrixImage } from './matrix-handle.js';
import type { EspData, SvmGiven } from './problem-handles.js';

/** The number of an object in the worker, given by this thread. */
export type Id = number;

export type Request =
  | { readonly make: 'matrix'; readonly id: Id; readonly image: MatrixImage }
  | { readonly make: 'interrupt'; readonly id: Id; readonly milliseconds: number }
  | {
      readonly make: 'svm';
      readonly id: Id;
      readonly matrix: Id;
      readonly given: SvmGiven;
      readonly interrupt: Id | undefined;
      readonly like: Id | undefined;
    }
  | { readonly make: 'esp'; readonly id: Id; readonly data: EspData }
  /** Performs a task. It is replied to. */
  | { readonly perform: string; readonly id: Id; readonly args: readonly TaskArgument[] }
  | { readonly accept: Id }
  | { readonly keep: Id; readonly opposite: boolean }
  | { readonly set: Id }
  | { readonly free: Id };

/** What this thread may ask of a training problem between tasks; lists are sent when they are known, or may have changed. */
export interface SvmState {
  readonly read: number;
  readonly stored: number;
  readonly columns?: { readonly inverseScale: Float64Array; readonly shift: Float64Array; readonly centre: Float64Array };
  readonly result?: { readonly weights: Float64Array; readonly alpha: Float64Array; readonly certified: Uint8Array };
  /** The array that a task has written. */
  readonly written?: Float64Array;
}

/** The same of a separation problem. */
export interface EspState {
  readonly unit: number;
  readonly lists?: Readonly<Record<'normal' | 'origin' | 'supports' | 'weights' | 'sums', Float64Array>>;
}

/** Replies come in the order of the tasks. */
export type Reply =
  | { readonly answer: Float64Array; readonly state: SvmState | EspState }
  | { readonly error: { readonly message: string; readonly code: unknown } };

/** A way to the other thread and back. */
export interface Port {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** Called once. */
  listen(onMessage: (message: unknown) => void, onError: (error: unknown) => void): void;
  /** Ends the other thread. */
  end(): void;
  /** Whether the program must not end while this thread waits for the other. */
  wait(waiting: boolean): void;
}
