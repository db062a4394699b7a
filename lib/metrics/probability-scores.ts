/**
 * Metrics of probabilities. Smaller is better.
 *
 * Given:  the class of each row, and the probabilities of all classes, row by row.
 * Source: scikit-learn's log_loss and brier_score_loss; G. W. Brier, Monthly Weather Review 78 (1950), 1-3.
 */

/** How far from 0 and 1 probabilities are kept, so that a logarithm is finite. */
const MARGIN = Number.EPSILON;

/**
 * The mean of -log p, p being the probability of the row's own class. Probabilities are first moved to [2^-52, 1 - 2^-52] and divided by
 * their sum.
 */
export function logLossOf(classes: number, actual: ArrayLike<number>, probabilities: Float64Array): number {
  let loss = 0;
  for (let i = 0; i < actual.length; i++) {
    let total = 0;
    for (let k = 0; k < classes; k++) total += clipped(probabilities[i * classes + k]!);
    loss -= Math.log(clipped(probabilities[i * classes + actual[i]!]!) / total);
  }
  return loss / actual.length;
}

function clipped(p: number): number {
  return Math.min(Math.max(p, MARGIN), 1 - MARGIN);
}

/**
 * The mean squared error of the probabilities: of two classes, that of the second one's; of more, added up over the classes. (Added up over
 * two classes it would be twice as large.)
 */
export function brierOf(classes: number, actual: ArrayLike<number>, probabilities: Float64Array): number {
  let total = 0;
  for (let i = 0; i < actual.length; i++) {
    for (let k = classes === 2 ? 1 : 0; k < classes; k++) {
      total += (probabilities[i * classes + k]! - Number(actual[i] === k)) ** 2;
    }
  }
  return total / actual.length;
}
