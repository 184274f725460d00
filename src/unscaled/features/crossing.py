"""Interactions: which features are multiplied with which, and what a product is called."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from unscaled.errors import UsageError
from unscaled.kernels import Crossed, DenseRows, SparseRows
from unscaled.options import Options

LARGEST_EXACT_TABLE = 1 << 28
"""More slots than this, some 10 GB of state, are not made without being asked for."""


class Crossing:
    """The products of a learner's base features, or none of them if the order is 1."""

    def __init__(self, options: Options) -> None:
        self.order = options.order
        self.pairs = options.pairs
        self.mask = 0 if options.hash_bits is None else (1 << options.hash_bits) - 1
        self._left = np.empty(0, np.int64)
        self._right = np.empty(0, np.int64)

    def rows(
        self, rows: DenseRows | SparseRows, base: int, column_of: Callable[[int], str]
    ) -> DenseRows | SparseRows | Crossed:
        """The same rows with their products, where `column_of` names the column of a base feature."""
        if self.order == 1:
            return rows
        if self.pairs:
            self._join_groups(base, column_of)
        return Crossed(rows, self.order, self._left, self._right, self.mask)

    def table_size(self, base: int) -> int:
        """How many slots the products of so many base features can take, the intercept included."""
        if self.order == 1 or self.mask:
            return base
        size = _triangle(base) if self.order == 2 else _pyramid(base)
        if size > LARGEST_EXACT_TABLE:
            raise UsageError(
                f"interactions of order {self.order} among {base - 1:,} features need {size:,} slots; "
                "give hash_bits (say 22) to keep them in a table of fixed size"
            )
        return size

    def base_slots(self, base: np.ndarray) -> np.ndarray:
        """Where the base features themselves stand."""
        if self.order == 1 or self.mask:
            return base
        return _triangle(base) if self.order == 2 else _pyramid(base)

    def factors(self, slots: np.ndarray) -> np.ndarray:
        """The base features whose product stands in each slot, a row a slot; the intercept fills up the order."""
        if self.order == 1 or self.mask:
            return slots[:, None]
        if self.order == 2:
            high = _root(slots, _triangle, 2.0, 1 / 2)
            return np.stack([slots - _triangle(high), high], axis=1)
        top = _root(slots, _pyramid, 6.0, 1 / 3)
        rest = slots - _pyramid(top)
        high = _root(rest, _triangle, 2.0, 1 / 2)
        return np.stack([rest - _triangle(high), high, top], axis=1)

    def slots(self, factors: np.ndarray) -> np.ndarray:
        """The inverse of `factors`."""
        ordered = np.sort(factors, axis=1)
        slots = ordered[:, 0]
        for place, polynomial in zip(range(1, ordered.shape[1]), (_triangle, _pyramid), strict=False):
            slots = slots + polynomial(ordered[:, place])
        return slots

    def _join_groups(self, base: int, column_of: Callable[[int], str]) -> None:
        """Notes for each base feature which left and right patterns its column matches, a bit a pair."""
        known = len(self._left)
        if base <= known:
            return
        matched: dict[str, tuple[int, int]] = {}
        left, right = np.zeros(base - known, np.int64), np.zeros(base - known, np.int64)
        for i in range(known, base):
            column = column_of(i)
            if column not in matched:
                matched[column] = (self._bits(column, 0), self._bits(column, 1))
            left[i - known], right[i - known] = matched[column]
        self._left, self._right = np.append(self._left, left), np.append(self._right, right)

    def _bits(self, column: str, side: int) -> int:
        """A bit for each pair whose pattern on this side the column matches; the intercept is in none."""
        if not column:
            return 0
        return sum(1 << n for n, pair in enumerate(self.pairs) if fnmatchcase(column, pair[side]))


def _triangle(n: Any) -> Any:
    """How many pairs i <= j there are with j < n: where kernels/rows.py puts the first pair with j = n."""
    return n * (n + 1) // 2


def _pyramid(n: Any) -> Any:
    """How many triples i <= j <= k there are with k < n, likewise."""
    return n * (n + 1) * (n + 2) // 6


def _root(slots: np.ndarray, polynomial: Callable, factor: float, power: float) -> np.ndarray:
    """The largest n with polynomial(n) <= slot: a float's guess from below, mended by ones."""
    n = np.maximum(((factor * slots) ** power).astype(np.int64) - 2, 0)
    while True:
        more = polynomial(n + 1) <= slots
        if not more.any():
            return n
        n = n + more
