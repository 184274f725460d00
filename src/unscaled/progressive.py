"""Progressive validation: how good the predictions were that were made before each update.

All sums run row by row, so neither batches nor a resumed run change a bit of them, and memory does not grow.
"""

import copy
import os
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from unscaled.drift import Drift, row_losses
from unscaled.learner import Learner, OnBadRow
from unscaled.losses import SIGN, Loss
from unscaled.options import Options
from unscaled.scores import (
    as_prediction,
    class_codes,
    class_probabilities,
    has_probabilities,
    probability,
)

SMALLEST_PROBABILITY = float(np.finfo(float).eps)
"""A probability of 0 for what happened costs as much as this one; scikit-learn draws the line there too."""

BINS = 2000
"""On either side of 0, spaced by the logarithm: two scores that differ by 1.1 % fall into different bins."""

_NEAREST, _FARTHEST = 1e-4, 1e6


def _added(total: float, terms: np.ndarray) -> float:
    """total + terms[0] + terms[1] + …, strictly in this order."""
    return float(np.cumsum(np.append(total, terms))[-1])


@dataclass
class RegressionMetrics:
    """Errors of predicted numbers, each target's averaged."""

    weight: float = 0.0
    origin: list[float] = field(default_factory=list)  # the first labels: sums are of distances to them
    squared: list[float] = field(default_factory=list)
    absolute: list[float] = field(default_factory=list)
    labels: list[float] = field(default_factory=list)
    squared_labels: list[float] = field(default_factory=list)

    def update(self, labels: np.ndarray, predictions: np.ndarray, weights: np.ndarray) -> None:
        """Takes in rows of labels and predictions, a column a target."""
        if not self.origin and len(labels):
            self.origin = labels[0].tolist()
            self.squared, self.absolute, self.labels, self.squared_labels = ([0.0] * len(self.origin) for _ in range(4))
        self.weight = _added(self.weight, weights)
        for k, origin in enumerate(self.origin):
            error, label = predictions[:, k] - labels[:, k], labels[:, k] - origin
            self.squared[k] = _added(self.squared[k], weights * error * error)
            self.absolute[k] = _added(self.absolute[k], weights * np.abs(error))
            self.labels[k] = _added(self.labels[k], weights * label)
            self.squared_labels[k] = _added(self.squared_labels[k], weights * label * label)

    def report(self) -> dict[str, Any]:
        """MSE, RMSE, MAE and R²."""
        if not self.weight:
            return {}
        squared, absolute = np.array(self.squared), np.array(self.absolute)
        spread = np.array(self.squared_labels) - np.array(self.labels) ** 2 / self.weight
        constant = spread <= 0.0
        r2 = np.where(constant, np.nan, 1.0 - squared / np.where(constant, 1.0, spread))
        return {
            "mse": float(squared.mean() / self.weight),
            "rmse": float(np.sqrt(squared / self.weight).mean()),
            "mae": float(absolute.mean() / self.weight),
            "r2": None if constant.any() else float(r2.mean()),
        }


