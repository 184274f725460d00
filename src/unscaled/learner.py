"""The learner: lanes over one set of scales, which learn row by row and predict."""

import copy
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from unscaled import __version__, kernels, merging, modelfile
from unscaled.errors import DataError, ModelFileError, UsageError
from unscaled.experts import ExpertNumbers
from unscaled.features import Crossing, NamedFeatures, PositionalFeatures
from unscaled.intervals import Intervals
from unscaled.losses import Loss
from unscaled.options import Classes as GivenClasses
from unscaled.options import Clip, Interactions, Options
from unscaled.rules import Rule
from unscaled.state import Numbers
from unscaled.tables import as_matrix, is_table, record_batches
from unscaled.targets import Classes, make_target, restore_target
from unscaled.weights import feature_columns, in_user_units, learned_slots, weight_columns, weights_table

OnBadRow = Callable[[int, str], None]


class Learner:
    """An online linear learner that does not care about the units of its features.

    Every row is predicted before it is learned from, so what `learn` gives is honest, and no row is kept.

    >>> import numpy as np
    >>> metres = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> label = np.array([2.0, 4.0, 6.0, 8.0])
    >>> Learner().learn(metres, label).round(3).tolist()
    [0.0, 2.0, 3.397, 5.654]
    >>> Learner().learn(1024 * metres, label).round(3).tolist()
    [0.0, 2.0, 3.397, 5.654]

    X is a NumPy array, a SciPy CSR matrix, or a table: anything with Arrow's C interface (pandas, polars, pyarrow,
    DuckDB), whose columns are then matched by name and may hold numbers, dates, text, categories and lists. Missing
    values are absent. The options are those of `unscaled.options.Options`.

    `examples` counts the rows learned from and `weight` is the sum of their weights. What is put in `attached`, as
    plain JSON, is saved with the model.
    """

    def __init__(
        self,
        rule: str | Rule = "auto",
        loss: str | Loss = "squared",
        learning_rate: None | float | Sequence[float] = None,
        intercept: bool = True,
        importance_aware: bool = True,
        clip: Clip = None,
        l1: float = 0.0,
        l2: float = 0.0,
        interactions: Interactions = 1,
        hash_bits: int | None = None,
        missing_indicator: bool = False,
        dtype: str = "float64",
        classes: GivenClasses = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name != "self"}
        self.options = Options(**given)
        self.examples = 0
        self.weight = 0.0
        self.attached: dict[str, Any] = {}
        self._target = make_target(self.options)
        self._crossing = Crossing(self.options)
        self._features: NamedFeatures | PositionalFeatures | None = None
        self._numbers = (ExpertNumbers if self.options.finds_its_rate else Numbers).nothing(self.options)
        self._intervals = Intervals(self.options)

    def learn(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        on_bad_row: OnBadRow | None = None,
        progressive: bool = True,
    ) -> np.ndarray:
        """Learns from rows, one after the other, and gives the predictions made before each update.

        A weight counts as so many examples; a row of weight 0 is predicted only. A row with an infinite value or a
        label that the loss cannot take is an error, before which the rows above it may have been learned; with
        `on_bad_row`, such rows are passed over, their predictions are NaN, and it is told which and why. Rows that
        were learned from before, in an earlier pass, are not to count in the loss: `progressive=False`.
        """
        bad = on_bad_row or _refuse
        parts = None
        if on_bad_row is not None and isinstance(self._target, Classes):
            # A class must not become known by a row that is passed over for its features.
            parts = list(self._read(X, None, learning=True))
            self._target.passed_over = {begin + i for begin, rows in parts for i in infinite_rows(rows)}
        labels = self._encode(y, bad)
        weights = checked_weights(sample_weight, len(labels))
        unusable = np.isnan(labels[:, 0]) if labels.shape[1] else np.zeros(len(labels), bool)
        if unusable.any():
            weights, labels = np.where(unusable, 0.0, weights), np.nan_to_num(labels)
        predictions = np.full(labels.shape, np.nan)
        loss, weight = self._numbers.lanes.loss.copy(), self.weight
        try:
            for begin, rows in parts or self._read(X, len(labels), learning=True):
                here = slice(begin, begin + kernels.row_total(rows))
                self._learn_rows(rows, labels[here], weights[here], predictions[here], begin, bad)
        finally:  # rows above one that is refused have been learned
            if progressive:
                self._intervals.observe(labels, predictions, weights)
        if not progressive:
            self._numbers.lanes.loss[:], self.weight = loss, weight
        predictions[unusable] = np.nan
        shown = self._shown(predictions)
        if isinstance(self._target, Classes):
            self._target.hide_future(shown)
        return shown

    def expect_classes(self, classes: Sequence[Any]) -> None:
        """Makes classes known before their first rows, to a learner that takes in new ones."""
        if not isinstance(self._target, Classes) or not self._target.is_open:
            raise UsageError("only a learner with classes='auto' takes in new classes")
        self._target.classes += [name for name in classes if name not in self._target.classes]

    def predict(self, X: Any, *, interval: float | None = None, on_bad_row: OnBadRow | None = None) -> np.ndarray:
        """Raw scores: what `learn` would give for these rows, without learning.

        A number a row, with a second dimension for several targets or classes and a last one for several rates. With
        an `interval`, such as 0.9, three numbers in a last dimension: the prediction in the units of the label, and
        the ends of an interval that holds the label with that chance.
        """
        if interval is not None:
            self._intervals.check(interval)
        parts = [
            self._predict_rows(rows, begin, on_bad_row or _refuse)
            for begin, rows in self._read(X, None, learning=False)
        ]
        scores = np.concatenate(parts) if parts else np.empty((0, self._numbers.width))
        if interval is not None:
            around = self._intervals.around(scores, self._numbers.lanes.low, self._numbers.lanes.high, interval)
            return around[:, 0] if around.shape[1] == 1 else around
        return self._shown(scores)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as one Parquet table, atomically: the file at `path` is the old or the new one."""
        modelfile.write(_contents(self), path)

    def merge(self, other: "Learner") -> "Learner":
        """A learner that knows what both know; neither is changed.

        Scales are the larger ones (second moments add), counts and sums add, weights are averaged by the counts.
        """
        return merging.merged(self, other)

    def at_rate(self, rate: float) -> "Learner":
        """The learner of one of several learning rates, which knows what it would know had it learned alone.

        >>> import numpy as np
        >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array([2.0, 4.0, 6.0])
        >>> grid, alone = Learner(learning_rate=[0.1, 1.0]), Learner(learning_rate=1.0)
        >>> scores, _ = grid.learn(X, y), alone.learn(X, y)
        >>> grid.at_rate(1.0).predict(X).round(6).tolist() == alone.predict(X).round(6).tolist()
        True
        """
        rates = self.options.rates
        if rate not in rates:
            raise UsageError(f"no lane learns at the rate {rate!r}; there are {', '.join(map(repr, rates))}")
        twin = self._copy()
        if self.options.learning_rate is not None:
            twin.options = replace(self.options, learning_rate=rate)
        if len(rates) > 1:
            lanes = slice(rates.index(rate), None, len(rates))
            twin._numbers = twin._numbers.of_lanes(lanes)
            twin._intervals = twin._intervals.of_lanes(lanes, twin.options)
        return twin

    def weights(self) -> pa.Table:
        """One row a feature: its name, scale, count, weight, and effect |weight| * scale; the strongest first."""
        return weights_table(self)

    @property
    def progressive_loss(self) -> float | np.ndarray:
        """The mean loss of the predictions made before each update; one a learning rate if there are several.

        Of several targets or classes it is the mean over their lanes.
        """
        if not self.weight:
            return float("nan")
        rates = len(self.options.rates)
        losses = self._numbers.lanes.loss.reshape(-1, rates)[: self._shown_outputs].mean(axis=0) / self.weight
        return float(losses[0]) if rates == 1 else losses

    @property
    def interval_coverage(self) -> dict[float, float]:
        """Of intervals of several levels, the share of labels that they held, each interval from before its row."""
        return self._intervals.coverage()

    @property
    def classes(self) -> list[Any] | None:
        """The classes known so far, in the order of the columns of the scores; None if labels are numbers."""
        return list(self._target.classes) if isinstance(self._target, Classes) else None

    @property
    def features(self) -> int:
        """How many features have been seen, products included and the intercept not."""
        seen = int(np.count_nonzero(self._numbers.count))
        return seen - int(self.options.intercept and seen > 0)

    def _copy(self) -> "Learner":
        return copy.deepcopy(self)

    def _encode(self, y: Any, bad: OnBadRow) -> np.ndarray:
        """Labels a lane, where the lanes of a target are repeated for each learning rate."""
        labels = self._target.encode(y, bad)
        is_open = isinstance(self._target, Classes) and self._target.is_open
        self._numbers.widen(self.options, self._target.lanes, is_open)
        return np.repeat(labels, len(self.options.rates), axis=1)

    def _read(self, X: Any, expected: int | None, learning: bool) -> Iterator[tuple[int, Any]]:
        """The rows of X as the kernels take them, each part with the number of its first row."""
        total = 0
        for batch in record_batches(X) if is_table(X) else [as_matrix(X)]:
            begin, total = total, total + (batch.num_rows if is_table(batch) else batch.shape[0])
            if expected is not None and total > expected:
                raise UsageError(f"X has more rows than there are labels ({expected})")
            features = self._features_for(batch, learning)
            for start, rows in features.read(batch, learning):
                slots = self._crossing.table_size(features.base)
                self._numbers.make_room(slots)
                yield begin + start, self._crossing.rows(rows, features)
        if expected is not None and total != expected:
            raise UsageError(f"X has {total} rows, but there are {expected} labels")

    def _features_for(self, batch: Any, learning: bool) -> NamedFeatures | PositionalFeatures:
        wanted = NamedFeatures if is_table(batch) else PositionalFeatures
        options = self.options
        if self._features is None:
            if not learning:
                raise UsageError("nothing has been learned yet; call learn first")
            self._features = (
                NamedFeatures(options.intercept, options.hash_bits, options.missing_indicator)
                if wanted is NamedFeatures
                else PositionalFeatures(options.intercept, options.hash_bits)
            )
        if not isinstance(self._features, wanted):
            had, got = ("plain arrays", "a table") if wanted is NamedFeatures else ("named columns", "an array")
            raise DataError(f"this learner was taught with {had} and cannot match the columns of {got}")
        return self._features

    def _first_slot(self, rows: Any) -> int:
        """Dense rows start at the intercept's slot, listed ones name their slots themselves."""
        return self._features.first if isinstance(rows, kernels.DenseRows) and self._features else 0

    def _learn_rows(
        self, rows: Any, labels: np.ndarray, weights: np.ndarray, out: np.ndarray, begin: int, bad: OnBadRow
    ) -> None:
        learn = self._numbers.learning(self.options, rows, self._first_slot(rows), labels, weights, out)
        total, i = len(labels), 0
        while (stopped := learn(i)) < total:
            self._count(weights[i:stopped])
            bad(begin + stopped, self._infinite(rows, stopped))
            out[stopped] = np.nan
            i = stopped + 1
        self._count(weights[i:])

    def _predict_rows(self, rows: Any, begin: int, bad: OnBadRow) -> np.ndarray:
        total, i = kernels.row_total(rows), 0
        out = np.full((total, self._numbers.width), np.nan)
        predict = self._numbers.predicting(self.options, rows, self._first_slot(rows), out)
        while (stopped := predict(i)) < total:
            bad(begin + stopped, self._infinite(rows, stopped))
            out[stopped] = np.nan
            i = stopped + 1
        return out

    def _count(self, weights: np.ndarray) -> None:
        self.examples += int(np.count_nonzero(weights))
        self.weight = float(np.cumsum(np.append(self.weight, weights))[-1])

    def _infinite(self, rows: Any, i: int) -> str:
        """What is wrong with a row that a kernel stopped at."""
        assert self._features is not None
        plain = rows.rows if isinstance(rows, kernels.Crossed) else rows
        if isinstance(plain, kernels.DenseRows):
            slot = int(np.flatnonzero(np.isinf(plain.values[i]))[0]) + 1 + self._features.first
        else:
            here = slice(plain.starts[i], plain.starts[i + 1])
            slot = int(plain.slots[here][np.isinf(plain.values[here])][0]) + plain.offset
        return f"{self._features.name(slot)} is infinite; mend the value or leave it out"

    @property
    def _shown_outputs(self) -> int:
        """The lane for classes to come is nobody's business."""
        is_open = isinstance(self._target, Classes) and self._target.is_open
        return self._target.lanes - int(is_open)

    def _shown(self, scores: np.ndarray) -> np.ndarray:
        """Scores a row, output and rate, without the dimensions of size one."""
        outputs, rates = self._shown_outputs, len(self.options.rates)
        shaped = scores.reshape(len(scores), scores.shape[1] // rates, rates)[:, :outputs]
        single_output = outputs == 1 and not (isinstance(self._target, Classes) and self._target.is_open)
        shaped = shaped[:, 0] if single_output else shaped
        return shaped[..., 0] if rates == 1 else shaped


def load(path: str | os.PathLike[str], *, loss: Loss | None = None, rule: Rule | None = None) -> Learner:
    """Reads a model file; learning on gives bit for bit what it would have given without the file.

    A model with a loss or a rule of your own needs it again: a file holds no code.
    """
    contents = modelfile.read(path)
    try:
        return _restored(contents, loss, rule)
    except (KeyError, TypeError, IndexError) as error:
        raise ModelFileError(f"{os.fspath(path)} does not hold a whole model: {error!r}") from None


def _contents(learner: Learner) -> modelfile.Contents:
    numbers, features = learner._numbers, learner._features
    slots = learned_slots(learner)
    if features is not None:  # a base feature is kept also if it was never more than zero
        base = learner._crossing.base_slots(np.arange(features.first, features.base))
        slots = np.union1d(slots, base)
    weights, scales = in_user_units(learner, slots)
    columns = {
        **feature_columns(learner, slots),
        **weight_columns(learner, weights),
        "scale": scales,
        **numbers.columns(learner.options, slots),
    }
    described = {
        "version": __version__,
        "options": learner.options.described(),
        "features": features.describe() if features is not None else None,
        "target": learner._target.describe(),
        "examples": learner.examples,
        "weight": learner.weight,
        **numbers.described(),
        "intervals": learner._intervals.describe(),
        "attached": learner.attached,
    }
    return modelfile.Contents(pa.table(columns), described)


def _restored(contents: modelfile.Contents, loss: Loss | None, rule: Rule | None) -> Learner:
    described = contents.described
    given = {
        **described["options"],
        **({"loss": loss} if loss is not None else {}),
        **({"rule": rule} if rule is not None else {}),
    }
    learner = Learner(**given)
    learner.examples, learner.weight = described["examples"], described["weight"]
    learner.attached = described["attached"]
    learner._intervals = Intervals(learner.options, described.get("intervals"))
    learner._target = restore_target(learner.options, described["target"])
    if described["features"] is None:
        return learner
    slots = contents.column("slot")
    learner._features = _restored_features(learner, contents, slots)
    learner._numbers.make_room(learner._crossing.table_size(learner._features.base))
    learner._numbers.restore(learner.options, contents)
    return learner


def _restored_features(
    learner: Learner, contents: modelfile.Contents, slots: np.ndarray
) -> NamedFeatures | PositionalFeatures:
    options, described = learner.options, contents.described["features"]
    if described["kind"] == PositionalFeatures.kind:
        return PositionalFeatures(options.intercept, options.hash_bits, described["columns"])
    features = NamedFeatures(options.intercept, options.hash_bits, options.missing_indicator)
    at = {int(slot): row for row, slot in enumerate(slots)}
    columns, values = contents.table["column"].to_pylist(), contents.table["value"].to_pylist()
    names = []
    for i in range(features.first + 1, features.first + 1 + described["base"]):
        row = at[int(learner._crossing.base_slots(np.int64(i)))]
        names.append((columns[row], values[row] or ""))
    features.restore(described, names)
    return features


def infinite_rows(rows: Any) -> list[int]:
    """The rows that a kernel would stop at."""
    plain = rows.rows if isinstance(rows, kernels.Crossed) else rows
    infinite = np.isinf(plain.values)
    if isinstance(plain, kernels.DenseRows):
        return list(np.flatnonzero(infinite.any(axis=1)))
    return list(np.searchsorted(plain.starts, np.flatnonzero(infinite), side="right") - 1)


def checked_weights(given: Any, rows: int) -> np.ndarray:
    """Importance weights as float64, one for each row; 1 if none are given."""
    if given is None:
        return np.ones(rows)
    try:
        weights = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise DataError("sample_weight has values that are not numbers") from None
    if weights.shape != (rows,):
        raise UsageError(
            f"sample_weight has the shape {weights.shape}, it must have one weight for each of {rows} rows"
        )
    if not (weights >= 0.0).all() or not np.isfinite(weights).all():
        row = int(np.flatnonzero(~((weights >= 0.0) & np.isfinite(weights)))[0])
        raise DataError(f"row {row}: weight {weights[row]:g} is not a finite number of at least 0")
    return weights


def _refuse(row: int, why: str) -> None:
    raise DataError(f"row {row}: {why}")
