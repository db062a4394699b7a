/**
 * Fits several classes on a small problem, solves every plane's problem exactly, and holds what is certified of labels against the exact
 * planes: of all rows, and of new points (method C11), by the model and by what JSON keeps of it. Throws at the first claim that is false.
 */
import { svmTasks } from '../../lib/backend/tasks.js';
import { Dataset } from '../../lib/data/dataset.js';
import { resolveFit } from '../../lib/input/index.js';
import type { PlaneBounds } from '../../lib/svm/certificate.js';
import { LinearSvm, type Fitted } from '../../lib/svm/linear-svm.js';
import { decisionOf, sidesOf, type Plane, type PlaneProof, type Sides } from '../../lib/svm/model.js';
import { defaultGamma } from '../../lib/svm/regularization.js';
import type { BackendName, Points, SvmInfo, SvmStatus } from '../../lib/types.js';
import type { ClassInstance } from './class-instances.js';
import { bracket } from './examine.js';
import { inForm, type Instance } from './instances.js';
import { normal, random } from './random.js';
import { add, multiply, negate, quad, solve, subtract, type Decision, type Quad, type Truth } from './truth.js';

const SCALES = { none: 0, standard: 1, maxabs: 2 };

export interface ClassCount {
  planes: number;
  /** Planes whose optimum is not known well enough to judge labels by. */
  unsurePlanes: number;
  /** Planes whose optimal offsets form an interval. */
  intervals: number;
  /** Values of exact planes that were found within their bounds. */
  values: number;
  rows: number;
  certifiedRows: number;
  points: number;
  certifiedPoints: number;
  /** Rows and points certified by the model that was read back, and by the one of 32-bit weights. */
  certifiedRead: number;
  certifiedSingle: number;
  /** Certified labels that the exact planes neither confirm nor refute. */
  unsure: number;
  status: SvmStatus | undefined;
}

/** Something that was claimed is false. */
export class FalseClaim extends Error {}

/** The exact twin of one plane of the fit. */
interface ExactPlane {
  readonly sides: Sides;
  readonly truth: Truth;
  /** Whether its exact values are known. */
  readonly known: boolean;
}

/**
 * Changes what is proved of planes: with smaller bounds there must be false claims, of planes' values or of labels. Without `change`, the
 * planes of 32-bit weights get the bounds of those that they were rounded from.
 */
export interface Control {
  readonly change?: (proof: PlaneProof) => Partial<PlaneProof>;
  readonly examine: 'values' | 'labels';
}

/** A model whose certificates are examined, and what is proved of its planes. */
interface Examined {
  readonly name: 'fitted' | 'read' | 'single';
  readonly model: LinearSvm<number>;
  readonly proofs: readonly PlaneProof[];
}

/** What JSON keeps of a model; undefined if there are no proofs to keep, or if weights are beyond 32 bits. */
function readBack(model: Fitted<number>, name: 'read' | 'single'): Examined | undefined {
  try {
    const json = model.toJSON({ proofs: true, precision: name === 'single' ? 'f32' : 'f64' });
    const read = LinearSvm.fromJSON<number>(JSON.parse(JSON.stringify(json)));
    const { proofs } = LinearSvm.modelOf(read);
    return proofs && { name, model: read, proofs };
  } catch (error) {
    if (name === 'single' && (error as Error).message.includes('32 bits')) return undefined;
    throw error;
  }
}

