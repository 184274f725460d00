"""The scaling adversary: commits to a fixed S, then chooses x_t with ||S^(1/2) x_t||_p ≤ 1, and labels as it likes.

An adversary is a function from a source of randomness, the shape (streams, T, d) and C to its rounds: examples u_t in
units of its own, and an answer to each prediction. Labels are meant for predictors bounded by C, yet may lie beyond.
One more is one function and one line in ADVERSARIES.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from unscaled.errors import UsageError
from unscaled.theory.arrays import Array

Shape = tuple[int, int, int]
Answer = Callable[[int, Array], Array]


class Rounds(NamedTuple):
    """u_t, each within [-1, 1]^d, and the label y_t as a function of t and of the predictions."""

    U: Array
    answer: Answer


class Game(NamedTuple):
    """What the adversary has committed to: the half-axes of its S, x_1..x_T, and how it will label."""

    s: Array
    X: Array
    answer: Answer

    def rescaled(self, factors: Array) -> "Game":
        """The same game in other units."""
        return Game(self.s * factors, self.X * factors[..., None, :], self.answer)

    def permuted(self, rng: np.random.Generator) -> "Game":
        """The same examples in random order, each with its label, as in corollary 1."""
        order = rng.permuted(np.broadcast_to(np.arange(self.X.shape[-2]), self.X.shape[:-1]), axis=-1)
        X = np.take_along_axis(self.X, order[..., None], axis=-2)
        first = np.arange(len(X))

        def answer(t: int, p: Array) -> Array:
            told = np.stack([self.answer(each, p) for each in range(self.X.shape[-2])], axis=-1)
            return told[first, order[:, t]]

        return Game(self.s, X, answer)


def game(
    name: str, rng: np.random.Generator, shape: Shape, C: float = 1.0, p: float = np.inf, decades: float = 0.0
) -> Game:
    """A game against the adversary of that name, in units drawn from 10^±decades.

    >>> game("signs", np.random.default_rng(0), shape=(1, 4, 2), decades=12).X.shape
    (1, 4, 2)
    """
    if name not in ADVERSARIES:
        raise UsageError(f'there is no adversary "{name}"; known are {", ".join(ADVERSARIES)}')
    U, answer = ADVERSARIES[name](rng, shape, C)
    U = U / np.maximum(1.0, np.linalg.norm(U, p, axis=-1, keepdims=True))
    s = 10.0 ** rng.uniform(-decades, decades, (shape[0], shape[2]))
    return Game(s, U * s[..., None, :], answer)


def linear(rng: np.random.Generator, shape: Shape, C: float) -> Rounds:
    """No adversary at all: y = v·u and noise, where |v·u| ≤ C."""
    U = rng.uniform(-1.0, 1.0, shape)
    return Rounds(U, _said(np.clip(_scores(rng, U, C) + rng.normal(0.0, 0.1 * C, shape[:2]), -C, C)))


def signs(rng: np.random.Generator, shape: Shape, C: float) -> Rounds:
    """Corners of the cube and labels by the toss of a coin: nothing can be learned, hindsight sees √T."""
    return Rounds(rng.choice([-1.0, 1.0], shape), _said(C * rng.choice([-1.0, 1.0], shape[:2])))


def growing(rng: np.random.Generator, shape: Shape, C: float) -> Rounds:
    """Small values first, the worst of the streaming case: weights large enough for them meet ever larger values.

    And when the scale has been reached, the labels turn.
    """
    n, T, d = shape
    decades = rng.uniform(0.0, 1.5, (n, 1, d)) * rng.choice([0.0, 1.0], (n, 1, d))
    missing = np.clip(1.0 - 2.0 * np.arange(T) / T, 0.0, 1.0)[None, :, None]
    U = 10.0 ** (-decades * missing) * rng.choice([-1.0, 1.0], shape)
    turn = np.where(np.arange(T) < rng.integers(T // 2, T, (n, 1)), 1.0, -1.0)
    return Rounds(U, _said(10.0 * C * turn * np.sign(_scores(rng, U, C))))


def rare(rng: np.random.Generator, shape: Shape, C: float) -> Rounds:
    """Feature i is there in one of 2^i rounds, and may never be."""
    there = rng.random(shape) < 0.5 ** np.arange(shape[2])
    U = rng.uniform(-1.0, 1.0, shape) * there
    return Rounds(U, _said(_scores(rng, U, C) + rng.normal(0.0, 0.1 * C, shape[:2])))


def drifting(rng: np.random.Generator, shape: Shape, C: float) -> Rounds:
    """A target that stays for long, far beyond C, and then turns round: who has run too far needs long to come back."""
    n, T, _ = shape
    U = rng.choice([-1.0, 1.0], shape)
    turns = rng.random((n, T)) < 4.0 / T
    return Rounds(U, _said(10.0 * C * np.sign(_scores(rng, U, C)) * (-1.0) ** np.cumsum(turns, axis=-1)))


def contrary(rng: np.random.Generator, shape: Shape, C: float) -> Rounds:
    """Says the opposite of every prediction."""
    U = rng.choice([-1.0, 1.0], shape) * (rng.random(shape) < 0.7)
    return Rounds(U, lambda t, p: np.where(p > 0.0, -C, C))


def spiking(rng: np.random.Generator, shape: Shape, C: float) -> Rounds:
    """One value in each feature is larger than all others, by up to six powers of ten."""
    n, T, d = shape
    U = rng.uniform(0.5, 1.0, shape) * rng.choice([-1.0, 1.0], shape) * 10.0 ** rng.uniform(-6.0, 0.0, (n, 1, d))
    np.put_along_axis(U, rng.integers(0, T, (n, 1, d)), rng.choice([-1.0, 1.0], (n, 1, d)), axis=1)
    return Rounds(U, _said(C * np.sign(_scores(rng, U, C))))


def _scores(rng: np.random.Generator, U: Array, C: float) -> Array:
    """v·u_t of a predictor with ||v||_1 = C, so that no score is beyond C."""
    v = rng.dirichlet(np.ones(U.shape[2]), U.shape[0]) * rng.choice([-C, C], (U.shape[0], U.shape[2]))
    return np.einsum("ntd,nd->nt", U, v)


def _said(y: Array) -> Answer:
    """Labels that were fixed before the first round."""
    return lambda t, p: y[:, t]


ADVERSARIES: dict[str, Callable[[np.random.Generator, Shape, float], Rounds]] = {
    "linear": linear,
    "signs": signs,
    "growing": growing,
    "rare": rare,
    "drifting": drifting,
    "contrary": contrary,
    "spiking": spiking,
}
"""Every adversary by its name."""
