"""From labels to lanes: one number, several numbers, or classes one against all.

A target that is open to new classes keeps one lane more than it knows classes, the lane of a class never seen,
whose label is always -1. A class that appears late starts as a copy of it: it is exactly what it would be had it
been known from the first row on.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from unscaled.errors import DataError, UsageError
from unscaled.losses import COUNT, REAL, SIGN
from unscaled.options import OPEN_CLASSES, Options, nearest, plain_class
from unscaled.tables import record_batches

LARGEST_LABEL = 1e100
"""The square of a label beyond this, times a few rows, is too near to overflow."""

OnBadRow = Callable[[int, str], None]

_REASONS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], str]] = {
    REAL: (lambda y: np.ones(y.shape, bool), ""),
    SIGN: (lambda y: np.abs(y) == 1.0, "is neither -1 nor +1"),
    COUNT: (lambda y: y >= 0.0, "is negative; a count cannot be"),
}


class Numbers:
    """Labels that are numbers: one a row, or several. `last_labels` are those that were encoded last."""

    def __init__(self, labels: str, outputs: int | None = None) -> None:
        self.labels = labels
        self.outputs = outputs
        self.last_labels = np.empty((0, 1))

    @property
    def lanes(self) -> int:
        """A lane for each number."""
        return self.outputs or 1

    def encode(self, y: Any, bad: OnBadRow) -> np.ndarray:
        """Labels as float64, a column a lane; rows that `bad` accepts are NaN."""
        numbers = plain_numbers(y)
        if numbers.ndim not in (1, 2):
            raise UsageError(f"labels must have one or two dimensions, not {numbers.ndim}")
        outputs = numbers.shape[1] if numbers.ndim == 2 else 1
        if outputs == 0:
            raise UsageError("labels have no column")
        if self.outputs is None:
            self.outputs = outputs
        if outputs != self.outputs:
            raise DataError(f"{outputs} labels a row, but this learner was taught with {self.outputs}")
        lanes = numbers.reshape(len(numbers), outputs).copy()
        fits, reason = _REASONS[self.labels]
        usable = (np.abs(lanes) <= LARGEST_LABEL) & fits(lanes)
        for row in np.flatnonzero(~usable.all(axis=1)).tolist():
            label = lanes[row][~usable[row]][0]
            bad(
                row,
                f"label {label:g} {reason if np.isfinite(label) and abs(label) <= 1e100 else _why(label)}",
            )
            lanes[row] = np.nan
        self.last_labels = lanes
        return lanes

    def describe(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {"outputs": self.outputs}


class Classes:
    """Labels that are classes: a lane each, whose label is +1 for its own class and -1 for all others.

    Two classes given beforehand need one lane only, that of the second. `last_labels` are the numbers of the classes
    that were encoded last, and `news` the classes among them that were new, with their first rows.
    """

    def __init__(self, classes: Sequence[Any], is_open: bool) -> None:
        self.classes = list(classes)
        self.is_open = is_open
        self.last_labels = np.empty(0)
        self.news: list[tuple[int, int]] = []
        self.passed_over: set[int] = set()  # rows that must not make a class known

    @property
    def lanes(self) -> int:
        """A lane a class, and one for classes to come."""
        if self.is_open:
            return len(self.classes) + 1
        return 1 if len(self.classes) == 2 else len(self.classes)

    def encode(self, y: Any, bad: OnBadRow) -> np.ndarray:
        """Labels as -1 and +1, a column a lane; rows that `bad` accepts are NaN."""
        codes = self._codes(plain_classes(y), bad)
        if self.lanes == 1:
            lanes = np.where(codes == 1, 1.0, -1.0)[:, None]
        else:
            lanes = np.full((len(codes), self.lanes), -1.0)
            there = np.flatnonzero(codes >= 0)
            lanes[there, codes[there]] = 1.0
        lanes[codes < 0] = np.nan
        self.last_labels = np.where(codes < 0, np.nan, codes)
        return lanes

    def hide_future(self, scores: np.ndarray) -> None:
        """A class cannot be predicted before its first row is over: until then its score is -inf."""
        for code, row in self.news:
            scores[: row + 1, code] = -np.inf

    def _codes(self, labels: list[Any], bad: OnBadRow) -> np.ndarray:
        code_of = {name: code for code, name in enumerate(self.classes)}
        codes = np.empty(len(labels), np.int64)
        self.news = []
        for row, label in enumerate(labels):
            code = code_of.get(label, -1) if label is not None and label == label else -2
            if row in self.passed_over:
                codes[row] = -2
                continue
            if code == -1 and self.is_open:
                code = code_of[label] = len(self.classes)
                self.classes.append(label)
                self.news.append((code, row))
            if code == -1:
                bad(
                    row,
                    f"class {label!r} was not among those given{nearest(str(label), map(str, self.classes))}",
                )
            if code == -2:
                bad(row, "the class is missing")
            codes[row] = code
        self.passed_over = set()
        return codes

    def describe(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {"classes": self.classes, "open": self.is_open}


def make_target(options: Options) -> Numbers | Classes:
    """The target that the options ask for."""
    labels = getattr(options.loss, "labels", REAL)
    if options.classes is None:
        return Numbers(labels)
    if labels == COUNT:
        raise UsageError("classes cannot be learned with a loss for counts; take logistic, hinge or squared")
    if options.classes == OPEN_CLASSES:
        return Classes([], is_open=True)
    return Classes(options.classes, is_open=False)


def restore_target(options: Options, described: dict[str, Any]) -> Numbers | Classes:
    """The target that `describe` told of."""
    if "classes" in described:
        return Classes(described["classes"], described["open"])
    return Numbers(getattr(options.loss, "labels", REAL), described["outputs"])


def _why(label: float) -> str:
    if np.isnan(label):
        return "is not a number (missing?)"
    return "is infinite" if np.isinf(label) else f"is beyond ±{LARGEST_LABEL:g}; take larger units"


def plain_numbers(y: Any) -> np.ndarray:
    """Labels as a float64 array; text is refused with the first that is not a number."""
    if hasattr(y, "__arrow_c_array__") or hasattr(y, "__arrow_c_stream__"):
        y = _arrow_labels(y)
    array = y if isinstance(y, np.ndarray) else np.asarray(y)
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    try:
        return array.astype(np.float64)
    except (ValueError, TypeError):
        cell, label = next((cell, each) for cell, each in enumerate(array.ravel()) if not _reads_as_number(each))
        row = cell // max(1, array.size // max(1, len(array)))
        raise DataError(
            f"row {row}: label {_unwrapped(label)!r} is not a number; "
            "to learn classes, pass classes='auto' or the classes"
        ) from None


def plain_classes(y: Any) -> list[Any]:
    """Classes as a list of plain ones."""
    if hasattr(y, "__arrow_c_array__") or hasattr(y, "__arrow_c_stream__"):
        y = _arrow_labels(y)
    labels = y.tolist() if isinstance(y, np.ndarray) else list(y)
    if labels and isinstance(labels[0], list):
        raise UsageError("classes must come in one dimension; several yes-or-nos a row are labels of -1 and +1")
    return [plain_class(label) for label in labels]


def _arrow_labels(y: Any) -> np.ndarray:
    """A column, or the only column of a table, or all columns of a table of numbers."""
    column = pa.chunked_array(y) if hasattr(y, "__arrow_c_stream__") else pa.chunked_array([pa.array(y)])
    if not pa.types.is_struct(column.type):
        return column.to_numpy()
    table = pa.Table.from_batches(list(record_batches(y)))
    parts = [part.to_numpy() for part in table.columns]
    return parts[0] if len(parts) == 1 else np.stack(parts, axis=1)


def _unwrapped(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label


def _reads_as_number(label: Any) -> bool:
    try:
        float(label)
    except (ValueError, TypeError):
        return False
    return True
