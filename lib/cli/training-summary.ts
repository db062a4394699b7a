/** The training summary in a model file: `train` writes it, `inspect` shows it. */
import type { SvmInfo } from '../types.js';

/** Its fields. None of them varies from run to run, so the same data and options give the same file. */
export const TRAINING_FIELDS = [
  'status',
  'iterations',
  'rows',
  'relativeGap',
  'agreed',
  'properlyClassified',
  'zero',
  'atBound',
  'loss',
  'gamma',
  'mu',
  'scale',
  'backend',
] as const satisfies readonly (keyof SvmInfo)[];

export function trainingSummary(info: SvmInfo): Record<string, unknown> {
  return Object.fromEntries(TRAINING_FIELDS.map((name) => [name, info[name]]));
}
