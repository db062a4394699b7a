/**
 * Several classes: one plane a pair of them, or one a class against the rest (method 1.14).
 *
 * Problem: the planes' problems (method 1.1), all with the same gamma, mu and scale.
 * Given:   points copied once, their classes, the options of a fit.
 * Wanted:  the planes; how the fits went; and how many rows every exact optimum gives the same label as these planes.
 * Source:  pairs: U. H.-G. Kressel, in Advances in Kernel Methods, 1999, and LIBSVM; against the rest: LIBLINEAR.
 */
import type { ResolvedSvmOptions } from '../input/index.js';
import type { WeightRange } from '../input/weights.js';
import { countTasksHere, pause, sideBySide, type Lane, type Loop } from '../solver/drivers.js';
import type { Label, PlaneInfo, StopRule, SvmInfo, SvmProgress, SvmStage, SvmStatus } from '../types.js';
import { certifyLabels, type CertifiedLabels } from './label-certificate.js';
import { modelOf, type Model, type PlaneProof, type PlaneTable, type Sides } from './model.js';
import { stillHolds } from './stopping.js';
import { classOf, countTaking, membersOf, takesPart } from './taking-part.js';
import type { TrainingData } from './training-data.js';
import { Training, unfitted, type FitParameters, type TrainedPlane } from './training.js';

/** Labels are certified in about 10 ms if the planes' values are sums of so many products. */
const QUICK = 2 ** 23;

/** What the planes of a fit share. */
export interface CommonParameters {
  readonly gamma: number;
  /** 1 / scale by column that is kept, from all rows that take part. */
  readonly inverseScale: Float64Array;
  /** By row, or one for all rows. Rows of weight 0 take no part. */
  readonly weights: Float64Array;
  readonly weightRange: WeightRange;
  /** By class, the rows that take part, ascending. */
  readonly members: readonly Uint32Array[];
  readonly began: number;
}

/** Where a plane is to start. */
type Start = FitParameters['warmStart'];

/** The rows of a plane's problem, ±1 for each, and their weights. */
export interface PlaneRows {
  /** undefined: all. */
  readonly rows: Uint32Array | undefined;
  readonly y: Int8Array;
  readonly weights: Float64Array;
}

/** `members`: by class, the rows that take part, ascending. */
export function rowsOfPlane(
  data: Pick<TrainingData<Label>, 'y' | 'classes'>,
  members: readonly Uint32Array[],
  weights: Float64Array,
  { positive, negative }: Sides,
): PlaneRows {
  if (negative === undefined) {
    const y = new Int8Array(data.y.length);
    for (let i = 0; i < y.length; i++) y[i] = classOf(data, i) === positive ? 1 : -1;
    return { rows: undefined, y, weights };
  }
  const [up, down] = [members[positive]!, members[negative]!];
  const rows = new Uint32Array(up.length + down.length);
  const y = new Int8Array(rows.length);
  for (let a = 0, b = 0, k = 0; k < rows.length; k++) {
    const isUp = b === down.length || (a < up.length && up[a]! < down[b]!);
    rows[k] = isUp ? up[a++]! : down[b++]!;
    y[k] = isUp ? 1 : -1;
  }
  return { rows, y, weights: weights.length === 1 ? weights : Float64Array.from(rows, (i) => weights[i]!) };
}

/** One plane: its problem, solved and released. `out`: where its weights are written. */
export function* trainPlane(
  data: TrainingData<Label>,
  options: ResolvedSvmOptions,
  { gamma, inverseScale, weights: all, weightRange, members, began }: CommonParameters,
  side: Sides,
  { number: lane, busy, signal }: Lane,
  warmStart: Start,
  out: Float64Array,
): Loop<TrainedPlane> {
  const { rows, y, weights } = rowsOfPlane(data, members, all, side);
  const { stored, kept } = data.matrix.describe();
  const share = countTaking(weights, y.length) / data.rows;
  const tasksHere = countTasksHere(share * (stored + 8 * data.rows) + kept);
  const training = new Training(data, options, {
    gamma,
    inverseScale,
    rows,
    weights,
    weightRange,
    y,
    warmStart,
    tasksHere,
    threads: data.threads - busy() + 1, // the pool that helps a fit serves one at a time, so at most `threads` work at any moment
    lane,
    signal,
    began,
  });
  try {
    if (tasksHere > 0) yield pause(); // its first tasks run on this thread
    return yield* training.finish(yield* training.loop(), out);
  } finally {
    training.release();
  }
}

