/**
 * One training run (method 1.5), as a generator: start, ascent, Newton's method or FISTA, each with its checks, until a rule or a limit
 * ends it. It decides, and yields what is to be computed next. It never knows which backend computes, or on which thread.
 */
import type { SvmProblem } from '../backend/interface.js';
import type { Step, SvmTasks } from '../backend/tasks.js';
import { coded, Interrupted } from '../errors.js';
import type { SvmAlgorithm as Method, SvmStatus } from '../types.js';
import { ascent } from './ascent.js';
import type { Certified, Constants, Measured } from './certificate.js';
import { check, type CheckContext, type Kept } from './check.js';
import { fista, PATIENCE, type FistaStart } from './fista.js';
import { isNear, newton } from './newton.js';
import type { Regularization } from './regularization.js';

export interface LoopSettings {
  readonly L: 'measured' | 'norm' | 'paper';
  readonly shrinking: boolean;
  /** Iterations from one check to the next; undefined: 5, and in the ascent when a check is due (method 1.10). */
  readonly checkEvery: number | undefined;
  readonly maxIterations: number;
  /** Where to start; called once `begin` was performed, and the loss is known. */
  readonly warm?: () => Generator<Step, Start, void>;
  /** Which may run. Ascent comes first, and each hands over to another where it no longer halves the gap. */
  readonly methods: Readonly<Record<Method, boolean>>;
  /** Called when a method begins. */
  readonly began: (method: Method, iteration: number) => void;
  /**
   * When to certify rows: at every check, each certificate holding from then on ('always'); for the model that is returned alone ('end');
   * or for that model, and at every check for those who watch progress ('shown').
   */
  readonly certify: 'always' | 'shown' | 'end';
  /** Whether columns are scaled. If not, the error of an overflow suggests it. */
  readonly scaled: boolean;
  /** Constants that are known before the first task. */
  readonly known: Pick<Constants, 'n' | 'd'>;
  /** Called once, with what `begin` measured: the loss. */
  readonly regularize: (spread: number, weightSum: number) => Regularization;
  /** Called at every check: the status to end with, or undefined. */
  readonly decide: (check: LoopCheck) => SvmStatus | undefined;
  /** A relative gap that ends the run, 0 if none is known. @default 0 */
  readonly wantedGap?: number;
  /** Whether the rule that ended the run with this status holds for another check as well. */
  readonly holds: (status: SvmStatus, check: LoopCheck) => boolean;
  /** Whether the time is up: the run then ends with a last check. */
  readonly expired: () => boolean;
  /**
   * Given if tasks may be interrupted when the time is up: every check is then kept, and the run ends with the last one. Whether alpha is
   * to be kept too, and what is known of w = 0 before there is a check (method C10).
   */
  readonly interruptible?: { readonly alpha: boolean; readonly untrained: () => LoopCheck } | undefined;
}

/** Where a run starts, in scaled space. */
export interface Start {
  readonly w: Float64Array;
  readonly t: number;
}

export interface LoopCheck extends Certified {
  readonly iteration: number;
  readonly measured: Measured;
  readonly L: number;
}

export interface LoopResult {
  readonly status: SvmStatus;
  readonly check: LoopCheck;
}

/** Data are tall, and Newton's method does well, with so many times as many rows as columns. */
const TALL = 4;

/** FISTA hands over to Newton's method at most so many times. */
const MAX_TURNS = 3;

type Problem = Pick<SvmProblem, 'accept'>;

export function solveSvm(problem: Problem, tasks: SvmTasks, settings: LoopSettings): Generator<Step, LoopResult, void> {
  const { interruptible } = settings;
  return interruptible ? untilInterrupted(problem, tasks, settings, interruptible) : solve(problem, tasks, settings, {});
}

/** A run that ends with the last check it kept if a task is interrupted. */
function* untilInterrupted(
  problem: Problem,
  tasks: SvmTasks,
  settings: LoopSettings,
  { untrained }: NonNullable<LoopSettings['interruptible']>,
): Generator<Step, LoopResult, void> {
  const kept: Kept = {};
  try {
    return yield* solve(problem, tasks, settings, kept);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    yield tasks.restore.ask();
    return { status: kept.end?.status ?? 'time-limit', check: kept.end?.check ?? untrained() };
  }
}

