"""Learning from a stream of batches: which column is what, which rows are bad, and when to report and to save."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from unscaled.errors import BadRowError, DataError, UsageError
from unscaled.features.columns import BAG, CATEGORY, NO_NUMBER, NUMBER, encoded, kind_of, numbers, parsed
from unscaled.learner import Learner, OnBadRow
from unscaled.losses import SIGN, Loss
from unscaled.options import nearest
from unscaled.progressive import Progressive
from unscaled.sources import Batch, Stream

SHARE_OF_NUMBERS = 0.5
"""A column of text of which at least so many different values read as numbers is a number with bad rows."""

MANY_VALUES, SHARE_OF_ODD_TEXT = 20, 0.1
"""A feature of text with at least so many different values, at most such a share of them no number, is suspicious."""


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
        if len(set(chosen)) < len(chosen):
            raise UsageError(f"--target: {', '.join(chosen)} names a column twice")
        for option, others in (("--weight", (weight,)), ("--ignore", ignored)):
            for twice in set(chosen).intersection(others):
                raise UsageError(f"{option}: {twice!r} is the target; name another column")
        weight = weight or (stream.format.weight if stream.format.weight in {*names} - {*chosen} else None)
        asked = [("--target", each) for each in chosen]
        asked += [("--weight", weight)] if weight is not None else []
        asked += [("--ignore", each) for each in ignored if not stream.format.loose]
        for option, wanted in asked:
            may_come_later = stream.format.loose and not stream.skipped.stop
            if wanted not in names and not may_come_later:
                raise UsageError(f"{option}: no column {wanted!r}{nearest(wanted, names)}")
        return cls(chosen, weight, (*stream.format.ignored, *ignored))

    def features(self, table: pa.RecordBatch) -> pa.RecordBatch:
        """The columns that are features."""
        others = {*self.targets, self.weight, *self.ignored}
        return table.select([name for name in table.schema.names if name not in others])

    def described(self) -> dict[str, Any]:
        """What a model file keeps, so that it can be used on other files."""
        return {"targets": self.targets, "weight": self.weight, "ignored": self.ignored}


def learns_classes(losses: Sequence[Loss], stream: Stream, roles: Roles) -> bool:
    """Whether the only target is to be learned as classes: a loss asks for it, or no loss is given and it looks so."""
    signed = any(getattr(loss, "labels", None) == SIGN for loss in losses) and len(roles.targets) == 1
    return signed or (not losses and looks_like_classes(stream, roles))


def looks_like_classes(stream: Stream, roles: Roles) -> bool:
    """Whether the first batch's only target is text or truth values rather than numbers."""
    if len(roles.targets) != 1:
        return False
    table = stream.first_table()
    if roles.targets[0] not in table.schema.names:
        return False
    column = table[roles.targets[0]]
    kind = _kind_of_label(roles.targets[0], column.type)
    if pa.types.is_boolean(column.type):
        return True
    if kind != CATEGORY:
        return False
    _, keys = encoded(column)
    readable = sum(1 for key in keys if _reads_as_number(key))
    return readable < SHARE_OF_NUMBERS * max(1, len(keys))


def numbers_taken_for_text(stream: Stream, roles: Roles) -> list[str]:
    """Notes on columns in which a few cells of text have turned all numbers into categories."""
    if not stream.format.infers:
        return []
    notes = []
    table = roles.features(stream.first_table())
    for name, column in zip(table.schema.names, table.columns, strict=True):
        if kind_of(column.type) != CATEGORY:
            continue
        keys = encoded(column)[1]
        odd = [key for key in keys if not _reads_as_number(key) and key.strip().lower() not in NO_NUMBER]
        if len(keys) >= MANY_VALUES and len(odd) <= len(keys) * SHARE_OF_ODD_TEXT:
            example = f"such as {odd[0]!r}" if odd else "further down"
            notes.append(
                f'column "{name}" holds text among its numbers, {example}: each of its values is a category now; '
                "mend the text, or leave the column out with --ignore"
            )
    return notes


class Learns(Protocol):
    """What learns in a first pass: a `Progressive`, or several side by side."""

    def learn(self, X: Any, y: Any, weights: np.ndarray | None, on_bad_row: OnBadRow | None) -> np.ndarray:
        """`Progressive.learn`."""


