"""nag: normalised adaptive gradient descent, algorithm 2 of the paper."""

import math
from typing import NamedTuple

from unscaled.rules import largest


class NAG(NamedTuple):
    """w ← w - η √(t / N) g / (s √G), where s is the largest |x| so far: AdaGrad on x / s."""

    normalised = True
    adaptive = True
    moving = False

    limit, beyond, stretch = largest.limit, largest.beyond, largest.stretch

    def squash_v(self, ratio: float) -> float:
        """Step 2.(a).i: w shrinks by the ratio, so v = w s stays."""
        return 1.0

    def squash_G(self, ratio: float) -> float:
        """G stays, so Γ = G / s² shrinks by the square of the ratio."""
        return ratio * ratio

    def gain(self, t: float) -> float:
        """Predictions are Σ v u."""
        return 1.0

    def pace(self, t: float, N: float) -> float:
        """Step 2.(d).ii, where 1 / s has gone into v and u."""
        return math.sqrt(t / N)