/** A fit of several classes. */
export class ClassesFit<L extends Label> {
  readonly #data: TrainingData<L>;
  readonly #options: ResolvedSvmOptions;
  readonly #sides: readonly Sides[];
  readonly #table: PlaneTable;
  readonly #results: TrainedPlane[] = [];
  readonly #proofs: PlaneProof[] = [];
  #done = 0;

  constructor(data: TrainingData<L>, options: ResolvedSvmOptions, sides: readonly Sides[]) {
    this.#data = data;
    this.#options = options;
    this.#sides = sides;
    this.#table = { weights: new Float64Array(sides.length * data.cols), biases: new Float64Array(sides.length) };
  }

  /** Trains all planes, and then those on whose account labels are not certain, if a rule of agreement asks for it. */
  *run(
    common: CommonParameters,
    starts: readonly Start[],
    validation: SvmInfo['validation'],
  ): Loop<{ model: Model<L>; info: SvmInfo }> {
    const { rules } = this.#options;
    yield* this.#train(
      this.#sides.map((_, p) => p),
      common,
      rules,
      starts,
    );
    let labels = yield* this.#certify();
    let agreed = this.#agreed(labels, common.weights);
    const joint = rules.filter(({ name }) => name === 'agreement');
    while (joint.length > 0 && !this.#holds(joint, agreed, common)) {
      const open = this.#results.flatMap(({ info }, p) => (info.status === 'agreement' ? [p] : []));
      if (open.length === 0) break;
      // Once the planes in the way have gone as far as they may, the others follow: a status is about all planes.
      const blocking = open.filter((p) => labels.inTheWay[p]! > 0);
      const others = rules.filter((rule) => !joint.includes(rule));
      const goal = blocking.length > 0 ? (p: number) => this.#results[p]!.info.relativeGap / 8 : () => 0;
      const chosen = blocking.length > 0 ? blocking : open;
      yield* this.#train(chosen, common, (p) => [...others, further(goal(p))], this.#results);
      labels = yield* this.#certify();
      agreed = this.#agreed(labels, common.weights);
    }
    return {
      model: modelOf(this.#data.labels, this.#sides, this.#table, { proofs: this.#proofs }),
      info: this.#info(agreed, joint.length > 0 && this.#holds(joint, agreed, common), common, validation),
    };
  }

