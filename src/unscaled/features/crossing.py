"""Interactions: which features are multiplied with which, and what a product is called."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from unscaled.errors import UsageError
from unscaled.kernels import Crossed, DenseRows, SparseRows
from unscaled.options import Options

if TYPE_CHECKING:
    from unscaled.features.named import NamedFeatures
    from unscaled.features.positional import PositionalFeatures

_NONE = np.zeros(0, np.int64)

LARGEST_EXACT_TABLE = 1 << 28
"""More slots than this, some 10 GB of state, are not made without being asked for."""


class Crossing:
    """The products of a learner's base features, or none of them if the order is 1."""

    def __init__(self, options: Options) -> None:
        self.order = options.order
        self.pairs = options.pairs
        self.mask = 0 if options.hash_bits is None else (1 << options.hash_bits) - 1
        self._left = np.zeros(0, np.int64)  # for each base feature a bit for each pair whose left side it is in
        self._right = np.zeros(0, np.int64)
        self._keys = np.zeros(0, np.int64)  # what a base feature's products are hashed by, from the intercept on
        self._grouped = 0  # how many of the known base features these tell of

    def rows(
        self, rows: DenseRows | SparseRows, features: "NamedFeatures | PositionalFeatures"
    ) -> DenseRows | SparseRows | Crossed:
        """The same rows with their products."""
        if self.order == 1:
            return rows
        self._learn_of(features)
        left, right = (self._left, self._right) if self.pairs else (_NONE, _NONE)
        return Crossed(rows, self.order, left, right, self.mask, self._keys if self.mask else _NONE)

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

    def base_slots(self, base: Any) -> Any:
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

    def _learn_of(self, features: "NamedFeatures | PositionalFeatures") -> None:
        """Notes the groups and the keys of the base features that are new."""
        new = features.known[self._grouped :]
        if len(new) == 0 and len(self._left):
            return
        self._left, self._right = (_grown(old, features.base) for old in (self._left, self._right))
        self._keys = _grown(self._keys, features.base - features.first)
        self._keys[0] = features.first
        matched: dict[str, tuple[int, int]] = {}
        for i in new:
            column = features.column(i)
            if column not in matched:
                matched[column] = (self._bits(column, 0), self._bits(column, 1))
            self._left[i], self._right[i] = matched[column]
            if self.mask and i > features.first:
                self._keys[i - features.first] = features.key(i)
        self._grouped += len(new)

    def _bits(self, column: str, side: int) -> int:
        """A bit for each pair whose pattern on this side the column matches."""
        return sum(1 << n for n, pair in enumerate(self.pairs) if fnmatchcase(column, pair[side]))


def _grown(old: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate([old, np.zeros(max(0, size - len(old)), old.dtype)])


def _triangle(n: Any) -> Any:
    """How many pairs i <= j there are with j < n: where kernels/rows.py puts the first pair with j = n."""
    return n * (n + 1) // 2


def _pyramid(n: Any) -> Any:
    """How many triples i <= j <= k there are with k < n, likewise."""
    return n * (n + 1) * (n + 2) // 6


def _root(slots: np.ndarray, polynomial: Callable[[Any], Any], factor: float, power: float) -> np.ndarray:
    """The largest n with polynomial(n) <= slot: a float's guess from below, mended by ones."""
    n = np.maximum(((factor * slots) ** power).astype(np.int64) - 2, 0)
    while True:
        more = polynomial(n + 1) <= slots
        if not more.any():
            return n
        n = n + more