/** What was asked for, as the fit resolves it, and what the planes share: measured here as the training does it. */
function problemOf({ points, labels, options, rows, cols }: ClassInstance, name: BackendName) {
  const input = resolveFit(points, labels, { ...options, backend: name });
  const { backend, threads, rowWeights, weightRange, options: fit } = input;
  const { refuse, arguments: lists } = input.source.view!;
  const matrix = new backend.Matrix(refuse, threads, ...lists);
  matrix.centre(threads);
  const problem = new backend.Svm(matrix, new Int8Array(rows).fill(1), rowWeights, SCALES[fit.scale as 'none'], threads);
  const { begin } = svmTasks(problem);
  begin.ask({ curvature: false }).perform();
  const { spread, weightSum } = begin.answer;
  const factor = new Float64Array(cols);
  const shift = new Float64Array(cols);
  problem.columns(factor, shift);
  problem.dispose();
  matrix.dispose();
  const gamma = (input.gamma as number | undefined) ?? defaultGamma(spread, weightSum, weightRange);
  const squared = fit.loss === 'squared-hinge';
  // A column that is said to be empty takes part in the exact problem, which then says that its weight is 0.
  const exactFactor = factor.map((f) => f || 1);
  // Powers of two near 1 / scale: the exact solver is given columns in these units, as products of doubles near 1e300 overflow in it.
  const unit = exactFactor.map((f) => 2 ** Math.round(Math.log2(f)));
  return {
    unit,
    weight: rowWeights.length === 1 ? new Float64Array(rows).fill(rowWeights[0]!) : rowWeights,
    factor,
    exactFactor,
    shift,
    gamma,
    bound: squared ? Infinity : gamma,
    mu: (squared ? undefined : fit.mu) ?? 1 / (2 * gamma),
  };
}

/** The exact optimum of a plane: over the rows of its classes that take part, with the scale of all rows. */
function exactPlane(instance: ClassInstance, problem: ReturnType<typeof problemOf>, { positive, negative }: Sides): Truth {
  const { labels, cols, value } = instance;
  const { weight, unit, exactFactor, shift, bound: gamma, mu } = problem;
  const own = labels.flatMap((label, i) => {
    return weight[i]! > 0 && (negative === undefined || label === positive || label === negative) ? [i] : [];
  });
  return solve({
    rows: own.length,
    cols,
    value: (k, j) => value(own[k]!, j) * unit[j]!,
    shift: shift.map((s, j) => s * unit[j]!),
    factor: exactFactor.map((f, j) => f / unit[j]!),
    y: own.map((i) => (labels[i] === positive ? 1 : -1)),
    weight: Float64Array.from(own, (i) => weight[i]!),
    gamma,
    mu,
  });
}

const isBelow = (a: Quad, b: Quad, error: number): boolean => subtract(b, a)[0] > error;

/**
 * Whether all exact planes give this class: for each choice of optimal offsets. 'unsure' if that depends on values that are not known well
 * enough.
 */
function confirms(planes: readonly ExactPlane[], values: readonly Decision[], label: number, classes: number): boolean | 'unsure' {
  const judged = [true, false].map((generous) => {
    // What is not known counts for the label, or against it.
    const room = (p: number) => (planes[p]!.known ? values[p]!.error : Infinity) * (generous ? 1 : -1);
    for (let rival = 0; rival < classes; rival++) {
      if (rival === label) continue;
      const beats =
        planes[0]!.sides.negative === undefined
          ? isBelow(values[rival]!.last, values[label]!.first, -room(rival) - room(label))
          : outvotes(planes, values, label, rival, room);
      if (!beats) return false;
    }
    return true;
  });
  return judged[1]! || (judged[0]! && 'unsure');
}

