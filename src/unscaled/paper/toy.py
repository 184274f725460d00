"""Figure 1: two features, of which the first is measured in another and another unit."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unscaled.learner import Learner
from unscaled.paper.searching import rates_for

ROWS, NOISE, SEED = 5_000, 0.1, 1
POWERS = np.arange(-6.0, 6.5, 0.5)
RULES = ("nag", "snag", "ag")


class Toy(NamedTuple):
    """Mean squared losses, a row a unit of the first feature and a column a learning rate, rule by rule."""

    factors: NDArray[np.float64]
    rates: dict[str, NDArray[np.float64]]
    losses: dict[str, NDArray[np.float64]]

    def in_hindsight(self, rule: str) -> NDArray[np.float64]:
        """The loss at each unit's own best rate."""
        return self.losses[rule].min(axis=1)

    def at_one_rate(self, rule: str) -> NDArray[np.float64]:
        """The loss at the rate that is best when both features are in the same unit."""
        same = int(np.argmin(np.abs(np.log(self.factors))))
        return self.losses[rule][:, int(np.argmin(self.losses[rule][same]))]


def play() -> Toy:
    """y = x₁ + x₂ + noise, where the learner sees x₁ times a factor."""
    random = np.random.default_rng(SEED)
    X = random.standard_normal((ROWS, 2))
    y = X.sum(axis=1) + NOISE * random.standard_normal(ROWS)
    factors = 10.0**POWERS
    rates = {rule: rates_for(rule, 8) for rule in RULES}
    losses = {
        rule: np.array([_losses(X * [factor, 1.0], y, rule, rates[rule]) for factor in factors.tolist()])
        for rule in RULES
    }
    return Toy(factors, rates, losses)


def _losses(
    X: NDArray[np.float64], y: NDArray[np.float64], rule: str, rates: NDArray[np.float64]
) -> NDArray[np.float64]:
    learner = Learner(rule=rule, learning_rate=rates.tolist())
    learner.learn(X, y)
    return np.asarray(learner.progressive_loss)
