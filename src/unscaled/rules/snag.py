"""snag: algorithm 2 of the paper with the second moment in place of the maximum."""

import math
from typing import NamedTuple

from unscaled.rules import largest

# Up to this multiple of the scale, (x / scale)² is far from overflow.
_SQUARABLE = 2.0**330
_LARGEST = 1.7976931348623157e308


class SNAG(NamedTuple):
    """w ← w - η √(t / N) g / (s √G) with s = √(Σ x² / t); the weight is squashed whichever way s moves.

    The kernels keep S = √(Σ x²) as the scale. The factor t is the same for all features: it goes into the gain
    and into N, so that a feature that is absent from a row costs nothing, though its s falls. w s stays the same
    when s moves, so v does too.
    """

    normalised = True
    adaptive = True
    moving = True

    def limit(self, s: float) -> float:
        """How far x / s can be squared."""
        return s * _SQUARABLE

    def beyond(self, x: float, h: float) -> float:
        """The first value, or one so large that nothing is left of the sum before it."""
        return max(min(math.sqrt(h) * abs(x), _LARGEST), largest.SMALLEST_SCALE)

    def stretch(self, z: float, h: float) -> float:
        """S grows to √(S² + h x²)."""
        return math.sqrt(1.0 + h * (z * z))

    def squash_v(self, ratio: float) -> float:
        """w s stays whichever way s moves."""
        return 1.0

    def squash_G(self, ratio: float) -> float:
        """G stays, so Γ = G / S² shrinks by the square of the ratio."""
        return ratio * ratio

    def gain(self, t: float) -> float:
        """x / s = √t x / S."""
        return math.sqrt(t)

    def pace(self, t: float, N: float) -> float:
        """As for nag."""
        return math.sqrt(t / N)
