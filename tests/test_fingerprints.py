"""Fingerprints of rows: one for each content, whatever the rows come as."""

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy import sparse

from unscaled.features import fingerprints


def test_one_content_has_one_fingerprint():
    X = np.random.default_rng(0).normal(size=(9000, 5)).round()
    X[::50, 2] = np.nan
    expected = fingerprints(X)
    frame = pd.DataFrame(X)
    frame.columns = frame.columns.map(str)
    assert (fingerprints(sparse.csr_matrix(np.nan_to_num(X))) == expected).all()
    assert (fingerprints(X.astype(np.float32)) == expected).all()
    assert (fingerprints(pa.table(frame)) == expected).all()
    assert (fingerprints(pa.table(frame[["3", "0", "4", "1", "2"]])) == expected).all()
    assert len(np.unique(expected)) == len(np.unique(np.nan_to_num(X), axis=0))


def test_cells_of_every_kind_count():
    first = {"town": "Ulm", "tags": ["a", "b"], "size": 1.0, "sent": [0.5, 2.0]}
    others = [
        {**first, "town": "Bonn"},
        {**first, "tags": ["a"]},
        {**first, "size": None},
        {**first, "sent": [2.0, 0.5]},
        {**first, "tags": ["b", "a"]},
    ]
    found = fingerprints(pa.Table.from_pylist([first, *others]))
    assert len(set(found.tolist())) == 5
    assert found[5] == found[0]  # a bag has no order
