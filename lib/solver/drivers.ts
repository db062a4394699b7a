/**
 * Drivers of loops. A loop is a generator: it decides, and yields the step to perform before it goes on. It runs on this thread or off it.
 */
import type { Step } from '../backend/tasks.js';
import { soon } from '../platform/host.js';
import type { Signal } from '../types.js';

export type Loop<R> = Generator<Step, R, void>;

/** Performs a loop's steps on this thread. The reason of an aborted signal, and the error of a step, are thrown into the loop. */
export function run<R>(loop: Loop<R>, signal?: Signal): R {
  let next = loop.next();
  while (!next.done) {
    try {
      signal?.throwIfAborted();
      next.value.perform();
    } catch (error) {
      next = loop.throw(error);
      continue;
    }
    next = loop.next();
  }
  return next.value;
}

/** Milliseconds after which the event loop gets a turn. */
const TURN = 1;

/**
 * Performs the steps off this thread, one after the other. The first step begins before this returns. Answers that come fast are delivered
 * many at a time, before anything else gets its turn: timers, requests, a call to abort. So the loop waits for a turn now and then.
 */
export async function runAsync<R>(loop: Loop<R>, signal?: Signal): Promise<R> {
  let next = loop.next();
  let turned = performance.now();
  while (!next.done) {
    try {
      signal?.throwIfAborted();
      const waiting = next.value.later();
      if (waiting) await waiting;
      // Not before the step: the first one may copy the user's arrays.
      if (performance.now() - turned > TURN) {
        await turn();
        turned = performance.now();
      }
    } catch (error) {
      // An aborted signal interrupts the step, which then fails.
      next = loop.throw(signal?.aborted ? signal.reason : error);
      continue;
    }
    next = loop.next();
  }
  return next.value;
}

// The way to another thread and back takes 10 to 100 microseconds, a task that sweeps over 2^14 numbers about 8.
/** Problems of up to this many numbers are solved on this thread. */
const ALL_HERE = 2 ** 14;
/** Larger problems of up to this many numbers begin on this thread … */
const SOME_HERE = 2 ** 17;
/** … until their sweeps have read about this many numbers, which takes a millisecond. */
const SWEPT_HERE = 2 ** 21;

/** How many tasks of a problem of `size` numbers runAsync performs on this thread before it performs the others off it. */
export function countTasksHere(size: number): number {
  if (size <= ALL_HERE) return Infinity;
  return size <= SOME_HERE ? Math.floor(SWEPT_HERE / size) : 0;
}

/** Off this thread, gives the event loop a turn. `check` may then end the loop by throwing. */
export function pause(check: () => void = () => undefined): Step {
  return { perform: check, later: () => turn().then(check) };
}

/** One of several lanes in which loops run side by side. */
export interface Lane {
  readonly number: number;
  /** How many lanes are at work. */
  readonly busy: () => number;
  /** Ends the lane's loop; aborted also when another lane fails. */
  readonly signal: Signal | undefined;
}

/** Independent loops: off this thread as many at once as there are lanes; on it one after the other, or several at once with helpers. */
export function sideBySide(
  loops: readonly ((lane: Lane) => Loop<void>)[],
  lanes: number,
  signal: Signal | undefined,
  helpers = 0,
): Step {
  return {
    perform: () => {
      if (helpers > 0) withHelpers(loops, helpers, signal);
      else loops.forEach((loop) => run(loop({ number: 0, busy: () => 1, signal }), signal));
    },
    later: () => runSideBySide(loops, lanes, signal),
  };
}

/** A helper is given so many steps at a time, so that it need not wait for the next one. */
const QUEUED = 2;

/**
 * Performs the steps of several loops at once: on helpers' threads, and on this one, which also runs the loops. Whoever is free takes the
 * next step, so their order varies; what a loop computes does not. One failure ends them all.
 */
