/** User values → checked, resolved values. The only place that checks: what passes here is taken as valid everywhere else. */
export * from './capacity.js';
export * from './covariance.js';
export * from './resolve-cross-validation.js';
export * from './resolve-decisions.js';
export * from './file-errors.js';
export * from './file-options.js';
export * from './resolve-fit.js';
export { checkKeys, nearest } from './keys.js';
export { notMade } from './options.js';
export * from './resolve-separation.js';
export * from './resolve-split.js';
export { gammaByRow } from './weights.js';
