// What a model makes of the rows of a request.
'use strict';
const { refuse } = require('./errors.js');
const { toPoints } = require('./schemas.js');

/** The limit on numbers in an answer. Rows may be short, and labels many. */
const MAX_NUMBERS = 2_000_000;

/** By row: the label, its decision values and, where the model has them, probabilities and, if asked for, whether the label is certified. */
function predictions({ model, proofs }, { rows, certify }) {
  const { labels } = model;
  const max = Math.floor(MAX_NUMBERS / labels.length);
  if (rows.length > max) {
    throw refuse(
      413,
      'ERR_ROWS',
      `Expected at most ${max} rows at a time, as there are ${labels.length} labels, but received ${rows.length}`,
    );
  }
  const points = toPoints(rows, model.planes[0].weights.length);
  const decisions = model.decision(points);
  const probabilities = model.calibration && model.probability(points);
  const certified = certify && proofs && model.certify(points); // takes longer than all the rest: only if asked for
  const byLabel = (numbers, i) => Object.fromEntries(labels.map((label, k) => [label, numbers[i * labels.length + k]]));
  return model.predict(points).map((label, i) => ({
    label,
    decision: labels.length === 2 ? decisions[i] : byLabel(decisions, i),
    ...(probabilities && { probabilities: byLabel(probabilities, i) }),
    ...(certified && { certified: certified[i] }),
  }));
}

module.exports = { predictions };
