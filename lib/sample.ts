/**
 * A start for a fit: the solution of a sample of its rows, itself started from a sample of the sample, and so on. A row of the sample
 * stands for `factor` rows: with gamma times, and mu divided by it, the sample's problem is the whole one's in expectation.
 * What is proved later does not depend on where a fit started.
 */
import type { LoopResult } from './fista.js';
import { HUGE, type Fit } from './input/index.js';
import { stop } from './stopping.js';
import { Training, type Particulars, type Prepared } from './training.js';
import type { Label } from './types.js';

/** One row in so many. */
const EVERY = 8;
/** Smaller samples, or fewer rows of a class, say too little. */
const LEAST = 128;
const LEAST_OF_CLASS = 8;
/** The whole bends a little more than the sample did where it ended. */
const HEADROOM = 1.5;
/** Where a sample's fit ends: its own optimum is not the aim. */
const RULES = [stop.gap(0.02)];
const MOST_ITERATIONS = 40;

/** Where a fit starts from. */
export type Start = Pick<Particulars, 'warmStart' | 'firstL' | 'readBefore'>;

/** Yields trainings, the smallest sample's first, and receives how they ended. */
export function* startFromSamples<L extends Label>(
  data: Prepared<L>,
  fit: Fit,
  own: Particulars,
): Generator<Training<L>, Start, LoopResult> {
  let start: Start = {};
  for (const { weights, y, factor, most } of samples(data.y, own.weights).reverse()) {
    if (!(own.gamma * factor * most < HUGE)) continue;
    const training = new Training(
      data,
      {
        ...fit,
        rules: RULES,
        checkEvery: 5,
        maxIterations: Math.min(MOST_ITERATIONS, fit.maxIterations),
        keepSets: false,
        onProgress: undefined,
      },
      {
        ...own,
        ...start,
        gamma: own.gamma * factor,
        mu: own.mu / factor,
        weights,
        y,
        ...(start.firstL && { firstL: start.firstL / factor }),
      },
    );
    try {
      const end = yield training;
      start = { warmStart: training.model(end), firstL: HEADROOM * end.check.L * factor, readBefore: training.read };
    } finally {
      training.release();
    }
  }
  return start;
}

interface Sample {
  /** 0 for rows that are not in it. */
  readonly weights: Float64Array;
  readonly y: Int8Array;
  readonly factor: number;
  /** The largest of the weights. */
  readonly most: number;
}

/** Each a sample of the one before. (Loops, as rows may be many.) */
function samples(y: Int8Array, given: Float64Array): Sample[] {
  const rows = y.length;
  const last = given.length - 1; // 0: one for all
  let whole = 0;
  for (let i = 0; i < rows; i++) if (given[Math.min(i, last)]! > 0) whole++;
  const found: Sample[] = [];
  for (let share = 2 ** 32 / EVERY; (whole * share) / 2 ** 32 >= LEAST; share /= EVERY) {
    const sample = { weights: new Float64Array(rows), y: new Int8Array(rows) };
    let [positive, negative, most] = [0, 0, 0];
    for (let i = 0; i < rows; i++) {
      if (scattered(i) >= share) continue;
      const weight = given[Math.min(i, last)]!;
      if (!(weight > 0)) continue;
      sample.weights[i] = weight;
      sample.y[i] = y[i]!;
      if (weight > most) most = weight;
      if (y[i]! > 0) positive++;
      else negative++;
    }
    if (Math.min(positive, negative) < LEAST_OF_CLASS) break;
    found.push({ ...sample, factor: whole / (positive + negative), most });
  }
  return found;
}

/** 32 bits that look random, so that no pattern in the order of rows is mistaken for the whole. */
function scattered(i: number): number {
  let h = Math.imul(i ^ 0x9e3779b9, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16), 0x27d4eb2f);
  return (h ^ (h >>> 15)) >>> 0;
}
