/** Values that stand for a missing one. */
import type { IsMissing } from './fields/field.js';

export function missingTest(missing: readonly (string | number)[]): IsMissing {
  const set = new Set<unknown>(missing);
  return Object.assign((value: unknown) => set.has(value), { numbers: missing.some((value) => typeof value === 'number') });
}
