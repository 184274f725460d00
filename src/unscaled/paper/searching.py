"""The best learning rate in hindsight: all rates learn side by side, as lanes of one learner, in one pass."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unscaled.learner import Learner
from unscaled.paper.claims import Claim
from unscaled.paper.protocol import Protocol, Rows

_DECADES = {"nag": (-2.5, 2.0), "snag": (-2.5, 2.0), "ag": (-10.0, 2.5)}
"""Powers of ten between which rates are tried. Those of ag depend on the units, so they must reach far."""


class Losses(NamedTuple):
    """The progressive losses of all rates."""

    rates: NDArray[np.float64]
    losses: NDArray[np.float64]
    """0-1 losses, or squared losses over the worst possible one."""
    squared: NDArray[np.float64]
    """What was minimised: the squared loss, averaged over the classes."""

    @property
    def best(self) -> Claim:
        """The best rate, and what it gives."""
        place = int(np.argmin(self.losses))
        return Claim(float(self.rates[place]), float(self.losses[place]))

    @property
    def ends(self) -> bool:
        """Whether the best rate stands at an end of those tried, so that a better one may lie beyond."""
        return int(np.argmin(self.losses)) in (0, len(self.rates) - 1)


def rates_for(rule: str, a_decade: int) -> NDArray[np.float64]:
    """So many learning rates a decade, evenly spaced by their logarithms."""
    low, high = _DECADES[rule]
    return 10.0 ** (np.arange(round((high - low) * a_decade) + 1) / a_decade + low)


def losses_of(rows: Rows, rule: str, rates: NDArray[np.float64], protocol: Protocol) -> Losses:
    """One pass over the rows at all rates."""
    learner = Learner(rule=rule, learning_rate=rates.tolist(), **protocol.options())
    total = np.zeros(len(rates))
    for X, labels, here in rows.parts():
        scores = learner.learn(X, labels[:, 0] if labels.shape[1] == 1 else labels)
        scores = scores.reshape(*labels.shape, len(rates))
        total += mistakes(scores, labels, rows.codes[here]) if len(rows.codes) else _squares(scores, labels)
    mean = total / len(rows)
    scale = 1.0 if len(rows.codes) else rows.worst
    return Losses(rates, mean / scale, np.atleast_1d(learner.progressive_loss))


def mistakes(scores: NDArray[np.float64], labels: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """How many classes are wrong at each rate, of scores a row, class and rate."""
    if labels.shape[1] == 1:
        return np.count_nonzero((scores[:, 0] > 0.0) != (labels > 0.0), axis=0).astype(np.float64)
    return np.count_nonzero(scores.argmax(axis=1) != codes[:, None], axis=0).astype(np.float64)


def _squares(scores: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.square(scores[:, 0] - labels).sum(axis=0)
