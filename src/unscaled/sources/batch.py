"""Batches of rows, and where in which file each of their rows stands."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa


class Where(Protocol):
    """Tells where the rows of one batch stand."""

    def row(self, index: int) -> str:
        """Name the place of row `index`, such as "bank.csv:17" or "part-3.parquet row 17"."""


class Batch(NamedTuple):
    """Consecutive rows of one file."""

    table: pa.RecordBatch
    where: Where


class RowPlaces:
    """Places in a file without lines: its rows are counted from 1."""

    def __init__(self, name: str, first_row: int) -> None:
        self._name = name
        self._first_row = first_row

    def row(self, index: int) -> str:
        """Name the place of row `index`."""
        return f"{self._name} row {self._first_row + index}"


class BlockLines:
    """The line numbers of a block's rows, computed when first asked for."""

    def __init__(self, compute: Callable[[], npt.NDArray[np.int64]]) -> None:
        self._compute: Callable[[], npt.NDArray[np.int64]] | None = compute
        self._lines: npt.NDArray[np.int64] | None = None

    def of(self, row: int) -> int:
        """Return the line on which `row` of the block starts."""
        if self._compute is not None:
            self._lines = self._compute()
            self._compute = None  # it holds the block's bytes
        assert self._lines is not None
        return int(self._lines[row])


class LinePlaces:
    """Places in a text file: name and line."""

    def __init__(self, name: str, lines: BlockLines, first_row: int) -> None:
        self._name = name
        self._lines = lines
        self._first_row = first_row

    def row(self, index: int) -> str:
        """Name the place of row `index`."""
        return f"{self._name}:{self._lines.of(self._first_row + index)}"
