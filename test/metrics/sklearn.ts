/**
 * Figures of scikit-learn 1.2.1 (Debian 12's python3-sklearn, with numpy 1.24.2), printed by Python with all digits:
 *
 *   RANKED         roc_auc_score(y, v), average_precision_score(y, v), roc_curve(y, v, drop_intermediate=False), and
 *                  precision_recall_curve(y, v) reversed
 *   PREDICTED      precision_recall_fscore_support(y, p, zero_division=0), with labels=range(classes) by class and without labels for
 *                  average='macro' and 'weighted'; accuracy_score, balanced_accuracy_score, matthews_corrcoef
 *   THREE_CLASSES  roc_auc_score(Y, v, average=…), average_precision_score(Y, v, average=…) with Y = label_binarize(y, classes=[0, 1, 2])
 *   PROBABILITIES  log_loss(y, p, labels=range(classes)), brier_score_loss(y, p); of three classes numpy's mean(sum((p - Y)**2, axis=1))
 *   CALIBRATION    calibration_curve(y, p, n_bins=bins, strategy=strategy)
 */

// prettier-ignore
export const RANKED = [
  { name: 'ties', y: [0, 0, 1, 1, 0, 1, 1, 0, 1, 0], values: [0.1, 0.4, 0.35, 0.8, 0.35, 0.35, 0.9, -0.2, 0.4, 0.8], auc: 0.72, averagePrecision: 0.7033333333333334,
    fpr: [0, 0, 0.2, 0.4, 0.6, 0.8, 1], tpr: [0, 0.2, 0.4, 0.6, 1, 1, 1],
    precision: [1, 1, 0.6666666666666666, 0.6, 0.625, 0.5555555555555556, 0.5], recall: [0, 0.2, 0.4, 0.6, 1, 1, 1] },
  { name: 'all values equal', y: [1, 0, 0, 1, 0], values: [2, 2, 2, 2, 2], auc: 0.5, averagePrecision: 0.4,
    fpr: [0, 1], tpr: [0, 1], precision: [1, 0.4], recall: [0, 1] },
  { name: 'positive points above negative ones', y: [0, 0, 1, 1], values: [-3, -1, 0.5, 7], auc: 1, averagePrecision: 1,
    fpr: [0, 0, 0, 0.5, 1], tpr: [0, 0.5, 1, 1, 1], precision: [1, 1, 1, 0.6666666666666666, 0.5], recall: [0, 0.5, 1, 1, 1] },
  { name: 'positive points below negative ones', y: [1, 1, 0, 0, 0], values: [-3, -1, 0.5, 7, 8], auc: 0, averagePrecision: 0.325,
    fpr: [0, 0.3333333333333333, 0.6666666666666666, 1, 1, 1], tpr: [0, 0, 0, 0, 0.5, 1],
    precision: [1, 0, 0, 0, 0.25, 0.4], recall: [0, 0, 0, 0, 0.5, 1] },
  { name: 'one positive of many', y: [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], values: [5, 4, 3, 3, 3, 2, 1, 0, -1, -2, -3], auc: 0.7, averagePrecision: 0.2,
    fpr: [0, 0.1, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1], tpr: [0, 0, 0, 1, 1, 1, 1, 1, 1, 1],
    precision: [1, 0, 0, 0.2, 0.16666666666666666, 0.14285714285714285, 0.125, 0.1111111111111111, 0.1, 0.09090909090909091], recall: [0, 0, 0, 1, 1, 1, 1, 1, 1, 1] },
  { name: 'one negative of many', y: [1, 1, 1, 1, 0, 1, 1], values: [5, 4, 3, 3, 3, 2, 1], auc: 0.5, averagePrecision: 0.8817460317460317,
    fpr: [0, 0, 0, 1, 1, 1], tpr: [0, 0.16666666666666666, 0.3333333333333333, 0.6666666666666666, 0.8333333333333334, 1],
    precision: [1, 1, 1, 0.8, 0.8333333333333334, 0.8571428571428571], recall: [0, 0.16666666666666666, 0.3333333333333333, 0.6666666666666666, 0.8333333333333334, 1] },
];