  /** Trains some of the planes side by side. */
  *#train(
    planes: readonly number[],
    common: CommonParameters,
    rules: readonly StopRule[] | ((p: number) => readonly StopRule[]),
    starts: readonly Start[],
  ): Loop<void> {
    const { backend, threads, cols } = this.#data;
    this.#done = 0;
    const loops = planes.map((p) => {
      const before = this.#results[p];
      const options = {
        ...this.#options,
        rules: typeof rules === 'function' ? rules(p) : rules,
        maxIterations: this.#options.maxIterations - (before?.info.iterations ?? 0), // a limit for all runs of a plane together
        onProgress: this.#progress(p, planes.length),
      };
      return function* (this: ClassesFit<L>, lane: Lane): Loop<void> {
        if (before && options.maxIterations < 1) {
          this.#results[p] = { ...before, info: { ...before.info, status: 'max-iterations' } };
        } else if (this.#expired()) {
          this.#results[p] = before ? { ...before, info: { ...before.info, status: 'time-limit' } } : this.#unfitted(p, common);
        } else {
          // A plane that goes on stays as it is until a better one is there: the time may be up before the first check.
          const out = before ? new Float64Array(cols) : this.#weights(p);
          this.#keep(p, yield* trainPlane(this.#data, options, common, this.#sides[p]!, lane, starts[p], out));
        }
        this.#done++;
      }.bind(this);
    });
    yield sideBySide(loops, backend.name === 'native' ? threads : 1, this.#options.signal);
  }

  #expired(): boolean {
    return performance.now() - this.#data.began >= this.#options.timeLimit;
  }

  /** A plane whose turn did not come in time. */
  #unfitted(
    p: number,
    {
      weights: all,
      members,
      ...others
    }: Pick<CommonParameters, 'weights' | 'members' | 'weightRange'> & { gamma: number | undefined },
  ) {
    const { y, weights } = rowsOfPlane(this.#data, members, all, this.#sides[p]!);
    const { backend, threads, began } = this.#data;
    const none = unfitted({ y, rows: y.length, cols: 0, backend, threads, began }, this.#options, { ...others, weights });
    this.#proofs[p] = none.proof;
    this.#table.biases[p] = none.bias;
    return none;
  }

  #weights(p: number): Float64Array {
    const { cols } = this.#data;
    return this.#table.weights.subarray(p * cols, (p + 1) * cols);
  }

  /** Takes over what a run found, unless the plane was nearer to its optimum before. */
  #keep(p: number, now: TrainedPlane): void {
    const before = this.#results[p];
    const better = !before || now.info.relativeGap < before.info.relativeGap;
    this.#results[p] = { ...merged(before, now, better), weights: this.#weights(p) };
    if (!better) return;
    if (before) this.#weights(p).set(now.weights);
    this.#table.biases[p] = now.bias;
    this.#proofs[p] = shared(now.proof, this.#proofs);
  }

  #progress(p: number, total: number): ResolvedSvmOptions['onProgress'] {
    const { onProgress } = this.#options;
    const { labels } = this.#data;
    const { positive, negative } = this.#sides[p]!;
    const sides = { positive: labels[positive]!, ...(negative !== undefined && { negative: labels[negative]! }) };
    return onProgress && ((progress: SvmProgress) => onProgress({ ...progress, plane: { ...sides, done: this.#done, total } }));
  }

  /** Which labels are certain; none if the time is up and this would take long. */
  *#certify(): Loop<CertifiedLabels> {
    const { labels, matrix, backend, threads, rows } = this.#data;
    const planes = this.#sides.length;
    if (this.#expired() && planes * matrix.describe().stored > QUICK) {
      return { certain: new Uint8Array(rows), inTheWay: new Uint32Array(planes) };
    }
    return yield* certifyLabels({ labels, table: this.#table, proofs: this.#proofs }, this.#sides, matrix, backend, threads);
  }

  /** How many of the rows that take part have a certain label. */
  #agreed({ certain }: CertifiedLabels, weights: Float64Array): number {
    let count = 0;
    for (let i = 0; i < certain.length; i++) if (certain[i] && takesPart(weights, i)) count++;
    return count;
  }

  #holds(joint: readonly StopRule[], agreed: number, common: CommonParameters): boolean {
    const together = this.#together(agreed, common);
    return stillHolds(joint, 'agreement', { ...together, iteration: together.iterations });
  }

  /** The numbers of all planes together. Counts other than `agreed` are of the rows of each plane. */
  #together(agreed: number, { weights, began }: CommonParameters) {
    const infos = this.#results.map(({ info }) => info);
    const sum = (of: (info: SvmInfo) => number) => infos.reduce((total, info) => total + of(info), 0);
    const rows = countTaking(weights, this.#data.rows);
    // Bounds of the planes' objectives added up: moved outwards by more than their sums are rounded, which keeps them bounds (method C9).
    const spare = 2 * infos.length * 2 ** -53;
    const primal = Math.min(sum((info) => info.primal) * (1 + spare), Number.MAX_VALUE);
    const dual = sum((info) => info.dual) - spare * sum((info) => Math.abs(info.dual));
    const visited = sum((info) => info.rows);
    const counts = {
      properlyClassified: sum((info) => info.properlyClassified),
      zero: sum((info) => info.zero),
      atBound: sum((info) => info.atBound),
    };
    const iterations = sum((info) => info.iterations);
    return {
      iterations,
      elapsed: performance.now() - began,
      passes: sum((info) => info.passes * (info.rows / rows)),
      primal,
      dual,
      gap: primal - dual,
      relativeGap: infos.reduce((max, info) => Math.max(max, info.relativeGap), 0),
      rows,
      agreed,
      ...counts,
      shares: {
        agreed: agreed / rows,
        properlyClassified: counts.properlyClassified / visited,
        zero: counts.zero / visited,
        atBound: counts.atBound / visited,
      },
      L: infos.reduce((max, info) => Math.max(max, info.L), 0),
    };
  }

  #info(agreed: number, agreement: boolean, common: CommonParameters, validation: SvmInfo['validation']): SvmInfo {
    const { labels } = this.#data;
    const together = this.#together(agreed, common);
    const planes = this.#results.map(({ info }, p): PlaneInfo => {
      const { positive, negative } = this.#sides[p]!;
      return { positive: labels[positive]!, ...(negative !== undefined && { negative: labels[negative]! }), ...info };
    });
    const first = planes[0]!;
    return {
      status: agreement ? 'agreement' : worstOf(planes.map(({ status }) => status)),
      ...together,
      method: first.method,
      stages: stagesOf(planes, together.rows),
      loss: first.loss,
      gamma: first.gamma,
      mu: first.mu,
      scale: first.scale,
      backend: first.backend,
      threads: first.threads,
      planes,
      ...(validation && { validation }),
    };
  }

  /** The result if the time was up before there was a problem to solve. */
  static unfitted<L extends Label>(
    data: TrainingData<L>,
    options: ResolvedSvmOptions,
    sides: readonly Sides[],
    parameters: Pick<FitParameters, 'gamma' | 'weights' | 'weightRange'>,
  ): { model: Model<L>; info: SvmInfo } {
    const fit = new ClassesFit(data, options, sides);
    const members = membersOf(data, parameters.weights);
    sides.forEach((_, p) => (fit.#results[p] = fit.#unfitted(p, { ...parameters, members })));
    const common = { ...parameters, members, gamma: NaN, inverseScale: new Float64Array(0), began: data.began };
    return {
      model: modelOf(data.labels, sides, fit.#table, { proofs: fit.#proofs }),
      info: fit.#info(0, false, common, undefined),
    };
  }
}

/** Ends a plane's run at a smaller gap than before; its status says that it may have to go on. */
function further(relativeGap: number): StopRule {
  const holds: StopRule['holds'] = (check) => check.relativeGap <= relativeGap;
  return {
    name: 'agreement',
    everyIteration: false,
    proofs: false,
    relativeGap,
    start: () => (check) => (holds(check) ? 'agreement' : undefined),
    holds,
  };
}

/** A plane's result after another run that went on from the first: the story of both runs, and the numbers of the better one. */
function merged(before: TrainedPlane | undefined, now: TrainedPlane, better: boolean): TrainedPlane {
  if (!before) return now;
  const plane = better ? now : before;
  const info: SvmInfo = {
    ...plane.info,
    status: now.info.status,
    elapsed: now.info.elapsed,
    method: now.info.method,
    iterations: before.info.iterations + now.info.iterations,
    passes: before.info.passes + now.info.passes,
    stages: [...before.info.stages, ...now.info.stages],
  };
  return { ...plane, info };
}

/** The same proof with lists that an earlier plane has too, where they are equal: all planes have one scale, those against the rest one centre. */
function shared(proof: PlaneProof, earlier: readonly (PlaneProof | undefined)[]): PlaneProof {
  const known = earlier.find((other) => other !== undefined && other.slope < Infinity);
  if (!known || proof.slope === Infinity) return proof;
  const same = (a: Float64Array, b: Float64Array) => (a.length === b.length && a.every((x, j) => x === b[j]) ? b : a);
  return { ...proof, inverseScale: same(proof.inverseScale, known.inverseScale), centre: same(proof.centre, known.centre) };
}

const WORST: readonly SvmStatus[] = ['time-limit', 'max-iterations', 'precision', 'stale', 'agreement', 'gap'];

/** What is true of all planes. */
export function worstOf(statuses: readonly SvmStatus[]): SvmStatus {
  return WORST.find((status) => statuses.includes(status))!;
}

/** The stages of all planes, those of a method together; passes over all `rows`. */
function stagesOf(planes: readonly SvmInfo[], rows: number): SvmStage[] {
  const byMethod = new Map<SvmStage['method'], { iterations: number; passes: number }>();
  for (const plane of planes) {
    for (const { method, iterations, passes } of plane.stages) {
      const so = byMethod.get(method) ?? { iterations: 0, passes: 0 };
      byMethod.set(method, { iterations: so.iterations + iterations, passes: so.passes + passes * (plane.rows / rows) });
    }
  }
  return [...byMethod].map(([method, counts]) => ({ method, ...counts }));
}
