"""S: the axis-aligned ball of least volume, ||S^(1/2) x_t||_p ≤ 1 for all t, as its half-axes s_i = S_ii^(-1/2).

The paper asks for the S of "minimum determinant (volume)". The volume of the ball is proportional to det S^(-1/2), so
the least volume belongs to the *largest* determinant, and that is what is computed.
"""

import numpy as np

from unscaled.errors import UsageError
from unscaled.theory.arrays import Array, over

# The barrier of T constraints leaves log det S at most T μ below its largest value.
LAST_MU = 1e-10
SHRINK = 0.1
NEWTON_STEPS = 60
NEAR_ENOUGH = 1e-3  # within a few times its square of the optimum for this μ


def half_axes(X: Array, p: float) -> Array:
    """s of the least ball around x_1..x_T: p = ∞ in closed form, p = 2 to T · 1e-10 of its volume.

    >>> half_axes(np.array([[3.0, 0.0], [0.0, 10.0]]), p=2).round(6).tolist()
    [3.0, 10.0]
    """
    largest = np.abs(X).max(axis=-2)
    if p == np.inf:
        return largest
    if p == 2:
        return largest * _of_ellipsoid(over(X, largest[..., None, :]) ** 2, largest > 0.0)
    raise UsageError(f"the least ball is known for p = 2 and p = inf, not for p = {p:g}")


def running_half_axes(X: Array) -> Array:
    """s of S^(t), the least ball around x_1..x_t, for every t and p = ∞: the scales of algorithm 2."""
    return np.maximum.accumulate(np.abs(X), axis=-2)


def _of_ellipsoid(Z: Array, seen: Array) -> Array:
    """max Σ log S_i over Σ_i Z_ti S_i ≤ 1 for all t, where Z = x², by the barrier μ Σ_t log(1 - Σ_i Z_ti S_i).

    Divided by μ ≤ 1 the sum is self-concordant: Newton's method with the step 1/(1 + decrement) stays inside by itself.
    """
    d = Z.shape[-1]
    S = np.full(seen.shape, 0.5 / d)
    mu = 1.0
    while mu > LAST_MU:
        for _ in range(NEWTON_STEPS):
            walls = Z / (1.0 - Z @ S[..., None])
            slope = np.where(seen, 1.0 / (mu * S), 0.0) - walls.sum(axis=-2)
            curvature = np.swapaxes(walls, -1, -2) @ walls
            curvature[..., range(d), range(d)] += 1.0 / (mu * S * S)
            step = np.linalg.solve(curvature, slope[..., None])[..., 0]
            decrement = np.sqrt(np.maximum(np.sum(step * slope, axis=-1, keepdims=True), 0.0))
            S = S + step / (1.0 + decrement)
            if decrement.max(initial=0.0) < NEAR_ENOUGH:
                break
        mu *= SHRINK
    touching = (Z @ S[..., None])[..., 0].max(axis=-1, keepdims=True)
    return np.where(seen, np.sqrt(touching / S), 0.0)
