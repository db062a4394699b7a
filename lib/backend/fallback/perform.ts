/** Tasks by name, as the addon performs them: arguments and answers in the order of their names in ../tasks.ts. */
import { argumentNames, type Answer, type Given, type TaskArgument, type TaskTable } from '../tasks.js';

/** What has a method for every task of a table. */
export type Twin<T extends TaskTable> = { [K in keyof T]: (given: Given<T[K]>) => Answer<T[K]> };

/** Makes the function that performs the tasks of a table on their twin. */
export function performer<T extends TaskTable>(
  table: T,
): (twin: Twin<T>, name: string, args: readonly TaskArgument[]) => Float64Array {
  const tasks = new Map(
    Object.entries(table).map(([name, declaration]) => {
      const kinds = Object.values(declaration.takes);
      return [name, { names: argumentNames(declaration), kinds, answers: declaration.answers }] as const;
    }),
  );
  return (twin, name, args) => {
    const { names, kinds, answers } = tasks.get(name)!;
    const given: Record<string, TaskArgument | boolean> = {};
    for (let k = 0; k < names.length; k++) given[names[k]!] = kinds[k] === 'flag' ? args[k] !== 0 : args[k]!;
    const answer = (twin as Record<string, (given: object) => Readonly<Record<string, number>>>)[name]!(given);
    return Float64Array.from(answers, (name) => answer[name]!);
  };
}
