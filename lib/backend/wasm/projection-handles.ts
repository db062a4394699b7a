/** The projections on their own (Projections in ../interface.ts). */
import type { Projections } from '../interface.js';
import type { Module } from './module.js';

export function projections(module: Module): Projections {
  const { exports } = module;
  return {
    projectKnapsack(a, y, weight, gamma, b, guess, x) {
      const n = a.length;
      return module.lend((lending) => {
        const lists = [lending.copy(a), lending.copy(y.subarray(0, n)), lending.copy(weight.subarray(0, n))] as const;
        lending.write(x, n, (at) => {
          module.numbers.set([gamma, b, guess]);
          module.ended(exports.projectKnapsack(...lists, n, at));
        });
        return module.numbers[0]!;
      });
    },
    projectCones(x, start, out) {
      module.lend((lending) => {
        const lists = [lending.copy(x), lending.copy(start)] as const;
        lending.write(out, start.at(-1)!, (at) => exports.projectCones(...lists, start.length - 1, at));
      });
    },
  };
}
