/** fista-classify train -v: k-fold cross-validation. */
import { show } from '../errors.js';
import { nearest } from '../input/index.js';
import { METRICS } from '../metrics/scoring.js';
import type { CrossValidationOptions, GammaScore, Label, Metric, RecordOptions, SvmOptions } from '../types.js';
import { crossValidate } from '../selection/cross-validation.js';
import { usageError, type Arguments, type Option } from './arguments.js';
import type { Context } from './context.js';
import type { Data } from './read-data.js';
import { isRecordData, type RecordData } from './read-records.js';
import { brief, count, duration, fraction, percent } from './format.js';

export const SCORING_OPTION: Option = {
  names: ['--scoring'],
  value: 'NAME',
  help: `with -v: print this score too, and compare gammas by it:\n${Object.keys(METRICS)
    .join(', ')
    .replace(/(.{60,75}), /, '$1,\n')}`,
};

/** The metric that --scoring names. */
export function scoringOf(args: Arguments): Metric | undefined {
  const name = args.text('scoring');
  if (name === undefined) return undefined;
  const names = Object.keys(METRICS);
  if (!names.includes(name)) {
    const near = nearest(name, names);
    const hint = near === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${near}?`;
    throw usageError(`Unknown score ${show(name)} for --scoring; ${hint}`);
  }
  if (!args.has('v')) throw usageError(`Expected -v FOLDS with --scoring ${name} but received none`);
  return name as Metric;
}

/** Whether --scoring names a metric of probabilities, which -b then says how to learn. */
export function scoresProbabilities(args: Arguments): boolean {
  const scoring = scoringOf(args);
  return scoring !== undefined && METRICS[scoring].probabilities === true;
}

interface Asked {
  readonly folds: number;
  readonly seed: number | undefined;
  readonly scoring: Metric | undefined;
}

/** Cross-validates one gamma, or with 'auto' a path of gammas, of which it names the best. */
export async function validate(
  data: Data | RecordData,
  { folds, seed, scoring }: Asked,
  { gamma, ...options }: SvmOptions & RecordOptions<Record<string, Label>>,
  { output }: Context,
): Promise<number> {
  const name = scoring ?? 'accuracy';
  const text = scoring ? fraction : percent;
  const asked: CrossValidationOptions & RecordOptions<Record<string, Label>> = {
    ...options,
    folds,
    ...(seed !== undefined && { seed }),
    ...(scoring && { scoring }),
    ...(gamma !== 'auto' && { gammas: gamma === undefined ? 'default' : [gamma] }),
    onProgress: ({ done, total, elapsed, mean }) => {
      const left = done > 1 ? ` · about ${duration((elapsed / done) * (total - done))} left` : '';
      output.progress(() => `fit ${count(done)} of ${count(total)} · ${name} ${text(mean)} on held-out rows${left}`);
    },
  };
  const result = isRecordData(data)
    ? await crossValidate(data.points, data.label!, asked)
    : await crossValidate<Label>(data.points, data.labels, asked);
  output.clear();
  // LIBLINEAR's measure: the share of all rows that are predicted correctly while they are held out.
  const sizes = new Array<number>(result.folds).fill(0);
  for (const fold of result.fold) if (fold >= 0) sizes[fold]!++;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const right = sizes.reduce((sum, size, k) => sum + Math.round(size * result.best.accuracy[k]!), 0);
  const { best, table, atEdge, elapsed } = result;
  const lines =
    gamma === 'auto'
      ? table.map(
          (row) =>
            `gamma ${brief(row.gamma)}: ${name} ${text(row.mean)} ± ${text(row.standardError)} on held-out rows${unfinished(row)}${row.gamma === best.gamma ? ' (best)' : ''}`,
        )
      : [];
  const accuracy = right / total;
  if (best.unfinished > 0) {
    output.warn(`gamma ${brief(best.gamma)}: the ${name} is that of unfinished models${unfinished(best)}`);
  }
  if (atEdge) output.warn(`gamma ${brief(best.gamma)} is at the edge of what was tried: a better one may lie beyond`);
  const score = scoring && { scoring, score: best.mean, standardError: best.standardError };
  await output.result({ ...score, accuracy, correct: right, rows: total, folds, gamma: best.gamma, table, elapsed }, [
    ...(output.quiet ? [] : lines),
    ...(scoring ? [`Cross Validation ${scoring} = ${fraction(best.mean)} ± ${fraction(best.standardError)}`] : []),
    `Cross Validation Accuracy = ${brief(100 * accuracy)}%`,
  ]);
  return 0;
}

/** A remark on a gamma if some of its fits ended at a limit. */
function unfinished({ unfinished, status }: GammaScore): string {
  return unfinished > 0 ? `; ${unfinished} of ${count(status.length, 'fit')} ended at a limit` : '';
}
