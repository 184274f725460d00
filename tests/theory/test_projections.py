"""The projections are those of a convex solver, and of points that a solver does not like."""

from functools import lru_cache
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unscaled.errors import UsageError
from unscaled.theory.projections import project

numbers = st.floats(-4.0, 4.0, allow_subnormal=False)
positive = st.floats(0.05, 20.0)


@lru_cache
def stated(d: int, q: int) -> Any:
    w, s, wished, root, C = (
        cp.Variable(d),
        *(cp.Parameter(d, nonneg=k != 1) for k in range(3)),
        cp.Parameter(nonneg=True),
    )
    away = cp.multiply(root, w) - wished
    return cp.Problem(cp.Minimize(cp.sum_squares(away)), [cp.norm(cp.multiply(s, w), q) <= C]), w, s, wished, root, C


def by_solver(w: Any, A: Any, s: Any, C: float, q: int) -> Any:
    problem, variable, *parameters = stated(len(w), q)
    for parameter, value in zip(parameters, (s, np.sqrt(A) * w, np.sqrt(A), C), strict=True):
        parameter.value = value
    problem.solve(solver=cp.CLARABEL)
    return variable.value


def distance(w: Any, to: Any, A: Any) -> float:
    return float(np.sum(A * (w - to) ** 2))


@st.composite
def problems(draw: Any) -> tuple[Any, Any, Any, float]:
    d = draw(st.integers(1, 5))
    w, A, s = (np.array(draw(st.lists(each, min_size=d, max_size=d))) for each in (numbers, positive, positive))
    return w, A, s, draw(st.floats(0.1, 5.0))


@pytest.mark.parametrize("q", [1, 2])
@given(problem=problems())
def test_as_the_solver(q: int, problem: Any) -> None:
    w, A, s, C = problem
    ours, theirs = project(w, A, s, C, q), by_solver(w, A, s, C, q)
    assert np.linalg.norm(ours * s, q) <= C * (1.0 + 1e-12)
    assert distance(ours, w, A) <= distance(theirs, w, A) + 1e-6
    assert np.allclose(ours, theirs, atol=2e-3)


@pytest.mark.parametrize("q", [1, 2])
@given(problem=problems(), powers=st.lists(st.integers(-60, 60), min_size=5, max_size=5))
def test_units_change_no_bit(q: int, problem: Any, powers: Any) -> None:
    w, A, s, C = problem
    factors = 2.0 ** np.array(powers[: len(w)])
    assert np.array_equal(project(w / factors, A * factors**2, s * factors, C, q) * factors, project(w, A, s, C, q))


@pytest.mark.parametrize("q", [1, 2])
@given(problem=problems(), others=st.lists(numbers, min_size=5, max_size=5))
def test_the_angle_to_every_other_point_is_blunt(q: int, problem: Any, others: Any) -> None:
    """What characterises a projection: (w' - Πw')ᵀA(u - Πw') ≤ 0 for every u of the set, at any spread of A."""
    w, A, s, C = problem
    A = A ** np.arange(1, 2 * len(w) + 1, 2)
    there = project(w, A, s, C, q)
    u = np.array(others[: len(w)])
    u = u * min(1.0, C / max(np.linalg.norm(u * s, q), 1e-12))
    terms = A * (w - there) * (u - there)
    assert terms.sum() <= 1e-9 * (1.0 + np.abs(terms).sum())
    assert np.allclose(project(there, A, s, C * (1.0 + 1e-12), q), there, rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("q", [1, 2])
def test_where_a_is_zero(q: int) -> None:
    """Any value is as near there: inside nothing moves, outside it gives its part of the ball to the others."""
    s = np.ones(3)
    inside = np.array([0.5, 0.2, 0.0])
    assert np.array_equal(project(inside, np.array([0.0, 1.0, 1.0]), s, 1.0, q), inside)
    outside = project(np.array([5.0, 0.9, 0.0]), np.array([0.0, 1.0, 1.0]), s, 1.0, q)
    assert outside.tolist() == [0.0, 0.9, 0.0]
    further = project(np.array([5.0, 3.0, 0.0]), np.array([0.0, 1.0, 1.0]), s, 1.0, q)
    assert further == pytest.approx([0.0, 1.0, 0.0])
    assert project(np.array([5.0, 3.0, 0.0]), np.zeros(3), s, 1.0, q).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("q", [1, 2])
def test_a_feature_that_was_never_seen(q: int) -> None:
    assert project(np.array([0.0, 3.0]), np.array([0.0, 2.0]), np.array([0.0, 1.0]), 1.0, q) == pytest.approx(
        [0.0, 1.0]
    )


@pytest.mark.parametrize("q", [1, 2])
def test_many_at_once_and_one_at_a_time(q: int) -> None:
    rng = np.random.default_rng(0)
    w, A, s = rng.normal(size=(4, 50, 3)) * 3, rng.exponential(size=(4, 50, 3)), rng.exponential(size=(50, 3))
    together = project(w, A, s, 1.0, q)
    for i, j in np.ndindex(4, 50):
        assert np.allclose(together[i, j], project(w[i, j], A[i, j], s[j], 1.0, q), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("q", [1, 2])
def test_the_result_is_in_the_ball_however_far_the_start(q: int) -> None:
    rng = np.random.default_rng(0)
    w, A = rng.normal(size=(200, 4)) * 10.0 ** rng.uniform(-5, 40, (200, 4)), 10.0 ** rng.uniform(-30, 30, (200, 4))
    assert np.linalg.norm(project(w, A, np.ones(4), 1.0, q), q, axis=-1).max() <= 1.0 + 1e-12


def test_another_q() -> None:
    with pytest.raises(UsageError, match="known for q = 1 and q = 2, not for q = 3"):
        project(np.ones(2), np.ones(2), np.ones(2), 1.0, 3)
