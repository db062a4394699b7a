/** fista-classify train -v: k-fold cross-validation. */
import { show } from '../errors.js';
import { nearest } from '../input/index.js';
import { METRICS } from '../metrics/scoring.js';
import type { CrossValidationOptions, GammaScore, Label, Metric, RecordOptions, SvmOptions } from '../types.js';
import { crossValidate, crossValidateShard, foldSizes } from '../selection/cross-validation.js';
import { usageError, type Arguments, type Option } from './arguments.js';
import type { Context } from './context.js';
import type { Output } from './output.js';
import { holds, mergeShards, shardFile, type Merged, type Shard } from './shards.js';
import { totals, type Communicator } from '../mpi/ranks.js';
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
  /** Undefined: one gamma, or with 'auto' a path of gammas. */
  readonly gammas: readonly number[] | undefined;
  /** Undefined: all folds. */
  readonly shard: Shard | undefined;
  /** Undefined: all rows are here. */
  readonly ranks: Communicator | undefined;
}

/** Cross-validates one gamma, several, or with 'auto' a path of gammas, of which it names the best. */
export async function validate(
  data: Data | RecordData,
  { folds, seed, scoring, gammas, shard, ranks }: Asked,
  { gamma, ...options }: SvmOptions & RecordOptions<Record<string, Label>>,
  args: Arguments,
  { output }: Context,
): Promise<number> {
  const name = scoring ?? 'accuracy';
  const text = scoring ? fraction : percent;
  const asked: CrossValidationOptions & RecordOptions<Record<string, Label>> = {
    ...options,
    folds,
    ...(seed !== undefined && { seed }),
    ...(scoring && { scoring }),
    ...(gamma !== 'auto' && { gammas: gammas ?? (gamma === undefined ? 'default' : [gamma]) }),
    onProgress: ({ done, total, elapsed, mean }) => {
      const left = done > 1 ? ` · about ${duration((elapsed / done) * (total - done))} left` : '';
      output.progress(() => `fit ${count(done)} of ${count(total)} · ${name} ${text(mean)} on held-out rows${left}`);
    },
  };
  if (shard) {
    const some = { ...asked, gammas: asked.gammas! };
    const found = await crossValidateShard(data.points, isRecordData(data) ? data.label! : data.labels, some, (fold) => {
      return holds(shard, fold);
    });
    output.clear();
    await output.result(shardFile(args, data, shard, scoring, found), []);
    return 0;
  }
  const result = isRecordData(data)
    ? await crossValidate(data.points, data.label!, asked)
    : await crossValidate<Label>(data.points, data.labels, asked);
  output.clear();
  return print({ ...result, scoring, sizes: totals(ranks, foldSizes(result.fold, result.folds)) }, output);
}

/** Prints what one run of all folds would, from the results of its shards. */
export async function merge(args: Arguments, { output, signal }: Context): Promise<number> {
  const [other] = args.settings(['merge', 'v', 'json', 'quiet']);
  if (other) {
    const flag = `${other[0].length === 1 ? '-' : '--'}${other[0]}`;
    throw usageError(`Expected no other option with --merge, as the shards have them, but received ${flag}`);
  }
  return print(await mergeShards(args.files, args.number('v', [2, 1_000_000]), signal), output);
}

/** Prints the result of all folds. */
async function print(
  { best, table, atEdge, elapsed, folds, sizes, scoring }: Omit<Merged, 'oneStandardError'>,
  output: Output,
): Promise<number> {
  const name = scoring ?? 'accuracy';
  const text = scoring ? fraction : percent;
  // LIBLINEAR's measure: the share of all rows that are predicted correctly while they are held out.
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const right = sizes.reduce((sum, size, k) => sum + Math.round(size * best.accuracy[k]!), 0);
  const lines =
    table.length > 1
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
