/**
 * gamma: 'auto' (method 3).
 *
 * Problem: a gamma with a good accuracy on rows that were not trained on.
 * Given:   points and labels, copied; the options of the fit.
 * Wanted:  gamma, the table it was picked from, and a model to start the fit from.
 * Source:  cross-validation with the one-standard-error rule, L. Breiman et al., Classification and Regression Trees (1984).
 */
import { PATH } from '../input/resolve-cross-validation.js';
import { QUICK_FOLDS, type ResolvedSvmOptions } from '../input/resolve-fit.js';
import { AUTO } from '../input/solver-options.js';
import { pause, type Loop } from '../solver/drivers.js';
import { stop } from '../svm/stopping.js';
import { membersOf } from '../svm/taking-part.js';
import type { TrainingData } from '../svm/training-data.js';
import type { FitParameters } from '../svm/training.js';
import type { GammaScore, Label, SvmInfo } from '../types.js';
import { deal } from './folds.js';
import { inTime, Trial } from './trial.js';
import { Random } from './random.js';

/** The result of a quick cross-validation. */
export interface Choice {
  readonly gamma: number;
  readonly validation: NonNullable<SvmInfo['validation']>;
  /** A model of some of the rows, for the fit to start from. */
  readonly warmStart: NonNullable<FitParameters['warmStart']>;
}

/** Chooses gamma by a quick cross-validation. */
export function* chooseGamma(data: TrainingData<Label>, fit: ResolvedSvmOptions): Loop<Choice> {
  const quick = yield* Quick.from(data, fit);
  yield* quick.trial.run();
  return quick.choice();
}

const QUICK_ROWS = 4096;

/**
 * A cross-validation with few folds, few rows and a loose stop. What matters is gamma times the number of rows, so on a sample of m of n
 * rows gamma n/m is tried for gamma.
 */
class Quick {
  readonly trial: Trial;
  readonly #rows: number; // that take part in the fit
  readonly #sample: number; // of them here

  private constructor(trial: Trial, rows: number, sample: number) {
    this.trial = trial;
    this.#rows = rows;
    this.#sample = sample;
  }

  /** Pauses now and then, so that the event loop is not blocked for long even if rows are many. */
  static *from(data: TrainingData<Label>, fit: ResolvedSvmOptions): Loop<Quick> {
    const breather = pause(() => inTime(data, fit));
    const { byRow } = fit.weights;
    const random = new Random(0);
    const classes = membersOf(data.y, byRow);
    const rows = classes[0].length + classes[1].length;
    const share = Math.min(1, QUICK_ROWS / rows);
    const chosen = new Uint8Array(data.rows);
    let sample = 0;
    for (const members of classes) {
      yield breather;
      const take = Math.max(Math.round(share * members.length), QUICK_FOLDS);
      for (const i of random.shuffle(members).subarray(0, take)) chosen[i] = 1;
      sample += take;
    }
    const fold = yield* deal(data.y, chosen, QUICK_FOLDS, random, breather);
    const factor = rows / sample;
    const common: ResolvedSvmOptions = {
      ...fit,
      ...(fit.mu !== undefined && { mu: fit.mu / factor }),
      solver: AUTO,
      rules: [stop.agreement(0.99), stop.gap(1e-2)],
      keepSets: false,
      onProgress: undefined,
    };
    const gammas = PATH.map((product) => product / sample);
    yield breather;
    const trial = new Trial(data, common, gammas, fold, { balanced: false, onProgress: undefined }, data.began);
    return new Quick(trial, rows, sample);
  }

  choice(): Choice {
    const { table, pick } = this.trial.result();
    const back = ({ gamma, ...score }: GammaScore) => ({ gamma: (gamma * this.#sample) / this.#rows, ...score });
    return {
      gamma: back(pick).gamma,
      validation: { rows: this.#sample, folds: QUICK_FOLDS, table: table.map(back) },
      warmStart: this.trial.models[table.indexOf(pick)]!,
    };
  }
}
