"""Learning from a stream of batches: which column is what, which rows are bad, and when to report and to save."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from unscaled.errors import BadRowError, DataError, UsageError
from unscaled.features.columns import CATEGORY, NUMBER, encoded, kind_of, numbers, parsed
from unscaled.learner import Learner
from unscaled.losses import SIGN
from unscaled.options import nearest
from unscaled.progressive import Progressive
from unscaled.sources import Batch, Stream

SHARE_OF_NUMBERS = 0.5
"""A column of text of which at least so many different values read as numbers is a number with bad rows."""


@dataclass(frozen=True)
class Roles:
    """Which columns are the targets and the weights, and which are not features."""

    targets: tuple[str, ...]
    weight: str | None = None
    ignored: tuple[str, ...] = ()

    @classmethod
    def of(cls, stream: Stream, targets: Sequence[str], weight: str | None, ignored: Sequence[str]) -> "Roles":
        """The roles that were asked for, or that the format gives; all of them must exist."""
        names = stream.column_names()
        chosen = tuple(targets) or ((stream.format.target,) if stream.format.target else ())
        if not chosen:
            raise UsageError(f"which column is to be predicted? Name it with --target; there are {_some(names)}")
        weight = weight or (stream.format.weight if stream.format.weight in names else None)
        for option, wanted in [*(("--target", name) for name in chosen), ("--weight", weight)]:
            if wanted is not None and wanted not in names and not stream.format.loose:
                raise UsageError(f"{option}: no column {wanted!r}{nearest(wanted, names)}")
        return cls(chosen, weight, (*stream.format.ignored, *ignored))

    def features(self, table: pa.RecordBatch) -> pa.RecordBatch:
        """The columns that are features."""
        others = {*self.targets, self.weight, *self.ignored}
        return table.select([name for name in table.schema.names if name not in others])


def looks_like_classes(stream: Stream, roles: Roles) -> bool:
    """Whether the first batch's only target is text or truth values rather than numbers."""
    if len(roles.targets) != 1:
        return False
    table = stream.first_table()
    if roles.targets[0] not in table.schema.names:
        return False
    column = table[roles.targets[0]]
    kind = kind_of(column.type)
    if pa.types.is_boolean(column.type):
        return True
    if kind != CATEGORY:
        return False
    _, keys = encoded(column)
    readable = sum(1 for key in keys if _reads_as_number(key))
    return readable < SHARE_OF_NUMBERS * max(1, len(keys))


class Training:
    """One learner that goes through streams, and what it meets on the way."""

    def __init__(self, learner: Learner, roles: Roles) -> None:
        self.learner = learner
        self.roles = roles
        self.progressive = Progressive(learner)
        self.rows = 0  # rows of the streams so far, bad ones included
        self.is_learning = False

    def run(
        self,
        stream: Stream,
        *,
        first_pass: bool = True,
        skip: int = 0,
        stops: Callable[[int], int] | None = None,
        at_stop: Callable[[], None] | None = None,
    ) -> None:
        """Learns all rows of a stream but the first `skip`.

        `stops` says, for a number of examples, after how many `at_stop` is to be called next.
        """
        to_skip = skip
        for batch in stream:
            passed = min(to_skip, batch.table.num_rows)
            to_skip -= passed
            self.rows += passed
            begin = passed
            while begin < batch.table.num_rows:
                rows = batch.table.num_rows - begin
                if stops is not None:
                    rows = min(rows, max(1, stops(self.learner.examples) - self.learner.examples))
                self.is_learning = True
                self._learn(stream, batch, begin, rows, first_pass)
                self.rows += rows
                self.is_learning = False
                begin += rows
                if at_stop is not None:
                    at_stop()

    def _learn(self, stream: Stream, batch: Batch, begin: int, rows: int, first_pass: bool) -> None:
        table = batch.table.slice(begin, rows)
        reasons: dict[int, str] = {}
        labels = self._labels(table, reasons)
        weights = self._weights(table, reasons)

        def bad(row: int, why: str) -> None:
            stream.skipped.reject(f"{batch.where.row(begin + row)}: {reasons.get(row, why)}")

        if weights is not None:
            for row in [row for row in reasons if not np.isfinite(weights[row])]:
                bad(row, reasons[row])
                weights[row] = 0.0
        features = with_known_columns(self.roles.features(table), self.learner, stream.format.loose)
        try:
            if first_pass:
                self.progressive.learn(features, labels, weights, on_bad_row=bad)
            else:
                self.learner.learn(features, labels, weights, on_bad_row=bad, progressive=False)
        except BadRowError:
            raise
        except DataError as error:
            raise DataError(f"{batch.where.row(begin)}: {error}") from None

    def _labels(self, table: pa.RecordBatch, reasons: dict[int, str]) -> Any:
        columns = [_column(table, name) for name in self.roles.targets]
        if self.learner.options.classes is not None:
            return class_labels(columns[0])
        signed = getattr(self.learner.options.loss, "labels", None) == SIGN
        labels = [_number_labels(column, reasons, signed) for column in columns]
        return labels[0] if len(labels) == 1 else np.stack(labels, axis=1)

    def _weights(self, table: pa.RecordBatch, reasons: dict[int, str]) -> np.ndarray | None:
        if self.roles.weight is None:
            return None
        column = _column(table, self.roles.weight)
        weights = numbers(column) if kind_of(column.type) == NUMBER else parsed(column)[0]
        for row in np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0))).tolist():
            said = column[row].as_py()
            reasons[row] = f"{self.roles.weight} is {said!r}; a weight is a number of at least 0"
        return np.where(np.isfinite(weights) & (weights >= 0.0), weights, np.nan)


def with_known_columns(table: pa.RecordBatch, learner: Learner, loose: bool) -> pa.RecordBatch:
    """For formats in which a row names its own columns: those that no row of the batch named, as missing."""
    known = getattr(learner._features, "columns", None)
    if not loose or not isinstance(known, dict):
        return table
    for name in known:
        if name not in table.schema.names:
            table = table.append_column(name, pa.nulls(table.num_rows))
    return table


def class_labels(column: pa.Array) -> list[str | None]:
    """Classes as text, so that 1, 1.0 and "1" are one class; None where the label is missing."""
    codes, keys = encoded(column)
    return [keys[code] if code >= 0 else None for code in codes.tolist()]


def _number_labels(column: pa.Array, reasons: dict[int, str], signed: bool) -> np.ndarray:
    kind = kind_of(column.type)
    if kind not in (None, NUMBER, CATEGORY):
        raise DataError(f"a column of type {column.type} cannot be a target")
    if kind != CATEGORY:
        labels = numbers(column)
        if kind is None:
            labels = np.full(len(column), np.nan)
        for row in np.flatnonzero(np.isnan(labels)).tolist():
            reasons[row] = "the label is missing"
        return labels
    labels, texts = parsed(column)
    for row, code in zip(texts.rows.tolist(), texts.codes.tolist(), strict=True):
        label = texts.names[code].removeprefix("=")
        reasons[row] = f"label {label!r} is not a number; to learn classes, name them with --classes"
    for row in np.flatnonzero(np.isnan(labels)).tolist():
        reasons.setdefault(row, "the label is missing")
    return labels


def _column(table: pa.RecordBatch, name: str) -> pa.Array:
    return table[name] if name in table.schema.names else pa.nulls(table.num_rows)


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
