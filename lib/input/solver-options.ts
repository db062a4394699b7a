/** Checks the method and the options of the solver. */
import { option, rangeError, show, words, type Words } from '../errors.js';
import type { StopRule, SvmMethod, SvmAlgorithm, SvmOptions } from '../types.js';
import { boolean, integer, knownOptions, oneOfThese, optional } from './options.js';
import { SOLVER_WORDS } from './words.js';

type SolverOptions = NonNullable<SvmOptions['solver']>;

export interface ResolvedSolver {
  readonly stepSize: 'measured' | 'norm' | 'paper';
  readonly shrinking: boolean;
  /** Which may run, one after the other. */
  readonly methods: Readonly<Record<SvmAlgorithm, boolean>>;
  /** The user's choice, or 1 where every iteration must be a check. */
  readonly checkEvery: number | undefined;
  /** Rows in a window of coordinate ascent; undefined: the default of the points. */
  readonly window: number | undefined;
}

const SOLVER_OPTIONS = [
  'stepSize',
  'shrinking',
  'ascent',
  'checkEvery',
  'window',
] as const satisfies readonly (keyof SolverOptions)[];

/** The options that a method fixes. */
const METHODS: Readonly<Record<SvmMethod, Omit<SolverOptions, 'checkEvery' | 'window'>>> = {
  auto: {},
  ascent: { ascent: true },
  newton: {},
  fista: { ascent: false },
  paper: { stepSize: 'paper', shrinking: false, ascent: false },
};

const ALL = { ascent: true, newton: true, fista: true };

/** The solver of method: 'auto'. */
export const AUTO: ResolvedSolver = {
  stepSize: 'measured',
  shrinking: true,
  methods: ALL,
  checkEvery: undefined,
  window: undefined,
};

export function resolveMethod(given: unknown): SvmMethod {
  return optional(given, 'method', oneOfThese('auto', 'ascent', 'newton', 'fista', 'paper')) ?? 'auto';
}

/** `windowed`: whether the points are in a file, whose epochs go window by window. */
export function resolveSolver(
  method: SvmMethod,
  given: SolverOptions | undefined,
  rules: readonly StopRule[],
  windowed = false,
): ResolvedSolver {
  const options = knownOptions(given, SOLVER_OPTIONS, SOLVER_WORDS, 'solver');
  const choose = <T>(name: 'stepSize' | 'shrinking' | 'ascent', check: (value: unknown, where: Words) => T): T | undefined => {
    const asked = optional(options[name], `solver.${name}`, check);
    const decided = METHODS[method][name] as T | undefined;
    if (asked === undefined || decided === undefined || asked === decided) return asked ?? decided;
    const what = typeof decided === 'string' ? `'${decided}'` : String(decided);
    throw rangeError('ERR_OPTION', what, words`${option(`solver.${name}`)} with method: '${method}'`, asked);
  };

  // The step size
  const stepSize = choose('stepSize', oneOfThese('measured', 'norm', 'paper')) ?? 'measured';
  const window = optional(options.window, 'solver.window', integer(1, 4294967294));
  const ordered = windowed || window !== undefined;
  const shrinking = choose('shrinking', boolean) ?? (stepSize === 'measured' && !ordered);
  if (shrinking && ordered) {
    const where = words`${option('solver.shrinking')} with ${windowed ? 'points in a file' : 'a window'}, whose rows stay in order,`;
    throw rangeError('ERR_OPTION', 'false', where, true);
  }
  if (shrinking && stepSize !== 'measured') {
    const where = words`${option('solver.shrinking')} with stepSize: '${stepSize}', which needs every row in every step,`;
    throw rangeError('ERR_OPTION', 'false', where, true);
  }

  // Checks
  const strict = rules.find((rule) => rule.everyIteration);
  const each = strict || method === 'paper' ? 1 : undefined;
  const checkEvery = optional(options.checkEvery, 'solver.checkEvery', integer(1, 1_000_000)) ?? each;
  if (strict && checkEvery !== 1) {
    const where = words`${option('solver.checkEvery')} with the rule ${show(strict.name)}, which sees every iteration,`;
    throw rangeError('ERR_OPTION', '1', where, checkEvery);
  }

  // A rule that sees every iteration is about FISTA's iterations, from the first.
  const own = stepSize === 'measured' && !strict; // else the user asks for FISTA, and for one kind of it
  const methods = {
    ascent: choose('ascent', boolean) ?? (own && method !== 'newton'),
    newton: method === 'newton' || (method === 'auto' && own),
    fista: method !== 'ascent' && method !== 'newton',
  };
  return { stepSize, shrinking, methods, checkEvery, window };
}
