"""The right-hand sides: lemma 1, lemma 2, theorems 1 and 2, corollary 1, and the special case of p = 2.

G_i is Σ_t g_ti², s_i = S_ii^(-1/2); all sums run over the last axis, so that one call bounds many streams.
"""

from math import ceil, floor, log, sqrt

import numpy as np

from unscaled.errors import UsageError
from unscaled.theory.arrays import Array, over


def lemma1(w: Array, w_star: Array, A: Array, g: Array) -> Array:
    """½ of: (w_1 - w*)ᵀA_1(w_1 - w*) + Σ_{t<T} (w_{t+1} - w*)ᵀ(A_{t+1} - A_t)(w_{t+1} - w*) + Σ_t g_tᵀA_t^{-1}g_t.

    w, A and g are (..., T, d). This is what the proof arrives at; the statement has w_t in place of w_{t+1}, with
    which it is false, and the proof loses the inverse of A_t in the last term on its way.
    """
    away = (w - w_star[..., None, :]) ** 2
    growth = np.diff(A, axis=-2, prepend=0.0)
    return 0.5 * np.sum(growth * away + over(g * g, A), axis=(-2, -1))


def best_conditioner(G: Array, s: Array, C: float) -> Array:
    """Lemma 2: A*_ii = (1/C) √(Σ_t g_ti² / S_ii), the least of ½ Σ_i (C² A_ii S_ii + G_i / A_ii)."""
    return np.sqrt(G) * s / C


def minimax_conditioner(G: Array, s: Array, C: float) -> Array:
    """What solves the min-max that lemma 2 states, for p = 2 and p = ∞.

    There the maximum of wᵀAw is C² max_i A_ii S_ii, of which the trace in the proof is only a bound. So A_ii S_ii is
    the same for all i: A_ii = (1/C) s_i² √(Σ_j S_jj G_j), which is algorithm 1's way to use the scales.
    """
    return s * s * np.sqrt(np.sum(over(G, s * s), axis=-1, keepdims=True)) / C


def trace_objective(A: Array, G: Array, s: Array, C: float) -> Array:
    """What the proof of lemma 2 minimises: ½ Σ_i (C² A_ii S_ii + G_i / A_ii)."""
    return 0.5 * np.sum(C * C * over(A, s * s) + over(G, A), axis=-1)


def minimax_objective(A: Array, G: Array, s: Array, C: float) -> Array:
    """What lemma 2 states: the maximum over ||S^(-1/2)w||_q ≤ C of ½ Σ_i (A_ii w_i² + G_i / A_ii), q = 1 or 2."""
    return 0.5 * (C * C * np.max(over(A, s * s), axis=-1) + np.sum(over(G, A), axis=-1))


def lemma2(G: Array, s: Array, C: float) -> Array:
    """C Σ_i √(S_ii G_i), the regret of the best fixed conditioner.

    >>> float(lemma2(np.array([4.0, 9.0]), np.array([1.0, 3.0]), C=2.0))
    6.0
    """
    return C * np.sum(over(np.sqrt(G), s), axis=-1)


def lemma2_tight(G: Array, s: Array, C: float) -> Array:
    """C √(Σ_i S_ii G_i), the value of the min-max that lemma 2 states: less by up to √d."""
    return C * np.sqrt(np.sum(over(G, s * s), axis=-1))


def special_case(slopes: Array, d: int, C: float) -> Array:
    """Section 5.2: for p = 2 lemma 2 is at most C √d √(Σ_t g'_t²)."""
    return C * sqrt(d) * np.sqrt(np.sum(slopes * slopes, axis=-1))


def theorem1(G: Array, s: Array, C: float) -> Array:
    """2√2 C Σ_i √(S_ii G_i)."""
    return 2.0 * sqrt(2.0) * lemma2(G, s, C)


def theorem2(G: Array, s: Array, delta: Array, C: float) -> Array:
    """C Σ_i (√G_i / max|x_i|) (1 + 6Δ_i + Δ_i²) / 2√2."""
    return lemma2(G * ((1.0 + 6.0 * delta + delta * delta) / sqrt(8.0)) ** 2, s, C)


def delta_of(X: Array, tau: int | None = None) -> Array:
    """Δ_i: the largest |x_i| over the first that is not zero, or over the largest of the first τ rounds.

    A feature first seen after round τ counts from where it is first seen: until then its weight is 0.
    """
    size = np.abs(X)
    first = np.take_along_axis(size, np.argmax(size > 0.0, axis=-2)[..., None, :], axis=-2)[..., 0, :]
    known = first if tau is None else size[..., :tau, :].max(axis=-2)
    return over(size.max(axis=-2), np.where(known > 0.0, known, first))


def corollary1(G: Array, s: Array, delta: Array, C: float, rounds: int, R_max: Array) -> Array:
    """Theorem 2 from round τ on, with the Δ_i of round τ, and R_max for each round before."""
    return rounds * R_max + theorem2(G, s, delta, C)


def tau(d: int, risk: float, nu: float) -> int:
    """τ = ⌈log(d/δ) / ν⌉: by then all features were in their largest share ν once, but for a risk δ."""
    return ceil(log(d / risk) / nu)


def rounds_before(d: int, risk: float, nu: float) -> int:
    """⌊log(d/δ) / ν⌋, the rounds that corollary 1 charges with R_max."""
    return floor(log(d / risk) / nu)


def quantile_delta(X: Array, nu: float) -> Array:
    """max|x_i| / Quantile(|x_i|, 1-ν), which bounds Δ_i in corollary 1; the quantile is the ⌈Tν⌉-th largest."""
    size = np.sort(np.abs(X), axis=-2)
    quantile = size[..., -ceil(X.shape[-2] * nu), :]
    return np.divide(size[..., -1, :], quantile, out=np.full(quantile.shape, np.inf), where=quantile > 0.0)


def R_max(loss: str, C: float, y: Array) -> Array:
    """The most that a prediction in [-C, C] can lose to another: those of corollary 1, and 2C for the absolute loss."""
    farthest = np.abs(y).max(axis=-1)
    if loss == "squared":
        return 4.0 * C * np.maximum(C, farthest)
    if loss in ("hinge", "logistic"):
        return np.full(farthest.shape, C + 1.0)
    if loss == "absolute":
        return np.full(farthest.shape, 2.0 * C)
    raise UsageError(f'no R_max is known for the loss "{loss}"')
