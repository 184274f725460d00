"""Arrays of float64, and their quotient where nothing is known."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def over(numerator: Array, denominator: Array) -> Array:
    """The quotient, and 0 where the denominator is 0: a feature that was never seen has no weight and no regret.

    >>> over(np.array([3.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [1.5, 0.0]
    """
    shape = np.broadcast_shapes(numerator.shape, denominator.shape)
    return np.divide(numerator, denominator, out=np.zeros(shape), where=denominator != 0.0)
