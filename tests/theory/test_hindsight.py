"""The best predictor in hindsight is the best: in closed form, on a grid, in any units, and by its certificate."""

import sys
from typing import Any

import numpy as np
import pytest

from unscaled.errors import UnscaledError, UsageError
from unscaled.losses import LOSSES, REAL
from unscaled.theory import hindsight
from unscaled.theory.hindsight import LARGEST_GAP, MOST_PARAMETERS, best
from unscaled.theory.losses import CONVEX, ConvexLoss, convex_loss

WITHIN = [1, 2, "observed"]


def stream(seed: int, T: int = 30, d: int = 2, loss: ConvexLoss = CONVEX["squared"]) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (T, d))
    return X, loss.labels(X @ rng.normal(size=d) + rng.normal(0.0, 0.5, T)), np.abs(X).max(axis=0)


def size_of(w: Any, X: Any, s: Any, within: Any) -> Any:
    return np.abs(w @ X.T).max(axis=-1) if within == "observed" else np.linalg.norm(w * s, within, axis=-1)


@pytest.mark.parametrize("within", WITHIN)
@pytest.mark.parametrize("loss", CONVEX.values(), ids=list(CONVEX))
@pytest.mark.parametrize("C", [0.3, 1.0, 20.0])
def test_no_point_of_a_grid_is_better(loss: ConvexLoss, within: Any, C: float) -> None:
    X, y, s = stream(1, loss=loss)
    found = best(X, y, loss, C, s, within)
    assert size_of(found.w, X, s, within) <= C * (1.0 + 1e-9)
    assert found.loss == pytest.approx(loss.value(X @ found.w, y).sum(), rel=1e-12)
    assert 0.0 <= found.gap <= LARGEST_GAP * (1.0 + found.loss)
    directions = np.random.default_rng(0).normal(size=(2000, 2))
    lengths = np.random.default_rng(1).uniform(0.0, 1.0, 2000) * C / size_of(directions, X, s, within)
    others = np.vstack([directions * lengths[:, None], found.w * [[1.0 - 1e-3], [1.0 - 1e-2]]])
    assert loss.value(others @ X.T, y).sum(axis=1).min() >= found.loss - found.gap


def test_far_within_the_ball_it_is_least_squares() -> None:
    X, y, s = stream(2, d=3)
    least = np.linalg.lstsq(X, y)[0]
    for within in WITHIN:
        assert np.allclose(best(X, y, CONVEX["squared"], 1e3, s, within).w, least, atol=1e-5)


@pytest.mark.parametrize("within", WITHIN)
@pytest.mark.parametrize("loss", CONVEX.values(), ids=list(CONVEX))
def test_units_do_not_matter(loss: ConvexLoss, within: Any) -> None:
    X, y, s = stream(3, d=4, loss=loss)
    here = best(X, y, loss, 1.0, s, within)
    for factors in (np.full(4, 2.0**40), np.full(4, 2.0**-40), 2.0 ** np.array([40, -40, 13, -27])):
        there = best(X * factors, y, loss, 1.0, s * factors, within)
        assert (there.loss, there.gap) == (here.loss, here.gap)
        assert np.array_equal(there.w * factors, here.w)
    tens = 10.0 ** np.array([12, -12, 5, -7])
    assert best(X * tens, y, loss, 1.0, s * tens, within).loss == pytest.approx(here.loss, abs=1e-4)


def test_the_dual_ball_is_within_what_is_bounded_on_the_examples() -> None:
    for loss in CONVEX.values():
        X, y, s = stream(4, d=3, loss=loss)
        dual, observed = (best(X, y, loss, 0.7, s, within) for within in (1, "observed"))
        assert observed.loss - observed.gap <= dual.loss


def test_a_feature_that_was_never_seen_has_no_weight() -> None:
    X, y, s = stream(5, d=3)
    X[:, 1], s[1] = 0.0, 0.0
    for within in WITHIN:
        assert best(X, y, CONVEX["absolute"], 1.0, s, within).w[1] == 0.0


def test_a_large_problem_is_solved_like_a_small_one() -> None:
    X, y, s = stream(6, T=MOST_PARAMETERS, d=3)
    small = best(X[:30], y[:30], CONVEX["squared"], 1.0, s)
    padded = best(
        np.vstack([X[:30], np.zeros_like(X[30:])]), np.append(y[:30], 0.0 * y[30:]), CONVEX["squared"], 1.0, s
    )
    assert padded.loss == pytest.approx(small.loss, abs=1e-5)


def test_what_is_not_the_best_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, s = stream(7)
    right = hindsight._solve

    def near(*given: Any) -> Any:
        v, alpha, beta = right(*given)
        return v * 0.9, alpha, beta

    monkeypatch.setattr(hindsight, "_solve", near)
    with pytest.raises(UnscaledError, match=r"the solver stopped .* above the least loss"):
        best(X, y, CONVEX["squared"], 1.0, s)


def test_values_that_are_no_numbers() -> None:
    X, y, s = stream(8)
    X[3, 0] = np.nan
    with pytest.raises(UnscaledError, match="not a finite number"):
        best(X, y, CONVEX["squared"], 1.0, s)


def test_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(UsageError, match=r"^regret in hindsight needs cvxpy: pip install 'unscaled\[theory\]'$"):
        best(*stream(9)[:2], CONVEX["hinge"], 1.0, np.ones(2))


@pytest.mark.parametrize("loss", CONVEX.values(), ids=list(CONVEX))
def test_conjugates(loss: ConvexLoss) -> None:
    """ℓ*(a) = max_z az - ℓ(z): nowhere less on a grid, and reached where a is the slope."""
    z = np.linspace(-30.0, 30.0, 2001)
    labels = [-1.0, 1.0] if getattr(LOSSES[loss.name], "labels", None) != REAL else [-1.3, 0.4]
    for y in labels:
        slopes = loss.slope(z, np.full_like(z, y))
        conjugates = loss.conjugate(slopes, np.full_like(z, y))
        values = loss.value(z, np.full_like(z, y))
        assert np.array_equal(loss.legal(slopes, y), slopes)
        assert np.all(conjugates[:, None] >= slopes[:, None] * z - values - 1e-9)
        assert np.allclose(conjugates, slopes * z - values, atol=1e-9)


def test_an_unknown_loss() -> None:
    with pytest.raises(UsageError, match='no convex loss "poison" in the theory; known are squared, absolute'):
        convex_loss("poison")
