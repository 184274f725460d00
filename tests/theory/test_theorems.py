"""The theorems hold on a thousand adversarial streams each, and what is nearly their algorithm breaks them."""

import numpy as np
import pytest

from unscaled.theory.algorithms import Played

from .arena import BROKEN, ROUNDS, STREAMS, THEOREMS, Cell, Theorem, cells, play_broken, regret

MOST_PROMISING = 4


@pytest.mark.parametrize("name", THEOREMS)
def test_regret_never_exceeds_the_bound(name: str) -> None:
    theorem = THEOREMS[name]
    streams, worst = 0, 0.0
    for cell in cells(theorem):
        played = theorem.play(cell.game, cell.loss, cell.C)
        ratios = regret(played, theorem, cell) / theorem.bound(played, cell.loss, cell.C)
        assert np.all(ratios <= 1.0), (cell.adversary, cell.loss.name, ratios.max())
        streams, worst = streams + len(ratios), max(worst, ratios.max())
    assert streams >= 1000
    assert worst > 0.3, "the streams are too easy to tell anything"
    print(f"{name}: {streams} streams of {ROUNDS} rounds, largest regret / bound {worst:.3f}")


def worst_ratio(theorem: Theorem, cell: Cell, played: Played) -> float:
    """The largest regret over bound among the streams of largest loss over bound."""
    if not np.all(np.isfinite(played.losses)):
        return np.inf
    bound = theorem.bound(played, cell.loss, cell.C)
    losses = played.losses.sum(axis=-1)
    promising = np.argsort(-losses / np.maximum(bound, 1e-300))[:MOST_PROMISING]
    return float(np.max(regret(played, theorem, cell, promising) / bound[promising]))


@pytest.mark.parametrize(
    ("name", "kind"), [*((name, kind) for name in THEOREMS for kind in BROKEN), ("corollary 1", "no truncation")]
)
def test_a_broken_update_exceeds_the_bound(name: str, kind: str) -> None:
    """On the streams of the test above: so they are hard enough to tell the right update from a wrong one."""
    theorem = THEOREMS[name]
    reached = 0.0
    for cell in cells(theorem):
        played = play_broken(theorem, cell, kind, cut=theorem.cut and kind != "no truncation")
        reached = max(reached, worst_ratio(theorem, cell, played))
        if reached > 1.0:
            break
    assert reached > 1.0
    print(f"{name}, {kind}: {reached:.3g} in {cell.adversary}, {cell.loss.name}")


@pytest.mark.parametrize("name", THEOREMS)
def test_units_that_are_powers_of_two_change_no_bit(name: str) -> None:
    theorem = THEOREMS[name]
    for number, cell in enumerate(cells(theorem)):
        rng = np.random.default_rng(number)
        factors = 2.0 ** rng.integers(-40, 41, (STREAMS, cell.game.X.shape[2]))
        here = theorem.play(cell.game, cell.loss, cell.C)
        there = theorem.play(cell.game.rescaled(factors), cell.loss, cell.C)
        for column in ("predictions", "y", "losses", "slopes"):
            assert np.array_equal(getattr(here, column), getattr(there, column))
        one, other = (theorem.bound(each, cell.loss, cell.C) for each in (here, there))
        assert np.allclose(one, other, rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("name", THEOREMS)
def test_any_units_change_next_to_nothing(name: str) -> None:
    """Where no kink lets a last bit decide; a prediction that is truncated for a last bit meets one too."""
    theorem = THEOREMS[name]
    for number, cell in enumerate(cells(theorem)):
        if cell.loss.name in ("squared", "logistic") and cell.adversary in ("linear", "rare"):
            factors = 10.0 ** np.random.default_rng(number).uniform(-12, 12, (STREAMS, cell.game.X.shape[2]))
            here = theorem.play(cell.game, cell.loss, cell.C)
            there = theorem.play(cell.game.rescaled(factors), cell.loss, cell.C)
            assert np.allclose(here.losses, there.losses, rtol=1e-6, atol=1e-6 * cell.C)


@pytest.mark.parametrize("name", THEOREMS)
def test_predictions_stay_within_c_where_the_projection_says_so(name: str) -> None:
    """Theorem 1 projects onto the dual ball of all examples, corollary 1 truncates; theorem 2 may go beyond."""
    theorem = THEOREMS[name]
    beyond = [
        np.abs(theorem.play(cell.game, cell.loss, cell.C).predictions).max() / cell.C
        for cell in cells(theorem)
        if cell.adversary in ("growing", "spiking", "contrary")
    ]
    assert max(beyond) > 10.0 if name == "theorem 2" else max(beyond) <= 1.0 + 1e-12