/** Whether a class certainly has more votes than a rival; or as many, and the larger sum of values; or the same sum, and comes first. */
function outvotes(
  planes: readonly ExactPlane[],
  values: readonly Decision[],
  label: number,
  rival: number,
  room: (p: number) => number,
): boolean {
  let votes = 0; // of the label, minus those of the rival, at worst
  let sum: Quad = quad(0); // of the values that decide among equal votes, at worst
  let error = 0;
  planes.forEach(({ sides: { positive, negative } }, p) => {
    const { first, last } = values[p]!;
    for (const [side, sign] of [
      [positive, 1],
      [negative, -1],
    ] as const) {
      if (side !== label && side !== rival) continue;
      // The side's own value, when the offset is the worst one for the label.
      const wantsHigh = side === label;
      const worst = sign > 0 === wantsHigh ? first : last;
      const own = sign > 0 ? worst : negate(worst);
      const spare = room(p);
      // A value of exactly 0 is a vote for the negative side.
      const wins = wantsHigh
        ? own[0] + spare > 0 || (own[0] + spare === 0 && sign < 0)
        : own[0] - spare > 0 || (own[0] - spare === 0 && sign < 0);
      votes += Number(wins) * (wantsHigh ? 1 : -1);
      sum = add(sum, wantsHigh ? own : negate(own));
      error += spare;
    }
  });
  if (votes !== 0) return votes > 0;
  const ahead = sum[0] + error;
  return ahead > 0 || (ahead === 0 && label < rival);
}

/** |(x - centre) / scale|, from below. */
function distance({ centre, inverseScale }: PlaneProof, point: readonly number[], unit: Float64Array): number {
  let sum = quad(0);
  for (let j = 0; j < centre.length; j++) {
    const off = multiply(subtract(quad(point[j]! * unit[j]!), quad(centre[j]! * unit[j]!)), quad(inverseScale[j]! / unit[j]!));
    sum = add(sum, multiply(off, off));
  }
  return Math.sqrt(Math.max(0, sum[0])) * (1 - 2 ** -51);
}

