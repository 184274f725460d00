"""Features of plain arrays: column j is feature j + 1, and its name is x and the number."""

from typing import Any

import numpy as np

from unscaled.errors import DataError
from unscaled.kernels import DenseRows, SparseRows

Plain = DenseRows | SparseRows


class PositionalFeatures:
    """What is known of the columns of NumPy arrays and SciPy CSR matrices: how many there are."""

    kind = "positional"

    def __init__(self, intercept: bool, hash_bits: int | None, columns: int = 0) -> None:
        self.intercept = intercept
        self.first = 0 if hash_bits is None else 1 << hash_bits
        self.columns = columns

    @property
    def base(self) -> int:
        """How many base features there are, the intercept included."""
        return self.first + 1 + self.columns

    @property
    def known(self) -> range:
        """The base features that have a column."""
        return range(self.first + 1, self.base)

    def key(self, i: int) -> int:
        """What a product of this base feature is hashed by."""
        return i

    def name(self, i: int) -> str:
        """The name of a base feature."""
        if i == self.first:
            return "(intercept)"
        return f"x{i - self.first - 1}" if i > self.first else f"(hashed {i})"

    def column(self, i: int) -> str:
        """The column of a base feature; none for the intercept."""
        return self.name(i) if i > self.first else ""

    def value(self, i: int) -> str | None:
        """Plain columns have no categories."""
        return None

    def read(self, X: Any, learning: bool) -> list[tuple[int, Plain]]:
        """The rows of an array or a CSR matrix, in one part."""
        sparse = hasattr(X, "tocsr")
        self._check_columns(X.shape[1], sparse, learning)
        return [(0, self._sparse(X) if sparse else self._dense(X))]

    def _check_columns(self, columns: int, sparse: bool, learning: bool) -> None:
        if self.columns == 0 and learning:
            self.columns = columns
        if sparse and columns > self.columns and learning:
            self.columns = columns
        if columns != self.columns and not sparse:
            raise DataError(f"X has {columns} columns, but this learner knows {self.columns}")

    def _dense(self, X: np.ndarray) -> Plain:
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        dense = DenseRows(np.ascontiguousarray(X), float(self.intercept))
        return dense if self.first == 0 else listed(dense, self.first)

    def _sparse(self, X: Any) -> Plain:
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        values = X.data if X.data.dtype in (np.float32, np.float64) else X.data.astype(np.float64)
        starts, slots = X.indptr.astype(np.int64), X.indices
        if X.shape[1] > self.columns:  # when only predicting: features never seen have no weight
            there = slots < self.columns
            starts = np.concatenate([[0], np.cumsum(there)])[starts]
            slots, values = slots[there], values[there]
        return SparseRows(starts, slots, values, self.first + 1, self.first, float(self.intercept))

    def adopt(self, other: "PositionalFeatures") -> np.ndarray:
        """Takes in all columns that another knows; gives the base feature here of each base feature there."""
        self.columns = max(self.columns, other.columns)
        return np.arange(other.base)

    def describe(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {"kind": self.kind, "columns": self.columns}


def listed(dense: DenseRows, first: int) -> SparseRows:
    """Dense rows as sparse ones, for tables in which column j does not stand in slot j + 1."""
    rows, columns = dense.values.shape
    slots = np.tile(np.arange(first + 1, first + 1 + columns), rows)
    starts = np.arange(0, rows * columns + 1, columns) if columns else np.zeros(rows + 1, np.int64)
    return SparseRows(starts, slots, dense.values.ravel(), 0, first, dense.constant)
