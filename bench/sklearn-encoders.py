# sklearn-encoders.py: reads one JSON object { cases } from stdin and prints it with the version and with scikit-learn's answer to each case:
#   { make, options, fit, transform }   make: OneHotEncoder, TfidfVectorizer, CountVectorizer, HashingVectorizer, Numbers, or murmurhash3_32
# fit and transform are lists of values of one field (null: missing); transform is fit where it is absent. The answer of an encoder is
# { columns, names, indptr, indices, values }; that of murmurhash3_32 a list of signed numbers.
# test/fixtures/sklearn-encoders.json is such an object. Its answers can be made anew:
#   python3 bench/sklearn-encoders.py < test/fixtures/sklearn-encoders.json
import json
import sys

import numpy as np
import sklearn
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import murmurhash3_32


def named(options):
    return {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}


def numbers(**options):
    """Medians for missing numbers, standardised; a column that says which are missing, if any are."""
    standard = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return ColumnTransformer([("number", standard, [0]), ("missing", MissingIndicator(features="missing-only"), [0])], **options)


def column(values, dtype):
    return np.array(values, dtype=dtype).reshape(-1, 1)


def encoded(make, options, fit, transform):
    if make == "OneHotEncoder":
        encoder = OneHotEncoder(**options).fit(column(fit, object))
        return encoder, encoder.transform(column(transform, object))
    if make == "Numbers":
        encoder = numbers(**options).fit(column(fit, float))
        return encoder, encoder.transform(column(transform, float))
    texts = [["" if text is None else text for text in list] for list in (fit, transform)]
    maker = {"TfidfVectorizer": TfidfVectorizer, "CountVectorizer": CountVectorizer, "HashingVectorizer": HashingVectorizer}[make]
    encoder = maker(**options).fit(texts[0])
    return encoder, encoder.transform(texts[1])


def answer(case):
    make, options = case["make"], named(case.get("options", {}))
    if make == "murmurhash3_32":
        return [int(murmurhash3_32(text.encode("utf-8"), seed=0, positive=False)) for text in case["fit"]]
    encoder, made = encoded(make, options, case["fit"], case.get("transform", case["fit"]))
    made = sparse.csr_matrix(made)
    made.sort_indices()
    made.eliminate_zeros()  # hashed terms may cancel each other
    names = None if make in ("HashingVectorizer", "Numbers") else encoder.get_feature_names_out().tolist()
    return {
        "columns": made.shape[1],
        "names": names,
        "indptr": made.indptr.tolist(),
        "indices": made.indices.tolist(),
        "values": made.data.tolist(),
    }


given = json.load(sys.stdin)
given["version"] = sklearn.__version__
given["cases"] = [{**case, "answer": answer(case)} for case in given["cases"]]
# One case a line, so that a change is one line too.
lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in given["cases"])
print(f'{{"version": {json.dumps(given["version"])}, "cases": [\n{lines}\n]}}')
