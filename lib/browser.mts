/** The public API in browsers and at the edge: everything that needs no files and no addon. scripts/bundle.js makes one module of it. */
export { backend, useWasm } from './backend/load-browser.js';
export { Dataset } from './data/dataset.js';
export { Encoder } from './data/encoder.js';
export { categories, category, date, text } from './data/plan.js';
export { Table } from './data/table.js';
export { ellipsoidFromCovariance, separateEllipsoids, separateEllipsoidsAsync } from './ellipsoids/separate.js';
export { readCsv } from './io/csv.js';
export { readJsonLines } from './io/json-lines.js';
export { readLibsvm } from './io/libsvm.js';
export { calibrationCurve } from './metrics/calibration-curve.js';
export { chooseThreshold } from './metrics/choose-threshold.js';
export { precisionRecallCurve, rocCurve } from './metrics/curves.js';
export { stop } from './svm/stopping.js';
export { LinearSvm, type BinarySvm, type Fitted, type Unlabelled } from './svm/linear-svm.js';
export type { Plane } from './svm/model.js';
export type * from './types.js';
export { crossValidate } from './selection/cross-validation.js';
export { trainTestSplit } from './selection/split.js';
