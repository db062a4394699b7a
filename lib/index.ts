/** The public API. */
export { backend } from './backend/load.js';
export { Dataset } from './data/dataset.js';
export { ellipsoidFromCovariance, separateEllipsoids, separateEllipsoidsAsync } from './ellipsoids/separate.js';
export { readCsv } from './io/csv.js';
export { readLibsvm, writeLibsvm } from './io/libsvm.js';
export { loadModel, saveModel } from './io/model-file.js';
export { calibrationCurve } from './metrics/calibration-curve.js';
export { chooseThreshold } from './metrics/choose-threshold.js';
export { precisionRecallCurve, rocCurve } from './metrics/curves.js';
export { writeReport } from './report/write-report.js';
export { stop } from './svm/stopping.js';
export { LinearSvm, type BinarySvm, type Fitted } from './svm/linear-svm.js';
export type { Plane } from './svm/model.js';
export type * from './types.js';
export { crossValidate } from './selection/cross-validation.js';
export { trainTestSplit } from './selection/split.js';