function withHelpers(loops: readonly ((lane: Lane) => Loop<void>)[], helpers: number, signal: Signal | undefined): void {
  interface UnderWay {
    readonly loop: Loop<void>;
    step: Step;
  }
  const open = new Set<UnderWay>();
  const ready: UnderWay[] = []; // their steps wait for a thread
  const queues = Array.from({ length: helpers }, (): UnderWay[] => []);
  const lane = { number: 0, busy: () => helpers + 1, signal };
  /** Ends a loop's step, and goes on to its next one; false if the step cannot be ended yet. */
  const goOn = (each: UnderWay, end: (step: Step) => boolean): boolean => {
    let next: IteratorResult<Step, void> | undefined;
    try {
      if (!end(each.step)) return false;
    } catch (error) {
      next = each.loop.throw(error);
    }
    next ??= each.loop.next();
    if (next.done) {
      open.delete(each);
    } else {
      each.step = next.value;
      ready.push(each);
    }
    return true;
  };
  try {
    for (let begun = 0; ;) {
      signal?.throwIfAborted();
      while (begun < loops.length && open.size <= QUEUED * helpers) {
        const each = { loop: loops[begun++]!(lane), step: pause() };
        open.add(each);
        goOn(each, here);
      }
      queues.forEach((queue, helper) => {
        while (queue.length > 0 && goOn(queue[0]!, takeIfDone)) queue.shift();
        while (queue.length < QUEUED && ready.length > 0) {
          const each = ready.shift()!;
          if (each.step.start?.(helper)) queue.push(each);
          else goOn(each, here);
        }
      });
      const mine = ready.shift();
      if (mine) {
        goOn(mine, here);
        continue;
      }
      // The last one of a queue is the least likely to be begun, and is then performed here.
      const queue = queues.find(({ length }) => length > 0);
      if (queue) goOn(queue.pop()!, takeWhenDone);
      else if (begun === loops.length) return;
    }
  } finally {
    // After a failure. A problem cannot be released while a helper works on it.
    for (const { step } of queues.flat()) {
      try {
        step.take!(true);
      } catch {
        // the first failure is thrown
      }
    }
    for (const { loop } of open) loop.return();
  }
}

const takeIfDone = (step: Step) => step.take!(false);
const takeWhenDone = (step: Step) => step.take!(true);
function here(step: Step): true {
  step.perform();
  return true;
}

/** One failure ends them all. */
async function runSideBySide(
  loops: readonly ((lane: Lane) => Loop<void>)[],
  lanes: number,
  signal: Signal | undefined,
): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  const all = new AbortController();
  const deaf = onAbort(signal, () => all.abort(signal!.reason));
  let busy = Math.min(lanes, loops.length);
  let next = 0;
  const work = async (number: number) => {
    try {
      while (next < loops.length) {
        await runAsync(loops[next++]!({ number, busy: () => busy, signal: all.signal }), all.signal);
      }
    } catch (error) {
      failure ??= { error };
      all.abort();
    }
    busy--;
  };
  await Promise.all(Array.from({ length: busy }, (_, number) => work(number)));
  deaf();
  if (failure) throw failure.error;
}

const listening = new WeakMap<Signal, Set<() => void>>();

/**
 * Calls back when a signal is aborted, until the function that is returned is called. A signal has one listener however many fits it may
 * end, as Node warns of more than ten.
 */
export function onAbort(signal: Signal | undefined, callback: () => void): () => void {
  if (!signal) return () => undefined;
  let callbacks = listening.get(signal);
  if (!callbacks) {
    const mine = (callbacks = new Set());
    listening.set(signal, mine);
    signal.addEventListener('abort', () => mine.forEach((call) => call()), { once: true });
  }
  const mine = callbacks;
  mine.add(callback);
  return () => mine.delete(callback);
}

const waiting: (() => void)[] = [];

/** Waits for a turn of the event loop. One waiting loop goes on in each turn, so that many of them do not block it together. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) soon(goOn);
  });
}

function goOn(): void {
  waiting.shift()!();
  if (waiting.length > 0) soon(goOn);
}