export function examineClasses(instance: ClassInstance, name: BackendName, control?: Control): ClassCount {
  const { points, labels, options, rows, cols, value } = instance;
  const count: ClassCount = {
    planes: 0,
    unsurePlanes: 0,
    intervals: 0,
    values: 0,
    rows,
    certifiedRows: 0,
    points: 0,
    certifiedPoints: 0,
    certifiedRead: 0,
    certifiedSingle: 0,
    unsure: 0,
    status: undefined,
  };
  const model = LinearSvm.fit(points, labels, { ...options, backend: name });
  const { info } = model;
  count.status = info.status;
  const proofs = LinearSvm.modelOf(model).proofs as PlaneProof[];
  const classes = model.labels.length;
  const way = model.planes[0]!.negative === undefined ? 'rest' : 'pairs';
  const problem = problemOf(instance, name);
  if (info.gamma !== problem.gamma || info.mu !== problem.mu) {
    throw new FalseClaim(`gamma ${info.gamma} and mu ${info.mu}, but ${problem.gamma} and ${problem.mu} were asked for`);
  }
  for (const { slope, inverseScale } of proofs) {
    if (slope < Infinity && inverseScale.some((f, j) => f !== problem.factor[j]))
      throw new FalseClaim('a plane has a scale of its own');
  }
  const planes = sidesOf(classes, way).map((sides): ExactPlane => {
    const truth = exactPlane(instance, problem, sides);
    return { sides, truth, known: truth.sure && truth.offsets !== 'unsure' };
  });
  count.planes = planes.length;
  count.unsurePlanes = planes.filter(({ known }) => !known).length;
  count.intervals = planes.filter(({ truth }) => truth.offsets === 'interval').length;
  examineInfo(info, planes, problem.weight);

  const examined: Examined[] = [{ name: 'fitted', model, proofs }];
  const [read, single] = [readBack(model, 'read'), readBack(model, 'single')];
  if (control?.change) proofs.forEach((proof, p) => (proofs[p] = { ...proof, ...control.change!(proof) }));
  if (read && !control) examined.push(read);
  if (single && !control) examined.push(single);
  if (single && control && !control.change) {
    const narrow = single.proofs as PlaneProof[];
    narrow.forEach((proof, p) => (narrow[p] = { ...proof, ...onlyBounds(proofs[p]!) }));
    examined.push(single);
  }

  /** Holds the certificates of points by one model against the exact planes. */
  const hold = (
    { name: from, model, proofs }: Examined,
    given: Points,
    list: readonly (readonly number[])[],
    exactValues: readonly (readonly Decision[])[],
    what: string,
  ): boolean[] => {
    const certain = model.certify(given);
    const decisions = model.decision(given);
    const predicted = model.predict(given);
    list.forEach((point, i) => {
      const where = () => `${from}: ${what} ${i} (${JSON.stringify(point)}), predicted as ${predicted[i]}`;
      if (predicted[i] !== argmax(decisions, i, classes)) throw new FalseClaim(`${where()}: it is not the argmax of the decision`);
      const exact = exactValues[i]!;
      exact.forEach(({ first, last, error }, p) => {
        const { slope, low, high } = proofs[p]!;
        if (control?.examine === 'labels' || !planes[p]!.known || !(slope < Infinity) || !Number.isFinite(first[0] + last[0]))
          return;
        const own = quad(decisionOf(model.planes[p]!, point));
        const reach = multiply(quad(slope), quad(distance(proofs[p]!, point, problem.unit)));
        const min = add(add(own, quad(low)), negate(reach));
        const max = add(add(own, quad(high)), reach);
        count.values++;
        if (isBelow(first, min, error) || isBelow(max, last, error)) {
          const found = `${first[0]} .. ${last[0]}, not in ${min[0]} .. ${max[0]}`;
          throw new FalseClaim(`${where()}: the exact value of plane ${p} is ${found}; its own is ${own[0]}`);
        }
      });
      if (!certain[i] || control?.examine === 'values') return;
      if (model.predictOne(point) !== predicted[i]) throw new FalseClaim(`${where()}: certified, but predictOne differs`);
      // The exact values of a point that is very far away may overflow.
      const finite = exact.every(({ first, last, error }) => Number.isFinite(first[0] + last[0] + error));
      const confirmed = finite ? confirms(planes, exact, predicted[i], classes) : 'unsure';
      if (confirmed === 'unsure') count.unsure++;
      if (!confirmed) {
        const values = exact.map(({ first, last }) => `${first[0]} .. ${last[0]}`).join(', ');
        throw new FalseClaim(`${where()}: certified, but the exact planes' values are ${values}`);
      }
    });
    return certain;
  };

  /** Holds what each model says of points against the exact planes; on the backend that is examined, which only a Dataset selects. */
  const examinePoints = (
    given: Instance['points'],
    at: Instance['value'],
    number: number,
    what: 'row' | 'new point',
  ): boolean[] => {
    const list = Array.from({ length: number }, (_, i) => Array.from({ length: cols }, (_, j) => at(i, j)));
    const asDataset = name === 'js' || (what === 'new point' && instance.newForm === 'dataset');
    const dataset = asDataset ? Dataset.from(given, { backend: name }) : undefined;
    try {
      const exact = list.map((point) => planes.map(({ truth }) => truth.decide(point.map((v, j) => v * problem.unit[j]!))));
      const certain: Record<string, boolean[]> = {};
      for (const one of examined) certain[one.name] = hold(one, dataset ?? given, list, exact, what);
      const { fitted, read: kept = fitted, single: narrow = [] } = certain as { fitted: boolean[] } & typeof certain;
      if (fitted.some((yes, i) => yes !== kept[i])) throw new FalseClaim(`what was read certifies other ${what}s`);
      if (certain['read']) count.certifiedRead += kept.filter(Boolean).length;
      count.certifiedSingle += narrow.filter(Boolean).length;
      return fitted;
    } finally {
      dataset?.dispose();
    }
  };

  const certain = examinePoints(points, value, rows, 'row');
  count.certifiedRows = certain.filter((yes, i) => yes && problem.weight[i]! > 0).length;
  if (classes > 2 && !control && info.agreed > count.certifiedRows) {
    throw new FalseClaim(`${info.agreed} rows are agreed, but ${count.certifiedRows} are certified`);
  }

  const exactAt = (p: number, point: readonly number[]) =>
    planes[p]!.truth.decide(point.map((v, j) => v * problem.unit[j]!)).first[0];
  const lists = function* () {
    yield* newPoints(instance, model, problem.factor);
    for (const { name: from, model, proofs } of examined) {
      if (from === 'read') continue; // the same planes
      for (const [p, { truth }] of planes.entries())
        yield* aimed(model.planes[p]!, proofs[p]!, truth.w, (point) => exactAt(p, point));
    }
  };
  for (const list of lists()) {
    const x = Float64Array.from(list.flat());
    if (!x.every(Number.isFinite)) continue; // columns near 1e300, and a point beyond them
    const stored = inForm(instance.newForm === 'dataset' ? 'f64' : instance.newForm, x, list.length, cols, () => 0);
    count.points += list.length;
    try {
      const found = examinePoints(stored.points, stored.value, list.length, 'new point');
      count.certifiedPoints += found.filter(Boolean).length;
    } catch (error) {
      // A value that overflows is refused, and nothing is certified of it then.
      if ((error as { code?: string }).code !== 'ERR_POINTS') throw error;
    }
  }
  return count;
}

