"""A data set that was loaded: the numbers that a run of the paper wants, and the table they come from."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from unscaled.datasets.facts import Facts
from unscaled.datasets.files import Found, found
from unscaled.datasets.reading import read


@dataclass(frozen=True, eq=False)
class Dataset:
    """The rows of a data set in the order of its file."""

    facts: Facts = field(repr=False)
    X: NDArray[np.float64] = field(repr=False)
    """The paper's numeric features, a row an example, contiguous in C's order."""

    y: NDArray[np.float64] | NDArray[np.str_] = field(repr=False)
    """Numbers for a regression, else the names of classes."""

    whole: bool
    """Whether all rows are here, `facts.rows` of them, or only a part."""

    paths: tuple[Path, ...]
    """The files that it was read from."""

    @property
    def name(self) -> str:
        """The name by which it was loaded."""
        return self.facts.name

    @property
    def task(self) -> str:
        """Whether there are "classes" to be told apart or a "regression"."""
        return self.facts.task

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of X."""
        return self.facts.features

    @cached_property
    def scales(self) -> NDArray[np.float64]:
        """The largest |x| of each column of X, of which the paper's table 1 tells the smallest and the largest."""
        return np.maximum(np.abs(self.X.max(axis=0)), np.abs(self.X.min(axis=0)))

    @cached_property
    def table(self) -> pa.Table:
        """All columns, also the categorical ones and the target, read again from the files when first asked for."""
        return read(self.facts, Found(self.paths, self.whole), self.facts.columns)


def load_from_files(facts: Facts) -> Dataset:
    """A data set from wherever it is."""
    here = found(facts)
    table = read(facts, here, [*facts.features, facts.target])
    X = np.empty((table.num_rows, len(facts.features)))
    for place, name in enumerate(facts.features):
        X[:, place] = table[name].to_numpy()
    return Dataset(facts, X, _labels(table[facts.target]), here.whole, here.paths)


def _labels(column: pa.ChunkedArray) -> NDArray[np.float64] | NDArray[np.str_]:
    if column.type == pa.float64():
        return np.array(column)
    encoded = column.combine_chunks().dictionary_encode()
    return np.array(encoded.dictionary.to_pylist(), dtype=np.str_)[encoded.indices.to_numpy()]
