/** What a separation is asked to do. */
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

/** Everything but the families, backend and threads. */
export type ResolvedEspOptions = Omit<EspMethod, 'L'> & { readonly stepSize: EspMethod['L'] } & Limits<EspProgress>;

/** The call of a separation, checked and complete, but for whether numbers are finite. */
export interface SeparationInput {
  /** When the call began. */
  readonly began: number;
  readonly options: ResolvedEspOptions;
  readonly backend: Backend;
  readonly threads: number;
  readonly first: Family;
  readonly second: Family;
  /** Words what is found wrong with a family's numbers when they are copied. */
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

  // Who computes
  const threads = resolveThreads(asked.threads);
  const backend = resolveBackend(asked.backend);

  // Families, of as many columns
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
