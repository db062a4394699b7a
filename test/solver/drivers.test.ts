import { describe, expect, it, vi } from 'vitest';
import type { Step } from '../../lib/backend/tasks.js';
import { countTasksHere, run, runAsync } from '../../lib/solver/drivers.js';

const nothing = () => undefined;
const step = (perform: () => void): Step => ({ perform, later: () => Promise.resolve().then(perform) });

/** Yields three steps and returns what they appended. */
function* three(seen: string[]): Generator<Step, string, void> {
  try {
    for (const name of ['a', 'b', 'c']) yield step(() => void seen.push(name));
    return seen.join('');
  } finally {
    seen.push('end');
  }
}

const drivers = [
  ['run', <R>(loop: Generator<Step, R, void>, signal?: AbortSignal) => Promise.resolve().then(() => run(loop, signal))],
  ['runAsync', <R>(loop: Generator<Step, R, void>, signal?: AbortSignal) => runAsync(loop, signal)],
] as const;

describe.each(drivers)('%s(loop, signal)', (_, drive) => {
  it('performs the steps in order and returns what the loop returns', async () => {
    const seen: string[] = [];
    expect(await drive(three(seen))).toBe('abc');
    expect(seen).toEqual(['a', 'b', 'c', 'end']);
  });

  it('throws the reason of an aborted signal unchanged, and lets the loop clean up', async () => {
    const seen: string[] = [];
    const controller = new AbortController();
    const reason = new Error('enough');
    const loop = (function* () {
      yield step(() => controller.abort(reason));
      return yield* three(seen);
    })();
    await expect(drive(loop, controller.signal)).rejects.toBe(reason);
    expect(seen).toEqual(['end']);
  });

  it('throws the error of a step into the loop, which may continue', async () => {
    const loop = (function* (): Generator<Step, string, void> {
      try {
        yield step(() => {
          throw new Error('no');
        });
      } catch (error) {
        yield step(nothing);
        return `${(error as Error).message}, but`;
      }
      return 'unreachable';
    })();
    expect(await drive(loop)).toBe('no, but');
  });
});

describe('runAsync(loop)', () => {
  it('begins the first step before it returns, however slow the machine', () => {
    const seen: string[] = [];
    const loop = (function* (): Generator<Step, void, void> {
      yield { perform: nothing, later: () => void seen.push('begun') };
    })();
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10)); // every call of now() takes 10 ms
    void runAsync(loop);
    expect(seen).toEqual(['begun']);
    clock.mockRestore();
  });
});

describe('countTasksHere(size)', () => {
  it('is Infinity for a small problem, 0 for a large one, and falls in between', () => {
    expect([1, 2 ** 14].map(countTasksHere)).toEqual([Infinity, Infinity]);
    expect([2 ** 15, 2 ** 16, 2 ** 17].map(countTasksHere)).toEqual([64, 32, 16]);
    expect([2 ** 17 + 1, 2 ** 30].map(countTasksHere)).toEqual([0, 0]);
  });
});
