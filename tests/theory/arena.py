"""The games on which theorems are tried: every adversary with every loss, in units that are 10^±12 apart.

A theorem here is how its algorithm knows S, what bounds it, and whom it competes with. Its conditioner, projection and
truncation can be exchanged for broken ones.
"""

from collections.abc import Callable, Iterator
from math import log
from typing import Any, NamedTuple

import numpy as np

from unscaled.theory import bounds
from unscaled.theory.adversaries import ADVERSARIES, Game, game
from unscaled.theory.algorithms import Played, conditioner, descend, projection, streaming, transductive
from unscaled.theory.ellipsoid import half_axes, running_half_axes
from unscaled.theory.hindsight import best
from unscaled.theory.losses import CONVEX, ConvexLoss

ROUNDS = 48
STREAMS = 36  # a cell; 28 cells make 1,008 streams

RISK, TAU = 0.5, 3


class Cell(NamedTuple):
    adversary: str
    game: Game
    loss: ConvexLoss
    C: float


class Theorem(NamedTuple):
    p: float
    play: Callable[[Game, ConvexLoss, float], Played]
    known: Callable[[Game], Any]
    """The half-axes that the algorithm has in each round."""
    bound: Callable[[Played, ConvexLoss, float], Any]
    cut: bool = False


def _theorem1(played: Played, loss: ConvexLoss, C: float, p: float) -> Any:
    return bounds.theorem1(played.G[:, -1], half_axes(played.X, p), C)


def _theorem2(played: Played, loss: ConvexLoss, C: float) -> Any:
    return bounds.theorem2(played.G[:, -1], half_axes(played.X, np.inf), bounds.delta_of(played.X), C)


def nu_of(d: int) -> float:
    """The share for which τ is 3 and two rounds are charged with R_max."""
    return log(d / RISK) / (TAU - 0.5)


def _corollary1(played: Played, loss: ConvexLoss, C: float) -> Any:
    X, d = played.X, played.X.shape[2]
    assert bounds.tau(d, RISK, nu_of(d)) == TAU
    rounds, R_max = bounds.rounds_before(d, RISK, nu_of(d)), bounds.R_max(loss.name, C, played.y)
    return bounds.corollary1(played.G[:, -1], half_axes(X, np.inf), bounds.delta_of(X, TAU), C, rounds, R_max)


def _two_passes(p: float) -> Theorem:
    return Theorem(
        p,
        play=lambda game, loss, C: transductive(game, loss, C, p),
        known=lambda game: np.broadcast_to(half_axes(game.X, p)[:, None, :], game.X.shape),
        bound=lambda played, loss, C: _theorem1(played, loss, C, p),
    )


THEOREMS = {
    "theorem 1, p = inf": _two_passes(np.inf),
    "theorem 1, p = 2": _two_passes(2),
    "theorem 2": Theorem(np.inf, streaming, lambda game: running_half_axes(game.X), _theorem2),
    "corollary 1": Theorem(
        np.inf,
        lambda game, loss, C: streaming(game, loss, C, truncated=True),
        lambda game: running_half_axes(game.X),
        _corollary1,
        cut=True,
    ),
}

BROKEN = {
    "no projection": lambda A, Pi: (A, lambda w, A_t, s: w),
    "wrong sign": lambda A, Pi: (lambda G, s: -A(G, s), lambda w, A_t, s: Pi(w, -A_t, s)),
    "no square root": lambda A, Pi: (lambda G, s: A(G * G, s), Pi),
    "no scale": lambda A, Pi: (lambda G, s: A(G, np.ones_like(s)), Pi),
    "no conditioner": lambda A, Pi: (lambda G, s: np.ones_like(s), Pi),
    "scale of the wrong power": lambda A, Pi: (lambda G, s: A(G, s * s), Pi),
}
"""Updates that look like those of the theorems and are not."""


def cells(theorem: Theorem, seed: int = 0) -> Iterator[Cell]:
    """A thousand streams; the examples of corollary 1 come in random order."""
    pairs = [(adversary, loss) for adversary in ADVERSARIES for loss in CONVEX.values()]
    for number, (adversary, loss) in enumerate(pairs):
        rng = np.random.default_rng([seed, number])
        C, d = float(rng.choice([0.5, 1.0, 3.0])), int(rng.choice([1, 2, 4]))
        played = game(adversary, rng, (STREAMS, ROUNDS, d), C, theorem.p, decades=12.0)
        yield Cell(adversary, played.permuted(rng) if theorem.cut else played, loss, C)


def play_broken(theorem: Theorem, cell: Cell, kind: str, cut: bool) -> Played:
    A, Pi = conditioner(cell.C), projection(cell.C, theorem.p)
    if kind != "no truncation":
        A, Pi = BROKEN[kind](A, Pi)
    with np.errstate(all="ignore"):  # what is broken may overflow
        return descend(cell.game, cell.loss, theorem.known(cell.game), A, Pi, cell.C if cut else np.inf)


def regret(played: Played, theorem: Theorem, cell: Cell, streams: Any = slice(None)) -> Any:
    """Regret against the dual ball of the empirical S, and at most so much more."""
    s = half_axes(played.X, theorem.p)
    q = 1 if theorem.p == np.inf else 2
    found = [
        best(X, y, cell.loss, cell.C, axes, q)
        for X, y, axes in zip(played.X[streams], played.y[streams], s[streams], strict=True)
    ]
    least = np.array([each.loss - each.gap for each in found])
    return played.losses[streams].sum(axis=-1) - least
