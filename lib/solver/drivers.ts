/** What runs a loop: a generator that decides, and yields what is to be done before it goes on. The same loop runs on this thread or not. */
import type { Interrupt } from '../backend/interface.js';
import type { Step } from '../backend/tasks.js';
import { interruptedOr } from '../errors.js';

export type Loop<R> = Generator<Step, R, void>;

/** Takes a loop's steps on this thread. An aborted signal's reason, and what a step fails with, are thrown into the loop. */
export function run<R>(loop: Loop<R>, signal?: AbortSignal): R {
  let next = loop.next();
  while (!next.done) {
    try {
      signal?.throwIfAborted();
      next.value.perform();
    } catch (error) {
      next = loop.throw(interruptedOr(error));
      continue;
    }
    next = loop.next();
  }
  return next.value;
}

/** Milliseconds after which the event loop is made to turn. */
const TURN = 1;

/**
 * The same, elsewhere, one step after the other. The first step is begun before this returns. Answers that come in fast are handed over
 * many at a time, before anything else gets its turn: timers, requests, whoever would abort the run. So now and then the loop waits for it.
 * `interrupt`: what ends the step that is under way when the signal is aborted.
 */
export async function runAsync<R>(loop: Loop<R>, signal?: AbortSignal, interrupt?: Interrupt): Promise<R> {
  const deaf = onAbort(signal, () => interrupt?.set());
  try {
    return await takeSteps(loop, signal);
  } finally {
    deaf();
  }
}

async function takeSteps<R>(loop: Loop<R>, signal: AbortSignal | undefined): Promise<R> {
  let next = loop.next();
  let turned = performance.now();
  while (!next.done) {
    try {
      if (performance.now() - turned > TURN) {
        await turn();
        turned = performance.now();
      }
      signal?.throwIfAborted();
      const waiting = next.value.later();
      if (waiting) await waiting;
    } catch (error) {
      // A signal that is aborted interrupts the step.
      next = loop.throw(signal?.aborted ? signal.reason : interruptedOr(error));
      continue;
    }
    next = loop.next();
  }
  return next.value;
}

/** Lets others have their turn, where there are any. */
export const TURN_OF_OTHERS: Step = { perform: () => undefined, later: () => turn() };

const listening = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal is aborted, until the function that is returned is called. A signal has one listener, however many fits it may
 * end: Node warns of more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
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

/** Takes all steps of some work on this thread, at once; `check` may end it by throwing after any of them. */
export function atOnce<R>(steps: Generator<void, R, void>, check: () => void): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    check();
  }
}

/** The same, with a turn of the event loop after every step. */
export async function inTurns<R>(steps: Generator<void, R, void>, check: () => void): Promise<R> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await turn();
    check();
  }
}

const waiting: (() => void)[] = [];

/** Waits until the event loop has turned. One of those who wait goes on in each turn, so that many of them do not hold it together. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(goOn);
}
