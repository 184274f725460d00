"""A number for each row that depends on what is in the row, and on nothing else.

    fingerprint = Σ over the row's features of mixed(key of the feature + bits of its value)

Zeros and missing values are absent, so a row has one fingerprint whether it comes dense, sparse or in a table with
its columns in another order. Sorted by them, rows stand in an order that does not depend on the one they came in.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from unscaled.features.columns import NUMBER, cells, kind_of, numbers
from unscaled.features.hashing import hashed_name, mixed

BLOCK_ROWS = 4096  # what is computed on the way stays in the cache


def fingerprints(X: Any) -> np.ndarray:
    """The fingerprints of the rows of a table, a matrix or a CSR matrix as unsigned 64-bit numbers."""
    if isinstance(X, pa.Table):
        return _of_table(X)
    return _of_csr(X) if hasattr(X, "tocsr") else _of_matrix(np.asarray(X))


def _of_matrix(X: np.ndarray) -> np.ndarray:
    keys = mixed(np.arange(X.shape[1], dtype=np.uint64))
    blocks = [_mixed_values(keys, X[begin : begin + BLOCK_ROWS]) for begin in range(0, len(X), BLOCK_ROWS)]
    return np.concatenate([block.sum(axis=1, dtype=np.uint64) for block in blocks])


def _of_csr(X: Any) -> np.ndarray:
    X = X.tocsr()
    features = _mixed_values(mixed(X.indices.astype(np.uint64)), X.data)
    sums = np.append(np.uint64(0), np.cumsum(features, dtype=np.uint64))
    return sums[X.indptr[1:]] - sums[X.indptr[:-1]]


def _of_table(table: pa.Table) -> np.ndarray:
    total = np.zeros(table.num_rows, np.uint64)
    for name, column in zip(table.column_names, table.columns, strict=True):
        array = column.combine_chunks()
        if kind_of(array.type) in (None, NUMBER):
            total += _mixed_values(_key(name), numbers(array))
            continue
        found = cells(array)
        keys = np.array([hashed_name(name + each) for each in found.names], np.uint64)
        np.add.at(total, found.rows, _mixed_values(keys[found.codes], found.values))
    return total


def _key(name: str) -> np.uint64:
    """A frame whose columns have no names has their numbers as names, and the fingerprints of a matrix."""
    number = int(name) if name.isascii() and name.isdigit() and len(name) < 19 else None
    return np.uint64(hashed_name(name)) if number is None else mixed(np.array([number], np.uint64))[0]


def _mixed_values(keys: Any, values: np.ndarray) -> np.ndarray:
    """A number for each feature and its value, 0 for what is absent."""
    plain = np.ascontiguousarray(values, np.float64)
    return np.where((plain != 0.0) & (plain == plain), mixed(plain.view(np.uint64) + keys), np.uint64(0))
