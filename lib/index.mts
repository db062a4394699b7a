/**
 * The public API for `import`. It re-exports the CommonJS build, so that a program which uses both `import` and `require` has one
 * implementation: one class LinearSvm, one thread pool, one backend. Values are named one by one, as `export *` would add __esModule;
 * test/backend/loading.test.ts compares the names with those of lib/index.ts.
 */
export {
  backend,
  calibrationCurve,
  categories,
  category,
  chooseThreshold,
  crossValidate,
  Dataset,
  date,
  ellipsoidFromCovariance,
  Encoder,
  LinearSvm,
  loadModel,
  precisionRecallCurve,
  readArrow,
  readCsv,
  readJsonLines,
  readLibsvm,
  readParquet,
  rocCurve,
  saveModel,
  separateEllipsoids,
  separateEllipsoidsAsync,
  stop,
  Table,
  text,
  trainTestSplit,
  writeLibsvm,
  writeReport,
} from './index.js';
export type * from './index.js';
