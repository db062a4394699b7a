/**
 * What ranks have to say to each other besides the sums of their kernels (method 6): whether they may begin together, and what rank 0 has
 * decided. A loop runs on every rank alike, so each of these calls is made on all ranks, in the same order.
 */
import { coded, type CodedError } from '../errors.js';
import type { Ranks } from '../types.js';

/** What this rank has sent in all-reduces. */
export interface Traffic {
  /** All-reduces. */
  readonly calls: number;
  /** Messages, one after the other, of all of them. */
  readonly rounds: number;
  readonly bytes: number;
}

/** The ranks of an MPI program. All ranks make the same calls in the same order. */
export interface Communicator extends Ranks {
  /** For the kernels: a pointer to the struct of native/kernels/ranks.h. */
  readonly seam: unknown;
  /** The texts of all ranks, in their order. */
  exchange(text: string): string[];
  /** The value of rank 0. */
  fromFirst(value: number): number;
  /** Adds up over the ranks, in place, by a tree of additions that depends on the number of ranks alone. */
  addUp(values: Float64Array): void;
  /** The maximum over the ranks, in place. A NaN wins. */
  findMax(values: Float64Array): void;
  counts(): Traffic;
  /** Ends all ranks at once. */
  abort(code: number): never;
  /** Ends MPI, when all ranks call it. An exit without an error does so too. Where MPI has not ended ten seconds after all ranks asked for it, the process does. */
  finish(): void;
}

const connected = new WeakSet<object>();

/** Registers an object as connected, so that it may be the option `ranks`. */
export function register(communicator: Communicator): Communicator {
  connected.add(communicator);
  return communicator;
}

export function isCommunicator(value: object): value is Communicator {
  return connected.has(value);
}

const atWork = new WeakSet<object>();

/**
 * Has the ranks, if there are any, to itself until the returned function is called: the messages of two calls at once would be taken for each
 * other's. Ranks make the same calls in the same order, so all of them refuse, or none. What is no communicator is refused elsewhere.
 */
export function occupy(ranks: unknown): () => void {
  if (typeof ranks !== 'object' || ranks === null || !connected.has(ranks)) return () => undefined;
  if (atWork.has(ranks)) throw rankError('Expected one call with these ranks at a time but another has not ended: await it first');
  atWork.add(ranks);
  return () => void atWork.delete(ranks);
}

/** An error that all ranks have, or that the others have heard of. */
function rankError(message: string): CodedError {
  return coded(Error, 'ERR_MPI', message);
}

interface Message<T> {
  readonly error?: string;
  readonly said?: T;
}

/** Tells all ranks, and returns what each of them told, by rank. Fails on all ranks if one of them failed before it came here. */
export function share<T>(ranks: Communicator, said: T): T[] {
  const messages = ranks.exchange(JSON.stringify({ said } satisfies Message<T>)).map((text) => JSON.parse(text) as Message<T>);
  const failed = messages.findIndex(({ error }) => error !== undefined);
  if (failed >= 0) throw rankError(`Rank ${failed} of ${ranks.size} failed: ${messages[failed]!.error!}`);
  return messages.map((message) => message.said!);
}

/**
 * Work that ends on all ranks or on none: one that fails tells the others, who fail where they next share something. The
 * work must not communicate in any other way.
 */
export function together<R>(ranks: Communicator | undefined, work: () => R): R {
  if (!ranks) return work();
  let result: R;
  try {
    result = work();
  } catch (error) {
    if ((error as CodedError | undefined)?.code !== 'ERR_MPI')
      ranks.exchange(JSON.stringify({ error: String((error as Error)?.message ?? error) } satisfies Message<R>));
    throw error;
  }
  share(ranks, true);
  return result;
}

/** Fails on all ranks if they did not all say the same. `what`: a noun for the message; `whose`: words on each, if there are any. */
export function checkSame(what: string, said: readonly string[], whose: readonly string[] = []): void {
  const other = said.findIndex((one) => one !== said[0]);
  if (other < 0) return;
  const [first, second] = [0, other].map((k) => `${said[k]}${whose[k] ? ` (${whose[k]})` : ''} on rank ${k}`);
  throw coded(RangeError, 'ERR_MPI', `Expected the same ${what} on all ranks but received ${first} and ${second}`);
}

/** The sums over all ranks. */
export function totals(ranks: Communicator | undefined, values: readonly number[]): number[] {
  if (!ranks) return [...values];
  const sums = Float64Array.from(values);
  ranks.addUp(sums);
  return [...sums];
}

/** The largest number on any rank. */
export function largest(ranks: Communicator | undefined, value: number): number {
  const found = Float64Array.of(value);
  ranks?.findMax(found);
  return found[0]!;
}

/** What rank 0 finds, which is a number; a failure there is one everywhere. */
export function fromFirst(ranks: Communicator, find: () => number): number {
  let mine = 0;
  let failure: { readonly error: unknown } | undefined;
  if (ranks.rank === 0) {
    try {
      mine = find();
    } catch (error) {
      failure = { error };
      mine = NaN;
    }
  }
  const found = ranks.fromFirst(mine);
  if (failure) throw failure.error;
  if (Number.isNaN(found)) throw rankError('Rank 0 ended the run, by its signal or by an error of its callback');
  return found;
}
