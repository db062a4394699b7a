# sklearn-metrics.py: reads one JSON object { values, labels, probabilities, predicted, classes } from stdin, numbers of classes for labels, and
# prints what scikit-learn makes of them: metrics by name, and the sigmoid that CalibratedClassifierCV fits to values of two classes,
# with minus the logarithm of its likelihood.
import json
import sys

import numpy as np
import sklearn
from sklearn import metrics
from sklearn.calibration import _SigmoidCalibration

given = json.load(sys.stdin)
classes = given["classes"]
labels = np.array(given["labels"])
predicted = np.array(given["predicted"])
probabilities = np.array(given["probabilities"]).reshape(-1, classes)
values = np.array(given["values"]).reshape(len(labels), -1)

answer = {
    "balancedAccuracy": metrics.balanced_accuracy_score(labels, predicted),
    "f1Macro": metrics.f1_score(labels, predicted, average="macro"),
    "f1Weighted": metrics.f1_score(labels, predicted, average="weighted"),
    "matthews": metrics.matthews_corrcoef(labels, predicted),
    "logLoss": metrics.log_loss(labels, probabilities, labels=list(range(classes)), eps=np.finfo(float).eps),
}
if classes == 2:
    answer["rocAuc"] = metrics.roc_auc_score(labels, values[:, 0])
    answer["averagePrecision"] = metrics.average_precision_score(labels, values[:, 0])
    answer["brier"] = metrics.brier_score_loss(labels, probabilities[:, 1])
    sigmoid = _SigmoidCalibration().fit(values[:, 0], labels)
    positive = labels.sum()
    targets = np.where(labels > 0, (positive + 1) / (positive + 2), 1 / (len(labels) - positive + 2))
    f = sigmoid.a_ * values[:, 0] + sigmoid.b_
    answer["sigmoid"] = {"a": sigmoid.a_, "b": sigmoid.b_, "loss": np.sum(np.logaddexp(0, -f) + targets * f)}
else:
    each = [(labels == k).astype(int) for k in range(classes)]
    answer["rocAuc"] = np.mean([metrics.roc_auc_score(each[k], values[:, k]) for k in range(classes)])
    answer["averagePrecision"] = np.mean([metrics.average_precision_score(each[k], values[:, k]) for k in range(classes)])
print(json.dumps({"version": sklearn.__version__, **answer}))
