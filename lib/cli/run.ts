/** Options that all computations share: limits, threads and backend. */
import { show } from '../errors.js';
import type { EspOptions } from '../types.js';
import { toNumber, usageError, type Arguments, type Option } from './arguments.js';

export const LIMIT_OPTIONS: readonly Option[] = [
  { names: ['--max-iterations'], value: 'N', help: 'the limit on iterations (default 10000)' },
  { names: ['--time-limit'], value: 'TIME', help: 'the limit on time, with its unit: 500ms, 30s, 5min or 2h' },
];

export const BACKEND_OPTION: Option = { names: ['--backend'], value: 'NAME', help: 'auto, native, wasm or js (default: auto)' };

export function runOptions(args: Arguments): Pick<EspOptions, 'maxIterations' | 'timeLimit' | 'threads' | 'backend'> {
  const maxIterations = args.number('max-iterations', [1, 1e9]);
  const limit = args.text('time-limit');
  const threads = args.number('threads', [1, 256]);
  const backend = args.oneOf('backend', ['auto', 'native', 'wasm', 'js']);
  return {
    ...(maxIterations !== undefined && { maxIterations }),
    ...(limit !== undefined && { timeLimit: milliseconds(limit) }),
    ...(threads !== undefined && { threads }),
    ...(backend && { backend }),
  };
}

const UNITS = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 } as const;

/** Parses a time. The unit is required: the library counts in milliseconds, most people in seconds. */
function milliseconds(text: string): number {
  const [, number, unit] = /^([-+.\deE]+) ?(ms|s|min|h)$/.exec(text) ?? [];
  if (unit === undefined) {
    throw usageError(`Expected a time with its unit, such as 500ms, 30s, 5min or 2h, for --time-limit but received ${show(text)}`);
  }
  return toNumber(number!, '--time-limit', 'positive') * UNITS[unit as keyof typeof UNITS];
}
