"""sgd: stochastic gradient descent with a decaying rate, which does care about units."""

from typing import NamedTuple

from unscaled.rules import largest


class SGD(NamedTuple):
    """w ← w - η (t0 / (t0 + t))^power g."""

    power: float = 0.5
    t0: float = 1.0

    normalised = False
    adaptive = False
    moving = False

    limit, beyond, stretch = largest.limit, largest.beyond, largest.stretch

    def squash_v(self, ratio: float) -> float:
        """A weight is left as it is."""
        return 1.0

    def squash_G(self, ratio: float) -> float:
        """There is no Γ."""
        return 1.0

    def gain(self, t: float) -> float:
        """Predictions are Σ w x."""
        return 1.0

    def pace(self, t: float, N: float) -> float:
        """The decay of the rate."""
        return (self.t0 / (self.t0 + t)) ** self.power
