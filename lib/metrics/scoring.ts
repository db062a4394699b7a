/** What a cross-validation can be decided by: metrics by name. */
import type { ClassLabels } from '../input/labels.js';
import type { Metric } from '../types.js';
import { overall, rankingOf, type Predictions } from './score-of.js';
import { brierOf, logLossOf } from './probability-scores.js';
import { averagePrecisionOf, rocAucOf, type Ranking } from './ranking.js';
import { accuracyOf, balancedAccuracyOf, classScore, macroOf, matthewsOf, weightedOf, type Tally } from './tally.js';

/** What was predicted for the rows of a fold. */
export interface FoldPredictions {
  readonly labels: ClassLabels;
  readonly tally: Tally;
  /** By row, with decision values; only for scorers that need them. */
  readonly rows: (Predictions & { readonly values: Float64Array }) | undefined;
}

export interface Scorer {
  /** Whether a smaller number is better. */
  readonly isLoss: boolean;
  /** Whether it needs predictions by row, rather than counts alone. */
  readonly byRow: boolean;
  /** Whether it needs rows of two classes at least. */
  readonly ranks: boolean;
  /** Whether it is about the second one of two classes. */
  readonly ofTwo: boolean;
  /** Whether it needs probabilities. @default false */
  readonly probabilities?: boolean;
  readonly of: (fold: FoldPredictions) => number;
}

/** A metric of counts by class. */
function counted(of: (tally: Tally) => number, ofTwo = false): Scorer {
  return { isLoss: false, byRow: false, ranks: false, ofTwo, of: ({ tally }) => of(tally) };
}

/** A metric of rankings: of two classes, the second one's; of more, the mean over those that have rows. */
function ranked(of: (ranking: Ranking) => number | undefined): Scorer {
  return {
    isLoss: false,
    byRow: true,
    ranks: true,
    ofTwo: false,
    of: ({ labels, rows }) => {
      const { values } = rows!;
      return overall(labels.map((_, k) => (labels.length === 2 && k === 0 ? undefined : of(rankingOf(rows!, values, k)))))!;
    },
  };
}

/** A loss of probabilities. */
function probable(of: typeof logLossOf): Scorer {
  return {
    isLoss: true,
    byRow: true,
    ranks: false,
    ofTwo: false,
    probabilities: true,
    of: ({ labels, rows }) => of(labels.length, rows!.actual, rows!.probabilities!),
  };
}

export const METRICS: Readonly<Record<Metric, Scorer>> = {
  accuracy: counted(accuracyOf),
  balancedAccuracy: counted(balancedAccuracyOf),
  precision: counted((tally) => classScore(tally, 1).precision, true),
  recall: counted((tally) => classScore(tally, 1).recall, true),
  f1: counted((tally) => classScore(tally, 1).f1, true),
  f1Macro: counted((tally) => macroOf(tally).f1),
  f1Weighted: counted((tally) => weightedOf(tally).f1),
  matthews: counted(matthewsOf),
  rocAuc: ranked(rocAucOf),
  averagePrecision: ranked(averagePrecisionOf),
  logLoss: probable(logLossOf),
  brier: probable(brierOf),
};
