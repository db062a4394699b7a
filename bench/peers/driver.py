# driver.py <problem> <weights>: fits by scikit-learn as often as asked. The file and the conversation are those of driver.h.
# A line in: LinearSVC C or SGDClassifier C, everything else at the package's defaults; or ScaledLinearSVC, all of it at the defaults, behind
# StandardScaler for dense points and MaxAbsScaler for sparse ones, which the weights that are written include. Times fit alone.
import json
import sys
import time
import warnings

import numpy as np
import scipy.sparse
import sklearn
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import LinearSVC

warnings.simplefilter("ignore")  # about runs that end at max_iter

with open(sys.argv[1], "rb") as file:
    kind, rows, cols, stored = (int(v) for v in np.fromfile(file, np.int64, 4))
    y = np.fromfile(file, np.float64, rows)
    if kind < 2:
        X = np.fromfile(file, np.float32 if kind == 0 else np.float64, rows * cols).reshape(rows, cols).astype(np.float64)
    else:
        indptr = np.fromfile(file, np.int64, rows + 1).astype(np.int32)
        indices = np.fromfile(file, np.int32, stored)
        values = np.fromfile(file, np.float64, stored) if kind == 3 else np.ones(stored)
        X = scipy.sparse.csr_matrix((values, indices, indptr), shape=(rows, cols))


def create(name, C=None):
    if name == "ScaledLinearSVC":
        return make_pipeline(MaxAbsScaler() if scipy.sparse.issparse(X) else StandardScaler(), LinearSVC(random_state=1))
    if name == "LinearSVC":
        return make_pipeline(LinearSVC(C=float(C), random_state=1))
    return make_pipeline(SGDClassifier(loss="hinge", alpha=1 / (float(C) * rows), random_state=1))


print(json.dumps({"version": sklearn.__version__}), flush=True)
for line in sys.stdin:
    model = create(*line.split())
    begin = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - begin
    *scaler, linear = [step for _, step in model.steps]
    w, bias = linear.coef_[0], linear.intercept_
    for each in scaler:
        w = w / each.scale_
        bias = bias - w @ getattr(each, "mean_", np.zeros(cols))
    np.concatenate([w, bias]).tofile(sys.argv[2])
    print(json.dumps({"seconds": seconds, "iterations": int(linear.n_iter_)}), flush=True)
