/**
 * A start for a fit: the solution of a sample of its rows, itself started from a sample of the sample, and so on. A row of the sample
 * stands for `factor` rows: with gamma times, and mu divided by it, the sample's problem is the whole one's in expectation.
 * What is proved later does not depend on where a fit started.
 */
import { coded } from './errors.js';
import type { LoopResult } from './fista.js';
import { HUGE, type Fit } from './input/index.js';
import { stop } from './stopping.js';
import { countPositive, Training, type Particulars, type Trainable } from './training.js';
import type { Label } from './types.js';

/** One row in so many. */
const EVERY = 8;
/** Smaller samples, fewer rows of a class, or fewer than half as many as there are columns, say too little. */
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
  data: Trainable<L>,
  fit: Fit,
  own: Particulars,
): Generator<Training<L>, Start, LoopResult> {
  // A weight so small that gamma times it is 0 takes no part.
  const given = own.weights.length === 1 ? own.weights : own.weights.map((weight) => (own.gamma * weight > 0 ? weight : 0));
  const levels = samples(data, given);
  try {
    let start: Start = {};
    for (const { sample, weights, factor, most } of levels.toReversed()) {
      if (!(own.gamma * factor * most < HUGE)) continue;
      const training = new Training(
        sample,
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
  } finally {
    for (const { sample } of levels) sample.matrix.dispose();
  }
}

interface Level<L extends Label> {
  readonly sample: Trainable<L>;
  /** By row, or one for all. */
  readonly weights: Float64Array;
  /** The rows that one of them stands for. */
  readonly factor: number;
  /** The largest of the weights. */
  readonly most: number;
}

/** Each a sample of the one before. (Loops, as rows may be many.) */
function samples<L extends Label>(data: Trainable<L>, given: Float64Array): Level<L>[] {
  const whole = given.length === 1 ? data.rows : countPositive(given);
  const levels: Level<L>[] = [];
  const least = Math.max(LEAST, data.cols / 2);
  for (let left = whole / EVERY; left >= least; left /= EVERY) {
    const { sample: from, weights } = levels.at(-1) ?? { sample: data, weights: given };
    const level = sampleOf(from, weights, levels.length, whole);
    if (level === undefined) break;
    levels.push(level);
  }
  return levels;
}

function sampleOf<L extends Label>(from: Trainable<L>, given: Float64Array, depth: number, whole: number): Level<L> | undefined {
  const { y, rows } = from;
  const chosen = new Uint32Array(rows);
  let [m, positive] = [0, 0];
  for (let i = 0; i < rows; i++) {
    if (scattered(i, depth) >= 2 ** 32 / EVERY || (given.length > 1 && !(given[i]! > 0))) continue;
    chosen[m++] = i;
    if (y[i]! > 0) positive++;
  }
  if (Math.min(positive, m - positive) < LEAST_OF_CLASS) return undefined;
  const list = chosen.slice(0, m);
  const sampleY = new Int8Array(m);
  const weights = given.length > 1 ? new Float64Array(m) : given;
  let most = weights[0]!;
  for (let k = 0; k < m; k++) {
    sampleY[k] = y[list[k]!]!;
    if (given.length === 1) continue;
    weights[k] = given[list[k]!]!;
    most = Math.max(most, weights[k]!);
  }
  const matrix = new from.backend.Matrix(never, from.threads, from.matrix, list);
  return { sample: { ...copyOf(from), matrix, rows: m, y: sampleY }, weights, factor: whole / m, most };
}

/** A Prepared has more than this, and a release of its own. */
function copyOf<L extends Label>({ backend, threads, cols, labels }: Trainable<L>) {
  return { backend, threads, cols, labels };
}

function never(): never {
  throw coded(Error, 'ERR_POINTS', 'Expected points that were checked before');
}

/** 32 bits that look random, so that no pattern in the order of rows is mistaken for the whole. */
function scattered(i: number, depth: number): number {
  let h = Math.imul(i ^ (0x9e3779b9 * (depth + 1)), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16), 0x27d4eb2f);
  return (h ^ (h >>> 15)) >>> 0;
}
