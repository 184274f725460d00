"""Regret over time: the algorithms of the theorems, their bounds, and the paper's algorithms, in several units.

The predictors to compete with are those of ||S^(-1/2) w||_1 ≤ 1 for the S of all examples, at every time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unscaled import reference
from unscaled.errors import UsageError
from unscaled.losses import LOSSES
from unscaled.theory import bounds
from unscaled.theory.adversaries import Game, game
from unscaled.theory.algorithms import Played, streaming, transductive
from unscaled.theory.arrays import Array
from unscaled.theory.ellipsoid import half_axes, running_half_axes
from unscaled.theory.hindsight import best
from unscaled.theory.losses import ConvexLoss, convex_loss

C = 1.0
RATE = 0.5
POINTS = 16
LARGEST_RESCALE = 60  # squares of squares of values are still numbers


class Curve(NamedTuple):
    """One algorithm in one choice of units: its regret at `Curves.times`, NaN or infinite where it has diverged."""

    regret: Array
    bound: Array | None


@dataclass(frozen=True)
class Curves:
    """What was played: for each algorithm its curve in native units, and those in other units."""

    times: list[int]
    native: dict[str, Curve]
    rescaled: dict[str, list[Curve]]

    def difference(self, name: str) -> float:
        """How far the last regret in other units is from that in native units, relative to it, at worst."""
        here = self.native[name].regret[-1]
        away = [abs(curve.regret[-1] - here) for curve in self.rescaled[name]]
        return float(np.max(away) / max(abs(here), 1e-300)) if np.all(np.isfinite(away)) else float("inf")

    def worst(self, name: str) -> float:
        """The last regret in those units in which it is farthest from that in native units."""
        here = self.native[name].regret[-1]
        return float(max((curve.regret[-1] for curve in self.rescaled[name]), key=lambda R: _distance(R, here)))


def regret_curves(adversary: str, loss: str, rounds: int, features: int, rescale: float, seed: int) -> Curves:
    """Plays a game in native units and in others, which differ by up to 10^±rescale, against every algorithm.

    >>> curves = regret_curves("linear", "squared", rounds=40, features=2, rescale=12, seed=0)
    >>> [name for name in curves.native if curves.difference(name) > 1e-9]
    ['ag', 'sgd']
    """
    if not 0 <= rescale <= LARGEST_RESCALE:
        raise UsageError(f"features can be rescaled by 10^0 to 10^{LARGEST_RESCALE}, not by 10^{rescale:g}")
    rng = np.random.default_rng(seed)
    played = game(adversary, rng, (1, rounds, features), C)
    formulas = convex_loss(loss)
    times = sorted({round(t) for t in np.geomspace(1, rounds, POINTS)})
    known: dict[bytes, list[float]] = {}
    native, *others = (
        {name: _curve(name, run(each, formulas), formulas, times, known) for name, run in ALGORITHMS.items()}
        for each in (played, *_in_other_units(played, rng, rescale))
    )
    return Curves(times, native, {name: [curves[name] for curves in others] for name in native})


def _in_other_units(played: Game, rng: np.random.Generator, rescale: float) -> Iterator[Game]:
    """All features smaller, all larger, and each by a factor of its own, from the least to the largest.

    The factors are the powers of two next below those of ten, which round nothing: else the last bit of a prediction
    could decide on which side of a kink of the loss it falls, and the games would part for that alone.
    """
    features = played.s.shape[-1]
    spread = np.linspace(-rescale, rescale, features) if features > 1 else np.array([rescale])
    for powers in (np.full(features, -rescale), np.full(features, rescale), rng.permutation(spread)):
        yield played.rescaled(2.0 ** np.trunc(powers * np.log2(10.0)))


def _curve(name: str, played: Played, loss: ConvexLoss, times: list[int], known: dict[bytes, list[float]]) -> Curve:
    X, y = played.X[0], played.y[0]
    s = half_axes(X, np.inf)
    if y.tobytes() not in known:  # the best loss does not depend on units, only on what was answered
        known[y.tobytes()] = [best(X[:t], y[:t], loss, C, s).loss for t in times]
    ends = np.array(times) - 1
    with np.errstate(all="ignore"):
        regret = np.cumsum(played.losses[0])[ends] - known[y.tobytes()]
    return Curve(regret, BOUNDS[name](played, ends) if name in BOUNDS else None)


def _bound1(played: Played, ends: Array) -> Array:
    return bounds.theorem1(played.G[0, ends], half_axes(played.X[0], np.inf), C)


def _bound2(played: Played, ends: Array) -> Array:
    delta = np.stack([bounds.delta_of(played.X[0, : end + 1]) for end in ends])
    return bounds.theorem2(played.G[0, ends], running_half_axes(played.X[0])[ends], delta, C)


def _of_reference(name: str) -> Callable[[Game, ConvexLoss], Played]:
    return lambda game, loss: _play(name, game, loss)


def _play(name: str, game: Game, loss: ConvexLoss) -> Played:
    """A game against an algorithm of `unscaled.reference`.

    Its label is the number of the round: the adversary answers when the slope is asked for, hence after the prediction.
    """
    scalar = LOSSES[loss.name]()

    def answer(p: float, t: float) -> float:
        return float(loss.labels(game.answer(int(t), np.array([p])))[0])

    asked = reference.Loss(value=scalar.value, slope=lambda p, t: scalar.slope(p, answer(p, t)), flow=lambda p, t, T: p)
    algorithm = reference.ALGORITHMS[name](eta=RATE, loss=asked)
    rows = game.X[0].tolist()
    p = np.array([algorithm.learn({str(i): x for i, x in enumerate(row)}, t) for t, row in enumerate(rows)])
    y = np.array([answer(each, t) for t, each in enumerate(p)])
    with np.errstate(all="ignore"):
        columns = (p, y, loss.value(p, y), loss.slope(p, y))
    return Played(game.X, *(column[None] for column in columns))


ALGORITHMS: dict[str, Callable[[Game, ConvexLoss], Played]] = {
    "theorem 1": lambda game, loss: transductive(game, loss, C),
    "theorem 2": lambda game, loss: streaming(game, loss, C),
    **{name: _of_reference(name) for name in ("ng", "nag", "snag", "ag", "sgd")},
}
"""Those of the theorems, and those of `unscaled.reference`."""

BOUNDS = {"theorem 1": _bound1, "theorem 2": _bound2}


def _distance(regret: float, other: float) -> float:
    return abs(regret - other) if np.isfinite(regret) else np.inf
