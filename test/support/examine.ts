/**
 * Runs a fit on a small problem and compares everything it reports, at every check, with the exact optimum. Throws at the first
 * certificate, bound or number that is false.
 */
import { objective } from '../../lib/svm/certificate.js';
import { CERTIFIED } from '../../lib/backend/encodings.js';
import { svmTasks } from '../../lib/backend/tasks.js';
import { run } from '../../lib/solver/drivers.js';
import { regularization } from '../../lib/svm/regularization.js';
import { solveSvm, type LoopCheck } from '../../lib/svm/solve.js';
import { resolveFit } from '../../lib/input/index.js';
import { firstOf, stillHolds } from '../../lib/svm/stopping.js';
import { Dataset } from '../../lib/data/dataset.js';
import { LinearSvm } from '../../lib/svm/linear-svm.js';
import type { BackendName, SvmProgress, SvmStatus } from '../../lib/types.js';
import type { Instance } from './instances.js';
import { storedMatrix } from './stored.js';
import { compare, quad, solve, subtract, type Quads, type Truth } from './truth.js';

const UNIT = 2 ** -53;
const SCALES = { none: 0, standard: 1, maxabs: 2 };

export interface Count {
  checks: number;
  /** Certificates of single rows that were compared with the optimum. */
  claims: number;
  agreed: number;
  unsure: boolean;
  intervals: number;
  /** How the fit ended. */
  status: SvmStatus | undefined;
}

const at = (v: Quads, i: number) => [v.h[i]!, v.l[i]!] as const;

/** Whether property `bit` (CERTIFIED, method C5) holds for row i at the optimum; undefined if the optimum is too near a kink to tell. */
function holds(truth: Truth, weights: Float64Array, y: Int8Array, i: number, bit: number): boolean | undefined {
  const error = truth.thetaError[i]!;
  const [first, last] = truth.theta.map((theta) => at(theta, i)) as [readonly [number, number], readonly [number, number]];
  const both = (test: (theta: readonly [number, number]) => number, wanted: number) => {
    const found = [test(first), test(last)];
    return found.includes(0) ? undefined : found.every((f) => f === wanted);
  };
  const takesPart = weights[i]! > 0;
  const { kink } = truth;
  // Of the squared hinge, properly classified rows are those on the right side.
  if (bit === CERTIFIED.proper) return takesPart && both((theta) => compare(theta, kink ?? quad(0), error), 1);
  if (bit === CERTIFIED.zero) return takesPart && both((theta) => compare(theta, quad(1), error), 1);
  if (bit === CERTIFIED.atBound) return takesPart && kink !== undefined && both((theta) => compare(theta, kink, error), -1);
  if (truth.offsets === 'unsure') return undefined;
  return both((theta) => compare(theta, quad(0), error), bit === CERTIFIED.positive ? y[i]! : -y[i]!);
}

/** Checks the reported numbers against the optimum: dual <= optimum <= primal, and primal - optimum <= gap (method C9). */
export function bracket(
  { primal, dual, gap, relativeGap }: Reported,
  { optimum, optimumError: known }: Truth,
  where: string,
): void {
  const say = () => `${where}: primal ${primal}, dual ${dual}, gap ${gap}, relative ${relativeGap}; the optimum is ${optimum[0]}`;
  const above = subtract(quad(primal), optimum)[0];
  if (!(above >= -known)) throw new Error(`${say()}: the primal is below it by ${-above}`);
  if (!(subtract(optimum, quad(dual))[0] >= -known)) {
    throw new Error(`${say()}: the dual is above it by ${subtract(quad(dual), optimum)[0]}`);
  }
  if (!(above <= gap + known)) throw new Error(`${say()}: primal - optimum is ${above}`);
  if (gap !== primal - dual || relativeGap !== gap / primal) throw new Error(`${say()}: they do not belong together`);
}

export type Reported = Pick<SvmProgress, 'primal' | 'dual' | 'gap' | 'relativeGap'>;

