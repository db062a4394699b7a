// The gate: a trained model goes into service only if it does well enough on rows that were held out from its training.
'use strict';
const { join } = require('node:path');
const { readLibsvm, trainTestSplit } = require('fista-classify');
const { refuse } = require('./errors.js');

/** What a request may ask for, by name: a number of model.score. Of losses the smaller one is better. */
const SCORES = {
  accuracy: (score) => score.accuracy,
  balancedAccuracy: (score) => score.balancedAccuracy,
  f1Macro: (score) => score.macro.f1,
  f1Weighted: (score) => score.weighted.f1,
  matthews: (score) => score.matthews,
  rocAuc: (score) => score.rocAuc,
  // Of two labels, that of the new model's second one: the model in service may have them in the other order.
  averagePrecision: ({ classes, averagePrecision }, second) =>
    classes.length > 2 ? averagePrecision : classes.find(({ label }) => label === second)?.averagePrecision,
};
const LOSSES = { logLoss: (score) => score.logLoss, brier: (score) => score.brier };
const METRICS = { ...SCORES, ...LOSSES };

const DEFAULTS = { metric: 'accuracy', tolerance: 0.01, compare: true };
const MAX_HELD_OUT = 20_000; // rows are scored on the event loop
const ROUNDING = 1e-12;

/** Completes what a request asks of the gate. Returns undefined if it asks for none. */
function resolveGate(asked, { probability }, trainingFile) {
  if (asked === false) return undefined;
  const gate = { ...DEFAULTS, ...asked };
  const bad = (message) => refuse(400, 'ERR_GATE', message);
  const isLoss = gate.metric in LOSSES;
  const [right, wrong, better] = isLoss ? ['max', 'min', 'smaller'] : ['min', 'max', 'larger'];
  if (gate[wrong] !== undefined) {
    throw bad(`Expected gate.${right}, as a ${better} ${gate.metric} is better, but received gate.${wrong}`);
  }
  if (isLoss && probability === undefined) {
    throw bad(`Expected options.probability for gate.metric "${gate.metric}" but received none`);
  }
  if (gate.file !== undefined && gate.file === trainingFile) {
    throw bad(`Expected a file other than the one to train on for gate.file but received ${gate.file}`);
  }
  const split = ['testShare', 'seed'].find((name) => gate[name] !== undefined);
  if (gate.file !== undefined && split) throw bad(`Expected one of gate.file and gate.${split} but received both`);
  return gate;
}

/** The rows to train on, and those that the gate is decided by: those of a file, or a part of the data, which has rows of each label. */
async function holdOut({ points, labels }, gate, { dataFolder, signal }) {
  if (gate === undefined) return { train: { points, labels } };
  if (gate.file === undefined) return split(points, labels, gate);
  const path = join(dataFolder, gate.file);
  const options = { cols: points.cols ?? points[0].length, labels: typeof labels[0] === 'string' ? 'string' : 'number', signal };
  const test = await readLibsvm(path, options).catch((error) => {
    if (signal.aborted) throw error;
    const why = /^E[A-Z]+$/.test(error.code) ? error.code : error.message.replaceAll(path, gate.file);
    throw refuse(400, 'ERR_GATE', `The file ${gate.file} of the gate cannot be read: ${why}`);
  });
  const rows = test.labels.length;
  if (rows === 0 || rows > MAX_HELD_OUT) {
    throw refuse(400, 'ERR_GATE', `Expected 1 to ${MAX_HELD_OUT} rows for gate.file, ${gate.file}, but received ${rows}`);
  }
  return { train: { points, labels }, test };
}

function split(points, labels, { testShare = 0.25, seed = 0 }) {
  const many = testShare * labels.length > MAX_HELD_OUT;
  try {
    return trainTestSplit(points, labels, { seed, ...(many ? { testSize: MAX_HELD_OUT } : { testShare }) });
  } catch (error) {
    if (error.message.includes('at least')) error.message += '; rows are held out for the gate, unless "gate" is false';
    throw error;
  }
}

/**
 * Decides whether a model may replace the one in service, if any. Both are scored on the same rows. The verdict has both scores and, if the
 * model is refused, the reason.
 */
function judge(gate, { points, labels }, model, served) {
  const { metric, min, max, tolerance, compare } = gate;
  const rows = labels.length;
  const measure = (one) => scoreOf(one, (score) => METRICS[metric](score, model.labels[1]), points, labels);
  const { score, defect } = measure(model);
  const verdict = { metric, rows, score, ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  const refused = (reason) => ({ ...verdict, passed: false, reason });
  const old = compare && served && measure(served.model);
  if (old) Object.assign(verdict, { tolerance, version: served.version, inService: old.score });

  if (defect) return refused(`The new model cannot be scored: ${defect}`);
  const is = `${metric} ${short(score)} on ${rows} rows held out is`;
  if (score < min) return refused(`${is} below gate.min, ${min}`);
  if (score > max) return refused(`${is} above gate.max, ${max}`);
  if (!old) return { ...verdict, passed: true };
  // It may have other columns, other labels, or no probabilities.
  if (old.defect)
    return refused(`The model in service cannot be compared: ${old.defect}; "compare": false leaves it out of account`);
  const worse = metric in LOSSES ? score - old.score : old.score - score;
  if (worse <= tolerance + ROUNDING) return { ...verdict, passed: true };
  return refused(`${is} worse by more than ${tolerance} than that of the model in service, ${short(old.score)}`);
}

/** A number of a model's score on rows; or null, and why there is none. */
function scoreOf(model, pick, points, labels) {
  try {
    const score = pick(model.score(points, labels));
    return score === undefined ? { score: null, defect: 'it has no such score on these rows' } : { score };
  } catch (error) {
    return { score: null, defect: error.message };
  }
}

function short(score) {
  return Number(score.toPrecision(4));
}

module.exports = { METRICS: Object.keys(METRICS), resolveGate, holdOut, judge };
