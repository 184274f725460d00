"""The losses: one NamedTuple each, with its parameters as fields and its formulas as functions.

A loss says what a prediction p costs when the label is y, and how it wants p to move:

    value(p, y)        the loss itself
    slope(p, y)        its derivative by p; at a kink, 0 if that is a subgradient
    flow(p, y, h, q)   the importance-aware step (Karampatziakis and Langford 2011): if p follows its own gradient
                       for a time h, at dp/dt = -q * slope(p, y), then p ends at p - q * flow(p, y, h, q)
    curvature(p, y)    its second derivative, or what stands for it where the loss is not curved
    link(p)            the raw score as the user wants to read it: a mean, a rate, a probability
    unlink(mean)       the inverse of link

For small h * q the flow is h * slope; for large ones it never runs past the label, whatever the learning rate. The
functions are compiled into the kernels: they may use `math` and what is here, and nothing else. A loss of your own
is another NamedTuple like these. One without `flow` takes plain steps.
"""

import math
from typing import NamedTuple, Protocol

# What the labels of a loss may be.
REAL = "real"  # any finite number
SIGN = "sign"  # -1 or +1
COUNT = "count"  # any number >= 0

# Beyond this score exp(p) is replaced by its tangent, so that no row can overflow the state.
STEEPEST_LOG_RATE = 50.0

LARGEST_LOG_RATE = 700.0  # near to where exp overflows, and to where it vanishes on the other side

STEEPEST_MARGIN = -40.0

# Newton's method for the logistic flow gains digits quadratically; it was never seen to need more than nine.
NEWTON_STEPS = 20


def damping(x: float) -> float:
    """(1 - e^(-x)) / x for x >= 0: the mean of e^(-t) over the times t from 0 to x, 1 for x = 0.

    That far a flow gets that slows down as it nears its end, as a part of how far it would at its first pace. The
    series serves up to 1/4; beyond, c(2 x) = c(x) (1 - x c(x) / 2). It is written in short chains, because the rest
    of a row waits for it, and without the library's exp, which is slower and not the same on all machines.
    """
    if x > 40.0:  # nothing is left of e^(-x)
        return 1.0 / x
    doublings = 0
    while x > 0.25:
        x *= 0.5
        doublings += 1
    x2 = x * x
    low = (1.0 - x / 2.0) + x2 * (1.0 / 6.0 - x / 24.0)
    middle = (1.0 / 120.0 - x / 720.0) + x2 * (1.0 / 5040.0 - x / 40320.0)
    high = (1.0 / 362880.0 - x / 3628800.0) + x2 * (1.0 / 39916800.0 - x / 479001600.0)
    mean = low + x2 * x2 * (middle + x2 * x2 * high)
    for _ in range(doublings):
        mean *= 1.0 - 0.5 * x * mean
        x *= 2.0
    return mean


class Loss(Protocol):
    """What every loss has.

    Optional are `flow`, `curvature`, `link`, `unlink`, `labels`, the kind of its labels, and `quadratic`: True if the
    slope is a straight line of p.
    """

    def value(self, p: float, y: float) -> float:
        """The loss."""

    def slope(self, p: float, y: float) -> float:
        """Its derivative by p."""


class Squared(NamedTuple):
    """(p - y)²: the mean. The loss of Vowpal Wabbit's default, without the factor one half."""

    labels = REAL
    quadratic = True

    def value(self, p: float, y: float) -> float:
        """The squared error."""
        return (p - y) * (p - y)

    def slope(self, p: float, y: float) -> float:
        """2 (p - y)."""
        return 2.0 * (p - y)

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        """The error decays as e^(-2 q h)."""
        return h * 2.0 * (p - y) * damping(2.0 * h * q)

    def curvature(self, p: float, y: float) -> float:
        """2."""
        return 2.0


class Logistic(NamedTuple):
    """log(1 + e^(-y p)) for labels -1 and +1: the log-odds of +1."""

    labels = SIGN

    def value(self, p: float, y: float) -> float:
        """The negative log-likelihood, without overflow for any margin."""
        margin = y * p
        if margin > 0.0:
            return math.log1p(math.exp(-margin))
        return math.log1p(math.exp(margin)) - margin

    def slope(self, p: float, y: float) -> float:
        """-y / (1 + e^(y p))."""
        margin = y * p
        if margin > 0.0:
            decay = math.exp(-margin)
            return -y * decay / (1.0 + decay)
        return -y / (1.0 + math.exp(margin))

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        """The margin m = y p grows by the root d of d + e^m (e^d - 1) = q h.

        The left side is convex and increasing in d, and both d (1 + e^m) and e^m (e^d - 1) are below it: the
        lesser of the two bounds that they give on d is a start from which Newton's method descends to the root. Below
        a margin of -40 the slope is 1 to the last bit, and the way straight.
        """
        margin = y * p
        if margin > 700.0:  # e^m would overflow; the slope is below 1e-304
            return 0.0
        time = q * h
        if time < 1e-12:  # nothing of the curvature is left in double precision
            return -y * h / (1.0 + math.exp(margin))
        straight = max(0.0, min(time, STEEPEST_MARGIN - margin))
        margin += straight
        time -= straight
        steepness = math.exp(margin)
        grown = min(time / (1.0 + steepness), math.log1p(time / max(steepness, 1e-300)))
        for _ in range(NEWTON_STEPS):
            rise = math.expm1(grown)
            step = (grown + steepness * rise - time) / (1.0 + steepness * (rise + 1.0))
            grown -= step
            if abs(step) <= 1e-15 * grown:
                break
        return -y * (straight + grown) / q

    def curvature(self, p: float, y: float) -> float:
        """The variance of the label: q (1 - q) for a probability q of +1."""
        odds = math.exp(-abs(p))
        return odds / ((1.0 + odds) * (1.0 + odds))

    def unlink(self, mean: float) -> float:
        """The log-odds of a probability."""
        return math.log(mean / (1.0 - mean))

    def link(self, p: float) -> float:
        """The probability of +1."""
        if p > 0.0:
            return 1.0 / (1.0 + math.exp(-p))
        odds = math.exp(p)
        return odds / (1.0 + odds)


