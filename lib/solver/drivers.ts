/** What runs a loop: performs the tasks that it yields, on this thread or elsewhere, and hands it the answers. */
import type { Interrupt, Performer } from '../backend/interface.js';
import { interruptedOr } from '../errors.js';

type Loop<Call, R> = Generator<Call, R, Float64Array>;

/** Performs a loop's tasks on this thread. An aborted signal's reason is thrown, as it is; a task's error goes to the loop. */
export function run<Call extends readonly unknown[], R>(loop: Loop<Call, R>, problem: Performer<Call>, signal?: AbortSignal): R {
  let next = loop.next();
  while (!next.done) {
    signal?.throwIfAborted();
    let answer: Float64Array;
    try {
      answer = problem.perform(...next.value);
    } catch (error) {
      next = loop.throw(interruptedOr(error));
      continue;
    }
    next = loop.next(answer);
  }
  return next.value;
}

/** Milliseconds after which the event loop is made to turn. */
const TURN = 1;

export interface AsyncRun {
  readonly signal: AbortSignal | undefined;
  /** Ends the task that is under way when the signal is aborted. */
  readonly interrupt: Interrupt | undefined;
  /** Whether tasks are so short that handing them to another thread would take longer: they are done here, a few in every turn. */
  readonly short: boolean;
}

/**
 * Performs a loop's tasks elsewhere, one after the other. Answers that come in fast are handed over many at a time, before anything else
 * gets its turn: timers, requests, whoever would abort the run. So now and then the loop waits for it.
 */
export async function runAsync<Call extends readonly unknown[], R>(
  loop: Loop<Call, R>,
  problem: Performer<Call>,
  { signal, interrupt, short }: AsyncRun,
): Promise<R> {
  const deaf = onAbort(signal, () => interrupt?.set());
  try {
    if (short) await turn();
    let turned = performance.now();
    let next = loop.next();
    while (!next.done) {
      if (performance.now() - turned > TURN) {
        await turn();
        turned = performance.now();
      }
      signal?.throwIfAborted();
      let answer: Float64Array;
      try {
        answer = short ? problem.perform(...next.value) : await problem.later(...next.value);
      } catch (error) {
        signal?.throwIfAborted(); // which interrupted it
        next = loop.throw(interruptedOr(error));
        continue;
      }
      next = loop.next(answer);
    }
    return next.value;
  } finally {
    deaf();
  }
}

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
