"""The paper in plain Python: algorithms 1 and 2 and sNAG, line by line, and the two that they grew from.

This is the oracle. It imports nothing of ours, keeps the paper's own state (w, s, N, G) in dictionaries, and is
slow. The kernels must agree with it.

    >>> nag = NAG(eta=0.5, loss=squared())
    >>> [round(nag.learn({"metres": 3.0}, 1.5), 3), round(nag.learn({"metres": 4.0}, 2.0), 3)]
    [0.0, 0.5]

Two things are added to the paper. An importance weight h counts as h examples: t, N, G and the second moment grow
by h times as much, and a plain step is h times as long. And with `importance_aware=True` the step is not h times
the slope but follows the gradient flow for a time h (Karampatziakis and Langford, 2011); the flows here are found
from their implicit equations, by bisection where there is no formula, so as to owe nothing to the fast ones.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p, sqrt

Features = Mapping[str, float]


@dataclass(frozen=True)
class Loss:
    """A loss L(p, y), its derivative by p, and where its gradient flow takes p in time T: dp/dT = -dL/dp."""

    value: Callable[[float, float], float]
    slope: Callable[[float, float], float]
    flow: Callable[[float, float, float], float]


def bisect(increasing: Callable[[float], float], low: float, high: float) -> float:
    """The root of an increasing function between low and high, to the last bit."""
    while True:
        middle = low + (high - low) / 2
        if middle in (low, high):
            return middle
        if increasing(middle) < 0:
            low = middle
        else:
            high = middle


def squared() -> Loss:
    """(p - y)². The flow decays to y."""
    return Loss(
        value=lambda p, y: (p - y) ** 2,
        slope=lambda p, y: 2 * (p - y),
        flow=lambda p, y, T: y + (p - y) * exp(-2 * T),
    )


def logistic() -> Loss:
    """log(1 + e^(-y p)). Along the flow, m + e^m grows as T, where m = y p."""

    def flow(p: float, y: float, T: float) -> float:
        m = y * p
        d = bisect(lambda d: d + exp(m) * expm1(d) - T, 0.0, min(T, log1p(T * exp(-m))))
        return y * (m + d)

    return Loss(
        value=lambda p, y: log1p(exp(-y * p)),
        slope=lambda p, y: -y / (1 + exp(y * p)),
        flow=flow,
    )


def hinge() -> Loss:
    """max(0, 1 - y p). The flow goes straight until y p = 1."""
    return Loss(
        value=lambda p, y: max(0.0, 1 - y * p),
        slope=lambda p, y: -y if y * p < 1 else 0.0,
        flow=lambda p, y, T: p if y * p >= 1 else y * min(1.0, y * p + T),
    )


def quantile(tau: float) -> Loss:
    """tau (y - p) below the label, (1 - tau) (p - y) above. The flow goes straight until y."""
    return Loss(
        value=lambda p, y: max(tau * (y - p), (1 - tau) * (p - y)),
        slope=lambda p, y: float(p > y) * (1 - tau) - float(p < y) * tau,
        flow=lambda p, y, T: min(y, p + tau * T) if p < y else max(y, p - (1 - tau) * T),
    )


def absolute() -> Loss:
    """|p - y|. The flow goes straight until y."""
    return Loss(
        value=lambda p, y: abs(p - y),
        slope=lambda p, y: float(p > y) - float(p < y),
        flow=lambda p, y, T: min(y, p + T) if p < y else max(y, p - T),
    )


def huber(delta: float) -> Loss:
    """(p - y)² near the label, tangent to it beyond delta. The flow goes straight, then decays."""

    def flow(p: float, y: float, T: float) -> float:
        if abs(p - y) <= delta:
            return y + (p - y) * exp(-2 * T)
        edge = y + delta if p > y else y - delta
        until = (abs(p - y) - delta) / (2 * delta)
        if until >= T:
            return p - 2 * delta * T if p > y else p + 2 * delta * T
        return y + (edge - y) * exp(-2 * (T - until))

    return Loss(
        value=lambda p, y: (p - y) ** 2 if abs(p - y) <= delta else delta * (2 * abs(p - y) - delta),
        slope=lambda p, y: 2 * min(delta, max(-delta, p - y)),
        flow=flow,
    )


def poisson() -> Loss:
    """e^p - y p. Along the flow, e^(-p) decays to 1 / y as e^(-y T)."""
    return Loss(
        value=lambda p, y: exp(p) - y * p,
        slope=lambda p, y: exp(p) - y,
        flow=lambda p, y, T: -log(1 / y + (exp(-p) - 1 / y) * exp(-y * T)) if y > 0 else -log(exp(-p) + T),
    )


@dataclass
class Algorithm:
    """What the algorithms share: the state of the paper, the prediction, and the truncation of corollary 1."""

    eta: float
    loss: Loss
    importance_aware: bool = False
    C: float = inf
    power: float = 0.5
    t0: float = 1.0

    def __post_init__(self) -> None:
        self.w: dict[str, float] = defaultdict(float)
        self.s: dict[str, float] = defaultdict(float)
        self.G: dict[str, float] = defaultdict(float)
        self.N = 0.0
        self.t = 0.0

    def predict(self, x: Features) -> float:
        """ŷ = Σ w_i x_i, cut to [-C, C]."""
        return max(-self.C, min(self.C, sum(self.w[i] * x[i] for i in x)))

    def learn(self, x: Features, y: float, h: float = 1.0) -> float:
        """One timestep: observe (x, y) of weight h, give the prediction that was made before the update."""
        raise NotImplementedError

    def flow(self, p: float, y: float, h: float, q: float) -> float:
        """The step for a unit slope is to be taken this many times; q is how far one of them moves ŷ."""
        if not self.importance_aware or q == 0:
            return h * self.loss.slope(p, y)
        return (p - self.loss.flow(p, y, q * h)) / q

    def descend(self, x: Features, y: float, h: float, p: float, rate: Features) -> None:
        """w_i ← w_i - rate_i ∂L/∂w_i, h times."""
        q = sum(rate[i] * x[i] ** 2 for i in x)
        step = self.flow(p, y, h, q)
        for i in x:
            self.w[i] -= rate[i] * step * x[i]


class SGD(Algorithm):
    """Stochastic gradient descent with η_t = η (t0 / (t0 + t))^power."""

    def learn(self, x: Features, y: float, h: float = 1.0) -> float:
        """Predict, then follow the gradient."""
        self.t += h
        p = self.predict(x)
        eta_t = self.eta * (self.t0 / (self.t0 + self.t)) ** self.power
        self.descend(x, y, h, p, dict.fromkeys(x, eta_t))
        return p


class AG(Algorithm):
    """Adaptive gradient descent: η / √G_i."""

    def learn(self, x: Features, y: float, h: float = 1.0) -> float:
        """Predict, count the squared gradients, then follow the gradient."""
        self.t += h
        p = self.predict(x)
        g = self.loss.slope(p, y)
        for i in x:
            self.G[i] += h * (g * x[i]) ** 2
        self.descend(x, y, h, p, {i: self.eta / sqrt(self.G[i]) if self.G[i] else 0.0 for i in x})
        return p


class NG(Algorithm):
    """Algorithm 1. The paper leaves η_t open; here it is η (t0 / (t0 + t))^power."""

    def learn(self, x: Features, y: float, h: float = 1.0) -> float:
        """Step 2 of algorithm 1."""
        self.t += h
        for i in x:  # (a)
            if abs(x[i]) > self.s[i]:
                self.w[i] = self.w[i] * self.s[i] ** 2 / abs(x[i]) ** 2  # i.
                self.s[i] = abs(x[i])  # ii.
        p = self.predict(x)  # (b)
        self.N += h * sum(x[i] ** 2 / self.s[i] ** 2 for i in x if self.s[i])  # (c)
        eta_t = self.eta * (self.t0 / (self.t0 + self.t)) ** self.power
        if self.N:
            pace = eta_t * self.t / self.N
            self.descend(x, y, h, p, {i: pace / self.s[i] ** 2 if self.s[i] else 0.0 for i in x})  # (d)
        return p


class NAG(Algorithm):
    """Algorithm 2."""

    def learn(self, x: Features, y: float, h: float = 1.0) -> float:
        """Step 2 of algorithm 2."""
        self.t += h
        self.meet(x, h)  # (a)
        p = self.predict(x)  # (b)
        self.N += h * sum(x[i] ** 2 / self.s[i] ** 2 for i in x if self.s[i])  # (c)
        g = self.loss.slope(p, y)
        for i in x:  # (d) i.
            self.G[i] += h * (g * x[i]) ** 2
        if self.N:  # (d) ii.
            pace = self.eta * sqrt(self.t / self.N)
            rate = {i: pace / (self.s[i] * sqrt(self.G[i])) if self.G[i] else 0.0 for i in x}
            self.descend(x, y, h, p, rate)
        return p

    def meet(self, x: Features, h: float) -> None:
        """Step 2.(a): a new scale squashes the weight."""
        for i in x:
            if abs(x[i]) > self.s[i]:
                self.w[i] = self.w[i] * self.s[i] / abs(x[i])  # i.
                self.s[i] = abs(x[i])  # ii.


class SNAG(NAG):
    """Algorithm 2 with s_i = √(Σ x_i² / t), and the weight squashed whichever way s_i moves."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.squares: dict[str, float] = defaultdict(float)

    def meet(self, x: Features, h: float) -> None:
        """Every scale moves with every example, also those of features that are absent: t has grown."""
        for i in x:
            self.squares[i] += h * x[i] ** 2
        for i in self.squares:
            s = sqrt(self.squares[i] / self.t)
            if s > 0:
                self.w[i] = self.w[i] * self.s[i] / s
                self.s[i] = s


ALGORITHMS: dict[str, type[Algorithm]] = {"sgd": SGD, "ag": AG, "ng": NG, "nag": NAG, "snag": SNAG}
"""The algorithms by the names of their rules."""
