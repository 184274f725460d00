"""The settings of every run: one protocol for all data sets."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unscaled.datasets.dataset import Dataset
from unscaled.paper.claims import MAX_NORM, RAW, SQUARE_NORM

SEED = 20130514
"""Of the one order in which rows are shuffled where they are."""

ROWS_AT_ONCE = 2_000


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """Algorithm 2 as it is printed, with plain steps. What the paper leaves open is as in its authors' program.

    Products of all pairs of features come on top: without them no number of the paper's comes out. Rows come in the
    order of their file, but for covertype, whose file is ordered in space: its neighbours give each other away, and
    every rule then looks far better than in the paper.
    """

    loss: str = "squared"
    interactions: int = 2
    intercept: bool = True
    importance_aware: bool = False
    clip: str | None = "labels"
    shuffled: tuple[str, ...] = ("covertype",)
    most_rows: int | None = None
    """Take no more rows than that, for a quick look."""

    def options(self) -> dict[str, Any]:
        """What a Learner is given."""
        own = ("loss", "interactions", "intercept", "importance_aware", "clip")
        return {name: getattr(self, name) for name in own}

    def changed(self, **settings: Any) -> "Protocol":
        """The same but for some settings."""
        return replace(self, **settings)


@dataclass(frozen=True, eq=False)
class Rows:
    """A data set as it is learned: its rows in their order, and a column of labels for each linear predictor."""

    name: str
    X: Any
    """A matrix, or a table with text in it."""
    labels: NDArray[np.float64]
    codes: NDArray[np.int64]
    """The classes as numbers; empty for a regression."""
    whole: bool

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def worst(self) -> float:
        """The worst possible squared loss of a regression, (max - min)², by which the paper divides."""
        return float(np.ptp(self.labels)) ** 2

    def parts(self) -> Iterator[tuple[Any, NDArray[np.float64], slice]]:
        """The rows, some at a time."""
        for begin in range(0, len(self), ROWS_AT_ONCE):
            here = slice(begin, begin + ROWS_AT_ONCE)
            X = self.X[here] if isinstance(self.X, np.ndarray) else self.X.slice(begin, ROWS_AT_ONCE)
            yield X, self.labels[here], here


def prepared(data: Dataset, protocol: Protocol, scaling: str = RAW, with_text: bool = False) -> Rows:
    """A data set as the protocol wants it, its features divided by what `scaling` says of all of its rows."""
    order: Any = slice(None)
    if data.name in protocol.shuffled:
        order = np.random.default_rng(SEED).permutation(len(data.y))
    order = np.arange(len(data.y))[order][: protocol.most_rows]
    labels, codes = _labels(data.y)
    X: Any = data.X[order] / divisors(data.X, scaling)
    if with_text:
        X = data.table.drop_columns([data.facts.target]).take(order)
    return Rows(data.name, X, labels[order], codes[order] if len(codes) else codes, data.whole)


def divisors(X: NDArray[np.float64], scaling: str) -> NDArray[np.float64]:
    """What each feature is divided by; 1 for one that is always 0."""
    sizes = {
        RAW: np.ones(X.shape[1]),
        MAX_NORM: np.abs(X).max(axis=0),
        SQUARE_NORM: np.sqrt((X * X).mean(axis=0)),
    }[scaling]
    return np.where(sizes > 0.0, sizes, 1.0)


def _labels(y: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """-1 and +1, one against all if there are more than two classes; or numbers as they are."""
    if y.dtype.kind == "f":
        return y[:, None], np.empty(0, np.int64)
    names, codes = np.unique(y, return_inverse=True)
    if len(names) == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None], codes
    return np.where(codes[:, None] == np.arange(len(names)), 1.0, -1.0), codes
