"""The least ball: everything is inside, it touches, and there are multipliers that prove that none is less."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import nnls

from unscaled.errors import UsageError
from unscaled.theory.ellipsoid import half_axes, running_half_axes

SHAPES = [(1, 1), (10, 1), (5, 3), (40, 4), (60, 10)]


def examples(T: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng([seed, T, d])
    sizes = 10.0 ** rng.uniform(-2.0, 0.0, (T, 1)) * 10.0 ** rng.uniform(-12.0, 12.0, d)
    return rng.normal(size=(T, d)) * sizes


@pytest.mark.parametrize(("T", "d"), SHAPES)
def test_optimality_of_the_ellipsoid(T: int, d: int) -> None:
    """1/S_ii = Σ_t λ_t x_ti² with λ ≥ 0 that is zero off the surface: then log det S, which is concave, is largest."""
    X = examples(T, d)
    s = half_axes(X, 2)
    u = (X / s) ** 2
    reach = u.sum(axis=1)
    assert reach.max() == pytest.approx(1.0, abs=1e-12)
    touching = u[reach > 1.0 - 1e-4]
    multipliers, left = nnls(touching.T, np.ones(d))
    assert left < 1e-4
    assert multipliers.sum() == pytest.approx(d, rel=1e-3)


@pytest.mark.parametrize(("T", "d"), SHAPES)
def test_the_solver_finds_no_less_volume(T: int, d: int) -> None:
    X = examples(T, d, seed=1)
    largest = np.abs(X).max(axis=0)
    S = cp.Variable(d)
    problem = cp.Problem(cp.Maximize(cp.sum(cp.log(S))), [(X / largest) ** 2 @ S <= 1])
    problem.solve(solver=cp.CLARABEL)
    assert np.sum(np.log((largest / half_axes(X, 2)) ** 2)) == pytest.approx(problem.value, abs=1e-6)


def test_the_box_is_the_range_of_each_feature() -> None:
    X = examples(30, 4)
    assert np.array_equal(half_axes(X, np.inf), np.abs(X).max(axis=0))
    running = running_half_axes(X)
    assert all(np.array_equal(running[t], half_axes(X[: t + 1], np.inf)) for t in range(30))


@pytest.mark.parametrize("p", [2, np.inf])
def test_units_streams_and_absent_features(p: float) -> None:
    X = np.stack([examples(20, 3, seed) for seed in range(5)])
    X[2, :, 1] = 0.0
    s = half_axes(X, p)
    assert s[2, 1] == 0.0
    assert np.array_equal(half_axes(X * 2.0 ** np.array([40, -40, 3]), p), s * 2.0 ** np.array([40, -40, 3]))
    for one, axes in zip(X, s, strict=True):
        assert np.allclose(half_axes(one, p), axes, rtol=1e-6)
    assert np.allclose(half_axes(X[2][:, [0, 2]], p), s[2, [0, 2]], rtol=1e-6)
    assert half_axes(np.zeros((4, 2)), p).tolist() == [0.0, 0.0]


def test_the_true_s_of_the_adversary_is_no_less() -> None:
    """The empirical predictors are more: for p = ∞ they contain the true ones, for p = 2 they have more volume."""
    rng = np.random.default_rng(0)
    true = np.array([1e-6, 1.0, 1e6])
    U = rng.uniform(-1.0, 1.0, (50, 3))
    assert np.all(half_axes(U * true, np.inf) <= true)
    inside = U / np.maximum(1.0, np.linalg.norm(U, axis=1, keepdims=True))
    assert np.prod(half_axes(inside * true, 2) / true) <= 1.0 + 1e-6


def test_another_p() -> None:
    with pytest.raises(UsageError, match="known for p = 2 and p = inf, not for p = 3"):
        half_axes(np.ones((2, 2)), 3)
