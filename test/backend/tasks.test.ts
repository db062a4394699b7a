/** The addon's tables of tasks are those of lib/backend/tasks.ts. */
import { describe, expect, it } from 'vitest';
import { ESP_TASKS, SVM_TASKS, type TaskTable } from '../../lib/backend/tasks.js';
import { natives } from '../support/backends.js';

interface Described {
  readonly tasks: readonly { name: string; takes: string[]; answers: string[] }[];
}

const described = (table: TaskTable) =>
  Object.entries(table).map(([name, { takes, answers }]) => ({ name, takes: Object.keys(takes), answers: [...answers] }));

describe.skipIf(natives.length === 0)('the tasks of the addon', () => {
  it.each([
    ['Svm', SVM_TASKS],
    ['Esp', ESP_TASKS],
  ] as const)('%s.tasks are the declared ones: names, what they take and answer, in order', (name, table) => {
    expect((natives[0]![name] as unknown as Described).tasks).toEqual(described(table));
  });
});