@dataclass
class Ranking:
    """The area under the ROC curve from two histograms of scores: bounded memory, no row kept."""

    negative: list[float] = field(default_factory=lambda: [0.0] * (2 * BINS + 1))
    positive: list[float] = field(default_factory=lambda: [0.0] * (2 * BINS + 1))

    def update(self, is_positive: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> None:
        """Takes in scores that should be higher for positives."""
        span = np.log(_FARTHEST / _NEAREST)
        with np.errstate(divide="ignore"):
            place = np.log(np.abs(scores) / _NEAREST) / span * BINS
        # a score that is no number, of a learner that has diverged, says as little as 0
        bins = BINS + np.nan_to_num(np.sign(scores) * np.ceil(np.clip(place, 0, BINS))).astype(np.int64)
        for name, chosen in (("positive", is_positive), ("negative", ~is_positive)):
            histogram = np.array(getattr(self, name))
            np.add.at(histogram, bins[chosen], weights[chosen])  # one by one: batches must not matter
            setattr(self, name, histogram.tolist())

    def describe(self) -> dict[str, dict[str, float]]:
        """What a model file keeps: the bins that hold anything, of the thousands that there are."""
        return {
            name: {str(place): weight for place, weight in enumerate(histogram) if weight}
            for name, histogram in (("negative", self.negative), ("positive", self.positive))
        }

    @classmethod
    def restored(cls, described: dict[str, dict[str, float]]) -> "Ranking":
        """The inverse of `describe`."""
        ranking = cls()
        for name, histogram in described.items():
            for place, weight in histogram.items():
                getattr(ranking, name)[int(place)] = weight
        return ranking

    def area(self) -> float | None:
        """The chance that a positive scores higher than a negative, ties counting half."""
        positive, negative = np.array(self.positive), np.array(self.negative)
        pairs = positive.sum() * negative.sum()
        if not pairs:
            return None
        below = np.cumsum(negative) - negative
        return float((positive * (below + negative / 2.0)).sum() / pairs)


@dataclass
class ClassMetrics:
    """Errors of predicted classes; with two of them, of their ranking too."""

    weight: float = 0.0
    wrong: float = 0.0
    log_loss: float = 0.0
    seen: list[float] = field(default_factory=list)
    found: list[float] = field(default_factory=list)
    ranking: Ranking = field(default_factory=Ranking)

    def update(self, codes: np.ndarray, scores: np.ndarray, weights: np.ndarray, loss: Loss) -> None:
        """Takes in rows of true classes, as their numbers, and scores."""
        rows = np.arange(len(codes))
        right = class_codes(scores) == codes
        self.weight = _added(self.weight, weights)
        self.wrong = _added(self.wrong, np.where(right, 0.0, weights))
        if has_probabilities(loss):
            chances = class_probabilities(loss, scores)[rows, codes]
            self.log_loss = _added(self.log_loss, -weights * np.log(np.maximum(chances, SMALLEST_PROBABILITY)))
        known = max(int(codes.max(initial=-1)) + 1, len(self.seen))
        self.seen += [0.0] * (known - len(self.seen))
        self.found += [0.0] * (known - len(self.found))
        for code in range(known):
            own = codes == code
            self.seen[code] = _added(self.seen[code], weights[own])
            self.found[code] = _added(self.found[code], weights[own & right])
        margins = _margins(scores)
        if margins is not None:
            self.ranking.update(codes == 1, margins, weights)
        elif any(self.ranking.positive) or any(self.ranking.negative):
            self.ranking = Ranking()  # that there were two classes only at first is nothing to keep

    def report(self, loss: Loss, classes: list[Any]) -> dict[str, Any]:
        """Error, log loss where the loss says probabilities, AUC for two classes, recall of each class."""
        if not self.weight:
            return {}
        result: dict[str, Any] = {"error": self.wrong / self.weight}
        if has_probabilities(loss):
            result["log_loss"] = self.log_loss / self.weight
        if len(classes) == 2:
            result["auc"] = self.ranking.area()
        result["recall"] = {
            str(name): found / seen if seen else None
            for name, found, seen in zip(classes, self.found, self.seen, strict=False)
        }
        return result


@dataclass
class SignMetrics:
    """Errors of margins against labels -1 and +1, of one target or averaged over several (multi-label)."""

    weight: float = 0.0
    wrong: float = 0.0
    log_loss: float = 0.0
    ranking: Ranking = field(default_factory=Ranking)

    def update(self, labels: np.ndarray, margins: np.ndarray, weights: np.ndarray, loss: Loss) -> None:
        """Takes in rows of labels and margins, a column a target."""
        targets = labels.shape[1]
        self.weight = _added(self.weight, weights)
        wrong = (margins > 0.0) != (labels > 0.0)
        self.wrong = _added(self.wrong, weights * wrong.mean(axis=1))
        if has_probabilities(loss):
            chances = np.maximum(probability(loss, margins * labels), SMALLEST_PROBABILITY)
            self.log_loss = _added(self.log_loss, -weights * np.log(chances).mean(axis=1))
        if targets == 1:
            self.ranking.update(labels[:, 0] > 0.0, margins[:, 0], weights)

    def report(self, loss: Loss) -> dict[str, Any]:
        """Error, log loss where the loss says probabilities, and AUC for one target."""
        if not self.weight:
            return {}
        result = {"error": self.wrong / self.weight}
        if has_probabilities(loss):
            result["log_loss"] = self.log_loss / self.weight
        return {**result, "auc": self.ranking.area()}


Metrics = RegressionMetrics | ClassMetrics | SignMetrics


class Progressive:
    """A learner together with the metrics of what it predicted before it learned. They are saved with the model.

    `drift` says whether the loss of these predictions has really risen, and where. Of several learning rates, it and
    the metrics are those of the first, unless metrics are kept of `every_rate`.
    """

    def __init__(self, learner: Learner, every_rate: bool = False) -> None:
        self.learner = learner
        kept = learner.attached.get("progressive", {})
        self._each = [self._make(kept) for _ in (learner.options.rates if every_rate else "1")]
        self.drift = Drift(learner.attached.get("drift"))

    def _make(self, kept: dict[str, Any]) -> Metrics:
        kind = metrics_kind(self.learner.options)
        if kind is RegressionMetrics:
            return RegressionMetrics(**kept)
        return kind(**{**kept, "ranking": Ranking.restored(kept["ranking"])}) if kept else kind()

    def learn(
        self, X: Any, y: Any, weights: np.ndarray | None = None, on_bad_row: OnBadRow | None = None
    ) -> np.ndarray:
        """`Learner.learn`, and the metrics of what it gave."""
        bad: list[int] = []

        def note(row: int, why: str) -> None:
            assert on_bad_row is not None
            on_bad_row(row, why)
            bad.append(row)

        scores = self.learner.learn(X, y, weights, on_bad_row=note if on_bad_row is not None else None)
        usable = np.ones(len(scores), bool)
        usable[bad] = False
        self._update(usable, scores, np.ones(len(scores)) if weights is None else np.asarray(weights, np.float64))
        return scores

    def save(self, path: str | os.PathLike[str]) -> None:
        """`Learner.save`, with the metrics."""
        metrics = self._each[0]
        described = asdict(metrics)
        if not isinstance(metrics, RegressionMetrics):
            described["ranking"] = metrics.ranking.describe()
        self.learner.attached["progressive"] = described
        self.learner.attached["drift"] = self.drift.describe()
        self.learner.save(path)

    def at_rate(self, rate: float) -> "Progressive":
        """`Learner.at_rate`, with the metrics of that rate; those of every rate must have been kept."""
        twin = Progressive(self.learner.at_rate(rate))
        twin._each = [copy.deepcopy(self._each[self.learner.options.rates.index(rate)])]
        return twin

    def _update(self, usable: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> None:
        labels, weights = self.learner._target.last_labels[usable], weights[usable]
        for place, metrics in enumerate(self._each):
            own = scores[..., place] if len(self.learner.options.rates) > 1 else scores
            self._update_one(metrics, own[usable], labels, weights)
            if place == 0:
                self.drift.watch(_losses(self.learner.options.loss, metrics, own[usable], labels), weights)

    def _update_one(self, metrics: Metrics, scores: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> None:
        loss = self.learner.options.loss
        if isinstance(metrics, ClassMetrics):
            metrics.update(labels.astype(np.int64), scores, weights, loss)
            return
        columns = scores if scores.ndim == 2 else scores[:, None]
        if isinstance(metrics, SignMetrics):
            metrics.update(labels, columns, weights, loss)
        else:
            metrics.update(labels, as_prediction(loss, columns), weights)

    def metrics(self, place: int = 0) -> dict[str, Any]:
        """All metrics so far, by name; of the learning rate at this place, if they are kept of every rate."""
        loss, metrics = self.learner.options.loss, self._each[place]
        if isinstance(metrics, ClassMetrics):
            return metrics.report(loss, self.learner.classes or [])
        if isinstance(metrics, SignMetrics):
            return metrics.report(loss)
        return metrics.report()


def metrics_kind(options: Options) -> type[Metrics]:
    """What is measured of a learner with these options: numbers, margins or classes."""
    if options.classes is not None:
        return ClassMetrics
    return SignMetrics if getattr(options.loss, "labels", None) == SIGN else RegressionMetrics


def _losses(loss: Loss, metrics: Metrics, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """What each row cost."""
    if isinstance(metrics, ClassMetrics):
        return class_losses(loss, labels.astype(np.int64), scores)
    return row_losses(loss, labels, scores if scores.ndim == 2 else scores[:, None])


def class_losses(loss: Loss, codes: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """What each row's class cost: its log loss where the loss says probabilities, else 1 if it was not predicted."""
    if not has_probabilities(loss):
        return (class_codes(scores) != codes).astype(np.float64)
    chances = class_probabilities(loss, scores)[np.arange(len(codes)), codes]
    return np.asarray(-np.log(np.maximum(chances, SMALLEST_PROBABILITY)))


def _margins(scores: np.ndarray) -> np.ndarray | None:
    """How much the second of two classes is preferred to the first; None unless there are two."""
    if scores.ndim == 1:
        return scores
    if scores.shape[1] < 2:
        return np.zeros(len(scores))
    if scores.shape[1] > 2:
        return None
    both_known = np.isfinite(scores).all(axis=1)
    return np.where(both_known, scores[:, 1], 0.0) - np.where(both_known, scores[:, 0], 0.0)