function* solve(problem: Problem, tasks: SvmTasks, settings: LoopSettings, kept: Kept): Generator<Step, LoopResult, void> {
  // ---- What is constant during the run.
  yield tasks.begin.ask({ curvature: settings.L === 'measured' && !settings.methods.ascent });
  const { curvature, weightSum, spread, radiusSquares, maxRadius, centreNorm } = tasks.begin.answer;
  const { maxEntries, maxSquaredNorm, shiftNorm, largestColumn } = tasks.begin.answer;
  const overflow = () => tooLarge(largestColumn, settings.scaled);
  if (!Number.isFinite(curvature + radiusSquares + maxSquaredNorm + centreNorm + shiftNorm)) throw overflow();
  const { bound, mu } = settings.regularize(spread, weightSum);
  yield tasks.regularize.ask({ gamma: bound, mu });
  const constants: Constants = {
    ...settings.known,
    mu,
    weightSum,
    radiusSquares,
    maxRadius,
    centreNorm,
    maxEntries,
    predictionNorm: centreNorm + 2 * shiftNorm,
  };
  const context: CheckContext = { settings, constants, tasks, hint: { low: 0, high: 0 }, kept };

  // ---- The start.
  const { methods } = settings;
  const tall = weightSum >= TALL * constants.d; // a row of weight k is k rows
  let t: number | undefined;
  if (settings.warm) {
    const warm = yield* settings.warm();
    t = warm.t;
    yield tasks.warm.ask({ w: warm.w, t, dual: methods.ascent || (methods.fista && !(methods.newton && tall)) });
  }
  const rowL = mu + radiusSquares / weightSum; // the mean curvature along one row
  const start = { iteration: 0, t, L: methods.ascent ? rowL : mu + 1.5 * curvature, maxSquaredNorm, overflow };
  if (!methods.ascent) return yield* iterate(problem, context, { ...start, gap: Infinity, primal: 0 }, tall);
  let warm: { readonly t: number; readonly centreDot: number } | undefined;
  if (t !== undefined) {
    yield tasks.refresh.ask({ all: false });
    warm = { t, centreDot: tasks.refresh.answer.centreDot };
  }
  settings.began('ascent', 0);
  const started = yield* ascent(
    { settings, constants, warm, tall, overflow },
    (iteration, late, t, worth) => check(context, { iteration, L: rowL, late, t, worth }),
    tasks,
  );
  return started.end ?? (yield* iterate(problem, context, { ...start, ...started }, tall));
}

/**
 * After the ascent: Newton's method first for tall data, FISTA first for others. One that no longer halves the gap hands over to the other.
 * FISTA, whose momentum is lost each time, has twice the patience at each turn, and goes on to the end at its last.
 */
function* iterate(
  problem: Problem,
  context: CheckContext,
  start: Omit<FistaStart, 'handsOver'> & { readonly gap: number; readonly primal: number },
  tall: boolean,
): Generator<Step, LoopResult, void> {
  const { settings, tasks } = context;
  const { methods } = settings;
  let { iteration, t, gap } = start; // of the latest iterate
  let now: 'fista' | 'newton' = !methods.newton || (methods.fista && !tall && !isNear(start)) ? 'fista' : 'newton';
  for (let turn = 0; ;) {
    settings.began(now, iteration);
    if (now === 'fista') {
      const handsOver = methods.newton && turn < MAX_TURNS;
      const ended = yield* fista(problem, context, { ...start, iteration, t, handsOver, patience: PATIENCE * 2 ** turn++ });
      if (ended.end) return ended.end;
      yield tasks.unshrink.ask();
      ({ iteration, t, gap } = ended);
      now = 'newton';
    } else {
      const ended = yield* newton(context, { ...start, iteration, t, gap });
      if (ended.end) return ended.end;
      yield tasks.settle.ask({ back: !ended.better });
      ({ iteration, t } = ended);
      now = 'fista';
    }
  }
}

/** The error where squares and sums of the points overflow: nothing could be computed, let alone proved. */
function tooLarge(column: number, scaled: boolean): Error {
  const way = scaled ? '' : `, or scale 'standard' or 'maxabs',`;
  const message = `Expected smaller numbers for column ${column} of points${way} but sums of their products overflow`;
  return coded(RangeError, 'ERR_POINTS', message);
}
