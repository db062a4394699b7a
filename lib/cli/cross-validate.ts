/** fista-classify train -v: k-fold cross-validation. */
import type { GammaScore, Label, SvmOptions } from '../types.js';
import { crossValidate } from '../selection/cross-validation.js';
import type { Context } from './context.js';
import type { Data } from './read-data.js';
import { brief, count, duration, percent } from './format.js';

/** Cross-validates one gamma, or with 'auto' a path of gammas, of which it names the best. */
export async function validate(
  { points, labels }: Data,
  folds: number,
  seed: number | undefined,
  { gamma, ...options }: SvmOptions,
  { output }: Context,
): Promise<number> {
  const result = await crossValidate<Label>(points, labels, {
    ...options,
    folds,
    ...(seed !== undefined && { seed }),
    ...(gamma !== 'auto' && { gammas: gamma === undefined ? 'default' : [gamma] }),
    onProgress: ({ done, total, elapsed, mean }) => {
      const left = done > 1 ? ` · about ${duration((elapsed / done) * (total - done))} left` : '';
      output.progress(() => `fit ${count(done)} of ${count(total)} · accuracy on held-out rows ${percent(mean)}${left}`);
    },
  });
  output.clear();
  // LIBLINEAR's measure: the share of all rows that are predicted correctly while they are held out.
  const sizes = new Array<number>(result.folds).fill(0);
  for (const fold of result.fold) if (fold >= 0) sizes[fold]!++;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const right = sizes.reduce((sum, size, k) => sum + Math.round(size * result.best.accuracy[k]!), 0);
  const { gamma: best, table, atEdge, elapsed } = result;
  const lines =
    gamma === 'auto'
      ? table.map(
          (row) =>
            `gamma ${brief(row.gamma)}: accuracy ${percent(row.mean)} ± ${percent(row.standardError)} on held-out rows${unfinished(row)}${row.gamma === best ? ' (best)' : ''}`,
        )
      : [];
  const accuracy = right / total;
  if (result.best.unfinished > 0) {
    output.warn(`gamma ${brief(best)}: the accuracy is that of unfinished models${unfinished(result.best)}`);
  }
  if (atEdge) output.warn(`gamma ${brief(best)} is at the edge of what was tried: a better one may lie beyond`);
  await output.result({ accuracy, correct: right, rows: total, folds, gamma: best, table, elapsed }, [
    ...(output.quiet ? [] : lines),
    `Cross Validation Accuracy = ${brief(100 * accuracy)}%`,
  ]);
  return 0;
}

/** A remark on a gamma if some of its fits ended at a limit. */
function unfinished({ unfinished, status }: GammaScore): string {
  return unfinished > 0 ? `; ${unfinished} of ${count(status.length, 'fit')} ended at a limit` : '';
}
