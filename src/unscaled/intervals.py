"""Intervals around predictions of numbers, with the coverage that was asked for.

They come from the residuals of the predictions that `learn` makes before each update, so they need no second set of
rows. kernels/quantiles.py follows the quantiles; here they become intervals.
"""

import numpy as np

from unscaled.errors import UsageError
from unscaled.kernels import quantiles
from unscaled.kernels.quantiles import COVERAGES, TAILS
from unscaled.losses import COUNT, REAL, Poisson
from unscaled.options import Options
from unscaled.scores import as_prediction

NO_CLIP = (-np.inf, np.inf)


class Intervals:
    """Follows the residuals of a learner and puts intervals around its predictions.

    For Poisson's loss a residual is that of the rate, divided by √(1 + rate): a count spreads with its mean.
    """

    def __init__(self, options: Options, trackers: list[list[float]] | None = None) -> None:
        self._loss = options.loss
        self._labels = getattr(options.loss, "labels", REAL)
        is_rate = isinstance(options.loss, Poisson)  # whose clip is of its logarithm, and has no labels outside
        self._clip = options.clip if isinstance(options.clip, tuple) and not is_rate else NO_CLIP
        self._has_numbers = options.classes is None and self._labels in (REAL, COUNT)
        self._rates = len(options.rates)
        self._trackers = None if trackers is None else np.array(trackers)

    def observe(self, labels: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> None:
        """Takes in rows with the scores made before they were learned from, a column a target and learning rate."""
        if not self._has_numbers or labels.shape[1] == 0:
            return
        if self._trackers is None:
            self._trackers = quantiles.new_trackers(labels.shape[1])
        if isinstance(self._loss, Poisson):
            rates = as_prediction(self._loss, scores)
            labels, scores = (labels - rates) / np.sqrt(1.0 + rates), np.zeros_like(rates)
        quantiles.follow(self._trackers, labels, scores, weights, self._clip)

    def check(self, coverage: float) -> None:
        """Refuses intervals that cannot be had."""
        if not self._has_numbers:
            raise UsageError(
                "interval: classes have probabilities, not intervals; only predicted numbers have intervals"
            )
        if self._rates > 1:
            raise UsageError("interval: a learner of several learning rates has no intervals; take one rate")
        if isinstance(coverage, bool) or not isinstance(coverage, (int, float, np.number)) or not 0.0 < coverage < 1.0:
            raise UsageError(f"interval must be a share between 0 and 1, such as 0.9, not {coverage!r}")
        if self._trackers is None or not self._trackers[:, quantiles.ROWS].all():
            raise UsageError("there are no intervals yet: no row was predicted before it was learned from")

    def around(self, scores: np.ndarray, low: np.ndarray, high: np.ndarray, coverage: float) -> np.ndarray:
        """(rows, targets, 3): the predictions in the units of the labels, and the ends of their intervals.

        They are cut to `low` and `high`, the bounds of the scores a target, unless these are the wrong way round.
        """
        assert self._trackers is not None
        predictions = as_prediction(self._loss, scores)
        spread = np.sqrt(1.0 + predictions) if isinstance(self._loss, Poisson) else 1.0
        below, above = zip(*(_offsets(tracker, coverage) for tracker in self._trackers), strict=True)
        cut = low <= high
        least = as_prediction(self._loss, np.where(cut, low, -np.inf))
        most = as_prediction(self._loss, np.where(cut, high, np.inf))
        if isinstance(self._loss, Poisson):
            most = np.where(cut, most, np.inf)
        if self._labels == COUNT:
            least = np.maximum(least, 0.0)
        ends = [np.clip(predictions + np.array(each) * spread, least, most) for each in (below, above)]
        return np.stack([predictions, *ends], axis=-1)

    def coverage(self) -> dict[float, float]:
        """What share of the labels the intervals of each level held, each interval from before its row.

        The average over the targets; nothing if no row was seen.
        """
        if self._rates > 1 or self._trackers is None or not self._trackers[:, quantiles.ROWS].all():
            return {}
        rows = self._trackers[:, quantiles.ROWS, None]
        return dict(zip(COVERAGES.tolist(), (1.0 - self.missed() / rows).mean(axis=0).tolist(), strict=True))

    def missed(self) -> np.ndarray:
        """How many labels each level's intervals have missed so far, a row a target."""
        assert self._trackers is not None
        below, above = _sides(self._trackers, quantiles.MISSED_BELOW)
        return below + above + self._trackers[:, quantiles.BEYOND, None]

    def merged(self, other: "Intervals") -> "Intervals":
        """What both have seen: counts add, the rest is averaged with the rows. Neither is changed."""
        result = object.__new__(Intervals)
        result.__dict__.update(self.__dict__)
        if self._trackers is None or other._trackers is None:
            kept = other._trackers if self._trackers is None else self._trackers
            result._trackers = None if kept is None else kept.copy()
        else:
            result._trackers = _pooled(self._trackers, other._trackers)
        return result

    def of_lanes(self, chosen: slice, options: Options) -> "Intervals":
        """Those of some of the lanes, which now have these options."""
        return Intervals(options, None if self._trackers is None else self._trackers[chosen].tolist())

    def describe(self) -> list[list[float]] | None:
        """What a model file keeps."""
        return None if self._trackers is None else self._trackers.tolist()


def _sides(trackers: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
    """What trackers keep from `start` on for the lower end of each interval, and then for the upper one."""
    middle = start + len(COVERAGES)
    return trackers[..., start:middle], trackers[..., middle : middle + len(COVERAGES)]


def _offsets(tracker: np.ndarray, coverage: float) -> tuple[float, float]:
    """How far the ends of an interval are from the prediction.

    Between two levels that are followed, and beyond the last, a quantile moves in proportion to the logarithm of its
    tail, as it does for Laplace's law; inside the first, which holds half of the rows, in proportion to its level.
    """
    lower, upper = quantiles.nested(tracker) * tracker[quantiles.SIZE]
    if coverage <= COVERAGES[0]:
        margin = (0.5 - coverage / 2.0 - TAILS[0]) * (upper[0] - lower[0]) / COVERAGES[0]
        return float(lower[0] + margin), float(upper[0] - margin)
    x, known = -np.log((1.0 - coverage) / 2.0), -np.log(TAILS)
    i = int(np.clip(np.searchsorted(known, x) - 1, 0, len(known) - 2))
    share = (x - known[i]) / (known[i + 1] - known[i])
    low, high = ((1.0 - share) * side[i] + share * side[i + 1] for side in (lower, upper))
    return float(low), float(high)


def _pooled(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Counts and ages add; quantiles in the units of the label, and sizes, are averaged with the rows."""
    pooled = ours + theirs
    pooled[:, quantiles.AGE] = np.minimum(pooled[:, quantiles.AGE], quantiles.OLDEST)
    ends = slice(quantiles.LOWER, quantiles.MISSED_BELOW)
    for k, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        n, m = one[quantiles.ROWS], other[quantiles.ROWS]
        if not (n and m):
            pooled[k] = one if n else other
            continue
        sizes = [quantiles.SIZE, quantiles.MISSING]
        pooled[k, sizes] = (n * one[sizes] + m * other[sizes]) / (n + m)
        sums = n * (one[quantiles.SIZE] * one[ends]) + m * (other[quantiles.SIZE] * other[ends])
        size = (n + m) * pooled[k, quantiles.SIZE]
        pooled[k, ends] = sums / size if size > 0.0 else quantiles.new_trackers(1)[0, ends]
    return pooled
