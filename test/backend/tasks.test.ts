/** The addon declares the same tasks as lib/backend/tasks.ts. */
import { describe, expect, it } from 'vitest';
import { ESP_TASKS, type Performer, SVM_TASKS, svmTasks, type TaskTable } from '../../lib/backend/tasks.js';
import { natives } from '../support/backends.js';
import { taskEnded, Interrupted } from '../../lib/errors.js';
import { stop, LinearSvm, crossValidate } from '../../lib/index.js';

interface Described {
  readonly tasks: readonly { name: string; takes: string[]; answers: string[] }[];
}

const described = (table: TaskTable) =>
  Object.entries(table).map(([name, { takes, answers }]) => ({ name, takes: Object.keys(takes), answers: [...answers] }));

describe.skipIf(natives.length === 0)('native tasks', () => {
  it.each([
    ['Svm', SVM_TASKS],
    ['Esp', ESP_TASKS],
  ] as const)('%s.tasks lists the names, arguments and answers of lib/backend/tasks.ts, in order', (name, table) => {
    expect((natives[0]![name] as unknown as Described).tasks).toEqual(described(table));
  });
});

describe('a task that the backend ended', () => {
  const ended: Performer = {
    perform: () => {
      throw taskEnded();
    },
    later: () => Promise.reject(taskEnded()),
  };

  it('throws Interrupted from perform(), and rejects with it from later()', async () => {
    const { settle } = svmTasks(ended);
    expect(() => settle.ask({ back: false }).perform()).toThrow(Interrupted);
    await expect(settle.ask({ back: false }).later()).rejects.toBeInstanceOf(Interrupted);
  });

  it('is not confused with a user error of code TASK_ENDED', async () => {
    const error = Object.assign(new Error('mine'), { code: 'TASK_ENDED' });
    const rows = [[0], [1], [2], [3]];
    const options = { solver: { checkEvery: 1 }, stop: stop.gap(1e-9) };
    const controller = new AbortController();
    const aborting = { ...options, signal: controller.signal, onProgress: () => controller.abort(error) };
    expect(() => LinearSvm.fit(rows, [0, 1, 0, 1], aborting)).toThrow(error);
    const throwing = () => {
      throw error;
    };
    await expect(crossValidate(rows, [0, 1, 0, 1], { folds: 2, onProgress: throwing })).rejects.toBe(error);
    await expect(LinearSvm.fitAsync(rows, [0, 1, 0, 1], { ...options, onProgress: throwing })).rejects.toBe(error);
  });
});

describe('task.ask().later()', () => {
  it('performs the given number of tasks on this thread, and later ones on another', async () => {
    const calls: string[] = [];
    const problem: Performer = {
      perform: (name) => (calls.push(`perform ${name}`), []),
      later: (name) => (calls.push(`later ${name}`), Promise.resolve([])),
    };
    const { unshrink, forget } = svmTasks(problem, 2);
    for (const task of [unshrink, forget, unshrink]) await task.ask().later();
    expect(calls).toEqual(['perform unshrink', 'perform forget', 'later unshrink']);
  });
});