class Hinge(NamedTuple):
    """max(0, 1 - y p) for labels -1 and +1: the largest margin."""

    labels = SIGN

    def value(self, p: float, y: float) -> float:
        """How far the margin falls short of one."""
        return max(0.0, 1.0 - y * p)

    def slope(self, p: float, y: float) -> float:
        """-y until the margin is one, then 0."""
        return -y if y * p < 1.0 else 0.0

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        """Straight on until the margin is one."""
        short = 1.0 - y * p
        if short <= 0.0:
            return 0.0
        return -y * (short / q if short < h * q else h)


class Absolute(NamedTuple):
    """|p - y|: the median. The same as twice Quantile(0.5)."""

    labels = REAL

    def value(self, p: float, y: float) -> float:
        """The absolute error."""
        return abs(p - y)

    def slope(self, p: float, y: float) -> float:
        """The sign of p - y."""
        if p == y:
            return 0.0
        return 1.0 if p > y else -1.0

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        """Straight on until the label."""
        error = p - y
        reach = abs(error) / q if abs(error) < h * q else h
        if error == 0.0:
            return 0.0
        return reach if error > 0.0 else -reach


class Quantile(NamedTuple):
    """The pinball loss, whose best prediction exceeds the label with probability tau."""

    tau: float = 0.5

    labels = REAL

    def value(self, p: float, y: float) -> float:
        """tau for each unit that p is too low, 1 - tau for each that it is too high."""
        return (1.0 - self.tau) * (p - y) if p > y else self.tau * (y - p)

    def slope(self, p: float, y: float) -> float:
        """1 - tau above the label, -tau below it."""
        if p == y:
            return 0.0
        return 1.0 - self.tau if p > y else -self.tau

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        """Straight on, at the pace of that side, until the label."""
        error = p - y
        if error == 0.0:
            return 0.0
        slope = 1.0 - self.tau if error > 0.0 else -self.tau
        return error / q if abs(error) < h * q * abs(slope) else h * slope


class Huber(NamedTuple):
    """(p - y)² up to an error of delta, straight beyond: squared loss without fear of a far label.

    In the units of the label: an error beyond delta counts as an outlier. Huber(inf) is Squared.
    """

    delta: float = 1.0

    labels = REAL

    def value(self, p: float, y: float) -> float:
        """Square near the label, tangent to it beyond delta."""
        error = abs(p - y)
        if error <= self.delta:
            return error * error
        return self.delta * (2.0 * error - self.delta)

    def slope(self, p: float, y: float) -> float:
        """2 (p - y), cut to ±2 delta."""
        return 2.0 * max(-self.delta, min(self.delta, p - y))

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        """Straight on until the error is delta, for the time left the decay of the squared loss."""
        error = p - y
        if q <= 0.0:
            return h * 2.0 * max(-self.delta, min(self.delta, error))
        sign = 1.0 if error > 0.0 else -1.0
        excess = max(0.0, abs(error) - self.delta)
        if excess > 0.0 and excess >= 2.0 * self.delta * q * h:
            return sign * 2.0 * self.delta * h
        time_left = h if excess == 0.0 else h - excess / (2.0 * self.delta * q)
        near = min(abs(error), self.delta)
        return sign * (excess / q + near * 2.0 * time_left * damping(2.0 * q * time_left))

    def curvature(self, p: float, y: float) -> float:
        """2 near the label; beyond, that of the parabola that has the same slope there."""
        return 2.0 * min(1.0, self.delta / max(abs(p - y), 1e-300))


class Poisson(NamedTuple):
    """e^p - y p for counts y: the log of a rate. Deviance without the terms that do not depend on p."""

    labels = COUNT

    def value(self, p: float, y: float) -> float:
        """The negative log-likelihood up to a constant; beyond a log-rate of 50 straight."""
        bounded = min(p, STEEPEST_LOG_RATE)
        return math.exp(bounded) * (1.0 + (p - bounded)) - y * p

    def slope(self, p: float, y: float) -> float:
        """The rate less the count."""
        return math.exp(min(p, STEEPEST_LOG_RATE)) - y

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        """e^(-p) decays to 1/y as e^(-y q h); for y = 0 it grows by q h."""
        rate = math.exp(max(-LARGEST_LOG_RATE, min(p, STEEPEST_LOG_RATE)))
        if q * h * max(rate, y) < 1e-12:
            return h * (rate - y)
        passed = q * h * damping(y * q * h)
        change = (rate - y) * passed
        if change > -0.5:
            return math.log1p(change) / q
        return math.log(math.exp(-y * q * h) + rate * passed) / q  # the same without the cancellation

    def curvature(self, p: float, y: float) -> float:
        """The rate: it is the variance."""
        return math.exp(min(p, STEEPEST_LOG_RATE))

    def unlink(self, mean: float) -> float:
        """The logarithm of a rate."""
        return math.log(max(mean, 1e-300))

    def link(self, p: float) -> float:
        """The rate."""
        return math.exp(min(p, LARGEST_LOG_RATE))


LOSSES: dict[str, type[Loss]] = {
    "squared": Squared,
    "logistic": Logistic,
    "hinge": Hinge,
    "absolute": Absolute,
    "quantile": Quantile,
    "huber": Huber,
    "poisson": Poisson,
}
"""Every loss by the name that Learner, the estimators and the command line know it by."""
