/** Performs the tasks of a problem one by one. */
import type { SvmProblem } from '../../lib/backend/interface.js';
import { svmTasks, type SvmTasks } from '../../lib/backend/tasks.js';

export function asking(problem: SvmProblem) {
  const tasks = svmTasks(problem);
  return <K extends keyof SvmTasks>(name: K, ...given: Parameters<SvmTasks[K]['ask']>): SvmTasks[K]['answer'] => {
    const task = tasks[name] as { ask(...given: unknown[]): { perform(): void }; answer: SvmTasks[K]['answer'] };
    task.ask(...given).perform();
    return task.answer;
  };
}
