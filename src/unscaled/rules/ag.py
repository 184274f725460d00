"""ag: AdaGrad, a rate per feature (Duchi, Hazan and Singer 2011; McMahan and Streeter 2010)."""

from typing import NamedTuple

from unscaled.rules import largest


class AG(NamedTuple):
    """w ← w - η g / √G: the rate adapts to the gradients, the weights still depend on the units."""

    normalised = False
    adaptive = True
    moving = False

    limit, beyond, stretch = largest.limit, largest.beyond, largest.stretch

    def squash_v(self, ratio: float) -> float:
        """A weight is left as it is."""
        return 1.0

    def squash_G(self, ratio: float) -> float:
        """So are its gradients."""
        return 1.0

    def gain(self, t: float) -> float:
        """Predictions are Σ w x."""
        return 1.0

    def pace(self, t: float, N: float) -> float:
        """√G alone sets the pace."""
        return 1.0
