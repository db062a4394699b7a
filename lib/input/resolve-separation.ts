/** Checks and completes the arguments of a separation. */
import type { Backend } from '../backend/interface.js';
import { rangeError } from '../errors.js';
import type { EspMethod } from '../ellipsoids/cone-fista.js';
import type { EspOptions, EspProgress } from '../types.js';
import { viewFamily, type Family } from './ellipsoid-families.js';
import {
  boolean,
  knownOptions,
  oneOfThese,
  optional,
  resolveBackend,
  resolveLimits,
  resolveThreads,
  RUN_OPTIONS,
  share,
  type Limits,
} from './options.js';
import { ESP_WORDS } from './words.js';

/** All options but backend and threads. */
export type ResolvedEspOptions = Omit<EspMethod, 'L'> & { readonly stepSize: EspMethod['L'] } & Limits<EspProgress>;

/** The arguments of a separation, checked and completed. Whether numbers are finite is checked when they are copied. */
export interface SeparationInput {
  /** The time at which the call began. */
  readonly began: number;
  readonly options: ResolvedEspOptions;
  readonly backend: Backend;
  readonly threads: number;
  readonly first: Family;
  readonly second: Family;
  /** Throws the error for a number that is not finite. */
  readonly refuse: ConstructorParameters<Backend['Esp']>[0];
}

const ESP_OPTIONS = [
  'goal',
  'tolerance',
  'test',
  'stepSize',
  'restart',
  ...RUN_OPTIONS,
] as const satisfies readonly (keyof EspOptions)[];

export function resolveSeparation(first: unknown, second: unknown, given?: EspOptions): SeparationInput {
  const began = performance.now();

  // Options
  const asked = knownOptions(given, ESP_OPTIONS, ESP_WORDS);
  const options = resolveEspOptions(asked);

  // Threads and backend
  const threads = resolveThreads(asked.threads);
  const backend = resolveBackend(asked.backend);

  // Families, which must have the same number of columns
  const one = viewFamily(first, 'first');
  const other = viewFamily(second, 'second', one);

  const refuse: SeparationInput['refuse'] = (which, part, at) => {
    const { where, value } = (which === 0 ? one : other).value(part, at);
    throw rangeError('ERR_ELLIPSOIDS', 'a finite number', where, value);
  };
  return { began, options, backend, threads, first: one, second: other, refuse };
}

function resolveEspOptions(options: EspOptions): ResolvedEspOptions {
  const goal = optional(options.goal, 'goal', oneOfThese('any', 'widest', 'converged')) ?? 'any';
  const tolerance = optional(options.tolerance, 'tolerance', share) ?? (goal === 'widest' ? 1e-4 : 1e-6);
  const stepSize = optional(options.stepSize, 'stepSize', oneOfThese('measured', 'paper')) ?? 'measured';
  return {
    goal,
    tolerance,
    touching: goal === 'any' ? tolerance : 1e-6,
    test: optional(options.test, 'test', oneOfThese('best', 'paper')) ?? 'best',
    stepSize,
    restart: optional(options.restart, 'restart', boolean) ?? stepSize === 'measured',
    ...resolveLimits<EspProgress>(options),
  };
}
