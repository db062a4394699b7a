/** User values → checked, resolved values. The only place that checks: what passes here is taken as valid everywhere else. */
export * from './capacity.js';
export * from './covariance.js';
export * from './cross-validation.js';
export * from './decisions.js';
export * from './file-errors.js';
export * from './file-options.js';
export * from './fit.js';
export { checkKeys, nearest } from './keys.js';
export { notMade } from './options.js';
export * from './separation.js';
export * from './split.js';
export { gammaByRow } from './weights.js';
