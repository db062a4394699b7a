/** How the fits of several planes went, told as one fit. */
import type { PlaneInfo, SvmInfo, SvmStage, SvmStatus } from '../types.js';

/** What all planes' numbers are about. */
interface About {
  /** How many rows take part. */
  readonly rows: number;
  /** How many of them every exact optimum gives the same label as the planes. */
  readonly agreed: number;
  readonly began: number;
}

/** The numbers of all planes together. Counts other than `agreed` are of the rows of each plane. */
export function together(infos: readonly SvmInfo[], { rows, agreed, began }: About) {
  const sum = (of: (info: SvmInfo) => number) => infos.reduce((total, info) => total + of(info), 0);
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
  return {
    iterations: sum((info) => info.iterations),
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

/** The info of a fit of several classes. `agreement`: whether a rule of agreement holds for all planes together. */
export function infoOf(planes: readonly PlaneInfo[], about: About, agreement: boolean, validation: SvmInfo['validation']): SvmInfo {
  const first = planes[0]!;
  return {
    status: agreement ? 'agreement' : worstOf(planes.map(({ status }) => status)),
    ...together(planes, about),
    method: first.method,
    stages: stagesOf(planes, about.rows),
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

/** A plane's info after another run that went on from the first: the story of both runs, and the numbers of the better one. */
export function merged(before: SvmInfo, now: SvmInfo, better: boolean): SvmInfo {
  return {
    ...(better ? now : before),
    status: now.status,
    elapsed: now.elapsed,
    method: now.method,
    iterations: before.iterations + now.iterations,
    passes: before.passes + now.passes,
    stages: [...before.stages, ...now.stages],
  };
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
