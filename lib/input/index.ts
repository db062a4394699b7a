/** User values → checked, resolved values. The only place that checks: what passes here is taken as valid everywhere else. */
export * from './ellipsoids.js';
export * from './files.js';
export { checkOptionNames, HUGE, nearest, resolveBackend, resolveThreads } from './options.js';
export { copyPoints, resolveDatasetOptions, viewPoints, type View } from './points.js';
export * from './svm.js';
export * from './validation.js';
