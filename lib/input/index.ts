/** User values → checked, resolved values. The only place that checks: what passes here is taken as valid everywhere else. */
export * from './ellipsoids.js';
export * from './files.js';
export { checkKeys, nearest } from './keys.js';
export { HUGE, knownOptions, notMade, resolveBackend, resolveThreads } from './options.js';
export { checkRows, checkUnchanged, copyPoints, resolveDatasetOptions, viewPoints, type View } from './points.js';
export * from './svm.js';
export * from './validation.js';
