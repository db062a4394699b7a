/** The summary of a training that a model file keeps: `train` writes it, `inspect` shows it. */
import type { SvmInfo } from '../types.js';

/** The fields, none of which differs from run to run: the same data and options give the same file. */
export const TRAINING_FIELDS = [
  'status',
  'iterations',
  'rows',
  'relativeGap',
  'agreed',
  'properlyClassified',
  'zero',
  'atBound',
  'gamma',
  'mu',
  'scale',
  'backend',
] as const satisfies readonly (keyof SvmInfo)[];

export function trainingSummary(info: SvmInfo): Record<string, unknown> {
  return Object.fromEntries(TRAINING_FIELDS.map((name) => [name, info[name]]));
}
