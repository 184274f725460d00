"""The relative-entropy Chernoff bound, by which the paper prints a loss in bold."""

import math

FAILURE = 0.1
"""The probability with which the paper lets the bound fail."""


def relative_entropy(p: float, q: float) -> float:
    """KL(p || q) of two coins, in nats."""
    return _part(p, q) + _part(1.0 - p, 1.0 - q)


def _part(p: float, q: float) -> float:
    if p == 0.0:
        return 0.0
    return p * math.log(p / q) if q > 0.0 else math.inf


def bounds(mean: float, n: int, failure: float = FAILURE) -> tuple[float, float]:
    """Between which numbers the expectation lies, of n independent numbers from 0 to 1 of this mean.

    Chernoff: P(mean ≤ m) ≤ e^(-n KL(m || p)) for m < p, and the same on the other side; each side may fail with half
    of the probability.

    >>> tuple(round(bound, 4) for bound in bounds(0.1, 45_211))
    (0.0966, 0.1035)
    """
    allowed = math.log(2.0 / failure) / n
    return _edge(mean, 0.0, allowed), _edge(mean, 1.0, allowed)


def _edge(mean: float, far: float, allowed: float) -> float:
    """The number farthest from the mean, towards `far`, that the bound allows: the entropy grows on the way there."""
    near = mean
    while (middle := 0.5 * (near + far)) not in (near, far):
        if relative_entropy(mean, middle) <= allowed:
            near = middle
        else:
            far = middle
    return near


def is_better(loss: float, other: float, n: int) -> bool:
    """Whether one loss is less than another beyond the doubt that the bound leaves."""
    return bounds(loss, n)[1] < bounds(other, n)[0]
