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

/** A direction is exact to this share of the gradient at least, in the preconditioner's norm, and more so as the gradient falls, */
const FORCING = 0.3;
/** but not more than for a gap of this share of the wanted one. */
const AIM = 0.1;
/** At most so many iterations of conjugate gradients a direction. */
const MAX_CONJUGATE = 250;
/** The line search ends where the slope is down to this share of the first one. */
const FLAT = 0.3;
/** Once |g|² is below this share of the primal, a step goes ahead of the check that leaves little but rounding, */
const POLISH = 1e-9;
/** as its direction and its length are exact to this. */
const EXACT = 1e-6;
/** An error of t may cost this share of the gap. */
const WORTH = 1e-8;
/** Margins are computed afresh after so many steps that only updated them, or once rounding is this share of the gap. */
const MAX_UPDATES = 16;
const COARSE = 0.1;
/** FISTA takes over if in so many steps neither the gap halves nor the primal falls by this share. */
const PATIENCE = 10;
const FALL = 1e-3;
/** Relative gaps below this are small. */
const NEAR = 1e-7;

/** Whether an iterate is so near to the optimum that Newton's method, which converges fast there, is the one to finish, on any data. */
export function isNear({ gap, primal }: Pick<Checked, 'gap' | 'primal'>): boolean {
  return gap < NEAR * primal;
}

/** What Newton's method starts from. */
export interface NewtonStart {
  readonly iteration: number;
  /** The offset of the iterate, or a guess of it if the gap is not known; undefined: there is none. */
  readonly t: number | undefined;
  readonly L: number;
  /** Of the iterate; Infinity: it is not known. */
  readonly gap: number;
  /** Makes the error to throw if sums overflow. */
  readonly overflow: () => Error;
}

/** Where it ended. */
export interface NewtonEnd extends Pick<Ended, 'end' | 'iteration' | 't'> {
  /** Whether the gap is smaller than at the start. If not, FISTA goes on from there. */
  readonly better: boolean;
}

export function* newton(context: CheckContext, start: NewtonStart): Generator<Step, NewtonEnd, void> {
  const { settings, constants, tasks } = context;
  const { methods, wantedGap = 0 } = settings;
  let { iteration } = start;
  let t = start.t ?? 0;
  let margins: Margins | undefined;
  let checked: Checked | undefined; // the last one
  let first: number | undefined; // |g| at the start
  let [stuck, polished, restarted] = [false, false, false];
  let primal = Infinity; // when it last fell by FALL
  const progress = new Halving(PATIENCE, iteration);
  const handOver = (better: boolean): NewtonEnd => ({ end: undefined, iteration, t: better ? t : (start.t ?? 0), better });
  for (;;) {
    // ---- The gradient, and what it proves. The offset of a warm start is a guess, which may be far off.
    const guessed = !checked && start.gap === Infinity && start.t !== undefined;
    t = yield* nearOffset(constants, t, guessed ? 0 : WORTH * (checked?.gap ?? start.gap), tasks);
    yield tasks.gradient.ask({ t, first: first === undefined });
    const gradient = Math.sqrt(tasks.gradient.answer.squared);
    if (!Number.isFinite(gradient)) {
      if (methods.fista) return handOver(false);
      if (restarted) throw start.overflow();
      restarted = true; // at 0, as the start is so far off
      yield tasks.warm.ask({ w: new Float64Array(constants.d), t: 0, dual: false });
      [t, first, margins] = [0, undefined, undefined];
      continue;
    }
    first ??= gradient;
    const late = settings.expired();
    const small = checked !== undefined && gradient * gradient < POLISH * checked.primal;
    const polishing = small && !polished && !late && iteration < settings.maxIterations;
    polished ||= polishing;
    if (!checked || !polishing) {
      checked = yield* check(context, {
        iteration,
        L: start.L,
        late,
        stuck: stuck && !methods.fista,
        t,
        half: progress.overdue(iteration) ? progress.last / 2 : Infinity,
        primal: { gradient, margins },
      });
      const better = checked.gap < start.gap;
      if (checked.end) return { end: checked.end, iteration, t: checked.t, better };
      if (checked.primal < (1 - FALL) * primal) {
        ({ primal } = checked);
        progress.restart(iteration, checked.gap);
      }
      const stalled = progress.stalled(iteration, checked.gap) || stuck;
      if (stalled && methods.fista) return handOver(better);
    }

    // ---- A direction, and how far it goes.
    const enough = Math.sqrt((AIM * wantedGap * checked.primal) / checked.gap);
    const forcing = Math.min(FORCING, Math.max(Math.sqrt(gradient / first), enough));
    yield* solveDirection(settings, polishing ? EXACT : forcing, tasks);
    yield tasks.direction.ask();
    const { tau, squared } = tasks.direction.answer;
    const length = yield* searchLength(t, polishing ? EXACT : FLAT, tasks);
    stuck = !(length > 0);
    if (!stuck) {
      yield tasks.move.ask({ length });
      t += length * tau;
    }
    iteration++;
    // ---- Its margins. Those of a polished iterate are always computed: the last check knows nothing of the step before.
    const { reach, updates } = margins ?? { reach: checked.wNorm, updates: 0 };
    if (stuck || polished || updates + 1 >= MAX_UPDATES || checked.rounding > COARSE * checked.gap) {
      yield tasks.refresh.ask({ all: true });
      margins = undefined;
    } else {
      margins = { reach: reach + length * Math.sqrt(squared), updates: updates + 1 };
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
  const aim = (flat / 30) * along; // inside the range, as a search for its end may come from outside and never enter
  const search = searchRoot(1, { step: 1, low: 0, enough: (_, { value }) => value >= flat * along - aim && value <= -aim });
  let next = search.next();
  let best = 0;
  for (let looks = 0; !next.done && looks < 60; looks++) {
    const length = next.value;
    yield slope.ask({ t, tau, length });
    const down = along + length * squared + slope.answer.slope;
    if (down <= 0) best = Math.max(best, length);
    next = search.next({ value: down - aim, slope: squared + slope.answer.curvature });
  }
  return best;
}
