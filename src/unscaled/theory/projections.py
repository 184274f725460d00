"""Π^A_{S,C,q}(w'): the nearest predictor of bounded output in the norm of A. Exact for q = 1 and q = 2.

    argmin (w - w')ᵀ A (w - w')   over   ||S^(-1/2) w||_q ≤ C

In v = w s and a = A/s² this is argmin Σ a_i (v_i - v'_i)² over ||v||_q ≤ C, which knows no units. Where A_ii = 0 any
v_i is as near; 0 leaves most of the ball to the others.
"""

import numpy as np

from unscaled.errors import UsageError
from unscaled.theory.arrays import Array, over

NEWTON_STEPS = 100  # two a feature lead to the last bend of the secular equation, and seven more to the last bit


def project(w: Array, A: Array, s: Array, C: float, q: float) -> Array:
    """Π^A_{S,C,q}(w) with S_ii = 1/s_i², over the last axis.

    >>> project(np.array([3.0, 1.0]), A=np.array([1.0, 1.0]), s=np.array([1.0, 1.0]), C=2.0, q=1).tolist()
    [2.0, 0.0]
    """
    if q not in (1, 2):
        raise UsageError(f"the projection is known for q = 1 and q = 2, not for q = {q:g}")
    v = w * s
    inside = np.linalg.norm(v, q, axis=-1, keepdims=True) <= C
    a = over(A, s * s)
    moved = _onto_l1(np.where(a > 0.0, v, 0.0), a, C) if q == 1 else _onto_l2(np.where(a > 0.0, v, 0.0), a, C)
    length = np.linalg.norm(moved, q, axis=-1, keepdims=True)  # what cancellation leaves outside is pulled in
    return np.where(inside, w, over(moved * np.minimum(1.0, over(np.full_like(length, C), length)), s))


def _onto_l1(v: Array, a: Array, C: float) -> Array:
    """v_i shrinks by λ/a_i and stops at 0, which it meets when λ is a_i |v_i|.

    If the k features that stop last are those left, Σ_k (|v_i| - λ/a_i) = C gives λ; k is the largest for which the
    k-th has not stopped yet.
    """
    size = np.abs(v)
    stops = a * size
    order = np.argsort(-stops, axis=-1)
    pull = np.where(a > 0.0, 1.0 / np.where(a > 0.0, a, 1.0), 1.0)
    excess = np.cumsum(np.take_along_axis(size, order, -1), axis=-1) - C
    levels = excess / np.cumsum(np.take_along_axis(pull, order, -1), axis=-1)
    left = np.sum(np.take_along_axis(stops, order, -1) > levels, axis=-1, keepdims=True)
    level = np.maximum(np.take_along_axis(levels, np.maximum(left - 1, 0), -1), 0.0)
    return np.sign(v) * np.maximum(size - level * pull, 0.0)


def _onto_l2(v: Array, a: Array, C: float) -> Array:
    """v_i becomes a_i v_i / (a_i + λ), where λ is the root of 1/||v(λ)|| = 1/C.

    1/||v(λ)|| is concave and increasing, so from λ = 0, where it is too small, Newton's method climbs to the root and
    never passes it.
    """
    level = np.zeros((*v.shape[:-1], 1))
    for _ in range(NEWTON_STEPS):
        shrunk = over(a * v, a + level)
        length = np.linalg.norm(shrunk, axis=-1, keepdims=True)
        bend = np.sum(over(shrunk * shrunk, a + level), axis=-1, keepdims=True)
        step = over((length / C - 1.0) * length * length, bend)
        higher = level + np.maximum(step, 0.0)
        if np.array_equal(higher, level):
            break
        level = higher
    return over(a * v, a + level)
