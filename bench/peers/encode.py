# encode.py <lines> <out>: as encode.js, with scikit-learn: TfidfVectorizer, HashingVectorizer(2^18), and a ColumnTransformer.
import gc
import json
import resource
import sys
import time

import numpy as np
import sklearn
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

file, out = sys.argv[1:3]
with open(file, encoding="utf-8") as lines:
    values = [json.loads(line) for line in lines]
if isinstance(values[0], dict):
    import pandas as pd

    values = pd.DataFrame.from_records(values)
    values["joined"] = pd.to_datetime(values["joined"])
print(json.dumps({"version": sklearn.__version__}), flush=True)


def same(value):
    return value


def onehot(categories="auto"):
    return OneHotEncoder(handle_unknown="ignore", categories=categories)


def number(fields):
    return make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), fields


def part(name, then):
    return make_pipeline(FunctionTransformer(lambda frame: getattr(frame.iloc[:, 0].dt, name).to_frame()), then), ["joined"]


# In the order of the columns that the plan of bench/records.js makes.
def columns():
    steps = [
        number(["age"]),
        number(["income"]),
        (MissingIndicator(), ["income"]),
        number(["visits"]),
        number(["score"]),
        (MissingIndicator(), ["score"]),
        (onehot(), ["city", "plan", "device"]),
        (onehot(), ["active"]),
        part("year", StandardScaler()),
        part("month", onehot([list(range(1, 13))])),
        part("dayofweek", FunctionTransformer(sunday_first)),
        (CountVectorizer(analyzer=same, binary=True, dtype=np.float64), "tags"),
    ]
    return ColumnTransformer([(str(k), *step) for k, step in enumerate(steps)], sparse_threshold=1)


def sunday_first(frame):
    """Columns of weekdays; a OneHotEncoder would take only sorted ones."""
    days = (frame.to_numpy().ravel() + 1) % 7
    return sparse.csr_matrix((np.ones(len(days)), days, np.arange(len(days) + 1)), shape=(len(days), 7))


def resident(name):
    try:
        with open("/proc/self/status") as status:
            return next(1024 * int(line.split()[1]) for line in status if line.startswith(name + ":"))
    except OSError:
        return float("nan")


def set_back():
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass


encoder = None


def encode(what, words):
    global encoder
    if what == "transform":
        return encoder.transform(values)
    encoder = {
        "tfidf": lambda: TfidfVectorizer(ngram_range=(1, words)),
        "hash": lambda: HashingVectorizer(n_features=2**18, ngram_range=(1, words)),
        "records": columns,
    }[what]()
    return encoder.fit_transform(values)


def write(made):
    made = sparse.csr_matrix(made)
    made.sort_indices()
    made.eliminate_zeros()
    with open(out, "wb") as file:
        np.array([0, *made.shape, made.nnz], dtype=np.int64).tofile(file)
        made.indptr.astype(np.int64).tofile(file)
        made.indices.astype(np.uint32).tofile(file)
        made.data.astype(np.float64).tofile(file)


for line in sys.stdin:
    what, *more = line.split()
    words = next((int(word) for word in more if word.isdigit()), 1)
    gc.collect()
    set_back()
    before, used, began = resident("VmRSS"), resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    made = encode(what, words)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    peak = resident("VmHWM") - before
    if "write" in more:
        write(made)
    answer = {
        "seconds": seconds,
        "cpu": after.ru_utime - used.ru_utime + after.ru_stime - used.ru_stime,
        "peak": peak,
        "rows": made.shape[0],
        "cols": made.shape[1],
        "entries": int(made.nnz) if sparse.issparse(made) else made.size,
        "bytes": sum(part.nbytes for part in (made.indptr, made.indices, made.data)) if sparse.issparse(made) else made.nbytes,
    }
    del made
    print(json.dumps(answer), flush=True)
