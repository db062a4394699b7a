/** User values → checked, resolved values. The only place that checks: what passes here is taken as valid everywhere else. */
export * from './ellipsoid-families.js';
export * from './file-options.js';
export { checkKeys, nearest } from './keys.js';
export { HUGE, knownOptions, notMade, resolveBackend, resolveThreads } from './options.js';
export { checkRows, checkUnchanged, copyPoints, resolveDatasetOptions, viewPoints, type View } from './points.js';
export * from './svm-options.js';
export * from './selection-options.js';
