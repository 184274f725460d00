"""ng: normalised gradient descent, algorithm 1 of the paper."""

from typing import NamedTuple

from unscaled.rules import largest


class NG(NamedTuple):
    """w ← w - η_t (t / N) g / s², with η_t = η (t0 / (t0 + t))^power; the paper leaves η_t open."""

    power: float = 0.5
    t0: float = 1.0

    normalised = True
    adaptive = False
    moving = False

    limit, beyond, stretch = largest.limit, largest.beyond, largest.stretch

    def squash_v(self, ratio: float) -> float:
        """Step 2.(a).i: w shrinks by ratio², so v = w s shrinks by ratio."""
        return ratio

    def squash_G(self, ratio: float) -> float:
        """There is no Γ."""
        return 1.0

    def gain(self, t: float) -> float:
        """Predictions are Σ v u."""
        return 1.0

    def pace(self, t: float, N: float) -> float:
        """Step 2.(d).i, where 1 / s² has gone into v and u."""
        return (self.t0 / (self.t0 + t)) ** self.power * (t / N)
