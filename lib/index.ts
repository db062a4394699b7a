/** The public surface. */
export { backend } from './backend.js';
export { Dataset } from './dataset.js';
export { ellipsoidFromCovariance, separateEllipsoids, separateEllipsoidsAsync } from './esp.js';
export { readCsv, readLibsvm, writeLibsvm } from './files.js';
export { loadModel, saveModel } from './modelfile.js';
export { stop } from './stopping.js';
export { LinearSvm, type Fitted } from './svm.js';
export type * from './types.js';
export { crossValidate, trainTestSplit } from './validation.js';
