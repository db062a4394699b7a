/**
 * Fits of the points, whole and up to an iteration. A fit is deterministic, so one that is limited to k iterations is what the solver would
 * return if it were stopped there: every state that the page shows is a result of the library, with its own proofs.
 */
import {
  LinearSvm,
  stop,
  type Fitted,
  type Loss,
  type StopRule,
  type SvmMethod,
  type SvmOptions,
  type SvmProgress,
} from 'fista-classify';
import type { Spot } from './scene.js';

export type Rule = 'default' | 'agreement' | 'gap' | 'stale';

export interface Settings {
  readonly method: SvmMethod;
  readonly loss: Loss;
  /** undefined: the library's default. */
  readonly gamma: number | undefined;
  readonly rule: Rule;
  readonly share: number;
  readonly gap: number;
  readonly multiclass: 'auto' | 'pairs' | 'rest';
}

/** More than any method needs for points that can be drawn. The paper's step size may take as many. */
const MOST_ITERATIONS = 3000;
/** The page answers again after so many milliseconds, whatever was pasted. */
const TIME_LIMIT = 4000;

/** By iteration, ascending. */
export type Curve = readonly (readonly [iteration: number, value: number])[];

/** A fit to its end. */
export interface Run {
  readonly model: Fitted<number>;
  /** Of the plane that took most. */
  readonly iterations: number;
  /** The largest relative gap of the planes. */
  readonly gaps: Curve;
  /** The share of the rows that are certified; undefined of three classes or more, whose planes report one by one. */
  readonly shares: Curve | undefined;
  /** The state after k iterations. */
  at(k: number): Fitted<number>;
}

function ruleOf({ rule, share, gap }: Settings): StopRule | undefined {
  if (rule === 'agreement') return stop.agreement(share);
  if (rule === 'gap') return stop.gap(gap);
  return rule === 'stale' ? stop.stale() : undefined;
}

function optionsOf(settings: Settings): SvmOptions<number> {
  const rule = ruleOf(settings);
  return {
    method: settings.method,
    loss: settings.loss,
    multiclass: settings.multiclass,
    ...(settings.gamma !== undefined && { gamma: settings.gamma }),
    ...(rule && { stop: rule }),
    solver: { checkEvery: 1 },
    keepSets: true,
    timeLimit: TIME_LIMIT,
  };
}

/** Trains on points of two classes or more. Throws what the library throws. */
export function train(spots: readonly Spot[], settings: Settings): Run {
  const points = { data: Float64Array.from(spots.flatMap(({ x, y }) => [x, y])), rows: spots.length, cols: 2 };
  const labels = spots.map(({ k }) => k);
  const options = optionsOf(settings);
  const checks: SvmProgress[] = [];
  const model = LinearSvm.fit(points, labels, {
    ...options,
    maxIterations: MOST_ITERATIONS,
    onProgress: (check) => checks.push(check),
  });
  const iterations = Math.max(1, ...(model.info.planes ?? [model.info]).map((plane) => plane.iterations));
  const states = new Map([[iterations, model]]);
  return {
    model,
    iterations,
    gaps: largestGaps(checks, iterations),
    shares: model.isBinary() ? checks.map(({ iteration, shares }) => [iteration, shares.agreed] as const) : undefined,
    at(k) {
      const known = states.get(k);
      if (known) return known;
      const state = LinearSvm.fit(points, labels, { ...options, maxIterations: k });
      states.set(k, state);
      return state;
    },
  };
}

/** By iteration, the largest of the planes' gaps. A plane that has ended keeps its last one. */
function largestGaps(checks: readonly SvmProgress[], iterations: number): Curve {
  const planes = new Map<string, Map<number, number>>();
  for (const { plane, iteration, relativeGap } of checks) {
    const name = `${String(plane?.positive)} ${String(plane?.negative)}`;
    if (!planes.has(name)) planes.set(name, new Map());
    planes.get(name)!.set(iteration, relativeGap);
  }
  const curve: (readonly [number, number])[] = [];
  const latest = new Map<string, number>();
  for (let k = 0; k <= iterations; k++) {
    for (const [name, gaps] of planes) if (gaps.has(k)) latest.set(name, gaps.get(k)!);
    if (latest.size === planes.size && latest.size) curve.push([k, Math.max(...latest.values())]);
  }
  return curve;
}

/** By row, whether every exact optimum gives it the label that the model gives. */
export function certified(model: Fitted<number>, spots: readonly Spot[]): boolean[] {
  const rows = model.info.sets?.agreed;
  if (!rows) return model.certify(spots.map(({ x, y }) => [x, y]));
  const found = new Array<boolean>(spots.length).fill(false);
  for (const row of rows) found[row] = true;
  return found;
}
