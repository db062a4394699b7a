/** What is asked of a run, whatever it computes: its limits and who computes. */
import type { EspOptions } from '../types.js';
import type { Arguments, Option } from './arguments.js';

export const LIMIT_OPTIONS: readonly Option[] = [
  { names: ['--max-iterations'], value: 'N', help: 'at most so many (default 10000)' },
  { names: ['--time-limit'], value: 'SECONDS', help: 'at most so long' },
];

export const BACKEND_OPTION: Option = { names: ['--backend'], value: 'NAME', help: 'auto, native or js (default auto)' };

export function runOptions(args: Arguments): Pick<EspOptions, 'maxIterations' | 'timeLimit' | 'threads' | 'backend'> {
  const maxIterations = args.number('max-iterations', [1, 1e9]);
  const seconds = args.number('time-limit', 'positive');
  const threads = args.number('threads', [1, 256]);
  const backend = args.oneOf('backend', ['auto', 'native', 'js']);
  return {
    ...(maxIterations !== undefined && { maxIterations }),
    ...(seconds !== undefined && { timeLimit: 1000 * seconds }),
    ...(threads !== undefined && { threads }),
    ...(backend && { backend }),
  };
}
