"""Vowpal Wabbit's order of events in NumPy, to see that nothing else sets it apart from algorithm 2 of the paper.

    the paper                                        Vowpal Wabbit (9.11, `gd.cc`)
    scales, squash, prediction, N, G, step           prediction, scales and squash, N, G, step
    for all examples                                 only if the cut prediction has a loss
    one t and N for all classes                      a t and an N for each class

So a value beyond its scale meets the old weight, and what it does to the prediction is cut by the range of the labels.
"""

import numpy as np
from numpy.typing import NDArray

from unscaled.paper.protocol import Rows

_TINY = 1e-100


def imitated_scores(rows: Rows, rule: str, rate: float) -> NDArray[np.float64]:
    """The predictions before each update, for `nag` or `ag`, squared loss and labels of -1 and +1."""
    d, k = rows.X.shape[1], rows.labels.shape[1]
    low, high = np.triu_indices(d)
    state = _State(1 + d + len(low), k, rule, rate)
    scores = np.empty(rows.labels.shape)
    for X, labels, here in rows.parts():
        features = np.concatenate([np.ones((len(X), 1)), X, X[:, low] * X[:, high]], axis=1)
        for i, (x, y) in enumerate(zip(features, labels, strict=True), start=here.start):
            scores[i] = state.learn(x, y)
    return scores


class _State:
    """w, G and s of each feature, N and t, all of them class by class."""

    def __init__(self, features: int, classes: int, rule: str, rate: float) -> None:
        self.normalised, self.rate = rule == "nag", rate
        self.w, self.G, self.s = (np.zeros((features, classes)) for _ in range(3))
        self.N, self.t = np.zeros(classes), np.zeros(classes)

    def learn(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        here = np.flatnonzero(x)
        x = x[here, None]
        p = np.clip(x[:, 0] @ self.w[here], -1.0, 1.0)
        wrong = p != y
        if wrong.any():
            self._update(here, x, p, y, wrong)
        return p

    def _update(
        self,
        here: NDArray[np.intp],
        x: NDArray[np.float64],
        p: NDArray[np.float64],
        y: NDArray[np.float64],
        wrong: NDArray[np.bool_],
    ) -> None:
        w, s, pace = self.w[here], np.ones(1), np.ones(1)
        if self.normalised:
            w, s, pace = self._normalise(here, x, w, wrong)
        self.G[here] += np.where(wrong, (2.0 * (p - y) * x) ** 2, 0.0)
        a = np.where(wrong, pace * x / (s * np.sqrt(np.maximum(self.G[here], _TINY))), 0.0)
        self.w[here] = w - self.rate * 2.0 * (p - y) * a

    def _normalise(
        self, here: NDArray[np.intp], x: NDArray[np.float64], w: NDArray[np.float64], wrong: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The squashed weights, the scales, and the pace."""
        old = self.s[here]
        beyond = (np.abs(x) > old) & wrong
        s = np.where(beyond, np.abs(x), old)
        self.s[here] = s
        w = np.where(beyond & (old > 0.0), w * old / np.maximum(s, _TINY), w)
        s = np.maximum(s, _TINY)
        self.N += np.where(wrong, np.square(np.where(wrong, x / s, 0.0)).sum(axis=0), 0.0)
        self.t += wrong
        return w, s, np.sqrt(self.t / np.maximum(self.N, _TINY))
