"""`unscaled.tune`: one pass over arrays, tables or a stream of batches."""

from collections.abc import Iterable, Iterator
from typing import Any

from unscaled.errors import DataError, UsageError
from unscaled.learner import checked_weights
from unscaled.losses import Loss
from unscaled.options import Interactions
from unscaled.rules import Rule
from unscaled.tables import BLOCK_ROWS, as_matrix, is_table, record_batches
from unscaled.tuning.candidates import DEFAULT_RULES
from unscaled.tuning.contest import Contest
from unscaled.tuning.outcome import Tuned


def tune(
    X: Any,
    y: Any = None,
    *,
    rules: str | Rule | Iterable[str | Rule] = DEFAULT_RULES,
    losses: None | str | Loss | Iterable[str | Loss] = None,
    interactions: int | Iterable[Interactions] = 1,
    learning_rates: Any = None,
    metric: str | None = None,
    sample_weight: Any = None,
    **options: Any,
) -> Tuned:
    """Finds the rule, the loss, the interactions and the learning rate in one pass: all learn side by side.

    Every row is read once. Every candidate predicts it before it learns from it, so that what they are compared by is
    honest, and the winner has learned all rows already: `best` is a `Learner` ready to predict or to learn on.

    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(2000, 3)) * [1e-6, 1.0, 1e6]
    >>> y = X @ [3e6, -1.0, 2e-6] + 0.1 * random.normal(size=2000)
    >>> found = tune(X, y)
    >>> found
    Tuned(rule='snag', loss='squared', interactions='1', rate=10.0, mse=0.049..., of 17)
    >>> found.table.column_names
    ['rule', 'loss', 'interactions', 'rate', 'progressive_loss', 'mse', 'rmse', 'mae', 'r2']
    >>> found.best.options.rule, found.best.options.learning_rate, found.best.examples
    (SNAG(), 10.0, 2000)

    X and y are what `Learner.learn` takes; or X alone is an iterable of batches (X, y) or (X, y, sample_weight). The
    rates are 0.01, 0.03, … 30, and for rules that are not normalised, whose best rate depends on the units of the
    features, 1e-9 … 300; `learning_rates` replaces both. Losses are, if none are given, logistic for classes and
    squared for numbers. `interactions` are orders or lists of pairs, [1, 2, [("user", "ad")]].

    The metric is "mse", "rmse", "mae" or "r2" for numbers, "error", "log_loss" or "auc" for classes, or "loss", which
    is for candidates of one loss. By default it is the mean squared error, or the loss itself if there is one only;
    for classes the log loss, or the error if a loss such as hinge says no probabilities. All other options are those
    of `Learner` and the same for all candidates.
    """
    contest = Contest(rules, losses, interactions, learning_rates, metric, **options)
    if y is not None:
        _learn(contest, X, y, sample_weight)
        return contest.outcome()
    if sample_weight is not None:
        raise UsageError("a stream of batches brings its weights itself: (X, y, sample_weight)")
    for part, labels, *weights in _batches(X):
        _learn(contest, part, labels, weights[0] if weights else None)
    return contest.outcome()


def _batches(X: Any) -> Iterator[tuple[Any, ...]]:
    if is_table(X) or hasattr(X, "shape") or not isinstance(X, Iterable):
        raise UsageError("y is missing; without it, X must be an iterable of batches (X, y) or (X, y, sample_weight)")
    for batch in X:
        if not isinstance(batch, tuple) or len(batch) not in (2, 3):
            raise UsageError("each batch of a stream must be a tuple (X, y) or (X, y, sample_weight)")
        yield batch


def _learn(contest: Contest, X: Any, y: Any, sample_weight: Any) -> None:
    """Learns X block by block: it may be a stream that is read once, and predictions are not to fill the memory."""
    labels = contest.plain_labels(y)
    weights = checked_weights(sample_weight, len(labels))
    begin = 0
    for block, rows in _blocks(X):
        here = slice(begin, begin + rows)
        if here.stop > len(labels):
            raise UsageError(f"X has more rows than there are labels ({len(labels)})")

        def refuse(row: int, why: str, begin: int = begin) -> None:
            raise DataError(f"row {begin + row}: {why}")

        contest.learn(block, labels[here], weights[here], on_bad_row=refuse)
        begin = here.stop
    if begin != len(labels):
        raise UsageError(f"X has {begin} rows, but there are {len(labels)} labels")


def _blocks(X: Any) -> Iterator[tuple[Any, int]]:
    if is_table(X):
        yield from ((batch, batch.num_rows) for batch in record_batches(X))
        return
    matrix = as_matrix(X)
    matrix = matrix.tocsr() if hasattr(matrix, "tocsr") else matrix
    for begin in range(0, matrix.shape[0], BLOCK_ROWS):
        block = matrix[begin : begin + BLOCK_ROWS]
        yield block, block.shape[0]
