"""Features of tables: columns by name, with numbers and categories, taken in as they appear."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from unscaled.errors import DataError
from unscaled.features.columns import CATEGORY, NUMBER, Cells, cells, kind_of, numbers, parsed
from unscaled.features.hashing import hashed_name
from unscaled.kernels import DenseRows, SparseRows
from unscaled.options import nearest

Plain = DenseRows | SparseRows

_IS_MISSING = " is missing"
_NOWHERE = -1


@dataclass
class Column:
    """A column as it was first met: its kind stays, whatever type a later batch brings it in."""

    name: str
    kind: str


@dataclass
class _Read:
    """A column of one batch: the number of each row, NaN where there is none, and named features."""

    column: Column
    numbers: np.ndarray | None
    cells: Cells | None

    def first_row(self) -> int:
        """The first row in which there is anything; the number of rows if there is none."""
        found = [len(self.numbers)] if self.numbers is not None else []
        if self.numbers is not None:
            found += np.flatnonzero(~np.isnan(self.numbers))[:1].tolist()
        if self.cells is not None:
            found += self.cells.rows[:1].tolist()
        return min(found, default=np.iinfo(np.int64).max)


class NamedFeatures:
    """What is known of the columns of tables: their kinds, and a base feature for each number and category.

    As long as no row had anything but numbers, rows are dense. From the first row on that has, they are listed. So
    how a row is read, to the last bit, depends on the rows before it and not on how they came in batches.
    """

    kind = "named"

    def __init__(self, intercept: bool, hash_bits: int | None, missing_indicator: bool) -> None:
        self.intercept = intercept
        self.missing_indicator = missing_indicator
        self.hash_bits = hash_bits
        self.first = 0 if hash_bits is None else 1 << hash_bits
        self.columns: dict[str, Column] = {}
        self.listed = hash_bits is not None or missing_indicator
        self._names: list[tuple[str, str]] = []  # of the base features after the intercept
        self._ids: dict[tuple[str, str], int] = {}
        self._since: dict[str, int] = {}  # the first rows of the columns that are new in the batch at hand
        self._hashed: dict[int, str] = {}  # the columns of the hashed base features that have been met
        self.known: list[int] = []  # the base features that have a column, in the order in which they were met
        self._warned = False

    @property
    def base(self) -> int:
        """How many base features there are, the intercept included."""
        return self.first + 1 + len(self._names)

    def name(self, i: int) -> str:
        """The name of a base feature."""
        if i == self.first:
            return "(intercept)"
        return "".join(self._names[i - self.first - 1]) if i > self.first else f"(hashed {i})"

    def column(self, i: int) -> str:
        """The column of a base feature; none for the intercept."""
        if i < self.first:
            return self._hashed.get(i, "")
        return self._names[i - self.first - 1][0] if i > self.first else ""

    def key(self, i: int) -> int:
        """What a product of this base feature is hashed by: its name, not the place that it happens to have."""
        return i if i <= self.first else hashed_name(self.name(i))

    def value(self, i: int) -> str | None:
        """What is left of a base feature's name after its column: nothing for a number, `=admin` for a category."""
        return self._names[i - self.first - 1][1] or None if i > self.first else None

    def read(self, table: pa.RecordBatch, learning: bool) -> list[tuple[int, Plain]]:
        """The rows of a table in one part, or two if they turn from dense to listed within it."""
        reads = self._read_columns(table, learning)
        self._since = {}
        if learning:
            self._take_in(reads)
        turn = 0 if self.listed else self._first_named_row(reads, table.num_rows)
        if turn < table.num_rows and learning:
            self.listed = True
        elif not self.listed:
            turn = table.num_rows
        ordered = [reads[name] for name in self.columns if name in reads]
        parts: list[tuple[int, Plain]] = []
        if turn > 0:
            parts.append((0, self._dense(ordered, turn)))
        if turn < table.num_rows:
            parts.append((turn, self._sparse(ordered, turn, table.num_rows, learning)))
        return parts

    def _read_columns(self, table: pa.RecordBatch, learning: bool) -> dict[str, _Read]:
        names = table.schema.names
        if len(set(names)) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise DataError(f"two columns have the same name: {', '.join(map(repr, twice))}")
        self._check_known_columns(names, learning)
        reads = {}
        for name, array in zip(names, table.columns, strict=True):
            known = self.columns.get(name)
            if known is None and not learning:
                continue
            try:
                kind = kind_of(array.type)
                if known is not None or kind is not None:
                    reads[name] = _read(known or Column(name, str(kind)), array)
            except (pa.ArrowException, DataError) as error:
                raise DataError(f"column {name!r}: {error}") from None
        return reads

    def _check_known_columns(self, names: list[str], learning: bool) -> None:
        missing = [name for name in self.columns if name not in names]
        if missing:
            hint = nearest(missing[0], [name for name in names if name not in self.columns])
            listed = ", ".join(map(repr, missing[:5])) + (" …" if len(missing) > 5 else "")
            raise DataError(f"no column {listed}, which the model was trained with{hint}")
        extra = [name for name in names if name not in self.columns]
        if extra and not learning and not self._warned:
            self._warned = True
            listed = ", ".join(map(repr, extra[:5])) + (" …" if len(extra) > 5 else "")
            warnings.warn(f"ignoring columns that the model does not know: {listed}", stacklevel=5)

    def _take_in(self, reads: dict[str, _Read]) -> None:
        """New columns become known in the order of their first rows, then of their names."""
        new = [read for name, read in reads.items() if name not in self.columns]
        for read in sorted(new, key=lambda read: (read.first_row(), read.column.name)):
            if read.first_row() < (len(read.numbers) if read.numbers is not None else np.iinfo(np.int64).max):
                self.columns[read.column.name] = read.column
                self._since[read.column.name] = read.first_row()
                if read.numbers is not None:
                    self._add(read.column.name, "")
                if self.missing_indicator:
                    self._add(read.column.name, _IS_MISSING)

    def _add(self, column: str, suffix: str) -> int:
        place = self._ids.setdefault((column, suffix), self.base)
        if place == self.base:
            self._names.append((column, suffix))
            self.known.append(place)
        return place

    def _hash(self, column: str, suffix: str) -> int:
        place = hashed_name(column + suffix) & (self.first - 1)
        if place not in self._hashed:
            self._hashed[place] = column
            self.known.append(place)
        return place

    @staticmethod
    def _first_named_row(reads: dict[str, _Read], rows: int) -> int:
        found = [int(read.cells.rows[0]) for read in reads.values() if read.cells and len(read.cells.rows)]
        return min(found, default=rows)

    def _dense(self, reads: list[_Read], rows: int) -> DenseRows:
        values = np.zeros((rows, len(self._names)))
        for read in reads:
            place = self._ids.get((read.column.name, ""))
            if read.numbers is not None and place is not None:
                values[:, place - self.first - 1] = read.numbers[:rows]
        return DenseRows(values, float(self.intercept))

    def _sparse(self, reads: list[_Read], begin: int, end: int, learning: bool) -> SparseRows:
        entries = [entry for read in reads for entry in self._entries(read, begin, end, learning)]
        count = end - begin
        lengths = np.zeros(count, np.int64)
        each = [np.bincount(rows, minlength=count) for rows, _, _ in entries]
        for here in each:
            lengths += here
        starts = np.concatenate([[0], np.cumsum(lengths)])
        slots, values = np.empty(starts[-1], np.int64), np.empty(starts[-1])
        cursor = starts[:-1].copy()
        for (rows, places, numbers_), here in zip(entries, each, strict=True):
            rank = np.arange(len(rows)) - np.repeat(np.cumsum(here) - here, here)
            at = cursor[rows] + rank
            slots[at], values[at] = places, numbers_
            cursor += here
        return SparseRows(starts, slots, values, 0, self.first, float(self.intercept))

    def _entries(
        self, read: _Read, begin: int, end: int, learning: bool
    ) -> Iterable[tuple[np.ndarray, np.ndarray | int, np.ndarray]]:
        """The features of a column as rows (ascending), slots and values."""
        name, there = read.column.name, np.zeros(end - begin, bool)
        if read.numbers is not None:
            values = read.numbers[begin:end]
            there |= ~np.isnan(values)
            place = self._add(name, "") if learning else self._ids.get((name, ""), _NOWHERE)
            if place != _NOWHERE:
                yield np.flatnonzero(there), place, values[there]
        if read.cells is not None:
            rows, codes, names, values = read.cells
            inside = (rows >= begin) & (rows < end)
            rows, codes, values = rows[inside] - begin, codes[inside], values[inside]
            there[rows] = True
            places = self._places(name, names, codes, learning)[codes]
            known = places != _NOWHERE
            yield rows[known], places[known], values[known]
        if self.missing_indicator and (name, _IS_MISSING) in self._ids:
            there[: max(0, self._since.get(name, 0) - begin)] = True  # nothing is missing before a column exists
            missing = np.flatnonzero(~there)
            yield missing, self._ids[name, _IS_MISSING], np.ones(len(missing))

    def _places(self, column: str, names: list[str], codes: np.ndarray, learning: bool) -> np.ndarray:
        """The base feature of each name that a code asks for."""
        places = np.full(len(names), _NOWHERE)
        used, firsts = np.unique(codes, return_index=True)
        for code in used[np.argsort(firsts, kind="stable")].tolist():
            if self.hash_bits is not None:
                places[code] = self._hash(column, names[code])
            elif learning:
                places[code] = self._add(column, names[code])
            else:
                places[code] = self._ids.get((column, names[code]), _NOWHERE)
        return places

    def describe(self) -> dict[str, Any]:
        """What a model file keeps besides the names of the base features."""
        by_column: dict[str, list[int]] = {}
        for place, column in self._hashed.items():
            by_column.setdefault(column, []).append(place)
        return {
            "kind": self.kind,
            "hashed": by_column,
            "listed": self.listed,
            "base": len(self._names),
            "columns": [[column.name, column.kind] for column in self.columns.values()],
        }

    def restore(self, described: dict[str, Any], names: Iterable[tuple[str, str]]) -> None:
        """The inverse of `describe`, given the names of the base features after the intercept."""
        self.listed = described["listed"]
        self.columns = {name: Column(name, kind) for name, kind in described["columns"]}
        self._take_hashed({place: column for column, places in described["hashed"].items() for place in places})
        for column, suffix in names:
            self._add(column, suffix)

    def _take_hashed(self, hashed: dict[int, str]) -> None:
        for place, column in hashed.items():
            if place not in self._hashed:
                self._hashed[place] = column
                self.known.append(place)

    def adopt(self, other: "NamedFeatures") -> np.ndarray:
        """Takes in all that another knows; gives the base feature here of each base feature there."""
        for column in other.columns.values():
            known = self.columns.setdefault(column.name, column)
            if known.kind != column.kind:
                raise DataError(f"column {column.name!r} is a {known.kind} here and a {column.kind} there")
        self.listed = self.listed or other.listed
        self._take_hashed(other._hashed)
        places = [self._add(column, suffix) for column, suffix in other._names]
        return np.concatenate([np.arange(self.first + 1), np.array(places, np.int64)])


def _read(column: Column, array: pa.Array) -> _Read:
    kind = kind_of(array.type)
    if kind is None:
        return _Read(column, np.full(len(array), np.nan), None)
    if column.kind == NUMBER and kind == NUMBER:
        return _Read(column, numbers(array), None)
    if column.kind == NUMBER and kind == CATEGORY:
        return _Read(column, *parsed(array))
    return _Read(column, None, cells(array))
