/** Checks and resolves the user's values. Only this folder checks them: all other code takes resolved values as valid. */
export * from './capacity.js';
export * from './covariance.js';
export * from './resolve-cross-validation.js';
export * from './resolve-decisions.js';
export * from './file-errors.js';
export * from './file-options.js';
export * from './resolve-fit.js';
export * from './resolve-report.js';
export { checkKeys, nearest } from './keys.js';
export { notMade } from './options.js';
export { formOf } from './points.js';
export * from './resolve-separation.js';
export * from './resolve-split.js';
export { rangeOf, rangeOver } from './weights.js';