/** `path`: a file for the points, which are then read from there, with small windows. */
export function examine(instance: Instance, name: BackendName, max = 60, path?: string): Count {
  const { points, labels, options, rows, cols, value } = instance;
  const count: Count = { checks: 0, claims: 0, agreed: 0, unsure: false, intervals: 0, status: undefined };
  const input = resolveFit(points, labels, { ...options, threads: options.threads ?? 1, backend: name });
  const { backend, threads, y, options: fit } = input;
  const { refuse, arguments: lists } = input.source.view!;
  const matrix = path === undefined ? new backend.Matrix(refuse, threads, ...lists) : storedMatrix(backend, path, lists, threads);
  matrix.centre(threads);
  const window = path === undefined ? 0 : 1 + (rows % 40);
  const { rowWeights: given, weightRange } = input;
  const weights = given.length === 1 ? new Float64Array(rows).fill(given[0]!) : given;
  const taking = weights.filter((one) => one > 0).length;
  const scale = SCALES[fit.scale as 'none'];
  const problem = new backend.Svm(matrix, y, given, scale, threads, 0, undefined, undefined, undefined, window);
  let { bound: gamma, mu } = { bound: NaN, mu: NaN };
  const factor = new Float64Array(cols);
  const shift = new Float64Array(cols);
  const w = new Float64Array(cols);
  const alpha = new Float64Array(rows);
  const certified = new Uint8Array(rows);
  let truth: Truth | undefined;
  const scaled = () => {
    problem.columns(factor, shift);
    truth ??= solve({ rows, cols, value, shift, factor: factor.map((f) => f || 1), y, weight: weights, gamma, mu });
    return truth;
  };
  const known = new Set<number>();

  const look = (check: LoopCheck): void => {
    const { offsets, sure, ...at } = scaled();
    count.checks++;
    count.unsure = !sure;
    count.intervals = Number(offsets === 'interval');
    if (!sure) return;
    const where = `iteration ${check.iteration}`;
    const { measured } = check;
    problem.weights(w);
    problem.alpha(alpha);
    problem.certified(certified);
    const position = at.judge(w, measured.t);
    if (!(position.distance <= measured.rho + at.error)) {
      throw new Error(`${where}: |w - w*| = ${position.distance} but rho = ${measured.rho}`);
    }
    if (!(position.excess <= measured.gap * (1 + 1e-12) + 1e-28 * at.primal)) {
      throw new Error(`${where}: P - P* = ${position.excess} but the gap is ${measured.gap}`);
    }
    const outside = alpha.findIndex((value, i) => !(value >= 0 && value <= (weights[i]! && weights[i] * gamma)));
    if (outside >= 0) throw new Error(`${where}: alpha[${outside}] = ${alpha[outside]} is not in its box`);
    let off = 0;
    let large = 0; // what 1e-16 of alpha may count for
    let size = 0; // of the largest row
    for (let i = 0; i < rows; i++) {
      if (weights[i]! > 0) off += (alpha[i]! - at.alpha[i]!) ** 2 / weights[i]!;
      if (weights[i]! > 0) large = Math.max(large, Math.max(alpha[i]!, at.alpha[i]!) / Math.sqrt(weights[i]!));
      let square = 0;
      for (let j = 0; j < cols; j++) square += ((value(i, j) - shift[j]!) * factor[j]!) ** 2;
      if (weights[i]! > 0) size = Math.max(size, Math.sqrt(square));
    }
    // A bound on the rounding of the primal, from the norm of the largest row; the mean of the rows is no larger.
    const eta = 2 * (cols + 8) * UNIT * (3 * size * measured.wNorm + Math.abs(measured.t) + 1);
    let slack = 16 * (rows + cols + 8) * UNIT * position.primal;
    weights.forEach((c, i) => {
      if (c === 0) return;
      // What bounds the slope of the row's loss: where alpha has no bound, alpha itself and how far it is from the slope.
      const steepest = Math.min(gamma, (1 + Math.abs(position.theta.h[i]!)) / mu + alpha[i]! / c);
      const err = eta + 4 * UNIT * mu * steepest; // of a margin and of what it is compared with (method C2)
      slack += c * (4 * steepest * err + (2 * err * err) / mu);
    });
    if (!(Math.sqrt(off) <= measured.delta + 4 * rows * UNIT * large)) {
      throw new Error(`${where}: |alpha - alpha*| = ${Math.sqrt(off)} but delta = ${measured.delta}`);
    }
    // The reported primal is at least the objective of this model, and exceeds it by no more than rounding.
    if (!(measured.primal >= position.primal && measured.primal - position.primal <= slack)) {
      throw new Error(`${where}: the primal is ${position.primal} but ${measured.primal} is reported`);
    }
    for (let i = 0; i < rows; i++) {
      for (const bit of Object.values(CERTIFIED)) {
        if (!(certified[i]! & bit) || bit === CERTIFIED.agreed || known.has(64 * i + bit)) continue;
        known.add(64 * i + bit);
        count.claims++;
        if (holds(scaled(), weights, y, i, bit) === false) {
          const what = Object.entries(CERTIFIED).find(([, b]) => b === bit)![0];
          throw new Error(
            `${where}: row ${i} is certified to be ${what}, but theta* is ${at.theta[0].h[i]} .. ${at.theta[1].h[i]} with kinks ${at.kink?.[0]} and 1`,
          );
        }
      }
      if (certified[i]! & CERTIFIED.agreed && !(certified[i]! & (CERTIFIED.positive | CERTIFIED.negative)))
        throw new Error(`${where}: agreed without a side`);
    }
    if (check.zero > check.properlyClassified && check.L > 0 && fit.solver.stepSize !== 'paper')
      throw new Error(`${where}: zero rows that are not proper`);
  };

  const rule = firstOf(fit.rules);
  const seen = (check: LoopCheck) => ({ ...check, ...objective(check.measured), elapsed: 0, rows: taking });
  const { warmStart } = fit;
  let checks = 0;
  const result = run(
    solveSvm(problem, svmTasks(problem), {
      scaled: true,
      L: fit.solver.stepSize,
      shrinking: fit.solver.shrinking && path === undefined,
      methods: fit.solver.methods,
      began: () => undefined,
      wantedGap: Math.max(0, ...fit.rules.map(({ relativeGap = 0 }) => relativeGap)),
      certify: 'always',
      checkEvery: fit.solver.checkEvery,
      maxIterations: fit.maxIterations,
      known: { n: taking, d: cols },
      regularize: (spread, weightSum) => {
        const asked = { gamma: input.gamma as number | undefined, mu: fit.mu, loss: fit.loss, weights: weightRange };
        const found = regularization(asked, spread, weightSum);
        ({ bound: gamma, mu } = found);
        return found;
      },
      ...(warmStart && {
        warm: function* () {
          problem.columns(factor, shift);
          const { weights: start, bias } = warmStart[0]!;
          let t = bias;
          shift.forEach((s, j) => (t += s * start[j]!));
          return { w: factor.map((f, j) => (f > 0 ? start[j]! / f : 0)), t };
        },
      }),
      decide: (check) => {
        // Every one of the first checks, then a sample.
        if (++checks <= max || checks % 17 === 0) look(check);
        return rule(seen(check));
      },
      holds: (status, check) => stillHolds(fit.rules, status, seen(check)),
      expired: () => false,
    }),
  );
  look(result.check);

  // The model that fit returns: on raw data, decision and predictOne give each agreed row the label that every optimum gives it.
  const optimum = scaled();
  const onProgress = (progress: SvmProgress) => bracket(progress, optimum, `onProgress at ${progress.iteration}`);
  const { shrinking, ...solver } = options.solver ?? {};
  void shrinking; // rows of a file stay in order
  const stored = path === undefined ? undefined : Dataset.open(path);
  const model =
    stored === undefined
      ? LinearSvm.fit(points, labels, { ...options, backend: name, onProgress })
      : LinearSvm.fit(stored, labels, { ...options, solver: { ...solver, window }, onProgress });
  if (model.info.iterations !== result.check.iteration) throw new Error('fit took another number of iterations');
  bracket(model.info, optimum, `info (${model.info.status})`);
  count.status = model.info.status;
  const values = model.decision(stored ?? points);
  for (const i of model.info.sets!.agreed) {
    count.agreed++;
    const one = model.predictOne(Array.from({ length: cols }, (_, j) => value(i, j)));
    if (one !== (values[i]! > 0 ? 1 : -1)) throw new Error(`row ${i} is agreed, but predictOne and decision differ`);
    if (optimum.sure && holds(optimum, weights, y, i, one > 0 ? CERTIFIED.positive : CERTIFIED.negative) === false) {
      throw new Error(
        `row ${i} is agreed to be ${one}, but theta* is ${optimum.theta[0].h[i]} .. ${optimum.theta[1].h[i]}, label ${y[i]}`,
      );
    }
  }
  stored?.dispose();
  problem.dispose();
  matrix.dispose();
  return count;
}
