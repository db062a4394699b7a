/** Checks the mean and the covariance of a normal distribution. */
import { cholesky } from '../ellipsoids/gaussian.js';
import { rangeError, Verbatim } from '../errors.js';
import { appendNumbers, NUMBERS } from './ellipsoid-families.js';
import { checkedLength } from './lists.js';
import { knownOptions, optional, share } from './options.js';
import { LAW_WORDS } from './words.js';

/** Resolves the mean, the factor of the covariance (a diagonal of standard deviations, or a matrix by rows) and the confidence. */
export function resolveCovariance(
  mean: unknown,
  covariance: unknown,
  options: { confidence?: number } | undefined,
): { center: Float64Array; deviations?: Float64Array; factor?: Float64Array[]; confidence: number } {
  const { confidence: asked } = knownOptions(options, ['confidence'], LAW_WORDS);
  const confidence = optional(asked, 'confidence', share) ?? 0.95;
  const finite = (list: unknown, length: number | undefined, where: string): Float64Array => {
    const found = checkedLength(list, 'ERR_ELLIPSOIDS', NUMBERS, where);
    if (length !== undefined && found !== length) {
      throw rangeError('ERR_ELLIPSOIDS', `${length} numbers, as in mean,`, where, found);
    }
    const all: number[] = [];
    appendNumbers(list as ArrayLike<number>, found, where, all);
    const bad = all.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) throw rangeError('ERR_ELLIPSOIDS', 'a finite number', `${where}[${bad}]`, all[bad]);
    return Float64Array.from(all);
  };
  const center = finite(mean, undefined, 'mean');
  const d = center.length;
  const length = checkedLength(covariance, 'ERR_ELLIPSOIDS', NUMBERS, 'covariance');
  if (length !== d) throw rangeError('ERR_ELLIPSOIDS', `${d} variances or rows, as in mean,`, 'covariance', length);
  const rows = Array.from({ length: d }, (_, r) => (covariance as ArrayLike<unknown>)[r]);
  if (typeof rows[0] !== 'object') {
    const variances = finite(rows, d, 'covariance');
    const bad = variances.findIndex((value) => value < 0);
    if (bad >= 0) throw rangeError('ERR_ELLIPSOIDS', 'a variance of 0 or more', `covariance[${bad}]`, variances[bad]);
    return { center, deviations: variances.map(Math.sqrt), confidence };
  }
  const matrix = Array.from({ length: d }, (_, r) => finite(rows[r], d, `covariance[${r}]`));
  const outcome = cholesky(matrix);
  if ('factor' in outcome) return { center, factor: outcome.factor, confidence };
  const { row, col, value, expected } = outcome;
  if (row === col) {
    const what = 'a positive semidefinite matrix, whose pivots are 0 or more,';
    throw rangeError('ERR_ELLIPSOIDS', what, 'covariance', new Verbatim(`pivot ${value} at [${row}][${row}]`));
  }
  const what =
    expected === undefined
      ? `at most ${outcome.bound} in magnitude, as in every positive semidefinite matrix,`
      : `${expected}, as in covariance[${col}][${row}],`;
  throw rangeError(
    'ERR_ELLIPSOIDS',
    what,
    expected === undefined ? `the remainder of covariance[${row}][${col}]` : `covariance[${row}][${col}]`,
    value,
  );
}