function onlyBounds({ slope, low, high, norm }: PlaneProof): PlaneBounds {
  return { slope, low, high, norm };
}

function argmax(values: Float64Array, i: number, classes: number): number {
  if (classes === 2) return values[i]! > 0 ? 1 : 0;
  const own = values.subarray(i * classes, (i + 1) * classes);
  return own.indexOf(Math.max(...own));
}

/** The numbers of `info`: each plane's hold for its exact optimum, and those of all planes for the sum of the optima. */
function examineInfo(info: SvmInfo, planes: readonly ExactPlane[], weight: Float64Array): void {
  if (planes.length === 1) return bracket(info, planes[0]!.truth, 'info');
  const own = info.planes!;
  let optimum = quad(0);
  let known = 0;
  own.forEach((one, p) => {
    bracket(one, planes[p]!.truth, `plane ${p} (${one.status})`);
    optimum = add(optimum, planes[p]!.truth.optimum);
    known += planes[p]!.truth.optimumError;
  });
  const { primal, dual, gap } = info;
  const say = `of all planes primal ${primal}, dual ${dual}, gap ${gap}; the optimum is ${optimum[0]}`;
  const above = subtract(quad(primal), optimum)[0];
  if (!(above >= -known) || !(subtract(optimum, quad(dual))[0] >= -known) || !(above <= gap + known)) throw new Error(say);
  if (gap !== primal - dual) throw new Error(`${say}: they do not belong together`);
  const taking = weight.filter((c) => c > 0).length;
  const least = Math.max(...own.map(({ relativeGap }) => relativeGap));
  if (info.rows !== taking || info.shares.agreed !== info.agreed / taking || info.relativeGap !== least) {
    throw new Error(
      `of all planes: ${info.rows} rows, agreed ${info.agreed} (${info.shares.agreed}), relative gap ${info.relativeGap}`,
    );
  }
  const sum = (of: (one: SvmInfo) => number) => own.reduce((total, one) => total + of(one), 0);
  if (info.iterations !== sum((one) => one.iterations) || info.zero !== sum((one) => one.zero)) {
    throw new Error('the numbers of all planes are not those of the planes');
  }
}

