/** Names of options in scikit-learn, LIBLINEAR and others, with the name here or advice. Keys are in lower case, without underscores. */
import type { ForeignWords } from './keys.js';

/** For every call that computes. */
export const THREAD_WORDS: ForeignWords = { njobs: 'threads', nthreads: 'threads', numthreads: 'threads', workers: 'threads' };

/** For every run. */
const RUN_WORDS: ForeignWords = {
  ...THREAD_WORDS,
  maxiter: 'maxIterations',
  maxiters: 'maxIterations',
  iterations: 'maxIterations',
  niter: 'maxIterations',
  epochs: 'maxIterations',
  timeout: 'timeLimit',
  maxtime: 'timeLimit',
  verbose: 'onProgress is called with the state of a run',
  callback: 'onProgress',
};

const gap = (value: unknown) =>
  `use stop: stop.gap(${typeof value === 'number' && value > 0 ? value : '1e-3'}), the relative gap to stop at`;
const problem = "only L2-regularised losses are trained, 'hinge' or 'squared-hinge' (option loss): leave it out";
const weight = "set gamma (C is the same), the weight of a row's loss";
const same = 'a fit always gives the same model: leave it out';
const linear = 'models here are linear: there is no kernel';
const bias = 'a bias is always trained, and is not regularised: leave it out';
const several = "use multiclass: 'pairs' (a plane a pair of classes) or 'rest' (one a class)";

/** For fits and cross-validations. */
const TRAIN_WORDS: ForeignWords = {
  ...RUN_WORDS,
  tol: gap,
  tolerance: gap,
  eps: gap,
  epsilon: gap,
  kernel: linear,
  degree: linear,
  coef0: linear,
  penalty: problem,
  dual: 'the dual is always solved: leave it out',
  solver: problem,
  type: problem,
  svmtype: problem,
  fitintercept: bias,
  intercept: bias,
  interceptscaling: bias,
  bias,
  multiclass: 'multiclass',
  decisionfunctionshape: several,
  ovr: several,
  ovo: several,
  cachesize: 'there is no cache: leave it out',
  normalize: "use scale: 'standard' or 'maxabs'",
  standardize: "use scale: 'standard'",
  scaler: 'scale',
};

const names: ForeignWords = { featurenames: 'columns', names: 'columns', columnnames: 'columns' };

/** For a prediction. */
export const PREDICT_WORDS: ForeignWords = { ...names, extra: 'extraColumns' };

/** For a fit. */
export const SVM_WORDS: ForeignWords = {
  ...TRAIN_WORDS,
  ...names,
  cost: 'C',
  nu: weight,
  lambda: weight,
  alpha: weight,
  randomstate: same,
  seed: same,
  l: 'use solver: { stepSize }',
  shrinking: 'use solver: { shrinking }',
  resting: 'use solver: { shrinking }',
  ascent: 'use solver: { ascent }',
  checkevery: 'use solver: { checkEvery }',
  cv: "use crossValidate, or gamma: 'auto'",
};

/** For a fit's solver. */
export const SOLVER_WORDS: ForeignWords = { l: 'stepSize' };

const random: ForeignWords = {
  randomstate: 'seed',
  randomseed: 'seed',
  shuffle: 'rows are always dealt out at random, which seed decides',
};

/** For a cross-validation. */
export const CROSS_VALIDATION_WORDS: ForeignWords = {
  ...TRAIN_WORDS,
  ...random,
  cv: 'folds',
  k: 'folds',
  nfolds: 'folds',
  nsplits: 'folds',
  cs: 'gammas',
  c: 'gammas',
  cost: 'gammas',
  gamma: 'gammas',
  paramgrid: 'gammas',
  metric: 'scoring',
  score: 'scoring',
};

/** For a split. */
export const SPLIT_WORDS: ForeignWords = {
  ...random,
  testsize: (value) => (typeof value === 'number' && value < 1 ? 'testShare' : 'testSize'),
  testratio: 'testShare',
  trainsize: 'the rest is for training: use testShare or testSize',
};

/** For curves and thresholds. */
export const CURVE_WORDS: ForeignWords = { poslabel: 'positive', nbins: 'bins' };

/** For a report. */
export const REPORT_WORDS: ForeignWords = {
  x: 'points',
  y: 'labels',
  name: 'title',
  progress: 'history',
  crossvalidation: 'validation',
  featurenames: 'columns',
  names: 'columns',
};

/** For a separation. */
export const ESP_WORDS: ForeignWords = { ...RUN_WORDS, l: 'stepSize', tol: 'tolerance', eps: 'tolerance', epsilon: 'tolerance' };

/** For the ellipsoid of a normal distribution. */
export const LAW_WORDS: ForeignWords = {
  level: 'confidence',
  p: 'confidence',
  probability: 'confidence',
  alpha: 'confidence is 1 - alpha',
};

/** For reading LIBSVM text. */
export const READ_WORDS: ForeignWords = { nfeatures: 'cols', columns: 'cols', ncols: 'cols', limit: 'maxBytes' };

/** For reading CSV as records. */
export const CSV_RECORD_WORDS: ForeignWords = {
  sep: 'delimiter',
  separator: 'delimiter',
  headers: 'header',
  fields: 'columns',
  label: 'labels are a field like the others, which fit takes by its name',
  labels: 'labels are a field like the others; strings says which fields are strings',
};

/** For reading CSV. */
export const CSV_WORDS: ForeignWords = {
  sep: 'delimiter',
  separator: 'delimiter',
  target: 'label',
  labelcolumn: 'label',
  headers: 'header',
};
