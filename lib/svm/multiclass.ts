/**
 * Several classes: one plane a pair of them, or one a class against the rest (method 1.14).
 *
 * Problem: the planes' problems (method 1.1), all with the same gamma, mu and scale.
 * Given:   points copied once, their classes, the options of a fit.
 * Wanted:  the planes; how the fits went; and how many rows every exact optimum gives the same label as these planes.
 * Source:  pairs: U. H.-G. Kressel, in Advances in Kernel Methods, 1999, and LIBSVM; against the rest: LIBLINEAR.
 */
import type { ResolvedSvmOptions } from '../input/index.js';
import { countTasksHere, sideBySide, type Lane, type Loop } from '../solver/drivers.js';
import type { Label, StopRule, SvmInfo, SvmProgress } from '../types.js';
import { certifyLabels, type CertifiedLabels } from './label-certificate.js';
import { labelsOf, modelOf, type Model, type PlaneProof, type PlaneTable, type Sides } from './model.js';
import { infoOf, merged, together } from './plane-infos.js';
import { largest } from '../mpi/ranks.js';
import { Decisions } from './rank-decisions.js';
import { stillHolds } from './stopping.js';
import { countTaking, membersOf, takesPart } from './taking-part.js';
import { rowsOfPlane, trainPlane, type CommonParameters, type Start } from './train-plane.js';
import type { TrainingData } from './training-data.js';
import { unfitted, type FitParameters, type TrainedPlane } from './training.js';

/** Labels are certified in about 10 ms if the planes' values are sums of so many products. */
const QUICK = 2 ** 23;

/** A fit of several classes. */
export class ClassesFit<L extends Label> {
  readonly #data: TrainingData<L>;
  readonly #options: ResolvedSvmOptions;
  readonly #sides: readonly Sides[];
  readonly #table: PlaneTable;
  readonly #results: TrainedPlane[] = [];
  readonly #proofs: PlaneProof[] = [];
  #done = 0;
  /** What was found of the labels that the planes now give; undefined since a plane was replaced. */
  #certified: CertifiedLabels | undefined;

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
    // A rule of the caller's own that cannot be asked about all planes together ends each plane by itself.
    const joint = rules.filter((rule) => rule.name === 'agreement' && 'holds' in rule);
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
    const lanes = backend.name === 'native' && !this.#data.ranks ? threads : 1; // ranks must do everything in the same order
    const helpers = this.#pay(planes.length, lanes) ? lanes - 1 : 0;
    yield sideBySide(loops, lanes, this.#options.signal, helpers);
  }

  /**
   * Whether so many planes are trained faster side by side than one after the other by all threads, in a synchronous fit. Few planes would
   * leave threads idle at the end, and a small one's tasks take no longer than to hand them over. Those who watch see one plane at a time.
   */
  #pay(planes: number, lanes: number): boolean {
    const { shape, labels } = this.#data;
    const share = this.#sides[0]!.negative === undefined ? 1 : 2 / labels.length;
    const small = countTasksHere(share * (shape.stored + 8 * shape.rows) + shape.kept) > 0;
    return planes >= 2 * lanes && !small && !this.#options.onProgress;
  }

  #expired(): boolean {
    const { rankLimits, timeLimit } = this.#options;
    return new Decisions(rankLimits, this.#data.began).expired(timeLimit);
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
    const total = (values: readonly number[]) => this.#data.total(values);
    const none = unfitted({ y, rows: y.length, cols: 0, backend, threads, began, total }, this.#options, { ...others, weights });
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
    this.#results[p] = {
      ...(better ? now : before),
      info: before ? merged(before.info, now.info, better) : now.info,
      weights: this.#weights(p),
    };
    if (!better) return;
    this.#certified = undefined;
    if (before) this.#weights(p).set(now.weights);
    this.#table.biases[p] = now.bias;
    this.#proofs[p] = shared(now.proof, this.#proofs);
  }

  #progress(p: number, total: number): ResolvedSvmOptions['onProgress'] {
    const { onProgress } = this.#options;
    const { labels } = this.#data;
    const sides = labelsOf(labels, this.#sides[p]!);
    return onProgress && ((progress: SvmProgress) => onProgress({ ...progress, plane: { ...sides, done: this.#done, total } }));
  }

  /** Which labels are certain; none if the time is up and this would take long. */
  *#certify(): Loop<CertifiedLabels> {
    if (this.#certified) return this.#certified;
    const { labels, matrix, shape, backend, threads, rows } = this.#data;
    const planes = this.#sides.length;
    if (largest(this.#data.ranks, planes * shape.stored) > QUICK && this.#expired()) {
      return { certain: new Uint8Array(rows), inTheWay: new Uint32Array(planes) };
    }
    const model = { labels, table: this.#table, proofs: this.#proofs };
    const { certain, inTheWay } = yield* certifyLabels(model, this.#sides, matrix, backend, threads);
    return (this.#certified = { certain, inTheWay: Float64Array.from(this.#data.total(Array.from(inTheWay))) });
  }

  /** How many of the rows that take part have a certain label. */
  #agreed({ certain }: CertifiedLabels, weights: Float64Array): number {
    let count = 0;
    for (let i = 0; i < certain.length; i++) if (certain[i] && takesPart(weights, i)) count++;
    return this.#data.total([count])[0]!;
  }

  #holds(joint: readonly StopRule[], agreed: number, common: CommonParameters): boolean {
    const { iterations: iteration, ...check } = together(
      this.#results.map(({ info }) => info),
      this.#about(agreed, common),
    );
    return new Decisions(this.#options.rankLimits, common.began).yes(() => stillHolds(joint, 'agreement', { ...check, iteration }));
  }

  #about(agreed: number, { weights, began }: Pick<CommonParameters, 'weights' | 'began'>) {
    return { rows: this.#data.total([countTaking(weights, this.#data.rows)])[0]!, agreed, began };
  }

  #info(
    agreed: number,
    agreement: boolean,
    common: Pick<CommonParameters, 'weights' | 'began'>,
    validation?: SvmInfo['validation'],
  ): SvmInfo {
    const planes = this.#results.map(({ info }, p) => ({ ...labelsOf(this.#data.labels, this.#sides[p]!), ...info }));
    return infoOf(planes, this.#about(agreed, common), agreement, validation);
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
    return {
      model: modelOf(data.labels, sides, fit.#table, { proofs: fit.#proofs }),
      info: fit.#info(0, false, { weights: parameters.weights, began: data.began }),
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

/** The same proof with the lists of an earlier plane where they are equal: all have one scale, those against the rest one centre. */
function shared(proof: PlaneProof, earlier: readonly (PlaneProof | undefined)[]): PlaneProof {
  const known = earlier.find((other) => other !== undefined && other.slope < Infinity);
  if (!known || proof.slope === Infinity) return proof;
  const same = (a: Float64Array, b: Float64Array) => {
    if (a.length !== b.length) return a;
    for (let j = 0; j < a.length; j++) if (a[j] !== b[j]) return a;
    return b;
  };
  return { ...proof, inverseScale: same(proof.inverseScale, known.inverseScale), centre: same(proof.centre, known.centre) };
}