/** New points, in lists that are certified together. */
function* newPoints(
  { rows, cols, value, seed }: ClassInstance,
  model: Fitted<number>,
  factor: Float64Array,
): Generator<number[][]> {
  const next = random(seed + 1);
  const row = (i: number) => Array.from({ length: cols }, (_, j) => value(i, j));
  const any = () => row(Math.floor(rows * next()));
  const between = (a: readonly number[], b: readonly number[], along: number) => a.map((v, j) => v + along * (b[j]! - v));
  const middles = Array.from({ length: 6 }, () => between(any(), any(), 0.5));
  const random8 = Array.from({ length: 8 }, () => {
    const [a, b] = [any(), any()];
    return a.map((v, j) => v + normal(next) * (b[j]! - v) + 0.1 * normal(next) * v);
  });
  const beyond = Array.from({ length: 6 }, () => between(any(), any(), 10 ** (12 * next())));
  yield [...middles, ...random8];
  yield beyond;
  // One huge entry; and one in every column, which may have been constant or empty in training.
  yield Array.from({ length: 4 }, () => with1(any(), Math.floor(cols * next()), (next() < 0.5 ? -1 : 1) * 10 ** (60 * next())));
  yield Array.from({ length: cols }, (_, j) => with1(any(), j, 1 + normal(next)));
  for (const size of [1e100, 1e200, 1.7e308]) yield [with1(any(), Math.floor(cols * next()), size)];

  // Points ever nearer to where the label is no longer certain, or changes: on a line from one point to another.
  const grid = 24;
  for (let line = 0; line < 6; line++) {
    const [a, b] = [any(), line % 3 === 2 ? random8[line]! : any()];
    let [from, to] = [0, 1];
    for (let round = 0; round < (line % 2 === 0 ? 5 : 14); round++) {
      const along = Array.from({ length: grid + 1 }, (_, k) => from + (k / grid) * (to - from));
      const list = along.map((l) => between(a, b, l));
      yield list;
      if (!list.flat().every(Number.isFinite)) break;
      const found: readonly unknown[] = line % 2 === 0 ? model.certify(list) : model.predict(list);
      const at = found.findIndex((one, k) => k > 0 && one !== found[k - 1]);
      if (at < 0) break;
      [from, to] = [along[at - 1]!, along[at]!];
    }
  }

  // Anything in columns that were empty in training.
  const size = () => (next() < 0.5 ? -1 : 1) * 10 ** (10 * next() - 2);
  if (factor.includes(0)) yield Array.from({ length: 8 }, () => any().map((v, j) => (factor[j] === 0 ? size() : v)));
}

/**
 * Points where a plane and its exact twin differ most: away from the centre along the difference of their weights, as far as that does not
 * change the plane's own value, and then to where the two have different signs.
 */
function* aimed(
  plane: Pick<Plane<number>, 'weights' | 'bias'>,
  { slope, centre, inverseScale }: PlaneProof,
  exact: Float64Array,
  exactAt: (point: readonly number[]) => number,
): Generator<number[][]> {
  if (!(slope < Infinity)) return;
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, v, j) => sum + v * b[j]!, 0);
  const w = plane.weights.map((v, j) => (inverseScale[j] === 0 ? 0 : v / inverseScale[j]!));
  const square = dot(w, w);
  const off = exact.map((v, j) => v - w[j]!);
  const along = square > 0 ? dot(off, w) / square : 0;
  const across = off.map((v, j) => v - along * w[j]!);
  const length = Math.sqrt(dot(across, across));
  const point = (far: number, up: number) => {
    return Array.from(centre, (c, j) => {
      if (inverseScale[j] === 0) return 100 * far; // the column was empty
      return c + ((length > 0 ? (far * across[j]!) / length : 0) + up * w[j]!) / inverseScale[j]!;
    });
  };
  for (const far of length > 0 ? [0, 1, -1, 10, -10, 1e3, -1e3, 1e6] : [0]) {
    const start = point(far, 0);
    if (!start.every(Number.isFinite)) continue;
    const own = decisionOf(plane, start);
    const apart = exactAt(start) - own;
    // Own value -share × apart, so that the exact one is (1 - share) × apart; moving there changes `apart` a little.
    const list = [0.1, 0.3, 0.6, 0.9].map((share) => (square > 0 ? point(far, (-share * apart - own) / square) : start));
    yield list;
  }
}

function with1(point: number[], j: number, value: number): number[] {
  return point.map((v, k) => (k === j ? value : v));
}