// prettier-ignore
export const PREDICTED = [
  { name: 'two classes', classes: 2, y: [0, 0, 1, 1, 1, 0, 1, 0], predicted: [0, 1, 1, 1, 0, 0, 1, 0], accuracy: 0.75, balancedAccuracy: 0.75,
    precision: [0.75, 0.75], recall: [0.75, 0.75], f1: [0.75, 0.75], support: [4, 4],
    macro: { precision: 0.75, recall: 0.75, f1: 0.75 }, weighted: { precision: 0.75, recall: 0.75, f1: 0.75 }, matthews: 0.5 },
  { name: 'a class that is never predicted', classes: 2, y: [0, 0, 1, 1, 0], predicted: [0, 0, 0, 0, 0], accuracy: 0.6, balancedAccuracy: 0.5,
    precision: [0.6, 0], recall: [1, 0], f1: [0.7499999999999999, 0], support: [3, 2],
    macro: { precision: 0.3, recall: 0.5, f1: 0.37499999999999994 }, weighted: { precision: 0.36, recall: 0.6, f1: 0.4499999999999999 }, matthews: 0 },
  { name: 'a class without rows', classes: 2, y: [1, 1, 1], predicted: [1, 0, 1], accuracy: 0.6666666666666666, balancedAccuracy: 0.6666666666666666,
    precision: [0, 1], recall: [0, 0.6666666666666666], f1: [0, 0.8], support: [0, 3],
    macro: { precision: 0.5, recall: 0.3333333333333333, f1: 0.4 }, weighted: { precision: 1, recall: 0.6666666666666666, f1: 0.8000000000000002 }, matthews: 0 },
  { name: 'three classes', classes: 3, y: [0, 1, 2, 0, 1, 2, 2, 2, 0, 1], predicted: [0, 2, 2, 0, 1, 1, 2, 0, 0, 1], accuracy: 0.7, balancedAccuracy: 0.7222222222222222,
    precision: [0.75, 0.6666666666666666, 0.6666666666666666], recall: [1, 0.6666666666666666, 0.5], f1: [0.8571428571428571, 0.6666666666666666, 0.5714285714285715], support: [3, 3, 4],
    macro: { precision: 0.6944444444444443, recall: 0.7222222222222222, f1: 0.6984126984126985 },
    weighted: { precision: 0.6916666666666667, recall: 0.7, f1: 0.6857142857142857 }, matthews: 0.5606060606060606 },
  { name: 'a class that is only predicted, and one that is not even that', classes: 4, y: [0, 0, 1, 1, 1, 0], predicted: [0, 2, 1, 1, 2, 1], accuracy: 0.5, balancedAccuracy: 0.5,
    precision: [1, 0.6666666666666666, 0, 0], recall: [0.3333333333333333, 0.6666666666666666, 0, 0], f1: [0.5, 0.6666666666666666, 0, 0], support: [3, 3, 0, 0],
    macro: { precision: 0.5555555555555555, recall: 0.3333333333333333, f1: 0.38888888888888884 },
    weighted: { precision: 0.8333333333333334, recall: 0.5, f1: 0.5833333333333334 }, matthews: 0.30151134457776363 },
  { name: 'one row, predicted right', classes: 2, y: [1], predicted: [1], accuracy: 1, balancedAccuracy: 1,
    precision: [0, 1], recall: [0, 1], f1: [0, 1], support: [0, 1],
    macro: { precision: 1, recall: 1, f1: 1 }, weighted: { precision: 1, recall: 1, f1: 1 }, matthews: 0 },
  { name: 'one row, predicted wrong', classes: 3, y: [2], predicted: [0], accuracy: 0, balancedAccuracy: 0,
    precision: [0, 0, 0], recall: [0, 0, 0], f1: [0, 0, 0], support: [0, 0, 1],
    macro: { precision: 0, recall: 0, f1: 0 }, weighted: { precision: 0, recall: 0, f1: 0 }, matthews: 0 },
];

// prettier-ignore
export const THREE_CLASSES = {
  y: [0, 2, 1, 1, 0, 2, 2, 1],
  values: [[1.5, 0.2, -1], [0.1, 0.1, 0.4], [-0.5, 1, 0.4], [0.3, -0.2, 0.3], [0.3, 0.9, -2], [-1, 0.2, 2], [0.3, 0.2, 0.1], [-1, 2, 0.4]],
  rocAucs: [0.9166666666666666, 0.6666666666666666, 0.7333333333333334], rocAuc: 0.7722222222222221,
  averagePrecisions: [0.75, 0.7916666666666666, 0.6666666666666667], averagePrecision: 0.736111111111111,
};

// prettier-ignore
export const PROBABILITIES = [
  { name: 'two classes', classes: 2, y: [0, 1, 1, 0, 1], p: [[0.9, 0.1], [0.2, 0.8], [0.65, 0.35], [0.5, 0.5], [0, 1]], logLoss: 0.41429467440613194, brier: 0.14450000000000002 },
  { name: 'sure and wrong', classes: 2, y: [0, 1, 1], p: [[0, 1], [1, 0], [0.5, 0.5]], logLoss: 24.260151319598084, brier: 0.75 },
  { name: 'three classes', classes: 3, y: [0, 2, 1, 1], p: [[0.7, 0.2, 0.1], [0, 0, 1], [0.25, 0.5, 0.25], [0.5, 0, 0.5]], logLoss: 9.273368878403957, brier: 0.50375 },
];

const y = [0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1];
const p = [0, 0.05, 0.1, 0.12, 0.3, 0.31, 0.4, 0.45, 0.6, 0.8, 0.81, 0.9, 1];
// prettier-ignore
export const CALIBRATION = [
  { y, p, bins: 10, strategy: 'uniform', predicted: [0.05000000000000001, 0.12, 0.3, 0.355, 0.45, 0.6, 0.8, 0.855, 1], observed: [0, 1, 0, 1, 0, 1, 1, 0.5, 1] },
  { y, p, bins: 3, strategy: 'uniform', predicted: [0.1466666666666667, 0.4833333333333334, 0.8775000000000001], observed: [0.3333333333333333, 0.6666666666666666, 0.75] },
  { y, p, bins: 10, strategy: 'quantile', predicted: [0.025, 0.1, 0.12, 0.3, 0.355, 0.45, 0.6, 0.8, 0.81, 0.95], observed: [0, 0, 1, 0, 1, 0, 1, 1, 1, 0.5] },
  { y, p, bins: 4, strategy: 'quantile', predicted: [0.0675, 0.33666666666666667, 0.6166666666666667, 0.9033333333333333], observed: [0.25, 0.6666666666666666, 0.6666666666666666, 0.6666666666666666] },
  { y, p, bins: 5, strategy: 'quantile', predicted: [0.05000000000000001, 0.21, 0.38666666666666666, 0.7, 0.9033333333333333], observed: [0, 0.5, 0.6666666666666666, 1, 0.6666666666666666] },
] as const;
