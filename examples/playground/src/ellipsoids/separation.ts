/** Separations of the ellipsoids, whole and up to an iteration; as of fits, a limited one is what the solver returns when stopped there. */
import { separateEllipsoids, type EspProgress, type Separation } from 'fista-classify';
import { ellipsoid, type Shape } from './shape.js';

export type Goal = 'any' | 'widest';

export interface Search {
  readonly result: Separation;
  readonly iterations: number;
  /** The bracket on the distance, by iteration. */
  readonly progress: readonly EspProgress[];
  at(k: number): Separation;
}

const MOST_ITERATIONS = 3000;

/** Separates the families. Throws what the library throws. */
export function separate(shapes: readonly Shape[], goal: Goal): Search {
  const [first, second] = [0, 1].map((family) => shapes.filter((shape) => shape.family === family).map(ellipsoid)) as [[], []];
  const progress: EspProgress[] = [];
  const onProgress = (step: EspProgress) => void progress.push(step);
  const result = separateEllipsoids(first, second, { goal, maxIterations: MOST_ITERATIONS, timeLimit: 4000, onProgress });
  const iterations = Math.max(1, result.iterations);
  const states = new Map([[iterations, result]]);
  return {
    result,
    iterations,
    progress,
    at(k) {
      const state = states.get(k) ?? separateEllipsoids(first, second, { goal, maxIterations: k });
      states.set(k, state);
      return state;
    },
  };
}
