"""All candidates learn the same rows, side by side."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from unscaled.learner import Learner, OnBadRow
from unscaled.losses import COUNT, Loss
from unscaled.options import Interactions
from unscaled.rules import Rule
from unscaled.targets import Classes, Numbers, plain_classes, plain_numbers
from unscaled.tuning.candidates import DEFAULT_RULES, Candidate, candidates
from unscaled.tuning.metrics import chosen_metric
from unscaled.tuning.outcome import Tuned, outcome_of


class Contest:
    """Candidates that see every row once, predict it and then learn from it.

    It learns as `Progressive` does, so that what trains a learner from a stream can train all of them.
    """

    def __init__(
        self,
        rules: str | Rule | Iterable[str | Rule] = DEFAULT_RULES,
        losses: None | str | Loss | Iterable[str | Loss] = None,
        interactions: int | Iterable[Interactions] = 1,
        learning_rates: Any = None,
        metric: str | None = None,
        **options: Any,
    ) -> None:
        self.candidates: list[Candidate] = candidates(rules, losses, interactions, learning_rates, options)
        self.metric = chosen_metric(metric, [each.learner.options for each in self.candidates])
        kinds = {getattr(each.learner.options.loss, "labels", None) for each in self.candidates}
        self._counts_among_others = COUNT in kinds and len(kinds) > 1

    @property
    def first(self) -> Learner:
        """The learner of the first candidate: all have seen the same rows and columns."""
        return self.candidates[0].learner

    def plain_labels(self, y: Any) -> Any:
        """Labels that can be cut into slices: a list of classes, or an array of numbers."""
        return plain_classes(y) if isinstance(self.first._target, Classes) else plain_numbers(y)

    def learn(
        self, X: Any, y: Any, weights: np.ndarray | None = None, on_bad_row: OnBadRow | None = None
    ) -> np.ndarray:
        """`Progressive.learn` for each candidate; what the first predicted. A bad row is told of once."""
        told: set[int] = set()

        def once(row: int, why: str) -> None:
            assert on_bad_row is not None
            if row not in told:
                told.add(row)
                on_bad_row(row, why)

        bad = once if on_bad_row is not None else None
        labels = self._labels_for_all(y, once) if self._counts_among_others and bad else y
        with np.errstate(all="ignore"):  # of a candidate that diverges; its metrics say so
            scores = [each.progressive.learn(X, labels, weights, on_bad_row=bad) for each in self.candidates]
        return scores[0]

    def _labels_for_all(self, y: Any, bad: OnBadRow) -> np.ndarray:
        """A label that only some candidates can take is for none: all must be judged by the same rows."""
        labels = Numbers(COUNT).encode(y, bad)
        return labels if np.ndim(y) == 2 else labels[:, 0]

    def outcome(self) -> Tuned:
        """The winner and the table, so far."""
        return outcome_of(self.candidates, self.metric)
