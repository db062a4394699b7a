/** The methods that a run of solveSvm may use, by name. */
import type { LoopSettings } from '../../lib/svm/solve.js';

type Methods = LoopSettings['methods'];

export function methods(...names: readonly (keyof Methods)[]): Pick<LoopSettings, 'methods' | 'began'> {
  const has = (name: keyof Methods) => names.includes(name);
  return { methods: { ascent: has('ascent'), newton: has('newton'), fista: has('fista') }, began: () => undefined };
}