class Training:
    """One learner that goes through streams, and what it meets on the way.

    Several may go side by side: then `learner` is one of them, and `learns` teaches all.
    """

    def __init__(self, learner: Learner, roles: Roles, learns: Learns | None = None) -> None:
        self.learner = learner
        self.roles = roles
        self.progressive = Progressive(learner)
        self._learns = learns or self.progressive
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
    ) -> int:
        """Learns all rows of a stream but the first `skip`, and gives how many of these are yet to come.

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
        return to_skip

    def _learn(self, stream: Stream, batch: Batch, begin: int, rows: int, first_pass: bool) -> None:
        table = batch.table.slice(begin, rows)
        reasons: dict[int, str] = {}
        found: dict[int, str] = {}  # a row may be bad for more than one reason, and counts once

        def bad(row: int, why: str) -> None:
            complaint = reasons.get(row) or with_remedy(why, self.roles.targets)
            found.setdefault(row, f"{batch.where.row(begin + row)}: {complaint}")
            if stream.skipped.stop:
                stream.skipped.reject(found[row])

        try:
            labels = self._labels(table, reasons)
            weights = self._weights(table, labels, reasons)
            features = with_known_columns(self.roles.features(table), self.learner, stream.format.loose)
            if first_pass:
                self._learns.learn(features, labels, weights, on_bad_row=bad)
            else:
                self.learner.learn(features, labels, weights, on_bad_row=bad, progressive=False)
        except BadRowError:
            raise
        except DataError as error:
            raise DataError(f"{batch.where.row(begin)}: {error}") from None
        for row in sorted(found):
            stream.skipped.reject(found[row])

    def _labels(self, table: pa.RecordBatch, reasons: dict[int, str]) -> Any:
        columns = [_column(table, name) for name in self.roles.targets]
        if self.learner.options.classes is not None:
            _kind_of_label(self.roles.targets[0], columns[0].type)
            return class_labels(columns[0])
        labels = [
            _number_labels(name, column, reasons) for name, column in zip(self.roles.targets, columns, strict=True)
        ]
        return labels[0].copy() if len(labels) == 1 else np.stack(labels, axis=1)

    def _weights(self, table: pa.RecordBatch, labels: Any, reasons: dict[int, str]) -> np.ndarray | None:
        """The weights; a row whose weight is none loses its label, so that it is a bad row like others."""
        if self.roles.weight is None:
            return None
        column = _column(table, self.roles.weight)
        if kind_of(column.type) not in (None, NUMBER, CATEGORY):
            raise DataError(f'column "{self.roles.weight}": weights are numbers, not {column.type}')
        weights = numbers(column) if kind_of(column.type) == NUMBER else parsed(column)[0]
        usable = np.isfinite(weights) & (weights >= 0.0)
        for row in np.flatnonzero(~usable).tolist():
            said = column[row].as_py()
            reasons[row] = (
                f'column "{self.roles.weight}": a weight is a finite number of at least 0, not {said!r}; {_MEND}'
            )
            labels[row] = None if isinstance(labels, list) else np.nan
        return np.where(usable, weights, 0.0)


_MEND = "mend it or skip such rows with --bad-rows skip"


def with_remedy(why: str, targets: Sequence[str]) -> str:
    """What a learner says about a row, with the column if it is about the label, and with what can be done."""
    if why.endswith("mend the value or leave it out"):
        return f"{why}, or skip such rows with --bad-rows skip"
    return f"column {_quoted(targets)}: {why}; {_MEND}"


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


def _number_labels(name: str, column: pa.Array, reasons: dict[int, str]) -> np.ndarray:
    if _kind_of_label(name, column.type) == CATEGORY:
        labels, texts = parsed(column)
        for row, code in zip(texts.rows.tolist(), texts.codes.tolist(), strict=True):
            label = texts.names[code].removeprefix("=")
            reasons.setdefault(
                row,
                f"column {_quoted([name])}: label {label!r} is not a number; mend it, skip such rows with "
                "--bad-rows skip, or learn classes with --classes auto",
            )
    else:
        labels = numbers(column)
    for row in np.flatnonzero(~np.isfinite(labels)).tolist():
        trouble = "the label is missing" if np.isnan(labels[row]) else f"label {labels[row]:g} is infinite"
        reasons.setdefault(row, f"column {_quoted([name])}: {trouble}; {_MEND}")
    return labels


def _column(table: pa.RecordBatch, name: str) -> pa.Array:
    return table[name] if name in table.schema.names else pa.nulls(table.num_rows)


def _kind_of_label(name: str, kind: pa.DataType) -> str | None:
    try:
        found = kind_of(kind)
    except DataError:
        found = BAG
    if found not in (None, NUMBER, CATEGORY):
        raise DataError(f'column "{name}": a target must hold numbers, text or truth values, not {kind}')
    return found


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
