/**
 * Newton's method on the SVM's primal (method 1.13), whose loss is piecewise quadratic: free rows, strictly between their bounds, alone
 * carry curvature. Directions come from conjugate gradients, as exact as they are worth; a line search takes them as far as they go down.
 *
 * Problem: min P(w, t) (method 1.1), t eliminated.
 * Given:   a problem with an iterate whose margins are computed, all rows active; its offset; what a check does.
 * Wanted:  the run's result if a check ends it; else an iterate for FISTA to go on from.
 * Source:  S. S. Keerthi and D. DeCoste, JMLR 6, 2005; C.-J. Lin, R. C. Weng and S. S. Keerthi, JMLR 9, 2008.
 */
import type { Step, SvmTasks } from '../backend/tasks.js';
import { searchRoot } from '../solver/bisection.js';
import { Halving } from '../solver/halving.js';
import { nearOffset, type Margins } from './certificate.js';
import { check, type CheckContext, type Checked } from './check.js';
import type { Ended } from './fista.js';

/** A direction is exact to this share of the gradient at least, in the preconditioner's norm, and more so as the gradient falls. */
const FORCING = 0.3;
const EXACT = 1e-6;
/** A direction need not aim below this share of the gap that is wanted. */
const AIM = 0.1;
/** At most so many iterations of conjugate gradients a direction. */
const MAX_CONJUGATE = 250;
/** The line search ends where the slope is down to this share of the first one. */
const FLAT = 0.3;
/** Margins are computed afresh after so many steps that only updated them. */
const MAX_UPDATES = 16;

/** Once twice the gap is below this share of the primal, an exact step goes ahead of the check: it leaves little but rounding. */
const POLISH = 1e-9;
/** FISTA takes over if in so many steps neither the gap halves nor the primal falls by this share. */
const PATIENCE = 10;
/** Relative gaps below this are small. */
const NEAR = 1e-7;
const FALL = 1e-3;

/** Whether an iterate is so near to the optimum that Newton's method, which converges fast there, is the one to finish, on any data. */
export function isNear({ gap, primal }: Pick<Checked, 'gap' | 'primal'>): boolean {
  return gap < NEAR * primal;
}

/** What Newton's method starts from. */
export interface NewtonStart {
  readonly iteration: number;
  /** Its offset, or a guess; undefined: there is none. */
  readonly t: number | undefined;
  readonly L: number;
  /** Of the iterate; Infinity: it is not known. */
  readonly gap: number;
  readonly primal: number;
  /** Makes the error to throw if sums overflow. */
  readonly overflow: () => Error;
}

export function* newton(context: CheckContext, start: NewtonStart): Generator<Step, Ended & { readonly better: boolean }, void> {
  const { settings, constants, tasks } = context;
  const { L } = start;
  let { iteration } = start;
  let t = start.t ?? 0;
  let margins: Margins | undefined;
  let known: Checked | undefined; // by the last check
  let first: number | undefined; // |g| at the start
  let [stuck, polished, restarted] = [false, false, false];
  let primal = Infinity; // when it last fell by as much
  const progress = new Halving(PATIENCE, iteration);
  for (;;) {
    // ---- The gradient, and what it proves.
    const worth = known?.gap ?? (start.gap === Infinity && start.t !== undefined ? 0 : start.gap); // a guess must be made exact
    t = yield* nearOffset(constants, t, 1e-8 * worth, tasks);
    yield tasks.gradient.ask({ t, first: first === undefined });
    const gradient = Math.sqrt(tasks.gradient.answer.squared);
    if (!Number.isFinite(gradient)) {
      if (settings.methods.fista)
        return { end: undefined, iteration, t: start.t ?? 0, gap: start.gap, primal: start.primal, better: false };
      if (restarted) throw start.overflow();
      restarted = true; // so far off is the start
      yield tasks.warm.ask({ w: new Float64Array(constants.d), t: 0, dual: false });
      [t, first, margins] = [0, undefined, undefined];
      continue;
    }
    first ??= gradient;
    const late = settings.expired();
    const polishing =
      known !== undefined &&
      !polished &&
      !late &&
      iteration < settings.maxIterations &&
      gradient * gradient < POLISH * known.primal;
    polished ||= polishing;
    if (!polishing) {
      const half = progress.overdue(iteration) ? progress.last / 2 : Infinity;
      known = yield* check(context, {
        iteration,
        L,
        late,
        stuck: stuck && !settings.methods.fista,
        t,
        worth: 0,
        half,
        primal: { gradient, margins },
      });
      const better = known.gap < start.gap;
      if (known.end) return { end: known.end, iteration, t: known.t, gap: known.gap, primal: known.primal, better };
      if (known.primal < (1 - FALL) * primal) {
        ({ primal } = known);
        progress.restart(iteration, known.gap);
      }
      const stalled = progress.stalled(iteration, known.gap) || stuck;
      if (stalled && settings.methods.fista)
        return { end: undefined, iteration, t: better ? t : (start.t ?? 0), gap: known.gap, primal: known.primal, better };
    }
    margins ??= { reach: known!.wNorm, updates: 0 };

    // ---- A direction, and how far it goes.
    const enough = Math.sqrt((AIM * (settings.wantedGap ?? 0) * known!.primal) / known!.gap);
    const forcing = polishing ? EXACT : Math.min(FORCING, Math.max(Math.sqrt(gradient / first), enough));
    yield* solveDirection(settings, forcing, tasks);
    yield tasks.direction.ask();
    const { tau, squared } = tasks.direction.answer;
    const length = yield* searchLength(t, polishing ? EXACT : FLAT, tasks);
    stuck = !(length > 0);
    if (!stuck) {
      yield tasks.move.ask({ length });
      t += length * tau;
      margins = { reach: margins.reach + length * Math.sqrt(squared), updates: margins.updates + 1 };
    }
    iteration++;
    if (stuck || polished || margins.updates >= MAX_UPDATES || known!.rounding > 0.1 * known!.gap) {
      yield tasks.refresh.ask({ all: true });
      margins = undefined;
    }
  }
}

/** Solves Newton's system by conjugate gradients, to this share of the gradient. */
function* solveDirection(
  settings: CheckContext['settings'],
  forcing: number,
  { linearize, conjugate }: SvmTasks,
): Generator<Step, void, void> {
  yield linearize.ask();
  const goal = forcing * forcing * linearize.answer.residual;
  for (let k = 0; k < MAX_CONJUGATE; k++) {
    yield conjugate.ask();
    if (!(conjugate.answer.residual > goal) || settings.expired()) return;
  }
}

/** How far to go along the direction: to where the primal is nearly flat, and still falls. 0: nowhere. */
function* searchLength(t: number, flat: number, { direction, slope }: SvmTasks): Generator<Step, number, void> {
  const { tau, along, squared } = direction.answer;
  if (!(along < 0)) return 0;
  const search = searchRoot(1, { step: 1, enough: (_, { value }) => value >= flat * along && value <= 0 });
  let next = search.next();
  let best = 0;
  for (let looks = 0; !next.done && looks < 60; looks++) {
    const length = next.value;
    yield slope.ask({ t, tau, length });
    const found = { value: along + length * squared + slope.answer.slope, slope: squared + slope.answer.curvature };
    if (found.value <= 0) best = Math.max(best, length);
    next = search.next(found);
  }
  return best;
}
