"""The best predictor of bounded output in hindsight: a convex program, solved in units of x/s and certified.

    min_w Σ_t ℓ(w·x_t, y_t)   over   ||S^(-1/2) w||_q ≤ C   or   |w·x_t| ≤ C for all t

What the solver says is not believed: from its w a point inside the set is made, from its multipliers a lower bound
by Fenchel's duality, and the gap between them must be small.
"""

import warnings
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from unscaled.errors import UnscaledError, UsageError
from unscaled.theory.arrays import Array, over
from unscaled.theory.losses import ConvexLoss, convex_loss

Within = Literal[1, 2, "observed"]
"""The set: the dual ball with that q, or all w of bounded output on the examples."""

LARGEST_GAP = 1e-5  # of 1 + loss
MOST_PARAMETERS = 1000  # beyond, it is quicker to state a problem anew than to keep it open for other data


class Best(NamedTuple):
    """The best w, its loss, and by how much at most another might be better."""

    w: Array
    loss: float
    gap: float


def best(X: Array, y: Array, loss: ConvexLoss, C: float, s: Array, within: Within = 1) -> Best:
    """The best predictor for one stream, X of shape (T, d), where s are the half-axes of S.

    >>> from unscaled.theory.losses import convex_loss
    >>> metres, label = np.array([[1e12], [2e12]]), np.array([1.0, 2.0])
    >>> found = best(metres, label, convex_loss("absolute"), C=2.0, s=np.array([2e12]))
    >>> round(found.loss, 6), float(found.w[0].round(18))
    (0.0, 1e-12)
    """
    U = over(X, s)
    if not np.all(np.isfinite(U)) or not np.all(np.isfinite(y)):
        raise UnscaledError("nothing is best in hindsight: some value or label is not a finite number")
    v, alpha, beta = _solve(U, y, loss, C, within)
    size = np.max(np.abs(U @ v)) if within == "observed" else np.linalg.norm(v, within)
    v = v * min(1.0, C / size) if size > 0.0 else v
    value = float(loss.value(U @ v, y).sum())
    a = loss.legal(alpha - beta, y)
    gap = value + float(loss.conjugate(a, y).sum()) + C * _support(U, a, beta, within)
    if not gap <= LARGEST_GAP * (1.0 + value):
        raise UnscaledError(f"the solver stopped {gap:.2g} above the least loss, {value:.6g}")
    return Best(over(v, s), value, max(gap, 0.0))


def _support(U: Array, a: Array, beta: Array, within: Within) -> float:
    """The most of -aᵀUv over the set with C = 1.

    On the examples it is at most ||β||_1 for any β with Uᵀ(a + β) = 0; the solver's is corrected until that holds.
    """
    if within == "observed":
        kept = a + beta
        kept = kept - U @ (np.linalg.pinv(U) @ kept)
        return float(np.abs(kept - a).sum())
    return float(np.linalg.norm(U.T @ a, np.inf if within == 1 else 2))


def _solve(U: Array, y: Array, loss: ConvexLoss, C: float, within: Within) -> tuple[Array, Array, Array]:
    """v, the multipliers of z = Uv, and those of |z| ≤ C with the sign of z."""
    cp = _cvxpy()
    T, d = U.shape
    known = T * d <= MOST_PARAMETERS
    problem, given, v, z, link, walls = (_stated if known else _state)(loss.name, T, d, within)
    for parameter, value in zip(given, (U, y, C), strict=True):
        parameter.value = value
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")  # the gap tells
            problem.solve(solver=cp.CLARABEL, ignore_dpp=not known)
    except cp.error.SolverError as error:
        raise UnscaledError(f"the solver failed: {error}") from None
    if v.value is None:
        raise UnscaledError(f"the solver found nothing: {problem.status}")
    beta = walls.dual_value * np.sign(z.value) if within == "observed" else np.zeros(len(y))
    return v.value, link.dual_value, beta


def _state(name: str, T: int, d: int, within: Within) -> tuple[Any, ...]:
    cp = _cvxpy()
    U, y, C = cp.Parameter((T, d)), cp.Parameter(T), cp.Parameter(nonneg=True)
    v, z = cp.Variable(d), cp.Variable(T)
    link = U @ v == z
    walls = cp.abs(z) <= C if within == "observed" else cp.norm(v, within) <= C
    problem = cp.Problem(cp.Minimize(convex_loss(name).expression(cp, z, y)), [link, walls])
    return problem, (U, y, C), v, z, link, walls


_stated = lru_cache(maxsize=64)(_state)


def _cvxpy() -> Any:
    try:
        import cvxpy
    except ImportError:
        raise UsageError("regret in hindsight needs cvxpy: pip install 'unscaled[theory]'") from None
    return cvxpy
