"""The curves of whatever is normalised lie on top of each other in all units, within their bounds; others do not."""

import numpy as np
import pytest

from unscaled import reference
from unscaled.errors import UsageError
from unscaled.rules import PAPER as RULES
from unscaled.theory.adversaries import ADVERSARIES, game
from unscaled.theory.curves import ALGORITHMS, BOUNDS, RATE, _play, regret_curves
from unscaled.theory.losses import CONVEX

UNIT_BOUND = {name for name, rule in RULES.items() if not rule.normalised}


@pytest.mark.parametrize("loss", CONVEX)
@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_curves(adversary: str, loss: str) -> None:
    curves = regret_curves(adversary, loss, rounds=60, features=3, rescale=12, seed=1)
    assert list(curves.native) == list(ALGORITHMS)
    assert set(RULES) <= set(ALGORITHMS)
    assert (curves.times[0], curves.times[-1]) == (1, 60)
    for name, native in curves.native.items():
        assert len(curves.rescaled[name]) == 3
        if name in UNIT_BOUND:
            assert curves.difference(name) > 0.1
        else:
            assert curves.difference(name) == 0.0
            assert all(np.array_equal(other.regret, native.regret) for other in curves.rescaled[name])
        assert (native.bound is not None) == (name in BOUNDS)
        if native.bound is not None:
            assert np.all(native.regret <= native.bound)


@pytest.mark.parametrize("name", reference.ALGORITHMS)
def test_the_algorithms_of_the_paper_are_those_of_the_reference(name: str) -> None:
    played = game("linear", np.random.default_rng(0), (1, 50, 3))
    run = _play(name, played, CONVEX["squared"])
    algorithm = reference.ALGORITHMS[name](eta=RATE, loss=reference.squared())
    told = [
        algorithm.learn(dict(zip("abc", row, strict=True)), y)
        for row, y in zip(played.X[0].tolist(), run.y[0].tolist(), strict=True)
    ]
    assert np.allclose(run.predictions[0], told, rtol=1e-12)


def test_the_adaptive_adversary_answers_each_algorithm() -> None:
    for name in reference.ALGORITHMS:
        run = _play(name, game("contrary", np.random.default_rng(0), (1, 50, 3)), CONVEX["absolute"])
        assert np.array_equal(run.y, np.where(run.predictions > 0.0, -1.0, 1.0))


def test_one_feature_and_units_out_of_range() -> None:
    assert regret_curves("signs", "hinge", rounds=5, features=1, rescale=0, seed=0).difference("sgd") == 0.0
    with pytest.raises(UsageError, match=r"rescaled by 10\^0 to 10\^60, not by 10\^99"):
        regret_curves("signs", "hinge", rounds=5, features=1, rescale=99, seed=0)
