"""Every adversary keeps to the rules of the game."""

import numpy as np
import pytest

from unscaled.errors import UsageError
from unscaled.theory.adversaries import ADVERSARIES, game
from unscaled.theory.losses import CONVEX

SHAPE = (20, 30, 3)


@pytest.mark.parametrize("p", [2, np.inf])
@pytest.mark.parametrize("name", ADVERSARIES)
def test_examples_are_in_the_ball_committed_to(name: str, p: float) -> None:
    played = game(name, np.random.default_rng(0), SHAPE, C=2.0, p=p, decades=12.0)
    assert played.X.shape == SHAPE
    assert np.linalg.norm(played.X / played.s[:, None, :], p, axis=-1).max() <= 1.0 + 1e-12
    assert played.s.max() / played.s.min() > 1e20


@pytest.mark.parametrize("name", ADVERSARIES)
def test_games_repeat_and_labels_suit_the_loss(name: str) -> None:
    one, other = (game(name, np.random.default_rng(7), SHAPE) for _ in range(2))
    assert np.array_equal(one.X, other.X)
    p = np.linspace(-1.0, 1.0, SHAPE[0])
    for t in range(SHAPE[1]):
        assert np.array_equal(one.answer(t, p), other.answer(t, p))
        assert set(CONVEX["hinge"].labels(one.answer(t, p))) <= {-1.0, 1.0}


@pytest.mark.parametrize("name", ADVERSARIES)
def test_a_permuted_game_has_the_same_examples_and_labels(name: str) -> None:
    one = game(name, np.random.default_rng(3), SHAPE)
    other = one.permuted(np.random.default_rng(4))
    p = np.ones(SHAPE[0])
    rows = [
        np.concatenate([each.X, np.stack([each.answer(t, p) for t in range(SHAPE[1])], axis=1)[..., None]], axis=2)
        for each in (one, other)
    ]
    for before, after in zip(*rows, strict=True):
        assert sorted(map(tuple, before)) == sorted(map(tuple, after))
    assert not np.array_equal(one.X, other.X)


def test_the_adaptive_one_answers_the_prediction() -> None:
    played = game("contrary", np.random.default_rng(0), (2, 3, 1), C=3.0)
    assert played.answer(0, np.array([0.5, -0.5])).tolist() == [-3.0, 3.0]


def test_an_unknown_adversary() -> None:
    with pytest.raises(UsageError, match='no adversary "nice"; known are linear, signs'):
        game("nice", np.random.default_rng(0), SHAPE)
