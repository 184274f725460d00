"""The algorithms of theorem 1, theorem 2 and corollary 1: gradient descent with a conditioner and a projection.

    w_{t+1} = Π^{A_t}_{S,C,q}(w_t - A_t^{-1} g_t)

They share this loop and differ in what they know of S and in the conditioner A_t, which is diagonal.
"""

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np

from unscaled.theory.adversaries import Game
from unscaled.theory.arrays import Array, over
from unscaled.theory.ellipsoid import half_axes, running_half_axes
from unscaled.theory.losses import ConvexLoss
from unscaled.theory.projections import project

ETA = sqrt(2.0)

Conditioner = Callable[[Array, Array], Array]
"""A_t, from Σ g² up to t and the half-axes of S."""

Projection = Callable[[Array, Array, Array], Array]
"""From the weights, A_t and the half-axes of S."""


class Played(NamedTuple):
    """How a game went: predictions, labels, losses and slopes g'_t, each (..., T), and X for what is derived."""

    X: Array
    predictions: Array
    y: Array
    losses: Array
    slopes: Array

    @property
    def G(self) -> Array:
        """Σ_j g_ji² up to t, for every t and i."""
        return np.cumsum((self.slopes[..., None] * self.X) ** 2, axis=-2)


def transductive(game: Game, loss: ConvexLoss, C: float, p: float = np.inf) -> Played:
    """Theorem 1: S is found in a first pass; equation 2 in the second."""
    s = half_axes(game.X, p)
    return descend(game, loss, np.broadcast_to(s[..., None, :], game.X.shape), conditioner(C), projection(C, p))


def streaming(game: Game, loss: ConvexLoss, C: float, truncated: bool = False) -> Played:
    """Theorem 2: S^(t) is that of the examples so far, p = ∞; equation 3. Truncated: corollary 1."""
    s = running_half_axes(game.X)
    return descend(game, loss, s, conditioner(C), projection(C, np.inf), cut=C if truncated else np.inf)


def conditioner(C: float) -> Conditioner:
    """Equations 2 and 3: A_t,ii = (1 / Cη) √(Σ_j g_ji² / S_ii)."""
    return lambda G, s: np.sqrt(G) * s / (C * ETA)


def projection(C: float, p: float) -> Projection:
    """Π for the q with 1/p + 1/q = 1."""
    return lambda w, A, s: project(w, A, s, C, q=1 if p == np.inf else p / (p - 1))


def descend(game: Game, loss: ConvexLoss, s: Array, A: Conditioner, Pi: Projection, cut: float = np.inf) -> Played:
    """The loop: s are the half-axes known in each round, predictions are truncated to [-cut, cut].

    Where A_ii is 0 there has been no gradient, and A^{-1} g is 0.
    """
    X = game.X
    w, G = np.zeros(s[..., 0, :].shape), np.zeros(s[..., 0, :].shape)
    told = []
    for t in range(X.shape[-2]):
        x = X[..., t, :]
        p = np.sum(w * x, axis=-1)
        shown = np.clip(p, -cut, cut)
        y = loss.labels(game.answer(t, shown))
        slope = inwards(loss.slope(shown, y), p, cut)
        g = slope[..., None] * x
        G = G + g * g
        A_t = A(G, s[..., t, :])
        w = Pi(w - over(g, A_t), A_t, s[..., t, :])
        told.append((shown, y, loss.value(shown, y), slope))
    return Played(X, *(np.stack(column, axis=-1) for column in zip(*told, strict=True)))


def inwards(slope: Array, p: Array, cut: float) -> Array:
    """The slope of a truncated prediction counts only if it pulls p back into [-cut, cut].

    Lemma 1 needs ℓ(cut p) - ℓ(p*) ≤ g' (p - p*), p being what was cut. At p > C that holds if the slope at C is
    positive. If it is negative, because the label is beyond C or the loss falls forever as the logistic one does, no
    p* ≤ C has less loss than C, and 0 takes the place of the slope.
    """
    return np.where((np.abs(p) > cut) & (slope * p < 0.0), 0.0, slope)
