"""The losses of `unscaled.losses` over arrays, with what a convex solver and its certificate need to know of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from unscaled.errors import UsageError
from unscaled.losses import LOSSES, SIGN
from unscaled.theory.arrays import Array

Formula = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class ConvexLoss:
    """A loss ℓ(z, y), its slope by z, and its conjugate ℓ*(a, y) = max_z az - ℓ(z, y) for the a that `legal` gives."""

    name: str
    legal: Formula
    conjugate: Formula
    expression: Callable[[Any, Any, Any], Any]
    """The sum over rounds, in the language of the module `cvxpy`, which is given."""

    def value(self, z: Array, y: Array) -> Array:
        """The loss of each prediction."""
        return np.vectorize(LOSSES[self.name]().value, otypes=[float])(z, y)

    def slope(self, z: Array, y: Array) -> Array:
        """g' = ∂ℓ/∂z."""
        return np.vectorize(LOSSES[self.name]().slope, otypes=[float])(z, y)

    def labels(self, y: Array) -> Array:
        """The labels nearest to what an adversary wants to say."""
        return np.where(y < 0.0, -1.0, 1.0) if getattr(LOSSES[self.name], "labels", None) == SIGN else y


def _entropy(b: Array) -> Array:
    """b log b + (1 - b) log(1 - b), which is 0 at both ends."""
    inner = np.clip(b, 1e-300, None)
    outer = np.clip(1.0 - b, 1e-300, None)
    return b * np.log(inner) + (1.0 - b) * np.log(outer)


def _towards_label(a: Array, y: Array) -> Array:
    """Slopes of a loss of the margin lie between 0 and -y."""
    return -y * np.clip(-y * a, 0.0, 1.0)


CONVEX = {
    loss.name: loss
    for loss in (
        ConvexLoss(
            "squared",
            legal=lambda a, y: a,
            conjugate=lambda a, y: a * (a / 4.0 + y),
            expression=lambda cp, z, y: cp.sum_squares(z - y),
        ),
        ConvexLoss(
            "absolute",
            legal=lambda a, y: np.clip(a, -1.0, 1.0),
            conjugate=lambda a, y: a * y,
            expression=lambda cp, z, y: cp.norm1(z - y),
        ),
        ConvexLoss(
            "hinge",
            legal=_towards_label,
            conjugate=lambda a, y: a * y,
            expression=lambda cp, z, y: cp.sum(cp.pos(1 - cp.multiply(y, z))),
        ),
        ConvexLoss(
            "logistic",
            legal=_towards_label,
            conjugate=lambda a, y: _entropy(-y * a),
            expression=lambda cp, z, y: cp.sum(cp.logistic(-cp.multiply(y, z))),
        ),
    )
}
"""The losses of the analysis by the names of `unscaled.losses`."""


def convex_loss(name: str) -> ConvexLoss:
    """The loss of that name."""
    if name not in CONVEX:
        raise UsageError(f'there is no convex loss "{name}" in the theory; known are {", ".join(CONVEX)}')
    return CONVEX[name]
